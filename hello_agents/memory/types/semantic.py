"""Semantic memory: what is known, whenever it was learned."""

from __future__ import annotations

from typing import ClassVar

from ..base import BaseMemory, MemoryKind


class SemanticMemory(BaseMemory):
    """Memories of facts. They stay until they are forgotten on purpose, unless there is a `max_capacity`."""

    memory_type: ClassVar[MemoryKind] = "semantic"
