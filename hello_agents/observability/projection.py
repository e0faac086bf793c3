"""The projection of a journal onto a trace: each entry as an event with a name, a step and a payload.

| entry | event |
|---|---|
| `Told` | `message_written` |
| `Replied` | `model_output` |
| `Began`, `Returned` | `tool_call`, `tool_result` |
| `Judged` | `approval` |
| `Spawned` | `agent_start` |
| `Stopped` | `agent_finish` |
| `Compacted` | `history_compressed` |
| `Noted` | `note`; `error` for what went wrong |
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, assert_never

from ..core.message import Message
from ..core.run import (
    Began,
    Compacted,
    Delta,
    Entry,
    Judged,
    Noted,
    Replied,
    Returned,
    Run,
    Spawned,
    Stopped,
    Told,
    evolve,
)
from ..core.secrets import mask_values
from .values import json_value

Named = tuple[str, dict[str, Any]]
"""The name of an event and its payload."""

FAULTS = ("model_error", "subscriber_error", "hook_error")
"""Keys of the notes on what went wrong."""


class Projection:
    """The view of one journal, entry by entry. It remembers only when calls and requests began."""

    def __init__(self, raw: bool = False) -> None:
        self._raw = raw
        self._since: dict[str, float] = {}
        self._began: dict[tuple[str, str], float] = {}

    def of(self, entry: Entry, run: Run) -> dict[str, Any] | None:
        """The event of an entry, `run` being the whole run after it; `None` for pieces of replies."""
        if isinstance(entry.event, Delta):
            return None
        own = run.at(entry.frame)
        name, payload = self._named(entry, own)
        self._since[entry.frame] = entry.time
        event: dict[str, Any] = {"ts": stamp(entry.time), "event": name, "step": own.steps, "agent": own.agent}
        return event | {"frame": entry.frame, "entry": entry.seq, "payload": json_value(payload)}

    def _named(self, entry: Entry, run: Run) -> Named:
        frame, event = entry.frame, entry.event
        match event:
            case Told(message):
                return "message_written", {"role": message.role, "content": message.content}
            case Replied():
                return "model_output", self._reply(event, entry)
            case Began(call_id):
                self._began[frame, call_id] = entry.time
                name, arguments = call_of(run, call_id)
                return "tool_call", {"tool_name": name, "tool_call_id": call_id, "args": arguments}
            case Returned(message):
                return "tool_result", self._result(message, run, entry)
            case Judged(call_id, allowed, arguments, reason):
                payload: dict[str, Any] = {"tool_name": call_of(run, call_id)[0], "tool_call_id": call_id}
                payload |= {"allowed": allowed, "reason": reason}
                return "approval", payload | ({} if arguments is None else {"args": arguments})
            case Spawned(id, child):
                self._since[below(frame, id)] = entry.time
                asked = next((m.content for m in reversed(child.messages) if m.role == "user"), None)
                return "agent_start", {"id": id, "agent": child.agent, "task": asked}
            case Stopped(reason, answer):
                return "agent_finish", {"reason": reason, "result": answer, "steps": run.steps - run.turn_step}
            case Compacted(start, stop, messages):
                texts = [{"role": one.role, "content": one.content} for one in messages]
                return "history_compressed", {"replaced": stop - start, "by": len(messages), "messages": texts}
            case Noted(key, value) if key in FAULTS:
                return "error", {"source": key.removesuffix("_error"), **fault_of(value)}
            case Noted(key, value):
                return "note", {"key": key, "value": value}
            case Delta():
                raise AssertionError("A piece of a reply is no event of a trace.")
            case _:
                assert_never(event)

    def _reply(self, event: Replied, entry: Entry) -> dict[str, Any]:
        message, usage = event.message, event.usage
        calls = [{"id": call.id, "name": call.name, "arguments": call.arguments} for call in message.tool_calls]
        payload: dict[str, Any] = {"content": message.content, "tool_calls": calls}
        if message.reasoning is not None:
            payload["reasoning"] = message.reasoning
        payload["usage"] = {
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
            "cached_tokens": usage.cached_tokens,
            "reasoning_tokens": usage.reasoning_tokens,
            "total_tokens": usage.total_tokens,
        }
        payload |= {"model": event.model, "finish_reason": event.finish}
        if self._raw:
            payload["raw_response"] = message.to_dict()
        return payload | _lasted(self._since.get(entry.frame), entry.time)

    def _result(self, message: Message, run: Run, entry: Entry) -> dict[str, Any]:
        call_id = message.answers or ""
        payload: dict[str, Any] = {
            "tool_name": message.metadata.get("tool") or call_of(run, call_id)[0],
            "tool_call_id": call_id,
            "status": message.status or "success",
            "result": message.content,
        }
        if message.metadata.get("code"):
            payload["code"] = message.metadata["code"]
        return payload | _lasted(self._began.pop((entry.frame, call_id), None), entry.time)


def trace_events(
    entries: Iterable[Entry], start: Run, *known: str | None, sanitize: bool = True, raw: bool = False
) -> list[dict[str, Any]]:
    """A whole journal as the events of a trace, for a report of a saved session; secrets are masked.

    `start` is the run that the entries happened to; `known` are secrets that do not look like ones.
    """
    projection, run = Projection(raw), start
    events: list[dict[str, Any]] = []
    for entry in entries:
        run = evolve(run, entry.event, entry.frame)
        event = projection.of(entry, run)
        if event is not None:
            events.append({"seq": len(events)} | (mask_values(event, *known) if sanitize else event))
    return events


def stamp(seconds: float) -> str:
    """A moment as ISO 8601 in local time with its offset."""
    return datetime.fromtimestamp(seconds).astimezone().isoformat(timespec="milliseconds")


def below(frame: str, id: str) -> str:
    """The path of a child's frame."""
    return f"{frame}/{id}" if frame else id


def _lasted(since: float | None, until: float) -> dict[str, float]:
    return {} if since is None else {"ms": round(max(until - since, 0.0) * 1000, 1)}


def fault_of(value: object) -> dict[str, Any]:
    """What a note says went wrong: `error_type`, `message`, and what else it holds."""
    if isinstance(value, dict):
        fault = dict[str, Any](value)  # type: ignore[reportUnknownArgumentType]
        return {"error_type": fault.pop("type", ""), "message": fault.pop("message", ""), **fault}
    return {"error_type": "", "message": value}


def call_of(run: Run, call_id: str) -> tuple[str, dict[str, Any]]:
    """The name and arguments of a call, looked for from the end of the conversation."""
    at = run.messages.last_reply()
    if at is not None:
        for call in run.messages[at].tool_calls:
            if call.id == call_id:
                return call.name, call.arguments
    return "", {}
