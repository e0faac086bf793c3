"""A server on loopback that speaks Anthropic's Messages API, as strict as the service, with faults to order.

It signs the thinking that it sends, and refuses thinking that comes back changed, or not at all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hello_agents.core.action import Model, Request
from hello_agents.core.run import Replied
from hello_agents.wire.anthropic import decode_request
from support.openai_server import Fault, Handler, OpenAIServer, Raw, about_schema, at_its_step, pieces_of


class AnthropicServer(OpenAIServer):
    root = ""

    def __init__(self, *script: Any, **options: Any) -> None:
        super().__init__(*script, **options)
        self.thought: dict[str, str] = {}
        """The signature of the thinking that stood before a call, by the call's id."""

    @property
    def handler(self) -> type[Handler]:
        return AnthropicHandler


class AnthropicHandler(Handler):
    owner: AnthropicServer

    def is_known(self) -> bool:
        return self.path.partition("?")[0].endswith("/v1/messages")

    def key(self) -> str:
        return self.headers.get("x-api-key") or super().key()

    def complaint(self, body: Any) -> str | None:
        if not self.headers.get("anthropic-version"):
            return "anthropic-version: header is required"
        return complaint_about(body, self.owner.thought)

    def fault(self, fault: Fault) -> Raw:
        error = {"type": fault.type, "message": fault.message}
        return Raw({"type": "error", "error": error}, status=fault.status, headers=fault.headers)

    def request_of(self, body: dict[str, Any]) -> Request:
        return decode_request(body)

    def whole(self, replied: Replied) -> dict[str, Any]:
        blocks = blocks_of(replied)
        self._remember(blocks)
        usual = "tool_use" if calls_in(blocks) else "end_turn"
        usage = replied.usage
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": replied.model or self.owner.model,
            "content": blocks,
            "stop_reason": replied.finish if replied.finish in STOPS else usual,
            "stop_sequence": None,
            "usage": {
                "input_tokens": usage.prompt_tokens - usage.cached_tokens,
                "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": usage.cached_tokens,
                "output_tokens": usage.completion_tokens,
                "output_tokens_details": {"thinking_tokens": usage.reasoning_tokens},
            },
        }

    def pieces(self, replied: Replied, body: dict[str, Any], size: int = 5) -> Iterator[Any]:
        message = self.whole(replied)
        usage = message["usage"]
        begun = {**usage, "output_tokens": 1, "output_tokens_details": None}
        yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None, "usage": begun}}
        yield {"type": "ping"}
        for index, block in enumerate(message["content"]):
            yield {"type": "content_block_start", "index": index, "content_block": _begin(block)}
            for delta in _deltas(block, size):
                yield {"type": "content_block_delta", "index": index, "delta": delta}
            yield {"type": "content_block_stop", "index": index}
        delta = {"stop_reason": message["stop_reason"], "stop_sequence": None}
        told = {name: usage[name] for name in ("output_tokens", "output_tokens_details")}
        yield {"type": "message_delta", "delta": delta, "usage": told}
        yield {"type": "message_stop"}

    def live(self, model: Model, body: dict[str, Any]) -> Iterator[Any]:
        said = [part for part in model.stream(at_its_step(decode_request(body))) if isinstance(part, Replied)]
        yield from self.pieces(said[-1], body)

    def event(self, chunk: Any) -> str:
        if isinstance(chunk, str):
            return chunk
        return f"event: {chunk['type']}\ndata: {json.dumps(chunk)}\n\n"

    def done(self) -> str:
        return ""

    def _remember(self, blocks: list[dict[str, Any]]) -> None:
        signatures = [block.get("signature") or block.get("data") for block in blocks if "thinking" in block["type"]]
        if signatures:
            self.owner.thought.update((call["id"], signatures[0]) for call in calls_in(blocks))


STOPS = ("end_turn", "tool_use", "max_tokens", "stop_sequence", "refusal", "pause_turn")


def sign(thinking: str) -> str:
    return f"signed:{thinking.encode().hex()}"


