"""A server on loopback that speaks Gemini's generateContent, as strict as the service, with faults to order.

It signs the first call of each reply, and refuses calls that come back without their signature.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hello_agents.core.action import Model, Request
from hello_agents.core.run import Replied
from hello_agents.wire.gemini import SKIP_SIGNATURE, decode_request
from support.openai_server import Fault, Handler, OpenAIServer, Raw, at_its_step, pieces_of

_PATH = re.compile(r"/v1(beta)?/models/[\w.-]+:(generateContent|streamGenerateContent)(\?alt=sse)?\Z")
_STATUS = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND"}
_STATUS |= {429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE"}


class GeminiServer(OpenAIServer):
    root = ""

    def __init__(self, *script: Any, ids: bool = False, **options: Any) -> None:
        super().__init__(*script, **options)
        self.ids = ids
        """Whether calls are sent with their ids; older models have none."""
        self.issued: set[str] = set()

    @property
    def handler(self) -> type[Handler]:
        return GeminiHandler


class GeminiHandler(Handler):
    owner: GeminiServer

    def is_known(self) -> bool:
        return _PATH.match(self.path) is not None

    def key(self) -> str:
        return self.headers.get("x-goog-api-key", "")

    def complaint(self, body: Any) -> str | None:
        return complaint_about(body, self.owner.issued)

    def fault(self, fault: Fault) -> Raw:
        status, details = fault.status, []
        if status == 401:
            status, details = 400, [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]
        if "retry-after" in fault.headers:
            delay = f"{fault.headers['retry-after']}s"
            details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}]
        error = {"code": status, "message": fault.message, "status": _STATUS.get(status, "UNKNOWN"), "details": details}
        return Raw({"error": error}, status=status)

    def streams(self, body: dict[str, Any]) -> bool:
        return "streamGenerateContent" in self.path

    def request_of(self, body: dict[str, Any]) -> Request:
        return decode_request(body)

    def whole(self, replied: Replied) -> dict[str, Any]:
        return self._response(self._parts(replied), replied)

    def pieces(self, replied: Replied, body: dict[str, Any], size: int = 5) -> Iterator[Any]:
        small: list[dict[str, Any]] = []
        for part in self._parts(replied):
            if part.get("text") and "thoughtSignature" not in part:
                small.extend({**part, "text": piece} for piece in pieces_of(part["text"], size))
            else:
                small.append(part)
        for part in small[:-1]:
            whole = self._response([part], replied)
            del whole["candidates"][0]["finishReason"], whole["usageMetadata"]["candidatesTokenCount"]
            yield whole
        yield self._response(small[-1:], replied)

    def live(self, model: Model, body: dict[str, Any]) -> Iterator[Any]:
        said = [part for part in model.stream(at_its_step(decode_request(body))) if isinstance(part, Replied)]
        yield from self.pieces(said[-1], body)

    def done(self) -> str:
        return ""

    def _parts(self, replied: Replied) -> list[dict[str, Any]]:
        """The reply as parts: those in its metadata under `parts`, else thoughts, text, calls."""
        message = replied.message
        if "parts" in message.metadata:
            parts = message.metadata["parts"]
            self.owner.issued.update(part["thoughtSignature"] for part in parts if "thoughtSignature" in part)
            return parts
        parts: list[dict[str, Any]] = [{"text": message.reasoning, "thought": True}] if message.reasoning else []
        if message.content:
            parts.append({"text": message.content})
        for position, call in enumerate(message.tool_calls):
            wire = {"name": call.name, "args": call.arguments} | ({"id": call.id} if self.owner.ids else {})
            part: dict[str, Any] = {"functionCall": wire}
            if not position and message.reasoning:
                part["thoughtSignature"] = sign(call.name)
                self.owner.issued.add(part["thoughtSignature"])
            parts.append(part)
        return parts

    def _response(self, parts: list[dict[str, Any]], replied: Replied) -> dict[str, Any]:
        usage = replied.usage
        finish = replied.finish if (replied.finish or "").isupper() else "STOP"
        return {
            "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": finish, "index": 0}],
            "usageMetadata": {
                "promptTokenCount": usage.prompt_tokens,
                "candidatesTokenCount": usage.completion_tokens - usage.reasoning_tokens,
                "thoughtsTokenCount": usage.reasoning_tokens,
                "cachedContentTokenCount": usage.cached_tokens,
                "totalTokenCount": usage.total_tokens,
            },
            "modelVersion": replied.model or self.owner.model,
        }


def sign(text: str) -> str:
    """A signature, in the letters of base64."""
    return base64.urlsafe_b64encode(f"signed {text}".encode()).decode()


# What is refused


_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}\Z")
_FIELDS = {
    "contents",
    "systemInstruction",
    "tools",
    "toolConfig",
    "generationConfig",
    "safetySettings",
    "cachedContent",
}
_DATA = ("text", "functionCall", "functionResponse")
_TYPES = {"OBJECT", "ARRAY", "STRING", "INTEGER", "NUMBER", "BOOLEAN"}
_SCHEMA = {
    "type", "format", "title", "description", "nullable", "enum", "maxItems", "minItems", "properties", "required",
    "minProperties", "maxProperties", "minLength", "maxLength", "pattern", "default", "anyOf", "items", "minimum",
    "maximum",
}  # fmt: skip
_FORMATS = {"STRING": {"enum", "date-time"}, "INTEGER": {"int32", "int64"}, "NUMBER": {"float", "double"}}


def complaint_about(body: Any, issued: set[str] | None = None) -> str | None:
    """Why the request is refused; `None` for a legal one."""
    unknown = sorted(set(body) - _FIELDS)
    if unknown:
        return f'Invalid JSON payload received. Unknown name "{unknown[0]}": Cannot find field.'
    system = body.get("systemInstruction")
    if system is not None and not all(part.get("text") for part in system["parts"]):
        return "systemInstruction: parts must have text"
    contents = body.get("contents")
    if not isinstance(contents, list) or not contents:
        return "* GenerateContentRequest.contents: contents is not specified"
    return (
        next((words for at, content in enumerate(contents) if (words := _about_content(content, at))), None)
        or _about_order(contents)
        or _about_signatures(contents, issued)
        or _about_tools(body)
    )


def _about_content(content: Any, at: int) -> str | None:
    where = f"contents[{at}]"
    if content.get("role") not in ("user", "model"):
        return f"Please use a valid role: user, model. ({where})"
    if not content.get("parts"):
        return f"* GenerateContentRequest.{where}.parts: contents.parts must not be empty."
    for part in content["parts"]:
        data = [name for name in _DATA if name in part]
        if len(data) != 1 or set(part) - {*_DATA, "thought", "thoughtSignature"}:
            return f"* {where}.parts: required oneof field 'data' must have one initialized field"
        if part.get("text") == "" and "thoughtSignature" not in part:
            return f"* {where}.parts: must not be empty"
        if ("functionCall" in part) > (content["role"] == "model") or ("functionResponse" in part) > (
            content["role"] == "user"
        ):
            return f"{where}: a part of the other role"
    return None


def _named(content: dict[str, Any], kind: str) -> list[tuple[str, Any]]:
    return [(part[kind]["name"], part[kind].get("id")) for part in content["parts"] if kind in part]


def _about_order(contents: list[dict[str, Any]]) -> str | None:
    before: list[tuple[str, Any]] = []
    last = ""
    for at, content in enumerate(contents):
        results, calls = _named(content, "functionResponse"), _named(content, "functionCall")
        if results != before or (results and len(results) != len(content["parts"])):
            return (
                "Please ensure that the number of function response parts is equal to the number of function call "
                f"parts of the function call turn: contents[{at}], {before} and {results}."
            )
        if calls and last != "user":
            return "Please ensure that function call turn comes immediately after a user turn or a function response."
        if any(not _NAME.match(name) for name, _ in calls):
            return f"contents[{at}]: Invalid function name."
        before, last = calls, content["role"]
    if contents[0]["role"] != "user" or last != "user":
        return "Please ensure that multiturn requests alternate, and begin and end with a user turn."
    return None


def _about_signatures(contents: list[dict[str, Any]], issued: set[str] | None) -> str | None:
    for at, content in enumerate(contents):
        for part in content["parts"]:
            signature = part.get("thoughtSignature")
            if signature is not None and issued is not None and signature not in (issued | {SKIP_SIGNATURE}):
                return f"contents[{at}]: Corrupted thought signature."
        calls = [part for part in content["parts"] if "functionCall" in part]
        if issued and calls and "thoughtSignature" not in calls[0]:
            return f"Function call is missing a thought_signature in functionCall parts. (contents[{at}])"
    return None


def _about_tools(body: dict[str, Any]) -> str | None:
    declared = [tool for group in body.get("tools", ()) for tool in group["functionDeclarations"]]
    names = [tool["name"] for tool in declared]
    if len(set(names)) < len(names):
        return "Duplicate function declaration found."
    for at, tool in enumerate(declared):
        where = f"tools[0].function_declarations[{at}]"
        if set(tool) - {"name", "description", "parameters"} or not _NAME.match(tool["name"]):
            return f"{where}.name: Invalid function name."
        if "parameters" in tool and (words := about_schema(tool["parameters"], f"{where}.parameters")):
            return words
    choice = body.get("toolConfig", {}).get("functionCallingConfig", {})
    allowed = choice.get("allowedFunctionNames", [])
    if choice.get("mode", "AUTO") not in ("AUTO", "ANY", "NONE") or set(allowed) - set(names):
        return f"Invalid function calling config: {json.dumps(choice)}"
    return "allowed_function_names: only with the mode ANY" if allowed and choice["mode"] != "ANY" else None


def about_schema(schema: dict[str, Any], where: str) -> str | None:
    """Why a schema is refused."""
    unknown = sorted(set(schema) - _SCHEMA)
    if unknown:
        return f"Invalid JSON payload received. Unknown name \"{unknown[0]}\" at '{where}': Cannot find field."
    if "anyOf" in schema:
        if set(schema) - {"anyOf", "title", "description", "nullable", "default"}:
            return f"* {where}: when using any_of, it must be the only field set"
        return next((words for one in schema["anyOf"] if (words := about_schema(one, f"{where}.any_of"))), None)
    kind = schema.get("type")
    if kind not in _TYPES:
        return f"* {where}.type: must be specified"
    if "enum" in schema and (kind != "STRING" or not all(isinstance(one, str) and one for one in schema["enum"])):
        return f"* {where}.enum: only allowed for STRING type"
    if "format" in schema and schema["format"] not in _FORMATS.get(kind, ()):
        return f"* {where}.format: only 'enum' and 'date-time' are supported for STRING type"
    if (kind == "ARRAY") != ("items" in schema):
        return f"* {where}.items: missing field."
    properties = schema.get("properties", {})
    if (where.endswith("].parameters") or "properties" in schema) and not properties:
        return f"* {where}.properties: should be non-empty for OBJECT type"
    if set(schema.get("required", ())) - set(properties):
        return f"* {where}.required: property is not defined"
    nested = [(f"properties[{name}]", one) for name, one in properties.items()]
    nested += [("items", schema["items"])] if "items" in schema else []
    return next((words for name, one in nested if (words := about_schema(one, f"{where}.{name}"))), None)


@pytest.fixture
def gemini_server() -> Iterator[Callable[..., GeminiServer]]:
    """Starts servers: `gemini_server(*script, ids=…, api_key=…)`. They are closed with the test."""
    started: list[GeminiServer] = []

    def start(*script: Any, **options: Any) -> GeminiServer:
        started.append(GeminiServer(*script, **options))
        started[-1].start()
        return started[-1]

    yield start
    for server in started:
        server.close()
