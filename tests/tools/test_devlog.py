"""The development log: entries, searching, summary, and what is on disk."""

import json
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hello_agents.core.message import ToolCall
from hello_agents.tools import CATEGORIES, DevLogEntry, DevLogStore, DevLogTool, ToolRegistry
from hello_agents.tools.builtin.devlog_tool import _file_name


@pytest.fixture
def tool():
    return DevLogTool("s1", "Ada")


def append(tool, category, content, **metadata):
    return tool.run({"action": "append", "category": category, "content": content, "metadata": metadata})


@pytest.fixture
def filled(tool):
    append(tool, "decision", "Parse by hand", tags=["parser"])
    append(tool, "issue", "Chinese 分词 is slow", tags=["parser", "speed"])
    append(tool, "solution", "Use bigrams 二元组", tags="speed")
    append(tool, "decision", "Ship it")
    return tool


def read(tool, **wanted):
    return [entry["content"].split()[0] for entry in tool.run({"action": "read", "filter": wanted}).data["entries"]]


def test_appending(tool):
    response = append(tool, "decision", " Use SQLite ", tags=["db"], why="one file")
    assert response.text == "Entry 1:\n- [decision] Use SQLite #db"
    (entry,) = tool.store.entries
    assert entry.id.startswith("log-")
    assert datetime.fromisoformat(entry.timestamp)
    assert entry.metadata == {"tags": ["db"], "why": "one file"}


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"action": "append", "category": "idea", "content": "x"}, "'idea' is not a category. Use one of decision,"),
        ({"action": "append", "content": "x"}, "not a category"),
        ({"action": "append", "category": "test", "content": "  "}, "content is empty"),
        ({"action": "append", "category": "test", "content": "x", "metadata": [1]}, "metadata is not an object"),
        ({"action": "shout"}, "'shout' is not an action"),
        ({}, "None is not an action"),
        ({"action": "read", "filter": {"author": "me"}}, "filter is an object"),
        ({"action": "read", "filter": "parser"}, "filter is an object"),
        ({"action": "read", "filter": {"limit": 0}}, "filter is an object"),
    ],
)
def test_what_cannot_be_done(filled, parameters, said):
    response = filled.run(parameters)
    assert response.code == "INVALID_PARAM"
    assert said in response.text
    assert len(filled.store.entries) == 4


def test_searching(filled):
    assert read(filled) == ["Parse", "Chinese", "Use", "Ship"]
    assert read(filled, category="decision") == ["Parse", "Ship"]
    assert read(filled, tags=["speed", "none"]) == ["Chinese", "Use"]
    assert read(filled, tags="parser", category="issue") == ["Chinese"]
    assert read(filled, query="PARSE") == ["Parse", "Chinese"], "tags are searched as well"
    assert read(filled, query="分词 slow") == ["Chinese"]
    assert read(filled, limit=2) == ["Use", "Ship"]
    assert read(filled, category="decision", limit=1) == ["Ship"]
    assert filled.run({"action": "read", "filter": {"query": "zebra"}}).text == "No entry fits."
    assert filled.store.filter_entries(limit=0) == []


def test_a_summary_and_statistics(filled):
    response = filled.run({"action": "summary"})
    assert response.text.splitlines()[0] == "4 entries (decision 2, issue 1, solution 1). The last:"
    assert response.text.splitlines()[-1] == "- [decision] Ship it"
    assert response.data == {
        "total_entries": 4,
        "by_category": {"decision": 2, "issue": 1, "solution": 1},
        "by_tag": {"parser": 2, "speed": 2},
    }
    assert len(filled.store.generate_summary(1).splitlines()) == 2
    assert filled.run({"action": "clear"}).text == "4 entries were removed."
    assert filled.run({"action": "summary"}).text == "The log is empty."
    assert DevLogTool("s", language="zh").run({"action": "summary"}).text == "日志为空。"


