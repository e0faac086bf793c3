"""What the figures are drawn on: boxes, arrows, axes for numbers, and the finished picture."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from io import BytesIO
from typing import Any

Axes = Any
"""matplotlib's axes, whose types are only in part known to a checker."""


INK = "#7d8796"


USER, MODEL, TOOL, DONE = "#3f7cc4", "#7a62d0", "#1f8a70", "#5b6472"


class Picture:
    """A figure as PNG, with its alternative text."""

    def __init__(self, png: bytes, alt: str) -> None:
        self.png = png
        self.alt = alt

    def __repr__(self) -> str:
        return f"Figure: {self.alt}"

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        from base64 import b64encode

        data = {"image/png": b64encode(self.png).decode(), "text/plain": repr(self)}
        return data, {"image/png": {"alt": self.alt, "width": 640}}


def canvas(width: float, height: float) -> Axes:
    from matplotlib.figure import Figure

    figure: Any = Figure(figsize=(width, height), dpi=160)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, width)
    axes.set_ylim(-0.1, height - 0.3)
    axes.set_axis_off()
    return axes


def box(axes: Axes, x: float, y: float, text: str, colour: str) -> None:
    style = {"boxstyle": "round,pad=0.55,rounding_size=0.35", "facecolor": colour, "edgecolor": "none"}
    axes.text(x, y, text, ha="center", va="center", color="white", fontsize=12, bbox=style)


def arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float], text: str = "", side: int = 0) -> None:
    axes.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": INK, "lw": 1.6, "shrinkA": 2, "shrinkB": 2})
    x, y = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
    if side:
        axes.text(x + 0.12 * side, y, text, ha="left" if side > 0 else "right", va="center", color=INK, fontsize=10)
    elif text:
        axes.text(x, y + 0.14, text, ha="center", va="bottom", color=INK, fontsize=10)


def finished(axes: Axes, alt: str) -> Picture:
    file = BytesIO()
    axes.figure.savefig(file, format="png", transparent=True, metadata={"Software": None})
    return Picture(file.getvalue(), alt)


def plot(width: float, height: float) -> Axes:
    """Axes for numbers, in a colour that is legible on light and dark."""
    from matplotlib.figure import Figure

    figure: Any = Figure(figsize=(width, height), dpi=160, layout="tight")
    axes = figure.add_subplot()
    axes.tick_params(colors=INK, labelsize=10)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(INK)
    axes.xaxis.label.set_color(INK)
    axes.yaxis.label.set_color(INK)
    axes.margins(y=0.15)
    return axes


def bars(axes: Axes, counts: Sequence[Sequence[int]], names: Sequence[str]) -> None:
    """Bars beside each other at 1, 2, 3, …, one colour for each name, with the numbers above them."""
    width = 0.8 / len(counts)
    for number, (values, name, colour) in enumerate(zip(counts, names, (TOOL, USER, MODEL), strict=False)):
        places = [step + 1 + (number - (len(counts) - 1) / 2) * width for step in range(len(values))]
        bars = axes.bar(places, values, width * 0.92, color=colour, label=name)
        axes.bar_label(bars, labels=[f"{value:,}" for value in values], color=INK, fontsize=9, padding=2)


def column(axes: Axes, x: float, boxes: tuple[tuple[str, str], ...]) -> None:
    """Boxes below each other, joined there and back."""
    heights = (2.95, 1.9, 0.85)[: len(boxes)]
    for y, (text, colour) in zip(heights, boxes, strict=True):
        box(axes, x, y, text, colour)
    for upper, lower in itertools.pairwise(heights):
        arrow(axes, (x - 0.2, upper - 0.25), (x - 0.2, lower + 0.25))
        arrow(axes, (x + 0.2, lower + 0.25), (x + 0.2, upper - 0.25))


def quiet(axes: Axes) -> None:
    """Axes without a frame, legible on light and dark."""
    axes.set_facecolor("none")
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(INK)
    axes.tick_params(colors=INK, labelsize=9)
    axes.grid(axis="y", color=INK, alpha=0.25)
