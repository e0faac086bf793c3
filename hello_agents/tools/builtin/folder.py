"""Folders held open: files are read and replaced in them by name, and no link can lead elsewhere meanwhile.

A path is checked first and used later; in between somebody may put a link in place of a folder on the way. So the way
is walked folder by folder, each opened inside the one before and never through a link. Where the system cannot open
folders (Windows), paths are used, and only links that were there at the check are noticed.
"""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

_POSIX = os.name == "posix"
_LOOK = os.O_RDONLY | (os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC if os.name == "posix" else 0)
_MAKE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | (os.O_CLOEXEC if os.name == "posix" else 0)
_BINARY = 0 if os.name == "posix" else os.O_BINARY

TEMPORARY = ".hello-agents-tmp"
"""How the names of files end that are being written. One is left behind only by a process that was killed."""

_one_at_a_time = threading.RLock()


class NotRegular(OSError):
    """It is a pipe, a device or the like."""


class Found(NamedTuple):
    """A file as it was at one moment."""

    content: bytes
    mtime_ns: int
    mode: int
    """Its permissions."""


class Folder:
    """A folder held open."""

    def __init__(self, path: Path, handle: int | None) -> None:
        self._path = path
        self._handle = handle

    def _at(self, name: str) -> str:
        return name if self._handle is not None else str(self._path / name)

    def _open(self, name: str, flags: int, mode: int = 0o666) -> int:
        return os.open(self._at(name), flags | _BINARY, mode, dir_fd=self._handle)

    @contextmanager
    def below(self, name: str, make: bool = False) -> Generator[Folder]:
        """A folder in this one. Raises `OSError` when it is none, or a link."""
        if make:
            with suppress(FileExistsError):
                os.mkdir(self._at(name), dir_fd=self._handle)
        if self._handle is None:
            if not (self._path / name).is_dir():
                raise NotADirectoryError(20, "Not a directory", name)
            yield Folder(self._path / name, None)
            return
        handle = os.open(name, _LOOK | os.O_DIRECTORY, dir_fd=self._handle)
        try:
            yield Folder(self._path / name, handle)
        finally:
            os.close(handle)

    def entries(self) -> list[os.DirEntry[str]]:
        """What is in it, by name."""
        with os.scandir(self._path if self._handle is None else self._handle) as entries:
            return sorted(entries, key=lambda entry: entry.name)

    def read(self, name: str, most: int | None = None) -> Found:
        """A regular file. Raises `FileNotFoundError`, `NotRegular` or another `OSError`; `most` is in bytes."""
        handle = self._open(name, _LOOK)
        try:
            # The facts come before the content: if it changes in between they are those of an older file.
            facts = os.fstat(handle)
            if not stat.S_ISREG(facts.st_mode):
                raise NotRegular(22, "Not a regular file", name)
            if most is not None and facts.st_size > most:
                raise OSError(27, "File too large", name)
            with os.fdopen(handle, "rb", closefd=False) as file:
                return Found(file.read(), facts.st_mtime_ns, stat.S_IMODE(facts.st_mode))
        finally:
            os.close(handle)

    def find(self, name: str) -> Found | None:
        """`read`, or `None` when there is no such file."""
        try:
            return self.read(name)
        except FileNotFoundError:
            return None

    def replace(self, name: str, content: bytes, mode: int | None = None) -> int:
        """Puts a whole file in place of what was there, in one step, and returns its time in ns.

        With a mode it has these permissions, and the owner and group of what was there as far as this process may give
        them. On failure nothing has changed.
        """
        temporary = f".{name[:40]}.{os.urandom(6).hex()}{TEMPORARY}"
        handle = self._open(temporary, _MAKE, 0o666 if mode is None else 0o600)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                if mode is not None and _POSIX:
                    self._hand_over(file.fileno(), name)
                    os.fchmod(file.fileno(), mode)
                time = os.fstat(file.fileno()).st_mtime_ns
            os.replace(self._at(temporary), self._at(name), src_dir_fd=self._handle, dst_dir_fd=self._handle)
        except BaseException:
            self.remove(temporary)
            raise
        return time

    def _hand_over(self, handle: int, name: str) -> None:
        """Gives the file to the owner and group of the one of this name, or at least to its group."""
        with suppress(OSError):
            old, new = os.stat(name, dir_fd=self._handle, follow_symlinks=False), os.fstat(handle)
            if (old.st_uid, old.st_gid) == (new.st_uid, new.st_gid):
                return
            try:
                os.fchown(handle, old.st_uid, old.st_gid)
            except PermissionError:
                os.fchown(handle, -1, old.st_gid)

    def remove(self, name: str) -> None:
        """Removes a file; one that is not there is no error."""
        with suppress(FileNotFoundError):
            os.unlink(self._at(name), dir_fd=self._handle)

    @contextmanager
    def alone(self) -> Generator[None]:
        """Keeps other writers of this library out of the folder, in whatever thread or process."""
        if self._handle is None:
            with _one_at_a_time:
                yield
            return
        import fcntl

        # Some network file systems have no locks. Then there is only the comparison of contents.
        with suppress(OSError):
            fcntl.flock(self._handle, fcntl.LOCK_EX)
        yield

    def sweep(self, name: str) -> None:
        """Removes what a killed process has left half-written for this file. Only to be called `alone`."""
        for entry in self.entries():
            if entry.name.startswith(f".{name[:40]}.") and entry.name.endswith(TEMPORARY):
                self.remove(entry.name)


@contextmanager
def opened(root: Path, parts: Sequence[str] = (), make: bool = False) -> Generator[Folder]:
    """The folder that `parts` lead to from a root whose links were followed. `make`: folders on the way are made."""
    if make:
        root.mkdir(parents=True, exist_ok=True)
    if not _POSIX:
        yield from _opened(Folder(root, None), parts, make)
        return
    handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield from _opened(Folder(root, handle), parts, make)
    finally:
        os.close(handle)


def _opened(folder: Folder, parts: Sequence[str], make: bool) -> Generator[Folder]:
    if not parts:
        yield folder
        return
    with folder.below(parts[0], make) as inner:
        yield from _opened(inner, parts[1:], make)


def write_atomically(path: Path, content: bytes) -> None:
    """Puts the content in place of the file, keeping the file's permissions; on failure nothing has changed."""
    with opened(path.parent) as folder:
        found = folder.find(path.name)
        folder.replace(path.name, content, None if found is None else found.mode)


def mtime_ms(path: Path) -> int:
    """When the file was last changed, in whole milliseconds since the epoch."""
    return path.stat().st_mtime_ns // 1_000_000
