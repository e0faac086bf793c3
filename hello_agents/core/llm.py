"""`HelloAgentsLLM`: the model as agents and readers hold it, over any endpoint, or offline."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, assert_never

from . import settings
from .action import Model, Request
from .asking import given
from .exceptions import ConfigException, HelloAgentsException
from .llm_adapters import BaseLLMAdapter, create_adapter
from .llm_dicts import (
    Messages,
    alast,
    counts,
    dictionaries,
    from_response,
    last,
    response,
    since,
    to_request,
    tool_response,
)
from .llm_response import LLMResponse, LLMToolResponse, StreamStats
from .run import Delta, Replied
from .secrets import MASK, mask

if TYPE_CHECKING:
    from ..wire.endpoint import Codec, Endpoint, Options

__all__ = [
    "BaseLLMAdapter",
    "HelloAgentsException",
    "HelloAgentsLLM",
    "LLMResponse",
    "LLMToolResponse",
    "StreamStats",
    "create_adapter",
]

OFFLINE = "offline"
"""The name of the model that needs no key and no network."""

DEFAULT_TIMEOUT = 60.0

_UNCONFIGURED = (
    "No model is configured: {missing} not set. Set LLM_MODEL_ID, LLM_API_KEY and LLM_BASE_URL, or pass model=, "
    "api_key= and base_url=; or set LLM_MODEL_ID=offline to work without a model service."
)


class HelloAgentsLLM:
    """A model: a `Model` for the loop, and methods over dictionaries for code written for the tutorial.

    What is not given is read from LLM_MODEL_ID, LLM_API_KEY, LLM_BASE_URL and LLM_TIMEOUT (seconds). Raises
    `ConfigException` when that is not enough. Making one touches neither network nor disk.

    `provider` names a well-known service instead of its address. `max_retries` (2) counts the repetitions of a
    request that failed for a passing reason. `send_reasoning` sends earlier thinking back; unset, it goes to the
    providers that are known to ask for it. All further keywords become fields of every request (`top_p`, `seed`, …),
    and so do the entries of `extra_body`.

    Anthropic and Gemini are asked in their own protocols, through their own clients (extras `anthropic` and
    `gemini`), when the base URL names them or `provider` does.
    """

    model: str = ""
    api_key: str | None = None
    base_url: str | None = None
    provider: str | None = None
    temperature: float | None = 0.7
    max_tokens: int | None = None
    timeout: float = DEFAULT_TIMEOUT
    language: str = "en"
    last_call_stats: StreamStats | None = None
    """Model, tokens and time of the last reply that was streamed as text."""
    _extra: Mapping[str, Any] = {}
    _max_retries: int = 2
    _send_reasoning: bool | None = None
    _endpoint: Endpoint | None = None
    _offline: Model | None = None

    def __init__(
        self,
        model: str | None = None,
        api_key: str | None = None,
        base_url: str | None = None,
        temperature: float | str = 0.7,
        max_tokens: float | None = None,
        timeout: float | None = None,
        *older: float | None,
        provider: str | None = None,
        max_retries: int = 2,
        send_reasoning: bool | None = None,
        language: str | None = None,
        **kwargs: Any,
    ) -> None:
        if isinstance(temperature, str):
            # An older order of the arguments: provider, temperature, max_tokens, timeout.
            provider = temperature
            temperature, max_tokens, timeout = 0.7 if max_tokens is None else max_tokens, timeout, (*older, None)[0]
        elif older:
            raise TypeError(f"HelloAgentsLLM takes 6 arguments by place; {older[0]!r} is one more. Pass it by name.")
        self.temperature = temperature
        self.max_tokens = None if max_tokens is None else int(max_tokens)
        self.timeout = timeout or settings.seconds("LLM_TIMEOUT") or DEFAULT_TIMEOUT
        self.language = language or settings.language()
        self._extra = kwargs
        self._max_retries = max_retries
        self._send_reasoning = send_reasoning
        self._configure(model, api_key, base_url, provider)

    # -- a Model for the loop -----------------------------------------------------------------------

    def stream(self, request: Request) -> Iterator[Delta | Replied]:
        """The pieces of a reply while they come, then the reply, once and last. Raises a typed `LLMException`."""
        old = _by_dictionaries(self, request)
        if old is None:
            yield from self._streamed(request, {})
        else:
            yield old(self, request)

    async def astream(self, request: Request) -> AsyncIterator[Delta | Replied]:
        """`stream`, awaited."""
        if (awaited := _by_awaiting(self, request)) is not None:
            yield await awaited(self, request)
            return
        own = _by_override(self, request)
        if own is None:
            async for part in self._astreamed(request, {}):
                yield part
        else:
            from asyncio import to_thread

            yield await to_thread(own, self, request)

    @property
    def whole(self) -> Model:
        """The same model, asked without streaming: one request, one `Replied`."""
        return Whole(self)

    def body(self, request: Request, *, stream: bool = False) -> dict[str, Any]:
        """The exact body that a request is sent with. An offline model tells what it would be."""
        return self._options({}).body(self._codec(), request, stream=stream)

    def reply(self, request: Request) -> Replied:
        """The reply, from one request without streaming."""
        own = _by_override(self, request)
        return self._replied(request, {}) if own is None else own(self, request)

    async def areply(self, request: Request) -> Replied:
        """`reply`, awaited."""
        if type(self).astream is not HelloAgentsLLM.astream:
            return await alast(self.astream(request))
        if (awaited := _by_awaiting(self, request)) is not None:
            return await awaited(self, request)
        own = _by_override(self, request)
        if own is None:
            return await self._areplied(request, {})
        from asyncio import to_thread

        return await to_thread(own, self, request)

    # -- dictionaries in, text or responses out -----------------------------------------------------

    def think(self, messages: Messages, temperature: float | None = None) -> Iterator[str]:
        """The text of the reply, piece by piece. Nothing is printed; `last_call_stats` tells the rest afterwards."""
        return self.stream_invoke(messages, **({} if temperature is None else {"temperature": temperature}))

    def invoke(self, messages: Messages, **kwargs: Any) -> LLMResponse:
        """The reply as text. Keywords become fields of this request."""
        started = time.perf_counter()
        return response(self._replied(to_request(messages), kwargs), self.model, started)

    def stream_invoke(self, messages: Messages, **kwargs: Any) -> Iterator[str]:
        """The text of the reply, piece by piece."""
        started = time.perf_counter()
        for part in self._streamed(to_request(messages), kwargs):
            yield from self._text(part, started)

    def invoke_with_tools(
        self,
        messages: Messages,
        tools: Sequence[dict[str, Any]],
        tool_choice: str | Mapping[str, Any] = "auto",
        **kwargs: Any,
    ) -> LLMToolResponse:
        """The reply of a model that may call tools."""
        started = time.perf_counter()
        return tool_response(self._replied(to_request(messages, tools, tool_choice), kwargs), self.model, started)

    async def ainvoke(self, messages: Messages, **kwargs: Any) -> LLMResponse:
        """`invoke`, awaited."""
        started = time.perf_counter()
        return response(await self._areplied(to_request(messages), kwargs), self.model, started)

    async def astream_invoke(self, messages: Messages, **kwargs: Any) -> AsyncIterator[str]:
        """`stream_invoke`, awaited."""
        started = time.perf_counter()
        async for part in self._astreamed(to_request(messages), kwargs):
            for piece in self._text(part, started):
                yield piece

    async def ainvoke_with_tools(
        self,
        messages: Messages,
        tools: Sequence[dict[str, Any]],
        tool_choice: str | Mapping[str, Any] = "auto",
        **kwargs: Any,
    ) -> LLMToolResponse:
        """`invoke_with_tools`, awaited."""
        started = time.perf_counter()
        replied = await self._areplied(to_request(messages, tools, tool_choice), kwargs)
        return tool_response(replied, self.model, started)

    # -- connections ----------------------------------------------------------------------------------

    def close(self) -> None:
        """Closes the connections. The next request opens new ones."""
        if self._endpoint is not None:
            self._endpoint.transport.close()

    async def aclose(self) -> None:
        """Closes the connections of this event loop, and those of `close`."""
        if self._endpoint is not None:
            await self._endpoint.transport.aclose()

    def __repr__(self) -> str:
        key = None if not self.api_key else MASK
        address = self.base_url and mask(self.base_url)
        return f"{type(self).__name__}(model={self.model!r}, base_url={address!r}, api_key={key!r})"

    # -- how it is done -------------------------------------------------------------------------------

    def _configure(self, model: str | None, api_key: str | None, base_url: str | None, provider: str | None) -> None:
        from ..wire import providers

        known = providers.known(provider, base_url)
        self.provider = provider
        self.model = model or settings.setting("LLM_MODEL_ID") or (known.model if known else "")
        if self.model == OFFLINE:
            return
        self.base_url = base_url or (known.base_url if known else settings.setting("LLM_BASE_URL"))
        self.api_key = api_key or (known and settings.setting(known.key)) or settings.setting("LLM_API_KEY")
        missing = [name for name, value in (("LLM_MODEL_ID", self.model), ("LLM_BASE_URL", self.base_url)) if not value]
        if not self.api_key and not (self.base_url and providers.is_local(self.base_url)):
            missing.append("LLM_API_KEY")
        if missing:
            verb = "is" if len(missing) == 1 else "are"
            raise ConfigException(_UNCONFIGURED.format(missing=f"{' and '.join(missing)} {verb}"))
        _check_address(self.base_url or "")
        _check_key(self.api_key or "")

    def _online(self) -> Endpoint:
        """The endpoint, made when it is first needed."""
        if self._endpoint is None:
            from ..wire.endpoint import Endpoint
            from ..wire.providers import protocol_of, transport_of

            if not self.base_url:
                raise ConfigException(_UNCONFIGURED.format(missing="LLM_BASE_URL is"))
            transport = transport_of(
                protocol_of(self.base_url, self.provider),
                base_url=self.base_url,
                api_key=self.api_key,
                timeout=self.timeout,
                max_retries=self._max_retries,
            )
            self._endpoint = Endpoint(self._codec(), transport)
        return self._endpoint

    def _codec(self) -> Codec:
        """The protocol that the model is asked in."""
        from ..wire.providers import codec_of, protocol_of

        return codec_of(protocol_of(self.base_url or "", self.provider))

    def _model(self) -> Model | None:
        """The offline model, if that is the one in use."""
        if self._offline is None and self.model == OFFLINE:
            from ..offline.offline_llm import OfflineLLM

            self._offline = OfflineLLM(language=self.language)
        return self._offline

    def _options(self, one_call: Mapping[str, Any]) -> Options:
        """How to ask: this object's settings, with those given for one call on top."""
        from ..wire.endpoint import Options
        from ..wire.providers import wants_reasoning

        send = self._send_reasoning
        extra = {**self._extra, **given(), **one_call}
        # As code for the provider's own client writes it.
        extra.update(extra.pop("extra_body", None) or {})
        return Options(
            model=extra.pop("model", None) or self.model,
            temperature=extra.pop("temperature", self.temperature),
            max_tokens=extra.pop("max_tokens", self.max_tokens),
            send_reasoning=wants_reasoning(self.base_url or "", self.provider) if send is None else send,
            language=self.language,
            extra=extra,
        )

    def _replied(self, request: Request, given: Mapping[str, Any]) -> Replied:
        model = self._model()
        if model is None:
            return self._online().whole(request, self._options(given))
        return last(model.stream(request))

    async def _areplied(self, request: Request, given: Mapping[str, Any]) -> Replied:
        model = self._model()
        if model is None:
            return await self._online().awhole(request, self._options(given))
        return await alast(model.astream(request))

    def _streamed(self, request: Request, given: Mapping[str, Any]) -> Generator[Delta | Replied, None, None]:
        model = self._model()
        if model is None:
            yield from self._online().stream(request, self._options(given))
        else:
            yield from model.stream(request)

    async def _astreamed(self, request: Request, given: Mapping[str, Any]) -> AsyncGenerator[Delta | Replied, None]:
        model = self._model()
        parts = self._online().astream(request, self._options(given)) if model is None else model.astream(request)
        async for part in parts:
            yield part

    def _text(self, part: Delta | Replied, started: float) -> Iterator[str]:
        match part:
            case Delta(text, "content"):
                yield text
            case Delta():
                pass
            case Replied(message, usage, model):
                self.last_call_stats = StreamStats(
                    model or self.model, counts(usage), since(started), message.reasoning
                )
            case _:
                assert_never(part)


