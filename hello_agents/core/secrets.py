"""Secrets taken out of text: the one place that knows what a key looks like."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

MASK = "***"
_SHORTEST_KNOWN = 6
"""Known values shorter than this are no secrets: a local server is often given the key `x` or `none`."""

# Patterns are text, compiled by `re` when they are first used: compiling them takes longer than importing does.
_SHAPES = r"""(?x)
    (?<![A-Za-z0-9]) sk-(?=[\w-]*\d)[\w*-]{12,}            # OpenAI, DeepSeek, Anthropic, OpenRouter and others
    | (?<![A-Za-z0-9]) AIza[\w-]{20,}                      # Google
    | (?<![A-Za-z0-9]) gh[opsur]_[A-Za-z0-9]{20,}          # GitHub
    | (?<![A-Za-z0-9]) (?:hf|gsk|xai|ms|pplx)[-_](?=[\w-]*\d)[\w-]{16,}
    | (?<![A-Za-z0-9]) eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}  # JSON web tokens
    """
_IN_ADDRESS = r"(://)[^/\s:@]*:[^/\s@]+(@)"
_BEARER = r"(?i)\b(bearer|basic)(\s+)[\w.~+/=-]{8,}"
_NAMED = (
    r"(?i)((?:api[_-]?key|access[_-]?token|secret(?:[_-]?key)?|password|passwd|authorization)"
    r"[\"']?\s*[:=]\s*[\"']?)(?=[^\s\"',;&}]*\d)[^\s\"',;&}]{8,}"
)
_SECRET_FIELD = r"(?i)^(?:.*[_-])?(?:api[_-]?key|access[_-]?token|secret|secret[_-]?key|password|authorization)$"


def mask(text: str, *known: str | None) -> str:
    """The text with every known secret, and everything that looks like a key, replaced by `***`."""
    for secret in sorted({value for value in known if value and len(value) >= _SHORTEST_KNOWN}, key=len, reverse=True):
        text = text.replace(secret, MASK)
    text = re.sub(_SHAPES, MASK, text)
    text = re.sub(_IN_ADDRESS, rf"\1{MASK}\2", text)
    text = re.sub(_BEARER, rf"\1\2{MASK}", text)
    return re.sub(_NAMED, rf"\1{MASK}", text)


def mask_values(value: Any, *known: str | None) -> Any:
    """A JSON value with its texts and names masked; fields named like secrets lose their value whatever it is."""
    match value:
        case str():
            return mask(value, *known)
        case Mapping():
            fields = cast("Mapping[Any, Any]", value)
            return {
                mask_values(name, *known): MASK if item and is_secret_name(name) else mask_values(item, *known)
                for name, item in fields.items()
            }
        case list() | tuple():
            return [mask_values(item, *known) for item in cast("list[Any]", value)]
        case _:
            return value


def is_secret_name(name: object) -> bool:
    """Whether a field of this name holds a secret."""
    return isinstance(name, str) and re.match(_SECRET_FIELD, name) is not None
