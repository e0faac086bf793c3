"""Conversations told apart: several agents share a subscriber, and an entry does not say whose it is.

A run is a value without an identity. An entry belongs to the conversation that it continues: its number is the next
one, and its run is the last one seen with the event folded in, which the shared storage of their messages nearly always
shows without comparing any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import RLock
from typing import Generic, TypeVar

from ..core.run import Entry, Run, evolve

State = TypeVar("State")

_REMEMBERED = 65_536
"""Entries that are known again when they are told a second time."""


@dataclass(slots=True)
class Conversation(Generic[State]):
    """One conversation, as far as it was seen."""

    seq: int
    run: Run
    state: State


class Conversations(Generic[State]):
    """The open conversations of any number of agents. `lock` is held by whoever uses their states."""

    def __init__(self, make: Callable[[], State], leave: Callable[[State], None], most: int = 10_000) -> None:
        """`make` gives the state of a new conversation. Beyond `most`, `leave` is told of the one open longest."""
        self.lock = RLock()
        self._make = make
        self._leave = leave
        self._most = most
        self._open: dict[int, Conversation[State]] = {}
        self._expected: dict[tuple[str, int], dict[int, Conversation[State]]] = {}
        self._seen: dict[tuple[str, int, str, float], None] = {}

    def find(self, entry: Entry, run: Run) -> Conversation[State] | None:
        """The conversation of an entry, now with this run; `None` for an entry that was told before."""
        key = (run.agent, entry.seq, entry.frame, entry.time)
        if key in self._seen:
            return None
        self._seen[key] = None
        if len(self._seen) > _REMEMBERED:
            del self._seen[next(iter(self._seen))]
        found = self._continued(entry, run)
        if found is None:
            found = Conversation(entry.seq, run, self._make())
            self._open[id(found)] = found
            self._expect(found)
            if len(self._open) > self._most:
                oldest = next(iter(self._open.values()))
                self._leave(oldest.state)
                self.close(oldest)
        elif entry.seq > found.seq:
            self._forget(found)
            found.seq, found.run = entry.seq, run
            self._expect(found)
        return found

    def close(self, conversation: Conversation[State]) -> None:
        """Forgets a conversation; what comes later in it begins a new one."""
        self._forget(conversation)
        self._open.pop(id(conversation), None)

    def __iter__(self) -> Iterator[Conversation[State]]:
        return iter(list(self._open.values()))

    def __len__(self) -> int:
        return len(self._open)

    def _continued(self, entry: Entry, run: Run) -> Conversation[State] | None:
        likely = self._expected.get((run.agent, entry.seq), {})
        for one in likely.values():
            if _shares(one.run, run):
                return one
        for one in likely.values():
            if _follows(one.run, entry, run):
                return one
        # A subscriber's error is noted while others have not been told yet what it happened at, so that they hear of
        # the note first. A journal that begins is another conversation, whatever it goes on from.
        for one in self._open.values():
            if one.run.agent == run.agent and (_shares(run, one.run) or (entry.seq > 0 and _shares(one.run, run))):
                return one
        return None

    def _expect(self, conversation: Conversation[State]) -> None:
        place = conversation.run.agent, conversation.seq + 1
        self._expected.setdefault(place, {})[id(conversation)] = conversation

    def _forget(self, conversation: Conversation[State]) -> None:
        place = conversation.run.agent, conversation.seq + 1
        waiting = self._expected.get(place, {})
        waiting.pop(id(conversation), None)
        if not waiting:
            self._expected.pop(place, None)


def _shares(earlier: Run, later: Run) -> bool:
    return bool(earlier.messages) and later.messages.extends(earlier.messages)


def _follows(earlier: Run, entry: Entry, later: Run) -> bool:
    try:
        return evolve(earlier, entry.event, entry.frame) == later
    except KeyError:  # The frame of another conversation.
        return False
