"""The history manager: a list of messages that knows its rounds and can be made shorter by a summary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.message import Message
from ..core.rounds import older, round_starts, spared


class HistoryManager:
    """A conversation to append to. A round is a user's message with all that follows it, up to the next."""

    def __init__(self, min_retain_rounds: int = 10, compression_threshold: float = 0.8) -> None:
        """`min_retain_rounds` rounds stay as they are; the threshold is the part of a window that may fill up."""
        if min_retain_rounds < 1:
            raise ValueError(f"min_retain_rounds={min_retain_rounds} would lose the question. Keep at least 1.")
        self.min_retain_rounds = min_retain_rounds
        self.compression_threshold = compression_threshold
        self._messages: list[Message] = []

    def append(self, message: Message) -> None:
        self._messages.append(message)

    def get_history(self) -> list[Message]:
        """The messages, as a list of the caller's own."""
        return list(self._messages)

    def clear(self) -> None:
        self._messages.clear()

    def estimate_rounds(self) -> int:
        """How many rounds there are."""
        return len(round_starts(self._messages))

    def find_round_boundaries(self) -> list[int]:
        """Where each round begins: the indexes of the user's messages."""
        return round_starts(self._messages)

    def is_due(self, tokens: int, context_window: int) -> bool:
        """Whether a conversation of this many tokens has come to the threshold of the window."""
        return tokens >= context_window * self.compression_threshold

    def compress(self, summary: str) -> None:
        """Puts one message of the role `summary` in the place of all before the last rounds.

        The system message stays, and so do calls with their results: where a round that would go has a result
        among those that stay, it stays too. An earlier summary is replaced, so that `summary` speaks for it as
        well. With nothing to replace nothing happens.
        """
        found = older(self._messages, self.min_retain_rounds)
        if found is None:
            return
        start, stop = found
        told = Message(summary, "summary", metadata={"compacted": stop - start})
        self._messages[start:stop] = [*spared(self._messages, start, stop), told]

    def to_dict(self) -> dict[str, Any]:
        """The history as plain JSON values. `load_from_dict` reads it back."""
        return {
            "history": [message.to_dict() for message in self._messages],
            "rounds": self.estimate_rounds(),
            "min_retain_rounds": self.min_retain_rounds,
            "compression_threshold": self.compression_threshold,
        }

    def load_from_dict(self, data: Mapping[str, Any]) -> None:
        """Takes over what `to_dict` wrote. Raises `ValueError` when there is no history in it."""
        if "history" not in data:
            raise ValueError(f"There is no 'history' in {sorted(data)}. Pass what `to_dict` gave.")
        self._messages = [Message.from_dict(message) for message in data["history"]]
        self.min_retain_rounds = data.get("min_retain_rounds", self.min_retain_rounds)
        self.compression_threshold = data.get("compression_threshold", self.compression_threshold)
