"""Thinking that a model writes into its text between `<think>` and `</think>`, taken out of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

Piece = tuple[Literal["content", "reasoning"], str]

OPEN, CLOSE = "<think>", "</think>"
_QUOTES = "`\"'"
"""A tag behind one of these is spoken of, not used."""
_LONE_CLOSE = re.compile(r"(?:\A|\n)[ \t]*</think>[ \t]*(?:\n|\Z)")


class ThinkSplitter:
    """Text in pieces, told apart into content and reasoning. However the text is cut, the sum is the same.

    What might be the beginning of a tag is held back until the next piece decides it. White space around a
    block belongs to neither side.
    """

    def __init__(self) -> None:
        self._held = ""
        self._thinking = False
        self._trim = False
        """White space is being dropped: just behind a tag."""
        self._between = ""
        """What separates the next block from the ones before."""
        self._last = ""
        """The last character of the content, to see a quote in front of a tag."""

    def feed(self, text: str) -> Iterator[Piece]:
        """The pieces that are certain by now."""
        text = self._held + text
        self._held = ""
        while text:
            tag = CLOSE if self._thinking else OPEN
            at = self._find(text, tag)
            if at >= 0:
                yield from self._piece(text[:at])
                text = text[at + len(tag) :]
                if self._thinking:
                    self._between = "\n"
                self._thinking, self._trim = not self._thinking, True
                continue
            keep = _beginning(text, tag)
            self._held = text[len(text) - keep :]
            yield from self._piece(text[: len(text) - keep])
            return

    def close(self) -> Iterator[Piece]:
        """What was held back."""
        held, self._held = self._held, ""
        yield from self._piece(held)

    def _find(self, text: str, tag: str) -> int:
        at = text.find(tag)
        if self._thinking:
            return at
        while at >= 0 and (text[at - 1] if at else self._last) in _QUOTES and (at or self._last):
            at = text.find(tag, at + 1)
        return at

    def _piece(self, text: str) -> Iterator[Piece]:
        if self._trim:
            text = text.lstrip()
        if not text:
            return
        self._trim = False
        if self._thinking:
            yield "reasoning", self._between + text
            self._between = ""
        else:
            self._last = text[-1]
            yield "content", text


def split_lone_close(content: str) -> tuple[str, str]:
    """`(reasoning, content)` of a text with a closing tag alone on its line and no opening one.

    Some chat templates write the opening tag into the prompt, so that the reply begins inside the block.
    """
    found = _LONE_CLOSE.search(content)
    if found is None:
        return "", content
    return content[: found.start()].strip(), content[found.end() :].lstrip()


def _beginning(text: str, tag: str) -> int:
    """How many characters at the end of the text may be the beginning of the tag."""
    for size in range(min(len(tag) - 1, len(text)), 0, -1):
        if tag.startswith(text[len(text) - size :]):
            return size
    return 0
