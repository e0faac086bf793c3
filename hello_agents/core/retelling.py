"""Retelling: a run alone as the events that it may have come of, as far as its messages tell.

When things happened, what each request cost and what was compacted is not in a run, and is not made up.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from .message import Usage
from .run import NO_MESSAGES, NO_USAGE, Event, Replied, Returned, Run, Spawned, Stopped, Told


def beginning(run: Run) -> Run:
    """The run before its first message, with its limits and notes."""
    replied = any(message.role == "assistant" for message in run.messages)
    usage = NO_USAGE if replied else _own(run)
    return replace(run, messages=NO_MESSAGES, children={}, usage=usage, steps=0, outcome=None, turn=0, turn_step=0)


def retold(run: Run, frame: str = "") -> Iterator[tuple[str, Event]]:
    """Events, each with its frame, that fold from `beginning(run)`; those of children in the places of their results.

    A run knows what all its requests cost together: its last reply stands for them.
    """
    left = dict(run.children)
    # An id may have been used before the child had it, and never after.
    results = {message.answers: at for at, message in enumerate(run.messages) if message.role == "tool"}
    replies = [at for at, message in enumerate(run.messages) if message.role == "assistant"]
    for at, message in enumerate(run.messages):
        match message.role:
            case "assistant":
                yield frame, Replied(message, _own(run) if at == replies[-1] else NO_USAGE)
            case "tool":
                if message.answers in left and results[message.answers] == at:
                    yield from _child(message.answers, left.pop(message.answers), frame)
                yield frame, Returned(message)
            case _:
                yield frame, Told(message)
    for id, child in left.items():
        yield from _child(id, child, frame)
    if run.outcome is not None:
        yield frame, Stopped(run.outcome.reason, run.outcome.answer)


def _child(id: str, child: Run, frame: str) -> Iterator[tuple[str, Event]]:
    yield frame, Spawned(id, beginning(child))
    yield from retold(child, f"{frame}/{id}" if frame else id)


def _own(run: Run) -> Usage:
    return run.usage - sum((child.usage for child in run.children.values()), NO_USAGE)
