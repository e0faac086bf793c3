"""In Chinese, an agent says nothing in English: prompts, notices, prefixes of results, answers of its own."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Any

import pytest

from hello_agents import (
    Config,
    FunctionCallAgent,
    Message,
    PlanSolveAgent,
    ReActAgent,
    ReflectionAgent,
    ScriptedLLM,
    SimpleAgent,
    ToolAwareSimpleAgent,
    ToolCall,
    ToolRegistry,
    ToolResponse,
)
from hello_agents.catalogue import TEXTS
from hello_agents.core.agent import Agent
from hello_agents.core.run import Began, Judged, Replied

LEAST = 12
"""Characters in a row of an English text of the catalogue that cannot be there by chance."""


def pieces(language: str) -> dict[str, list[str]]:
    """The fixed parts of the texts of a language, by key: what stands between the places for values."""
    found: dict[str, list[str]] = {}
    for key, texts in TEXTS.items():
        parts = [part.strip() for part in re.split(r"\{[^{}]*\}", texts[language])]
        found[key] = [part for part in parts if len(part) >= (LEAST if language == "en" else 4)]
    return found


ENGLISH, CHINESE = pieces("en"), pieces("zh")


def said_in(parts: dict[str, list[str]], words: str) -> set[str]:
    """The keys of the texts that can be recognised in these words."""
    return {key for key, some in parts.items() if some and all(part in words for part in some)}


class Heard(ScriptedLLM):
    """A scripted model that keeps all that it is told, as one text."""

    def __init__(self, *replies: Any, frames: dict[str, list[Any]] | None = None) -> None:
        super().__init__(*replies, frames=frames)
        self.told = ""

    def _hear(self, request: Any) -> None:
        self.told += "\n".join([*(message.text for message in request.messages), *map(str, request.tools)])

    def stream(self, request: Any) -> Any:
        self._hear(request)
        return super().stream(request)

    async def astream(self, request: Any) -> Any:
        self._hear(request)
        async for event in super().astream(request):
            yield event


def tools() -> ToolRegistry:
    registry = ToolRegistry()

    def fails(n: int) -> str:
        """失败"""
        raise ValueError("坏了")

    def half(n: int) -> ToolResponse:
        """一半"""
        return ToolResponse.partial("一半")

    def nothing() -> None:
        """空"""

    for function in (fails, half, nothing):
        registry.register_function(function)
    return registry


CALLS = [
    ToolCall("1", "fails", {"n": 1}),
    ToolCall("2", "half", {"n": 1}),
    ToolCall("3", "nothing", {}),
    ToolCall("4", "halve", {}),
    ToolCall("5", "half", {"m": "x"}),
]
AGAIN = ToolCall("", "half", {"n": 7})
PLAN = ToolCall("p", "generate_plan", {"steps": ["第一步", "第二步"]})
ALL = Config(
    language="zh", todowrite_enabled=True, devlog_enabled=True, subagent_enabled=True, max_iterations_per_tool=5
)

KINDS: dict[str, Callable[[Any], Agent]] = {
    "simple": lambda model: SimpleAgent("a", model, None, ALL, tools(), max_tool_iterations=6),
    "function call": lambda model: FunctionCallAgent("a", model, None, ALL, tools(), max_tool_iterations=6),
    "tool aware": lambda model: ToolAwareSimpleAgent("a", model, None, ALL, tools(), max_tool_iterations=6),
    "react": lambda model: ReActAgent("a", model, tools(), None, ALL, max_steps=6),
    "reflection": lambda model: ReflectionAgent("a", model, None, ALL, tool_registry=tools()),
    "plan": lambda model: PlanSolveAgent("a", model, None, ALL, tool_registry=tools()),
}


TURN = [CALLS, AGAIN, AGAIN, "好", "好"]
FRAMES = {
    "reflection": {"draft-1": TURN, "critique-1-1": ["再写"], "redraft-1-1": TURN, "critique-1-2": ["无需改进"]},
    "plan": {"plan-1": [PLAN], "execute-1/step-1-1": TURN, "execute-1/step-1-2": TURN},
}


@pytest.mark.parametrize("awaited", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_turn_in_chinese_has_nothing_in_english_in_its_requests(kind: str, awaited: bool) -> None:
    model = Heard(CALLS, *[AGAIN] * 5, "好", frames=FRAMES.get(kind))
    agent = KINDS[kind](model)
    answer = asyncio.run(agent.arun("做吧")) if awaited else agent.run("做吧")
    everything = f"{model.told}\n{answer}\n" + "\n".join(
        message.text for _, run in agent.state.frames for message in run.messages
    )
    assert said_in(ENGLISH, everything) == set()
    # That it said something of each sort is what makes the line above worth anything.
    assert {"tool.error", "tool.partial", "tool.none", "task.description", "todo.description"} <= said_in(
        {**CHINESE, "tool.error": ["❌ 错误 ["], "tool.partial": ["⚠️ 部分成功"]}, everything
    )


def test_what_limits_say_is_in_chinese() -> None:
    model = Heard(*[AGAIN] * 9)
    agent = SimpleAgent("a", model, None, Config(language="zh"), tools(), max_tool_iterations=4)
    said = agent.run("做吧") + model.told
    assert said_in(ENGLISH, said) == set()
    assert {"limits.last_call", "limits.steps_left", "limits.repeated"} <= said_in(CHINESE, said)


def test_what_is_said_of_lost_refused_and_overtaken_calls_is_in_chinese() -> None:
    registry = tools()
    half = registry.get_tool("half")
    assert half is not None
    half.needs_approval = True
    model = Heard(ToolCall("c", "half", {"n": 1}), "好", ToolCall("d", "half", {"n": 2}), "好", "好")
    agent = SimpleAgent("a", model, None, Config(language="zh"), registry)
    with pytest.raises(Exception, match="approval"):
        agent.run("做吧")
    agent.resume(Judged("c", False))
    with pytest.raises(Exception, match="approval"):
        agent.run("再做")
    agent.run("算了")
    lost = SimpleAgent("b", Heard("", "好"), None, Config(language="zh"), tools())
    lost.add_message(Message("做吧", "user"))
    lost.record(Replied(Message(None, "assistant", tool_calls=(ToolCall("c", "half", {"n": 1}),))))
    lost.record(Began("c"))
    lost.resume()
    said = "\n".join(message.text for one in (agent, lost) for message in one.state.messages)
    assert said_in(ENGLISH, said) == set()
    assert {"call.interrupted", "call.superseded", "call.refused_why"} <= said_in(CHINESE, said)
