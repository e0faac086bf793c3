"""Arguments of a call: the text that a model wrote, read leniently, and written back as valid JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, NoReturn, cast

from ..catalogue import text

UNWRAPPINGS = 2
"""How often arguments that are JSON inside a JSON string are unwrapped."""


def read_arguments(written: object, language: str = "en") -> tuple[dict[str, Any], str | None]:
    """`(arguments, fault)`: one of the two is empty. Nothing written means no arguments.

    Line breaks inside strings are accepted, though JSON forbids them: models write them all the time.
    """
    match written:
        case None:
            return {}, None
        case Mapping():
            return _joined(dict(cast("Mapping[str, Any]", written))), None
        case str():
            if not written or written.isspace():
                return {}, None
        case _:
            return {}, text("wire.not_object", language, kind=_kind(written))
    try:
        value = _load(written)
    except json.JSONDecodeError as error:
        return {}, text("wire.not_json", language, position=error.pos, reason=error.msg)
    for _ in range(UNWRAPPINGS):
        if not isinstance(value, str):
            break
        try:
            value = _load(value)
        except json.JSONDecodeError:
            break
    if isinstance(value, dict):
        return _joined(cast("dict[str, Any]", value)), None
    return {}, text("wire.not_object", language, kind=_kind(value))


def write_arguments(arguments: Mapping[str, Any]) -> str:
    """The arguments as JSON text that every provider can read: no escapes for letters, no NaN, no lone surrogates."""
    try:
        written = json.dumps(arguments, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError):
        written = json.dumps(_plain(arguments), ensure_ascii=False, allow_nan=False)
    return utf8(written)


def utf8(written: str) -> str:
    """The text as UTF-8 can carry it: halves of a character joined, lone halves replaced."""
    if written.isascii():
        return written
    try:
        written.encode()
    except UnicodeEncodeError:
        return written.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return written


def utf8_values(value: Any) -> Any:
    """A JSON value whose texts UTF-8 can carry; the value itself when they are fine."""
    match value:
        case str():
            return utf8(value)
        case Mapping():
            fields = cast("Mapping[Any, Any]", value)
            return {utf8_values(name): utf8_values(item) for name, item in fields.items()}
        case list() | tuple():
            return [utf8_values(item) for item in cast("list[Any]", value)]
        case _:
            return value


def _load(written: str) -> Any:
    def refuse(constant: str) -> NoReturn:
        raise json.JSONDecodeError(f"{constant} is not a JSON value", written, max(written.find(constant), 0))

    try:
        return json.loads(written, strict=False, parse_constant=refuse)
    except json.JSONDecodeError:
        raise
    except (ValueError, RecursionError) as error:
        # A number of thousands of digits, or thousands of brackets: no position is told for these.
        raise json.JSONDecodeError(str(error), written, 0) from None


def _joined(arguments: dict[str, Any]) -> dict[str, Any]:
    """Escaped halves of characters are legal JSON, so that arguments may hold them."""
    return cast("dict[str, Any]", utf8_values(arguments))


def _kind(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case _:
            return "a list"


def _plain(value: Any) -> Any:
    """The nearest JSON value: for arguments that Python code put in."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else None
        case Mapping():
            return {str(name): _plain(item) for name, item in cast("Mapping[Any, Any]", value).items()}
        case list() | tuple() | set() | frozenset():
            return [_plain(item) for item in cast("list[Any]", value)]
        case _:
            return str(value)
