"""Where memories are kept: the protocol of a store, and one file of JSON lines."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

from ..core.exceptions import HelloAgentsException
from .base import KINDS, MemoryItem


class MemoryUnavailable(HelloAgentsException):
    """The memories could not be read, kept or searched. It does not mean that there are none."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a store holds."""

    items: Sequence[MemoryItem] = ()
    """In the order in which they were first kept."""
    problems: Sequence[str] = ()
    """What was lost, in words."""
    last: int = 0
    """The highest number of an id there ever was, so that none is used again."""


class MemoryStore(Protocol):
    """Anything that keeps memories. What it raises is told to whoever asked, and nothing is taken for done."""

    def load(self) -> Loaded:
        """All that was kept."""
        ...

    def write(self, put: Sequence[MemoryItem], remove: Sequence[str]) -> None:
        """Keeps items, each in place of one with its id, and removes others by id; all of it or nothing."""
        ...


def number_of(memory_id: str) -> int:
    """The number in an id such as `m12`; 0 for an id of another form."""
    match = re.fullmatch(r"m([0-9]{1,15})", memory_id)
    return int(match.group(1)) if match else 0


class JsonLinesStore:
    """Memories in a file of JSON lines, one line a change, UTF-8.

    A line has `put` (items) and `remove` (ids). A change is appended; when more lines are out of date than there are
    memories, the file is written anew in one step, with one line a memory. A last line that was torn by a crash is
    left out, told in `Loaded.problems`, and cut off by the next change. The file and its folder are made by the first
    change. One process at a time may use it. Raises `MemoryUnavailable` for a file that cannot be used.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._items: dict[str, MemoryItem] | None = None
        self._dead = 0
        self._last = 0
        self._end = 0

    def __repr__(self) -> str:
        return f"JsonLinesStore({str(self.path)!r})"

    def load(self) -> Loaded:
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            data = b""
        except OSError as error:
            raise self._unusable(error) from error
        self._items, self._dead, self._last, self._end = {}, 0, 0, 0
        problems: list[str] = []
        for number, line in enumerate(data.splitlines(keepends=True), 1):
            try:
                self._read(line)
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                if not line.endswith(b"\n"):
                    problems.append(f"The last change in {self.path.name} was torn off and is lost.")
                    break
                self._items = None
                raise MemoryUnavailable(
                    f"Line {number} of {self.path.name} holds no memory ({type(error).__name__}). Mend it or move "
                    "the file away."
                ) from error
            self._end += len(line)
        return Loaded(tuple(self._items.values()), problems, self._last)

    def write(self, put: Sequence[MemoryItem], remove: Sequence[str]) -> None:
        if self._items is None:
            self.load()
        assert self._items is not None
        items = dict(self._items)
        dead = self._dead + _apply(items, put, remove)
        last = max([self._last, *(number_of(item.id) for item in put)])
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if dead > len(items):
                end, dead = self._rewrite(items, last), 0
            else:
                end = self._append(_line(put=put, remove=remove))
        except OSError as error:
            raise self._unusable(error) from error
        self._items, self._dead, self._last, self._end = items, dead, last, end

    def _read(self, line: bytes) -> None:
        change = json.loads(line.decode("utf-8"))
        put = [MemoryItem.from_dict(item) for item in change.get("put", ())]
        gone = [str(id) for id in change.get("remove", ())]
        last = int(change.get("last", 0))
        items = cast("dict[str, MemoryItem]", self._items)
        if any(item.memory_type not in KINDS for item in put):
            raise ValueError("an unknown kind of memory")
        self._dead += _apply(items, put, gone)
        self._last = max([self._last, last, *(number_of(item.id) for item in put)])

    def _append(self, line: bytes) -> int:
        """Writes the line behind the last whole one, or leaves the file as it was."""
        with self.path.open("ab"):
            pass
        with self.path.open("r+b", buffering=0) as file:
            # A line whose end was torn off is whole when it could be read.
            whole = self._end == 0 or self._ends_a_line(file.fileno())
            data = line if whole else b"\n" + line
            file.truncate(self._end)
            file.seek(self._end)
            left = memoryview(data)
            try:
                while left:
                    left = left[file.write(left) :]
            except OSError:
                with suppress(OSError):
                    file.truncate(self._end)
                raise
        return self._end + len(data)

    def _ends_a_line(self, handle: int) -> bool:
        os.lseek(handle, self._end - 1, os.SEEK_SET)
        return os.read(handle, 1) == b"\n"

    def _rewrite(self, items: dict[str, MemoryItem], last: int) -> int:
        from ..tools.builtin.folder import write_atomically

        data = b"".join([_line(last=last), *(_line(put=[item]) for item in items.values())])
        write_atomically(self.path, data)
        return len(data)

    def _unusable(self, error: OSError) -> MemoryUnavailable:
        why = error.strerror or type(error).__name__
        return MemoryUnavailable(f"{self.path.name} cannot be used: {why}. Make room or give access, and try again.")


def _apply(items: dict[str, MemoryItem], put: Sequence[MemoryItem], remove: Sequence[str]) -> int:
    """Makes a change to the items, and counts the lines that are out of date by it."""
    dead = 0
    for item in put:
        old = items.get(item.id)
        dead += old is not None
        if old is not None and old.memory_type != item.memory_type:
            del items[item.id]  # It comes last in the kind that it has moved to.
        items[item.id] = item
    for id in remove:
        dead += 1 + (items.pop(id, None) is not None)
    return dead


def _line(put: Sequence[MemoryItem] = (), remove: Sequence[str] = (), last: int = 0) -> bytes:
    from ..tools.values import to_json

    change: dict[str, Any] = {}
    if last:
        change["last"] = last
    if put:
        change["put"] = [item.to_dict() for item in put]
    if remove:
        change["remove"] = list(remove)
    # A lone surrogate has no UTF-8; as an escape it is valid JSON.
    return to_json(change).encode("utf-8", "backslashreplace") + b"\n"
