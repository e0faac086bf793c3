"""A function whose annotations are text."""

from __future__ import annotations

import enum
from typing import Literal


class Shade(enum.Enum):
    RED = "red"
    BLUE = "blue"


def annotated_later(
    mode: Literal["a", "b"],
    color: Shade,
    rows: list[dict[str, int]],
    kw: dict,
    u: str | list[str],
    n: int | None = None,
    x=3,
):
    pass
