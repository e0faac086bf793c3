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


def the_border() -> Picture:
    """The border between a run and the providers: one form inside, three outside."""
    axes = _canvas(8, 2.9)
    _box(axes, 1.1, 1.25, "messages", USER)
    _box(axes, 3.6, 1.25, "wire", MODEL)
    for height, name in ((2.25, "OpenAI and most others"), (1.25, "Anthropic"), (0.25, "Gemini")):
        _box(axes, 6.5, height, name, DONE)
    _arrow(axes, (1.72, 1.38), (3.14, 1.38), "encode")
    _arrow(axes, (3.14, 1.12), (1.72, 1.12))
    axes.text(2.43, 0.97, "decode", ha="center", va="top", color=INK, fontsize=10)
    for start, end in (((4.06, 1.45), (5.22, 2.1)), ((4.06, 1.25), (5.9, 1.25)), ((4.06, 1.05), (5.98, 0.4))):
        axes.annotate("", end, start, arrowprops={"arrowstyle": "<|-|>", "color": INK, "lw": 1.6})
    return _finished(
        axes,
        "A run holds messages of one form. The wire layer encodes them for each of three protocols, and decodes the "
        "replies back into messages.",
    )


def way_of_a_call() -> Picture:
    """The way of a tool call, from the definition of the tool to the response."""
    axes = _canvas(8, 2.9)
    _box(axes, 0.9, 2.1, "function", TOOL)
    _box(axes, 3.7, 2.1, "schema", DONE)
    _box(axes, 6.9, 2.1, "model", MODEL)
    _box(axes, 6.9, 0.25, "call", DONE)
    _box(axes, 3.9, 0.25, "Python values", DONE)
    _box(axes, 0.9, 0.25, "response", TOOL)
    _arrow(axes, (1.45, 2.1), (3.2, 2.1), "signature, docstring")
    _arrow(axes, (4.2, 2.1), (6.45, 2.1), "with every request")
    _arrow(axes, (6.9, 1.87), (6.9, 0.48), "writes", side=1)
    _arrow(axes, (6.55, 0.25), (4.68, 0.25), "read, converted")
    _arrow(axes, (3.1, 0.25), (1.5, 0.25), "function runs")
    _arrow(axes, (1.2, 0.48), (6.4, 1.9))
    axes.text(3.75, 1.3, "message", ha="right", va="bottom", color=INK, fontsize=10)
    return _finished(
        axes,
        "A function's signature and docstring become a schema, which goes to the model with every request. The model "
        "writes a call; it is read, its arguments become Python values, the function runs, and its response goes back "
        "to the model as a message.",
    )


def the_breaker() -> Picture:
    """The three states of a circuit breaker."""
    axes = _canvas(8, 2.6)
    _box(axes, 1.2, 1.75, "closed", TOOL)
    _box(axes, 6.8, 1.75, "open", USER)
    _box(axes, 4.0, 0.2, "half-open", MODEL)
    _arrow(axes, (1.8, 1.75), (6.3, 1.75), "three failures in a row")
    _arrow(axes, (6.75, 1.5), (4.75, 0.3))
    axes.text(6.0, 0.75, "the time has passed", ha="left", va="top", color=INK, fontsize=10)
    _arrow(axes, (4.35, 0.47), (6.35, 1.6))
    axes.text(4.85, 1.1, "the probe fails", ha="right", va="center", color=INK, fontsize=10)
    _arrow(axes, (3.25, 0.3), (1.3, 1.5))
    axes.text(1.95, 0.75, "the probe succeeds", ha="right", va="top", color=INK, fontsize=10)
    return _finished(
        axes,
        "Closed, calls pass. After three failures in a row the breaker opens and refuses calls. When the time has "
        "passed it is half-open and lets one call through, the probe, whose outcome closes it or opens it again.",
    )


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
