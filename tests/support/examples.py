"""How many examples a property test draws: a quarter of them in `make test`, all in `make test-more`."""

from __future__ import annotations

import os

ALL = "ALL_EXAMPLES"
"""A variable of the environment; set to anything, it asks for all."""


def examples(number: int) -> int:
    return number if os.environ.get(ALL) else max(10, number // 4)
