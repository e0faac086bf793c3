"""The history of an agent as the manager that the tutorial's framework has: a view, whose changes are events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..context.history import HistoryManager
from .message import Message
from .run import Compacted

if TYPE_CHECKING:
    from .agent import Agent


class AgentHistory(HistoryManager):
    """What an agent's run holds, without the system message."""

    def __init__(self, agent: Agent) -> None:
        super().__init__(agent.config.min_retain_rounds, agent.config.compression_threshold)
        self._agent = agent

    def append(self, message: Message) -> None:
        self._agent.add_message(message)

    def get_history(self) -> list[Message]:
        return [message for message in self._agent.state.messages if message.role != "system"]

    def clear(self) -> None:
        self._agent.clear_history()

    def _replace(self, start: int, stop: int, messages: list[Message]) -> None:
        first = len(self._agent.state.messages) - len(self.get_history())
        self._agent.record(Compacted(first + start, first + stop, tuple(messages)))
