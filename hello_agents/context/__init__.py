"""Context: what is sent to a model, counted, cut and put together."""

from typing import TYPE_CHECKING

from ..lazy import lazily

if TYPE_CHECKING:
    from .history import HistoryManager
    from .token_counter import TokenCounter
    from .truncator import ObservationTruncator

__all__ = ["HistoryManager", "ObservationTruncator", "TokenCounter"]

_HOMES = {"HistoryManager": "history", "ObservationTruncator": "truncator", "TokenCounter": "token_counter"}
if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, _HOMES)
