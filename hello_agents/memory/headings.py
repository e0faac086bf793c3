"""Sections: a Markdown text, cut at its headings. What looks like a heading inside fenced code is none."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass

_FENCE = re.compile(r"[ \t]*(`{3,}(?=[^`]*$)|~{3,})(.*)")
_ATX = re.compile(r" {0,3}(#{1,6})(|[ \t].*)")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*")
_NO_PARAGRAPH = re.compile(r" {0,3}(?:[-*+>|]|\d{1,9}[.)][ \t]|<)| {4}|\t|.*\|")
"""How a line begins that an underline does not make a heading: a list, a quotation, a table, HTML, code."""


@dataclass(frozen=True, slots=True)
class Section:
    """A stretch of text under one heading, which is its first line."""

    start: int
    end: int
    path: tuple[str, ...]
    """The headings above the text, outermost first; the last is its own."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line with its place in the text."""

    start: int
    end: int
    """After the line's end."""
    text: str
    """Without the line's end."""


@dataclass(frozen=True, slots=True)
class _Heading:
    start: int
    end: int
    level: int
    words: str


def lines_of(text: str, start: int = 0, end: int | None = None) -> Iterator[Line]:
    """The lines of a stretch of text. They end with `\\n`, `\\r\\n` or `\\r`."""
    for line in io.StringIO(text[start:end], newline="").readlines():
        yield Line(start, start + len(line), line.rstrip("\r\n"))
        start += len(line)


def fences(lines: list[Line]) -> list[bool]:
    """For each line, whether it belongs to fenced code, its fences included. An open fence goes on to the end."""
    inside: list[bool] = []
    fence = ""
    for line in lines:
        found = _FENCE.fullmatch(line.text)
        inside.append(bool(fence or found))
        if not fence:
            fence = found.group(1) if found else ""
        elif found and found.group(1).startswith(fence) and not found.group(2).strip():
            fence = ""
    return inside


def sections(text: str) -> list[Section]:
    """The sections of a Markdown text, which follow one another without a gap.

    A heading with nothing under it but a deeper heading belongs to the section of that one.
    """
    found = list(_headings(list(lines_of(text))))
    starts = [Section(0, found[0].start if found else len(text), ())]
    above: list[_Heading] = []
    for number, heading in enumerate(found):
        end = found[number + 1].start if number + 1 < len(found) else len(text)
        above = [*(other for other in above if other.level < heading.level), heading]
        path = tuple(other.words for other in above if other.words)
        begins = heading.start
        before = found[number - 1] if number else None
        if before is not None and before.level < heading.level and not text[before.end : heading.start].strip():
            begins = starts.pop().start
        starts.append(Section(begins, end, path))
    return [section for section in starts if section.start < section.end]


def _headings(lines: list[Line]) -> Iterator[_Heading]:
    coded = fences(lines)
    paragraph: list[Line] = []
    other = False
    first = _front_matter(lines)
    for line, code in zip(lines[first:], coded[first:], strict=True):
        atx = None if code else _ATX.fullmatch(line.text)
        under = _UNDERLINE.fullmatch(line.text) if paragraph and not code else None
        if atx is not None:
            yield _Heading(line.start, line.end, len(atx.group(1)), _without_closing(atx.group(2).strip()))
        elif under is not None:
            words = " ".join(part.text.strip() for part in paragraph)
            yield _Heading(paragraph[0].start, line.end, 1 if under.group(1)[0] == "=" else 2, words)
        if atx is not None or under is not None or code or not line.text.strip():
            paragraph, other = [], False
        elif other or _NO_PARAGRAPH.match(line.text):
            # The lines that follow such a line without a gap belong to it.
            paragraph, other = [], True
        else:
            paragraph.append(line)


def _without_closing(words: str) -> str:
    """The words of a heading without the signs that may close it."""
    bare = words.rstrip("#")
    return bare.strip() if not bare or bare[-1].isspace() else words


def _front_matter(lines: list[Line]) -> int:
    """How many lines at the beginning are settings between two lines of `---`."""
    if not lines or lines[0].text.rstrip() != "---":
        return 0
    ends = (number for number, line in enumerate(lines[1:], 2) if line.text.rstrip() in ("---", "..."))
    return next(ends, 0)
