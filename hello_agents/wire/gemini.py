"""Gemini's generateContent: requests encoded, replies decoded. All of it pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..core.action import Request, ToolChoice
from ..core.arguments import utf8, utf8_values, write_arguments
from ..core.exceptions import EmptyReply, ModelRefused
from ..core.loose import mapping, mappings, number, string
from ..core.message import Message, Usage
from ..core.run import Delta, Replied
from .blocks import fitting, plain
from .errors import fields_of
from .gemini_schema import gemini_schema
from .repair import Turn, turns
from .reply import WrittenCall, assemble, assistant

__all__ = ["KEPT", "PATH", "Accumulator", "decode", "decode_request", "encode"]

PATH = "generateContent"
"""The method; the client makes the path of it and of the model's name."""

KEPT = "gemini"
"""In the metadata of a reply: its parts, if any is signed. The signatures have to go back as they came."""

SKIP_SIGNATURE = "skip_thought_signature_validator"
"""What Google lets stand for the signature of a call that another model made."""

_WANTS_SIGNATURES = re.compile(r"(?:.*/)?gemini-(?:[3-9]|\d\d)", re.IGNORECASE)

_MODES = {"auto": "AUTO", "none": "NONE", "required": "ANY"}
_CHOICES = {mode: choice for choice, mode in _MODES.items()}

_TOP_LEVEL = ("safetySettings", "cachedContent", "serviceTier", "store", "toolConfig", "tools", "labels")
"""Fields of the body. All others are settings of the generation."""
_RENAMED: dict[str, str] = {"stop": "stopSequences", "n": "candidateCount"}
"""Settings that the other providers name otherwise."""

_FINISHES = {"STOP": "stop", "MAX_TOKENS": "length"}
_REFUSALS = ("SAFETY", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "RECITATION", "LANGUAGE", "MODEL_ARMOR")


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
    """The body of a request, as plain JSON values, and the model with it. `Request.at` stays here.

    Signatures of thoughts always go back, the thoughts themselves never. `extra`: further fields, of the generation's
    settings or of the body, over the ones made here; `None` takes a field out.
    """
    system, sides = turns(request.messages, language)
    signed = _WANTS_SIGNATURES.match(model) is not None
    settings: dict[str, Any] = {"temperature": temperature, "maxOutputTokens": max_tokens}
    body: dict[str, Any] = {"model": model, "contents": _encode_turns(sides, signed)}
    if system:
        body["systemInstruction"] = {"parts": [{"text": utf8(system)}]}
    if request.tools:
        body["tools"] = [{"functionDeclarations": [_encode_tool(tool, language) for tool in request.tools]}]
        body["toolConfig"] = {"functionCallingConfig": _encode_choice(request.tool_choice)}
    further: dict[str, Any] = utf8_values(dict(extra or {}))
    for name, value in further.items():
        name = _camel(_RENAMED.get(name, name))
        if name == "stopSequences" and isinstance(value, str):
            value = [value]
        (body if name in _TOP_LEVEL else settings)[name] = value
    if settings := {name: value for name, value in settings.items() if value is not None}:
        body["generationConfig"] = settings
    return {name: value for name, value in body.items() if value is not None}


def _encode_tool(tool: Mapping[str, Any], language: str) -> dict[str, Any]:
    function = mapping(tool.get("function")) or tool
    made = {"name": function.get("name"), "description": string(function.get("description"))}
    schema = gemini_schema(mapping(function.get("parameters")), language)
    return utf8_values({name: value for name, value in (made | {"parameters": schema}).items() if value})


def _encode_choice(choice: ToolChoice) -> dict[str, Any]:
    if choice in _MODES:
        return {"mode": _MODES[choice]}
    return {"mode": "ANY", "allowedFunctionNames": [choice]}


def _encode_turns(sides: Iterable[Turn], signed: bool) -> list[dict[str, Any]]:
    """Results stand in a content of their own: as many of them as there were calls, and nothing else."""
    contents: list[dict[str, Any]] = []
    names: dict[str, str] = {}
    for side in sides:
        if side.role == "assistant":
            for message in side.messages:
                names.update((call.id, plain(call.name)) for call in message.tool_calls)
            said = [part for message in side.messages for part in _encode_assistant(message, signed)]
            contents.append({"role": "model", "parts": said})
            continue
        results = [_encode_result(message, names) for message in side.messages if message.role == "tool"]
        asked = [{"text": utf8(message.text)} for message in side.messages if message.role == "user"]
        contents.extend({"role": "user", "parts": group} for group in (results, asked) if group)
    return contents


