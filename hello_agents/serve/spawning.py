"""Processes that do not outlive the program that started them, however it ends."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock

# Reads which processes are alive, and kills them when the pipe closes: as it does when its other end is killed.
_GUARD = """
import os, sys
alive = set()
for line in sys.stdin:
    alive ^= {int(line)}
for pid in alive:
    try:
        os.kill(pid, 9)
    except OSError:
        pass
"""


class _Spawned:
    """What this program has started and not ended, and the guard, which is there as long as there is something."""

    def __init__(self) -> None:
        self.alive: set[int] = set()
        self._guard: subprocess.Popen[bytes] | None = None
        self._lock = Lock()

    def add(self, pid: int) -> None:
        with self._lock:
            if self._guard is None:
                command = [sys.executable, "-I", "-S", "-c", _GUARD]
                self._guard = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)
            self.alive.add(pid)
            self._tell(pid)

    def discard(self, pid: int) -> None:
        with self._lock:
            if pid not in self.alive:
                return
            self.alive.discard(pid)
            self._tell(pid)
            if not self.alive and self._guard is not None:
                self._guard.communicate()
                self._guard = None

    def _tell(self, pid: int) -> None:
        assert self._guard is not None
        assert self._guard.stdin is not None
        self._guard.stdin.write(f"{pid}\n".encode())
        self._guard.stdin.flush()


_spawned = _Spawned()


def spawn(command: Sequence[str], log: Path, env: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
    """Starts a process. What it says goes into the file `log`. To be ended with `end`.

    It has a session of its own: what interrupts this program, or a cell of a notebook, does not interrupt it.
    """
    with log.open("wb") as said:
        process = subprocess.Popen(command, env=env, stdout=said, stderr=subprocess.STDOUT, start_new_session=True)
    _spawned.add(process.pid)
    return process


def end(process: subprocess.Popen[bytes], grace: float = 0) -> int:
    """Ends a process, and returns its exit code. With `grace`, it is told to end, and has so many seconds to do so."""
    try:
        if grace:
            process.terminate()
            return process.wait(grace)
    finally:
        process.kill()
        process.wait()
        _spawned.discard(process.pid)
    return process.returncode
