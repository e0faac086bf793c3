"""JSON logs by the Elastic Common Schema, one line an event, through the standard `logging`."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TextIO

from ..core.run import Entry, Run, Stopped
from ..core.secrets import mask_values
from .conversations import Conversations
from .projection import Projection
from .values import json_line, json_value

LOGGER = "hello_agents.events"
"""The logger that is written to when no other is named."""

_CONTENT = ("content", "reasoning", "tool_calls", "args", "result", "task", "messages", "value", "message", "reason")
"""What was said, or may hold it."""


@dataclass(slots=True)
class _Conversation:
    trace: str = ""
    projection: Projection = field(default_factory=Projection)


class JsonLog:
    """A subscriber that logs each entry, for `agent.subscribers` of one or of many agents.

    A line is written only where a handler takes it: `logging.getLogger(LOGGER).addHandler(json_handler())` writes ECS
    JSON to standard error. What went wrong is logged as a warning, or as an error when the model failed; the rest as
    info. `event.action` names the event as a trace does, `trace.id` is the same for all lines of one question. What was
    said is left out unless `content` is on; it is then in `hello_agents.payload`, as JSON in a text, so that a server
    does not make a field of everything. Secrets are masked.
    """

    def __init__(
        self,
        logger: str | logging.Logger = LOGGER,
        *,
        content: bool = False,
        trace_id: Callable[[], str | None] | None = None,
        known: Iterable[str | None] = (),
    ) -> None:
        """`trace_id`: asked when a question begins, `otel.current_trace_id` say; where it has none, or is not given,
        an id is made up. `known`: secrets that do not look like ones."""
        self.logger = logging.getLogger(logger) if isinstance(logger, str) else logger
        self.content = content
        self._trace_id = trace_id
        self._known = tuple(known)
        self._conversations = Conversations(_Conversation, lambda _: None)

    def __call__(self, entry: Entry, run: Run) -> None:
        """Logs an entry of a journal, `run` being the whole run after it."""
        with self._conversations.lock:
            found = self._conversations.find(entry, run)
            if found is None:
                return
            state = found.state
            state.trace = state.trace or (self._trace_id and self._trace_id()) or _fresh_id()
            event = state.projection.of(entry, run)
            trace = state.trace
            if isinstance(entry.event, Stopped) and not entry.frame:
                self._conversations.close(found)
        if event is None:
            return
        level = _level(event)
        if self.logger.isEnabledFor(level):
            fields = mask_values(self._fields(event, entry), *self._known)
            self.logger.log(level, "%s", fields.pop("message"), extra=fields | {"trace.id": trace})

    def _fields(self, event: dict[str, Any], entry: Entry) -> dict[str, Any]:
        payload = event["payload"]
        name = payload.get("tool_name") or payload.get("key") or payload.get("agent") or ""
        status = payload.get("status") or ""
        fields: dict[str, Any] = {
            "message": " ".join(filter(None, (event["agent"], event["event"], name, status))),
            "event.action": event["event"],
            "event.created": event["ts"],
            "event.kind": "event",
            "event.sequence": entry.seq,
            "event.outcome": _outcome(event),
            "hello_agents.agent": event["agent"],
            "hello_agents.frame": entry.frame,
            "hello_agents.step": event["step"],
            "hello_agents.tool": payload.get("tool_name"),
            "hello_agents.call": payload.get("tool_call_id"),
            "hello_agents.model": payload.get("model"),
            "hello_agents.usage": payload.get("usage"),
        }
        if "ms" in payload:
            fields["event.duration"] = round(payload["ms"] * 1e6)
        if event["event"] == "agent_finish":
            fields["event.reason"] = payload["reason"]
        if event["event"] == "error":
            fields |= {"error.type": payload.get("error_type"), "error.message": str(payload.get("message"))}
        elif "code" in payload:
            fields["error.code"] = payload["code"]
        if self.content:
            said = {key: value for key, value in payload.items() if key in _CONTENT}
            fields["hello_agents.payload"] = json_line(mask_values(json_value(said), *self._known))
        return {key: value for key, value in fields.items() if value is not None}


def json_handler(stream: TextIO | None = None, *, service: str | None = None) -> logging.Handler:
    """A handler that writes ECS JSON, one line a record; to standard error when no stream is given.

    `service` is the `service.name` of its lines. Needs `ecs-logging` (the extra `logs`).
    """
    from ecs_logging import StdlibFormatter

    handler = logging.StreamHandler(stream)
    extra = {} if service is None else {"service.name": service}
    # Where in the library a line was written says nothing of the run.
    left_out = ("log.origin", "log.original", "process", "stack_info")
    handler.setFormatter(StdlibFormatter(exclude_fields=left_out, extra=extra, ensure_ascii=False))
    handler.addFilter(_no_surrogates)
    return handler


def _no_surrogates(record: logging.LogRecord) -> bool:
    """Writes lone surrogates, which UTF-8 has no form for, as their escapes."""
    for name, value in vars(record).items():
        if isinstance(value, str) and not value.isascii():
            setattr(record, name, value.encode("utf-8", "backslashreplace").decode())
    return True


def _level(event: dict[str, Any]) -> int:
    if event["event"] == "error":
        return logging.ERROR if event["payload"].get("source") == "model" else logging.WARNING
    return logging.WARNING if _outcome(event) == "failure" else logging.INFO


def _outcome(event: dict[str, Any]) -> str:
    match event["event"]:
        case "error":
            return "failure"
        case "tool_result":
            return "failure" if event["payload"]["status"] == "error" else "success"
        case "model_output" | "agent_finish":
            return "success"
        case _:
            return "unknown"


def _fresh_id() -> str:
    import secrets

    return secrets.token_hex(16)
