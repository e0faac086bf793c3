"""Context: what is sent to a model, counted, cut and put together."""

from typing import TYPE_CHECKING

from ..lazy import lazily

if TYPE_CHECKING:
    from .token_counter import TokenCounter

__all__ = ["TokenCounter"]

_HOMES = {"TokenCounter": "token_counter"}
if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, _HOMES)
