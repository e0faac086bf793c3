"""Observability: what a run did, written down for people and for programs; secrets masked."""

from typing import TYPE_CHECKING

from ..lazy import lazily

if TYPE_CHECKING:
    from .guests import guest_file, read_guest
    from .html_report import report_html
    from .json_log import JsonLog
    from .metrics import Metrics
    from .otel import OtelSubscriber
    from .projection import Projection, trace_events
    from .trace_logger import TraceLogger

__all__ = [
    "JsonLog",
    "Metrics",
    "OtelSubscriber",
    "Projection",
    "TraceLogger",
    "guest_file",
    "read_guest",
    "report_html",
    "trace_events",
]

_HOMES = {
    "JsonLog": "json_log",
    "Metrics": "metrics",
    "OtelSubscriber": "otel",
    "Projection": "projection",
    "TraceLogger": "trace_logger",
    "guest_file": "guests",
    "read_guest": "guests",
    "report_html": "html_report",
    "trace_events": "projection",
}
if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, _HOMES)
