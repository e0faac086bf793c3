"""The debugger: a run taken one decision at a time, forwards, backwards and along other branches.

Going back and forth replays what is recorded. The world is asked only past the end of a branch.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from time import time
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from ..catalogue import text
from .action import Action, Ask, Call, Request, Wait
from .budgets import ELAPSED
from .journal import kind_of
from .loop import Decision, Loop, carry_out
from .message import Message, ToolCall
from .retelling import beginning, retold
from .run import (
    Began,
    Compacted,
    Delta,
    Entry,
    Event,
    Judged,
    Noted,
    Replied,
    Returned,
    Run,
    Spawned,
    Stopped,
    Told,
    evolve,
    frame_of,
    settle_all,
)

if TYPE_CHECKING:
    from .agent import Agent


_EDITED = {
    "returned": "result edited",
    "replied": "reply edited",
    "told": "message edited",
    "judged": "verdict edited",
}


@dataclass(frozen=True, slots=True)
class Step:
    """One decision and what came of it: the entries `[start:stop]` of a branch."""

    start: int
    stop: int


class World(Protocol):
    """What the tools act upon, as far as it can be put back as it was. A token is of the world's own making."""

    def save(self) -> Any:
        """How it is now; `None` when that cannot be kept."""
        ...

    def restore(self, token: Any, /) -> None:
        """Makes it as it was when the token was saved."""
        ...


@dataclass(slots=True)
class Branch:
    """One course that a run took."""

    name: str
    parent: str | None
    """The branch it left; `None` for the first."""
    at: int
    """How many entries it shares with its parent."""
    label: str
    """What it came from, in a word: `start`, `fork`, `result edited`, …"""
    entries: list[Entry] = field(default_factory=list[Entry])
    runs: list[Run] = field(default_factory=list[Run])
    """`runs[i]` is the run after `entries[i]`."""
    worlds: list[Any] = field(default_factory=list[Any])
    """`worlds[i]` is the token of the world after `entries[i]`; `None` where it is not known."""
    position: int = 0
    """How many entries are applied, here."""
    error: str | None = None
    """What ended it, when it was run on by `again` and the model failed."""


@dataclass(frozen=True, slots=True)
class Diff:
    """Two branches, compared."""

    first: int | None
    """The first entry that differs; `None` when they are equal."""
    left: tuple[Entry, ...]
    """The entries of the first branch from there on."""
    right: tuple[Entry, ...]
    """The entries of the second branch from there on."""


@dataclass(frozen=True, slots=True)
class Course:
    """How a branch went."""

    branch: str
    reason: str
    """How it ended: the outcome's word, `error`, or `unfinished` when it waits for a person."""
    answer: str | None
    error: str | None
    steps: int
    """Requests to the model for the last question."""
    tokens: int


