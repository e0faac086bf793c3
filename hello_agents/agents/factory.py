"""The factory: an agent by the name of its pattern."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from ..catalogue import text
from ..core.action import Model
from ..core.agent import Agent
from ..core.config import Config
from ..old_names import old_names

if TYPE_CHECKING:
    from ..tools.registry import ToolRegistry

PATTERNS = {
    "simple": "simple",
    "react": "react",
    "reflection": "reflection",
    "plan": "plan",
    "plan_solve": "plan",
    "plan_and_solve": "plan",
}
"""The names of the patterns, and the pattern each stands for."""


def create_agent(
    agent_type: str,
    name: str,
    llm: Model,
    tool_registry: ToolRegistry | None = None,
    config: Config | None = None,
    system_prompt: str | None = None,
) -> Agent:
    """An agent of the pattern `simple`, `react`, `reflection` or `plan`, with everything passed on.

    Raises `ValueError` naming the patterns for any other.
    """
    pattern = PATTERNS.get(agent_type.strip().lower().replace("-", "_").removesuffix("_agent"))
    match pattern:
        case "simple":
            from .simple_agent import SimpleAgent

            return SimpleAgent(name, llm, system_prompt, config, tool_registry)
        case "react":
            from .react_agent import ReActAgent

            return ReActAgent(name, llm, tool_registry, system_prompt, config)
        case "reflection":
            from .reflection_agent import ReflectionAgent

            return ReflectionAgent(name, llm, system_prompt, config, tool_registry=tool_registry)
        case "plan":
            from .plan_solve_agent import PlanSolveAgent

            return PlanSolveAgent(name, llm, system_prompt, config, tool_registry=tool_registry)
        case _:
            near = get_close_matches(agent_type, PATTERNS, n=1)
            hint = (
                f"Did you mean {near[0]!r}?" if near else f"Patterns are {', '.join(sorted(set(PATTERNS.values())))}."
            )
            raise ValueError(f"{agent_type!r} is no pattern of an agent. {hint}")


def default_subagent_factory(
    agent_type: str,
    llm: Model,
    tool_registry: ToolRegistry | None = None,
    config: Config | None = None,
) -> Agent:
    """An agent for a part of a task, named and prompted for its pattern."""
    prompt = _get_system_prompt_for_type(agent_type, config.language if config else "en")
    return create_agent(agent_type, f"subagent-{agent_type}", llm, tool_registry, config, prompt)


def _get_system_prompt_for_type(agent_type: str, language: str = "en") -> str:
    """What a sub-agent of this pattern is told to be."""
    pattern = PATTERNS.get(agent_type.strip().lower().replace("-", "_").removesuffix("_agent"), "simple")
    return text(f"subagent.{pattern}", language)


if not TYPE_CHECKING:
    __getattr__ = old_names(__name__, "HelloAgentsLLM")
