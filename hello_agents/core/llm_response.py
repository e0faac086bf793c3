"""What the dictionary methods of `HelloAgentsLLM` give back: replies for code that was written for the tutorial."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class ToolCall:
    """A call as the tutorial has it: the arguments are JSON text. The loop's own is `core.message.ToolCall`."""

    id: str
    name: str
    arguments: str


class LLMResponse(str):
    """The text of a reply, which also tells of the reply.

    It is a string, because in the tutorial's first version `invoke` returned one and in its later ones an object.
    """

    content: str
    model: str
    usage: dict[str, int]
    latency_ms: int
    reasoning_content: str | None

    def __new__(
        cls,
        content: str = "",
        model: str = "",
        usage: dict[str, int] | None = None,
        latency_ms: int = 0,
        reasoning_content: str | None = None,
    ) -> LLMResponse:
        made = super().__new__(cls, content)
        made.content = str.__str__(made)
        made.model = model
        made.usage = {} if usage is None else usage
        made.latency_ms = latency_ms
        made.reasoning_content = reasoning_content
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self.content, self.model, self.usage, self.latency_ms, self.reasoning_content

    def __str__(self) -> str:
        return self.content

    def __repr__(self) -> str:
        return f"LLMResponse({self.content!r}, model={self.model!r}, usage={self.usage!r})"

    def to_dict(self) -> dict[str, Any]:
        """The reply as plain JSON values."""
        data = {"content": self.content, "model": self.model, "usage": self.usage, "latency_ms": self.latency_ms}
        return data if self.reasoning_content is None else {**data, "reasoning_content": self.reasoning_content}


@dataclass
class LLMToolResponse:
    """A reply that may ask for tools."""

    content: str | None
    tool_calls: list[ToolCall]
    model: str
    usage: dict[str, int] = field(default_factory=dict[str, int])
    """Counts under `prompt_tokens`, `completion_tokens` and `total_tokens`."""
    latency_ms: int = 0
    reasoning_content: str | None = None


@dataclass
class StreamStats:
    """What is known of a streamed reply once it is over."""

    model: str
    usage: dict[str, int] = field(default_factory=dict[str, int])
    latency_ms: int = 0
    reasoning_content: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The numbers as plain JSON values."""
        data = {"model": self.model, "usage": self.usage, "latency_ms": self.latency_ms}
        return data if self.reasoning_content is None else {**data, "reasoning_content": self.reasoning_content}
