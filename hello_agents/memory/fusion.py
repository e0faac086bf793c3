"""Fusion: several rankings of the same things made into one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

K = 60
"""The constant of the paper: how little the first places differ from the next ones."""


def reciprocal_rank_fusion(
    rankings: Mapping[str, Sequence[str]], k: int = K, weights: Mapping[str, float] | None = None
) -> list[tuple[str, float, dict[str, int]]]:
    """Ids with their fused score and their rank (from 1) in each ranking that has them, best first.

    Cormack, Clarke and Buettcher, "Reciprocal rank fusion outperforms Condorcet and individual rank learning methods"
    (SIGIR 2009): score(d) = sum over the rankings of weight / (k + rank of d). Ranks are all it looks at, so
    rankings whose scores have nothing in common can be fused. `weights` are 1 where not given; ids with equal scores
    come in the order of first appearance. Raises `ValueError` for k below 0 and for weights below 0.
    """
    given = weights or {}
    if k < 0 or any(not weight >= 0 for weight in given.values()):
        raise ValueError(f"k={k} and weights={dict(given)} must not be below 0. Raise them.")
    ranks: dict[str, dict[str, int]] = {}
    for name, ids in rankings.items():
        for rank, id in enumerate(dict.fromkeys(ids), 1):
            ranks.setdefault(id, {})[name] = rank
    scored = [
        (id, sum(given.get(name, 1.0) / (k + rank) for name, rank in places.items()), places)
        for id, places in ranks.items()
    ]
    return sorted(scored, key=lambda one: -one[1])
