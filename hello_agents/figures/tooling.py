"""Figures of messages, tools and their failures."""

from __future__ import annotations

from .canvas import DONE, INK, MODEL, TOOL, USER, Picture, arrow, box, canvas, finished


def the_border() -> Picture:
    """The border between a run and the providers: one form inside, three outside."""
    axes = canvas(8, 2.9)
    box(axes, 1.1, 1.25, "messages", USER)
    box(axes, 3.6, 1.25, "wire", MODEL)
    for height, name in ((2.25, "OpenAI and most others"), (1.25, "Anthropic"), (0.25, "Gemini")):
        box(axes, 6.5, height, name, DONE)
    arrow(axes, (1.72, 1.38), (3.14, 1.38), "encode")
    arrow(axes, (3.14, 1.12), (1.72, 1.12))
    axes.text(2.43, 0.97, "decode", ha="center", va="top", color=INK, fontsize=10)
    for start, end in (((4.06, 1.45), (5.22, 2.1)), ((4.06, 1.25), (5.9, 1.25)), ((4.06, 1.05), (5.98, 0.4))):
        axes.annotate("", end, start, arrowprops={"arrowstyle": "<|-|>", "color": INK, "lw": 1.6})
    return finished(
        axes,
        "A run holds messages of one form. The wire layer encodes them for each of three protocols, and decodes the "
        "replies back into messages.",
    )


def way_of_a_call() -> Picture:
    """The way of a tool call, from the definition of the tool to the response."""
    axes = canvas(8, 2.9)
    box(axes, 0.9, 2.1, "function", TOOL)
    box(axes, 3.7, 2.1, "schema", DONE)
    box(axes, 6.9, 2.1, "model", MODEL)
    box(axes, 6.9, 0.25, "call", DONE)
    box(axes, 3.9, 0.25, "Python values", DONE)
    box(axes, 0.9, 0.25, "response", TOOL)
    arrow(axes, (1.45, 2.1), (3.2, 2.1), "signature, docstring")
    arrow(axes, (4.2, 2.1), (6.45, 2.1), "with every request")
    arrow(axes, (6.9, 1.87), (6.9, 0.48), "writes", side=1)
    arrow(axes, (6.55, 0.25), (4.68, 0.25), "read, converted")
    arrow(axes, (3.1, 0.25), (1.5, 0.25), "function runs")
    arrow(axes, (1.2, 0.48), (6.4, 1.9))
    axes.text(3.75, 1.3, "message", ha="right", va="bottom", color=INK, fontsize=10)
    return finished(
        axes,
        "A function's signature and docstring become a schema, which goes to the model with every request. The model "
        "writes a call; it is read, its arguments become Python values, the function runs, and its response goes back "
        "to the model as a message.",
    )


def the_breaker() -> Picture:
    """The three states of a circuit breaker."""
    axes = canvas(8, 2.6)
    box(axes, 1.2, 1.75, "closed", TOOL)
    box(axes, 6.8, 1.75, "open", USER)
    box(axes, 4.0, 0.2, "half-open", MODEL)
    arrow(axes, (1.8, 1.75), (6.3, 1.75), "three failures in a row")
    arrow(axes, (6.75, 1.5), (4.75, 0.3))
    axes.text(6.0, 0.75, "the time has passed", ha="left", va="top", color=INK, fontsize=10)
    arrow(axes, (4.35, 0.47), (6.35, 1.6))
    axes.text(4.85, 1.1, "the probe fails", ha="right", va="center", color=INK, fontsize=10)
    arrow(axes, (3.25, 0.3), (1.3, 1.5))
    axes.text(1.95, 0.75, "the probe succeeds", ha="right", va="top", color=INK, fontsize=10)
    return finished(
        axes,
        "Closed, calls pass. After three failures in a row the breaker opens and refuses calls. When the time has "
        "passed it is half-open and lets one call through, the probe, whose outcome closes it or opens it again.",
    )
