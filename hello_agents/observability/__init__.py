"""Observability: what a run did, written down for people; secrets masked."""

from typing import TYPE_CHECKING

from ..lazy import lazily

if TYPE_CHECKING:
    from .html_report import report_html
    from .projection import Projection, trace_events
    from .trace_logger import TraceLogger

__all__ = ["Projection", "TraceLogger", "report_html", "trace_events"]

_HOMES = {
    "Projection": "projection",
    "TraceLogger": "trace_logger",
    "report_html": "html_report",
    "trace_events": "projection",
}
if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, _HOMES)
