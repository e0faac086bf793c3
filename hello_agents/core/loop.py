"""The loop: what an agent decides is done, what happened is recorded, until nothing is left to decide.

`drive` waits and `adrive` awaits; everything else about the loop is in `Loop`, once.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from .action import Action, Ask, Call, Model, Wait
from .budgets import ELAPSED, elapsed
from .exceptions import LLMException, ModelRefused, ModelTimeout
from .message import Message, ToolCall
from .run import Began, Delta, Entry, Event, Noted, Replied, Returned, Run, Spawned, evolve

if TYPE_CHECKING:
    from asyncio import Queue, Task

Sink = Callable[[Entry, Run], None]
"""Told of every entry as it is recorded, with the whole run after it. One that raises stops the loop."""


class Toolbox(Protocol):
    """What carries out calls. Whatever goes wrong in a tool is in the answer, never raised."""

    def answer(self, call: ToolCall, language: str = "en") -> Message: ...

    async def aanswer(self, call: ToolCall, language: str = "en") -> Message: ...


class Actor(Protocol):
    """What the loop needs of an agent."""

    @property
    def language(self) -> str: ...
    @property
    def max_parallel(self) -> int:
        """Calls that may run at once where the loop awaits."""
        ...

    def act(self, run: Run) -> Action:
        """The next action for an unfinished run. Pure."""
        ...

    def model(self, deltas: bool) -> Model:
        """The model to ask; `deltas` says whether anybody wants the pieces of its replies."""
        ...

    def tools(self, run: Run) -> Toolbox:
        """The tools as this run may use them."""
        ...

    def atools(self, run: Run) -> Toolbox:
        """The same where the loop awaits."""
        ...

    @property
    def reply_timeout(self) -> float | None:
        """Seconds a reply may take where the loop awaits. `None`: no limit."""
        ...

    def member(self, run: Run, frame: str) -> Actor:
        """The agent that decides for this child run, which is the one at this path."""
        ...


class Decision(NamedTuple):
    """What is to be done in one frame."""

    frame: str
    run: Run
    actor: Actor
    action: Action


class Loop:
    """One walk of a run: the decisions in it and the record of what came of them."""

    def __init__(
        self,
        actor: Actor,
        run: Run,
        *,
        seq: int = 0,
        deltas: bool = False,
        sink: Sink | None = None,
        clock: Callable[[], float] = time.time,
        actors: dict[str, Actor] | None = None,
    ) -> None:
        """`actors` are those that an earlier walk of the same run found, by frame; new ones are put into it."""
        self.run = run
        """The whole run, as it is now."""
        self.deltas = deltas
        self.parked = False
        """An entry was made that the sink did not take."""
        self._actors = {} if actors is None else actors
        self._actors[""] = actor
        self._seq = seq
        self._sink = sink
        self._clock = clock
        self._began = clock()
        self._before = (run.turn, elapsed(run))

    def decision(self) -> Decision | None:
        """What the innermost unfinished frame does next; `None` when all is done or waits for a person."""
        run = self.run
        if not run.children:
            return self._decide("", run)
        return next(self.decisions(), None)

    def decisions(self, busy: frozenset[str] = frozenset()) -> Iterator[Decision]:
        """What each innermost unfinished frame does next, first spawned first; waiting and `busy` frames left out."""
        for frame, run, innermost in _open_frames("", self.run):
            if frame in busy:
                continue
            decision = self._decide(frame, run)
            if decision is not None and (innermost or isinstance(decision.action, Spawned)):
                yield decision

    def next_action(self) -> Decision | None:
        """Like `decision`, but a `Wait` is told as well."""
        waiting: Decision | None = None
        for frame, run, innermost in _open_frames("", self.run):
            actor = self.actor(frame)
            decision = Decision(frame, run, actor, _placed(actor.act(run), frame))
            if isinstance(decision.action, Wait):
                waiting = waiting or (decision if innermost else None)
            elif innermost or isinstance(decision.action, Spawned):
                return decision
        return waiting

    def actor(self, frame: str) -> Actor:
        """The agent that decides in this frame."""
        if frame not in self._actors:
            above = frame.rpartition("/")[0]
            self._actors[frame] = self.actor(above).member(self.run.at(frame), frame)
        return self._actors[frame]

    def record(self, frame: str, event: Event) -> tuple[Entry, Run]:
        """Writes the event down. It has happened from here on."""
        if isinstance(event, Delta):
            return Entry(-1, frame, self._clock(), event), self.run
        entry = Entry(self._seq, frame, self._clock(), event)
        self.run = run = evolve(self.run, event, frame)
        self._seq += 1
        if self._sink is not None:
            try:
                self._sink(entry, run)
            except BaseException:
                self.parked = True
                raise
            run = self.run
        return entry, run

    @property
    def timed(self) -> bool:
        """Whether the question has a limit in seconds, so that its time is written down."""
        return self.run.limits.max_seconds is not None

    def record_time(self, frame: str) -> Iterator[tuple[Entry, Run]]:
        """Writes down how long the question has taken, in this frame and in those above it."""
        turn, before = self._before
        seconds = self._clock() - self._began + (before if turn == self.run.turn else 0.0)
        path = frame.split("/") if frame else []
        for length in range(len(path), -1, -1):
            above = "/".join(path[:length])
            note = {"turn": self.run.at(above).turn, "seconds": round(seconds, 3)}
            yield self.record(above, Noted(ELAPSED, note))

    def record_failure(self, decision: Decision, error: Exception) -> tuple[Entry, Run]:
        """Writes down that the model gave no reply; the step is used up."""
        value: dict[str, Any] = {"type": type(error).__name__, "message": str(error), "step": decision.run.steps}
        if isinstance(error, LLMException) and error.status is not None:
            value["status"] = error.status
        if tolerated(decision.action, error):
            value["tolerated"] = True  # Else the walk ends here, which no later entry tells of.
        return self.record(decision.frame, Noted("model_error", value, step=True))

    def _decide(self, frame: str, run: Run) -> Decision | None:
        if run.outcome is not None:
            return None
        actor = self._actors.get(frame) or self.actor(frame)
        action = actor.act(run)
        if isinstance(action, Wait):
            return None
        return Decision(frame, run, actor, _placed(action, frame) if frame else action)


def tolerated(action: Action, error: Exception) -> bool:
    """Whether the agent decides again after this error, which is otherwise raised."""
    return isinstance(action, Ask) and action.tolerant and isinstance(error, ModelRefused)


def drive(loop: Loop) -> Iterator[tuple[Entry, Run]]:
    """Walks to the end, in the caller's own thread. Yields each entry with the whole run after it.

    Pieces of replies come as entries with `seq` -1 when the loop wants deltas. An error of the model is
    noted, then raised.
    """
    while decision := loop.decision():
        yield from carry_out(loop, decision)


def carry_out(loop: Loop, decision: Decision) -> Iterator[tuple[Entry, Run]]:
    """Does one thing, and records what came of it."""
    frame, run, actor, action = decision
    match action:
        case Ask():
            try:
                replied = False
                for event in actor.model(loop.deltas).stream(action.request):
                    replied = replied or isinstance(event, Replied)
                    if loop.deltas or not isinstance(event, Delta):
                        yield loop.record(frame, event)
                if not replied:
                    raise _no_reply(decision)
            except Exception as error:
                if loop.parked:
                    raise  # The model has replied; it is the sink that failed.
                yield loop.record_failure(decision, error)
                if not tolerated(action, error):
                    raise
        case Call():
            tools = actor.tools(run)
            for call in action.calls:
                yield loop.record(frame, Began(call.id))
                yield loop.record(frame, Returned(tools.answer(call, actor.language)))
        case Wait():
            return
        case _:
            yield loop.record(frame, action)
    if loop.timed and isinstance(action, Ask | Call):
        yield from loop.record_time(frame)


async def adrive(loop: Loop) -> AsyncIterator[tuple[Entry, Run]]:
    """`drive`, awaiting: frames that do not depend on each other go on side by side."""

    def more(busy: frozenset[str]) -> Iterator[tuple[str, AsyncIterator[tuple[Entry, Run]]]]:
        for decision in loop.decisions(busy):
            yield decision.frame, acarry_out(loop, decision)

    async for record in _side_by_side(more):
        yield record


async def acarry_out(loop: Loop, decision: Decision) -> AsyncIterator[tuple[Entry, Run]]:
    """`carry_out`, awaiting: independent calls run side by side, and are recorded as they complete."""
    frame, _, actor, action = decision
    match action:
        case Ask():
            try:
                replied = False
                events = actor.model(loop.deltas).astream(action.request)
                async for event in _within(events, actor.reply_timeout):
                    replied = replied or isinstance(event, Replied)
                    if loop.deltas or not isinstance(event, Delta):
                        yield loop.record(frame, event)
                if not replied:
                    raise _no_reply(decision)
            except Exception as error:
                if loop.parked:
                    raise  # The model has replied; it is the sink that failed.
                yield loop.record_failure(decision, error)
                if not tolerated(action, error):
                    raise
        case Call():
            waiting = list(action.calls)

            def more(busy: frozenset[str]) -> Iterator[tuple[str, AsyncIterator[tuple[Entry, Run]]]]:
                while waiting and len(busy) < actor.max_parallel:
                    call = waiting.pop(0)
                    busy |= {call.id}
                    yield call.id, _acall(loop, decision, call)

            async for record in _side_by_side(more):
                yield record
        case Wait():
            return
        case _:
            yield loop.record(frame, action)
    if loop.timed and isinstance(action, Ask | Call):
        for record in loop.record_time(frame):
            yield record


async def _within(events: AsyncIterator[Delta | Replied], seconds: float | None) -> AsyncIterator[Delta | Replied]:
    """The events of a reply, which has so many seconds in all. Raises `ModelTimeout`."""
    import asyncio

    until = None if seconds is None else asyncio.get_running_loop().time() + seconds
    while True:
        try:
            async with asyncio.timeout_at(until):
                event = await anext(events)
        except StopAsyncIteration:
            return
        except TimeoutError as error:
            if until is None or asyncio.get_running_loop().time() < until:
                raise
            problem = f"The model did not finish its reply within {seconds} s. Ask again, or raise `llm_async_timeout`."
            raise ModelTimeout(problem) from error
        yield event


async def _acall(loop: Loop, decision: Decision, call: ToolCall) -> AsyncIterator[tuple[Entry, Run]]:
    yield loop.record(decision.frame, Began(call.id))
    message = await decision.actor.atools(decision.run).aanswer(call, decision.actor.language)
    yield loop.record(decision.frame, Returned(message))


More = Callable[[frozenset[str]], Iterable[tuple[str, AsyncIterator[tuple[Entry, Run]]]]]
"""Given the names of the walks under way: further walks to begin, by name."""


async def _side_by_side(more: More) -> AsyncIterator[tuple[Entry, Run]]:
    """Walks several iterators at once and yields from each as it comes; when one ends, asks for more."""
    import asyncio

    queue: Queue[tuple[Entry, Run] | Task[None]] = asyncio.Queue()
    busy: dict[str, Task[None]] = {}

    async def walk(records: AsyncIterator[tuple[Entry, Run]]) -> None:
        async for record in records:
            queue.put_nowait(record)

    try:
        while True:
            for name, records in more(frozenset(busy)):
                busy[name] = asyncio.create_task(walk(records), name=name)
                busy[name].add_done_callback(queue.put_nowait)
            if not busy:
                return
            match await queue.get():
                case asyncio.Task() as task:
                    del busy[task.get_name()]
                    task.result()
                case record:
                    yield record
    finally:
        for task in busy.values():
            task.cancel()
        if busy:
            await asyncio.gather(*busy.values(), return_exceptions=True)


def _open_frames(path: str, run: Run) -> Iterator[tuple[str, Run, bool]]:
    """The unfinished runs that may go on, and whether they are innermost.

    A run with unfinished children waits for them, unless it has calls that could begin further children beside them.
    """
    if run.outcome is not None:
        return
    open_children = [(id, child) for id, child in run.children.items() if child.outcome is None]
    if not open_children:
        yield path, run, True
        return
    if any(call.id not in run.children for call in run.pending):
        yield path, run, False
    for id, child in open_children:
        yield from _open_frames(f"{path}/{id}" if path else id, child)


def _placed(action: Action, frame: str) -> Action:
    """A request says which frame asks; the agent that made it need not know."""
    if frame and isinstance(action, Ask):
        request = action.request
        return replace(action, request=replace(request, at=(frame, request.at[1])))
    return action


def _no_reply(decision: Decision) -> LLMException:
    return LLMException(
        f"The model {type(decision.actor.model(False)).__name__} ended without a reply. "
        "Its `stream` must yield one `Replied`, last."
    )
