"""Evaluation: several agents on the same tasks, at the same time, on this machine or on others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import product
from typing import TYPE_CHECKING

from .report import Report
from .tasks import LOST, Task, Trial
from .trying import attempt

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

    from ..core.agent import Agent

THREADS = 8
"""Trials at a time on this machine. They mostly wait for a model."""


def evaluate(
    agents: Mapping[str, Callable[[], Agent]],
    tasks: Iterable[Task],
    *,
    repeats: int = 1,
    executor: Executor | None = None,
) -> Report:
    """Tries every agent on every task, `repeats` times each, and reports what came of it.

    `agents`: name -> a function that makes a fresh agent, called once a trial. `executor`: where the trials run; any of
    `concurrent.futures`, or one with its interface (Dask's, Ray's), which stays open. Without one, threads. An agent,
    a check or a worker that fails is a result like any other. Raises `ValueError` for no agents, no tasks, two tasks
    with one id, or `repeats` below 1.
    """
    tasks = list(tasks)
    _check(agents, tasks, repeats)
    if executor is not None:
        return Report(_all(agents, tasks, repeats, executor))
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(THREADS, thread_name_prefix="hello-agents-trial") as threads:
        return Report(_all(agents, tasks, repeats, threads))


def _all(
    agents: Mapping[str, Callable[[], Agent]], tasks: list[Task], repeats: int, executor: Executor
) -> tuple[Trial, ...]:
    """The trials in the order of agents, tasks and repeats, whichever is done first."""
    futures: dict[tuple[str, str, int], Future[Trial]] = {}
    try:
        # Task by task, so that what has been tried after a while has been tried with every agent.
        for repeat, task, (name, make) in product(range(repeats), tasks, agents.items()):
            futures[name, task.id, repeat] = _submitted(executor, name, make, task, repeat)
        order = product(agents, tasks, range(repeats))
        return tuple(_result(futures[name, task.id, repeat], name, task, repeat) for name, task, repeat in order)
    except BaseException:
        for future in futures.values():
            future.cancel()
        raise


def _submitted(executor: Executor, name: str, make: Callable[[], Agent], task: Task, repeat: int) -> Future[Trial]:
    """The trial that is under way; failed already where the executor looks at once whether it can be sent."""
    from concurrent.futures import Future

    try:
        return executor.submit(attempt, name, make, task, repeat)
    except Exception as error:
        refused: Future[Trial] = Future()
        refused.set_exception(error)
        return refused


def _result(future: Future[Trial], name: str, task: Task, repeat: int) -> Trial:
    """What the worker gave back; where it died, or could not be sent the work, that is what came of the trial."""
    try:
        return future.result()
    except Exception as error:
        return Trial(name, task.id, repeat, LOST, f"{type(error).__name__}: {error}")


def _check(agents: Mapping[str, object], tasks: list[Task], repeats: int) -> None:
    if not agents or not tasks:
        raise ValueError(f"{len(agents)} agents and {len(tasks)} tasks leave nothing to try. Give one of each or more.")
    if repeats < 1:
        raise ValueError(f"repeats={repeats} leaves nothing to try. Use 1 or more.")
    ids = [task.id for task in tasks]
    twice = next((id for at, id in enumerate(ids) if id in ids[:at]), None)
    if twice is not None:
        raise ValueError(f"Two tasks have the id {twice!r}. Give each its own, since results are found by it.")
