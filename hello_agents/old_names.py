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


NOT_SERVED = {
    "TerminalTool": "A shell for a model is not part of this package. "
    "Use ReadTool, GlobTool and GrepTool of hello_agents.tools, which read and search inside one folder.",
    "PerceptualMemory": "Pictures and sounds are not understood here. "
    "Describe them in words, in an EpisodicMemory of hello_agents.memory.",
    "DocumentStore": "Use JsonLinesStore of hello_agents.memory, or an object with the methods of its MemoryStore.",
    "SQLiteDocumentStore": "Use JsonLinesStore of hello_agents.memory, or an object with the methods of MemoryStore.",
}
"""Names that are left out on purpose, and what to use instead."""


def check_served(name: str) -> None:
    """Raises `ImportError` for a name that is left out: Python tells its text also where `from … import` fails."""
    if name in NOT_SERVED:
        raise ImportError(f"There is no {name}. {NOT_SERVED[name]}", name=name)


def old_names(module: str, *names: str) -> Callable[[str], object]:
    """The `__getattr__` of a module that once had these names from elsewhere; they are imported when asked for."""

    def find(name: str) -> object:
        check_served(name)
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}", name=name, obj=sys.modules[module])
        value: object = vars(import_module(f"hello_agents.{_HOMES[name]}"))[name]
        return value

    return find
