"""Figures of evaluations: what one is, what it found, and how much it can find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .canvas import DONE, INK, MODEL, TOOL, USER, Picture, arrow, box, canvas, finished, quiet

if TYPE_CHECKING:
    from ..evaluation.report import Report


def an_evaluation() -> Picture:
    """Tasks and agents, a trial for each pair of them, and what is read off the trials."""
    axes = canvas(8, 2.9)
    held = (
        (1.1, 1.95, "tasks", USER, "a question and a check"),
        (1.1, 0.65, "agents", MODEL, "a function that makes one"),
        (4.0, 1.3, "trials", TOOL, "make, run, check:\none for each pair"),
        (7.0, 1.3, "report", DONE, "how often, how sure,\nat what cost, why not"),
    )
    for x, y, name, colour, what in held:
        box(axes, x, y, name, colour)
        axes.text(x, y - 0.32, what, ha="center", va="top", color=INK, fontsize=10)
    arrow(axes, (1.6, 1.9), (3.45, 1.45))
    arrow(axes, (1.7, 0.7), (3.45, 1.15))
    arrow(axes, (4.55, 1.3), (6.4, 1.3))
    return finished(
        axes,
        "An evaluation has tasks, each a question and a check, and agents, each a function that makes one. Every pair "
        "of the two is a trial: the agent is made, run and checked. The report says how often that went well, how sure "
        "the number is, what it cost, and why the others failed.",
    )


def rates_and_costs(report: Report) -> Picture:
    """For each agent of a report, the success rate with its interval, and the tokens of a trial."""
    from matplotlib.figure import Figure

    scores = list(report.scores.values())[::-1]
    places, names = range(len(scores)), [score.agent for score in scores]
    figure: Any = Figure(figsize=(8, 0.9 + 0.42 * len(scores)), dpi=160, layout="tight")
    rates, costs = figure.subplots(1, 2, sharey=True)
    for axes, title in ((rates, "passed, with 95 % interval"), (costs, "tokens a trial")):
        quiet(axes)
        axes.grid(visible=False)
        axes.set_title(title, color=INK, fontsize=11, loc="left")
        axes.set_ylim(-0.6, len(scores) - 0.4)
    for place, score in zip(places, scores, strict=True):
        rates.plot((100 * score.low, 100 * score.high), (place, place), color=TOOL, lw=2.2, solid_capstyle="butt")
    rates.plot([100 * score.rate for score in scores], places, "o", color=TOOL, ms=7)
    rates.set_xlim(-4, 104)
    rates.set_xticks((0, 25, 50, 75, 100), labels=("0 %", "25 %", "50 %", "75 %", "100 %"))
    rates.set_yticks(places, labels=names, fontsize=10)
    drawn = costs.barh(places, [score.tokens for score in scores], 0.5, color=USER)
    costs.bar_label(drawn, labels=[f"{score.tokens:,.0f}" for score in scores], color=INK, fontsize=9, padding=4)
    costs.margins(x=0.18)
    costs.set_xticks(())
    costs.tick_params(left=False)
    costs.spines["bottom"].set_visible(False)
    told = "; ".join(
        f"{one.agent}: {100 * one.rate:.0f} % ({100 * one.low:.0f} to {100 * one.high:.0f}), {one.tokens:,.0f} tokens"
        for one in reversed(scores)
    )
    return finished(rates, f"Success rates with their intervals, and tokens a trial. {told}.")


def how_many_tasks(sizes: Sequence[int], found: Mapping[str, Sequence[float]]) -> Picture:
    """How often a comparison calls a difference real, by the number of tasks, for differences of several sizes.

    `found` has that share, 0 to 1, for each size, by the name of the difference.
    """
    from matplotlib.figure import Figure

    figure: Any = Figure(figsize=(8, 3), dpi=160, layout="tight")
    axes = figure.add_subplot()
    quiet(axes)
    for (name, shares), colour, sign in zip(found.items(), (INK, USER, TOOL, MODEL), "os^D", strict=False):
        axes.plot(sizes, [100 * one for one in shares], color=colour, marker=sign, lw=1.6, ms=5, label=name)
    axes.set_xscale("log")
    axes.set_xticks(sizes, labels=[str(size) for size in sizes])
    axes.minorticks_off()
    axes.set_ylim(-3, 103)
    axes.set_yticks((0, 25, 50, 75, 100), labels=("0 %", "25 %", "50 %", "75 %", "100 %"))
    axes.set_title("comparisons that call it real", color=INK, fontsize=11, loc="left")
    axes.set_xlabel("tasks", color=INK)
    axes.legend(frameon=False, labelcolor=INK, fontsize=9, loc="upper left")
    told = "; ".join(
        f"{name}: {', '.join(f'{100 * share:.0f} %' for share in shares)}" for name, shares in found.items()
    )
    return finished(
        axes,
        f"How often a comparison calls a difference real, with {', '.join(map(str, sizes))} tasks. {told}.",
    )
