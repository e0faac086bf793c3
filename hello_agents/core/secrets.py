"""Secrets taken out of text: the one place that knows what a key looks like."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
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


_LIKE_SHAPES = (
    ("sk-", r"sk-(?<![A-Za-z0-9]sk-)(?=[\w-]*\d)[\w*-]{12}"),
    ("AIza", r"AIza(?<![A-Za-z0-9]AIza)[\w-]{20}"),
    ("gh", r"gh[opsur]_(?<![A-Za-z0-9]gh[opsur]_)[A-Za-z0-9]{20}"),
    ("eyJ", r"eyJ(?<![A-Za-z0-9]eyJ)[\w-]{8,}\.[\w-]{8,}\.[\w-]{8}"),
    *(
        (name, rf"{name}[-_](?<![A-Za-z0-9]{name}[-_])(?=[\w-]*\d)[\w-]{{16}}")
        for name in ("hf", "gsk", "xai", "ms", "pplx")
    ),
)
"""The alternatives of `_SHAPES`, each behind a literal that is quickly looked for. Most texts hold none."""
_SHORTEST = 14
"""Characters of the shortest text that a pattern matches; `_IN_ADDRESS` takes less."""
_LIKE_NAMED = ("secret", "passw", "authorization", "access")


def mask(text: str, *known: str | None) -> str:
    """The text with every known secret, and everything that looks like a key, replaced by `***`."""
    return _masked(text, _known(known))


def _known(values: Iterable[str | None]) -> list[str]:
    """What is known to be secret, the longest first."""
    return sorted({value for value in values if value and len(value) >= _SHORTEST_KNOWN}, key=len, reverse=True)


def _masked(text: str, known: Sequence[str]) -> str:
    for secret in known:
        text = text.replace(secret, MASK)
    # A pattern costs far more than looking for the words without which it cannot match.
    if len(text) >= _SHORTEST and _has_shape(text):
        text = re.sub(_SHAPES, MASK, text)
    if "@" in text and "://" in text:
        text = re.sub(_IN_ADDRESS, rf"\1{MASK}\2", text)
    if len(text) < _SHORTEST:
        return text
    folded = _folded(text)
    if folded is None or "bearer" in folded or "basic" in folded:
        text = re.sub(_BEARER, rf"\1\2{MASK}", text)
    if folded is None or any(word in folded for word in _LIKE_NAMED) or ("api" in folded and "key" in folded):
        text = re.sub(_NAMED, rf"\1{MASK}", text)
    return text


def _has_shape(text: str) -> bool:
    return any(literal in text and re.search(pattern, text) for literal, pattern in _LIKE_SHAPES)


def _folded(text: str) -> str | None:
    """The text in lower case; `None` when it has one of the few letters that `re` takes for an ASCII one."""
    if not text.isascii() and any(letter in text for letter in "\u0130\u0131\u017f\u212a"):
        return None
    return text.lower()


def mask_values(value: Any, *known: str | None) -> Any:
    """A JSON value with its texts and names masked; fields named like secrets lose their value whatever it is."""
    return _masked_values(value, _known(known))


def _masked_values(value: Any, known: Sequence[str]) -> Any:
    match value:
        case str():
            return _masked(value, known)
        case int() | float() | None:
            return value
        case Mapping():
            fields = cast("Mapping[Any, Any]", value)
            return {
                _masked_values(name, known): MASK if item and is_secret_name(name) else _masked_values(item, known)
                for name, item in fields.items()
            }
        case list() | tuple():
            return [_masked_values(item, known) for item in cast("list[Any]", value)]
        case _:
            return value


def is_secret_name(name: object) -> bool:
    """Whether a field of this name holds a secret."""
    if not isinstance(name, str):
        return False
    folded = _folded(name)
    if folded is not None and not any(
        word in folded for word in ("key", "token", "secret", "password", "authorization")
    ):
        return False
    return re.match(_SECRET_FIELD, name) is not None
