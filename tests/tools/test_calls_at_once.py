"""Calls of one reply run side by side: none undoes what another of the same tool has done."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hello_agents.tools import DevLogTool, EditTool, NoteTool, ReadTool, TodoWriteTool, Tool, ToolRegistry

NAMES = [f"part {number}" for number in range(6)]


@pytest.fixture(autouse=True)
def _busy() -> Iterator[None]:
    """Threads take turns as often as they can; not where coverage is measured, whose work takes longer than a turn."""
    before = sys.getswitchinterval()
    if sys.gettrace() is None:
        sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def at_once(tool: Tool, calls: list[dict[str, Any]], registry: ToolRegistry | None = None) -> None:
    registry = registry or ToolRegistry()
    registry.register_tool(tool)

    async def run() -> None:
        responses = await asyncio.gather(*(registry.aexecute_tool(tool.name, call) for call in calls))
        assert [response.code for response in responses] == [None] * len(calls)

    asyncio.run(run())


def kept(path: Path, part: str) -> list[dict[str, Any]]:
    return json.loads(path.read_text(encoding="utf-8"))[part]


@pytest.mark.parametrize("turn", range(10))
def test_todos(tmp_path: Path, turn: int) -> None:
    tool = TodoWriteTool(tmp_path, persist=True)
    tool.run({"todos": [{"content": name, "status": "pending"} for name in NAMES]})
    done = [{"action": "update", "todos": [{"content": name, "status": "completed"}]} for name in NAMES]
    at_once(tool, done)
    assert len(tool.current_todos.get_completed()) == len(NAMES)
    assert {item["status"] for item in kept(tool.path, "todos")} == {"completed"}


@pytest.mark.parametrize("turn", range(10))
def test_a_log(tmp_path: Path, turn: int) -> None:
    tool = DevLogTool("session", project_root=tmp_path, persist=True)
    at_once(tool, [{"action": "append", "category": "decision", "content": name} for name in NAMES])
    assert sorted(entry.content for entry in tool.store.entries) == NAMES
    assert sorted(entry["content"] for entry in kept(tool.path, "entries")) == NAMES


@pytest.mark.parametrize("turn", range(10))
def test_a_note(tmp_path: Path, turn: int) -> None:
    tool = NoteTool(str(tmp_path))
    about = {"note_id": tool.run({"action": "create", "title": "old"}).data["note_id"]}
    changes: list[dict[str, Any]] = [{"title": "new"}, {"content": "said"}, {"tags": ["a"]}, {"note_type": "blocker"}]
    at_once(tool, [{"action": "update", **about, **change} for change in changes])
    note = tool.run({"action": "read", **about}).data
    assert {name: note[name] for name in ("title", "content", "tags", "type")} == {
        "title": "new",
        "content": "said",
        "tags": ["a"],
        "type": "blocker",
    }


@pytest.mark.parametrize("turn", range(10))
def test_edits_of_a_file_that_was_read(tmp_path: Path, turn: int) -> None:
    file, registry = tmp_path / "a.txt", ToolRegistry()
    file.write_text("\n".join(NAMES), encoding="utf-8")
    registry.register_tool(ReadTool(tmp_path, registry=registry))
    registry.execute_tool("Read", {"path": "a.txt"})
    edits = [{"path": "a.txt", "old_string": name, "new_string": name.upper()} for name in NAMES]
    at_once(EditTool(tmp_path, registry=registry), edits, registry)
    assert file.read_text(encoding="utf-8").splitlines() == [name.upper() for name in NAMES]
