"""Entries of the journal, told as stream events, hook calls and text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .config import Config
from .lifecycle import AgentEvent, EventType, LifecycleHook
from .run import Began, Delta, Entry, Event, Replied, Returned, Run, Stopped
from .streaming import StreamEvent, StreamEventType

HookCall = tuple[str, EventType, dict[str, Any]]


class Texts:
    """The pieces of text of a run, and at the end an answer that was none of them."""

    def __init__(self) -> None:
        self._last = ""
        self._streamed = False

    def of(self, event: Event) -> Iterator[str]:
        match event:
            case Delta(text, "content"):
                self._streamed = True
                if text:
                    yield text
            case Replied(message):
                if message.content and not self._streamed:
                    yield message.content
                self._last, self._streamed = message.text, False
            case Stopped(_, answer) if answer and answer != self._last:
                yield answer
            case _:
                pass


class Stream:
    """One question, told as stream events."""

    def __init__(self, agent: str, text: str) -> None:
        self._agent = agent
        self._text = text

    def started(self) -> StreamEvent:
        return self._event(StreamEventType.AGENT_START, None, input_text=self._text)

    def whole(self, answer: str) -> StreamEvent:
        """An answer that came in one piece."""
        return self._event(StreamEventType.LLM_CHUNK, Delta(answer), chunk=answer, frame="")

    def finished(self, run: Run, answer: str) -> StreamEvent:
        reason = run.outcome.reason if run.outcome else ""
        return self._event(
            StreamEventType.AGENT_FINISH,
            None,
            result=answer,
            finish_reason=reason,
            total_steps=run.steps - run.turn_step,
            total_tokens=(run.usage - run.turn_usage).total_tokens,
        )

    def failed(self, error: Exception) -> StreamEvent:
        return self._event(StreamEventType.ERROR, None, error=str(error), error_type=type(error).__name__)

    def of(self, entry: Entry, run: Run) -> Iterator[StreamEvent]:
        """What a reader of the stream is told of this entry."""
        event = entry.event
        match event:
            case Delta(text, "content"):
                yield self._event(StreamEventType.LLM_CHUNK, event, chunk=text, frame=entry.frame)
            case Delta(text, "reasoning"):
                yield self._event(StreamEventType.THINKING, event, chunk=text, frame=entry.frame)
            case Replied(message):
                step = run.at(entry.frame).steps
                yield self._event(StreamEventType.STEP_START, event, step=step, frame=entry.frame)
                if not message.tool_calls:
                    yield self._event(StreamEventType.STEP_FINISH, event, step=step, frame=entry.frame)
            case Began(call_id):
                name, arguments = _call_of(run.at(entry.frame), call_id)
                data = {"tool_call_id": call_id, "tool_name": name, "args": arguments, "frame": entry.frame}
                yield self._event(StreamEventType.TOOL_CALL_START, event, **data)
            case Returned(message):
                name, _ = _call_of(run.at(entry.frame), message.answers or "")
                data = {"tool_call_id": message.answers, "tool_name": name, "result": message.text}
                data |= {"status": message.status, "frame": entry.frame}
                yield self._event(StreamEventType.TOOL_CALL_FINISH, event, **data)
                if not (frame := run.at(entry.frame)).pending:
                    yield self._event(StreamEventType.STEP_FINISH, event, step=frame.steps, frame=entry.frame)
            case _:
                pass

    def hooks_of(self, entry: Entry, run: Run) -> Iterator[HookCall]:
        """The hooks that this entry is told to."""
        match entry.event:
            case Replied(message, usage):
                step = run.at(entry.frame).steps
                data = {"step": step, "content": message.content, "tool_calls": len(message.tool_calls)}
                yield "step", EventType.STEP_FINISH, data | {"tokens": usage.total_tokens, "frame": entry.frame}
            case Began(call_id):
                name, arguments = _call_of(run.at(entry.frame), call_id)
                data = {"tool_name": name, "tool_call_id": call_id, "args": arguments, "frame": entry.frame}
                yield "tool_call", EventType.TOOL_CALL, data
            case _:
                pass

    def _event(self, kind: StreamEventType, event: Event | None, **data: Any) -> StreamEvent:
        return StreamEvent.create(kind, self._agent, event=event, **data)


def is_wanted(event: StreamEvent, config: Config) -> bool:
    """Whether the settings leave this event in a stream."""
    match event.type:
        case StreamEventType.THINKING:
            return config.stream_include_thinking
        case StreamEventType.TOOL_CALL_START | StreamEventType.TOOL_CALL_FINISH:
            return config.stream_include_tool_calls
        case _:
            return True


def log_entries(level: str) -> Callable[[Entry, Run], None]:
    """A subscriber that hands every entry to the logger `hello_agents`, with secrets masked."""
    import logging

    logger = logging.getLogger("hello_agents")
    number = logging.getLevelNamesMapping()[level.upper()]

    def log(entry: Entry, run: Run) -> None:
        if logger.isEnabledFor(number):
            from .journal import dump_entry
            from .secrets import mask

            logger.log(number, mask(dump_entry(entry)))

    return log


async def call_hook(hook: LifecycleHook, event: AgentEvent, timeout: float) -> dict[str, Any] | None:
    """Calls a hook and waits for it at most so many seconds. Returns what went wrong, if anything."""
    if hook is None:
        return None
    import asyncio

    try:
        await asyncio.wait_for(hook(event), timeout)
    except Exception as error:
        told = f"took longer than {timeout} s" if isinstance(error, TimeoutError) else str(error)
        return {"event": event.type.value, "type": type(error).__name__, "message": told}
    return None


def _call_of(run: Run, call_id: str) -> tuple[str, dict[str, Any]]:
    """The name and arguments of a call of the last replies."""
    for message in reversed(run.messages):
        for call in message.tool_calls:
            if call.id == call_id:
                return call.name, call.arguments
    return "", {}
