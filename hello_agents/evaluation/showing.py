"""A report as text and as HTML: equal reports give equal bytes."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from ..catalogue import text

if TYPE_CHECKING:
    from .report import Report, Score


LONGEST = 160
"""Characters of an error that are shown."""


def report_text(report: Report, language: str, seconds: bool) -> str:
    """A table with a line an agent, and the failures below it."""
    lines = _columns(
        [_head(report, language, seconds), *(_row(report, one, seconds) for one in report.scores.values())]
    )
    failed = [one for one in report.scores.values() if one.failures]
    lines += [f"{one.agent}: {_failures(one, language)}" for one in failed]
    return "\n".join([*lines, *_errors(report)])


def report_html(report: Report, language: str, seconds: bool) -> str:
    """The same table, and a second one with a line a task. Names and reasons are escaped."""
    from ..core.at_rest import grid, sheet

    def escaped(cells: Sequence[str]) -> list[str]:
        return [escape(cell) for cell in cells]

    scores = report.scores.values()
    why = text("evaluation.failures", language)
    rows = [[*escaped(_row(report, one, seconds)), escape(_failures(one, language))] for one in scores]
    body = grid([*escaped(_head(report, language, seconds)), why], rows)
    tasks = [
        [escape(task), *(escape(_verdict(report, agent, task)) for agent in report.agents)] for task in report.tasks
    ]
    body += f'<details style="margin-top:8px"><summary>{text("evaluation.by_task", language)}</summary>'
    body += grid([text("evaluation.task", language), *escaped(report.agents)], tasks) + "</details>"
    title = text("evaluation.title", language, agents=len(report.agents), tasks=len(report.tasks))
    return sheet(title, (), body, language=language)


def _head(report: Report, language: str, seconds: bool) -> list[str]:
    names = ["agent", "passed", "interval", "steps", "tokens"] + ["cost"] * _priced(report) + ["seconds"] * seconds
    return [text(f"evaluation.{name}", language) for name in names]


def _row(report: Report, score: Score, seconds: bool) -> list[str]:
    return [
        score.agent,
        f"{score.passed}/{score.trials} {100 * score.rate:.0f} %",
        f"{100 * score.low:.0f}–{100 * score.high:.0f} %",
        f"{score.steps:.1f}",
        f"{score.tokens:,.0f}",
        *([_money(score.cost)] if _priced(report) else []),
        *([f"{score.seconds:.2f}"] if seconds else []),
    ]


def _priced(report: Report) -> bool:
    """Whether anything cost money: without prices there is nothing to show."""
    return any(score.cost for score in report.scores.values())


def _money(cost: float) -> str:
    return f"{cost:,.2f}" if cost >= 1 or not cost else f"{cost:.3g}"


def _failures(score: Score, language: str) -> str:
    told = ", ".join(f"{reason} ×{count}" for reason, count in score.failures.items())
    return told or text("evaluation.none", language)


def _errors(report: Report) -> list[str]:
    """The first error of each kind, since a reason in a word or two seldom says what to mend."""
    first = {(one.agent, one.reason): one.error for one in reversed(report.trials) if one.error}
    return [f"{agent}, {reason}: {_short(error)}" for (agent, reason), error in reversed(first.items())]


def _short(words: str) -> str:
    line = " ".join(words.split())
    return line if len(line) <= LONGEST else line[:LONGEST] + "…"


def _verdict(report: Report, agent: str, task: str) -> str:
    trials = report.of(agent, task)
    if len(trials) == 1:
        return "✓" if trials[0].passed else f"✗ {trials[0].reason}"
    return f"{sum(one.passed for one in trials)}/{len(trials)}"


def _columns(rows: list[list[str]]) -> list[str]:
    """Rows with their cells one below the other; the first to the left, numbers to the right."""
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    lines: list[str] = []
    for first, *rest in rows:
        cells = [first + " " * (widths[0] - _width(first))]
        cells += [" " * (width - _width(cell)) + cell for cell, width in zip(rest, widths[1:], strict=True)]
        lines.append("  ".join(cells).rstrip())
    return lines


def _width(words: str) -> int:
    """Columns of a terminal: Chinese signs take two."""
    from unicodedata import east_asian_width

    return sum(2 if east_asian_width(sign) in "WF" else 1 for sign in words)
