"""A reply of Chat Completions being put together, whether it came whole or in pieces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from ..core.arguments import utf8, write_arguments
from ..core.loose import mapping, mappings, number, string
from ..core.message import Usage
from ..core.run import Replied
from .reply import WrittenCall, assemble
from .thinking import ThinkSplitter, split_lone_close

DETAILS = "reasoning_details"
"""In the metadata of a reply, and on OpenRouter's wire: its thinking in parts, some of them signed or encrypted."""


class Draft:
    """What is known of a reply so far."""

    def __init__(self) -> None:
        self.calls: Sequence[WrittenCall] = ()
        self.usage = Usage()
        self.model: str | None = None
        self.finish: str | None = None
        self.reasoning: list[str] = []
        """Thinking from a field of its own."""
        self.details: list[dict[str, Any]] = []
        """Thinking in parts that have to go back as they came."""
        self.split = ThinkSplitter()
        self._thought: list[str] = []
        """Thinking from between tags."""
        self._content: list[str] = []

    def take(self, part: str, piece: str) -> None:
        """Adds a piece that came out of `split`."""
        (self._content if part == "content" else self._thought).append(piece)

    def envelope(self, fields: Mapping[str, Any]) -> None:
        """Adds what stands around the choices: tokens and the model's name, where they are told."""
        self.count(fields.get("usage"))
        self.model = string(fields.get("model")) or self.model

    def detail(self, parts: object) -> None:
        """Adds parts of the thinking. A piece of a part carries its type and index again."""
        for part in mappings(parts):
            told = {name: value for name, value in part.items() if value is not None}
            last = self.details[-1] if self.details else {}
            if (
                "index" in told
                and "data" not in told
                and all(last.get(name) == told.get(name) for name in ("type", "index"))
            ):
                grown = {
                    name: string(last[name]) + string(told[name])
                    for name in ("text", "summary")
                    if name in last and name in told
                }
                self.details[-1] = {**last, **told, **grown}
            else:
                self.details.append(told)

    def count(self, usage: object) -> None:
        """Takes the tokens over, where they are told: each count is of the whole reply."""
        if mapping(usage):
            self.usage = _usage(usage)

    def replied(self, step: int, language: str) -> Replied:
        """The whole reply. Raises `EmptyReply` when it says and calls nothing."""
        content, reasoning = self._texts()
        # Some servers send a call of nothing beside a text.
        calls = [call for call in self.calls if call.name or call.arguments]
        return assemble(
            content,
            reasoning,
            calls,
            self.usage,
            self.model,
            self.finish,
            step=step,
            language=language,
            metadata={DETAILS: self.details} if self.details and wants_extra(self.model) else None,
        )

    def _texts(self) -> tuple[str, str | None]:
        for part, piece in self.split.close():
            self.take(part, piece)
        content = utf8("".join(self._content))
        thoughts = [utf8("".join(self.reasoning)), utf8("".join(self._thought)).strip()]
        if not any(thoughts):
            lone, content = split_lone_close(content)
            thoughts = [lone]
        return content, "\n".join(thought for thought in thoughts if thought) or None


def wants_extra(model: str | None) -> bool:
    """Whether what stands beside calls and thinking has to go back to the model: Gemini signs it."""
    return "gemini" in (model or "").lower()


def written_call(wire: Mapping[str, Any]) -> WrittenCall:
    """A call as the wire has it."""
    function = mapping(wire.get("function"))
    id, name = string(wire.get("id")), string(function.get("name"))
    return WrittenCall(id, name, written_arguments(function), mapping(wire.get("extra_content")))


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
