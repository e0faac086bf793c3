"""The dictionaries and responses of the tutorial's code, to and from the loop's own values."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any

from .action import Request
from .exceptions import BadReply
from .llm_response import LLMResponse, LLMToolResponse, ToolCall
from .message import Message, Usage
from .run import Delta, Replied

Messages = Sequence[Mapping[str, Any] | Message]
"""Messages as dictionaries of the wire (`role`, `content`, …). `Message` objects may stand among them."""


def to_request(
    messages: Messages, tools: Sequence[dict[str, Any]] = (), tool_choice: str | Mapping[str, Any] = "auto"
) -> Request:
    """The request that the arguments of a dictionary method stand for."""
    from ..wire import openai_chat

    if isinstance(messages, str):
        raise TypeError(f"Messages are a list, not the text {messages!r}. Pass [{{'role': 'user', 'content': …}}].")
    choice = openai_chat.decode_tool_choice(tool_choice)
    return Request(openai_chat.decode_messages(messages), tools, choice)


def dictionaries(
    request: Request, language: str
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], str | dict[str, Any]]:
    """The request as arguments of a dictionary method."""
    from ..wire import openai_chat

    messages = openai_chat.encode_messages(request.messages, language=language)
    return messages, list(request.tools), openai_chat.encode_tool_choice(request.tool_choice)


def response(replied: Replied, model: str, started: float) -> LLMResponse:
    """The reply as `invoke` returns it."""
    message = replied.message
    return LLMResponse(message.text, replied.model or model, counts(replied.usage), since(started), message.reasoning)


def tool_response(replied: Replied, model: str, started: float) -> LLMToolResponse:
    """The reply as `invoke_with_tools` returns it. Arguments that could not be read are as the model wrote them."""
    from ..wire.openai_chat import MALFORMED
    from .arguments import write_arguments

    message = replied.message
    written = message.metadata.get(MALFORMED, {})
    calls = [
        ToolCall(call.id, call.name, written.get(call.id) or write_arguments(call.arguments))
        for call in message.tool_calls
    ]
    return LLMToolResponse(
        message.content, calls, replied.model or model, counts(replied.usage), since(started), message.reasoning
    )


def from_response(response: LLMToolResponse | LLMResponse | str, model: str, step: int) -> Replied:
    """The reply in what a dictionary method returned; a plain string is its text."""
    from ..wire import openai_chat

    if not isinstance(response, str) and not hasattr(response, "content"):
        raise BadReply(
            f"The model's own method returned {response!r}. Let it return text, an LLMResponse or an LLMToolResponse.",
            retryable=False,
        )
    message: dict[str, Any] = {"content": str(response) if isinstance(response, str) else response.content}
    usage: Mapping[str, int] = {}
    if not isinstance(response, str):
        message["tool_calls"] = [
            {"id": call.id, "function": {"name": call.name, "arguments": call.arguments}}
            for call in getattr(response, "tool_calls", None) or ()
        ]
    if isinstance(response, (LLMToolResponse, LLMResponse)):
        message["reasoning_content"] = response.reasoning_content
        usage, model = response.usage, response.model
    return openai_chat.decode({"choices": [{"message": message}], "usage": usage, "model": model}, step=step)


def counts(usage: Usage) -> dict[str, int]:
    """Tokens as the provider's own words name them."""
    always = {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.total_tokens,
    }
    seldom = {"cached_tokens": usage.cached_tokens, "reasoning_tokens": usage.reasoning_tokens}
    return always | {name: count for name, count in seldom.items() if count}


def since(started: float) -> int:
    """Milliseconds since a reading of the clock."""
    return round((time.perf_counter() - started) * 1000)


def last(parts: Iterator[Delta | Replied]) -> Replied:
    """The reply at the end of a stream."""
    for part in parts:
        if isinstance(part, Replied):
            return part
    raise _no_reply()


async def alast(parts: AsyncIterator[Delta | Replied]) -> Replied:
    """`last`, awaited."""
    async for part in parts:
        if isinstance(part, Replied):
            return part
    raise _no_reply()


def _no_reply() -> BadReply:
    return BadReply("The model's stream ended without a reply. A model yields one `Replied`, last.", retryable=False)
