"""Compressing: a context cut to its budget, by sentences that match the question or by a model.

Instructions, task and output format are never cut. Of the rest, the state goes last and the conversation first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from ..catalogue import text
from ..core.action import Model, Request
from ..core.message import Message
from ..core.run import Replied
from ..memory import chunking
from ..memory.words import words
from .packets import REQUIRED, ContextBudgetError, Section
from .structuring import Item, Part, Structured

if TYPE_CHECKING:
    from collections.abc import Mapping

Count = Callable[[str], int]

_SHARES: tuple[tuple[Section, float], ...] = (("state", 0.3), ("evidence", 0.5), ("context", 0.2))
"""The sections that may be cut, the most important first, and the part of the room that each is sure of."""

_GAP = "… "


class Compressed(Structured):
    """A context within its budget, with what happened on the way."""

    failure: str | None
    """Why the model's shortening could not be used, and sentences were chosen instead."""
    rewritten: frozenset[Section]
    """Sections that a model wrote."""

    @classmethod
    def made_of(
        cls, structured: Structured, rewritten: Iterable[Section] = (), failure: str | None = None
    ) -> Compressed:
        made = cls(structured)
        made.parts, made.suffix = structured.parts, structured.suffix
        made.rewritten, made.failure = frozenset(rewritten), failure
        return made


def check_required(structured: Structured, budget: int, count: Count, reserve: str) -> int:
    """The tokens that are left for all else. Raises `ContextBudgetError` when there are less than none."""
    fixed = Structured.of((part for part in structured.parts if part.section in REQUIRED), structured.suffix)
    needed = count(fixed)
    if needed > budget:
        sizes = ", ".join(f"{part.section} {count(part.body)}" for part in fixed.parts)
        raise ContextBudgetError(
            f"Instructions, task and output format take {needed} tokens ({sizes}), and the context may have {budget} "
            f"({reserve}). Raise max_tokens to {needed} or more beyond the reserve, or shorten them."
        )
    return budget - needed


def compress(structured: Structured, query: str, budget: int, count: Count) -> Structured:
    """The context within its budget, whole where it fits; else cut by sentences, the best for the query kept."""
    if count(structured) <= budget:
        return structured
    asked = frozenset(words(query))
    fixed = Structured.of((part for part in structured.parts if part.section in REQUIRED), structured.suffix)
    room = budget - count(fixed)
    while True:
        rooms = _rooms(structured.parts, room, count)
        parts = (
            part if part.section in REQUIRED else _extract(part, rooms[part.section], asked, count)
            for part in structured.parts
        )
        shorter = Structured.of(parts, structured.suffix)
        excess = count(shorter) - budget
        if excess <= 0:
            return shorter
        # Texts joined may count for more than apart.
        room = max(room - excess, 0)
        if room == 0:
            return fixed


def drop_to_fit(structured: Structured, budget: int, count: Count) -> Structured:
    """The context within its budget, by leaving out whole packets: of the least important section those of least
    score."""
    while count(structured) > budget:
        for section, _ in reversed(_SHARES):
            part = next((part for part in structured.parts if part.section == section), None)
            if part is not None:
                break
        else:
            return structured
        worst = min(part.items, key=lambda item: item.score)
        smaller = part.with_items(item for item in part.items if item is not worst)
        structured = Structured.of((smaller if one is part else one for one in structured.parts), structured.suffix)
    return structured


def rewrite(
    structured: Structured, query: str, budget: int, count: Count, model: Model, language: str
) -> tuple[Structured, frozenset[Section], str | None]:
    """The context with its longest sections rewritten shorter by a model, which sections these are, and what failed.

    What the model writes is not trusted to be short enough.
    """
    if count(structured) <= budget:
        return structured, frozenset(), None
    fixed = Structured.of((part for part in structured.parts if part.section in REQUIRED), structured.suffix)
    rooms = _rooms(structured.parts, budget - count(fixed), count)
    parts: list[Part] = []
    rewritten: set[Section] = set()
    failure = None
    for part in structured.parts:
        room = rooms.get(part.section, 0)
        if part.section not in REQUIRED and failure is None and 0 < room < count(part.prefix + part.body):
            try:
                said = _asked(model, part.body, query, room, language)
            except Exception as error:  # A model is foreign code; the context must be built without it.
                failure = f"{type(error).__name__}: {error}"
            else:
                part = part.with_items([Item("", "", said, 1.0)])
                rewritten.add(part.section)
        parts.append(part)
    return Structured.of(parts, structured.suffix), frozenset(rewritten), failure


