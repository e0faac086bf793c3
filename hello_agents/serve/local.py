"""The service on this machine as processes that can be killed: for trying it out, and for tests."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from ..core.exceptions import ConfigException
from .local_redis import LocalRedis, redis_executable
from .spawning import end, spawn

_PATIENCE = 60.0
"""Seconds that a worker has to start or to end."""


class Worker:
    """One process of `hello-agents serve`, on a loopback port that is free."""

    def __init__(self, agent: str, store: str, log: Path, *options: str, env: Mapping[str, str] | None = None) -> None:
        """`agent` and `store` as on the command line; what the process says goes into the file `log`."""
        self.log = log
        self.process: subprocess.Popen[bytes] | None = None
        self.url = ""
        self._command = [sys.executable, "-m", "hello_agents.cli", "serve", agent, "--store", store, "--port", "0"]
        self._command += options
        self._env = os.environ | dict(env or {})

    def start(self) -> Self:
        """Starts it, and returns when it listens. Raises `ConfigException` when it does not come to that."""
        self.launch()
        return self.await_start()

    def launch(self) -> None:
        """Starts it, and does not wait."""
        self.kill()
        self.process = spawn(self._command, self.log, self._env)

    def await_start(self) -> Self:
        end = time.monotonic() + _PATIENCE
        while not self._listens():
            if self.process is None or self.process.poll() is not None or time.monotonic() > end:
                self.kill()
                said = self.log.read_text(encoding="utf-8")
                raise ConfigException(f"The worker did not start. What it said:\n{said}")
            time.sleep(0.01)
        return self

    def kill(self) -> None:
        """Ends it at once, with the signal that no program can catch."""
        if self.process is not None:
            end(self.process)

    def terminate(self) -> int:
        """Tells it to end, as a deployment does, and waits. Returns its exit code."""
        return 0 if self.process is None else end(self.process, _PATIENCE)

    def _listens(self) -> bool:
        text = self.log.read_text(encoding="utf-8")
        found = re.search(r"running on (http://[\d.]+:\d+)", text)
        self.url = found[1] if found else ""
        return bool(found) and "startup complete" in text

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.kill()


class Local:
    """Workers of one agent at one store: a Redis of their own, or without a Redis the folder's files.

    Each worker has an address of its own, so that one can choose whom to ask and whom to kill; in production they share
    one, behind a balancer. Ends with the program at the latest, however that ends.
    """

    def __init__(self, agent: str, folder: Path, *, workers: int = 2, **settings: float) -> None:
        """`agent` is `module:name` or `path.py:name`; `settings` are those of `Settings`, by name."""
        self.folder = folder
        self.redis = None if redis_executable() is None else LocalRedis(folder / "redis")
        store = f"files:{folder / 'sessions'}" if self.redis is None else self.redis.url
        options = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
        self.workers = [Worker(agent, store, folder / f"worker-{n}.log", *options) for n in range(workers)]

    @property
    def store(self) -> str:
        """Where the sessions are, in a word: `redis` or `files`."""
        return "files" if self.redis is None else "redis"

    def start(self) -> Self:
        """Starts everything, and returns when all workers listen. Raises `ConfigException`."""
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            if self.redis is not None:
                self.redis.start()
            for worker in self.workers:
                worker.launch()
            for worker in self.workers:
                worker.await_start()
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """Kills what still runs. The sessions stay in the folder."""
        for worker in self.workers:
            worker.kill()
        if self.redis is not None:
            self.redis.kill()

    def running(self) -> int:
        """How many processes of it run."""
        processes = [worker.process for worker in self.workers]
        alive = sum(process is not None and process.poll() is None for process in processes)
        return alive + (self.redis is not None and self.redis.running)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()
