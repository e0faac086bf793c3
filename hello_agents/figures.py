"""The figures of the chapters: legible on light and dark pages, with words for who cannot see them."""

from __future__ import annotations

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


def the_loop() -> Picture:
    """The loop of an agent, as four boxes."""
    axes = _canvas(8, 2.5)
    _box(axes, 0.9, 1.5, "question", USER)
    _box(axes, 3.4, 1.5, "ask the model", MODEL)
    _box(axes, 3.4, 0.35, "run the tools", TOOL)
    _box(axes, 6.6, 1.5, "answer", DONE)
    _arrow(axes, (1.42, 1.5), (2.66, 1.5))
    _arrow(axes, (4.14, 1.5), (6.16, 1.5), "the reply asks for nothing")
    _arrow(axes, (3.75, 1.3), (3.75, 0.56), "it asks for tools", side=1)
    _arrow(axes, (3.05, 0.56), (3.05, 1.3), "results", side=-1)
    return _finished(
        axes,
        "The question goes to the model. While its reply asks for tools, they are run and their results go back to "
        "the model. A reply that asks for nothing is the answer.",
    )


def _canvas(width: float, height: float) -> Axes:
    from matplotlib.figure import Figure

    figure: Any = Figure(figsize=(width, height), dpi=160)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, width)
    axes.set_ylim(-0.1, height - 0.3)
    axes.set_axis_off()
    return axes


def _box(axes: Axes, x: float, y: float, text: str, colour: str) -> None:
    style = {"boxstyle": "round,pad=0.55,rounding_size=0.35", "facecolor": colour, "edgecolor": "none"}
    axes.text(x, y, text, ha="center", va="center", color="white", fontsize=12, bbox=style)


def _arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float], text: str = "", side: int = 0) -> None:
    axes.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": INK, "lw": 1.6, "shrinkA": 2, "shrinkB": 2})
    x, y = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
    if side:
        axes.text(x + 0.12 * side, y, text, ha="left" if side > 0 else "right", va="center", color=INK, fontsize=10)
    elif text:
        axes.text(x, y + 0.14, text, ha="center", va="bottom", color=INK, fontsize=10)


def _finished(axes: Axes, alt: str) -> Picture:
    file = BytesIO()
    axes.figure.savefig(file, format="png", transparent=True, metadata={"Software": None})
    return Picture(file.getvalue(), alt)


ASSEMBLY = (
    ("tool_output_*", "truncator", "shortens long results"),
    ("context_window, …", "policy", "shortens a long conversation"),
    ("max_steps, max_total_*", "limits", "close a question that goes on"),
    ("todowrite_enabled, …", "own_tools", "are on offer beside the caller's"),
    ("circuit_*", "circuit_breaker", "switches a failing tool off"),
    ("trace_*", "trace_logger", "follows what happens"),
    ("session_*", "session_store", "keeps the run"),
)
"""Fields of `Config`, the part that is made of them, and what it does."""


def the_assembly() -> Picture:
    """The base class: rows of settings, the part made of each, and what it does; the pattern is one row."""
    axes = _canvas(8, 5)
    for row, (setting, part, does) in enumerate(ASSEMBLY):
        _assembled(axes, 4.3 - 0.52 * row, setting, part, does, TOOL)
    axes.plot((0.3, 7.7), (0.63, 0.63), color=INK, lw=0.8, ls=(0, (4, 4)))
    _assembled(axes, 0.25, "the subclass", "decide", "says what comes next", MODEL)
    return _finished(
        axes,
        "The base class makes seven parts, each from a group of fields of Config: "
        + "; ".join(f"{part} {does}" for _, part, does in ASSEMBLY)
        + ". The subclass brings only decide, which says what comes next.",
    )


def _assembled(axes: Axes, y: float, setting: str, part: str, does: str, colour: str) -> None:
    axes.text(2.3, y, setting, ha="right", va="center", color=INK, fontsize=11, family="monospace")
    _arrow(axes, (2.4, y), (3.0, y))
    style = {"boxstyle": "round,pad=0.35,rounding_size=0.25", "facecolor": colour, "edgecolor": "none"}
    axes.text(3.95, y, part, ha="center", va="center", color="white", fontsize=11, family="monospace", bbox=style)
    axes.text(5.0, y, does, ha="left", va="center", color=INK, fontsize=11)


def the_react_loop() -> Picture:
    """The loop of ReAct, with thinking and finishing among the tools."""
    axes = _canvas(8, 2.7)
    _box(axes, 0.8, 1.7, "question", USER)
    _box(axes, 3.1, 1.7, "ask the model", MODEL)
    _box(axes, 1.9, 0.4, "Thought", TOOL)
    _box(axes, 4.3, 0.4, "other tools", TOOL)
    _box(axes, 5.6, 1.7, "Finish", TOOL)
    _box(axes, 7.3, 1.7, "answer", DONE)
    _arrow(axes, (1.3, 1.7), (2.36, 1.7))
    _arrow(axes, (3.84, 1.7), (5.16, 1.7))
    _arrow(axes, (6.04, 1.7), (6.86, 1.7))
    _arrow(axes, (2.75, 1.5), (1.95, 0.62), "its reasoning", side=-1)
    _arrow(axes, (2.3, 0.62), (2.95, 1.5))
    _arrow(axes, (3.25, 1.5), (3.9, 0.62))
    _arrow(axes, (4.3, 0.62), (3.5, 1.5), "results", side=1)
    return _finished(
        axes,
        "The question goes to the model. It may call Thought with its reasoning, or other tools, whose results go back "
        "to it. A call of Finish carries the answer and ends the loop.",
    )
