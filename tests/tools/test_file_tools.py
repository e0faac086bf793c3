"""The file tools: inside one folder, byte for byte, and never half a file."""

import os
import shutil
import stat
import threading

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.examples import examples

from hello_agents.core.message import ToolCall
from hello_agents.tools import ReadTool, ToolRegistry, WriteTool
from hello_agents.tools.builtin import file_tools


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "project"
    root.mkdir()
    (tmp_path / "project-evil").mkdir()
    (tmp_path / "project-evil" / "x").write_text("SECRET", encoding="utf-8")
    (tmp_path / "outside.txt").write_text("SECRET", encoding="utf-8")
    return root


def read(root, path, **more):
    return ReadTool(root).run({"path": path, **more})


def write(root, path, content="new", **more):
    return WriteTool(root).run({"path": path, "content": content, **more})


def everything(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()}


# --- confinement -------------------------------------------------------------------------------------------------


def links(root):
    (root / "link_file").symlink_to(root.parent / "outside.txt")
    (root / "link_dir").symlink_to(root.parent)
    (root / "link_new").symlink_to(root.parent / "not_yet.txt")
    (root / "loop").symlink_to(root / "loop")


OUTSIDE = [
    "../outside.txt",
    "../project-evil/x",
    "/etc/passwd",
    "a/../../outside.txt",
    "link_file",
    "link_dir/outside.txt",
    "link_dir/new.txt",
    "link_dir/project-evil/x",
    "link_new",
    "..",
    "../project/../outside.txt",
    "/",
    "PARENT/outside.txt",
    "PARENT/project-evil/x",
    "PARENT/project/../project-evil/x",
]


@pytest.mark.parametrize(
    "path", [*OUTSIDE, "PARENT/outside.txt", "PARENT/project-evil/x", "PARENT/project/../project-evil/x"]
)
def test_nothing_outside_is_read_or_written(root, path):
    links(root)
    path = path.replace("PARENT", str(root.parent))
    before = everything(root.parent)
    for response in (read(root, path), write(root, path)):
        assert response.code == "ACCESS_DENIED"
        assert "SECRET" not in response.text
    assert everything(root.parent) == before


@pytest.mark.parametrize("path", ["", "a\0b", "loop", "loop/x"])
def test_what_is_no_path(root, path):
    links(root)
    for response in (read(root, path), write(root, path)):
        assert response.code in ("INVALID_PARAM", "ACCESS_DENIED", "PERMISSION_DENIED", "NOT_FOUND")


@pytest.mark.parametrize("path", ["a.txt", "./a.txt", "sub/../a.txt", "ABS/a.txt", "inner/a.txt", "../project/a.txt"])
def test_whatever_leads_inside_is_allowed(root, path):
    (root / "a.txt").write_text("hello", encoding="utf-8")
    (root / "inner").symlink_to(root)
    response = read(root, path.replace("ABS", str(root)))
    assert response.text == "hello"
    assert response.data["path"] == "a.txt"


def test_a_root_that_is_a_link(root):
    (root / "a.txt").write_text("hello", encoding="utf-8")
    door = root.parent / "door"
    door.symlink_to(root)
    assert read(door, "a.txt").text == "hello"
    assert read(door, str(root / "a.txt")).text == "hello"
    assert read(door, "../outside.txt").code == "ACCESS_DENIED"


def test_a_working_directory(root):
    (root / "sub").mkdir()
    (root / "sub" / "a.txt").write_text("sub", encoding="utf-8")
    tool = ReadTool(root, working_dir="sub")
    assert tool.run({"path": "a.txt"}).data["path"] == "sub/a.txt"
    assert tool.run({"path": "../sub/a.txt"}).text == "sub"
    assert tool.run({"path": "../../outside.txt"}).code == "ACCESS_DENIED"
    assert ReadTool(root, working_dir=root.parent).run({"path": "outside.txt"}).code == "ACCESS_DENIED"


PART = st.sampled_from(
    ["..", ".", "a", "project", "project-evil", "x", "link_dir", "link_file", "link_new", "", "outside.txt", "/"]
)


@given(st.lists(PART, max_size=6).map("/".join))
@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_path_leads_out(root, path):
    if not (root / "link_dir").is_symlink():
        links(root)
    outside = {name: body for name, body in everything(root.parent).items() if not name.is_relative_to(root)}
    for response in (read(root, path), write(root, path)):
        assert "SECRET" not in response.text
        assert "SECRET" not in str(response.data)
        assert str(root) not in response.text
    after = {name: body for name, body in everything(root.parent).items() if not name.is_relative_to(root)}
    assert after == outside


