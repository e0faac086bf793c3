"""RecordedLLM: a model whose replies were given once, by another model, and are given again."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, cast

from ..core import exceptions, settings
from ..core.action import Model, Request
from ..core.exceptions import LLMException
from ..core.journal import json_text, load_event, plain
from ..core.llm import HelloAgentsLLM, Whole
from ..core.message import Message
from ..core.run import Delta, Replied
from ..core.secrets import MASK, is_secret_name, mask, mask_values
from .difference import alike, difference, lines_of

SCHEMA = 1
"""Counts the changes of the form. Every line carries the number it was written with."""

Place = tuple[str, int]
"""The frame and the step that ask, as in `Request.at`."""

_ERRORS = {
    kind.__name__: kind
    for kind in (
        LLMException,
        exceptions.ModelRefused,
        exceptions.AuthenticationFailed,
        exceptions.RateLimited,
        exceptions.ModelUnavailable,
        exceptions.ConnectionFailed,
        exceptions.ModelTimeout,
        exceptions.BadReply,
        exceptions.EmptyReply,
    )
}
"""The errors that a provider can bring about. They are part of what happened, and are raised again."""


class RecordingMiss(LLMException):
    """A recording has no answer to what is asked: the request has changed, or nothing was recorded there."""

    def __init__(self, message: str = "", *, path: Path | None = None, at: Place = ("", 0), diff: str = "") -> None:
        super().__init__(message)
        self.path = path
        """The recording."""
        self.at = at
        """The frame and the step that asked."""
        self.diff = mask(diff)
        """What was recorded against what is asked, as a unified diff."""


class RecordedLLM:
    """Records the exchanges with `inner` in a file; without `inner`, gives the recorded replies again.

    A reply is found by the frame and step that ask and by what is asked: messages, tools and tool choice. Anything
    that was not asked like this before raises `RecordingMiss`, which shows the difference. The pieces of a reply come
    as they came, however the run is walked, and errors of the provider are raised as they were.

    The file is JSON lines, one an exchange, without keys: what looks like one, the key of `inner`, LLM_API_KEY and
    `secrets` become `***`. Recording again replaces what an earlier recording has at the same place; forks of one
    recording stand side by side. Making one touches no disk.
    """

    def __init__(self, path: str | Path, inner: Model | None = None, *, secrets: Iterable[str] = ()) -> None:
        self.path = Path(path)
        self.inner = inner
        self._secrets = tuple(secrets)
        self._lock = Lock()
        self._exchanges: list[_Exchange] | None = None
        self._own: set[Place] = set()
        """The places that this object has recorded."""

    def stream(self, request: Request) -> Iterator[Delta | Replied]:
        """The pieces of the reply, then the reply. Raises `RecordingMiss` when there is none to replay."""
        if self.inner is None:
            yield from self._found(request).parts()
            return
        taken = self._begin(request)
        try:
            for part in self.inner.stream(request):
                self._take(taken, part)
                yield part
        except LLMException as error:
            self._fail(taken, error)
            raise

    async def astream(self, request: Request) -> AsyncIterator[Delta | Replied]:
        """`stream`, awaited."""
        if self.inner is None:
            for part in self._found(request).parts():
                yield part
            return
        taken = self._begin(request)
        try:
            async for part in self.inner.astream(request):
                self._take(taken, part)
                yield part
        except LLMException as error:
            self._fail(taken, error)
            raise

    def __repr__(self) -> str:
        doing = "replaying" if self.inner is None else f"recording {type(self.inner).__name__}"
        return f"RecordedLLM({str(self.path)!r}, {doing})"

    # -- recording --------------------------------------------------------------------------------

    def _begin(self, request: Request) -> _Taken:
        """Reads what is there first: a file that cannot be kept should not cost a request."""
        known = self._known()
        with self._lock:
            self._read()
        return _Taken(_place(request, known), _asked(request, known), known, [])

    def _take(self, taken: _Taken, part: Delta | Replied) -> None:
        match part:
            case Delta():
                taken.deltas.append(part)
            case Replied():
                reply = _without_time(plain(part))
                self._write(taken, {"reply": mask_values(reply, *taken.known)}, part.message)

    def _fail(self, taken: _Taken, error: LLMException) -> None:
        if _ERRORS.get(type(error).__name__) is type(error):
            told = {
                "type": type(error).__name__,
                "message": str(error),
                "provider_message": error.provider_message,
                "status": error.status,
                "retryable": error.retryable,
                "retry_after": error.retry_after,
            }
            self._write(taken, {"error": mask_values(told, *taken.known)}, None)

    def _write(self, taken: _Taken, answer: dict[str, Any], message: Message | None) -> None:
        exchange = _Exchange(
            taken.at,
            taken.asked,
            json_text(
                {"schema": SCHEMA, "at": taken.at, "request": json.loads(taken.asked)}
                | answer
                | {"deltas": _packed(taken.deltas, message, taken.known)}
            ),
        )
        with self._lock:
            exchanges = self._read()
            kept = [one for one in exchanges if not self._is_replaced(one, exchange)]
            kept.append(exchange)
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if len(kept) > len(exchanges):
                self._append(exchange)
            else:
                from ..tools.builtin.file_tools import write_atomically

                write_atomically(self.path, "".join(f"{one.line}\n" for one in kept).encode())
            self._exchanges = kept
            self._own.add(exchange.at)

    def _is_replaced(self, old: _Exchange, new: _Exchange) -> bool:
        return old.at == new.at and (old.asked == new.asked or old.at not in self._own)

    def _append(self, exchange: _Exchange) -> None:
        """One write for the whole line, behind a last line that was cut off and is cut away."""
        with self.path.open("ab") as file:
            file.truncate(_whole_lines(self.path.read_bytes()))
            file.write(f"{exchange.line}\n".encode())

    # -- replaying --------------------------------------------------------------------------------

    def _found(self, request: Request) -> _Exchange:
        known = self._known()
        at, asked = _place(request, known), _asked(request, known)
        with self._lock:
            exchanges = self._read()
        here = [one for one in exchanges if one.at == at]
        for one in here:
            if one.asked == asked:
                return one
        raise self._changed(at, asked, here) if here else self._missing(at, asked, exchanges)

    def _changed(self, at: Place, asked: str, here: Sequence[_Exchange]) -> RecordingMiss:
        now = lines_of(json.loads(asked))
        closest = max((lines_of(json.loads(one.asked)) for one in here), key=lambda lines: alike(lines, now))
        diff = difference(closest, now, labels=(f"recorded in {self.path.name}", "asked now"))
        among = "" if len(here) == 1 else f", in {len(here)} ways, of which this is the closest"
        return self._miss(f"{self.path} was recorded when {_named(at)} asked something else{among}", at, diff)

    def _missing(self, at: Place, asked: str, exchanges: Sequence[_Exchange]) -> RecordingMiss:
        diff = difference([], lines_of(json.loads(asked)), labels=("nothing recorded", "asked now"))
        steps = [step for frame, step in dict.fromkeys(one.at for one in exchanges) if frame == at[0]]
        there = f"the steps {', '.join(map(str, sorted(steps)))}" if steps else "no step of this frame"
        if not exchanges and not self.path.exists():
            return self._miss(f"There is no recording {self.path}", at, diff)
        return self._miss(
            f"{self.path} holds {there}, and nothing for {_named(at)[0].lower()}{_named(at)[1:]}", at, diff
        )

    def _miss(self, what: str, at: Place, diff: str) -> RecordingMiss:
        remedy = (
            f"Ask as it was recorded, or record again with RecordedLLM({str(self.path)!r}, inner=…), where inner is a "
            "model that can answer."
        )
        return RecordingMiss(f"{what}. {remedy}\n{diff}", path=self.path, at=at, diff=diff)

    # -- the file ---------------------------------------------------------------------------------

    def _read(self) -> list[_Exchange]:
        """The exchanges in the file, without a last line that was cut off. Read once."""
        if self._exchanges is None:
            written = self.path.read_bytes() if self.path.exists() else b""
            lines = enumerate(written[: _whole_lines(written)].split(b"\n"), 1)
            self._exchanges = [self._exchange(number, line) for number, line in lines if line.strip()]
        return self._exchanges

    def _exchange(self, number: int, line: bytes) -> _Exchange:
        try:
            return _read_exchange(line.decode())
        except ValueError as error:
            what = f"Line {number} of the recording {self.path} cannot be read: {error}"
            raise RecordingMiss(f"{what} Take it out, or record again into a new file.", path=self.path) from None

    def _known(self) -> tuple[str, ...]:
        """Values that are secret whatever they look like."""
        keys = (_key_of(self.inner), settings.setting("LLM_API_KEY"))
        return (*self._secrets, *(key for key in keys if key))


@dataclass(frozen=True, slots=True)
class _Taken:
    """An exchange while it is going on."""

    at: Place
    asked: str
    known: tuple[str, ...]
    deltas: list[Delta]


@dataclass(frozen=True, slots=True)
class _Exchange:
    """A recorded request, and its line in the file, from which the reply is made anew each time."""

    at: Place
    asked: str
    """The request in its canonical form."""
    line: str

    def parts(self) -> Iterator[Delta | Replied]:
        data = json.loads(self.line)
        yield from _unpacked(data["deltas"])
        if error := data.get("error"):
            kind = _ERRORS.get(error.pop("type"), LLMException)
            raise kind(error.pop("message"), **error)
        yield cast("Replied", load_event(data["reply"]))


def _read_exchange(line: str) -> _Exchange:
    data = json.loads(line)
    match data:
        case {"schema": int(schema)} if schema > SCHEMA:
            raise ValueError(f"Its schema {schema} is newer than {SCHEMA}. Update hello-agents-book.")
        case {
            "at": [str(frame), int(step)],
            "request": {"messages": list(), "tools": list(), "tool_choice": str()},
            "deltas": list(),
        }:
            return _Exchange((frame, step), _canonical(data["request"]), line)
        case _:
            raise ValueError("It is no recorded exchange.")


# -- a request as it is recorded and looked up ----------------------------------------------------------


def _place(request: Request, known: tuple[str, ...]) -> Place:
    frame, step = request.at
    return mask(frame, *known), step


def _asked(request: Request, known: tuple[str, ...]) -> str:
    """What is asked, in the one form that equal requests have. Times and notes of the library's own are not in it."""
    return _canonical(
        {
            "messages": [mask_values(_message(message), *known) for message in request.messages],
            "tools": [_masked_schema(tool, known) for tool in request.tools],
            "tool_choice": mask(request.tool_choice, *known),
        }
    )


