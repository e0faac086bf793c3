"""A finished reply taken apart into the pieces in which a provider would have sent it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..core.message import Message
from ..core.run import Delta
from .estimate import arguments_text

PIECE_OF_ARGUMENTS = 24
"""Characters of a call's arguments in one piece."""

_WORDS = re.compile(r"\s*(?:[\u3400-\u9fff]|[^\s\u3400-\u9fff]+)|\s+")


def text_pieces(text: str) -> list[str]:
    """The words of a text, each with the space before it; Chinese comes by the character. Joined, they are the text."""
    return _WORDS.findall(text)


def deltas(message: Message) -> Iterator[Delta]:
    """The pieces of a reply, in the order in which providers send them: thinking, text, calls."""
    for piece in text_pieces(message.reasoning or ""):
        yield Delta(piece, "reasoning")
    for piece in text_pieces(message.content or ""):
        yield Delta(piece)
    for position, call in enumerate(message.tool_calls):
        text = arguments_text(call.arguments)
        yield Delta(text[:PIECE_OF_ARGUMENTS], "call", position, call.name)
        for start in range(PIECE_OF_ARGUMENTS, len(text), PIECE_OF_ARGUMENTS):
            yield Delta(text[start : start + PIECE_OF_ARGUMENTS], "call", position)
