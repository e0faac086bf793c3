"""The hybrid index: texts found by their words and by their vectors, the two rankings fused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, isfinite
from threading import RLock
from typing import Literal, assert_never

from ..core.exceptions import HelloAgentsException
from .embeddings import Embedding
from .faults import SearchFailed, check_query, check_text, check_there
from .fusion import K, reciprocal_rank_fusion
from .lexical import LexicalIndex
from .vectors import VectorIndex

Method = Literal["fused", "lexical", "vector"]
Rerank = Callable[[str, Sequence[str]], Sequence[float]]
"""A query and texts in, one number for each text out, higher for better: usually a cross-encoder or a model."""

POOL = 50
"""So many of each ranking are fused, and re-ranked, at least."""


@dataclass(frozen=True, slots=True)
class Found:
    """A text that was found, and why."""

    id: str
    score: float
    """From 0 to 1, the best possible."""
    reasons: Mapping[str, float]
    """What the score is made of: `words` (BM25) and `vector` (cosine), each with its `_rank` from 1, `fused` (the sum
    of reciprocal ranks), `rerank`; those that there were."""


class HybridIndex:
    """Texts by id, searched by words and by vectors at once.

    `embedding`: from texts to vectors; hashed words where none is given. `rerank`: looks at the query and the best
    texts together and gives each a number, which then decides alone.
    It may be used by several threads.
    """

    def __init__(self, embedding: Embedding | None = None, *, rerank: Rerank | None = None) -> None:
        self.lexical = LexicalIndex()
        self.vectors = VectorIndex(embedding)
        self.rerank = rerank
        self._texts: dict[str, str] = {}
        self._lock = RLock()

    def __len__(self) -> int:
        return len(self._texts)

    def __contains__(self, id: object) -> bool:
        return id in self._texts

    def add(self, id: str, text: str) -> None:
        """Adds a text. Raises `WrongId` when the id is taken, `EmptyText` for white space, `SearchFailed`."""
        check_text(id, text)
        self.add_many([(id, text)])

    def add_many(self, texts: Iterable[tuple[str, str]]) -> list[str]:
        """Adds texts by id with one call of the embedding, and gives the ids that were left out as empty.

        All others are added or, where one cannot be, none. Raises `WrongId` and `SearchFailed`.
        """
        given = list(texts)
        full = [(id, text) for id, text in given if text.strip()]
        with self._lock:
            self.vectors.add_many(full)
            for id, text in full:
                self.lexical.add(id, text)
            self._texts.update(full)
        return [id for id, text in given if not text.strip()]

    def update(self, id: str, text: str) -> None:
        """Replaces the text of an id. Raises `WrongId` when there is none, `EmptyText`, `SearchFailed`."""
        with self._lock:
            self.vectors.update(id, text)
            self.lexical.update(id, text)
            self._texts[id] = text

    def delete(self, id: str) -> None:
        """Takes a text out. Raises `WrongId` when there is none."""
        with self._lock:
            self.vectors.delete(id)
            self.lexical.delete(id)
            del self._texts[id]

    def clear(self) -> None:
        """Takes all texts out."""
        with self._lock:
            self.vectors.clear()
            self.lexical.clear()
            self._texts.clear()

    def text(self, id: str) -> str:
        """The text of an id. Raises `WrongId` when there is none."""
        check_there(id, id in self._texts)
        return self._texts[id]

    def search(self, query: str, limit: int = 10, method: Method = "fused") -> list[Found]:
        """The best texts for a query, best first; fewer than `limit`, or none, where no more have to do with it.

        `score` is a share of the best possible. `fused`: first in both rankings. `lexical`: what a text of average
        length gets that has each word of the query once, or more. `vector`: the cosine. Re-ranked: the number that
        `rerank` gave, through the logistic function where the numbers are not all from 0 to 1.
        Raises `EmptyText`, a `ValueError`, for an empty query, and `SearchFailed` where the embedding or the
        re-ranking failed: an empty list always means that there is nothing.
        """
        check_query(query, limit)
        depth = limit if method != "fused" and self.rerank is None else max(POOL, limit)
        vector = self.vectors.embed(query) if method != "lexical" and self._texts else ()
        with self._lock:
            words = self.lexical.search(query, depth) if method != "vector" else []
            near = self.vectors.nearest(vector, depth) if method != "lexical" else []
            good = self.lexical.good_score(query) if method == "lexical" else 1.0
            reasons = _reasons(words, near)
            match method:
                case "fused":
                    found = _fused(words, near, reasons)
                case "lexical":
                    found = [Found(id, min(score / good, 1.0), reasons[id]) for id, score in words]
                case "vector":
                    found = [Found(id, score, reasons[id]) for id, score in near]
                case _:
                    assert_never(method)
            texts = [self._texts[one.id] for one in found]
        return self._reranked(query, found, texts)[:limit]

    def _reranked(self, query: str, found: list[Found], texts: list[str]) -> list[Found]:
        if self.rerank is None or not found:
            return found
        numbers = _numbers(self.rerank, query, texts)
        plain = all(0 <= number <= 1 for number in numbers)
        ranked = sorted(zip(found, numbers, strict=True), key=lambda pair: -pair[1])
        return [
            Found(one.id, number if plain else _logistic(number), {**one.reasons, "rerank": number})
            for one, number in ranked
        ]


def _reasons(words: list[tuple[str, float]], near: list[tuple[str, float]]) -> dict[str, dict[str, float]]:
    reasons: dict[str, dict[str, float]] = {}
    for name, ranking in (("words", words), ("vector", near)):
        for rank, (id, score) in enumerate(ranking, 1):
            reasons.setdefault(id, {}).update({name: score, f"{name}_rank": rank})
    return reasons


def _fused(
    words: list[tuple[str, float]], near: list[tuple[str, float]], reasons: Mapping[str, Mapping[str, float]]
) -> list[Found]:
    rankings = {"words": [id for id, _ in words], "vector": [id for id, _ in near]}
    best = len(rankings) / (K + 1)
    return [
        Found(id, score / best, {**reasons[id], "fused": score}) for id, score, _ in reciprocal_rank_fusion(rankings)
    ]


def _numbers(rerank: Rerank, query: str, texts: Sequence[str]) -> list[float]:
    """What the reader's function gives, looked at."""
    try:
        numbers = [float(number) for number in rerank(query, texts)]
    except HelloAgentsException:
        raise
    except Exception as error:  # A reader's function may raise anything.
        raise SearchFailed(
            f"The re-ranking failed on {len(texts)} texts ({type(error).__name__}: {error}). "
            "Correct it, or search without it."
        ) from error
    if len(numbers) != len(texts) or not all(map(isfinite, numbers)):
        raise SearchFailed(
            f"The re-ranking gave {len(numbers)} numbers for {len(texts)} texts, or some that are not finite. "
            "It must give one finite number for each text."
        )
    return numbers


def _logistic(number: float) -> float:
    return 1 / (1 + exp(-number)) if number > -700 else 0.0
