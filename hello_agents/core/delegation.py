"""Delegation: a function around `decide` that turns calls of a spawning tool into child runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .action import Action, Call, Wait
from .message import ToolCall
from .run import Returned, Run, Spawned

if TYPE_CHECKING:
    from ..tools.builtin.task_tool import TaskTool

TaskOf = Callable[[str], "TaskTool"]
"""The spawning tool of a name."""

Start = Callable[["TaskTool", ToolCall, Run], Run]
"""The start of the child run for a call. Raises for arguments that do not fit."""


def delegate(run: Run, action: Action, spawning: frozenset[str], task_of: TaskOf, start: Start) -> Action:
    """The action, with calls of a spawning tool taken out of it: they begin children, and end with them."""
    if not isinstance(action, Call):
        return action
    runnable = (call for call in action.calls if call.fault is None and call.name in spawning)
    tasks = [(call, task_of(call.name)) for call in runnable]
    if not tasks:
        return action
    for call, tool in tasks:
        if call.id not in run.children:
            try:
                return Spawned(call.id, start(tool, call, run))
            except Exception as error:
                return Returned(tool.refused(call, error))
    others = tuple(call for call in action.calls if all(call is not task for task, _ in tasks))
    if others:
        return Call(others)
    for call, tool in tasks:
        child = run.children[call.id]
        if child.outcome is not None:
            return Returned(tool.result(call, child))
    return Wait(())
