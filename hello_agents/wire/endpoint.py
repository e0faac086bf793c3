"""An endpoint: a protocol and a transport put together, asked in four ways that give the same reply."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator, Mapping
from contextlib import aclosing, closing
from dataclasses import dataclass, field
from typing import Any, Protocol

from ..core.action import Request
from ..core.exceptions import BadReply, ConnectionFailed
from ..core.run import Delta, Replied

ATTEMPTS = 2
"""How often a request is made that is answered with nothing readable. Refusals are the client's to repeat."""


class StreamDecoder(Protocol):
    """Puts a streamed reply together."""

    def feed(self, chunk: object) -> Iterator[Delta]: ...
    def rest(self) -> Iterator[Delta]: ...
    def finish(self) -> Replied: ...
    @property
    def ended(self) -> bool:
        """Whether the end came that the protocol has for a reply."""
        ...


class Codec(Protocol):
    """A provider's protocol, pure. A module can be one."""

    @property
    def PATH(self) -> str: ...  # noqa: N802 - a constant of the module
    @property
    def encode(self) -> Callable[..., dict[str, Any]]: ...
    @property
    def decode(self) -> Callable[..., Replied]: ...
    @property
    def Accumulator(self) -> Callable[..., StreamDecoder]: ...  # noqa: N802 - a class of the module


class Transport(Protocol):
    """Carries bodies there and JSON values back; raises typed errors only."""

    def send(self, path: str, body: dict[str, Any]) -> object: ...
    def open(self, path: str, body: dict[str, Any]) -> Generator[object, None, None]: ...
    async def asend(self, path: str, body: dict[str, Any]) -> object: ...
    def aopen(self, path: str, body: dict[str, Any]) -> AsyncGenerator[object, None]: ...
    def close(self) -> None: ...
    async def aclose(self) -> None: ...
    def client(self) -> Any: ...
    def async_client(self) -> Any: ...


@dataclass(frozen=True, slots=True)
class Options:
    """How to ask, beside the request itself."""

    model: str
    temperature: float | None = None
    max_tokens: int | None = None
    send_reasoning: bool = False
    language: str = "en"
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def body(self, codec: Codec, request: Request, *, stream: bool = False) -> dict[str, Any]:
        """The exact body that is sent for the request."""
        return codec.encode(
            request,
            model=self.model,
            temperature=self.temperature,
            max_tokens=self.max_tokens,
            stream=stream,
            send_reasoning=self.send_reasoning,
            language=self.language,
            extra=self.extra,
        )


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where requests go."""

    codec: Codec
    transport: Transport

    def whole(self, request: Request, options: Options) -> Replied:
        """The reply, from one response."""
        body = options.body(self.codec, request)
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._decoded(self.transport.send(self.codec.PATH, body), request, options)
            except BadReply as error:
                _stop_at_last(error, attempt)
        raise AssertionError

    def stream(self, request: Request, options: Options) -> Iterator[Delta | Replied]:
        """The pieces of the reply while they come, then the reply."""
        body = options.body(self.codec, request, stream=True)
        for attempt in range(1, ATTEMPTS + 1):
            begun = False
            decoder = self._decoder(request, options)
            try:
                with closing(self.transport.open(self.codec.PATH, body)) as chunks:
                    for chunk in chunks:
                        for delta in decoder.feed(chunk):
                            begun = begun or _is_answer(delta)
                            yield delta
                for delta in decoder.rest():
                    yield delta
                yield _finished(decoder)
                return
            except BadReply as error:
                _stop_at_last(error, attempt, begun)

    async def awhole(self, request: Request, options: Options) -> Replied:
        """`whole`, awaited."""
        body = options.body(self.codec, request)
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._decoded(await self.transport.asend(self.codec.PATH, body), request, options)
            except BadReply as error:
                _stop_at_last(error, attempt)
        raise AssertionError

    async def astream(self, request: Request, options: Options) -> AsyncIterator[Delta | Replied]:
        """`stream`, awaited."""
        body = options.body(self.codec, request, stream=True)
        for attempt in range(1, ATTEMPTS + 1):
            begun = False
            decoder = self._decoder(request, options)
            try:
                async with aclosing(self.transport.aopen(self.codec.PATH, body)) as chunks:
                    async for chunk in chunks:
                        for delta in decoder.feed(chunk):
                            begun = begun or _is_answer(delta)
                            yield delta
                for delta in decoder.rest():
                    yield delta
                yield _finished(decoder)
                return
            except BadReply as error:
                _stop_at_last(error, attempt, begun)

    def _decoded(self, response: object, request: Request, options: Options) -> Replied:
        return self.codec.decode(response, step=request.at[1], language=options.language)

    def _decoder(self, request: Request, options: Options) -> StreamDecoder:
        return self.codec.Accumulator(step=request.at[1], language=options.language)


def _finished(decoder: StreamDecoder) -> Replied:
    """The reply, unless it was cut off: a gateway may close a stream as if it were whole."""
    replied = decoder.finish()
    if not decoder.ended:
        raise ConnectionFailed("The stream broke off before the reply was whole. Ask again.")
    return replied


def _stop_at_last(error: BadReply, attempt: int, begun: bool = False) -> None:
    """Lets a further attempt be made, unless it is the last or part of the answer is already out."""
    if begun or attempt == ATTEMPTS or not error.retryable:
        raise error


def _is_answer(delta: Delta) -> bool:
    return delta.part != "reasoning" and not delta.text.isspace()
