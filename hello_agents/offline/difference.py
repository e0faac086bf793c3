"""Two requests set side by side: where what is asked now differs from what was asked before."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from difflib import unified_diff
from typing import Any

WIDTH = 100
"""Longer lines are broken, so that a difference far inside a long text is seen."""

MOST_LINES = 80
"""Lines of a difference that are shown; the first are the ones that matter."""


def lines_of(request: Mapping[str, Any]) -> list[str]:
    """A request in its plain form, as lines to read and to compare."""
    return [line for whole in _lines(request) for line in _broken(whole)]


def difference(before: Iterable[str], now: Iterable[str], *, labels: tuple[str, str]) -> str:
    """A unified diff of lines, cut at its end when it is very long."""
    lines = list(unified_diff(list(before), list(now), *labels, n=2, lineterm=""))
    if len(lines) > MOST_LINES:
        lines[MOST_LINES:] = [f"… and {len(lines) - MOST_LINES} lines more"]
    return "\n".join(lines)


def alike(one: list[str], other: list[str]) -> int:
    """How many lines two requests have in common at their beginning."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _lines(request: Mapping[str, Any]) -> Iterator[str]:
    yield f"tool_choice: {request['tool_choice']}"
    for at, message in enumerate(request["messages"]):
        yield f"message {at}, {message['role']}{_answering(message)}:"
        if message["content"] is not None:
            yield from _indented(message["content"])
        if message.get("reasoning"):
            yield "  reasoning:"
            yield from _indented(message["reasoning"])
        for call in message.get("tool_calls", ()):
            yield f"  call {call['name']} ({call['id']}): {_json(call['arguments'])}"
            if call.get("fault"):
                yield f"    unreadable: {call['fault']}"
    for tool in request["tools"]:
        yield f"tool {_name(tool)}:"
        yield from _indented(json.dumps(tool, ensure_ascii=False, indent=1, sort_keys=True))


def _answering(message: Mapping[str, Any]) -> str:
    return f" for {message['answers']}" if message.get("answers") else ""


def _indented(text: str) -> Iterator[str]:
    return (f"  {line}" for line in text.split("\n"))


def _name(tool: Mapping[str, Any]) -> str:
    match tool:
        case {"function": {"name": str(name)}}:
            return name
        case _:
            return ""


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _broken(line: str) -> Iterator[str]:
    yield line[:WIDTH]
    for start in range(WIDTH, len(line), WIDTH):
        yield f"    {line[start : start + WIDTH]}"
