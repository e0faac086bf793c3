"""Limits: small functions around `decide` that close a question which would otherwise go on.

A question that reaches a limit gets one last request, with the tools still described and
`tool_choice="none"`, so that there is an answer to show. That the question is closing is a note in
the run; so a resumed run closes the same way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import NamedTuple

from ..catalogue import text
from .action import Action, Ask, Call, Wait
from .budgets import budgets_of, call_of, nothing_for, notices, spent_up
from .message import Message, Messages, ToolCall
from .run import Noted, Returned, Run, Spawned, Stopped

CLOSING = "closing"
"""The note's key: `{"reason": …, "step": …}`, the step being the last request's."""

COUNTED = "counted"
"""The key in a summary's metadata: `{"failed": …, "ran": {tool: …}}`, where it stands within the current question."""

NEAR = 2
"""From this many steps before the limit on, the model is told how many are left."""


@dataclass(frozen=True, slots=True)
class Closing:
    """A question that is being closed."""

    reason: str
    answered: bool
    """The last request has been answered."""


def closing(run: Run) -> Closing | None:
    """Whether the current question is being closed, and how far that is."""
    note = run.notes.get(CLOSING)
    if note is None or note["step"] < run.turn_step:
        return None
    return Closing(note["reason"], run.steps > note["step"])


class Counts(NamedTuple):
    """What the calls of the current question came to."""

    failed: int = 0
    """Calls that failed."""
    ran: Mapping[str, int] = MappingProxyType({})
    """Calls that ran, by tool."""


class Tally:
    """Counts the calls of the current question. A message is looked at once, so that a step costs the same late in it.

    It is a memory only: with another run in between, or after a step back, it counts anew and comes to the same.
    """

    def __init__(self) -> None:
        self._counted: tuple[Messages, Counts] = (Messages(), Counts())

    def of(self, run: Run) -> Counts:
        """The counts of this run."""
        before, counts = self._counted
        added = run.messages.since(before)
        if added is None:
            added, counts = run.messages, Counts()
        counts = counted(added, counts)
        self._counted = run.messages, counts
        return counts


def counted(messages: Iterable[Message], counts: Counts) -> Counts:
    """The counts with those of further messages; a summary brings those of what it stands for."""
    for message in messages:
        if message.role == "user":
            counts = Counts()
        elif message.role == "tool":
            counts = _with_result(counts, message)
        elif message.role == "summary" and (note := message.metadata.get(COUNTED)) is not None:
            counts = Counts(counts.failed + note["failed"], Counter(counts.ran) + Counter(note["ran"]))
    return counts


def _with_result(counts: Counts, message: Message) -> Counts:
    failed = counts.failed + (message.status == "error")
    if message.metadata.get("code") in ("NOT_RUN", "REFUSED"):
        return Counts(failed, counts.ran)
    tool = str(message.metadata.get("tool"))
    return Counts(failed, {**counts.ran, tool: counts.ran.get(tool, 0) + 1})


def limit(run: Run, action: Action, language: str, tally: Tally) -> Action:
    """The action, unless a limit has something to say about it."""
    close = closing(run) if run.notes else None
    if close is None:
        match action:
            case Ask():
                return _open(run, action, language, tally)
            case Spawned() if nothing_for(run):
                return _without_child(run, action, language)
            case Spawned() if run.limits.max_calls_per_tool is not None:
                return _within_tasks(run, action, tally.of(run).ran, run.limits.max_calls_per_tool, language)
            case Call() if run.limits.max_calls_per_tool is not None:
                return _within_calls(tally.of(run).ran, action.calls, run.limits.max_calls_per_tool, language)
            case _:
                return action
    match action:
        case Ask() if close.answered:
            return Stopped(close.reason, closing_answer(run, close.reason, language))
        case Ask(request, tolerant):
            notice = Message(text("limits.last_call", language), "user")
            return Ask(replace(request, messages=(*request.messages, notice), tool_choice="none"), tolerant)
        case Call(calls) | Wait(calls) if close.answered:
            return Returned(not_run(calls[0], text("limits.not_run", language), "NOT_RUN"))
        case Spawned():
            return _without_child(run, action, language)
        case Stopped("finished", answer):
            return Stopped(close.reason, answer or closing_answer(run, close.reason, language))
        case _:
            return action


def not_run(call: ToolCall, why: str, code: str) -> Message:
    """The answer to a call that is not going to run."""
    return Message(why, "tool", answers=call.id, status="error", metadata={"tool": call.name, "code": code})


