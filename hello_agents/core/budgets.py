"""Budgets: what one question may cost with all the runs below it, in tokens, requests, money and time.

Usage and requests of children count for every run above them. A child gets a share of what is left where it begins, so
that children side by side cannot spend the same tokens twice; what one leaves is there for later ones. A run that has
used up its budget is asked once more, without tools: a tree goes beyond its budget by at most two replies for each of
its runs, the one that crossed the line and the last.

Time has no shares, as it passes for all at once. The loop reads the clock and writes down, after each reply and its
calls, how many seconds the question has taken so far; what is decided depends on these notes alone, so that a replay
decides the same. Time in which nothing runs, because a person is asked or the process has ended, does not count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from ..catalogue import text
from .message import ToolCall
from .run import Limits, Run, Spawned

ELAPSED = "elapsed"
"""The note's key: `{"turn": …, "seconds": …}`, the seconds being those of the whole tree since its question."""

NEAR = 0.2
"""From this part of a budget on, the model is told that little is left."""

_NANO = 1_000_000_000

N = TypeVar("N", int, float)

Budget = tuple[str, float, float]
"""The reason it closes a question with, what is left of it, and all of it."""


def elapsed(run: Run) -> float:
    """Seconds that the question has taken, as far as they are written down in this run."""
    note = run.notes.get(ELAPSED)
    return note["seconds"] if note is not None and note["turn"] == run.turn else 0.0


def spent_up(budgets: Sequence[Budget]) -> str | None:
    """The reason to close the question, when a budget is used up."""
    for reason, left, _ in budgets:
        if left <= 0:
            return reason
    return None


def notices(budgets: Sequence[Budget], language: str) -> list[str]:
    """What the model is told where little is left."""
    return [
        text("limits.little_left", language, what=text(f"limits.budget.{reason}", language), left=f"{left:.4g}")
        for reason, left, most in budgets
        if reason != "token_budget" and left <= NEAR * most
    ]


def share(run: Run, spawned: Spawned) -> Spawned:
    """The child with its share of what is left of the budgets here."""
    limits = run.limits
    if not _limited(limits) and limits.prices is None:
        return spawned
    child, own = spawned.run, spawned.run.limits
    beside = _beside(run, spawned.id)
    cost = _part(_cost_left(run), beside)
    shared = replace(
        own,
        max_tokens=_least(own.max_tokens, _part(_tokens_left(run), beside)),
        max_total_steps=_least(own.max_total_steps, _part(_steps_left(run), beside)),
        max_cost=_least(own.max_cost, None if cost is None else cost / _NANO),
        max_seconds=limits.max_seconds,
        prices=own.prices or limits.prices,
    )
    notes = child.notes
    if limits.max_seconds is not None:
        notes = {**notes, ELAPSED: {"turn": child.turn, "seconds": elapsed(run)}}
    return Spawned(spawned.id, replace(child, limits=shared, notes=notes))


def call_of(run: Run, spawned: Spawned) -> ToolCall | None:
    """The call that a child begins for, when it begins for one."""
    return next((call for call in run.pending if call.id == spawned.id), None)


def nothing_for(run: Run) -> bool:
    """Whether nothing would be left for one more child, beside those under way."""
    lefts = (_tokens_left(run), _steps_left(run), _cost_left(run))
    return spent_up(budgets_of(run)) is not None or any(left is not None and left < 1 for left in lefts)


def tree_steps(run: Run) -> int:
    """Requests to the model, over all questions, in this run and all below it."""
    return run.steps + sum(tree_steps(child) for child in run.children.values())


def _limited(limits: Limits) -> bool:
    return not (limits.max_tokens is limits.max_total_steps is limits.max_cost is limits.max_seconds is None)


def budgets_of(run: Run) -> Sequence[Budget]:
    """The budgets there are."""
    limits = run.limits
    if not _limited(limits):
        return ()
    found: list[Budget] = []
    usage = run.usage - run.turn_usage
    if limits.max_tokens is not None:
        found.append(("token_budget", limits.max_tokens - usage.total_tokens, limits.max_tokens))
    if limits.max_total_steps is not None:
        left = limits.max_total_steps - (tree_steps(run) - run.turn_tree_steps)
        found.append(("max_total_steps", left, limits.max_total_steps))
    if limits.max_cost is not None:
        found.append(("max_cost", limits.max_cost - usage.cost, limits.max_cost))
    if limits.max_seconds is not None:
        found.append(("max_seconds", limits.max_seconds - elapsed(run), limits.max_seconds))
    return found


def _tokens_left(run: Run) -> int | None:
    """Tokens that are neither spent nor set aside for children under way."""
    most = run.limits.max_tokens
    if most is None:
        return None
    aside = sum(
        max((child.limits.max_tokens or 0) - (child.usage - child.turn_usage).total_tokens, 0) for child in _open(run)
    )
    return most - (run.usage - run.turn_usage).total_tokens - aside


def _steps_left(run: Run) -> int | None:
    most = run.limits.max_total_steps
    if most is None:
        return None
    spent = ((child, tree_steps(child) - child.turn_tree_steps) for child in _open(run))
    aside = sum(max((child.limits.max_total_steps or 0) - steps, 0) for child, steps in spent)
    return most - (tree_steps(run) - run.turn_tree_steps) - aside


def _cost_left(run: Run) -> int | None:
    """In billionths, as it is counted."""
    most = run.limits.max_cost
    if most is None:
        return None
    aside = sum(
        max(round((child.limits.max_cost or 0) * _NANO) - (child.usage - child.turn_usage).cost_nano, 0)
        for child in _open(run)
    )
    return round(most * _NANO) - (run.usage - run.turn_usage).cost_nano - aside


def _open(run: Run) -> list[Run]:
    return [child for child in run.children.values() if child.outcome is None]


def _beside(run: Run, id: str) -> int:
    """How many children are about to begin together: one for each call of the same tool that has none yet."""
    pending = run.pending
    name = next((call.name for call in pending if call.id == id), None)
    return max(sum(call.name == name and call.id not in run.children for call in pending), 1)


def _part(left: int | None, beside: int) -> int | None:
    return None if left is None else max(left, 0) // beside


def _least(own: N | None, share: N | None) -> N | None:
    return share if own is None else own if share is None else min(own, share)
