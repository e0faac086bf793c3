"""One trial: an agent is made, asked and judged, and whatever goes wrong on the way is what came of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ..core.exceptions import AgentException
from ..core.run import Run
from .tasks import CHECK_RAISED, NOT_BUILT, PASSED, WRONG, Task, Trial

if TYPE_CHECKING:
    from ..core.agent import Agent


def attempt(name: str, make: Callable[[], Agent], task: Task, repeat: int) -> Trial:
    """Tries the agent that `make` gives. Never raises for what the agent, its maker or the check does."""
    began = perf_counter()
    trial = _attempt(Trial(name, task.id, repeat, NOT_BUILT), make, task)
    return replace(trial, seconds=perf_counter() - began)


def _attempt(trial: Trial, make: Callable[[], Agent], task: Task) -> Trial:
    try:
        agent = make()
        start, already = agent.state, len(agent.journal)
    except Exception as error:
        return replace(trial, error=_words(error))
    try:
        agent.run(task.question)
    except Exception as error:
        failed = replace(trial, reason=type(error).__name__, error=_words(error))
        return _told(failed, agent, start, already)
    return _judged(_told(trial, agent, start, already), agent.state, task)


def _told(trial: Trial, agent: Agent, start: Run, already: int) -> Trial:
    """The trial with what the run cost and what happened in it."""
    from ..core.journal import dump_journal, json_text

    run = agent.state
    return replace(
        trial,
        steps=_steps(run) - _steps(start),
        usage=run.usage - start.usage,
        start=start.to_json(),
        journal=dump_journal(agent.journal[already:]),
        schemas=json_text(_schemas(agent, run)),
    )


def _judged(trial: Trial, run: Run, task: Task) -> Trial:
    try:
        fine = task.check(run)
    except Exception as error:
        return replace(trial, reason=CHECK_RAISED, error=_words(error))
    if fine:
        return replace(trial, reason=PASSED)
    ended = run.outcome.reason if run.outcome is not None else "finished"
    return replace(trial, reason=WRONG if ended == "finished" else ended)


def _steps(run: Run) -> int:
    return sum(frame.steps for _, frame in run.frames)


def _schemas(agent: Agent, run: Run, frame: str = "") -> dict[str, list[dict[str, Any]]]:
    """Frame -> the tools on offer there, for the run and those below."""
    found = {frame: list(agent.tools(run).schemas())}
    for id, child in run.children.items():
        path = f"{frame}/{id}" if frame else id
        try:
            member = agent.member(child, path)
        except AgentException:  # A run of long ago, whose agent is not there any more.
            continue
        found |= _schemas(member, child, path)
    return found


def _words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
