"""Permitting: a function around `decide` that lets calls run, has a person judge them, or refuses them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from ..catalogue import text
from .action import Action, Call, Wait
from .limits import not_run
from .message import ToolCall
from .run import Returned, Run

Verdict = Literal["allow", "ask", "refuse"]


@dataclass(frozen=True, slots=True)
class Ruling:
    """What is to become of a call, and why."""

    verdict: Verdict
    reason: str = ""


ALLOW = Ruling("allow")
ASK = Ruling("ask")


def permit(run: Run, calls: tuple[ToolCall, ...], ruling: Callable[[ToolCall], Ruling], language: str) -> Action:
    """Refused calls are answered, allowed ones run, the others wait for a person.

    What a person has allowed runs, with the person's arguments, unless it is refused outright.
    """
    ready: list[ToolCall] = []
    verdicts = run.verdicts
    for call in calls:
        judged = verdicts.get(call.id) if verdicts else None
        if judged is not None:
            if not judged.allowed:
                why = judged.reason or text("call.refused_why", language)
                return Returned(not_run(call, text("call.refused", language, reason=why), "REFUSED"))
            if judged.arguments is not None:
                call = replace(call, arguments=judged.arguments, fault=None)
        ruled = ruling(call)
        if ruled.verdict == "refuse":
            why = ruled.reason or text("permission.why", language, name=call.name)
            return Returned(not_run(call, text("permission.refused", language, reason=why), "REFUSED"))
        if judged is not None or ruled.verdict == "allow":
            ready.append(call)
    return Call(tuple(ready)) if ready else Wait(run.pending)
