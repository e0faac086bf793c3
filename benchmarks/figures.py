"""Figures: what is measured of one contender, and how."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from entrants import Contender
from environments import HERE, run

SIZES = (10, 100, 1000)
MEMORY_SIZE = 100
HEAVY = ("openai", "pydantic", "numpy", "tiktoken", "matplotlib", "ipywidgets")
"""What importing this library must not load."""


@dataclass
class Figures:
    """What was measured of one contender."""

    us: dict[str, float] = field(default_factory=dict)
    """CPU microseconds a step, by number of steps: the best of all rounds."""
    peak_mib: float = float("inf")
    """Of a process that does one run of `MEMORY_SIZE` steps: the least of all rounds."""
    alone_mib: float = float("inf")
    """Of the interpreter alone: the least of all rounds."""
    import_ms: list[float] = field(default_factory=list)
    """Wall milliseconds of processes that import and end."""
    bare_ms: list[float] = field(default_factory=list)
    """The same of processes that only end, started in turn with those."""
    loads: list[str] = field(default_factory=list)
    """Which of `HEAVY` the import loads."""
    added: dict[str, dict[str, str | int]] = field(default_factory=dict)
    """The distributions that an empty environment gains, each with its `version` and `bytes`."""

    @property
    def growth(self) -> float:
        """How many times as much a step costs in a run of 1000 as in one of 100."""
        return self.us["1000"] / self.us["100"]

    @property
    def import_median(self) -> float:
        """Milliseconds that the import takes over a bare interpreter."""
        return median(self.import_ms) - median(self.bare_ms)

    @property
    def import_least(self) -> float:
        """The same, of the least disturbed process of each kind."""
        return min(self.import_ms) - min(self.bare_ms)

    @property
    def megabytes(self) -> float:
        return sum(int(one["bytes"]) for one in self.added.values()) / 1e6


class Measuring:
    """Measures contenders with given interpreters, round by round."""

    def __init__(self, pythons: dict[Contender, Path], paths: tuple[Path, ...] = ()) -> None:
        self.figures = {one: Figures() for one in pythons}
        self._pythons = pythons
        self._paths = paths

    def round(self, imports: int = 7) -> None:
        """One of everything of every contender; `imports` of its import, which is quick and noisy."""
        for one in self.figures:
            self._steps(one)
            self._memory(one)
        for _ in range(imports):
            for one in self.figures:
                if one.imports:
                    self._import(one)

    def once(self, empty: Iterable[str]) -> None:
        """What does not vary: what the import loads, and what is installed beyond `empty`."""
        for one, figures in self.figures.items():
            if one.imports:
                loaded = f"{one.imports}\nimport sys; print(*[name for name in {HEAVY!r} if name in sys.modules])"
                figures.loads = self._run(one, "-c", loaded).split()
            installed = json.loads(self._run(one, str(HERE / "measure.py"), "installed"))
            figures.added = {name: one for name, one in installed.items() if name not in set(empty)}

    def _steps(self, one: Contender) -> None:
        best = self.figures[one].us
        for size, us in self._measure(one, "steps", *map(str, SIZES)).items():
            best[size] = min(best.get(size, us), us)

    def _memory(self, one: Contender) -> None:
        figures = self.figures[one]
        alone = json.loads(self._run(one, str(HERE / "measure.py"), "memory"))
        figures.alone_mib = min(figures.alone_mib, alone)
        figures.peak_mib = min(figures.peak_mib, self._measure(one, "memory", str(MEMORY_SIZE)))

    def _import(self, one: Contender) -> None:
        self.figures[one].bare_ms.append(self._wall_ms(one, "pass"))
        self.figures[one].import_ms.append(self._wall_ms(one, one.imports))

    def _wall_ms(self, one: Contender, code: str) -> float:
        start = time.perf_counter()
        self._run(one, "-c", code)
        return (time.perf_counter() - start) * 1000

    def _measure(self, one: Contender, what: str, *sizes: str):
        file = HERE / "contenders" / f"{one.file}.py"
        return json.loads(self._run(one, str(HERE / "measure.py"), what, str(file), *sizes))

    def _run(self, one: Contender, *arguments: str) -> str:
        return run(self._pythons[one], *arguments, paths=self._paths)