def _canonical(request: Mapping[str, Any]) -> str:
    return json_text(_sorted(json.loads(json_text(request))))


def _sorted(value: Any) -> Any:
    match value:
        case dict():
            fields = cast("dict[str, Any]", value)
            return {name: _sorted(fields[name]) for name in sorted(fields)}
        case list():
            return [_sorted(item) for item in cast("list[Any]", value)]
        case _:
            return value


def _message(message: Message) -> dict[str, Any]:
    """What a model is told of a message."""
    data = message.to_dict()
    for name in ("timestamp", "metadata", "status"):
        data.pop(name, None)
    return data


def _masked_schema(schema: Any, known: tuple[str, ...], secret: bool = False) -> Any:
    """A schema without keys in it. A parameter that is called `password` keeps its schema, but not its default."""
    match schema:
        case str():
            return MASK if secret else mask(schema, *known)
        case Mapping():
            fields = cast("Mapping[str, Any]", schema)
            return {
                mask(name, *known): _masked_schema(item, known, (secret and name in _VALUES) or is_secret_name(name))
                for name, item in fields.items()
            }
        case list() | tuple():
            return [_masked_schema(item, known, secret) for item in cast("list[Any]", schema)]
        case _:
            return schema


_VALUES = ("default", "const", "enum", "examples")


