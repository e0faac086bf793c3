"""Maximal marginal relevance: choosing what is relevant and says something new.

Carbonell and Goldstein, *The Use of MMR, Diversity-Based Reranking for Reordering Documents and Producing Summaries*,
SIGIR 1998: the next one is the greatest λ · score − (1 − λ) · likeness to the nearest one chosen.

Vectors are made unit length and rounded to 1/2048. Their products are then sums of whole numbers that single precision
holds exactly, so that every machine finds the same, with numpy or without.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import chain
from math import isfinite, log, sqrt
from operator import mul
from typing import Any, Protocol

from ..memory.optional import installed

_SCALE = 2048
_SHORT, _LONG = 1e-15, 1e15
"""Lengths between which a vector is squared as it is."""

Sparse = Mapping[str, int]


class Likeness(Protocol):
    """How alike texts are to each other: 1 for the same, 0 or less for what has nothing in common."""

    def row(self, index: int) -> Any:
        """How alike each is to this one: a list, or an array of numpy."""
        ...


def mmr(scores: Sequence[float], vectors: Any, limit: int, balance: float = 0.7) -> list[int]:
    """The indexes of at most `limit` items, in the order of their choice. `vectors` has a row for each score."""
    if not scores:
        return []
    choice = Choice(scores, likeness_of_vectors(vectors), balance)
    chosen: list[int] = []
    while len(chosen) < limit and (index := choice.best()) is not None:
        choice.take(index)
        chosen.append(index)
    return chosen


class Choice:
    """A choice one by one: the best that is left is taken, or left out for good."""

    def __init__(self, scores: Sequence[float], likeness: Likeness, balance: float = 0.7) -> None:
        """`balance` is λ: 1 looks at the scores alone. Raises `ValueError` when it is not from 0 to 1."""
        if not 0 <= balance <= 1:
            raise ValueError(f"λ={balance} is out of range. Give a number from 0 to 1.")
        self._likeness = likeness
        self._novelty = 1 - balance
        self._ranked = _ranking([balance * score if isfinite(score) else 0.0 for score in scores])

    def best(self) -> int | None:
        """The index of the best that is left; the first of equals."""
        return self._ranked.best(self._novelty)

    def take(self, index: int) -> Any:
        """Chooses it: what is like it counts for less from now on. Gives how alike each is to it."""
        row = self._likeness.row(index)
        self._ranked.approach(row)
        self._ranked.drop(index)
        return row

    def leave(self, index: int) -> None:
        """Takes it out of the choice."""
        self._ranked.drop(index)


class _Ranking(Protocol):
    def best(self, novelty: float) -> int | None: ...

    def approach(self, row: Any) -> None: ...

    def drop(self, index: int) -> None: ...


class _ListRanking:
    """The ranking in plain Python."""

    def __init__(self, scores: Sequence[float]) -> None:
        self._scores = list(scores)
        self._nearest = [0.0] * len(scores)
        self._left = list(range(len(scores)))

    def best(self, novelty: float) -> int | None:
        scores, nearest = self._scores, self._nearest
        return max(self._left, key=lambda i: scores[i] - novelty * nearest[i], default=None)

    def approach(self, row: Sequence[float]) -> None:
        self._nearest = list(map(max, self._nearest, row))

    def drop(self, index: int) -> None:
        if index in self._left:
            self._left.remove(index)


class _ArrayRanking:
    """The ranking as arrays of numpy."""

    def __init__(self, scores: Sequence[float], numpy: Any) -> None:
        self._numpy = numpy
        self._scores = numpy.array(scores, dtype=numpy.float64)
        self._nearest = numpy.zeros(len(scores), dtype=numpy.float64)

    def best(self, novelty: float) -> int | None:
        if not self._scores.size:
            return None
        marginal = self._scores - novelty * self._nearest
        index = int(marginal.argmax())
        return None if marginal[index] == -self._numpy.inf else index

    def approach(self, row: Any) -> None:
        self._numpy.maximum(self._nearest, row, out=self._nearest)

    def drop(self, index: int) -> None:
        self._scores[index] = -self._numpy.inf


def _ranking(scores: Sequence[float]) -> _Ranking:
    numpy = _numpy()
    return _ListRanking(scores) if numpy is None else _ArrayRanking(scores, numpy)


def _numpy() -> Any:
    found = installed("numpy")
    return None if found is None else found[0]


# -- how alike vectors are --------------------------------------------------------------------------------------------


def likeness_of_vectors(vectors: Any) -> Likeness:
    """Cosines of vectors; below 0 counts as nothing. A vector of zeros or not finite is like no other."""
    numpy = _numpy()
    if numpy is None or not len(vectors):
        return _Lists([_whole(list(map(float, vector))) for vector in vectors])
    given = numpy.asarray(vectors)
    # Single precision stays: a copy in double would take longer than the whole choice.
    kind = numpy.float32 if given.dtype == numpy.float32 else numpy.float64
    matrix = given.astype(kind, copy=False).reshape(len(given), -1)
    with numpy.errstate(all="ignore"):
        lengths = numpy.sqrt(numpy.einsum("ij,ij->i", matrix, matrix))
        plain = (lengths > _SHORT) & (lengths < _LONG)
        whole = matrix * (_SCALE / numpy.where(plain, lengths, 1.0)).astype(kind)[:, None]
        numpy.rint(whole, out=whole)
    for row in (~plain).nonzero()[0]:
        whole[row] = _whole(matrix[row].tolist())
    return _Matrix(whole.astype(numpy.float32, copy=False), numpy)


def _whole(vector: list[float]) -> list[int]:
    """The vector at unit length, in steps of 1/2048."""
    largest = max(map(abs, vector), default=0.0)
    if not (all(map(isfinite, vector)) and largest > 0):
        return [0] * len(vector)
    # Squares of very large and of very small numbers have no place in a float.
    small = vector if _SHORT < sqrt(sum(value * value for value in vector)) < _LONG else _halfway(vector, largest)
    scale = _SCALE / sqrt(sum(value * value for value in small))
    return [round(value * scale) for value in small]


def _halfway(vector: Sequence[float], largest: float) -> list[float]:
    return [value / largest for value in vector]


class _Matrix:
    """Whole numbers in a matrix of single precision, a row for each text."""

    def __init__(self, matrix: Any, numpy: Any, squares: Any = None) -> None:
        self._matrix = matrix
        squares = numpy.einsum("ij,ij->i", matrix, matrix) if squares is None else squares
        # A vector of zeros has the product 0 with all, and stays at that.
        self._inverse = 1.0 / numpy.sqrt(numpy.maximum(squares, 1.0, dtype=numpy.float64))

    def row(self, index: int) -> Any:
        row = (self._matrix @ self._matrix[index]) * self._inverse
        row *= self._inverse[index]
        row[index] = 1.0
        return row


class _Lists:
    """The same in plain Python."""

    def __init__(self, vectors: Sequence[Sequence[int]]) -> None:
        self._vectors = vectors
        self._inverse = _inverses(sum(value * value for value in vector) for vector in vectors)

    def row(self, index: int) -> list[float]:
        chosen = self._vectors[index]
        products = [sum(map(mul, vector, chosen)) for vector in self._vectors]
        return _cosines(products, self._inverse, index)


def _inverses(squares: Iterable[int]) -> list[float]:
    return [1.0 / sqrt(max(square, 1)) for square in squares]


def _cosines(products: Iterable[int], inverse: Sequence[float], index: int) -> list[float]:
    own = inverse[index]
    row = [product * other * own for product, other in zip(products, inverse, strict=True)]
    row[index] = 1.0
    return row


# -- how alike texts are by their words -------------------------------------------------------------------------------


def likeness_of_words(texts: Sequence[Sequence[str]]) -> Likeness:
    """Cosines of texts, given as their words, each word weighted by how rare it is among them."""
    counts = [Counter(words) for words in texts]
    spread = Counter(chain.from_iterable(counts))
    weights = {word: _rarity(number, len(texts)) for word, number in spread.items()}
    rows = [_whole_words(count, weights) for count in counts]
    # A word of only one text adds to no product, only to that text's length.
    shared = [word for word, number in spread.items() if number > 1]
    numpy = _numpy()
    return _Sparse(rows) if numpy is None else _dense(rows, shared, numpy)


@cache
def _rarity(number: int, texts: int) -> float:
    return log(1 + texts / number)


def _whole_words(count: Counter[str], weights: Mapping[str, float]) -> Sparse:
    weighted = {word: times * weights[word] for word, times in count.items()}
    length = sqrt(sum(value * value for value in weighted.values()))
    return {word: round(value / length * _SCALE) for word, value in weighted.items()}


def _squares(rows: Sequence[Sparse]) -> list[int]:
    return [sum(value * value for value in row.values()) for row in rows]


def _dense(rows: Sequence[Sparse], shared: Sequence[str], numpy: Any) -> Likeness:
    column = {word: place for place, word in enumerate(shared)}
    matrix = numpy.zeros((len(rows), len(shared)), dtype=numpy.float32)
    places = [(at, column[word], value) for at, row in enumerate(rows) for word, value in row.items() if word in column]
    if places:
        at, to, values = zip(*places, strict=True)
        matrix[list(at), list(to)] = values
    return _Matrix(matrix, numpy, numpy.array(_squares(rows), dtype=numpy.float64))


class _Sparse:
    """Words in plain Python: a word leads to the texts that have it."""

    def __init__(self, rows: Sequence[Sparse]) -> None:
        self._rows = rows
        self._inverse = _inverses(_squares(rows))
        self._texts: dict[str, list[tuple[int, int]]] = {}
        for at, row in enumerate(rows):
            for word, value in row.items():
                self._texts.setdefault(word, []).append((at, value))

    def row(self, index: int) -> list[float]:
        products = [0] * len(self._rows)
        for word, value in self._rows[index].items():
            for at, other in self._texts[word]:
                products[at] += value * other
        return _cosines(products, self._inverse, index)
