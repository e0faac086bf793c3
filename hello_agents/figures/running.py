"""Figures of what watches a run and what serves it."""

from __future__ import annotations

from .canvas import INK, MODEL, TOOL, USER, Picture, arrow, box, canvas, finished


def four_views() -> Picture:
    """The journal, and the four things that are read off it."""
    axes = canvas(8, 2.9)
    box(axes, 1.0, 1.3, "journal", MODEL)
    views = (
        ("trace", "what happened, in which order"),
        ("metrics", "how much, how often, over all runs"),
        ("spans", "how long, and within what"),
        ("logs", "lines among those of the service"),
    )
    for row, (name, says) in enumerate(views):
        height = 2.35 - 0.7 * row
        box(axes, 3.7, height, name, TOOL)
        arrow(axes, (1.52, 1.3), (3.1, height))
        axes.text(4.4, height, says, ha="left", va="center", color=INK, fontsize=11)
    return finished(
        axes,
        "Four things are read off the journal: " + "; ".join(f"{name}, {says}" for name, says in views) + ".",
    )


def who_holds_what() -> Picture:
    """The service with two workers: what is kept at the client, in a worker, and in Redis."""
    axes = canvas(8, 3.1)
    held = (
        (1.15, 1.55, "client", USER, "the id of the\nlast event"),
        (4.0, 2.45, "worker", MODEL, "runs under way"),
        (4.0, 0.75, "worker", MODEL, "runs under way"),
        (6.85, 1.55, "Redis", TOOL, "journals, leases"),
    )
    for x, y, name, colour, what in held:
        box(axes, x, y, name, colour)
        axes.text(x, y - 0.32, what, ha="center", va="top", color=INK, fontsize=10)
    arrows = (
        ((1.7, 1.7), (3.4, 2.45), (2.4, 2.3, "right", "question")),
        ((4.6, 2.45), (6.3, 1.7), (5.6, 2.3, "left", "entries")),
        ((6.3, 1.4), (4.6, 0.75), (5.6, 0.8, "left", "take over")),
        ((3.4, 0.75), (1.7, 1.4), (2.4, 0.8, "right", "events")),
    )
    for start, end, (x, y, side, what) in arrows:
        arrow(axes, start, end)
        axes.text(x, y, what, ha=side, va="center", color=INK, fontsize=10)
    return finished(
        axes,
        "The client holds the id of the last event it got. Each worker holds the runs that are under way in it, and "
        "nothing else. Redis holds the journals and the leases, so that any worker can take over the run of another, "
        "and the client can ask any of them for the events after that id.",
    )
