"""The trace of a context: what was gathered, what became of each packet and why, and what is left after each stage."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, assert_never

from ..catalogue import text
from ..core.journal import json_text, plain
from .packets import Section
from .selecting import Fate


@dataclass(frozen=True, slots=True)
class ScoreParts:
    """A score as the sum of its parts, each weighted already."""

    total: float
    relevance: float
    recency: float
    importance: float
    raw_relevance: float
    """Relevance before weighting, from 0 to 1: what `min_relevance` is compared with."""


@dataclass(frozen=True, slots=True)
class TracedPacket:
    """A packet and what became of it."""

    id: str
    source: str
    kind: str
    section: Section
    label: str
    """The beginning of its content, on one line."""
    content: str
    """Empty in the short form of a trace."""
    citation: str
    tokens: int
    fate: Fate
    reason: str
    """Its fate in words, with the numbers that decided."""
    scores: ScoreParts | None = None
    """`None` for what never competed."""
    other: str = ""
    """The id of the packet that it is redundant with, or was merged into."""
    kept: int = 0
    """Tokens of it in the finished context."""

    @property
    def chosen(self) -> bool:
        """Whether it is in the context, whole or in part."""
        return is_chosen(self.fate)


def is_chosen(fate: Fate) -> bool:
    """Whether a packet of this fate is in the context."""
    match fate:
        case "required" | "selected" | "trimmed":
            return True
        case "below_threshold" | "redundant" | "merged" | "over_budget":
            return False
        case _:
            assert_never(fate)


@dataclass(frozen=True, slots=True)
class TracedSection:
    """A section after structuring or after compressing."""

    section: Section
    heading: str
    """As the template has it; of a section that is left empty, too."""
    text: str
    tokens: int
    """Of the text with the heading."""
    packets: tuple[str, ...] = ()
    """Ids of the packets in it."""
    fixed: bool = False
    """Never cut."""
    pieces: tuple[tuple[str, bool], ...] = ()
    """After compressing: what stood there before, in order, and whether it was kept; joined, they are that text. Of a
    section that a model wrote, nothing was kept as it was."""
    by_model: bool = False


@dataclass(frozen=True, slots=True)
class TracedFailure:
    """Something that failed and was done without."""

    stage: Literal["gather", "select", "compress"]
    name: str
    """The source; `embedding` or `model`."""
    error: str


@dataclass(frozen=True, slots=True)
class ContextTrace:
    """How a context came to be. `text` is what `build` returns; every number is of the tokenizer that counted it."""

    query: str
    language: str
    max_tokens: int
    reserve_ratio: float
    budget: int
    """Tokens that the context may have."""
    gathered: tuple[TracedPacket, ...]
    """All packets, in the order in which they were gathered."""
    chosen: tuple[str, ...]
    """Ids of those that were selected, in their order in the context."""
    structured: tuple[TracedSection, ...]
    structured_tokens: int
    """Of the whole text before compressing."""
    compressed: tuple[TracedSection, ...]
    """The same sections; one that has gone is empty."""
    tokens: int
    """Of `text`."""
    text: str
    failures: tuple[TracedFailure, ...] = ()

    @property
    def selected(self) -> tuple[TracedPacket, ...]:
        """The packets that were selected, in their order in the context."""
        by_id = {packet.id: packet for packet in self.gathered}
        return tuple(by_id[id] for id in self.chosen)

    @property
    def dropped(self) -> tuple[TracedPacket, ...]:
        """The packets that are not in the context."""
        return tuple(packet for packet in self.gathered if not packet.chosen)

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources that gave something, in order."""
        return tuple(dict.fromkeys(packet.source for packet in self.gathered))

    def packet(self, id: str) -> TracedPacket:
        """The packet of an id. Raises `KeyError` that names those there are."""
        for packet in self.gathered:
            if packet.id == id:
                return packet
        raise KeyError(f"There is no packet {id!r} among {[packet.id for packet in self.gathered]}.")

    def to_dict(self, contents: bool = True) -> dict[str, Any]:
        """The trace in plain JSON values; without `contents`, the packets have only their labels."""
        data = plain(self)
        if not contents:
            for packet in data["gathered"]:
                packet["content"] = ""
        return data

    def to_json(self) -> str:
        """The trace as JSON text; `ContextTrace.from_json` reads it back equal."""
        return json_text(self.to_dict())

    @staticmethod
    def from_dict(data: Any) -> ContextTrace:
        """Reads what `to_dict` wrote. Raises `ValueError` that says what is wrong and where."""
        return _adapter().validate_python(data)

    @staticmethod
    def from_json(text: str | bytes) -> ContextTrace:
        """Reads what `to_json` wrote. Raises `ValueError` that says what is wrong and where."""
        return ContextTrace.from_dict(json.loads(text))


@cache
def _adapter() -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(ContextTrace)


def reason_of(fate: str, language: str, **values: object) -> str:
    """A fate, or a closer name for it, in words.

    `values` are the numbers and the id that its text may name: `score`, `relevance`, `recency`, `importance`, `raw`,
    `least`, `other`, `alike`, `left`, `tokens`, `kept`.
    """
    return text(f"context.fate.{fate}", language, **values)
