"""What a sub-agent gets: its tools, its depth and its own memory; and what its parent is told of it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from hello_agents import Config, ScriptedLLM, SimpleAgent, ToolCall, ToolRegistry
from hello_agents.core.action import Request
from hello_agents.tools.builtin.task_tool import TaskTool
from hello_agents.tools.builtin.todowrite_tool import TodoWriteTool


def look(path: str = "") -> str:
    """Looks."""
    return f"saw {path}"


def change(path: str = "") -> str:
    """Changes."""
    raise OSError(path)


class Seen(ScriptedLLM):
    """Keeps the names of the tools that each frame was offered."""

    def __init__(self, *script: Any, **frames: Any) -> None:
        super().__init__(*script, frames=frames)
        self.offered: dict[str, list[str]] = {}
        self.told: dict[str, str] = {}

    def stream(self, request: Request) -> Any:
        frame, _ = request.at
        self.offered.setdefault(frame, sorted(tool["function"]["name"] for tool in request.tools))
        self.told.setdefault(frame, request.messages[-1].text)
        yield from super().stream(request)


def lead(model: Any, **config: Any) -> SimpleAgent:
    tools = ToolRegistry()
    tools.register_function(look, name="Read")
    tools.register_function(change, name="change")
    settings = Config(subagent_enabled=True, **config)
    return SimpleAgent("lead", model, tool_registry=tools, config=settings)


def task(id: str = "t", **more: Any) -> ToolCall:
    return ToolCall(id, "Task", {"task": "do it", "agent_type": "simple", **more})


@pytest.mark.parametrize(
    ("arguments", "offered"),
    [
        ({}, ["Read", "Task", "change"]),
        ({"tools": None}, ["Read", "Task", "change"]),
        ({"tools": ["change"]}, ["change"]),
        ({"tools": ["Read", "change"], "tool_filter": "readonly"}, ["Read"]),
        ({"tool_filter": "readonly"}, ["Read"]),
        ({"tool_filter": "full"}, ["Read", "Task", "change"]),
        ({"tools": []}, []),
    ],
)
def test_no_list_means_all_of_the_parents_tools_and_an_empty_one_none(
    arguments: dict[str, Any], offered: list[str]
) -> None:
    model = Seen(task(**arguments), "done", t=["child"])
    agent = lead(model)
    assert agent.run("go") == "done"
    assert model.offered["t"] == offered
    assert ("no tools" in model.told["t"]) == (not offered)
    assert agent.tool_registry is not None
    assert agent.tool_registry.list_tools() == ["Read", "change"]


def test_a_filter_holds_for_grandchildren_too() -> None:
    model = Seen(task(tools=["Read", "Task"]), "done", **{"t": [task("u"), "child"], "t/u": ["grandchild"]})
    assert lead(model).run("go") == "done"
    assert model.offered["t/u"] == ["Read", "Task"]


@pytest.mark.parametrize("names", [["Raed"], ["Read", "nothing"]])
def test_a_tool_that_is_not_there_cannot_be_handed_on(names: list[str]) -> None:
    agent = lead(ScriptedLLM(task(tools=names), "sorry"))
    assert agent.run("go") == "sorry"
    result = next(m for m in agent.state.messages if m.role == "tool")
    assert result.metadata["code"] == "INVALID_PARAM"
    assert names[-1] in result.text
    assert agent.state.children == {}


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_task_is_on_offer_down_to_the_depth_limit_and_refused_below_it(depth: int) -> None:
    paths = ["/".join("t" * n) for n in range(1, depth + 1)]
    model = Seen(task(), "done", **{path: [task(), "back"] for path in paths})
    agent = lead(model, subagent_max_depth=depth)
    assert agent.run("go") == "done"
    frames = dict(agent.state.frames)
    assert list(frames) == ["", *paths]
    assert ["Task" in model.offered[path] for path in ["", *paths]] == [True] * depth + [False]
    (refused,) = (m for m in frames[paths[-1]].messages if m.role == "tool")
    assert refused.metadata["code"] == "NOT_FOUND"


def todos(name: str) -> ToolCall:
    return ToolCall(name, "TodoWrite", {"summary": name, "todos": [{"content": name, "status": "pending"}]})


@pytest.mark.parametrize("registered", [True, False])
@pytest.mark.parametrize("awaited", [True, False])
def test_each_run_has_a_todo_list_of_its_own(registered: bool, awaited: bool) -> None:
    script = ([todos("mine"), task("a"), task("b")], ToolCall("end", "TodoWrite", {"action": "update"}), "done")
    frames = {name: [todos(name), ToolCall("x", "TodoWrite", {"action": "update"}), "child"] for name in "ab"}
    agent = lead(Seen(*script, **frames), todowrite_enabled=not registered)
    tool = TodoWriteTool()
    if registered:
        assert agent.tool_registry is not None
        agent.tool_registry.register_tool(tool)
    assert (asyncio.run(agent.arun("go")) if awaited else agent.run("go")) == "done"
    own = {frame or "mine": run for frame, run in agent.state.frames}
    for name, run in own.items():
        last = [m.text for m in run.messages if m.metadata.get("tool") == "TodoWrite"][-1]
        assert name in last
        assert not any(other in last.replace("TodoWrite", "") for other in own if other != name and len(other) > 1)
    if registered:
        assert [item.content for item in tool.current_todos.todos] == ["mine"]


def test_a_todo_list_is_there_after_the_child_was_waited_for() -> None:
    from hello_agents import Waiting
    from hello_agents.core.run import Judged

    model = Seen(
        task("a"),
        "done",
        a=[todos("first"), ToolCall("w", "pay", {}), ToolCall("x", "TodoWrite", {"action": "update"}), "child"],
    )
    agent = lead(model, todowrite_enabled=True)
    assert agent.tool_registry is not None
    agent.tool_registry.register_function(look, name="pay", needs_approval=True)
    with pytest.raises(Waiting):
        agent.run("go")
    assert agent.resume(Judged("w", True)) == "done"
    child = agent.state.children["a"]
    assert "first" in next(m.text for m in child.messages if m.answers == "x")


def test_the_parent_is_told_what_the_whole_child_cost_and_used() -> None:
    model = Seen(
        task(),
        "done",
        **{"t": [[ToolCall("r", "Read", {}), task("u")], "child"], "t/u": [ToolCall("c", "change", {}), "grand"]},
    )
    agent = lead(model, prices={"scripted": (1.0, 2.0)})
    agent.run("go")
    told = next(m for m in agent.state.messages if m.role == "tool").metadata["task"]
    child = agent.state.children["t"]
    assert told["tools"] == ["Read", "Task", "change"]
    assert told["tokens"] == child.usage.total_tokens > child.children["u"].usage.total_tokens > 0
    assert told["cost"] == child.usage.cost > 0
    assert told["steps"] == 2


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({}, "task is missing"),
        ({"task": "look", "agent_type": "clever"}, 'got "clever"'),
        ({"task": "look", "tool_filter": "some"}, 'got "some"'),
    ],
)
def test_the_tool_called_by_hand_answers_to_arguments_that_do_not_fit(arguments: dict[str, Any], why: str) -> None:
    response = TaskTool(lambda pattern: SimpleAgent(pattern, ScriptedLLM("seen"))).run(arguments)
    assert response.code == "INVALID_PARAM"
    assert why in response.text
