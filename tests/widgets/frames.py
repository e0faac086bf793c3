"""Runs with children, one after the other and at the same time, and what else stands beside plain steps."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

from hello_agents.agents.react_agent import ReActAgent
from hello_agents.context.builder import ContextBuilder
from hello_agents.context.sources import FunctionSource
from hello_agents.core.config import Config
from hello_agents.core.debugger import Debugger
from hello_agents.core.message import ToolCall
from hello_agents.core.run import Run
from hello_agents.offline.scripted import ScriptedLLM
from hello_agents.tools.permissions import Policy, Rule
from widgets import demo

QUESTION = "What do two nights and the train cost, and is the hotel open in May?"

TASKS = (
    [
        ToolCall("t1", "Task", {"task": "Find the prices in notes/budget.md and add them up.", "max_steps": 4}),
        ToolCall("t2", "Task", {"task": "Find out when the hotel is open.", "tool_filter": "readonly"}),
    ],
    ToolCall("t3", "Finish", {"answer": "820 in all, and the hotel is open in May."}),
)
CHILDREN = {
    "t1": (
        ToolCall("a1", "Read", {"path": "notes/budget.md"}),
        ToolCall("a2", "Calculator", {"expression": "2 * 320 + 180"}),
        ToolCall("a3", "Finish", {"answer": "Two nights and the train cost 820."}),
    ),
    "t2": (
        ToolCall("b1", "Read", {"path": "notes/hotel.md"}),
        ToolCall("b2", "Finish", {"answer": "The hotel is open from April to October."}),
    ),
}


def family(**config: Any) -> ReActAgent:
    """An agent that hands two tasks over at once."""
    llm = ScriptedLLM(*TASKS, frames=CHILDREN)
    return ReActAgent("planner", llm, demo.registry(), config=Config(subagent_enabled=True, **config), max_steps=8)


def one_after_the_other() -> Debugger:
    steps = family().steps(QUESTION)
    steps.finish()
    return steps


def at_the_same_time() -> Debugger:
    """The same run as a loop that awaits records it: the children's steps come in turns."""
    agent = family()
    with ThreadPoolExecutor(1) as apart:  # A browser test has a running event loop of its own here.
        apart.submit(lambda: asyncio.run(agent.arun(QUESTION))).result()
    return Debugger(agent, Run("planner"), agent.journal)


def compacted() -> Debugger:
    """A conversation that is made shorter in its midst."""
    calls = [ToolCall(f"r{n}", "Read", {"path": f"notes/{n}.md"}) for n in range(6)]
    agent = demo.agent(*calls, "done", config=Config(memory_buffer_tokens=600, min_retain_rounds=1))
    steps = agent.steps(demo.QUESTION)
    steps.finish()
    return steps


def ruled() -> ReActAgent:
    """An agent with a rule that asks a person, and with budgets."""
    policy = Policy([Rule("Calculator", "ask", reason="Money is never worked out without a person.")])
    config = Config(max_total_steps=9, max_total_tokens=20_000, max_total_cost=0.5, prices={"scripted": (2.5, 10.0)})
    return demo.agent(permissions=policy, config=config)


def informed() -> ReActAgent:
    """An agent whose requests get a context that is built for the question."""
    knows = FunctionSource("handbook", lambda query: ["A night costs 320.", "The train is 180.", "Nothing else."])
    builder = ContextBuilder(sources=[knows], clock=lambda: datetime(2000, 1, 1, tzinfo=UTC))
    return demo.agent(context_builder=builder)
