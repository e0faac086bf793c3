"""Readers for JSON whose shape is promised by a document and kept by few servers: the wrong kind reads as nothing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, cast

_NOTHING: Mapping[str, Any] = {}


def mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else _NOTHING


def items(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def mappings(value: object) -> list[Mapping[str, Any]]:
    return [fields for item in items(value) if (fields := mapping(item))]


def string(value: object) -> str:
    return str.__str__(value) if isinstance(value, str) else ""


def number(value: object, *path: str) -> int:
    """The number under the path, nought where there is none."""
    for name in path:
        value = mapping(value).get(name)
    return int(value) if isinstance(value, (int, float)) and abs(value) < math.inf else 0


def short(value: object, limit: int = 200) -> str:
    """The value for an error text."""
    shown = value if isinstance(value, str) else repr(value)
    return shown if len(shown) <= limit else f"{shown[:limit]}…"


def parts(content: object) -> tuple[str | None, str, list[str]]:
    """`(text, thinking, types of the other parts)` of a content that is text, nothing, or a list of parts."""
    if content is None or isinstance(content, str):
        return content, "", []
    said: list[str] = []
    thought: list[str] = []
    other: list[str] = []
    for part in items(content) or [content]:
        fields = mapping(part)
        kind = string(fields.get("type"))
        if isinstance(part, str):
            said.append(part)
        elif kind in ("thinking", "reasoning"):
            thought.append(parts(fields.get("thinking") or fields.get("text"))[0] or "")
        elif isinstance(piece := fields.get("text", fields.get("refusal")), str):
            said.append(piece)
        else:
            other.append(kind or type(part).__name__)
    return "".join(said), "".join(thought), other
