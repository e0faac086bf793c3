"""The shelf: the items that all kinds of memory of one manager hold, with their index and their store."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from threading import RLock
from typing import TYPE_CHECKING

from ..context.token_counter import estimate
from .base import KINDS, Clock, Eviction, MemoryItem, aware, utc_now
from .store import Loaded, MemoryStore, MemoryUnavailable, number_of

if TYPE_CHECKING:
    from .embeddings import Embedding
    from .index import HybridIndex


@dataclass(frozen=True, slots=True)
class Hit:
    """An item that the index has found."""

    item: MemoryItem
    words: float
    """0 to 1: 1 for one that has all words of the query."""
    vector: float
    """0 to 1: the cosine, where it is above 0."""


REMEMBERED_EVICTIONS = 1000
"""Evictions that a shelf can still tell of."""


class Shelf:
    """Items by kind and id, an index over them, and the store they are kept in.

    `write` is the only thing that changes it: it writes to the store first, so that when that fails nothing has
    changed. The store is read at the first use. The index follows at the next search, so that only searching costs
    embeddings. Raises `MemoryUnavailable` wherever the store or the index fails.
    """

    def __init__(
        self, store: MemoryStore | None = None, *, embedding: Embedding | None = None, clock: Clock = utc_now
    ) -> None:
        self.lock = RLock()
        """Held while something is looked up and changed, so that tools may run at the same time."""
        self.evictions: deque[Eviction] = deque(maxlen=REMEMBERED_EVICTIONS)
        self.store = store
        self._embedding = embedding
        self._clock = clock
        self._kinds: dict[str, dict[str, MemoryItem]] | None = None
        self._problems: tuple[str, ...] = ()
        self._last = 0
        self._index: HybridIndex | None = None
        self._stale: dict[str, None] = {}

    def now(self) -> datetime:
        return aware(self._clock())

    def tokens(self, item: MemoryItem) -> int:
        """An estimate, which is the same on every machine."""
        return estimate(item.content)

    def fresh_id(self) -> str:
        """An id that no memory of this shelf has had: short, since a model has to write it."""
        with self.lock:
            self._open()
            self._last += 1
            return f"m{self._last}"

    @property
    def problems(self) -> tuple[str, ...]:
        """What the store had lost when it was read, in words."""
        with self.lock:
            self._open()
            return self._problems

    def items(self, kind: str | None = None) -> list[MemoryItem]:
        """The items of a kind, or all, in the order in which they came to it."""
        with self.lock:
            kinds = self._open()
            return [item for name in KINDS if kind in (None, name) for item in kinds[name].values()]

    def get(self, memory_id: str) -> MemoryItem | None:
        with self.lock:
            return next((items[memory_id] for items in self._open().values() if memory_id in items), None)

    def write(self, put: Sequence[MemoryItem] = (), remove: Sequence[MemoryItem | Eviction] = ()) -> None:
        """Puts items in, each in the place of one with its id, and takes others out; all of it or nothing."""
        with self.lock:
            kinds = self._open()
            gone = [one.id for one in remove]
            if not put and not gone:
                return
            if self.store is not None:
                try:
                    self.store.write(put, gone)
                except Exception as error:
                    raise unavailable(error, "kept") from error
            for item in put:
                for name, items in kinds.items():
                    if name != item.memory_type:
                        items.pop(item.id, None)
                kinds[item.memory_type][item.id] = item
                self._last = max(self._last, number_of(item.id))
            for id in gone:
                for items in kinds.values():
                    items.pop(id, None)
            self._stale |= dict.fromkeys([*(item.id for item in put), *gone])
            self.evictions.extend(one for one in remove if isinstance(one, Eviction))

    def search(self, query: str) -> list[Hit]:
        """What the index finds among all items, best first."""
        with self.lock:
            self._open()
            try:
                index = self._indexed()
                if not len(index):
                    return []
                good = index.lexical.good_score(query)
                found = [(self.get(one.id), one.reasons) for one in index.search(query, len(index))]
            except Exception as error:
                # An embedding is the reader's own function, and may be a service that does not answer.
                raise unavailable(error, "searched") from error
            return [_hit(item, reasons, good) for item, reasons in found if item is not None]

    def _indexed(self) -> HybridIndex:
        """The index, with all that has changed since the last search; new texts are embedded in one call."""
        from .index import HybridIndex

        index = self._index = HybridIndex(self._embedding) if self._index is None else self._index
        new: list[tuple[str, str]] = []
        for id in list(self._stale):
            item = self.get(id)
            if item is None and id in index:
                index.delete(id)
            elif item is not None and id not in index:
                new.append((id, item.content))
                continue
            elif item is not None and index.text(id) != item.content:
                index.update(id, item.content)
            del self._stale[id]
        index.add_many(new)
        self._stale.clear()
        return index

    def _open(self) -> dict[str, dict[str, MemoryItem]]:
        if self._kinds is None:
            loaded = self._loaded()
            kinds: dict[str, dict[str, MemoryItem]] = {kind: {} for kind in KINDS}
            for item in loaded.items:
                kinds[item.memory_type][item.id] = item
            self._problems, self._last = tuple(loaded.problems), loaded.last
            self._stale = dict.fromkeys(item.id for item in loaded.items)
            self._kinds = kinds
        return self._kinds

    def _loaded(self) -> Loaded:
        if self.store is None:
            return Loaded()
        try:
            loaded = self.store.load()
            return replace(loaded, last=max([loaded.last, *_numbers(loaded.items)]))
        except Exception as error:
            raise unavailable(error, "read") from error


def _hit(item: MemoryItem, reasons: Mapping[str, float], good: float) -> Hit:
    words = min(1.0, reasons.get("words", 0.0) / good) if good > 0 else 0.0
    return Hit(item, words, min(1.0, max(0.0, reasons.get("vector", 0.0))))


def _numbers(items: Iterable[MemoryItem]) -> list[int]:
    return [number_of(item.id) for item in items]


def unavailable(error: Exception, what: str) -> MemoryUnavailable:
    """The error that says that the memories could not be `kept`, `searched` or `read`, and why."""
    from ..tools.executor import say

    if isinstance(error, MemoryUnavailable):
        return error
    return MemoryUnavailable(
        f"The memories cannot be {what}: {say(error)}. Nothing has changed; try again when that is mended."
    )
