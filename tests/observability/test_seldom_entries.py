"""What subscribers and readers of traces meet seldom: verdicts, thoughts, nameless models, holes, rings, many runs."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from hello_agents import Message, ToolCall
from hello_agents.core.message import Usage
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
    Run,
    Spawned,
    Stopped,
    Told,
    evolve,
)
from hello_agents.observability import JsonLog, Metrics, OtelSubscriber, TraceLogger, read_guest
from hello_agents.observability import conversations as told_apart
from hello_agents.observability.conversations import Conversations
from hello_agents.observability.guest_journal import Reply, Result, Said, Scribe
from hello_agents.observability.html_report import duration
from hello_agents.observability.projection import trace_events
from hello_agents.observability.values import json_value

ASKED = Told(Message("go", "user"))
PAY = ToolCall("p", "pay", {"sum": 3})
CALLS = Replied(Message(None, "assistant", tool_calls=[PAY]), Usage(4, 2), "gpt-5")
DONE = Replied(Message("done", "assistant"), Usage(5, 3), "gpt-5", "stop")


def feed(subscriber: Callable[[Entry, Run], None], *events: Event, agent: str = "a", first: int = 0) -> Run:
    """Tells a subscriber of these events, a second apart."""
    run = Run(agent)
    for number, event in enumerate(events):
        run = evolve(run, event)
        if number >= first:
            subscriber(Entry(number, "", 10.0 + number, event), run)
    return run


def spans_of(*events: Event, first: int = 0, **options: Any) -> dict[str, ReadableSpan]:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with OtelSubscriber(provider, **options) as spans:
        feed(spans, *events, first=first)
    return {span.name: span for span in exporter.get_finished_spans()}


# -- spans ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("allowed", [True, False])
def test_a_verdict_is_an_event_of_the_run_it_was_given_in(allowed: bool) -> None:
    root = spans_of(ASKED, CALLS, Judged("p", allowed), Began("p"))["invoke_agent a"]
    (event,) = root.events
    assert event.name == "hello_agents.judged"
    assert dict(event.attributes or {}) == {"gen_ai.tool.call.id": "p", "allowed": allowed}


def test_thoughts_are_told_beside_what_was_said() -> None:
    thought = Replied(Message("done", "assistant", reasoning="let me see"), model="gpt-5")
    chat = spans_of(ASKED, thought, content=True)["chat gpt-5"]
    (said,) = json.loads(str((chat.attributes or {})["gen_ai.output.messages"]))
    assert said["parts"] == [{"type": "reasoning", "content": "let me see"}, {"type": "text", "content": "done"}]


def test_a_model_without_a_name_has_a_span_without_one() -> None:
    chat = spans_of(ASKED, Replied(Message("done", "assistant")))["chat"]
    attributes = chat.attributes or {}
    assert not {name for name in attributes if name.endswith(".model")}
    assert attributes["gen_ai.provider.name"] == "hello_agents"


@pytest.mark.parametrize(
    ("event", "spans"),
    [
        (DONE, {"invoke_agent a", "chat gpt-5"}),
        (Noted("model_error", {"type": "Away", "message": "m"}, step=True), {"invoke_agent a", "chat"}),
        (Noted("mine", 1), set()),
        (Compacted(0, 1, ()), set()),
        (Stopped("finished", "done"), set()),
        (Delta("d"), set()),
    ],
)
def test_a_run_that_is_heard_of_in_its_middle_begins_with_what_the_model_or_a_tool_did(
    event: Event, spans: set[str]
) -> None:
    assert spans_of(ASKED, event, first=1).keys() == spans


# -- conversations -------------------------------------------------------------------------------------


def begin(open: Conversations[list[str]], agent: str, at: float, text: str = "go") -> Any:
    event = Told(Message(text, "user"))
    return open.find(Entry(0, "", at, event), evolve(Run(agent), event))


def test_beyond_so_many_the_one_open_longest_is_left() -> None:
    left: list[list[str]] = []
    open: Conversations[list[str]] = Conversations(list, left.append, most=2)
    for number in range(4):
        begin(open, f"agent {number}", 1.0).state.append(f"agent {number}")
    assert left == [["agent 0"], ["agent 1"]]
    assert [one.run.agent for one in open] == ["agent 2", "agent 3"]
    assert len(open) == 2


def test_only_so_many_entries_are_known_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(told_apart, "_REMEMBERED", 2)
    open: Conversations[list[str]] = Conversations(list, lambda state: None)
    for at in (1.0, 2.0):
        assert begin(open, "a", at) is not None
        assert begin(open, "a", at) is None, "it was told before"
    begin(open, "a", 3.0)
    assert begin(open, "a", 2.0) is None
    assert begin(open, "a", 1.0) is not None, "that is too long ago"


def test_who_says_the_same_is_told_apart_by_what_came_before() -> None:
    open: Conversations[list[str]] = Conversations(list, lambda state: None)
    first, second = begin(open, "a", 1.0, "one"), begin(open, "a", 2.0, "two")
    # Read from a store: equal messages, which share no storage with those that were seen.
    apart = evolve(evolve(Run("a"), Told(Message("two", "user"))), DONE)
    assert open.find(Entry(1, "", 3.0, DONE), apart) is second
    assert first.seq == 0
    stranger = evolve(evolve(Run("a"), Told(Message("three", "user"))), DONE)
    found = open.find(Entry(1, "", 4.0, DONE), stranger)
    assert found is not None
    assert found not in (first, second)


def test_metrics_give_up_the_run_open_longest() -> None:
    metrics = Metrics()
    metrics._trees._most = 1
    for agent in ("a", "b"):
        feed(metrics, ASKED, agent=agent)
    said = metrics.text().decode()
    assert 'hello_agents_active_runs{agent="a"} 0.0' in said
    assert 'hello_agents_active_runs{agent="b"} 1.0' in said


# -- views of entries ----------------------------------------------------------------------------------


def test_pieces_of_replies_are_in_no_log_and_no_trace(tmp_path: Path) -> None:
    stream, logger = io.StringIO(), logging.Logger("apart")
    logger.addHandler(logging.StreamHandler(stream))
    feed(JsonLog(logger), ASKED, Delta("d"), Delta("o"), DONE)
    assert len(stream.getvalue().splitlines()) == 2
    trace = TraceLogger(str(tmp_path))
    feed(trace.subscriber, ASKED, Delta("d"), Delta("o"), DONE)
    assert [one["event"] for one in trace.events if one["event"] != "session_start"] == [
        "message_written",
        "model_output",
    ]


def test_what_nothing_was_asked_for_is_told_without_a_name() -> None:
    (event,) = trace_events([Entry(0, "", 1.0, Returned(Message("7", "tool", answers="p")))], Run("a"))
    assert event["payload"]["tool_name"] in ("", None)


class Guarded(dict[str, int]):
    """A mapping that does not let anybody see what is in it."""

    def items(self) -> Any:
        raise PermissionError("nobody may look")

    def __repr__(self) -> str:
        return "guarded"


def test_a_mapping_that_cannot_be_looked_into_is_told_by_its_text() -> None:
    assert json_value({"it": Guarded(a=1)}) == {"it": "guarded"}


@pytest.mark.parametrize(
    ("ms", "words"),
    [(999, "999 ms"), (1500, "1.50 s"), (12_300, "12.3 s"), (61_000, "1 min 01 s"), (3_661_000, "1 h 01 min")],
)
def test_durations_are_told_in_the_unit_that_fits(ms: float, words: str) -> None:
    assert duration(ms) == words


# -- guests --------------------------------------------------------------------------------------------


def asked_for(*calls: ToolCall) -> Scribe:
    scribe = Scribe("guest")
    scribe.take([Said("user", "go"), Reply(None, calls)])
    return scribe


def test_a_call_is_worked_on_by_one_agent_at_most() -> None:
    scribe = asked_for(PAY)
    assert scribe.spawned("nobody", "asked", "child") is None
    assert scribe.spawned("p", "pay", "child") == "p"
    assert scribe.spawned("p", "pay", "another") is None
    assert [entry.event.run.agent for entry in scribe.entries if isinstance(entry.event, Spawned)] == ["child"]


@pytest.mark.parametrize(
    ("said", "status", "text"),
    [
        ([Said("user", "pay"), Reply("paid")], "success", "paid"),
        ([Said("user", "pay")], "error", None),
        ([], "error", None),
    ],
)
def test_a_call_without_a_result_is_answered_by_its_agent_or_given_as_lost(
    said: list[Any], status: str, text: str | None
) -> None:
    scribe = asked_for(PAY)
    scribe.spawned("p", "pay", "child")
    scribe.take(said, "p")
    scribe.reply(Reply("done"))
    (result,) = [message for message in scribe.run.messages if message.role == "tool"]
    assert result.status == status
    if text is not None:
        assert result.text == text
        child = scribe.run.children["p"].outcome
        assert child is not None
        assert child.reason == "finished"
    assert scribe.run.pending == ()


def test_results_without_an_id_go_to_the_first_call_of_their_name() -> None:
    scribe = asked_for(ToolCall("1", "pay"), ToolCall("2", "pay"))
    scribe.take([Result("", "pay", "first"), Result("", "pay", "second"), Result("", "pay", "third")])
    assert [message.text for message in scribe.run.messages if message.role == "tool"] == ["first", "second"]
    assert scribe.run.notes["orphan_result"]["result"] == "third"


def span(id: str, parent: str, operation: str, **attributes: object) -> dict[str, Any]:
    names = {"gen_ai.operation.name": operation, **attributes}
    return {
        "name": operation,
        "context": {"span_id": id},
        "parent_id": parent,
        "start_time": f"2026-01-01T00:00:0{id[-1]}Z",
        "end_time": f"2026-01-01T00:00:0{id[-1]}Z",
        "attributes": names,
    }


def test_spans_that_go_round_in_a_ring_are_read_all_the_same() -> None:
    output = json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": "done"}]}])
    spans = [
        span("a1", "", "invoke_agent", **{"gen_ai.agent.name": "guide"}),
        span("b2", "c3", "other"),
        span("c3", "b2", "other"),
        span("d4", "c3", "chat", **{"gen_ai.output.messages": output}),
    ]
    guest = read_guest(spans)
    assert [message.text for message in guest.run.messages if message.role == "assistant"] == ["done"]
    assert guest.run.outcome is not None


def test_values_of_all_kinds_are_read_from_the_wire_form() -> None:
    def value(kind: str, inside: object) -> dict[str, Any]:
        return {kind: inside}

    arguments = value(
        "kvlistValue",
        {
            "values": [
                {"key": "city", "value": value("stringValue", "Oslo")},
                {"key": "nights", "value": value("intValue", "3")},
                {"key": "with", "value": value("arrayValue", {"values": [value("boolValue", True)]})},
                {"key": "nothing", "value": {}},
            ]
        },
    )
    attributes = {
        "gen_ai.operation.name": value("stringValue", "execute_tool"),
        "gen_ai.tool.name": value("stringValue", "book"),
        "gen_ai.tool.call.arguments": arguments,
        "gen_ai.tool.call.result": value("stringValue", "booked"),
    }
    one = {
        "spanId": "s1",
        "name": "execute_tool book",
        "startTimeUnixNano": "1000000000",
        "endTimeUnixNano": "2000000000",
        "attributes": [{"key": key, "value": given} for key, given in attributes.items()],
    }
    guest = read_guest({"resourceSpans": [{"scopeSpans": [{"spans": [one]}]}]})
    (call,) = [call for message in guest.run.messages for call in message.tool_calls]
    assert (call.name, call.arguments) == ("book", {"city": "Oslo", "nights": 3, "with": [True], "nothing": None})
    assert [message.text for message in guest.run.messages if message.role == "tool"] == ["booked"]
