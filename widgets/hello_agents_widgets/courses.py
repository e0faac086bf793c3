"""Several courses of one run beside each other: where two branches part, and how a number of them ended."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median_low
from typing import Any

from hello_agents.core.debugger import Course, Debugger

Json = dict[str, Any]

_LONGEST = 400
"""Characters of an answer that stand for it in a table."""


def spread_json(debugger: Debugger, names: Sequence[str]) -> Json:
    """How these branches ended, grouped by outcome and answer, the most frequent first."""
    courses = [debugger.course(name) for name in names]
    groups: dict[tuple[str, str | None, str | None], list[Course]] = {}
    for course in courses:
        groups.setdefault((course.reason, course.answer, course.error), []).append(course)
    return {
        "n": len(names),
        "equal": all(debugger.compare(names[0], name).first is None for name in names[1:]),
        "groups": [
            {
                "reason": reason,
                "answer": _short(answer),
                "error": _short(error),
                "branches": [course.branch for course in group],
                "steps": _range([course.steps for course in group]),
                "tokens": _range([course.tokens for course in group]),
            }
            for (reason, answer, error), group in sorted(groups.items(), key=lambda item: -len(item[1]))
        ],
    }


def _range(numbers: Sequence[int]) -> list[int]:
    """The smallest, the one in the middle, the largest."""
    return [min(numbers), median_low(numbers), max(numbers)]


def _short(words: str | None) -> str | None:
    return words if words is None or len(words) <= _LONGEST else words[: _LONGEST - 1] + "…"
