"""Clients of one endpoint, made when first needed: one for all threads, and one for each event loop."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

S = TypeVar("S")
A = TypeVar("A")


class Clients(Generic[S, A]):
    """The clients that are open. The four functions make and close a sync and an async one."""

    def __init__(
        self,
        make: Callable[[], S],
        close: Callable[[S], None],
        amake: Callable[[], A],
        aclose: Callable[[A], Awaitable[None]],
    ) -> None:
        self._make = make
        self._close = close
        self._amake = amake
        self._aclose = aclose
        self._lock = Lock()
        self._client: S | None = None
        self._async: dict[AbstractEventLoop, tuple[A, AsyncGenerator[None, None]]] = {}

    def here(self) -> S:
        """The client for code that waits."""
        with self._lock:
            if self._client is None:
                self._client = self._make()
            return self._client

    async def in_loop(self) -> A:
        """The client of the running loop: connections cannot move from one loop to another."""
        import asyncio

        loop = asyncio.get_running_loop()
        with self._lock:
            held = self._async.get(loop)
            fresh = held is None
            if held is None:
                for gone in [other for other in self._async if other.is_closed()]:
                    del self._async[gone]
                client = self._amake()
                self._async[loop] = held = client, self._open_until_the_loop_ends(client)
        if fresh:
            await anext(held[1])
        return held[0]

    def close(self) -> None:
        """Closes the connections of the sync client. The next request opens new ones."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            self._close(client)

    async def aclose(self) -> None:
        """Closes the connections of the running event loop, and those of `close`."""
        import asyncio

        with self._lock:
            held = self._async.pop(asyncio.get_running_loop(), None)
        if held is not None:
            await held[1].aclose()
        self.close()

    async def _open_until_the_loop_ends(self, client: A) -> AsyncGenerator[None, None]:
        """Keeps the client; an event loop closes the generators begun in it before it ends, and so its connections."""
        try:
            yield
        finally:
            await self._aclose(client)
