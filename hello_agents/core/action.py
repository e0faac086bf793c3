"""Actions: what an agent may decide to do next, and the request and model they speak of."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from .message import Message, ToolCall
from .run import Delta, Event, Replied

ToolChoice = Literal["auto", "none", "required"] | str
"""`auto`, `none`, `required`, or the name of the one tool the model must call."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a model is asked: the conversation, the tools on offer, and who asks."""

    messages: Sequence[Message]
    tools: Sequence[dict[str, Any]] = ()
    """JSON Schemas in the form `{"type": "function", "function": {"name", "description", "parameters"}}`."""
    tool_choice: ToolChoice = "auto"
    at: tuple[str, int] = ("", 0)
    """The frame and the step that ask. Never sent; a scripted model finds its place by it."""


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask the model."""

    request: Request
    tolerant: bool = False
    """Should the provider refuse the request, the agent hears of it (as a `Noted`) and decides again."""


@dataclass(frozen=True, slots=True)
class Call:
    """Run these calls; they are independent of each other."""

    calls: tuple[ToolCall, ...]


@dataclass(frozen=True, slots=True)
class Wait:
    """Stop until a person has judged these calls."""

    calls: tuple[ToolCall, ...]


Action = Ask | Call | Wait | Event


class Model(Protocol):
    """Anything that answers a request: pieces while they come, then the whole reply, once and last."""

    def stream(self, request: Request) -> Iterator[Delta | Replied]: ...

    def astream(self, request: Request) -> AsyncIterator[Delta | Replied]: ...
