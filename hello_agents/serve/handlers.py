"""What the service does at each of its addresses."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Protocol, TypeVar

from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from ..core.exceptions import AgentException
from ..core.journal import dump_entry
from ..core.run import Entry, Judged, Run
from ..core.session_form import SavedSession, SessionException
from . import bodies
from .event_stream import EventStream
from .openapi import description
from .page import csp, page
from .problems import Problem, language_of
from .replies import json_reply
from .running import Ask, Resume, Work
from .service import Service
from .telling import Place, Standing

Handler = Callable[[Request], Awaitable[Response]]
B = TypeVar("B", bound=BaseModel)
_MOST_ENTRIES = 1_000


class Metrics(Protocol):
    """What counts what happens; a subscriber of every agent."""

    def __call__(self, entry: Entry, run: Run) -> None: ...

    def text(self) -> bytes:
        """The counts in Prometheus' text form."""
        ...


class Handlers:
    """The handlers of one service. Each takes a request and gives a response, or raises a `Problem`."""

    def __init__(self, service: Service, metrics: Metrics | None) -> None:
        self._service = service
        self._metrics = metrics
        self._streams = 0

    def table(self) -> dict[str, Handler]:
        """The handlers by the names that the table of addresses calls them."""
        return {
            "page": self.page,
            "health": self.health,
            "ready": self.ready,
            "openapi": self.openapi,
            "metrics": self.metrics,
            "sessions": self.sessions,
            "session": self.session,
            "delete": self.delete,
            "entries": self.entries,
            "events": self.events,
            "message": self.message,
            "verdict": self.verdict,
            "resume": self.resume,
            "stop": self.stop,
            "fork": self.fork,
        }

    # -- the service itself -----------------------------------------------------------------------

    async def page(self, request: Request) -> Response:
        headers = {"Content-Security-Policy": csp(), "Referrer-Policy": "no-referrer", "Cache-Control": "no-cache"}
        return HTMLResponse(page(), headers=headers | {"X-Content-Type-Options": "nosniff"})

    async def health(self, request: Request) -> Response:
        return json_reply({"status": "ok"})

    async def ready(self, request: Request) -> Response:
        if self._service.closing.is_set():
            raise Problem(503, "closing", retry_after=1)
        try:
            await asyncio.wait_for(self._service.call(self._service.store.exists, "ready"), 3)
        except (SessionException, TimeoutError):
            raise Problem(503, "store", retry_after=2) from None
        return json_reply({"status": "ok"})

    async def openapi(self, request: Request) -> Response:
        return json_reply(description(language=language_of(request)))

    async def metrics(self, request: Request) -> Response:
        if self._metrics is None:
            raise Problem(404, "no_metrics")
        return Response(self._metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    # -- sessions ---------------------------------------------------------------------------------

    async def sessions(self, request: Request) -> Response:
        listed = await self._service.call(self._service.store.list_sessions)
        lines = [
            bodies.SessionLine(
                session=one["session_name"],
                created_at=one["created_at"],
                saved_at=one["saved_at"],
                entries=one["entries"],
                forked_from=one["forked_from"],
            )
            for one in listed
            if "fault" not in one and re.match(bodies.SESSION, one["session_name"])
        ]
        return json_reply(bodies.SessionList(sessions=lines).model_dump())

    async def session(self, request: Request) -> Response:
        saved, standing = await self._service.look(_session(request))
        return json_reply(_state(saved, standing))

    async def delete(self, request: Request) -> Response:
        await self._service.delete(_session(request))
        return Response(status_code=204)

    async def entries(self, request: Request) -> Response:
        after, limit = _number(request, "after", -1, -1), _number(request, "limit", _MOST_ENTRIES, 1)
        saved = await self._service.opened(_session(request))
        chosen = saved.entries[after + 1 : after + 1 + min(limit, _MOST_ENTRIES)]
        more = after + 1 + len(chosen) < len(saved.entries)
        return json_reply({"entries": [json.loads(dump_entry(entry)) for entry in chosen], "more": more})

    async def fork(self, request: Request) -> Response:
        session, body = _session(request), await _body(request, bodies.Fork)
        await self._service.call(self._service.store.fork, session, body.session, body.at)
        saved, standing = await self._service.look(body.session)
        return json_reply(_state(saved, standing), 201)

    # -- runs -------------------------------------------------------------------------------------

    async def events(self, request: Request) -> Response:
        place = _place(request)
        linger = _number(request, "linger", 0, 0) > 0
        saved = await self._service.opened(_session(request))
        return self._stream(self._service.follow(saved, place, linger))

    async def message(self, request: Request) -> Response:
        session, body = _session(request), await _body(request, bodies.Question)
        return await self._begun(request, session, Ask(body.message), after=body.after)

    async def verdict(self, request: Request) -> Response:
        session, body = _session(request), await _body(request, bodies.Verdict)
        await self._service.opened(session)
        verdict = Judged(body.call, body.allowed, body.arguments, body.reason)
        return await self._begun(request, session, Resume((verdict,)))

    async def resume(self, request: Request) -> Response:
        session = _session(request)
        saved = await self._service.opened(session)
        if saved.run.outcome is not None or not saved.run.turn:
            raise Problem(409, "ended", session=session)
        return await self._begun(request, session, Resume(), abandoned=True)

    async def stop(self, request: Request) -> Response:
        session = _session(request)
        await self._service.stop(session)
        _, standing = await self._service.look(session)
        return json_reply({"session": session, "status": standing.status})

    async def _begun(
        self, request: Request, session: str, work: Work, *, after: int | None = None, abandoned: bool = False
    ) -> Response:
        """Begins a run, and streams it to a client that takes a stream; others are told where to look."""
        try:
            running = await self._service.start(session, work, after=after, abandoned=abandoned)
        except SessionException:
            raise
        except AgentException:
            raise Problem(409, "not_waiting", session=session) from None
        before = running.accepted.result()
        accept = request.headers.get("accept", "*/*")
        if "text/event-stream" in accept or "*/*" in accept:
            return self._stream(self._service.follow(running, Place(before)))
        return json_reply({"session": session, "after": before}, 202)

    def _stream(self, events: AsyncGenerator[str]) -> Response:
        settings = self._service.settings
        if self._streams >= settings.max_streams:
            raise Problem(503, "streams", retry_after=2, most=settings.max_streams)
        self._streams += 1
        return EventStream(
            events, ping=settings.ping_seconds, patience=settings.send_seconds, closed=self._stream_closed
        )

    def _stream_closed(self) -> None:
        self._streams -= 1


def _state(saved: SavedSession, standing: Standing) -> dict[str, object]:
    run = saved.run
    return {
        "session": saved.name,
        **standing.to_dict(),
        "last": len(saved.entries) - 1,
        "answer": run.answer,
        "reason": None if run.outcome is None else run.outcome.reason,
        "created_at": saved.created_at,
        "saved_at": saved.saved_at,
        "forked_from": saved.forked_from,
        "run": json.loads(run.to_json()),
    }


def _session(request: Request) -> str:
    session = str(request.path_params["session"])
    if not re.fullmatch(bodies.SESSION, session):
        raise Problem(422, "session_id")
    return session


def _number(request: Request, name: str, default: int, least: int) -> int:
    text = request.query_params.get(name)
    if text is None:
        return default
    if not re.fullmatch(r"-?[0-9]{1,15}", text) or int(text) < least:
        raise Problem(422, "number", name=name, least=least)
    return int(text)


def _place(request: Request) -> Place:
    """Where a client's stream broke off: its `Last-Event-ID`, or `after`."""
    id = request.headers.get("last-event-id")
    if id is None:
        return Place(_number(request, "after", -1, -1))
    place = Place.read(id) if id else Place()
    if place is None:
        raise Problem(422, "event_id")
    return place


async def _body(request: Request, kind: type[B]) -> B:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise Problem(415, "not_json")
    try:
        return kind.model_validate_json(await request.body())
    except ValidationError as error:
        fault = error.errors(include_url=False, include_context=False, include_input=False)[0]
        if fault["type"] == "json_invalid":
            raise Problem(400, "json") from None
        where = ".".join(str(part) for part in fault["loc"]) or "body"
        raise Problem(422, "body", where=where, why=fault["msg"]) from None
