"""How a session is written down: its name as a key, its head, its lines; and what may be wrong with them."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, cast

from .exceptions import HelloAgentsException
from .journal import SCHEMA, dump_entry, load_entry, load_run, plain
from .run import Entry, Run, evolve
from .secrets import mask_values

if TYPE_CHECKING:
    from .agent import Agent


class SessionException(HelloAgentsException):
    """A session could not be used as was asked."""


class SessionMissing(SessionException, FileNotFoundError):
    """There is no session of this name."""


class SessionExists(SessionException):
    """The name is taken."""


class SessionConflict(SessionException):
    """Somebody else has written to the session, or replaced or deleted it. Nothing of theirs was changed."""


class SessionClosed(SessionException):
    """The store or the session was closed before this call."""


class SessionUnavailable(SessionException):
    """The store cannot be reached, read or written. What was to be written is kept, and written at the next chance."""


class SessionDamaged(SessionException):
    """What is stored under the name is not a session that can be read here."""


# -- what changed since ---------------------------------------------------------------------------


def describe_agent(agent: Agent) -> dict[str, Any]:
    """What a session remembers of the agent that wrote it: pattern, model and limits, and no key."""
    from .llm import HelloAgentsLLM

    llm = agent.llm
    return {
        "name": agent.name,
        "agent_type": type(agent).__name__,
        "llm_model": llm.model if isinstance(llm, HelloAgentsLLM) else type(llm).__name__,
        "max_steps": agent.max_steps,
        "max_total_tokens": agent.config.max_total_tokens,
        "max_repeated_calls": agent.config.max_repeated_calls,
    }


def tool_schema_hash(schemas: Iterable[Mapping[str, Any]]) -> str:
    """A fingerprint of tool schemas, whatever order they come in; 16 hexadecimal digits."""
    texts = sorted(json.dumps(schema, sort_keys=True, ensure_ascii=True, default=str) for schema in schemas)
    return sha256("\n".join(texts).encode()).hexdigest()[:16]


def config_changes(saved: Mapping[str, Any], current: Mapping[str, Any]) -> list[str]:
    """In words, what differs between two descriptions of an agent. What only one of them has is not compared."""
    return [
        f"{name} was {saved[name]!r} when the session was saved, and is {current[name]!r} now."
        for name in saved
        if name in current and saved[name] != current[name]
    ]


def tool_changes(saved: str, current: str) -> list[str]:
    """In words, whether the tools differ from those the session was written with. An empty hash is not compared."""
    if not saved or not current or saved == current:
        return []
    return [f"The tools are not those the session was saved with (schemas {saved}, now {current})."]


# -- names ----------------------------------------------------------------------------------------

_PLAIN = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_RESERVED = re.compile(r"con|prn|aux|nul|com\d|lpt\d")


def key_of(name: str) -> str:
    """The name as it may stand in a path or a key, different for different names, whatever is typed.

    Short lower-case names stay as they are. Any other is a readable beginning, `~`, and a hash of the exact name; so no
    name leads out of the store's place, and none meets another on a disk that ignores case.
    """
    if not isinstance(name, str):  # type: ignore[unnecessary-isinstance]  # Callers' code is not type-checked by us.
        raise TypeError(f"The name of a session is text, not {name!r}. Pass a `str`.")
    if not name:
        raise SessionException("The empty text is no name of a session. Give it at least one character.")
    if _PLAIN.fullmatch(name) and not _RESERVED.fullmatch(name):
        return name
    words = re.findall(r"\w+", unicodedata.normalize("NFC", name[:200]).casefold())
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:20]
    return f"{'-'.join(words)[:24]}~{digest}"


# -- a session that was read ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SavedSession:
    """A session as it was when it was read."""

    name: str
    id: str
    start: Run
    """What the entries happened to; usually an empty run."""
    entries: tuple[Entry, ...]
    run: Run
    """The run after the entries."""
    agent_config: Mapping[str, Any]
    """The agent that wrote it, as `describe_agent` gives it."""
    tool_schema_hash: str
    read_cache: Mapping[str, Any]
    metadata: Mapping[str, Any]
    created_at: str
    """ISO 8601, UTC."""
    saved_at: str
    """When the last entry was written. ISO 8601, UTC."""
    forked_from: str | None = None
    """The session this one was forked off, and the entry after which: `name@seq`."""
    repairs: tuple[str, ...] = ()
    """What was found damaged, in words."""

    def changes(self, agent_config: Mapping[str, Any], tool_schema_hash: str = "") -> tuple[str, ...]:
        """What is different now from when the session was saved, in words."""
        return (
            *config_changes(self.agent_config, agent_config),
            *tool_changes(self.tool_schema_hash, tool_schema_hash),
        )

    def export(self, *known: str | None) -> str:
        """The journal as JSON lines for other eyes: secrets are masked, so a run does not go on from it exactly.

        `known` are secrets that do not look like ones.
        """
        lines = (mask_values(json.loads(dump_entry(entry)), *known) for entry in self.entries)
        return "".join(to_json(line) + "\n" for line in lines)


def new_session(
    name: str,
    start: Run | None,
    agent_config: Mapping[str, Any],
    tool_schema_hash: str,
    metadata: Mapping[str, Any],
    read_cache: Mapping[str, Any] | None = None,
) -> SavedSession:
    start = start or Run(str(agent_config.get("name") or name))
    now = utc_now()
    return SavedSession(
        name, fresh_id(), start, (), start, agent_config, tool_schema_hash, read_cache or {}, metadata, now, now
    )


def head_of(saved: SavedSession) -> str:
    return to_json(
        {
            "schema": SCHEMA,
            "name": saved.name,
            "id": saved.id,
            "created_at": saved.created_at,
            "saved_at": saved.saved_at,
            "agent_config": plain(saved.agent_config),
            "tool_schema_hash": saved.tool_schema_hash,
            "read_cache": plain(saved.read_cache),
            "metadata": plain(saved.metadata),
            "forked_from": saved.forked_from,
            "start": json.loads(saved.start.to_json()),
        }
    )


def read_head(text: str, key: str) -> dict[str, Any]:
    """The head. Of a session that was caught between two names, the one of the key it stands under is its name."""
    try:
        head = json.loads(text)
        known = isinstance(head, dict) and "id" in head and "name" in head
    except ValueError:
        head, known = {}, False
    if not known:
        raise SessionDamaged(f"What is stored under {key!r} is not the head of a session. Delete it or restore a copy.")
    head = cast("dict[str, Any]", head)
    if not isinstance(head.get("schema"), int) or head["schema"] > SCHEMA:
        raise _newer(head.get("schema"))
    to = head.pop("moving_to", None)
    if to is not None and key_of(to) == key:
        head["name"] = to
    return head


def id_in(text: str) -> str:
    """The id in a head, even one that cannot be read otherwise."""
    found = re.search(r'"id":\s*"(\w+)"', text)
    return found[1] if found else ""


def start_of(head: Mapping[str, Any]) -> Run:
    return load_run(json.dumps(head["start"]))


def snapshot_of(text: str | None) -> tuple[int, Run] | None:
    """The run of a snapshot and the entry it was made after; `None` for one that cannot be read."""
    if text is None:
        return None
    try:
        data = json.loads(text)
        return data["seq"], load_run(json.dumps(data["run"]))
    except (ValueError, KeyError, TypeError):
        return None


def parse(lines: Iterable[str], run: Run, first: int | None = 0) -> tuple[list[Entry], Run, str | None]:
    """The entries of lines up to the first damaged one, the run after them, and what the damage is.

    With `first=None` neither the numbers are checked nor the run is followed.
    """
    entries: list[Entry] = []
    for number, line in enumerate(lines, first or 0):
        try:
            entry = load_entry(line)
            if first is not None:
                if entry.seq != number:
                    raise ValueError(f"it is numbered {entry.seq}")
                run = evolve(run, entry.event, entry.frame)
        except (ValueError, KeyError) as error:
            if _is_newer(line):
                raise _newer(json.loads(line)["schema"]) from error
            return entries, run, f"Entry {number} of the journal cannot be used: {str(error).splitlines()[0]}"
        entries.append(entry)
    return entries, run, None


def _is_newer(line: str) -> bool:
    """Whether a later version wrote the line: it is no damage, and must not be cut away."""
    try:
        schema = json.loads(line)["schema"]
    except (ValueError, KeyError, TypeError):
        return False
    return isinstance(schema, int) and schema > SCHEMA


def _newer(schema: object) -> SessionDamaged:
    return SessionDamaged(f"The session has schema {schema!r}; the newest known here is {SCHEMA}. Update the package.")


def cut(saved: SavedSession, at: int) -> SavedSession:
    if not -1 <= at < len(saved.entries):
        raise SessionException(
            f"The session {saved.name!r} has no entry {at}: it has {len(saved.entries)}. Give one below that, or -1."
        )
    entries = saved.entries[: at + 1]
    return replace(saved, entries=entries, run=fold(saved.start, entries))


def fold(run: Run, entries: Iterable[Entry]) -> Run:
    for entry in entries:
        run = evolve(run, entry.event, entry.frame)
    return run


def common_entries(saved: SavedSession, other: SavedSession) -> int:
    """How many entries two sessions have in common from the same start on. Their times count: a journal of the same
    script run again is another one."""
    if saved.start != other.start:
        return 0
    count = 0
    for a, b in zip(saved.entries, other.entries, strict=False):
        if a.time != b.time or a != b:
            break
        count += 1
    return count


def lines_of(entries: Iterable[Entry]) -> list[str]:
    return [dump_entry(entry) for entry in entries]


def to_json(data: object) -> str:
    """JSON as text that UTF-8 can hold: a lone surrogate stands as its escape."""
    text = json.dumps(data, ensure_ascii=False, default=str)
    return text if text.isascii() else re.sub(r"[\ud800-\udfff]", lambda one: f"\\u{ord(one[0]):04x}", text)


def saved_at(head: Mapping[str, Any], entries: Sequence[Entry]) -> str:
    if not entries:
        return head["saved_at"]
    written = datetime.fromtimestamp(entries[-1].time, UTC).isoformat(timespec="microseconds")
    return max(head["saved_at"], written)


def utc_now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")


def fresh_id() -> str:
    from uuid import uuid4

    return uuid4().hex


def missing(name: str) -> SessionMissing:
    return SessionMissing(f"There is no session {name!r}. `list_sessions()` shows which there are.")


def taken(name: str) -> SessionExists:
    return SessionExists(f"There is a session {name!r} already. Choose another name, or delete it first.")


def overtaken(name: str) -> SessionConflict:
    return SessionConflict(
        f"The session {name!r} was written, replaced or deleted by somebody else meanwhile. "
        "Read it again and go on from there, or save under another name."
    )


def conflict(id: str) -> SessionConflict:
    """For stores: the error of a writer who was not alone."""
    return SessionConflict(
        f"The session with the id {id} was written, replaced or deleted by somebody else meanwhile. "
        "Open it again and go on from there, or save under another name."
    )
