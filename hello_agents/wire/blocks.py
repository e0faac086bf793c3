"""What both protocols of blocks share: the layout of an assistant's message, kept beside the message."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..core.message import Message

_NOT_PLAIN = re.compile(r"[^a-zA-Z0-9_-]")


def plain(name: str) -> str:
    """A name or an id in the letters that both protocols allow."""
    name = _NOT_PLAIN.sub("_", name)
    return name if not name or name[0].isalpha() or name[0] == "_" else f"_{name}"


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
