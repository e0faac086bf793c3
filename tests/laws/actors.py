"""Every kind of agent, and the scenarios that the laws are checked on. A new agent joins by one line in `AGENTS`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any

from hypothesis import strategies as st

from hello_agents.agents.plan_solve_agent import PlanSolveAgent
from hello_agents.agents.react_agent import ReActAgent
from hello_agents.agents.reflection_agent import ReflectionAgent
from hello_agents.agents.simple_agent import SimpleAgent
from hello_agents.agents.tool_loop import tool_loop
from hello_agents.context.builder import ContextBuilder
from hello_agents.context.sources import FunctionSource
from hello_agents.context.token_counter import TokenCounter
from hello_agents.core.action import Action
from hello_agents.core.agent import Agent
from hello_agents.core.config import Config
from hello_agents.core.message import Message, ToolCall
from hello_agents.core.run import Noted, Returned, Run, Spawned, Told, evolve
from hello_agents.offline.scripted import ScriptedLLM
from hello_agents.tools.base import Tool, ToolParameter
from hello_agents.tools.circuit_breaker import CircuitBreaker
from hello_agents.tools.permissions import Policy, Rule
from hello_agents.tools.registry import ToolRegistry
from hello_agents.tools.response import ToolResponse


class Delegator(Agent):
    """Hands every call of `delegate` to a child run of a worker: an agent of a reader's own, with one `decide`."""

    kind = "Delegator"

    def __init__(self, name: str, llm: Any, tool_registry: ToolRegistry) -> None:
        super().__init__(name, llm, "You delegate.", None, tool_registry, max_steps=6)
        worker = SimpleAgent("worker", llm, "You work.", tool_registry=tool_registry, max_tool_iterations=3)
        self.members["worker"] = worker

    def decide(self, run: Run) -> Action:
        for call in run.pending:
            if call.name != "delegate":
                continue
            child = run.children.get(call.id)
            if child is None:
                start = evolve(Run("worker"), Told(Message("You work.", "system")))
                return Spawned(call.id, evolve(start, Told(Message(str(call.arguments.get("task")), "user"))))
            if child.outcome is not None:
                return Returned(Message(child.answer, "tool", answers=call.id, status="success"))
        return tool_loop(run, lambda: self.request(run), self.asks, self.language)


class NoteTaker(Agent):
    """Writes a note before its first request: an agent whose decisions are events."""

    kind = "NoteTaker"

    def decide(self, run: Run) -> Action:
        if "seen" not in run.notes:
            return Noted("seen", len(run.messages))
        return tool_loop(run, lambda: self.request(run), self.asks, self.language)


def tight(**values: Any) -> Config:
    """A limit that a conversation of this size comes to at about its third message."""
    return Config(memory_buffer_tokens=tool_tokens() + 60, min_retain_rounds=1, summary_max_tokens=16, **values)


class Tight(SimpleAgent):
    """Has what is taken out summarised by the model, in a child run."""

    kind = "Tight"

    def __init__(self, name: str, llm: Any, tool_registry: ToolRegistry) -> None:
        config = tight(enable_smart_compression=True)
        super().__init__(name, llm, "Be brief.", config, tool_registry, max_tool_iterations=6)


def informed() -> ContextBuilder:
    """Builds a context from the conversation and a little knowledge, by a clock that stands still before all of it."""
    knows = FunctionSource("knows", lambda query: [f"{query} is known.", "Nothing else is known."])
    return ContextBuilder(sources=[knows], clock=lambda: datetime(2000, 1, 1, tzinfo=UTC))


class Bound(Delegator):
    """Has rules for its calls and a budget for its whole tree."""

    kind = "Bound"

    def __init__(self, name: str, llm: Any, tool_registry: ToolRegistry) -> None:
        super().__init__(name, llm, tool_registry)
        self.config = Config(
            max_total_steps=6, max_total_tokens=4000, max_total_cost=0.05, prices={"scripted": (2.5, 10.0)}
        )
        self.permissions = Policy([Rule("echo", "refuse", {"text": "*a*"}), Rule(("broken", "ad?"), "allow")])


@cache
def tool_tokens() -> int:
    return TokenCounter("").count_tools(registry().schemas())


@cache
def registry() -> ToolRegistry:
    """Tools that keep no state, so that all runs share them: functions, a Tool object, an async and a failing one."""
    # A circuit breaker is part of the world, as files are: it keeps what happened outside of the run, and a run that is
    # taken up elsewhere finds it closed.
    tools = ToolRegistry(CircuitBreaker(enabled=False))
    tools.register_function(add)
    tools.register_function(later)
    tools.register_function(broken)
    tools.register_function(delegate)
    tools.register_tool(Echo())
    return tools


def add(a: int, b: int) -> int:
    """Adds two whole numbers."""
    return a + b


