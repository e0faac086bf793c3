"""A real server that speaks Redis, on a loopback port of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hello_agents.serve.local_redis import LocalRedis as RedisServer

__all__ = ["RedisServer", "redis_server"]


@contextmanager
def redis_server(folder: Path) -> Iterator[RedisServer]:
    with RedisServer(folder) as server:
        yield server
