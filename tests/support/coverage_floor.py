"""What `make coverage` says at its end: the lines and the branches that tests reach, each with its floor."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from coverage import Coverage

FLOOR = 95
"""Percent, of lines and of branches alike. Counted together, many lines would hide few branches."""


def percentages(report: Path) -> dict[str, float]:
    """The two percentages in a JSON report of coverage."""
    totals = json.loads(report.read_text(encoding="utf-8"))["totals"]
    parts = {"lines": ("covered_lines", "num_statements"), "branches": ("covered_branches", "num_branches")}
    return {name: 100 * totals[covered] / max(totals[of], 1) for name, (covered, of) in parts.items()}


def told(found: dict[str, float]) -> tuple[str, bool]:
    """The percentages in words, and whether all are above the floor."""
    lines = [
        f"{name}: {percent:.2f} %{'' if percent > FLOOR else f', at most {FLOOR}'}" for name, percent in found.items()
    ]
    return "\n".join(lines) + "\n", all(percent > FLOOR for percent in found.values())


def main() -> int:
    coverage = Coverage()
    coverage.load()
    coverage.report(skip_covered=True, show_missing=True)
    with TemporaryDirectory() as folder:
        report = Path(folder) / "coverage.json"
        coverage.json_report(outfile=str(report))
        words, enough = told(percentages(report))
    sys.stdout.write(words)
    return 0 if enough else 1


if __name__ == "__main__":
    sys.exit(main())
