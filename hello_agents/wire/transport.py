"""The official clients of OpenAI and Anthropic, sync and async: bodies out, JSON values in, typed errors."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import contextmanager
from typing import Any

from ..core.exceptions import LLMException
from ..core.loose import mapping, short, string
from .clients import Clients
from .errors import Address, network_errors, not_installed, told

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
            return self._clients.here().post(path, cast_to=object, body=body)

    def open(self, path: str, body: dict[str, Any]) -> Generator[object, None, None]:
        """The chunks of a streamed response. Closing the iterator closes the connection."""
        with self._typed():
            kind = self._package().Stream[object]
            with self._clients.here().post(path, cast_to=object, body=body, stream=True, stream_cls=kind) as chunks:
                yield from chunks

    async def asend(self, path: str, body: dict[str, Any]) -> object:
        """`send`, awaited."""
        with self._typed():
            return await (await self._clients.in_loop()).post(path, cast_to=object, body=body)

    async def aopen(self, path: str, body: dict[str, Any]) -> AsyncGenerator[object, None]:
        """`open`, awaited."""
        with self._typed():
            kind = self._package().AsyncStream[object]
            client = await self._clients.in_loop()
            async with await client.post(path, cast_to=object, body=body, stream=True, stream_cls=kind) as chunks:
                async for chunk in chunks:
                    yield chunk

    def close(self) -> None:
        """Closes the connections of the sync client. The next request opens new ones."""
        self._clients.close()

    async def aclose(self) -> None:
        """Closes the connections of the running event loop, and those of `close`."""
        await self._clients.aclose()

    def _package(self) -> Any:
        """The package with the client, imported when it is first needed."""
        raise NotImplementedError

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
        fields = mapping(error.body)
        inner = mapping(fields.get("error")) or fields
        kind = string(inner.get("type"))
        return self._address.refused(
            self._status(error, kind),
            string(inner.get("message")) or string(fields.get("error")) or short(error.body or error.message),
            string(inner.get("code")) or kind,
            error.response.headers,
        )


def _close(client: Any) -> Any:
    return client.close()


class OpenAITransport(GeneratedTransport):
    """An endpoint that speaks OpenAI's protocol."""

    def _package(self) -> Any:
        import openai

        return openai

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
