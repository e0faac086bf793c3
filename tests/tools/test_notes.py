"""Notes: what a model writes down is there again, as Markdown files that a person can read and write too."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.examples import examples

from hello_agents import ToolCall, ToolRegistry
from hello_agents.tools import NoteTool
from hello_agents.tools.builtin.note_tool import Note

FIXTURE = [HealthCheck.function_scoped_fixture]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "secret.md").write_text("SECRET", encoding="utf-8")
    return tmp_path / "notes"


@pytest.fixture
def tool(folder: Path) -> NoteTool:
    return NoteTool(str(folder))


def create(tool: NoteTool, title: str = "Plan", content: str = "Do it.", **more: Any) -> str:
    response = tool.run({"action": "create", "title": title, "content": content, **more})
    assert response.status.value == "success", response.text
    return str(response.data["note_id"])


def titles(tool: NoteTool, action: str = "list", **more: Any) -> list[str]:
    return [note["title"] for note in tool.run({"action": action, **more}).data["notes"]]


def test_constructing_touches_nothing_and_an_empty_folder_has_no_notes(tool: NoteTool, folder: Path) -> None:
    assert not folder.exists()
    assert titles(tool) == []
    assert tool.run({"action": "summary"}).data == {"total": 0, "types": {}}
    assert not folder.exists()


def test_a_note_is_a_markdown_file_with_a_head(tool: NoteTool, folder: Path) -> None:
    id = create(tool, "Plan: one", "# 一\n\nDo it.", note_type="task_state", tags=["a", "b c"])
    written = (folder / f"{id}.md").read_text(encoding="utf-8")
    assert written.startswith(f'---\nid: "{id}"\ntitle: "Plan: one"\ntype: "task_state"\ntags: "a, b c"\n')
    assert written.endswith("\n---\n\n# 一\n\nDo it.\n")
    response = tool.run({"action": "read", "note_id": id})
    assert "# 一" in response.text
    assert response.data["tags"] == ["a", "b c"]
    assert response.data["content"] == "# 一\n\nDo it."


WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=30)


@settings(suppress_health_check=FIXTURE, max_examples=examples(50))
@given(
    title=WORDS.filter(str.strip),
    content=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"), max_size=200),
    kind=WORDS,
    tags=st.lists(WORDS, max_size=3),
)
def test_what_is_noted_is_read_again(title: str, content: str, kind: str, tags: list[str]) -> None:
    clean = tuple(" ".join(tag.replace(",", " ").split()) for tag in tags)
    note = Note("n", " ".join(title.split()), kind, tuple(tag for tag in clean if tag), "t1", "t2", content.strip("\n"))
    assert Note.from_markdown("n", note.to_markdown()) == note


def test_signs_that_yaml_refuses_or_breaks_lines_at(tool: NoteTool) -> None:
    for sign in "\x7f\x85\x9f\u2028\u2029\ufeff\ufffe\uffff":
        id = create(tool, f"a{sign}b", note_type=f"c{sign}d")
        note = tool.run({"action": "read", "note_id": id}).data
        assert note["title"] == " ".join(f"a{sign}b".split())
        assert (note["type"], note["content"]) == (f"c{sign}d", "Do it.")


def test_changing_keeps_what_is_not_mentioned_and_the_old_note(tool: NoteTool, folder: Path) -> None:
    id = create(tool, tags=["x"])
    created = tool.run({"action": "read", "note_id": id}).data["created_at"]
    response = tool.run({"action": "update", "note_id": id, "content": "Done."})
    assert "Do it." in (folder / response.data["backup"]).read_text(encoding="utf-8")
    after = tool.run({"action": "read", "note_id": id}).data
    assert (after["title"], after["content"], after["tags"], after["created_at"]) == ("Plan", "Done.", ["x"], created)
    assert after["updated_at"] > created
    gone = tool.run({"action": "delete", "note_id": id})
    assert "Done." in (folder / gone.data["backup"]).read_text(encoding="utf-8")
    assert tool.run({"action": "read", "note_id": id}).code == "NOT_FOUND"
    assert titles(tool) == []


def test_without_backups_nothing_is_kept(folder: Path) -> None:
    tool = NoteTool(folder, auto_backup=False)
    id = create(tool)
    tool.run({"action": "update", "note_id": id, "content": "Done."})
    tool.run({"action": "delete", "note_id": id})
    assert list(folder.iterdir()) == []


def test_listing_and_searching(tool: NoteTool) -> None:
    create(tool, "One", "apples and pears", tags=["fruit"])
    create(tool, "Two", "苹果 Apples", note_type="blocker", tags=["fruit", "zh"])
    create(tool, "Three", "stones")
    assert titles(tool) == ["Three", "Two", "One"]
    assert titles(tool, limit=2) == ["Three", "Two"]
    assert titles(tool, note_type="blocker") == ["Two"]
    assert titles(tool, tags=["fruit"]) == ["Two", "One"]
    assert titles(tool, tags=["fruit", "zh"]) == ["Two"]
    assert titles(tool, "search", query="APPLES") == ["Two", "One"]
    assert titles(tool, "search", query="apples pears") == ["One"]
    assert titles(tool, "search", query="苹果") == ["Two"]
    assert titles(tool, "search", query="nothing") == []
    assert tool.run({"action": "summary"}).data == {"total": 3, "types": {"blocker": 1, "general": 2}}


def test_what_a_person_put_into_the_folder(tool: NoteTool, folder: Path) -> None:
    create(tool)
    (folder / "by-hand.md").write_text("no head\n", encoding="utf-8")
    (folder / "own.md").write_text("---\ntitle: Own: mine\ntags: a\n---\nText\n", encoding="utf-8")
    (folder / "broken.md").write_bytes(b"\xff\xfe\x00")
    (folder / "other.txt").write_text("x", encoding="utf-8")
    (folder / "link.md").symlink_to(folder.parent / "secret.md")
    assert sorted(titles(tool)) == ["Own: mine", "Plan", "by-hand"]
    assert tool.run({"action": "read", "note_id": "by-hand"}).data["content"] == "no head"
    assert tool.run({"action": "read", "note_id": "link"}).code == "ACCESS_DENIED"


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"action": "shout"}, "'shout' is not an action"),
        ({}, "None is not an action"),
        ({"action": "create", "content": "x"}, "title is empty"),
        ({"action": "create", "title": " \n"}, "title is empty"),
        ({"action": "read"}, "'' is not the id"),
        ({"action": "read", "note_id": "../secret"}, "is not the id"),
        ({"action": "delete", "note_id": "a/b"}, "is not the id"),
        ({"action": "update", "note_id": "a\n"}, "is not the id"),
        ({"action": "update", "note_id": "nobody", "content": "x"}, "There is no note 'nobody'"),
        ({"action": "delete", "note_id": "nobody"}, "There is no note 'nobody'"),
        ({"action": "search", "query": " "}, "query is empty"),
    ],
)
def test_what_cannot_be_done_is_said(tool: NoteTool, parameters: dict[str, Any], said: str) -> None:
    response = tool.run(parameters)
    assert response.status.value == "error"
    assert said in response.text


def test_there_is_a_most(folder: Path) -> None:
    tool = NoteTool(folder, max_notes=2)
    create(tool)
    create(tool)
    assert "There are 2 notes" in tool.run({"action": "create", "title": "x"}).text


def test_in_a_registry_a_model_uses_it_in_either_language(folder: Path) -> None:
    registry = ToolRegistry()
    registry.register_tool(NoteTool(folder, language="zh"))
    answer = registry.answer(ToolCall("1", "note", {"action": "create", "title": "计划", "tags": ["x"]}), "zh")
    assert re.fullmatch(r"已记下 '计划'，id 为 note-[\w-]+。", answer.text)
    assert "笔记" in registry.schemas()[0]["function"]["description"]
    assert registry.answer(ToolCall("2", "note", {"action": "read"}), "zh").text.startswith("❌ 错误")
