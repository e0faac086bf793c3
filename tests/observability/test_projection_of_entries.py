"""The trace's view of a journal: each entry one event, whatever the entry."""

from __future__ import annotations

from typing import Any

import pytest

from hello_agents import Message, Run, ToolCall
from hello_agents.core.run import (
    Began,
    Compacted,
    Delta,
    Entry,
    Event,
    Judged,
    Noted,
    Replied,
    Returned,
    Spawned,
    Stopped,
    Told,
    evolve,
)
from hello_agents.observability.projection import trace_events

CALL = ToolCall("c", "add", {"a": 1})
ASKED = [Told(Message("q", "user")), Replied(Message(None, "assistant", tool_calls=(CALL,)))]


def events(*happened: Event, frame: str = "", start: Run | None = None, **options: Any) -> list[dict[str, Any]]:
    entries = [Entry(seq, frame, 10.0 + seq, event) for seq, event in enumerate(happened)]
    return trace_events(entries, start or Run("a"), **options)


@pytest.mark.parametrize(
    ("event", "name", "payload"),
    [
        (Judged("c", True), "approval", {"tool_name": "add", "tool_call_id": "c", "allowed": True, "reason": ""}),
        (Judged("c", True, {"a": 2}), "approval", {"tool_name": "add", "args": {"a": 2}}),
        (Judged("x", False, reason="no"), "approval", {"tool_name": "", "allowed": False, "reason": "no"}),
        (Spawned("c", Run("child")), "agent_start", {"id": "c", "agent": "child", "task": None}),
        (Stopped("finished", "a"), "agent_finish", {"reason": "finished", "result": "a", "steps": 1}),
        (Compacted(0, 1, (Message("s", "summary"),)), "history_compressed", {"replaced": 1, "by": 1}),
        (Noted("model_error", {"type": "T", "message": "m", "status": 500}), "error",
         {"source": "model", "error_type": "T", "message": "m", "status": 500}),
        (Noted("model_error", "plain"), "error", {"error_type": "", "message": "plain"}),
        (Noted("mine", [1]), "note", {"key": "mine", "value": [1]}),
    ],
)  # fmt: skip
def test_an_entry_is_one_event(event: Event, name: str, payload: dict[str, Any]) -> None:
    last = events(*ASKED, event)[-1]
    assert last["event"] == name
    assert {key: last["payload"][key] for key in payload} == payload


def test_pieces_of_replies_are_none_and_the_rest_is_numbered() -> None:
    found = events(ASKED[0], Delta("x"), ASKED[1], Began("c"), Returned(Message("2", "tool", answers="c")))
    assert [event["seq"] for event in found] == list(range(len(found)))
    assert len(found) >= 4
    names = [event["event"] for event in found]
    assert names.count("tool_result") == 1


def test_secrets_are_masked_unless_told_otherwise() -> None:
    said = Told(Message("my key is swordfish", "user"))
    entries = [Entry(0, "", 1.0, said)]
    assert "swordfish" not in str(trace_events(entries, Run("a"), "swordfish"))
    assert "swordfish" in str(trace_events(entries, Run("a"), "swordfish", sanitize=False))


def test_frames_are_kept_apart() -> None:
    start = evolve(Run("a"), Told(Message("q", "user")))
    start = evolve(start, Spawned("t", Run("child")))
    (event,) = events(Noted("mine", 1), frame="t", start=start)
    assert (event["frame"], event["agent"]) == ("t", "child")
