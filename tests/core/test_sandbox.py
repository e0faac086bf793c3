"""Sandboxes: their files are kept and put back, and nothing outside of them is touched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples

from hello_agents import ReActAgent, ScriptedLLM, SimpleAgent, ToolCall, ToolRegistry
from hello_agents.book import sandbox
from hello_agents.core.message import Message
from hello_agents.core.run import Returned
from hello_agents.sandbox import LARGEST, Sandbox, is_sandbox
from hello_agents.tools.builtin import ReadTool, WriteTool

TREES = st.dictionaries(
    st.sampled_from(["a", "b", "c/d", "c/e/f", "ж/文.txt"]), st.text(st.characters(codec="utf-8"), max_size=9)
)


def tree(folder: Path) -> dict[str, bytes | None]:
    """What is in a folder, without the backups of the file tools, whose names hold the time."""
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*")}
    kept = {name: path for name, path in found.items() if not name.startswith(".hello_agents")}
    return {name: path.read_bytes() if path.is_file() else None for name, path in kept.items()}


def fill(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8", newline="")


@settings(max_examples=examples(50), deadline=None)
@given(TREES, TREES)
def test_what_was_saved_comes_back_whatever_came_in_between(before: dict[str, str], after: dict[str, str]) -> None:
    folder = sandbox(before)
    world = Sandbox(folder)
    token, was = world.save(), tree(folder)
    assert token is not None
    for path in sorted(folder.rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    fill(folder, after)
    world.restore(token)
    assert tree(folder) == was
    assert world.save() == token


def test_a_file_in_the_place_of_a_folder_and_the_other_way_round() -> None:
    folder = sandbox({"x/y": "1", "z": "2"})
    world = Sandbox(folder)
    token, was = world.save(), tree(folder)
    (folder / "x" / "y").unlink()
    (folder / "x").rmdir()
    fill(folder, {"x": "now a file"})
    (folder / "z").unlink()
    fill(folder, {"z/deep": "now a folder"})
    assert token is not None
    world.restore(token)
    assert tree(folder) == was


def test_links_are_never_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    fill(outside, {"precious": "mine"})
    folder = sandbox({"a": "1", "b": "2"})
    world = Sandbox(folder)
    token = world.save()
    (folder / "way out").symlink_to(outside)
    (folder / "a").unlink()
    (folder / "a").symlink_to(outside / "precious")
    assert token is not None
    world.restore(token)
    assert (outside / "precious").read_text(encoding="utf-8") == "mine"
    assert (folder / "a").read_text(encoding="utf-8") == "1"
    assert not (folder / "a").is_symlink()


def test_only_sandboxes(tmp_path: Path) -> None:
    assert is_sandbox(sandbox())
    for folder in (tmp_path, Path.cwd(), sandbox().parent):
        with pytest.raises(ValueError, match="not a sandbox"):
            Sandbox(folder)


def test_a_folder_that_holds_too_much_is_not_kept() -> None:
    folder = sandbox()
    with (folder / "big").open("wb") as file:
        file.truncate(LARGEST + 1)
    assert Sandbox(folder).save() is None


def test_a_content_is_kept_once() -> None:
    folder = sandbox({"a": "same", "b": "same"})
    world = Sandbox(folder)
    for _ in range(3):
        world.save()
    assert list(world._contents.values()) == [b"same"]


# -- with the debugger -------------------------------------------------------------------------------


def write(id: str, path: str, content: str) -> ToolCall:
    return ToolCall(id, "Write", {"path": path, "content": content})


def world_of(*script: Any, files: dict[str, str] | None = None) -> tuple[Any, Path]:
    folder = sandbox(files or {"a": "old"})
    tools = ToolRegistry()
    tools.register_tool(ReadTool(project_root=str(folder), registry=tools))
    tools.register_tool(WriteTool(project_root=str(folder), registry=tools))
    agent = SimpleAgent("a", ScriptedLLM(*script), tool_registry=tools, max_tool_iterations=9)
    debugger = agent.steps("go")
    debugger.world = Sandbox(folder, tools)
    return debugger, folder


SCRIPT = (write("1", "a", "new"), write("2", "b", "more"), "done")


def test_files_are_as_they_were_at_every_step() -> None:
    debugger, folder = world_of(*SCRIPT)
    seen = [tree(folder)]
    while debugger.next is not None:
        debugger.step()
        seen.append(tree(folder))
    assert seen[-1] == {"a": b"new", "b": b"more"}
    for files in reversed(seen[:-1]):
        debugger.back()
        assert tree(folder) == files
    for seq in (len(debugger.entries) - 1, -1, 4, 2):
        debugger.jump(seq)
        assert debugger.world_known(seq)
    debugger.finish()
    assert tree(folder) == seen[-1]


def test_what_happens_anew_happens_to_the_files_as_they_were() -> None:
    debugger, folder = world_of(ToolCall("r", "Read", {"path": "a"}), write("1", "a", "new"), "done")
    debugger.finish()
    debugger.jump(0)
    debugger.fork()
    debugger.finish()
    results = [m.text for m in debugger.run.messages if m.role == "tool"]
    assert results[0] == "old"
    assert debugger.run.messages[-2].status == "success", "a write that was undone is no conflict"
    debugger.switch("main")
    assert tree(folder) == {"a": b"old"}
    debugger.finish()
    assert tree(folder) == {"a": b"new"}


def test_an_edited_result_changes_what_is_told_and_not_what_was_done() -> None:
    debugger, folder = world_of(*SCRIPT)
    debugger.finish()
    seq = next(s for s, e in enumerate(debugger.entries) if isinstance(e.event, Returned))
    debugger.edit(seq, Returned(Message("disk full", "tool", status="error")))
    assert tree(folder) == {"a": b"new"}


def test_each_branch_has_its_files() -> None:
    debugger, folder = world_of(*SCRIPT)
    debugger.finish()
    debugger.jump(2)
    debugger.fork("other")
    fill(folder, {"a": "by hand"})
    debugger.step()
    debugger.switch("main")
    assert tree(folder) == {"a": b"old"}
    debugger.finish()
    assert tree(folder) == {"a": b"new", "b": b"more"}
    names = list(debugger.again(3))
    assert names == ["again-1", "again-2", "again-3"]
    assert tree(folder) == {"a": b"new", "b": b"more"}


def test_what_is_not_known_is_left_alone_and_said() -> None:
    folder = sandbox({"a": "old"})
    tools = ToolRegistry()
    tools.register_tool(WriteTool(project_root=str(folder)))
    agent = ReActAgent("a", ScriptedLLM(write("1", "a", "new"), "done"), tools)
    agent.run("go")
    debugger = agent.steps()
    debugger.world = Sandbox(folder)
    assert debugger.world_known(len(debugger.entries) - 1)
    debugger.jump(-1)
    assert not debugger.world_known(-1)
    assert tree(folder) == {"a": b"new"}
    debugger.world = None
    assert not debugger.world_known(len(debugger.entries) - 1)


# -- several courses ---------------------------------------------------------------------------------


class Turns:
    """A model that answers differently each time it is asked."""

    def __init__(self, *scripts: Any) -> None:
        self.scripts = [ScriptedLLM(script) for script in scripts]

    def stream(self, request: Any) -> Any:
        return self.scripts.pop(0).stream(request)

    astream = stream


def test_running_on_several_times_makes_a_branch_each_and_stays() -> None:
    agent = SimpleAgent("a", Turns("yes", "no", RuntimeError("no line"), "yes"))
    debugger = agent.steps("Well?")
    before = debugger.run
    names = list(debugger.again(4))
    assert [debugger.course(name).answer for name in names] == ["yes", "no", None, "yes"]
    assert [debugger.course(name).reason for name in names] == ["finished", "finished", "error", "finished"]
    assert "no line" in (debugger.course(names[2]).error or "")
    assert debugger.run is before
    assert debugger.branch == "main"
    assert debugger.compare(names[0], names[3]).first is None
    assert debugger.compare(names[0], names[1]).first is not None