def _without_time(reply: dict[str, Any]) -> dict[str, Any]:
    return reply | {"message": {name: item for name, item in reply["message"].items() if name != "timestamp"}}


def _key_of(model: Model | None) -> str | None:
    match model:
        case Whole(llm=llm) | (HelloAgentsLLM() as llm):
            return llm.api_key
        case _:
            return None


def _named(at: Place) -> str:
    frame, step = at
    return f"step {step} of {f'frame {frame!r}' if frame else 'the root frame'}"


def _whole_lines(written: bytes) -> int:
    return written.rfind(b"\n") + 1


# -- the pieces of a reply ------------------------------------------------------------------------------


def _packed(deltas: Iterable[Delta], message: Message | None, known: tuple[str, ...]) -> list[dict[str, Any]]:
    """The pieces in order, neighbours of one kind together."""
    packed: list[dict[str, Any]] = []
    before: tuple[str, int | None] | None = None
    for delta in _masked_deltas(list(deltas), message, known):
        kind = (delta.part, delta.call)
        if kind == before and delta.name is None:
            packed[-1]["pieces"].append(delta.text)
            continue
        before = kind
        fields = {"part": delta.part, "call": delta.call, "name": delta.name}
        group = {name: value for name, value in fields.items() if value is not None and value != "content"}
        packed.append(group | {"pieces": [delta.text]})
    return packed


def _unpacked(packed: Iterable[Mapping[str, Any]]) -> Iterator[Delta]:
    for group in packed:
        part, call, name = group.get("part", "content"), group.get("call"), group.get("name")
        for text in group["pieces"]:
            yield Delta(text, part, call, name)
            name = None


def _masked_deltas(deltas: list[Delta], message: Message | None, known: tuple[str, ...]) -> Iterator[Delta]:
    """The pieces without secrets, which may lie across several: where one does, the pieces come as one."""
    texts: dict[tuple[str, int | None], str] = {}
    for delta in deltas:
        kind = (delta.part, delta.call)
        texts[kind] = texts.get(kind, "") + delta.text
    masked = {kind: _masked_text(kind, text, message, known) for kind, text in texts.items()}
    told: set[tuple[str, int | None]] = set()
    for delta in deltas:
        kind = (delta.part, delta.call)
        name = None if delta.name is None else mask(delta.name, *known)
        if masked[kind] == texts[kind]:
            yield Delta(delta.text, delta.part, delta.call, name)
        elif kind not in told:
            told.add(kind)
            yield Delta(masked[kind], delta.part, delta.call, name)


def _masked_text(kind: tuple[str, int | None], text: str, message: Message | None, known: tuple[str, ...]) -> str:
    """All the text of one kind, masked; that of a call by its fields as well."""
    _, position = kind
    if position is not None and message is not None and position < len(message.tool_calls):
        arguments = message.tool_calls[position].arguments
        masked = mask_values(arguments, *known)
        if masked != arguments:
            return json_text(masked)
    return mask(text, *known)
