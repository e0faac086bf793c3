"""Working memory: what matters for the task at hand. It is small, and it forgets by itself."""

from __future__ import annotations

from datetime import timedelta
from typing import ClassVar

from ..base import BaseMemory, MemoryKind


class WorkingMemory(BaseMemory):
    """Memories of the task at hand: a few items and tokens, for a limited time."""

    memory_type: ClassVar[MemoryKind] = "working"

    @property
    def capacity(self) -> int | None:
        return self.config.working_memory_capacity

    @property
    def token_capacity(self) -> int | None:
        return self.config.working_memory_tokens

    @property
    def time_to_live(self) -> timedelta | None:
        minutes = self.config.working_memory_ttl_minutes
        return None if minutes is None else timedelta(minutes=minutes)

    def get_context_summary(self, max_length: int = 500, user_id: str | None = None) -> str:
        """The most important contents, one a line, as many as fit whole into so many characters."""
        lines: list[str] = []
        left = max_length
        for item in self.get_important(len(self.get_all()), user_id):
            line = f"- {item.content}"
            if len(line) <= left:
                lines.append(line)
                left -= len(line) + 1
        return "\n".join(lines)
