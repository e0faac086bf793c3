"""ContextPipeline: how a context comes to be, stage by stage, and what each setting changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from html import escape
from itertools import groupby
from typing import Any, ClassVar, get_args

from hello_agents.context.builder import ContextBuilder
from hello_agents.context.context_trace import ContextTrace, TracedPacket, TracedSection
from hello_agents.context.packets import ContextConfig, ContextPacket
from hello_agents.context.selecting import Fate
from hello_agents.core.at_rest import HUES, MUTED, bar, box, grid, heading, legend, sheet, words
from hello_agents.core.message import Message

from ._base import SHARED, SHARED_STYLES, BookWidget, module, style

Json = dict[str, Any]

FATES: tuple[str, ...] = get_args(Fate)
KNOBS = (
    "max_tokens",
    "reserve_ratio",
    "min_relevance",
    "enable_mmr",
    "mmr_lambda",
    "recency_weight",
    "enable_compression",
)
"""The settings that can be moved."""

_HUES = {
    "role": HUES["system"],
    "task": HUES["user"],
    "state": HUES["summary"],
    "evidence": HUES["results"],
    "context": HUES["tools"],
    "output": HUES["assistant"],
}
_MOST_ROWS = 60
"""Packets in a picture at rest."""
_DIGITS = 6
"""Decimals of a score on the way to the page, which shows two."""


@dataclass(frozen=True, slots=True)
class _Setting:
    """One setting of the knobs, and what came of it."""

    query: str
    config: ContextConfig
    trace: ContextTrace
    places: tuple[int, ...]
    """For each packet gathered, its place among all that were sent to the page."""

    def used(self) -> list[int]:
        """The places of what is in the context."""
        pairs = zip(self.places, self.trace.gathered, strict=True)
        return [place for place, packet in pairs if packet.chosen]


class ContextPipeline(BookWidget):
    """What is gathered for a query, chosen, put in sections and cut, with settings to move.

    `builder` makes the context; it is looked at, never changed. The other arguments are those of its `build`. Every
    setting is tried at one time, that of making the widget, so that only what was moved makes a difference.
    `.trace` and `.text` are the context as it is shown, `.before` the trace of the setting before, `.config` the
    settings. Raises what `builder.trace` raises.
    """

    _esm: ClassVar[str] = module(*SHARED, "labels.js", "context_pipeline.js")
    _css: ClassVar[str] = style(*SHARED_STYLES, "context_pipeline.css")

    def __init__(
        self,
        builder: ContextBuilder,
        query: str,
        conversation_history: Sequence[Message] | None = None,
        system_instructions: str | None = None,
        additional_packets: Sequence[ContextPacket] | None = None,
        *,
        custom_packets: Sequence[ContextPacket] | None = None,
        task_state: str | Sequence[str] = (),
        language: str | None = None,
    ) -> None:
        self._builder = copy(builder)
        now = builder.clock()
        self._builder.clock = lambda: now
        self._args: Json = {
            "conversation_history": conversation_history,
            "system_instructions": system_instructions,
            "additional_packets": additional_packets,
            "custom_packets": custom_packets,
            "task_state": task_state,
        }
        self.language = language or builder.config.language
        self._known: dict[tuple[object, ...], int] = {}
        self._fresh: list[Json] = []
        self._own = self._now = self._tried(query, builder.config)
        self._before: _Setting | None = None
        super().__init__(builder)

    # -- values --------------------------------------------------------------------------------------

    @property
    def trace(self) -> ContextTrace:
        """How the context that is shown came to be."""
        return self._now.trace

    @property
    def before(self) -> ContextTrace | None:
        """The trace of the setting before; `None` when nothing was moved yet."""
        return None if self._before is None else self._before.trace

    @property
    def text(self) -> str:
        """The context."""
        return self.trace.text

    @property
    def query(self) -> str:
        return self._now.query

    @property
    def config(self) -> ContextConfig:
        """The settings that are shown."""
        return self._now.config

    @property
    def state(self) -> Json:
        """All that is shown, as plain JSON."""
        return self.head_json() | {"packets": self.snapshot.get("packets", [])}

    def set(self, query: str | None = None, **knobs: Any) -> ContextTrace:
        """Builds with another query or other settings, of those in `KNOBS`; returns the trace.

        Raises `ValueError` for a setting that cannot be, and what `builder.trace` raises; then all stays as it was.
        """
        unknown = [name for name in knobs if name not in KNOBS]
        if unknown:
            raise ValueError(f"There is no knob {unknown[0]!r}. There are {', '.join(KNOBS)}.")
        self._move(self.query if query is None else query, replace(self.config, **knobs))
        self.publish()
        return self.trace

    # -- inside --------------------------------------------------------------------------------------

    def _move(self, query: str, config: ContextConfig) -> None:
        if (query, config) != (self._now.query, self._now.config):
            self._before, self._now = self._now, self._tried(query, config)

    def _tried(self, query: str, config: ContextConfig) -> _Setting:
        builder = copy(self._builder)
        builder.config = config
        trace = builder.trace(query, **self._args)
        return _Setting(query, config, trace, self._places(trace))

    def _places(self, trace: ContextTrace) -> tuple[int, ...]:
        """Where the packets stand among those the page knows; what it does not know yet is sent with the next part."""
        times: Counter[tuple[object, ...]] = Counter()
        places: list[int] = []
        for packet in trace.gathered:
            own = (packet.source, packet.kind, packet.citation, packet.content)
            times[own] += 1
            # Ids count the packets of a source, so that another query gives the same packet another id.
            key = (*own, times[own])
            if key not in self._known:
                self._known[key] = len(self._known)
                self._fresh.append(_packet(packet))
            places.append(self._known[key])
        return tuple(places)

    def take(self) -> Json | None:
        fresh, self._fresh = self._fresh, []
        return {"packets": fresh} if fresh else None

    def head_json(self) -> Json:
        trace, own = self.trace, self._own.config
        required = sum(section.tokens for section in trace.structured if section.fixed)
        return {
            "title": "ContextPipeline",
            "language": self.language,
            "query": self.query,
            "knobs": _knobs(self.config),
            "moved": (self.query, self.config) != (self._own.query, own),
            "range": [min(required, self.config.max_tokens), max(2 * own.max_tokens, self.config.max_tokens)],
            "budget": trace.budget,
            "rows": _rows(trace, self._now.places),
            "gathered": len(trace.gathered),
            "gathered_tokens": sum(packet.tokens for packet in trace.gathered),
            "dropped": len(trace.gathered) - len(trace.chosen),
            "sources": _sources(trace),
            "failures": [
                {"stage": one.stage, "name": one.name, "error": one.error}
                for one in trace.failures
                if one.stage != "gather"
            ],
            "structured": [_section(one) | {"text": one.text} for one in trace.structured],
            "structured_tokens": trace.structured_tokens,
            "compressed": [_compressed(one) for one in trace.compressed],
            "tokens": trace.tokens,
            "text": trace.text,
            "change": self._change(),
        }

    def _change(self) -> Json | None:
        """What the last move of a knob did."""
        old, new = self._before, self._now
        if old is None:
            return None
        was, now = _knobs(old.config), _knobs(new.config)
        before, after = old.used(), new.used()
        left, came = set(before).difference(after), set(after).difference(before)
        moved = [{"name": name, "was": was[name], "now": now[name]} for name in KNOBS if was[name] != now[name]]
        if old.query != new.query:
            moved.insert(0, {"name": "query", "was": old.query, "now": new.query})
        return {
            "moved": moved,
            "came": [place for place in after if place in came],
            "went": [place for place in before if place in left],
            "tokens": [old.trace.tokens, new.trace.tokens],
        }

    def perform(self, op: str, args: Mapping[str, Any]) -> None:
        match op:
            case "set":
                query = args.get("query")
                knobs = {name: _as(name, args[name]) for name in KNOBS if args.get(name) is not None}
                self.set(None if query is None else str(query), **knobs)
            case "reset":
                self._move(self._own.query, self._own.config)
            case "back":
                if self._before is not None:
                    self._before, self._now = self._now, self._before
            case "dismiss":
                pass
            case _:
                raise ValueError(f"ContextPipeline has no operation {op!r}. There are set, back and reset.")

    # -- at rest -------------------------------------------------------------------------------------

    def summary(self) -> str:
        trace = self.trace
        lines = [
            f"ContextPipeline: {self.query!r}, {len(trace.gathered)} packets from {len(trace.sources)} sources",
            f"  selected {len(trace.chosen)}, {trace.structured_tokens} tokens; in the context {trace.tokens} of "
            f"{trace.budget} tokens",
            *(f"  {one.stage}: {one.name} failed: {one.error}" for one in trace.failures),
            *(f"  {one.id} ({one.tokens} tokens): {one.fate}" for one in trace.gathered[:_MOST_ROWS]),
        ]
        if len(trace.gathered) > _MOST_ROWS:
            lines.append(f"  … and {len(trace.gathered) - _MOST_ROWS} more")
        return "\n".join(lines)

    def picture(self) -> str:
        trace = self.trace
        failures = "".join(
            box(HUES["error"], escape(f"{one.stage}: {one.name}"), words(one.error)) for one in trace.failures
        )
        rows = [
            [escape(one.source), escape(one.label), f"{one.tokens:,}", escape(one.reason)]
            for one in trace.gathered[:_MOST_ROWS]
        ]
        body = f'<p style="margin:4px 0">{escape(self.query)}</p>{failures}'
        body += grid(("source", "packet", "tokens", "what became of it"), rows)
        if len(trace.gathered) > _MOST_ROWS:
            body += f'<p style="{MUTED}">… and {len(trace.gathered) - _MOST_ROWS:,} more</p>'
        for name, tokens, sections in (
            ("structured", trace.structured_tokens, trace.structured),
            ("compressed", trace.tokens, trace.compressed),
        ):
            body += f'<p style="margin:8px 0 4px">{name}: {tokens:,} tokens</p>'
            body += bar([(_HUES[one.section], one.tokens) for one in sections])
            body += legend([(_HUES[one.section], f"{one.section} {one.tokens:,}") for one in sections])
        body += heading("the context") + words(trace.text, 4000)
        marks = (f"{len(trace.gathered):,} packets", f"{trace.tokens:,} of {trace.budget:,} tokens")
        return sheet("ContextPipeline", marks, body, language=self.language)


def _knobs(config: ContextConfig) -> Json:
    return {name: vars(config)[name] for name in KNOBS}


def _as(name: str, value: object) -> object:
    """A setting as the page sends it."""
    if name.startswith("enable_"):
        return bool(value)
    return int(str(value)) if name == "max_tokens" else float(str(value))


def _packet(packet: TracedPacket) -> Json:
    """What no setting changes of a packet."""
    return {
        "id": packet.id,
        "source": packet.source,
        "kind": packet.kind,
        "section": packet.section,
        "label": packet.label,
        "content": packet.content,
        "citation": packet.citation,
        "tokens": packet.tokens,
    }


def _rows(trace: ContextTrace, places: Sequence[int]) -> Json:
    """What became of the packets, in columns and with each reason once: thousands of them are sent at each move."""
    at = {packet.id: number for number, packet in enumerate(trace.gathered)}
    reasons: dict[str, int] = {}
    return {
        "places": list(places),
        "ids": [packet.id for packet in trace.gathered],
        "fates": list(FATES),
        "fate": "".join(str(FATES.index(packet.fate)) for packet in trace.gathered),
        "reason": [reasons.setdefault(packet.reason, len(reasons)) for packet in trace.gathered],
        "reasons": list(reasons),
        "scores": [_scores(packet) for packet in trace.gathered],
        "other": {str(at[one.id]): at[one.other] for one in trace.gathered if one.other in at},
        "kept": {str(at[one.id]): one.kept for one in trace.gathered if one.chosen and one.kept != one.tokens},
        "chosen": [at[id] for id in trace.chosen],
    }


def _scores(packet: TracedPacket) -> list[float] | None:
    parts = packet.scores
    if parts is None:
        return None
    numbers = (parts.total, parts.relevance, parts.recency, parts.importance, parts.raw_relevance)
    return [round(number, _DIGITS) for number in numbers]


def _sources(trace: ContextTrace) -> list[Json]:
    """Who gave packets, in order, and who failed."""
    errors = {one.name: one.error for one in trace.failures if one.stage == "gather"}
    found: list[Json] = []
    for name in dict.fromkeys((*trace.sources, *errors)):
        tokens = [packet.tokens for packet in trace.gathered if packet.source == name]
        found.append({"name": name, "packets": len(tokens), "tokens": sum(tokens), "error": errors.get(name, "")})
    return found


def _section(section: TracedSection) -> Json:
    return {
        "section": section.section,
        "heading": section.heading,
        "tokens": section.tokens,
        "packets": len(section.packets),
        "fixed": section.fixed,
    }


def _compressed(section: TracedSection) -> Json:
    """A section after compressing, with what was left out; nothing is said of one that stayed as it was."""
    whole = not section.by_model and all(kept for _, kept in section.pieces)
    return _section(section) | {
        "whole": whole,
        "by_model": section.by_model,
        "text": section.text if section.by_model else "",
        "pieces": [] if whole or section.by_model else _stretches(section.pieces),
    }


def _stretches(pieces: Iterable[tuple[str, bool]]) -> list[list[str | bool]]:
    """What stayed and what went, in turn: neighbours with the same fate are one, since there may be thousands."""
    return [["".join(text for text, _ in group), kept] for kept, group in groupby(pieces, key=lambda piece: piece[1])]


__all__ = ["ContextPipeline"]
