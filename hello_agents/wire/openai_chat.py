"""Chat Completions, the protocol of OpenAI and of most others: requests encoded, replies decoded. All of it pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

from ..core.action import Request, ToolChoice
from ..core.arguments import utf8, utf8_values, write_arguments
from ..core.exceptions import EmptyReply, ModelRefused
from ..core.loose import items, mapping, mappings, parts, string
from ..core.message import ROLES, Message, Role
from ..core.run import Replied
from .errors import fields_of
from .openai_reply import DETAILS, Draft, reasoning_of, wants_extra, wire_calls, written_call
from .openai_stream import Accumulator
from .repair import repair
from .reply import EXTRA, MALFORMED, beside, read_calls

__all__ = [
    "MALFORMED",
    "PATH",
    "Accumulator",
    "decode",
    "decode_messages",
    "decode_request",
    "decode_tool_choice",
    "encode",
    "encode_messages",
    "encode_tool_choice",
]

PATH = "/chat/completions"

_FIXED_SAMPLING = re.compile(r"(?:.*/)?(?:o\d|gpt-5)(?![a-z])", re.IGNORECASE)
"""OpenAI's reasoning models: they refuse a temperature, and `max_tokens` under its old name."""

_NO_THOUGHT = " "
"""Stands for the thinking of a call that was made without: who asks for thinking asks for it there, and not empty."""

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
    What stood beside a call goes back to Gemini, and so do the parts of its thinking: it signs its calls there, and
    others would refuse either.
    `extra`: further fields of the body, over the ones made here; `None` takes a field out.
    """
    body: dict[str, Any] = {
        "model": model,
        "messages": encode_messages(
            request.messages, send_reasoning=send_reasoning, send_extra=wants_extra(model), language=language
        ),
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
    messages: Iterable[Message],
    *,
    send_reasoning: bool = False,
    send_extra: bool = False,
    language: str = "en",
) -> list[dict[str, Any]]:
    """Messages on the wire, one for each message of the repaired history."""
    return [_encode_message(message, send_reasoning, send_extra) for message in repair(messages, language)]


def encode_tool_choice(choice: ToolChoice) -> str | dict[str, Any]:
    return choice if choice in _WORDS else {"type": "function", "function": {"name": choice}}


def _encode_message(message: Message, send_reasoning: bool, send_extra: bool) -> dict[str, Any]:
    content = None if message.content is None else utf8(message.content)
    match message.role:
        case "tool":
            return {"role": "tool", "tool_call_id": message.answers, "content": content}
        case "assistant":
            wire: dict[str, Any] = {"role": "assistant", "content": content}
            if message.tool_calls:
                extra = mapping(message.metadata.get(EXTRA) if send_extra else None)
                wire["tool_calls"] = [
                    {
                        "id": call.id,
                        "type": "function",
                        "function": {"name": call.name, "arguments": write_arguments(call.arguments)},
                    }
                    | ({"extra_content": extra[call.id]} if call.id in extra else {})
                    for call in message.tool_calls
                ]
            if send_reasoning and (message.reasoning or message.tool_calls):
                wire["reasoning_content"] = utf8(message.reasoning or _NO_THOUGHT)
            if send_extra and (details := items(message.metadata.get(DETAILS))):
                wire[DETAILS] = details
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
    written = [written_call(call) for call in wire_calls(wire)] if role == "assistant" else []
    calls = read_calls(written, at, language)
    return Message(
        said,
        role,
        tool_calls=calls,
        answers=string(wire.get("tool_call_id")) if role == "tool" else None,
        reasoning=next((told for told in (reasoning_of(wire), thought) if told and told != _NO_THOUGHT), None),
        metadata=beside(calls, written),
    )


# Replies


def decode(response: object, *, step: int = 0, language: str = "en") -> Replied:
    """The reply in a response. Raises `EmptyReply`, `BadReply`, or the error that the response tells of.

    `step` goes into ids that the provider left out, so that they are unique in a run.
    """
    fields = fields_of(response)
    choice = next(iter(mappings(fields.get("choices"))), None)
    if choice is None:
        raise EmptyReply("The provider sent no choices. Ask again; if it stays so, look at the model's name.")
    wire = mapping(choice.get("message"))
    draft = Draft()
    draft.envelope(fields)
    draft.finish = string(choice.get("finish_reason")) or None
    said, thought, _ = parts(wire.get("content"))
    draft.reasoning = [reasoning_of(wire) or "", thought]
    for part, piece in draft.split.feed(said or string(wire.get("refusal"))):
        draft.take(part, piece)
    draft.detail(wire.get(DETAILS))
    draft.calls = [written_call(call) for call in wire_calls(wire)]
    return draft.replied(step, language)
