"""Leases: which worker is at which session, kept beside the sessions, and running out when the worker is gone.

A lease says who may run a session; that nobody else writes meanwhile is seen to by the session itself, which notices a
second writer. A lease that has run out marks a run that was broken off: whoever takes it goes on with it.
"""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any

from ..core.session_files import SessionStore, write_whole
from ..core.session_form import key_of
from ..core.session_redis import RedisSessionStore
from ..core.sessions import Store


@dataclass(frozen=True, slots=True)
class Lease:
    """Who is at a session, and until when if it is not renewed."""

    session: str
    owner: str
    until: float
    """Seconds, by the clock of the leases."""
    stop: bool = False
    """Somebody wants the run stopped."""


Change = Callable[[Lease | None, float], Lease | None]
"""The new lease, from the old one and the time; pure, since it may be asked again. `None`: no lease."""


class Leases(ABC):
    """The leases of a store. All methods may wait for the store, and raise `SessionUnavailable` as it does."""

    @abstractmethod
    def change(self, session: str, change: Change) -> Lease | None:
        """Changes a lease in one step, and returns it."""

    @abstractmethod
    def now(self) -> float:
        """The clock by which leases run out; the same for all workers."""

    @abstractmethod
    def all(self) -> Iterator[Lease]: ...

    def find(self, session: str) -> Lease | None:
        """The lease of a session, run out or not."""
        return self.change(session, lambda lease, now: lease)

    def take(self, session: str, owner: str, seconds: float, *, abandoned: bool = False) -> Lease | None:
        """Takes a session that nobody has; with `abandoned`, one whose worker is gone. `None`: somebody has it."""

        def taken(lease: Lease | None, now: float) -> Lease | None:
            if lease is not None and lease.owner != owner and not (abandoned and lease.until <= now):
                return lease
            return Lease(session, owner, now + seconds, lease is not None and lease.stop)

        return _mine(self.change(session, taken), owner)

    def renew(self, session: str, owner: str, seconds: float) -> Lease | None:
        """Keeps a session for longer. `None`: it is no longer the owner's."""

        def renewed(lease: Lease | None, now: float) -> Lease | None:
            return lease if lease is None or lease.owner != owner else replace(lease, until=now + seconds)

        return _mine(self.change(session, renewed), owner)

    def release(self, session: str, owner: str) -> None:
        """The run has ended or waits for a person."""
        self.change(session, lambda lease, now: None if lease is not None and lease.owner == owner else lease)

    def park(self, session: str, owner: str) -> None:
        """The run is broken off, and is to be taken over at once."""

        def parked(lease: Lease | None, now: float) -> Lease | None:
            return replace(lease, until=0.0) if lease is not None and lease.owner == owner else lease

        self.change(session, parked)

    def ask_to_stop(self, session: str) -> bool:
        """Tells whoever has the session to stop its run. False: nobody has it."""
        lease = self.change(session, lambda lease, now: lease and replace(lease, stop=True))
        return lease is not None


def _mine(lease: Lease | None, owner: str) -> Lease | None:
    return lease if lease is not None and lease.owner == owner else None


def leases_of(store: Store) -> Leases:
    """The leases that go with a store. Those of a store of one's own are seen in this process only."""
    match store:
        case RedisSessionStore():
            return RedisLeases(store)
        case SessionStore():
            return FileLeases(store)
        case _:
            return MemoryLeases()


class MemoryLeases(Leases):
    """Leases in this process."""

    def __init__(self) -> None:
        self._leases: dict[str, Lease] = {}
        self._lock = Lock()

    def now(self) -> float:
        return time.monotonic()

    def change(self, session: str, change: Change) -> Lease | None:
        with self._lock:
            lease = change(self._leases.pop(session, None), self.now())
            if lease is not None:
                self._leases[session] = lease
            return lease

    def all(self) -> Iterator[Lease]:
        with self._lock:
            leases = list(self._leases.values())
        yield from leases


class FileLeases(Leases):
    """Leases in the folder of the sessions, for the processes of one machine."""

    def __init__(self, store: SessionStore) -> None:
        self._store = store
        self._folder = Path(store.session_dir) / "leases"

    def now(self) -> float:
        return time.time()

    def change(self, session: str, change: Change) -> Lease | None:
        path = self._folder / f"{key_of(session)}.json"
        with self._store.alone():
            old = _read(self._store.text_of(path))
            lease = change(old, self.now())
            if lease is None:
                path.unlink(missing_ok=True)
            elif lease != old:
                self._folder.mkdir(exist_ok=True)
                write_whole(path, json.dumps(asdict(lease)).encode())
        return lease

    def all(self) -> Iterator[Lease]:
        for path in sorted(self._folder.glob("*.json")):
            lease = _read(self._store.text_of(path))
            if lease is not None:
                yield lease


# One hash holds all leases. A lease is put there only where the one before is still what was read.
_READ = "return {redis.call('HGET', KEYS[1], ARGV[1]) or '', redis.call('TIME')[1], redis.call('TIME')[2]}"
_ALL = "return redis.call('HVALS', KEYS[1])"
_PUT = """
    if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 0 end
    if ARGV[3] == '' then redis.call('HDEL', KEYS[1], ARGV[1]) else redis.call('HSET', KEYS[1], ARGV[1], ARGV[3]) end
    return 1
"""


class RedisLeases(Leases):
    """Leases in Redis, by the server's clock, for workers on several machines."""

    def __init__(self, store: RedisSessionStore) -> None:
        self._store = store
        self._keys = [store.space + "leases"]

    def now(self) -> float:
        return self._read("")[1]

    def change(self, session: str, change: Change) -> Lease | None:
        while True:
            text, now = self._read(session)
            old = _read(text)
            lease = change(old, now)
            if lease == old:
                return lease
            new = "" if lease is None else json.dumps(asdict(lease))
            if self._store.script(_PUT, self._keys, session, text, new):
                return lease

    def all(self) -> Iterator[Lease]:
        yield from filter(None, map(_read, self._store.script(_ALL, self._keys)))

    def _read(self, session: str) -> tuple[str, float]:
        text, seconds, micros = self._store.script(_READ, self._keys, session)
        return text.decode(), int(seconds) + int(micros) / 1e6


def _read(text: str | bytes | None) -> Lease | None:
    data: Any = json.loads(text) if text else None
    return None if data is None else Lease(**data)
