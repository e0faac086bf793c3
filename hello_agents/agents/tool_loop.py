"""The tool loop: ask, run the calls, ask again, until a reply asks for nothing. There is only this one."""

from __future__ import annotations

from collections.abc import Callable

from ..core.action import Action, Ask, Request, Wait
from ..core.message import ToolCall
from ..core.permitting import ALLOW, ASK, permit
from ..core.run import Run, Stopped


def tool_loop(run: Run, request: Callable[[], Request], asks: Callable[[ToolCall], bool], language: str) -> Action:
    """What comes next in a conversation with tools.

    A run in which nothing was asked waits for a question. `request` makes the request, should the model be asked;
    `asks` says which calls need a person's approval.
    """
    waiting = run.pending
    if waiting:
        return permit(run, waiting, lambda call: ASK if asks(call) else ALLOW, language)
    if not run.messages:
        return Wait(())
    last = run.messages[-1]
    match last.role:
        case "assistant":
            return Stopped("finished", last.text)
        case "system":
            return Wait(())
        case _:
            return Ask(request())
