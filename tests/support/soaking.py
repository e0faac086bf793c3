"""A soak: many clients at several workers and one Redis, workers killed and started again meanwhile.

Every client asks for calls that depend on each other, comes back to any worker when its stream breaks, and must have
got the right answer and every event once.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from support.redis_server import redis_server
from support.serving import Command, Event, Parser, kept

SETTINGS = {"lease_seconds": 3, "poll_seconds": 0.2, "max_runs": 80, "rate": 100_000, "burst": 100_000}
SETTINGS |= {"max_takeovers": 50, "grace_seconds": 10}


@dataclass
class Figures:
    """What a soak came to."""

    sessions: int = 0
    wrong: list[str] = field(default_factory=list)
    """What was not as it must be, in words."""
    events: int = 0
    got: int = 0
    """Events that have come so far, as they come."""
    kills: int = 0
    reconnections: int = 0
    lost_calls: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    memory: list[float] = field(default_factory=list)
    """MiB of the worker that is left alone, after each round."""


def soak(folder: Path, *, sessions: int, calls: int, workers: int, rounds: int, every: int, pause: float) -> Figures:
    """`sessions` clients at a time, in `rounds`; a worker is killed after every so many events, the first one never.

    Events and not seconds, so that a quick machine has kills and a slow one the time to start again.
    """
    figures = Figures()
    with redis_server(folder) as redis:
        options = [part for name, value in SETTINGS.items() for part in ("--set", f"{name}={value}")]
        env = {"SERVED_PAUSE": str(pause)}
        fleet = [Command(folder, redis.url, *options, env=env, name=f"worker{n}") for n in range(workers)]
        try:
            for worker in fleet:
                worker.start()
            asyncio.run(_rounds(fleet, figures, sessions, calls, rounds, every))
        finally:
            for worker in fleet:
                worker.kill()
    return figures


async def _rounds(
    fleet: Sequence[Command], figures: Figures, sessions: int, calls: int, rounds: int, every: int
) -> None:
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
    started = time.monotonic()
    async with httpx.AsyncClient(timeout=httpx.Timeout(30, connect=5), limits=limits, trust_env=False) as http:
        killing = asyncio.create_task(_kill(fleet, figures, every))
        try:
            for number in range(rounds):
                clients = [_Client(http, fleet, f"r{number}s{one}", calls, figures) for one in range(sessions)]
                await asyncio.gather(*(client.live() for client in clients))
                figures.memory.append(_resident(fleet[0]))
                if killing.done():
                    killing.result()
        finally:
            killing.cancel()
            await asyncio.gather(killing, return_exceptions=True)
    figures.seconds = time.monotonic() - started


async def _kill(fleet: Sequence[Command], figures: Figures, every: int) -> None:
    choice = random.Random(7)
    while True:
        goal = figures.got + every
        while figures.got < goal:
            await asyncio.sleep(0.02)
        worker = choice.choice(fleet[1:])
        await asyncio.to_thread(worker.kill)
        figures.kills += 1
        await asyncio.to_thread(worker.start)


class _Client:
    def __init__(
        self, http: httpx.AsyncClient, fleet: Sequence[Command], session: str, calls: int, figures: Figures
    ) -> None:
        self._http = http
        self._fleet = fleet
        self._session = session
        self._calls = calls
        self._figures = figures
        self._choice = random.Random(session)
        self._events: list[Event] = []
        self._asked = False

    async def live(self) -> None:
        started = time.monotonic()
        while not (self._events and self._events[-1].name == "agent_finish"):
            if time.monotonic() - started > 200:
                self._figures.wrong.append(f"{self._session} did not end: {[one.name for one in self._events[-3:]]}")
                return
            with suppress(httpx.TransportError, httpx.StreamError):
                await self._go_on()
            self._figures.reconnections += 1
            await asyncio.sleep(self._choice.uniform(0.05, 0.3))
        self._figures.reconnections -= 1
        self._figures.slowest = max(self._figures.slowest, time.monotonic() - started)
        await self._check()

    async def _go_on(self) -> None:
        url = f"{self._choice.choice(self._fleet).url}/sessions/{self._session}"
        if not self._asked:
            body = {"message": f"count {self._calls}", "after": -1}
            async with self._http.stream("POST", f"{url}/messages", json=body) as response:
                if response.status_code == 409:
                    self._asked = True
                await self._take(response)
                return
        last = next((event.id for event in reversed(self._events) if event.id), None)
        headers = {"Last-Event-ID": last} if last else {}
        async with self._http.stream("GET", f"{url}/events", headers=headers) as response:
            if response.status_code == 404:
                self._asked = False
            await self._take(response)

    async def _take(self, response: httpx.Response) -> None:
        if response.status_code != 200:
            await response.aread()
            return
        parser = Parser()
        async for chunk in response.aiter_raw():
            for event in parser.feed(chunk):
                if event.id is not None:
                    self._asked = True
                    self._events.append(event)
                    self._figures.got += 1

    async def _check(self) -> None:
        figures, name = self._figures, self._session
        figures.sessions += 1
        answer = self._events[-1].value["data"]["result"]
        if answer != str(self._calls * (self._calls + 1) // 2):
            figures.wrong.append(f"{name} was answered {answer}")
        figures.lost_calls += sum(
            event.name == "tool_call_finish" and event.value["data"]["status"] == "error" for event in self._events
        )
        whole = await self._whole()
        figures.events += len(whole)
        if kept(self._events) != whole:
            figures.wrong.append(f"{name} got {len(self._events)} events of {len(whole)}")

    async def _whole(self) -> list[tuple[str | None, str, Any]]:
        events: list[Event] = []
        parser = Parser()
        async with self._http.stream("GET", f"{self._fleet[0].url}/sessions/{self._session}/events") as response:
            async for chunk in response.aiter_raw():
                events += parser.feed(chunk)
        return kept(events)


def _resident(worker: Command) -> float:
    """MiB that a process holds."""
    assert worker.process is not None
    status = Path(f"/proc/{worker.process.pid}/status").read_text(encoding="utf-8")
    line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024
