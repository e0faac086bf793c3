"""Traces: what is recorded, how it is written, and the page."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import Any

import pytest
from core.crashing import Place, agent
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Page, sync_playwright
from pydantic import BaseModel
from support.examples import examples
from support.histories import json_values

from hello_agents import ReActAgent, ScriptedLLM, SimpleAgent, ToolCall, ToolRegistry
from hello_agents.core.exceptions import ModelUnavailable
from hello_agents.core.message import Message, Usage
from hello_agents.core.run import Compacted, Entry, Judged, Noted, Replied, Run, Spawned, Stopped, Told, evolve
from hello_agents.core.secrets import mask_values
from hello_agents.observability import TraceLogger, report_html, trace_events
from hello_agents.observability.html_report import totals
from hello_agents.observability.values import json_line, json_value

KEY = "sk-abcdef1234567890abcdef"
IN_FOLDER = settings(
    max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def lines(trace: TraceLogger) -> list[dict[str, Any]]:
    assert trace.jsonl_path is not None
    return [json.loads(line) for line in trace.jsonl_path.read_text(encoding="utf-8").splitlines()]


def run_failing(trace: TraceLogger) -> ReActAgent:
    def search(city: str) -> str:
        """Looks a city up."""
        if city == "Atlantis":
            raise ValueError(f"not on the map <b> {KEY}")
        return "晴"

    tools = ToolRegistry()
    tools.register_function(search)
    calls = [ToolCall("a", "search", {"city": "北京"}), ToolCall("b", "search", {"city": "Atlantis"})]
    one = ReActAgent("traveller", ScriptedLLM(calls, ToolCall("f", "Finish", {"answer": "</script><b>done"})), tools)
    one.subscribers.append(trace.subscriber)
    one.run(f"Where? {KEY}")
    return one


# -- what is recorded -------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["Simple", "ReAct"])
def test_every_entry_of_a_run_is_an_event(kind: str) -> None:
    trace = TraceLogger(None)
    one = agent(kind, Place("never", 0))
    one.subscribers.append(trace.subscriber)
    one.run("1+2+3+4?")
    events = trace.events
    assert [e["entry"] for e in events if "entry" in e] == [e.seq for e in one.journal]
    assert [e["seq"] for e in events] == list(range(len(events)))
    assert {e["session_id"] for e in events} == {trace.session_id}
    assert events[-1]["event"] == "session_end"
    assert events[-2]["event"] == "agent_finish"
    assert events[-2]["payload"]["result"] == "10"
    usage = one.state.usage
    assert events[-1]["payload"]["total_tokens"] == usage.total_tokens
    assert events[-1]["payload"]["steps"] == one.state.steps == totals(events)["steps"]
    calls = {e["payload"]["tool_call_id"]: e["payload"] for e in events if e["event"] == "tool_call"}
    for event in events:
        if event["event"] == "tool_result":
            assert event["payload"]["tool_name"] == calls[event["payload"]["tool_call_id"]]["tool_name"]
            assert event["payload"]["ms"] >= 0
    saved = trace_events(one.journal, Run("crash"))
    keep = ("event", "step", "frame", "agent", "entry", "payload", "ts")
    assert [{k: e[k] for k in keep} for e in saved] == [{k: e[k] for k in keep} for e in events[:-1]]


def test_each_kind_of_entry_has_its_event() -> None:
    run, events = Run("a"), []
    child = evolve(Run("kid"), Told(Message("sub", "user")))
    journal: list[tuple[str, Any]] = [
        ("", Told(Message("hi", "user"))),
        ("", Replied(Message(None, "assistant", tool_calls=[ToolCall("c", "f", {"x": 0})]), Usage(3, 2))),
        ("", Judged("c", False, {"x": 1}, "no")),
        ("", Spawned("c", child)),
        ("c", Replied(Message("", "assistant", reasoning="hm"), Usage(1, 1), "m", "stop")),
        ("c", Stopped("finished", "")),
        ("", Noted("plan", [1, 2])),
        ("", Noted("hook_error", "odd")),
        ("", Compacted(0, 1, (Message("short", "summary"),))),
        ("", Stopped("max_steps")),
    ]
    events = trace_events([Entry(n, f, 100.0 + n, e) for n, (f, e) in enumerate(journal)], run, raw=True)
    assert [e["event"] for e in events] == [
        "message_written", "model_output", "approval", "agent_start", "model_output", "agent_finish", "note", "error",
        "history_compressed", "agent_finish",
    ]  # fmt: skip
    assert events[1]["payload"]["raw_response"]["tool_calls"][0]["arguments"] == {"x": 0}
    assert events[1]["payload"]["ms"] == 1000
    assert events[2]["payload"] == {
        "tool_name": "f",
        "tool_call_id": "c",
        "allowed": False,
        "reason": "no",
        "args": {"x": 1},
    }
    assert events[3]["payload"]["task"] == "sub"
    assert (events[4]["frame"], events[4]["agent"], events[4]["step"]) == ("c", "kid", 1)
    assert events[5]["payload"]["result"] == ""
    assert events[9]["payload"]["result"] is None, "nothing is not the empty text"
    for language in ("en", "zh"):
        assert report_html(events, language).count("<details") == len(events)


def test_a_run_that_ends_with_an_error_says_so(tmp_path: Path) -> None:
    trace = TraceLogger(tmp_path)
    one = SimpleAgent("a", ScriptedLLM(ModelUnavailable("the model is away")))
    one.subscribers.append(trace.subscriber)
    with pytest.raises(ModelUnavailable):
        one.run("hi")
    assert lines(trace)[-1]["event"] == "error"
    assert lines(trace)[-1]["payload"]["message"] == "the model is away"
    assert trace.html_path is not None
    assert "the model is away" in trace.html_path.read_text(encoding="utf-8")


def test_two_runs_and_a_reader_of_ones_own_share_a_logger(tmp_path: Path) -> None:
    trace = TraceLogger(tmp_path)
    one = agent("Simple", Place("never", 0))
    one.subscribers.append(trace.subscriber)
    one.run("1+2+3+4?")
    first = lines(trace)
    trace.log_event("mine", {"n": 0}, step=2)
    one.clear_history()
    one.run("1+2+3+4?")
    trace.finalize()
    trace.finalize()
    both = lines(trace)
    assert both[: len(first)] == first
    assert [e["seq"] for e in both] == list(range(len(both)))
    assert [e["event"] for e in both].count("session_end") == 2
    assert both[len(first)]["step"] == 2
    assert len(list(tmp_path.iterdir())) == 2


async def test_what_is_streamed_is_traced_alike() -> None:
    traces = [TraceLogger(None), TraceLogger(None)]
    for n, trace in enumerate(traces):
        one = agent("ReAct", Place("never", 0))
        one.subscribers.append(trace.subscriber)
        if n:
            _ = [event async for event in one.arun_stream("1+2+3+4?")]
        else:
            one.run("1+2+3+4?")
    a, b = (sorted(e["event"] for e in trace.events) for trace in traces)
    assert a == b


# -- any value (A63) --------------------------------------------------------------------------------


class Colour(Enum):
    RED = "red"


@dataclass
class Point:
    x: Any


class Model(BaseModel):
    at: datetime
    tags: set[str]


class Hostile:
    def __str__(self) -> str:
        raise RuntimeError("no")


class HostileModel:
    def model_dump(self) -> Any:
        raise RuntimeError("no")


LOOP: list[Any] = []
LOOP.append(LOOP)

VALUES: list[tuple[Any, Any]] = [
    (0, 0), (False, False), ("", ""), ([], []), ({}, {}), (None, None), (0.0, 0.0),
    (float("nan"), "nan"), (float("-inf"), "-inf"),
    (datetime(2026, 1, 2, tzinfo=UTC), "2026-01-02T00:00:00+00:00"),
    (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    ({3, 1, 2}, [1, 2, 3]), ((1, (2,)), [1, [2]]), (b"a\xff", "a\\xff"), (Colour.RED, "red"),
    (Point({"a": Point(0)}), {"x": {"a": {"x": 0}}}),
    (Model(at=datetime(2026, 1, 2), tags={"t"}), {"at": "2026-01-02T00:00:00", "tags": ["t"]}),
    (Path("a/b"), "a/b"), ({1: "a", None: "b"}, {"1": "a", "None": "b"}),
    (ValueError("x"), {"type": "ValueError", "message": "x"}),
    (Hostile(), "<Hostile>"), ({Hostile(): 1}, {"<Hostile>": 1}), (Point, "<class 'test_trace_logger.Point'>"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "expected"), VALUES, ids=lambda v: type(v).__name__)
def test_any_value_serialises_and_none_is_lost(value: Any, expected: Any, tmp_path: Path) -> None:
    trace = TraceLogger(tmp_path)
    trace.log_event("tool_result", {"result": value, "also": [value]})
    trace.log_event("next", {})
    written = lines(trace)
    assert type(written[0]["payload"]["result"]) is type(expected)
    if "class" not in repr(expected):
        assert written[0]["payload"] == {"result": expected, "also": [expected]}
    assert [e["seq"] for e in written] == [0, 1]
    trace.finalize()
    assert trace.problems == []


def test_what_holds_itself_and_what_defends_itself_is_told_somehow() -> None:
    assert "…" in json.dumps(json_value(LOOP), ensure_ascii=False)
    assert "HostileModel" in json_value(HostileModel())
    assert json_line("\ud800 北京") == '"\\ud800 北京"'
    deep: Any = 0
    for _ in range(5000):
        deep = [deep]
    json.dumps(json_value(deep))


@IN_FOLDER
@given(value=json_values, text=st.text(st.characters(), max_size=20))
def test_json_values_come_back_equal(value: Any, text: str, tmp_path: Path) -> None:
    trace = TraceLogger(tmp_path / uuid.uuid4().hex, sanitize=False)
    trace.log_event(text, {"value": value, "text": text})
    trace.finalize()
    assert trace.events[0]["payload"] == {"value": value, "text": text}
    assert trace.problems == []


# -- secrets ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("folder", [True, False])
def test_secrets_reach_neither_file_nor_memory(tmp_path: Path, folder: bool) -> None:
    trace = TraceLogger(tmp_path if folder else None, known=["hunter-and-gatherer"])
    run_failing(trace)
    trace.log_event(
        "mine", {"api_key": "anything", "nested": [{"header": f"Bearer {KEY}"}], "w": "hunter-and-gatherer"}
    )
    trace.finalize()
    everything = json.dumps(trace.events) + trace.html() + "".join(p.read_text("utf-8") for p in tmp_path.iterdir())
    for secret in (KEY, "anything", "hunter-and-gatherer"):
        assert secret not in everything
    assert "***" in everything
    assert trace._sanitize_value({"password": "p"}) == {"password": "***"}
    open_trace = TraceLogger(None, sanitize=False)
    run_failing(open_trace)
    assert KEY in json.dumps(open_trace.events)
    assert mask_values(open_trace.events) != open_trace.events


# -- files ------------------------------------------------------------------------------------------


def test_constructing_touches_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    trace = TraceLogger()
    TraceLogger("x").finalize()
    repr(trace)
    assert trace.events == []
    assert list(tmp_path.iterdir()) == []
    trace.log_event("first", {})
    assert [p.suffix for p in (tmp_path / "memory" / "traces").iterdir()] == [".jsonl"]


def test_lines_are_there_while_the_run_goes_on(tmp_path: Path) -> None:
    trace = TraceLogger(tmp_path)
    seen: list[int] = []
    one = agent("Simple", Place("never", 0))
    one.subscribers += [trace.subscriber, lambda entry, run: seen.append(len(lines(trace)))]
    one.run("1+2+3+4?")
    assert seen[:-1] == list(range(1, len(seen)))


def test_a_folder_that_cannot_be_written_is_noted_and_what_was_kept_is_written_later(tmp_path: Path) -> None:
    (tmp_path / "traces").write_text("in the way", encoding="utf-8")
    trace = TraceLogger(tmp_path / "traces")
    one = run_failing(trace)
    assert one.state.outcome is not None
    assert not [e for e in one.journal if isinstance(e.event, Noted)]
    assert trace.problems
    assert len(trace.problems) <= 2
    before = trace.events
    (tmp_path / "traces").unlink()
    trace.log_event("later", {})
    assert [e["seq"] for e in lines(trace)] == list(range(len(before) + 1))


def test_a_damaged_trace_is_noted_and_the_run_goes_on(tmp_path: Path) -> None:
    trace = TraceLogger(tmp_path)
    trace.log_event("a", {})
    assert trace.jsonl_path is not None
    trace.jsonl_path.write_text("{", encoding="utf-8")
    trace.finalize()
    assert trace.problems


def test_a_with_block_tells_how_it_ended(tmp_path: Path) -> None:
    trace = TraceLogger(tmp_path)
    with pytest.raises(ZeroDivisionError), trace:
        trace.log_event("mine", {"share": 1 / 0})
    assert [e["event"] for e in lines(trace)] == ["error", "session_end"]
    assert lines(trace)[1]["payload"]["errors"] == 1


# -- the page ---------------------------------------------------------------------------------------


@IN_FOLDER
@given(
    events=st.lists(
        st.fixed_dictionaries(
            {},
            optional={
                "event": st.sampled_from(["model_output", "tool_call", "tool_result", "error", "agent_finish", "x"]),
                "payload": json_values,
                "ts": st.just("2026-01-02T03:04:05") | st.text(max_size=5),
                "frame": st.sampled_from(["", "a", "a/b"]),
                "step": st.none() | st.integers(),
            },
        ),
        max_size=5,
    )
)
def test_any_events_make_a_page(events: list[dict[str, Any]]) -> None:
    page = report_html(events)
    assert page == report_html(events)
    assert page.encode()


def test_the_page_fetches_nothing_and_escapes_everything() -> None:
    trace = TraceLogger(None)
    run_failing(trace)
    trace.log_event('"><img src=x onerror=alert(1)>', {"a": "</script><script>alert(2)</script>", "\ud800": "\ud800"})
    page = trace.html()
    assert not re.search(r"https?://|<img|<link|@import|url\(", page)
    assert page.count("<script>") == page.count("</script>") == 1
    assert "alert(1)" in page
    assert "x" * 20_000 + "</pre>" in report_html([{"event": "x", "payload": {"result": "x" * 30_000}}])
    assert "10,000" in report_html([{"event": "x", "payload": {"result": "x" * 30_000}}])
    assert "srcdoc" in trace._repr_html_()


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        yield browser.new_page(viewport={"width": 1100, "height": 500})
        browser.close()


def contrast(page: Page, selector: str) -> float:
    """The contrast of a text against the nearest ground below it, by WCAG."""
    return page.evaluate(
        """(selector) => {
            const channels = (c) => c.match(/[\\d.]+/g).map(Number);
            const light = (c) => channels(c).slice(0, 3).map((v) => v / 255)
                .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
                .reduce((sum, v, at) => sum + v * [0.2126, 0.7152, 0.0722][at], 0);
            const node = document.querySelector(selector);
            let under = node;
            const ground = (one) => getComputedStyle(one).backgroundColor;
            while (under.parentElement && (channels(ground(under))[3] ?? 1) === 0) under = under.parentElement;
            const [a, b] = [light(getComputedStyle(node).color), light(ground(under))].sort((x, y) => y - x);
            return (a + 0.05) / (b + 0.05);
        }""",
        selector,
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_in_a_browser(page: Page, tmp_path: Path, scheme: Any) -> None:
    trace = TraceLogger(tmp_path)
    run_failing(trace)
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.append(message.text))
    page.emulate_media(color_scheme=scheme)
    page.goto(f"file://{trace.html_path}")
    shown = page.locator("main details:visible")
    everything = shown.count()
    assert everything == len(trace.events)

    page.get_by_role("button", name="First error").click()
    failed = page.locator("details.failed").first
    assert failed.evaluate("(one) => { const r = one.getBoundingClientRect(); return r.top >= 0 && r.top < 500; }")
    assert page.evaluate("document.activeElement.closest('details').classList.contains('failed')")

    for name in ("Messages", "Model", "Tools", "Agents"):
        page.locator(".chip", has_text=name).click()
    assert shown.count() == 1
    assert "not on the map" in (shown.first.text_content() or "")
    page.locator(".chip", has_text="Error").click()
    assert shown.count() == 0
    assert page.locator("nav output").text_content() == "Nothing matches."
    page.get_by_role("button", name="First error").click()
    assert shown.count() == everything
    page.get_by_role("searchbox").fill("北京")
    assert 0 < shown.count() < everything
    page.get_by_role("searchbox").fill("")
    page.get_by_role("button", name="Unfold all").click()
    assert page.locator("details:not([open])").count() == 0
    page.get_by_role("button", name="Fold all").click()
    assert page.locator("details[open]").count() == 0

    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    for selector in ("h1", ".muted", "summary b", "summary time", ".pill.good", ".pill.bad", "header dt", "nav button"):
        assert contrast(page, selector) >= 4.5, (selector, scheme)
    page.get_by_role("button", name="Light / dark").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != dark
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert faults == []
