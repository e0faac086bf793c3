"""Chunking: a document, cut where it has its own borders, into pieces of at most so many tokens.

Borders are taken in this order: headings, blank lines, sentences or, in code, lines, and only then words and
characters. A chunk never reaches over a heading.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .documents import Chunk, Document
from .headings import Section, fences, lines_of, sections

if TYPE_CHECKING:
    from ..context.token_counter import TokenCounter

SMALLEST = 8
"""The least tokens of a chunk: any one character fits."""

_LONGEST_TOKEN = 24
"""Characters in a token, at most as a rule: how far ahead is looked for a cut."""

_SENTENCE = re.compile(
    r"(?:[.!?…]+[\"'”’)\]]*(?=\s))|[。！？；…]+[”’」』）】]*|(?:\r\n?|\n)(?=[ \t]*(?:[\r\n]|(?:[-*+|]|\d+[.)]) ))"
)
"""Where a sentence ends: after its sign and what closes there; a blank line and an item of a list begin a new one."""

_JOINERS = frozenset("\u200d\ufe0e\ufe0f")


@dataclass(frozen=True, slots=True)
class Chunking:
    """What a document was cut into."""

    chunks: tuple[Chunk, ...]
    skipped_empty: int
    """1 when the document holds nothing but space, else 0."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch that is not cut any further, without space around it."""

    start: int
    end: int
    tokens: int


def chunk(document: Document, counter: TokenCounter, chunk_tokens: int = 400, overlap_tokens: int = 50) -> Chunking:
    """Cuts a document into chunks.

    A chunk has at most `chunk_tokens` tokens. Up to `overlap_tokens` of them repeat the end of the chunk before, in
    whole sentences. Every character but space is in some chunk. Raises `ValueError` for sizes that do not work.
    """
    check_sizes(chunk_tokens, overlap_tokens)
    text = document.text
    cut = _Cutter(text, counter, chunk_tokens, overlap_tokens)
    whole = [Section(0, len(text), ())]
    found = (sections(text) if document.form == "markdown" else whole) if text.strip() else []
    starts = [line.start for line in lines_of(text)]
    chunks: list[Chunk] = []
    for section in found:
        for start, end, tokens in cut.section(section, document.form == "markdown"):
            line = bisect_right(starts, start)
            name = f"{document.id}#{len(chunks) + 1}"
            chunks.append(Chunk(name, document.id, text[start:end], section.path, start, end, tokens, line))
    return Chunking(tuple(chunks), 0 if chunks else 1)


def check_sizes(chunk_tokens: int, overlap_tokens: int) -> None:
    """Raises `ValueError` for sizes of chunks that do not work."""
    if chunk_tokens < SMALLEST:
        raise ValueError(f"A chunk of {chunk_tokens} tokens is too small. Use {SMALLEST} or more.")
    if not 0 <= overlap_tokens < chunk_tokens:
        raise ValueError(
            f"An overlap of {overlap_tokens} tokens does not fit chunks of {chunk_tokens}. Use 0 or more, and less "
            "than the size of a chunk."
        )


