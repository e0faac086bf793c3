"""What the file tools share: where a path leads, what was read before, and how a file is changed."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ...catalogue import text
from ..base import Tool, ToolErrorCode, ToolResponse
from .folder import Found, NotRegular, opened

if TYPE_CHECKING:
    from ..registry import ToolRegistry

HIDDEN = ".hello_agents"
"""The folder inside the project that this library may write to unasked, for backups."""
BACKUPS = (HIDDEN, "backups")


class FileFault(Exception):
    """Why a file cannot be used, with the code of the error."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class Place:
    """A path that was found to lie inside the project."""

    root: Path
    """The project, absolute, with links followed."""
    path: Path
    """Absolute, with links followed."""

    @property
    def parts(self) -> tuple[str, ...]:
        return self.path.relative_to(self.root).parts

    @property
    def name(self) -> str:
        """Relative to the project, with `/`: what texts show and what the read cache goes by."""
        return self.path.relative_to(self.root).as_posix()


def find_place(path: str, project_root: Path, working_dir: Path, language: str) -> Place:
    """The place that a path leads to. Raises `FileFault` when it is no path, or leads out of the project."""
    if not path:
        raise FileFault(ToolErrorCode.INVALID_PARAM, text("file.bad_path", language, path=path))
    try:
        root = project_root.resolve()
        # `resolve` follows the links of every part that exists, also on the way to a file that does not.
        found = (working_dir / path).resolve()
    except (OSError, RuntimeError, ValueError):
        raise FileFault(ToolErrorCode.INVALID_PARAM, text("file.bad_path", language, path=path)) from None
    if not found.is_relative_to(root):
        raise FileFault(ToolErrorCode.ACCESS_DENIED, text("file.outside", language, path=path))
    return Place(root, found)


@contextmanager
def told(place: Place, language: str) -> Generator[None]:
    """Turns what the operating system objects to into a `FileFault` that names the place."""
    try:
        yield
    except NotRegular as error:
        why = text("file.not_regular", language, path=place.name)
        raise FileFault(ToolErrorCode.INVALID_PARAM, why) from error
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise FileFault(
            ToolErrorCode.PERMISSION_DENIED, text("file.denied", language, path=place.name, why=why)
        ) from error


