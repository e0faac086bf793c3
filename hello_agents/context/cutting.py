"""Cutting a text: its beginning, its end, both, or its key lines, within limits that hold for the notice as well."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, assert_never, get_args
from unicodedata import category

from ..catalogue import text as catalogue_text

Strategy = Literal["head", "tail", "head_tail", "summary"]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)

Span = tuple[int, int]
"""A part of a text: from the first index up to, and without, the second."""

_ERROR = re.compile(
    r"\b\w*(?:error|exception)s?\b|\b(?:traceback|fail(?:ed|s|ure)?|fatal|panic|warning|denied|refused|missing"
    r"|timed? ?out|not found)\b|错误|异常|失败|警告|超时|拒绝|找不到|缺少",
    re.IGNORECASE,
)
_HEADING = re.compile(r"\s{0,3}#{1,6}\s|\s*第.{1,6}[章节]|\S.{0,60}[:：]\s*$")
_NUMBER = re.compile(r"\d")
_WORD = re.compile(r"\w+")
_JOINER = "\u200d"
_LONGEST_CLUSTER = 64


@dataclass(frozen=True, slots=True)
class Cut:
    """A text after cutting, and the account of it. What is kept and what is dropped add up to the total."""

    text: str
    """What is left, with the notice."""
    total_lines: int
    total_bytes: int
    kept_lines: int
    """Lines of which something is left."""
    kept_bytes: int

    @property
    def dropped_lines(self) -> int:
        """Lines of which nothing is left."""
        return self.total_lines - self.kept_lines

    @property
    def dropped_bytes(self) -> int:
        return self.total_bytes - self.kept_bytes


def size_of(text: str) -> int:
    """Bytes of a text in UTF-8; half of a surrogate pair, which has no such form, counts three."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def lines_of(text: str) -> list[str]:
    """The lines, each with its ending. A line ends in a line feed, with or without a carriage return before it."""
    lines = text.split("\n")
    last = lines.pop()
    whole = [f"{line}\n" for line in lines]
    return [*whole, last] if last else whole


def fits(text: str, max_lines: int, max_bytes: int) -> bool:
    """Whether a text is within the limits as it is."""
    if len(text) > max_bytes or (ends := text.count("\n")) > max_lines:
        return False
    # What ends in a line feed has no line behind it.
    return size_of(text) <= max_bytes and (ends < max_lines or not text or text[-1] == "\n")


def cut(
    text: str,
    max_lines: int,
    max_bytes: int,
    strategy: Strategy = "head",
    *,
    language: str = "en",
    note: str = "",
    matching: Collection[str] = (),
) -> Cut:
    """The text within limits, the notice of what is left out among them; a text that fits comes back as it is.

    It is cut between lines where that leaves at least half of the room in use, else between characters as a reader
    sees them. `note` is said in the notice. `summary` keeps lines that hold a word of `matching`, among others.
    """
    lines = lines_of(text)
    total = size_of(text)
    if total <= max_bytes and len(lines) <= max_lines:
        return Cut(text, len(lines), total, len(lines), total)
    notice = _Notice(text, lines, total, strategy, language, note)
    template = notice.longest_that_fits(max_bytes)
    joints = 2 if strategy == "head_tail" else 1
    room_lines = max_lines - 1 if template else max_lines
    room = max_bytes - notice.reserve(template) - joints if template else max_bytes
    spans = _spans(text, lines, room_lines, room, strategy, matching) if room > 0 and room_lines > 0 else []
    spans = spans if template else spans[:1]
    kept_lines, kept_bytes = _account(text, lines, spans)
    said = notice.say(template, kept_lines, kept_bytes)
    return Cut(_joined(text, spans, said, strategy), len(lines), total, kept_lines, kept_bytes)


