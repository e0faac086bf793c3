"""Telling: the entries of a journal as server-sent events, the same whether they are live or read from a store.

The id of an event is the number of its entry; where an entry makes several events, those before the last are numbered
within it: `7.0`, `7`. So a client that comes back with the last id it got misses nothing and gets nothing twice. Pieces
of replies have no id: they are not kept, and the `content` of the `step_start` that follows them is the whole reply.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ..core.action import Wait
from ..core.agent import Agent
from ..core.loop import Loop
from ..core.run import Entry, Noted, Replied, Run, Stopped, Told
from ..core.secrets import mask
from ..core.stream import Stream
from ..core.streaming import StreamEvent, to_sse

RUN_ERROR = "run_error"
"""The key of the note that a run ended in an error that is not the model's: `{"type": …, "message": …}`."""
TAKEN_OVER = "taken_over"
"""The key of the note that a run goes on at another worker: `{"turn": …, "times": …}`."""


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A place in a stream of events: right after an event of an entry."""

    seq: int = -1
    part: float = float("inf")

    @staticmethod
    def read(id: str) -> Place | None:
        """The place that an event id names; `None` for a text that is none."""
        found = re.fullmatch(r"(\d{1,15})(?:\.(\d{1,3}))?", id)
        if found is None:
            return None
        return Place(int(found[1]), float("inf") if found[2] is None else int(found[2]))


def events_of(entry: Entry, run: Run) -> Iterator[StreamEvent]:
    """What the stream tells of an entry, with the whole run after it. Depends on nothing else."""
    stream = Stream(run.agent, "")
    match entry.event:
        case Told(message) if message.role == "user" and not entry.frame:
            events = [Stream(run.agent, message.text).started()]
        case Stopped(_, answer) if not entry.frame:
            events = [stream.finished(run, answer or "")]
        case Replied(message):
            first, *rest = stream.of(entry, run)
            events = [replace(first, data=first.data | {"content": message.text}), *rest]
        case _:
            events = list(stream.of(entry, run))
    for event in events:
        yield replace(event, timestamp=entry.time)


def told(entry: Entry, run: Run, after: Place) -> Iterator[str]:
    """The server-sent events of an entry that come after a place."""
    events = list(events_of(entry, run))
    for part, event in enumerate(events):
        if entry.seq < 0:
            yield event.to_sse()
            continue
        last = part == len(events) - 1
        if Place(entry.seq, float("inf") if last else part) > after:
            yield event.to_sse(str(entry.seq) if last else f"{entry.seq}.{part}")


@dataclass(frozen=True, slots=True)
class Standing:
    """How a session stands."""

    status: str
    """`new`, `running`, `waiting` for a person, `finished`, `failed`, or `interrupted` before its end."""
    waiting: tuple[dict[str, Any], ...] = ()
    """The calls that wait: `{"call", "tool", "arguments", "frame"}`."""
    error: str | None = None

    def to_sse(self) -> str:
        """As the last event of a stream whose run has not ended; it has no id, as it is no entry."""
        return to_sse(self.status, self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        return {"status": self.status, "waiting": list(self.waiting), "error": self.error}


def standing(agent: Agent, run: Run, last: Entry | None, running: bool) -> Standing:
    """How a session stands whose journal ends with this entry."""
    if running:
        return Standing("running")
    if not run.turn:
        return Standing("new")
    if run.outcome is not None:
        return Standing("finished")
    if last is not None and isinstance(last.event, Noted) and last.event.key in ("model_error", RUN_ERROR):
        error = last.event.value
        return Standing("failed", error=mask(f"{error['type']}: {error['message']}"))
    decision = Loop(agent, run).next_action()
    if decision is None or not isinstance(decision.action, Wait):
        return Standing("interrupted")
    return Standing("waiting", tuple(waiting_calls(agent, run)))


def waiting_calls(agent: Agent, run: Run) -> Iterator[dict[str, Any]]:
    """The calls that wait for a person, in all frames."""
    for frame, one in run.frames:
        if one.outcome is None:
            match Loop(agent, run).actor(frame).act(one):
                case Wait(calls):
                    for call in calls:
                        yield {"call": call.id, "tool": call.name, "arguments": call.arguments, "frame": frame}
                case _:
                    pass