def _asked(model: Model, body: str, query: str, tokens: int, language: str) -> str:
    task = text("context.compress", language, tokens=tokens, query=query, text=body)
    request = Request((Message(text("context.compress.system", language), "system"), Message(task, "user")))
    said = next((event.message.text for event in model.stream(request) if isinstance(event, Replied)), "").strip()
    if not said:
        raise ValueError("the model wrote nothing")
    return said


def _rooms(parts: Iterable[Part], room: int, count: Count) -> Mapping[Section, int]:
    """The tokens for each section: its share, and of what others leave, as much as it needs by importance."""
    needs = {part.section: count(part.prefix + part.body) for part in parts if part.section not in REQUIRED}
    whole = sum(share for section, share in _SHARES if section in needs) or 1.0
    rooms: dict[Section, int] = {}
    for section, share in _SHARES:
        if section in needs:
            rooms[section] = min(needs[section], int(room * share / whole))
    left = room - sum(rooms.values())
    for section in rooms:
        more = min(needs[section] - rooms[section], left)
        rooms[section] += more
        left -= more
    return rooms


@dataclass(frozen=True, slots=True)
class _Sentence:
    item: int
    place: int
    text: str
    worth: float


def sentences(body: str) -> list[str]:
    """A text cut before each of its sentences and lines; joined, they are the text."""
    starts = [start for line in _lines(body) for start in line]
    starts[:1] = [0]
    return [body[start:stop] for start, stop in pairwise([*starts, len(body)]) if start < stop]


def _lines(body: str) -> Iterator[list[int]]:
    at = 0
    for line in body.splitlines(keepends=True):
        yield [at + start for start, _ in chunking.sentences(line)]
        at += len(line)


def _extract(part: Part, room: int, asked: frozenset[str], count: Count) -> Part:
    """The section with the sentences that match best, as many as the room holds, in their order."""
    if count(part.prefix + part.body) <= room:
        return part
    pieces = [sentences(item.body) for item in part.items]
    ranked = sorted(_ranked(part, pieces, asked), key=lambda one: (-one.worth, one.place, one.item))
    heads = [count(item.head) if item.head else 0 for item in part.items]
    left = room - count(part.prefix)
    kept: dict[int, set[int]] = {}
    for one in ranked:
        tokens = count(one.text) + (0 if one.item in kept else heads[one.item] + 2) + 1
        if tokens <= left:
            left -= tokens
            kept.setdefault(one.item, set()).add(one.place)
    if not kept and ranked:
        return _beginning(part, ranked[0], left - heads[ranked[0].item] - 2, count)
    items = [replace(item, body=_joined(pieces[at], kept[at])) for at, item in enumerate(part.items) if at in kept]
    return part.with_items(items)


def _ranked(part: Part, pieces: Sequence[Sequence[str]], asked: frozenset[str]) -> Iterable[_Sentence]:
    """Each sentence with its worth: the part of the query's words that it has, and how much its packet matters."""
    size = max(len(pieces), 1)
    for at, item in enumerate(part.items):
        matters = at / size if part.section == "context" else item.score
        for place, sentence in enumerate(pieces[at]):
            matching = len(asked.intersection(words(sentence))) / max(len(asked), 1)
            yield _Sentence(at, place, sentence, round(matching + matters / 2, 6))


def _beginning(part: Part, sentence: _Sentence, room: int, count: Count) -> Part:
    """The section with as much of one sentence as fits."""
    said = _within(sentence.text, room, count) if room > 0 else ""
    return part.with_items([replace(part.items[sentence.item], body=said)] if said else [])


def _within(said: str, room: int, count: Count) -> str:
    """The beginning of a text, of at most so many tokens."""
    low, high = 0, len(said)
    while low < high:
        middle = (low + high + 1) // 2
        if count(_shortened(said, middle)) <= room:
            low = middle
        else:
            high = middle - 1
    return _shortened(said, low) if low else ""


def _shortened(said: str, stop: int) -> str:
    from .cutting import is_border

    while stop and not is_border(said, stop):
        stop -= 1
    return said[:stop].rstrip() + "…" if stop else ""


def _joined(pieces: Sequence[str], kept: set[int]) -> str:
    """The sentences that are kept, with a sign for what is left out between them."""
    said: list[str] = []
    last = -1
    for place in sorted(kept):
        if place != last + 1:
            said.append(_GAP)
        said.append(pieces[place])
        last = place
    if last + 1 < len(pieces):
        said.append(_GAP.strip())
    return "".join(said).strip()
