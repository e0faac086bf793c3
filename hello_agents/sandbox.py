"""Sandbox folders: those whose files a debugger can put back as they were."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .tools.registry import ToolRegistry

LARGEST = 64 * 1024 * 1024
"""Bytes in a folder up to which its files are kept."""

_MADE: set[Path] = set()


def mark_sandbox(folder: Path) -> Path:
    """Says of a folder that it was made to be played in, so that its files may be overwritten and deleted."""
    _MADE.add(folder.resolve())
    return folder


def is_sandbox(folder: str | Path) -> bool:
    """Whether the folder was made by `hello_agents.book.sandbox`."""
    return Path(folder).resolve() in _MADE


@dataclass(frozen=True, slots=True)
class Files:
    """How a sandbox was at one moment. Equal moments are equal."""

    content: Mapping[str, str | None]
    """By path from the sandbox, `/` between the parts: the hash of the content; `None` for a folder."""
    read: Mapping[str, Mapping[str, object]]
    """What the file tools remembered of files they had read."""


class Sandbox:
    """A folder made by `book.sandbox`, with the means to keep its files and to put them back.

    A content is kept once, however often it is saved. Links are left alone and never followed.
    """

    def __init__(self, folder: str | Path, registry: ToolRegistry | None = None) -> None:
        """`registry`: the one whose file tools remember what they read. Raises `ValueError` for other folders."""
        if not is_sandbox(folder):
            raise ValueError(
                f"{str(folder)!r} is not a sandbox, so its files are not put back. "
                "Make one with `hello_agents.book.sandbox(...)`."
            )
        self.folder = Path(folder).resolve()
        self._registry = registry
        self._contents: dict[str, bytes] = {}

    def save(self) -> Files | None:
        """How the folder is now; `None` when it holds more than is kept, or cannot be read."""
        found: dict[str, str | None] = {}
        size = 0
        try:
            for path in self._walk(self.folder):
                name = path.relative_to(self.folder).as_posix()
                if path.is_dir():
                    found[name] = None
                    continue
                size += path.stat().st_size
                if size > LARGEST:
                    return None
                content = path.read_bytes()
                found[name] = sha256(content).hexdigest()
                self._contents.setdefault(found[name] or "", content)
        except OSError:
            return None
        return Files(found, {} if self._registry is None else self._registry.read_metadata())

    def restore(self, files: Files) -> None:
        """Makes the folder as it was: what came later goes, what was changed comes back. Raises `OSError`."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for path in reversed(list(self._walk(self.folder))):
            name = path.relative_to(self.folder).as_posix()
            if path.is_dir():
                if files.content.get(name, "") is not None:
                    _remove_folder(path)
            elif files.content.get(name) is None:
                path.unlink()
        for name, digest in files.content.items():
            path = self.folder / name
            if digest is None:
                path.mkdir(parents=True, exist_ok=True)
            else:
                _write(path, self._contents[digest])
        if self._registry is not None:
            self._registry.clear_read_cache()
            for name, facts in files.read.items():
                self._registry.cache_read_metadata(name, dict(facts))

    def _walk(self, folder: Path) -> Iterator[Path]:
        """Folders and files below, a folder before what is in it; links and other things are passed over."""
        for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
            if entry.is_symlink():
                continue
            if entry.is_dir():
                yield Path(entry.path)
                yield from self._walk(Path(entry.path))
            elif entry.is_file():
                yield Path(entry.path)


class Sandboxes:
    """Several sandboxes, kept and put back together."""

    def __init__(self, parts: Iterable[Sandbox]) -> None:
        self.parts = tuple(parts)

    def save(self) -> tuple[Files, ...] | None:
        saved = [part.save() for part in self.parts]
        known = tuple(files for files in saved if files is not None)
        return known if len(known) == len(saved) else None

    def restore(self, files: tuple[Files, ...]) -> None:
        for part, one in zip(self.parts, files, strict=True):
            part.restore(one)


def sandboxes_of(registry: ToolRegistry) -> list[Sandbox]:
    """The sandboxes that the file tools of a registry work in."""
    from .tools.builtin.files import FileTool

    roots = [tool.project_root for tool in registry.get_all_tools() if isinstance(tool, FileTool)]
    return [Sandbox(root, registry) for root in dict.fromkeys(roots) if is_sandbox(root)]


def _remove_folder(path: Path) -> None:
    """Removes a folder that came later. One that holds a link stays: what links lead to is not known here."""
    if not any(path.iterdir()):
        path.rmdir()


def _write(path: Path, content: bytes) -> None:
    if path.is_symlink():
        # A link that took a file's place would be written through, out of the sandbox perhaps.
        path.unlink()
    if path.is_file() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