class FileTool(Tool):
    """A tool that is confined to a folder.

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

    def bound(self, registry: ToolRegistry) -> Self:
        if self.registry is None:
            return self
        twin = copy(self)
        twin.registry = registry
        twin._ready = None  # It was made for the tool itself.
        return twin

    def run(self, parameters: dict[str, Any]) -> ToolResponse:
        path = str(parameters.get("path") or "")
        try:
            place = self._place(path)
            with told(place, self._language):
                return self._use(place, parameters)
        except FileFault as fault:
            return ToolResponse.error(fault.code, str(fault))

    def _use(self, place: Place, parameters: dict[str, Any]) -> ToolResponse:
        raise NotImplementedError

    def _place(self, path: str) -> Place:
        return find_place(path, self.project_root, self.working_dir, self._language)

    def _read(self, place: Place) -> Found | None:
        """The file as it is now, if there is one."""
        try:
            with opened(place.root, place.parts[:-1]) as folder:
                return folder.find(place.path.name)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def _decoded(self, place: Place, content: bytes) -> str:
        """The text of a file. Raises `FileFault` that says, as far as can be seen, what it is instead."""
        try:
            decoded = content.decode("utf-8")
            why = "file.binary" if "\0" in decoded else None
        except UnicodeDecodeError:
            decoded, why = "", _other_than_utf8(content)
        if why is not None:
            raise self._fault(why, ToolErrorCode.BINARY_FILE, path=place.name)
        return decoded

    def _encoded(self, content: str) -> bytes:
        try:
            return content.encode("utf-8")
        except UnicodeEncodeError as error:
            raise self._fault("write.surrogate", ToolErrorCode.INVALID_PARAM, position=error.start + 1) from error

    def _fault(self, key: str, code: str, **values: object) -> FileFault:
        return FileFault(code, text(key, self._language, **values))

    # --- what was read before ----------------------------------------------------------------------------------------

    def _known(self, place: Place) -> dict[str, Any] | None:
        """What the registry remembers of this very file; folders that share a registry may have equal names."""
        if self.registry is None:
            return None
        for key in (str(place.path), place.name):
            known = self.registry.get_read_metadata(key)
            if known is not None and known.get("path", str(place.path)) == str(place.path):
                return known
        return None

    def _remember(self, place: Place, found: Found | None, *, written: bool = False) -> dict[str, Any]:
        """Notes what the file is like now (`None`: not there), for a later change to compare, and returns it."""
        facts = {"file_mtime_ms": found.mtime_ns // 1_000_000, "file_size_bytes": len(found.content)} if found else {}
        if self.registry is not None:
            known = self._known(place)
            digest = sha256(found.content).hexdigest() if found else None
            # The times that this content, or an older one changed only from here, was given out with.
            same = known is not None and (written or known.get("sha256") == digest)
            seen: list[int] = list(known.get("seen_ms", ())) if known is not None and same else []
            seen += [facts["file_mtime_ms"]] if found else []
            other = self.registry.get_read_metadata(place.name)
            mine = other is None or other.get("path", str(place.path)) == str(place.path)
            key = place.name if mine else str(place.path)
            entry = {**facts, "sha256": digest, "seen_ms": seen[-20:], "path": str(place.path)}
            self.registry.cache_read_metadata(key, entry)
        return facts


class ChangingTool(FileTool):
    """A tool that changes files, under an optimistic lock.

    What is to be changed must be what was read: contents are compared, since a touched file has not changed and one
    of the same size and time may have. A change is one step, so that a reader never sees half of it; between the
    comparison and the step no other writer of this library, in any process, gets in. The old content is kept in
    `.hello_agents/backups`, the last `backups` of each file.
    """

    def __init__(
        self,
        name: str,
        description: str,
        project_root: str | Path = ".",
        working_dir: str | Path | None = None,
        registry: ToolRegistry | None = None,
        language: str = "en",
        backups: int = 10,
    ) -> None:
        super().__init__(name, description, project_root, working_dir, registry, language)
        self.backups = backups

    def _new_content(self, place: Place, old: Found | None, parameters: dict[str, Any]) -> bytes:
        """What the file shall hold. Raises `FileFault`; nothing is changed then."""
        raise NotImplementedError

    def _said(self, place: Place, old: Found | None, new: bytes, parameters: dict[str, Any]) -> ToolResponse:
        """What was done."""
        raise NotImplementedError

    def _use(self, place: Place, parameters: dict[str, Any]) -> ToolResponse:
        if place.path.is_dir():
            raise self._fault("file.directory", ToolErrorCode.IS_DIRECTORY, path=place.name)
        expected: int | None = parameters.get("file_mtime_ms")
        if not place.path.parent.is_dir():
            # No folder is made for a change that will be refused.
            self._check_unchanged(place, None, expected)
            self._new_content(place, None, parameters)
        with opened(place.root, place.parts[:-1], make=True) as folder, folder.alone():
            old = folder.find(place.path.name)
            self._check_unchanged(place, old, expected)
            new = self._new_content(place, old, parameters)
            if old is not None and not old.mode & 0o222:
                raise self._fault("file.readonly", ToolErrorCode.PERMISSION_DENIED, path=place.name)
            backup = self._backup(place, old) if old is not None and old.content != new else None
            folder.sweep(place.path.name)
            time = folder.replace(place.path.name, new, None if old is None else old.mode)
            # Before the next writer looks: what this one has changed is no stranger's change.
            facts = self._remember(place, Found(new, time, 0), written=True)
        response = self._said(place, old, new, parameters)
        response.data |= {"path": place.name, **facts, **({"backup": backup} if backup else {})}
        return response

    def _check_unchanged(self, place: Place, old: Found | None, expected_ms: int | None) -> None:
        """Raises `FileFault` when somebody else has changed, made or removed the file since it was read."""
        known = self._known(place) or {}
        seen: list[int] = known.get("seen_ms", [])
        changed = False
        if "sha256" in known:
            changed = known["sha256"] != (None if old is None else sha256(old.content).hexdigest())
        elif expected_ms is None:
            # Not from these tools: somebody else's note says less.
            expected_ms = known.get("file_mtime_ms")
        if expected_ms is not None and expected_ms not in seen:
            changed = changed or old is None or old.mtime_ns // 1_000_000 != expected_ms
        if changed:
            raise self._fault("file.gone" if old is None else "file.conflict", ToolErrorCode.CONFLICT, path=place.name)

    def _backup(self, place: Place, old: Found) -> str | None:
        """Keeps the old content, forgets the oldest, and says where it is."""
        if self.backups < 1 or place.parts[: len(BACKUPS)] == BACKUPS:
            return None
        with opened(place.root, (HIDDEN,), make=True) as folder:
            if folder.find(".gitignore") is None:
                folder.replace(".gitignore", b"*\n")
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
        with opened(place.root, (*BACKUPS, *place.parts), make=True) as folder:
            folder.replace(stamp, old.content, old.mode | 0o200)
            kept = [entry.name for entry in folder.entries() if entry.is_file(follow_symlinks=False)]
            for name in kept[: -self.backups]:
                folder.remove(name)
        return "/".join((*BACKUPS, *place.parts, stamp))


def _other_than_utf8(content: bytes) -> str:
    """The key of what to say of bytes that are no UTF-8."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "file.utf16"
    if b"\0" in content:
        return "file.binary"
    try:
        content.decode("gb18030")
    except UnicodeDecodeError:
        return "file.binary"
    return "file.gbk"
