"""A server on loopback that speaks Chat Completions and Embeddings, as strict as the strictest provider, with faults
to order.

    with OpenAIServer("Hello", ToolCall("c1", "add", {"a": 1})) as server:
        llm = HelloAgentsLLM("m", "key", server.base_url)

Each request takes the next reply of the script; a `Model` in place of a script answers every request. Where the script
is empty, `embed` answers requests for embeddings.
`server.requests` holds the bodies that came, `server.headers` their headers.
"""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from hello_agents.core.action import Model, Request
from hello_agents.core.arguments import write_arguments
from hello_agents.core.message import Message, ToolCall, Usage
from hello_agents.core.run import Delta, Replied
from hello_agents.wire.openai_chat import decode_request


@dataclass(frozen=True)
class Raw:
    """A response to be sent as it stands: `body` when the request does not stream, `chunks` when it does."""

    body: Any = None
    """JSON value, or text that is sent untouched."""
    chunks: Sequence[Any] | None = None
    """JSON values, or text that is sent untouched as one event's data. Without chunks, `body` is sent."""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    done: bool = True
    """Whether the stream ends in `[DONE]`."""


@dataclass(frozen=True)
class Fault:
    """Something that goes wrong."""

    status: int = 500
    message: str = "The server had an error while processing your request."
    type: str = "server_error"
    code: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def raw(self) -> Raw:
        error = {"message": self.message, "type": self.type, "param": None, "code": self.code}
        return Raw({"error": error}, status=self.status, headers=self.headers)


@dataclass(frozen=True)
class Drop:
    """The connection breaks: before anything is sent, or after so many chunks of the reply."""

    reply: Any = None
    after: int = 0


@dataclass(frozen=True)
class Late:
    """The reply, after so many seconds."""

    seconds: float
    reply: Any = "late"


Scripted = str | ToolCall | Sequence[ToolCall] | Message | Replied | Raw | Fault | Drop | Late
Script = Scripted | Callable[[dict[str, Any]], Scripted]
Embedding = Callable[[Sequence[str]], Sequence[Sequence[float]]]


