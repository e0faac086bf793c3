"""The official OpenAI client, sync and async: bodies out, JSON values in, typed errors."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any

from ..core.exceptions import BadReply, ConnectionFailed, LLMException, ModelTimeout
from ..core.secrets import mask
from .errors import refusal, told
from .loose import mapping, short, string

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

    from openai import APIError, APIStatusError, AsyncOpenAI, OpenAI

NO_KEY = "none"
"""Sent where a server needs no key; the client insists on one."""


class OpenAITransport:
    """One endpoint. Clients are built when first needed: one for all threads, and one for each event loop."""

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
        self._key = api_key or NO_KEY
        self._timeout = timeout
        self._retries = max_retries
        self._headers = dict(headers or {})
        self._lock = Lock()
        self._client: OpenAI | None = None
        self._async: dict[AbstractEventLoop, tuple[AsyncOpenAI, AsyncGenerator[None, None]]] = {}

    def send(self, path: str, body: dict[str, Any]) -> object:
        """The response to one request."""
        with self._typed():
            return self._sync_client().post(path, cast_to=object, body=body)

    def open(self, path: str, body: dict[str, Any]) -> Generator[object, None, None]:
        """The chunks of a streamed response. Closing the iterator closes the connection."""
        from openai import Stream

        with self._typed():
            with self._sync_client().post(
                path, cast_to=object, body=body, stream=True, stream_cls=Stream[object]
            ) as chunks:
                yield from chunks

    async def asend(self, path: str, body: dict[str, Any]) -> object:
        """`send`, awaited."""
        with self._typed():
            return await (await self._async_client()).post(path, cast_to=object, body=body)

    async def aopen(self, path: str, body: dict[str, Any]) -> AsyncGenerator[object, None]:
        """`open`, awaited."""
        from openai import AsyncStream

        with self._typed():
            client = await self._async_client()
            async with await client.post(
                path, cast_to=object, body=body, stream=True, stream_cls=AsyncStream[object]
            ) as chunks:
                async for chunk in chunks:
                    yield chunk

    def close(self) -> None:
        """Closes the connections of the sync client. The next request opens new ones."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    async def aclose(self) -> None:
        """Closes the connections of the running event loop, and those of `close`."""
        import asyncio

        with self._lock:
            held = self._async.pop(asyncio.get_running_loop(), None)
        if held is not None:
            await held[1].aclose()
        self.close()

    def _sync_client(self) -> OpenAI:
        with self._lock:
            if self._client is None:
                from openai import OpenAI

                self._client = OpenAI(**self._options())
            return self._client

    async def _async_client(self) -> AsyncOpenAI:
        """The client of the running loop: connections cannot move from one loop to another."""
        import asyncio

        from openai import AsyncOpenAI

        loop = asyncio.get_running_loop()
        with self._lock:
            held = self._async.get(loop)
            if held is None:
                for gone in [other for other in self._async if other.is_closed()]:
                    del self._async[gone]
                client = AsyncOpenAI(**self._options())
                self._async[loop] = held = client, _open_until_the_loop_ends(client)
                fresh = True
            else:
                fresh = False
        if fresh:
            await anext(held[1])
        return held[0]

    def _options(self) -> dict[str, Any]:
        return {
            "base_url": self.base_url,
            "api_key": self._key,
            "timeout": self._timeout,
            "max_retries": self._retries,
            "default_headers": self._headers,
        }

    @contextmanager
    def _typed(self) -> Generator[None, None, None]:
        """Turns what the client raises into the library's errors. The client's own would show headers and keys."""
        from openai import APIError

        try:
            yield
        except APIError as error:
            raise self._meaning(error) from None
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise self._unreadable(str(error)) from None
        except _network_errors() as error:
            raise self._broken(type(error).__name__, str(error)) from None

    def _meaning(self, error: APIError) -> LLMException:
        from openai import APIConnectionError, APIResponseValidationError, APIStatusError, APITimeoutError

        match error:
            case APITimeoutError():
                return self._late()
            case APIConnectionError():
                cause = error.__cause__ or error
                return self._broken(type(cause).__name__, str(cause))
            case APIStatusError():
                return self._refused(error)
            case APIResponseValidationError():
                return self._unreadable(error.message)
            case _:
                return told(error.body or error.message, key=self._key, who=self.base_url)

    def _refused(self, error: APIStatusError) -> LLMException:
        fields = mapping(error.body)
        inner = mapping(fields.get("error")) or fields
        return refusal(
            error.status_code,
            string(inner.get("message")) or string(fields.get("error")) or short(error.body or error.message),
            code=string(inner.get("code")) or string(inner.get("type")),
            who=self.base_url,
            key=self._key,
            retry_after=_seconds(error.response.headers.get("retry-after")),
        )

    def _late(self) -> ModelTimeout:
        return ModelTimeout(
            f"{self.base_url} did not answer within {self._timeout:g} s. Ask again, or raise LLM_TIMEOUT."
        )

    def _broken(self, kind: str, words: str) -> LLMException:
        if "Timeout" in kind:
            return self._late()
        words = mask(words, self._key)
        return ConnectionFailed(
            f"The connection to {self.base_url} failed ({kind}: {words}). Check LLM_BASE_URL and the network.",
            provider_message=words,
        )

    def _unreadable(self, words: str) -> BadReply:
        words = mask(words, self._key)
        return BadReply(
            f"{self.base_url} sent something that is not JSON ({words}). Look at the base URL: it often ends in /v1.",
            provider_message=words,
        )


async def _open_until_the_loop_ends(client: AsyncOpenAI) -> AsyncGenerator[None, None]:
    """Keeps the client; an event loop closes the generators begun in it before it ends, and so its connections."""
    try:
        yield
    finally:
        await client.close()


def _network_errors() -> tuple[type[Exception], ...]:
    """What older clients let through when a stream breaks off; the newer ones wrap it."""
    try:
        from httpx import TransportError
    except ImportError:
        return ()
    return (TransportError,)


def _seconds(header: str | None) -> float | None:
    try:
        return None if header is None else max(float(header), 0.0)
    except ValueError:
        return None
