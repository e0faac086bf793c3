"""Calls that go through a method of a reader's own: an overridden `_execute_tool_call` or `execute_tool`."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

from ..core.message import Message, Status, ToolCall
from .errors import ToolErrorCode
from .executor import respond, say
from .registry import ToolRegistry, message_of
from .response import ToolResponse

if TYPE_CHECKING:
    from ..core.assembly import Assembly

Answer = Callable[[ToolCall, str], "Message | ToolResponse"]


class ByHand(ToolRegistry):
    """A view of a registry whose calls are answered by a function, those of the `spared` tools aside."""

    def __init__(self, below: ToolRegistry, answer_by: Answer, spared: Collection[str]) -> None:
        super().__init__()
        self._base = below
        self._reads = below._reads
        self._answer_by = answer_by
        self._spared = frozenset(spared)

    def answer(self, call: ToolCall, language: str = "en") -> Message:
        if self._is_plain(call):
            return super().answer(call, language)
        try:
            answer = self._answer_by(call, language)
        except Exception as error:
            answer = ToolResponse.error(ToolErrorCode.EXECUTION_ERROR, say(error))
        if isinstance(answer, Message):
            return answer
        return message_of(call, self._shortened(call.name, answer), language)

    async def aanswer(self, call: ToolCall, language: str = "en") -> Message:
        if self._is_plain(call):
            return await super().aanswer(call, language)
        from .background import in_thread

        return await in_thread(lambda: self.answer(call, language))

    def _is_plain(self, call: ToolCall) -> bool:
        return call.fault is not None or call.name in self._spared or self.get_tool(call.name) is None


def by_agent(agent: Assembly, converts: bool) -> Answer:
    """Answers by the agent's own steps of a call. Their text is what the model reads."""

    def answer(call: ToolCall, language: str) -> Message:
        arguments = call.arguments
        if converts:
            arguments = agent._convert_parameter_types(call.name, arguments)  # pyright: ignore[reportPrivateUsage]
        said = agent._execute_tool_call(call.name, arguments)  # pyright: ignore[reportPrivateUsage]
        return Message(str(said), "tool", answers=call.id, status=_status(str(said)), metadata={"tool": call.name})

    return answer


def by_registry(registry: ToolRegistry) -> Answer:
    """Answers by the registry's own `execute_tool`."""

    def answer(call: ToolCall, language: str) -> ToolResponse:
        value: Any = registry.execute_tool(call.name, call.arguments)
        return respond(value, language)

    return answer


def _status(said: str) -> Status:
    """How a call went, told by how its text begins."""
    return "error" if said.startswith("❌") else "partial" if said.startswith("⚠️") else "success"