class Debugger:
    """A cursor over the recorded entries of a run, and the means to record more.

    It has its own copy of the run: the agent's `state` stays as it was.
    """

    def __init__(
        self,
        agent: Agent | None,
        start: Run,
        entries: Iterable[Entry] = (),
        *,
        opening: Iterable[tuple[str, Event]] = (),
    ) -> None:
        """`entries` are what is recorded from `start` on; `opening` are events to record now, as a first step.

        Without an agent the recorded entries can be walked, and nothing more.
        """
        self.agent = agent
        self.start = start
        """The run before the first entry."""
        self._branches = {"main": Branch("main", None, 0, "start")}
        self._branch = self._branches["main"]
        self.watch: Callable[[Entry], None] | None = None
        """Told of what happens while the world is asked: each entry, and each piece of a reply, whose `seq` is -1.

        Without it, whole replies are asked for."""
        self._world: World | None = None
        self._start_world: Any = None
        self._here: Any = None
        for entry in entries:
            self._append(entry, evolve(self.run, entry.event, entry.frame))
        for frame, event in opening:
            self._append(Entry(len(self._branch.entries), frame, time(), event), evolve(self.run, event, frame))

    @classmethod
    def of_run(cls, run: Run) -> Debugger:
        """A debugger on a finished run alone. The entries are told from its messages, so times are unknown."""
        return cls(None, beginning(run), opening=retold(run))

    # -- looking ----------------------------------------------------------------------------------

    @property
    def run(self) -> Run:
        """The run at the cursor."""
        return self.run_at(self._branch.position - 1)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Everything recorded on this branch, also past the cursor."""
        return tuple(self._branch.entries)

    @property
    def position(self) -> int:
        """How many entries are applied."""
        return self._branch.position

    @property
    def steps(self) -> tuple[Step, ...]:
        """The entries of this branch, grouped by the decision they came of."""
        return tuple(_steps(self._branch.entries))

    @property
    def branch(self) -> str:
        return self._branch.name

    @property
    def branches(self) -> Mapping[str, Branch]:
        return MappingProxyType(self._branches)

    @property
    def next(self) -> Action | None:
        """What would be done next, were the world asked; `None` when the question is closed."""
        decision = self._next()
        return None if decision is None else decision.action

    @property
    def why(self) -> str:
        """Why that is next, in words."""
        language = self.agent.language if self.agent else "en"
        decision = self._next()
        if decision is None:
            if self.run.outcome is not None:
                return text("why.over", language, reason=self.run.outcome.reason)
            return text("why.no_agent", language)
        return why(decision.run, decision.action, language)

    @property
    def request(self) -> Request:
        """What the model is about to be asked; when something else is next, what it was asked last."""
        action = self.next
        if isinstance(action, Ask):
            return action.request
        for seq in range(self.position - 1, -1, -1):
            if isinstance(self._branch.entries[seq].event, Replied):
                return self.request_at(seq)
        return Request(self.run.messages, at=("", self.run.steps))

    def run_at(self, seq: int) -> Run:
        """The whole run after the entry `seq` of this branch; -1 is before the first."""
        if not -1 <= seq < len(self._branch.entries):
            raise IndexError(f"There is no entry {seq}: this branch has {len(self._branch.entries)}.")
        return self._branch.runs[seq] if seq >= 0 else self.start

    def request_at(self, seq: int) -> Request:
        """What the model was asked, that it answered in the entry `seq`. Raises `ValueError` for other entries."""
        entry = self._branch.entries[seq]
        if not isinstance(entry.event, Replied):
            raise ValueError(f"Entry {seq} is no reply of the model, so nothing was asked for it.")
        run = self.run_at(seq - 1)
        if self.agent is not None:
            loop = Loop(self.agent, run)
            for decision in loop.decisions():
                if decision.frame == entry.frame and isinstance(decision.action, Ask):
                    return decision.action.request
        frame = run.at(entry.frame)
        return Request(frame.messages, at=(entry.frame, frame.steps))

    # -- the world --------------------------------------------------------------------------------

    @property
    def world(self) -> World | None:
        """What is put back as it was when the cursor moves; `None`: nothing is.

        It is known from the entry on at which it is set: earlier steps leave it alone.
        """
        return self._world

    @world.setter
    def world(self, world: World | None) -> None:
        self._world = world
        self._start_world = self._here = None
        for branch in self._branches.values():
            branch.worlds = [None] * len(branch.entries)
        if world is None or self.position < len(self._branch.entries):
            return
        self._here = world.save()
        # Only tools change it, so it was like this since the last one ran.
        for seq in range(self.position - 1, -1, -1):
            self._branch.worlds[seq] = self._here
            if isinstance(self._branch.entries[seq].event, Returned | Began):
                return
        self._start_world = self._here

    def world_known(self, seq: int) -> bool:
        """Whether the world after the entry `seq` is known, so that it is put back there; -1 is before the first."""
        return self._token(seq) is not None

    def _token(self, seq: int) -> Any:
        return self._branch.worlds[seq] if seq >= 0 else self._start_world

    def _put_back(self) -> None:
        """Makes the world as it was at the cursor, where that is known and another than now."""
        token = self._token(self.position - 1)
        if self._world is not None and token is not None and token != self._here:
            self._world.restore(token)
            self._here = token

    # -- moving -----------------------------------------------------------------------------------

    def step(self, n: int = 1) -> Run:
        """Goes on by `n` decisions: replayed where they are recorded, else carried out.

        A call that waits for a person, or the end, is where it stays.
        """
        for _ in range(n):
            branch = self._branch
            if branch.position < len(branch.entries):
                branch.position = self._stop_after(branch.position)
                self._put_back()
            elif not self._carry_out():
                break
        return self.run

    def back(self, n: int = 1) -> Run:
        """Goes back by `n` decisions, at most to before the first entry."""
        starts = [step.start for step in self.steps]
        for _ in range(n):
            before = bisect_left(starts, self.position)
            self._branch.position = starts[before - 1] if before else 0
            if not before:
                break
        self._put_back()
        return self.run

    def jump(self, seq: int) -> Run:
        """Goes to right after the entry `seq`; -1 is before the first."""
        self.run_at(seq)
        self._branch.position = seq + 1
        self._put_back()
        return self.run

    def finish(self, until: Callable[[Run], bool] | None = None) -> Run:
        """Goes on to the end, to a call that waits for a person, or to where `until` holds for the run."""
        while True:
            before = (self._branch.position, len(self._branch.entries))
            self.step()
            if before == (self._branch.position, len(self._branch.entries)):
                return self.run
            if until is not None and until(self.run):
                return self.run

    # -- changing ---------------------------------------------------------------------------------

    def edit(self, seq: int, event: Event) -> str:
        """Begins a branch in which the entry `seq` was `event`, and goes there. Returns its name.

        The event is of the entry's kind, and answers the same call. Results of the other calls of the
        same reply are kept; everything later is left out, and the world is asked anew.
        """
        old = self._branch.entries[seq]
        if type(event) is not type(old.event):
            raise ValueError(
                f"Entry {seq} is {type(old.event).__name__}, and cannot be edited into {type(event).__name__}. "
                f"Pass a {type(old.event).__name__}."
            )
        if isinstance(event, Returned) and isinstance(old.event, Returned):
            if event.message.answers is None:
                event = Returned(_as_answer_to(old.event.message.answers, event))
            call_id = old.event.message.answers
            if event.message.answers != call_id:
                raise ValueError(f"Entry {seq} answers {call_id!r}, not {event.message.answers!r}. Keep the id.")
        stop = self._stop_after(seq) if isinstance(event, Returned | Began) else seq + 1
        here = range(seq + 1, stop)
        rest = [(self._branch.entries[i], self._token(i)) for i in here if self._branch.entries[i].frame == old.frame]
        edited = (replace(old, event=event), self._token(seq))
        branch = self._new_branch(None, seq, _EDITED.get(kind_of(event), "edited"))
        for changed, token in [edited, *rest]:
            # What the calls did, they have done: only what is told of it is another.
            after = evolve(self.run, changed.event, changed.frame)
            self._put(replace(changed, seq=len(branch.entries)), after, token)
        self._put_back()
        return branch.name

    def fork(self, name: str | None = None) -> str:
        """Begins a branch at the cursor, and goes there. Returns its name."""
        return self._new_branch(name, self.position, "fork").name

    def switch(self, name: str) -> Run:
        """Goes to another branch, to where its cursor was. Raises `KeyError` naming the branches there are."""
        if name not in self._branches:
            raise KeyError(f"There is no branch {name!r}. There are {', '.join(self._branches)}.")
        self._branch = self._branches[name]
        self._put_back()
        return self.run

    def approve(self, call_id: str, arguments: dict[str, object] | None = None) -> Run:
        """Allows a waiting call, with other arguments if given."""
        return self._judge(Judged(call_id, True, arguments))

    def refuse(self, call_id: str, reason: str = "") -> Run:
        """Refuses a waiting call; the model is told the reason."""
        return self._judge(Judged(call_id, False, reason=reason))

    def again(self, n: int, name: str = "again") -> Iterator[str]:
        """Runs on from here `n` times, each on a branch of its own; yields the name of each once it is done.

        The cursor is back where it was after the last. An error of the model ends its branch and no other.
        """
        origin, position = self._branch, self.position
        for _ in range(n):
            branch = self._new_branch(self._free_name(name), position, name)
            try:
                self.finish()
            except Exception as error:
                # The model is foreign code; what it raised is in the branch as a note.
                branch.error = f"{type(error).__name__}: {error}"
            try:
                yield branch.name
            finally:
                self._branch = origin
                self._put_back()

    def course(self, name: str) -> Course:
        """How a branch went, from its first entry to its last."""
        branch = self._branches[name]
        end = branch.runs[-1] if branch.runs else self.start
        reason = end.outcome.reason if end.outcome is not None else "error" if branch.error else "unfinished"
        return Course(name, reason, end.answer, branch.error, end.steps - end.turn_step, end.usage.total_tokens)

    def compare(self, a: str, b: str) -> Diff:
        """Where two branches part, and how each goes on."""
        left, right = self._branches[a].entries, self._branches[b].entries
        for seq, (one, other) in enumerate(zip(left, right, strict=False)):
            if one != other:
                return Diff(seq, tuple(left[seq:]), tuple(right[seq:]))
        shared = min(len(left), len(right))
        return Diff(None if len(left) == len(right) else shared, tuple(left[shared:]), tuple(right[shared:]))

    # -- inside -----------------------------------------------------------------------------------

    def _append(self, entry: Entry, run: Run) -> None:
        """Takes in what has just happened. Tools alone change the world."""
        if self._world is not None and isinstance(entry.event, Returned):
            self._here = self._world.save()
            self._put(entry, run, self._here)
        else:
            self._put(entry, run, self._token(self.position - 1))

    def _put(self, entry: Entry, run: Run, token: Any) -> None:
        self._branch.entries.append(entry)
        self._branch.runs.append(run)
        self._branch.worlds.append(token)
        self._branch.position = len(self._branch.entries)

    def _next(self) -> Decision | None:
        return None if self.agent is None else Loop(self.agent, self.run).next_action()

    def _carry_out(self) -> bool:
        """Asks the world. What happened before an error or an interrupt is recorded, and goes on from there."""
        if self.agent is None:
            return False
        watch = self.watch
        loop = Loop(self.agent, self.run, seq=len(self._branch.entries), deltas=watch is not None, sink=self._append)
        lost = settle_all(self.run, self.agent.language)
        for frame, event in lost:
            loop.record(frame, event)
        if lost:
            return True
        decision = loop.decision()
        if decision is None:
            return False
        for entry, _ in carry_out(loop, decision):
            if watch is not None:
                watch(entry)
        return True

    def _stop_after(self, seq: int) -> int:
        """Where the step that holds the entry ends. Looks at this step alone."""
        entries = self._branch.entries
        start = seq
        while start and _is_time(entries[start]):
            start -= 1
        group = _group(entries[start])
        for stop in range(seq + 1, len(entries)):
            if not _is_time(entries[stop]) and (group is None or _group(entries[stop]) != group):
                return stop
        return len(entries)

    def _new_branch(self, name: str | None, at: int, label: str) -> Branch:
        old = self._branch
        if name is None:
            name = self._free_name("branch")
        if name in self._branches:
            raise ValueError(f"There is a branch {name!r} already. Give another name, or `switch` to it.")
        branch = Branch(name, old.name, at, label, old.entries[:at], old.runs[:at], old.worlds[:at], at)
        self._branches[name] = branch
        self._branch = branch
        return branch

    def _free_name(self, stem: str) -> str:
        return next(name for n in count(1) if (name := f"{stem}-{n}") not in self._branches)

    def _judge(self, verdict: Judged) -> Run:
        frame = frame_of(self.run, verdict.call_id)
        if frame is not None:
            if self.position < len(self._branch.entries):
                self._new_branch(None, self.position, "judged")
            entry = Entry(len(self._branch.entries), frame, time(), verdict)
            self._append(entry, evolve(self.run, verdict, frame))
            return self.run
        waiting = [call.id for _, run in self.run.frames for call in run.pending]
        raise ValueError(f"No call {verdict.call_id!r} waits here. Waiting are {waiting}.")


def why(run: Run, action: Action, language: str = "en") -> str:
    """Why this action is next in this run, in words."""
    match action:
        case Ask(request):
            if request.tool_choice == "none" and (closing := run.notes.get("closing")):
                return text("why.ask.last", language, reason=closing["reason"])
            answered = _answered(run)
            if answered:
                return text("why.ask.answered", language, count=answered)
            return text("why.ask.question", language)
        case Call(calls):
            return text("why.call", language, names=_names(calls))
        case Wait(()):
            return text("why.empty", language)
        case Wait(calls):
            return text("why.wait", language, names=_names(calls))
        case Stopped("finished"):
            return text("why.stop.finished", language)
        case Stopped(reason):
            return text("why.stop.other", language, reason=reason)
        case Returned(message):
            return text("why.returned", language, id=message.answers)
        case Spawned(id):
            return text("why.spawned", language, id=id)
        case Noted(key):
            return text("why.noted", language, key=key)
        case Compacted():
            return text("why.compacted", language)
        case Told() | Delta() | Replied() | Began() | Judged():
            return text("why.told", language)


def _answered(run: Run) -> int:
    """How many results the conversation ends in."""
    count = 0
    for message in reversed(run.messages):
        if message.role != "tool":
            return count
        count += 1
    return count


def _names(calls: tuple[ToolCall, ...]) -> str:
    return ", ".join(dict.fromkeys(call.name for call in calls))


def _steps(entries: list[Entry]) -> list[Step]:
    """Neighbouring entries that belong together: what was told, and the calls of one reply."""
    starts: list[int] = []
    before: tuple[str, str] | None = None
    for seq, entry in enumerate(entries):
        if _is_time(entry) and starts:
            continue  # The time belongs to what has taken it.
        group = _group(entry)
        if group is None or group != before:
            starts.append(seq)
        before = group
    return [Step(start, stop) for start, stop in zip(starts, [*starts[1:], len(entries)], strict=True)]


def _group(entry: Entry) -> tuple[str, str] | None:
    """What it shares with neighbours of the same step; `None` for an entry that is a step by itself."""
    match entry.event:
        case Told():
            return entry.frame, "told"
        case Began() | Returned():
            return entry.frame, "calls"
        case _:
            return None


def _is_time(entry: Entry) -> bool:
    return isinstance(entry.event, Noted) and entry.event.key == ELAPSED


def _as_answer_to(call_id: str | None, event: Returned) -> Message:
    """The result as the answer to this call."""
    message = event.message
    return Message(
        message.content,
        "tool",
        answers=call_id,
        status=message.status,
        reasoning=message.reasoning,
        metadata=message.metadata,
        timestamp=message.timestamp,
    )
