"""SimpleAgent: the bare tool loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from ..core.action import Action, Model, Request
from ..core.agent import Agent
from ..core.config import Config
from ..core.run import Run
from ..old_names import old_names
from .tool_loop import tool_loop

if TYPE_CHECKING:
    from ..core.contexts import Builder
    from ..tools.base import Tool
    from ..tools.permissions import Policy
    from ..tools.registry import ToolRegistry


class SimpleAgent(Agent):
    """Asks the model, runs the calls it makes, and asks again, until a reply makes none."""

    kind: ClassVar[str] = "Simple"

    def __init__(
        self,
        name: str,
        llm: Model,
        system_prompt: str | None = None,
        config: Config | None = None,
        tool_registry: ToolRegistry | None = None,
        enable_tool_calling: bool = True,
        max_tool_iterations: int = 3,
        *,
        permissions: Policy | None = None,
        context_builder: Builder | None = None,
    ) -> None:
        super().__init__(
            name,
            llm,
            system_prompt,
            config,
            tool_registry,
            max_steps=max_tool_iterations,
            permissions=permissions,
            context_builder=context_builder,
        )
        self.enable_tool_calling = enable_tool_calling

    def decide(self, run: Run) -> Action:
        return tool_loop(run, lambda: self.request(run), self.asks, self.language)

    def request(self, run: Run) -> Request:
        if not self.enable_tool_calling:
            return Request(run.messages, at=("", run.steps))
        return super().request(run)

    def add_tool(self, tool: Tool | Callable[..., Any], auto_expand: bool = True) -> None:
        """Puts a tool or a function into the agent's registry, making one if it has none."""
        if self.tool_registry is None:
            from ..tools.registry import ToolRegistry

            self.tool_registry = ToolRegistry()
        self.tool_registry.register_tool(tool, auto_expand)

    def remove_tool(self, tool_name: str) -> bool:
        """Takes a tool out of the agent's registry. False when it has none of that name."""
        if self.tool_registry is None or tool_name not in self.tool_registry.list_tools():
            return False
        self.tool_registry.unregister(tool_name)
        return True

    def list_tools(self) -> list[str]:
        return [] if self.tool_registry is None else self.tool_registry.list_tools()

    def has_tools(self) -> bool:
        """Whether tools are on offer at all: those of the registry, or the agent's own, as its `config` has them."""
        return self.enable_tool_calling and bool(self.tools(self.state).schemas())


if not TYPE_CHECKING:
    __getattr__ = old_names(__name__, "HelloAgentsLLM", "Message", "StreamEvent", "StreamEventType")
