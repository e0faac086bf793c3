"""FunctionCallAgent: the agent of version 0.2.8 for native tool calls. Every agent here has those."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from ..core.action import Action, Model, Request
from ..core.config import Config
from ..core.run import Noted, Run
from .simple_agent import SimpleAgent

if TYPE_CHECKING:
    from ..tools.registry import ToolRegistry

CHOICE = "tool_choice"
"""The note's key: what a call of `run` chose."""


class FunctionCallAgent(SimpleAgent):
    """A `SimpleAgent` that can make the model use a tool.

    `default_tool_choice` is `auto`, `none`, `required`, the name of a tool, or OpenAI's dict that names one. A choice
    that makes the model call holds for the first request of a question; with it in all of them there would be no end.
    """

    kind: ClassVar[str] = "FunctionCall"

    def __init__(
        self,
        name: str,
        llm: Model,
        system_prompt: str | None = None,
        config: Config | None = None,
        tool_registry: ToolRegistry | None = None,
        enable_tool_calling: bool = True,
        default_tool_choice: str | Mapping[str, Any] = "auto",
        max_tool_iterations: int = 3,
    ) -> None:
        super().__init__(name, llm, system_prompt, config, tool_registry, enable_tool_calling, max_tool_iterations)
        self.default_tool_choice = default_tool_choice

    def run(
        self,
        input_text: str,
        *,
        max_tool_iterations: int | None = None,
        tool_choice: str | Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> str:
        """`Agent.run`; the two arguments hold for this question only."""
        if max_tool_iterations is not None:
            kwargs["max_steps"] = max_tool_iterations
        if self.state.notes.get(CHOICE) != tool_choice:
            self.record(Noted(CHOICE, tool_choice))
        return super().run(input_text, **kwargs)

    def decide(self, run: Run) -> Action:
        return super().decide(run)

    def request(self, run: Run) -> Request:
        request = super().request(run)
        choice = run.notes.get(CHOICE) or self.default_tool_choice
        if not request.tools or choice == "auto" or (run.steps > run.turn_step and choice != "none"):
            return request
        from ..core.llm_dicts import to_request

        return replace(request, tool_choice=to_request((), (), choice).tool_choice)