def test_through_a_registry():
    registry = ToolRegistry()
    registry.register_tool(DevLogTool("s"))
    (schema,) = registry.schemas()
    shown = schema["function"]["parameters"]
    assert shown["required"] == ["action"]
    assert shown["properties"]["category"]["enum"] == list(CATEGORIES)
    assert shown["properties"]["filter"]["properties"]["tags"]["items"] == {"type": "string"}
    call = ToolCall("1", "DevLog", {"action": "append", "category": "test", "content": "green", "metadata": {"n": 1}})
    assert registry.answer(call).status == "success"
    bad = registry.answer(ToolCall("1", "DevLog", {"action": "append", "category": "nonsense", "content": "x"}))
    assert bad.metadata["code"] == "INVALID_PARAM"


def test_entries_and_stores_go_to_dicts_and_back(filled):
    store = filled.store
    assert DevLogStore.from_dict(json.loads(json.dumps(store.to_dict()))) == store
    with pytest.raises(ValueError, match="'idea' is not a category"):
        DevLogEntry.create("idea", "x")
    with pytest.raises(KeyError):
        DevLogEntry.from_dict({"id": "1"})


# --- on disk -----------------------------------------------------------------------------------------------------


def test_nothing_is_written_unless_asked_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    append(DevLogTool("s"), "test", "x")
    DevLogTool("s", persist=True).run({"action": "summary"})
    assert list(tmp_path.iterdir()) == []


def test_a_session_goes_on_with_its_log(tmp_path):
    def tool(session="s1"):
        return DevLogTool(session, "Ada", tmp_path, persist=True)

    append(tool(), "decision", "北京 🚀", tags=["a"])
    append(tool(), "progress", "done", day=datetime(2026, 1, 2))
    again = tool()
    assert [entry.content for entry in again.store.entries] == ["北京 🚀", "done"]
    assert again.store.entries[1].metadata == {"day": "2026-01-02T00:00:00"}
    assert "北京" in again.path.read_text(encoding="utf-8")
    assert tool("s2").store.entries == []
    again.run({"action": "clear"})
    assert tool().store.entries == []
    assert [path.name for path in again.path.parent.iterdir()] == ["devlog-s1.json"]


@given(st.lists(st.text(max_size=12), min_size=2, max_size=2, unique=True))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_name_has_its_own_place_inside(tmp_path, names):
    one, other = (DevLogTool(name, project_root=tmp_path).path for name in names)
    assert one != other
    for path in (one, other):
        assert path.parent == tmp_path / "memory" / "devlogs"
        assert path.resolve().parent == path.parent
        assert len(path.name.encode()) < 255


@pytest.mark.parametrize(
    "name", ["", "..", "../../x", "/etc/passwd", "a/b", "a\0b", "会话 1", "x" * 1000, "\ud800", "a\nb"]
)
def test_odd_names_can_be_kept(tmp_path, name):
    append(DevLogTool(name, project_root=tmp_path, persist=True), "test", "x")
    assert len(DevLogTool(name, project_root=tmp_path, persist=True).store.entries) == 1
    assert [path.parent for path in tmp_path.rglob("*.json")] == [tmp_path / "memory" / "devlogs"]


@pytest.mark.parametrize("kept", ["", "[]", "{", '{"session_id": "s"}', '{"entries": 3}'])
def test_a_damaged_file_is_not_overwritten(tmp_path, kept):
    tool = DevLogTool("s", project_root=tmp_path, persist=True)
    tool.path.parent.mkdir(parents=True)
    tool.path.write_text(kept, encoding="utf-8")
    with pytest.raises(ValueError, match="holds no log"):
        append(tool, "test", "x")
    assert tool.path.read_text(encoding="utf-8") == kept


def test_a_log_that_cannot_be_saved_is_still_kept_in_memory(tmp_path):
    (tmp_path / "memory").write_text("in the way", encoding="utf-8")
    tool = DevLogTool("s", project_root=tmp_path, persist=True)
    response = append(tool, "test", "x")
    assert response.status == "partial"
    assert "not saved" in response.text
    assert len(tool.store.entries) == 1


def test_a_log_of_another_session_is_not_taken_over(tmp_path):
    tool = DevLogTool("s", project_root=tmp_path, persist=True)
    append(tool, "test", "x")
    other = DevLogTool("t", project_root=tmp_path, persist=True)
    Path(tool.path).rename(other.path)
    with pytest.raises(ValueError, match="the log of 's'"):
        _ = other.store


def test_names_of_files():
    assert _file_name("abc-1_你好") == "abc-1_你好"
    assert _file_name("a/b") == "a%2f%b"
