"""Labels of metrics, kept few: each value of a label is a series that a server keeps for ever."""

from __future__ import annotations

from collections.abc import Iterable

from ..tools.errors import ToolErrorCode

UNKNOWN = "unknown"
OTHER = "other"

_UNPROVEN = frozenset(
    {
        ToolErrorCode.NOT_FOUND,
        ToolErrorCode.INVALID_FORMAT,
        ToolErrorCode.NOT_RUN,
        ToolErrorCode.REFUSED,
        ToolErrorCode.INTERRUPTED,
    }
)
"""Codes with which a call is answered whose tool need not exist."""


class Labels:
    """The values that one label has had. After `most` of them, every further one is `other`."""

    def __init__(self, most: int, known: Iterable[str] = ()) -> None:
        self._most = most
        self._known = set(known)

    def __call__(self, value: str | None) -> str:
        if not value:
            return UNKNOWN
        if value not in self._known:
            if len(self._known) >= self._most:
                return OTHER
            self._known.add(value)
        return value

    def __contains__(self, value: str) -> bool:
        return value in self._known


class ToolLabels(Labels):
    """Names of tools. One that a model has made up is `unknown`: a name counts once a call of it has come to a tool."""

    def of_result(self, name: str, code: str | None) -> str:
        """The label of a call that was answered, with this code if it failed."""
        return UNKNOWN if name not in self and code in _UNPROVEN else self(name)

    def of_call(self, name: str) -> str:
        """The label of a call that is not answered yet."""
        return name if name in self else UNKNOWN