def _encode_result(message: Message, names: Mapping[str, str]) -> dict[str, Any]:
    key = "error" if message.status == "error" else "output"
    id = message.answers or ""
    return {"functionResponse": {"id": id, "name": names[id], "response": {key: utf8(message.text)}}}


def _encode_assistant(message: Message, signed: bool) -> list[dict[str, Any]]:
    """The parts as they came, where that is known, each with its signature."""
    calls = iter(message.tool_calls)
    kept = mappings(message.metadata.get(KEPT))
    if not fitting(kept, _text_of, lambda part: "call" in part, message):
        signatures = [part for part in kept if "call" in part]
        if len(signatures) != len(message.tool_calls):
            signatures = [{"call": True} for _ in message.tool_calls]
        kept = [{"text": message.text}, *signatures]
    parts: list[dict[str, Any]] = []
    for part in kept:
        signature = {name: part[name] for name in ("thoughtSignature",) if part.get(name)}
        if "call" in part:
            call = next(calls)
            arguments = json.loads(write_arguments(call.arguments))
            wire = {"functionCall": {"id": call.id, "name": plain(call.name), "args": arguments}}
            if signed and not signature and not any("functionCall" in other for other in parts):
                signature = {"thoughtSignature": SKIP_SIGNATURE}
            parts.append(wire | signature)
        elif part.get("thought"):
            parts.append({"text": part.get("text"), "thought": True} | signature)
        elif signature or (part.get("text") and not string(part.get("text")).isspace()):
            parts.append({"text": utf8(string(part.get("text")))} | signature)
    return parts


def _text_of(part: Mapping[str, Any]) -> str:
    return "" if part.get("thought") else string(part.get("text"))


def _camel(name: str) -> str:
    first, *more = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in more)


# Requests read back


def decode_request(body: Mapping[str, Any]) -> Request:
    """The request that a body stands for; the inverse of `encode`, but for sampling, `at` and the form of schemas.

    Raises `ModelRefused` for what has no meaning here, images among it.
    """
    messages: list[Message] = []
    if system := "".join(_text_of(part) for part in mappings(mapping(body.get("systemInstruction")).get("parts"))):
        messages.append(Message(system, "system"))
    for at, content in enumerate(mappings(body.get("contents"))):
        wire = mappings(content.get("parts"))
        if content.get("role") == "model":
            messages.append(assistant(*_said(wire), at, "en"))
        else:
            messages.extend(_decode_user(part, at) for part in wire)
    declared = [tool for group in mappings(body.get("tools")) for tool in mappings(group.get("functionDeclarations"))]
    choice = mapping(mapping(body.get("toolConfig")).get("functionCallingConfig"))
    return Request(messages, tuple({"type": "function", "function": dict(tool)} for tool in declared), _choice(choice))


def _choice(choice: Mapping[str, Any]) -> ToolChoice:
    names: Sequence[str] = choice.get("allowedFunctionNames") or ()
    return names[0] if names else _CHOICES.get(string(choice.get("mode")), "auto")


def _decode_user(part: Mapping[str, Any], at: int) -> Message:
    match part:
        case {"text": str(said)}:
            return Message(said, "user")
        case {"functionResponse": given}:
            result = mapping(given)
            response = mapping(result.get("response"))
            status = "error" if "error" in response else None
            said = string(response.get("error", response.get("output")))
            return Message(said, "tool", answers=string(result.get("id")), status=status)
        case _:
            kind = next(iter(part), "nothing")
            raise ModelRefused(f"Content {at} has a part of type {kind!r}. Messages here are text; leave it out.")


# Replies


def decode(response: object, *, step: int = 0, language: str = "en") -> Replied:
    """The reply in a response. Raises `EmptyReply`, `BadReply`, `ModelRefused`, or the error that it tells of.

    Calls without ids get some made of `step`, so that they are unique in a run.
    """
    fields = fields_of(response)
    candidate = next(iter(mappings(fields.get("candidates"))), None)
    if candidate is None:
        _refuse(mapping(fields.get("promptFeedback")).get("blockReason"), "the prompt")
        raise EmptyReply("The provider sent no candidates. Ask again; if it stays so, look at the model's name.")
    content, reasoning, calls, kept = _said(mappings(mapping(candidate.get("content")).get("parts")))
    reason = string(candidate.get("finishReason"))
    if not content and not calls and reason in _REFUSALS:
        _refuse(reason, "its answer", string(candidate.get("finishMessage")))
    finish = _FINISHES.get(reason) or ("content_filter" if reason in _REFUSALS else reason.lower())
    return assemble(
        content,
        reasoning,
        calls,
        _usage(fields.get("usageMetadata")),
        string(fields.get("modelVersion")) or None,
        ("tool_calls" if calls and finish == "stop" else finish) or None,
        step=step,
        language=language,
        metadata=kept,
    )


