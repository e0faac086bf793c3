"""File tools: reading, writing and editing text files inside one folder, and nowhere else."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ...catalogue import text
from ...old_names import old_names
from ..base import ToolErrorCode, ToolParameter, ToolResponse
from .files import ChangingTool, FileFault, FileTool, Place
from .folder import Found, mtime_ms, opened, write_atomically

if TYPE_CHECKING:
    from ..registry import ToolRegistry

__all__ = [
    "EditTool",
    "FileFault",
    "FileTool",
    "MultiEditTool",
    "Place",
    "ReadTool",
    "WriteTool",
    "mtime_ms",
    "write_atomically",
]


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
        found = self._read(place)
        if found is None:
            self._remember(place, None)
            raise self._fault("file.missing", ToolErrorCode.NOT_FOUND, path=place.name)
        lines = io.StringIO(self._decoded(place, found.content), newline="").readlines()
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
            **self._remember(place, found),
        }
        last = offset + len(shown)
        if last < len(lines):
            words = {"first": offset + 1, "last": last, "total": len(lines), "path": place.name, "content": part}
            return ToolResponse.partial(text("read.part", self._language, **words), data)
        return ToolResponse.success(part or text("read.empty", self._language, path=place.name), data)

    def _listing(self, place: Place) -> ToolResponse:
        language = self._language
        names: list[str] = []
        lines: list[str] = []
        with opened(place.root, place.parts) as folder:
            entries = folder.entries()
        for entry in entries:
            names.append(f"{entry.name}/" if (place.path / entry.name).is_dir() else entry.name)
            file = place.path / entry.name
            if entry.is_file(follow_symlinks=False) and file.exists():
                lines.append(text("read.size", language, name=entry.name, size=file.lstat().st_size))
            else:
                lines.append(names[-1])
        head = text("read.listing", language, path=place.name, count=len(names))
        return ToolResponse.success("\n".join((head, *lines)), {"path": place.name, "entries": names})


class WriteTool(ChangingTool):
    """A tool that writes a whole text file, byte for byte as given."""

    def __init__(
        self,
        project_root: str | Path = ".",
        working_dir: str | Path | None = None,
        registry: ToolRegistry | None = None,
        *,
        language: str = "en",
        backups: int = 10,
    ) -> None:
        words = text("write.description", language)
        super().__init__("Write", words, project_root, working_dir, registry, language, backups)

    def get_parameters(self) -> list[ToolParameter]:
        language = self._language
        return [
            ToolParameter("path", "string", text("file.path", language)),
            ToolParameter("content", "string", text("write.content", language)),
            ToolParameter("file_mtime_ms", "integer", text("write.mtime", language), False),
        ]

    def _new_content(self, place: Place, old: Found | None, parameters: dict[str, Any]) -> bytes:
        return self._encoded(str(parameters.get("content", "")))

    def _said(self, place: Place, old: Found | None, new: bytes, parameters: dict[str, Any]) -> ToolResponse:
        lines = len(io.StringIO(new.decode("utf-8"), newline="").readlines())
        words = {"path": place.name, "lines": lines, "size": len(new)}
        key = "write.created" if old is None else "write.replaced"
        return ToolResponse.success(text(key, self._language, **words), {"created": old is None})


class EditingTool(ChangingTool):
    """A tool that replaces parts of a text file: each must be there exactly once, and the rest stays byte for byte.

    A byte order mark stays. In a file whose lines end in CR LF, those of the old and new text are taken to do so as
    well, since models see and write LF.
    """

    def _edits(self, parameters: dict[str, Any]) -> list[tuple[str, str]]:
        """What to replace by what, in order."""
        raise NotImplementedError

    def _new_content(self, place: Place, old: Found | None, parameters: dict[str, Any]) -> bytes:
        edits = self._edits(parameters)
        if old is None:
            raise self._fault("file.missing", ToolErrorCode.NOT_FOUND, path=place.name)
        content = self._decoded(place, old.content)
        mark = "\ufeff" if content.startswith("\ufeff") else ""
        content = content.removeprefix(mark)
        for number, (before, after) in enumerate(edits, 1):
            if mark:
                before, after = before.removeprefix(mark), after.removeprefix(mark)
            try:
                content = self._replaced(place, content, before, after)
            except FileFault as fault:
                if len(edits) == 1:
                    raise
                words = {"number": number, "count": len(edits), "why": str(fault)}
                raise self._fault("edit.which", fault.code, **words) from None
        return self._encoded(mark + content)

    def _replaced(self, place: Place, content: str, before: str, after: str) -> str:
        if not before:
            raise self._fault("edit.empty", ToolErrorCode.INVALID_PARAM)
        if before == after:
            raise self._fault("edit.same", ToolErrorCode.INVALID_PARAM)
        for old, new in _with_line_ends(content, before, after):
            places = _occurrences(content, old)
            if len(places) == 1 and old == new:
                # They differ in line ends, of which the file has one kind.
                raise self._fault("edit.same", ToolErrorCode.INVALID_PARAM)
            if len(places) == 1:
                return content[: places[0]] + new + content[places[0] + len(old) :]
            if places:
                lines = ", ".join(str(content.count("\n", 0, start) + 1) for start in places[:10])
                words = {"path": place.name, "count": len(places), "lines": lines}
                raise self._fault("edit.several", ToolErrorCode.INVALID_PARAM, **words)
        near = _nearest_line(content, before)
        if near is None:
            raise self._fault("edit.none", ToolErrorCode.INVALID_PARAM, path=place.name)
        words = {"path": place.name, "line": near[0], "found": near[1]}
        raise self._fault("edit.near", ToolErrorCode.INVALID_PARAM, **words)

    def _said(self, place: Place, old: Found | None, new: bytes, parameters: dict[str, Any]) -> ToolResponse:
        assert old is not None
        before, after = old.content.splitlines(), new.splitlines()
        first = next((n for n, (a, b) in enumerate(zip(before, after, strict=False), 1) if a != b), None)
        line = first or min(len(before), len(after)) + 1
        count = len(self._edits(parameters))
        words = {"path": place.name, "count": count, "line": line, "lines": len(after), "size": len(new)}
        return ToolResponse.success(text("edit.done", self._language, **words), {"edits": count, "first_line": line})


class EditTool(EditingTool):
    """A tool that replaces one part of a text file."""

    def __init__(
        self,
        project_root: str | Path = ".",
        working_dir: str | Path | None = None,
        registry: ToolRegistry | None = None,
        *,
        language: str = "en",
        backups: int = 10,
    ) -> None:
        words = text("edit.description", language)
        super().__init__("Edit", words, project_root, working_dir, registry, language, backups)

    def get_parameters(self) -> list[ToolParameter]:
        language = self._language
        return [
            ToolParameter("path", "string", text("file.path", language)),
            ToolParameter("old_string", "string", text("edit.old", language)),
            ToolParameter("new_string", "string", text("edit.new", language)),
            ToolParameter("file_mtime_ms", "integer", text("write.mtime", language), False),
        ]

    def _edits(self, parameters: dict[str, Any]) -> list[tuple[str, str]]:
        return [(str(parameters.get("old_string") or ""), str(parameters.get("new_string") or ""))]


class MultiEditTool(EditingTool):
    """A tool that replaces several parts of a text file, in order: all of them or, if one does not fit, none."""

    def __init__(
        self,
        project_root: str | Path = ".",
        working_dir: str | Path | None = None,
        registry: ToolRegistry | None = None,
        *,
        language: str = "en",
        backups: int = 10,
    ) -> None:
        words = text("multiedit.description", language)
        super().__init__("MultiEdit", words, project_root, working_dir, registry, language, backups)

    def get_parameters(self) -> list[ToolParameter]:
        language = self._language
        item = {
            "type": "object",
            "properties": {
                "old_string": {"type": "string", "description": text("edit.old", language)},
                "new_string": {"type": "string", "description": text("edit.new", language)},
            },
            "required": ["old_string", "new_string"],
        }
        return [
            ToolParameter("path", "string", text("file.path", language)),
            ToolParameter("edits", "array", text("multiedit.edits", language), items=item),
            ToolParameter("file_mtime_ms", "integer", text("write.mtime", language), False),
        ]

    def _edits(self, parameters: dict[str, Any]) -> list[tuple[str, str]]:
        entries: object = parameters.get("edits")
        found: list[tuple[str, str]] = []
        for number, entry in enumerate(cast("list[object]", entries) if isinstance(entries, list) else [], 1):
            match entry:
                case {"old_string": str() as before, "new_string": str() as after}:
                    found.append((before, after))
                case _:
                    raise self._fault("multiedit.bad", ToolErrorCode.INVALID_PARAM, number=number)
        if not found:
            raise self._fault("multiedit.empty", ToolErrorCode.INVALID_PARAM)
        return found


def _with_line_ends(content: str, before: str, after: str) -> Iterator[tuple[str, str]]:
    """The old and new text as they may be meant: with the line ends of the file."""
    ends = content.count("\n")
    crlf = content.count("\r\n")
    if not crlf or crlf < ends:
        yield before, after
    if crlf:
        yield _crlf(before), _crlf(after)


def _crlf(part: str) -> str:
    return part.replace("\r\n", "\n").replace("\n", "\r\n")


def _occurrences(content: str, part: str) -> list[int]:
    """Where the part begins; overlapping places count, too."""
    places: list[int] = []
    start = content.find(part)
    while start >= 0 and len(places) < 1000:
        places.append(start)
        start = content.find(part, start + 1)
    return places


def _nearest_line(content: str, part: str) -> tuple[int, str] | None:
    """The line that looks most like the first line of what was looked for, with its number."""
    from difflib import get_close_matches

    wanted = next((line.strip() for line in part.splitlines() if line.strip()), None)
    if wanted is None:
        return None
    lines = [line.strip()[:200] for line in content.splitlines()[:5000]]
    near = get_close_matches(wanted[:200], set(lines), 1, 0.5)
    return (lines.index(near[0]) + 1, near[0]) if near else None


if not TYPE_CHECKING:
    __getattr__ = old_names(__name__, "Tool")
