"""Memories on disk: appended, compacted, read again, torn, and disks that fail."""

import errno
import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.examples import examples

from hello_agents.memory import JsonLinesStore, MemoryConfig, MemoryItem, MemoryManager, MemoryUnavailable
from hello_agents.memory.base import KINDS

START = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "deep" / "memories.jsonl"


def opened(path, **settings):
    return MemoryManager(MemoryConfig(**settings), store=path, clock=lambda: START)


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_nothing_is_written_before_the_first_memory(path):
    memories = opened(path)
    assert memories.all() == []
    assert memories.recall("x") == []
    assert not path.parent.exists()


def test_the_path_may_come_from_the_settings(tmp_path):
    config = MemoryConfig(storage_path=str(tmp_path))
    MemoryManager(config).add("kept", "semantic")
    assert MemoryManager(config).all()[0].content == "kept"
    assert [file.name for file in tmp_path.iterdir()] == ["memories.jsonl"]


def test_adding_appends_a_line_and_removing_rewrites_when_little_is_left(path):
    memories = opened(path)
    for number in range(4):
        memories.add(f"fact {number}", "semantic")
    first = path.read_bytes()
    assert len(lines(path)) == 4
    memories.remove_memory("m4")
    assert path.read_bytes().startswith(first), "appended"
    assert lines(path)[-1] == {"remove": ["m4"]}
    memories.remove_memory("m3")
    assert b"fact 3" not in path.read_bytes(), "rewritten"
    assert lines(path)[0] == {"last": 4}
    memories.clear_all_memories()
    assert lines(path) == [{"last": 4}], "nothing of what was cleared is left in the file"
    assert opened(path).add("new").item.id == "m5", "and no id is used again"


def test_chinese_is_written_as_it_is_and_odd_signs_survive(path):
    contents = ["我喜欢绿茶 🚀", "lone \ud800 surrogate", 'quotes " and \\ud83d', "line\u2028break\r\nand\x85more"]
    memories = opened(path)
    for content in contents:
        memories.add(content, "semantic", metadata={"城市": "北京"}, tags=["茶"])
    data = path.read_bytes()
    data.decode("utf-8")
    assert "我喜欢绿茶 🚀".encode() in data
    assert "北京".encode() in data
    assert [item.content for item in opened(path).all()] == contents


def test_it_does_not_depend_on_the_machine_s_encoding(path):
    code = (
        "import sys; from hello_agents.memory import MemoryManager; m = MemoryManager(store=sys.argv[1]); "
        r"m.add('\u5317\u4eac', 'semantic'); m.remove_memory('m1'); m.add('\u7eff\u8336', 'semantic'); "
        "print(ascii([i.content for i in MemoryManager(store=sys.argv[1]).all()]))"
    )
    env = {**os.environ, "PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONWARNDEFAULTENCODING": "1"}
    process = subprocess.run(
        [sys.executable, "-W", "error::EncodingWarning", "-c", code, str(path)],
        capture_output=True, encoding="utf-8", env=env, check=False,
    )  # fmt: skip
    assert process.returncode == 0, process.stderr
    assert process.stdout.strip() == ascii(["绿茶"])


@pytest.mark.parametrize("cut", range(1, 12))
def test_a_torn_last_line_is_left_out_told_and_cut_off(path, cut):
    memories = opened(path)
    memories.add("whole 一", "semantic")
    memories.add("torn 二", "semantic")
    data = path.read_bytes()
    path.write_bytes(data[: -cut * 10])
    again = opened(path)
    assert [item.content for item in again.all()] == ["whole 一"]
    assert [f"{path.name} was torn" in problem for problem in again.problems] == [True]
    again.add("next", "semantic")
    third = opened(path)
    assert [item.content for item in third.all()] == ["whole 一", "next"]
    assert third.problems == ()


def test_a_last_line_that_only_lost_its_end_counts(path):
    memories = opened(path)
    memories.add("one", "semantic")
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    again = opened(path)
    assert again.problems == ()
    again.add("two", "semantic")
    assert [item.content for item in opened(path).all()] == ["one", "two"]


@pytest.mark.parametrize(
    "line",
    [b"rubbish\n", b"[1]\n", b"\xff\xfe\n", b'{"put": [{"id": "m9"}]}\n', b'{"put": 3}\n', b"[" * 100_000 + b"\n"],
)
def test_a_damaged_line_in_the_middle_is_an_error_and_stays_as_it_is(path, line):
    memories = opened(path)
    memories.add("before", "semantic")
    damaged = path.read_bytes() + line
    path.write_bytes(damaged + path.read_bytes())
    again = opened(path)
    for act in (again.all, lambda: again.recall("before"), lambda: again.add("x")):
        with pytest.raises(MemoryUnavailable, match=r"Line 2 of memories\.jsonl"):
            act()
    assert path.read_bytes().startswith(damaged)


def test_a_path_that_is_a_folder(tmp_path):
    with pytest.raises(MemoryUnavailable, match=r"cannot be used: Is a directory"):
        opened(tmp_path).all()


