"""Sub-agents: calls of Task become child runs, in every way of walking."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from hello_agents import Config, ReActAgent, ScriptedLLM, SimpleAgent, ToolCall, ToolRegistry, Waiting
from hello_agents.agents.factory import default_subagent_factory
from hello_agents.core.agent import Agent
from hello_agents.core.run import Judged, Run
from hello_agents.tools import ReadTool, WriteTool
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


# -- what a sub-agent has read is its own affair ------------------------------------------------------------------


def reads(id: str) -> ToolCall:
    return ToolCall(id, "Read", {"path": "a.txt"})


def writes(id: str, content: str) -> ToolCall:
    return ToolCall(id, "Write", {"path": "a.txt", "content": content})


def workers(folder: Path, model: Any, made_by: str) -> Agent:
    """A lead with file tools, whose sub-agents share its registry as readers of the tutorial write it."""
    tools = ToolRegistry()
    for kind in (ReadTool, WriteTool):
        tools.register_tool(kind(folder, registry=tools))
    if made_by == "config":
        return SimpleAgent("lead", model, None, Config(subagent_enabled=True), tools, max_tool_iterations=9)
    registry = None if made_by == "factory" else tools
    tools.register_tool(TaskTool(lambda pattern: default_subagent_factory(pattern, model, registry)))
    return SimpleAgent("lead", model, tool_registry=tools, max_tool_iterations=9)


def results(run: Run) -> list[str | None]:
    """How the calls of a run went: the code of each failure."""
    return [message.metadata.get("code") for message in run.messages if message.role == "tool"]


MADE_BY = pytest.mark.parametrize("made_by", ["config", "factory", "factory with the lead's registry"])


@MADE_BY
@pytest.mark.parametrize("awaited", [False, True])
def test_what_a_child_wrote_the_parent_has_not_read(made_by: str, awaited: bool, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old", encoding="utf-8")
    work = task("t", "change it", agent_type="simple")
    script = ScriptedLLM(
        reads("r"), work, writes("w", "lead"), "done", frames={"t": [reads("r"), writes("w", "child"), "changed"]}
    )
    lead = workers(tmp_path, script, made_by)
    assert (asyncio.run(lead.arun("go")) if awaited else lead.run("go")) == "done"
    assert results(lead.state) == [None, None, "CONFLICT"]
    assert results(lead.state.children["t"]) == [None, None]
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "child"


@MADE_BY
def test_what_one_child_wrote_its_sibling_has_not_read(made_by: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old", encoding="utf-8")
    both = [task(id, "change it", agent_type="simple") for id in ("t1", "t2")]
    frames = {
        "t1": [reads("r"), task("t3", "you", agent_type="simple"), writes("w", "first"), "1"],
        "t1/t3": [reads("r"), writes("w", "below"), "3"],
        "t2": [reads("r"), writes("w", "second"), "2"],
    }
    lead = workers(tmp_path, ScriptedLLM(both, "done", frames=frames), made_by)
    assert lead.run("go") == "done"
    assert results(lead.state.children["t1"])[-1] == "CONFLICT"
    assert results(lead.state.children["t2"]) == [None, None]


@MADE_BY
def test_a_child_that_waited_for_a_person_still_knows_what_it_has_read(made_by: str, tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("old", encoding="utf-8")
    frames = {"t": [reads("r"), writes("w", "child"), "tried"]}
    lead = workers(tmp_path, ScriptedLLM(task("t", "x", agent_type="simple"), "done", frames=frames), made_by)
    assert lead.tool_registry is not None
    write = lead.tool_registry.get_tool("Write")
    assert write is not None
    write.needs_approval = True
    with pytest.raises(Waiting):
        lead.run("go")
    file.write_text("somebody else", encoding="utf-8")
    assert lead.resume(Judged("w", True)) == "done"
    assert results(lead.state.children["t"]) == [None, "CONFLICT"]


def test_a_run_as_sub_agent_leaves_what_the_agent_has_read_alone(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old", encoding="utf-8")
    script = ScriptedLLM(reads("r"), "read")
    agent = workers(tmp_path, script, "config")
    assert agent.run_as_subagent("look")["success"]
    assert agent.tool_registry is not None
    assert agent.tool_registry.read_metadata() == {}


def test_a_task_tool_run_by_hand_keeps_what_was_read_to_itself(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old", encoding="utf-8")
    lead = workers(tmp_path, ScriptedLLM(reads("r"), "read"), "factory with the lead's registry")
    assert lead.tool_registry is not None
    answer = lead.tool_registry.execute_tool(
        "Task", {"task": "look", "agent_type": "simple", "tool_filter": "readonly"}
    )
    assert answer.text == "read"
    assert lead.tool_registry.read_metadata() == {}