class OpenAIServer:
    """The server. A context manager; one port of its own, until it is closed."""

    root = "/v1"
    """What the base URL ends in."""

    def __init__(
        self,
        *script: Script | Model,
        api_key: str | None = None,
        model: str = "loopback",
        embed: Embedding | None = None,
    ) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.api_key = api_key
        """The one key that is let in; `None` lets everybody in."""
        self.model = model
        self.embed = embed
        self._model = script[0] if len(script) == 1 and _is_model(script[0]) else None
        self._script: list[Any] = [] if self._model else list(script)
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._open: set[socket.socket] = set()
        self._http: ThreadingHTTPServer | None = None

    @property
    def base_url(self) -> str:
        assert self._http is not None, "the server has not been started"
        return f"http://127.0.0.1:{self._http.server_port}{self.root}"

    @property
    def handler(self) -> type[Handler]:
        """What speaks the protocol."""
        return Handler

    @property
    def connections(self) -> int:
        """How many connections are open."""
        return len(self._open)

    def then(self, *script: Script) -> None:
        """More replies, after those that are left."""
        with self._lock:
            self._script.extend(script)

    def __enter__(self) -> OpenAIServer:
        handler = type("Handler", (self.handler,), {"owner": self})
        self._http = _Quiet(("127.0.0.1", 0), handler)
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._http is not None
        self._stop.set()
        self._http.shutdown()
        self._http.server_close()
        with self._lock:
            for connection in list(self._open):
                _cut(connection)

    start = __enter__

    def close(self) -> None:
        self.__exit__()

    def vectors_for(self, body: dict[str, Any]) -> Any:
        """What answers a request for embeddings: the next of the script, else what `embed` gives."""
        if self._script or self.embed is None:
            return self.reply_to(body)
        return embeddings_of(self.embed(body["input"]), self.model)

    def reply_to(self, body: dict[str, Any]) -> Any:
        if self._model is not None:
            return self._model
        with self._lock:
            if not self._script:
                return Fault(400, "The script of the test server has no reply left.", "invalid_request_error")
            item = self._script.pop(0)
        return item(body) if callable(item) else item


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Broken connections are what some tests are about."""


class Handler(BaseHTTPRequestHandler):
    owner: OpenAIServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def setup(self) -> None:
        super().setup()
        with self.owner._lock:
            self.owner._open.add(self.connection)

    def finish(self) -> None:
        with self.owner._lock:
            self.owner._open.discard(self.connection)
        super().finish()

    def do_GET(self) -> None:
        if self.path.rstrip("/") == "/v1/models":
            self._send(Raw({"object": "list", "data": [{"id": self.owner.model, "object": "model"}]}))
        else:
            self._send(Fault(404, f"Unknown request URL: GET {self.path}.", "invalid_request_error").raw())

    def do_POST(self) -> None:
        text = self.rfile.read(int(self.headers.get("content-length", 0)))
        if not self.is_known():
            return self._send(self.fault(Fault(404, f"Unknown request URL: POST {self.path}.", "not_found_error")))
        if self.owner.api_key is not None and self.key() != self.owner.api_key:
            words = f"Incorrect API key provided: {self.key()}. You can find your API key in the account settings."
            return self._send(self.fault(Fault(401, words, "authentication_error", "invalid_api_key")))
        try:
            body = json.loads(text.decode("utf-8"))
        except ValueError as error:
            return self._send(self.fault(_refusal(f"We could not parse the JSON body of your request: {error}")))
        self.owner.requests.append(body)
        self.owner.headers.append({name.lower(): value for name, value in self.headers.items()})
        embeds = self.path.endswith("/embeddings")
        complaint = about_embeddings(body) if embeds else self.complaint(body)
        if complaint:
            return self._send(self.fault(_refusal(complaint)))
        return self._answer(body, self.owner.vectors_for(body) if embeds else self.owner.reply_to(body))

    # What differs from protocol to protocol

    def is_known(self) -> bool:
        return self.path.partition("?")[0] in ("/v1/chat/completions", "/v1/embeddings")

    def key(self) -> str:
        return self.headers.get("authorization", "").removeprefix("Bearer ")

    def complaint(self, body: Any) -> str | None:
        return complaint_about(body)

    def fault(self, fault: Fault) -> Raw:
        return fault.raw()

    def streams(self, body: dict[str, Any]) -> bool:
        return bool(body.get("stream"))

    def request_of(self, body: dict[str, Any]) -> Request:
        return decode_request(body)

    def whole(self, replied: Replied) -> dict[str, Any]:
        return response_of(replied, self.owner.model)

    def pieces(self, replied: Replied, body: dict[str, Any]) -> Iterator[Any]:
        return chunks_of(replied, body, self.owner.model)

    def live(self, model: Model, body: dict[str, Any]) -> Iterator[Any]:
        """What a model says while it says it."""
        return _model_chunks(model, body, self.owner.model)

    def event(self, chunk: Any) -> str:
        data = chunk if isinstance(chunk, str) else json.dumps(chunk, ensure_ascii=True)
        return f"data: {data}\n\n"

    def done(self) -> str:
        return "data: [DONE]\n\n"

    # How it is sent

    def _answer(self, body: dict[str, Any], reply: Any) -> None:
        cut_after: int | None = None
        while isinstance(reply, (Late, Drop)):
            if isinstance(reply, Late):
                if self.owner._stop.wait(reply.seconds):
                    return self._break_off()
            else:
                cut_after = reply.after
                if reply.reply is None:
                    return self._break_off()
            reply = reply.reply
        if isinstance(reply, Fault):
            reply = self.fault(reply)
        streams = self.streams(body)
        if isinstance(reply, Raw):
            if streams and reply.chunks is not None:
                return self._send_chunks(reply.chunks, done=reply.done, cut_after=cut_after)
            return self._send(reply, cut=cut_after is not None)
        if _is_model(reply):
            if streams:
                return self._send_chunks(self.live(reply, body), cut_after=cut_after)
            reply = [part for part in reply.stream(at_its_step(self.request_of(body))) if isinstance(part, Replied)][-1]
        replied = as_replied(reply)
        if streams:
            return self._send_chunks(self.pieces(replied, body), cut_after=cut_after)
        return self._send(Raw(self.whole(replied)), cut=cut_after is not None)

    def _send(self, raw: Raw, *, cut: bool = False) -> None:
        text = raw.body if isinstance(raw.body, str) else json.dumps(raw.body, ensure_ascii=True)
        data = text.encode("utf-8")
        self.send_response(raw.status)
        self.send_header("Content-Type", raw.content_type)
        self.send_header("Content-Length", str(len(data)))
        for name, value in raw.headers.items():
            self.send_header(name, value)
        self.end_headers()
        if cut:
            self.wfile.write(data[: len(data) // 2])
            return self._break_off()
        self.wfile.write(data)

    def _send_chunks(self, chunks: Any, *, done: bool = True, cut_after: int | None = None) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for count, chunk in enumerate(chunks):
            if count == cut_after:
                return self._break_off()
            self._chunk(self.event(chunk))
        if done and self.done():
            self._chunk(self.done())
        self.wfile.write(b"0\r\n\r\n")

    def _chunk(self, event: str) -> None:
        data = event.encode("utf-8")
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))

    def _break_off(self) -> None:
        self.close_connection = True
        _cut(self.connection)


def _cut(connection: socket.socket) -> None:
    with suppress(OSError):  # The other side may be faster.
        connection.shutdown(socket.SHUT_RDWR)


# What a reply looks like


def as_replied(reply: Any) -> Replied:
    """A scripted reply as the loop's own value. Tokens are counted as words, so that they are there and add up."""
    match reply:
        case Replied():
            return reply
        case Message():
            message = reply
        case str():
            message = Message(reply, "assistant")
        case ToolCall():
            message = Message(None, "assistant", tool_calls=[reply])
        case _:
            message = Message(None, "assistant", tool_calls=reply)
    finish = "tool_calls" if message.tool_calls else "stop"
    return Replied(message, Usage(7, max(1, len(message.text.split()))), None, finish)


