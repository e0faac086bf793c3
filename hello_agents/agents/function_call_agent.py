"""FunctionCallAgent: the agent of version 0.2.8 for native tool calls. Every agent here has those."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from ..core.action import Action, Model, Request
from ..core.agent import Placed
from ..core.config import Config
from ..core.run import Noted, Run
from .simple_agent import SimpleAgent

if TYPE_CHECKING:
    from ..tools.registry import ToolRegistry

CHOICE = "tool_choice"
"""The note's key: what was chosen with a question, by the argument of this name."""
_MOST = "max_tool_iterations"


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
        """`Agent.run`; the two arguments hold for this question only. All other ways of asking take them, too."""
        return super().run(input_text, max_tool_iterations=max_tool_iterations, tool_choice=tool_choice, **kwargs)

    def _opening(self, text: str | None, kwargs: Mapping[str, Any], run: Run | None = None) -> list[Placed]:
        limits = {name: value for name, value in kwargs.items() if name not in (CHOICE, _MOST)}
        if kwargs.get(_MOST) is not None:
            limits["max_steps"] = kwargs[_MOST]
        opening = super()._opening(text, limits, run)
        choice = kwargs.get(CHOICE)
        if text is not None and (self.state if run is None else run).notes.get(CHOICE) != choice:
            opening.insert(0, ("", Noted(CHOICE, choice)))
        return opening

    def decide(self, run: Run) -> Action:
        return super().decide(run)

    def request(self, run: Run) -> Request:
        request = super().request(run)
        choice = run.notes.get(CHOICE) or self.default_tool_choice
        if not request.tools or choice == "auto" or (run.steps > run.turn_step and choice != "none"):
            return request
        from ..core.llm_dicts import to_request

        return replace(request, tool_choice=to_request((), (), choice).tool_choice)
