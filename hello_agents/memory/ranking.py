"""The ranking of memories: words, vector, recency and importance, weighted and added."""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING

from .base import Filter, MemoryConfig, MemoryFault, Recalled

if TYPE_CHECKING:
    from .shelf import Shelf


def ranked(shelf: Shelf, query: str, wanted: Filter, config: MemoryConfig) -> list[Recalled]:
    """The memories that fit a query, best first; of equal ones the last written first.

    A memory fits when it shares a word with the query or its vector is near enough. What does not fit is not found,
    however important it is. The words of the best match count 1, whatever the filter leaves of the user's memories.
    """
    if not query.strip():
        raise MemoryFault("memory.no_query")
    now = shelf.now()
    owner = Filter(wanted.user_id)
    found = [(item, hit.reasons) for id, hit in shelf.search(query).items() if (item := shelf.get(id)) is not None]
    found = [(item, reasons) for item, reasons in found if owner.admits(item)]
    most = max((reasons.get("words", 0.0) for _, reasons in found), default=0.0)
    recalled: list[Recalled] = []
    for item, reasons in found:
        words = reasons.get("words", 0.0) / most if most > 0 else 0.0
        vector = min(1.0, max(0.0, reasons.get("vector", 0.0)))
        if wanted.admits(item) and (words > 0 or vector >= config.min_similarity):
            parts = config.weights.weighted(words, vector, config.recency(item, now), item.importance)
            recalled.append(Recalled(item, fsum(parts.values()), parts))
    recalled.sort(key=lambda hit: (-hit.score, -hit.item.touched.timestamp(), hit.item.id))
    return recalled
