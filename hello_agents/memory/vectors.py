"""The vector index: texts found by the angle between their vectors and that of a query."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from heapq import nsmallest
from math import isfinite, sqrt
from operator import mul
from typing import Any, Protocol

from ..core.exceptions import HelloAgentsException
from .embeddings import Embedding, HashingEmbedding, SentenceTransformerEmbedding
from .faults import SearchFailed, check_new, check_query, check_text, check_there
from .llm_embedding import EndpointEmbedding
from .optional import installed
from .selection import highest

__all__ = [
    "Embedding",
    "EndpointEmbedding",
    "HashingEmbedding",
    "SentenceTransformerEmbedding",
    "VectorIndex",
]

_DIGITS = 6
"""Decimals of a similarity. Beyond them float32 depends on where in a matrix a row stands, and ties would be drawn."""


class Rows(Protocol):
    """Vectors of length 1 (or of zeros), in float32, by place."""

    def extend(self, vectors: Sequence[Sequence[float]]) -> None: ...
    def replace(self, place: int, vector: Sequence[float]) -> None: ...
    def keep(self, places: Sequence[int]) -> None:
        """Keeps these places only, in this order."""
        ...

    def row(self, place: int) -> list[float]: ...
    def nearest(self, vector: Sequence[float], limit: int) -> list[tuple[int, float]]:
        """Places and similarities above 0, the highest first, the earlier place first where they are equal."""
        ...


class VectorIndex:
    """Texts by id, searched by meaning as far as the embedding knows it; by the words it hashes where none is given.

    Similarity is the cosine, 1 for the same direction; texts at 0 and below, which have nothing in common with the
    query, are not returned. It is finite whatever the vectors: they may be of any length, a vector of zeros is near
    nothing, and one with a NaN or an infinity, of another length than the others, or too few of them, is refused with
    `SearchFailed` before anything has changed. Vectors are held in float32, with numpy (the extra `memory`) as one
    matrix.
    """

    def __init__(self, embedding: Embedding | None = None) -> None:
        self.embedding: Embedding = HashingEmbedding() if embedding is None else embedding
        self._ids: list[str] = []
        self._places: dict[str, int] = {}
        self._gone: set[int] = set()
        self._rows: Rows | None = None
        self._dimension: int | None = None

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, id: object) -> bool:
        return id in self._places

    def add(self, id: str, text: str) -> None:
        """Adds a text. Raises `WrongId` when the id is taken, `EmptyText` for white space, `SearchFailed`."""
        self.add_many([(id, text)])

    def add_many(self, texts: Iterable[tuple[str, str]]) -> None:
        """Adds texts by id with one call of the embedding; all of them or, where one is wrong, none."""
        texts = list(texts)
        fresh: set[str] = set()
        for id, text in texts:
            check_new(id, id in self._places or id in fresh)
            check_text(id, text)
            fresh.add(id)
        if not texts:
            return
        vectors = self._embed([text for _, text in texts])
        if self._rows is None:
            self._dimension = len(vectors[0])
            self._rows = make_rows(self._dimension)
        self._rows.extend(vectors)
        for id, _ in texts:
            self._places[id] = len(self._ids)
            self._ids.append(id)

    def update(self, id: str, text: str) -> None:
        """Replaces the text of an id. Raises `WrongId` when there is none, `EmptyText`, `SearchFailed`."""
        check_there(id, id in self._places)
        check_text(id, text)
        (vector,) = self._embed([text])
        self._held().replace(self._places[id], vector)

    def delete(self, id: str) -> None:
        """Takes a text out. Raises `WrongId` when there is none."""
        check_there(id, id in self._places)
        self._gone.add(self._places.pop(id))
        if not self._places:
            self.clear()

    def clear(self) -> None:
        """Takes all texts out. The next ones may have vectors of another length."""
        self._ids, self._places, self._gone = [], {}, set()
        self._rows = self._dimension = None

    def search(self, query: str, limit: int = 10) -> list[tuple[str, float]]:
        """Ids and similarities (above 0, at most 1), nearest first; equal ones in order of adding.

        Raises `EmptyText` for an empty query, without asking for its vector, and `SearchFailed`.
        """
        check_query(query, limit)
        return self.nearest(self.embed(query), limit) if self._places else []

    def embed(self, text: str) -> list[float]:
        """The vector of a text, of length 1, or of zeros. Raises `SearchFailed`."""
        return self._embed([text])[0]

    def nearest(self, vector: Sequence[float], limit: int = 10) -> list[tuple[str, float]]:
        """`search` for a vector of length 1."""
        if not self._places:
            return []
        self._close_gaps()
        return [(self._ids[place], similarity) for place, similarity in self._held().nearest(vector, limit)]

    def vector(self, id: str) -> Sequence[float]:
        """The vector of a text, of length 1, or of zeros. Raises `WrongId` when there is none."""
        check_there(id, id in self._places)
        return self._held().row(self._places[id])

    def _held(self) -> Rows:
        assert self._rows is not None
        return self._rows

    def _close_gaps(self) -> None:
        """Moves the vectors together after deletions, all at once: one by one it would take the square of the time."""
        if self._gone:
            kept = [place for place in range(len(self._ids)) if place not in self._gone]
            self._held().keep(kept)
            self._ids = [self._ids[place] for place in kept]
            self._places = {id: place for place, id in enumerate(self._ids)}
            self._gone = set()

    def _embed(self, texts: Sequence[str]) -> list[list[float]]:
        try:
            vectors = self.embedding(texts)
        except HelloAgentsException:
            raise
        except Exception as error:  # A reader's function may raise anything.
            raise SearchFailed(
                f"The embedding failed on {len(texts)} texts ({type(error).__name__}: {error}). "
                "Correct it, or try again where a server was asked."
            ) from error
        return unit_vectors(vectors, len(texts), self._dimension)


def make_rows(dimension: int) -> Rows:
    numpy = installed("numpy")
    return PlainRows() if numpy is None else FastRows(dimension, *numpy)


def unit_vectors(vectors: Sequence[Sequence[float]], expected: int, dimension: int | None) -> list[list[float]]:
    """The vectors at length 1, looked at before anything is done with them.

    Raises `SearchFailed` when there are not as many as expected, or when one is of another dimension than the first
    (or than `dimension`), is empty, or holds something that is no finite number.
    """
    if len(vectors) != expected:
        raise SearchFailed(
            f"The embedding gave {len(vectors)} vectors for {expected} texts. It must give one for each, in order."
        )
    return [_unit(vector, at, len(vectors[0]) if dimension is None else dimension) for at, vector in enumerate(vectors)]


def _unit(vector: Sequence[float], at: int, dimension: int) -> list[float]:
    if len(vector) != dimension or not dimension:
        raise SearchFailed(
            f"The embedding gave a vector of {len(vector)} numbers for text {at}, where {dimension} were expected. "
            "All vectors of an index must be equally long and not empty: make a new index for another embedding."
        )
    try:
        numbers = [float(number) for number in vector]
    except (TypeError, ValueError, OverflowError) as error:
        raise SearchFailed(f"The embedding gave no numbers for text {at} ({error}). It must give floats.") from error
    if not all(map(isfinite, numbers)):
        raise SearchFailed(f"The embedding gave NaN or infinity for text {at}. It must give finite numbers.")
    # By its greatest number first, so that no square is too large or too small.
    greatest = max(map(abs, numbers))
    if not greatest:
        return numbers
    numbers = [number / greatest for number in numbers]
    length = sqrt(sum(map(mul, numbers, numbers)))
    return [number / length for number in numbers]


class PlainRows:
    """Vectors as arrays, compared one by one."""

    def __init__(self) -> None:
        self._rows: list[array[float]] = []

    def extend(self, vectors: Sequence[Sequence[float]]) -> None:
        self._rows.extend(array("f", vector) for vector in vectors)

    def replace(self, place: int, vector: Sequence[float]) -> None:
        self._rows[place] = array("f", vector)

    def keep(self, places: Sequence[int]) -> None:
        self._rows = [self._rows[place] for place in places]

    def row(self, place: int) -> list[float]:
        return self._rows[place].tolist()

    def nearest(self, vector: Sequence[float], limit: int) -> list[tuple[int, float]]:
        found = ((place, round(sum(map(mul, row, vector)), _DIGITS)) for place, row in enumerate(self._rows))
        best = nsmallest(limit, (one for one in found if one[1] > 0), key=lambda one: (-one[1], one[0]))
        return [(place, min(similarity, 1.0)) for place, similarity in best]


class FastRows:
    """Vectors as the rows of one matrix, compared in one product. There is room for more than are held."""

    def __init__(self, dimension: int, numpy: Any) -> None:
        self._numpy = numpy
        self._matrix = numpy.zeros((0, dimension), dtype=numpy.float32)
        self._size = 0

    def extend(self, vectors: Sequence[Sequence[float]]) -> None:
        size = self._size + len(vectors)
        if size > len(self._matrix):
            held = self._matrix[: self._size]
            self._matrix = self._numpy.empty((max(size, 2 * self._size), held.shape[1]), dtype=self._numpy.float32)
            self._matrix[: self._size] = held
        self._matrix[self._size : size] = vectors
        self._size = size

    def replace(self, place: int, vector: Sequence[float]) -> None:
        self._matrix[place] = vector

    def keep(self, places: Sequence[int]) -> None:
        self._matrix = self._matrix[places]
        self._size = len(places)

    def row(self, place: int) -> list[float]:
        return self._matrix[place].tolist()

    def nearest(self, vector: Sequence[float], limit: int) -> list[tuple[int, float]]:
        numpy = self._numpy
        found = self._matrix[: self._size] @ numpy.asarray(vector, dtype=numpy.float32)
        return [(place, min(value, 1.0)) for place, value in highest(numpy, found, limit, _DIGITS)]
