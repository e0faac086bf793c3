"""Traces for the tests of TraceTimeline: a run with children and an error, at fixed times, and long ones."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from widgets.test_run_tree import team

from hello_agents.core.journal import dump_journal
from hello_agents.core.message import Message, ToolCall, Usage
from hello_agents.core.run import Began, Entry, Event, Replied, Returned, Told


def timed() -> list[Entry]:
    """The journal of a run with two children, an event every quarter of a second."""
    return [replace(entry, time=1_700_000_000 + 0.25 * entry.seq) for entry in team().journal]


def stored(folder: Path, entries: list[Entry]) -> Path:
    """The journal as a file."""
    path = folder / "lead.jsonl"
    path.write_text(dump_journal(entries), encoding="utf-8")
    return path


def long(count: int) -> list[Entry]:
    """A journal of about so many entries: a request, a call and its result over and over; each fiftieth call fails."""
    events: list[Event] = [Told(Message("Look everywhere.", "user"))]
    for n in range(count // 3):
        call = ToolCall(f"c{n}", "look", {"place": n})
        status = "error" if n % 50 == 49 else "success"
        events.append(Replied(Message(None, "assistant", tool_calls=[call]), Usage(100, 10)))
        events.append(Began(call.id))
        events.append(Returned(Message(f"place {n}", "tool", answers=call.id, status=status)))
    return [Entry(seq, "", 1_700_000_000 + 0.1 * seq, event) for seq, event in enumerate(events)]