def _check_address(base_url: str) -> None:
    """Raises `ConfigException` for an address that cannot be asked."""
    shown = mask(base_url)
    if not base_url.startswith(("http://", "https://")):
        raise ConfigException(f"The base URL {shown!r} is no web address. Begin it with https:// or http://.")
    for method in ("/chat/completions", "/messages", ":generateContent"):
        if base_url.rstrip("/").endswith(method):
            raise ConfigException(f"The base URL {shown!r} names one method. Leave {method} off.")


def _check_key(key: str) -> None:
    """Raises `ConfigException` for what cannot be a key: mostly the words that stand where a key should be put."""
    if not key.isascii() or any(letter.isspace() or not letter.isprintable() for letter in key):
        raise ConfigException(
            "The API key holds white space or letters that no key has. "
            "Put the provider's key into LLM_API_KEY, and nothing else."
        )


@dataclass(frozen=True, slots=True)
class Whole:
    """The model behind `HelloAgentsLLM.whole`."""

    llm: HelloAgentsLLM

    def stream(self, request: Request) -> Iterator[Delta | Replied]:
        yield self.llm.reply(request)

    async def astream(self, request: Request) -> AsyncIterator[Delta | Replied]:
        yield await self.llm.areply(request)


# -- subclasses that bring a way of asking of their own -------------------------------------------------

