"""Chat Completions, the protocol of OpenAI and of most others: requests encoded, replies decoded. All of it pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from ..core.action import Request, ToolChoice
from ..core.exceptions import BadReply, EmptyReply, ModelRefused
from ..core.message import ROLES, Message, Role, ToolCall, Usage
from ..core.run import Delta, Replied
from .arguments import read_arguments, utf8, utf8_values, write_arguments
from .errors import told
from .loose import mapping, mappings, number, parts, short, string
from .repair import repair
from .thinking import ThinkSplitter, split_lone_close

PATH = "/chat/completions"

_FIXED_SAMPLING = re.compile(r"(?:.*/)?(?:o\d|gpt-5)(?![a-z])", re.IGNORECASE)
"""OpenAI's reasoning models: they refuse a temperature, and `max_tokens` under its old name."""

_WORDS = ("auto", "none", "required")


# Requests


def encode(
    request: Request,
    *,
    model: str,
    temperature: float | None = None,
    max_tokens: int | None = None,
    stream: bool = False,
    send_reasoning: bool = False,
    language: str = "en",
    extra: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The body of a request, as plain JSON values. `Request.at` stays here.

    `send_reasoning`: earlier thinking goes back as `reasoning_content`; some providers ask for it, others refuse it.
    `extra`: further fields of the body, over the ones made here; `None` takes a field out.
    """
    body: dict[str, Any] = {
        "model": model,
        "messages": encode_messages(request.messages, send_reasoning=send_reasoning, language=language),
    }
    if request.tools:
        body["tools"] = utf8_values(list(request.tools))
        body["tool_choice"] = encode_tool_choice(request.tool_choice)
    fixed = _FIXED_SAMPLING.match(model) is not None
    if temperature is not None and not fixed:
        body["temperature"] = temperature
    if max_tokens is not None:
        body["max_completion_tokens" if fixed else "max_tokens"] = max_tokens
    if stream:
        body["stream"] = True
        body["stream_options"] = {"include_usage": True}
    if extra:
        body.update(utf8_values(extra))
        body = {name: value for name, value in body.items() if value is not None}
    return body


def encode_messages(
    messages: Iterable[Message], *, send_reasoning: bool = False, language: str = "en"
) -> list[dict[str, Any]]:
    """Messages on the wire, one for each message of the repaired history."""
    return [_encode_message(message, send_reasoning) for message in repair(messages, language)]


def encode_tool_choice(choice: ToolChoice) -> str | dict[str, Any]:
    return choice if choice in _WORDS else {"type": "function", "function": {"name": choice}}


def _encode_message(message: Message, send_reasoning: bool) -> dict[str, Any]:
    content = None if message.content is None else utf8(message.content)
    match message.role:
        case "tool":
            return {"role": "tool", "tool_call_id": message.answers, "content": content}
        case "assistant":
            wire: dict[str, Any] = {"role": "assistant", "content": content}
            if message.tool_calls:
                wire["tool_calls"] = [
                    {
                        "id": call.id,
                        "type": "function",
                        "function": {"name": call.name, "arguments": write_arguments(call.arguments)},
                    }
                    for call in message.tool_calls
                ]
            if send_reasoning and message.reasoning is not None:
                wire["reasoning_content"] = utf8(message.reasoning)
            return wire
        case _:
            return {"role": message.role, "content": content}


# Messages and requests read back


def decode_messages(wire: Iterable[Mapping[str, Any] | Message], language: str = "en") -> list[Message]:
    """Messages from the dictionaries of the wire; `Message` objects among them stay as they are.

    The inverse of `encode_messages` over legal histories. Raises `ModelRefused` for what has no meaning here.
    """
    return [item if isinstance(item, Message) else _decode_message(item, at, language) for at, item in enumerate(wire)]


def decode_tool_choice(choice: object) -> ToolChoice:
    match choice:
        case None:
            return "auto"
        case str():
            return choice
        case {"function": {"name": str() as name}} | {"name": str() as name}:
            return name
        case _:
            raise ModelRefused(f"{choice!r} is no tool choice. Use 'auto', 'none', 'required' or the name of a tool.")


def decode_request(body: Mapping[str, Any]) -> Request:
    """The request that a body stands for; the inverse of `encode`, but for sampling and `at`."""
    return Request(
        decode_messages(body.get("messages") or ()),
        tuple(body.get("tools") or ()),
        decode_tool_choice(body.get("tool_choice")),
    )


def _decode_message(wire: Mapping[str, Any], at: int, language: str) -> Message:
    role = string(wire.get("role"))
    if role not in ROLES and role != "developer":
        raise ModelRefused(f"Message {at} has the role {wire.get('role')!r}. Use system, user, assistant or tool.")
    role = "system" if role == "developer" else cast("Role", role)
    said, thought, other = parts(wire.get("content"))
    if other:
        raise ModelRefused(f"Message {at} has a part of type {other[0]!r}. Messages here are text; leave it out.")
    return Message(
        said,
        role,
        tool_calls=_calls(wire, language) if role == "assistant" else (),
        answers=string(wire.get("tool_call_id")) if role == "tool" else None,
        reasoning=_reasoning(wire) or thought or None,
    )


# Replies


def decode(response: object, *, step: int = 0, language: str = "en") -> Replied:
    """The reply in a response. Raises `EmptyReply`, `BadReply`, or the error that the response tells of.

    `step` goes into ids that the provider left out, so that they are unique in a run.
    """
    fields = _fields(response)
    choice = next(iter(mappings(fields.get("choices"))), None)
    if choice is None:
        raise EmptyReply("The provider sent no choices. Ask again; if it stays so, look at the model's name.")
    wire = mapping(choice.get("message"))
    draft = _Draft()
    draft.reasoning.append(_reasoning(wire) or "")
    said, thought, _ = parts(wire.get("content"))
    draft.reasoning.append(thought)
    for part, piece in draft.split.feed(said or string(wire.get("refusal"))):
        draft.take(part, piece)
    calls = _calls(wire, language)
    return _replied(draft, calls, fields, string(choice.get("finish_reason")) or None, step)


class Accumulator:
    """A streamed reply being put together. `feed` it the chunks, then `finish` it once."""

    def __init__(self, *, step: int = 0, language: str = "en") -> None:
        self._step = step
        self._language = language
        self._draft = _Draft()
        self._slots: list[_Slot] = []
        self._by_index: dict[int, _Slot] = {}
        self._half = ""
        """The first half of a character whose second half comes with the next chunk."""
        self._envelope: dict[str, Any] = {}
        self._finish: str | None = None
        self._began = False

    def feed(self, chunk: object) -> Iterator[Delta]:
        """What the chunk adds. Raises the error that the chunk tells of."""
        fields = _fields(chunk)
        if isinstance(fields.get("usage"), Mapping):
            self._envelope["usage"] = fields["usage"]
        if model := string(fields.get("model")):
            self._envelope["model"] = model
        for choice in mappings(fields.get("choices")):
            if choice.get("index") in (0, None):
                yield from self._choice(choice)

    def finish(self) -> Replied:
        """The whole reply. Raises `EmptyReply` when there was none."""
        if not self._began:
            raise EmptyReply("The stream ended without a choice. Ask again; if it stays so, look at the model's name.")
        calls = [slot.call(self._language) for slot in self._slots]
        return _replied(self._draft, calls, self._envelope, self._finish, self._step, self._half)

    def _choice(self, choice: Mapping[str, Any]) -> Iterator[Delta]:
        self._began = True
        self._finish = string(choice.get("finish_reason")) or self._finish
        wire = mapping(choice.get("delta") or choice.get("message"))
        said, thought, _ = parts(wire.get("content"))
        if thought := (_reasoning(wire) or "") + thought:
            self._draft.reasoning.append(thought)
            yield Delta(utf8(thought), "reasoning")
        if said := (said or string(wire.get("refusal"))):
            yield from self._text(said)
        for call in _wire_calls(wire):
            yield from self._call(call)

    def _text(self, said: str) -> Iterator[Delta]:
        said = self._half + said
        self._half = ""
        if "\ud800" <= said[-1] <= "\udbff":
            said, self._half = said[:-1], said[-1]
        for part, piece in self._draft.split.feed(utf8(said)):
            self._draft.take(part, piece)
            yield Delta(piece, part)

    def _call(self, wire: Mapping[str, Any]) -> Iterator[Delta]:
        function = _function(wire)
        id, name, index = string(wire.get("id")), string(function.get("name")), wire.get("index")
        arguments = function.get("arguments")
        piece = arguments if isinstance(arguments, str) else "" if arguments is None else _written(arguments)
        place = index if isinstance(index, int) else None
        slot = self._slot(place, id, name, piece)
        first = not slot.name
        slot.id = slot.id or id
        if slot.name and name and name != slot.name and not slot.text:
            slot.name += name
        slot.name = slot.name or name
        slot.pieces.append(piece)
        if piece or (first and name):
            yield Delta(utf8(piece), "call", slot.position, slot.name if first else None)

    def _slot(self, place: int | None, id: str, name: str, piece: str) -> _Slot:
        """The call that a delta belongs to: by its index if that fits its id, else by its id, else the last one."""
        slot = None if place is None else self._by_index.get(place)
        if slot is None and id:
            slot = next((slot for slot in self._slots if slot.id == id), None)
        if slot is None and self._slots and (place is None or not (id or name)):
            slot = self._slots[-1]
        if slot is None or slot.is_over(id, name, piece, indexed=place is not None):
            slot = _Slot(len(self._slots))
            self._slots.append(slot)
        if place is not None:
            self._by_index[place] = slot
        return slot


@dataclass(slots=True)
class _Slot:
    """One streamed call while its pieces come."""

    position: int
    id: str = ""
    name: str = ""
    pieces: list[str] = field(default_factory=list[str])

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    def is_over(self, id: str, name: str, piece: str, *, indexed: bool) -> bool:
        """Whether the delta begins another call, though it came to this one's place.

        Some servers send every call under index 0, and some repeat the name with every piece.
        """
        if id and self.id:
            return id != self.id
        if not name or not self.name:
            return False
        if not self.text:
            return name != self.name and not indexed
        if name == self.name and not piece:
            return False
        arguments, fault = read_arguments(self.text)
        return fault is None and (bool(arguments) or not self.text.isspace())

    def call(self, language: str) -> ToolCall:
        return _call(self.id, self.name, self.text, language)


class _Draft:
    """The text of a reply while it is put together."""

    def __init__(self) -> None:
        self.split = ThinkSplitter()
        self.reasoning: list[str] = []
        """From a field of its own."""
        self.thought: list[str] = []
        """From between tags."""
        self.content: list[str] = []

    def take(self, part: str, piece: str) -> None:
        (self.content if part == "content" else self.thought).append(piece)

    def close(self, rest: str) -> tuple[str, str | None]:
        """`(content, reasoning)`, complete."""
        for part, piece in self.split.feed(rest) if rest else ():
            self.take(part, piece)
        for part, piece in self.split.close():
            self.take(part, piece)
        content = "".join(self.content)
        thoughts = [thought for thought in (utf8("".join(self.reasoning)), "".join(self.thought).strip()) if thought]
        if not thoughts:
            lone, content = split_lone_close(content)
            thoughts = [lone] if lone else []
        return content, "\n".join(thoughts) or None


def _replied(
    draft: _Draft, calls: list[ToolCall], envelope: Mapping[str, Any], finish: str | None, step: int, rest: str = ""
) -> Replied:
    said, reasoning = draft.close(rest)
    content = utf8(said)
    if not content or content.isspace():
        if not calls:
            raise EmptyReply(
                f"The reply has neither text nor calls (it finished for {finish!r}). "
                "Ask again, or raise max_tokens if the model spent them on thinking."
            )
        content = None
    return Replied(
        Message(content, "assistant", tool_calls=_with_ids(calls, step), reasoning=reasoning),
        _usage(envelope.get("usage")),
        string(envelope.get("model")) or None,
        finish,
    )


def _fields(response: object) -> Mapping[str, Any]:
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


def _calls(wire: Mapping[str, Any], language: str) -> list[ToolCall]:
    return [
        _call(string(call.get("id")), string(_function(call).get("name")), _function(call).get("arguments"), language)
        for call in _wire_calls(wire)
    ]


def _call(id: str, name: str, arguments: object, language: str) -> ToolCall:
    read, fault = read_arguments(arguments, language)
    return ToolCall(id, utf8(name), read, fault)


def _with_ids(calls: Sequence[ToolCall], step: int) -> list[ToolCall]:
    """The calls with ids that are there and differ."""
    taken = {call.id for call in calls}
    seen: set[str] = set()
    named: list[ToolCall] = []
    for position, call in enumerate(calls):
        id = call.id
        if not id or id in seen:
            id = f"call_{step}_{position}"
            while id in taken or id in seen:
                id += "_"
        seen.add(id)
        named.append(call if id == call.id else replace(call, id=id))
    return named


def _wire_calls(wire: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    calls = mappings(wire.get("tool_calls"))
    old = wire.get("function_call")
    return [{"function": old}] if not calls and isinstance(old, Mapping) else calls


def _function(call: Mapping[str, Any]) -> Mapping[str, Any]:
    return mapping(call.get("function"))


def _reasoning(wire: Mapping[str, Any]) -> str | None:
    return string(wire.get("reasoning_content")) or string(wire.get("reasoning")) or None


def _usage(counted: object) -> Usage:
    """The tokens as counted by the provider; what it left out is nought."""
    return Usage(
        number(counted, "prompt_tokens"),
        number(counted, "completion_tokens"),
        number(counted, "prompt_tokens_details", "cached_tokens") or number(counted, "prompt_cache_hit_tokens"),
        number(counted, "completion_tokens_details", "reasoning_tokens"),
    )


def _written(arguments: object) -> str:
    """Arguments that a server sent as an object, as the text that the others send."""
    return write_arguments(mapping(arguments)) if mapping(arguments) else "{}"
