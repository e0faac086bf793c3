"""Figures of agents: how one is put together, and what several do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .canvas import DONE, INK, MODEL, TOOL, USER, Axes, Picture, arrow, box, canvas, finished, quiet

if TYPE_CHECKING:
    from ..core.run import Run

ASSEMBLY = (
    ("tool_output_*", "truncator", "shortens long results"),
    ("context_window, …", "policy", "shortens a long conversation"),
    ("max_steps, max_total_*", "limits", "close a question that goes on"),
    ("todowrite_enabled, …", "own_tools", "are on offer beside the caller's"),
    ("circuit_*", "circuit_breaker", "switches a failing tool off"),
    ("trace_*", "trace_logger", "follows what happens"),
    ("session_*", "session_store", "keeps the run"),
)


def the_assembly() -> Picture:
    """The base class: rows of settings, the part made of each, and what it does; the pattern is one row."""
    axes = canvas(8, 5)
    for row, (setting, part, does) in enumerate(ASSEMBLY):
        _assembled(axes, 4.3 - 0.52 * row, setting, part, does, TOOL)
    axes.plot((0.3, 7.7), (0.63, 0.63), color=INK, lw=0.8, ls=(0, (4, 4)))
    _assembled(axes, 0.25, "the subclass", "decide", "says what comes next", MODEL)
    return finished(
        axes,
        "The base class makes seven parts, each from a group of fields of Config: "
        + "; ".join(f"{part} {does}" for _, part, does in ASSEMBLY)
        + ". The subclass brings only decide, which says what comes next.",
    )


def _assembled(axes: Axes, y: float, setting: str, part: str, does: str, colour: str) -> None:
    axes.text(2.3, y, setting, ha="right", va="center", color=INK, fontsize=11, family="monospace")
    arrow(axes, (2.4, y), (3.0, y))
    style = {"boxstyle": "round,pad=0.35,rounding_size=0.25", "facecolor": colour, "edgecolor": "none"}
    axes.text(3.95, y, part, ha="center", va="center", color="white", fontsize=11, family="monospace", bbox=style)
    axes.text(5.0, y, does, ha="left", va="center", color=INK, fontsize=11)


def draft_and_critique() -> Picture:
    """A draft, its critic, and the way back to the writer."""
    axes = canvas(8, 2.5)
    box(axes, 0.8, 1.5, "task", USER)
    box(axes, 2.9, 1.5, "draft", MODEL)
    box(axes, 5.0, 1.5, "critique", MODEL)
    box(axes, 7.15, 1.5, "answer", DONE)
    box(axes, 3.95, 0.35, "redraft", MODEL)
    arrow(axes, (1.2, 1.5), (2.42, 1.5))
    arrow(axes, (3.38, 1.5), (4.38, 1.5))
    arrow(axes, (5.62, 1.5), (6.6, 1.5), "content")
    arrow(axes, (4.85, 1.28), (4.35, 0.58), "an objection", side=1)
    arrow(axes, (3.55, 0.58), (3.05, 1.28))
    return finished(
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
        quiet(axes)
        axes.set_title(title, color=INK, fontsize=11, loc="left")
        axes.set_xlabel("rounds", color=INK)
        axes.set_xticks(range(max(map(len, measured.values()))))
    met.set_ylim(0, 1.06 * max(rules for points in measured.values() for rules, _ in points))
    spent.set_ylim(bottom=0)
    met.legend(frameon=False, labelcolor=INK, fontsize=9)
    figure.tight_layout()
    last = "; ".join(f"{critic}: {p[-1][0]:.2f} rules, {p[-1][1]:.0f} tokens" for critic, p in measured.items())
    return finished(met, f"Rules met and tokens spent over rounds of reflection. After the last round, {last}.")


def plan_and_runs(run: Run) -> Picture:
    """The plan of a PlanSolveAgent's last question, and the runs it spawned, each with its requests and tokens."""
    planner, executor = run.children[f"plan-{run.turn}"], run.children.get(f"execute-{run.turn}")
    steps = list(executor.children.values()) if executor else []
    plan = list(executor.notes["plan"]) if executor else []
    height = 0.55 + 0.62 * max(len(plan), 1)
    axes = canvas(8, height)
    top = height - 0.6
    box(axes, 0.95, top, "planner", MODEL)
    axes.text(0.95, top - 0.42, _cost(planner), ha="center", va="center", color=INK, fontsize=9)
    for number, step in enumerate(plan):
        y = top - 0.62 * number
        arrow(axes, (1.6, top), (2.15, y))
        short = step if len(step) <= 32 else step[:31] + "…"
        axes.text(2.25, y, f"{number + 1}. {short}", ha="left", va="center", color=INK, fontsize=10)
        if number < len(steps):
            arrow(axes, (4.95, y), (5.5, y))
            box(axes, 5.95, y, "worker", TOOL)
            axes.text(6.42, y, _cost(steps[number]), ha="left", va="center", color=INK, fontsize=9)
        if 0 < number < len(steps):
            arrow(axes, (5.95, y + 0.45), (5.95, y + 0.18))
    return finished(
        axes,
        f"The planner ({_cost(planner)}) writes {len(plan)} steps. Each goes to a worker of its own, one after "
        f"another, and the results of those before go along: {'; '.join(map(_cost, steps)) or 'none was run'}.",
    )


def _cost(run: Run) -> str:
    return f"{run.steps} request{'s' * (run.steps != 1)}, {run.usage.total_tokens} tokens"


def one_against_teams(sizes: Sequence[int], measured: Mapping[str, Sequence[tuple[int, int, int]]]) -> Picture:
    """Right answers, tokens of the largest request at the top, and all tokens, of agents with the same tasks.

    `measured` has these three numbers for each size of the task, by the name of the agent.
    """
    from matplotlib.figure import Figure

    figure: Any = Figure(figsize=(8, 2.9), dpi=160, layout="tight")
    titles = ("right answers", "largest request at the top", "tokens in all")
    for number, title in enumerate(titles):
        axes = figure.add_subplot(1, 3, number + 1)
        quiet(axes)
        axes.set_title(title, color=INK, fontsize=11, loc="left")
        axes.set_xlabel("towns asked for", color=INK)
        axes.set_xticks(sizes)
        for (name, rows), colour, sign in zip(measured.items(), (USER, TOOL, MODEL), "os^", strict=False):
            axes.plot(sizes, [row[number] for row in rows], color=colour, marker=sign, lw=1.6, ms=5, label=name)
        axes.set_ylim(bottom=0)
    axes = figure.axes[1]
    axes.legend(frameon=False, labelcolor=INK, fontsize=9, loc="center right", bbox_to_anchor=(1.0, 0.66))
    told = "; ".join(
        f"{name}: {', '.join(' / '.join(map(str, row)) for row in rows)}" for name, rows in measured.items()
    )
    return finished(
        axes,
        f"For {', '.join(map(str, sizes))} towns: right answers / tokens of the largest request at the top / tokens in "
        f"all. {told}.",
    )
