"""Tool responses: what a tool answers, in one of three states."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

from .errors import ToolErrorCode


class ToolStatus(StrEnum):
    """How a call went: all of it, part of it, or not."""

    SUCCESS = "success"
    PARTIAL = "partial"
    ERROR = "error"


_new = str.__new__


@dataclass(slots=True, init=False)
class ToolResponse(str):
    """The answer of a tool.

    It is a string as well, the text that it was made with: in the tutorial's first version tools returned one.
    """

    status: ToolStatus
    text: str
    """What the model reads."""
    data: dict[str, Any]
    """The same for programs."""
    error_info: dict[str, str] | None = None
    """With an error: its `code` and `message`."""
    stats: dict[str, Any] | None = None
    """Measures of the call, such as `time_ms`."""
    context: dict[str, Any] | None = None
    """What was called: `tool_name` and `parameters`."""

    def __new__(
        cls,
        status: ToolStatus,
        text: str,
        data: dict[str, Any] | None = None,
        error_info: dict[str, str] | None = None,
        stats: dict[str, Any] | None = None,
        context: dict[str, Any] | None = None,
    ) -> Self:
        made = _new(cls, text)
        made.status = status
        made.text = text
        made.data = {} if data is None else data
        made.error_info = error_info
        made.stats = stats
        made.context = context
        return made

    @classmethod
    def success(
        cls,
        text: str,
        data: dict[str, Any] | None = None,
        stats: dict[str, Any] | None = None,
        context: dict[str, Any] | None = None,
    ) -> ToolResponse:
        return cls(ToolStatus.SUCCESS, text, data or {}, None, stats, context)

    @classmethod
    def partial(
        cls,
        text: str,
        data: dict[str, Any] | None = None,
        stats: dict[str, Any] | None = None,
        context: dict[str, Any] | None = None,
    ) -> ToolResponse:
        return cls(ToolStatus.PARTIAL, text, data or {}, None, stats, context)

    @classmethod
    def error(
        cls,
        code: str,
        message: str,
        stats: dict[str, Any] | None = None,
        context: dict[str, Any] | None = None,
    ) -> ToolResponse:
        return cls(ToolStatus.ERROR, message, {}, {"code": code, "message": message}, stats, context)

    @property
    def code(self) -> str | None:
        """The code of an error; `None` for any other state."""
        if self.status is not ToolStatus.ERROR:
            return None
        return (self.error_info or {}).get("code", ToolErrorCode.EXECUTION_ERROR)

    def to_dict(self) -> dict[str, Any]:
        """The response as a dict, without the optional parts that are empty."""
        result: dict[str, Any] = {"status": self.status.value, "text": self.text, "data": self.data}
        for name, value in (("error", self.error_info), ("stats", self.stats), ("context", self.context)):
            if value is not None:
                result[name] = value
        return result

    def to_json(self) -> str:
        """The response as JSON text. Values that JSON does not know are written as text."""
        from .values import to_json

        return to_json(self.to_dict())

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ToolResponse:
        """Reads what `to_dict` wrote. Raises `ValueError` for a status that is none of the three."""
        return cls(
            ToolStatus(data["status"]),
            data.get("text", ""),
            data.get("data") or {},
            data.get("error") or data.get("error_info"),
            data.get("stats"),
            data.get("context"),
        )

    @classmethod
    def from_json(cls, json_str: str) -> ToolResponse:
        return cls.from_dict(json.loads(json_str))

    def __str__(self) -> str:
        return self.text

    def __bool__(self) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __getnewargs__(self) -> tuple[Any, ...]:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self.status, self.text
