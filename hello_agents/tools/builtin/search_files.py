"""Searching files: by name and by text, inside one folder. Hidden and binary files are passed over, and links.

Text is looked for as it stands. A regular expression of a model's making can take forever, and nothing can stop it.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import suppress
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...catalogue import text
from ..base import ToolErrorCode, ToolParameter, ToolResponse
from .files import FileTool, Place
from .folder import Folder, opened

if TYPE_CHECKING:
    from ..registry import ToolRegistry

MOST_FILES = 50_000
"""Files that one search looks at."""
MOST_BYTES = 4_000_000
"""Files that are larger hold data rather than text to read."""
MOST_SIGNS = 300
"""Characters of a line that are shown."""


class SearchingTool(FileTool):
    """A tool that walks the files below a folder, by name."""

    def _walk(self, place: Place, pattern: str) -> Generator[tuple[str, Folder, str], None, bool]:
        """The files whose names fit: path from the project, folder, name. Returns whether all were looked at."""
        parts = _parts(pattern)
        if not place.path.exists():
            raise self._fault("file.missing", ToolErrorCode.NOT_FOUND, path=place.name)
        single = not place.path.is_dir()
        above = place.parts[:-1] if single else place.parts
        looked = 0
        with opened(place.root, above) as folder:
            for below, inner, name in _files(folder, (), place.path.name if single else None):
                looked += 1
                if looked > MOST_FILES:
                    return False
                if single or _fits((*below, name), parts):
                    yield "/".join((*above, *below, name)), inner, name
        return True

    def _limit(self, parameters: dict[str, Any]) -> int:
        limit = int(parameters.get("limit", 100))
        if limit < 1:
            raise self._fault("search.limit", ToolErrorCode.INVALID_PARAM, limit=limit)
        return limit

    def _answer(self, found: list[str], limit: int, complete: bool, data: dict[str, Any]) -> ToolResponse:
        language = self._language
        if not found:
            key = "search.none" if complete else "search.none.yet"
            return ToolResponse.success(text(key, language, files=MOST_FILES), data)
        lines = "\n".join(found[:limit])
        if len(found) > limit or not complete:
            return ToolResponse.partial(text("search.more", language, count=len(found[:limit]), lines=lines), data)
        return ToolResponse.success(lines, data)


class GlobTool(SearchingTool):
    """A tool that finds files by name."""

    def __init__(
        self,
        project_root: str | Path = ".",
        working_dir: str | Path | None = None,
        registry: ToolRegistry | None = None,
        *,
        language: str = "en",
    ) -> None:
        super().__init__("Glob", text("glob.description", language), project_root, working_dir, registry, language)

    def get_parameters(self) -> list[ToolParameter]:
        language = self._language
        return [
            ToolParameter("pattern", "string", text("glob.pattern", language)),
            ToolParameter("path", "string", text("search.path", language), False, "."),
            ToolParameter("limit", "integer", text("search.most", language), False, 100),
        ]

    def run(self, parameters: dict[str, Any]) -> ToolResponse:
        return super().run({**parameters, "path": parameters.get("path") or "."})

    def _use(self, place: Place, parameters: dict[str, Any]) -> ToolResponse:
        limit = self._limit(parameters)
        walk = _Walk(self._walk(place, str(parameters.get("pattern") or "*")))
        found = [path for path, _folder, _name in islice(walk, limit + 1)]
        return self._answer(found, limit, walk.complete, {"files": found[:limit]})


class GrepTool(SearchingTool):
    """A tool that finds lines of text files by a text in them."""

    def __init__(
        self,
        project_root: str | Path = ".",
        working_dir: str | Path | None = None,
        registry: ToolRegistry | None = None,
        *,
        language: str = "en",
    ) -> None:
        super().__init__("Grep", text("grep.description", language), project_root, working_dir, registry, language)

    def get_parameters(self) -> list[ToolParameter]:
        language = self._language
        return [
            ToolParameter("pattern", "string", text("grep.pattern", language)),
            ToolParameter("path", "string", text("search.path", language), False, "."),
            ToolParameter("glob", "string", text("grep.glob", language), False, "*"),
            ToolParameter("ignore_case", "boolean", text("grep.case", language), False, False),
            ToolParameter("limit", "integer", text("search.most", language), False, 100),
        ]

    def run(self, parameters: dict[str, Any]) -> ToolResponse:
        return super().run({**parameters, "path": parameters.get("path") or "."})

    def _use(self, place: Place, parameters: dict[str, Any]) -> ToolResponse:
        wanted, ignore = str(parameters.get("pattern") or ""), bool(parameters.get("ignore_case"))
        if not wanted or "\n" in wanted:
            raise self._fault("grep.bad", ToolErrorCode.INVALID_PARAM)
        limit = self._limit(parameters)
        walk = _Walk(self._walk(place, str(parameters.get("glob") or "*")))
        found = list(islice(_lines(walk, wanted, ignore), limit + 1))
        matches = [{"path": path, "line": line, "text": shown} for path, line, shown in found[:limit]]
        shown = [f"{path}:{line}: {part}" for path, line, part in found]
        return self._answer(shown, limit, walk.complete, {"matches": matches})


class _Walk:
    """The walk of a search, which knows afterwards whether it saw everything."""

    def __init__(self, files: Generator[tuple[str, Folder, str], None, bool]) -> None:
        self._files = files
        self.complete = True

    def __iter__(self) -> Iterator[tuple[str, Folder, str]]:
        self.complete = yield from self._files


def _lines(files: _Walk, wanted: str, ignore_case: bool) -> Iterator[tuple[str, int, str]]:
    """Path, number and text of the lines that hold what is wanted."""
    sought = wanted.casefold() if ignore_case else wanted
    for path, folder, name in files:
        content = _text(folder, name)
        if sought not in (content.casefold() if ignore_case else content):
            continue
        for number, line in enumerate(content.split("\n"), 1):
            if sought in (line.casefold() if ignore_case else line):
                yield path, number, line.strip()[:MOST_SIGNS]


def _text(folder: Folder, name: str) -> str:
    """What a text file holds; nothing for any other file, and for one that is gone or may not be read."""
    with suppress(OSError, UnicodeDecodeError):
        content = folder.read(name, MOST_BYTES).content
        if b"\0" not in content:
            return content.decode("utf-8")
    return ""


def _files(folder: Folder, above: tuple[str, ...], only: str | None) -> Iterator[tuple[tuple[str, ...], Folder, str]]:
    """The files below a folder, in the order of their names; hidden ones and links are passed over."""
    for entry in folder.entries():
        if only is not None and entry.name != only:
            continue
        if entry.name.startswith(".") and only is None:
            continue
        if entry.is_file(follow_symlinks=False):
            yield above, folder, entry.name
        elif entry.is_dir(follow_symlinks=False):
            # One that is gone meanwhile, or may not be entered, has no files to show.
            with suppress(OSError), folder.below(entry.name) as inner:
                yield from _files(inner, (*above, entry.name), None)


def _parts(pattern: str) -> list[str]:
    """A pattern by folders. Without a folder it is for names anywhere."""
    parts = [part for part in pattern.split("/") if part not in ("", ".")]
    return parts if len(parts) > 1 or "/" in pattern else ["**", *parts]


def _fits(names: tuple[str, ...], parts: list[str]) -> bool:
    """Whether a path fits a pattern; `**` stands for any number of folders."""
    reached = {0}
    for name in names:
        stay = {place for place in _beyond(reached, parts) if place < len(parts) and parts[place] == "**"}
        step = {
            place + 1
            for place in _beyond(reached, parts)
            if place < len(parts) and parts[place] != "**" and fnmatchcase(name, parts[place])
        }
        reached = stay | step
    return len(parts) in _beyond(reached, parts)


def _beyond(reached: set[int], parts: list[str]) -> set[int]:
    """The places in the pattern, and those after `**`, which may stand for nothing."""
    found = set(reached)
    for place in sorted(reached):
        while place < len(parts) and parts[place] == "**":
            place += 1
            found.add(place)
    return found
