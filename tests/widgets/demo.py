"""The run that the widget tests and pictures look at: two tools at once, an error, a correction, an answer."""

from __future__ import annotations

from hello_agents.agents.react_agent import ReActAgent
from hello_agents.core.message import ToolCall
from hello_agents.offline.scripted import ScriptedLLM
from hello_agents.tools.registry import ToolRegistry

QUESTION = "Read notes/budget.md and tell me what two nights and the train cost."
BUDGET = "hotel: 320 a night, two nights\ntrain: 180 return\n" + "\n".join(f"day {n}: museum, lunch" for n in range(14))


def read(path: str) -> str:
    """Read a file.

    Args:
        path: The file, from the project's root.
    """
    return BUDGET


def calculator(expression: str) -> str:
    """Work out an expression.

    Args:
        expression: Numbers and + - * / ( ).
    """
    if not set(expression) <= set("0123456789 +-*/()."):
        raise ValueError(f'"{expression}" has a sign this tool does not read; write *.')
    return str(eval(expression))


SCRIPT = (
    ToolCall("c1", "Thought", {"reasoning": "I need the prices first, and the sum can be tried at once."}),
    [
        ToolCall("c2", "Read", {"path": "notes/budget.md"}),
        ToolCall("c3", "Calculator", {"expression": "2 × 320 + 180"}),
    ],
    ToolCall("c4", "Calculator", {"expression": "2 * 320 + 180"}),
    ToolCall("c5", "Finish", {"answer": "Two nights and the train cost 820."}),
)


def registry() -> ToolRegistry:
    tools = ToolRegistry()
    tools.register_function(read, name="Read")
    tools.register_function(calculator, name="Calculator")
    return tools


def agent(*script: object, max_steps: int = 20, **kwargs: object) -> ReActAgent:
    return ReActAgent("assistant", ScriptedLLM(*(script or SCRIPT)), registry(), max_steps=max_steps, **kwargs)