async def later(text: str) -> str:
    """Gives a text back, a little later."""
    return text[::-1]


def broken(why: str) -> str:
    """Fails."""
    raise ValueError(why)


def delegate(task: str) -> str:
    """Gives a task to somebody else."""
    return f"nobody took {task}"


class Echo(Tool):
    def __init__(self) -> None:
        super().__init__("echo", "Gives a text back.")

    def get_parameters(self) -> list[ToolParameter]:
        return [ToolParameter("text", "string", "Any text.")]

    def run(self, parameters: dict[str, Any]) -> ToolResponse:
        return ToolResponse.partial(parameters["text"])


Make = Callable[[Any, ToolRegistry], Agent]

AGENTS: dict[str, Make] = {
    "Simple": lambda llm, tools: SimpleAgent("simple", llm, "Be brief.", tool_registry=tools, max_tool_iterations=4),
    "Simple without prompt": lambda llm, tools: SimpleAgent("bare", llm, tool_registry=tools),
    "ReAct": lambda llm, tools: ReActAgent("react", llm, tools, max_steps=4),
    "Delegator": lambda llm, tools: Delegator("delegator", llm, tools),
    "Reflection": lambda llm, tools: ReflectionAgent("reflection", llm, "P", max_iterations=2, tool_registry=tools),
    "PlanSolve": lambda llm, tools: PlanSolveAgent("plan", llm, "P", tool_registry=tools, max_tool_iterations=2),
    "NoteTaker": lambda llm, tools: NoteTaker("noter", llm, None, None, tools, max_steps=4),
    "With a context": lambda llm, tools: SimpleAgent(
        "informed", llm, "Be brief.", tool_registry=tools, max_tool_iterations=4, context_builder=informed()
    ),
    "Compacting by rule": lambda llm, tools: ReActAgent("short", llm, tools, config=tight(), max_steps=5),
    "Bound": lambda llm, tools: Bound("bound", llm, tools),
    "Compacting by model": lambda llm, tools: Tight("terse", llm, tools),
}


@dataclass(frozen=True)
class Scenario:
    """What the model will say, in the root frame and in every child's, and what the reader asks."""

    script: tuple[Any, ...]
    child: tuple[Any, ...]
    questions: tuple[str, ...]

    def model(self) -> Any:
        """A model that says the script, and after it the same closing text for as long as it is asked."""
        return Lasting(self)


class Lasting(ScriptedLLM):
    """A scripted model that never runs out: after its script it says `done`."""

    def __init__(self, scenario: Scenario) -> None:
        super().__init__()
        self._scenario = scenario

    def _reply(self, request: Any) -> Any:
        frame, step = request.at
        script = self._scenario.child if frame else self._scenario.script
        return script[step] if step < len(script) else f"done {step}"

    def stream(self, request: Any) -> Any:
        return ScriptedLLM(self._reply(request)).stream(_first(request))

    async def astream(self, request: Any) -> Any:
        async for event in ScriptedLLM(self._reply(request)).astream(_first(request)):
            yield event


def _first(request: Any) -> Any:
    from dataclasses import replace

    return replace(request, at=("", 0))


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=12)
IDS = st.sampled_from(["c1", "c2", "", "x/y"])
CALLS = st.one_of(
    st.builds(ToolCall, IDS, st.just("add"), st.fixed_dictionaries({"a": st.integers(0, 3), "b": st.integers(0, 3)})),
    st.builds(ToolCall, IDS, st.just("echo"), st.fixed_dictionaries({"text": TEXT})),
    st.builds(ToolCall, IDS, st.just("later"), st.fixed_dictionaries({"text": TEXT})),
    st.builds(ToolCall, IDS, st.just("broken"), st.fixed_dictionaries({"why": TEXT})),
    st.builds(ToolCall, IDS, st.just("delegate"), st.fixed_dictionaries({"task": TEXT})),
    st.builds(ToolCall, IDS, st.just("Thought"), st.fixed_dictionaries({"reasoning": TEXT})),
    st.builds(ToolCall, IDS, st.just("Finish"), st.fixed_dictionaries({"answer": TEXT})),
    st.builds(ToolCall, IDS, st.just("generate_plan"), st.fixed_dictionaries({"steps": st.lists(TEXT, max_size=2)})),
    st.builds(ToolCall, IDS, st.sampled_from(["ad", "add"]), st.just({}), st.sampled_from([None, "not valid JSON"])),
)
REPLIES = st.one_of(
    st.lists(CALLS, min_size=1, max_size=3), st.lists(CALLS, min_size=1, max_size=3), st.text(min_size=1)
)
SCENARIOS = st.builds(
    Scenario,
    st.lists(REPLIES, max_size=6).map(tuple),
    st.lists(REPLIES, max_size=4).map(tuple),
    st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=2).map(tuple),
)
