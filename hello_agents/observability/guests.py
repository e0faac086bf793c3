"""Guests: what other frameworks write of a run, as a journal that our inspectors open.

| framework | what is read |
|---|---|
| OpenTelemetry | spans by the conventions for generative AI: OTLP in JSON, or the SDK's JSON |
| OpenAI | lists of messages of Chat Completions, with or without the last response; items of the Responses API |
| langgraph | what `stream_mode` "updates", "messages" and "values" yield, or a state; live or as `model_dump()` |
| OpenAI Agents | what a trace processor exports |
| llama-index | the events of an agent workflow; live or as the framework's `JsonSerializer` writes them |

A guest does not tell everything: what it keeps to itself, such as times in a list of messages, is not made up.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from ..core.exceptions import HelloAgentsException
from ..core.loose import items, mapping, mappings, short, string
from ..core.run import Entry, Run
from .guest_journal import Reply, Result, Scribe
from .guest_messages import langchain_items, llama_calls, llama_items, openai_items, said
from .guest_spans import agents_span, journal_of, otel_span, otlp_spans
from .values import json_value

Framework = Literal["opentelemetry", "openai", "langgraph", "openai-agents", "llama-index"]
Fields = Mapping[str, Any]


class NoGuest(HelloAgentsException, ValueError):
    """A value or a file is nothing that a known framework writes."""


@dataclass(frozen=True, slots=True)
class Guest:
    """A run of another framework."""

    framework: Framework
    start: Run
    """The run before its first entry."""
    entries: tuple[Entry, ...]
    """The journal, which folds from `start`."""
    run: Run
    """The run after the last entry."""


_SAMPLES = {"langgraph": "langgraph_state", "openai-agents": "openai_agents", "llama-index": "llama_index"}


def guest_file(framework: Literal["langgraph", "openai-agents", "llama-index"]) -> Path:
    """A file, come with this package, in which the framework itself wrote down a run with a scripted model.

    In each it looks up two cities, one of which is on no map, and answers.
    """
    return Path(__file__).with_name("samples") / f"{_SAMPLES[framework]}.json"


def read_guest(source: str | Path | object, language: str = "en") -> Guest:
    """The run that a file, a JSON text or a value tells of; a file may hold JSON or JSON lines.

    Raises `NoGuest` for what no known framework writes, `OSError` for a file that cannot be read.
    """
    data = _loaded(source)
    values = cast("list[Any]", data) if isinstance(data, list) else [data]
    fields = mappings(values)
    framework = _recognised(values, fields)
    match framework:
        case "opentelemetry":
            flat = [span for one in fields for span in (otlp_spans([one]) if "resourceSpans" in one else [one])]
            scribe = journal_of(map(otel_span, flat), language)
        case "openai-agents":
            spans = (one for one in fields if one.get("object") == "trace.span")
            scribe = journal_of(map(agents_span, spans), language)
        case "openai":
            scribe = Scribe("openai", language)
            scribe.take(openai_items(_messages(fields)))
        case "langgraph":
            scribe = Scribe("langgraph", language)
            scribe.take(langchain_items(_streamed(values)))
        case "llama-index":
            scribe = _workflow([_unwrapped(one) for one in fields], language)
        case None:
            raise NoGuest(
                f"{short(source)} is nothing that a known framework writes. Pass spans of OpenTelemetry or OpenAI "
                "Agents, messages of OpenAI or langgraph, or events of llama-index."
            )
    scribe.finish()
    return Guest(framework, scribe.start, tuple(scribe.entries), scribe.run)


def _loaded(source: object) -> Any:
    if isinstance(source, str) and source.lstrip()[:1] in ("{", "["):
        return _parsed(source)
    if isinstance(source, str | Path):
        return _parsed(Path(source).read_text(encoding="utf-8", errors="replace"))
    return json_value(list(cast("Iterable[Any]", source)) if _is_many(source) else source)


def _is_many(source: object) -> bool:
    return isinstance(source, Iterable) and not isinstance(source, Mapping | str | bytes)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        pass
    try:
        return [json.loads(line) for line in text.split("\n") if line.strip()]
    except ValueError as error:
        raise NoGuest(f"{short(text, 80)!r} is neither JSON nor JSON lines: {error}. Pass a whole trace.") from error


def _recognised(values: Sequence[Any], fields: Sequence[Fields]) -> Framework | None:
    if any("resourceSpans" in one or ("context" in one and "attributes" in one) for one in fields):
        return "opentelemetry"
    if any(one.get("object") == "trace.span" for one in fields):
        return "openai-agents"
    if any("qualified_name" in one or "current_agent_name" in one or "tool_output" in one for one in fields):
        return "llama-index"
    if any(_is_langchain(one) for one in _streamed(values)):
        return "langgraph"
    known = ("role", "choices")
    if any(any(name in one for name in known) or _is_item(one) for one in _messages(fields)):
        return "openai"
    return None


def _is_langchain(message: Fields) -> bool:
    return string(message.get("type")) in ("human", "ai", "tool", "system", "AIMessageChunk", "remove")


def _is_item(message: Fields) -> bool:
    return string(message.get("type")) in ("function_call", "function_call_output")


def _messages(fields: Sequence[Fields]) -> Iterable[Fields]:
    for one in fields:
        if "messages" in one:
            yield from mappings(one.get("messages"))
        else:
            yield one


# -- langgraph --------------------------------------------------------------------------------------


def _streamed(values: Sequence[Any]) -> list[Fields]:
    """The messages of a stream. Of several modes at once the one that tells most is read."""
    chunks = [_chunk(value) for value in values]
    modes = {mode for mode, _ in chunks}
    best = next((mode for mode in ("updates", "messages", "values") if mode in modes), "")
    chosen = [data for mode, data in chunks if mode == best]
    if best == "messages":
        return [message for data in chosen if (message := mapping(data[0]))]
    if best == "values" and chosen:
        return mappings(mapping(chosen[-1]).get("messages"))
    return [message for data in chosen for node in mapping(data).values() for message in _updated(node)]


def _updated(node: object) -> list[Fields]:
    """The messages of what a node gave: one update, or several."""
    return [message for one in mappings([node, *items(node)]) for message in mappings(one.get("messages"))]


def _chunk(value: object) -> tuple[str, Any]:
    """A chunk of a stream, with its mode: told, or seen from its form."""
    mode, rest = "", items(value)
    while len(rest) > 1 and not mapping(rest[0]) and rest[0] is not None:
        # The path of a subgraph, or the name of the mode, stand before what they speak of.
        mode = string(rest[0]) or mode
        rest = items(rest[1]) if len(rest) == 2 and items(rest[1]) else rest[1:]
    if len(rest) == 2 and mapping(rest[0]):
        return "messages", rest
    data = mapping(rest[0] if len(rest) == 1 else value)
    return mode or ("values" if "messages" in data else "updates"), data


# -- llama-index ------------------------------------------------------------------------------------


def _unwrapped(event: Fields) -> Fields:
    return mapping(event.get("value")) if "qualified_name" in event else event


def _workflow(events: Sequence[Fields], language: str) -> Scribe:
    name = next((string(one.get("current_agent_name")) for one in events if one.get("current_agent_name")), "")
    scribe = Scribe(name or "llama-index", language)
    for event in events:
        if "input" in event and "current_agent_name" in event:
            scribe.prompt(list(llama_items(mappings(event.get("input")))))
        elif "tool_output" in event:
            output = mapping(event.get("tool_output"))
            text = said(output.get("blocks")) or said(output.get("content"))
            failed = output.get("is_error") is True
            scribe.result(Result(string(event.get("tool_id")), string(event.get("tool_name")), text, failed))
        elif "tool_kwargs" in event:
            scribe.began(string(event.get("tool_id")), string(event.get("tool_name")))
        elif "response" in event and "delta" not in event:
            message = next(iter(llama_items([mapping(event.get("response"))])), None)
            text = message.text if isinstance(message, Reply) else None
            scribe.reply(Reply(text or None, tuple(llama_calls(event.get("tool_calls")))))
    return scribe
