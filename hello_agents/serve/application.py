"""The service as an ASGI application."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from types import FrameType
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ..core.session_form import SessionException
from ..core.session_store import MemorySessionStore
from ..core.sessions import Store
from .gate import Gate
from .handlers import Handlers, Metrics
from .openapi import ADDRESSES, PUBLIC
from .problems import Problem, language_of, problem_of
from .service import AgentSource, Service
from .settings import Settings


def app(
    agent: AgentSource,
    store: Store | None = None,
    *,
    token: str | None = None,
    settings: Settings | None = None,
    metrics: Metrics | None = None,
) -> Starlette:
    """The service of an agent, for any ASGI server.

    `agent`: a function that makes one, or an agent, of which each run gets a shallow copy. `store`: where sessions are
    kept, by default in memory. `token`: what clients must send; without one, only this machine is answered.
    """
    settings = settings or Settings()
    service = Service(agent, store or MemorySessionStore(), settings)
    metrics = metrics or _metrics()
    if metrics is not None:
        service.followers.append(metrics)
    handlers = Handlers(service, metrics).table()
    routes = [Route(one.path, handlers[one.name], methods=[one.method]) for one in ADDRESSES]
    application = Starlette(
        routes=routes,
        middleware=[Middleware(Gate, settings=settings, token=token, public=PUBLIC)],
        exception_handlers={
            Problem: _problem,
            SessionException: _session_problem,
            HTTPException: _http_problem,
            Exception: _fault,
        },
        lifespan=lambda application: _life(service),
    )
    application.router.redirect_slashes = False
    application.state.service = service
    return application


@contextlib.asynccontextmanager
async def _life(service: Service) -> AsyncGenerator[None]:
    loop = asyncio.get_running_loop()
    # Tools that block wait in these threads, several for each run.
    loop.set_default_executor(ThreadPoolExecutor(service.settings.max_runs + 16, "hello-agents-tools"))
    # An agent that cannot be made is better known of now than at the first question.
    service.agent()
    service.begin()
    with _heard(loop, service):
        yield
        await service.close()


@contextlib.contextmanager
def _heard(loop: asyncio.AbstractEventLoop, service: Service) -> Any:
    """Tells the service of the signal to end at once. A server tells it only when all streams have ended, which they
    do not do while runs go on."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}

    def hear(number: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(service.begin_to_close)
        handler = before[signal.Signals(number)]
        if callable(handler):
            handler(number, frame)

    for number in before:
        signal.signal(number, hear)
    try:
        yield
    finally:
        for number, handler in before.items():
            if signal.getsignal(number) is hear:
                signal.signal(number, handler)


def _metrics() -> Metrics | None:
    """The counters of the package's own, where they are installed."""
    try:
        from ..observability.metrics import Metrics as Counters

        return Counters()
    except ImportError:
        return None


async def _problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, Problem)
    return error.response(language_of(request))


async def _session_problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, SessionException)
    return problem_of(error, str(request.path_params.get("session", ""))).response(language_of(request))


async def _http_problem(request: Request, error: Exception) -> Response:
    """What the router finds wrong: an unknown path, or a method that is not there."""
    assert isinstance(error, HTTPException)
    code = {404: "no_path", 405: "method"}.get(error.status_code, "refused")
    response = Problem(error.status_code, code, why=str(error.detail)).response(language_of(request))
    for name, value in (error.headers or {}).items():
        response.headers[name] = value
    return response


async def _fault(request: Request, error: Exception) -> Response:
    """A fault of the service's own. What it is goes into the log; the client is told nothing of the inside."""
    return Problem(500, "fault").response(language_of(request))
