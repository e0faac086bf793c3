"""Measures of a search: how much of what is relevant it finds, and how early.

Everywhere a ranking is a list of ids, best first, where a repeated id counts at its first place; what is relevant is
given by grades: id -> 0 for irrelevant, 1 and more for relevant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import log2

from ..memory.index import Found

Grades = Mapping[str, int]
Hit = str | tuple[str, float] | Found
Search = Callable[[str, int], Sequence[Hit]]
"""A query and a limit in, at most so many hits out, best first."""


def recall_at(ranking: Iterable[str], grades: Grades, k: int) -> float:
    """The share of what is relevant that is among the first k: |relevant in the first k| / |relevant|.

    Kent, Berry, Luehrs and Perry, "Machine literature searching VIII" (1955). 0 when nothing is relevant.
    """
    relevant = _relevant(grades)
    return _hits(ranking, relevant, k) / len(relevant) if relevant else 0.0


def precision_at(ranking: Iterable[str], grades: Grades, k: int) -> float:
    """The share of the first k that is relevant: |relevant in the first k| / k, also where fewer than k came.

    Same source as `recall_at`, as trec_eval computes it.
    """
    _check(k)
    return _hits(ranking, _relevant(grades), k) / k


def reciprocal_rank(ranking: Iterable[str], grades: Grades, k: int) -> float:
    """1 / rank of the first relevant id among the first k, 0 when there is none. Its mean over queries is the MRR.

    Voorhees, "The TREC-8 question answering track report" (1999).
    """
    relevant = _relevant(grades)
    return next((1 / rank for rank, id in enumerate(_first(ranking, k), 1) if id in relevant), 0.0)


def ndcg_at(ranking: Iterable[str], grades: Grades, k: int) -> float:
    """The normalised discounted cumulative gain of the first k: DCG / DCG of the best possible ranking.

    Jaervelin and Kekaelaeinen, "Cumulated gain-based evaluation of IR techniques" (2002), as trec_eval computes it:
    DCG = sum over the ranks r of grade(r) / log2(r + 1). 0 when nothing is relevant.
    """
    _check(k)
    ideal = _gain(sorted(_relevant(grades).values(), reverse=True)[:k])
    return _gain(max(grades.get(id, 0), 0) for id in _first(ranking, k)) / ideal if ideal else 0.0


def parse_qrels(text: str) -> dict[str, dict[str, int]]:
    """Judgements in the form of TREC, query -> document -> grade: lines of query, iteration (unused), document, grade.

    Empty lines are skipped. Raises `ValueError` that names the line for any other form and for a pair judged twice.
    """
    qrels: dict[str, dict[str, int]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        match line.split():
            case []:
                continue
            case [query, _, document, grade] if re.fullmatch(r"-?[0-9]+", grade):
                judged = qrels.setdefault(query, {})
            case _:
                raise ValueError(f"Line {number} is {line!r}. Write: query, 0, document, grade, with spaces between.")
        if document in judged:
            raise ValueError(f"Line {number}, {line!r}, judges a pair a second time. Keep one of the lines.")
        judged[document] = int(grade)
    return qrels


@dataclass(frozen=True, slots=True)
class Scores:
    """The four measures of one query, or their means."""

    recall: float
    precision: float
    reciprocal_rank: float
    ndcg: float


@dataclass(frozen=True, slots=True)
class RetrievalReport:
    """What a search is worth on a set of queries."""

    k: int
    mean: Scores
    """Over the queries of `queries`; its reciprocal rank is the MRR."""
    queries: Mapping[str, Scores]
    unjudged: tuple[str, ...] = ()
    """Queries that nothing is relevant to, which say nothing about a search and are not counted."""

    def over(self, ids: Iterable[str]) -> Scores:
        """The means over some of the queries."""
        return _mean([self.queries[id] for id in ids])

    def __str__(self) -> str:
        mean, k = self.mean, self.k
        return (
            f"recall@{k} {mean.recall:.3f}, precision@{k} {mean.precision:.3f}, MRR {mean.reciprocal_rank:.3f}, "
            f"nDCG@{k} {mean.ndcg:.3f} over {len(self.queries)} queries"
        )


def evaluate_retrieval(
    search: Search, queries: Mapping[str, str], qrels: Mapping[str, Grades], k: int = 10
) -> RetrievalReport:
    """Asks `search(text, k)` every query that has a relevant document, and measures the first k that it gives.

    A hit may be an id, a pair that begins with one, or what a `HybridIndex` gives. What the search raises goes on.
    """
    _check(k)
    judged = {id: text for id, text in queries.items() if _relevant(qrels.get(id, {}))}
    scores: dict[str, Scores] = {}
    for id, text in judged.items():
        ranking, grades = [_id(hit) for hit in search(text, k)], qrels[id]
        scores[id] = Scores(*(measure(ranking, grades, k) for measure in _MEASURES))
    return RetrievalReport(k, _mean(list(scores.values())), scores, tuple(id for id in queries if id not in judged))


_MEASURES = (recall_at, precision_at, reciprocal_rank, ndcg_at)


def _mean(scores: Sequence[Scores]) -> Scores:
    rows = [(one.recall, one.precision, one.reciprocal_rank, one.ndcg) for one in scores]
    return Scores(*(sum(column) / len(rows) for column in zip(*rows, strict=True))) if rows else Scores(0, 0, 0, 0)


def _id(hit: Hit) -> str:
    match hit:
        case str():
            return hit
        case Found():
            return hit.id
        case (id, _):
            return id


def _relevant(grades: Grades) -> dict[str, int]:
    return {id: grade for id, grade in grades.items() if grade > 0}


def _hits(ranking: Iterable[str], relevant: Grades, k: int) -> int:
    return sum(id in relevant for id in _first(ranking, k))


def _first(ranking: Iterable[str], k: int) -> list[str]:
    _check(k)
    return list(islice(dict.fromkeys(ranking), k))


def _gain(grades: Iterable[int]) -> float:
    return sum(grade / log2(rank + 1) for rank, grade in enumerate(grades, 1))


def _check(k: int) -> None:
    if k < 1:
        raise ValueError(f"k={k} leaves nothing to measure. Use 1 or more.")
