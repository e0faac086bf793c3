"""The comparison of two agents on the same tasks: is the difference real, or could it be chance?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ..catalogue import text
from .intervals import mcnemar, paired_bootstrap
from .tasks import Trial

LEVEL = 0.05
"""Below this p-value a difference counts as real."""

Method = Literal["mcnemar", "bootstrap"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two agents on the same tasks."""

    first: str
    second: str
    tasks: int
    """Tasks that both were tried on."""
    difference: float
    """The first's success rate minus the second's, -1 to 1; each task counts the same."""
    low: float
    high: float
    """Where the difference lies with a confidence of 95 %, by the paired bootstrap."""
    p_value: float
    """How often a difference of this size, or a larger one, comes about by chance alone."""
    method: Method
    """`mcnemar`, the exact test, where each task was tried once; `bootstrap`, over tasks, where it was repeated."""
    first_only: int
    """Tasks on which the first passed more often."""
    second_only: int
    """Tasks on which the second passed more often."""

    @property
    def is_real(self) -> bool:
        """Whether chance alone would rarely do this: a p-value below 0.05."""
        return self.p_value < LEVEL

    def text(self, language: str = "en") -> str:
        """The comparison in a few sentences."""
        told = text(
            "evaluation.compared",
            language,
            first=self.first,
            second=self.second,
            difference=f"{100 * self.difference:+.1f}",
            low=f"{100 * self.low:+.1f}",
            high=f"{100 * self.high:+.1f}",
            tasks=self.tasks,
            first_only=self.first_only,
            second_only=self.second_only,
            method=text(f"evaluation.method.{self.method}", language),
            p=f"= {self.p_value:.3f}" if self.p_value >= 0.001 else "< 0.001",
        )
        return f"{told} {text('evaluation.real' if self.is_real else 'evaluation.chance', language)}"

    def __str__(self) -> str:
        return self.text()


def compare(first: str, of_first: Sequence[Trial], second: str, of_second: Sequence[Trial]) -> Comparison:
    """Compares by the tasks that both were tried on."""
    rates, others = _rates(of_first), _rates(of_second)
    shared = [task for task in rates if task in others]
    differences = [rates[task] - others[task] for task in shared]
    low, high, by_draws = paired_bootstrap(differences)
    ahead, behind = sum(one > 0 for one in differences), sum(one < 0 for one in differences)
    once = all(count == 1 for trials in (of_first, of_second) for count in Counter(t.task for t in trials).values())
    return Comparison(
        first,
        second,
        len(shared),
        sum(differences) / len(differences) if differences else 0.0,
        low,
        high,
        mcnemar(ahead, behind) if once else by_draws,
        "mcnemar" if once else "bootstrap",
        ahead,
        behind,
    )


def _rates(trials: Sequence[Trial]) -> dict[str, float]:
    """Task -> the share of its trials that passed."""
    tried = Counter(trial.task for trial in trials)
    passed = Counter(trial.task for trial in trials if trial.passed)
    return {task: passed[task] / count for task, count in tried.items()}
