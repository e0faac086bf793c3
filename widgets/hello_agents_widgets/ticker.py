"""The ticker: what a model is writing, told to the page while it arrives. Nothing of it is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any

from hello_agents.core.run import Delta, Entry

Json = dict[str, Any]

_EVERY = 0.06
"""Seconds between two messages: sixteen a second look like writing, and no page falls behind."""


class Ticker:
    """A watcher of a debugger that passes pieces of replies on to the page, in a few messages rather than one each.

    A message is `{"stream": [{"part", "text", "call"?, "name"?}, …], "frame", "reply"}`, `reply` being another number
    for each reply. What has arrived since the last message waits for the next; after the last piece the reply comes.
    """

    def __init__(self, tell: Callable[[Mapping[str, Any]], None], clock: Callable[[], float] = monotonic) -> None:
        self._tell = tell
        self._clock = clock
        self._last: float | None = None
        self._pieces: list[Json] = []
        self._reply = 0

    def __call__(self, entry: Entry) -> None:
        if not isinstance(entry.event, Delta):
            self._pieces.clear()
            self._last = None
            self._reply += 1
            return
        self._add(entry.event)
        now = self._clock()
        if self._last is None or now - self._last >= _EVERY:
            self._tell({"stream": list(self._pieces), "frame": entry.frame, "reply": self._reply})
            self._pieces.clear()
            self._last = now

    def _add(self, delta: Delta) -> None:
        """Joins the piece to the one before where both are of the same part."""
        last = self._pieces[-1] if self._pieces else None
        if last is not None and delta.name is None and (last["part"], last.get("call")) == (delta.part, delta.call):
            last["text"] += delta.text
            return
        piece: Json = {"part": delta.part, "text": delta.text, "call": delta.call, "name": delta.name}
        self._pieces.append({name: value for name, value in piece.items() if value is not None})
