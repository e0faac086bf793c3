"""Packages taken away for a while, as if they were not installed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock


@contextmanager
def without(*names: str) -> Iterator[None]:
    """Inside, importing these packages fails, whether or not they are loaded."""
    gone = {name: None for loaded in list(sys.modules) for name in [loaded] if loaded.split(".")[0] in names}
    with mock.patch.dict(sys.modules, {**gone, **dict.fromkeys(names)}):
        yield


@contextmanager
def as_installed() -> Iterator[None]:
    yield


SEARCH = {"with numpy": as_installed, "without numpy": lambda: without("numpy", "bm25s")}
"""The two ways a search runs, by name."""
