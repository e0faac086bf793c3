"""The history of an agent as the tutorial's framework has it: views of its run, whose changes are events."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Self, SupportsIndex

from ..context.history import HistoryManager
from .message import Message
from .run import Compacted

if TYPE_CHECKING:
    from .agent import Agent


class AgentHistory(HistoryManager):
    """What an agent's run holds, without the system message. Its two settings are those of the agent's `config`."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    @property
    def min_retain_rounds(self) -> int:
        return self._agent.config.min_retain_rounds

    @min_retain_rounds.setter
    def min_retain_rounds(self, rounds: int) -> None:
        self._set(min_retain_rounds=rounds)

    @property
    def compression_threshold(self) -> float:
        return self._agent.config.compression_threshold

    @compression_threshold.setter
    def compression_threshold(self, threshold: float) -> None:
        self._set(compression_threshold=threshold)

    def append(self, message: Message) -> None:
        self._agent.add_message(message)

    def get_history(self) -> list[Message]:
        return [message for message in self._agent.state.messages if message.role != "system"]

    def clear(self) -> None:
        self._agent.clear_history()

    def take_over(self, other: HistoryManager) -> None:
        """Has the messages and the settings of another manager from now on."""
        messages = other.get_history()
        self._set(min_retain_rounds=other.min_retain_rounds, compression_threshold=other.compression_threshold)
        self.clear()
        for message in messages:
            self.append(message)

    def _replace(self, start: int, stop: int, messages: list[Message]) -> None:
        first = len(self._agent.state.messages) - len(self.get_history())
        self._agent.record(Compacted(first + start, first + stop, tuple(messages)))

    def _set(self, **settings: Any) -> None:
        # In a `config` of the agent's own: others may have the same one.
        config = self._agent.config
        if any(getattr(config, name) != value for name, value in settings.items()):
            self._agent.config = type(config)(**config.to_dict() | settings)


class HistoryList(list[Message]):
    """`agent._history`: a list whose changes are made to the agent's conversation as well."""

    def __init__(self, agent: Agent) -> None:
        # All of it, also where `get_history` gives the end: what is not here would be gone with the next change.
        super().__init__(agent.history_manager.get_history())
        self._agent = agent

    def append(self, message: Message) -> None:
        super().append(message)
        self._agent.add_message(message)

    def extend(self, messages: Iterable[Message]) -> None:
        for message in messages:
            self.append(message)

    def __iadd__(self, messages: Iterable[Message]) -> Self:  # pyright: ignore[reportIncompatibleMethodOverride]
        self.extend(messages)
        return self

    def insert(self, index: SupportsIndex, message: Message) -> None:
        super().insert(index, message)
        self._write()

    def pop(self, index: SupportsIndex = -1) -> Message:
        message = super().pop(index)
        self._write()
        return message

    def remove(self, message: Message) -> None:
        super().remove(message)
        self._write()

    def clear(self) -> None:
        super().clear()
        self._write()

    def __setitem__(self, index: Any, value: Any) -> None:
        super().__setitem__(index, value)
        self._write()

    def __delitem__(self, index: SupportsIndex | slice) -> None:
        super().__delitem__(index)
        self._write()

    def _write(self) -> None:
        self._agent._history = list(self)  # pyright: ignore[reportPrivateUsage]
