"""Figures of loops."""

from __future__ import annotations

from .canvas import DONE, INK, MODEL, TOOL, USER, Picture, arrow, box, canvas, column, finished


def the_loop() -> Picture:
    """The loop of an agent, as four boxes."""
    axes = canvas(8, 2.5)
    box(axes, 0.9, 1.5, "question", USER)
    box(axes, 3.4, 1.5, "ask the model", MODEL)
    box(axes, 3.4, 0.35, "run the tools", TOOL)
    box(axes, 6.6, 1.5, "answer", DONE)
    arrow(axes, (1.42, 1.5), (2.66, 1.5))
    arrow(axes, (4.14, 1.5), (6.16, 1.5), "the reply asks for nothing")
    arrow(axes, (3.75, 1.3), (3.75, 0.56), "it asks for tools", side=1)
    arrow(axes, (3.05, 0.56), (3.05, 1.3), "results", side=-1)
    return finished(
        axes,
        "The question goes to the model. While its reply asks for tools, they are run and their results go back to "
        "the model. A reply that asks for nothing is the answer.",
    )


def the_react_loop() -> Picture:
    """The loop of ReAct, with thinking and finishing among the tools."""
    axes = canvas(8, 2.7)
    box(axes, 0.8, 1.7, "question", USER)
    box(axes, 3.1, 1.7, "ask the model", MODEL)
    box(axes, 1.9, 0.4, "Thought", TOOL)
    box(axes, 4.3, 0.4, "other tools", TOOL)
    box(axes, 5.6, 1.7, "Finish", TOOL)
    box(axes, 7.3, 1.7, "answer", DONE)
    arrow(axes, (1.3, 1.7), (2.36, 1.7))
    arrow(axes, (3.84, 1.7), (5.16, 1.7))
    arrow(axes, (6.04, 1.7), (6.86, 1.7))
    arrow(axes, (2.75, 1.5), (1.95, 0.62), "its reasoning", side=-1)
    arrow(axes, (2.3, 0.62), (2.95, 1.5))
    arrow(axes, (3.25, 1.5), (3.9, 0.62))
    arrow(axes, (4.3, 0.62), (3.5, 1.5), "results", side=1)
    return finished(
        axes,
        "The question goes to the model. It may call Thought with its reasoning, or other tools, whose results go back "
        "to it. A call of Finish carries the answer and ends the loop.",
    )


def two_drivers() -> Picture:
    """The one loop between its two drivers: what is shared and what each has of its own."""
    axes = canvas(8, 3.0)
    box(axes, 4.0, 2.4, "decide", MODEL)
    box(axes, 1.4, 1.4, "carry_out", USER)
    box(axes, 6.6, 1.4, "acarry_out", USER)
    box(axes, 4.0, 0.25, "record", TOOL)
    for x, side, own in ((1.4, -1, "waits:\none call after another"), (6.6, 1, "awaits:\ncalls side by side")):
        arrow(axes, (4.0 + 0.5 * side, 2.35), (x, 1.65))
        arrow(axes, (x, 1.15), (4.0 + 0.5 * side, 0.3))
        axes.text(x + 0.35 * side, 2.25, own, ha="center", va="center", color=INK, fontsize=11)
    axes.text(4.0, 1.4, "the same decisions,\nthe same record", ha="center", va="center", color=INK, fontsize=11)
    return finished(
        axes,
        "Both drivers ask the same decide what to do and hand what came of it to the same record. Between the two, "
        "carry_out waits, one call after another, and acarry_out awaits, with calls side by side.",
    )


def five_loops() -> Picture:
    """Five loops as small diagrams, and what brings about the next step in each."""
    axes = canvas(8, 4.2)
    loops = (
        ("while loop", "the next line", (("ask", MODEL), ("run tools", TOOL))),
        ("channel graph", "what was written", (("agent", MODEL), ("channels", USER), ("tools", TOOL))),
        ("four states", "one decision", (("turn", MODEL), ("next step", USER))),
        ("message bus", "what is watched", (("role", MODEL), ("bus", USER), ("role", TOOL))),
        ("workflow", "the type of event", (("step", MODEL), ("events", USER), ("step", TOOL))),
    )
    for x, (name, way, boxes) in zip((0.85, 2.45, 4.0, 5.55, 7.15), loops, strict=True):
        axes.text(x, 3.65, name, ha="center", va="center", color=INK, fontsize=12, fontweight="bold")
        axes.text(x, 0.05, way, ha="center", va="center", color=INK, fontsize=11, style="italic")
        column(axes, x, boxes)
    for shift, word in ((-0.55, "output"), (0.0, "wait"), (0.55, "hand over")):
        axes.annotate("", (4.0 + shift, 0.98), (4.0 + shift / 3, 1.63), arrowprops={"arrowstyle": "-|>", "color": INK})
        axes.text(4.0 + shift * 1.12, 0.82, word, ha="center", va="center", color=INK, fontsize=9)
    axes.text(4.3, 2.42, "again", ha="left", va="center", color=INK, fontsize=9)
    return finished(
        axes,
        "Five loops, and what brings about the next step. While loop: the next line. Channel graph: what was written "
        "to the channels between agent and tools. Four states: one decision after each turn, for again, output, wait "
        "or handing over. Message bus: what a role watches. Workflow: the type of the events between the steps.",
    )
