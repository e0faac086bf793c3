"""Packages that make memory quicker where they are installed, and whose absence changes no result."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def installed(*names: str) -> tuple[Any, ...] | None:
    """The modules of these names, imported now; `None` when one is missing."""
    try:
        return tuple(import_module(name) for name in names)
    except ImportError:
        return None
