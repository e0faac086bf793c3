"""Rounds: a conversation seen as questions with what followed each, and the places at which it may be parted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from .message import Message

Range = tuple[int, int]
"""The messages from the first index up to, and without, the second."""


def round_starts(messages: Sequence[Message]) -> list[int]:
    """Where each round begins: the indexes of the user's messages."""
    return [place for place, message in enumerate(messages) if message.role == "user"]


def partings(messages: Sequence[Message]) -> list[bool]:
    """For each index, and the end: whether no call before it has its result at or after it."""
    reach = 0
    last_result: dict[str, int] = {}
    reaches: list[int] = []
    # Ids are used again in later rounds, so that a result belongs to the nearest call before it; seen from the end,
    # a call takes the results behind it that no later call has taken.
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        furthest = place
        if message.role == "tool" and message.answers is not None:
            last_result.setdefault(message.answers, place)
        for call in message.tool_calls:
            furthest = max(furthest, last_result.pop(call.id, place))
        reaches.append(furthest)
    reaches.reverse()
    whole = [True]
    for furthest in reaches:
        reach = max(reach, furthest)
        whole.append(reach < len(whole))
    return whole


def beginning(messages: Sequence[Message]) -> int:
    """Where the conversation begins, behind the system message."""
    place = 0
    while place < len(messages) and messages[place].role == "system":
        place += 1
    return place


def older(messages: Sequence[Message], keep: int) -> Range | None:
    """What comes before the last `keep` rounds, and at least one is kept; `None` when there are no more rounds.

    The system message is no part of it, and no call in it has a result outside.
    """
    starts = round_starts(messages)
    whole = partings(messages)
    start = beginning(messages)
    for stop in reversed(starts[1 : max(len(starts) - max(keep, 1) + 1, 1)]):
        if whole[stop]:
            return start, stop
    return None


def spared(messages: Sequence[Message], start: int, stop: int) -> list[Message]:
    """Messages of the range that are never taken out: those of the system."""
    return [messages[place] for place in range(start, stop) if messages[place].role == "system"]


def insides(messages: Sequence[Message]) -> Iterator[list[int]]:
    """For each round: the places at which what it did may be parted.

    The first is behind the question, the last before its last reply with the results of its calls, which stays as
    the answer, or as what the model has not read yet.
    """
    whole = partings(messages)
    starts = round_starts(messages)
    for start, stop in pairwise([*starts, len(messages)]):
        places = [place for place in range(start + 1, stop) if whole[place] and messages[place].role != "tool"]
        yield places
