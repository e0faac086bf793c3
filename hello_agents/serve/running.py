"""One run under way in this worker: it walks the loop, writes the journal, keeps its lease, and tells who watches."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, assert_never

from ..core.agent import Agent
from ..core.exceptions import LLMException
from ..core.run import Entry, Event, Noted, Run, Stopped, Told, evolve
from ..core.session_form import SessionClosed, SessionConflict, SessionUnavailable, describe_agent, tool_schema_hash
from ..core.sessions import Session
from .telling import RUN_ERROR, Place, told

if TYPE_CHECKING:
    from .service import Service

_log = logging.getLogger(__name__)

Piece = tuple[Entry, Run]
End = Literal["ended", "stopped", "timed_out", "parked", "lost"]
"""How the walk came to an end: by itself, or because somebody wanted it to, or the lease was no longer ours."""


@dataclass(frozen=True, slots=True)
class Ask:
    """Work to do: a new question."""

    text: str


@dataclass(frozen=True, slots=True)
class Resume:
    """Work to do: go on with a run that was broken off or waits, after these events."""

    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class Stop:
    """Work to do: close the question as it stands."""


Work = Ask | Resume | Stop


class Watcher:
    """The pieces that one client has not been sent yet. One that falls too far behind is given up."""

    def __init__(self, most: int) -> None:
        self._queue: asyncio.Queue[Piece | None] = asyncio.Queue(most)
        self.lost = False

    def put(self, piece: Piece | None) -> None:
        try:
            self._queue.put_nowait(piece)
        except asyncio.QueueFull:
            self.lost = True

    async def pieces(self) -> AsyncIterator[Piece]:
        while not self.lost and (piece := await self._queue.get()) is not None:
            yield piece


class Tail:
    """How far a stream of events has come: the next entry, the run before it, and what the client has already."""

    def __init__(self, run: Run, first: int, after: Place) -> None:
        self.run = run
        self.next = first
        self.last: Entry | None = None
        self._after = after

    def take(self, entry: Entry, run: Run) -> list[str]:
        """The server-sent events of an entry, unless it has been told before."""
        if 0 <= entry.seq < self.next:
            return []
        if entry.seq >= 0:
            self.next, self.run, self.last = entry.seq + 1, run, entry
        return list(told(entry, run, self._after))


class Running:
    """A run under way. `go` is its whole life."""

    def __init__(self, service: Service, session: str, owner: str) -> None:
        self.session = session
        self.owner = owner
        self.log: list[Piece] = []
        """What has been told so far, with the run after each entry."""
        self.first: int | None = None
        """The number of the entry that comes first here; `None` until the session is open."""
        self.before: Run | None = None
        self.id = ""
        """The id of the session in its store."""
        self.accepted: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        """Done when the work has been written down; the number of the entry before it."""
        self.ended = asyncio.Event()
        self._service = service
        self._settings = service.settings
        self._watchers: set[Watcher] = set()
        self._walk_task: asyncio.Task[None] | None = None
        self._end: End = "ended"
        self._parking = False
        self._held_back: list[Piece] = []

    # -- from outside -----------------------------------------------------------------------------

    def interrupt(self, end: End) -> None:
        """Ends the walk where it is."""
        if self._end == "ended" and self._walk_task is not None and not self._walk_task.done():
            self._end = end
            self._walk_task.cancel()

    def park(self) -> None:
        """Ends the walk where nothing is lost by it: when no call and no request is under way."""
        self._parking = True

    async def watch(self, tail: Tail) -> AsyncIterator[str]:
        """The events from where `tail` is, then live ones, until the run has ended here."""
        watcher = Watcher(self._settings.queue)
        if not self.ended.is_set():
            self._watchers.add(watcher)
        try:
            for entry, run in self.log[max(0, tail.next - (self.first or 0)) :]:
                for text in tail.take(entry, run):
                    yield text
            if self.ended.is_set():
                return
            async for entry, run in watcher.pieces():
                for text in tail.take(entry, run):
                    yield text
            if watcher.lost:
                raise SlowReader
        finally:
            self._watchers.discard(watcher)

    # -- its life ---------------------------------------------------------------------------------

    async def go(self, work: Work) -> None:
        """Does the work, and leaves the session to the next one, whatever happens."""
        renewing = asyncio.create_task(self._renew())
        try:
            self._walk_task = asyncio.create_task(self._do(work))
            await asyncio.wait([self._walk_task])
            error = None if self._walk_task.cancelled() else self._walk_task.exception()
            if error is not None:
                await self._failed(error)
            if self._end in ("stopped", "timed_out"):
                await self._stop()
        except Exception as error:
            self._end = "parked"
            self._fail_acceptance(error)
            _log.warning("The run of %r could not be brought to its end: %s", self.session, error)
        finally:
            renewing.cancel()
            await self._leave()

    async def _do(self, work: Work) -> None:
        match work:
            case Stop():
                self._end = "stopped"
            case Ask(text):
                await self._walk(text, ())
            case Resume(events):
                await self._walk(None, events)
            case _:
                assert_never(work)

    async def _walk(self, text: str | None, events: Sequence[Event]) -> None:
        agent, session = await self._open()
        deadline = asyncio.timeout(self._settings.run_seconds)
        try:
            async with deadline:
                async with aclosing(agent.awalk(text, events=events, deltas=True)) as records:
                    async for entry, run in records:
                        self._tell(entry, run)
                        if text is None or _is_question(entry):
                            self._accept()
                        if self._parking and agent.state.outcome is None and not _in_flight(agent.state):
                            self._end = "parked"
                            break
            self._accept()
        except (SessionConflict, SessionUnavailable, SessionClosed, LLMException):
            raise
        except Exception as error:
            if not self.accepted.done():
                raise
            if isinstance(error, TimeoutError) and deadline.expired():
                self._end = "timed_out"
            else:
                _log.warning("The agent of %r failed.", self.session, exc_info=error)
                agent.record(Noted(RUN_ERROR, {"type": type(error).__name__, "message": str(error)}))
        finally:
            self._tell_rest(agent, session)
            await self._service.call(self._close, session)

    async def _open(self) -> tuple[Agent, Session]:
        agent, session = await self._service.call(self._opened)
        if self.first is None:
            self.first, self.before, self.id = session.seq, session.saved.run, session.id
        return agent, session

    def _opened(self) -> tuple[Agent, Session]:
        agent = self._service.agent()
        session = self._service.store.open(
            self.session,
            start=Run(agent.name),
            agent_config=describe_agent(agent),
            tool_schema_hash=tool_schema_hash(agent.tools(agent.state).schemas()),
        )
        agent.restore(session.saved.entries, session.saved.start)
        agent.sink = session.append
        return agent, session

    def _close(self, session: Session) -> None:
        # What could not be written is not lost: the run is taken over from the last entry that was.
        with suppress(SessionUnavailable, SessionConflict):
            session.close()

    async def _failed(self, error: BaseException) -> None:
        """The walk raised. What the model's end is has been noted; what is the store's is tried again by others."""
        self._fail_acceptance(error)
        match error:
            case SessionConflict() | SessionUnavailable() | SessionClosed():
                _log.warning("The run of %r is parked: %s", self.session, error)
                self._end = "parked"
            case _:
                _log.info("The run of %r ended in an error: %s", self.session, error)

    async def _stop(self) -> None:
        agent, session = await self._open()
        try:
            agent.stop(self._end)
            self._accept()
        finally:
            self._tell_rest(agent, session)
            await self._service.call(self._close, session)

    async def _leave(self) -> None:
        """Gives the session back, and only then says that the question is closed: the next one may come at once."""
        service = self._service
        self._fail_acceptance(SessionUnavailable("The run ended before it began."))
        with suppress(SessionUnavailable, SessionClosed):
            if self._end == "parked":
                await service.call(service.leases.park, self.session, self.owner)
            elif self._end != "lost":
                await service.call(service.leases.release, self.session, self.owner)
        service.forget(self)
        for piece in self._held_back:
            self._put(piece)
        self.ended.set()
        for watcher in list(self._watchers):
            watcher.put(None)

    async def _renew(self) -> None:
        """Keeps the lease, and hears through it that the run is to be stopped, or that it is somebody else's now."""
        service, seconds = self._service, self._settings.lease_seconds
        clock = asyncio.get_running_loop().time
        renewed = clock()
        while True:
            await asyncio.sleep(min(1.0, seconds / 4))
            try:
                lease = await service.call(service.leases.renew, self.session, self.owner, seconds)
            except SessionUnavailable:
                if clock() - renewed > seconds:
                    self.interrupt("parked")
                continue
            renewed = clock()
            if lease is None:
                self.interrupt("lost")
            elif lease.stop:
                self.interrupt("stopped")

    # -- telling ----------------------------------------------------------------------------------

    def _tell(self, entry: Entry, run: Run) -> None:
        if self._held_back or (isinstance(entry.event, Stopped) and not entry.frame):
            self._held_back.append((entry, run))
        else:
            self._put((entry, run))

    def _tell_rest(self, agent: Agent, session: Session) -> None:
        """Tells what was written and not told yet, as the walk did not get round to it."""
        told = [*self.log, *self._held_back]
        assert self.first is not None
        assert self.before is not None
        run = told[-1][1] if told else self.before
        for entry in agent.journal[self.first + len(told) : session.seq - session.unwritten]:
            run = evolve(run, entry.event, entry.frame)
            self._tell(entry, run)

    def _put(self, piece: Piece) -> None:
        if piece[0].seq >= 0:
            self.log.append(piece)
        for watcher in list(self._watchers):
            watcher.put(piece)

    def _accept(self) -> None:
        if not self.accepted.done():
            self.accepted.set_result((self.first or 0) - 1)

    def _fail_acceptance(self, error: BaseException) -> None:
        if not self.accepted.done():
            self.accepted.set_exception(error)
            self.accepted.exception()  # Whoever waited for it may be gone.


class SlowReader(Exception):
    """A client that reads too slowly for what is said."""


def _is_question(entry: Entry) -> bool:
    return isinstance(entry.event, Told) and entry.event.message.role == "user" and not entry.frame


def _in_flight(run: Run) -> bool:
    """Whether a call has begun and is not answered, in any frame."""
    return any(call.id in one.begun for _, one in run.frames for call in one.pending if call.id not in one.children)
