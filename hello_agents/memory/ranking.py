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
    however important it is.
    """
    if not query.strip():
        raise MemoryFault("memory.no_query")
    now = shelf.now()
    recalled: list[Recalled] = []
    for hit in shelf.search(query):
        if wanted.admits(hit.item) and (hit.words > 0 or hit.vector >= config.min_similarity):
            recency = config.recency(hit.item, now)
            parts = config.weights.weighted(hit.words, hit.vector, recency, hit.item.importance)
            recalled.append(Recalled(hit.item, fsum(parts.values()), parts))
    recalled.sort(key=lambda one: (-one.score, -one.item.touched.timestamp(), one.item.id))
    return recalled
