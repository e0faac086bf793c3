"""Sessions in a folder: one file a head, found by name, and one a journal, found by id."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from .session_form import SessionException, SessionUnavailable, conflict, id_in, key_of
from .sessions import Store, Stored


class _Handle(Protocol):
    def fileno(self) -> int: ...


class SessionStore(Store):
    """Sessions in a folder, which is made with the first one.

    `NAME.json` is the head of a session, `journals/ID.jsonl` its journal, one line an entry as it happens;
    `journals/ID.snapshot` is the last snapshot, `journals/ID.damaged` a journal that was found damaged and repaired.
    Several processes may share a folder on one machine.
    """

    def __init__(self, session_dir: str | Path = "memory/sessions") -> None:
        super().__init__()
        self.session_dir = Path(session_dir)

    def __repr__(self) -> str:
        return f"SessionStore({str(self.session_dir)!r})"

    def location(self, name: str) -> str:
        return str(self._head(key_of(name)))

    # -- the places ---------------------------------------------------------------------------

    def get_head(self, key: str) -> str | None:
        return self.text_of(self._head(key))

    def heads(self) -> Iterator[tuple[str, str]]:
        with _reading(self.session_dir):
            paths = sorted(self.session_dir.glob("*.json"))
        for path in paths:
            text = self.text_of(path)
            if text is not None:
                yield path.name.removesuffix(".json"), text

    def put(self, key: str, id: str, head: str, lines: list[str], old: str | None, aside: bool) -> int | None:
        data = _bytes(lines)
        with self.alone():
            if self._id(key) != old:
                return None
            # The head comes last: until it is there, so is the session that was there before.
            write_whole(self._journal(id), data)
            write_whole(self._head(key), head.encode())
            if old is not None and aside:
                with suppress(FileNotFoundError):
                    self._journal(old).rename(self._file(old, "damaged"))
            if old is not None:
                self._sweep(old)
        return len(data)

    def put_head(self, key: str, id: str, head: str) -> bool:
        with self.alone():
            if self._id(key) != id:
                return False
            write_whole(self._head(key), head.encode())
        return True

    def move(self, key: str, to: str, id: str, head: str) -> bool:
        with self.alone():
            if self._id(key) != id or (key != to and self._head(to).exists()):
                return False
            # A process that dies between these three leaves a head that says where it was going, at one of the places.
            data = json.loads(head)
            before = json.loads(self._head(key).read_bytes())
            write_whole(self._head(key), _dump(before | {"moving_to": data["name"]}))
            self._head(key).rename(self._head(to))
            write_whole(self._head(to), head.encode())
        return True

    def remove(self, key: str, id: str) -> bool:
        with self.alone():
            if self._id(key) != id:
                return False
            self._head(key).unlink()
            if id:
                self._sweep(id)
                self._file(id, "damaged").unlink(missing_ok=True)
        return True

    def stored(self, id: str, settled: bool) -> Stored | None:
        try:
            with self._journal(id).open("rb") as file:
                if settled:
                    _lock(file)
                data = file.read()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _unavailable(error) from error
        lines = data.split(b"\n")
        last = lines.pop()
        return Stored([_decoded(line) for line in (*lines, last) if line], len(data), not last)

    def append_lines(self, id: str, mark: int, lines: list[str], doubtful: bool) -> int:
        data = _bytes(lines)
        try:
            with self._journal(id).open("r+b", buffering=0) as file:
                _lock(file)
                if not os.fstat(file.fileno()).st_nlink:
                    raise conflict(id)  # It was removed between the two lines above.
                if file.seek(0, os.SEEK_END) != mark:
                    if not (doubtful and _begins_with_ours(file, mark, data)):
                        raise conflict(id)
                    file.truncate(mark)
                _append(file, mark, data)
        except FileNotFoundError as error:
            raise conflict(id) from error
        except OSError as error:
            raise _unavailable(error) from error
        return mark + len(data)

    def get_snapshot(self, id: str) -> str | None:
        return self.text_of(self._file(id, "snapshot"))

    def put_snapshot(self, id: str, text: str) -> None:
        if self._journal(id).exists():
            write_whole(self._file(id, "snapshot"), text.encode())

    def load(self, filepath: str) -> dict[str, Any]:
        """As `Store.load`; a path to a session in another folder is followed, and a file of the tutorial's framework
        is given back as it is."""
        path = Path(filepath)
        if path.suffix == ".json" and not self.exists(filepath) and path.is_file():
            data = json.loads(path.read_bytes())
            if isinstance(data, dict) and "schema" not in data and "history" in data:
                return data  # type: ignore[return-value]
            if isinstance(data, dict) and "name" in data:
                store = self if path.parent == self.session_dir else SessionStore(path.parent)
                return super(SessionStore, store).load(str(data["name"]))  # type: ignore[reportUnknownArgumentType]
        return super().load(filepath)

    # -- inside -----------------------------------------------------------------------------------

    def _head(self, key: str) -> Path:
        return self.session_dir / f"{key}.json"

    def _file(self, id: str, kind: str) -> Path:
        return self.session_dir / "journals" / f"{id}.{kind}"

    def _journal(self, id: str) -> Path:
        return self._file(id, "jsonl")

    def _id(self, key: str) -> str | None:
        """The id under a key; empty for a head that cannot be read."""
        text = self.text_of(self._head(key))
        return None if text is None else id_in(text)

    def text_of(self, path: Path) -> str | None:
        try:
            return path.read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _unavailable(error) from error

    def _sweep(self, id: str) -> None:
        for kind in ("jsonl", "snapshot"):
            self._file(id, kind).unlink(missing_ok=True)

    @contextmanager
    def alone(self) -> Generator[None]:
        """Nobody else changes heads in this folder meanwhile."""
        try:
            (self.session_dir / "journals").mkdir(parents=True, exist_ok=True)
            with (self.session_dir / ".lock").open("ab") as file:
                _lock(file)
                yield
        except OSError as error:
            if isinstance(error, SessionException):
                raise
            raise _unavailable(error) from error


def _begins_with_ours(file: BinaryIO, mark: int, data: bytes) -> bool:
    """Whether what follows the mark is the beginning of what was to be written there."""
    file.seek(mark)
    tail = file.read(len(data) + 1)
    return bool(tail) and data.startswith(tail)


def _append(file: BinaryIO, mark: int, data: bytes) -> None:
    """Writes all of it, or leaves the file as it was."""
    file.seek(mark)
    left = memoryview(data)
    try:
        while left:
            left = left[file.write(left) :]
    except OSError:
        with suppress(OSError):
            file.truncate(mark)
        raise


def write_whole(path: Path, data: bytes) -> None:
    """Writes a file in one go: whoever reads it finds the old one or the new one, also after a crash."""
    import secrets

    part = path.with_name(f".{secrets.token_hex(8)}.part")
    try:
        with part.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        raise _unavailable(error) from error


def _lock(file: _Handle) -> None:
    """Waits until nobody else has this lock; closing the file gives it back, and so does the end of the process."""
    if sys.platform == "win32":
        import msvcrt

        os.lseek(file.fileno(), 2**30, os.SEEK_SET)
        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
        os.lseek(file.fileno(), 0, os.SEEK_SET)
    else:
        import fcntl

        fcntl.flock(file.fileno(), fcntl.LOCK_EX)


@contextmanager
def _reading(path: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise _unavailable(error) from error


def _bytes(lines: list[str]) -> bytes:
    return "".join(line + "\n" for line in lines).encode()


def _decoded(line: bytes) -> str:
    """The line, or for bytes that are no UTF-8 a text that is no entry."""
    try:
        return line.decode()
    except UnicodeDecodeError:
        return "(bytes that are not UTF-8)"


def _dump(data: object) -> bytes:
    return json.dumps(data, ensure_ascii=True).encode()


def _unavailable(error: OSError) -> SessionUnavailable:
    return SessionUnavailable(
        f"The session's files cannot be used: {error}. Make room or give access, and go on with `resume()`."
    )
