"""Any value of Python as a JSON value: a trace takes what tools and readers' code hand it, and never fails at it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time
from enum import Enum
from math import isfinite
from typing import Any, cast

_DEEPEST = 24
"""Levels of nesting that are followed. A value that holds itself ends here, too."""


def json_value(value: object, depth: int = 0) -> Any:
    """The value in JSON's terms: 0, False, "" and [] stay what they are, and what JSON has no form for becomes text."""
    match value:
        case None | bool():
            return value
        case Enum():
            return json_value(value.value, depth + 1)
        case int():
            return int(value)
        case float():
            return float(value) if isfinite(value) else repr(float(value))
        case str():
            return str.__str__(value)
        case bytes() | bytearray():
            return bytes(value).decode("utf-8", "backslashreplace")
        case datetime() | date() | time():
            return value.isoformat()
        case BaseException():
            return {"type": type(value).__name__, "message": _told(value)}
        case _ if depth >= _DEEPEST:
            return "…"
        case Mapping():
            mapping = cast("Mapping[object, object]", value)
            items = _foreign(lambda: list(mapping.items()))
            if items is None:
                return _told(mapping)
            return {_name(name): json_value(item, depth + 1) for name, item in items}
        case list() | tuple():
            return [json_value(item, depth + 1) for item in cast("list[object]", value)]
        case set() | frozenset():
            return sorted((json_value(item, depth + 1) for item in cast("set[object]", value)), key=repr)
        case _ if is_dataclass(value) and not isinstance(value, type):
            return {one.name: json_value(vars_of(value, one.name), depth + 1) for one in fields(value)}
        case _:
            return _object(value, depth)


def json_line(value: object) -> str:
    """JSON on one line that UTF-8 can hold: a lone surrogate stands as its escape."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text if text.isascii() else re.sub(r"[\ud800-\udfff]", lambda one: f"\\u{ord(one[0]):04x}", text)


def vars_of(value: object, name: str) -> object:
    """A field of a dataclass; a text in its place when it was never set."""
    return _foreign(lambda: object.__getattribute__(value, name))


def _object(value: object, depth: int) -> Any:
    """A pydantic model by its fields, anything else by its text."""
    dump = vars(type(value)).get("model_dump") or next(
        (vars(one)["model_dump"] for one in type(value).__mro__ if "model_dump" in vars(one)), None
    )
    if dump is not None:
        dumped = _foreign(lambda: dump(value))
        if dumped is not None:
            return json_value(dumped, depth + 1)
    return _told(value)


def _name(name: object) -> str:
    return name if type(name) is str else _told(name)


def _told(value: object) -> str:
    text = _foreign(lambda: str(value))
    return text if isinstance(text, str) else f"<{type(value).__name__}>"


def _foreign(ask: Any) -> Any:
    """What foreign code answers, or `None` when it fails; a trace is no place for its errors."""
    try:
        return ask()
    except Exception:
        return None
