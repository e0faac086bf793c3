"""Opaque agents: subclasses with a `run` of their own, as readers of the tutorial write them.

What such a `run` does cannot be looked into. As a child run or in a debugger it is one question and one reply; awaited
or streamed it runs in a thread, and what it records is told as it comes.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from copy import copy
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

from .action import Action, Ask, Request, Wait
from .message import Message
from .run import Delta, Entry, Replied, Run, Stopped, Told, evolve

if TYPE_CHECKING:
    from asyncio import Queue

    from .agent import Agent


def runs_itself(agent: Agent) -> bool:
    """Whether `decide` does not speak for the agent: its class has its own `run`, or a part of it was replaced."""
    return agent.own_parts() or has_own_run(type(agent))


def has_own_run(kind: type[Agent]) -> bool:
    """Whether `run` was written later in the line of classes than `decide`, so that `decide` does not speak for it."""
    for one in kind.__mro__:
        if "decide" in vars(one):
            return False
        if "run" in vars(one):
            return True
    return False


def whole(run: Run) -> Action:
    """The decision of an agent that cannot be looked into: one question, and it stops."""
    if not run.messages:
        return Wait(())
    last = run.messages[-1]
    match last.role:
        case "user":
            return Ask(Request(run.messages, at=("", run.steps)))
        case "assistant":
            return Stopped("finished", last.text)
        case _:
            return Wait(())


@dataclass(frozen=True, slots=True)
class OwnRun:
    """An agent's own `run` as a model: the question goes in, the answer is the reply. The agent stays as it is."""

    agent: Agent

    def stream(self, request: Request) -> Iterator[Delta | Replied]:
        *earlier, question = (message for message in request.messages if message.role != "system")
        twin = apart(self.agent, earlier)
        yield Replied(Message(twin.run(question.text), "assistant"))

    async def astream(self, request: Request) -> AsyncIterator[Delta | Replied]:
        from asyncio import to_thread

        for replied in await to_thread(list, self.stream(request)):
            yield replied


def apart(agent: Agent, said: list[Message]) -> Agent:
    """A copy of the agent with a conversation of its own, which nobody is told of."""
    twin = copy(agent)
    twin.opaque = False
    twin.state = reduce(lambda run, message: evolve(run, Told(message)), said, Run(agent.name))
    twin.subscribers = []
    twin.sink = lambda entry, run: None
    return twin


def closed(agent: Agent) -> Agent:
    """The agent as a loop sees it from outside: one with its own `run` decides nothing but to run."""
    if not runs_itself(agent):
        return agent
    twin = copy(agent)
    twin.opaque = True
    return twin


def recorded(agent: Agent, run: Callable[[], str]) -> list[tuple[Entry, Run]]:
    """What an agent's own `run` records."""
    records: list[tuple[Entry, Run]] = []

    def tell(entry: Entry, run: Run) -> None:
        records.append((entry, run))

    agent.subscribers.append(tell)
    try:
        run()
    finally:
        agent.subscribers.remove(tell)
    return records


async def in_a_thread(agent: Agent, run: Callable[[], str]) -> AsyncIterator[tuple[Entry, Run] | str]:
    """What an agent's own `run` records while it runs in a thread, then its answer."""
    import asyncio

    queue: Queue[tuple[Entry, Run] | None] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def tell(entry: Entry, run: Run) -> None:
        loop.call_soon_threadsafe(queue.put_nowait, (entry, run))

    agent.subscribers.append(tell)
    try:
        task = asyncio.create_task(asyncio.to_thread(run))
        task.add_done_callback(lambda _: queue.put_nowait(None))
        while (record := await queue.get()) is not None:
            yield record
        yield task.result()
    finally:
        agent.subscribers.remove(tell)
