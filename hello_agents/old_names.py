"""Old names: what code written for the tutorial's framework imports from modules that now have no use for it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module

_HOMES = {
    "Agent": "core.agent",
    "AgentEvent": "core.lifecycle",
    "Config": "core.config",
    "CustomFilter": "tools.tool_filter",
    "EventType": "core.lifecycle",
    "ExecutionContext": "core.lifecycle",
    "FullAccessFilter": "tools.tool_filter",
    "HelloAgentsLLM": "core.llm",
    "Message": "core.message",
    "ReadOnlyFilter": "tools.tool_filter",
    "SkillLoader": "skills.loader",
    "StreamEvent": "core.streaming",
    "StreamEventType": "core.streaming",
    "Tool": "tools.base",
    "ToolErrorCode": "tools.errors",
    "ToolFilter": "tools.tool_filter",
    "ToolRegistry": "tools.registry",
    "ToolStatus": "tools.response",
}


def old_names(module: str, *names: str) -> Callable[[str], object]:
    """The `__getattr__` of a module that once had these names from elsewhere; they are imported when asked for."""

    def find(name: str) -> object:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}", name=name, obj=sys.modules[module])
        value: object = vars(import_module(f"hello_agents.{_HOMES[name]}"))[name]
        return value

    return find
