"""Edit and MultiEdit, the lock by content, and backups."""

import os
import threading
import time
from contextlib import suppress
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.examples import examples

from hello_agents.core.message import ToolCall
from hello_agents.tools import EditTool, GrepTool, MultiEditTool, ReadTool, ToolRegistry, WriteTool
from hello_agents.tools.builtin import folder as folders

FIXTURE = [HealthCheck.function_scoped_fixture]


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "project"
    root.mkdir()
    (tmp_path / "outside.txt").write_text("SECRET", encoding="utf-8")
    return root


@pytest.fixture
def registry(root):
    registry = ToolRegistry()
    for kind in (ReadTool, WriteTool, EditTool, MultiEditTool):
        registry.register_tool(kind(root, registry=registry))
    return registry


def call(registry, name, **arguments):
    return registry.answer(ToolCall("1", name, {"path": "a.txt", **arguments}))


def edit(root, old, new, path="a.txt", **more):
    return EditTool(root).run({"path": path, "old_string": old, "new_string": new, **more})


def multi(root, *edits, **more):
    pairs = [{"old_string": old, "new_string": new} for old, new in edits]
    return MultiEditTool(root).run({"path": "a.txt", "edits": pairs, **more})


def put(root, content):
    (root / "a.txt").write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))


def got(root):
    return (root / "a.txt").read_bytes().decode("utf-8")


# --- editing -----------------------------------------------------------------------------------------------------


def test_one_edit(root):
    put(root, "一\ntwo\nthree\n")
    response = edit(root, "two", "2\n2½")
    assert response.text == "Edited a.txt: 1 change(s), the first in line 2 (4 lines, 16 bytes now)."
    assert got(root) == "一\n2\n2½\nthree\n"
    assert response.data["file_size_bytes"] == 16
    assert edit(root, "2\n", "").status == "success"
    assert got(root) == "一\n2½\nthree\n"
    assert edit(root, got(root), "").text.startswith("Edited a.txt: 1 change(s), the first in line 1 (0 lines, 0 bytes")


@pytest.mark.parametrize(
    ("content", "old", "said"),
    [
        ("x = 1\ny = 1\n", "1", "occurs 2 times in 'a.txt' (lines 1, 2)"),
        ("aaa", "aa", "occurs 2 times"),
        ("def run(self):\n    pass\n", "def run(self, x):", "The nearest is line 1: 'def run(self):'"),
        ("a\n    return total\n", "return totl\n", "The nearest is line 2: 'return total'"),
        ("abc\n", "zzzzzz", "occurs 0 times in 'a.txt'. Read the file"),
        ("", "a", "occurs 0 times"),
        ("abc", "\n\n", "occurs 0 times"),
        ("abc", "", "old_string is empty"),
        ("abc", "b", "are the same"),
    ],
)
def test_what_does_not_fit_changes_nothing_and_says_why(root, content, old, said):
    put(root, content)
    response = edit(root, old, "b")
    assert response.code == "INVALID_PARAM"
    assert said in response.text
    assert got(root) == content
    assert not (root / ".hello_agents").exists()


def test_line_ends_alone_are_no_change_where_the_file_has_one_kind(root):
    put(root, "a\r\nb\r\n")
    assert "are the same" in edit(root, "a\r\nb", "a\nb").text
    put(root, "a\r\nb\n")
    assert edit(root, "a\r\nb", "a\nb").code is None
    assert got(root) == "a\nb\n"


LINE = st.text(st.sampled_from("ab你🚀\u2028\t "), max_size=4)


@given(
    st.lists(LINE, max_size=5),
    LINE,
    LINE,
    st.lists(LINE, max_size=5),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.booleans(),
)
@settings(max_examples=examples(80), deadline=None, suppress_health_check=FIXTURE)
def test_all_but_the_part_stays_byte_for_byte(root, before, old, new, after, end, bom):
    mark = "\ufeff" if bom else ""
    shape = (mark + end.join([*before, "{}", *after])).encode("utf-8")
    put(root, shape.replace(b"{}", f"<{old}>{end}<<".encode()))
    assert edit(root, f"<{old}>\n<<" if end != "\r" else f"<{old}>\r<<", f"<{new}>").status == "success"
    assert got(root).encode("utf-8") == shape.replace(b"{}", f"<{new}>".encode())


