"""The service: which runs are under way here, which are to be taken over, and streams of what happens in them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import ParamSpec, TypeVar

from ..core.agent import Agent
from ..core.opaque import apart, closed
from ..core.run import Entry, Noted, Run, evolve
from ..core.session_form import SavedSession, SessionException, SessionMissing, SessionUnavailable, fresh_id
from ..core.session_store import MemorySessionStore
from ..core.sessions import Store
from .leases import Lease, leases_of
from .problems import Problem
from .running import Resume, Running, SlowReader, Stop, Tail, Work
from .settings import Settings
from .telling import TAKEN_OVER, Place, Standing, standing

P = ParamSpec("P")
T = TypeVar("T")

_log = logging.getLogger(__name__)

AgentSource = Agent | Callable[[], Agent]
"""An agent, of which each run gets a copy, or better a function that makes one."""


class Service:
    """Sessions of one agent for many clients. Made outside of an event loop, and used inside of one."""

    def __init__(self, source: AgentSource, store: Store, settings: Settings) -> None:
        self.store = store
        self.settings = settings
        self.leases = leases_of(store)
        self.worker = fresh_id()[:12]
        self.runs: dict[str, Running] = {}
        """The runs under way here, by session."""
        self._beginning = 0
        """Runs that have a place here, and not their session yet."""
        self.closing = asyncio.Event()
        self.shared = not isinstance(store, MemorySessionStore)
        """Whether another worker, or this one after a restart, can go on with a run."""
        self.followers: list[Callable[[Entry, Run], None]] = []
        """Subscribers of every agent: metrics, say."""
        self.busy: dict[str, Lease] = {}
        """The leases of all workers, as they were a moment ago."""
        self._source = source
        self._lingering: dict[str, asyncio.Event] = {}
        """Set when a run begins here in a session that somebody waits at."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._threads = ThreadPoolExecutor(8, "hello-agents-store")

    def agent(self) -> Agent:
        """A fresh agent. One with a `run` of its own is one question and one reply, which no worker goes on with."""
        if isinstance(self._source, Agent):
            agent = apart(self._source, [])
            agent.subscribers = [*self._source.subscribers]
        else:
            agent = self._source()
        agent = closed(agent)
        agent.subscribers = [*agent.subscribers, *self.followers]
        return agent

    async def call(self, do: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Calls what may wait for the store, in a thread of the service's own, so that tools cannot use them all up."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, lambda: do(*args, **kwargs))

    # -- runs -------------------------------------------------------------------------------------

    async def start(self, session: str, work: Work, *, after: int | None = None, abandoned: bool = False) -> Running:
        """Begins a run, and returns when its work is written down. Raises `Problem`, or what the store raises.

        `after`: only if the journal ends with this entry. `abandoned`: also where a dead worker has left a run.
        """
        if self.closing.is_set():
            raise Problem(503, "closing", retry_after=1)
        if self._full():
            raise Problem(503, "runs", retry_after=2, most=self.settings.max_runs)
        owner = f"{self.worker}:{fresh_id()[:8]}"
        # Its place is taken now: of many who come at once, all would find it free while the store is waited for.
        self._beginning += 1
        try:
            await self._claim(session, owner, after, abandoned)
            running = self._launch(session, owner, work)
        finally:
            self._beginning -= 1
        await asyncio.shield(asyncio.wait([running.accepted]))
        if running.accepted.exception() is not None:
            await running.ended.wait()
        running.accepted.result()
        return running

    async def _claim(self, session: str, owner: str, after: int | None, abandoned: bool) -> None:
        """Takes the session for a run. Raises `Problem` when somebody has it, or its journal ends elsewhere."""
        if session in self.runs or not await self._take(session, owner, abandoned):
            raise Problem(409, "busy", retry_after=1, session=session)
        try:
            if after is not None:
                await self._check_end(session, after)
        except BaseException:
            await self.call(self.leases.release, session, owner)
            raise

    def _full(self) -> bool:
        return len(self.runs) + self._beginning >= self.settings.max_runs

    async def stop(self, session: str) -> None:
        """Stops the run of a session, wherever it is, and returns when it has stopped. Raises `Problem`."""
        await self.call(self._known, session)
        deadline = asyncio.get_running_loop().time() + 2 * self.settings.lease_seconds + 5
        while asyncio.get_running_loop().time() < deadline:
            running = self.runs.get(session)
            if running is not None:
                running.interrupt("stopped")
                await running.ended.wait()
                return
            owner = f"{self.worker}:{fresh_id()[:8]}"
            if await self.call(self.leases.take, session, owner, self.settings.lease_seconds, abandoned=True):
                await self._launch(session, owner, Stop()).ended.wait()
                return
            await self.call(self.leases.ask_to_stop, session)
            await self.nap(self.settings.poll_seconds)
        raise Problem(503, "not_stopped", retry_after=5, session=session)

    async def delete(self, session: str) -> None:
        """Removes a session in which no run is under way."""
        owner = f"{self.worker}:{fresh_id()[:8]}"
        if session in self.runs or not await self._take(session, owner, abandoned=False):
            raise Problem(409, "busy", retry_after=1, session=session)
        try:
            if not await self.call(self.store.delete, session):
                raise SessionMissing
        finally:
            await self.call(self.leases.release, session, owner)

    def forget(self, running: Running) -> None:
        """The run has left its session."""
        if self.runs.get(running.session) is running:
            del self.runs[running.session]

    def _launch(self, session: str, owner: str, work: Work) -> Running:
        running = self.runs[session] = Running(self, session, owner)
        if (lingering := self._lingering.pop(session, None)) is not None:
            lingering.set()
        if self.closing.is_set():
            running.park()
        self.keep(asyncio.create_task(running.go(work)))
        return running

    async def _take(self, session: str, owner: str, abandoned: bool) -> bool:
        """Takes the session. One whose run has just ended is not given back yet, for a moment."""
        for _ in range(10):
            lease = await self.call(self.leases.take, session, owner, self.settings.lease_seconds, abandoned=abandoned)
            if lease is not None:
                return True
            if session in self.runs:
                return False
            await self.nap(0.05)
        return False

    async def _check_end(self, session: str, after: int) -> None:
        try:
            saved = await self.call(self.store.read, session)
        except SessionMissing:
            last = -1
        else:
            last = len(saved.entries) - 1
        if last != after:
            raise Problem(409, "after", session=session, after=after, last=last)

    def _known(self, session: str) -> None:
        if not self.store.exists(session):
            raise SessionMissing

    # -- looking ----------------------------------------------------------------------------------

    async def look(self, session: str) -> tuple[SavedSession, Standing]:
        """A session and how it stands."""
        lease = await self.call(self.leases.find, session)
        saved = await self.call(self.store.read, session)
        return saved, await self._standing(saved.run, saved.entries[-1] if saved.entries else None, lease is not None)

    async def _standing(self, run: Run, last: Entry | None, running: bool) -> Standing:
        return await self.call(lambda: standing(self.agent(), run, last, running))

    async def opened(self, session: str) -> SavedSession:
        return await self.call(self.store.read, session)

    async def follow(self, saved: SavedSession | Running, after: Place, linger: bool = False) -> AsyncGenerator[str]:
        """What happened in a session after a place, then what happens, until no run is under way.

        With `linger`, further runs are waited for. Ends early when the service closes, or the session is deleted.
        """
        if isinstance(saved, Running):
            session, id, fresh = saved.session, saved.id, ()
            tail = Tail(saved.before or Run(""), saved.first or 0, after)
            try:
                async for text in saved.watch(tail):
                    yield text
            except SlowReader:
                return
            if tail.run.outcome is not None:
                return
        else:
            session, id, fresh = saved.name, saved.id, saved.entries
            tail = Tail(saved.start, 0, after)
        pause, said = self.settings.poll_seconds, -1
        while True:
            running = self._live(session)
            for entry in fresh:
                if running is None or entry.seq < (running.first or 0):
                    for text in tail.take(entry, _after(tail.run, entry)):
                        yield text
            if running is not None and tail.next >= (running.first or 0):
                try:
                    async for text in running.watch(tail):
                        yield text
                except SlowReader:
                    return
                fresh = ()
                continue
            # The lease first: a run that is not there any more has written all it had to write.
            lease = await self.call(self.leases.find, session)
            found = await self.call(self.store.entries_after, id, tail.next - 1)
            if found is None:
                return
            fresh = tuple(found)
            if fresh:
                pause = self.settings.poll_seconds
                continue
            if lease is None and session not in self.runs:
                if tail.run.outcome is None and said != tail.next:
                    yield (await self._standing(tail.run, tail.last, False)).to_sse()
                    said = tail.next
                if not linger:
                    return
                await self._news(session)
            if self.closing.is_set():
                return
            await self.nap(pause)
            pause = min(1.0, pause * 1.5)

    def _live(self, session: str) -> Running | None:
        running = self.runs.get(session)
        return running if running is not None and running.first is not None else None

    async def _news(self, session: str) -> None:
        """Waits until there is a run again. Costs the store nothing; looks itself now and then, for what was missed."""
        begun = self._lingering.setdefault(session, asyncio.Event())
        for _ in range(10):
            if begun.is_set() or session in self.runs or session in self.busy or self.closing.is_set():
                return
            with suppress(TimeoutError):
                await asyncio.wait_for(begun.wait(), 1.0)

    async def nap(self, seconds: float) -> None:
        """Waits, unless the service closes."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.closing.wait(), seconds)
            await asyncio.sleep(min(seconds, 0.05))

    # -- taking over ------------------------------------------------------------------------------

    async def sweep(self) -> None:
        """Looks at all leases, again and again, and goes on with the runs of workers that are gone."""
        while not self.closing.is_set():
            try:
                now, leases = await self.call(lambda: (self.leases.now(), list(self.leases.all())))
                self.busy = {lease.session: lease for lease in leases}
                for lease in leases:
                    if lease.until <= now and not self._full() and not self.closing.is_set():
                        await self._take_over(lease)
            except SessionException as error:
                _log.warning("The leases cannot be looked at: %s", error)
            await self.nap(min(1.0, self.settings.lease_seconds / 4))

    async def _take_over(self, lease: Lease) -> None:
        session, owner = lease.session, f"{self.worker}:{fresh_id()[:8]}"
        if session in self.runs:
            return
        if not await self.call(self.leases.take, session, owner, self.settings.lease_seconds, abandoned=True):
            return
        try:
            run = await self.call(self.store.state, session)
        except SessionUnavailable:
            await self.call(self.leases.park, session, owner)
            return
        except SessionException:
            run = None
        times = 0 if run is None else _takeovers(run) + bool(lease.until)
        if run is None or run.outcome is not None or not run.turn or times > self.settings.max_takeovers:
            # A question that was not written down was not accepted either.
            await self.call(self.leases.release, session, owner)
            return
        # The note also tells a worker that is only slow that the session is no longer its own.
        note = Noted(TAKEN_OVER, {"turn": run.turn, "times": times})
        _log.info("The run of %r is taken over from %s.", session, lease.owner)
        self._launch(session, owner, Resume((note,)))

    # -- beginning and end ------------------------------------------------------------------------

    def begin(self) -> None:
        """Begins to look for abandoned runs. Called inside of the event loop."""
        self.keep(asyncio.create_task(self.sweep()))

    def begin_to_close(self) -> None:
        """Takes no more work. Runs end, or are parked where another worker can go on with them."""
        if not self.closing.is_set():
            self.closing.set()
            for lingering in self._lingering.values():
                lingering.set()
            for running in self.runs.values():
                if self.shared:
                    running.park()
            self.keep(asyncio.create_task(self._end_after_grace()))

    async def close(self) -> None:
        """Ends what is under way, within the grace period, and the use of the store."""
        self.begin_to_close()
        while self._tasks:
            await asyncio.wait(self._tasks)
        self.store.close()
        self._threads.shutdown(wait=False)

    def keep(self, task: asyncio.Task[None]) -> None:
        """Holds on to a task until it is done."""
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _end_after_grace(self) -> None:
        ends = [asyncio.create_task(running.ended.wait()) for running in self.runs.values()]
        if ends:
            await asyncio.wait(ends, timeout=self.settings.grace_seconds)
        for running in list(self.runs.values()):
            running.interrupt("parked")


def _after(run: Run, entry: Entry) -> Run:
    return evolve(run, entry.event, entry.frame)


def _takeovers(run: Run) -> int:
    note = run.notes.get(TAKEN_OVER)
    return note["times"] if note is not None and note["turn"] == run.turn else 0