_Ask = Callable[[HelloAgentsLLM, Request], Replied]
_Await = Callable[[HelloAgentsLLM, Request], Awaitable[Replied]]


def _by_dictionaries(llm: HelloAgentsLLM, request: Request) -> _Ask | None:
    """How to ask a subclass of the tutorial's kind, which overrides a method over dictionaries."""
    kind = type(llm)
    if kind.invoke_with_tools is not HelloAgentsLLM.invoke_with_tools:
        return _by_invoke_with_tools
    if request.tools and _has_service(llm):
        # The methods that give text know nothing of tools: where there is a service to ask, it is asked with them.
        return None
    if kind.invoke is not HelloAgentsLLM.invoke:
        return _by_invoke
    if _has_service(llm):
        return None
    for name, ask in (("think", _by_think), ("stream_invoke", _by_stream_invoke)):
        if getattr(kind, name) is not getattr(HelloAgentsLLM, name):
            return ask
    return None


def _has_service(llm: HelloAgentsLLM) -> bool:
    """Whether there is something to ask besides what the subclass brings."""
    return bool(llm.base_url) or llm.model == OFFLINE


def _by_override(llm: HelloAgentsLLM, request: Request) -> _Ask | None:
    """How to ask a subclass that overrides `stream`, or else one of the tutorial's kind."""
    if type(llm).stream is not HelloAgentsLLM.stream:
        return lambda llm, request: last(llm.stream(request))
    return _by_dictionaries(llm, request)


