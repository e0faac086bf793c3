"""What agents that work through child runs have in common."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..core.action import Action, Wait
from ..core.message import Message
from ..core.run import Limits, Run, Spawned, Stopped, Told, evolve

WAITING = Wait(())
"""A child run is under way; nothing is to be done here before it ends."""


def child_of(
    run: Run, agent: str, prompt: str, system: str | None = None, limits: Limits | None = None, earlier: bool = True
) -> Run:
    """The start of a child run: a system prompt, what was said in earlier turns if wanted, and a task."""
    messages: list[Message] = [Message(system, "system")] if system else []
    if earlier:
        messages += earlier_turns(run)
    start = Run(agent)
    for message in messages:
        start = evolve(start, Told(message))
    limits = replace(run.limits, max_steps=limits.max_steps if limits else None, depth=run.limits.depth + 1)
    return evolve(start, Told(Message(prompt, "user"), limits))


def earlier_turns(run: Run) -> Iterable[Message]:
    """What was asked and answered before the current question."""
    said = [message for message in run.messages if message.role in ("user", "assistant", "summary")]
    while said and said[-1].role != "user":
        said.pop()
    return said[:-1]


def question_of(run: Run) -> str:
    """The current question."""
    return next((message.text for message in reversed(run.messages) if message.role == "user"), "")


def spawn_or_wait(run: Run, id: str, start: Run) -> Action | None:
    """What is to be done for a child that must have ended before anything else is; `None` when it has.

    None begins before a question was asked.
    """
    child = run.children.get(id)
    if child is None:
        asked = run.turn or any(message.role == "user" for message in run.messages)
        return Spawned(id, start) if asked else WAITING
    return WAITING if child.outcome is None else None


def stop_with(run: Run, reason: str, answer: str) -> Action:
    """Says the answer in the conversation, so that the next question can speak of it, then stops."""
    if run.messages[-1].role != "assistant":
        return Told(Message(answer, "assistant"))
    return Stopped(reason, answer)