def response_of(replied: Replied, model: str) -> dict[str, Any]:
    message = replied.message
    wire: dict[str, Any] = {"role": "assistant", "content": message.content, "refusal": None}
    if message.reasoning is not None:
        wire["reasoning_content"] = message.reasoning
    if message.tool_calls:
        wire["tool_calls"] = [_wire_call(call) for call in message.tool_calls]
    choice = {"index": 0, "message": wire, "logprobs": None, "finish_reason": replied.finish or "stop"}
    return _envelope("chat.completion", replied.model or model) | {
        "choices": [choice],
        "usage": _wire_usage(replied.usage),
    }


def chunks_of(replied: Replied, body: dict[str, Any], model: str, size: int = 5) -> Iterator[dict[str, Any]]:
    """The reply in pieces of a few characters, as OpenAI sends them."""
    message = replied.message
    yield _chunk(replied, model, {"role": "assistant", "content": "" if message.content is not None else None})
    for piece in pieces_of(message.reasoning or "", size):
        yield _chunk(replied, model, {"reasoning_content": piece})
    for piece in pieces_of(message.text, size):
        yield _chunk(replied, model, {"content": piece})
    for index, call in enumerate(message.tool_calls):
        wire = _wire_call(call)
        arguments = wire["function"]["arguments"]
        head = wire | {"index": index, "function": {"name": call.name, "arguments": ""}}
        yield _chunk(replied, model, {"tool_calls": [head]})
        for piece in pieces_of(arguments, size):
            yield _chunk(replied, model, {"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield from _ends(replied, body, model)


def _model_chunks(model: Model, body: dict[str, Any], name: str) -> Iterator[dict[str, Any]]:
    """A model's own deltas as chunks, while they come; a model without deltas is cut into pieces."""
    said = False
    for part in model.stream(at_its_step(decode_request(body))):
        match part:
            case Delta(text, "content"):
                said = True
                yield _chunk(None, name, {"content": text})
            case Delta(text, "reasoning"):
                yield _chunk(None, name, {"reasoning_content": text})
            case Delta():
                pass
            case Replied():
                calls = replace(part, message=Message(None, "assistant", tool_calls=part.message.tool_calls))
                yield from chunks_of(calls if said else part, body, name)


def _ends(replied: Replied, body: dict[str, Any], model: str) -> Iterator[dict[str, Any]]:
    end = _chunk(replied, model, {})
    end["choices"][0]["finish_reason"] = replied.finish or "stop"
    yield end
    if (body.get("stream_options") or {}).get("include_usage"):
        yield _envelope("chat.completion.chunk", replied.model or model) | {
            "choices": [],
            "usage": _wire_usage(replied.usage),
        }


def _chunk(replied: Replied | None, model: str, delta: dict[str, Any]) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": None}
    name = (replied.model if replied else None) or model
    return _envelope("chat.completion.chunk", name) | {"choices": [choice]}


def _envelope(kind: str, model: str) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": kind, "created": 1700000000, "model": model}


def _wire_call(call: ToolCall) -> dict[str, Any]:
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": write_arguments(call.arguments)},
    }


def _wire_usage(usage: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.total_tokens,
        "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
    }


def pieces_of(text: str, size: int) -> Iterator[str]:
    return (text[at : at + size] for at in range(0, len(text), size))


def _is_model(value: Any) -> bool:
    return hasattr(value, "stream") and hasattr(value, "astream")


def at_its_step(request: Request) -> Request:
    """The request, at the step that its history shows: a scripted model finds its place by it."""
    return replace(request, at=("", sum(message.role == "assistant" for message in request.messages)))


# What is refused


_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}\Z")
_FIELDS = {
    "system": {"role", "content", "name"},
    "developer": {"role", "content", "name"},
    "user": {"role", "content", "name"},
    "assistant": {"role", "content", "name", "tool_calls", "refusal", "reasoning_content"},
    "tool": {"role", "content", "tool_call_id"},
}


