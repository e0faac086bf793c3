"""One contract for the three stores of sessions; Redis is a real server on loopback."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import reduce
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from core.crashing import SCRIPTS, Place, agent
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.examples import examples
from support.histories import legal
from support.redis_server import RedisServer

from hello_agents.core.journal import dump_entry
from hello_agents.core.message import Message, Messages, ToolCall
from hello_agents.core.run import Began, Entry, Limits, Noted, Returned, Run, Told, evolve
from hello_agents.core.session_store import (
    MemorySessionStore,
    RedisSessionStore,
    Session,
    SessionClosed,
    SessionConflict,
    SessionDamaged,
    SessionException,
    SessionExists,
    SessionMissing,
    SessionStore,
    SessionUnavailable,
    Store,
    describe_agent,
    tool_schema_hash,
)

ROOT = Path(__file__).parents[2]
NEVER = Place("never", 0)
CONTRACT = settings(
    max_examples=examples(25),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with RedisServer(tmp_path_factory.mktemp("redis")) as running:
        yield running


@pytest.fixture(params=["memory", "files", "redis"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Store]:
    """Makes stores that share their place, as two workers do; one in memory is shared by being the same."""
    match request.param:
        case "memory":
            store = MemorySessionStore()
            return lambda: store
        case "files":
            return lambda: SessionStore(tmp_path / "sessions")
        case _:
            url = request.getfixturevalue("server").url
            space = uuid4().hex
            return lambda: RedisSessionStore(url=url, namespace=space)


@pytest.fixture
def store(make: Callable[[], Store]) -> Store:
    return make()


def entries_of(kind: str = "Simple") -> list[Entry]:
    one = agent(kind, NEVER)
    one.run("1+2+3+4?")
    return one.journal


def fold(entries: list[Entry], start: Run | None = None) -> Run:
    return reduce(lambda run, entry: evolve(run, entry.event, entry.frame), entries, start or Run("crash"))


def write(session: Session, entries: list[Entry]) -> None:
    run = session.run
    for entry in entries:
        run = evolve(run, entry.event, entry.frame)
        session.append(entry, run)


def told(seq: int, text: str = "hello", time: float = 1.5) -> Entry:
    return Entry(seq, "", time, Told(Message(text, "user"), Limits()))


# -- writing and reading ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", SCRIPTS)
def test_an_agent_writes_as_it_goes_and_another_goes_on(make: Callable[[], Store], kind: str) -> None:
    first = agent(kind, NEVER)
    first.sink = make().open("talk", start=Run("crash")).append
    first.run("1+2+3+4?")

    again = agent(kind, NEVER)
    session = make().open("talk")
    again.restore(session.saved.entries)
    assert again.state == first.state == session.run
    assert [dump_entry(e) for e in again.journal] == [dump_entry(e) for e in first.journal]
    again.sink = session.append
    again.add_message(Message("thanks", "user"))
    assert make().read("talk").run == again.state
    assert make().state("talk") == again.state


async def test_what_is_streamed_is_written_alike(make: Callable[[], Store]) -> None:
    plain, streamed = agent("ReAct", NEVER), agent("ReAct", NEVER)
    plain.sink = make().open("plain").append
    streamed.sink = make().open("streamed").append
    plain.run("1+2+3+4?")
    _ = [event async for event in streamed.arun_stream("1+2+3+4?")]
    ours, theirs = make().read("plain").run, make().read("streamed").run
    assert ours.messages == theirs.messages
    assert [m.tool_calls for m in ours.messages] == [m.tool_calls for m in theirs.messages]


@CONTRACT
@given(history=legal(reasoning=True), text=st.text(st.characters(), max_size=30))
def test_saving_and_loading_changes_nothing(make: Callable[[], Store], history: list[Message], text: str) -> None:
    store = make()
    history = [*history, Message(None, "assistant", tool_calls=[ToolCall("x", "工具", {"城市": "北京", "e": "🚀"})])]
    history += [Message(text, "tool", answers="x", metadata={"a": [0, False, "", None, 1.5]})]
    place = store.save({"name": "a"}, history, "h", {"f": {"mtime": 1}}, {"k": "v"}, "one")
    loaded = store.load(place)
    assert [Message.from_dict(m) for m in loaded["history"]] == history
    assert [m["timestamp"] for m in loaded["history"]] == [m.timestamp.isoformat() for m in history]
    store.save(loaded["agent_config"], loaded["history"], loaded["tool_schema_hash"], {}, {}, "two")
    assert store.load("two")["history"] == loaded["history"]
    assert loaded["read_cache"] == {"f": {"mtime": 1}}
    assert loaded["metadata"] == {"k": "v"}


@CONTRACT
@given(texts=st.lists(st.text(st.characters(), max_size=20), max_size=8), cut=st.integers(0, 8))
def test_entries_in_any_pieces_come_back_as_they_were(make: Callable[[], Store], texts: list[str], cut: int) -> None:
    store = make()
    entries = [told(n, text) for n, text in enumerate(texts)]
    name = uuid4().hex
    with store.open(name) as session:
        write(session, entries[:cut])
    with store.open(name) as session:
        write(session, entries[cut:])
    saved = store.read(name)
    assert list(saved.entries) == entries
    assert [e.event.message.content for e in saved.entries if isinstance(e.event, Told)] == texts
    assert saved.run == fold(entries, saved.start)
    assert store.state(name) == saved.run
    assert saved.repairs == ()


def test_a_start_that_is_no_empty_run_is_kept(store: Store) -> None:
    start = fold(entries_of())
    with store.open("later", start=start) as session:
        write(session, [told(0)])
    saved = store.read("later")
    assert saved.start == start
    assert saved.run == evolve(start, told(0).event)


def test_the_state_is_found_from_a_snapshot(store: Store) -> None:
    with store.open("long") as session:
        write(session, [told(n, f"message {n}") for n in range(300)])
        write(session, [told(300, "last")])
        expected = session.run
    assert store.get_snapshot(store.read("long").id) is not None
    assert store.state("long") == store.read("long").run == expected


def test_a_snapshot_that_cannot_be_read_is_done_without(store: Store) -> None:
    with store.open("a") as session:
        write(session, [told(0)])
        store.put_snapshot(session.id, '{"seq": 0, "run": {"schema": 1')
    assert store.state("a") == store.read("a").run


def test_what_does_not_follow_is_refused(store: Store) -> None:
    session = store.open("a")
    write(session, entries_of()[:3])
    for seq in (0, 2, 4):
        with pytest.raises(SessionException, match=f"Entry {seq}"):
            session.append(told(seq), session.run)
    with pytest.raises(SessionException, match="Entry 3 is missing"):
        session.catch_up([told(4)], session.run)
    assert len(store.read("a").entries) == 3


def test_a_session_catches_up_with_an_agent_that_began_without_it(store: Store) -> None:
    one = agent("Simple", NEVER)
    one.run("1+2+3+4?")
    session = store.open("late", start=Run("crash"))
    session.catch_up(one.journal, one.state)
    one.sink = session.append
    one.add_message(Message("more", "user"))
    session.catch_up(one.journal, one.state)
    assert store.read("late").run == one.state


def test_a_session_starts_over_with_its_agent(store: Store) -> None:
    session = store.open("a")
    write(session, entries_of())
    other = store.open("a")
    session.restart(Run("crash"))
    write(session, [told(0)])
    assert len(store.read("a").entries) == 1
    with pytest.raises(SessionConflict):
        other.append(told(other.seq), other.run)


# -- names ------------------------------------------------------------------------------------------

NAMES = [
    "plain", "Plain", "PLAIN", "a/b", "a\\b", "../up", "..", ".", ".hidden", "/etc/passwd", "C:\\x", "con", "NUL",
    "com1.txt", "x" * 300, "x" * 299, "trailing ", "trailing", "trailing.", "会话", "會話", "e\u0301", "\u00e9",
    "ß", "ss", "a\0b", "a\nb", "*", "?", "[a]", "a:b", "a~b", "emoji 🚀", "\ud800", "a.json", ".lock", "journals",
    "%2e",
]  # fmt: skip


def test_any_name_is_its_own_session_and_stays_in_its_place(make: Callable[[], Store], tmp_path: Path) -> None:
    store = make()
    for n, name in enumerate(NAMES):
        with store.open(name) as session:
            write(session, [told(0, f"number {n}")])
    for n, name in enumerate(NAMES):
        assert make().read(name).run.messages[0].content == f"number {n}"
        assert make().load(name)["history"][0]["content"] == f"number {n}"
    assert sorted(one["session_name"] for one in store.list_sessions()) == sorted(NAMES)
    outside = [p for p in tmp_path.rglob("*") if p != tmp_path / "sessions" and tmp_path / "sessions" not in p.parents]
    assert outside == []
    files = [str(p.relative_to(tmp_path)).lower() for p in tmp_path.rglob("*")]
    assert len(files) == len(set(files)), "a file system that ignores case holds all of them"
    assert all(len(Path(p).name.encode()) < 200 for p in files)
    for name in NAMES:
        assert store.delete(name)
    assert store.list_sessions() == []


@CONTRACT
@given(pair=st.lists(st.text(st.characters(), min_size=1, max_size=40), min_size=2, max_size=2, unique=True))
def test_two_names_are_two_sessions(make: Callable[[], Store], pair: list[str]) -> None:
    store = make()
    for name in pair:
        store.delete(name)
    for name in pair:
        with store.open(name) as session:
            write(session, [told(0, repr(name))])
    assert [store.read(name).run.messages[0].content for name in pair] == [repr(name) for name in pair]


def test_what_is_no_name_is_refused(store: Store) -> None:
    with pytest.raises(SessionException, match="empty"):
        store.open("")
    with pytest.raises(TypeError, match="text"):
        store.open(Path("x"))  # type: ignore[arg-type]


# -- fork, list, rename, delete ---------------------------------------------------------------------


@pytest.mark.parametrize("kind", SCRIPTS)
def test_a_run_is_resumed_at_any_entry(store: Store, kind: str) -> None:
    entries = entries_of(kind)
    with store.open("whole", start=Run("crash")) as session:
        write(session, entries)
    for at in range(-1, len(entries)):
        assert store.read("whole", at).run == fold(entries[: at + 1])
        forked = store.fork("whole", f"at {at}", at)
        assert forked.forked_from == f"whole@{at}"
        if at >= 1:
            again = agent(kind, NEVER)
            session = store.open(f"at {at}")
            again.restore(session.saved.entries)
            again.sink = session.append
            assert again.resume() == "10"
            assert store.read(f"at {at}").run == again.state
    assert [dump_entry(e) for e in store.read("whole").entries] == [dump_entry(e) for e in entries]
    for at in (-2, len(entries)):
        with pytest.raises(SessionException, match="has no entry"):
            store.read("whole", at)
    with pytest.raises(SessionExists, match="whole"):
        store.fork("at 2", "whole")


def test_the_list_tells_what_there_is_latest_first(store: Store) -> None:
    assert store.list_sessions() == []
    config = {"name": "n", "llm_model": "m"}
    for name in ("old", "new"):
        with store.open(name, agent_config=config, metadata={"topic": "会话"}) as session:
            write(session, [told(0, time=4e9 if name == "new" else 3e9)])
    listed = store.list_sessions()
    assert [one["session_name"] for one in listed] == ["new", "old"]
    assert listed[0]["entries"] == 1
    assert listed[0]["agent_config"] == config
    assert listed[0]["metadata"] == {"topic": "会话"}
    assert store.load(listed[0]["filepath"])["session_id"] == listed[0]["session_id"]


def test_a_renamed_session_goes_on_for_who_has_it_open(make: Callable[[], Store]) -> None:
    store = make()
    session = store.open("old")
    write(session, [told(0)])
    store.open("taken").close()
    with pytest.raises(SessionExists):
        store.rename("old", "taken")
    with pytest.raises(SessionMissing):
        store.rename("nobody", "else")
    store.rename("old", "old")
    make().rename("old", "New/名")
    session.append(told(1), evolve(session.run, told(1).event))
    session.close()
    assert not store.exists("old")
    assert len(store.read("New/名").entries) == 2
    with pytest.raises(SessionMissing, match="old"):
        store.read("old")


def test_a_deleted_session_is_gone_for_who_has_it_open(make: Callable[[], Store]) -> None:
    store = make()
    session = store.open("a")
    write(session, [told(0)])
    assert make().delete("a")
    assert not make().delete("a")
    with pytest.raises(SessionConflict):
        session.append(told(1), session.run)
    fresh = store.open("a")
    assert fresh.seq == 0
    write(fresh, [told(0, "mine")])
    with pytest.raises(SessionConflict):
        session.flush()
    assert store.read("a").run.messages[0].content == "mine"


def test_a_session_that_is_not_there_is_missing(store: Store) -> None:
    for name in ("nobody", "sessions/nobody.json"):
        with pytest.raises(FileNotFoundError, match="nobody"):
            store.load(name)
    assert not store.exists("nobody")
    with pytest.raises(SessionMissing):
        store.state("nobody")


# -- two writers ------------------------------------------------------------------------------------


def test_two_writers_are_detected_and_not_merged(make: Callable[[], Store]) -> None:
    with make().open("shared") as session:
        write(session, [told(0)])
    a, b = make().open("shared"), make().open("shared")
    write(a, [told(1, "from a")])
    for _ in range(2):
        with pytest.raises(SessionConflict, match="somebody else"):
            b.append(told(b.seq, "from b"), b.run)
    # Equal events at equal times are two writers all the same.
    c = make().open("shared")
    write(a, [told(2, "same")])
    with pytest.raises(SessionConflict):
        c.append(told(2, "same"), c.run)
    assert [m.content for m in make().read("shared").run.messages] == ["hello", "from a", "same"]


def test_many_writers_at_once_leave_one_history(make: Callable[[], Store]) -> None:
    make().open("race").close()
    won: list[str] = []
    barrier = threading.Barrier(6)

    def work(name: str) -> None:
        session = make().open("race")
        barrier.wait()
        try:
            for n in range(20):
                session.append(told(n, f"{name} {n}"), session.run)
                won.append(f"{name} {n}")
        except SessionConflict:
            pass

    threads = [threading.Thread(target=work, args=(str(n),)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    written = [m.content for m in make().read("race").run.messages]
    assert sorted(written) == sorted(won)
    assert written[0] is not None
    assert make().read("race").repairs == ()


def test_only_one_of_many_makes_the_session(make: Callable[[], Store]) -> None:
    ids: list[str] = []
    threads = [threading.Thread(target=lambda: ids.append(make().open("new").id)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ids) == 8
    assert len(set(ids)) == 1


def test_saving_over_a_session_that_went_on_is_a_conflict(store: Store) -> None:
    one = agent("Simple", NEVER)
    one.run("1+2+3+4?")
    start = Run("crash")
    config, tools = describe_agent(one), tool_schema_hash(one.tools(one.state).schemas())
    store.save_journal("s", one.journal[:4], start, agent_config=config)
    store.save_journal("s", one.journal, start, agent_config=config, tool_schema_hash=tools)
    store.save_journal("s", one.journal, start, agent_config=config, tool_schema_hash=tools)
    saved = store.read("s")
    assert saved.run == one.state
    assert saved.tool_schema_hash == tools
    assert saved.changes(config, tools) == ()

    two = agent("Simple", NEVER)
    two.restore(one.journal[:4])
    two.resume()
    with pytest.raises(SessionConflict):
        store.save_journal("s", two.journal, start)
    assert store.read("s").run == one.state

    three = agent("Simple", NEVER)
    three.run("another conversation")
    store.save_journal("s", three.journal, start)
    assert store.read("s").run == three.state, "an unrelated conversation of that name is replaced, as the caller wants"


# -- what changed -----------------------------------------------------------------------------------


def test_what_changed_is_told(store: Store) -> None:
    one = agent("Simple", NEVER)
    config, tools = describe_agent(one), tool_schema_hash(one.tools(one.state).schemas())
    store.open("a", agent_config=config, tool_schema_hash=tools).close()
    saved = store.read("a")
    assert saved.changes(config, tools) == ()
    assert saved.agent_config["llm_model"] == "Deadly"
    changed = {**config, "llm_model": "other", "max_steps": 99}
    assert store.check_config_consistency(dict(saved.agent_config), config) == {"consistent": True, "warnings": []}
    report = store.check_config_consistency(dict(saved.agent_config), changed)
    assert not report["consistent"]
    assert [w.split()[0] for w in report["warnings"]] == ["llm_model", "max_steps"]
    assert store.check_tool_schema_consistency(tools, tools)["consistent"]
    assert not store.check_tool_schema_consistency(tools, "0" * 16)["consistent"]
    assert store.check_tool_schema_consistency("", tools)["consistent"], "what was not recorded is not compared"
    assert len(saved.changes(changed, "0" * 16)) == 3


def test_the_hash_of_tools_ignores_order_and_sees_changes() -> None:
    a = {"function": {"name": "a", "parameters": {"x": 1, "y": 2}}}
    b = {"function": {"name": "b"}}
    assert tool_schema_hash([a, b]) == tool_schema_hash(
        [b, {"function": {"parameters": {"y": 2, "x": 1}, "name": "a"}}]
    )
    assert len({tool_schema_hash(one) for one in ([], [a], [b], [a, b], [a, a])}) == 5


def test_an_export_is_masked_and_what_is_stored_is_exact(store: Store) -> None:
    key = "sk-abcdef1234567890abcdef"
    with store.open("a") as session:
        write(session, [told(0, f"my key is {key}, and 北京的秘密口令")])
        write(session, [Entry(1, "", 1.0, Noted("api_key", {"password": "p"}))])
    saved = store.read("a")
    assert key in (saved.run.messages[0].content or "")
    out = saved.export("北京的秘密口令")
    assert key not in out
    assert "北京的秘密口令" not in out
    assert [json.loads(line)["seq"] for line in out.splitlines()] == [0, 1]
    assert '"password": "***"' in out


# -- closing ----------------------------------------------------------------------------------------


def test_everything_after_close_fails_alike(store: Store) -> None:
    session = store.open("a")
    write(session, [told(0)])
    session.close()
    session.close()
    for use in (
        lambda: session.append(told(1), session.run),
        session.flush,
        session.snapshot,
        lambda: session.catch_up([], session.run),
        lambda: session.restart(Run("a")),
    ):
        with pytest.raises(SessionClosed, match="closed"):
            use()
    other = store.open("b")
    store.close()
    store.close()
    other.close()
    for use in (
        lambda: store.open("a"),
        lambda: store.read("a"),
        lambda: store.state("a"),
        lambda: store.exists("a"),
        lambda: store.fork("a", "c"),
        lambda: store.rename("a", "c"),
        lambda: store.delete("a"),
        lambda: store.load("a"),
        lambda: store.save({}, [], "", {}, {}),
        lambda: store.save_journal("a", [], Run("a")),
        store.list_sessions,
        lambda: other.append(told(0), other.run),
        lambda: store.__enter__().open("a"),
    ):
        with pytest.raises(SessionClosed, match="closed"):
            use()


def test_constructing_touches_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    MemorySessionStore().close()
    SessionStore().close()
    RedisSessionStore(port=1).close()
    RedisSessionStore("localhost", 6379, 0).close()
    SessionStore("x").list_sessions()
    assert SessionStore("x").exists("a") is False
    assert list(tmp_path.iterdir()) == []


# -- when things go wrong ---------------------------------------------------------------------------


@pytest.mark.parametrize("arrived", [False, True])
@pytest.mark.parametrize("kind", SCRIPTS)
def test_a_store_that_fails_once_parks_the_run_and_loses_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch, kind: str, arrived: bool
) -> None:
    """Whether or not what was written before the error had arrived."""
    whole = agent(kind, NEVER)
    whole.run("1+2+3+4?")
    write_lines = store.append_lines
    for at in range(2, len(whole.journal)):
        calls = iter(range(1000))

        def faulty(*args: Any, calls: Iterator[int] = calls, at: int = at) -> int:
            if next(calls) == at:
                if arrived:
                    write_lines(*args)
                raise SessionUnavailable("gone")
            return write_lines(*args)

        monkeypatch.setattr(store, "append_lines", faulty)
        one = agent(kind, NEVER)
        session = store.open(f"fails at {at}", start=Run("crash"))
        one.sink = session.append
        with pytest.raises(SessionUnavailable):
            one.run("1+2+3+4?")
        assert session.unwritten == 1
        session.catch_up(one.journal, one.state)
        assert one.resume() == "10"
        saved = store.read(f"fails at {at}")
        assert saved.run == one.state
        assert saved.repairs == ()
        answers = [e.event.message.answers for e in saved.entries if isinstance(e.event, Returned)]
        assert len(answers) == len(set(answers))


def test_a_doubtful_line_is_not_mistaken_for_another_writers(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    session = store.open("a")
    write_lines = store.append_lines

    def lost(*args: Any) -> int:
        raise SessionUnavailable("gone")

    monkeypatch.setattr(store, "append_lines", lost)
    with pytest.raises(SessionUnavailable):
        session.append(told(0, "mine"), session.run)
    with pytest.raises(SessionUnavailable):
        session.close()
    monkeypatch.setattr(store, "append_lines", write_lines)
    other = store.open("a")
    write(other, [told(0, "theirs")])
    with pytest.raises(SessionConflict):
        session.flush()
    assert [m.content for m in store.read("a").run.messages] == ["theirs"]


def test_closing_writes_what_was_left(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with store.open("a") as session:
        with monkeypatch.context() as patch:
            patch.setattr(store, "append_lines", lambda *args: (_ for _ in ()).throw(SessionUnavailable("gone")))
            with pytest.raises(SessionUnavailable):
                session.append(told(0), evolve(session.run, told(0).event))
            with pytest.raises(SessionUnavailable):
                session.append(told(1), evolve(session.run, told(1).event))
        assert session.unwritten == 2
    assert len(store.read("a").entries) == 2


def damage(store: Store, id: str, change: Callable[[list[str]], list[str]]) -> None:
    """Changes the stored lines behind the store's back."""
    match store:
        case MemorySessionStore():
            store._kept[id].lines[:] = change(store._kept[id].lines)
        case SessionStore():
            path = store.session_dir / "journals" / f"{id}.jsonl"
            path.write_text("".join(line + "\n" for line in change(path.read_text("utf-8").splitlines())), "utf-8")
        case RedisSessionStore():
            client = store._connected()
            key = store._key("journal", id)
            lines = [line.decode() for line in client.lrange(key, 0, -1)]
            client.delete(key)
            client.rpush(key, *change(lines))
        case _:
            raise AssertionError(store)


