"""Spans for OpenTelemetry, by its semantic conventions for generative AI.

A run is a span `invoke_agent NAME`; in it are a span `chat MODEL` for each request, `execute_tool NAME` for each call
that was started, and `invoke_agent` again for each child run. See
https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-agent-spans/
"""

from __future__ import annotations

import atexit
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, assert_never

from ..core.message import Message, Usage
from ..core.run import (
    NO_USAGE,
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
)
from ..core.secrets import mask, mask_values
from ..version import __version__
from .conversations import Conversations
from .projection import below, call_of, fault_of
from .values import json_line, json_value

if TYPE_CHECKING:
    from opentelemetry.trace import Span, TracerProvider

SCHEMA_URL = "https://opentelemetry.io/schemas/1.41.0"
"""The version of the conventions."""

INTERRUPTED = "interrupted"

_PROVIDERS = {
    "gpt": "openai",
    "chatgpt": "openai",
    "o1": "openai",
    "o3": "openai",
    "o4": "openai",
    "claude": "anthropic",
    "gemini": "gcp.gemini",
    "deepseek": "deepseek",
    "kimi": "moonshot_ai",
    "moonshot": "moonshot_ai",
    "grok": "x_ai",
    "mistral": "mistral_ai",
    "command": "cohere",
}
"""The conventions' names of providers, by the first word of a model's name."""

Attributes = dict[str, Any]


@dataclass(slots=True)
class _Frame:
    """A run of the tree that is under way."""

    span: Span
    since: float
    """When something last happened in it."""
    usage: Usage = NO_USAGE
    calls: dict[str, Span] = field(default_factory=dict[str, Any])


@dataclass(slots=True)
class _Tree:
    frames: dict[str, _Frame] = field(default_factory=dict[str, _Frame])


