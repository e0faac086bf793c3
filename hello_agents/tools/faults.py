"""Faults on purpose: tools that fail or are slow, arguments that arrive damaged, a model that repeats its call.

They come in where the real ones do: a failing or slow tool in the place of the tool, damaged arguments and repeated
replies in the place of the model. The registry and the model that they are laid over stay as they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

from ..catalogue import text
from ..core.arguments import read_arguments, write_arguments
from ..core.message import Message, ToolCall
from ..core.run import Delta, Replied
from .base import Tool
from .errors import ToolErrorCode
from .executor import ready_of
from .registry import ToolRegistry
from .response import ToolResponse

if TYPE_CHECKING:
    from ..core.action import Model, Request

FaultKind = Literal["failing", "slow", "garbled", "repeated"]
KINDS: tuple[FaultKind, ...] = get_args(FaultKind)

GARBLED = "garbled"
"""In the metadata of a reply: the ids of the calls that were damaged on their way."""
REPEATS = "repeats"
"""In the metadata of a reply: how many times it was said before."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What goes wrong with one tool, and how often."""

    kind: FaultKind
    """`failing`: it raises; `slow`: it is given up at its time limit; `garbled`: the arguments arrive cut off;
    `repeated`: the model says the reply with this call once more."""
    times: int | None = None
    """The first so many calls. `None`: every call."""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"{self.kind!r} is not a fault. There are {', '.join(KINDS)}.")
        if self.times is not None and self.times < 1:
            raise ValueError(f"times is {self.times!r}. It must be 1 or more, or None for every call.")


class Faults:
    """Faults by the name of the tool, laid over a registry and a model. They may be changed while a run goes on."""

    def __init__(self, faults: Mapping[str, Fault] | None = None, *, limit: float = 5.0, language: str = "en") -> None:
        """`limit`: seconds at which a slow tool without a limit of its own is given up. Nobody waits for them."""
        self.by_tool: dict[str, Fault] = dict(faults or {})
        self.limit = limit
        self.language = language
        self._met: Counter[tuple[str, str]] = Counter()
        self._last: tuple[str, FaultKind] | None = None

    def over(self, registry: ToolRegistry) -> ToolRegistry:
        """A view of the registry whose tools have these faults. Tools that spawn runs stay as they are."""
        return registry.view([tool if tool.spawns else self._faulty(tool) for tool in registry.get_all_tools()])

    def model(self, inner: Model) -> FaultyModel:
        """The model, whose replies have these faults."""
        return FaultyModel(inner, self)

    def take(self) -> tuple[str, FaultKind] | None:
        """The tool that was last made to fail or be slow, and with which of both, since this was last asked."""
        last, self._last = self._last, None
        return last

    # -- tools ----------------------------------------------------------------------------------------

    def _faulty(self, tool: Tool) -> Tool:
        try:
            ready = tool._ready or ready_of(tool)  # pyright: ignore[reportPrivateUsage]
        except TypeError:
            return tool  # It cannot be called at all, which is fault enough.
        now, later, seconds = ready.now, ready.later, ready.timeout

        def faulty_now(received: dict[str, Any]) -> Any:
            assert now is not None
            spoilt = self._spoilt(tool.name, seconds)
            return now(received) if spoilt is None else spoilt

        async def faulty_later(received: dict[str, Any]) -> Any:
            assert later is not None
            spoilt = self._spoilt(tool.name, seconds)
            return await later(received) if spoilt is None else spoilt

        twin = copy(tool)
        twin._ready = replace(  # pyright: ignore[reportPrivateUsage]
            ready, now=None if now is None else faulty_now, later=None if later is None else faulty_later
        )
        return twin

    def _spoilt(self, name: str, seconds: float | None) -> ToolResponse | None:
        """What comes instead of the tool's result; `None` when it may run. Raises what a failing tool raises."""
        fault = self.by_tool.get(name)
        if fault is None or fault.kind not in ("failing", "slow"):
            return None
        if fault.times is not None and self._met[name, fault.kind] >= fault.times:
            return None
        self._met[name, fault.kind] += 1
        self._last = name, fault.kind
        if fault.kind == "failing":
            raise ConnectionError(text("fault.failing", self.language, tool=name))
        waited = self.limit if seconds is None else seconds
        return ToolResponse.error(ToolErrorCode.TIMEOUT, text("tool.timeout", self.language, tool=name, seconds=waited))