DAMAGES: dict[str, tuple[Callable[[list[str]], list[str]], int]] = {
    "the last line is cut off": (lambda lines: [*lines[:-1], lines[-1][:-9]], 7),
    "a line in the middle is garbage": (lambda lines: [*lines[:3], "\0\0\0", *lines[4:]], 3),
    "a line is missing": (lambda lines: lines[:2] + lines[3:], 2),
    "a line is doubled": (lambda lines: [*lines[:4], lines[3], *lines[4:]], 4),
    "two lines are swapped": (lambda lines: [lines[1], lines[0], *lines[2:]], 0),
    "an entry is of a frame that is not there": (
        lambda lines: [*lines[:5], lines[5].replace('"frame":""', '"frame":"x"'), *lines[6:]],
        5,
    ),
    "an event is of no known kind": (lambda lines: [*lines[:6], lines[6].replace('"kind":"', '"kind":"x')], 6),
}


@pytest.mark.parametrize("what", DAMAGES)
def test_damage_is_repaired_and_told(make: Callable[[], Store], what: str) -> None:
    change, left = DAMAGES[what]
    store = make()
    entries = entries_of()[:8]
    session = store.open("a", start=Run("crash"))
    write(session, entries)
    damage(store, session.id, change)
    saved = store.read("a")
    assert list(saved.entries) == entries[:left]
    assert len(saved.repairs) == 1
    assert store.read("a").repairs == saved.repairs, "reading repairs nothing"
    assert store.list_sessions()[0]["session_name"] == "a"
    assert store.state("a") == saved.run

    repaired = make().open("a")
    assert repaired.saved.repairs == saved.repairs
    write(repaired, entries[left:])
    repaired.close()
    assert list(make().read("a").entries) == entries
    assert make().read("a").repairs == ()
    with pytest.raises(SessionConflict):
        session.append(told(session.seq), session.run)


