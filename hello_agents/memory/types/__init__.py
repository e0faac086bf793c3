"""The kinds of memory, one a file."""

from typing import TYPE_CHECKING

from ...lazy import lazily

if TYPE_CHECKING:
    from .episodic import EpisodicMemory
    from .semantic import SemanticMemory
    from .working import WorkingMemory

__all__ = ["EpisodicMemory", "SemanticMemory", "WorkingMemory"]

_HOMES = {"EpisodicMemory": "episodic", "SemanticMemory": "semantic", "WorkingMemory": "working"}
if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, _HOMES)
