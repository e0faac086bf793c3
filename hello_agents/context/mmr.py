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
from typing import Any, Protocol

from ..memory.optional import installed

_SCALE = 2048

Sparse = Mapping[str, int]


class Likeness(Protocol):
    """How alike texts are to each other, from 0 to 1."""

    def row(self, index: int) -> Any:
        """How alike each is to this one: a list, or an array of numpy."""
        ...


def mmr(scores: Sequence[float], vectors: Any, limit: int, balance: float = 0.7) -> list[int]:
    """The indexes of at most `limit` items, in the order of their choice. `vectors` has a row for each score."""
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
    """Cosines of vectors, those below 0 as 0. A vector that is zero or not finite is like nothing, itself apart."""
    numpy = _numpy()
    if numpy is None:
        return _Lists([_whole(list(map(float, vector))) for vector in vectors])
    matrix = numpy.asarray(vectors, dtype=numpy.float64)
    matrix = matrix.reshape(len(matrix), -1)
    with numpy.errstate(all="ignore"):
        largest = numpy.abs(matrix).max(axis=1, initial=0.0, keepdims=True)
        matrix = numpy.where(numpy.isfinite(largest) & (largest > 0), matrix / largest, 0.0)
        length = numpy.sqrt((matrix * matrix).sum(axis=1, keepdims=True))
        matrix = numpy.where(length > 0, matrix / length, 0.0)
    whole = numpy.rint(matrix * _SCALE)
    return _Matrix(whole.astype(numpy.float32), (whole * whole).sum(axis=1), numpy)


def _whole(vector: list[float]) -> list[int]:
    """The vector at unit length, in steps of 1/2048."""
    largest = max(map(abs, vector), default=0.0)
    if not (all(map(isfinite, vector)) and largest > 0):
        return [0] * len(vector)
    small = [value / largest for value in vector]
    length = sqrt(sum(value * value for value in small))
    return [round(value / length * _SCALE) for value in small]


class _Matrix:
    """Whole numbers in a matrix of single precision, a row for each text."""

    def __init__(self, matrix: Any, squares: Any, numpy: Any) -> None:
        self._matrix, self._squares, self._numpy = matrix, squares, numpy

    def row(self, index: int) -> Any:
        numpy = self._numpy
        products = (self._matrix @ self._matrix[index]).astype(numpy.float64)
        lengths = numpy.sqrt(self._squares * self._squares[index])
        # A vector of zeros has the product 0 with all, and stays at that.
        row = numpy.clip(products / numpy.maximum(lengths, 1.0), 0.0, 1.0)
        row[index] = 1.0
        return row


class _Lists:
    """The same in plain Python."""

    def __init__(self, vectors: Sequence[Sequence[int]]) -> None:
        self._vectors = vectors
        self._squares = [sum(value * value for value in vector) for vector in vectors]

    def row(self, index: int) -> list[float]:
        chosen, square = self._vectors[index], self._squares[index]
        products = [sum(map(_product, vector, chosen)) for vector in self._vectors]
        return _cosines(products, self._squares, square, index)


def _product(a: int, b: int) -> int:
    return a * b


def _cosines(products: Iterable[int], squares: Sequence[int], square: int, index: int) -> list[float]:
    row = [
        min(max(product / max(sqrt(other * square), 1.0), 0.0), 1.0)
        for product, other in zip(products, squares, strict=True)
    ]
    row[index] = 1.0
    return row


# -- how alike texts are by their words -------------------------------------------------------------------------------


def likeness_of_words(texts: Sequence[Sequence[str]]) -> Likeness:
    """Cosines of texts, given as their words, each word weighted by how rare it is among them."""
    counts = [Counter(words) for words in texts]
    spread = Counter(chain.from_iterable(counts))
    weights = {word: _rarity(number, len(texts)) for word, number in spread.items()}
    rows = [_whole_words(count, weights) for count in counts]
    squares = [sum(value * value for value in row.values()) for row in rows]
    # A word of only one text adds to no product, only to that text's length.
    shared = [word for word, number in spread.items() if number > 1]
    numpy = _numpy()
    return _Sparse(rows, squares) if numpy is None else _dense(rows, squares, shared, numpy)


@cache
def _rarity(number: int, texts: int) -> float:
    return log(1 + texts / number)


def _whole_words(count: Counter[str], weights: Mapping[str, float]) -> Sparse:
    weighted = {word: times * weights[word] for word, times in count.items()}
    length = sqrt(sum(value * value for value in weighted.values()))
    return {word: round(value / length * _SCALE) for word, value in weighted.items()}


def _dense(rows: Sequence[Sparse], squares: Sequence[int], shared: Sequence[str], numpy: Any) -> Likeness:
    column = {word: place for place, word in enumerate(shared)}
    matrix = numpy.zeros((len(rows), len(shared)), dtype=numpy.float32)
    places = [(at, column[word], value) for at, row in enumerate(rows) for word, value in row.items() if word in column]
    if places:
        at, to, values = zip(*places, strict=True)
        matrix[list(at), list(to)] = values
    return _Matrix(matrix, numpy.array(squares, dtype=numpy.float64), numpy)


class _Sparse:
    """Words in plain Python: a word leads to the texts that have it."""

    def __init__(self, rows: Sequence[Sparse], squares: Sequence[int]) -> None:
        self._rows, self._squares = rows, squares
        self._texts: dict[str, list[tuple[int, int]]] = {}
        for at, row in enumerate(rows):
            for word, value in row.items():
                self._texts.setdefault(word, []).append((at, value))

    def row(self, index: int) -> list[float]:
        products = [0] * len(self._rows)
        for word, value in self._rows[index].items():
            for at, other in self._texts[word]:
                products[at] += value * other
        return _cosines(products, self._squares, self._squares[index], index)