def _refuse(reason: object, what: str, words: str = "") -> None:
    if reason:
        raise ModelRefused(
            f"The provider blocked {what} ({reason}). {words or 'Put the question in other words.'}",
            provider_message=words or str(reason),
        )


def _said(
    wire: Iterable[Mapping[str, Any]],
) -> tuple[str, str | None, list[WrittenCall], dict[str, Any] | None]:
    """`(text, thoughts, calls, metadata)` of a model's parts."""
    said: list[str] = []
    thought: list[str] = []
    calls: list[WrittenCall] = []
    kept: list[dict[str, Any]] = []
    for part in wire:
        signature = {name: part[name] for name in ("thoughtSignature",) if part.get(name)}
        if call := mapping(part.get("functionCall")):
            calls.append(_written(call))
            kept.append({"call": True} | signature)
            continue
        piece = part.get("text")
        if not isinstance(piece, str):
            continue
        if part.get("thought"):
            thought.append(piece)
            if signature:
                kept.append({"text": piece, "thought": True} | signature)
        else:
            said.append(piece)
            _keep_text(kept, piece, signature)
    signed = any("thoughtSignature" in part for part in kept)
    return utf8("".join(said)), utf8("".join(thought)) or None, calls, {KEPT: kept} if signed else None


def _keep_text(kept: list[dict[str, Any]], piece: str, signature: dict[str, Any]) -> None:
    """Pieces without a signature become one part; a signed part stays by itself."""
    last = kept[-1] if kept else None
    if signature or last is None or last.keys() != {"text"}:
        if piece or signature:
            kept.append({"text": piece} | signature)
    else:
        last["text"] += piece


def _written(call: Mapping[str, Any]) -> WrittenCall:
    return WrittenCall(string(call.get("id")), string(call.get("name")), write_arguments(mapping(call.get("args"))))


def _usage(counted: object) -> Usage:
    """The tokens as counted by the provider, which counts thoughts apart from the answer."""
    thoughts = number(counted, "thoughtsTokenCount")
    return Usage(
        number(counted, "promptTokenCount") + number(counted, "toolUsePromptTokenCount"),
        number(counted, "candidatesTokenCount") + thoughts,
        number(counted, "cachedContentTokenCount"),
        thoughts,
    )


class Accumulator:
    """A streamed reply being put together. `feed` it the responses, ask for the `rest`, then `finish` it.

    The parts grow into the response that would have come whole, which is then decoded as such.
    """

    def __init__(self, *, step: int = 0, language: str = "en") -> None:
        self._step = step
        self._language = language
        self._fields: dict[str, Any] = {}
        self._candidate: dict[str, Any] | None = None
        self._parts: list[Mapping[str, Any]] = []
        self._calls = 0

    def feed(self, chunk: object) -> Iterator[Delta]:
        """What the response adds. Raises the error that it tells of."""
        fields = fields_of(chunk)
        self._fields.update({name: value for name, value in fields.items() if value is not None})
        candidate = next((one for one in mappings(fields.get("candidates")) if not one.get("index")), None)
        if candidate is None:
            return
        self._candidate = {**(self._candidate or {}), **{name: value for name, value in candidate.items() if value}}
        for part in mappings(mapping(candidate.get("content")).get("parts")):
            self._parts.append(part)
            yield from self._told(part)

    def rest(self) -> Iterator[Delta]:
        """Nothing is held back here."""
        return iter(())

    def finish(self) -> Replied:
        """The whole reply. Raises `EmptyReply` when there was none."""
        candidate = {**(self._candidate or {}), "content": {"parts": self._parts}}
        found = {} if self._candidate is None else {"candidates": [candidate]}
        return decode({**self._fields, "candidates": [], **found}, step=self._step, language=self._language)

    @property
    def ended(self) -> bool:
        """Whether a reason to finish was given."""
        return bool((self._candidate or {}).get("finishReason"))

    def _told(self, part: Mapping[str, Any]) -> Iterator[Delta]:
        if call := mapping(part.get("functionCall")):
            written = _written(call)
            yield Delta(written.arguments, "call", self._calls, written.name)
            self._calls += 1
        elif piece := string(part.get("text")):
            yield Delta(utf8(piece), "reasoning" if part.get("thought") else "content")
