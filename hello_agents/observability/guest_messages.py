"""Messages of other frameworks as what was said: OpenAI's two forms, langchain's, llama-index's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..core.message import ToolCall, Usage
from ..wire.arguments import read_arguments
from ..wire.loose import items, mapping, mappings, number, parts, string
from .guest_journal import Item, Reply, Result, Said

Fields = Mapping[str, Any]

_ROLES = {"system": "system", "developer": "system", "user": "user", "human": "user"}


def openai_items(messages: Iterable[Fields]) -> Iterator[Item]:
    """Messages of Chat Completions, whole responses among them, and items of the Responses API."""
    calls: list[ToolCall] = []
    for message in messages:
        if string(message.get("type")) == "function_call":
            # Each call is an item of its own; those in a row are of one reply.
            calls.append(call_of(message.get("call_id"), message.get("name"), message.get("arguments")))
            continue
        if calls:
            yield Reply(None, tuple(calls))
            calls = []
        yield from _openai_item(message)
    if calls:
        yield Reply(None, tuple(calls))


def _openai_item(message: Fields) -> Iterator[Item]:
    if "choices" in message:
        choice = mapping(next(iter(items(message.get("choices"))), None))
        usage, model = openai_usage(message.get("usage")), string(message.get("model")) or None
        yield _openai_reply(mapping(choice.get("message")), usage, model, string(choice.get("finish_reason")) or None)
        return
    if string(message.get("type")) == "function_call_output":
        yield Result(string(message.get("call_id")), "", said(message.get("output")))
        return
    match string(message.get("role")):
        case "assistant":
            yield _openai_reply(message)
        case "tool" | "function":
            yield Result(string(message.get("tool_call_id")), string(message.get("name")), said(message.get("content")))
        case role if role in _ROLES:
            yield Said("system" if _ROLES[role] == "system" else "user", said(message.get("content")))
        case _:
            pass  # Items of thinking and the like, which hold nothing to show.


def _openai_reply(
    message: Fields, usage: Usage | None = None, model: str | None = None, finish: str | None = None
) -> Reply:
    text, thinking, _ = parts(message.get("content"))
    functions = [(one.get("id"), mapping(one.get("function"))) for one in mappings(message.get("tool_calls"))]
    if message.get("function_call"):
        functions.append(("", mapping(message.get("function_call"))))
    calls = tuple(call_of(id, one.get("name"), one.get("arguments")) for id, one in functions)
    thought = string(message.get("reasoning_content")) or thinking or None
    return Reply(text, calls, usage or Usage(), model, finish, thought)


def openai_usage(usage: object) -> Usage:
    """Token counts of either of OpenAI's forms."""
    fields = mapping(usage)
    return Usage(
        number(fields, "prompt_tokens") or number(fields, "input_tokens"),
        number(fields, "completion_tokens") or number(fields, "output_tokens"),
        number(fields, "prompt_tokens_details", "cached_tokens") or number(fields, "cached_input_tokens"),
        number(fields, "completion_tokens_details", "reasoning_tokens"),
    )


def langchain_items(messages: Iterable[Fields]) -> Iterator[Item]:
    """Messages of langchain; pieces of one message, which share its id, are joined."""
    pieces: list[Fields] = []
    seen: set[str] = set()
    for outer in messages:
        message = mapping(outer.get("data")) or outer
        kind = string(outer.get("type"))
        id = string(message.get("id"))
        if pieces and (kind != "AIMessageChunk" or id != string(pieces[0].get("id"))):
            yield _joined(pieces)
            pieces = []
        if kind == "AIMessageChunk":
            pieces.append(message)
            continue
        if id and id in seen:
            continue  # A node passes on what another has said.
        seen.add(id)
        yield from _langchain_item(kind, message)
    if pieces:
        yield _joined(pieces)


def _langchain_item(kind: str, message: Fields) -> Iterator[Item]:
    content = message.get("content")
    match kind:
        case "ai":
            calls = [
                call_of(one.get("id"), one.get("name"), one.get("args")) for one in mappings(message.get("tool_calls"))
            ]
            bad = mappings(message.get("invalid_tool_calls"))
            calls += [call_of(one.get("id"), one.get("name"), one.get("args")) for one in bad]
            yield _langchain_reply(message, said(content) or None, calls)
        case "tool":
            failed = message.get("status") == "error"
            yield Result(string(message.get("tool_call_id")), string(message.get("name")), said(content), failed)
        case "human":
            yield Said("user", said(content))
        case "system":
            yield Said("system", said(content))
        case _:
            pass


def _joined(pieces: list[Fields]) -> Reply:
    calls: dict[int, list[str]] = {}
    for piece in (one for message in pieces for one in mappings(message.get("tool_call_chunks"))):
        call = calls.setdefault(number(piece, "index"), ["", "", ""])
        for place, name in enumerate(("id", "name", "args")):
            call[place] += string(piece.get(name))
    text = "".join(said(piece.get("content")) for piece in pieces)
    last: Fields = next((one for one in reversed(pieces) if one.get("usage_metadata")), pieces[-1])
    return _langchain_reply(last, text or None, [call_of(*call) for call in calls.values()])


def _langchain_reply(message: Fields, text: str | None, calls: Iterable[ToolCall]) -> Reply:
    usage, about = mapping(message.get("usage_metadata")), mapping(message.get("response_metadata"))
    counted = Usage(
        number(usage, "input_tokens"),
        number(usage, "output_tokens"),
        number(usage, "input_token_details", "cache_read"),
        number(usage, "output_token_details", "reasoning"),
    )
    model = string(about.get("model_name")) or None
    return Reply(text, tuple(calls), counted, model, string(about.get("finish_reason")) or None)


def llama_items(messages: Iterable[Fields]) -> Iterator[Item]:
    """Messages of llama-index."""
    for message in messages:
        role, extra = string(message.get("role")), mapping(message.get("additional_kwargs"))
        text = said(message.get("blocks")) or said(message.get("content"))
        if role == "tool":
            yield Result(string(extra.get("tool_call_id")), string(extra.get("name")), text)
        elif role == "assistant":
            yield Reply(text, tuple(llama_calls(extra.get("calls") or extra.get("tool_calls"))))
        elif role in _ROLES:
            yield Said("system" if _ROLES[role] == "system" else "user", text)


def llama_calls(calls: object) -> Iterator[ToolCall]:
    for call in mappings(calls):
        function = mapping(call.get("function"))
        id, name = call.get("tool_id") or call.get("id"), call.get("tool_name") or function.get("name")
        yield call_of(id, name, call.get("tool_kwargs", function.get("arguments")))


def call_of(id: object, name: object, arguments: object) -> ToolCall:
    read, fault = read_arguments(arguments)
    return ToolCall(string(id), string(name), read, fault)


def said(content: object) -> str:
    """The text of a content, with the kinds of its other parts in brackets."""
    text, _, other = parts(content)
    if content is not None and not isinstance(content, str | list):
        from .values import json_line, json_value

        return json_line(json_value(content))
    return "".join([text or "", *(f"[{kind}]" for kind in other)])
