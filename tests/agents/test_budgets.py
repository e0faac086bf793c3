"""Budgets: a question and all the runs below it stay within its tokens, requests, money and time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples

from hello_agents import Config, Message, ScriptedLLM, SimpleAgent, ToolCall, ToolRegistry, Usage
from hello_agents.agents.factory import default_subagent_factory
from hello_agents.agents.plan_solve_agent import PlanSolveAgent
from hello_agents.core.action import Request
from hello_agents.core.budgets import elapsed, tree_steps
from hello_agents.core.exceptions import ConfigException
from hello_agents.core.journal import dump_journal, load_journal
from hello_agents.core.loop import Loop, drive
from hello_agents.core.prices import price_of, priced
from hello_agents.core.run import Delta, Limits, Noted, Replied, Run, Told, evolve
from hello_agents.tools.builtin.task_tool import TaskTool

PRICES = {"dear": (1000.0, 2000.0), "cheap": (1.0, 2.0, 0.5)}
REPLY = Usage(7, 3)
"""What each reply of the scripted trees takes."""


def add(a: int, b: int) -> int:
    """Adds."""
    return a + b


@dataclass(frozen=True)
class Node:
    """What one run of a tree says: for each of its steps how many sums and which children it calls for."""

    steps: tuple[tuple[int, tuple[Node, ...]], ...] = ()


NODES = st.recursive(
    st.builds(Node, st.lists(st.tuples(st.integers(1, 2), st.just(())), max_size=3).map(tuple)),
    lambda below: st.builds(
        Node, st.lists(st.tuples(st.integers(0, 1), st.lists(below, max_size=3).map(tuple)), max_size=3).map(tuple)
    ),
    max_leaves=12,
)


@dataclass
class Tree:
    """A model that plays a tree: the frame that asks says which node it is."""

    root: Node
    asked: list[str] = field(default_factory=list)

    def stream(self, request: Request) -> Iterator[Delta | Replied]:
        frame, step = request.at
        self.asked.append(frame)
        node = self.root
        for part in frame.split("/") if frame else ():
            at, child = map(int, part.removeprefix("t").split("-"))
            node = node.steps[at][1][child]
        calls: list[ToolCall] = []
        if step < len(node.steps) and request.tool_choice != "none":
            sums, below = node.steps[step]
            calls = [ToolCall(f"s{step}-{n}", "add", {"a": step, "b": n}) for n in range(sums)]
            more = {"agent_type": "simple", "max_steps": 50}
            calls += [ToolCall(f"t{step}-{n}", "Task", {"task": "x", **more}) for n in range(len(below))]
        yield Replied(Message(None if calls else "done", "assistant", tool_calls=tuple(calls)), REPLY, "dear")

    async def astream(self, request: Request) -> AsyncIterator[Delta | Replied]:
        for event in self.stream(request):
            yield event


def team(model: Any, **config: Any) -> SimpleAgent:
    tools = ToolRegistry()
    tools.register_function(add)
    settings = Config(max_repeated_calls=None, subagent_max_depth=10, **config)
    tools.register_tool(TaskTool(lambda pattern: default_subagent_factory(pattern, model, tools, settings)))
    return SimpleAgent("lead", model, tool_registry=tools, config=settings, max_tool_iterations=50)


COST = (REPLY.prompt_tokens * 1000 + REPLY.completion_tokens * 2000) / 1_000_000


@settings(max_examples=examples(60), deadline=None)
@given(NODES, st.sampled_from(["tokens", "steps", "cost"]), st.integers(0, 25), st.booleans())
def test_a_tree_goes_beyond_its_budget_by_at_most_two_replies_a_run(
    root: Node, kind: str, replies: int, awaited: bool
) -> None:
    model = Tree(root)
    budget: dict[str, Any] = {
        "tokens": {"max_tokens": replies * REPLY.total_tokens},
        "steps": {"max_total_steps": replies},
        "cost": {"max_cost": replies * COST},
    }[kind]
    agent = team(model, prices=PRICES)
    if awaited:
        asyncio.run(agent.arun("go", **budget))
    else:
        agent.run("go", **budget)
    runs = [one for _, one in agent.state.frames]
    assert all(one.outcome is not None for one in runs)
    assert tree_steps(agent.state) == len(model.asked) == sum(one.steps for one in runs)
    assert agent.state.usage.total_tokens == len(model.asked) * REPLY.total_tokens
    assert agent.state.usage.cost == pytest.approx(len(model.asked) * COST)
    # Equal replies end exactly on the line or in the middle of one; the last one comes on top.
    assert len(model.asked) <= replies + 2 * len(runs)
    for one in runs:
        spent = one.usage.total_tokens, tree_steps(one), one.usage.cost_nano
        allowed = one.limits.max_tokens, one.limits.max_total_steps, one.limits.max_cost
        below = sum(1 for _ in one.frames)
        units = REPLY.total_tokens, 1, round(COST * 1e9)
        for each, most, unit in zip(spent, allowed, units, strict=True):
            most = most if most is None or unit != units[2] else most * 1e9
            assert most is None or each <= most + 2 * below * unit + 1


@settings(max_examples=examples(25), deadline=None)
@given(NODES, st.integers(1, 20))
def test_a_budget_decides_the_same_when_replayed_stored_and_stepped(root: Node, replies: int) -> None:
    limits = {"max_total_steps": replies, "max_cost": replies * COST * 2}
    agent = team(Tree(root), prices=PRICES)
    agent.run("go", **limits)
    read = list(load_journal(dump_journal(agent.journal)))
    run = Run("lead")
    for entry in read:
        run = evolve(run, entry.event, entry.frame)
        assert Run.from_json(run.to_json()) == run
    assert run == agent.state
    debugger = team(Tree(root), prices=PRICES).steps("go", **limits)
    assert debugger.finish() == agent.state


def test_children_that_begin_together_share_and_later_ones_get_what_is_left() -> None:
    simple = {"agent_type": "simple"}
    model = ScriptedLLM(
        [ToolCall(f"t{n}", "Task", {"task": "x", **simple}) for n in range(3)],
        ToolCall("late", "Task", {"task": "y", **simple}),
        "done",
        frames={name: ["short"] for name in ("t0", "t1", "t2", "late")},
    )
    agent = team(model)
    agent.run("go", max_total_steps=31)
    children = agent.state.children
    assert [children[f"t{n}"].limits.max_total_steps for n in range(3)] == [10, 10, 10]
    assert children["late"].limits.max_total_steps == 31 - 2 - 3
    assert [one.limits.max_steps for one in children.values()] == [3] * 4


def test_without_a_share_no_child_begins_and_the_model_is_told() -> None:
    calls = [ToolCall(f"t{n}", "Task", {"task": "x", "agent_type": "simple"}) for n in range(3)]
    agent = team(ScriptedLLM(calls, "sorry"))
    assert agent.run("go", max_total_steps=1) == "sorry"
    assert agent.state.children == {}
    assert [m.metadata["code"] for m in agent.state.messages if m.role == "tool"] == ["NOT_RUN"] * 3
    assert agent.state.outcome is not None
    assert agent.state.outcome.reason == "max_total_steps"


@pytest.mark.parametrize("steps", [2, 3, 4])
def test_a_plan_stops_where_its_budget_does(steps: int) -> None:
    plan = ToolCall("p", "generate_plan", {"steps": [f"step {n}" for n in range(9)]})
    frames: dict[str, Any] = {f"execute-1/step-1-{n}": [f"part {n}"] for n in range(1, 10)}
    agent = PlanSolveAgent("plan", ScriptedLLM(frames=frames | {"plan-1": [plan]}))
    answer = agent.run("go", max_total_steps=steps)
    assert tree_steps(agent.state) == steps
    assert f"part {steps - 1}" in answer


@pytest.mark.parametrize(
    ("reason", "limits"),
    [("max_cost", {"max_cost": 2.5 * COST}), ("max_total_steps", {"max_total_steps": 2}), ("max_seconds", None)],
)
def test_a_used_up_budget_ends_in_one_request_without_tools(reason: str, limits: dict[str, Any] | None) -> None:
    asked: list[Request] = []

    class Seen(Tree):
        def stream(self, request: Request) -> Iterator[Delta | Replied]:
            asked.append(request)
            yield from super().stream(request)

    agent = team(Seen(Node(((1, ()),) * 9)), prices=PRICES)
    if limits is None:
        agent.run("go", max_seconds=0)
    else:
        agent.run("go", **limits)
    assert agent.state.outcome is not None
    assert agent.state.outcome.reason == reason
    assert [request.tool_choice for request in asked][-1] == "none"
    assert all(request.tool_choice == "auto" for request in asked[:-1])


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_model_is_told_when_little_is_left(language: str) -> None:
    told: list[str] = []

    class Seen(Tree):
        def stream(self, request: Request) -> Iterator[Delta | Replied]:
            told.append(request.messages[-1].text)
            yield from super().stream(request)

    agent = team(Seen(Node(((1, ()),) * 20)), language=language)
    agent.run("go", max_total_steps=10)
    assert [("10" if words == "go" else words[:2]) for words in told[:8]] == ["10", "0", "1", "2", "3", "4", "5", "6"]
    assert all("2" in told[8] and part in told[8] for part in ({"en": "requests", "zh": "请求次数"}[language],))


def test_time_is_what_the_loop_has_written_down() -> None:
    """A clock that goes on by a second at each look; the pause between two walks does not count."""
    ticks = count()
    agent = team(Tree(Node(((1, ()), (1, ()), (1, ()), (0, (Node(((1, ()),)),)), (1, ()), (1, ())))))
    limits = Limits(max_steps=50, max_seconds=1000)
    start = evolve(Run("lead"), Told(Message("go", "user"), limits))
    loop = Loop(agent, start, clock=lambda: float(next(ticks)))
    walk = drive(loop)
    seen = [next(walk)[1] for _ in range(8)]
    before = elapsed(seen[-1])
    assert before > 0
    assert sorted(map(elapsed, seen)) == list(map(elapsed, seen))
    later = count(10_000)
    again = Loop(agent, Run.from_json(seen[-1].to_json()), clock=lambda: float(next(later)))
    ends = [run for _, run in drive(again)]
    assert before < elapsed(ends[-1]) < 200
    (child,) = ends[-1].children.values()
    assert before < elapsed(child) < elapsed(ends[-1])
    assert child.limits.max_seconds == 1000


@pytest.mark.parametrize("seconds", [5, 9, 14])
def test_a_question_closes_when_its_time_is_up(seconds: float) -> None:
    ticks = count()
    agent = team(Tree(Node(((1, ()),) * 40)))
    start = evolve(Run("lead"), Told(Message("go", "user"), Limits(max_seconds=seconds)))
    entries = list(drive(Loop(agent, start, clock=lambda: float(next(ticks)))))
    end = entries[-1][1]
    assert end.outcome is not None
    assert end.outcome.reason == "max_seconds"
    replay = start
    for entry, run in entries:
        replay = evolve(replay, entry.event, entry.frame)
        assert replay == run
    # The note of the closing was decided by what was written down, so it is decided again from there.
    closing = next(
        i
        for i, (entry, _) in enumerate(entries)
        if entry.event == Noted("closing", {"reason": "max_seconds", "step": entries[i][1].steps})
    )
    assert agent.act(entries[closing - 1][1]) == entries[closing][0].event


def test_stepping_keeps_the_results_of_a_reply_together_when_time_is_written_down() -> None:
    agent = team(Tree(Node(((2, ()),))))
    debugger = agent.steps("go", max_seconds=1000)
    debugger.finish()
    seq = next(i for i, entry in enumerate(debugger.entries) if type(entry.event).__name__ == "Returned")
    debugger.edit(seq, debugger.entries[seq].event)
    assert len([m for m in debugger.run.messages if m.role == "tool"]) == 2


@pytest.mark.parametrize(
    ("model", "price"),
    [
        ("cheap", "cheap"),
        ("cheap-2026-01-31", "cheap"),
        ("cheap-latest", "cheap"),
        ("cheap-mini", "dear"),
        ("unknown", "dear"),
        (None, "dear"),
    ],
)
def test_a_model_has_its_price_and_an_unknown_one_the_dearest(model: str | None, price: str) -> None:
    assert price_of(model, PRICES) == PRICES[price]


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**6))
def test_cached_tokens_have_a_price_of_their_own(prompt: int, cached: int, completion: int) -> None:
    usage = Usage(prompt, completion, min(cached, prompt))
    old = usage.cached_tokens
    expected = ((prompt - old) * 1.0 + old * 0.5 + completion * 2.0) / 1_000_000
    assert priced(usage, "cheap", PRICES).cost == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("argument", [{"max_cost": 1.0}, {}])
def test_a_limit_in_money_needs_prices(argument: dict[str, Any]) -> None:
    agent = team(ScriptedLLM("x"), **({} if argument else {"max_total_cost": 1.0}))
    with pytest.raises(ConfigException, match="prices"):
        agent.run("go", **argument)