def test_damage_before_a_snapshot_costs_no_message(make: Callable[[], Store]) -> None:
    store = make()
    session = store.open("a", start=Run("crash"))
    entries = entries_of()
    write(session, entries[:7])
    session.snapshot()
    write(session, entries[7:])
    damage(store, session.id, lambda lines: [*lines[:2], "?", *lines[3:]])
    opened = make().open("a")
    assert opened.run == fold(entries)
    assert opened.seq == len(entries) - 7
    again = agent("Simple", NEVER)
    again.state = opened.saved.start
    opened.append(told(opened.seq, "more"), evolve(opened.run, told(0, "more").event))
    saved = make().read("a")
    assert saved.repairs == ()
    assert saved.run.messages[-1].content == "more"
    assert len(saved.run.messages) == len(fold(entries).messages) + 1


def test_the_state_does_not_pass_over_what_is_damaged_since_the_snapshot(make: Callable[[], Store]) -> None:
    store = make()
    session = store.open("a", start=Run("crash"))
    entries = entries_of()
    write(session, entries[:4])
    session.snapshot()
    write(session, entries[4:])
    damage(store, session.id, lambda lines: [*lines[:6], "?", *lines[7:]])
    assert make().state("a") == make().read("a").run == fold(entries[:6])


@pytest.mark.parametrize("snapshot", [False, True])
def test_a_journal_that_is_lost_is_told_and_what_a_snapshot_has_is_kept(
    make: Callable[[], Store], snapshot: bool
) -> None:
    store = make()
    session = store.open("a", start=Run("crash"))
    entries = entries_of()
    write(session, entries)
    if snapshot:
        session.snapshot()
    kept = store.get_snapshot(session.id)
    lose(store, session.id)
    saved = make().read("a")
    assert saved.repairs[0] == "The journal is not there."
    assert saved.run == (fold(entries) if snapshot and kept and store.get_snapshot(session.id) else Run("crash"))
    assert make().open("a").run == saved.run
    assert make().read("a").repairs == ()


