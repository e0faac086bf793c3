"""The answer to a question, put together from what the steps of its plan have given."""

from __future__ import annotations

import re
from typing import assert_never

from . import talk
from .plan import AskFor, CannotDo, Say, UseTool, WorkOut
from .progress import Progress, Wish
from .remedies import looked_around
from .situation import LONGEST, Result
from .talk import say

EXCERPT = 600
"""Characters of a result that are quoted."""

_PREFIX = re.compile(r"^(?:❌|⚠️)\s*(?:[^\[\]:：\n]{0,24}(?:\[[A-Z_]+\])?\s*[:：])?\s*")


def compose(progress: Progress) -> str:
    """The answer, one line a step; steps that failed or were not come to are named, too."""
    lines = [line for at in range(len(progress.steps)) if (line := _line(progress, at))]
    lines += [_quoted(progress, result) for result in progress.others]
    if any(isinstance(step, CannotDo) for step in progress.steps) or not lines:
        lines.append(talk.about(progress.situation))
    if len(progress.situation.turn.question) > LONGEST:
        lines.append(say(progress.situation, "offline.long", limit=str(LONGEST)))
    return "\n".join(dict.fromkeys(lines))


def plan_in_words(progress: Progress) -> str:
    """What is going to be done, in one sentence."""
    steps = [step for step in progress.steps if isinstance(step, UseTool)]
    said = [
        say(progress.situation, "offline.thought.step", name=step.tool.name, request=step.text.strip(" ?？"))
        for step in steps
    ]
    joined = say(progress.situation, "offline.thought.then").join(dict.fromkeys(said))
    return say(progress.situation, "offline.thought", steps=joined)


def why_again(progress: Progress, wish: Wish) -> str:
    """What failed and what is tried instead."""
    assert wish.because is not None
    return say(
        progress.situation,
        "offline.retry",
        name=wish.because.call.name,
        reason=_reason(wish.because),
        call=_call_text(wish.name, wish.arguments),
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
            return say(situation, "offline.worked_out", expression=worked_out[0], value=worked_out[1])
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
    result = progress.outcome(at)
    if result is None:
        key = "offline.blocked" if progress.settled(at) else "offline.not_reached"
        return say(progress.situation, key, request=step.text)
    if result.failed:
        tries = progress.tries[at]
        looked = looked_around(step.tool, tries, progress.situation)
        key = (
            "offline.failed"
            if len(tries) == 1
            else "offline.failed_looked"
            if looked and len(tries) == 2
            else "offline.failed_twice"
        )
        return say(
            progress.situation, key, name=_call_text(step.tool.name, result.call.arguments), reason=_reason(result)
        )
    return _quoted(progress, result)


def _quoted(progress: Progress, result: Result) -> str:
    """What a result says, with what it is the result of when the text itself does not tell."""
    situation = progress.situation
    if result.failed:
        return say(situation, "offline.failed", name=result.call.name, reason=_reason(result))
    text = _excerpt(_PREFIX.sub("", result.text) if result.partial else result.text)
    if result.partial:
        return say(situation, "offline.partial", text=text)
    tool = situation.tool(result.call.name)
    subject = ", ".join(value for value in result.call.arguments.values() if isinstance(value, str) and value)
    if not text.strip():
        return say(situation, "offline.empty", name=_call_text(result.call.name, result.call.arguments))
    if tool is not None and tool.intent == "arithmetic" and "=" not in text and "\n" not in text:
        return f"{_tidy(subject)} = {text.strip()}" if subject else text
    if "\n" in text.strip():
        return text.strip() if not subject or subject in text.partition("\n")[0] else f"{subject}:\n{text.strip()}"
    named = not subject or any(value.lower() in text.lower() for value in subject.split(", "))
    if named or tool is None or tool.intent in ("write", "todo", "send"):
        return text.strip()
    return f"{subject}: {text.strip()}"


def _tidy(expression: str) -> str:
    """An expression with one space around each sign, as it reads best."""
    spaced = re.sub(r"(?<=[\w)])\s*(\*\*|//|[+\-*/%])\s*(?=[\w(.])", r" \1 ", expression)
    return spaced.strip()


def _reason(result: Result) -> str:
    """The error without its prefix, on one line."""
    text = _PREFIX.sub("", result.text).strip().splitlines()
    return (text[0] if text else result.code or "?")[:200].rstrip(".。")


def _excerpt(text: str) -> str:
    return text if len(text) <= EXCERPT else text[:EXCERPT].rstrip() + " …"


def _call_text(name: str, arguments: dict[str, object]) -> str:
    inside = ", ".join(f"{key}={_short(value)}" for key, value in arguments.items())
    return f"{name}({inside})"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:39] + "…"
