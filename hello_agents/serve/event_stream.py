"""The response that streams server-sent events: pings while there is nothing to say, and an end for slow readers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING

from starlette.responses import Response

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from starlette.types import Receive, Scope, Send

_HEADERS = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store",
    # A proxy that collects the response before it passes it on would make a stream of nothing.
    "X-Accel-Buffering": "no",
}
_PING = b": ping\n\n"
_END = object()


class EventStream(Response):
    """Server-sent events, until they end, or the client goes or takes nothing for `patience` seconds."""

    def __init__(
        self,
        events: AsyncGenerator[str],
        *,
        ping: float,
        patience: float,
        closed: Callable[[], None],
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(status_code=200, headers=_HEADERS | (headers or {}))
        del self.headers["content-length"]
        self._events = events
        self._ping = ping
        self._patience = patience
        self._closed = closed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            sending = asyncio.create_task(self._send(send))
            leaving = asyncio.create_task(_left(receive))
            try:
                await asyncio.wait([sending, leaving], return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in (sending, leaving):
                    task.cancel()
                await asyncio.gather(sending, leaving, return_exceptions=True)
            if not sending.cancelled() and (error := sending.exception()) is not None:
                raise error
        finally:
            self._closed()

    async def _send(self, send: Send) -> None:
        async with aclosing(self._events) as events:
            # The next connection comes soon after this one broke.
            pending = [b"retry: 500\n\n"]
            coming = asyncio.ensure_future(anext(events, _END))
            try:
                with suppress(TimeoutError, OSError):
                    while True:
                        for body in pending:
                            async with asyncio.timeout(self._patience):
                                await send({"type": "http.response.body", "body": body, "more_body": True})
                        await asyncio.wait([coming], timeout=self._ping)
                        if not coming.done():
                            pending = [_PING]
                            continue
                        text = coming.result()
                        if not isinstance(text, str):
                            async with asyncio.timeout(self._patience):
                                await send({"type": "http.response.body", "body": b"", "more_body": False})
                            return
                        pending = [text.encode()]
                        coming = asyncio.ensure_future(anext(events, _END))
            finally:
                coming.cancel()
                await asyncio.gather(coming, return_exceptions=True)


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
