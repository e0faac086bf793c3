"""Spans: the events of a trace as what took time (requests, calls) and what happened at once, in lanes by frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast

from hello_agents.observability.html_report import failed_event

from .timeline import compact_json, one_line

Json = dict[str, Any]

TEXT = 1200
"""Characters of a text that are sent to the page; `events` has them whole."""
ROWS = 4
"""Rows of a lane at most; calls that ran beside more others share the last."""

_KINDS = {
    "message_written": "message",
    "model_output": "model",
    "tool_result": "tool",
    "tool_call": "tool",
    "approval": "approval",
    "agent_start": "agent",
    "agent_finish": "agent",
    "history_compressed": "summary",
    "error": "error",
}


@dataclass(slots=True)
class _Lane:
    """One frame: whose it is, from where to where, and which rows are taken up to where."""

    frame: str
    agent: str
    first: int
    last: int
    ends: list[int] = field(default_factory=list[int])

    def row(self, start: int, end: int) -> int:
        """The first row that is free from `start` on."""
        for number, taken in enumerate(self.ends):
            if taken <= start:
                self.ends[number] = end
                return number
        if len(self.ends) < ROWS:
            self.ends.append(end)
        return len(self.ends) - 1


def spans(events: Sequence[Mapping[str, Any]]) -> tuple[list[Json], list[Json]]:
    """`(spans, lanes)`. A span lasts from the event `from` to the event `to`; both are the same for a moment.

    A request lasts from the last event before it in its frame, a call from its start to its result.
    """
    lanes: dict[str, _Lane] = {}
    begun: dict[tuple[str, str], int] = {}
    found: list[Json] = []
    for at, one in enumerate(events):
        frame, payload = str(one.get("frame") or ""), _mapping(one.get("payload"))
        lane = lanes.setdefault(frame, _Lane(frame, "", at, at))
        lane.agent = lane.agent or str(one.get("agent") or "")
        start, name = at, str(one.get("event"))
        key = (frame, str(payload.get("tool_call_id") or payload.get("id") or ""))
        match name:
            case "model_output":
                start = lane.last
            case "tool_call":
                begun[key] = len(found)
            case "agent_start":
                # A call that becomes a child run begins with it, and in the lane of the child.
                begun.setdefault(key, len(found))
                path = f"{frame}/{key[1]}" if frame else key[1]
                lanes.setdefault(path, _Lane(path, str(payload.get("agent") or ""), at, at))
            case "tool_result" if (first := begun.pop(key, None)) is not None:
                start = int(found[first]["from"])
                if found[first]["event"] == "tool_call":
                    _complete(found[first], at, one)
                    lane.last = at
                    continue
            case _:
                pass
        span = _span(one, name, payload, start, at)
        span["text"], span["cut"] = span["text"][:TEXT], len(span["text"]) > TEXT
        found.append(span)
        lane.last = at
    order = {frame: number for number, frame in enumerate(lanes)}
    for span in found:
        span["lane"] = order[span["frame"]]
        spanning = span["kind"] in ("model", "tool")
        span["row"] = lanes[span["frame"]].row(span["from"], span["to"]) if spanning else 0
    return found, [_lane_json(lane) for lane in lanes.values()]


def _span(one: Mapping[str, Any], event: str, payload: Mapping[str, Any], start: int, end: int) -> Json:
    usage = _mapping(payload.get("usage"))
    tokens = usage.get("total_tokens")
    span: Json = {
        "event": event,
        "kind": _KINDS.get(event, "note"),
        "from": start,
        "to": end,
        "frame": str(one.get("frame") or ""),
        "step": one.get("step"),
        "name": _name(event, payload),
        "text": _text(event, payload),
        "args": "",
        "status": str(payload.get("status") or payload.get("reason") or ""),
        "code": str(payload.get("code") or ""),
        "failed": failed_event(dict(one)),
        "open": event == "tool_call",
        "tokens": tokens if isinstance(tokens, int) else 0,
    }
    if event == "tool_call":
        span["args"] = compact_json(payload.get("args", {}))[:TEXT]
    return span


def _complete(span: Json, at: int, one: Mapping[str, Any]) -> None:
    """A call with its result."""
    payload = _mapping(one.get("payload"))
    words = _text("tool_result", payload)
    span |= {"to": at, "text": words[:TEXT], "cut": len(words) > TEXT, "open": False, "failed": failed_event(dict(one))}
    span |= {"status": str(payload.get("status") or ""), "code": str(payload.get("code") or "")}


def _name(event: str, payload: Mapping[str, Any]) -> str:
    match event:
        case "model_output":
            return ", ".join(str(call.get("name")) for call in _calls(payload))
        case "tool_call" | "tool_result" | "approval":
            return str(payload.get("tool_name") or "?")
        case "message_written":
            return str(payload.get("role") or "")
        case "agent_start":
            return str(payload.get("agent") or "")
        case "agent_finish":
            return str(payload.get("reason") or "")
        case "error":
            return str(payload.get("error_type") or payload.get("source") or "error")
        case "note":
            return str(payload.get("key") or "")
        case _:
            return event


def _text(event: str, payload: Mapping[str, Any]) -> str:
    match event:
        case "model_output":
            said = [f"{call.get('name')}({compact_json(call.get('arguments', {}))})" for call in _calls(payload)]
            return "\n".join([*([_words(payload.get("content"))] if payload.get("content") else []), *said])
        case "tool_call":
            return ""
        case "tool_result" | "agent_finish":
            return _words(payload.get("result"))
        case "message_written":
            return _words(payload.get("content"))
        case "agent_start":
            return _words(payload.get("task"))
        case "error":
            return _words(payload.get("message"))
        case "note":
            return _words(payload.get("value"))
        case _:
            return compact_json(dict(payload))


def _words(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else compact_json(value)


def _calls(payload: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    calls = payload.get("tool_calls")
    return [_mapping(one) for one in cast("list[object]", calls)] if isinstance(calls, list) else []


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _lane_json(lane: _Lane) -> Json:
    return {
        "frame": lane.frame,
        "agent": lane.agent,
        "depth": lane.frame.count("/") + 1 if lane.frame else 0,
        "rows": max(1, len(lane.ends)),
        "from": lane.first,
        "to": lane.last,
    }


def moments(events: Sequence[Mapping[str, Any]]) -> list[float] | None:
    """The seconds of each event since the first; `None` where events have no times, or all the same."""
    found: list[float] = []
    for one in events:
        try:
            found.append(datetime.fromisoformat(str(one.get("ts"))).timestamp())
        except ValueError:
            return None
    if not found or min(found) == max(found):
        return None
    first = min(found)
    return [round(moment - first, 6) for moment in found]


def line_of(span: Mapping[str, Any]) -> str:
    """A span on one line."""
    name, said = str(span["name"]), one_line(str(span["text"]), 100)
    # The text of a request names its calls already.
    what = said if span["kind"] == "model" and said else ": ".join(part for part in (name, said) if part)
    return f"{span['kind']} {what}".rstrip()
