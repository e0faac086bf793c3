"""Sessions: a journal kept under a name, and the one behaviour that every store of them has.

A store of this module's kind differs from another only in where it puts four things: the *head* of a session (its
name, who wrote it, what the journal starts from), its journal, its last snapshot, and journals that were found damaged.
The head is found by the session's name, the rest by an id that no other session ever has; so a writer notices when the
session was deleted or replaced under it.

A store keeps the exact journal, since a run is to go on from it: whatever a tool or a person said is in there, keys
included. What leaves it for other eyes (`SavedSession.export`, a trace) is masked.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from types import TracebackType
from typing import Any, NamedTuple, Self

from .journal import dump_entry
from .message import Message, Messages
from .run import Entry, Run
from .session_form import (
    SavedSession,
    SessionClosed,
    SessionDamaged,
    SessionException,
    SessionUnavailable,
    common_entries,
    config_changes,
    cut,
    fold,
    fresh_id,
    head_of,
    id_in,
    key_of,
    lines_of,
    missing,
    new_session,
    overtaken,
    parse,
    read_head,
    saved_at,
    snapshot_of,
    start_of,
    taken,
    to_json,
    tool_changes,
    utc_now,
)

_EVERY = 64
"""Entries after which a snapshot is made at the earliest. In a long session they lie further apart, so that
snapshots cost the same however long it gets."""


class Stored(NamedTuple):
    """A journal as a store holds it."""

    lines: list[str]
    mark: int
    """Where the next line goes. What it counts is the store's own affair."""
    whole: bool = True
    """Whether the last line ends with a line break, as it must for another to follow."""


