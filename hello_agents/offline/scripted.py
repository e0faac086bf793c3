"""ScriptedLLM: a model whose replies are written down beforehand."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from ..core.action import Request
from ..core.exceptions import LLMException
from ..core.message import Message, ToolCall, Usage
from ..core.run import Delta, Replied, Run
from .estimate import PromptEstimate, estimate_message
from .pieces import deltas

Reply = str | ToolCall | list[ToolCall] | Message | Exception
"""A text, a call, several calls in one reply, a whole assistant message, or an error to raise."""


class ScriptError(LLMException):
    """A script and a run do not fit: the script is too short, or replies were left over."""


@dataclass(frozen=True, slots=True)
class Unused:
    """A scripted reply that no request asked for."""

    frame: str
    step: int
    reply: Reply


class ScriptedLLM:
    """Answers with the given replies. It keeps no place: `Request.at` says which reply is due.

    So a run may be stepped back, forked, resumed or compacted, and gets the same replies at the same
    steps. `replies` are those of the root frame, by step; `frames` holds those of child runs, by path.
    """

    def __init__(self, *replies: Reply, frames: Mapping[str, Sequence[Reply]] | None = None) -> None:
        self.script: dict[str, tuple[Reply, ...]] = {"": replies}
        """The replies by frame path."""
        for frame, lines in (frames or {}).items():
            self.script[frame] = tuple(lines)
        self._parts = {
            frame: [_prepare(reply, step) for step, reply in enumerate(lines)] for frame, lines in self.script.items()
        }
        self._prompt = PromptEstimate()

    def stream(self, request: Request) -> Iterator[Delta | Replied]:
        """The reply for this frame and step, piece by piece. Raises `ScriptError` when there is none."""
        prepared = self._due(request)
        if isinstance(prepared, Exception):
            raise prepared
        yield from prepared.deltas
        yield Replied(
            prepared.message(),
            Usage(self._prompt.of(request), prepared.tokens),
            model="scripted",
            finish="tool_calls" if prepared.calls else "stop",
        )

    async def astream(self, request: Request) -> AsyncIterator[Delta | Replied]:
        """The same pieces, for a loop that awaits."""
        for event in self.stream(request):
            yield event

    def unused(self, run: Run) -> tuple[Unused, ...]:
        """The replies that no step of the run, or of its children, has come to."""
        steps = {frame: child.steps for frame, child in run.frames}
        return tuple(
            Unused(frame, step, lines[step])
            for frame, lines in self.script.items()
            for step in range(min(steps.get(frame, 0), len(lines)), len(lines))
        )

    def check(self, run: Run) -> None:
        """Raises `ScriptError` naming the replies that the run did not use. For the end of a test."""
        left = self.unused(run)
        if left:
            first = left[0]
            raise ScriptError(
                f"{len(left)} scripted reply(s) were never asked for; the first is number {first.step} of "
                f"{_frame(first.frame)}: {first.reply!r}. Take it out, or let the run come that far."
            )

    def _due(self, request: Request) -> _Prepared | Exception:
        frame, step = request.at
        lines = self._parts.get(frame, [])
        if 0 <= step < len(lines):
            return lines[step]
        raise ScriptError(
            f"The script has no reply for step {step} of {_frame(frame)}: {len(lines)} were given. "
            + (
                "Add one to `replies`, or look why the run goes on."
                if not frame
                else f"Add one to `frames={{{frame!r}: [...]}}`."
            )
        )


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A reply with all that can be worked out before it is asked for."""

    deltas: tuple[Delta, ...]
    content: str | None
    calls: tuple[ToolCall, ...]
    whole: Message | None
    tokens: int

    def message(self) -> Message:
        """The reply as a new message, so that nothing a tool does to its arguments reaches the script."""
        if self.whole is None:
            return Message(self.content, "assistant", tool_calls=[_copy(call) for call in self.calls])
        return Message(
            self.content,
            "assistant",
            tool_calls=[_copy(call) for call in self.calls],
            reasoning=self.whole.reasoning,
            metadata=self.whole.metadata,
        )


def _prepare(reply: Reply, step: int) -> _Prepared | Exception:
    match reply:
        case Exception():
            return reply
        case str():
            message = Message(reply, "assistant")
        case ToolCall():
            message = Message(None, "assistant", tool_calls=[reply])
        case list():
            message = Message(None, "assistant", tool_calls=reply)
        case Message(role="assistant"):
            message = reply
        case Message(role=role):
            raise ScriptError(f"A reply cannot have the role {role!r}. Give a `Message` with the role 'assistant'.")
        case _:
            raise ScriptError(f"{reply!r} is not a reply. Give a text, a ToolCall, a list of them, or an exception.")
    calls = tuple(
        call if call.id else ToolCall(f"call_{step}_{position}", call.name, call.arguments, call.fault)
        for position, call in enumerate(message.tool_calls)
    )
    return _Prepared(
        tuple(deltas(message)),
        message.content,
        calls,
        message if message is reply else None,
        estimate_message(message),
    )


def _copy(call: ToolCall) -> ToolCall:
    return ToolCall(call.id, call.name, {key: _fresh(value) for key, value in call.arguments.items()}, call.fault)


def _fresh(value: Any) -> Any:
    return deepcopy(value) if type(value) in (list, dict) else value


def _frame(frame: str) -> str:
    return f"frame {frame!r}" if frame else "the root frame"
