"""A streamed reply of Chat Completions, put together chunk by chunk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..core.arguments import read_arguments, utf8
from ..core.exceptions import EmptyReply
from ..core.loose import mapping, mappings, parts, string
from ..core.run import Delta, Replied
from .errors import fields_of
from .openai_reply import DETAILS, Draft, reasoning_of, wire_calls, written_arguments
from .reply import WrittenCall
from .thinking import Piece

DONE = {"done": True}
"""Stands for the mark at the end of a stream, which the client keeps to itself."""

_TOLD = ("content", "refusal", "reasoning_content", "reasoning", "tool_calls", "function_call")
"""What a message says, calls or thinks."""


class Accumulator:
    """A streamed reply being put together. `feed` it the chunks, ask for the `rest`, then `finish` it."""

    def __init__(self, *, step: int = 0, language: str = "en") -> None:
        self._step = step
        self._language = language
        self._draft = Draft()
        self._slots: list[_Slot] = []
        self._by_index: dict[int, _Slot] = {}
        self._half = ""
        """The first half of a character whose second half comes with the next chunk."""
        self._began = False
        self._done = False
        self._in_pieces = False
        """Whether anything came in pieces."""

    def feed(self, chunk: object) -> Iterator[Delta]:
        """What the chunk adds. Raises the error that the chunk tells of."""
        fields = fields_of(chunk)
        self._draft.envelope(fields)
        self._done = self._done or fields.get("done") is True
        for choice in mappings(fields.get("choices")):
            if choice.get("index") in (0, None):
                yield from self._choice(choice)

    def rest(self) -> Iterator[Delta]:
        """What was held back because it might have been the beginning of a tag."""
        half, self._half = self._half, ""
        yield from self._told(self._draft.split.feed(utf8(half)))
        yield from self._told(self._draft.split.close())

    def finish(self) -> Replied:
        """The whole reply. Raises `EmptyReply` when there was none."""
        if not self._began:
            raise EmptyReply("The stream ended without a choice. Ask again; if it stays so, look at the model's name.")
        for _ in self.rest():
            pass
        self._draft.calls = [WrittenCall(slot.id, slot.name, slot.text, slot.extra) for slot in self._slots]
        return self._draft.replied(self._step, self._language)

    @property
    def ended(self) -> bool:
        """Whether a reason to finish was given, or the end marked. Many servers leave out one of the two."""
        return self._done or self._draft.finish is not None

    def _choice(self, choice: Mapping[str, Any]) -> Iterator[Delta]:
        self._began = True
        self._draft.finish = string(choice.get("finish_reason")) or self._draft.finish
        # Kimi counts here.
        self._draft.count(choice.get("usage"))
        wire = mapping(choice.get("delta"))
        if wire:
            yield from self._add(wire)
            self._in_pieces = self._in_pieces or any(wire.get(name) for name in _TOLD)
        elif whole := mapping(choice.get("message")):
            self._done = True
            # Some servers end a stream with the message as a whole: it has been told.
            if not self._in_pieces:
                yield from self._add(whole)

    def _add(self, wire: Mapping[str, Any]) -> Iterator[Delta]:
        self._draft.detail(wire.get(DETAILS))
        said, thought, _ = parts(wire.get("content"))
        if thought := (reasoning_of(wire) or "") + thought:
            self._draft.reasoning.append(thought)
            yield Delta(utf8(thought), "reasoning")
        if said := (said or string(wire.get("refusal"))):
            yield from self._text(said)
        for call in wire_calls(wire):
            yield from self._call(call)

    def _text(self, said: str) -> Iterator[Delta]:
        said = self._half + said
        self._half = ""
        if "\ud800" <= said[-1] <= "\udbff":
            said, self._half = said[:-1], said[-1]
        yield from self._told(self._draft.split.feed(utf8(said)))

    def _told(self, pieces: Iterator[Piece]) -> Iterator[Delta]:
        for part, piece in pieces:
            self._draft.take(part, piece)
            yield Delta(piece, part)

    def _call(self, wire: Mapping[str, Any]) -> Iterator[Delta]:
        function = mapping(wire.get("function"))
        id, name, index = string(wire.get("id")), string(function.get("name")), wire.get("index")
        piece = written_arguments(function)
        place = index if isinstance(index, int) else None
        slot = self._slot(place, id, name, piece)
        name = name or slot.heir
        first = not slot.name
        slot.id = slot.id or id
        slot.extra = {**slot.extra, **mapping(wire.get("extra_content"))}
        if slot.name and name and name != slot.name and not slot.text:
            slot.name += name
        slot.name = slot.name or name
        slot.pieces.append(piece)
        if piece or (first and name):
            yield Delta(utf8(piece), "call", slot.position, slot.name if first else None)

    def _slot(self, place: int | None, id: str, name: str, piece: str) -> _Slot:
        """The call that a delta belongs to: by its index if that fits its id, else by its id, else the last one."""
        slot = None if place is None else self._by_index.get(place)
        if slot is None and id:
            # Two calls may have one id; where both have an index and a name, these tell them apart.
            apart = place is not None and name
            slot = next((slot for slot in self._slots if slot.id == id and not (apart and slot.indexed)), None)
        if slot is None and self._slots and (place is None or not (id or name)):
            slot = self._slots[-1]
        if slot is None or slot.is_over(id, name, piece, indexed=place is not None):
            heir = slot.name if slot and slot.named_again and not name else ""
            slot = _Slot(len(self._slots), heir=heir)
            self._slots.append(slot)
        if place is not None:
            self._by_index[place] = slot
            slot.indexed = True
        return slot


@dataclass(slots=True)
class _Slot:
    """One streamed call while its pieces come."""

    position: int
    id: str = ""
    name: str = ""
    heir: str = ""
    """The name of a call that was only named by the delta before its first piece."""
    pieces: list[str] = field(default_factory=list[str])
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])
    indexed: bool = False
    named_again: bool = False
    """Its name came once more after its end: the server repeats itself, or another call begins with the next piece."""

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    def is_over(self, id: str, name: str, piece: str, *, indexed: bool) -> bool:
        """Whether the delta begins another call, though it came to this one's place.

        Some servers send every call under index 0, and some repeat the name with every piece, or make up another
        id for each: an id alone begins no call, and nor does one with the same name before the arguments are whole.
        """
        if id and self.id and id != self.id and name and (name != self.name or not self.text or self._is_whole()):
            return True
        if self.named_again and piece.strip():
            return True
        if not name or not self.name:
            return False
        if not self.text:
            return name != self.name and not indexed and not (id and self.id)
        if not self._is_whole():
            return False
        if name == self.name and not piece.strip():
            self.named_again = True
            return False
        return True

    def _is_whole(self) -> bool:
        arguments, fault = read_arguments(self.text)
        return fault is None and (bool(arguments) or not self.text.isspace())