def test_a_full_disk_is_an_error_and_nothing_has_changed(path, monkeypatch):
    memories = opened(path)
    memories.add("kept", "semantic")
    before = path.read_bytes()

    def full(*args):
        raise OSError(errno.ENOSPC, "No space left on device")

    def changes():
        yield lambda: memories.add("new", "semantic")
        yield lambda: memories.update("m1", "changed")
        yield lambda: memories.remove_memory("m1")
        yield lambda: memories.clear_all_memories()
        yield lambda: memories.forget("importance_based", 1.0)

    with monkeypatch.context() as patched:
        patched.setattr(JsonLinesStore, "_append", full)
        patched.setattr(JsonLinesStore, "_rewrite", full)
        for change in changes():
            with pytest.raises(MemoryUnavailable, match="No space left"):
                change()
            assert [item.content for item in memories.all()] == ["kept"]
            assert memories.evictions == ()
    assert path.read_bytes() == before
    memories.add("later", "semantic")
    assert [item.content for item in opened(path).all()] == ["kept", "later"]


def test_a_write_that_stops_half_way_leaves_the_file_as_it_was(path, monkeypatch):
    """The file's own `write` takes a few bytes, then fails."""
    memories = opened(path)
    memories.add("kept", "semantic")
    before = path.read_bytes()
    real = Path.open

    def failing(self, mode="r", *args, **kwargs):
        file = real(self, mode, *args, **kwargs)
        return Halting(file) if mode == "r+b" else file

    monkeypatch.setattr(Path, "open", failing)
    with pytest.raises(MemoryUnavailable, match="No space left"):
        memories.add("new", "semantic")
    monkeypatch.undo()
    assert path.read_bytes() == before


class Halting:
    """A file on a disk with room for five more bytes."""

    def __init__(self, file):
        self.file = file
        self.room = 5

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.file.close()

    def __getattr__(self, name):
        return getattr(self.file, name)

    def write(self, data):
        if not self.room:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = self.file.write(data[: self.room])
        self.room -= written
        return written


CHANGES = st.one_of(
    st.tuples(st.just("add"), st.text(min_size=1, max_size=9).filter(str.strip), st.sampled_from(KINDS)),
    st.tuples(st.just("update"), st.integers(1, 9), st.text(min_size=1, max_size=9).filter(str.strip)),
    st.tuples(st.just("remove"), st.integers(1, 9), st.none()),
    st.tuples(st.just("consolidate"), st.floats(0, 1), st.none()),
    st.tuples(st.just("forget"), st.floats(0, 1), st.none()),
    st.tuples(st.just("reload"), st.none(), st.none()),
)


@settings(max_examples=examples(80), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(CHANGES, max_size=14), st.randoms(use_true_random=False))
def test_what_is_read_again_is_what_was_there(tmp_path_factory, changes, random):
    path = tmp_path_factory.mktemp("laws") / "memories.jsonl"
    config = {"max_capacity": 3, "working_memory_capacity": 2}
    memories = opened(path, **config)
    for what, first, second in changes:
        match what:
            case "add":
                memories.add(first, second, random.choice([0.1, 0.5, 0.9]), {"n": first}, tags=[first])
            case "update":
                memories.update(f"m{first}", second)
            case "remove":
                memories.remove_memory(f"m{first}")
            case "consolidate":
                memories.consolidate(importance_threshold=first)
            case "forget":
                memories.forget("importance_based", first)
            case "reload":
                memories = opened(path, **config)
    again = opened(path, **config)
    assert again.all() == memories.all()
    assert again.problems == ()
    assert [hit.item.id for hit in again.recall("a")] == [hit.item.id for hit in memories.recall("a")]
    assert again.add("next", "semantic").item.id == memories.add("next", "semantic").item.id


class Failing:
    """A store whose service has changed: it knows nothing of what is asked."""

    def __init__(self, *works):
        self.works = works

    def __getattr__(self, name):
        if name not in self.works:
            raise AttributeError(f"client has no attribute {name!r}")
        from hello_agents.memory.store import Loaded

        return lambda *args: Loaded()


def test_a_store_of_ones_own_that_fails_is_an_error_never_an_empty_answer():
    memories = MemoryManager(store=Failing())
    for act in (
        memories.all,
        memories.get_memory_stats,
        lambda: memories.recall("x"),
        memories.summary,
        memories.forget,
    ):
        with pytest.raises(MemoryUnavailable, match="client has no attribute 'load'"):
            act()
    memories = MemoryManager(store=Failing("load"))
    assert memories.recall("x") == []
    with pytest.raises(MemoryUnavailable, match="'write'"):
        memories.add("x")
    assert memories.all() == []


def test_memories_that_expired_meanwhile_are_told_when_they_are_read(path):
    opened(path).add("short")
    later = MemoryManager(store=path, clock=lambda: START + timedelta(days=1))
    assert [(gone.id, gone.reason) for gone in later.sweep()] == [("m1", "expired")]
    assert MemoryManager(store=path, clock=lambda: START + timedelta(days=1)).sweep() == ()


def test_items_of_an_id_of_their_own_are_kept_too(path):
    from hello_agents.memory import SemanticMemory

    SemanticMemory(storage_backend=JsonLinesStore(path)).add(MemoryItem("own id", "x", "semantic"))
    assert SemanticMemory(storage_backend=JsonLinesStore(path)).has_memory("own id")
