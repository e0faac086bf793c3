"""ReActAgent: the tool loop with thinking and finishing as tools.

Source of the pattern: Yao et al., *ReAct: Synergizing Reasoning and Acting in Language Models*, 2022.
There, thoughts and actions are text to be parsed; here they are calls, so that nothing is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ..catalogue import text
from ..core.action import Action, Model
from ..core.agent import Agent
from ..core.config import Config
from ..core.run import Run, Stopped
from ..old_names import old_names
from ..tools.base import Tool, ToolParameter
from ..tools.response import ToolResponse
from .tool_loop import tool_loop

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..core.contexts import Builder
    from ..tools.permissions import Policy
    from ..tools.registry import ToolRegistry


class ThoughtTool(Tool):
    """Thinking as a tool: it changes nothing, and its text stays in the conversation."""

    inert = True

    def __init__(self, language: str = "en") -> None:
        super().__init__("Thought", text("react.thought", language))
        self._language = language

    def get_parameters(self) -> list[ToolParameter]:
        return [ToolParameter("reasoning", "string", text("react.thought.reasoning", self._language))]

    def run(self, parameters: dict[str, Any]) -> ToolResponse:
        return ToolResponse.success(text("react.reasoning", self._language, reasoning=parameters["reasoning"]))


class FinishTool(Tool):
    """Finishing as a tool: its argument is the answer. The agent stops on it."""

    inert = True

    def __init__(self, language: str = "en") -> None:
        super().__init__("Finish", text("react.finish", language))
        self._language = language

    def get_parameters(self) -> list[ToolParameter]:
        return [ToolParameter("answer", "string", text("react.finish.answer", self._language))]

    def run(self, parameters: dict[str, Any]) -> ToolResponse:
        return ToolResponse.success(parameters["answer"])


class ReActAgent(Agent):
    """Thinks, acts and observes in turns, until it calls Finish or answers in text."""

    kind: ClassVar[str] = "ReAct"

    def __init__(
        self,
        name: str,
        llm: Model,
        tool_registry: ToolRegistry | None = None,
        system_prompt: str | None = None,
        config: Config | None = None,
        max_steps: int = 5,
        custom_prompt: str | None = None,
        *,
        permissions: Policy | None = None,
        context_builder: Builder | None = None,
    ) -> None:
        """`custom_prompt` is a system prompt as a template: `{tools}` stands for the descriptions of the tools, and
        `{question}` and `{history}`, which a conversation has in its messages, for nothing."""
        super().__init__(
            name,
            llm,
            system_prompt,
            config,
            tool_registry,
            max_steps=max_steps,
            permissions=permissions,
            context_builder=context_builder,
        )
        self.custom_prompt = custom_prompt

    def decide(self, run: Run) -> Action:
        answer = None if run.pending else finished(run)
        if answer is not None:
            return Stopped("finished", answer)
        return tool_loop(run, lambda: self.request(run), self.asks, self.language)

    def system_text(self) -> str:
        if self.custom_prompt is not None:
            tools = self.tools(self.state).get_tools_description(self.language)
            prompt = self.custom_prompt.replace("{tools}", tools)
            return prompt.replace("{question}", "").replace("{history}", "").strip()
        return self.system_prompt or text("react.system", self.language)

    def pattern_tools(self) -> tuple[Tool, ...]:
        return (ThoughtTool(self.language), FinishTool(self.language))

    def add_tool(self, tool: Tool | Callable[..., Any]) -> None:
        """Puts a tool or a function into the agent's registry, making one if it has none."""
        if self.tool_registry is None:
            from ..tools.registry import ToolRegistry

            self.tool_registry = ToolRegistry()
        self.tool_registry.register_tool(tool)


def finished(run: Run) -> str | None:
    """The answer, when the last reply called Finish and the call went well."""
    at = run.messages.last_reply()
    if at is None:
        return None
    for position, call in enumerate(run.messages[at].tool_calls):
        if call.name == "Finish" and run.messages[at + 1 + position].status != "error":
            return str(call.arguments.get("answer", ""))
    return None


if not TYPE_CHECKING:
    __getattr__ = old_names(
        __name__,
        "AgentEvent",
        "EventType",
        "HelloAgentsLLM",
        "Message",
        "StreamEvent",
        "StreamEventType",
        "ToolErrorCode",
        "ToolRegistry",
        "ToolStatus",
    )
