"""The manager: all kinds of memory of one user, as one thing to remember with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ..catalogue import text
from .base import (
    BaseMemory,
    Clock,
    Eviction,
    Filter,
    MemoryConfig,
    MemoryFault,
    MemoryItem,
    Recalled,
    by_importance,
    by_time,
    utc_now,
)
from .judge import ImportanceJudge
from .shelf import Shelf
from .types.episodic import EpisodicMemory
from .types.semantic import SemanticMemory
from .types.working import WorkingMemory

if TYPE_CHECKING:
    from ..core.action import Model
    from .embeddings import Embedding
    from .store import MemoryStore

Importance = float | Literal["judge"] | None
"""0 to 1; `"judge"`: a model says; `None`: a model where there is one, else the default."""


@dataclass(frozen=True, slots=True)
class Added:
    """A memory that was added or changed, and what that led to."""

    item: MemoryItem
    evicted: tuple[Eviction, ...] = ()
    unjudged: str = ""
    """Why a model gave no importance, so that the default holds; else empty."""


@dataclass(frozen=True, slots=True)
class Consolidated:
    """What was moved to another kind of memory, and what that led to."""

    moved: tuple[MemoryItem, ...] = ()
    evicted: tuple[Eviction, ...] = ()


class MemoryManager:
    """Working, episodic and semantic memory of a user.

    `store` is a path for one file of JSON lines, or any `MemoryStore`; without one, and without a `storage_path` in
    the settings, memories end with the process. `embedding` gives vectors, `judge` is a model that gives importance,
    `clock` tells the time. Nothing is read or written before the first use; then every method may raise
    `MemoryUnavailable`. Several threads may use it. Users who share a store do not see each other's memories.
    """

    def __init__(
        self,
        config: MemoryConfig | None = None,
        user_id: str = "default_user",
        enable_working: bool = True,
        enable_episodic: bool = True,
        enable_semantic: bool = True,
        enable_perceptual: bool = False,
        *,
        store: MemoryStore | str | Path | None = None,
        embedding: Embedding | None = None,
        judge: Model | None = None,
        clock: Clock = utc_now,
        language: str = "en",
    ) -> None:
        if enable_perceptual:
            raise ValueError(
                "There is no perceptual memory. Describe the picture or sound in words, as an episodic memory."
            )
        self.config = config or MemoryConfig()
        self.user_id = user_id
        self._language = language
        self.shelf = Shelf(_store(store, self.config), embedding=embedding, clock=clock)
        enabled: tuple[tuple[bool, type[BaseMemory]], ...] = (
            (enable_working, WorkingMemory),
            (enable_episodic, EpisodicMemory),
            (enable_semantic, SemanticMemory),
        )
        self.memory_types: dict[str, BaseMemory] = {
            kind.memory_type: kind(self.config, shelf=self.shelf) for wanted, kind in enabled if wanted
        }
        """The kinds that are switched on, by name."""
        self._judge = None if judge is None else ImportanceJudge(judge, language)

    # --- adding and changing -----------------------------------------------------------------------------------------

    def add(
        self,
        content: str,
        memory_type: str = "working",
        importance: Importance = None,
        metadata: Mapping[str, Any] | None = None,
        *,
        tags: Iterable[str] = (),
        timestamp: datetime | None = None,
    ) -> Added:
        """Remembers a text. Raises `MemoryFault` for an empty one, an unknown kind or an impossible importance."""
        kind = self._kind(memory_type)
        if not content.strip():
            raise MemoryFault("memory.no_content")
        weight, unjudged = self._weighed(content, importance)
        with self.shelf.lock:
            time = self.shelf.now() if timestamp is None else timestamp
            item = MemoryItem("?", content, memory_type, self.user_id, time, weight, tuple(tags), dict(metadata or {}))
            item = replace(item, id=self.shelf.fresh_id())
            return Added(item, kind.put(item), unjudged)

    def add_memory(
        self,
        content: str,
        memory_type: str = "working",
        importance: Importance = None,
        metadata: Mapping[str, Any] | None = None,
        auto_classify: bool = True,
    ) -> str:
        """`add`, returning the id. With `auto_classify`, a `type` in the metadata that names a kind decides."""
        said = (metadata or {}).get("type")
        kind = said if auto_classify and isinstance(said, str) and said in self.memory_types else memory_type
        return self.add(content, kind, importance, metadata).item.id

    def update(
        self,
        memory_id: str,
        content: str | None = None,
        importance: float | None = None,
        metadata: Mapping[str, Any] | None = None,
        *,
        tags: Iterable[str] | None = None,
    ) -> Added | None:
        """Changes what is given, metadata being added to. `None` when there is no such memory."""
        with self.shelf.lock:
            expired = self.sweep()
            kind = self._holder(memory_id)
            revised = None if kind is None else kind.revise(memory_id, content, importance, metadata, tags)
            return None if revised is None else Added(revised[0], (*expired, *revised[1]))

    def update_memory(
        self,
        memory_id: str,
        content: str | None = None,
        importance: float | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> bool:
        """`update`, saying whether there was such a memory."""
        return self.update(memory_id, content, importance, metadata) is not None

    def remove_memory(self, memory_id: str) -> bool:
        """Removes a memory, and says whether there was one."""
        with self.shelf.lock:
            kind = self._holder(memory_id)
            return kind is not None and kind.remove(memory_id)

    def forget(
        self,
        strategy: str = "importance_based",
        threshold: float = 0.1,
        max_age_days: float = 30,
        *,
        capacity: int | None = None,
        memory_types: Sequence[str] | None = None,
    ) -> tuple[Eviction, ...]:
        """Forgets on purpose, as `BaseMemory.let_go` in each kind, and returns what went and why."""
        with self.shelf.lock:
            return tuple(
                gone
                for kind in self._kinds(memory_types)
                for gone in kind.let_go(strategy, threshold, max_age_days, capacity, self.user_id)
            )

    def would_forget(
        self,
        strategy: str = "importance_based",
        threshold: float = 0.1,
        max_age_days: float = 30,
        *,
        capacity: int | None = None,
        memory_types: Sequence[str] | None = None,
    ) -> tuple[Eviction, ...]:
        """What `forget` would forget now, and why; nothing is forgotten but what has expired by itself."""
        with self.shelf.lock:
            return tuple(
                going
                for kind in self._kinds(memory_types)
                for going in kind.would_go(strategy, threshold, max_age_days, capacity, self.user_id)
            )

    def forget_memories(
        self, strategy: str = "importance_based", threshold: float = 0.1, max_age_days: float = 30
    ) -> int:
        """`forget`, returning how many went."""
        return len(self.forget(strategy, threshold, max_age_days))

    def consolidate(
        self, from_type: str = "working", to_type: str = "episodic", importance_threshold: float = 0.7
    ) -> Consolidated:
        """Moves what is at least so important to a kind that lasts.

        A memory keeps its id and its time; its metadata tells where it came from (`consolidated_from`) and when
        (`consolidated_at`).
        """
        source, target = self._kind(from_type), self._kind(to_type)
        if source is target:
            raise MemoryFault("memory.same_kind", kind=to_type)
        with self.shelf.lock:
            evicted = list(source.sweep())
            chosen = [item for item in source.get_all(self.user_id) if item.importance >= importance_threshold]
            provenance = {"consolidated_from": from_type, "consolidated_at": self.shelf.now().isoformat()}
            for item in chosen:
                evicted += target.put(replace(item, metadata={**item.metadata, **provenance}))
            moved = (target.get(item.id) for item in chosen)
            return Consolidated(tuple(item for item in moved if item is not None), tuple(evicted))

    def consolidate_memories(
        self, from_type: str = "working", to_type: str = "episodic", importance_threshold: float = 0.7
    ) -> int:
        """`consolidate`, returning how many were moved."""
        return len(self.consolidate(from_type, to_type, importance_threshold).moved)

    def clear_all_memories(self) -> int:
        """Removes all memories of the user, and returns how many there were."""
        return self._clear(list(self.memory_types))

    def clear_type(self, memory_type: str) -> int:
        """Removes the user's memories of one kind, and returns how many there were."""
        return self._clear([memory_type])

    def sweep(self) -> tuple[Eviction, ...]:
        """Forgets what has expired; every other method does so first."""
        return tuple(gone for kind in self.memory_types.values() for gone in kind.sweep())

    # --- looking -----------------------------------------------------------------------------------------------------

    def recall(
        self,
        query: str,
        limit: int = 5,
        *,
        memory_types: Sequence[str] | None = None,
        tags: Sequence[str] = (),
        min_importance: float = 0.0,
        time_range: tuple[datetime | None, datetime | None] | None = None,
        user_id: str | None = None,
    ) -> list[Recalled]:
        """The memories that fit a query, best first, each with its reasons.

        `tags` asks for any of them, `time_range` includes both ends, `user_id` looks at somebody else's. Raises
        `MemoryFault` for an empty query or an unknown kind.
        """
        from .ranking import ranked

        kinds = tuple(kind.memory_type for kind in self._kinds(memory_types))
        with self.shelf.lock:
            self.sweep()
            wanted = Filter(user_id or self.user_id, kinds, tags, min_importance, time_range)
            return ranked(self.shelf, query, wanted, self.config)[: max(0, limit)]

    def retrieve_memories(
        self,
        query: str,
        memory_types: Sequence[str] | None = None,
        limit: int = 10,
        min_importance: float = 0.0,
        time_range: tuple[datetime | None, datetime | None] | None = None,
    ) -> list[MemoryItem]:
        """`recall` without the reasons."""
        found = self.recall(
            query, limit, memory_types=memory_types, min_importance=min_importance, time_range=time_range
        )
        return [hit.item for hit in found]

    def get(self, memory_id: str) -> MemoryItem | None:
        """A memory of the user by its id."""
        with self.shelf.lock:
            kind = self._holder(memory_id)
            return None if kind is None else kind.get(memory_id)

    def all(self, memory_types: Sequence[str] | None = None) -> list[MemoryItem]:
        """The user's memories, kind by kind."""
        with self.shelf.lock:
            return [item for kind in self._kinds(memory_types) for item in kind.get_all(self.user_id)]

    def recent(self, limit: int = 10, memory_types: Sequence[str] | None = None) -> list[MemoryItem]:
        """The memories written last, the last one first."""
        return by_time(self.all(memory_types))[: max(0, limit)]

    def important(self, limit: int = 10, memory_types: Sequence[str] | None = None) -> list[MemoryItem]:
        """The most important memories; of equal ones the last first."""
        return by_importance(self.all(memory_types))[: max(0, limit)]

    def get_memory_stats(self) -> dict[str, Any]:
        """`user_id`, `enabled_types`, `total_memories`, and for each kind what `BaseMemory.get_stats` tells."""
        with self.shelf.lock:
            kinds = {name: kind.get_stats(self.user_id) for name, kind in self.memory_types.items()}
        return {
            "user_id": self.user_id,
            "enabled_types": list(kinds),
            "total_memories": sum(stats["count"] for stats in kinds.values()),
            "memories_by_type": kinds,
        }

    def summary(self, limit: int = 10, *, language: str | None = None) -> str:
        """How many memories there are, and the most important ones, as text."""
        language = language or self._language
        with self.shelf.lock:
            kinds = self.get_memory_stats()["memories_by_type"]
            best = self.important(limit)
        counts = ", ".join(f"{name} {stats['count']}" for name, stats in kinds.items())
        if not any(stats["count"] for stats in kinds.values()):
            return text("memory.empty", language)
        head = text("memory.head", language, counts=counts)
        return "\n".join((head, *(line_of(item) for item in best)))

    @property
    def evictions(self) -> tuple[Eviction, ...]:
        """The last 1000 memories that went without being removed by name, oldest first."""
        return tuple(gone for gone in self.shelf.evictions if gone.item.user_id == self.user_id)

    @property
    def problems(self) -> tuple[str, ...]:
        """What the store had lost when it was read, in words."""
        return self.shelf.problems

    def __str__(self) -> str:
        stats = self.get_memory_stats()
        counts = ", ".join(f"{name} {kind['count']}" for name, kind in stats["memories_by_type"].items())
        return f"MemoryManager({self.user_id!r}: {counts})"

    # --- inside ------------------------------------------------------------------------------------------------------

    def _weighed(self, content: str, importance: Importance) -> tuple[float, str]:
        """The importance, and why a model did not give it although it should have."""
        if isinstance(importance, (int, float)):
            return float(importance), ""
        if self._judge is None:
            if importance == "judge":
                raise MemoryFault("memory.no_judge")
            return self.config.default_importance, ""
        judgement = self._judge.judge(content)
        if judgement.importance is None:
            return self.config.default_importance, judgement.why_not
        return judgement.importance, ""

    def _kind(self, name: str) -> BaseMemory:
        kind = self.memory_types.get(name)
        if kind is None:
            raise MemoryFault("memory.bad_kind", kind=name, names=", ".join(self.memory_types))
        return kind

    def _kinds(self, names: Sequence[str] | None) -> list[BaseMemory]:
        return [self._kind(name) for name in (self.memory_types if names is None else dict.fromkeys(names))]

    def _holder(self, memory_id: str) -> BaseMemory | None:
        """The kind that holds a memory of this user."""
        self.sweep()
        item = self.shelf.get(memory_id)
        if item is None or item.user_id != self.user_id:
            return None
        return self.memory_types.get(item.memory_type)

    def _clear(self, kinds: Sequence[str]) -> int:
        with self.shelf.lock:
            items = self.all(kinds)
            self.shelf.write(remove=items)
            return len(items)


def line_of(item: MemoryItem) -> str:
    """A memory as a model reads it."""
    tags = "".join(f" #{tag}" for tag in item.tags)
    day = f" of {item.timestamp.date().isoformat()}" if item.memory_type == "episodic" else ""
    return f"- [{item.id}] ({item.memory_type}{day}, {item.importance:.2f}) {item.content}{tags}"


def _store(store: MemoryStore | str | Path | None, config: MemoryConfig) -> MemoryStore | None:
    from .store import JsonLinesStore

    match store:
        case str() | Path():
            return JsonLinesStore(store)
        case None:
            return None if config.storage_path is None else JsonLinesStore(Path(config.storage_path) / "memories.jsonl")
        case _:
            return store
