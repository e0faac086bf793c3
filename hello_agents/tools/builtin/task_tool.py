"""TaskTool: a part of a task handed to a sub-agent, which works in a child run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from ...catalogue import text
from ...core.message import Message, Status, ToolCall
from ...core.run import Limits, Run, Told, evolve
from ...old_names import old_names
from ..base import Tool, ToolParameter
from ..errors import ToolErrorCode
from ..response import ToolResponse

if TYPE_CHECKING:
    from ...core.action import Model
    from ...core.agent import Agent
    from ...core.config import Config
    from ..registry import ToolRegistry
    from ..tool_filter import ToolFilter

PATTERNS = ("react", "simple", "reflection", "plan")
FILTERS = ("none", "readonly", "full")


class TaskTool(Tool):
    """Hands a part of the task to a sub-agent and gives back its answer.

    Inside the loop a call of it becomes a child run, which is saved, stepped into and limited like any other. Called
    as a plain tool, it runs the sub-agent to its end.
    """

    spawns = True

    def __init__(
        self,
        agent_factory: Callable[[str], Agent],
        tool_registry: ToolRegistry | None = None,
        config: Config | None = None,
        *,
        language: str = "en",
    ) -> None:
        super().__init__("Task", text("task.description", language))
        self.agent_factory = agent_factory
        self.tool_registry = tool_registry
        self.config = config
        self._language = language

    def get_parameters(self) -> list[ToolParameter]:
        task, pattern, tools, steps, names = (
            text(f"task.{key}", self._language) for key in ("task", "agent_type", "tool_filter", "max_steps", "tools")
        )
        return [
            ToolParameter("task", "string", task),
            ToolParameter("agent_type", "string", pattern, False, "react", enum=list(PATTERNS)),
            ToolParameter("tool_filter", "string", tools, False, "none", enum=list(FILTERS)),
            ToolParameter("max_steps", "integer", steps, False, None),
            ToolParameter("tools", "array", names, False, None, items={"type": "string"}),
        ]

    def run(self, parameters: dict[str, Any]) -> ToolResponse:
        from ..executor import misfit

        try:
            parameters = self.parameters.read(parameters)
        except ValueError as error:
            return misfit(self, error, self._language)
        agent = self.agent_factory(str(parameters.get("agent_type") or "react"))
        names = self._on_offer(parameters, agent.tools(agent.state).list_tools())
        agent.state = replace(agent.state, limits=replace(agent.state.limits, tools=names))
        if agent.tool_registry is not None:
            agent.tool_registry = agent.tool_registry.apart()
        limits = {"max_steps": parameters["max_steps"]} if parameters.get("max_steps") is not None else {}
        answer = agent.run(self._told(parameters, names), **limits)
        return ToolResponse.success(answer, data=summary_of(agent.state))

    def child(self, call: ToolCall, agent: Agent, names: list[str], parent: Run) -> Run:
        """The start of the child run for a call: the sub-agent's prompt, its task, its tools and its steps.

        Raises `ValueError` for arguments that do not fit.
        """
        arguments = self.parameters.read(call.arguments)
        offer = self._on_offer(arguments, names)
        limits = Limits(
            max_steps=arguments.get("max_steps") or agent.max_steps,
            max_repeats=parent.limits.max_repeats,
            max_calls_per_tool=parent.limits.max_calls_per_tool,
            max_failures=parent.limits.max_failures,
            tools=parent.limits.tools if offer is None else offer,
            depth=parent.limits.depth + 1,
        )
        run = Run(str(arguments.get("agent_type") or "react"))
        system = agent.system_text()
        if system:
            run = evolve(run, Told(Message(system, "system")))
        return evolve(run, Told(Message(self._told(arguments, offer), "user"), limits))

    def result(self, call: ToolCall, child: Run) -> Message:
        """What the parent is told when the child has ended."""
        reason = child.outcome.reason if child.outcome else ""
        status: Status = "success" if reason == "finished" else "partial"
        answer = child.answer or ""
        if status == "partial":
            answer = text("tool.partial", self._language, text=f"{answer} ({reason})")
        data = summary_of(child)
        return Message(answer, "tool", answers=call.id, status=status, metadata={"tool": call.name, "task": data})

    def refused(self, call: ToolCall, error: Exception) -> Message:
        """What the parent is told when no child could begin."""
        from ..executor import misfit
        from ..registry import result_text

        response = misfit(self, error, self._language)
        metadata = {"tool": call.name, "code": response.code or ToolErrorCode.INVALID_PARAM}
        return Message(
            result_text(response, self._language), "tool", answers=call.id, status="error", metadata=metadata
        )

    def _on_offer(self, arguments: Mapping[str, Any], names: list[str]) -> tuple[str, ...] | None:
        """The names of the tools that the sub-agent may use; `None`: all. Raises `ValueError` for an unknown one."""
        allowed = self._create_tool_filter(str(arguments.get("tool_filter") or "none"))
        wanted: list[str] | None = arguments.get("tools")
        for name in wanted or ():
            if name not in names:
                raise ValueError(text("task.tools.unknown", self._language, name=name))
        if allowed is None and wanted is None:
            return None
        kept = names if allowed is None else allowed.filter(names)
        return tuple(name for name in kept if wanted is None or name in wanted)

    def _told(self, arguments: Mapping[str, Any], offer: tuple[str, ...] | None) -> str:
        """The task as the sub-agent is told it."""
        task = str(arguments["task"])
        return task if offer is None or offer else f"{task}\n\n{text('task.no_tools', self._language)}"

    def _create_tool_filter(self, filter_type: str) -> ToolFilter | None:
        match filter_type:
            case "readonly":
                from ..tool_filter import ReadOnlyFilter

                return ReadOnlyFilter(["Thought", "Finish"])
            case "full":
                from ..tool_filter import FullAccessFilter

                return FullAccessFilter()
            case _:
                return None


def sub_agents_of(llm: Model, tool_registry: ToolRegistry | None, config: Config) -> TaskTool:
    """The Task tool of an agent with these settings: its sub-agents have its tools, and the light model if so set."""
    sub_config = replace_fields(config, max_steps=config.subagent_max_steps)

    def make(pattern: str) -> Agent:
        from ...agents.factory import default_subagent_factory

        tools = None if tool_registry is None else tool_registry.apart()
        return default_subagent_factory(pattern, model(), tools, sub_config)

    @cache
    def model() -> Model:
        if not config.subagent_use_light_llm:
            return llm
        from ...core.llm import HelloAgentsLLM

        return HelloAgentsLLM(config.subagent_light_llm_model, provider=config.subagent_light_llm_provider)

    return TaskTool(make, tool_registry, config, language=config.language)


def replace_fields(config: Config, **values: Any) -> Config:
    """The settings with some of them changed."""
    from ...core.config import Config

    return Config(**config.to_dict() | values)


def summary_of(run: Run) -> dict[str, Any]:
    """What a run cost and used, with those below it: its own steps, tokens, tools by name, and money if counted."""
    used = {call.name for _, one in run.frames for message in one.messages for call in message.tool_calls}
    cost = {} if run.limits.prices is None else {"cost": run.usage.cost}
    return cost | {
        "steps": run.steps,
        "tokens": run.usage.total_tokens,
        "tools": sorted(used),
        "reason": run.outcome.reason if run.outcome else "",
    }


if not TYPE_CHECKING:
    __getattr__ = old_names(
        __name__,
        "Agent",
        "Config",
        "CustomFilter",
        "FullAccessFilter",
        "HelloAgentsLLM",
        "ReadOnlyFilter",
        "ToolFilter",
    )