def test_line_ends_are_those_of_the_file(root):
    put(root, "a\r\nb\r\n")
    edit(root, "a", "1\n2")
    assert got(root) == "1\r\n2\r\nb\r\n"
    edit(root, "2\r\nb", "3\r\n4")
    assert got(root) == "1\r\n3\r\n4\r\n"
    put(root, "a\nb\r\nc\r\n")
    edit(root, "a\n", "1\n")
    assert got(root) == "1\nb\r\nc\r\n", "in a mixed file what is there exactly comes first"
    edit(root, "b\nc", "2\n3")
    assert got(root) == "1\n2\r\n3\r\n"


def test_the_byte_order_mark_stays(root):
    put(root, "\ufeffone\n")
    edit(root, "\ufeffone", "1")
    edit(root, "1", "\ufeffuno")
    assert got(root) == "\ufeffuno\n"


def test_several_edits_build_on_each_other(root):
    put(root, "one two three")
    response = multi(root, ("one", "1"), ("1 two", "12"), ("three", "3"))
    assert response.text.startswith("Edited a.txt: 3 change(s)")
    assert got(root) == "12 3"


@pytest.mark.parametrize("bad", [("none", "x"), ("o", "x"), ("", "x"), ("two", "two"), ("two", "\ud800")])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_all_edits_or_none(root, bad, place):
    put(root, "one two three four")
    edits = [("one", "1"), ("three", "3")]
    edits.insert(place, bad)
    response = multi(root, *edits)
    assert response.code == "INVALID_PARAM"
    assert "utf" in response.text.lower() or f"Edit {place + 1} of 3: " in response.text
    assert got(root) == "one two three four"


@pytest.mark.parametrize("edits", [None, [], "x", [1], [{"old_string": "a"}], [{"old_string": 1, "new_string": "b"}]])
def test_what_is_no_list_of_edits(root, registry, edits):
    put(root, "a")
    assert MultiEditTool(root).run({"path": "a.txt", "edits": edits}).code == "INVALID_PARAM"
    assert call(registry, "MultiEdit", edits=edits).metadata["code"] == "INVALID_PARAM"
    assert got(root) == "a"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x00\x01", "not a UTF-8 text"),
        ("你好".encode("utf-16"), "UTF-16"),
        ("你好世界".encode("gbk"), "may be GBK"),
        (b"\xff\xff\xff", "not a UTF-8 text"),
    ],
)
def test_other_encodings_are_refused_by_name_and_left_alone(root, content, said):
    put(root, content)
    for response in (ReadTool(root).run({"path": "a.txt"}), edit(root, "a", "b"), multi(root, ("a", "b"))):
        assert response.code == "BINARY_FILE"
        assert said in response.text
    assert (root / "a.txt").read_bytes() == content


def test_places_that_cannot_be_edited(root):
    (root / "sub").mkdir()
    (root / "out").symlink_to(root.parent)
    os.mkfifo(root / "pipe")
    for path, code in (
        ("sub", "IS_DIRECTORY"),
        (".", "IS_DIRECTORY"),
        ("none.txt", "NOT_FOUND"),
        ("new/none.txt", "NOT_FOUND"),
        ("pipe", "INVALID_PARAM"),
        ("../outside.txt", "ACCESS_DENIED"),
        ("out/outside.txt", "ACCESS_DENIED"),
        ("", "INVALID_PARAM"),
    ):
        assert edit(root, "SECRET", "x", path).code == code, path
        assert MultiEditTool(root).run({"path": path, "edits": [{"old_string": "S", "new_string": ""}]}).code == code
    assert not (root / "new").exists()
    assert (root.parent / "outside.txt").read_text(encoding="utf-8") == "SECRET"


