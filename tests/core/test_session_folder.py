"""A folder of sessions: what is in the way, missing, half-written or from elsewhere is said, and nothing is lost."""

from __future__ import annotations

import errno
import io
import json
from pathlib import Path
from typing import Any

import pytest

from hello_agents import Message, ScriptedLLM, SimpleAgent
from hello_agents.core import session_files
from hello_agents.core.session_store import (
    SessionConflict,
    SessionDamaged,
    SessionException,
    SessionMissing,
    SessionStore,
    SessionUnavailable,
)


def talked(*replies: str) -> SimpleAgent:
    agent = SimpleAgent("a", ScriptedLLM(*replies))
    for number in range(len(replies)):
        agent.run(f"question {number}")
    return agent


def written(store: SessionStore, name: str = "s") -> Path:
    """A session of one turn, and its journal."""
    agent = talked("hi")
    agent.session_store = store
    agent.save_session(name)
    return store.session_dir / "journals" / f"{store.read(name).id}.jsonl"


@pytest.mark.parametrize("at", ["", "journals"])
def test_a_file_where_a_folder_should_be_is_said(at: str, tmp_path: Path) -> None:
    place = tmp_path / "sessions"
    if at:
        place.mkdir()
    (place / at if at else place).write_text("in the way", encoding="utf-8")
    agent = talked("hi")
    agent.session_store = SessionStore(place)
    with pytest.raises(SessionUnavailable, match="Make room or give access"):
        agent.save_session("s")


def test_a_folder_where_a_file_should_be_is_said(tmp_path: Path) -> None:
    store = SessionStore(tmp_path)
    journal = written(store)
    head = Path(store.location("s"))
    (tmp_path / "t.json").mkdir()
    with pytest.raises(SessionUnavailable):
        store.read("t")
    journal.unlink()
    journal.mkdir()
    with pytest.raises(SessionUnavailable):
        store.read("s")
    assert head.is_file()


@pytest.mark.parametrize("lost", ["removed", "replaced", "longer", "shorter"])
def test_who_has_a_session_open_notices_what_others_did_to_its_journal(lost: str, tmp_path: Path) -> None:
    store = SessionStore(tmp_path)
    journal = written(store)
    agent = talked("more")
    session = store.open("s")
    match lost:
        case "removed":
            journal.unlink()
        case "replaced":
            written(store)
            store.delete("s")
            written(store)
        case "longer":
            with journal.open("a", encoding="utf-8") as file:
                file.write("x\n")
        case _:
            journal.write_bytes(journal.read_bytes()[:-9])
    agent.restore(session.saved.entries)
    with pytest.raises(SessionConflict):
        session.append(talked("hi", "again").journal[session.seq], session.run)


def test_a_write_that_fails_half_way_leaves_the_journal_as_it_was() -> None:
    class Disk(io.BytesIO):
        """A file on a disk that is full after so many bytes."""

        room = 4

        def write(self, data: Any) -> int:
            if not self.room:
                raise OSError(errno.ENOSPC, "No space left on device")
            part = bytes(data)[: self.room]
            self.room -= len(part)
            return super().write(part)

    disk = Disk(b"before")
    with pytest.raises(OSError, match="No space"):
        session_files._append(disk, 6, b"abcdefgh")
    assert disk.getvalue() == b"before"
    disk.room = 3
    with pytest.raises(OSError, match="No space"):
        session_files._append(disk, 6, b"abcdefgh")
    disk.room = 8
    session_files._append(disk, 6, b"abcdefgh")
    assert disk.getvalue() == b"beforeabcdefgh"


@pytest.mark.parametrize(
    ("tail", "ours"), [(b"ab", True), (b"abcd", True), (b"abcde", False), (b"x", False), (b"", False)]
)
def test_the_beginning_of_what_was_to_be_written_is_known_again(tail: bytes, ours: bool) -> None:
    assert session_files._begins_with_ours(io.BytesIO(b"...." + tail), 4, b"abcd") is ours


