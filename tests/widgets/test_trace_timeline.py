"""TraceTimeline: whatever tells of a run, shown as spans in lanes, and totals that are the library's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hello_agents_widgets import LoopInspector, TraceTimeline, inspect_trace
from hello_agents_widgets.spans import ROWS, moments, spans
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from support.guest_files import GUEST_FILES
from widgets.house import keep_fixture
from widgets.test_run_tree import team
from widgets.traces import long, stored, timed

from hello_agents.core.journal import load_journal
from hello_agents.core.message import Message, ToolCall
from hello_agents.core.run import Entry, Noted, Replied, Returned, Run, Told
from hello_agents.observability.guests import NoGuest, read_guest
from hello_agents.observability.html_report import totals
from hello_agents.observability.projection import trace_events
from hello_agents.observability.trace_logger import TraceLogger
from widgets import demo

NASTY = "\"><script>alert(1)</script><img src=x onerror='y'>&"


def test_the_fixture_of_the_page(tmp_path: Path) -> None:
    keep_fixture("trace_timeline.json", TraceTimeline(stored(tmp_path, timed())).snapshot)


def test_every_event_is_in_one_span_and_the_totals_are_the_librarys(tmp_path: Path) -> None:
    timeline = TraceTimeline(stored(tmp_path, timed()))
    events = trace_events(timed(), Run("lead"))
    assert timeline.events == events
    covered = [one["to"] for one in timeline.spans] + [one["from"] for one in timeline.spans if one["kind"] == "tool"]
    assert set(covered) >= set(range(len(events)))
    sums = totals(events)
    for name in ("steps", "tool_calls", "errors", "total_tokens"):
        assert timeline.state[name] == sums[name]
    assert sum(one["tokens"] for one in timeline.spans) == sums["total_tokens"] == team().state.usage.total_tokens
    assert len(timeline.errors) == sums["errors"] == 1
    assert timeline.state["seconds"] == sums["seconds"]


def test_a_span_lasts_from_its_call_to_its_result() -> None:
    timeline = TraceTimeline(timed())
    for one in timeline.spans:
        first, last = timeline.events[one["from"]], timeline.events[one["to"]]
        match one["kind"]:
            case "model":
                assert last["event"] == "model_output"
                assert first["frame"] == last["frame"] or first["event"] == "agent_start"
            case "tool":
                assert last["event"] == "tool_result"
                assert first["event"] in ("tool_call", "agent_start")
            case _:
                assert one["from"] == one["to"]
    assert [lane["frame"] for lane in timeline.state["lanes"]] == ["", "t1", "t2", "t2/c"]


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["begin", "end", "reply", "say"]), st.integers(0, 6)), max_size=40))
def test_spans_in_a_row_do_not_overlap(steps: list[tuple[str, int]]) -> None:
    names = {"begin": "tool_call", "end": "tool_result", "reply": "model_output", "say": "message_written"}
    events = [
        {"event": names[kind], "frame": "", "payload": {"tool_call_id": str(n), "tool_name": "t"}} for kind, n in steps
    ]
    found, lanes = spans(events)
    assert moments(events) is None
    assert len(lanes) == bool(events)
    taken: dict[int, int] = {}
    for one in sorted((one for one in found if one["kind"] in ("model", "tool")), key=lambda one: found.index(one)):
        assert 0 <= one["row"] < ROWS
        assert one["from"] <= one["to"]
        if one["row"] < ROWS - 1:
            assert taken.get(one["row"], 0) <= one["from"]
        taken[one["row"]] = one["to"]


def sources(tmp_path: Path) -> dict[str, object]:
    agent = team()
    logger = TraceLogger(tmp_path)
    agent._follow(logger.subscriber)
    logger.finalize()
    assert logger.jsonl_path is not None
    return {
        "agent": agent,
        "run": agent.state,
        "journal": agent.journal,
        "debugger": agent.steps(),
        "logger": logger,
        "events": logger.events,
        "trace file": logger.jsonl_path,
        "trace file as text": str(logger.jsonl_path),
        "journal file": stored(tmp_path, agent.journal),
        "a fresh agent": demo.agent(),
    }


def test_whatever_tells_of_a_run_is_shown(tmp_path: Path) -> None:
    for name, source in sources(tmp_path).items():
        timeline = TraceTimeline(source)
        assert timeline.error == ""
        if name == "a fresh agent":
            assert timeline.spans == []
            continue
        words = [one["text"] for one in timeline.spans]
        assert any("What is 2 × 90?" in each for each in words), name
        assert timeline.state["errors"] == 1, name
        assert timeline.state["total_tokens"] == team().state.usage.total_tokens, name
        assert {lane["frame"] for lane in timeline.state["lanes"]} == {"", "t1", "t2", "t2/c"}, name


def test_a_run_without_times_uses_the_order_and_says_so() -> None:
    timeline = TraceTimeline(team().state)
    assert timeline.moments is None
    assert (timeline.state["seconds"], timeline.state["why"]) == (None, "none")
    assert all("t" not in one for one in timeline.state["spans"])


def test_times_of_this_machine_are_not_in_text_and_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for make in (lambda: TraceTimeline(team()), lambda: TraceTimeline(team().journal)):
        assert (repr(make()), make().picture()) == (repr(make()), make().picture())
        assert make().moments is not None
    fixed = TraceTimeline(stored(tmp_path, timed()))
    assert "[3.750 s + 0.250 s] ✗ tool Calculator" in repr(fixed)
    assert "0.250 s" in fixed.picture()
    hidden = TraceTimeline(stored(tmp_path, timed()), times=False)
    assert " s]" not in repr(hidden)
    assert (hidden.moments, hidden.state["why"]) == (None, "hidden")
    monkeypatch.setenv("HELLO_AGENTS_BOOK", "1")
    assert TraceTimeline(team()).moments is None
    assert TraceTimeline(team()).snapshot == TraceTimeline(team()).snapshot
    assert TraceTimeline(stored(tmp_path, timed())).moments is not None


def test_it_opens_in_the_inspector_unless_it_is_only_a_trace(tmp_path: Path) -> None:
    inspector = TraceTimeline(team()).inspect()
    assert isinstance(inspector, LoopInspector)
    assert inspector.run == team().state
    with pytest.raises(ValueError, match="journal"):
        TraceTimeline(trace_events(timed(), Run("lead"))).inspect()


def test_secrets_are_masked() -> None:
    key = "sk-proj-" + "a1B2" * 12
    entries = [Entry(0, "", 1.0, Told(Message(f"my key is {key}", "user")))]
    timeline = TraceTimeline(entries)
    assert key not in json.dumps(timeline.snapshot) + repr(timeline) + timeline.picture()


def test_odd_traces() -> None:
    call = ToolCall("c", "look", {})
    entries = [
        Entry(0, "", 5.0, Told(Message("Q", "user"))),
        Entry(1, "", 6.0, Replied(Message(None, "assistant", tool_calls=[call]))),
        Entry(2, "", 7.0, Noted("model_error", {"type": "Gone", "message": "no line"}, step=True)),
        Entry(3, "", 8.0, Returned(Message("x" * 5000, "tool", answers="c"))),
    ]
    timeline = TraceTimeline(entries)
    assert [one["kind"] for one in timeline.spans] == ["message", "model", "error", "tool"]
    assert [one["failed"] for one in timeline.spans] == [False, False, True, False]
    assert timeline.spans[-1]["cut"]
    assert len(timeline.spans[-1]["text"]) < 5000
    began = TraceTimeline([{"event": "tool_call", "payload": {"tool_call_id": "1"}}, {"event": "custom", "payload": 3}])
    assert [one["open"] for one in began.spans] == [True, False]


def test_operations_and_their_errors(tmp_path: Path) -> None:
    timeline = TraceTimeline(timed())
    timeline.dispatch({"op": "dance"})
    assert "dance" in timeline.error
    for wrong in (3, [3], None):
        with pytest.raises(TypeError, match=type(wrong).__name__):
            TraceTimeline(wrong)
    with pytest.raises(FileNotFoundError):
        TraceTimeline(tmp_path / "nothing.jsonl")
    (tmp_path / "poem.txt").write_text("roses\nare red", encoding="utf-8")
    with pytest.raises(ValueError, match=r"poem\.txt"):
        TraceTimeline(tmp_path / "poem.txt")


def test_at_rest_it_is_escaped() -> None:
    entries = [
        Entry(0, "", 1.0, Told(Message(NASTY, "user"))),
        Entry(1, "", 2.0, Replied(Message(NASTY, "assistant", tool_calls=[ToolCall("1", NASTY, {NASTY: NASTY})]))),
        Entry(2, "", 3.0, Returned(Message(NASTY, "tool", answers="1", status="error"))),
    ]
    page = TraceTimeline(entries).picture()
    assert "<script" not in page
    assert "<img" not in page


def test_five_thousand_entries_are_small_enough() -> None:
    timeline = TraceTimeline(long(5000))
    assert len(timeline.spans) > 3000
    assert len(timeline.logs) == 1
    assert len(json.dumps(timeline.snapshot)) < 2_500_000
    assert len(timeline.picture()) < 60_000
    assert len(repr(timeline).split("\n")) < 60


@pytest.mark.parametrize("path", GUEST_FILES, ids=lambda path: path.stem)
def test_runs_of_other_software_open_in_both(path: Path) -> None:
    guest = read_guest(path)
    opened = inspect_trace(path)
    assert isinstance(opened.inspector, LoopInspector)
    assert opened.inspector.debugger.entries == guest.entries
    assert opened.timeline.events == trace_events(guest.entries, guest.start)
    assert repr(opened) == repr(inspect_trace(json.loads(path.read_text(encoding="utf-8")))) or opened.timeline.moments


def test_our_own_runs_open_in_both(tmp_path: Path) -> None:
    path = stored(tmp_path, timed())
    for source in (path, str(path), team(), team().state, read_guest(GUEST_FILES[0])):
        opened = inspect_trace(source)
        assert opened.timeline.spans
        assert opened.inspector.run.messages
    assert tuple(load_journal(path.read_text(encoding="utf-8"))) == inspect_trace(path).inspector.debugger.entries
    with pytest.raises(NoGuest):
        inspect_trace([{"nothing": 1}])
