"""The answer to a question, put together from what the steps of its plan have given."""

from __future__ import annotations

from typing import assert_never

from . import talk
from .plan import AskFor, CannotDo, Report, Say, UseTool, WorkOut
from .progress import Progress, Wish
from .quoting import quote_context
from .remedies import looked_around
from .sentences import call_text, excerpt, reason, sentence, tidy
from .situation import LONGEST, Result
from .talk import say

_NAMES = frozenset({"path", "place", "thing", "query"})
"""Arguments by which something is found."""


def compose(progress: Progress) -> str:
    """The answer, one line a step; steps that failed or were not come to are named, too."""
    situation = progress.situation
    lines = [excerpt(answer.strip()) for answer in situation.recap]
    lines += [line for at in range(len(progress.steps)) if (line := _line(progress, at))]
    lines += [sentence(situation, result, alone=not progress.steps) for result in progress.others]
    if any(isinstance(step, CannotDo) for step in progress.steps) or not lines:
        if not progress.others and (quoted := quote_context(situation.question, situation.prompt)):
            return quoted
        lines.append(talk.about(situation))
    if len(situation.turn.question) > LONGEST:
        lines.append(say(situation, "offline.long", limit=str(LONGEST)))
    return "\n".join(dict.fromkeys(lines))


def plan_in_words(progress: Progress) -> str:
    """What is going to be done, in one sentence."""
    said: list[str] = []
    for step in progress.steps:
        match step:
            case UseTool(text=request, tool=tool):
                request = request.strip(" ?？")
                said.append(say(progress.situation, "offline.thought.step", name=tool.name, request=request))
            case Report():
                said.append(say(progress.situation, "offline.thought.report"))
            case _:
                pass
    joined = say(progress.situation, "offline.thought.then").join(dict.fromkeys(said))
    return say(progress.situation, "offline.thought", steps=joined)


def why_again(progress: Progress, wish: Wish) -> str:
    """What failed and what is tried instead."""
    assert wish.because is not None
    return say(
        progress.situation,
        "offline.retry",
        name=wish.because.call.name,
        reason=reason(wish.because),
        call=call_text(wish.name, wish.arguments),
    )


def _line(progress: Progress, at: int) -> str:
    step = progress.steps[at]
    situation = progress.situation
    match step:
        case UseTool():
            return _used(progress, at, step)
        case WorkOut(text):
            worked_out = progress.worked_out(step)
            if worked_out is None:
                return say(situation, "offline.not_worked_out", request=text)
            return say(situation, "offline.worked_out", expression=tidy(worked_out[0]), value=worked_out[1])
        case Report(text):
            return progress.value(at) or say(situation, "offline.blocked", request=text)
        case Say(text):
            return text
        case AskFor(text, tool, parameter):
            hint = f" ({parameter.description.rstrip('.。')})" if parameter.description else ""
            return say(situation, "offline.ask", name=tool.name, parameter=parameter.name, hint=hint, request=text)
        case CannotDo(text):
            return say(situation, "offline.cannot", request=text)
        case _:
            assert_never(step)


def _used(progress: Progress, at: int, step: UseTool) -> str:
    situation = progress.situation
    result = progress.outcome(at)
    if result is None:
        key = "offline.blocked" if progress.settled(at) else "offline.not_reached"
        return say(situation, key, request=step.text)
    if result.failed:
        return _failed(progress, at, step, result)
    if _reported(progress, at):
        return _instead(progress, at, step, result)
    alone = len(progress.steps) == 1 and not progress.others
    told = sentence(situation, result, alone=alone)
    return "\n".join(line for line in (_instead(progress, at, step, result), told) if line)


def _failed(progress: Progress, at: int, step: UseTool, result: Result) -> str:
    tries = progress.tries[at]
    looked = looked_around(step.tool, tries, progress.situation)
    key = (
        "offline.failed"
        if len(tries) == 1
        else "offline.failed_looked"
        if looked and len(tries) == 2
        else "offline.failed_twice"
    )
    return say(progress.situation, key, name=call_text(step.tool.name, result.call.arguments), reason=reason(result))


def _reported(progress: Progress, at: int) -> bool:
    """Whether a report says what this step gave."""
    return any(isinstance(step, Report) and at in step.sources for step in progress.steps)


def _instead(progress: Progress, at: int, step: UseTool, result: Result) -> str:
    """Names that were not found and what was taken in their place; empty when all was as asked."""
    first = progress.tries[at][0]
    changed = [
        say(progress.situation, "offline.instead", wanted=wanted, taken=taken)
        for parameter in step.tool.parameters
        if parameter.meaning in _NAMES
        and isinstance(wanted := first.call.arguments.get(parameter.name), str)
        and isinstance(taken := result.call.arguments.get(parameter.name), str)
        and wanted != taken
    ]
    return "\n".join(changed) if first.failed else ""
