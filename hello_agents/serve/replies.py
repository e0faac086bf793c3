"""JSON responses. A lone surrogate, which UTF-8 cannot hold, goes out as its escape."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import Response

from ..core.journal import json_text


def json_reply(
    data: object, status: int = 200, headers: Mapping[str, str] | None = None, media_type: str = "application/json"
) -> Response:
    """The data as JSON, which no cache keeps."""
    kept = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"} | dict(headers or {})
    return Response(json_text(data).encode(), status, kept, media_type)
