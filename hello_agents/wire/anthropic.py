"""Anthropic's Messages API: requests encoded, replies decoded. All of it pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..catalogue import text
from ..core.action import Request, ToolChoice
from ..core.arguments import utf8, utf8_values, write_arguments
from ..core.exceptions import ModelRefused
from ..core.loose import items, mapping, mappings, number, parts, string
from ..core.message import Message, Usage
from ..core.run import Replied
from .anthropic_stream import Accumulator
from .blocks import fitting, plain
from .errors import fields_of
from .repair import Turn, turns
from .reply import WrittenCall, assemble, assistant

__all__ = ["KEPT", "PATH", "STATUS_OF", "Accumulator", "decode", "decode_request", "encode"]

PATH = "/v1/messages"

MAX_TOKENS = 8192
"""What a reply may cost where nothing is said: the protocol demands a number."""

KEPT = "anthropic"
"""In the metadata of a reply: its thinking, signed. It has to go back as it came."""

STATUS_OF = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""The status for a kind of error, where an error comes without one."""

_CHOICES: Mapping[str, dict[str, Any]] = {
    "auto": {"type": "auto"},
    "none": {"type": "none"},
    "required": {"type": "any"},
}
_FINISHES = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "content_filter",
}
"""Finish reasons in the words of the other providers."""
_RANKS = {"text": 1, "tool_use": 2}
_THINKING = ("thinking", "redacted_thinking")


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

    The temperature stays here as well: the version of the protocol that the official client speaks refuses it, and so
    `top_p` and `top_k`. Signed thinking always goes back, other thinking with `send_reasoning`, for servers that do not
    sign and still ask for it. `extra`: further fields of the body, over the ones made here; `None` takes a field out.
    """
    system, sides = turns(request.messages, language)
    further: dict[str, Any] = utf8_values(dict(extra or {}))
    body: dict[str, Any] = {
        "model": model,
        "max_tokens": max_tokens or MAX_TOKENS + number(further, "thinking", "budget_tokens"),
        "messages": _encode_turns(sides, send_reasoning, language),
    }
    if system:
        body["system"] = utf8(system)
    if tools := [_encode_tool(tool) for tool in request.tools]:
        body["tools"] = tools
        body["tool_choice"] = _CHOICES.get(request.tool_choice) or {"type": "tool", "name": request.tool_choice}
    elif names := _called(sides):
        # Calls in the history are refused where no tools are defined.
        body["tools"] = [{"name": name, "input_schema": {"type": "object"}} for name in names]
        body["tool_choice"] = _CHOICES["none"]
    if stream:
        body["stream"] = True
    if stop := further.pop("stop", None):
        body["stop_sequences"] = [stop] if isinstance(stop, str) else stop
    body.update(further)
    return {name: value for name, value in body.items() if value is not None}


def _encode_tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    function = mapping(tool.get("function")) or tool
    made = {"name": function.get("name"), "description": string(function.get("description"))}
    schema: dict[str, Any] = {"type": "object", "properties": {}}
    schema.update(mapping(function.get("parameters")))
    return utf8_values({**{name: value for name, value in made.items() if value}, "input_schema": schema})


def _called(sides: Iterable[Turn]) -> list[str]:
    calls = (call for side in sides for message in side.messages for call in message.tool_calls)
    return list(dict.fromkeys(plain(call.name) for call in calls))


def _encode_turns(sides: Iterable[Turn], send_reasoning: bool, language: str) -> list[dict[str, Any]]:
    ids = _Ids()
    return [
        {
            "role": side.role,
            "content": [
                block for message in side.messages for block in _encode_message(message, ids, send_reasoning, language)
            ],
        }
        for side in sides
    ]


class _Ids:
    """Ids in the letters that are allowed here, and still no two the same."""

    def __init__(self) -> None:
        self._made: dict[str, str] = {}
        self._taken: set[str] = set()

    def of(self, id: str) -> str:
        if id not in self._made:
            made = plain(id)
            while made in self._taken:
                made += "_"
            self._taken.add(made)
            self._made[id] = made
        return self._made[id]


def _encode_message(message: Message, ids: _Ids, send_reasoning: bool, language: str) -> list[dict[str, Any]]:
    match message.role:
        case "tool":
            block: dict[str, Any] = {"type": "tool_result", "tool_use_id": ids.of(message.answers or "")}
            if message.status == "error":
                # An error without words is refused.
                said = message.text if message.text.strip() else text("wire.no_words", language)
                return [block | {"content": utf8(said), "is_error": True}]
            return [block | {"content": utf8(message.text)} if message.text else block]
        case "assistant":
            return _encode_assistant(message, ids, send_reasoning)
        case _:
            return [{"type": "text", "text": utf8(message.text)}]


def _encode_assistant(message: Message, ids: _Ids, send_reasoning: bool) -> list[dict[str, Any]]:
    """The blocks in the order in which they came, where that is known: thinking, text, calls."""
    calls = iter(message.tool_calls)
    kept = mappings(message.metadata.get(KEPT))
    if not fitting(kept, _text_of, lambda block: block.get("type") == "tool_use", message):
        kept = [block for block in kept if block.get("type") in _THINKING]
        kept += [{"type": "text", "text": message.text}, *({"type": "tool_use"} for _ in message.tool_calls)]
    blocks: list[dict[str, Any]] = []
    if send_reasoning and message.reasoning and not any(block.get("type") in _THINKING for block in kept):
        blocks.append({"type": "thinking", "thinking": utf8(message.reasoning), "signature": ""})
    for block in kept:
        match block.get("type"):
            case "tool_use":
                call = next(calls)
                # By way of the text, so that every value is one that JSON knows.
                arguments = json.loads(write_arguments(call.arguments))
                blocks.append({"type": "tool_use", "id": ids.of(call.id), "name": plain(call.name), "input": arguments})
            case "text":
                # A block without text is refused.
                if not (said := string(block.get("text"))).isspace() and said:
                    blocks.append({"type": "text", "text": utf8(said)})
            case _:
                blocks.append(dict(block))
    return blocks


def _text_of(block: Mapping[str, Any]) -> str:
    return string(block.get("text")) if block.get("type") == "text" else ""


# Requests read back


def decode_request(body: Mapping[str, Any]) -> Request:
    """The request that a body stands for; the inverse of `encode`, but for sampling and `at`.

    Raises `ModelRefused` for what has no meaning here, images among it.
    """
    messages: list[Message] = []
    if system := parts(body.get("system"))[0]:
        messages.append(Message(system, "system"))
    for at, wire in enumerate(mappings(body.get("messages"))):
        messages.extend(_decode_message(wire, at))
    choice = mapping(body.get("tool_choice"))
    return Request(messages, tuple(_decode_tool(tool) for tool in mappings(body.get("tools"))), _decode_choice(choice))


def _decode_tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    function = {name: tool[name] for name in ("name", "description") if name in tool}
    return {"type": "function", "function": {**function, "parameters": tool.get("input_schema", {})}}


def _decode_choice(choice: Mapping[str, Any]) -> ToolChoice:
    kind = string(choice.get("type")) or "auto"
    return string(choice.get("name")) if kind == "tool" else "required" if kind == "any" else kind


def _decode_message(wire: Mapping[str, Any], at: int) -> list[Message]:
    content = wire.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else mappings(content)
    if wire.get("role") == "assistant":
        return [_decode_assistant(blocks, at, "en")]
    return [_decode_user(block, at) for block in blocks]


def _decode_user(block: Mapping[str, Any], at: int) -> Message:
    match block.get("type"):
        case "text":
            return Message(string(block.get("text")), "user")
        case "tool_result":
            said, _, other = parts(block.get("content"))
            if not other:
                status = "error" if block.get("is_error") else None
                return Message(said or "", "tool", answers=string(block.get("tool_use_id")), status=status)
            kind = other[0]
        case kind:
            pass
    raise ModelRefused(f"Message {at} has a block of type {kind!r}. Messages here are text; leave it out.")


def _decode_assistant(blocks: Sequence[Mapping[str, Any]], step: int, language: str) -> Message:
    return assistant(*_said(blocks), step, language)


# Replies


def decode(response: object, *, step: int = 0, language: str = "en") -> Replied:
    """The reply in a response. Raises `EmptyReply`, `BadReply`, `ModelRefused`, or the error that it tells of.

    `step` goes into ids that the provider left out, so that they are unique in a run.
    """
    fields = fields_of(response)
    content, reasoning, written, kept = _said(mappings(fields.get("content")))
    reason = string(fields.get("stop_reason"))
    if reason == "refusal" and not content and not written:
        why = string(mapping(fields.get("stop_details")).get("explanation"))
        raise ModelRefused(
            f"The model declined to answer. {why or 'It gave no reason.'} Put the question in other words.",
            provider_message=why,
        )
    return assemble(
        content,
        reasoning,
        written,
        _usage(fields.get("usage")),
        string(fields.get("model")) or None,
        _FINISHES.get(reason, reason) or None,
        step=step,
        language=language,
        metadata=kept,
    )


def _said(
    blocks: Sequence[Mapping[str, Any]],
) -> tuple[str, str | None, list[WrittenCall], dict[str, Any] | None]:
    """`(text, thinking, calls, metadata)` of an assistant's blocks."""
    said: list[str] = []
    thought: list[str] = []
    calls: list[WrittenCall] = []
    kept: list[dict[str, Any]] = []
    for block in blocks:
        match block.get("type"):
            case "text":
                said.append(string(block.get("text")))
                kept.append({"type": "text", "text": said[-1]})
            case "tool_use":
                calls.append(WrittenCall(string(block.get("id")), string(block.get("name")), _written(block)))
                kept.append({"type": "tool_use"})
            case "thinking":
                thought.append(string(block.get("thinking")))
                if block.get("signature"):
                    kept.append({name: block.get(name) for name in ("type", "thinking", "signature")})
            case "redacted_thinking":
                kept.append({name: block.get(name) for name in ("type", "data")})
            case _:
                pass
    reasoning = "\n".join(utf8(piece) for piece in thought if piece) or None
    return utf8("".join(said)), reasoning, calls, _kept(kept)


def _kept(blocks: list[dict[str, Any]]) -> dict[str, Any] | None:
    """What has to be remembered beside the message: signed thinking, and the order if it is not the usual one."""
    thinking = [block for block in blocks if block["type"] in _THINKING]
    if not thinking:
        return None
    ranks = [_RANKS.get(block["type"], 0) for block in blocks]
    usual = ranks == sorted(ranks) and ranks.count(1) <= 1
    return {KEPT: thinking if usual else blocks}


def _written(block: Mapping[str, Any]) -> str:
    given = block.get("input")
    return given if isinstance(given, str) else write_arguments(mapping(given)) if not items(given) else str(given)


def _usage(counted: object) -> Usage:
    """The tokens as counted by the provider, which counts those of its cache apart."""
    cached = number(counted, "cache_read_input_tokens")
    return Usage(
        number(counted, "input_tokens") + cached + number(counted, "cache_creation_input_tokens"),
        number(counted, "output_tokens"),
        cached,
        number(counted, "output_tokens_details", "thinking_tokens"),
    )
