"""Glob and Grep."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hello_agents.core.message import ToolCall
from hello_agents.tools import GlobTool, GrepTool, ToolRegistry
from hello_agents.tools.builtin import search_files


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "project"
    for path, content in {
        "a.py": "import os\nprint('Hello')\n",
        "src/b.py": "def hello():\r\n    return 1\r\n",
        "src/deep/c.py": "HELLO = 2\n",
        "src/deep/d.txt": "你好 hello\n",
        ".git/config": "hello\n",
        ".hello_agents/backups/a.py/1": "hello\n",
        "data.bin": "hello\0",
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content.encode("utf-8"))
    (root / "gbk.txt").write_bytes("hello 你好".encode("gbk"))
    (tmp_path / "outside.py").write_text("hello SECRET", encoding="utf-8")
    (root / "link.py").symlink_to(tmp_path / "outside.py")
    (root / "folder").symlink_to(tmp_path)
    (root / "circle").symlink_to(root)
    os.mkfifo(root / "pipe.py")
    return root


def names(root, pattern, **more):
    return GlobTool(root).run({"pattern": pattern, **more}).data["files"]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*.py", ["a.py", "src/b.py", "src/deep/c.py"]),
        ("**/*.py", ["a.py", "src/b.py", "src/deep/c.py"]),
        ("./*.py", ["a.py"]),
        ("src/*.py", ["src/b.py"]),
        ("src/**/*.py", ["src/b.py", "src/deep/c.py"]),
        ("src/**", ["src/b.py", "src/deep/c.py", "src/deep/d.txt"]),
        ("**/deep/*", ["src/deep/c.py", "src/deep/d.txt"]),
        ("[ab].py", ["a.py", "src/b.py"]),
        ("?.txt", ["src/deep/d.txt"]),
        ("*.PY", []),
        ("../*", []),
        ("/etc/*", []),
    ],
)
def test_names(root, pattern, found):
    assert names(root, pattern) == found


def test_a_folder_and_a_file_to_search(root):
    assert names(root, "*.py", path="src") == ["src/b.py", "src/deep/c.py"]
    assert names(root, "deep/*.py", path="src") == ["src/deep/c.py"]
    assert GrepTool(root).run({"pattern": "Hello", "path": "a.py"}).text == "a.py:2: print('Hello')"
    assert GrepTool(root).run({"pattern": "hello", "path": ".git"}).text == ".git/config:1: hello", "asked for by name"


def test_lines(root):
    grep = GrepTool(root)
    assert grep.run({"pattern": "hello"}).text == "src/b.py:1: def hello():\nsrc/deep/d.txt:1: 你好 hello"
    response = grep.run({"pattern": "hello", "ignore_case": True, "glob": "*.py"})
    assert response.text.splitlines() == [
        "a.py:2: print('Hello')",
        "src/b.py:1: def hello():",
        "src/deep/c.py:1: HELLO = 2",
    ]
    assert response.data["matches"][0] == {"path": "a.py", "line": 2, "text": "print('Hello')"}
    assert grep.run({"pattern": "好 h"}).data["matches"][0]["line"] == 1
    assert grep.run({"pattern": "(a+)+$"}).text == "Nothing was found.", "taken as it stands"


@pytest.mark.parametrize("tool", [GlobTool, GrepTool])
def test_places(root, tool):
    for path, code in (
        ("..", "ACCESS_DENIED"),
        ("folder", "ACCESS_DENIED"),
        ("link.py", "ACCESS_DENIED"),
        ("none", "NOT_FOUND"),
        ("a\0b", "INVALID_PARAM"),
    ):
        assert tool(root).run({"pattern": "hello", "path": path}).code == code
    assert "SECRET" not in tool(root).run({"pattern": "e"}).text


def test_limits(root, monkeypatch):
    response = GrepTool(root).run({"pattern": "e", "limit": 1})
    assert response.status == "partial"
    assert response.text == "the first 1 results; narrow the search to see the others.\na.py:2: print('Hello')"
    assert GlobTool(root).run({"pattern": "*.py", "limit": 3}).status == "success"
    assert GlobTool(root).run({"pattern": "*.py", "limit": 0}).code == "INVALID_PARAM"
    for bad in ("", "a\nb"):
        assert GrepTool(root).run({"pattern": bad}).code == "INVALID_PARAM"
    (root / "a.py").write_text("e" * 10_000, encoding="utf-8")
    assert len(GrepTool(root).run({"pattern": "e", "limit": 1}).text) < 500
    monkeypatch.setattr(search_files, "MOST_BYTES", 100)
    assert [match["path"] for match in GrepTool(root).run({"pattern": "e"}).data["matches"]][:1] == ["src/b.py"]
    monkeypatch.setattr(search_files, "MOST_FILES", 2)
    assert GlobTool(root).run({"pattern": "*"}).status == "partial"
    assert "first 2 files" in GlobTool(root).run({"pattern": "nothing"}).text


def test_through_a_registry(root):
    registry = ToolRegistry()
    registry.register_tool(GlobTool(root, language="zh"))
    registry.register_tool(GrepTool(root, "src"))
    assert registry.answer(ToolCall("1", "Glob", {"pattern": "*.txt"})).content == "gbk.txt\nsrc/deep/d.txt"
    assert registry.answer(ToolCall("1", "Grep", {"pattern": "hello", "limit": "5"})).content.startswith("src/b.py:1")
    assert registry.answer(ToolCall("1", "Glob", {"pattern": "none"})).content == "没有找到。"


NAME = st.sampled_from(["a", "b", "ab"])
PART = st.sampled_from(["a", "*", "?", "b*", "**"])


@given(st.lists(NAME, min_size=1, max_size=5), st.lists(PART, min_size=1, max_size=5))
def test_patterns_against_a_plain_definition(path, pattern):
    def fits(path, pattern):
        if not pattern:
            return not path
        if pattern[0] == "**":
            return fits(path, pattern[1:]) or bool(path and fits(path[1:], pattern))
        return bool(path) and search_files.fnmatchcase(path[0], pattern[0]) and fits(path[1:], pattern[1:])

    assert search_files._fits(tuple(path), pattern) == fits(path, pattern)
