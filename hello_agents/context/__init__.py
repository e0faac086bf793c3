"""Context: what is sent to a model, counted, cut and put together."""

from typing import TYPE_CHECKING

from ..lazy import lazily

if TYPE_CHECKING:
    from .builder import ContextBuilder
    from .context_trace import ContextTrace, TracedFailure, TracedPacket, TracedSection
    from .history import HistoryManager
    from .packets import ContextBudgetError, ContextConfig, ContextPacket
    from .sources import FunctionSource, HistorySource, KnowledgeSource, MemorySource, Source, ToolResultSource
    from .structuring import ContextTemplate
    from .token_counter import TokenCounter
    from .truncator import ObservationTruncator

__all__ = [
    "ContextBudgetError",
    "ContextBuilder",
    "ContextConfig",
    "ContextPacket",
    "ContextTemplate",
    "ContextTrace",
    "FunctionSource",
    "HistoryManager",
    "HistorySource",
    "KnowledgeSource",
    "MemorySource",
    "ObservationTruncator",
    "Source",
    "TokenCounter",
    "ToolResultSource",
    "TracedFailure",
    "TracedPacket",
    "TracedSection",
]

_HOMES = {
    "ContextBudgetError": "packets",
    "ContextBuilder": "builder",
    "ContextConfig": "packets",
    "ContextPacket": "packets",
    "ContextTemplate": "structuring",
    "ContextTrace": "context_trace",
    "FunctionSource": "sources",
    "HistoryManager": "history",
    "HistorySource": "sources",
    "KnowledgeSource": "sources",
    "MemorySource": "sources",
    "ObservationTruncator": "truncator",
    "Source": "sources",
    "TokenCounter": "token_counter",
    "ToolResultSource": "sources",
    "TracedFailure": "context_trace",
    "TracedPacket": "context_trace",
    "TracedSection": "context_trace",
}
if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, _HOMES)
