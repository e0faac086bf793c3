"""Faults on purpose come where real ones do, in both walks, and leave registry and model as they are."""

from __future__ import annotations

import asyncio

import pytest
from hello_agents.wire.arguments import read_arguments

from hello_agents import ReActAgent, ScriptedLLM, ToolCall, ToolRegistry
from hello_agents.core.agent import Agent
from hello_agents.tools.faults import Fault, Faults, cut_off

KINDS = ["failing", "slow", "garbled", "repeated"]


def add(a: int, b: int) -> int:
    """Adds."""
    return a + b


async def wait(a: int) -> str:
    """Waits."""
    return f"waited {a}"


def agent(faults: Faults) -> Agent:
    tools = ToolRegistry()
    tools.register_function(add)
    tools.register_function(wait)
    script = ScriptedLLM(
        [ToolCall("1", "add", {"a": 1, "b": 2}), ToolCall("2", "wait", {"a": 3})],
        ToolCall("3", "add", {"a": 4, "b": 5}),
        ToolCall("4", "Finish", {"answer": "done"}),
    )
    return ReActAgent("a", faults.model(script), faults.over(tools))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("times", [1, 2, None])
@pytest.mark.parametrize("tool", ["add", "wait"])
def test_both_walks_meet_the_same_faults(kind: str, times: int | None, tool: str) -> None:
    faults = [Faults({tool: Fault(kind, times)}) for _ in range(2)]  # pyright: ignore[reportArgumentType]
    one, other = (agent(each) for each in faults)
    one.run("go")
    asyncio.run(other.arun("go"))
    assert one.state == other.state
    results = [m for m in one.state.messages if m.role == "tool" and m.metadata["tool"] == tool]
    failed = [m for m in results if m.status == "error"]
    if kind == "repeated":
        assert len(results) > (1 if tool == "wait" else 2)
    else:
        assert len(failed) == min(times or 9, len(results))


def test_a_view_offers_the_same_tools_in_the_same_words() -> None:
    tools = ToolRegistry()
    tools.register_function(add)
    tools.register_function(wait)
    view = Faults({"add": Fault("failing")}).over(tools)
    assert view.list_tools() == tools.list_tools()
    assert view.schemas() == tools.schemas()
    assert tools.answer(ToolCall("1", "add", {"a": 1, "b": 2})).text == "3"
    assert view.answer(ToolCall("1", "add", {"a": 1, "b": 2})).metadata["code"] == "EXECUTION_ERROR"


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("arguments", [{}, {"a": 1}, {"text": "weiß 北京"}, {"a": [1, {"b": None}]}])
def test_cut_off_arguments_never_read_as_json(arguments: dict[str, object], language: str) -> None:
    read, fault = read_arguments(cut_off(arguments), language)
    assert (read, bool(fault)) == ({}, True)


def test_a_switch_may_be_turned_while_a_run_goes_on() -> None:
    faults = Faults()
    one = agent(faults)
    for entry, _ in one.walk("go"):
        if entry.seq == 3:
            faults.by_tool["add"] = Fault("slow")
    added = [m.status for m in one.state.messages if m.role == "tool" and m.metadata["tool"] == "add"]
    assert added == ["success", "error"] or added == ["error", "error"]


@pytest.mark.parametrize(("kind", "times"), [("rusty", None), ("slow", 0), ("slow", -1)])
def test_a_fault_that_makes_no_sense_is_refused(kind: str, times: int | None) -> None:
    with pytest.raises(ValueError, match=r"rusty|times"):
        Fault(kind, times)  # pyright: ignore[reportArgumentType]
