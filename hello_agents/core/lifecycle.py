"""Lifecycle hooks: what async callers may be told while an agent runs."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any


class EventType(Enum):
    """What a hook is told of."""

    AGENT_START = "agent_start"
    AGENT_FINISH = "agent_finish"
    AGENT_ERROR = "agent_error"
    STEP_START = "step_start"
    STEP_FINISH = "step_finish"
    LLM_START = "llm_start"
    LLM_CHUNK = "llm_chunk"
    LLM_FINISH = "llm_finish"
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_result"
    TOOL_ERROR = "tool_error"
    THINKING = "thinking"
    REFLECTION = "reflection"
    PLAN = "plan"


def _no_data() -> dict[str, Any]:
    return {}


@dataclass
class AgentEvent:
    """Something that happened to an agent."""

    type: EventType
    timestamp: float
    agent_name: str
    data: dict[str, Any] = field(default_factory=_no_data)

    @classmethod
    def create(cls, event_type: EventType, agent_name: str, **data: Any) -> AgentEvent:
        return cls(event_type, time.time(), agent_name, data)

    def to_dict(self) -> dict[str, Any]:
        return {"type": self.type.value, "timestamp": self.timestamp, "agent_name": self.agent_name, "data": self.data}

    def __str__(self) -> str:
        return f"[{self.type.value}] {self.agent_name}: {self.data}"


LifecycleHook = Callable[[AgentEvent], Awaitable[None]] | None
"""An async function that is told of an event. Its errors and delays never end a run."""


@dataclass
class ExecutionContext:
    """Counters that a hook may keep for one question."""

    input_text: str
    current_step: int = 0
    total_tokens: int = 0
    metadata: dict[str, Any] = field(default_factory=_no_data)

    def increment_step(self) -> None:
        self.current_step += 1

    def add_tokens(self, tokens: int) -> None:
        self.total_tokens += tokens

    def set_metadata(self, key: str, value: Any) -> None:
        self.metadata[key] = value

    def get_metadata(self, key: str, default: Any = None) -> Any:
        return self.metadata.get(key, default)
