"""A finished record seen as a debugger: what happened can be walked, nothing new can happen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NoReturn, Protocol

from hello_agents.core.action import Action, Request
from hello_agents.core.run import Began, Entry, Event, Replied, Returned, Run, Stopped, Told, evolve


class StepLike(Protocol):
    """One decision carried out: the entries `[start:stop)`."""

    @property
    def start(self) -> int: ...
    @property
    def stop(self) -> int: ...


class BranchLike(Protocol):
    """One line of entries, and where it left its parent."""

    @property
    def name(self) -> str: ...
    @property
    def parent(self) -> str | None: ...
    @property
    def label(self) -> str: ...


class Walk(Protocol):
    """What the inspector needs of a debugger."""

    @property
    def run(self) -> Run: ...
    @property
    def next(self) -> Action | None: ...
    @property
    def why(self) -> str: ...
    @property
    def entries(self) -> Sequence[Entry]: ...
    @property
    def position(self) -> int: ...
    @property
    def steps(self) -> Sequence[StepLike]: ...
    @property
    def branch(self) -> str: ...
    @property
    def branches(self) -> Mapping[str, BranchLike]: ...
    def run_at(self, seq: int) -> Run: ...
    def request_at(self, seq: int) -> Request: ...
    def step(self, n: int = 1) -> Any: ...
    def back(self, n: int = 1) -> Any: ...
    def jump(self, seq: int) -> Any: ...
    def edit(self, seq: int, event: Event) -> str: ...
    def fork(self, name: str | None = None) -> str: ...
    def switch(self, name: str) -> Any: ...
    def approve(self, call_id: str, arguments: dict[str, Any] | None = None) -> Any: ...
    def refuse(self, call_id: str, reason: str = "") -> Any: ...


class NoAgent(RuntimeError):
    """Something new was asked of a record, and there is no agent here to do it."""


@dataclass(frozen=True, slots=True)
class RecordedStep:
    """The entries `[start:stop)` that one decision led to."""

    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class RecordedBranch:
    """The only branch of a record."""

    name: str = "main"
    parent: str | None = None
    at: int = -1
    label: str = ""


class Recorded:
    """A run, or its journal, that can be walked back and forth."""

    branch = "main"
    why = ""
    next: Action | None = None

    def __init__(self, entries: Iterable[Entry], start: Run, tools: Sequence[dict[str, Any]] = ()) -> None:
        self.entries = tuple(entries)
        self.steps = _steps(self.entries)
        self.branches: Mapping[str, RecordedBranch] = MappingProxyType({"main": RecordedBranch()})
        self._runs = [start]
        for entry in self.entries:
            self._runs.append(evolve(self._runs[-1], entry.event, entry.frame))
        self._tools = tools
        self.position = len(self.entries)

    @classmethod
    def of_run(cls, run: Run) -> Recorded:
        """The journal that a run's messages allow to be told again. Times and limits of the past are not in it."""
        return cls(_entries_of(run), Run(run.agent, limits=run.limits))

    @property
    def run(self) -> Run:
        return self._runs[self.position]

    def run_at(self, seq: int) -> Run:
        return self._runs[self._after(seq)]

    def request_at(self, seq: int) -> Request:
        at = self._after(seq)
        before = self._runs[at - 1].at(self.entries[at - 1].frame)
        return Request(before.messages, self._tools, at=(self.entries[at - 1].frame, before.steps))

    def step(self, n: int = 1) -> None:
        stops = [step.stop for step in self.steps if step.stop > self.position]
        if not stops:
            self._refuse("go on")
        self.position = stops[min(n, len(stops)) - 1]

    def back(self, n: int = 1) -> None:
        starts = [step.start for step in self.steps if step.start < self.position]
        self.position = starts[-min(n, len(starts))] if starts else 0

    def jump(self, seq: int) -> None:
        self.position = self._after(seq)

    def edit(self, seq: int, event: Event) -> str:
        self._refuse("be edited")

    def fork(self, name: str | None = None) -> str:
        self._refuse("be forked")

    def switch(self, name: str) -> None:
        if name != "main":
            raise KeyError(f"There is no branch {name!r} of a record; there is only 'main'.")

    def approve(self, call_id: str, arguments: dict[str, Any] | None = None) -> None:
        self._refuse("be approved")

    def refuse(self, call_id: str, reason: str = "") -> None:
        self._refuse("be refused")

    def _after(self, seq: int) -> int:
        if seq < 0:
            return 0
        for index, entry in enumerate(self.entries):
            if entry.seq == seq:
                return index + 1
        raise KeyError(f"There is no entry {seq}: the record has {len(self.entries)}.")

    def _refuse(self, what: str) -> NoReturn:
        raise NoAgent(
            f"This is the record of the run of {self.run.agent!r}, which cannot {what}. "
            "Pass the agent, or `agent.steps(question)`, to LoopInspector."
        )


def _entries_of(run: Run) -> list[Entry]:
    events: list[Event] = []
    for message in run.messages:
        match message.role:
            case "assistant":
                events.append(Replied(message))
            case "tool":
                events += [Began(message.answers or ""), Returned(message)]
            case _:
                events.append(Told(message))
    if run.outcome is not None:
        events.append(Stopped(run.outcome.reason, run.outcome.answer))
    return [Entry(seq, "", 0.0, event) for seq, event in enumerate(events)]


def _steps(entries: Sequence[Entry]) -> tuple[RecordedStep, ...]:
    """Calls of one reply belong to one decision; every other event is a decision of its own."""
    steps: list[RecordedStep] = []
    running = False
    for index, entry in enumerate(entries):
        calls = isinstance(entry.event, Began | Returned)
        if calls and running and entries[index - 1].frame == entry.frame:
            steps[-1] = RecordedStep(steps[-1].start, index + 1)
        else:
            steps.append(RecordedStep(index, index + 1))
        running = calls
    return tuple(steps)


__all__ = ["BranchLike", "NoAgent", "Recorded", "RecordedBranch", "RecordedStep", "StepLike", "Walk"]
