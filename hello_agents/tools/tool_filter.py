"""Tool filters: which tools of a registry are on offer, by name. `registry.view(allow=filter)` applies one.

A list that is not given means no restriction; an empty one means what it says.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, get_args

Mode = Literal["whitelist", "blacklist"]


def names_of(given: Iterable[str]) -> frozenset[str]:
    """The names in it; a text alone is one name and not its letters."""
    return frozenset((given,) if isinstance(given, str) else given)


class ToolFilter:
    """A choice of tools. A subclass defines `is_allowed`, or `filter`, or both."""

    def filter(self, all_tools: list[str]) -> list[str]:
        """The allowed names, in their order."""
        return [name for name in all_tools if self.is_allowed(name)]

    def is_allowed(self, tool_name: str) -> bool:
        if type(self).filter is ToolFilter.filter:
            raise NotImplementedError(f"{type(self).__name__} allows nothing and refuses nothing. Define `is_allowed`.")
        return tool_name in self.filter([tool_name])


class ReadOnlyFilter(ToolFilter):
    """Tools that only look: those of the library, and what `additional_allowed` names."""

    READONLY_TOOLS = frozenset(
        {"Glob", "GlobTool", "Grep", "GrepTool", "LS", "LSTool", "Read", "ReadTool", "Skill", "SkillTool"}
    )

    def __init__(self, additional_allowed: Iterable[str] | None = None) -> None:
        self.allowed_tools = self.READONLY_TOOLS.union(names_of(additional_allowed or ()))

    def is_allowed(self, tool_name: str) -> bool:
        return tool_name in self.allowed_tools


class FullAccessFilter(ToolFilter):
    """All tools but those that run commands, and what `additional_denied` names."""

    DENIED_TOOLS = frozenset({"Bash", "BashTool", "Execute", "ExecuteTool", "Terminal", "TerminalTool"})

    def __init__(self, additional_denied: Iterable[str] | None = None) -> None:
        self.denied_tools = self.DENIED_TOOLS.union(names_of(additional_denied or ()))

    def is_allowed(self, tool_name: str) -> bool:
        return tool_name not in self.denied_tools


class CustomFilter(ToolFilter):
    """Tools chosen by lists of names.

    `whitelist`: those allowed (`None`: all, `[]`: none) without those denied. `blacklist`: all without those denied.
    """

    def __init__(
        self, allowed: Iterable[str] | None = None, denied: Iterable[str] | None = None, mode: str = "whitelist"
    ) -> None:
        if mode not in get_args(Mode):
            raise ValueError(f"{mode!r} is not a mode of CustomFilter. Use one of {', '.join(get_args(Mode))}.")
        self.mode = mode
        self.allowed = None if allowed is None else names_of(allowed)
        self.denied = names_of(denied or ())

    def is_allowed(self, tool_name: str) -> bool:
        if tool_name in self.denied:
            return False
        return self.mode == "blacklist" or self.allowed is None or tool_name in self.allowed
