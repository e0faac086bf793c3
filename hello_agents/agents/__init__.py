"""Agents: one way to decide a file."""

from typing import TYPE_CHECKING

from ..lazy import lazily

if TYPE_CHECKING:
    from .factory import create_agent, default_subagent_factory
    from .function_call_agent import FunctionCallAgent
    from .plan_solve_agent import PlanAndSolveAgent, PlanSolveAgent
    from .react_agent import ReActAgent
    from .reflection_agent import ReflectionAgent
    from .simple_agent import SimpleAgent
    from .tool_aware_agent import ToolAwareSimpleAgent

__all__ = [
    "FunctionCallAgent",
    "PlanAndSolveAgent",
    "PlanSolveAgent",
    "ReActAgent",
    "ReflectionAgent",
    "SimpleAgent",
    "ToolAwareSimpleAgent",
    "create_agent",
    "default_subagent_factory",
]

_HOMES = {
    "FunctionCallAgent": "function_call_agent",
    "PlanAndSolveAgent": "plan_solve_agent",
    "PlanSolveAgent": "plan_solve_agent",
    "ReActAgent": "react_agent",
    "ReflectionAgent": "reflection_agent",
    "SimpleAgent": "simple_agent",
    "ToolAwareSimpleAgent": "tool_aware_agent",
    "create_agent": "factory",
    "default_subagent_factory": "factory",
}
if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, _HOMES)