def sentences(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Where each sentence of a stretch of text begins and ends. Chinese and Japanese ends of sentences count, too."""
    end = len(text) if end is None else end
    for found in _SENTENCE.finditer(text, start, end):
        yield start, found.end()
        start = found.end()
        while start < end and text[start].isspace():
            start += 1
    if start < end:
        yield start, end


class _Cutter:
    """The cutting of one text."""

    def __init__(self, text: str, counter: TokenCounter, most: int, overlap: int) -> None:
        self.text = text
        self.count = counter.count_text
        self.most = most
        self.overlap = overlap

    def section(self, section: Section, markdown: bool) -> Iterator[tuple[int, int, int]]:
        """Start, end and tokens of each chunk of a section."""
        pieces = [
            piece for block in self._blocks(section.start, section.end, markdown) for piece in self._fitting(*block)
        ]
        at = 0
        before = None
        while at < len(pieces):
            start = pieces[at].start if before is None else self._with_overlap(before, pieces[at])
            after = self._fill(pieces, at, start)
            end = pieces[after - 1].end
            yield start, end, self._tokens(start, end)
            before, at = (start, end), after

    def _fill(self, pieces: list[_Piece], at: int, start: int) -> int:
        """How far the pieces go that fit into a chunk from `start` on; at least one does."""
        after = at + 1
        total = self._tokens(start, pieces[at].end)
        while after < len(pieces) and total + pieces[after].tokens <= self.most:
            total += pieces[after].tokens
            after += 1
        # Pieces joined by space may count for a little more than one by one.
        while after > at + 1 and self._tokens(start, pieces[after - 1].end) > self.most:
            after -= 1
        return after

    def _with_overlap(self, before: tuple[int, int], piece: _Piece) -> int:
        """Where the next chunk begins: so many whole sentences back as the overlap and the size allow."""
        if not self.overlap:
            return piece.start
        start, end = before
        begins = piece.start
        for at, _ in reversed(list(self._sentences(start, end))):
            too_long = self._tokens(at, end) > self.overlap or self._tokens(at, piece.end) > self.most
            if too_long or at == start:
                break
            begins = at
        return begins

    def _blocks(self, start: int, end: int, markdown: bool) -> Iterator[tuple[int, int, bool]]:
        """Paragraphs, and whether each is fenced code."""
        lines = list(lines_of(self.text, start, end))
        coded = fences(lines) if markdown else [False] * len(lines)
        begins: int | None = None
        was_code = False
        for line, code in zip(lines, coded, strict=True):
            blank = not code and not line.text.strip()
            if begins is not None and (blank or code != was_code):
                yield begins, line.start, was_code
                begins = None
            if begins is None and not blank:
                begins = line.start
            was_code = code
        if begins is not None:
            yield begins, end, was_code

    def _fitting(self, start: int, end: int, code: bool) -> Iterator[_Piece]:
        """A paragraph as one piece when it fits, else its sentences or lines, and of these what does not fit cut."""
        for piece in self._trimmed([(start, end)]):
            if piece.tokens <= self.most:
                yield piece
                return
            smaller = self._lines(piece.start, piece.end) if code else self._sentences(piece.start, piece.end)
            for part in self._trimmed(smaller):
                if part.tokens <= self.most:
                    yield part
                else:
                    yield from self._hard(part.start, part.end)

    def _lines(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        return ((line.start, line.end) for line in lines_of(self.text, start, end))

    def _sentences(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        return sentences(self.text, start, end)

    def _hard(self, start: int, end: int) -> Iterator[_Piece]:
        """Pieces of a stretch without borders: as long as fits, up to a space where there is one, else a character."""
        while start < end:
            reach = self._reach(start, end)
            cut = reach if reach == end else self._space_before(start, reach) or self._whole_character(start, reach)
            piece = self._piece(start, cut)
            # Without the space around it a piece may count for a little more.
            while piece is not None and piece.tokens > self.most:
                cut -= 1
                piece = self._piece(start, cut)
            if piece is not None:
                yield piece
            start = cut

    def _reach(self, start: int, end: int) -> int:
        """The farthest place to which the text fits, found by halving, and then made sure of."""
        low, high = start + 1, min(end, start + self.most * _LONGEST_TOKEN)
        while low < high:
            middle = (low + high + 1) // 2
            if self._tokens(start, middle) <= self.most:
                low = middle
            else:
                high = middle - 1
        while low > start + 1 and self._tokens(start, low) > self.most:
            low -= 1
        return low

    def _space_before(self, start: int, reach: int) -> int | None:
        """Behind the last space of the second half."""
        spaces = (at for at in range(reach, (start + reach) // 2, -1) if self.text[at - 1].isspace())
        return next(spaces, None)

    def _whole_character(self, start: int, reach: int) -> int:
        """Not between a letter and its accent, nor inside a joined emoji, as long as that is possible."""
        for at in range(reach, start, -1):
            sign = self.text[at]
            joined = sign in _JOINERS or unicodedata.combining(sign) or "\U0001f3fb" <= sign <= "\U0001f3ff"
            if not joined and self.text[at - 1] != "\u200d" and self._tokens(start, at) <= self.most:
                return at
        return reach

    def _trimmed(self, spans: Iterable[tuple[int, int]]) -> Iterator[_Piece]:
        """The spans without space around them; those of nothing but space are left out."""
        for start, end in spans:
            piece = self._piece(start, end)
            if piece is not None:
                yield piece

    def _piece(self, start: int, end: int) -> _Piece | None:
        """The stretch without space around it; `None` when it is nothing but space."""
        while start < end and self.text[start].isspace():
            start += 1
        while start < end and self.text[end - 1].isspace():
            end -= 1
        return _Piece(start, end, self._tokens(start, end)) if start < end else None

    def _tokens(self, start: int, end: int) -> int:
        return self.count(self.text[start:end])
