"""File tools: reading and writing text files inside one folder, and nowhere else."""

from __future__ import annotations

import io
import os
import tempfile
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...catalogue import text
from ..base import Tool, ToolErrorCode, ToolParameter, ToolResponse

if TYPE_CHECKING:
    from ..registry import ToolRegistry


class FileFault(Exception):
    """Why a file cannot be used, with the code of the error."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class Place:
    """A path that was found to lie inside the project."""

    path: Path
    """Absolute, with links followed."""
    name: str
    """Relative to the project, with `/`: what texts show and what the read cache goes by."""


class FileTool(Tool):
    """What the file tools share: the folder they are confined to, and what was read before.

    Paths are relative to `working_dir` and must lead into `project_root`, whatever they or links on the way say.
    """

    def __init__(
        self,
        name: str,
        description: str,
        project_root: str | Path = ".",
        working_dir: str | Path | None = None,
        registry: ToolRegistry | None = None,
        language: str = "en",
    ) -> None:
        super().__init__(name, description)
        self.project_root = Path(project_root).absolute()
        self.working_dir = self.project_root if working_dir is None else self.project_root / working_dir
        self.registry = registry
        self._language = language

    def run(self, parameters: dict[str, Any]) -> ToolResponse:
        path = str(parameters.get("path") or "")
        try:
            place = self._place(path)
            try:
                return self._use(place, parameters)
            except OSError as error:
                why = error.strerror or type(error).__name__
                raise self._fault("file.denied", ToolErrorCode.PERMISSION_DENIED, path=place.name, why=why) from error
        except FileFault as fault:
            return ToolResponse.error(fault.code, str(fault))

    def _use(self, place: Place, parameters: dict[str, Any]) -> ToolResponse:
        raise NotImplementedError

    def _place(self, path: str) -> Place:
        """The place that a path leads to. Raises `FileFault` when it is no path, or leads out of the project."""
        if not path:
            raise self._fault("file.bad_path", ToolErrorCode.INVALID_PARAM, path=path)
        try:
            root = self.project_root.resolve()
            # `resolve` follows the links of every part that exists, also on the way to a file that does not.
            found = (self.working_dir / path).resolve()
        except (OSError, RuntimeError, ValueError):
            raise self._fault("file.bad_path", ToolErrorCode.INVALID_PARAM, path=path) from None
        if not found.is_relative_to(root):
            raise self._fault("file.outside", ToolErrorCode.ACCESS_DENIED, path=path)
        return Place(found, found.relative_to(root).as_posix())

    def _read_bytes(self, place: Place) -> bytes:
        """The content of a regular file: a pipe or a device is not waited for."""
        if not place.path.exists():
            raise self._fault("file.missing", ToolErrorCode.NOT_FOUND, path=place.name)
        if not place.path.is_file():
            raise self._fault("file.not_regular", ToolErrorCode.INVALID_PARAM, path=place.name)
        return place.path.read_bytes()

    def _remember(self, place: Place, content: bytes) -> dict[str, Any]:
        """Notes what the file is like now, for a later write to compare, and returns it."""
        facts = {"file_mtime_ms": mtime_ms(place.path), "file_size_bytes": len(content)}
        if self.registry is not None:
            self.registry.cache_read_metadata(place.name, {**facts, "sha256": sha256(content).hexdigest()})
        return facts

    def _fault(self, key: str, code: str, **values: object) -> FileFault:
        return FileFault(code, text(key, self._language, **values))


class ReadTool(FileTool):
    """A tool that reads a text file or lists a directory.

    Line ends and a byte order mark come as they stand in the file, so that what was read can be written back
    byte for byte. When lines are left over the response is partial and says where to go on.
    """

    def __init__(
        self,
        project_root: str | Path = ".",
        working_dir: str | Path | None = None,
        registry: ToolRegistry | None = None,
        *,
        language: str = "en",
    ) -> None:
        super().__init__("Read", text("read.description", language), project_root, working_dir, registry, language)

    def get_parameters(self) -> list[ToolParameter]:
        language = self._language
        return [
            ToolParameter("path", "string", text("file.path", language)),
            ToolParameter("offset", "integer", text("read.offset", language), False, 0),
            ToolParameter("limit", "integer", text("read.limit", language), False, 2000),
        ]

    def _use(self, place: Place, parameters: dict[str, Any]) -> ToolResponse:
        if place.path.is_dir():
            return self._listing(place)
        offset, limit = int(parameters.get("offset", 0)), int(parameters.get("limit", 2000))
        if offset < 0 or limit < 1:
            raise self._fault("read.range", ToolErrorCode.INVALID_PARAM, offset=offset, limit=limit)
        content = self._read_bytes(place)
        lines = io.StringIO(self._decoded(place, content), newline="").readlines()
        if offset and offset >= len(lines):
            raise self._fault(
                "read.beyond", ToolErrorCode.INVALID_PARAM, path=place.name, total=len(lines), offset=offset
            )
        shown = lines[offset : offset + limit]
        part = "".join(shown)
        data = {
            "path": place.name,
            "content": part,
            "offset": offset,
            "lines": len(shown),
            "total_lines": len(lines),
            **self._remember(place, content),
        }
        last = offset + len(shown)
        if last < len(lines):
            words = {"first": offset + 1, "last": last, "total": len(lines), "path": place.name, "content": part}
            return ToolResponse.partial(text("read.part", self._language, **words), data)
        return ToolResponse.success(part or text("read.empty", self._language, path=place.name), data)

    def _decoded(self, place: Place, content: bytes) -> str:
        try:
            decoded = content.decode("utf-8")
        except UnicodeDecodeError:
            decoded = "\0"
        if "\0" in decoded:
            raise self._fault("file.binary", ToolErrorCode.BINARY_FILE, path=place.name)
        return decoded

    def _listing(self, place: Place) -> ToolResponse:
        language = self._language
        names: list[str] = []
        lines: list[str] = []
        for entry in sorted(place.path.iterdir(), key=lambda entry: entry.name):
            names.append(f"{entry.name}/" if entry.is_dir() else entry.name)
            if entry.is_file():
                lines.append(text("read.size", language, name=entry.name, size=entry.stat().st_size))
            else:
                lines.append(names[-1])
        head = text("read.listing", language, path=place.name, count=len(names))
        return ToolResponse.success("\n".join((head, *lines)), {"path": place.name, "entries": names})


class WriteTool(FileTool):
    """A tool that writes a whole text file, in one step: a reader never sees half of it.

    The write is refused when the file has changed since it was read, by `file_mtime_ms` or by what the registry
    remembers of it.
    """

    def __init__(
        self,
        project_root: str | Path = ".",
        working_dir: str | Path | None = None,
        registry: ToolRegistry | None = None,
        *,
        language: str = "en",
    ) -> None:
        super().__init__("Write", text("write.description", language), project_root, working_dir, registry, language)

    def get_parameters(self) -> list[ToolParameter]:
        language = self._language
        return [
            ToolParameter("path", "string", text("file.path", language)),
            ToolParameter("content", "string", text("write.content", language)),
            ToolParameter("file_mtime_ms", "integer", text("write.mtime", language), False),
        ]

    def _use(self, place: Place, parameters: dict[str, Any]) -> ToolResponse:
        if place.path.is_dir():
            raise self._fault("file.directory", ToolErrorCode.IS_DIRECTORY, path=place.name)
        written = str(parameters.get("content", ""))
        try:
            content = written.encode("utf-8")
        except UnicodeEncodeError as error:
            raise self._fault("write.surrogate", ToolErrorCode.INVALID_PARAM, position=error.start + 1) from error
        replaced = place.path.exists()
        self._check_unchanged(place, parameters.get("file_mtime_ms"), replaced)
        place.path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(place.path, content)
        lines = len(io.StringIO(written, newline="").readlines())
        words = {"path": place.name, "lines": lines, "size": len(content)}
        key = "write.replaced" if replaced else "write.created"
        data = {"path": place.name, "created": not replaced, **self._remember(place, content)}
        return ToolResponse.success(text(key, self._language, **words), data)

    def _check_unchanged(self, place: Place, expected_ms: int | None, exists: bool) -> None:
        """Raises `FileFault` when somebody else has changed, made or removed the file since it was read."""
        known = None if self.registry is None else self.registry.get_read_metadata(place.name)
        changed = False
        if expected_ms is not None:
            changed = not exists or mtime_ms(place.path) != expected_ms
        if known is not None and not changed:
            # The content decides: a touched file has not changed, and one of the same size and time may have.
            changed = not exists or sha256(self._read_bytes(place)).hexdigest() != known.get("sha256")
        if changed:
            raise self._fault("write.conflict", ToolErrorCode.CONFLICT, path=place.name)


def mtime_ms(path: Path) -> int:
    """When the file was last changed, in whole milliseconds since the epoch."""
    return path.stat().st_mtime_ns // 1_000_000


def write_atomically(path: Path, content: bytes) -> None:
    """Puts the content in place of the file, keeping the file's permissions; on failure nothing has changed."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(temporary).chmod(path.stat().st_mode & 0o7777 if path.exists() else 0o666 & ~_umask())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _umask() -> int:
    # There is no way to read it but to set it.
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
