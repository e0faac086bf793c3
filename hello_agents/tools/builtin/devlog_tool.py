"""The development log: what was decided, done and found out on the way, and why."""

from __future__ import annotations

import json
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import Any, cast

from ...catalogue import text
from ..base import Tool, ToolErrorCode, ToolParameter, ToolResponse

CATEGORIES: dict[str, str] = {
    "decision": "a choice, and why it was made",
    "progress": "something that is done",
    "issue": "a difficulty",
    "solution": "how a difficulty was overcome",
    "refactor": "a change of form, not of function",
    "test": "a check, and what it showed",
    "performance": "a measurement, or what made something faster",
}
"""The kinds of entries, and what each is for."""

ACTIONS = ("append", "read", "summary", "clear")


def _now() -> str:
    return datetime.now().isoformat(timespec="seconds")


def _no_metadata() -> dict[str, Any]:
    return {}


@dataclass(slots=True)
class DevLogEntry:
    """One thing worth remembering. Raises `ValueError` for an unknown category."""

    id: str
    timestamp: str
    """ISO time."""
    category: str
    """One of `CATEGORIES`."""
    content: str
    metadata: dict[str, Any] = field(default_factory=_no_metadata)
    """Whatever else belongs to it; `tags` is a list of words to find it by."""

    def __post_init__(self) -> None:
        if self.category not in CATEGORIES:
            raise ValueError(f"{self.category!r} is not a category of the log. Use one of {', '.join(CATEGORIES)}.")

    @classmethod
    def create(cls, category: str, content: str, metadata: dict[str, Any] | None = None) -> DevLogEntry:
        """An entry of this moment, with an id of its own."""
        return cls(f"log-{uuid.uuid4().hex[:8]}", _now(), category, content, dict(metadata or {}))

    @property
    def tags(self) -> list[str]:
        match self.metadata.get("tags"):
            case str() as one:
                return [one]
            case list():
                return [str(tag) for tag in cast("list[object]", self.metadata["tags"])]
            case _:
                return []

    def to_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "timestamp": self.timestamp,
            "category": self.category,
            "content": self.content,
            "metadata": self.metadata,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> DevLogEntry:
        """Reads what `to_dict` wrote. Raises `KeyError` for a missing part, `ValueError` for an unknown category."""
        return cls(
            str(data["id"]),
            str(data["timestamp"]),
            str(data["category"]),
            str(data["content"]),
            dict(data.get("metadata") or {}),
        )


def _no_entries() -> list[DevLogEntry]:
    return []