class Session:
    """An open session: `append` is a sink for an agent.

    An entry that could not be written is kept, and goes in with the next one, or with `flush()`.
    """

    def __init__(self, store: Store, saved: SavedSession, mark: int) -> None:
        self.store = store
        self._closed = False
        self.bind(saved, mark)

    def bind(self, saved: SavedSession, mark: int) -> None:
        """For the store: this is what the session holds now, and where it goes on."""
        self.saved = saved
        """The session as it was when it was opened."""
        self.name = saved.name
        self.id = saved.id
        self.seq = len(saved.entries)
        """The number of the next entry."""
        self.run = saved.run
        """The run after the last entry."""
        self._mark = mark
        self._kept: list[str] = []
        self._doubtful = False
        self._snapshot_at = self.seq

    @property
    def unwritten(self) -> int:
        """How many entries wait to be written."""
        return len(self._kept)

    def append(self, entry: Entry, run: Run) -> None:
        """Writes the entry that has just happened, `run` being the run after it.

        Raises `SessionConflict` when somebody else wrote meanwhile, `SessionUnavailable` when it cannot be written now,
        `SessionException` when it is not the next entry of this session.
        """
        self._check()
        if entry.seq != self.seq:
            raise SessionException(
                f"Entry {entry.seq} does not follow on what the session {self.name!r} has: entry {self.seq} does. "
                "Restore the agent from the session, `catch_up` with its journal, or `restart` the session."
            )
        self._take(entry, run)
        self.flush()

    def catch_up(self, entries: Sequence[Entry], run: Run) -> None:
        """Writes what an agent's journal has and the session has not; what it kept unwritten, too.

        Raises as `append` does.
        """
        self._check()
        for entry in entries:
            if entry.seq >= self.seq:
                if entry.seq > self.seq:
                    raise SessionException(
                        f"Entry {self.seq} is missing in what the session {self.name!r} is to catch up with. "
                        "Pass the whole journal."
                    )
                self._take(entry, run)
        self.flush()

    def flush(self) -> None:
        """Writes what could not be written before. Raises as `append` does."""
        self._check()
        if not self._kept:
            return
        # Whatever goes wrong from here on, Ctrl-C included, the lines may have been written all the same.
        doubtful, self._doubtful = self._doubtful, True
        self._mark = self.store.append_lines(self.id, self._mark, self._kept, doubtful)
        self._kept, self._doubtful = [], False
        if self.seq - self._snapshot_at >= max(_EVERY, self.seq // 4):
            self.snapshot()

    def snapshot(self) -> None:
        """Keeps the run beside the journal, for finding it quickly, and at all should the journal be damaged."""
        self._check()
        self._snapshot_at = self.seq
        with suppress(SessionUnavailable):  # The journal has everything, and the next snapshot comes.
            self.store.put_snapshot(self.id, to_json({"seq": self.seq - 1, "run": json.loads(self.run.to_json())}))

    def restart(self, start: Run) -> None:
        """Begins the session anew from this run. What it held is gone, as it is for the agent after `clear_history`."""
        self._check()
        self.store.rewrite(self, replace(self.saved, start=start, entries=(), run=start, repairs=()))

    def close(self) -> None:
        """Writes what is unwritten and a snapshot; then nothing more can be written. Closing again does nothing.

        Raises `SessionUnavailable`, and stays open, when entries are left that cannot be written.
        """
        if self._closed or self.store.closed:
            return
        self.flush()
        if self.seq > self._snapshot_at:
            self.snapshot()
        self._closed = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Session({self.name!r}, {self.seq} entries)"

    def _take(self, entry: Entry, run: Run) -> None:
        self._kept.append(dump_entry(entry))
        self.seq += 1
        self.run = run

    def _check(self) -> None:
        if self._closed or self.store.closed:
            raise SessionClosed(f"The session {self.name!r} is closed. Open it again with `store.open(...)`.")


# -- stores ---------------------------------------------------------------------------------------


class Store(ABC):
    """What all stores do alike. A store of one's own gives the places: the methods that are abstract here.

    Those raise `SessionUnavailable` when the place cannot be reached.
    """

    def __init__(self) -> None:
        self.closed = False

    # -- the places ---------------------------------------------------------------------------

    @abstractmethod
    def get_head(self, key: str) -> str | None:
        """The head under this key."""

    @abstractmethod
    def heads(self) -> Iterator[tuple[str, str]]:
        """All keys and heads."""

    @abstractmethod
    def put(self, key: str, id: str, head: str, lines: list[str], old: str | None, aside: bool) -> int | None:
        """Puts a session there, in one go, and returns its mark.

        Does so only when the id under the key is `old` (`None`: when there is none), whose things it removes or, with
        `aside`, keeps as damaged; otherwise returns `None`.
        """

    @abstractmethod
    def put_head(self, key: str, id: str, head: str) -> bool:
        """Changes the head, if the id under the key is this."""

    @abstractmethod
    def move(self, key: str, to: str, id: str, head: str) -> bool:
        """Moves a head to a free key, in one go, and changes it; false when either is not as it should be."""

    @abstractmethod
    def remove(self, key: str, id: str) -> bool:
        """Removes a session, if the id under the key is this."""

    @abstractmethod
    def stored(self, id: str, settled: bool) -> Stored | None:
        """The journal; `settled`: not while somebody is in the middle of a line. `None`: there is none."""

    @abstractmethod
    def append_lines(self, id: str, mark: int, lines: list[str], doubtful: bool) -> int:
        """Writes lines at the mark, all or none that count, and returns the next mark.

        Raises `SessionConflict` when the journal does not end at the mark; unless that is `doubtful`, and what
        follows it are the first of these very lines.
        """

    @abstractmethod
    def get_snapshot(self, id: str) -> str | None: ...

    @abstractmethod
    def put_snapshot(self, id: str, text: str) -> None: ...

    def location(self, name: str) -> str:
        """Where a session is: what `load` takes."""
        return name

    # -- sessions ---------------------------------------------------------------------------------

    def open(
        self,
        name: str,
        *,
        start: Run | None = None,
        agent_config: Mapping[str, Any] | None = None,
        tool_schema_hash: str = "",
        metadata: Mapping[str, Any] | None = None,
    ) -> Session:
        """The session of this name, for writing; a new one where there is none, which the other arguments describe.

        A damaged journal is repaired: what can be read goes on, the rest is kept aside; `saved.repairs` says so.
        """
        self._check()
        key = key_of(name)
        if self.get_head(key) is None:
            saved = new_session(name, start, agent_config or {}, tool_schema_hash, metadata or {})
            mark = self.put(key, saved.id, head_of(saved), [], None, False)
            if mark is not None:
                return Session(self, saved, mark)
        saved, mark = self._read(name, settled=True)
        session = Session(self, saved, mark)
        if saved.repairs:
            self.rewrite(session, saved, aside=True)
        return session

    def read(self, name: str, at: int | None = None) -> SavedSession:
        """The session of this name, without touching it; `at`: as it was right after this entry (-1: before the first).

        Raises `SessionMissing`, `SessionDamaged`, or `SessionException` for an entry that is not there.
        """
        self._check()
        saved, _ = self._read(name, settled=False)
        return saved if at is None else cut(saved, at)

    def state(self, name: str) -> Run:
        """The run of a session as it is now, found quickly: from the last snapshot on. Raises as `read` does."""
        self._check()
        head = self._find(name)
        stored, snapshot = self.stored(head["id"], settled=False), snapshot_of(self.get_snapshot(head["id"]))
        if stored is not None and snapshot is not None and snapshot[0] < len(stored.lines):
            seq, run = snapshot
            _, run, fault = parse(stored.lines[seq + 1 :], run, seq + 1)
            if fault is None or not stored.whole:
                return run
        return self.read(name).run

    def entries_after(self, id: str, seq: int) -> list[Entry] | None:
        """The entries of the session with this id that follow entry `seq`; `None` when there is no such session.

        A line that is being written is left for the next time.
        """
        self._check()
        lines = self.lines_from(id, seq + 1)
        return None if lines is None else parse(lines, Run(""), None)[0]

    def lines_from(self, id: str, first: int) -> list[str] | None:
        """The lines of a journal from this number on. A store that can read a part of a journal overrides it."""
        stored = self.stored(id, settled=False)
        return None if stored is None else stored.lines[first:]

    def exists(self, name: str) -> bool:
        self._check()
        return self.get_head(key_of(name)) is not None

    def fork(self, name: str, new: str, at: int | None = None) -> SavedSession:
        """Makes a session `new` of another's beginning, up to and with the entry `at` (all of it; -1: nothing).

        Raises `SessionExists` when there is a session `new`.
        """
        old = self.read(name, at)
        now = utc_now()
        forked = replace(
            old,
            name=new,
            id=fresh_id(),
            created_at=now,
            saved_at=now,
            forked_from=f"{name}@{len(old.entries) - 1}",
            repairs=(),
        )
        if self.put(key_of(new), forked.id, head_of(forked), lines_of(forked.entries), None, False) is None:
            raise taken(new)
        return forked

    def rename(self, name: str, new: str) -> None:
        """Gives a session another name. Who has it open goes on writing to it.

        Raises `SessionExists` when the name is taken, `SessionMissing` when there is nothing to rename.
        """
        self._check()
        head = self._find(name)
        if new == name:
            return
        if not self.move(key_of(name), key_of(new), head["id"], to_json(head | {"name": new})):
            raise taken(new) if self.exists(new) else missing(name)

    def delete(self, session_name: str) -> bool:
        """Removes a session, and says whether there was one. Who has it open notices at the next entry."""
        self._check()
        key = key_of(session_name)
        text = self.get_head(key)
        if text is None:
            return False
        return self.remove(key, id_in(text))

    def save_journal(
        self,
        name: str,
        entries: Sequence[Entry],
        start: Run,
        *,
        agent_config: Mapping[str, Any] | None = None,
        tool_schema_hash: str = "",
        read_cache: Mapping[str, Any] | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> str:
        """Saves an agent's journal under a name, and returns where.

        A session that is the beginning of it is continued, an unrelated one is replaced. Raises `SessionConflict` when
        the session went on differently since the agent took it over.
        """
        self._check()
        fresh = new_session(name, start, agent_config or {}, tool_schema_hash, metadata or {}, read_cache or {})
        fresh = replace(fresh, entries=tuple(entries))
        if not self.exists(name):
            if self.put(key_of(name), fresh.id, head_of(fresh), lines_of(entries), None, False) is None:
                raise overtaken(name)
            return self.location(name)
        with self.open(name) as session:
            common = common_entries(session.saved, fresh)
            if common and common < len(session.saved.entries):
                raise overtaken(name)
            if common == len(session.saved.entries) and session.saved.start == start:
                session.catch_up(entries, fold(start, entries))
                kept = replace(fresh, id=session.id, created_at=session.saved.created_at)
                self.put_head(key_of(name), session.id, head_of(kept))
            else:
                self.rewrite(session, fresh)
        return self.location(name)

    def list_sessions(self) -> list[dict[str, Any]]:
        """All sessions, the one written to last first: name, id, times, size and what else their heads say."""
        self._check()
        listed = [self._listed(key, text) for key, text in self.heads()]
        return sorted(listed, key=lambda one: one["saved_at"], reverse=True)

    def close(self) -> None:
        """Ends the use of the store and of the sessions opened from it. Closing again does nothing."""
        self.closed = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    # -- as the tutorial's framework has it -------------------------------------------------------

    def save(
        self,
        agent_config: dict[str, Any],
        history: list[Any],
        tool_schema_hash: str,
        read_cache: dict[str, dict[str, Any]],
        metadata: dict[str, Any],
        session_name: str | None = None,
    ) -> str:
        """Saves a list of messages as a session of its own, replacing one of that name, and returns where.

        `save_journal` keeps how the conversation came about as well.
        """
        messages = [one if isinstance(one, Message) else Message.from_dict(one) for one in history]
        name = session_name or self._generate_session_id()
        start = Run(str(agent_config.get("name") or name), Messages(messages))
        return self.save_journal(
            name,
            (),
            start,
            agent_config=agent_config,
            tool_schema_hash=tool_schema_hash,
            read_cache=read_cache,
            metadata=metadata,
        )

    def load(self, filepath: str) -> dict[str, Any]:
        """A saved session as plain JSON values, by what `save` returned or by its name; `history` holds the messages.

        A path leads where it leads; names that come from outside go to `read`. Raises `SessionMissing`.
        """
        saved = self.read(self.named(filepath))
        return {
            "session_id": saved.id,
            "session_name": saved.name,
            "created_at": saved.created_at,
            "saved_at": saved.saved_at,
            "agent_config": dict(saved.agent_config),
            "history": [message.to_dict() for message in saved.run.messages],
            "tool_schema_hash": saved.tool_schema_hash,
            "read_cache": dict(saved.read_cache),
            "metadata": dict(saved.metadata),
        }

    def check_config_consistency(self, saved_config: dict[str, Any], current_config: dict[str, Any]) -> dict[str, Any]:
        """Whether an agent is as it was: `{"consistent": bool, "warnings": [what differs, in words]}`."""
        warnings = config_changes(saved_config, current_config)
        return {"consistent": not warnings, "warnings": warnings}

    def check_tool_schema_consistency(self, saved_hash: str, current_hash: str) -> dict[str, Any]:
        """Whether the tools are as they were, in the form of `check_config_consistency`."""
        warnings = tool_changes(saved_hash, current_hash)
        return {"consistent": not warnings, "changed": bool(warnings), "warnings": warnings}

    def _generate_session_id(self) -> str:
        return f"s-{datetime.now():%Y%m%d-%H%M%S}-{fresh_id()[:8]}"

    # -- inside -----------------------------------------------------------------------------------

    def rewrite(self, session: Session, saved: SavedSession, aside: bool = False) -> None:
        """For `Session`: puts other content under its name, if nobody else has."""
        fresh = replace(saved, name=session.name, id=fresh_id())
        mark = self.put(key_of(session.name), fresh.id, head_of(fresh), lines_of(fresh.entries), session.id, aside)
        if mark is None:
            raise overtaken(session.name)
        session.bind(fresh, mark)

    def named(self, place: str) -> str:
        """The name of the session at a place that `save` returned, or would have in the tutorial's framework."""
        if self.exists(place):
            return place
        for one in self.list_sessions():
            if self.location(one["session_name"]) == place:
                return one["session_name"]
        if place.endswith(".json"):
            return re.split(r"[/\\]", place)[-1].removesuffix(".json")
        return place

    def _check(self) -> None:
        if self.closed:
            raise SessionClosed(f"This {type(self).__name__} is closed. Make a new one.")

    def _find(self, name: str) -> dict[str, Any]:
        key = key_of(name)
        text = self.get_head(key)
        if text is None:
            raise missing(name)
        head = read_head(text, key)
        if head["name"] != name:
            raise SessionDamaged(
                f"What is stored as the session {name!r} is the session {head['name']!r}. "
                "Somebody has moved it by hand; use `rename` instead."
            )
        return head

    def _read(self, name: str, settled: bool) -> tuple[SavedSession, int]:
        head = self._find(name)
        stored = self.stored(head["id"], settled)
        if stored is None:
            # Deleted or replaced just now; or the head is there and the journal is not.
            if self.get_head(key_of(name)) is None:
                raise missing(name)
            head = self._find(name)
            stored = self.stored(head["id"], settled)
        lost = stored is None
        stored = stored or Stored([], 0)
        start = start_of(head)
        snapshot = snapshot_of(self.get_snapshot(head["id"]))
        entries, run, fault = parse(stored.lines, start)
        repairs: list[str] = []
        if lost:
            repairs.append("The journal is not there.")
        if not stored.whole:
            repairs.append("The last line of the journal was cut off.")
        elif fault is not None:
            repairs.append(fault)
        if (fault is not None or lost) and snapshot is not None and snapshot[0] >= len(entries):
            # Entries of the middle are damaged, and a later snapshot has what they did.
            seq, start = snapshot
            entries, run, _ = parse(stored.lines[seq + 1 :], start, seq + 1)
            entries = [replace(entry, seq=number) for number, entry in enumerate(entries)]
            repairs.append(f"The session goes on from the snapshot after entry {seq}.")
        saved = SavedSession(
            name,
            head["id"],
            start,
            tuple(entries),
            run,
            head["agent_config"],
            head["tool_schema_hash"],
            head["read_cache"],
            head["metadata"],
            head["created_at"],
            saved_at(head, entries),
            head["forked_from"],
            tuple(repairs),
        )
        return saved, stored.mark

    def _listed(self, key: str, text: str) -> dict[str, Any]:
        try:
            head = read_head(text, key)
        except SessionDamaged as error:
            return {"session_name": key, "saved_at": "", "fault": str(error)}
        stored = self.stored(head["id"], settled=False) or Stored([], 0)
        last: list[Entry] = []
        for line in reversed(stored.lines[-2:]):
            last, _, _ = parse([line], Run(""), None)
            if last:
                break
        return {
            "session_name": head["name"],
            "session_id": head["id"],
            "filepath": self.location(head["name"]),
            "created_at": head["created_at"],
            "saved_at": saved_at(head, last),
            "entries": len(stored.lines),
            "agent_config": head["agent_config"],
            "metadata": head["metadata"],
            "forked_from": head["forked_from"],
        }