def test_a_write_protected_file(root):
    put(root, "a")
    (root / "a.txt").chmod(0o444)
    assert edit(root, "a", "b").code == "PERMISSION_DENIED"
    assert WriteTool(root).run({"path": "a.txt", "content": "b"}).code == "PERMISSION_DENIED"
    assert got(root) == "a"


@pytest.mark.parametrize("may_give", [True, False])
def test_owner_and_group_stay_as_far_as_they_may(root, monkeypatch, may_give):
    put(root, "a")
    (root / "a.txt").chmod(0o640)
    given = []
    of_before = os.stat

    def stat(path, **options):
        facts = of_before(path, **options)
        if path != "a.txt":
            return facts
        return os.stat_result((*facts[:4], 1234, 4321, *facts[6:]))

    def chown(handle, owner, group):
        given.append((owner, group))
        assert os.fstat(handle).st_mode & 0o077 == 0, "nobody else could read it meanwhile"
        if owner != -1 and not may_give:
            raise PermissionError

    monkeypatch.setattr(os, "stat", stat)
    monkeypatch.setattr(os, "fchown", chown)
    assert edit(root, "a", "b").code is None
    assert given == ([(1234, 4321)] if may_give else [(1234, 4321), (-1, 4321)])
    monkeypatch.undo()
    assert got(root) == "b"
    assert (root / "a.txt").stat().st_mode & 0o777 == 0o640


def test_the_schemas():
    shown = MultiEditTool().to_openai_schema()["function"]
    assert shown["name"] == "MultiEdit"
    assert shown["parameters"]["required"] == ["path", "edits"]
    assert shown["parameters"]["properties"]["edits"]["items"]["required"] == ["old_string", "new_string"]
    shown = EditTool(language="zh").to_openai_schema()["function"]
    assert (shown["name"], shown["parameters"]["required"]) == ("Edit", ["path", "old_string", "new_string"])


# --- the lock ----------------------------------------------------------------------------------------------------

CHANGES = {
    "Write": {"content": "mine\n"},
    "Edit": {"old_string": "one", "new_string": "mine"},
    "MultiEdit": {"edits": [{"old_string": "one", "new_string": "mine"}]},
}


@pytest.fixture(params=CHANGES)
def change(request, registry):
    return lambda **more: call(registry, request.param, **{**CHANGES[request.param], **more})


