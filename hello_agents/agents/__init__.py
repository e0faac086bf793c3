"""Agents: one way to decide a file."""

from typing import TYPE_CHECKING

from ..lazy import lazily

if TYPE_CHECKING:
    from .react_agent import ReActAgent
    from .simple_agent import SimpleAgent

__all__ = ["ReActAgent", "SimpleAgent"]

_HOMES = {"ReActAgent": "react_agent", "SimpleAgent": "simple_agent"}
if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, _HOMES)