def _by_awaiting(llm: HelloAgentsLLM, request: Request) -> _Await | None:
    """How to await a subclass that overrides `ainvoke_with_tools` or `ainvoke`."""
    kind = type(llm)
    with_tools = kind.ainvoke_with_tools is not HelloAgentsLLM.ainvoke_with_tools
    text = kind.ainvoke is not HelloAgentsLLM.ainvoke
    if with_tools and (request.tools or not text):
        return _by_ainvoke_with_tools
    if not text or (request.tools and (_has_service(llm) or _by_dictionaries(llm, request) is _by_invoke_with_tools)):
        return None
    return _by_ainvoke


def _by_invoke_with_tools(llm: HelloAgentsLLM, request: Request) -> Replied:
    if not request.tools and type(llm).invoke is not HelloAgentsLLM.invoke:
        return _by_invoke(llm, request)
    messages, tools, chosen = _with_tools(request, llm.language)
    return from_response(llm.invoke_with_tools(messages, tools, **chosen), llm.model, request.at[1])


async def _by_ainvoke_with_tools(llm: HelloAgentsLLM, request: Request) -> Replied:
    messages, tools, chosen = _with_tools(request, llm.language)
    return from_response(await llm.ainvoke_with_tools(messages, tools, **chosen), llm.model, request.at[1])


def _with_tools(request: Request, language: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]], dict[str, Any]]:
    """The arguments of a method that takes tools; a choice only where it says something, since not all take one."""
    messages, tools, choice = dictionaries(request, language)
    return messages, tools, {**({} if choice == "auto" else {"tool_choice": choice}), **given()}


def _by_invoke(llm: HelloAgentsLLM, request: Request) -> Replied:
    messages, _, _ = dictionaries(request, llm.language)
    return from_response(llm.invoke(messages, **given()), llm.model, request.at[1])


async def _by_ainvoke(llm: HelloAgentsLLM, request: Request) -> Replied:
    messages, _, _ = dictionaries(request, llm.language)
    return from_response(await llm.ainvoke(messages, **given()), llm.model, request.at[1])


def _by_think(llm: HelloAgentsLLM, request: Request) -> Replied:
    messages, _, _ = dictionaries(request, llm.language)
    return from_response("".join(llm.think(messages)), llm.model, request.at[1])


def _by_stream_invoke(llm: HelloAgentsLLM, request: Request) -> Replied:
    messages, _, _ = dictionaries(request, llm.language)
    return from_response("".join(llm.stream_invoke(messages, **given())), llm.model, request.at[1])


# -- models of other classes ----------------------------------------------------------------------------


def model_of(llm: Any) -> Model:
    """The object as a model: one without `stream` is asked by its `invoke`, as one written for a test has it."""
    if hasattr(llm, "stream"):
        return llm
    if hasattr(llm, "invoke"):
        return _ByMethods(llm)
    raise TypeError(
        f"{type(llm).__name__} is no model: it has neither `stream` nor `invoke`. Derive it from HelloAgentsLLM."
    )


@dataclass(frozen=True, slots=True)
class _ByMethods:
    llm: Any

    def stream(self, request: Request) -> Iterator[Delta | Replied]:
        messages, tools, chosen = _with_tools(request, settings.language())
        if request.tools and hasattr(self.llm, "invoke_with_tools"):
            said = self.llm.invoke_with_tools(messages, tools, **chosen)
        else:
            said = self.llm.invoke(messages, **given())
        yield from_response(said, str(getattr(self.llm, "model", "")), request.at[1])

    async def astream(self, request: Request) -> AsyncIterator[Delta | Replied]:
        from asyncio import to_thread

        for part in await to_thread(list, self.stream(request)):
            yield part
