"""How sure a success rate is, and whether two of them differ: intervals and tests, in plain Python."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, sqrt
from random import Random
from statistics import NormalDist

RESAMPLES = 10_000


def wilson(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """The score interval of a success rate, from 0 to 1; (0, 1) where nothing was tried.

    Wilson, "Probable inference, the law of succession, and statistical inference" (1927). Unlike the interval that
    adds and takes away two standard errors, it stays inside 0 to 1 and has a width at 0 % and at 100 %. Raises
    `ValueError` for counts or a confidence that cannot be.
    """
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} successes in {trials} trials cannot be. Give a count from 0 to the trials.")
    z = _z(confidence)
    if not trials:
        return 0.0, 1.0
    rate, square = successes / trials, z * z / trials
    middle = rate + square / 2
    half = z * sqrt(rate * (1 - rate) / trials + square / (4 * trials))
    low = 0.0 if successes == 0 else (middle - half) / (1 + square)
    high = 1.0 if successes == trials else (middle + half) / (1 + square)
    return low, high


def mcnemar(first_only: int, second_only: int) -> float:
    """The p-value for two agents that passed equally often on the same tasks, from the tasks that told them apart.

    The exact form, two-sided: under equality each such task is the toss of a fair coin. McNemar, "Note on the sampling
    error of the difference between correlated proportions or percentages" (1947). 1.0 where nothing told them apart.
    """
    told, fewer = first_only + second_only, min(first_only, second_only)
    # Whole numbers until the last division, so that thousands of tasks are no trouble.
    return min(1.0, 2 * sum(comb(told, k) for k in range(fewer + 1)) / 2**told)


def paired_bootstrap(
    differences: Sequence[float], confidence: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> tuple[float, float, float]:
    """The interval of a mean difference (low, high), and the p-value for there being none.

    One difference a task, so that repeats of a task stay together. The tasks are drawn with replacement, and the
    interval is where most means of such draws lie: Efron and Tibshirani, "An introduction to the bootstrap" (1993),
    chapters 13 and 16. Equal input gives equal output. (0, 0, 1) for no differences.
    """
    _z(confidence)
    if not differences:
        return 0.0, 0.0, 1.0
    random = Random(seed)
    count = len(differences)
    means = sorted(sum(random.choices(differences, k=count)) / count for _ in range(resamples))
    tail = round(resamples * (1 - confidence) / 2)
    low, high = means[tail], means[resamples - 1 - tail]
    # The draws count as one more, so that no finite number of them gives a p-value of 0.
    below = (1 + sum(mean <= 0 for mean in means)) / (1 + resamples)
    above = (1 + sum(mean >= 0 for mean in means)) / (1 + resamples)
    return low, high, min(1.0, 2 * min(below, above))


def _z(confidence: float) -> float:
    if not 0 < confidence < 1:
        raise ValueError(f"A confidence of {confidence} cannot be. Give a number between 0 and 1, such as 0.95.")
    return NormalDist().inv_cdf((1 + confidence) / 2)