def complaint_about(body: Any) -> str | None:
    """Why the request is refused; `None` for a legal one."""
    if not isinstance(body, dict):
        return "The body of the request must be a JSON object."
    if not isinstance(body.get("model"), str) or not body["model"]:
        return "you must provide a model parameter"
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        return (
            "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead."
        )
    return (
        next((words for at, message in enumerate(messages) if (words := _about_message(message, at))), None)
        or _about_system(messages)
        or _about_order(messages)
        or _about_tools(body)
        or _about_fields(body)
    )


def _about_message(message: Any, at: int) -> str | None:
    where = f"messages.[{at}]"
    if not isinstance(message, dict):
        return f"Invalid type for '{where}': expected an object."
    role = message.get("role")
    if role not in _FIELDS:
        return f"Invalid value: {role!r}. Supported values are: 'system', 'assistant', 'user', 'tool', and 'developer'."
    unknown = set(message) - _FIELDS[role]
    if unknown:
        return f"Additional properties are not allowed ({sorted(unknown)} were unexpected) - '{where}'"
    content, calls = message.get("content"), message.get("tool_calls")
    if calls is not None and (not isinstance(calls, list) or not calls):
        return f"Invalid '{where}.tool_calls': empty array. Expected an array with minimum length 1."
    if content is None:
        if role != "assistant" or not calls:
            return f"Invalid value for 'content': expected a string, got null. ({where})"
    elif not isinstance(content, str):
        return f"Invalid type for '{where}.content': expected a string, but got {type(content).__name__} instead."
    elif role == "assistant" and not calls and not content.strip():
        return f"Invalid request: the message at position {at} with role 'assistant' must not be empty"
    if role == "tool" and not isinstance(message.get("tool_call_id"), str):
        return f"Missing required parameter: '{where}.tool_call_id'."
    return next((words for call in calls or () if (words := _about_call(call, where))), None)


def _about_call(call: Any, where: str) -> str | None:
    if not isinstance(call, dict) or set(call) != {"id", "type", "function"} or call["type"] != "function":
        return f"Invalid '{where}.tool_calls': a call has an id, the type 'function' and a function."
    function = call["function"]
    if not isinstance(call["id"], str) or not call["id"]:
        return f"Invalid '{where}.tool_calls.id': empty string."
    if not isinstance(function.get("name"), str) or not _NAME.match(function["name"]):
        return f"Invalid '{where}.tool_calls.function.name': string does not match pattern '^[a-zA-Z0-9_-]+$'."
    try:
        arguments = json.loads(function["arguments"], parse_constant=_no_constant)
    except (ValueError, TypeError):
        arguments = None
    if not isinstance(arguments, dict):
        return f"Invalid '{where}.tool_calls.function.arguments': the arguments must be a JSON object."
    return None


def _no_constant(name: str) -> None:
    raise ValueError(name)


def _about_system(messages: list[dict[str, Any]]) -> str | None:
    places = [at for at, message in enumerate(messages) if message["role"] in ("system", "developer")]
    if places and places != [0]:
        return "System message must be at the beginning, and there must be only one."
    return None


def _about_order(messages: list[dict[str, Any]]) -> str | None:
    waiting: list[str] = []
    seen: set[str] = set()
    for at, message in enumerate(messages):
        if message["role"] == "tool":
            id = message["tool_call_id"]
            if id not in waiting:
                return (
                    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
                    f"'tool_calls'. (messages.[{at}].role)"
                )
            waiting.remove(id)
            continue
        if waiting:
            return _unanswered(waiting)
        for call in message.get("tool_calls") or ():
            if call["id"] in seen:
                return f"Duplicate value for 'tool_call_id' of {call['id']!r} in messages.[{at}]"
            seen.add(call["id"])
            waiting.append(call["id"])
    return _unanswered(waiting) if waiting else None


def _unanswered(waiting: list[str]) -> str:
    return (
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
        f"The following tool_call_ids did not have response messages: {', '.join(waiting)}"
    )


