"""A reply put together from what a provider sent, the same for every protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..core.arguments import read_arguments, utf8
from ..core.exceptions import EmptyReply
from ..core.message import Message, ToolCall, Usage
from ..core.run import Replied

MALFORMED = "malformed"
"""In the metadata of a reply: by call id, the arguments that could not be read, as the model wrote them."""

EXTRA = "extra_content"
"""In the metadata of a reply: by call id, what the provider put beside the call. It has to go back as it came."""


@dataclass(frozen=True, slots=True)
class WrittenCall:
    """A call as it came: its id may be missing, its arguments are text."""

    id: str
    name: str
    arguments: str
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What stands beside it, to be sent back."""


def assemble(
    content: str,
    reasoning: str | None,
    written: Sequence[WrittenCall],
    usage: Usage,
    model: str | None,
    finish: str | None,
    *,
    step: int,
    language: str,
    metadata: Mapping[str, Any] | None = None,
) -> Replied:
    """The whole reply. Raises `EmptyReply` when it says and calls nothing."""
    if not written and (not content or content.isspace()):
        raise EmptyReply(
            f"The reply has neither text nor calls (it finished for {finish!r}). "
            "Ask again, or raise max_tokens if the model spent them on thinking."
        )
    return Replied(assistant(content, reasoning, written, metadata, step, language), usage, model, finish)


def assistant(
    content: str,
    reasoning: str | None,
    written: Sequence[WrittenCall],
    metadata: Mapping[str, Any] | None,
    step: int,
    language: str,
) -> Message:
    """What the model said, as a message. White space alone is nothing said."""
    calls = read_calls(written, step, language)
    malformed = {call.id: wire.arguments for call, wire in zip(calls, written, strict=True) if call.fault}
    return Message(
        None if not content or content.isspace() else content,
        "assistant",
        tool_calls=calls,
        reasoning=reasoning,
        metadata={**(metadata or {}), **({MALFORMED: malformed} if malformed else {}), **beside(calls, written)},
    )


def beside(calls: Sequence[ToolCall], written: Sequence[WrittenCall]) -> dict[str, Any]:
    """What came beside the calls, as metadata of their message."""
    extra = {call.id: wire.extra for call, wire in zip(calls, written, strict=True) if wire.extra}
    return {EXTRA: extra} if extra else {}


def read_calls(written: Sequence[WrittenCall], step: int, language: str) -> list[ToolCall]:
    """The calls with their arguments read, and with ids that are there and differ.

    An id that the provider left out becomes `call_<step>_<position>`: the same however often the reply is read.
    """
    taken = {call.id for call in written}
    seen: set[str] = set()
    calls: list[ToolCall] = []
    for position, call in enumerate(written):
        id = call.id
        if not id or id in seen:
            id = f"call_{step}_{position}"
            while id in taken or id in seen:
                id += "_"
        seen.add(id)
        calls.append(ToolCall(utf8(id), utf8(call.name), *read_arguments(call.arguments, language)))
    return calls
