"""The tools that settings switch on: on offer with and without a registry, and only to who may use them."""

from __future__ import annotations

from typing import Any

import pytest

from hello_agents import Config, ReActAgent, ScriptedLLM, SimpleAgent, ToolRegistry
from hello_agents.agents.reflection_agent import ReflectionAgent
from hello_agents.core.agent import Agent

SWITCHES = {"todowrite_enabled": "TodoWrite", "devlog_enabled": "DevLog", "subagent_enabled": "Task"}


def offered(agent: Agent) -> list[str]:
    return [schema["function"]["name"] for schema in agent.request(agent.state).tools]


@pytest.mark.parametrize("registry", [None, ToolRegistry()], ids=["no registry", "an empty one"])
@pytest.mark.parametrize("kind", [SimpleAgent, ReActAgent])
@pytest.mark.parametrize("switch", SWITCHES)
def test_a_tool_that_is_switched_on_is_on_offer(switch: str, kind: Any, registry: ToolRegistry | None) -> None:
    agent = kind("a", ScriptedLLM(), config=Config(**{switch: True}), tool_registry=registry)
    assert SWITCHES[switch] in offered(agent)
    assert SWITCHES[switch] not in offered(kind("b", ScriptedLLM(), config=Config(), tool_registry=registry))


def test_an_agent_that_calls_no_tools_is_offered_none() -> None:
    config = Config(todowrite_enabled=True)
    assert SimpleAgent("a", ScriptedLLM(), config=config).has_tools()
    silent = SimpleAgent("b", ScriptedLLM(), config=config, enable_tool_calling=False)
    assert not silent.has_tools()
    assert offered(silent) == []
    reflection = ReflectionAgent("r", ScriptedLLM(), config=config)
    assert offered(reflection.members["worker"]) == ["TodoWrite"]
    assert offered(reflection.members["critic"]) == []