def _about_tools(body: dict[str, Any]) -> str | None:
    tools, choice = body.get("tools"), body.get("tool_choice")
    if tools is None:
        return None if choice is None else "Invalid value for 'tool_choice': only allowed when 'tools' are specified."
    if not isinstance(tools, list) or not tools:
        return "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead."
    names: list[str] = []
    for at, tool in enumerate(tools):
        function = tool.get("function") if isinstance(tool, dict) and tool.get("type") == "function" else None
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            return f"Missing required parameter: 'tools[{at}].function.name'."
        if not _NAME.match(function["name"]):
            return f"Invalid 'tools[{at}].function.name': string does not match pattern '^[a-zA-Z0-9_-]+$'."
        names.append(function["name"])
        words = about_schema(function.get("parameters", {}), ())
        if words:
            return f"Invalid schema for function {function['name']!r}: {words}"
    if len(set(names)) < len(names):
        return "Invalid 'tools': the names of the tools must be unique."
    if isinstance(choice, dict):
        wanted = choice.get("function", {}).get("name")
        if choice.get("type") != "function" or wanted not in names:
            return f"Tool choice {wanted!r} not found in 'tools' parameter."
    elif choice not in (None, "auto", "none", "required"):
        return f"Invalid value: {choice!r}. Supported values are: 'none', 'auto', and 'required'."
    return None


def about_schema(schema: Any, path: tuple[str, ...]) -> str | None:
    if not isinstance(schema, dict):
        return None
    kind = schema.get("type")
    if not path and schema and kind != "object":
        return f"schema must be a JSON Schema of 'type: \"object\"', got 'type: {kind!r}'."
    if kind == "array" and "items" not in schema:
        return f"In context={path}, array schema missing items."
    nested = [(name, value) for name, value in schema.get("properties", {}).items()]
    nested += [("items", schema[name]) for name in ("items", "additionalProperties") if name in schema]
    nested += [(name, value) for name in ("anyOf", "oneOf", "allOf") for value in schema.get(name, ())]
    return next((words for name, value in nested if (words := about_schema(value, (*path, name)))), None)


def embeddings_of(vectors: Sequence[Sequence[float]], model: str) -> Raw:
    """A response with these vectors, as a provider writes it."""
    data = [{"object": "embedding", "index": at, "embedding": list(vector)} for at, vector in enumerate(vectors)]
    return Raw({"object": "list", "data": data, "model": model, "usage": {"prompt_tokens": 1, "total_tokens": 1}})


def about_embeddings(body: Any) -> str | None:
    """What a provider would refuse in a request for embeddings."""
    if not isinstance(body, dict) or not isinstance(body.get("model"), str):
        return "you must provide a model parameter"
    unknown = sorted(set(body) - {"model", "input", "encoding_format", "dimensions", "user"})
    if unknown:
        return f"Unrecognized request argument supplied: {', '.join(unknown)}"
    texts = body.get("input")
    if not isinstance(texts, list) or not 0 < len(texts) <= 2048:
        return "'$.input' is invalid: expected an array of 1 to 2048 strings."
    if not all(isinstance(text, str) and text for text in texts):
        return "'$.input' is invalid: input cannot be an empty string."
    if body.get("encoding_format", "float") not in ("float", "base64"):
        return f"Invalid value: {body['encoding_format']!r}. Supported values are: 'float' and 'base64'."
    return None


def _about_fields(body: dict[str, Any]) -> str | None:
    known = {
        "model", "messages", "tools", "tool_choice", "temperature", "top_p", "max_tokens", "max_completion_tokens",
        "stream", "stream_options", "stop", "seed", "n", "user", "response_format", "parallel_tool_calls",
        "frequency_penalty", "presence_penalty", "reasoning_effort", "metadata", "logprobs", "extra_field",
    }  # fmt: skip
    unknown = sorted(set(body) - known)
    if unknown:
        return f"Unrecognized request argument supplied: {', '.join(unknown)}"
    if "stream_options" in body and not body.get("stream"):
        return "The 'stream_options' parameter is only allowed when 'stream' is enabled."
    return None


def _refusal(words: str) -> Fault:
    return Fault(400, words, "invalid_request_error")


def wait_until(condition: Callable[[], bool], seconds: float = 5.0) -> None:
    """Waits for something that another thread brings about."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.005)


@pytest.fixture
def openai_server() -> Iterator[Callable[..., OpenAIServer]]:
    """Starts servers: `openai_server(*script, api_key=…)`. They are closed with the test."""
    started: list[OpenAIServer] = []

    def start(*script: Any, **options: Any) -> OpenAIServer:
        started.append(OpenAIServer(*script, **options).start())
        return started[-1]

    yield start
    for server in started:
        server.close()