def closing_answer(run: Run, reason: str, language: str) -> str:
    """What can be said at the end when the model said nothing: its last text, else the last result."""
    for message in reversed(run.messages):
        if message.role == "user":
            break
        if message.role == "assistant" and message.content:
            return message.content
    results = (message for message in reversed(run.messages) if message.role == "tool")
    last = next((message.text for message in results if message.metadata.get("code") != "NOT_RUN"), "")
    return text("limits.no_answer", language, reason=reason, last=last or text("limits.nothing", language))


def repeated(run: Run) -> tuple[str, int]:
    """The call of the last reply that was made most often with equal arguments and an unchanged result.

    Looks back over a bounded stretch, so that it costs the same late in a run. A call whose result
    changes (polling) is not repeated.
    """
    most = ("", 0)
    at = run.messages.last_reply()
    if at is None or run.limits.max_repeats is None:
        return most
    calls = run.messages[at].tool_calls
    first = max(at - 4 * (run.limits.max_repeats + 1), 0)
    recent = run.messages[first : at + 1 + len(calls)]
    at -= first
    if len(recent) <= at + len(calls):
        return most  # An agent that asks although calls wait has not seen what they come to.
    for position, call in enumerate(calls):
        times = _times(call, recent[at + 1 + position].content, recent, at)
        if times > most[1]:
            most = (call.name, times)
    return most


def _times(call: ToolCall, result: str | None, messages: tuple[Message, ...], stop: int) -> int:
    """How often the call was made with this result in `messages[:stop]`, back to where it had another one."""
    name, arguments, times = call.name, call.arguments, 1
    for i in range(stop - 1, -1, -1):
        message = messages[i]
        calls = message.tool_calls
        if calls:
            for one in calls:
                if one.arguments == arguments and one.name == name:
                    place = i + 1 + calls.index(one)
                    if place >= len(messages) or messages[place].content != result:
                        return times
                    times += 1
                    break
        elif message.role == "user":
            break
    return times


def _open(run: Run, ask: Ask, language: str, tally: Tally) -> Action:
    """A request with its limits still ahead passes, with a notice where one is close; else the question closes."""
    limits = run.limits
    left = None if limits.max_steps is None else limits.max_steps - (run.steps - run.turn_step)
    budgets = budgets_of(run)
    name, times = ("", 0) if limits.max_repeats is None else repeated(run)
    reason = None
    if left is not None and left <= 0:
        reason = "max_steps"
    elif (budget := spent_up(budgets)) is not None:
        reason = budget
    elif limits.max_repeats is not None and times > limits.max_repeats:
        reason = "repeated_call"
    elif limits.max_failures is not None and tally.of(run).failed >= limits.max_failures:
        reason = "degraded"
    if reason is not None:
        return Noted(CLOSING, {"reason": reason, "step": run.steps})
    said = notices(budgets, language) if budgets else []
    if left is not None and left <= NEAR < (limits.max_steps or 0):
        said.append(text("limits.steps_left", language, left=left))
    if limits.max_repeats is not None and times >= limits.max_repeats:
        said.append(text("limits.repeated", language, name=name, times=times))
    if not said:
        return ask
    notice = Message("\n".join(said), "user")
    return Ask(replace(ask.request, messages=(*ask.request.messages, notice)), ask.tolerant)


def _without_child(run: Run, spawned: Spawned, language: str) -> Action:
    """What is done in the place of a child for which nothing is left."""
    call = call_of(run, spawned)
    if call is not None:
        return Returned(not_run(call, text("limits.no_share", language), "NOT_RUN"))
    close = closing(run)
    if close is None:
        return Noted(CLOSING, {"reason": spent_up(budgets_of(run)) or "token_budget", "step": run.steps})
    # What such a run has to say, its children have said.
    last = next((child.answer for child in reversed(tuple(run.children.values())) if child.answer), None)
    return Stopped(close.reason, last or closing_answer(run, close.reason, language))


def _within_calls(ran: Mapping[str, int], calls: tuple[ToolCall, ...], most: int, language: str) -> Action:
    """The calls that are still within their tool's number for this question; one beyond it is answered first."""
    made = Counter(ran)
    for call in calls:
        made[call.name] += 1
        if made[call.name] > most:
            return _too_many(call, most, language)
    return Call(calls)


def _within_tasks(run: Run, spawned: Spawned, ran: Mapping[str, int], most: int, language: str) -> Action:
    """The child, unless the call it works for is beyond its tool's number; those at work on other calls count."""
    call = call_of(run, spawned)
    if call is None:
        return spawned
    begun = sum(other.name == call.name and other.id in run.children for other in run.pending)
    return spawned if ran.get(call.name, 0) + begun < most else _too_many(call, most, language)


def _too_many(call: ToolCall, most: int, language: str) -> Returned:
    return Returned(not_run(call, text("limits.too_many_calls", language, name=call.name, most=most), "NOT_RUN"))