class _Notice:
    """The line that says what is left out, in the longest form that leaves room for something of the text."""

    def __init__(
        self, text: str, lines: Sequence[str], total: int, strategy: Strategy, language: str, note: str
    ) -> None:
        self._lines = len(lines)
        self._bytes = total
        self._language = language
        part = catalogue_text(f"cut.{strategy}", language)
        json_note = catalogue_text("cut.json", language) if is_json(text) else ""
        self._values = {"part": part, "note": json_note + note}

    def longest_that_fits(self, max_bytes: int) -> str:
        for form in ("cut.notice", "cut.short"):
            if self.reserve(form) <= max_bytes * 3 // 4:
                return form
        return "…" if max_bytes >= size_of("…") else ""

    def reserve(self, form: str) -> int:
        """The most bytes that this form can take."""
        return size_of(self.say(form, self._lines, self._bytes, widest=True))

    def say(self, form: str, kept_lines: int, kept_bytes: int, widest: bool = False) -> str:
        if not form.startswith("cut."):
            return form
        return catalogue_text(
            form,
            self._language,
            total_lines=self._lines,
            total_bytes=self._bytes,
            kept_lines=kept_lines,
            kept_bytes=kept_bytes,
            dropped_lines=self._lines if widest else self._lines - kept_lines,
            dropped_bytes=self._bytes if widest else self._bytes - kept_bytes,
            **self._values,
        )


