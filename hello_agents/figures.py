"""The figures of the chapters: legible on light and dark pages, with words for who cannot see them."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .core.run import Run

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


def draft_and_critique() -> Picture:
    """A draft, its critic, and the way back to the writer."""
    axes = _canvas(8, 2.5)
    _box(axes, 0.8, 1.5, "task", USER)
    _box(axes, 2.9, 1.5, "draft", MODEL)
    _box(axes, 5.0, 1.5, "critique", MODEL)
    _box(axes, 7.15, 1.5, "answer", DONE)
    _box(axes, 3.95, 0.35, "redraft", MODEL)
    _arrow(axes, (1.2, 1.5), (2.42, 1.5))
    _arrow(axes, (3.38, 1.5), (4.38, 1.5))
    _arrow(axes, (5.62, 1.5), (6.6, 1.5), "content")
    _arrow(axes, (4.85, 1.28), (4.35, 0.58), "an objection", side=1)
    _arrow(axes, (3.55, 0.58), (3.05, 1.28))
    return _finished(
        axes,
        "A task is drafted, and the draft goes to a critic. An objection goes back into a new draft, which is "
        "criticised in turn. A critic who is content ends the loop, and the last draft is the answer.",
    )


def reflection_rounds(measured: dict[str, list[tuple[float, float]]]) -> Picture:
    """What rounds of reflection give and cost: for each critic, by round, the rules met and the tokens spent so far."""
    from matplotlib.figure import Figure

    figure: Any = Figure(figsize=(8, 3), dpi=160)
    met, spent = figure.subplots(1, 2)
    for (critic, points), colour in zip(measured.items(), (TOOL, USER, MODEL, DONE), strict=False):
        rounds = range(len(points))
        met.plot(rounds, [rules for rules, _ in points], "o-", color=colour, label=critic)
        spent.plot(rounds, [tokens for _, tokens in points], "o-", color=colour, label=critic)
    for axes, title in ((met, "rules met"), (spent, "tokens so far")):
        _quiet(axes)
        axes.set_title(title, color=INK, fontsize=11, loc="left")
        axes.set_xlabel("rounds", color=INK)
        axes.set_xticks(range(max(map(len, measured.values()))))
    met.set_ylim(0, 1.06 * max(rules for points in measured.values() for rules, _ in points))
    spent.set_ylim(bottom=0)
    met.legend(frameon=False, labelcolor=INK, fontsize=9)
    figure.tight_layout()
    last = "; ".join(f"{critic}: {p[-1][0]:.2f} rules, {p[-1][1]:.0f} tokens" for critic, p in measured.items())
    return _finished(met, f"Rules met and tokens spent over rounds of reflection. After the last round, {last}.")


def plan_and_runs(run: Run) -> Picture:
    """The plan of a PlanSolveAgent's last question, and the runs it spawned, each with its requests and tokens."""
    planner, executor = run.children[f"plan-{run.turn}"], run.children.get(f"execute-{run.turn}")
    steps = list(executor.children.values()) if executor else []
    plan = list(executor.notes["plan"]) if executor else []
    height = 0.55 + 0.62 * max(len(plan), 1)
    axes = _canvas(8, height)
    top = height - 0.6
    _box(axes, 0.95, top, "planner", MODEL)
    axes.text(0.95, top - 0.42, _cost(planner), ha="center", va="center", color=INK, fontsize=9)
    for number, step in enumerate(plan):
        y = top - 0.62 * number
        _arrow(axes, (1.6, top), (2.15, y))
        short = step if len(step) <= 32 else step[:31] + "…"
        axes.text(2.25, y, f"{number + 1}. {short}", ha="left", va="center", color=INK, fontsize=10)
        if number < len(steps):
            _arrow(axes, (4.95, y), (5.5, y))
            _box(axes, 5.95, y, "worker", TOOL)
            axes.text(6.42, y, _cost(steps[number]), ha="left", va="center", color=INK, fontsize=9)
        if 0 < number < len(steps):
            _arrow(axes, (5.95, y + 0.45), (5.95, y + 0.18))
    return _finished(
        axes,
        f"The planner ({_cost(planner)}) writes {len(plan)} steps. Each goes to a worker of its own, one after "
        f"another, and the results of those before go along: {'; '.join(map(_cost, steps)) or 'none was run'}.",
    )


def _cost(run: Run) -> str:
    return f"{run.steps} request{'s' * (run.steps != 1)}, {run.usage.total_tokens} tokens"


def _quiet(axes: Axes) -> None:
    """Axes without a frame, legible on light and dark."""
    axes.set_facecolor("none")
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(INK)
    axes.tick_params(colors=INK, labelsize=9)
    axes.grid(axis="y", color=INK, alpha=0.25)
