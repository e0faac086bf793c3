"""The official clients of OpenAI and Anthropic, sync and async: bodies out, JSON values in, typed errors."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from types import new_class
from typing import Any

from ..core.exceptions import LLMException
from ..core.loose import string
from .clients import Clients
from .errors import Address, error_in, kind_of, network_errors, not_installed, shown, told
from .openai_stream import DONE

NO_KEY = "none"
"""Sent where a server needs no key; the clients insist on one."""


class GeneratedTransport:
    """One endpoint behind a client of the kind that both companies generate: the same names, another package."""

    def __init__(
        self,
        *,
        base_url: str,
        api_key: str | None,
        timeout: float = 60.0,
        max_retries: int = 2,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.base_url = base_url
        self._address = Address(base_url, api_key or NO_KEY, timeout)
        self._retries = max_retries
        self._headers = dict(headers or {})
        self._clients: Clients[Any, Any] = Clients(self.client, _close, self.async_client, _close)

    def send(self, path: str, body: dict[str, Any]) -> object:
        """The response to one request."""
        with self._typed():
            return self._address.heard(self._clients.here().post(path, cast_to=object, body=body))

    def open(self, path: str, body: dict[str, Any]) -> Generator[object, None, None]:
        """The chunks of a streamed response. Closing the iterator closes the connection."""
        with self._typed():
            kind = self._streams()[0]
            with self._clients.here().post(path, cast_to=object, body=body, stream=True, stream_cls=kind) as chunks:
                if _not_marked(chunks.response) and not _is_stream(chunks.response.read()):
                    yield self._address.heard(chunks.response.text)
                    return
                for chunk in chunks:
                    yield self._address.heard(chunk)
                if getattr(chunks, "done", False):
                    yield DONE

    async def asend(self, path: str, body: dict[str, Any]) -> object:
        """`send`, awaited."""
        with self._typed():
            return self._address.heard(await (await self._clients.in_loop()).post(path, cast_to=object, body=body))

    async def aopen(self, path: str, body: dict[str, Any]) -> AsyncGenerator[object, None]:
        """`open`, awaited."""
        with self._typed():
            kind = self._streams()[1]
            client = await self._clients.in_loop()
            async with await client.post(path, cast_to=object, body=body, stream=True, stream_cls=kind) as chunks:
                if _not_marked(chunks.response) and not _is_stream(await chunks.response.aread()):
                    yield self._address.heard(chunks.response.text)
                    return
                async for chunk in chunks:
                    yield self._address.heard(chunk)
                if getattr(chunks, "done", False):
                    yield DONE

    def close(self) -> None:
        """Closes the connections of the sync client. The next request opens new ones."""
        self._clients.close()

    async def aclose(self) -> None:
        """Closes the connections of the running event loop, and those of `close`."""
        await self._clients.aclose()

    def _package(self) -> Any:
        """The package with the client, imported when it is first needed."""
        raise NotImplementedError

    def _streams(self) -> tuple[Any, Any]:
        """The kinds of stream to read with, sync and async."""
        package = self._package()
        return package.Stream[object], package.AsyncStream[object]

    def client(self) -> Any:
        """A new client."""
        raise NotImplementedError

    def async_client(self) -> Any:
        """A new client for one event loop."""
        raise NotImplementedError

    def _options(self) -> dict[str, Any]:
        return {
            "base_url": self.base_url,
            "api_key": self._address.key,
            "timeout": self._address.timeout,
            "max_retries": self._retries,
            "default_headers": self._headers,
        }

    def _status(self, error: Any, kind: str) -> int | None:
        """The status of a refusal of this kind."""
        return error.status_code

    @contextmanager
    def _typed(self) -> Generator[None, None, None]:
        """Turns what the client raises into the library's errors. The client's own would show headers and keys."""
        package = self._package()
        try:
            yield
        except package.APIError as error:
            raise self._meaning(package, error) from None
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise self._address.unreadable(str(error)) from None
        except network_errors() as error:
            raise self._address.broken(error) from None

    def _meaning(self, package: Any, error: Any) -> LLMException:
        if isinstance(error, package.APITimeoutError):
            return self._address.late()
        if isinstance(error, package.APIConnectionError):
            return self._address.broken(error.__cause__ or error)
        if isinstance(error, package.APIStatusError):
            return self._refused(error)
        if isinstance(error, package.APIResponseValidationError):
            return self._address.unreadable(error.message)
        return told(error.body or error.message, key=self._address.key, who=self.base_url)

    def _refused(self, error: Any) -> LLMException:
        inner = error_in(error.body)
        return self._address.refused(
            self._status(error, string(inner.get("type"))),
            string(inner.get("message"))
            or string(inner.get("error"))
            or shown(error.body or error.message, self._address.key),
            kind_of(inner),
            error.response.headers,
        )


@cache
def _with_signs_of_life(package: Any) -> tuple[Any, Any]:
    """Streams in which an event without data is nothing: gateways send such, so that nobody hangs up.

    `done` tells whether the end was marked.
    """

    kinds: tuple[Any, Any] = package.Stream[object], package.AsyncStream[object]

    def events(self: Any) -> Iterator[Any]:
        for event in kinds[0]._iter_events(self):
            self.done = event.data.startswith("[DONE]")
            if event.data:
                yield event

    async def aevents(self: Any) -> AsyncIterator[Any]:
        async for event in kinds[1]._iter_events(self):
            self.done = event.data.startswith("[DONE]")
            if event.data:
                yield event

    return (
        new_class("Stream", (kinds[0],), exec_body=lambda names: names.update(_iter_events=events)),
        new_class("AsyncStream", (kinds[1],), exec_body=lambda names: names.update(_iter_events=aevents)),
    )


def _not_marked(response: Any) -> bool:
    """Whether the answer to a request for a stream claims to be none: errors come so, pages, and replies at once."""
    return "event-stream" not in string(response.headers.get("content-type")).lower()


def _is_stream(body: bytes) -> bool:
    """Whether it is a stream all the same."""
    return body.lstrip().startswith((b"data:", b"event:", b"id:", b"retry:", b":"))


def _close(client: Any) -> Any:
    return client.close()


class OpenAITransport(GeneratedTransport):
    """An endpoint that speaks OpenAI's protocol."""

    def _package(self) -> Any:
        import openai

        return openai

    def _streams(self) -> tuple[Any, Any]:
        return _with_signs_of_life(self._package())

    def client(self) -> Any:
        return self._package().OpenAI(**self._options())

    def async_client(self) -> Any:
        return self._package().AsyncOpenAI(**self._options())


class AnthropicTransport(GeneratedTransport):
    """An endpoint that speaks Anthropic's protocol. Raises `ConfigException` when the client is not installed."""

    def __init__(self, *, base_url: str, **options: Any) -> None:
        # The client's paths begin with the version.
        super().__init__(base_url=base_url.rstrip("/").removesuffix("/v1"), **options)

    def _package(self) -> Any:
        try:
            import anthropic
        except ImportError:
            raise not_installed("Anthropic", "anthropic") from None
        return anthropic

    def client(self) -> Any:
        return self._package().Anthropic(**self._options())

    def async_client(self) -> Any:
        return self._package().AsyncAnthropic(**self._options())

    def _status(self, error: Any, kind: str) -> int | None:
        from .anthropic import STATUS_OF

        # An error inside a stream comes under the status that the stream began with.
        return error.status_code if error.status_code >= 400 else STATUS_OF.get(kind)
