"""The addresses of the service, as one table, of which the routes and the OpenAPI description are made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from ..catalogue import text
from ..version import __version__
from . import bodies
from .problems import TITLES


@dataclass(frozen=True, slots=True)
class Address:
    """One method at one path. `name` is the handler's, and names the summary in the catalogue."""

    method: str
    path: str
    name: str
    reply: type[BaseModel] | str | None = None
    """A model, a media type, or nothing (204)."""
    body: type[BaseModel] | None = None
    status: int = 200
    query: tuple[tuple[str, int, int], ...] = ()
    """Name, default and least value of each parameter."""
    public: bool = False
    streams: bool = False
    """Answers with an event stream; with `reply` too, where the client takes JSON only."""
    problems: tuple[int, ...] = ()


_SESSION = "/sessions/{session}"
_RUN = (404, 409, 503)
ADDRESSES = (
    Address("GET", "/", "page", "text/html", public=True),
    Address("GET", "/health", "health", bodies.Health, public=True),
    Address("GET", "/ready", "ready", bodies.Health, public=True, problems=(503,)),
    Address("GET", "/openapi.json", "openapi", "application/json", public=True),
    Address("GET", "/metrics", "metrics", "text/plain", problems=(404,)),
    Address("GET", "/sessions", "sessions", bodies.SessionList, problems=(503,)),
    Address("GET", _SESSION, "session", bodies.SessionState, problems=_RUN),
    Address("DELETE", _SESSION, "delete", status=204, problems=_RUN),
    Address(
        "GET",
        f"{_SESSION}/entries",
        "entries",
        bodies.Entries,
        query=(("after", -1, -1), ("limit", 1000, 1)),
        problems=_RUN,
    ),
    Address(
        "GET", f"{_SESSION}/events", "events", streams=True, query=(("after", -1, -1), ("linger", 0, 0)), problems=_RUN
    ),
    Address(
        "POST", f"{_SESSION}/messages", "message", bodies.Accepted, bodies.Question, 202, streams=True, problems=_RUN
    ),
    Address(
        "POST", f"{_SESSION}/verdicts", "verdict", bodies.Accepted, bodies.Verdict, 202, streams=True, problems=_RUN
    ),
    Address("POST", f"{_SESSION}/resume", "resume", bodies.Accepted, status=202, streams=True, problems=_RUN),
    Address("POST", f"{_SESSION}/stop", "stop", bodies.Stopped, problems=_RUN),
    Address("POST", f"{_SESSION}/fork", "fork", bodies.SessionState, bodies.Fork, 201, problems=_RUN),
)
PUBLIC = frozenset(address.path for address in ADDRESSES if address.public)


def description(addresses: Sequence[Address] = ADDRESSES, language: str = "en") -> dict[str, Any]:
    """The OpenAPI 3.1 description of the service."""
    models = {one for address in addresses for one in (address.reply, address.body) if isinstance(one, type)}
    models.add(bodies.ProblemDetails)
    ordered = sorted(models, key=lambda model: model.__name__)
    _, definitions = models_json_schema(
        [(model, "validation") for model in ordered], ref_template="#/components/schemas/{model}"
    )
    paths: dict[str, dict[str, Any]] = {}
    for address in addresses:
        paths.setdefault(address.path, {})[address.method.lower()] = _operation(address, language)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Hello Agents", "version": __version__, "description": text("serve.api", language)},
        "paths": paths,
        "components": {
            "schemas": definitions["$defs"],
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
    }


def _operation(address: Address, language: str) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": address.name,
        "summary": text(f"serve.api.{address.name}", language),
        "responses": dict(_replies(address)) | {str(status): _problem(status) for status in _problems(address)},
    }
    parameters = list(_parameters(address))
    if parameters:
        operation["parameters"] = parameters
    if address.body is not None:
        operation["requestBody"] = {"required": True, "content": {"application/json": _reference(address.body)}}
    if address.public:
        operation["security"] = []
    return operation


def _parameters(address: Address) -> Any:
    if "{session}" in address.path:
        schema = {"type": "string", "pattern": bodies.SESSION}
        yield {"name": "session", "in": "path", "required": True, "schema": schema}
    for name, default, least in address.query:
        schema = {"type": "integer", "minimum": least, "maximum": 10**15 - 1, "default": default}
        yield {"name": name, "in": "query", "schema": schema}
    if address.name == "events":
        yield {
            "name": "Last-Event-ID",
            "in": "header",
            "schema": {"type": "string", "pattern": r"^\d{1,15}(\.\d{1,3})?$"},
        }


def _replies(address: Address) -> Any:
    if address.streams:
        content = {"text/event-stream": {"schema": {"type": "string"}}}
        yield "200", {"description": "Server-sent events", "content": content}
    match address.reply:
        case None:
            if not address.streams:
                yield str(address.status), {"description": "Done"}
        case str(media):
            yield str(address.status), {"description": "OK", "content": {media: {"schema": {}}}}
        case model:
            yield str(address.status), {"description": "OK", "content": {"application/json": _reference(model)}}


def _problems(address: Address) -> list[int]:
    statuses = {403, 429, *address.problems}
    if not address.public:
        statuses |= {401}
    if address.method == "POST" or address.body is not None:
        statuses |= {408, 413}
    if address.body is not None:
        statuses |= {400, 415}
    if address.path.startswith(_SESSION):
        statuses |= {422}
    return sorted(statuses)


def _problem(status: int) -> dict[str, Any]:
    content = {"application/problem+json": _reference(bodies.ProblemDetails)}
    return {"description": TITLES[status], "content": content}


def _reference(model: type[BaseModel]) -> dict[str, Any]:
    return {"schema": {"$ref": f"#/components/schemas/{model.__name__}"}}