# --- reading -----------------------------------------------------------------------------------------------------

TEXT = st.text(st.sampled_from("ab\r\n\u2028\x0b你🚀\ufeff"), max_size=30)


@given(TEXT)
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_was_read_is_written_back_byte_for_byte(root, content):
    (root / "a.txt").write_bytes(content.encode("utf-8"))
    data = read(root, "a.txt").data
    assert data["content"] == content
    assert write(root, "a.txt", data["content"]).status == "success"
    assert (root / "a.txt").read_bytes() == content.encode("utf-8")


@given(TEXT, st.integers(1, 4))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_pages_put_together_are_the_file(root, content, limit):
    (root / "a.txt").write_bytes(content.encode("utf-8"))
    pages, offset = [], 0
    while True:
        response = read(root, "a.txt", offset=offset, limit=limit)
        pages.append(response.data["content"])
        offset += response.data["lines"]
        if response.status == "success":
            break
        assert f"offset {offset}" in response.text
    assert "".join(pages) == content


def test_bom_and_line_ends_stay(root):
    (root / "a.txt").write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n")
    assert read(root, "a.txt").text == "\ufeffone\r\ntwo\r\n"


def test_a_part(root):
    (root / "a.txt").write_text("1\n2\n3\n4\n", encoding="utf-8")
    response = read(root, "a.txt", offset=1, limit=2)
    assert response.status == "partial"
    assert response.text == "lines 2-3 of 4 in a.txt; go on with offset 3.\n2\n3\n"
    assert read(root, "a.txt", offset=3).text == "4\n"
    assert read(root, "a.txt", offset=4).code == "INVALID_PARAM"
    assert "4 lines" in read(root, "a.txt", offset=9).text
    for bad in ({"offset": -1}, {"limit": 0}):
        assert read(root, "a.txt", **bad).code == "INVALID_PARAM"


def test_an_empty_file(root):
    (root / "a.txt").touch()
    response = read(root, "a.txt")
    assert (response.text, response.data["content"], response.status) == ("(a.txt is empty)", "", "success")


@pytest.mark.parametrize(
    "content", [b"\x00\x01", b"text\x00", b"\xff\xfe\x41\x00", "你好".encode("gbk"), b"\xed\xa0\x80"]
)
def test_what_is_not_text_is_refused(root, content):
    (root / "a.bin").write_bytes(content)
    assert read(root, "a.bin").code == "BINARY_FILE"


def test_missing_and_odd_files(root):
    assert read(root, "none.txt").code == "NOT_FOUND"
    os.mkfifo(root / "pipe")
    assert read(root, "pipe").code == "INVALID_PARAM"
    (root / "a.txt").touch()
    assert read(root, "a.txt/b").code in ("NOT_FOUND", "PERMISSION_DENIED")


def test_a_directory_is_listed(root):
    (root / "b.txt").write_text("12345", encoding="utf-8")
    (root / "a").mkdir()
    for response in (read(root, "."), read(root, str(root))):
        assert response.text == ".: 2 entries\na/\nb.txt (5 bytes)"
        assert response.data["entries"] == ["a/", "b.txt"]
    assert read(root, "a").text == "a: 0 entries"


# --- writing -----------------------------------------------------------------------------------------------------


def test_writing(root):
    response = write(root, "sub/new.txt", "一\r\ntwo\n")
    assert response.text == "Created sub/new.txt (2 lines, 9 bytes)."
    assert (root / "sub" / "new.txt").read_bytes() == "一\r\ntwo\n".encode()
    assert write(root, "sub/new.txt", "x").text == "Replaced sub/new.txt (1 lines, 1 bytes)."
    assert WriteTool(root, language="zh").run({"path": "sub/new.txt", "content": ""}).text == (
        "已覆盖 sub/new.txt（0 行，0 字节）。"
    )
    assert list((root / "sub").iterdir()) == [root / "sub" / "new.txt"]


def test_permissions_and_links_stay(root):
    (root / "run.sh").write_text("old", encoding="utf-8")
    (root / "run.sh").chmod(0o755)
    (root / "link.sh").symlink_to("run.sh")
    write(root, "link.sh", "new")
    assert (root / "link.sh").is_symlink()
    assert (root / "run.sh").read_text(encoding="utf-8") == "new"
    assert stat.S_IMODE((root / "run.sh").stat().st_mode) == 0o755


def test_a_directory_is_not_written(root):
    (root / "sub").mkdir()
    assert write(root, "sub").code == "IS_DIRECTORY"
    assert write(root, ".").code == "IS_DIRECTORY"


