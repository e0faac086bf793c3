"""Context: what a model is shown, and what that costs."""

from __future__ import annotations

from .token_counter import TokenCounter

__all__ = ["TokenCounter"]