def test_somebody_elses_change_is_a_conflict_even_with_equal_size_and_time(root, registry, change):
    put(root, "one\n")
    stamp = (root / "a.txt").stat().st_mtime_ns
    given = call(registry, "Read").status
    assert given == "success"
    put(root, "oneX")
    os.utime(root / "a.txt", ns=(stamp, stamp))
    for more in ({}, {"file_mtime_ms": stamp // 1_000_000}):
        refused = change(**more)
        assert refused.metadata["code"] == "CONFLICT"
        assert "Read it again" in refused.content
    assert got(root) == "oneX"
    call(registry, "Read")
    assert change().status == "success"


def test_a_touch_is_no_conflict(root, registry, change):
    put(root, "one\n")
    call(registry, "Read")
    stamp = (root / "a.txt").stat().st_mtime_ns // 1_000_000
    os.utime(root / "a.txt", ns=(10**18, 10**18))
    assert change(file_mtime_ms=stamp).status == "success"


def test_own_changes_are_no_conflict_with_an_old_time_either(root, registry):
    put(root, "one\n")
    stamp = ReadTool(root, registry=registry).run({"path": "a.txt"}).data["file_mtime_ms"]
    os.utime(root / "a.txt", ns=(10**18, 10**18))
    call(registry, "Read")
    for old, new in (("one", "two"), ("two", "three"), ("three", "four")):
        done = call(registry, "Edit", old_string=old, new_string=new, file_mtime_ms=stamp)
        assert done.status == "success", done.content
    assert call(registry, "Write", content="five", file_mtime_ms=stamp).status == "success"
    put(root, "six")
    assert call(registry, "Write", content="seven", file_mtime_ms=stamp).metadata["code"] == "CONFLICT"
    call(registry, "Read")
    assert call(registry, "Write", content="seven", file_mtime_ms=stamp).metadata["code"] == "CONFLICT", (
        "of an older one"
    )


def test_a_file_removed_in_between(root, registry, change):
    put(root, "one\n")
    call(registry, "Read")
    (root / "a.txt").unlink()
    refused = change()
    assert refused.metadata["code"] == "CONFLICT"
    assert "removed" in refused.content
    assert call(registry, "Read").metadata["code"] == "NOT_FOUND"
    assert call(registry, "Write", content="anew").status == "success"


def test_a_file_made_in_between(root, registry, change):
    assert call(registry, "Read").metadata["code"] == "NOT_FOUND"
    put(root, "one\n")
    assert change().metadata["code"] == "CONFLICT"
    assert got(root) == "one\n"


def test_without_a_registry_the_time_decides(root):
    put(root, "one\n")
    stamp = ReadTool(root).run({"path": "a.txt"}).data["file_mtime_ms"]
    assert edit(root, "one", "two", file_mtime_ms=stamp + 1).code == "CONFLICT"
    assert multi(root, ("one", "two"), file_mtime_ms=stamp).status == "success"
    assert edit(root, "x", "y", "none.txt", file_mtime_ms=stamp).code == "CONFLICT"


def test_a_note_that_somebody_else_made_counts_by_its_time(root, registry):
    put(root, "one\n")
    stamp = (root / "a.txt").stat().st_mtime_ns // 1_000_000
    registry.cache_read_metadata("a.txt", {"file_mtime_ms": stamp - 1})
    assert call(registry, "Write", content="x").metadata["code"] == "CONFLICT"
    registry.clear_read_cache("a.txt")
    assert call(registry, "Write", content="x").status == "success"


def test_two_folders_in_one_registry_do_not_mix_up_their_files(root, tmp_path):
    registry = ToolRegistry()
    other = tmp_path / "other"
    other.mkdir()
    for folder in (root, other):
        put(folder, folder.name)
        assert ReadTool(folder, registry=registry).run({"path": "a.txt"}).text == folder.name
    for folder in (root, other):
        assert WriteTool(folder, registry=registry).run({"path": "a.txt", "content": "new"}).status == "success"
        put(folder, "changed")
        assert WriteTool(folder, registry=registry).run({"path": "a.txt", "content": "x"}).code == "CONFLICT"


def test_threads_lose_no_edit(root):
    """Each thread counts up its own line, always with the file as it is at that moment."""
    put(root, "".join(f"{n}:0\n" for n in range(4)))

    def count_up(number):
        for step in range(25):
            assert edit(root, f"{number}:{step}\n", f"{number}:{step + 1}\n").status == "success"

    threads = [threading.Thread(target=count_up, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got(root) == "".join(f"{n}:25\n" for n in range(4))


def test_a_link_put_in_place_of_a_folder_leads_nowhere(root):
    """Between looking at a path and using it, somebody puts a link to the outside in its way, again and again."""
    outside = root.parent / "elsewhere"
    outside.mkdir()
    (outside / "a.txt").write_text("SECRET", encoding="utf-8")
    (root / "real").mkdir()
    (root / "link").symlink_to(outside)
    stop = threading.Event()

    def swap():
        for number in count():
            if stop.is_set():
                return
            for source in ("real", "link"):
                # A write may have made a folder of this name meanwhile; then there is a door already.
                with suppress(OSError):
                    (root / source).rename(root / "door")
                time.sleep(0.0002)
                kept = source if not (root / source).exists() else f"made-{number}"
                with suppress(OSError):
                    (root / "door").rename(root / kept)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        for _ in range(300):
            WriteTool(root, backups=0).run({"path": "door/new.txt", "content": "x"})
            assert "SECRET" not in ReadTool(root).run({"path": "door/a.txt"}).text
            assert EditTool(root).run({"path": "door/a.txt", "old_string": "SECRET", "new_string": ""}).code is not None
    finally:
        stop.set()
        thread.join()
    assert [path.name for path in outside.iterdir()] == ["a.txt"]
    assert (outside / "a.txt").read_text(encoding="utf-8") == "SECRET"


# --- backups -----------------------------------------------------------------------------------------------------


def kept(root, path="a.txt"):
    folder = root / ".hello_agents" / "backups" / path
    return [file.read_text(encoding="utf-8") for file in sorted(folder.iterdir())] if folder.exists() else []


def test_the_last_contents_are_kept(root):
    put(root, "0")
    (root / "a.txt").chmod(0o600)
    tool = WriteTool(root, backups=3)
    for number in range(1, 6):
        response = tool.run({"path": "a.txt", "content": str(number)})
        assert (root / response.data["backup"]).read_text(encoding="utf-8") == str(number - 1)
        assert (root / response.data["backup"]).stat().st_mode & 0o777 == 0o600
    assert kept(root) == ["2", "3", "4"]
    assert "backup" not in tool.run({"path": "a.txt", "content": "5"}).data, "nothing was replaced"
    assert "backup" not in tool.run({"path": "new.txt", "content": "5"}).data
    assert (root / ".hello_agents" / ".gitignore").read_text(encoding="utf-8") == "*\n"


def test_edits_keep_backups_too_and_none_can_be_asked_for(root):
    put(root, "one")
    edit(root, "one", "two")
    multi(root, ("two", "three"))
    assert kept(root) == ["one", "two"]
    EditTool(root, backups=0).run({"path": "a.txt", "old_string": "three", "new_string": "four"})
    assert kept(root) == ["one", "two"]
    (backup, *_others) = (root / ".hello_agents" / "backups" / "a.txt").iterdir()
    assert "backup" not in edit(root, "o", "0", str(backup)).data


def test_backups_do_not_leave_the_project(root):
    put(root, "one")
    (root / ".hello_agents").symlink_to(root.parent)
    assert edit(root, "one", "two").code == "PERMISSION_DENIED"
    assert got(root) == "one"
    assert sorted(path.name for path in root.parent.iterdir()) == ["outside.txt", "project"]


# --- where folders cannot be opened ------------------------------------------------------------------------------


def test_by_paths_where_the_system_has_no_handles_of_folders(root, monkeypatch):
    monkeypatch.setattr(folders, "_POSIX", False)
    assert WriteTool(root).run({"path": "sub/a.txt", "content": "one\n"}).status == "success"
    assert edit(root, "one", "two", "sub/a.txt").status == "success"
    assert ReadTool(root).run({"path": "sub/a.txt"}).text == "two\n"
    assert ReadTool(root).run({"path": "sub"}).data["entries"] == ["a.txt"]
    assert GrepTool(root).run({"pattern": "two"}).text == "sub/a.txt:1: two"
    assert kept(root, "sub/a.txt") == ["one\n"]
    assert edit(root, "a", "b", "none/a.txt").code == "NOT_FOUND"
    assert edit(root, "a", "b", "sub/a.txt/c").code in ("NOT_FOUND", "PERMISSION_DENIED")
    (root / "out").symlink_to(root.parent)
    assert edit(root, "SECRET", "x", "out/outside.txt").code == "ACCESS_DENIED"
    folders.write_atomically(root / "b.txt", b"x")
    folders.write_atomically(root / "b.txt", b"y")
    assert (root / "b.txt").read_bytes() == b"y"
    assert sorted(path.name for path in root.iterdir()) == [".hello_agents", "b.txt", "out", "sub"]


def test_what_a_killed_process_left_is_cleared_up(root):
    put(root, "one")
    (root / f".a.txt.0123{folders.TEMPORARY}").write_text("ha", encoding="utf-8")
    (root / ".a.txt.mine.tmp").write_text("of the reader", encoding="utf-8")
    edit(root, "one", "two")
    assert sorted(path.name for path in root.iterdir()) == [".a.txt.mine.tmp", ".hello_agents", "a.txt"]
