"""The figures of the chapters: legible on light and dark pages, with words for who cannot see them."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .core.agent import Agent

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


def tokens_over_steps(*agents: Agent, names: tuple[str, ...] = ("tokens of each request",)) -> Picture:
    """The tokens of each request that one or more agents have sent, with the schemas of their tools."""
    counts = [list(_request_tokens(agent)) for agent in agents]
    axes = _plot(8, 2.8)
    width = 0.8 / len(counts)
    for number, (values, name, colour) in enumerate(zip(counts, names, (TOOL, USER, MODEL), strict=False)):
        places = [step + 1 + (number - (len(counts) - 1) / 2) * width for step in range(len(values))]
        bars = axes.bar(places, values, width * 0.92, color=colour, label=name)
        axes.bar_label(bars, labels=[f"{value:,}" for value in values], color=INK, fontsize=9, padding=2)
    axes.set_xticks(range(1, max(map(len, counts)) + 1))
    axes.set_xlabel("request")
    axes.set_ylabel("tokens")
    if len(counts) > 1:
        axes.legend(frameon=False, labelcolor=INK)
    told = "; ".join(f"{name}: {', '.join(map(str, values))}" for name, values in zip(names, counts, strict=False))
    return _finished(axes, f"Tokens of each request. {told}.")


def _request_tokens(agent: Agent) -> Iterator[int]:
    from .context.token_counter import TokenCounter
    from .core.run import Replied

    counter = TokenCounter(vars(agent.llm).get("model") or "")
    steps = agent.steps()
    for index, entry in enumerate(steps.entries):
        if isinstance(entry.event, Replied):
            request = steps.request_at(index)
            yield counter.count_messages(request.messages) + counter.count_tools(request.tools)


def _plot(width: float, height: float) -> Axes:
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


def what_compression_keeps(agent: Agent) -> Picture:
    """The tokens of each request of an agent, beside the limit at which its conversation is made shorter."""
    counts = list(_request_tokens(agent))
    limit = agent.policy.limit
    axes = _plot(8, 2.8)
    axes.bar(range(1, len(counts) + 1), counts, 0.7, color=TOOL)
    axes.axhline(limit, color=USER, lw=1.6, ls=(0, (4, 3)))
    axes.text(0.4, limit, f"limit: {limit:,} tokens", color=USER, fontsize=10, va="bottom")
    axes.set_xlabel("request")
    axes.set_ylabel("tokens")
    axes.set_xlim(0.3, len(counts) + 0.7)
    told = ", ".join(map(str, counts))
    return _finished(axes, f"Tokens of each request: {told}. At {limit} tokens the conversation is made shorter.")
