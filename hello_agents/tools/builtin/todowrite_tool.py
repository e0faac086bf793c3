"""The todo list: what a long task is made of, and how far each part is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import Any, Literal, cast, get_args

from ...catalogue import text
from ..base import Tool, ToolErrorCode, ToolParameter, ToolResponse

TodoStatus = Literal["pending", "in_progress", "completed"]
STATUSES: tuple[str, ...] = get_args(TodoStatus)
ACTIONS = ("create", "update", "clear")

_MARKS = {"pending": "[ ]", "in_progress": "[>]", "completed": "[x]"}


@dataclass(slots=True)
class TodoItem:
    """One thing to be done. Raises `ValueError` for an unknown status."""

    content: str
    status: str
    """`pending`, `in_progress` or `completed`."""
    created_at: str = ""
    """ISO time."""
    updated_at: str = ""
    """ISO time; that of creation unless told."""

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise ValueError(f"{self.status!r} is not a status of a todo. Use one of {', '.join(STATUSES)}.")
        self.updated_at = self.updated_at or self.created_at


def _no_todos() -> list[TodoItem]:
    return []


@dataclass(slots=True)
class TodoList:
    """What a task is, and its parts."""

    summary: str = ""
    todos: list[TodoItem] = field(default_factory=_no_todos)

    def get_in_progress(self) -> TodoItem | None:
        return next((item for item in self.todos if item.status == "in_progress"), None)

    def get_pending(self, limit: int = 5) -> list[TodoItem]:
        """The first `limit` items that are not begun."""
        return [item for item in self.todos if item.status == "pending"][:limit]

    def get_completed(self) -> list[TodoItem]:
        return [item for item in self.todos if item.status == "completed"]

    def get_stats(self) -> dict[str, int]:
        counts = {status: sum(item.status == status for item in self.todos) for status in STATUSES}
        return {"total": len(self.todos), **counts}


class TodoFault(ValueError):
    """Why a list of todos is not one."""


FOLDER = "memory/todos"


class TodoWriteTool(Tool):
    """A tool that keeps the todo list of an agent, in memory, and on disk when `persist` says so."""

    def __init__(
        self,
        project_root: str | Path = ".",
        persistence_dir: str = FOLDER,
        *,
        persist: bool | None = None,
        language: str = "en",
    ) -> None:
        """`persist` unset: on disk where a folder other than the usual one is named."""
        super().__init__("TodoWrite", text("todo.description", language))
        self.project_root = Path(project_root)
        self.persistence_dir = persistence_dir
        self.persist = persistence_dir != FOLDER if persist is None else persist
        self.current_todos = TodoList()
        self._language = language
        self._one_at_a_time = Lock()

    @property
    def path(self) -> Path:
        """Where the list is kept when `persist` is set."""
        return self.project_root / self.persistence_dir / "todos.json"

    def apart(self) -> TodoWriteTool:
        """An empty list in memory: a sub-agent plans for itself."""
        return TodoWriteTool(self.project_root, self.persistence_dir, persist=False, language=self._language)

    def get_parameters(self) -> list[ToolParameter]:
        language = self._language
        item = {
            "type": "object",
            "properties": {
                "content": {"type": "string", "description": text("todo.content", language)},
                "status": {"type": "string", "description": text("todo.status", language), "enum": list(STATUSES)},
            },
            "required": ["content", "status"],
        }
        return [
            ToolParameter("summary", "string", text("todo.summary", language), False, ""),
            ToolParameter("todos", "array", text("todo.todos", language), False, [], items=item),
            ToolParameter("action", "string", text("todo.action", language), False, "create", enum=ACTIONS),
        ]

    def run(self, parameters: dict[str, Any]) -> ToolResponse:
        with self._one_at_a_time:
            return self._run(parameters)

    def _run(self, parameters: dict[str, Any]) -> ToolResponse:
        action = parameters.get("action") or "create"
        try:
            self.current_todos = self._changed(action, parameters.get("summary") or "", parameters.get("todos") or [])
        except TodoFault as fault:
            return ToolResponse.error(ToolErrorCode.INVALID_PARAM, str(fault))
        recap = text("todo.cleared", self._language) if action == "clear" else self._recap()
        stats = self.current_todos.get_stats()
        todos = [{"content": item.content, "status": item.status} for item in self.current_todos.todos]
        data = {"summary": self.current_todos.summary, "todos": todos, "stats": stats}
        if self.persist:
            try:
                self._save()
            except OSError as error:
                why = error.strerror or type(error).__name__
                return ToolResponse.partial(text("todo.unsaved", self._language, recap=recap, why=why), data)
        return ToolResponse.success(recap, data)

    def _changed(self, action: str, summary: str, written: object) -> TodoList:
        """The list after the action. Raises `TodoFault`; the old list is untouched then."""
        match action:
            case "clear":
                return TodoList()
            case "create":
                changed = TodoList(summary, self._items(written))
            case "update":
                changed = TodoList(summary or self.current_todos.summary, self._merged(self._items(written)))
            case _:
                raise self._fault("todo.bad_action", action=action)
        under_way = [item.content for item in changed.todos if item.status == "in_progress"]
        if len(under_way) > 1:
            raise self._fault("todo.several", count=len(under_way), names=", ".join(map(repr, under_way)))
        return changed

    def _merged(self, news: list[TodoItem]) -> list[TodoItem]:
        items = {item.content: item for item in self.current_todos.todos}
        for new in news:
            old = items.get(new.content)
            items[new.content] = new if old is None else replace(old, status=new.status, updated_at=new.updated_at)
        return list(items.values())

    def _items(self, written: object) -> list[TodoItem]:
        now = datetime.now().isoformat(timespec="seconds")
        items: list[TodoItem] = []
        entries = cast("list[object]", written) if isinstance(written, list) else [written]
        for number, entry in enumerate(entries, 1):
            match entry:
                case {"content": str() as content, "status": str() as status}:
                    if not content.strip():
                        raise self._bad_item(number, text("todo.no_content", self._language))
                    if status not in STATUSES:
                        raise self._bad_item(number, text("todo.bad_status", self._language, status=status))
                    items.append(TodoItem(content.strip(), status, now))
                case _:
                    raise self._bad_item(number, text("todo.not_object", self._language))
        return items

    def _bad_item(self, number: int, why: str) -> TodoFault:
        return self._fault("todo.bad_item", number=number, why=why)

    def _fault(self, key: str, **values: object) -> TodoFault:
        return TodoFault(text(key, self._language, **values))

    def _recap(self) -> str:
        """The list as the model reads it."""
        todos = self.current_todos
        if not todos.todos:
            return text("todo.empty", self._language)
        stats = todos.get_stats()
        summary = todos.summary or text("todo.title", self._language)
        head = text("todo.head", self._language, summary=summary, completed=stats["completed"], total=stats["total"])
        return "\n".join((head, *(f"{_MARKS[item.status]} {item.content}" for item in todos.todos)))

    def _save(self) -> None:
        from .folder import write_atomically

        todos = self.current_todos
        data = {
            "summary": todos.summary,
            "todos": [
                {
                    "content": item.content,
                    "status": item.status,
                    "created_at": item.created_at,
                    "updated_at": item.updated_at,
                }
                for item in todos.todos
            ],
        }
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(self.path, json.dumps(data, ensure_ascii=False, indent=2).encode("utf-8", "backslashreplace"))

    def load_todos(self, filepath: str | Path) -> None:
        """Takes over a list that was kept on disk. Raises `OSError`, or `ValueError` when the file holds none."""
        kept: Any = json.loads(Path(filepath).read_text(encoding="utf-8"))
        if not isinstance(kept, dict) or "todos" not in kept:
            raise ValueError(f"{filepath} holds no list of todos. It should be a JSON object with `todos`.")
        data = cast("dict[str, Any]", kept)
        try:
            todos = [_item(entry) for entry in data["todos"]]
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(
                f"{filepath} holds a todo that is none. Each should be an object with `content` and `status`."
            ) from error
        self.current_todos = TodoList(str(data.get("summary", "")), todos)


def _item(entry: Mapping[str, Any]) -> TodoItem:
    return TodoItem(
        str(entry["content"]), str(entry["status"]), entry.get("created_at", ""), entry.get("updated_at", "")
    )
