"""Runs a scripted agent with a store again and again, each time in a process that kills itself after another entry."""

from __future__ import annotations

import json
import os
import signal
import sys

from core.crashing import Place, agent

from hello_agents.core.run import Run
from hello_agents.core.session_store import MemorySessionStore, RedisSessionStore, SessionStore, Store


def open_store(place: str) -> Store:
    url, _, space = place.partition("#")
    return RedisSessionStore(url=url, namespace=space) if space else SessionStore(place)


def run_and_die(kind: str, place: str, seq: int) -> None:
    one = agent(kind, Place("never", 0))
    one.sink = open_store(place).open(f"killed at {seq}", start=Run("crash")).append
    one.subscribers.append(lambda entry, run: os.kill(os.getpid(), signal.SIGKILL) if entry.seq == seq else None)
    one.run("1+2+3+4?")


def main() -> None:
    kind, place, count = sys.argv[1:]
    # What a run imports is imported once, and not in each child.
    warm = MemorySessionStore()
    one = agent(kind, Place("never", 0))
    one.sink = warm.open("warm").append
    one.run("1+2+3+4?")
    warm.read("warm")
    import redis.asyncio  # noqa: F401

    statuses: list[int] = []
    for seq in range(int(count)):
        child = os.fork()
        if child == 0:
            run_and_die(kind, place, seq)
            os._exit(0)
        statuses.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    sys.stdout.write(json.dumps(statuses))


if __name__ == "__main__":
    main()
