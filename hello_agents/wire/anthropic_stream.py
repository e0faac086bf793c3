"""A streamed reply of Anthropic's Messages API, put together event by event."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..core.arguments import utf8
from ..core.exceptions import EmptyReply
from ..core.loose import mapping, mappings, string
from ..core.run import Delta, Replied
from .errors import fields_of


class Accumulator:
    """A streamed reply being put together. `feed` it the events, ask for the `rest`, then `finish` it.

    The blocks grow into the response that would have come whole, which is then decoded as such.
    """

    def __init__(self, *, step: int = 0, language: str = "en") -> None:
        self._step = step
        self._language = language
        self._message: dict[str, Any] | None = None
        self._blocks: dict[object, dict[str, Any]] = {}
        self._places: dict[object, int] = {}
        """The position among the calls, for each block that is one."""
        self._thought = False
        self._ended = False

    def feed(self, chunk: object) -> Iterator[Delta]:
        """What the event adds. Raises the error that the event tells of."""
        event = fields_of(chunk)
        match event.get("type"):
            case "message":
                # Some answer at once though a stream was asked for.
                self._message, self._ended = {**event}, True
                for index, block in enumerate(mappings(event.get("content"))):
                    yield from self._start(index, block)
            case "message_start":
                self._message = {**mapping(event.get("message"))}
            case "content_block_start":
                yield from self._start(event.get("index"), mapping(event.get("content_block")))
            case "content_block_delta":
                yield from self._grow(event.get("index"), mapping(event.get("delta")))
            case "message_delta":
                self._end(mapping(event.get("delta")), mapping(event.get("usage")))
            case "message_stop":
                self._ended = True
            case _:
                pass

    def rest(self) -> Iterator[Delta]:
        """Nothing is held back here."""
        return iter(())

    def finish(self) -> Replied:
        """The whole reply. Raises `EmptyReply` when there was none."""
        from .anthropic import decode

        if self._message is None:
            raise EmptyReply("The stream ended before a message began. Ask again; if it stays so, look at the model.")
        blocks = [{**block, "input": block["json"] or block.get("input")} for block in self._blocks.values()]
        return decode({**self._message, "content": blocks}, step=self._step, language=self._language)

    @property
    def ended(self) -> bool:
        """Whether a reason to stop was given, or the end told."""
        return self._ended or bool(mapping(self._message).get("stop_reason"))

    def _start(self, index: object, wire: Mapping[str, Any]) -> Iterator[Delta]:
        self._message = self._message or {}
        self._blocks[index] = {**wire, "json": ""}
        match wire.get("type"):
            case "tool_use":
                place = self._places[index] = len(self._places)
                yield Delta("", "call", place, string(wire.get("name")))
            case "text" if wire.get("text"):
                yield Delta(utf8(string(wire.get("text"))))
            case "thinking" if wire.get("thinking"):
                yield from self._think(index, string(wire.get("thinking")), first=True)
            case _:
                pass

    def _grow(self, index: object, delta: Mapping[str, Any]) -> Iterator[Delta]:
        block = self._blocks.setdefault(index, {"type": "text", "json": ""})
        match delta.get("type"):
            case "text_delta":
                if piece := string(delta.get("text")):
                    block["text"] = string(block.get("text")) + piece
                    yield Delta(utf8(piece))
            case "input_json_delta":
                if piece := string(delta.get("partial_json")):
                    block["json"] += piece
                    yield Delta(utf8(piece), "call", self._places.get(index, 0))
            case "thinking_delta":
                if piece := string(delta.get("thinking")):
                    first = not block.get("thinking")
                    block["thinking"] = string(block.get("thinking")) + piece
                    yield from self._think(index, piece, first=first)
            case "signature_delta":
                block["signature"] = string(block.get("signature")) + string(delta.get("signature"))
            case _:
                pass

    def _think(self, index: object, piece: str, *, first: bool) -> Iterator[Delta]:
        if first and self._thought:
            piece = f"\n{piece}"
        self._thought = True
        yield Delta(utf8(piece), "reasoning")

    def _end(self, delta: Mapping[str, Any], usage: Mapping[str, Any]) -> None:
        """The counts are running totals; those that are left out stay as they began."""
        message = self._message = self._message or {}
        message.update({name: value for name, value in delta.items() if value is not None})
        counted = {name: value for name, value in usage.items() if value is not None}
        message["usage"] = {**mapping(message.get("usage")), **counted}
