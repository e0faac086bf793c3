"""Sub-agents: calls of Task become child runs, in every way of walking."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from hello_agents import ReActAgent, ScriptedLLM, SimpleAgent, ToolCall, ToolRegistry
from hello_agents.agents.factory import default_subagent_factory
from hello_agents.core.agent import Agent
from hello_agents.core.run import Run
from hello_agents.tools.builtin.task_tool import TaskTool


def add(a: int, b: int) -> int:
    """Adds."""
    return a + b


def task(id: str, words: str, **more: Any) -> ToolCall:
    return ToolCall(id, "Task", {"task": words, **more})


def team(model: Any, kind: type[Agent] = SimpleAgent) -> Agent:
    tools = ToolRegistry()
    tools.register_function(add)
    tools.register_tool(TaskTool(lambda pattern: default_subagent_factory(pattern, model)))
    return kind("lead", model, tool_registry=tools)


SCRIPT = (
    [task("t1", "1+2", agent_type="simple"), ToolCall("a", "add", {"a": 5, "b": 5}), task("t2", "3+4")],
    "3 and 7",
)
FRAMES = {
    "t1": [ToolCall("x", "add", {"a": 1, "b": 2}), "it is 3"],
    "t2": [ToolCall("y", "add", {"a": 3, "b": 4}), ToolCall("f", "Finish", {"answer": "7"})],
}


def script() -> ScriptedLLM:
    return ScriptedLLM(*SCRIPT, frames=FRAMES)


def test_tasks_are_child_runs_with_their_own_conversation() -> None:
    agent = team(script())
    assert agent.run("both?") == "3 and 7"
    assert [m.text for m in agent.state.messages if m.role == "tool"] == ["it is 3", "10", "7"]
    assert set(agent.state.children) == {"t1", "t2"}
    child = agent.state.children["t2"]
    assert [m.content for m in child.messages if m.role == "user"] == ["3+4"]
    assert child.limits.depth == 1
    told = next(m for m in agent.state.messages if m.answers == "t2").metadata["task"]
    assert told == {"steps": 2, "tokens": child.usage.total_tokens, "tools": ["Finish", "add"], "reason": "finished"}
    assert agent.tool_registry is not None
    assert agent.tool_registry.list_tools() == ["add", "Task"]


def test_awaited_children_run_side_by_side_and_end_the_same() -> None:
    async def together() -> Agent:
        both = asyncio.Barrier(2)

        class Together(ScriptedLLM):
            async def astream(self, request: Any) -> Any:
                if request.at[0] and request.at[1] == 0:
                    await asyncio.wait_for(both.wait(), 5)
                async for event in super().astream(request):
                    yield event

        agent = team(Together(*SCRIPT, frames=FRAMES))
        await agent.arun("both?")
        return agent

    plain = team(script())
    plain.run("both?")
    assert asyncio.run(together()).state == plain.state


@pytest.mark.parametrize(
    "arguments", [{}, {"task": "x", "agent_type": "wizard"}, {"task": "x", "max_steps": "many"}, {"tusk": "x"}]
)
def test_arguments_that_do_not_fit_are_told_to_the_model(arguments: dict[str, Any]) -> None:
    agent = team(ScriptedLLM(ToolCall("t", "Task", arguments), "sorry"))
    assert agent.run("go") == "sorry"
    result = next(m for m in agent.state.messages if m.role == "tool")
    assert result.status == "error"
    assert result.metadata["code"] == "INVALID_PARAM"
    assert agent.state.children == {}


def test_a_child_that_reaches_its_limit_is_a_partial_result() -> None:
    model = ScriptedLLM(
        task("t", "x", agent_type="simple", max_steps=1),
        "done",
        frames={"t": [ToolCall("x", "add", {"a": 1, "b": 2}), "as far as I got"]},
    )
    agent = team(model)
    agent.run("go")
    result = next(m for m in agent.state.messages if m.answers == "t")
    assert result.status == "partial"
    assert "as far as I got" in result.text
    assert "max_steps" in result.text


def test_a_child_is_stepped_saved_and_resumed_like_any_run() -> None:
    agent = team(script(), SimpleAgent)
    debugger = agent.steps("both?")
    debugger.step(3)
    assert debugger.run.focus == "t1"
    again = team(script())
    again.state = Run.from_json(debugger.run.to_json())
    assert again.resume() == "3 and 7"
    debugger.finish()
    assert debugger.run == again.state


def test_a_task_as_a_plain_tool_runs_to_its_end() -> None:
    agent = team(ScriptedLLM("three"))
    tool = agent.tools(agent.state).get_tool("Task")
    assert tool is not None
    assert tool.run({"task": "1+2", "agent_type": "simple"}).text == "three"


def test_react_delegates_too() -> None:
    model = ScriptedLLM(
        task("t", "1+2", agent_type="simple"), ToolCall("f", "Finish", {"answer": "3"}), frames={"t": ["it is 3"]}
    )
    tools = ToolRegistry()
    tools.register_tool(TaskTool(lambda pattern: default_subagent_factory(pattern, model)))
    agent = ReActAgent("lead", model, tools)
    assert agent.run("go") == "3"
