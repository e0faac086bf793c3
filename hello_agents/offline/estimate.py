"""Token estimates for models without a tokenizer: four bytes of UTF-8 count as one token."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from ..core.action import Request
from ..core.message import Message, Messages

BYTES_PER_TOKEN = 4
"""Close to what tokenizers do for English, and within their range for Chinese."""

PER_MESSAGE = 4
"""What the frame around a message costs."""


def estimate_text(text: str) -> int:
    """Estimated tokens of a text. `""` is 0; more text is never fewer tokens."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    return (size + BYTES_PER_TOKEN - 1) // BYTES_PER_TOKEN


def estimate_message(message: Message) -> int:
    """Estimated tokens of a message with its calls."""
    total = PER_MESSAGE + (estimate_text(message.content) if message.content else 0)
    for call in message.tool_calls:
        # `repr` is as long as the JSON, give or take, and much faster.
        total += estimate_text(call.name) + estimate_text(repr(call.arguments))
    return total


def arguments_text(arguments: dict[str, Any]) -> str:
    """Arguments as a provider would send them."""
    return json.dumps(arguments, ensure_ascii=False, default=str)


class PromptEstimate:
    """Estimated tokens of requests. Of a conversation that grew, only the new messages are looked at."""

    def __init__(self) -> None:
        # Each memo is one tuple, replaced whole, so that threads sharing a model can at worst count anew.
        self._counted: tuple[Messages, int] = (Messages(), 0)
        self._offer: tuple[Sequence[dict[str, Any]], int] = ((), 0)

    def of(self, request: Request) -> int:
        """Estimated tokens of the messages and the tool schemas. Equal requests give equal numbers."""
        return self._messages(request.messages) + self._tools(request.tools)

    def _messages(self, messages: Sequence[Message]) -> int:
        if not isinstance(messages, Messages):
            return _total(messages)
        known, total = self._counted
        if messages.extends(known):
            total += _total(messages[i] for i in range(len(known), len(messages)))
        else:
            total = _total(messages)
        self._counted = (messages, total)
        return total

    def _tools(self, tools: Sequence[dict[str, Any]]) -> int:
        known, total = self._offer
        if tools is not known or not isinstance(tools, tuple):
            total = sum(estimate_text(arguments_text(tool)) for tool in tools)
            self._offer = (tools, total)
        return total


def _total(messages: Iterable[Message]) -> int:
    return sum(estimate_message(message) for message in messages)
