"""The tool loop: ask, run the calls, ask again, until a reply asks for nothing. There is only this one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..catalogue import text
from ..core.action import Action, Ask, Call, Request, Wait
from ..core.limits import not_run
from ..core.message import ToolCall
from ..core.run import Returned, Run, Stopped


def tool_loop(run: Run, request: Callable[[], Request], asks: Callable[[ToolCall], bool], language: str) -> Action:
    """What comes next in a conversation with tools.

    A run in which nothing was said waits for a question. `request` makes the request, should the model be asked;
    `asks` says which calls need a person's approval.
    """
    waiting = run.pending
    if waiting:
        return _answer(run, waiting, asks, language)
    if not run.messages:
        return Wait(())
    last = run.messages[-1]
    if last.role == "assistant":
        return Stopped("finished", last.text)
    return Ask(request())


def _answer(run: Run, waiting: tuple[ToolCall, ...], asks: Callable[[ToolCall], bool], language: str) -> Action:
    """Refused calls are answered, allowed ones run, the others wait for a person."""
    ready: list[ToolCall] = []
    for call in waiting:
        verdict = run.verdicts.get(call.id)
        if verdict is None:
            if not asks(call):
                ready.append(call)
        elif not verdict.allowed:
            why = verdict.reason or text("call.refused_why", language)
            return Returned(not_run(call, text("call.refused", language, reason=why), "REFUSED"))
        else:
            ready.append(call if verdict.arguments is None else replace(call, arguments=verdict.arguments, fault=None))
    return Call(tuple(ready)) if ready else Wait(waiting)
