"""The lexical index: texts found by the words they share with a query, ranked by BM25.

Robertson, Walker, Jones, Hancock-Beaulieu and Gatford, "Okapi at TREC-3" (1994), in the form that Lucene uses:

    score(q, d) = sum over the words w of q:  idf(w) * tf / (tf + k1 * (1 - b + b * |d| / average |d|))
    idf(w)      = ln(1 + (N - n + 0.5) / (n + 0.5))

with tf the count of w in d, |d| the number of words of d, N the number of texts and n that of texts with w.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from heapq import nsmallest
from math import log
from typing import Any, Protocol

from .faults import check_new, check_query, check_text, check_there
from .optional import installed
from .selection import highest
from .words import is_unspaced, words

K1, B = 1.5, 0.75
SMALL = 500
"""Up to so many texts the plain scorer is used: it is made and asked sooner than numpy is imported."""


class Scorer(Protocol):
    """BM25 over a fixed list of texts."""

    counts: dict[str, int]
    """Word -> the number of texts that have it, in the order of first appearance."""

    def best(self, query: Sequence[str], limit: int) -> list[tuple[int, float]]:
        """The places of the texts with the highest scores above 0; the earlier text first where scores are equal."""
        ...


class LexicalIndex:
    """Texts by id, searched by words.

    With bm25s and numpy (the extra `memory`) it scales to 100,000 texts and beyond; without them the same results
    come from plain Python. It is put together at the first search after a change, which takes time in proportion to
    all the texts: make changes in groups.
    """

    def __init__(self) -> None:
        self._texts: dict[str, list[str]] = {}
        self._made: tuple[list[str], Scorer] | None = None

    def __len__(self) -> int:
        return len(self._texts)

    def __contains__(self, id: object) -> bool:
        return id in self._texts

    def add(self, id: str, text: str) -> None:
        """Adds a text. Raises `WrongId` when the id is taken and `EmptyText` for white space."""
        check_new(id, id in self._texts)
        self._put(id, text)

    def update(self, id: str, text: str) -> None:
        """Replaces the text of an id. Raises `WrongId` when there is none and `EmptyText` for white space."""
        check_there(id, id in self._texts)
        self._put(id, text)

    def delete(self, id: str) -> None:
        """Takes a text out. Raises `WrongId` when there is none."""
        check_there(id, id in self._texts)
        del self._texts[id]
        self._made = None

    def clear(self) -> None:
        """Takes all texts out."""
        self._texts.clear()
        self._made = None

    def search(self, query: str, limit: int = 10) -> list[tuple[str, float]]:
        """Ids and scores of the texts that share words with the query, best first; equal scores in order of adding.

        A text that shares none is never returned, so the list may be shorter than `limit`, or empty. One Chinese,
        Japanese or Korean sign finds every pair it is part of. Raises `EmptyText` for an empty query.
        """
        check_query(query, limit)
        ids, scorer = self._ready()
        return [(ids[place], score) for place, score in scorer.best(_asked(query, scorer), limit)]

    def good_score(self, query: str) -> float:
        """What a text of average length scores that has each word of the query once: a measure for other scores."""
        _, scorer = self._ready()
        total = len(self._texts)
        return sum(idf(scorer.counts.get(word, 0), total) for word in _asked(query, scorer)) / (1 + K1)

    def _put(self, id: str, text: str) -> None:
        check_text(id, text)
        self._texts[id] = words(text)
        self._made = None

    def _ready(self) -> tuple[list[str], Scorer]:
        made = self._made
        if made is None:
            made = self._made = list(self._texts), make_scorer(list(self._texts.values()))
        return made


def idf(count: int, total: int) -> float:
    """The weight of a word that `count` of `total` texts have. Above 0 also for a word that all have."""
    return log(1 + (total - count + 0.5) / (count + 0.5))


def make_scorer(texts: Sequence[Sequence[str]]) -> Scorer:
    """The quickest scorer for so many texts that is installed. All give the same scores."""
    fast = installed("numpy", "bm25s") if len(texts) > SMALL else None
    return PlainScorer(texts) if fast is None else FastScorer(texts, *fast)


def _asked(query: str, scorer: Scorer) -> list[str]:
    """The words to look up: those of the query, a lone sign of an unspaced script as the pairs it is part of."""
    asked: list[str] = []
    for word in words(query):
        asked.append(word)
        if len(word) == 1 and is_unspaced(word):
            asked.extend(pair for pair in scorer.counts if len(pair) == 2 and word in pair and is_unspaced(pair[0]))
    return asked


def _counts(texts: Iterable[Sequence[str]]) -> dict[str, int]:
    return dict(Counter(word for text in texts for word in dict.fromkeys(text)))


class PlainScorer:
    """BM25 in plain Python: for each word the texts that have it, with what the word adds to their scores."""

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        self.counts = _counts(texts)
        total = len(texts)
        average = sum(map(len, texts)) / max(total, 1)
        weights = {word: idf(count, total) for word, count in self.counts.items()}
        self._parts: dict[str, list[tuple[int, float]]] = {word: [] for word in self.counts}
        for place, text in enumerate(texts):
            for word, tf in Counter(text).items():
                part = weights[word] * (tf / (K1 * ((1 - B) + B * len(text) / average) + tf))
                self._parts[word].append((place, part))

    def best(self, query: Sequence[str], limit: int) -> list[tuple[int, float]]:
        scores: dict[int, float] = {}
        for word in query:
            for place, part in self._parts.get(word, ()):
                scores[place] = scores.get(place, 0.0) + part
        return nsmallest(limit, scores.items(), key=lambda item: (-item[1], item[0]))


class FastScorer:
    """BM25 by bm25s (Lù, "BM25S: Orders of magnitude faster lexical search via eager sparse scoring", 2024).

    The selection is not its own: among the many texts that share no word with the query, all of them tied at 0, that
    takes longer than the scoring.
    """

    def __init__(self, texts: Sequence[Sequence[str]], numpy: Any, bm25s: Any) -> None:
        self._numpy = numpy
        self.counts = _counts(texts)
        self._places = {word: place for place, word in enumerate(self.counts)}
        # Doubles, so that the scores are those of plain Python to the last bit, and ties stay ties.
        self._index = bm25s.BM25(k1=K1, b=B, method="lucene", dtype="float64", backend="numpy")
        if self._places:
            ids = [[self._places[word] for word in text] for text in texts]
            self._index.index((ids, self._places), create_empty_token=False, show_progress=False)

    def best(self, query: Sequence[str], limit: int) -> list[tuple[int, float]]:
        known = [self._places[word] for word in query if word in self._places]
        if not known:
            return []
        return highest(self._numpy, self._index.get_scores_from_ids(known), limit)