class FaultyModel:
    """A model whose replies are damaged or repeated. What it does depends on the request alone."""

    def __init__(self, inner: Model, faults: Faults) -> None:
        self.inner = inner
        self.faults = faults
        named = vars(inner).get("model")
        self.model = named if isinstance(named, str) else ""
        """The name of the model behind it."""
        self._told: dict[str, Replied] = {}

    def stream(self, request: Request) -> Iterator[Delta | Replied]:
        """The reply of the model, damaged; or its last reply again."""
        again = self._again(request)
        if again is not None:
            yield again
            return
        for event in self.inner.stream(_as_if_never_repeated(request)):
            yield self._passed(event, request)

    async def astream(self, request: Request) -> AsyncIterator[Delta | Replied]:
        """`stream`, awaited."""
        again = self._again(request)
        if again is not None:
            yield again
            return
        async for event in self.inner.astream(_as_if_never_repeated(request)):
            yield self._passed(event, request)

    def _again(self, request: Request) -> Replied | None:
        """The last reply once more, when one of its calls is to be repeated."""
        # Behind the results may stand notices of the loop, which a stubborn model does not heed.
        last = next((one for one in reversed(request.messages) if one.role == "assistant"), None)
        if last is None or not last.tool_calls or request.tool_choice == "none":
            return None
        said = int(last.metadata.get(REPEATS, 0))
        for call in last.tool_calls:
            fault = self.faults.by_tool.get(call.name)
            if fault is not None and fault.kind == "repeated" and (fault.times is None or said < fault.times):
                break
        else:
            return None
        stem = [call.id.removesuffix(f"_again{said}") for call in last.tool_calls]
        calls = [replace(one, id=f"{id}_again{said + 1}") for one, id in zip(last.tool_calls, stem, strict=True)]
        message = _with(last, calls, {REPEATS: said + 1})
        told = self._told.get(request.at[0])
        return Replied(message) if told is None else replace(told, message=message)

    def _passed(self, event: Delta | Replied, request: Request) -> Delta | Replied:
        if isinstance(event, Delta):
            return event
        event = self._damaged(event, request)
        self._told[request.at[0]] = event
        return event

    def _damaged(self, replied: Replied, request: Request) -> Replied:
        """The reply with the arguments of some calls cut off, read as the wire reads what a model wrote."""
        before = Counter(
            call.name for one in request.messages for call in one.tool_calls if call.id in one.metadata.get(GARBLED, ())
        )
        calls: list[ToolCall] = []
        damaged: list[str] = []
        for call in replied.message.tool_calls:
            match self.faults.by_tool.get(call.name):
                case Fault("garbled", times) if call.fault is None:
                    spoil = times is None or before[call.name] < times
                case _:
                    spoil = False
            if spoil:
                before[call.name] += 1
                damaged.append(call.id)
                arguments, words = read_arguments(cut_off(call.arguments), self.faults.language)
                call = replace(call, arguments=arguments, fault=words)
            calls.append(call)
        return replace(replied, message=_with(replied.message, calls, {GARBLED: damaged})) if damaged else replied


def cut_off(arguments: Mapping[str, Any]) -> str:
    """Arguments as JSON text of which the end is missing, as when a reply reaches the limit of its tokens."""
    written = write_arguments(arguments)
    return written[: max(1, 2 * len(written) // 3)]


def _as_if_never_repeated(request: Request) -> Request:
    """The request at the step that the model would be at without the repeated replies."""
    extra = sum(REPEATS in message.metadata for message in request.messages)
    frame, step = request.at
    return replace(request, at=(frame, step - extra)) if extra else request


def _with(message: Message, calls: Iterable[ToolCall], marks: Mapping[str, Any]) -> Message:
    return Message(
        message.content,
        message.role,
        tool_calls=calls,
        reasoning=message.reasoning,
        metadata={**message.metadata, **marks},
    )
