"""What both protocols of blocks share: the layout of an assistant's message, kept beside the message."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..core.message import Message


def fitting(
    kept: Sequence[Mapping[str, Any]],
    text_of: Callable[[Mapping[str, Any]], str],
    is_call: Callable[[Mapping[str, Any]], bool],
    message: Message,
) -> bool:
    """Whether the kept blocks still are those of the message: a message may have been edited since it came."""
    said = "".join(text_of(block) for block in kept)
    same = said == message.text or (not message.content and said.isspace())
    return same and sum(is_call(block) for block in kept) == len(message.tool_calls)
