"""Agents: one way to decide a file."""

from typing import TYPE_CHECKING

from ..lazy import lazily

if TYPE_CHECKING:
    from .factory import create_agent, default_subagent_factory
    from .plan_solve_agent import PlanAndSolveAgent, PlanSolveAgent
    from .react_agent import ReActAgent
    from .reflection_agent import ReflectionAgent
    from .simple_agent import SimpleAgent

__all__ = [
    "PlanAndSolveAgent",
    "PlanSolveAgent",
    "ReActAgent",
    "ReflectionAgent",
    "SimpleAgent",
    "create_agent",
    "default_subagent_factory",
]

_HOMES = {
    "PlanAndSolveAgent": "plan_solve_agent",
    "PlanSolveAgent": "plan_solve_agent",
    "ReActAgent": "react_agent",
    "ReflectionAgent": "reflection_agent",
    "SimpleAgent": "simple_agent",
    "create_agent": "factory",
    "default_subagent_factory": "factory",
}
if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, _HOMES)
