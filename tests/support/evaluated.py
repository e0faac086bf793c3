"""Agents and checks for evaluations, as functions of a module, so that a pool of processes can be sent them."""

from __future__ import annotations

import os
from functools import partial

from hello_agents import CalculatorTool, Config, ReActAgent, ScriptedLLM, SimpleAgent, ToolCall, ToolRegistry
from hello_agents.core.agent import Agent
from hello_agents.core.run import Run
from hello_agents.evaluation import Task
from hello_agents.offline import OfflineLLM


def calculating(kind: type[Agent], max_steps: int = 6) -> Agent:
    registry = ToolRegistry()
    registry.register_tool(CalculatorTool())
    return kind("counter", OfflineLLM(), tool_registry=registry, config=Config(max_steps=max_steps))


def says(*replies: str | ToolCall | Exception) -> Agent:
    registry = ToolRegistry()
    registry.register_tool(CalculatorTool())
    return SimpleAgent("scripted", ScriptedLLM(*replies), tool_registry=registry, config=Config(max_steps=9))


def not_made() -> Agent:
    raise OSError("no such model")


class Dies(SimpleAgent):
    """Takes its process with it, as a segmentation fault would."""

    def decide(self, run: Run) -> None:
        os._exit(7)


def dying() -> Agent:
    return Dies("dies", OfflineLLM())


def holds(word: str, run: Run) -> bool:
    return word in (run.answer or "")


def raises(run: Run) -> bool:
    raise LookupError("no verdict")


SIMPLE = partial(calculating, SimpleAgent)
REACT = partial(calculating, ReActAgent)
SUMS = [
    Task(f"{a}+{b}", f"What is {a} + {b}?", partial(holds, str(a + b))) for a, b in ((2, 3), (12, 9), (100, 1), (7, 8))
]