def lose(store: Store, id: str) -> None:
    """Takes the journal away behind the store's back, and leaves the snapshot where it can be without it."""
    match store:
        case MemorySessionStore():
            del store._kept[id]
        case SessionStore():
            (store.session_dir / "journals" / f"{id}.jsonl").unlink()
        case RedisSessionStore():
            store._connected().delete(store._key("id", id), store._key("journal", id))
        case _:
            raise AssertionError(store)


@pytest.mark.parametrize("then", ["deleted", "replaced"])
def test_a_session_that_goes_while_it_is_read_is_missing_or_the_new_one(
    make: Callable[[], Store], monkeypatch: pytest.MonkeyPatch, then: str
) -> None:
    store, other = make(), make()
    write(store.open("a", start=Run("crash")), entries_of())
    stored = store.stored
    asked: list[str] = []

    def late(id: str, settled: bool) -> Any:
        asked.append(id)
        if len(asked) == 1:
            monkeypatch.setattr(store, "stored", stored)
            assert other.delete("a")
            if then == "replaced":
                other.open("a", start=Run("new"))
        return stored(id, settled)

    monkeypatch.setattr(store, "stored", late)
    if then == "deleted":
        with pytest.raises(SessionMissing):
            store.read("a")
    else:
        assert store.read("a").run == Run("new")


