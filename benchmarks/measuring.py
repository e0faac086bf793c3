"""How the measurements of `context.py` are written: a function each, with what it is called and what it needs."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median


@dataclass
class Figures:
    """A table, and the targets that it shows to hold or not."""

    head: list[str]
    rows: list[list[str]] = field(default_factory=list)
    targets: list[list[str]] = field(default_factory=list)

    def target(self, name: str, measured: str, holds: bool) -> None:
        self.targets.append([name, measured, "yes" if holds else "no"])

    def plain(self) -> dict[str, list]:
        return {"head": self.head, "rows": self.rows, "targets": self.targets}


@dataclass(frozen=True)
class Measurement:
    """One piece of the page."""

    title: str
    about: str
    """What is measured, for the page."""
    packages: tuple[str, ...]
    """What pip installs into its environment, exact. This checkout can be imported beside them."""
    measure: Callable[[], Figures]
    beside: tuple[tuple[str, ...], ...] = ()
    """Packages of further environments, in which it measures others if they are there."""


def milliseconds(
    contenders: Mapping[str, Callable[[object], object]], queries: Sequence[object], tries: int
) -> dict[str, float]:
    """Wall time of a query for each contender: the best of `tries` in turn, of the queries the median."""
    best: dict[str, list[float]] = {name: [] for name in contenders}
    for query in queries:
        times: dict[str, list[float]] = {name: [] for name in contenders}
        for _ in range(tries):
            for name, ask in contenders.items():
                start = time.perf_counter()
                ask(query)
                times[name].append((time.perf_counter() - start) * 1000)
        for name, measured in times.items():
            best[name].append(min(measured))
    return {name: median(measured) for name, measured in best.items()}


def seconds(make: Callable[[], object]) -> tuple[float, object]:
    """How long something takes to make, and what was made."""
    start = time.perf_counter()
    made = make()
    return time.perf_counter() - start, made
