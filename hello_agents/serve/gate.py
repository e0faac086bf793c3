"""The gate: what every request passes before it is looked at. Host, rate, token, origin and size, in this order."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .problems import Problem
from .settings import Settings

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_CLIENTS = 10_000
"""Addresses whose rate is remembered; beyond that, those not seen for longest are forgotten."""
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}


@dataclass(slots=True)
class _Bucket:
    left: float
    at: float


class Rate:
    """A token bucket per client: `burst` requests at once, `rate` a second in the long run."""

    def __init__(self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def take(self, client: str) -> float:
        """Takes one request's worth. Returns 0, or the seconds until there is one to take."""
        now = self._clock()
        bucket = self._buckets.pop(client, None) or _Bucket(self._burst, now)
        bucket.left = min(self._burst, bucket.left + (now - bucket.at) * self._rate)
        bucket.at = now
        self._buckets[client] = bucket
        if len(self._buckets) > _CLIENTS:
            self._buckets.popitem(last=False)
        if bucket.left < 1:
            return (1 - bucket.left) / self._rate
        bucket.left -= 1
        return 0.0


class Gate:
    """ASGI middleware. `public` are the paths that need no token; `token` is the one that lets in to the rest.

    Without a token the service is for this machine: a request must name it as its host, and no page of another site
    may make it.
    """

    def __init__(self, app: ASGIApp, settings: Settings, token: str | None, public: frozenset[str]) -> None:
        self._app = app
        self._settings = settings
        self._token = None if token is None else _digest(token)
        self._public = public
        self._rate = Rate(settings.rate, settings.burst)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        scope["state"] = scope.get("state", {}) | {"language": _language(headers)}
        try:
            self._check(scope, headers)
            limited = _Body(receive, self._settings, headers)
        except Problem as problem:
            await problem.response(_language(headers))(scope, receive, send)
            return
        await self._app(scope, limited, send)

    def _check(self, scope: Scope, headers: dict[str, str]) -> None:
        if self._token is None and _host(headers.get("host", "")) not in _LOOPBACK:
            raise Problem(403, "host")
        client = scope.get("client")
        wait = self._rate.take(client[0] if client else "")
        if wait:
            raise Problem(429, "rate", retry_after=wait)
        if scope["path"] in self._public:
            return
        if self._token is not None and not hmac.compare_digest(_digest(_bearer(headers)), self._token):
            raise Problem(401, "token")
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none") or _foreign(headers):
            raise Problem(403, "origin")


class _Body:
    """The body of a request, as long as it is neither too long nor too slow."""

    def __init__(self, receive: Receive, settings: Settings, headers: dict[str, str]) -> None:
        self._receive = receive
        self._most = settings.max_body
        self._seconds = settings.body_seconds
        self._until: float | None = None
        self._size = 0
        self._done = False
        length = headers.get("content-length", "0")
        if length.isdigit() and int(length) > self._most:
            raise Problem(413, "size", most=self._most)

    async def __call__(self) -> Message:
        if self._done:
            return await self._receive()
        clock = asyncio.get_running_loop().time
        self._until = self._until or clock() + self._seconds
        try:
            async with asyncio.timeout_at(self._until):
                message = await self._receive()
        except TimeoutError:
            raise Problem(408, "slow") from None
        self._size += len(message.get("body", b""))
        self._done = not message.get("more_body", False)
        if self._size > self._most:
            raise Problem(413, "size", most=self._most)
        return message


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def _bearer(headers: dict[str, str]) -> str:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _host(header: str) -> str:
    """The host that a request names, without the port."""
    if header.startswith("["):
        return header[1:].partition("]")[0]
    return header.partition(":")[0].lower()


def _foreign(headers: dict[str, str]) -> bool:
    """Whether a page of another origin makes the request."""
    origin = headers.get("origin")
    return origin is not None and origin.partition("://")[2] != headers.get("host", "")


def _language(headers: dict[str, str]) -> str:
    return "zh" if headers.get("accept-language", "").lower().startswith("zh") else "en"
