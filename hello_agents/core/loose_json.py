"""JSON as models write it in text: in a fence, with comments, trailing commas or the quotes of another language."""

from __future__ import annotations

import json
import re
from typing import Any

_THINKING = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
_FENCE = re.compile(r"```[a-zA-Z]*\s*\n(.*?)(?:```|\Z)", re.DOTALL)
_NONE = re.compile(r"\bNone\b")
_PAIRS = {"“": "”", '"': '"', "'": "'"}


def without_thinking(text: str) -> str:
    """The text without what a model thought aloud in it, also where the thinking was never closed."""
    return _THINKING.sub("", text)


def read_json(text: str) -> Any:
    """The JSON value that a text holds. Thinking before it and words around it are passed over.

    Raises `ValueError` with the place when there is none, or it was cut off.
    """
    text = without_thinking(text)
    for piece in [*_FENCE.findall(text), text]:
        start = min((at for at in (piece.find("{"), piece.find("[")) if at >= 0), default=None)
        if start is None:
            continue
        value, end = _value(piece, start)
        if end is None:
            raise ValueError(f"The JSON that begins at character {start} was cut off at character {len(piece)}.")
        return value
    raise ValueError(f"There is no JSON in {text[:80]!r}.")


def _value(text: str, start: int) -> tuple[Any, int | None]:
    """The value that begins here, and where it ends; `None` for the end of one that was cut off."""
    cleaned, end = _cleaned(text, start)
    if end is None:
        return None, None
    try:
        return json.loads(cleaned, strict=False), end
    except ValueError:
        import yaml

        try:
            return yaml.safe_load(cleaned), end
        except yaml.YAMLError as error:
            raise ValueError(f"The JSON that begins at character {start} cannot be read: {error}") from error


def _cleaned(text: str, start: int) -> tuple[str, int | None]:
    """The brackets from here to their end, without comments, and with plain quotes around strings."""
    out: list[str] = []
    depth, at = 0, start
    while at < len(text):
        char = text[at]
        if char in _PAIRS:
            closing = _end_of_string(text, at)
            if closing is None:
                return "", None
            inner = text[at + 1 : closing]
            out.append(inner.join('""') if char == "“" else text[at : closing + 1])
            at = closing + 1
            continue
        if char == "#" or text.startswith("//", at):
            at = text.find("\n", at)
            if at < 0:
                return "", None
            continue
        if _NONE.match(text, at):  # YAML, which reads Python's other words, takes this one for a text.
            out.append("null")
            at += len("None")
            continue
        out.append(char)
        depth += (char in "{[") - (char in "}]")
        at += 1
        if not depth:
            return "".join(out), at
    return "", None


def _end_of_string(text: str, start: int) -> int | None:
    """Where the string that begins here is closed."""
    closing, at = _PAIRS[text[start]], start + 1
    while at < len(text):
        if text[at] == "\\":
            at += 2
        elif text[at] == closing:
            return at
        else:
            at += 1
    return None
