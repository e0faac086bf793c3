"""Stream events: a run as it goes by, for a screen or a server-sent-event stream."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from .run import Event


class StreamEventType(Enum):
    """What a stream event tells."""

    AGENT_START = "agent_start"
    AGENT_FINISH = "agent_finish"
    STEP_START = "step_start"
    STEP_FINISH = "step_finish"
    TOOL_CALL_START = "tool_call_start"
    TOOL_CALL_FINISH = "tool_call_finish"
    LLM_CHUNK = "llm_chunk"
    THINKING = "thinking"
    ERROR = "error"


def _no_data() -> dict[str, Any]:
    return {}


@dataclass
class StreamEvent:
    """One thing that happened while an agent ran."""

    type: StreamEventType
    timestamp: float
    agent_name: str
    data: dict[str, Any] = field(default_factory=_no_data)
    event: Event | None = field(default=None, repr=False)
    """The event of the core that this was made of, where there is one."""

    @classmethod
    def create(
        cls, event_type: StreamEventType, agent_name: str, *, event: Event | None = None, **data: Any
    ) -> StreamEvent:
        return cls(event_type, time.time(), agent_name, data, event)

    def to_dict(self) -> dict[str, Any]:
        return {"type": self.type.value, "timestamp": self.timestamp, "agent_name": self.agent_name, "data": self.data}

    def to_sse(self, id: str | None = None) -> str:
        """The event as a server-sent event: its id, where it has one, its type and one line of JSON."""
        return to_sse(self.type.value, self.to_dict(), id)


def to_sse(event: str, data: object, id: str | None = None) -> str:
    """A server-sent event. Its data is one line of JSON, also for readers who take U+0085 or U+2028 for line breaks."""
    from .journal import json_text

    line = json_text(data).translate(_LINE_BREAKS)
    return ("" if id is None else f"id: {id}\n") + f"event: {event}\ndata: {line}\n\n"


_LINE_BREAKS = {ord(c): f"\\u{ord(c):04x}" for c in "\x85\u2028\u2029"}


class StreamBuffer:
    """The latest stream events, for a client that comes late."""

    def __init__(self, max_buffer_size: int = 100) -> None:
        self.max_buffer_size = max_buffer_size
        self._events: list[StreamEvent] = []

    def add(self, event: StreamEvent) -> None:
        self._events.append(event)
        del self._events[: -self.max_buffer_size]

    def get_all(self) -> list[StreamEvent]:
        return list(self._events)

    def clear(self) -> None:
        self._events.clear()

    def filter_by_type(self, event_type: StreamEventType) -> list[StreamEvent]:
        return [event for event in self._events if event.type is event_type]


async def stream_to_sse(
    event_stream: AsyncIterator[StreamEvent], include_types: list[StreamEventType] | None = None
) -> AsyncIterator[str]:
    """The stream as server-sent events."""
    async for event in event_stream:
        if include_types is None or event.type in include_types:
            yield event.to_sse()


async def stream_to_json(
    event_stream: AsyncIterator[StreamEvent], include_types: list[StreamEventType] | None = None
) -> AsyncIterator[str]:
    """The stream as JSON lines."""
    async for event in event_stream:
        if include_types is None or event.type in include_types:
            yield json.dumps(event.to_dict(), ensure_ascii=False, default=str) + "\n"
