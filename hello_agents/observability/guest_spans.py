"""Spans of other frameworks as a journal: OpenTelemetry's by the conventions for generative AI, and OpenAI Agents'."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal

from ..catalogue import text as catalogue_text
from ..core.message import Usage
from ..wire.loose import items, mapping, mappings, number, string
from .guest_journal import Item, Reply, Result, Said, Scribe
from .guest_messages import call_of, openai_items, openai_usage, said

Fields = Mapping[str, Any]
Kind = Literal["agent", "chat", "tool", "other"]

NO_REPLY = Reply(None)

_KINDS: dict[str, Kind] = {
    "invoke_agent": "agent",
    "chat": "chat",
    "generate_content": "chat",
    "text_completion": "chat",
    "execute_tool": "tool",
    "agent": "agent",
    "generation": "chat",
    "response": "chat",
    "function": "tool",
}


@dataclass(frozen=True, slots=True)
class Span:
    """A span of either kind, as far as a journal needs it."""

    id: str
    parent: str
    kind: Kind
    name: str
    """Of the agent or the tool."""
    start: float
    end: float
    error: str = ""
    asked: tuple[Item, ...] = ()
    reply: Reply = NO_REPLY
    call: str = ""
    arguments: object = None
    result: str | None = None


def journal_of(spans: Iterable[Span], language: str) -> Scribe:
    """The journal of the spans, however they are ordered. An agent that works for a call is a child run."""
    ordered = sorted(spans, key=lambda span: (span.start, span.end))
    return _Tree(ordered, language).written()


class _Tree:
    def __init__(self, spans: Sequence[Span], language: str) -> None:
        self._below: dict[str, list[Span]] = {}
        known = {span.id: span for span in spans if span.id}
        for span in [*known.values(), *(span for span in spans if not span.id)]:
            self._below.setdefault(_above(span, known), []).append(span)
        name = next((span.name for span in spans if span.kind == "agent"), "guest")
        self._scribe = Scribe(name, language)
        self._language = language

    def written(self) -> Scribe:
        self._write(list(self._inside("")), "")
        self._scribe.finish()
        return self._scribe

    def _inside(self, id: str) -> Iterator[Span]:
        """The requests and calls within a span. Agents that work for no call speak for the same run."""
        for span in self._below.get(id, ()):
            if span.kind in ("chat", "tool"):
                yield span
            else:
                if span.kind == "agent" and span.asked:
                    yield replace(span, kind="other")
                if span.id:
                    yield from self._inside(span.id)

    def _write(self, spans: Sequence[Span], frame: str) -> None:
        """Requests with the calls that follow each."""
        ordered = sorted(spans, key=lambda span: span.end if span.kind == "chat" else span.start)
        group: list[Span] = []
        for span in ordered:
            if span.kind == "tool":
                group.append(span)
                continue
            self._flush(group, frame)
            group = [span] if span.kind == "chat" else []
            if span.kind == "other":
                self._scribe.prompt(span.asked, frame, span.start)
        self._flush(group, frame)

    def _flush(self, group: Sequence[Span], frame: str) -> None:
        if not group:
            return
        chat = group[0] if group[0].kind == "chat" else None
        tools = list(group if chat is None else group[1:])
        if chat is not None and chat.error and chat.reply == NO_REPLY:
            self._scribe.prompt(chat.asked, frame, chat.start)
            self._scribe.failed(chat.error, frame, chat.end)
            chat = None
        if chat is not None:
            self._scribe.prompt(chat.asked, frame, chat.start)
        if chat is not None or tools:
            reply, tools = _with_calls(chat.reply if chat else NO_REPLY, tools)
            self._scribe.reply(reply, frame, chat.end if chat else tools[0].start)
        self._call(tools, frame)

    def _call(self, tools: Sequence[Span], frame: str) -> None:
        """Calls side by side, as they began and ended."""
        moments = [(span.start, 0, span) for span in tools] + [(span.end, 1, span) for span in tools]
        for at, ends, span in sorted(moments, key=lambda moment: moment[:2]):
            if ends:
                words = span.result
                if words is None:
                    key = "guest.failed" if span.error else "guest.not_recorded"
                    words = catalogue_text(key, self._language, tool=span.name, error=span.error)
                self._scribe.result(Result(span.call, span.name, words, bool(span.error)), frame, at)
                continue
            below = self._below.get(span.id, ()) if span.id else ()
            agent = next((one for one in below if one.kind == "agent"), None)
            path = agent and self._scribe.spawned(span.call, span.name, agent.name, frame, at)
            if path:
                self._write(list(self._inside(span.id)), path)
                self._scribe.finish(path)
            else:
                self._scribe.began(span.call, span.name, frame, at)


def _above(span: Span, known: Mapping[str, Span]) -> str:
    """The id of the span above, empty when it is not there, or is itself below this one."""
    above, passed = span.parent, {span.id}
    while above in known:
        if above in passed:
            return ""
        passed.add(above)
        above = known[above].parent
    return span.parent if span.parent in known else ""


def _with_calls(reply: Reply, tools: Sequence[Span]) -> tuple[Reply, list[Span]]:
    """The reply with a call for each tool that ran, and the tools with the ids of their calls."""
    calls, free = list(reply.calls), list(reply.calls)
    placed: list[Span] = []
    for number_of, span in enumerate(tools):
        arguments = call_of("", span.name, span.arguments).arguments
        fits = [one for one in free if (one.id == span.call if span.call else one.name == span.name)]
        exact = [one for one in fits if one.arguments == arguments]
        found = next(iter(exact or fits), None)
        if found is None:
            found = call_of(span.call or f"span_{number_of}_{span.id}", span.name, span.arguments or {})
            calls.append(found)
        else:
            free.remove(found)
        placed.append(replace(span, call=found.id))
    return replace(reply, calls=tuple(calls)), placed


# -- OpenTelemetry ----------------------------------------------------------------------------------


def otlp_spans(data: Iterable[Fields]) -> Iterator[Fields]:
    """The spans of OTLP in JSON."""
    for request in data:
        for resource in mappings(request.get("resourceSpans")):
            for scope in mappings(resource.get("scopeSpans")):
                yield from mappings(scope.get("spans"))


def otel_span(fields: Fields) -> Span:
    """A span from OTLP's JSON, or from what the SDK's `to_json` gives."""
    given = fields.get("attributes")
    attributes = mapping(given) or {string(one.get("key")): _value(one.get("value")) for one in mappings(given)}
    context, status = mapping(fields.get("context")), mapping(fields.get("status"))
    failed = status.get("code") in (2, "STATUS_CODE_ERROR") or status.get("status_code") == "ERROR"
    words = string(status.get("message")) or string(status.get("description"))
    kind = _KINDS.get(string(attributes.get("gen_ai.operation.name")), "other")
    name = attributes.get("gen_ai.tool.name" if kind == "tool" else "gen_ai.agent.name")
    result = attributes.get("gen_ai.tool.call.result")
    return Span(
        id=string(fields.get("spanId")) or string(context.get("span_id")),
        parent=string(fields.get("parentSpanId")) or string(fields.get("parent_id")),
        kind=kind,
        name=string(name) or string(fields.get("name")).partition(" ")[2] or "agent",
        start=_seconds(fields.get("startTimeUnixNano"), fields.get("start_time")),
        end=_seconds(fields.get("endTimeUnixNano"), fields.get("end_time")),
        error=(string(attributes.get("error.type")) or words or "error") if failed else "",
        asked=(*_instructions(attributes), *_otel_items(attributes.get("gen_ai.input.messages"))),
        reply=_otel_reply(attributes),
        call=string(attributes.get("gen_ai.tool.call.id")),
        arguments=attributes.get("gen_ai.tool.call.arguments"),
        result=None if result is None else said(result),
    )


def _otel_reply(attributes: Fields) -> Reply:
    said_now = [one for one in _otel_items(attributes.get("gen_ai.output.messages")) if isinstance(one, Reply)]
    usage = Usage(
        number(attributes, "gen_ai.usage.input_tokens"),
        number(attributes, "gen_ai.usage.output_tokens"),
        number(attributes, "gen_ai.usage.cache_read.input_tokens"),
        number(attributes, "gen_ai.usage.reasoning.output_tokens"),
    )
    model = string(attributes.get("gen_ai.response.model")) or string(attributes.get("gen_ai.request.model")) or None
    finish = next(iter(items(attributes.get("gen_ai.response.finish_reasons"))), None)
    first = said_now[0] if said_now else NO_REPLY
    return replace(first, usage=usage, model=model, finish=None if finish is None else str(finish))


def _instructions(attributes: Fields) -> Iterator[Item]:
    texts = [string(one.get("content")) for one in mappings(_json(attributes.get("gen_ai.system_instructions")))]
    if any(texts):
        yield Said("system", "\n".join(texts))


def _otel_items(written: object) -> Iterator[Item]:
    for message in mappings(_json(written)):
        pieces = mappings(message.get("parts"))
        text = "".join(said(one.get("content")) for one in pieces if one.get("type") == "text")
        role = string(message.get("role"))
        answers = [one for one in pieces if one.get("type") == "tool_call_response"]
        for one in answers:
            yield Result(string(one.get("id")), "", said(one.get("response", one.get("result"))))
        if role == "assistant":
            calls = [one for one in pieces if one.get("type") == "tool_call"]
            thought = "".join(said(one.get("content")) for one in pieces if one.get("type") == "reasoning")
            made = tuple(call_of(one.get("id"), one.get("name"), one.get("arguments")) for one in calls)
            yield Reply(text or None, made, reasoning=thought or None)
        elif role in ("system", "user") and not answers:
            yield Said("system" if role == "system" else "user", text)


def _value(value: object) -> Any:
    """A value of OTLP, which names its kind."""
    for name, one in mapping(value).items():
        match name:
            case "intValue":
                return int(one)
            case "arrayValue":
                return [_value(item) for item in mappings(mapping(one).get("values"))]
            case "kvlistValue":
                return {
                    string(item.get("key")): _value(item.get("value")) for item in mappings(mapping(one).get("values"))
                }
            case _:
                return one
    return None


def _json(written: object) -> object:
    """An attribute that is JSON in a text, or was taken apart already."""
    if not isinstance(written, str):
        return written
    try:
        return json.loads(written)
    except ValueError:
        return None


def _seconds(nanoseconds: object, iso: object) -> float:
    try:
        if nanoseconds is not None:
            return int(str(nanoseconds)) / 1e9
        moment = datetime.fromisoformat(string(iso))
    except ValueError:
        return 0.0
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


# -- OpenAI Agents ----------------------------------------------------------------------------------


def agents_span(fields: Fields) -> Span:
    """A span as the SDK exports it."""
    data = mapping(fields.get("span_data"))
    error = mapping(fields.get("error"))
    kind = _KINDS.get(string(data.get("type")), "other")
    asked, reply = (), NO_REPLY
    if kind == "chat":
        asked = tuple(openai_items(mappings(data.get("input"))))
        answered = [one for one in openai_items(mappings(data.get("output"))) if isinstance(one, Reply)]
        first = answered[0] if answered else NO_REPLY
        reply = replace(first, usage=openai_usage(data.get("usage")), model=string(data.get("model")) or None)
    output = data.get("output") if kind == "tool" else None
    return Span(
        id=string(fields.get("id")),
        parent=string(fields.get("parent_id")),
        kind=kind,
        name=string(data.get("name")) or "agent",
        start=_seconds(None, fields.get("started_at")),
        end=_seconds(None, fields.get("ended_at")),
        error=string(error.get("message")),
        asked=asked,
        reply=reply,
        arguments=data.get("input") if kind == "tool" else None,
        result=None if output is None else said(output),
    )