def is_json(text: str) -> bool:
    """Whether a text is a JSON object or array, of which a part would be none."""
    if text.lstrip()[:1] not in ("{", "["):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _spans(
    text: str, lines: Sequence[str], max_lines: int, room: int, strategy: Strategy, matching: Collection[str]
) -> list[Span]:
    """What to keep: parts of the text in order, apart from each other."""
    match strategy:
        case "head":
            return _some(_head(text, lines, max_lines, room))
        case "tail":
            return _some(_tail(text, lines, max_lines, room))
        case "head_tail":
            first = _head(text, lines, (max_lines + 1) // 2, (room + 1) // 2)
            rest = lines_of(text[first[1] :])
            left = room - size_of(text[slice(*first)])
            used = len(lines_of(text[slice(*first)]))
            start, stop = _tail(text[first[1] :], rest, max_lines - used, left)
            return [*_some(first), *_some((start + first[1], stop + first[1]))]
        case "summary":
            return _key_lines(lines, max_lines, room, matching) or _some(_head(text, lines, max_lines, room))
        case _:
            assert_never(strategy)


def _some(span: Span) -> list[Span]:
    return [span] if span[0] < span[1] else []


def _head(text: str, lines: Sequence[str], max_lines: int, room: int) -> Span:
    stop, left = 0, room
    for line in lines[: max(max_lines, 0)]:
        size = size_of(line)
        if size > left:
            return (0, stop) if left <= room // 2 else (0, _last_border(text, stop, stop + len(line), left))
        stop, left = stop + len(line), left - size
    return 0, stop


def _tail(text: str, lines: Sequence[str], max_lines: int, room: int) -> Span:
    start, left = len(text), room
    for line in reversed(lines[max(len(lines) - max_lines, 0) :] if max_lines > 0 else ()):
        size = size_of(line)
        if size > left:
            if left > room // 2:
                start = _first_border(text, start - len(line), start, left)
            break
        start, left = start - len(line), left - size
    return start, len(text)


def _last_border(text: str, start: int, stop: int, room: int) -> int:
    """The furthest place to cut before `stop` at which `[start:place]` takes no more than the room."""
    piece = text[start : min(stop, start + room)].encode("utf-8", "surrogatepass")
    at = min(room, len(piece))
    while 0 < at < len(piece) and piece[at] & 0xC0 == 0x80:
        at -= 1
    place = furthest = start + len(piece[:at].decode("utf-8", "surrogatepass"))
    while place > start and not is_border(text, place):
        place -= 1
        if furthest - place > _LONGEST_CLUSTER:
            return furthest
    return place


def _first_border(text: str, start: int, stop: int, room: int) -> int:
    """The earliest place to cut after `start` at which `[place:stop]` takes no more than the room."""
    piece = text[max(start, stop - room) : stop].encode("utf-8", "surrogatepass")
    at = max(len(piece) - room, 0)
    while at < len(piece) and piece[at] & 0xC0 == 0x80:
        at += 1
    place = earliest = stop - len(piece[at:].decode("utf-8", "surrogatepass"))
    while place < stop and not is_border(text, place):
        place += 1
        if place - earliest > _LONGEST_CLUSTER:
            return earliest
    return place


def is_border(text: str, at: int) -> bool:
    """Whether a reader would see a border of characters here: no accent, joined emoji or line ending is cut apart."""
    if not 0 < at < len(text):
        return True
    before, after = text[at - 1], text[at]
    if after.isascii():
        return not (before == "\r" and after == "\n")
    if before in "\r\n":
        return True  # A line ends, whatever comes next.
    if _JOINER in (before, after) or "\U0001f3fb" <= after <= "\U0001f3ff" or "\u1160" <= after <= "\u11ff":
        return False
    if category(after).startswith("M"):
        return False
    if "\udc00" <= after <= "\udfff":
        return not "\ud800" <= before <= "\udbff"
    if not _is_flag_letter(after):
        return True
    first = at
    while first > 0 and _is_flag_letter(text[first - 1]):
        first -= 1
    return (at - first) % 2 == 0


def _is_flag_letter(sign: str) -> bool:
    """A flag is two of these."""
    return "\U0001f1e6" <= sign <= "\U0001f1ff"


def _key_lines(lines: Sequence[str], max_lines: int, room: int, matching: Collection[str]) -> list[Span]:
    """The most telling lines that there is room for, in their order."""
    words = {word.casefold() for one in matching for word in _WORD.findall(one)}
    seen: set[str] = set()
    ranked: list[tuple[int, int]] = []
    for number, line in enumerate(lines):
        said = line.strip()
        if said and said not in seen:
            ranked.append((-_weight(said, words, number in (0, len(lines) - 1)), number))
        seen.add(said)
    chosen: list[int] = []
    for _, number in sorted(ranked):
        # A last line without an ending gets one when it does not stay last.
        size = size_of(lines[number]) + (not lines[number].endswith("\n"))
        if len(chosen) < max_lines and size <= room:
            chosen.append(number)
            room -= size
    starts = [0, *accumulate(map(len, lines))]
    return [(starts[number], starts[number + 1]) for number in sorted(chosen)]


def _weight(line: str, words: Collection[str], outermost: bool) -> int:
    """How much a line tells: of errors most, then what was looked for, headings, numbers."""
    if _ERROR.search(line):
        return 4
    if words and any(word in line.casefold() for word in words):
        return 3
    if outermost or _HEADING.match(line):
        return 2
    return 1 if _NUMBER.search(line) else 0


def _account(text: str, lines: Sequence[str], spans: Iterable[Span]) -> tuple[int, int]:
    """How many lines and bytes the spans keep. A line of which only a part is left counts as kept."""
    kept_bytes = 0
    kept_lines: set[int] = set()
    ends = list(accumulate(map(len, lines)))
    line = 0
    for start, stop in spans:
        kept_bytes += size_of(text[start:stop])
        while ends[line] <= start:
            line += 1
        while True:
            kept_lines.add(line)
            if ends[line] >= stop:
                break
            line += 1
    return len(kept_lines), kept_bytes


def _joined(text: str, spans: Sequence[Span], notice: str, strategy: Strategy) -> str:
    parts = [text[start:stop] for start, stop in spans]
    match strategy:
        case "head":
            parts = [*parts, notice]
        case "head_tail":
            parts = [*parts[:1], notice, *parts[1:]]
        case "tail" | "summary":
            parts = [notice, *parts]
        case _:
            assert_never(strategy)
    *ahead, last = [part for part in parts if part] or [""]
    return "".join(part if part.endswith("\n") else f"{part}\n" for part in ahead) + last
