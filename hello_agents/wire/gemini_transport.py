"""The official client of Gemini, sync and async: bodies out, JSON values in, typed errors."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..core.exceptions import LLMException, ModelRefused
from ..core.loose import mapping, mappings, string
from ..core.secrets import mask
from .clients import Clients
from .errors import Address, error_in, kind_of, network_errors, not_installed, refusal, seconds, shown

if TYPE_CHECKING:
    from google.genai import Client
    from google.genai.client import AsyncClient
    from google.genai.errors import APIError
    from google.genai.types import GenerateContentConfig, GenerateContentResponse

_VERSION = re.compile(r"/(v\d+\w*)/*$")
_UNTIL_NEXT = 0.5
"""Seconds before the first repetition; they double up to the most."""
_AT_MOST = 8.0


class GeminiTransport:
    """One endpoint that speaks Gemini's protocol. Raises `ConfigException` when the client is not installed."""

    def __init__(self, *, base_url: str, api_key: str | None, timeout: float = 60.0, max_retries: int = 2) -> None:
        version = _VERSION.search(base_url)
        self.base_url = base_url[: version.start()] if version else base_url
        self._version = version[1] if version else None
        self._address = Address(self.base_url, api_key or "none", timeout)
        self._retries = max_retries
        self._clients: Clients[Client, Client] = Clients(self.client, _close, self.client, _aclose)

    def send(self, path: str, body: dict[str, Any]) -> object:
        """The response to one request."""
        with self._typed():
            return _plain(self._clients.here().models.generate_content(**self._arguments(body)))

    def open(self, path: str, body: dict[str, Any]) -> Generator[object, None, None]:
        """The responses of which a streamed one is made. Closing the iterator closes the connection."""
        with self._typed():
            for response in self._clients.here().models.generate_content_stream(**self._arguments(body)):
                yield _plain(response)

    async def asend(self, path: str, body: dict[str, Any]) -> object:
        """`send`, awaited."""
        with self._typed():
            client = await self._clients.in_loop()
            return _plain(await client.aio.models.generate_content(**self._arguments(body)))

    async def aopen(self, path: str, body: dict[str, Any]) -> AsyncGenerator[object, None]:
        """`open`, awaited."""
        with self._typed():
            client = await self._clients.in_loop()
            async for response in await client.aio.models.generate_content_stream(**self._arguments(body)):
                yield _plain(response)

    def close(self) -> None:
        """Closes the connections of the sync client. The next request opens new ones."""
        self._clients.close()

    async def aclose(self) -> None:
        """Closes the connections of the running event loop, and those of `close`."""
        await self._clients.aclose()

    def client(self) -> Client:
        """A new client."""
        try:
            from google.genai import Client
        except ImportError:
            raise not_installed("Gemini", "gemini") from None
        return Client(
            # Said, so that the environment does not choose another service.
            vertexai=False,
            api_key=self._address.key,
            http_options={
                "base_url": self.base_url,
                "api_version": self._version,
                "timeout": int(self._address.timeout * 1000),
                "retry_options": {
                    "attempts": self._retries + 1,
                    "initial_delay": _UNTIL_NEXT,
                    "max_delay": _AT_MOST,
                    "jitter": _UNTIL_NEXT,
                },
            },
        )

    def async_client(self) -> AsyncClient:
        """A new client for one event loop."""
        return self.client().aio

    def _arguments(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The body as the client takes it: what is no content is its configuration."""
        rest = {name: value for name, value in body.items() if name not in ("model", "contents", "generationConfig")}
        settings = {**mapping(body.get("generationConfig")), **rest, "automaticFunctionCalling": {"disable": True}}
        return {"model": body["model"], "contents": body["contents"], "config": _config(settings)}

    @contextmanager
    def _typed(self) -> Generator[None, None, None]:
        """Turns what the client raises into the library's errors."""
        try:
            from google.genai.errors import APIError, UnknownApiResponseError
            from pydantic import ValidationError
        except ImportError:
            raise not_installed("Gemini", "gemini") from None
        try:
            yield
        except APIError as error:
            raise self._refused(error) from None
        except (UnknownApiResponseError, ValidationError, json.JSONDecodeError, UnicodeDecodeError) as error:
            raise self._address.unreadable(str(error)) from None
        except network_errors() as error:
            raise self._address.broken(error) from None

    def _refused(self, error: APIError) -> LLMException:
        details: object = vars(error)["details"]
        inner = error_in(details)
        told = mappings(inner.get("details"))
        wait = next((string(detail.get("retryDelay")) for detail in told if detail.get("retryDelay")), None)
        return refusal(
            error.code,
            error.message or shown(details, self._address.key),
            code=kind_of(inner) or error.status or "",
            who=self.base_url,
            key=self._address.key,
            retry_after=seconds(wait.removesuffix("s") if wait else None),
        )


def _config(settings: dict[str, Any]) -> GenerateContentConfig:
    from google.genai.types import GenerateContentConfig
    from pydantic import ValidationError

    try:
        return GenerateContentConfig.model_validate(settings)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(place) for place in first["loc"])
        raise ModelRefused(
            mask(f"Gemini knows no such setting: {where} ({first['msg']}). Leave it out or name it as Gemini does.")
        ) from None


def _plain(response: GenerateContentResponse) -> object:
    """The response as the JSON values that came."""
    return response.model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"sdk_http_response"})


def _close(client: Client) -> None:
    client.close()


async def _aclose(client: Client) -> None:
    await client.aio.aclose()
    client.close()
