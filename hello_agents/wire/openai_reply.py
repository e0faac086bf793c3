"""A reply of Chat Completions being put together, whether it came whole or in pieces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from ..core.exceptions import BadReply, EmptyReply
from ..core.message import Message, ToolCall, Usage
from ..core.run import Replied
from .arguments import read_arguments, utf8, write_arguments
from .errors import told
from .loose import mapping, mappings, number, short, string
from .thinking import ThinkSplitter, split_lone_close

MALFORMED = "malformed"
"""In the metadata of a reply: by call id, the arguments that could not be read, as the model wrote them."""


@dataclass(frozen=True, slots=True)
class WrittenCall:
    """A call as it came: its id may be missing, its arguments are text."""

    id: str
    name: str
    arguments: str

    @staticmethod
    def of(wire: Mapping[str, Any]) -> WrittenCall:
        function = mapping(wire.get("function"))
        return WrittenCall(string(wire.get("id")), string(function.get("name")), written_arguments(function))


class Draft:
    """What is known of a reply so far."""

    def __init__(self) -> None:
        self.calls: Sequence[WrittenCall] = ()
        self.usage = Usage()
        self.model: str | None = None
        self.finish: str | None = None
        self.reasoning: list[str] = []
        """Thinking from a field of its own."""
        self.split = ThinkSplitter()
        self._thought: list[str] = []
        """Thinking from between tags."""
        self._content: list[str] = []

    def take(self, part: str, piece: str) -> None:
        """Adds a piece that came out of `split`."""
        (self._content if part == "content" else self._thought).append(piece)

    def envelope(self, fields: Mapping[str, Any]) -> None:
        """Adds what stands around the choices: tokens and the model's name, where they are told."""
        if mapping(fields.get("usage")):
            self.usage = _usage(fields["usage"])
        self.model = string(fields.get("model")) or self.model

    def replied(self, step: int, language: str) -> Replied:
        """The whole reply. Raises `EmptyReply` when it says and calls nothing."""
        content, reasoning = self._texts()
        if not content or content.isspace():
            if not self.calls:
                raise EmptyReply(
                    f"The reply has neither text nor calls (it finished for {self.finish!r}). "
                    "Ask again, or raise max_tokens if the model spent them on thinking."
                )
            content = None
        calls = read_calls(self.calls, step, language)
        malformed = {call.id: wire.arguments for call, wire in zip(calls, self.calls, strict=True) if call.fault}
        message = Message(
            content,
            "assistant",
            tool_calls=calls,
            reasoning=reasoning,
            metadata={MALFORMED: malformed} if malformed else None,
        )
        return Replied(message, self.usage, self.model, self.finish)

    def _texts(self) -> tuple[str, str | None]:
        for part, piece in self.split.close():
            self.take(part, piece)
        content = utf8("".join(self._content))
        thoughts = [utf8("".join(self.reasoning)), utf8("".join(self._thought)).strip()]
        if not any(thoughts):
            lone, content = split_lone_close(content)
            thoughts = [lone]
        return content, "\n".join(thought for thought in thoughts if thought) or None


def fields_of(response: object) -> Mapping[str, Any]:
    """The fields of a response or chunk, unless it is an error or nothing that has fields."""
    if not isinstance(response, Mapping):
        raise BadReply(
            f"The provider sent {short(response)} where a JSON object belongs. "
            "Look at the base URL: it often ends in /v1.",
            provider_message=response if isinstance(response, str) else "",
        )
    fields = mapping(cast("object", response))
    if error := fields.get("error"):
        raise told(error)
    return fields


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


def wire_calls(wire: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    calls = mappings(wire.get("tool_calls"))
    old = wire.get("function_call")
    return [{"function": old}] if not calls and isinstance(old, Mapping) else calls


def written_arguments(function: Mapping[str, Any]) -> str:
    """The arguments as text; some servers send them as an object."""
    arguments = function.get("arguments")
    if arguments is None or isinstance(arguments, str):
        return arguments or ""
    return write_arguments(mapping(cast("object", arguments))) if isinstance(arguments, Mapping) else str(arguments)


def reasoning_of(wire: Mapping[str, Any]) -> str | None:
    return string(wire.get("reasoning_content")) or string(wire.get("reasoning")) or None


def _usage(counted: object) -> Usage:
    """The tokens as counted by the provider; what it left out is nought."""
    return Usage(
        number(counted, "prompt_tokens"),
        number(counted, "completion_tokens"),
        number(counted, "prompt_tokens_details", "cached_tokens") or number(counted, "prompt_cache_hit_tokens"),
        number(counted, "completion_tokens_details", "reasoning_tokens"),
    )