class OtelSubscriber:
    """A subscriber that makes spans, for `agent.subscribers` of one or of many agents.

    A run's span is a child of the span that is current when its question is told. What was said is left out unless
    `content` is on, and then secrets are masked. A run that is broken off has its spans ended when it goes on, when
    another question takes its place, by `end`, at the end of a `with` block, or of the process. Needs
    `opentelemetry-api` and a provider of tracers (the extra `otel`).
    """

    def __init__(
        self,
        tracer_provider: TracerProvider | None = None,
        *,
        content: bool = False,
        provider: str | None = None,
        conversation: str | None = None,
        known: Iterable[str | None] = (),
    ) -> None:
        """`tracer_provider`: the global one when not given. `provider`: the conventions' name of who runs the model,
        read from the model's name when not given. `conversation`: an id that all spans carry. `known`: secrets that do
        not look like ones."""
        from opentelemetry import trace

        self.content = content
        self._tracer = trace.get_tracer("hello_agents", __version__, tracer_provider, SCHEMA_URL)
        self._provider = provider
        self._common: Attributes = {} if conversation is None else {"gen_ai.conversation.id": conversation}
        self._known = tuple(known)
        self._trees = Conversations(_Tree, self._broken_off)
        self._registered = False

    def __call__(self, entry: Entry, run: Run) -> None:
        """Makes spans of an entry of a journal, `run` being the whole run after it."""
        if not self._registered:
            self._registered = True
            atexit.register(self.end)
        with self._trees.lock:
            found = self._trees.find(entry, run)
            if found is None:
                return
            self._take(entry, run, found.state)
            if not found.state.frames:
                self._trees.close(found)

    def end(self) -> None:
        """Ends the spans of all runs under way, as interrupted."""
        with self._trees.lock:
            for one in self._trees:
                self._broken_off(one.state)
                self._trees.close(one)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.end()

    # -- entries ----------------------------------------------------------------------------------

    def _take(self, entry: Entry, whole: Run, tree: _Tree) -> None:
        path, event, now = entry.frame, entry.event, entry.time
        run = whole.at(path)
        if isinstance(event, Told) and event.message.role == "user" and path in tree.frames:
            self._close(tree, path, now, ("superseded", ""))
        if path not in tree.frames and not _begins(event):
            return
        frame = self._frame(tree, path, whole, now)
        match event:
            case Replied():
                self._chat(event, run, frame, now)
            case Began(call_id):
                frame.calls[call_id] = self._tool(run, call_id, frame, now)
            case Returned(message):
                self._result(message, frame, now)
            case Spawned(id):
                if any(call.id == id for call in run.pending):
                    frame.calls[id] = self._tool(run, id, frame, now)
                self._frame(tree, below(path, id), whole, now)
            case Noted(key, value, step):
                fault = fault_of(value) if key == "model_error" else {}
                if step:
                    self._failed(fault, frame, now)
                if fault and not fault.get("tolerated"):
                    self._close(tree, "", now, (str(fault["error_type"]), str(fault["message"])))
            case Compacted(start, stop, messages):
                data = {"replaced": stop - start, "by": len(messages)}
                frame.span.add_event("hello_agents.compacted", data, _nanoseconds(now))
            case Judged(call_id, allowed):
                data = {"gen_ai.tool.call.id": call_id, "allowed": allowed}
                frame.span.add_event("hello_agents.judged", data, _nanoseconds(now))
            case Stopped(reason, answer):
                frame.span.set_attribute("hello_agents.outcome", reason)
                if self.content and answer is not None:
                    said = [Message(answer, "assistant")]
                    frame.span.set_attribute("gen_ai.output.messages", self._messages(said))
                self._close(tree, path, now)
            case Told() | Delta():
                pass
            case _:
                assert_never(event)
        frame.since = now

    def _frame(self, tree: _Tree, path: str, whole: Run, now: float) -> _Frame:
        """The frame of a path. One that was begun elsewhere begins here, with those above it."""
        if path in tree.frames:
            return tree.frames[path]
        run = whole.at(path)
        above: Span | None = None
        if path:
            parent, _, id = path.rpartition("/")
            frame = self._frame(tree, parent, whole, now)
            above = frame.calls.get(id, frame.span)
        attributes = self._common | {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": run.agent}
        if self.content:
            asked = [message for message in run.messages[-1:] if message.role == "user"]
            attributes |= self._instructions(run) | {"gen_ai.input.messages": self._messages(asked)}
        span = self._span(f"invoke_agent {run.agent}", attributes, above, now)
        frame = tree.frames[path] = _Frame(span, now)
        return frame

    def _close(self, tree: _Tree, path: str, now: float, fault: tuple[str, str] | None = None) -> None:
        """Ends the span of a run and those within it, the innermost first."""
        inside = [one for one in tree.frames if not path or one == path or one.startswith(f"{path}/")]
        for one in sorted(inside, key=lambda name: (name != "") + name.count("/"), reverse=True):
            frame = tree.frames.pop(one)
            for call in frame.calls.values():
                self._end(call, now, fault or (INTERRUPTED, ""))
            frame.span.set_attributes(_usage(frame.usage))
            self._end(frame.span, now, fault)

    def _broken_off(self, tree: _Tree) -> None:
        self._close(tree, "", time.time(), (INTERRUPTED, ""))

    # -- spans ------------------------------------------------------------------------------------

    def _chat(self, event: Replied, run: Run, frame: _Frame, now: float) -> None:
        model, message = event.model or "", event.message
        attributes = self._request(model) | _usage(event.usage)
        if model:
            attributes["gen_ai.response.model"] = model
        if event.finish is not None:
            attributes["gen_ai.response.finish_reasons"] = (event.finish,)
        if self.content:
            asked = [one for one in run.messages[:-1] if one.role != "system"]
            attributes |= self._instructions(run)
            attributes["gen_ai.input.messages"] = self._messages(asked)
            attributes["gen_ai.output.messages"] = self._messages([message], event.finish or "")
        span = self._span(f"chat {model}".strip(), attributes, frame.span, frame.since, client=True)
        self._end(span, now)
        frame.usage += event.usage

    def _failed(self, fault: dict[str, Any], frame: _Frame, now: float) -> None:
        span = self._span("chat", self._request(""), frame.span, frame.since, client=True)
        self._end(span, now, (str(fault.get("error_type") or "_OTHER"), str(fault.get("message") or "")))

    def _request(self, model: str) -> Attributes:
        provider = self._provider or _provider(model)
        attributes = self._common | {"gen_ai.operation.name": "chat", "gen_ai.provider.name": provider}
        return attributes | ({"gen_ai.request.model": model} if model else {})

    def _tool(self, run: Run, call_id: str, frame: _Frame, now: float) -> Span:
        name, arguments = call_of(run, call_id)
        attributes = self._common | {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": name,
            "gen_ai.tool.call.id": call_id,
            "gen_ai.tool.type": "function",
        }
        if self.content:
            attributes["gen_ai.tool.call.arguments"] = self._json(arguments)
        return self._span(f"execute_tool {name}", attributes, frame.span, now)

    def _result(self, message: Message, frame: _Frame, now: float) -> None:
        span = frame.calls.pop(message.answers or "", None)
        if span is None:
            return  # It was answered without being started.
        if self.content:
            span.set_attribute("gen_ai.tool.call.result", mask(message.text, *self._known))
        kind = str(message.metadata.get("code") or "_OTHER")
        words = message.text if self.content else ""  # What a tool says of its failure is content, too.
        self._end(span, now, (kind, words) if message.status == "error" else None)

    def _span(
        self, name: str, attributes: Attributes, above: Span | None, since: float, *, client: bool = False
    ) -> Span:
        from opentelemetry.trace import SpanKind, set_span_in_context

        context = None if above is None else set_span_in_context(above)
        kind = SpanKind.CLIENT if client else SpanKind.INTERNAL
        return self._tracer.start_span(name, context, kind, attributes, start_time=_nanoseconds(since))

    def _end(self, span: Span, now: float, fault: tuple[str, str] | None = None) -> None:
        if fault is not None:
            from opentelemetry.trace import Status, StatusCode

            kind, words = fault
            span.set_attribute("error.type", kind)
            span.set_status(Status(StatusCode.ERROR, mask(words, *self._known) or kind))
        span.end(_nanoseconds(now))

    # -- what was said, when it is asked for --------------------------------------------------------

    def _instructions(self, run: Run) -> Attributes:
        said = [{"type": "text", "content": one.text} for one in run.messages[:1] if one.role == "system"]
        return {"gen_ai.system_instructions": self._json(said)} if said else {}

    def _messages(self, messages: Sequence[Message], finish: str | None = None) -> str:
        """Messages in the conventions' JSON."""
        told = [{"role": _ROLES.get(one.role, one.role), "parts": list(_parts(one))} for one in messages]
        return self._json([one | {"finish_reason": finish} for one in told] if finish is not None else told)

    def _json(self, value: object) -> str:
        return json_line(mask_values(json_value(value), *self._known))


def current_trace_id() -> str | None:
    """The id of the trace that is current, in hexadecimal; `None` outside of one."""
    from opentelemetry import trace

    context = trace.get_current_span().get_span_context()
    return trace.format_trace_id(context.trace_id) if context.is_valid else None


_ROLES = {"summary": "system"}


def _parts(message: Message) -> Iterator[dict[str, Any]]:
    if message.role == "tool":
        yield {"type": "tool_call_response", "id": message.answers, "response": message.text}
        return
    if message.reasoning:
        yield {"type": "reasoning", "content": message.reasoning}
    if message.content:
        yield {"type": "text", "content": message.content}
    for call in message.tool_calls:
        yield {"type": "tool_call", "id": call.id, "name": call.name, "arguments": call.arguments}


def _begins(event: object) -> bool:
    """Whether a run is under way at this event, even if its question was not heard."""
    match event:
        case Told(message):
            return message.role == "user"
        case Noted(_, _, step):
            return step
        case Replied() | Began() | Spawned() | Returned():
            return True
        case _:
            return False


def _usage(usage: Usage) -> Attributes:
    attributes: Attributes = {
        "gen_ai.usage.input_tokens": usage.prompt_tokens,
        "gen_ai.usage.output_tokens": usage.completion_tokens,
    }
    if usage.cached_tokens:
        attributes["gen_ai.usage.cache_read.input_tokens"] = usage.cached_tokens
    if usage.reasoning_tokens:
        attributes["gen_ai.usage.reasoning.output_tokens"] = usage.reasoning_tokens
    return attributes


def _provider(model: str) -> str:
    first = model.rpartition("/")[2].lower().partition("-")[0]
    return _PROVIDERS.get(first, "hello_agents" if model in ("", "offline", "scripted") else "_OTHER")


def _nanoseconds(seconds: float) -> int:
    return int(seconds * 1e9)
