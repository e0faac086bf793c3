"""Episodic memory: what happened, and when."""

from __future__ import annotations

from typing import ClassVar

from ..base import BaseMemory, MemoryItem, MemoryKind


class EpisodicMemory(BaseMemory):
    """Memories of events. They stay until they are forgotten on purpose, unless there is a `max_capacity`."""

    memory_type: ClassVar[MemoryKind] = "episodic"

    def get_session_episodes(self, session_id: str) -> list[MemoryItem]:
        """The events of a session, by the `session_id` in their metadata, in order of time."""
        return [item for item in self.get_timeline(limit=None) if item.metadata.get("session_id") == session_id]

    def get_timeline(self, user_id: str | None = None, limit: int | None = 50) -> list[MemoryItem]:
        """The last events, in order of time."""
        items = sorted(self.get_all(user_id), key=lambda item: item.timestamp)
        return items if limit is None else items[max(0, len(items) - max(0, limit)) :]
