"""Every agent, in every way of walking, with every kind of tool: the same journal."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support.journals import by_frame

from hello_agents.agents.plan_solve_agent import PlanSolveAgent
from hello_agents.agents.react_agent import ReActAgent
from hello_agents.agents.reflection_agent import ReflectionAgent
from hello_agents.agents.simple_agent import SimpleAgent
from hello_agents.core.agent import Agent
from hello_agents.core.message import Message, ToolCall
from hello_agents.core.run import Entry, Returned
from hello_agents.offline.scripted import ScriptedLLM
from hello_agents.tools.base import Tool, ToolParameter, tool_action
from hello_agents.tools.registry import ToolRegistry
from hello_agents.tools.response import ToolResponse

QUESTION = "Say a and b."


def function(text: str) -> str:
    """Gives it back."""
    return text


class Object(Tool):
    def __init__(self) -> None:
        super().__init__("tool", "Gives it back.")

    def get_parameters(self) -> list[ToolParameter]:
        return [ToolParameter("text", "string", "Any text.")]

    def run(self, parameters: dict[str, Any]) -> ToolResponse:
        return ToolResponse.success(parameters["text"], data={"length": len(parameters["text"])})


class Expandable(Tool):
    def __init__(self) -> None:
        super().__init__("things", "Has actions.", expandable=True)

    @tool_action("tool", "Gives it back.")
    def _say(self, text: str) -> str:
        return text

    @tool_action()
    def _other(self) -> str:
        """Does something else."""
        return "other"


async def awaited(text: str) -> str:
    """Gives it back."""
    await asyncio.sleep(0)
    return text


def failing(text: str) -> str:
    """Fails."""
    raise ValueError(f"not {text}")


async def slow(text: str) -> str:
    """Does not come back."""
    await asyncio.sleep(60)
    return text


def blocking(text: str) -> str:
    """Comes back when nobody waits any more."""
    OVER.wait(60)
    return text


@pytest.fixture(autouse=True)
def let_go() -> Iterator[None]:
    OVER.clear()
    yield
    OVER.set()


OVER = threading.Event()
"""Whether the test has ended."""

TOOLS: dict[str, tuple[Callable[[ToolRegistry], object], str, str]] = {
    "function": (lambda tools: tools.register_function(function, "tool"), "success", "a"),
    "object": (lambda tools: tools.register_tool(Object()), "success", "a"),
    "expanded action": (lambda tools: tools.register_tool(Expandable()), "success", "a"),
    "async": (lambda tools: tools.register_function(awaited, "tool"), "success", "a"),
    "failing": (lambda tools: tools.register_function(failing, "tool"), "error", "ValueError: not a"),
    "slow": (lambda tools: tools.register_function(slow, "tool", timeout=0.02), "error", "0.02 s"),
    "slow in a thread": (lambda tools: tools.register_function(blocking, "tool", timeout=0.02), "error", "0.02 s"),
}

AGENTS: dict[str, Callable[[ScriptedLLM, ToolRegistry], Agent]] = {
    "Simple": lambda llm, tools: SimpleAgent("agent", llm, "P", tool_registry=tools),
    "ReAct": lambda llm, tools: ReActAgent("agent", llm, tools),
    "Reflection": lambda llm, tools: ReflectionAgent("agent", llm, tool_registry=tools),
    "PlanSolve": lambda llm, tools: PlanSolveAgent("agent", llm, tool_registry=tools),
}


def model(kind: str) -> ScriptedLLM:
    """Calls the tool twice in one reply, wherever the agent works; then says `done`."""
    work = ([ToolCall("c1", "tool", {"text": "a"}), ToolCall("c2", "tool", {"text": "b"})], "done")
    match kind:
        case "Reflection":
            return ScriptedLLM(frames={"draft-1": work, "critique-1-1": ("no need for improvement",)})
        case "PlanSolve":
            plan = ToolCall("p", "generate_plan", {"steps": ["say both"]})
            return ScriptedLLM(frames={"plan-1": (plan,), "execute-1/step-1-1": work})
        case _:
            return ScriptedLLM(*work)


def ran(agent: Agent) -> tuple[str, list[Entry]]:
    return agent.run(QUESTION), agent.journal


def awaited_run(agent: Agent) -> tuple[str, list[Entry]]:
    return asyncio.run(agent.arun(QUESTION)), agent.journal


def streamed(agent: Agent) -> tuple[str, list[Entry]]:
    async def walk() -> str:
        events = [event async for event in agent.arun_stream(QUESTION)]
        return events[-1].data["result"]

    return asyncio.run(walk()), agent.journal


def stepped(agent: Agent) -> tuple[str, list[Entry]]:
    debugger = agent.steps(QUESTION)
    while debugger.next is not None:
        debugger.step()
    return debugger.run.answer or "", list(debugger.entries)


WALKS = {"run": ran, "arun": awaited_run, "arun_stream": streamed, "steps": stepped}


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("kind", AGENTS)
def test_every_walk_writes_the_same_journal(kind: str, tool: str) -> None:
    put, status, says = TOOLS[tool]
    journals: dict[str, Any] = {}
    for way, walk in WALKS.items():
        tools = ToolRegistry()
        put(tools)
        answer, journal = walk(AGENTS[kind](model(kind), tools))
        assert answer == "done", way
        journals[way] = by_frame(journal)
        results = {message.answers: message for message in results_of(journal)}
        assert set(results) - {"p"} == {"c1", "c2"}, way
        assert results["c1"].status == status, way
        assert says in results["c1"].text, way
    for way in WALKS:
        assert journals[way] == journals["run"], way


def results_of(journal: list[Entry]) -> list[Message]:
    return [entry.event.message for entry in journal if isinstance(entry.event, Returned)]
