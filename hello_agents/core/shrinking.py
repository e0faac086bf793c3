"""Shrinking: what can go from a conversation that is too long, and what takes its place.

First whole rounds, then calls with their results inside a long round, then the contents of results; and rounds that
should have stayed, when nothing else helps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from ..catalogue import text
from .action import Request
from .compaction import Policy
from .digest import COMPACTED, short_transcript, statistics, within
from .limits import COUNTED, Counts, closing, counted
from .message import Message
from .rounds import Range, insides, older, round_starts, spared
from .run import Compacted, Event, Limits, Run, Spawned, Told, evolve

SUMMARIZER = "summarizer"
"""The name of the member that writes summaries."""

_SMALLEST = 16
"""Tokens below which the content of a result is left as it is."""


def shorter(run: Run, request: Request, policy: Policy) -> Event | None:
    """The event that makes the conversation shorter; `None` when nothing can."""
    total = policy.tokens(run, request)
    # Somewhat below the limit, so that it does not come to this again at the next message.
    excess = total - policy.limit * 3 // 4
    for start, stop in _gentle(run, excess, policy):
        if event := _summarised(run, start, stop, policy):
            return event
    if event := _with_short_results(run, excess, policy):
        return event
    for start, stop in _fewer_rounds(run, policy):
        if event := _summarised(run, start, stop, policy):
            return event
    return None


def _gentle(run: Run, excess: int, policy: Policy) -> Iterator[Range]:
    """What may go without touching what the agent still works with."""
    messages = run.messages
    if found := older(messages, policy.config.min_retain_rounds):
        yield found
    for places in insides(messages):
        if found := _enough(run, places, excess, policy):
            yield found
    enough = excess + policy.summary_limit
    for found in _fewer_rounds(run, policy):
        if _tokens(messages[slice(*found)], policy) >= enough:
            yield found
            return


def _enough(run: Run, places: list[int], excess: int, policy: Policy) -> Range | None:
    """The first exchanges of a round, as many as must go, else all of these; a summary alone is left alone."""
    if len(places) < 2:
        return None
    first, stop = places[0], places[-1]
    enough, taken = excess + policy.summary_limit, 0
    for start, place in pairwise(places):
        taken += _tokens(run.messages[start:place], policy)
        if taken >= enough and not _is_summary(run, first, place):
            stop = place
            break
    return None if _is_summary(run, first, stop) else (first, stop)


def _is_summary(run: Run, start: int, stop: int) -> bool:
    return stop - start == 1 and run.messages[start].role == "summary"


def _fewer_rounds(run: Run, policy: Policy) -> Iterator[Range]:
    """Fewer and fewer rounds to stay, down to the last."""
    before: Range | None = None
    most = min(policy.config.min_retain_rounds, len(round_starts(run.messages)))
    for keep in range(most - 1, 0, -1):
        found = older(run.messages, keep)
        if found is not None and found != before:
            yield found
        before = found


def _summarised(run: Run, start: int, stop: int, policy: Policy) -> Event | None:
    """The range as a summary, by a model if that is wanted, else by rule; `None` when that is no shorter."""
    messages = run.messages[start:stop]
    kept = spared(run.messages, start, stop)
    before = _tokens(messages, policy)
    if policy.config.enable_smart_compression and closing(run) is None and before > 2 * policy.summary_limit:
        written = _written_by_model(run, messages, policy)
        if isinstance(written, Spawned):
            return written
        if written is not None and _tokens((*kept, written), policy) < before:
            return Compacted(start, stop, (*kept, _with_counts(run, start, stop, written)))
    summary = statistics(messages, policy.summary_limit, policy.counter.count_text, policy.config.language)
    if _tokens((*kept, summary), policy) < before:
        return Compacted(start, stop, (*kept, _with_counts(run, start, stop, summary)))
    return None


def _with_counts(run: Run, start: int, stop: int, summary: Message) -> Message:
    """The summary with what limits count in the range, where that is part of the current question."""
    limits = run.limits
    if limits.max_calls_per_tool is limits.max_failures is None:
        return summary
    if any(message.role == "user" for message in run.messages[start:]):
        return summary
    counts = counted(run.messages[start:stop], Counts())
    return replace(summary, metadata={**summary.metadata, COUNTED: {"failed": counts.failed, "ran": dict(counts.ran)}})


def _written_by_model(run: Run, messages: tuple[Message, ...], policy: Policy) -> Spawned | Message | None:
    """The child run that is to write the summary; once it is over, what it wrote, if anything."""
    language, count = policy.config.language, policy.counter.count_text
    room = max(policy.limit // 2, policy.summary_limit)
    task = text(
        "summarizer.task",
        language,
        tokens=policy.summary_limit,
        transcript=short_transcript(messages, room, count),
    )
    # A child belongs to what it was asked, so that no other part of the conversation gets its summary.
    number = 0
    while (child := run.children.get(id := f"summary_{number}")) is not None:
        if child.agent == SUMMARIZER and any(said.content == task for said in child.messages[:2]):
            said = within((child.answer or "").strip(), policy.summary_limit, count, language=language)
            return Message(said, "summary", metadata={COMPACTED: len(messages), "by": id}) if said else None
        number += 1
    return Spawned(id, _child(task, run, language))


def _child(task: str, run: Run, language: str) -> Run:
    child = evolve(Run(SUMMARIZER), Told(Message(text("summarizer.system", language), "system")))
    limits = Limits(max_steps=1, max_repeats=None, tools=(), depth=run.limits.depth + 1)
    return evolve(child, Told(Message(task, "user"), limits))


def _with_short_results(run: Run, excess: int, policy: Policy) -> Compacted | None:
    """Long results cut to their beginnings and ends: the longest first, and none more than it must."""
    counter = policy.counter
    sizes = {place: counter.count_text(one.text) for place, one in enumerate(run.messages) if one.role == "tool"}
    most = max(_level(list(sizes.values()), excess), _SMALLEST)
    changed: dict[int, Message] = {}
    for place, size in sizes.items():
        if size > most:
            old = run.messages[place]
            said = within(old.text, most, counter.count_text, "head_tail", policy.config.language)
            if said:
                changed[place] = replace(old, content=said)
    if not changed:
        return None
    start, stop = min(changed), max(changed) + 1
    return Compacted(start, stop, tuple(changed.get(place, run.messages[place]) for place in range(start, stop)))


def _level(sizes: list[int], excess: int) -> int:
    """The size to which all that are larger must be cut, so that `excess` is saved; 0 when that is not enough."""
    left = sum(sizes) - excess
    for done, size in enumerate(sorted(sizes)):
        share = left // (len(sizes) - done)
        if share < size:
            return max(share, 0)
        left -= size
    return max(sizes, default=0)


def _tokens(messages: tuple[Message, ...], policy: Policy) -> int:
    return sum(map(policy.counter.count_message, messages))
