"""TraceTimeline: a trace, a journal or a run on a time axis; and `inspect_trace` for what other software wrote."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from typing import Any, ClassVar, cast

from hello_agents.core.agent import Agent
from hello_agents.core.at_rest import HUES, dot, grid, muted, sheet
from hello_agents.core.debugger import Debugger
from hello_agents.core.retelling import beginning, retold
from hello_agents.core.run import Entry, Run
from hello_agents.core.session_form import parse
from hello_agents.observability.guests import Guest, read_guest
from hello_agents.observability.html_report import totals
from hello_agents.observability.projection import trace_events
from hello_agents.observability.summary import read_trace
from hello_agents.observability.trace_logger import TraceLogger

from ._base import SHARED, SHARED_STYLES, BookWidget, module, style
from .loop_inspector import LoopInspector
from .spans import line_of, moments, spans
from .timeline import one_line

Json = dict[str, Any]

AT_REST = 40
"""Spans that a picture and a summary show."""

_HUES = {
    "model": HUES["assistant"],
    "tool": HUES["results"],
    "message": HUES["user"],
    "error": HUES["error"],
    "summary": HUES["summary"],
}


class TraceTimeline(BookWidget):
    """A trace on a time axis: requests and calls as spans, child runs in lanes, errors marked.

    `subject` is a file (a trace, a session's journal, what another framework wrote), a run, an agent, a debugger,
    entries of a journal, events of a trace, a `TraceLogger` or a `Guest`. A run alone has no times: its order is shown.
    `times=False` leaves times out, so that a run shows the same every time it is made; while the book is built, that
    is so for what was not read from a file.
    """

    _esm: ClassVar[str] = module(*SHARED, "labels.js", "trace_timeline.js")
    _css: ClassVar[str] = style(*SHARED_STYLES, "trace_timeline.css")

    def __init__(self, subject: object, *, times: bool | None = None, language: str | None = None) -> None:
        agent = subject if isinstance(subject, Agent) else subject.agent if isinstance(subject, Debugger) else None
        self.language = language or (agent.language if agent else "en")
        self.journal: tuple[Run, tuple[Entry, ...]] | None = None
        """The start and the entries, where the subject has them."""
        self.events: list[Json] = self._read(subject)
        """What happened, as the events of a trace; secrets are masked."""
        fixed = isinstance(subject, str | Path | Guest)
        shown = (fixed or os.environ.get("HELLO_AGENTS_BOOK") != "1") if times is None else times
        self._at_rest = fixed if times is None else times
        known = moments(self.events)
        self.moments = known if shown else None
        """Seconds of each event since the first; `None` where only the order is shown."""
        self._why = "" if self.moments else "none" if known is None else "hidden"
        self.spans: list[Json] = []
        """What took time and what happened at once, in order, as plain values; see `spans`."""
        self._lanes: list[Json] = []
        self.spans, self._lanes = spans(self.events)
        self._sums = totals(self.events)
        self._sent = False
        super().__init__(subject)

    # -- values --------------------------------------------------------------------------------------

    @property
    def state(self) -> Json:
        """All that is shown, as plain JSON."""
        return {**self.head_json(), "spans": self._timed()}

    @property
    def errors(self) -> list[Json]:
        """The spans that failed."""
        return [one for one in self.spans if one["failed"]]

    def inspect(self) -> LoopInspector:
        """The same run in a LoopInspector. Raises `ValueError` for a trace, which does not hold what was sent."""
        if self.journal is None:
            raise ValueError("A trace is told from a journal and is none itself. Pass the journal or the run.")
        start, entries = self.journal
        return LoopInspector(Debugger(None, start, entries), language=self.language)

    # -- reading -------------------------------------------------------------------------------------

    def _read(self, subject: object) -> list[Json]:
        kind = type(subject).__name__
        match subject:
            case str() | Path():
                journal = _journal_in(Path(subject))
                if journal is None:
                    return read_trace(subject)
                return self._told(*journal)
            case Guest():
                return self._told(subject.start, subject.entries)
            case TraceLogger():
                return subject.events
            case Agent():
                return self._read(subject.steps()) if subject.journal else self._read(subject.state)
            case Debugger():
                return self._told(subject.start, subject.entries)
            case Run():
                told = enumerate(retold(subject))
                return self._told(beginning(subject), [Entry(seq, frame, 0.0, event) for seq, (frame, event) in told])
            case Iterable():
                listed = list(cast("Iterable[Any]", subject))
                if all(isinstance(one, Entry) for one in listed):
                    return self._told(Run(""), cast("list[Entry]", listed))
                if all(isinstance(one, Mapping) and "event" in one for one in listed):
                    return [dict(cast("Mapping[str, Any]", one)) for one in listed]
            case _:
                pass
        raise TypeError(
            f"TraceTimeline shows a file, a run, an agent, a journal or a trace, not {kind}. "
            "Pass a path, `agent.state` or `agent.journal`, say."
        )

    def _told(self, start: Run, entries: Iterable[Entry]) -> list[Json]:
        self.journal = start, tuple(entries)
        return trace_events(self.journal[1], start)

    # -- for the base --------------------------------------------------------------------------------

    def _timed(self) -> list[Json]:
        known = self.moments
        if known is None:
            return self.spans
        return [{**one, "t": [known[int(one["from"])], known[int(one["to"])]]} for one in self.spans]

    def take(self) -> Json | None:
        if self._sent:
            return None
        self._sent = True
        return {"spans": self._timed()}

    def head_json(self) -> Json:
        known, agents = self.moments, dict.fromkeys(one["agent"] for one in self._lanes if one["agent"])
        return {
            "title": next(iter(agents), "") or "trace",
            "language": self.language,
            "count": len(self.events),
            "why": self._why,
            "seconds": None if known is None else max(known),
            "length": max(len(self.events) - 1, 1),
            "lanes": [
                {**one, "t": None if known is None else [known[int(one["from"])], known[int(one["to"])]]}
                for one in self._lanes
            ],
            **{name: self._sums[name] for name in ("steps", "tool_calls", "errors", "total_tokens")},
            "prompt_tokens": self._sums["prompt_tokens"],
            "completion_tokens": self._sums["completion_tokens"],
        }

    def perform(self, op: str, args: Mapping[str, Any]) -> None:
        if op != "dismiss":
            raise ValueError(f"TraceTimeline has no operation {op!r}. Everything in it happens in the page.")

    # -- at rest -------------------------------------------------------------------------------------

    def _clock(self, span: Json) -> str:
        """When it began and how long it took, where the times are the same whenever this is made."""
        if self.moments is None or not self._at_rest:
            return ""
        first, last = self.moments[int(span["from"])], self.moments[int(span["to"])]
        return f"{first:.3f} s" + (f" + {last - first:.3f} s" if span["to"] > span["from"] else "")

    def summary(self) -> str:
        head = self.head_json()
        lines = [
            f"TraceTimeline: {head['title']} ({head['steps']} requests, {head['tool_calls']} calls, "
            f"{head['total_tokens']} tokens, {head['errors']} errors)"
        ]
        for one in self.spans[:AT_REST]:
            clock = self._clock(one)
            lines.append(
                f"{'  ' * (self._lanes[int(one['lane'])]['depth'] + 1)}{f'[{clock}] ' if clock else ''}"
                f"{'✗ ' if one['failed'] else ''}{line_of(one)}"
            )
        if len(self.spans) > AT_REST:
            lines.append(f"  and {len(self.spans) - AT_REST} more")
        return "\n".join(lines)

    def picture(self) -> str:
        head = self.head_json()
        times = self._at_rest and self.moments is not None
        rows: list[list[str]] = []
        agent = ""
        for one in self.spans[:AT_REST]:
            lane = self._lanes[int(one["lane"])]
            name = f'<span style="padding-left:{16 * lane["depth"]}px">{dot(_HUES.get(one["kind"], HUES["system"]))}'
            # A name is said once for all that it did without a break.
            who = one_line(f"{lane['agent']} {lane['frame'].rpartition('/')[2]}".strip(), 24)
            row = [
                f'<span style="white-space:nowrap">{escape("" if who == agent else who)}</span>',
                f"{name}{'✗ ' if one['failed'] else ''}{escape(line_of(one))}</span>",
                _places(one),
                self._strip(one),
            ]
            agent = who
            rows.append([muted(self._clock(one)), *row] if times else row)
        more = f" · {len(self.spans) - AT_REST:,} more" if len(self.spans) > AT_REST else ""
        errors = "1 error" if head["errors"] == 1 else f"{head['errors']:,} errors"
        foot = (
            f"{head['steps']:,} requests · {head['tool_calls']:,} calls · {head['total_tokens']:,} tokens · "
            f"{errors}{more}"
        )
        columns = (*(("time",) if times else ()), "agent", "what happened", "events", "when" if times else "order")
        return sheet(head["title"], ("trace",), grid(columns, rows), foot, language=self.language)

    def _strip(self, one: Json) -> str:
        """Where in the whole it lies: by time where that may be shown, else by order."""
        known = self.moments if self._at_rest else None
        whole = max(known) if known else max(len(self.events) - 1, 1)
        start, stop = int(one["from"]), int(one["to"])
        first, last = (known[start], known[stop]) if known else (start, stop)
        hue = HUES["error"] if one["failed"] else _HUES.get(one["kind"], HUES["system"])
        return (
            '<div style="position:relative;width:150px;height:9px;background:rgba(128,128,128,.15);margin-top:4px">'
            f'<span style="position:absolute;left:{98 * first / whole:.2f}%;width:{98 * (last - first) / whole:.2f}%;'
            f'min-width:3px;height:9px;background:{hue}"></span></div>'
        )


def _places(span: Json) -> str:
    """The numbers of its first and its last event, which say where it lies also where no colours are shown."""
    first, last = int(span["from"]) + 1, int(span["to"]) + 1
    return str(first) if first == last else f"{first}–{last}"


class InspectedTrace:
    """A run that other software made, in both widgets: `.inspector` and `.timeline`."""

    def __init__(self, inspector: LoopInspector, timeline: TraceTimeline) -> None:
        self.inspector = inspector
        self.timeline = timeline

    def _ipython_display_(self) -> None:
        self.inspector._ipython_display_()  # pyright: ignore[reportPrivateUsage]
        self.timeline._ipython_display_()  # pyright: ignore[reportPrivateUsage]

    def __repr__(self) -> str:
        return f"{self.inspector!r}\n\n{self.timeline!r}"


def inspect_trace(source: object, *, language: str = "en") -> InspectedTrace:
    """Opens a run in LoopInspector and TraceTimeline, whoever made it.

    `source` is a file or a value that another framework wrote (spans of OpenTelemetry or OpenAI Agents, messages of
    OpenAI or langgraph, events of llama-index), a session's journal, or a run. Raises `NoGuest` for anything else.
    """
    match source:
        case Run() | Agent() | Debugger() | Guest():
            subject = source
        case str() | Path() if (journal := _journal_in(Path(source))) is not None:
            subject = Debugger(None, *journal)
        case _:
            subject = read_guest(source, language)
    timeline = TraceTimeline(subject, times=True if isinstance(source, str | Path) else None, language=language)
    return InspectedTrace(timeline.inspect(), timeline)


def _journal_in(path: Path) -> tuple[Run, list[Entry]] | None:
    """The start and the entries of a journal in a file; `None` for any other file, or a text that is no path."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            begins = file.readline()
            if '"schema"' not in begins or '"seq"' not in begins:
                return None
            lines = [line for line in (begins + file.read()).split("\n") if line.strip()]
    except (OSError, ValueError):
        return None  # Who reads it next says what is wrong with it.
    entries, _, _ = parse(lines, Run(path.stem))
    return Run(path.stem), entries


__all__ = ["InspectedTrace", "TraceTimeline", "inspect_trace"]
