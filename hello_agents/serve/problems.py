"""Problems: what a client did or met that cannot be served, as JSON problem details (RFC 9457)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..catalogue import text
from ..core import session_form as form

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

TITLES = {
    400: "Bad request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not found",
    405: "Method not allowed",
    408: "Request timeout",
    409: "Conflict",
    413: "Content too large",
    415: "Unsupported media type",
    422: "Unprocessable content",
    429: "Too many requests",
    500: "Internal error",
    503: "Service unavailable",
}


class Problem(Exception):
    """A request that is not served, and why. `code` is a word for programs, as in `text("serve.CODE")`."""

    def __init__(self, status: int, code: str, *, retry_after: float | None = None, **values: object) -> None:
        self.status = status
        self.code = code
        self.values = values
        self.retry_after = retry_after
        super().__init__(code)

    def response(self, language: str = "en") -> Response:
        from .replies import json_reply

        headers: dict[str, str] = {}
        if self.retry_after is not None:
            headers["Retry-After"] = str(max(1, round(self.retry_after)))
        if self.status == 401:
            headers["WWW-Authenticate"] = 'Bearer realm="hello-agents"'
        body = {
            "type": "about:blank",
            "title": TITLES[self.status],
            "status": self.status,
            "code": self.code,
        }
        body["detail"] = text(f"serve.{self.code}", language, **self.values)
        return json_reply(body, self.status, headers, "application/problem+json")


def language_of(request: Request) -> str:
    """The language that the gate has read from the request's headers."""
    return str(request.scope.get("state", {}).get("language", "en"))


def problem_of(error: form.SessionException, session: str) -> Problem:
    """What a session's error is to a client."""
    match error:
        case form.SessionMissing():
            return Problem(404, "no_session", session=session)
        case form.SessionExists():
            return Problem(409, "session_exists", session=session)
        case form.SessionUnavailable() | form.SessionClosed():
            return Problem(503, "store", retry_after=2)
        case form.SessionConflict():
            return Problem(409, "changed", session=session)
        case form.SessionDamaged():
            return Problem(409, "damaged", session=session)
        case _:
            return Problem(422, "refused", why=str(error))
