"""LoopInspector beside plain steps: children, shortened conversations, contexts, rules, budgets, text on its way."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from typing import Any

import pytest
from hello_agents_widgets import LoopInspector
from hello_agents_widgets.ticker import Ticker
from hypothesis import given
from hypothesis import strategies as st
from laws import actors
from widgets.house import keep_fixture

from hello_agents.context.token_counter import TokenCounter
from hello_agents.core.budgets import budgets_of
from hello_agents.core.config import Config
from hello_agents.core.message import ToolCall
from hello_agents.core.run import Delta, Entry, Noted
from hello_agents.offline.scripted import ScriptedLLM, ScriptError
from hello_agents.tools.permissions import Policy, Rule
from widgets import demo, frames

CASES: dict[str, Callable[[], LoopInspector]] = {
    "one after the other": lambda: LoopInspector(frames.one_after_the_other()),
    "at the same time": lambda: LoopInspector(frames.at_the_same_time()),
    "compacted": lambda: LoopInspector(frames.compacted()),
    "ruled": lambda: _finished(LoopInspector(frames.ruled(), demo.QUESTION)),
    "informed": lambda: _finished(LoopInspector(frames.informed(), demo.QUESTION)),
}


def _finished(widget: LoopInspector) -> LoopInspector:
    widget.finish()
    return widget


def chain(widget: LoopInspector) -> list[dict[str, Any]]:
    return [widget._timeline.ticks[id] for id in widget._timeline.chains[widget.debugger.branch]]


def test_the_fixture_of_the_pages_tests_is_what_is_sent_today() -> None:
    keep_fixture("inspector_frames.json", {name: make().snapshot for name, make in CASES.items()})


@pytest.mark.parametrize("name", CASES)
def test_state_and_meter_are_those_of_the_frame_at_the_tick(name: str) -> None:
    widget = CASES[name]()
    counter = TokenCounter("offline")
    for tick in chain(widget):
        run = widget.debugger.run_at(widget._timeline.stop_of(tick["id"]) - 1)
        here = run.at(tick["frame"])
        assert tick["state"]["step"] == here.steps - here.turn_step
        assert tick["state"]["requests"] == sum(one.steps for _, one in run.frames)
        assert tick["state"]["tokens"] == run.usage.total_tokens
        assert sum(tick["meter"]) - tick["meter"][1] == counter.count_messages(here.messages)
        assert tick["state"]["waiting"] == [call.id for call in here.pending]


@pytest.mark.parametrize("name", CASES)
def test_the_tools_are_those_of_the_frame(name: str) -> None:
    widget = CASES[name]()
    seen: dict[str, int] = {}
    for tick in chain(widget):
        if "request" in tick:
            seen[tick["frame"]] = tick["toolset"]
        elif tick["frame"] in seen:
            assert tick["toolset"] == seen[tick["frame"]]
    assert seen


def test_a_child_is_told_with_its_limits_and_tools() -> None:
    widget = CASES["one after the other"]()
    told = [one for tick in chain(widget) for one in tick.get("spawned", ())]
    assert [one["agent"] for one in told] == ["react", "react"]
    assert told[0]["limits"] == {"max_steps": 4}
    assert "tools" not in told[0]
    assert told[1]["tools"] == ["Thought", "Finish", "Read"]


def test_what_a_child_may_spend_is_told() -> None:
    agent = frames.family(max_total_steps=12, max_total_tokens=9000, max_total_cost=1.0, prices={"scripted": (1, 1)})
    steps = agent.steps(frames.QUESTION)
    steps.finish()
    told = [one for tick in chain(LoopInspector(steps)) for one in tick.get("spawned", ())]
    for one in told:
        child = steps.run.at(one["id"]).limits
        assert one["limits"]["max_total_steps"] == child.max_total_steps
        assert one["limits"]["token_budget"] == child.max_tokens
        assert one["limits"]["max_cost"] == child.max_cost


def test_what_comes_next_says_in_which_frame() -> None:
    widget = LoopInspector(frames.family(), frames.QUESTION)
    found: set[str] = set()
    while widget.head["next"] is not None:
        coming = widget.head["next"]
        before = widget.debugger.position
        widget.step()
        assert widget.debugger.entries[before].frame == coming.get("frame", "")
        found.add(coming.get("frame", ""))
    assert found == {"", "t1", "t2"}


@pytest.mark.parametrize("reason", ["Money is a person's.", "<b>", "金额须由人决定"])
def test_a_call_that_a_rule_holds_back_says_the_rule(reason: str) -> None:
    agent = demo.agent(permissions=Policy([Rule("Calculator", "ask", reason=reason)]))
    widget = LoopInspector(agent, demo.QUESTION)
    widget.finish()
    assert widget.head["next"]["reasons"] == {"c3": reason}


def test_a_call_that_waits_without_a_rule_has_no_reason() -> None:
    for policy in (None, Policy([Rule("Calculator", "ask")])):
        tools = demo.registry()
        tools.register_function(demo.calculator, name="Pay", needs_approval=True)
        agent = demo.agent(
            ToolCall("p", "Pay", {"expression": "1"}), ToolCall("q", "Calculator", {}), permissions=policy
        )
        agent.tool_registry = tools
        widget = LoopInspector(agent, "go")
        widget.finish()
        assert widget.head["next"]["kind"] == "wait"
        assert "reasons" not in widget.head["next"]


def test_budgets_are_the_librarys() -> None:
    widget = CASES["ruled"]()
    told = widget.state["budgets"]
    assert [name for name, _, _ in told] == ["token_budget", "max_total_steps", "max_cost"]
    for (name, spent, most), (own, left, whole) in zip(told, budgets_of(widget.run), strict=True):
        assert (name, most) == (own, whole)
        assert spent == pytest.approx(most - left)
    assert "budgets" not in LoopInspector(demo.agent(), demo.QUESTION).state


def test_the_time_a_question_took_is_a_budget_and_no_note() -> None:
    widget = LoopInspector(demo.agent(config=Config(max_total_seconds=3600)), demo.QUESTION)
    widget.finish()
    assert any(isinstance(entry.event, Noted) for entry in widget.debugger.entries)
    assert not any(tick.get("notes") for tick in chain(widget))
    assert [name for name, _, most in widget.state["budgets"]] == ["max_seconds"]


def test_a_context_is_told_in_numbers_and_once() -> None:
    widget = CASES["informed"]()
    ticks = chain(widget)
    told = [tick["context"] for tick in ticks if "context" in tick]
    note = widget.run.notes["context"]
    assert [one["text"] for one in told] == [note["text"]]
    assert told[0]["tokens"] == note["trace"]["tokens"]
    assert (told[0]["packets"], told[0]["of"]) == (len(note["trace"]["chosen"]), len(note["trace"]["gathered"]))
    assert not any(tick.get("notes") for tick in ticks)
    asked = [tick["request"]["parts"][0] for tick in ticks if "request" in tick]
    assert len(asked) > 2
    assert len(set(asked)) == 1, "one system message, not one for each request"


def test_where_compression_starts_is_the_agents_own_limit() -> None:
    assert CASES["compacted"]().head["threshold"] == 600
    config = Config(context_window=1000, compression_threshold=0.5)
    assert LoopInspector(demo.agent(config=config), "go").head["threshold"] == 500


def test_at_rest_a_run_with_children_is_readable() -> None:
    for name, make in CASES.items():
        widget = make()
        assert repr(widget) == repr(CASES[name]())
        assert widget.picture() == CASES[name]().picture()


# -- text on its way ---------------------------------------------------------------------------------


def streamed(widget: LoopInspector, op: str = "step") -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = []
    widget.tell = told.append  # type: ignore[method-assign]
    widget.dispatch({"op": op})
    return [message for message in told if "stream" in message]


def test_what_the_model_writes_is_told_while_it_writes_and_not_kept() -> None:
    widget = LoopInspector(demo.agent("a reply of a few words"), "go")
    told = streamed(widget)
    assert told[0]["frame"] == ""
    assert told[0]["stream"] == [{"part": "content", "text": "a"}]
    assert "'part'" not in str(widget.snapshot)
    assert widget.run.messages[-1].text == "a reply of a few words"


def test_from_code_nothing_is_told_and_the_journal_is_the_same() -> None:
    quiet, shown = (LoopInspector(demo.agent(), demo.QUESTION) for _ in range(2))
    told: list[Any] = []
    quiet.tell = told.append  # type: ignore[method-assign]
    quiet.finish()
    assert told == []
    streamed(shown, "finish")
    assert shown.debugger.entries == quiet.debugger.entries


@pytest.mark.parametrize("kind", actors.AGENTS)
def test_watching_is_the_same_walk(kind: str) -> None:
    def walk(watch: Callable[[Entry], None] | None) -> tuple[Entry, ...]:
        llm = ScriptedLLM("one", "two", "three", "four", "five")
        steps = actors.AGENTS[kind](llm, actors.registry()).steps("go")
        begun = len(steps.entries)
        steps.watch = watch
        with suppress(ScriptError):  # A script that is too short for this kind of agent is part of the walk.
            steps.finish()
        return steps.entries[begun:]

    seen: list[Entry] = []
    plain, watched = walk(None), walk(seen.append)
    assert watched == plain
    assert tuple(entry for entry in seen if entry.seq >= 0) == plain


PIECES = st.lists(
    st.one_of(
        st.builds(Delta, st.text(max_size=5), st.sampled_from(["content", "reasoning"])),
        st.builds(lambda text, call: Delta(text, "call", call), st.text(max_size=5), st.integers(0, 2)),
    ),
    max_size=30,
)


@given(PIECES, st.lists(st.floats(0, 0.2), min_size=30, max_size=30))
def test_messages_are_few_and_hold_all_but_the_last_pieces_in_order(pieces: list[Delta], waits: list[float]) -> None:
    times = iter([sum(waits[: n + 1]) for n in range(len(waits))])
    told: list[Any] = []
    at: list[float] = []

    def clock() -> float:
        at.append(next(times))
        return at[-1]

    ticker = Ticker(lambda message: told.append((at[-1], message)), clock)
    for piece in pieces:
        ticker(Entry(-1, "", 0.0, piece))
    for (before, _), (after, _) in pairwise(told):
        assert after - before >= 0.06
    words = [(p.part, p.call, sign) for p in pieces for sign in p.text]
    arrived = [(p["part"], p.get("call"), sign) for _, m in told for p in m["stream"] for sign in p["text"]]
    assert words[: len(arrived)] == arrived
    assert bool(told) == bool(pieces)


def test_each_reply_has_a_number_of_its_own() -> None:
    told: list[Any] = []
    ticker = Ticker(told.append)
    for frame, event in [("", Delta("a")), ("", Noted("x", 1)), ("t1", Delta("b"))]:
        ticker(Entry(-1 if isinstance(event, Delta) else 0, frame, 0.0, event))
    assert [message["frame"] for message in told] == ["", "t1"]
    assert told[0]["reply"] != told[1]["reply"]
