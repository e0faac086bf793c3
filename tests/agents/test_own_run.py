"""Agents with a `run` of their own: awaited, streamed, stepped, as children; and agents asked apart."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from hello_agents.agents.simple_agent import SimpleAgent
from hello_agents.core.agent import Agent
from hello_agents.core.config import Config
from hello_agents.core.message import Message, ToolCall
from hello_agents.core.run import Noted, Run
from hello_agents.core.streaming import StreamEventType
from hello_agents.offline.scripted import ScriptedLLM
from hello_agents.tools.builtin.task_tool import TaskTool
from hello_agents.tools.registry import ToolRegistry
from hello_agents.tools.tool_filter import CustomFilter


class Own(Agent):
    def run(self, input_text: str, **kwargs: Any) -> str:
        if input_text == "fail":
            raise ValueError("this question is too hard")
        self.add_message(Message(input_text, "user"))
        answer = f"{len(self.get_history())}: {input_text[::-1]}"
        self.add_message(Message(answer, "assistant"))
        return answer


class OwnInTheLine(SimpleAgent):
    """Its `decide` is there, from above, and does not speak for its `run`."""

    def run(self, input_text: str, **kwargs: Any) -> str:
        return Own.run(self, input_text, **kwargs)  # type: ignore[arg-type]


class Wrapping(SimpleAgent):
    def run(self, input_text: str, **kwargs: Any) -> str:
        return super().run(input_text, **kwargs).upper()


own = pytest.mark.parametrize("kind", [Own, OwnInTheLine])


@own
def test_every_way_of_asking_goes_through_its_run(kind: type[Agent]) -> None:
    agents = [kind("own", ScriptedLLM()) for _ in range(4)]
    assert agents[0].run("abc") == "1: cba"
    assert asyncio.run(agents[1].arun("abc")) == "1: cba"
    assert list(agents[2].stream_run("abc")) == ["1: cba"]

    async def stream() -> list[Any]:
        return [event async for event in agents[3].arun_stream("abc")]

    events = asyncio.run(stream())
    assert [event.type for event in events] == [
        StreamEventType.AGENT_START,
        StreamEventType.LLM_CHUNK,
        StreamEventType.AGENT_FINISH,
    ]
    assert events[-1].data["result"] == "1: cba"
    for agent in agents:
        assert agent.journal == agents[0].journal
        assert agent.state == agents[0].state
        assert not agent.subscribers


@own
def test_its_errors_reach_the_caller_and_the_hook(kind: type[Agent]) -> None:
    told: list[str] = []

    async def note(event: Any) -> None:
        told.append(event.type.value)

    agent = kind("own", ScriptedLLM())
    with pytest.raises(ValueError, match="too hard"):
        asyncio.run(agent.arun("fail", on_error=note, on_finish=note))
    assert told == ["agent_error"]
    assert not agent.subscribers


@own
def test_hooks_that_fail_are_noted(kind: type[Agent]) -> None:
    async def broken(event: Any) -> None:
        raise RuntimeError("no")

    agent = kind("own", ScriptedLLM())
    assert asyncio.run(agent.arun("abc", on_start=broken, on_finish=broken)) == "1: cba"
    noted = [entry.event for entry in agent.journal if isinstance(entry.event, Noted)]
    assert [note.key for note in noted] == ["hook_error", "hook_error"]
    assert [entry.seq for entry in agent.journal] == list(range(len(agent.journal)))


@own
def test_a_debugger_sees_one_question_and_one_reply_and_leaves_the_agent_alone(kind: type[Agent]) -> None:
    agent = kind("own", ScriptedLLM())
    agent.run("abc")
    before = agent.state
    debugger = agent.steps("def")
    assert debugger.next is not None
    debugger.finish()
    assert debugger.run.answer == "3: fed"
    assert agent.state is before


@own
def test_what_it_has_done_can_be_looked_at(kind: type[Agent]) -> None:
    agent = kind("own", ScriptedLLM())
    assert agent.steps().next is not None
    agent.run("abc")
    debugger = agent.steps()
    assert len(debugger.entries) == 2
    debugger.back(9)
    debugger.finish()
    assert debugger.run.answer == "1: cba"


@own
def test_it_is_walked_by_what_it_records(kind: type[Agent]) -> None:
    agents = [kind("own", ScriptedLLM()) for _ in range(2)]

    async def walk() -> list[Any]:
        return [record async for record in agents[1].awalk("abc")]

    assert list(agents[0].walk("abc")) == asyncio.run(walk())
    assert agents[0].state == agents[1].state
    assert TaskTool(lambda pattern: kind("own", ScriptedLLM())).run({"task": "abc"}).text == "1: cba"


@own
def test_as_a_sub_agent_it_is_one_reply(kind: type[Agent]) -> None:
    llm = ScriptedLLM(ToolCall("t1", "Task", {"task": "abc"}), "done")
    parents = [SimpleAgent("parent", llm, tool_registry=ToolRegistry()) for _ in range(2)]
    for parent in parents:
        assert parent.tool_registry is not None
        parent.tool_registry.register_tool(TaskTool(lambda pattern: kind("own", llm)))
    assert parents[0].run("go") == "done"
    assert parents[0].state.children["t1"].answer == "1: cba"
    assert asyncio.run(parents[1].arun("go")) == "done"
    assert parents[1].state == parents[0].state


def test_one_that_wraps_the_librarys_run_is_told_of_its_steps() -> None:
    told: list[str] = []

    async def note(event: Any) -> None:
        told.append(event.type.value)

    tools = ToolRegistry()
    tools.register_function("echo", "Gives it back.", lambda text: text)
    agent = Wrapping("wrap", ScriptedLLM(ToolCall("c", "echo", {"text": "x"}), "done"), tool_registry=tools)
    assert asyncio.run(agent.arun("go", on_step=note, on_tool_call=note)) == "DONE"
    assert told == ["step_finish", "tool_call", "step_finish"]
    stepped = agent.steps("go")
    stepped.finish()
    assert stepped.run.answer == "DONE"


def test_a_run_that_only_calls_that_of_the_base_is_told_what_is_missing() -> None:
    class Empty(Agent):
        def run(self, input_text: str, **kwargs: Any) -> str:
            return super().run(input_text, **kwargs)

    agent = Empty("empty", ScriptedLLM("x"))
    for ask in (agent.run, lambda text: agent.steps(text).finish()):
        with pytest.raises(NotImplementedError, match="Empty has no `decide`"):
            ask("hello")


def test_asked_apart_it_keeps_its_conversation_and_has_only_the_allowed_tools() -> None:
    tools = ToolRegistry()
    for name in ("yes", "no"):
        tools.register_function(name, "Says so.", lambda text: text)
    llm = ScriptedLLM(ToolCall("c", "no", {"text": "x"}), "done")
    agent = SimpleAgent("apart", llm, tool_registry=tools, config=Config(session_dir=None))
    told = agent.run_as_subagent("go", tool_filter=CustomFilter(allowed=["yes"], mode="whitelist"))
    assert told == {
        "success": True,
        "summary": "done",
        "metadata": {"steps": 2, "tokens": told["metadata"]["tokens"], "tools": ["no"], "reason": "finished"},
    }
    assert agent.state == Run("apart")
    assert agent.journal == []
    assert tools.list_tools() == ["yes", "no"]
    assert not agent.run_as_subagent("go", max_steps_override=1)["success"]
    failed = SimpleAgent("failing", ScriptedLLM(ValueError("no model"))).run_as_subagent("go", return_summary=False)
    assert not failed["success"]
    assert failed["error"] == "ValueError: no model"
    assert failed["result"] == ""