def test_half_a_surrogate_pair(root):
    assert write(root, "a.txt", "a\ud800").code == "INVALID_PARAM"
    assert not (root / "a.txt").exists()


def test_a_failed_write_leaves_the_old_file_and_nothing_else(root, monkeypatch):
    (root / "a.txt").write_text("old", encoding="utf-8")

    replace = os.replace

    def fails(source, target, **folders):
        if target == failing:
            raise OSError(28, "No space left on device", str(root))
        replace(source, target, **folders)

    monkeypatch.setattr(os, "replace", fails)
    for failing in ("a.txt", ".gitignore"):  # noqa: B007  `fails` looks at it.
        response = write(root, "a.txt")
        assert response.code == "PERMISSION_DENIED"
        assert str(root) not in response.text
        found = everything(root)
        assert found.pop(root / "a.txt") == b"old"
        assert all(path.is_relative_to(root / ".hello_agents") for path in found)
        assert not any("tmp" in path.name for path in found)
        shutil.rmtree(root / ".hello_agents")


def test_a_reader_never_sees_half_a_file(root):
    bodies = {"a" * 200_000, "b" * 200_000}
    write(root, "a.txt", "a" * 200_000)
    seen = set()
    stop = threading.Event()

    def look():
        while not stop.is_set():
            seen.add((root / "a.txt").read_text(encoding="utf-8"))

    watcher = threading.Thread(target=look)
    watcher.start()
    for _ in range(20):
        for body in bodies:
            write(root, "a.txt", body)
    stop.set()
    watcher.join()
    assert seen <= bodies


@pytest.fixture
def registry(root):
    registry = ToolRegistry()
    registry.register_tool(ReadTool(root, registry=registry))
    registry.register_tool(WriteTool(root, registry=registry))
    return registry


def call(registry, name, **arguments):
    return registry.answer(ToolCall("1", name, arguments))


def restore_time(path, stamp):
    os.utime(path, ns=(stamp, stamp))


def test_a_file_that_changed_since_it_was_read(root, registry):
    path = root / "a.txt"
    path.write_text("one", encoding="utf-8")
    assert call(registry, "Read", path="a.txt").content == "one"
    stamp = path.stat().st_mtime_ns
    path.write_text("two", encoding="utf-8")
    restore_time(path, stamp)
    refused = call(registry, "Write", path="a.txt", content="mine")
    assert refused.metadata["code"] == "CONFLICT"
    assert path.read_text(encoding="utf-8") == "two"
    assert call(registry, "Read", path="./a.txt").content == "two"
    assert call(registry, "Write", path="a.txt", content="mine").status == "success"
    assert call(registry, "Write", path="a.txt", content="mine again").status == "success", (
        "its own write is no conflict"
    )


def test_a_touched_file_has_not_changed(root, registry):
    (root / "a.txt").write_text("one", encoding="utf-8")
    call(registry, "Read", path="a.txt")
    restore_time(root / "a.txt", 10**18)
    assert call(registry, "Write", path="a.txt", content="mine").status == "success"


def test_a_file_that_is_gone(root, registry):
    (root / "a.txt").write_text("one", encoding="utf-8")
    call(registry, "Read", path="a.txt")
    (root / "a.txt").unlink()
    assert call(registry, "Write", path="a.txt", content="mine").metadata["code"] == "CONFLICT"


def test_the_time_that_read_gave(root):
    (root / "a.txt").write_text("one", encoding="utf-8")
    stamp = read(root, "a.txt").data["file_mtime_ms"]
    assert write(root, "a.txt", file_mtime_ms=stamp + 1).code == "CONFLICT"
    assert write(root, "none.txt", file_mtime_ms=stamp).code == "CONFLICT"
    assert write(root, "a.txt", file_mtime_ms=stamp).status == "success"
    assert file_tools.mtime_ms(root / "a.txt") >= stamp


def test_defaults_sent_as_null(registry, root):
    (root / "a.txt").write_text("one", encoding="utf-8")
    assert call(registry, "Read", path="a.txt", offset=None, limit="5").content == "one"


def test_constructing_touches_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ReadTool("nowhere")
    WriteTool("nowhere", working_dir="deep")
    assert list(tmp_path.iterdir()) == []
    assert ReadTool("nowhere").run({"path": "a"}).code == "NOT_FOUND"


def test_the_schemas():
    shown = ReadTool().to_openai_schema()["function"]
    assert shown["name"] == "Read"
    assert shown["parameters"]["required"] == ["path"]
    assert shown["parameters"]["properties"]["limit"]["default"] == 2000
    assert WriteTool().to_openai_schema()["function"]["parameters"]["required"] == ["path", "content"]
