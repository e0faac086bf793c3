"""The core: messages, runs, the loop that walks them, and the agent that is a face on it."""

from typing import TYPE_CHECKING

from ..lazy import lazily

if TYPE_CHECKING:
    from .agent import Agent
    from .config import Config
    from .exceptions import HelloAgentsException
    from .llm import HelloAgentsLLM
    from .llm_response import LLMResponse, StreamStats
    from .message import Message

__all__ = ["Agent", "Config", "HelloAgentsException", "HelloAgentsLLM", "LLMResponse", "Message", "StreamStats"]

_HOMES = {
    "Agent": "agent",
    "Config": "config",
    "HelloAgentsException": "exceptions",
    "HelloAgentsLLM": "llm",
    "LLMResponse": "llm_response",
    "Message": "message",
    "StreamStats": "llm_response",
}
if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, _HOMES)
