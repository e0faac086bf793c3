"""What is remembered, how much of it, and what each kind of memory can do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from math import isfinite
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from ..catalogue import text

if TYPE_CHECKING:
    from .shelf import Shelf
    from .store import MemoryStore

Clock = Callable[[], datetime]
"""Tells the time, with a time zone."""

MemoryKind = Literal["working", "episodic", "semantic"]
KINDS: tuple[MemoryKind, ...] = get_args(MemoryKind)

Strategy = Literal["importance_based", "time_based", "capacity_based"]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)

Reason = Literal["capacity", "tokens", "expired", "importance", "age"]
"""Why a memory was forgotten: too many of its kind, too many tokens, its time had run out, or somebody asked to forget
what is unimportant or old."""


class MemoryFault(ValueError):
    """Why something cannot be remembered, found or changed as asked."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(text(key, "en", **values))
        self.key, self.values = key, values

    def said(self, language: str) -> str:
        """The same in another language."""
        return text(self.key, language, **self.values)


def utc_now() -> datetime:
    return datetime.now(UTC)


def aware(time: datetime) -> datetime:
    """The time in UTC. One without a time zone is taken for this machine's."""
    return time.astimezone(UTC)


def _no_metadata() -> dict[str, Any]:
    return {}


@dataclass(frozen=True, slots=True)
class MemoryItem:
    """One thing remembered. Raises `MemoryFault` for an empty content and for an importance outside of 0 to 1."""

    id: str
    content: str
    memory_type: str
    """One of `KINDS`."""
    user_id: str = "default_user"
    timestamp: datetime = field(default_factory=utc_now)
    """When it was first remembered, in UTC."""
    importance: float = 0.5
    """0 (may go any time) to 1 (stays longest)."""
    tags: tuple[str, ...] = ()
    metadata: dict[str, Any] = field(default_factory=_no_metadata)
    """Whatever else belongs to it, in JSON values."""
    updated: datetime | None = None
    """When it was last changed; `None`: never."""

    def __post_init__(self) -> None:
        if not self.content.strip():
            raise MemoryFault("memory.no_content")
        if not 0 <= self.importance <= 1:
            raise MemoryFault("memory.bad_importance", importance=self.importance)
        object.__setattr__(self, "timestamp", aware(self.timestamp))
        object.__setattr__(self, "tags", tuple(dict.fromkeys(self.tags)))

    @property
    def touched(self) -> datetime:
        """When it was written last; what its age is counted from."""
        return self.updated or self.timestamp

    def to_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "content": self.content,
            "memory_type": self.memory_type,
            "user_id": self.user_id,
            "timestamp": self.timestamp.isoformat(),
            "importance": self.importance,
            "tags": list(self.tags),
            "metadata": self.metadata,
            "updated": None if self.updated is None else self.updated.isoformat(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> MemoryItem:
        """Reads what `to_dict` wrote. Raises `KeyError`, `TypeError` or `ValueError` when it is not that."""
        updated = data.get("updated")
        return cls(
            str(data["id"]),
            str(data["content"]),
            str(data["memory_type"]),
            str(data["user_id"]),
            datetime.fromisoformat(data["timestamp"]),
            float(data["importance"]),
            tuple(str(tag) for tag in data.get("tags") or ()),
            dict(data.get("metadata") or {}),
            None if updated is None else aware(datetime.fromisoformat(updated)),
        )


@dataclass(frozen=True, slots=True)
class Recalled:
    """A memory that was found, and why it stands where it does."""

    item: MemoryItem
    score: float
    """0 to 1: the sum of the reasons."""
    reasons: Mapping[str, float]
    """What `words`, `vector`, `recency` and `importance` have added."""


@dataclass(frozen=True, slots=True)
class Eviction:
    """A memory that is gone, and why."""

    item: MemoryItem
    reason: Reason

    @property
    def id(self) -> str:
        return self.item.id

    def to_dict(self) -> dict[str, Any]:
        item = self.item
        return {"id": item.id, "memory_type": item.memory_type, "content": item.content, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class RecallWeights:
    """How much each part counts when memories are ranked. Only their ratios matter.

    Adding recency and importance to relevance follows Park et al., "Generative Agents", 2023.
    """

    words: float = 0.4
    """Words of the query in the memory: 1 when it has them all."""
    vector: float = 0.3
    """Cosine of the two vectors; below 0 counts as 0."""
    recency: float = 0.15
    """1 for now, a half after one half-life, a quarter after two."""
    importance: float = 0.15

    def __post_init__(self) -> None:
        parts = (self.words, self.vector, self.recency, self.importance)
        if any(not isfinite(part) or part < 0 for part in parts) or not 0 < sum(parts) < float("inf"):
            raise ValueError(f"{self} has no meaning. Weights are 0 or more, and at least one is more.")

    def weighted(self, words: float, vector: float, recency: float, importance: float) -> dict[str, float]:
        """What each part, of 0 to 1, adds to the score. Together they are 0 to 1."""
        whole = self.words + self.vector + self.recency + self.importance
        return {
            "words": self.words / whole * words,
            "vector": self.vector / whole * vector,
            "recency": self.recency / whole * recency,
            "importance": self.importance / whole * importance,
        }


MOST = 1e9
"""The highest limit that can be set: more than there will ever be, and still a length of time."""


@dataclass(frozen=True, slots=True)
class MemoryConfig:
    """How much is remembered, for how long, and what counts when it is looked for. Limits hold for each user."""

    storage_path: str | None = None
    """A folder to keep memories in, as JSON lines. `None`: they end with the process."""
    working_memory_capacity: int | None = 10
    """Items in working memory. `None`: no limit."""
    working_memory_tokens: int | None = 2000
    """Tokens in working memory. `None`: no limit."""
    working_memory_ttl_minutes: float | None = 120
    """Minutes after which working memory forgets an item. `None`: never."""
    max_capacity: int | None = None
    """Items in episodic memory, and as many in semantic memory. `None`: no limit."""
    default_importance: float = 0.5
    """That of a memory nobody has judged."""
    weights: RecallWeights = RecallWeights()
    half_life_hours: float = 24.0
    """Hours after which a memory counts half as recent."""
    min_similarity: float = 0.25
    """A memory that shares no word with the query is found from this cosine on."""

    def __post_init__(self) -> None:
        limits = {
            "working_memory_capacity": self.working_memory_capacity,
            "working_memory_tokens": self.working_memory_tokens,
            "working_memory_ttl_minutes": self.working_memory_ttl_minutes,
            "max_capacity": self.max_capacity,
            "half_life_hours": self.half_life_hours,
        }
        for name, value in limits.items():
            if value is not None and not 0 < value <= MOST:
                raise ValueError(
                    f"{name} is {value}. It should be more than 0 and at most {MOST:g}, or None for no limit."
                )
        if not 0 <= self.default_importance <= 1:
            raise MemoryFault("memory.bad_importance", importance=self.default_importance)

    def recency(self, item: MemoryItem, now: datetime) -> float:
        """1 for a memory of now, halved with every half-life."""
        hours = max(0.0, (now - item.touched) / timedelta(hours=1))
        return 0.5 ** (hours / self.half_life_hours)


@dataclass(frozen=True, slots=True)
class Filter:
    """Which memories are looked through."""

    user_id: str | None = None
    """`None`: everybody's."""
    memory_types: Sequence[str] | None = None
    tags: Sequence[str] = ()
    """Any of them; none: all memories."""
    min_importance: float = 0.0
    time_range: tuple[datetime | None, datetime | None] | None = None
    """From and to, both included; `None` on a side leaves it open."""

    def admits(self, item: MemoryItem) -> bool:
        return (
            (self.user_id is None or item.user_id == self.user_id)
            and (self.memory_types is None or item.memory_type in self.memory_types)
            and (not self.tags or not set(self.tags).isdisjoint(item.tags))
            and item.importance >= self.min_importance
            and self._in_time(item.timestamp)
        )

    def _in_time(self, time: datetime) -> bool:
        first, last = self.time_range or (None, None)
        return (first is None or aware(first) <= time) and (last is None or time <= aware(last))


class BaseMemory:
    """A kind of memory: rules about how much is kept and for how long, over the items of a shelf.

    A manager's kinds share one shelf; a kind made by itself has one of its own. Its items are looked at, and expire,
    by the shelf's clock. Whatever goes without being removed by name is told: by the methods that return evictions,
    and in `evictions`.
    """

    memory_type: ClassVar[MemoryKind] = "working"

    def __init__(
        self,
        config: MemoryConfig | None = None,
        storage_backend: MemoryStore | None = None,
        *,
        shelf: Shelf | None = None,
        clock: Clock = utc_now,
    ) -> None:
        from .shelf import Shelf

        self.config = config or MemoryConfig()
        self.shelf = Shelf(storage_backend, clock=clock) if shelf is None else shelf

    # --- the rules: what a kind overrides ----------------------------------------------------------------------------

    @property
    def capacity(self) -> int | None:
        """Items for each user."""
        return self.config.max_capacity

    @property
    def token_capacity(self) -> int | None:
        """Tokens for each user."""
        return None

    @property
    def time_to_live(self) -> timedelta | None:
        return None

    # --- changing ----------------------------------------------------------------------------------------------------

    def put(self, item: MemoryItem) -> tuple[Eviction, ...]:
        """Keeps an item, and returns what had to go for it: the least important and recent of the same user.

        The new item itself is never what goes. Raises `MemoryFault` for one that is too long for this kind.
        """
        with self.shelf.lock:
            expired = self.sweep()
            item = replace(item, memory_type=self.memory_type)
            evicted = self._crowded_out(item)
            self.shelf.write((item,), evicted)
            return (*expired, *evicted)

    def add(self, memory_item: MemoryItem) -> str:
        """`put`, returning the id."""
        self.put(memory_item)
        return memory_item.id

    def revise(
        self,
        memory_id: str,
        content: str | None = None,
        importance: float | None = None,
        metadata: Mapping[str, Any] | None = None,
        tags: Iterable[str] | None = None,
    ) -> tuple[MemoryItem, tuple[Eviction, ...]] | None:
        """Changes what is given, metadata being added to. The item and what had to go for it; `None`: no such item."""
        with self.shelf.lock:
            expired = self.sweep()
            old = self.get(memory_id)
            if old is None:
                return None
            new = replace(
                old,
                content=old.content if content is None else content,
                importance=old.importance if importance is None else importance,
                metadata={**old.metadata, **(metadata or {})},
                tags=old.tags if tags is None else tuple(tags),
                updated=self.shelf.now(),
            )
            return new, (*expired, *self.put(new))

    def update(
        self,
        memory_id: str,
        content: str | None = None,
        importance: float | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> bool:
        """`revise`, saying whether there was such an item."""
        return self.revise(memory_id, content, importance, metadata) is not None

    def remove(self, memory_id: str) -> bool:
        with self.shelf.lock:
            item = self.get(memory_id)
            if item is not None:
                self.shelf.write(remove=(item,))
            return item is not None

    def clear(self, user_id: str | None = None) -> int:
        """Removes all items, those of one user or of everybody, and returns how many there were."""
        with self.shelf.lock:
            items = self.get_all(user_id)
            self.shelf.write(remove=items)
            return len(items)

    def let_go(
        self,
        strategy: str = "importance_based",
        threshold: float = 0.1,
        max_age_days: float = 30,
        capacity: int | None = None,
        user_id: str | None = None,
    ) -> tuple[Eviction, ...]:
        """Forgets on purpose, and returns what and why.

        `importance_based`: what is less important than the threshold. `time_based`: what was written more than so many
        days ago. `capacity_based`: all but the `capacity` most important and recent of each user. What had expired by
        itself is returned too. Raises `MemoryFault` for another strategy.
        """
        with self.shelf.lock:
            expired = self.sweep()
            chosen = self._chosen(strategy, threshold, max_age_days, capacity, self._of(user_id))
            self.shelf.write((), chosen)
            return (*expired, *chosen)

    def would_go(
        self,
        strategy: str = "importance_based",
        threshold: float = 0.1,
        max_age_days: float = 30,
        capacity: int | None = None,
        user_id: str | None = None,
    ) -> tuple[Eviction, ...]:
        """What `let_go` would forget now, and why; nothing is forgotten but what has expired by itself."""
        with self.shelf.lock:
            self.sweep()
            return tuple(self._chosen(strategy, threshold, max_age_days, capacity, self._of(user_id)))

    def forget(self, strategy: str = "importance_based", threshold: float = 0.1, max_age_days: float = 30) -> int:
        """`let_go`, returning how many went."""
        return len(self.let_go(strategy, threshold, max_age_days))

    def sweep(self) -> tuple[Eviction, ...]:
        """Forgets what has expired."""
        limit = self.time_to_live
        if limit is None:
            return ()
        with self.shelf.lock:
            now = self.shelf.now()
            expired = tuple(
                Eviction(item, "expired") for item in self.shelf.items(self.memory_type) if now - item.touched > limit
            )
            if expired:
                self.shelf.write((), expired)
            return expired

    # --- looking -----------------------------------------------------------------------------------------------------

    def recall(
        self,
        query: str,
        limit: int = 5,
        user_id: str | None = None,
        *,
        tags: Sequence[str] = (),
        min_importance: float = 0.0,
        time_range: tuple[datetime | None, datetime | None] | None = None,
    ) -> list[Recalled]:
        """The memories that fit a query, best first. Raises `MemoryFault` for an empty query."""
        from .ranking import ranked

        with self.shelf.lock:
            self.sweep()
            wanted = Filter(user_id, (self.memory_type,), tags, min_importance, time_range)
            return ranked(self.shelf, query, wanted, self.config)[: max(0, limit)]

    def retrieve(self, query: str, limit: int = 5, user_id: str | None = None, **filters: Any) -> list[MemoryItem]:
        """`recall` without the reasons."""
        return [found.item for found in self.recall(query, limit, user_id, **filters)]

    def get(self, memory_id: str) -> MemoryItem | None:
        item = self.shelf.get(memory_id)
        return item if item is not None and item.memory_type == self.memory_type else None

    def has_memory(self, memory_id: str) -> bool:
        self.sweep()
        return self.get(memory_id) is not None

    def get_all(self, user_id: str | None = None) -> list[MemoryItem]:
        """All items, in the order in which they were first remembered here."""
        with self.shelf.lock:
            self.sweep()
            return self._of(user_id)

    def get_recent(self, limit: int = 10, user_id: str | None = None) -> list[MemoryItem]:
        """The items written last, the last one first."""
        return by_time(self.get_all(user_id))[: max(0, limit)]

    def get_important(self, limit: int = 10, user_id: str | None = None) -> list[MemoryItem]:
        """The most important items; of equal ones the last first."""
        return by_importance(self.get_all(user_id))[: max(0, limit)]

    def get_stats(self, user_id: str | None = None) -> dict[str, Any]:
        """`count`, `tokens`, `avg_importance`, `oldest` and `newest` as ISO times, and the limits."""
        items = self.get_all(user_id)
        times = sorted(item.timestamp for item in items)
        limit = self.time_to_live
        return {
            "memory_type": self.memory_type,
            "count": len(items),
            "tokens": sum(self.shelf.tokens(item) for item in items),
            "avg_importance": sum(item.importance for item in items) / len(items) if items else 0.0,
            "oldest": times[0].isoformat() if times else None,
            "newest": times[-1].isoformat() if times else None,
            "capacity": self.capacity,
            "token_capacity": self.token_capacity,
            "ttl_minutes": None if limit is None else limit / timedelta(minutes=1),
        }

    @property
    def evictions(self) -> tuple[Eviction, ...]:
        """The last 1000 memories of the shelf that went without being removed by name, oldest first."""
        return tuple(self.shelf.evictions)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self.shelf.items(self.memory_type))} items)"

    # --- inside ------------------------------------------------------------------------------------------------------

    def _of(self, user_id: str | None) -> list[MemoryItem]:
        """The items of a user, or of everybody, expired ones included."""
        return [item for item in self.shelf.items(self.memory_type) if user_id in (None, item.user_id)]

    def _crowded_out(self, new: MemoryItem) -> tuple[Eviction, ...]:
        """What has to go, the least worth first, so that the new item fits in."""
        most = self.token_capacity
        tokens = self.shelf.tokens(new)
        if most is not None and tokens > most:
            raise MemoryFault("memory.too_long", tokens=tokens, most=most, kind=self.memory_type)
        others = [item for item in self._by_worth(self._of(new.user_id)) if item.id != new.id]
        spare = 0 if self.capacity is None else max(0, len(others) + 1 - self.capacity)
        evicted = [Eviction(item, "capacity") for item in others[:spare]]
        tokens += sum(self.shelf.tokens(item) for item in others[spare:])
        for item in others[spare:]:
            if most is None or tokens <= most:
                break
            evicted.append(Eviction(item, "tokens"))
            tokens -= self.shelf.tokens(item)
        return tuple(evicted)

    def _by_worth(self, items: Iterable[MemoryItem]) -> list[MemoryItem]:
        """The least important and recent first."""
        now = self.shelf.now()
        return sorted(items, key=lambda item: (item.importance * self.config.recency(item, now), item.touched))

    def _chosen(
        self, strategy: str, threshold: float, days: float, capacity: int | None, items: list[MemoryItem]
    ) -> list[Eviction]:
        match strategy:
            case "importance_based":
                return [Eviction(item, "importance") for item in items if item.importance < threshold]
            case "time_based":
                now = self.shelf.now()
                return [Eviction(item, "age") for item in items if (now - item.touched) / timedelta(days=1) > days]
            case "capacity_based":
                most = self.capacity if capacity is None else capacity
                if most is None:
                    return []
                if most < 0:
                    raise MemoryFault("memory.bad_capacity", capacity=most)
                return [
                    Eviction(item, "capacity")
                    for user in dict.fromkeys(item.user_id for item in items)
                    for item in self._by_worth(item for item in items if item.user_id == user)[::-1][most:]
                ]
            case _:
                raise MemoryFault("memory.bad_strategy", strategy=strategy, names=", ".join(STRATEGIES))


def by_time(items: Iterable[MemoryItem]) -> list[MemoryItem]:
    """The items written last first; of equal ones the one that came last."""
    return sorted(items, key=lambda item: item.touched)[::-1]


def by_importance(items: Iterable[MemoryItem]) -> list[MemoryItem]:
    """The most important items first; of equal ones the last."""
    return sorted(items, key=lambda item: (item.importance, item.touched))[::-1]
