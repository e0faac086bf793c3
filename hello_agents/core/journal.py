"""The journal's file form: one JSON line an entry, readable by this and every later version."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, Field, fields
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any, cast

from .message import Message, Messages
from .run import (
    Began,
    Compacted,
    Delta,
    Entry,
    Event,
    Judged,
    Noted,
    Replied,
    Returned,
    Run,
    Spawned,
    Stopped,
    Told,
)

SCHEMA = 1
"""Counts the changes of the form. Every line carries the number it was written with."""

MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}
"""For each older number: what turns a line of it into one of the next number."""

KINDS: dict[str, type[Event]] = {
    "told": Told,
    "delta": Delta,
    "replied": Replied,
    "began": Began,
    "judged": Judged,
    "returned": Returned,
    "spawned": Spawned,
    "noted": Noted,
    "compacted": Compacted,
    "stopped": Stopped,
}
_KIND_OF = {kind: name for name, kind in KINDS.items()}


def kind_of(event: Event) -> str:
    """The JSON tag of an event: `told`, `replied`, `returned`, …"""
    return _KIND_OF[type(event)]


def dump_entry(entry: Entry) -> str:
    """One journal line, without the line break."""
    line = {"schema": SCHEMA, "seq": entry.seq, "frame": entry.frame, "time": entry.time}
    return json_text(line | {"event": plain(entry.event)})


def load_entry(line: str | bytes) -> Entry:
    """Reads one line. Raises `ValueError` that says what is wrong with it."""
    data = _migrated(_object(line))
    return Entry(
        _adapter_of(int).validate_python(data.get("seq")),
        _adapter_of(str).validate_python(data.get("frame")),
        _adapter_of(float).validate_python(data.get("time")),
        load_event(data.get("event")),
    )


def dump_journal(entries: Iterable[Entry]) -> str:
    """Entries as JSON lines."""
    return "".join(dump_entry(entry) + "\n" for entry in entries)


def load_journal(text: str) -> Iterator[Entry]:
    """Reads JSON lines. Raises `ValueError` that names the line that cannot be read."""
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield load_entry(line)
        except ValueError as error:
            raise ValueError(f"Line {number} of the journal cannot be read: {error}") from error


class JournalFile:
    """A journal on disk that is written while the run goes on: one line an entry, handed to the system at once.

    It survives the end of the process, however that comes. A line that was cut off is cut away on opening, so
    that what follows stands on a line of its own.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def __call__(self, entry: Entry, run: Run) -> None:
        """Writes one entry. Raises `OSError` when that cannot be done."""
        with self.path.open("ab") as file:
            file.write((dump_entry(entry) + "\n").encode())

    def read(self) -> list[Entry]:
        """The entries written so far, without a last one that was cut off, which is removed from the file."""
        if not self.path.exists():
            return []
        written = self.path.read_bytes()
        whole = written.rfind(b"\n") + 1
        if whole < len(written):
            with self.path.open("r+b") as file:
                file.truncate(whole)
        return list(load_journal(written[:whole].decode()))


def dump_json(run: Run) -> str:
    return json_text({"schema": SCHEMA} | cast("dict[str, Any]", plain(run)))


def load_run(text: str | bytes) -> Run:
    return _adapter_of(Run).validate_python(_migrated(_object(text)))


def load_event(data: object) -> Event:
    """An event from its plain form. Raises `ValueError` naming an unknown kind or a wrong field."""
    if not isinstance(data, Mapping):
        raise ValueError(f"An event is an object with a kind, not {data!r}.")
    fields_of = dict(cast("Mapping[str, Any]", data))
    kind = fields_of.pop("kind", None)
    if kind not in KINDS:
        raise ValueError(f"{kind!r} is not a kind of event. Known are {', '.join(KINDS)}.")
    return _adapter_of(KINDS[kind]).validate_python(fields_of)


def plain(value: Any) -> Any:
    """Values of the core as plain JSON values; what has its default is left out."""
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if isinstance(value, Message):
        return value.to_dict()
    if isinstance(value, Messages):
        return [message.to_dict() for message in value]
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, (set, frozenset)):
        return sorted(plain(item) for item in cast("Iterable[Any]", value))
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in cast("Iterable[Any]", value)]
    names = _defaults(cast("type[Any]", type(value)))
    if names is None:
        return str(value)
    kind = _KIND_OF.get(cast("Any", type(value)))
    data: dict[str, Any] = {} if kind is None else {"kind": kind}
    for name, default in names:
        item = getattr(value, name)
        if item is not default and item != default:
            data[name] = plain(item)
    return data


@cache
def _defaults(kind: type[Any]) -> list[tuple[str, Any]] | None:
    """The fields of a dataclass with their defaults; `None` for other types."""
    try:
        all_fields = fields(kind)
    except TypeError:
        return None
    return [(one.name, _default(one)) for one in all_fields]


def _default(one: Field[Any]) -> Any:
    return one.default_factory() if one.default_factory is not MISSING else one.default


def json_text(data: object) -> str:
    """A value as JSON that UTF-8 can carry. A lone surrogate, which UTF-8 cannot hold, is written as its escape."""
    try:
        text = _dumps(data)
    except ValueError:
        text = _dumps(_finite(data))
    try:
        text.encode()
    except UnicodeEncodeError:
        text = "".join(f"\\u{ord(c):04x}" if 0xD800 <= ord(c) <= 0xDFFF else c for c in text)
    return text


def _dumps(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, default=str, separators=(",", ":"), allow_nan=False)


def _finite(data: Any) -> Any:
    """The same with `NaN` and the infinities, for which JSON has no number, as text."""
    match data:
        case float() if not isfinite(data):
            return repr(data)
        case dict():
            return {key: _finite(item) for key, item in cast("dict[str, Any]", data).items()}
        case list() | tuple():
            return [_finite(item) for item in cast("list[Any]", data)]
        case _:
            return data


def _object(text: str | bytes) -> dict[str, Any]:
    data = json.loads(text)
    if not isinstance(data, dict):
        raise ValueError(f"Expected a JSON object, found {type(data).__name__}.")
    return cast("dict[str, Any]", data)


def _migrated(data: dict[str, Any]) -> dict[str, Any]:
    number = data.pop("schema", None)
    if not isinstance(number, int) or number not in (*MIGRATIONS, SCHEMA):
        raise ValueError(f"Schema {number!r} is not known here; the newest is {SCHEMA}. Update hello-agents-book.")
    while number < SCHEMA:
        data, number = MIGRATIONS[number](data), number + 1
    return data


@cache
def _adapter_of(kind: Any) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)