@dataclass(slots=True)
class DevLogStore:
    """The log of one session, oldest first."""

    session_id: str
    agent_name: str
    created_at: str
    updated_at: str
    entries: list[DevLogEntry] = field(default_factory=_no_entries)

    @classmethod
    def create(cls, session_id: str, agent_name: str) -> DevLogStore:
        now = _now()
        return cls(session_id, agent_name, now, now)

    def append(self, entry: DevLogEntry) -> None:
        self.entries.append(entry)
        self.updated_at = entry.timestamp

    def filter_entries(
        self,
        category: str | None = None,
        tags: Iterable[str] | None = None,
        limit: int | None = None,
        *,
        query: str | None = None,
    ) -> list[DevLogEntry]:
        """The last `limit` entries of a category that have any of the tags and hold all words of the query."""
        wanted = set(tags or ())
        words = (query or "").casefold().split()
        found = [
            entry
            for entry in self.entries
            if (category is None or entry.category == category)
            and (not wanted or wanted.intersection(entry.tags))
            and all(word in " ".join((entry.content, *entry.tags)).casefold() for word in words)
        ]
        return found if limit is None else found[max(0, len(found) - max(0, limit)) :]

    def get_stats(self) -> dict[str, Any]:
        """`total_entries`, and the counts `by_category` and `by_tag`."""
        return {
            "total_entries": len(self.entries),
            "by_category": dict(Counter(entry.category for entry in self.entries)),
            "by_tag": dict(Counter(tag for entry in self.entries for tag in entry.tags)),
        }

    def generate_summary(self, limit: int = 10, *, language: str = "en") -> str:
        """The counts and the last `limit` entries, as text."""
        if not self.entries:
            return text("devlog.empty", language)
        counts = ", ".join(f"{name} {count}" for name, count in self.get_stats()["by_category"].items())
        head = text("devlog.head", language, count=len(self.entries), counts=counts)
        return "\n".join((head, *(line_of(entry) for entry in self.filter_entries(limit=limit))))

    def to_dict(self) -> dict[str, Any]:
        return {
            "session_id": self.session_id,
            "agent_name": self.agent_name,
            "created_at": self.created_at,
            "updated_at": self.updated_at,
            "entries": [entry.to_dict() for entry in self.entries],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> DevLogStore:
        """Reads what `to_dict` wrote. Raises `KeyError` or `ValueError` when it is not that."""
        return cls(
            str(data["session_id"]),
            str(data["agent_name"]),
            str(data["created_at"]),
            str(data["updated_at"]),
            [DevLogEntry.from_dict(entry) for entry in data.get("entries", ())],
        )


def line_of(entry: DevLogEntry) -> str:
    tags = "".join(f" #{tag}" for tag in entry.tags)
    return f"- [{entry.category}] {entry.content}{tags}"


class DevLogFault(ValueError):
    """Why a log cannot be written or searched as asked."""


FOLDER = "memory/devlogs"


class DevLogTool(Tool):
    """A tool that keeps the log of a session, in memory, and on disk when `persist` says so.

    One that persists goes on with the log that its session has on disk.
    """

    def __init__(
        self,
        session_id: str,
        agent_name: str = "Agent",
        project_root: str | Path = ".",
        persistence_dir: str = FOLDER,
        *,
        persist: bool | None = None,
        language: str = "en",
    ) -> None:
        """`persist` unset: on disk where a folder other than the usual one is named."""
        super().__init__("DevLog", text("devlog.description", language))
        self.session_id = session_id
        self.agent_name = agent_name
        self.project_root = Path(project_root)
        self.persistence_dir = persistence_dir
        self.persist = persistence_dir != FOLDER if persist is None else persist
        self._language = language
        self._store: DevLogStore | None = None
        self._one_at_a_time = Lock()

    @property
    def path(self) -> Path:
        """Where the log is kept when `persist` is set. Different sessions have different places inside the folder."""
        return self.project_root / self.persistence_dir / f"devlog-{_file_name(self.session_id)}.json"

    @property
    def store(self) -> DevLogStore:
        """The log; read from disk at the first use. Raises `ValueError` when what is there is no log."""
        if self._store is None:
            self._store = self._kept() or DevLogStore.create(self.session_id, self.agent_name)
        return self._store

    def get_parameters(self) -> list[ToolParameter]:
        language = self._language
        category = {"type": "string", "enum": list(CATEGORIES)}
        searched = {
            "category": {**category, "description": text("devlog.filter.category", language)},
            "tags": {"type": "array", "items": {"type": "string"}, "description": text("devlog.filter.tags", language)},
            "query": {"type": "string", "description": text("devlog.filter.query", language)},
            "limit": {"type": "integer", "description": text("devlog.filter.limit", language)},
        }
        kinds = text("devlog.category", language)
        return [
            ToolParameter("action", "string", text("devlog.action", language), enum=ACTIONS),
            ToolParameter("category", "string", kinds, False, enum=list(CATEGORIES)),
            ToolParameter("content", "string", text("devlog.content", language), False),
            ToolParameter("metadata", "object", text("devlog.metadata", language), False),
            ToolParameter("filter", "object", text("devlog.filter", language), False, properties=searched),
        ]

    def run(self, parameters: dict[str, Any]) -> ToolResponse:
        with self._one_at_a_time:
            return self._run(parameters)

    def _run(self, parameters: dict[str, Any]) -> ToolResponse:
        try:
            match parameters.get("action"):
                case "append":
                    return self._append(parameters)
                case "read":
                    return self._search(parameters.get("filter"))
                case "summary":
                    summary = self.store.generate_summary(language=self._language)
                    return ToolResponse.success(summary, self.store.get_stats())
                case "clear":
                    count = len(self.store.entries)
                    self.store.entries.clear()
                    return self._saved(text("devlog.cleared", self._language, count=count), {"cleared": count})
                case action:
                    raise self._fault("devlog.bad_action", action=action)
        except DevLogFault as fault:
            return ToolResponse.error(ToolErrorCode.INVALID_PARAM, str(fault))

    def _append(self, parameters: Mapping[str, Any]) -> ToolResponse:
        category, content = parameters.get("category"), str(parameters.get("content") or "").strip()
        metadata: object = parameters.get("metadata") or {}
        if category not in CATEGORIES:
            raise self._fault("devlog.bad_category", category=category, names=", ".join(CATEGORIES))
        if not content:
            raise self._fault("devlog.no_content")
        if not isinstance(metadata, dict):
            raise self._fault("devlog.bad_metadata")
        entry = DevLogEntry.create(category, content, cast("dict[str, Any]", metadata))
        self.store.append(entry)
        said = text("devlog.added", self._language, count=len(self.store.entries), line=line_of(entry))
        return self._saved(said, {"entry": entry.to_dict()})

    def _search(self, wanted: object) -> ToolResponse:
        match wanted:
            case None:
                known: dict[str, Any] = {}
            case dict():
                known = cast("dict[str, Any]", wanted)
            case _:
                raise self._fault("devlog.bad_filter")
        tags = known.get("tags")
        limit = known.get("limit")
        if not (limit is None or (isinstance(limit, int) and limit > 0)) or known.keys() - {
            "category",
            "tags",
            "query",
            "limit",
        }:
            raise self._fault("devlog.bad_filter")
        found = self.store.filter_entries(
            known.get("category"), [tags] if isinstance(tags, str) else tags, limit, query=known.get("query")
        )
        lines = "\n".join(line_of(entry) for entry in found) or text("devlog.none", self._language)
        return ToolResponse.success(lines, {"entries": [entry.to_dict() for entry in found]})

    def _fault(self, key: str, **values: object) -> DevLogFault:
        return DevLogFault(text(key, self._language, **values))

    # --- on disk -----------------------------------------------------------------------------------------------------

    def _saved(self, said: str, data: dict[str, Any]) -> ToolResponse:
        if self.persist:
            try:
                self._save()
            except OSError as error:
                why = error.strerror or type(error).__name__
                return ToolResponse.partial(text("devlog.unsaved", self._language, said=said, why=why), data)
        return ToolResponse.success(said, data)

    def _save(self) -> None:
        from ..values import to_plain
        from .folder import write_atomically

        self.path.parent.mkdir(parents=True, exist_ok=True)
        written = json.dumps(to_plain(self.store.to_dict()), ensure_ascii=False, indent=2)
        write_atomically(self.path, written.encode("utf-8", "backslashreplace"))

    def _kept(self) -> DevLogStore | None:
        if not self.persist or not self.path.exists():
            return None
        try:
            kept = DevLogStore.from_dict(json.loads(self.path.read_text(encoding="utf-8")))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"{self.path.name} holds no log ({error}). Move it away, or mend it.") from error
        if kept.session_id != self.session_id:
            raise ValueError(f"{self.path.name} is the log of {kept.session_id!r}. Move it away.")
        return kept


def _file_name(session_id: str) -> str:
    """A name that no other session has, is one part of a path, and is short enough for a file."""
    from hashlib import sha256

    plain = "".join(sign if sign.isalnum() or sign in "-_" else f"%{ord(sign):x}%" for sign in session_id)
    if len(plain.encode("utf-8", "surrogatepass")) <= 150 and plain.isprintable():
        return plain
    return f"{plain[:30]}-{sha256(session_id.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"