def test_bytes_that_are_no_text_damage_one_line_only(tmp_path: Path) -> None:
    store = SessionStore(tmp_path)
    journal = written(store)
    whole = store.read("s").entries
    journal.write_bytes(journal.read_bytes() + b"\xff\xfe\n")
    saved = store.read("s")
    assert saved.entries == whole
    assert saved.repairs


def test_a_session_of_another_folder_is_followed_by_its_path(tmp_path: Path) -> None:
    other = SessionStore(tmp_path / "other")
    written(other, "there")
    store = SessionStore(tmp_path / "own")
    loaded = store.load(other.location("there"))
    assert loaded["session_name"] == "there"
    assert [message["content"] for message in loaded["history"]] == ["question 0", "hi"]


def test_a_file_of_the_tutorials_framework_is_given_back_as_it_is(tmp_path: Path) -> None:
    old = {"session_id": "x", "history": [{"role": "user", "content": "你好"}]}
    (tmp_path / "old.json").write_text(json.dumps(old), encoding="utf-8")
    assert SessionStore(tmp_path / "own").load(str(tmp_path / "old.json")) == old
    (tmp_path / "other.json").write_text("[1]", encoding="utf-8")
    with pytest.raises(SessionMissing):
        SessionStore(tmp_path / "own").load(str(tmp_path / "other.json"))


def test_heads_that_cannot_be_read_are_listed_with_their_fault_and_can_be_removed(tmp_path: Path) -> None:
    store = SessionStore(tmp_path)
    written(store)
    (tmp_path / "broken.json").write_text("{", encoding="utf-8")
    (tmp_path / "gone.json").symlink_to(tmp_path / "nowhere")
    assert [one["session_name"] for one in store.list_sessions()] == ["s", "broken"]
    assert store.delete("broken")
    assert not store.delete("broken")
    assert [one["session_name"] for one in store.list_sessions()] == ["s"]


def test_nothing_is_changed_under_a_key_that_another_session_has_taken(tmp_path: Path) -> None:
    store = SessionStore(tmp_path)
    written(store)
    id = store.read("s").id
    head = store.get_head("s")
    assert head is not None
    assert store.put("s", "other", head, [], "not this", False) is None
    assert not store.put_head("s", "not this", head)
    assert not store.move("s", "t", "not this", head)
    assert not store.remove("s", "not this")
    assert store.read("s").id == id
    store.put_snapshot("nobody", "{}")
    assert store.get_snapshot("nobody") is None


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    store = SessionStore(tmp_path)
    assert repr(store) == f"SessionStore({str(tmp_path)!r})"
    with store:
        store.save({}, [Message("x", "user")], "", {}, {}, "s")
    with pytest.raises(SessionException, match="closed"):
        store.read("s")


def test_a_journal_that_is_removed_while_it_is_opened_is_a_conflict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SessionStore(tmp_path)
    journal = written(store)
    session = store.open("s")
    lock = session_files._lock

    def late(file: Any) -> None:
        journal.unlink(missing_ok=True)
        lock(file)

    monkeypatch.setattr(session_files, "_lock", late)
    agent = talked("more", "again")
    with pytest.raises(SessionConflict):
        session.append(agent.journal[session.seq], session.run)
    assert not journal.exists()


def test_what_somebody_raises_who_is_alone_in_the_folder_stays_what_it_is(tmp_path: Path) -> None:
    store = SessionStore(tmp_path)
    for error in (SessionMissing("nobody"), ValueError("a fault")):
        with pytest.raises(type(error)) as caught, store.alone():
            raise error
        assert caught.value is error
    with pytest.raises(SessionUnavailable, match="No space"), store.alone():
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_head_of_a_newer_form_is_refused(tmp_path: Path) -> None:
    store = SessionStore(tmp_path)
    written(store)
    head = Path(store.location("s"))
    data = json.loads(head.read_bytes())
    for schema in (data["schema"] + 1, "1", None):
        head.write_text(json.dumps(data | {"schema": schema}), encoding="utf-8")
        with pytest.raises(SessionDamaged, match="Update the package"):
            store.read("s")
        assert store.list_sessions()[0]["fault"]
    head.write_text(json.dumps(data), encoding="utf-8")
    assert store.read("s").run.answer == "hi"
