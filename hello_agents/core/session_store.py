"""The stores of sessions: in memory, in a folder, in Redis. They differ in nothing but the place.

```python
store = SessionStore("sessions")
session = store.open("holiday")
agent.restore(session.saved.entries)  # what was said before, if anything
agent.sink = session.append           # every entry is written as it happens
```
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from threading import Lock

from .session_files import SessionStore
from .session_form import (
    SavedSession,
    SessionClosed,
    SessionConflict,
    SessionDamaged,
    SessionException,
    SessionExists,
    SessionMissing,
    SessionUnavailable,
    conflict,
    describe_agent,
    id_in,
    tool_schema_hash,
)
from .session_redis import RedisSessionStore
from .sessions import Session, Store, Stored

__all__ = [
    "MemorySessionStore",
    "RedisSessionStore",
    "SavedSession",
    "Session",
    "SessionClosed",
    "SessionConflict",
    "SessionDamaged",
    "SessionException",
    "SessionExists",
    "SessionMissing",
    "SessionStore",
    "SessionUnavailable",
    "Store",
    "describe_agent",
    "tool_schema_hash",
]


@dataclass(slots=True)
class _Kept:
    lines: list[str]
    snapshot: str | None = None


class MemorySessionStore(Store):
    """Sessions in the memory of this process: what a test needs, and an agent that is to leave nothing behind."""

    def __init__(self) -> None:
        super().__init__()
        self._heads: dict[str, str] = {}
        self._kept: dict[str, _Kept] = {}
        self._damaged: dict[str, list[str]] = {}
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"MemorySessionStore({len(self._heads)} sessions)"

    def get_head(self, key: str) -> str | None:
        return self._heads.get(key)

    def heads(self) -> Iterator[tuple[str, str]]:
        yield from sorted(self._heads.items())

    def put(self, key: str, id: str, head: str, lines: list[str], old: str | None, aside: bool) -> int | None:
        with self._lock:
            if self._id(key) != old:
                return None
            if old is not None:
                gone = self._kept.pop(old, None)
                if aside and gone is not None:
                    self._damaged[old] = gone.lines
            self._heads[key] = head
            self._kept[id] = _Kept(list(lines))
        return len(lines)

    def put_head(self, key: str, id: str, head: str) -> bool:
        with self._lock:
            if self._id(key) != id:
                return False
            self._heads[key] = head
        return True

    def move(self, key: str, to: str, id: str, head: str) -> bool:
        with self._lock:
            if self._id(key) != id or (to in self._heads and to != key):
                return False
            del self._heads[key]
            self._heads[to] = head
        return True

    def remove(self, key: str, id: str) -> bool:
        with self._lock:
            if self._id(key) != id:
                return False
            del self._heads[key]
            self._kept.pop(id, None)
            self._damaged.pop(id, None)
        return True

    def stored(self, id: str, settled: bool) -> Stored | None:
        with self._lock:
            kept = self._kept.get(id)
            return None if kept is None else Stored(list(kept.lines), len(kept.lines))

    def append_lines(self, id: str, mark: int, lines: list[str], doubtful: bool) -> int:
        with self._lock:
            kept = self._kept.get(id)
            if kept is None:
                raise conflict(id)
            tail = kept.lines[mark:]
            if len(kept.lines) < mark or (tail and not (doubtful and tail == lines[: len(tail)])):
                raise conflict(id)
            kept.lines[mark:] = lines
        return mark + len(lines)

    def get_snapshot(self, id: str) -> str | None:
        kept = self._kept.get(id)
        return None if kept is None else kept.snapshot

    def put_snapshot(self, id: str, text: str) -> None:
        with self._lock:
            if id in self._kept:
                self._kept[id].snapshot = text

    def _id(self, key: str) -> str | None:
        text = self._heads.get(key)
        return None if text is None else id_in(text)