def thinking(text: str) -> dict[str, Any]:
    return {"type": "thinking", "thinking": text, "signature": sign(text)}


def calls_in(blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [block for block in blocks if block["type"] == "tool_use"]


def blocks_of(replied: Replied) -> list[dict[str, Any]]:
    """The reply as blocks: those in its metadata under `blocks`, else thinking, text, calls."""
    message = replied.message
    if "blocks" in message.metadata:
        return message.metadata["blocks"]
    blocks = [thinking(message.reasoning)] if message.reasoning else []
    if message.content:
        blocks.append({"type": "text", "text": message.content})
    for call in message.tool_calls:
        blocks.append({"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments})
    return blocks


def _begin(block: dict[str, Any]) -> dict[str, Any]:
    match block["type"]:
        case "text":
            return {"type": "text", "text": ""}
        case "thinking":
            return {"type": "thinking", "thinking": "", "signature": ""}
        case "tool_use":
            return {**block, "input": {}}
        case _:
            return block


def _deltas(block: dict[str, Any], size: int) -> Iterator[dict[str, Any]]:
    match block["type"]:
        case "text":
            for piece in pieces_of(block["text"], size):
                yield {"type": "text_delta", "text": piece}
        case "thinking":
            for piece in pieces_of(block["thinking"], size):
                yield {"type": "thinking_delta", "thinking": piece}
            yield {"type": "signature_delta", "signature": block["signature"]}
        case "tool_use":
            yield {"type": "input_json_delta", "partial_json": ""}
            for piece in pieces_of(json.dumps(block["input"]) if block["input"] else "", size):
                yield {"type": "input_json_delta", "partial_json": piece}
        case _:
            pass


# What is refused


_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}\Z")
_FIELDS = {
    "model", "max_tokens", "messages", "system", "tools", "tool_choice", "stream", "stop_sequences", "thinking",
    "metadata", "output_config", "service_tier",
}  # fmt: skip
_BLOCKS = {
    "text": {"type", "text"},
    "tool_use": {"type", "id", "name", "input"},
    "tool_result": {"type", "tool_use_id", "content", "is_error"},
    "thinking": {"type", "thinking", "signature"},
    "redacted_thinking": {"type", "data"},
}
_OF_ROLE = {
    "user": {"text", "tool_result"},
    "assistant": {"text", "tool_use", "thinking", "redacted_thinking"},
}


def complaint_about(body: Any, thought: dict[str, str] | None = None) -> str | None:
    """Why the request is refused; `None` for a legal one."""
    unknown = sorted(set(body) - _FIELDS)
    if unknown:
        return f"{unknown[0]}: Extra inputs are not permitted"
    if not isinstance(body.get("model"), str) or not body["model"]:
        return "model: Field required"
    if not isinstance(body.get("max_tokens"), int) or body["max_tokens"] < 1:
        return "max_tokens: Field required"
    if "system" in body and not (isinstance(body["system"], str) and body["system"].strip()):
        return "system: text content blocks must be non-empty"
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        return "messages: at least one message is required"
    return (
        next((words for at, message in enumerate(messages) if (words := _about_message(message, at))), None)
        or _about_order(messages)
        or _about_thinking(messages, thought or {})
        or _about_tools(body)
    )


def _about_message(message: Any, at: int) -> str | None:
    where = f"messages.{at}"
    if set(message) != {"role", "content"} or message["role"] not in _OF_ROLE:
        return f"{where}: roles are 'user' and 'assistant', and a message has a content"
    if message["role"] != ("user", "assistant")[at % 2]:
        return f"{where}: roles must alternate between 'user' and 'assistant', and begin with 'user'"
    if not isinstance(message["content"], list) or not message["content"]:
        return f"{where}.content: all messages must have non-empty content"
    return next((words for block in message["content"] if (words := _about_block(block, message["role"], where))), None)


def _about_block(block: Any, role: str, where: str) -> str | None:
    kind = block.get("type")
    if kind not in _OF_ROLE[role]:
        return f"{where}: blocks of type {kind!r} are not allowed here"
    if set(block) - _BLOCKS[kind]:
        return f"{where}.{kind}: Extra inputs are not permitted"
    match kind:
        case "text":
            if not isinstance(block["text"], str) or not block["text"].strip():
                return f"{where}: text content blocks must contain non-whitespace text"
        case "tool_use":
            if not _NAME.match(block["id"]) or not _NAME.match(block["name"]):
                return f"{where}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"
            if not isinstance(block["input"], dict):
                return f"{where}.tool_use.input: Input should be a valid dictionary"
        case "tool_result":
            if block.get("is_error") and not str(block.get("content", "")).strip():
                return f"{where}.tool_result: content cannot be empty if `is_error` is true"
        case "thinking":
            if block["signature"] != sign(block["thinking"]):
                return f"{where}: Invalid `signature` in `thinking` block"
        case _:
            pass
    return None


def _about_order(messages: list[dict[str, Any]]) -> str | None:
    seen: set[str] = set()
    waiting: list[str] = []
    for at, message in enumerate(messages):
        if message["role"] == "user":
            results = [block["tool_use_id"] for block in message["content"] if block["type"] == "tool_result"]
            first = [block["type"] for block in message["content"][: len(results)]]
            if sorted(results) != sorted(waiting) or first != ["tool_result"] * len(results):
                return (
                    f"messages.{at}: `tool_use` ids were found without `tool_result` blocks immediately after, or the "
                    f"other way round: {waiting} and {results}"
                )
            waiting = []
            continue
        waiting = [block["id"] for block in calls_in(message["content"])]
        if len(set(waiting)) < len(waiting) or seen & set(waiting):
            return f"messages.{at}: `tool_use` ids must be unique"
        seen.update(waiting)
    if messages[-1]["role"] == "assistant":
        return "This model does not support assistant message prefill. The conversation must end with a user message."
    return None


def _about_thinking(messages: list[dict[str, Any]], thought: dict[str, str]) -> str | None:
    for at, message in enumerate(messages):
        signed = [block.get("signature") or block.get("data") for block in message["content"]]
        for place, block in enumerate(message["content"]):
            if block["type"] == "tool_use" and block["id"] in thought and thought[block["id"]] not in signed[:place]:
                return f"messages.{at}: Expected `thinking` or `redacted_thinking`, but found `tool_use`"
    return None


def _about_tools(body: dict[str, Any]) -> str | None:
    tools, choice = body.get("tools"), body.get("tool_choice")
    kinds = {block["type"] for message in body["messages"] for block in message["content"]}
    if tools is None:
        if kinds & {"tool_use", "tool_result"}:
            return "Requests which include `tool_use` or `tool_result` blocks must define tools"
        return None if choice is None else "tool_choice: may only be specified while providing tools"
    names = [tool["name"] for tool in tools]
    for at, tool in enumerate(tools):
        if set(tool) - {"name", "description", "input_schema"} or not _NAME.match(tool["name"]):
            return f"tools.{at}.custom: Extra inputs are not permitted"
        if tool["input_schema"].get("type") != "object":
            return f"tools.{at}.custom.input_schema.type: Field required"
        if words := about_schema(tool["input_schema"], ()):
            return f"tools.{at}.custom.input_schema: JSON schema is invalid. {words}"
    if len(set(names)) < len(names):
        return "tools: Tool names must be unique."
    match choice:
        case None | {"type": "auto" | "any" | "none"}:
            return None
        case {"type": "tool", "name": name} if name in names:
            return None
        case _:
            return f"tool_choice: {choice!r} is not a tool in 'tools'"


@pytest.fixture
def anthropic_server() -> Iterator[Callable[..., AnthropicServer]]:
    """Starts servers: `anthropic_server(*script, api_key=…)`. They are closed with the test."""
    started: list[AnthropicServer] = []

    def start(*script: Any, **options: Any) -> AnthropicServer:
        started.append(AnthropicServer(*script, **options))
        started[-1].start()
        return started[-1]

    yield start
    for server in started:
        server.close()
