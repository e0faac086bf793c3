"""The note tool: notes of an agent as Markdown files with a head, in one folder.

The folder is all there is; a note that somebody writes, changes or removes there by hand is one like the others.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

from ...catalogue import text
from ...skills import front_matter
from ..base import ToolErrorCode, ToolParameter, ToolResponse
from .files import ChangingTool, FileFault, Place
from .folder import Found, opened

ACTIONS = ("create", "read", "update", "delete", "list", "search", "summary")
_NO_YAML = re.compile(r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_ID = re.compile(r"[\w-]{1,80}")


@dataclass(frozen=True, slots=True)
class Note:
    """A note."""

    id: str
    """Its file is `<id>.md`."""
    title: str
    type: str
    """`general`, `task_state`, `blocker`, or any other word."""
    tags: tuple[str, ...]
    created_at: str
    updated_at: str
    content: str

    def to_markdown(self) -> str:
        facts = {
            "id": self.id,
            "title": self.title,
            "type": self.type,
            "tags": ", ".join(self.tags),
            "created_at": self.created_at,
            "updated_at": self.updated_at,
        }
        head = "\n".join(f"{name}: {_quoted(value)}" for name, value in facts.items())
        return f"---\n{head}\n---\n\n{self.content}\n"

    @classmethod
    def from_markdown(cls, id: str, written: str) -> Note:
        """Reads a note. One without a head is all content, and named after its file."""
        try:
            head, body = front_matter.split(written)
            facts = front_matter.read(head)
        except front_matter.BadHead:
            facts, body = cast("dict[str, str]", {}), written
        tags = tuple(tag.strip() for tag in facts.get("tags", "").split(",") if tag.strip())
        created = facts.get("created_at", "")
        updated = facts.get("updated_at", created)
        return cls(id, facts.get("title", id), facts.get("type", "general"), tags, created, updated, body.strip("\n"))

    def facts(self) -> dict[str, Any]:
        """All but the content, as JSON values."""
        return {"note_id": self.id, "title": self.title, "type": self.type, "tags": list(self.tags)} | {
            "created_at": self.created_at,
            "updated_at": self.updated_at,
        }


class NoteTool(ChangingTool):
    """A tool that keeps notes in a folder. What a note was before a change is kept in `.hello_agents/backups`."""

    def __init__(
        self,
        workspace: str | Path = "./notes",
        auto_backup: bool = True,
        max_notes: int = 1000,
        *,
        language: str = "en",
    ) -> None:
        super().__init__("note", text("note.description", language), workspace, language=language)
        self.backups = 10 if auto_backup else 0
        self.max_notes = max_notes

    def get_parameters(self) -> list[ToolParameter]:
        language = self._language
        return [
            ToolParameter("action", "string", text("note.action", language), enum=list(ACTIONS)),
            ToolParameter("note_id", "string", text("note.id", language), False, ""),
            ToolParameter("title", "string", text("note.title", language), False, ""),
            ToolParameter("content", "string", text("note.content", language), False, ""),
            ToolParameter("note_type", "string", text("note.type", language), False, ""),
            ToolParameter("tags", "array", text("note.tags", language), False, [], items={"type": "string"}),
            ToolParameter("query", "string", text("note.query", language), False, ""),
            ToolParameter("limit", "integer", text("note.limit", language), False, 10),
        ]

    def run(self, parameters: dict[str, Any]) -> ToolResponse:
        action, id = parameters.get("action"), str(parameters.get("note_id") or "")
        if action == "create":
            id = f"note-{datetime.now():%Y%m%d-%H%M%S}-{uuid4().hex[:6]}"
        if action in ("list", "search", "summary"):
            path = "."
        elif action in ACTIONS and _ID.fullmatch(id):
            path = f"{id}.md"
        else:
            key = "note.no_id" if action in ACTIONS else "note.no_action"
            said = text(key, self._language, action=action, actions=", ".join(ACTIONS), id=id)
            return ToolResponse.error(ToolErrorCode.INVALID_PARAM, said)
        return super().run({**parameters, "note_id": id, "path": path})

    def _use(self, place: Place, parameters: dict[str, Any]) -> ToolResponse:
        match parameters["action"]:
            case "create":
                return self._create(place, parameters)
            case "read":
                note = self._note(place, parameters)
                return ToolResponse.success(self._shown(note), note.facts() | {"content": note.content})
            case "update":
                return self._update(place, parameters)
            case "delete":
                return self._delete(place, parameters)
            case "summary":
                return self._summary()
            case _:
                return self._search(parameters)

    def _create(self, place: Place, parameters: Mapping[str, Any]) -> ToolResponse:
        if not str(parameters.get("title") or "").strip():
            raise self._fault("note.no_title", ToolErrorCode.INVALID_PARAM)
        if sum(1 for _ in self._notes()) >= self.max_notes:
            raise self._fault("note.full", ToolErrorCode.INVALID_PARAM, most=self.max_notes)
        now = _now()
        new = Note(str(parameters["note_id"]), "", "general", (), now, now, "")
        return self._written(place, parameters, new)

    def _update(self, place: Place, parameters: Mapping[str, Any]) -> ToolResponse:
        self._note(place, parameters)  # No folder is made for one that is not there.
        return self._written(place, parameters)

    def _delete(self, place: Place, parameters: Mapping[str, Any]) -> ToolResponse:
        note = self._note(place, parameters)
        with opened(place.root) as folder, folder.alone():
            old = folder.find(place.path.name)
            backup = None if old is None else self._backup(place, old)
            folder.remove(place.path.name)
        data = note.facts() | ({"backup": backup} if backup else {})
        return ToolResponse.success(text("note.deleted", self._language, id=note.id, title=note.title), data)

    def _search(self, parameters: Mapping[str, Any]) -> ToolResponse:
        """The notes of a type, with all of the tags and the words; the latest first."""
        words = str(parameters.get("query") or "").casefold().split()
        if parameters["action"] == "search" and not words:
            raise self._fault("note.no_query", ToolErrorCode.INVALID_PARAM)
        kind, tags = str(parameters.get("note_type") or ""), set(_tags(parameters))
        limit = int(parameters.get("limit") or 10)
        found = [
            note
            for note in self._notes()
            if kind in ("", note.type) and tags <= set(note.tags) and all(word in _everything(note) for word in words)
        ]
        found.sort(key=lambda note: note.updated_at, reverse=True)
        lines = "\n".join(self._line(note) for note in found[: max(limit, 1)])
        data = {"notes": [note.facts() for note in found[: max(limit, 1)]], "total": len(found)}
        return ToolResponse.success(lines or text("note.none", self._language), data)

    def _summary(self) -> ToolResponse:
        kinds: dict[str, int] = {}
        for note in self._notes():
            kinds[note.type] = kinds.get(note.type, 0) + 1
        total = sum(kinds.values())
        listed = ", ".join(f"{kind}: {number}" for kind, number in sorted(kinds.items()))
        said = text("note.summary", self._language, total=total, listed=listed) if total else None
        return ToolResponse.success(said or text("note.none", self._language), {"total": total, "types": kinds})

    # --- notes and files ---------------------------------------------------------------------------------------------

    def _note(self, place: Place, parameters: Mapping[str, Any]) -> Note:
        return self._found(place, self._read(place), parameters)

    def _found(self, place: Place, found: Found | None, parameters: Mapping[str, Any]) -> Note:
        if found is None:
            raise self._fault("note.missing", ToolErrorCode.NOT_FOUND, id=parameters["note_id"])
        return Note.from_markdown(str(parameters["note_id"]), self._decoded(place, found.content))

    def _notes(self) -> Iterator[Note]:
        """All notes there are; files that are none are passed over."""
        root = self.project_root
        if not root.is_dir():
            return
        with opened(root) as folder:
            names = [entry.name for entry in folder.entries() if entry.is_file(follow_symlinks=False)]
        for name in names:
            if name.endswith(".md") and _ID.fullmatch(name[:-3]):
                place = self._place(name)
                found = self._read(place)
                try:
                    if found is not None:
                        yield Note.from_markdown(name[:-3], self._decoded(place, found.content))
                except FileFault:
                    continue

    def _changed(self, note: Note, parameters: Mapping[str, Any]) -> Note:
        """The note with what the call says of it; what it leaves out stays."""
        return Note(
            note.id,
            " ".join(str(parameters.get("title") or note.title).split()),
            str(parameters.get("note_type") or note.type),
            _tags(parameters) or note.tags,
            note.created_at,
            _now(),
            str(parameters.get("content") or note.content).strip("\n"),
        )

    def _written(self, place: Place, parameters: Mapping[str, Any], new: Note | None = None) -> ToolResponse:
        """Writes the new note, or else the one that is there, with what the call says of it."""
        with opened(place.root, make=True) as folder, folder.alone():
            old = folder.find(place.path.name)
            # What another call has changed meanwhile stays.
            note = self._changed(new or self._found(place, old, parameters), parameters)
            content = self._encoded(note.to_markdown())
            backup = None if old is None else self._backup(place, old)
            folder.replace(place.path.name, content, None if old is None else old.mode)
        data = note.facts() | ({"backup": backup} if backup else {})
        said = "note.updated" if new is None else "note.created"
        return ToolResponse.success(text(said, self._language, id=note.id, title=note.title), data)

    def _shown(self, note: Note) -> str:
        return f"# {note.title}\n\n{note.content}\n\n{self._line(note)}"

    def _line(self, note: Note) -> str:
        tags = "".join(f" #{tag}" for tag in note.tags)
        return f"- [{note.type}] {note.title}{tags} ({note.id})"


def _quoted(value: str) -> str:
    """A text as YAML and JSON write it: what YAML takes for a line break, or refuses, as its escape."""
    return _NO_YAML.sub(lambda sign: f"\\u{ord(sign[0]):04x}", json.dumps(value, ensure_ascii=False))


def _tags(parameters: Mapping[str, Any]) -> tuple[str, ...]:
    given: Any = parameters.get("tags") or ()
    listed = given.split(",") if isinstance(given, str) else given
    # A comma or a line break in a tag would come back as two.
    return tuple(" ".join(str(tag).replace(",", " ").split()) for tag in listed if str(tag).strip(", \n\t"))


def _everything(note: Note) -> str:
    return "\n".join((note.title, note.type, *note.tags, note.content)).casefold()


def _now() -> str:
    return datetime.now().isoformat(timespec="microseconds")
