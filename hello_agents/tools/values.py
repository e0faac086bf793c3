"""Values of tools as text: what a Python value looks like to a model."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time
from enum import Enum
from typing import Any, cast

_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+(?=>)")
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode  # `json.dumps` would make an encoder a call.


def to_json(value: object) -> str:
    """The value as one line of JSON, never ASCII-escaped, always valid.

    What JSON does not know is written as the nearest thing it does: a date in ISO form, a set as a sorted
    array, an Enum as its value, a dataclass or pydantic model as an object, `nan` as `"NaN"`, the rest as text.
    """
    if type(value) is int:
        return int.__repr__(value)  # The encoder would come to the same by a longer way.
    try:
        return _encode(value)
    except (TypeError, ValueError, RecursionError):
        return json.dumps(to_plain(value), ensure_ascii=False, allow_nan=False)


def to_plain(value: object, above: tuple[int, ...] = ()) -> Any:
    """The value built of dicts, lists, strings, numbers, booleans and `None` alone."""
    match value:
        case Enum():
            return to_plain(value.value, above)
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else _odd_number(value)
        case datetime() | date() | time():
            return value.isoformat()
        case bytes() | bytearray():
            return bytes(value).decode("utf-8", "replace")
        case _:
            pass
    if id(value) in above or len(above) > 100:
        return "…"
    above = (*above, id(value))
    content = _content(value)
    if content is not value:
        return to_plain(content, above)
    record = _record(value)
    if record is not None:
        return {_key(key): to_plain(item, above) for key, item in record.items()}
    if isinstance(value, AbstractSet):
        items = [to_plain(item, above) for item in cast("AbstractSet[object]", value)]
        return sorted(items, key=lambda item: json.dumps(item, ensure_ascii=False))
    if isinstance(value, (list, tuple)):
        return [to_plain(item, above) for item in cast("Iterable[object]", value)]
    return describe(value)


def describe(value: object) -> str:
    """`str(value)` without addresses in memory; the name of its type where nothing else is said, or that fails."""
    kind = type(value)
    if kind.__str__ is object.__str__ and kind.__repr__ is object.__repr__:
        return f"<{kind.__name__}>"
    try:
        return _ADDRESS.sub("", str(value))
    except Exception:
        return f"<{kind.__name__}>"


def _odd_number(value: float) -> str:
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _key(key: object) -> str:
    match to_plain(key):
        case str() as text:
            return text
        case other:
            return json.dumps(other, ensure_ascii=False)


def _content(value: object) -> object:
    """What a pydantic model holds; any other value as it is."""
    # A pydantic model can only exist where pydantic was imported already.
    pydantic = sys.modules.get("pydantic")
    if pydantic is not None and isinstance(value, pydantic.BaseModel):
        return cast("Any", value).model_dump()
    return value


def _record(value: object) -> Mapping[Any, object] | None:
    """The value as named parts, when it has them."""
    if isinstance(value, Mapping):
        return cast("Mapping[Any, object]", value)
    if is_dataclass(value) and not isinstance(value, type):
        return {part.name: getattr(value, part.name) for part in fields(value)}
    return None
