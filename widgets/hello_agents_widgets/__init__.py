"""Widgets that show the parts of hello_agents at work. Each is imported when it is first asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .context_meter import ContextMeter
    from .context_pipeline import ContextPipeline
    from .fault_lab import FaultLab
    from .history_compression import HistoryCompression
    from .loop_inspector import LoopInspector
    from .memory_explorer import MemoryExplorer
    from .run_tree import RunTree
    from .tool_schema import ToolSchema
    from .trace_timeline import TraceTimeline, inspect_trace

_HOMES = {
    "ContextMeter": ".context_meter",
    "ContextPipeline": ".context_pipeline",
    "FaultLab": ".fault_lab",
    "HistoryCompression": ".history_compression",
    "LoopInspector": ".loop_inspector",
    "MemoryExplorer": ".memory_explorer",
    "RunTree": ".run_tree",
    "ToolSchema": ".tool_schema",
    "TraceTimeline": ".trace_timeline",
    "inspect_trace": ".trace_timeline",
}

__all__ = [
    "ContextMeter",
    "ContextPipeline",
    "FaultLab",
    "HistoryCompression",
    "LoopInspector",
    "MemoryExplorer",
    "RunTree",
    "ToolSchema",
    "TraceTimeline",
    "inspect_trace",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"There is no widget {name!r}. There are {', '.join(sorted(_HOMES))}.")
    return import_module(_HOMES[name], __name__).__dict__[name]


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