def test_of_two_who_write_one_name_the_later_is_told(
    make: Callable[[], Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, other = make(), make()

    def just_before(name: str) -> bool:
        other.open(name, start=Run("first"))
        return False

    with monkeypatch.context() as at_once:
        at_once.setattr(store, "exists", just_before)
        with pytest.raises(SessionConflict):
            store.save_journal("a", entries_of(), Run("crash"))
    assert store.read("a").run == Run("first")
    session = store.open("a")
    assert other.delete("a")
    other.open("a", start=Run("second"))
    with pytest.raises(SessionConflict):
        session.restart(Run("third"))
    assert store.read("a").run == Run("second")


def test_what_is_asked_of_another_session_under_the_key_is_not_done(make: Callable[[], Store]) -> None:
    store = make()
    session = store.open("a", start=Run("crash"))
    head = store.get_head("a") or ""
    assert not store.put_head("a", "another", head.replace("crash", "other"))
    assert not store.move("a", "b", "another", head)
    assert not store.remove("a", "another")
    assert store.stored("another", False) is None
    assert store.lines_from("another", 0) is None
    store.put_snapshot("another", "{}")
    assert store.get_snapshot("another") is None
    assert (store.get_head("a"), store.read("a").id) == (head, session.id)


def test_a_newer_form_is_refused_and_not_repaired_away(make: Callable[[], Store]) -> None:
    store = make()
    session = store.open("a")
    write(session, entries_of()[:4])
    damage(store, session.id, lambda lines: [*lines[:2], lines[2].replace('"schema":1', '"schema":99'), lines[3]])
    for use in (store.read, store.open):
        with pytest.raises(SessionDamaged, match="99"):
            use("a")
    damage(store, session.id, lambda lines: [*lines[:2], lines[2].replace('"schema":99', '"schema":1'), lines[3]])
    assert len(store.read("a").entries) == 4


def test_a_damaged_head_is_listed_and_can_be_deleted(store: Store) -> None:
    session = store.open("a")
    head = store.get_head("a") or ""
    for broken in (head[:5], "[]", head.replace(session.id, session.id)[:-20], ""):
        assert store.put_head("a", session.id, broken) or isinstance(store, MemorySessionStore | SessionStore)
        if store.get_head("a") != broken:
            continue
        with pytest.raises(SessionDamaged, match="'a'"):
            store.read("a")
        assert "fault" in store.list_sessions()[0]
        break
    assert store.delete("a")
    assert store.list_sessions() == []


def test_a_session_put_under_another_name_by_hand_is_noticed(make: Callable[[], Store]) -> None:
    store = make()
    mine, theirs = store.open("mine"), store.open("theirs")
    store.put_head("mine", mine.id, (store.get_head("theirs") or "").replace(theirs.id, mine.id))
    for use in (store.read, store.open, store.load, store.state):
        with pytest.raises(SessionDamaged, match="'theirs'"):
            use("mine")


# -- files ------------------------------------------------------------------------------------------


def test_files_are_utf8_and_readable(tmp_path: Path) -> None:
    store = SessionStore(tmp_path)
    place = store.save({"name": "a"}, [Message("北京 🚀", "user")], "", {}, {}, "holiday")
    assert Path(place) == tmp_path / "holiday.json"
    assert "北京 🚀" in Path(place).read_text(encoding="utf-8")
    with store.open("holiday") as session:
        write(session, [told(0, "会话")])
    assert "会话" in (tmp_path / "journals" / f"{session.id}.jsonl").read_text(encoding="utf-8")
    assert SessionStore("elsewhere").load(place)["history"][0]["content"] == "北京 🚀"
    assert SessionStore(tmp_path).load("memory/sessions/holiday.json")["session_name"] == "holiday"


def test_a_file_of_the_tutorials_framework_can_be_loaded(tmp_path: Path) -> None:
    old = {"session_id": "s", "agent_config": {}, "history": [{"role": "user", "content": "你好"}]}
    path = tmp_path / "old.json"
    path.write_text(json.dumps(old), encoding="utf-8")
    assert SessionStore(tmp_path / "x").load(str(path)) == old
    assert "fault" in SessionStore(tmp_path).list_sessions()[0]


def test_bytes_that_are_no_utf8_are_damage(tmp_path: Path) -> None:
    store = SessionStore(tmp_path)
    session = store.open("a")
    write(session, entries_of()[:4])
    path = tmp_path / "journals" / f"{session.id}.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    broken = b"".join([*lines[:2], lines[2].replace(b"role", b"r\xff\xfele"), lines[3]])
    path.write_bytes(broken)
    assert len(store.open("a").saved.entries) == 2
    assert (tmp_path / "journals" / f"{session.id}.damaged").read_bytes() == broken


def test_a_last_line_without_its_break_is_kept(tmp_path: Path) -> None:
    store = SessionStore(tmp_path)
    entries = entries_of()
    session = store.open("a", start=Run("crash"))
    write(session, entries[:5])
    path = tmp_path / "journals" / f"{session.id}.jsonl"
    written = path.read_bytes()
    for cut in (0, 1, 2, 20, len(written.splitlines()[-1]) + 1):
        path = tmp_path / "journals" / f"{store.read('a').id}.jsonl"
        path.write_bytes(written[: len(written) - cut])
        opened = store.open("a")
        whole = 5 if cut < 2 else 4
        assert list(opened.saved.entries) == entries[:whole]
        assert bool(opened.saved.repairs) == (0 < cut < 100)
        write(opened, entries[whole:])
        assert list(store.read("a").entries) == entries


def test_a_full_disk_parks_the_run_and_it_goes_on_when_there_is_room(tmp_path: Path) -> None:
    whole = agent("Simple", NEVER)
    whole.run("1+2+3+4?")
    size = sum(len(dump_entry(entry).encode()) + 1 for entry in whole.journal)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    for n, room in enumerate(range(size // 3, size - 20, size // 7)):
        store = SessionStore(tmp_path / str(n))
        one = agent("Simple", NEVER)
        session = store.open("a", start=Run("crash"))
        one.sink = session.append
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
        try:
            with pytest.raises(SessionUnavailable, match="Make room"):
                one.run("1+2+3+4?")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        saved = store.read("a")
        assert saved.repairs == ()
        assert list(saved.entries) == one.journal[:-1], "all but the last are there, and nothing half-written"
        session.catch_up(one.journal, one.state)
        assert one.resume() == "10"
        assert store.read("a").run == one.state


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(SessionUnavailable, match="file"):
        SessionStore(tmp_path / "file" / "sessions").open("a")


def test_a_rename_that_dies_in_between_leaves_one_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hello_agents.core import session_files

    class Died(BaseException):
        pass

    write_file = session_files.write_whole
    for dies_at in range(3):
        store = SessionStore(tmp_path / str(dies_at))
        with store.open("old") as session:
            write(session, [told(0)])
        done = iter(range(10))

        def dying(path: Path, data: bytes, done: Iterator[int] = done, dies_at: int = dies_at) -> None:
            if next(done) == dies_at:
                raise Died
            write_file(path, data)

        monkeypatch.setattr(session_files, "write_whole", dying)
        if dies_at < 2:
            with pytest.raises(Died):
                store.rename("old", "New!")
        else:
            store.rename("old", "New!")
        monkeypatch.setattr(session_files, "write_whole", write_file)
        (listed,) = store.list_sessions()
        name = listed["session_name"]
        assert name == ("old" if dies_at == 0 else "New!")
        assert len(store.read(name).entries) == 1


# -- processes that are killed ------------------------------------------------------------------------


def kinds_of_place(server: RedisServer, folder: Path) -> dict[str, str]:
    return {"files": str(folder / "sessions"), "redis": f"{server.url}#{uuid4().hex}"}


@pytest.mark.parametrize("where", ["files", "redis"])
@pytest.mark.parametrize("kind", SCRIPTS)
def test_a_killed_process_resumes_to_the_same_end(kind: str, where: str, server: RedisServer, tmp_path: Path) -> None:
    from core.crashing_store import open_store

    whole = agent(kind, NEVER)
    whole.run("1+2+3+4?")
    place = kinds_of_place(server, tmp_path)[where]
    done = subprocess.run(
        [sys.executable, "-m", "core.crashing_store", kind, place, str(len(whole.journal))],
        cwd=ROOT / "tests",
        env=os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}:{os.environ.get('PYTHONPATH', '')}"},
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    statuses = json.loads(done.stdout)
    assert statuses == [-signal.SIGKILL] * len(whole.journal)
    store = open_store(place)
    for seq in range(len(whole.journal)):
        session = store.open(f"killed at {seq}")
        assert session.seq == seq + 1, "the entry after which it died is there"
        assert session.saved.repairs == ()
        again = agent(kind, NEVER)
        again.restore(session.saved.entries)
        again.sink = session.append
        if seq == 0:
            continue  # Only the system prompt is there, and no question.
        assert again.resume() == "10"
        lost = {e.event.call_id for e in session.saved.entries if isinstance(e.event, Began)} - {
            e.event.message.answers for e in session.saved.entries if isinstance(e.event, Returned)
        }
        for message, other in zip(again.state.messages, whole.state.messages, strict=False):
            assert message == other or message.answers in lost
        assert store.read(f"killed at {seq}").run == again.state


# -- Redis ------------------------------------------------------------------------------------------


def test_redis_gone_and_back_loses_nothing(tmp_path: Path) -> None:
    with RedisServer(tmp_path) as own:
        store = RedisSessionStore(url=own.url)
        one = agent("ReAct", NEVER)
        session = store.open("a", start=Run("crash"))
        one.sink = session.append
        told_of: list[int] = []

        def pull_the_plug(entry: Entry, run: Run) -> None:
            told_of.append(entry.seq)
            if entry.seq == 5:
                own.kill()

        one.subscribers.append(pull_the_plug)
        with pytest.raises(SessionUnavailable, match=str(own.port)):
            one.run("1+2+3+4?")
        assert one.state.outcome is None
        with pytest.raises(SessionUnavailable):
            store.list_sessions()
        own.start()
        session.catch_up(one.journal, one.state)
        assert one.resume() == "10"
        assert store.read("a").run == one.state
        assert list(RedisSessionStore(port=own.port).read("a").entries) == one.journal


def test_a_connection_that_was_idle_for_too_long_is_made_again(server: RedisServer) -> None:
    from redis import Redis

    store = RedisSessionStore(url=server.url, namespace=uuid4().hex)
    session = store.open("a")
    with Redis.from_url(server.url) as other:
        for n in range(4):
            other.execute_command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
            write(session, [told(n)])
    assert len(store.read("a").entries) == 4


def test_time_to_live_counts_from_the_last_entry(server: RedisServer) -> None:
    store = RedisSessionStore("127.0.0.1", server.port, 0, ttl=3600, namespace=uuid4().hex)
    session = store.open("a")
    write(session, [told(0)])
    session.snapshot()
    client = store._connected()
    keys = client.keys(store.space + "*")
    assert len(keys) == 4
    for key in keys:
        assert 3_500_000 < client.pttl(key) <= 3_600_000
        client.pexpire(key, 1_000_000)
    write(session, [told(1)])
    store.rename("a", "b")
    assert all(client.pttl(key) > 3_500_000 for key in client.keys(store.space + "*"))
    for key in client.keys(store.space + "*"):
        client.pexpire(key, 0)
    with pytest.raises(SessionConflict):
        session.append(told(2), session.run)
    assert not store.exists("b")
    assert store.open("b").seq == 0


def test_a_session_that_goes_while_all_are_listed_is_left_out(
    server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = RedisSessionStore(url=server.url, namespace=uuid4().hex)
    for name in ("a", "b", "c"):
        store.open(name)
    get_head = store.get_head

    def late(key: str) -> str | None:
        if key == "b":
            store._connected().delete(store._key("head", "b"))
        return get_head(key)

    monkeypatch.setattr(store, "get_head", late)
    assert sorted(one["session_name"] for one in store.list_sessions()) == ["a", "c"]


def test_namespaces_share_a_server(server: RedisServer) -> None:
    stores = [RedisSessionStore(url=server.url, namespace=name) for name in ("a*b", "a?b", "axb", "a[x]b")]
    for store in stores:
        store.open(repr(store.space)).close()
    for store in stores:
        assert [one["session_name"] for one in store.list_sessions()] == [repr(store.space)]


def test_a_password_is_in_no_text() -> None:
    store = RedisSessionStore(url="redis://me:pa55word-secret@127.0.0.1:1/0")
    with pytest.raises(SessionUnavailable) as caught:
        store.list_sessions()
    assert "pa55word" not in str(caught.value) + repr(store)
    with pytest.raises(Exception, match="ttl=0"):
        RedisSessionStore(ttl=0)


def test_a_missing_client_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "redis", None)
    with pytest.raises(Exception, match=r"hello-agents-book\[redis\]"):
        RedisSessionStore().list_sessions()


def test_a_start_with_messages_is_no_agent_journal() -> None:
    store = MemorySessionStore()
    store.save({"name": "bot"}, [{"role": "user", "content": "hi"}], "", {}, {}, "s")
    saved = store.read("s")
    assert saved.start == Run("bot", Messages([Message("hi", "user")]))
    assert saved.entries == ()
    assert store.save({}, [], "", {}, {}).startswith("s-")
