"""Figures of tokens, memory and contexts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from .canvas import DONE, INK, MODEL, TOOL, USER, Picture, arrow, bars, box, canvas, finished, plot

if TYPE_CHECKING:
    from ..core.agent import Agent


def tokens_over_steps(*agents: Agent, names: tuple[str, ...] = ("tokens of each request",)) -> Picture:
    """The tokens of each request that one or more agents have sent, with the schemas of their tools."""
    counts = [list(_request_tokens(agent)) for agent in agents]
    axes = plot(8, 2.8)
    bars(axes, counts, names)
    axes.set_xticks(range(1, max(map(len, counts)) + 1))
    axes.set_xlabel("request")
    axes.set_ylabel("tokens")
    if len(counts) > 1:
        axes.legend(frameon=False, labelcolor=INK)
    told = "; ".join(f"{name}: {', '.join(map(str, values))}" for name, values in zip(names, counts, strict=False))
    return finished(axes, f"Tokens of each request. {told}.")


def _request_tokens(agent: Agent) -> Iterator[int]:
    from ..context.token_counter import TokenCounter
    from ..core.run import Replied

    counter = TokenCounter(vars(agent.llm).get("model") or "")
    steps = agent.steps()
    for index, entry in enumerate(steps.entries):
        if isinstance(entry.event, Replied):
            request = steps.request_at(index)
            yield counter.count_messages(request.messages) + counter.count_tools(request.tools)


def what_compression_keeps(agent: Agent) -> Picture:
    """The tokens of each request of an agent, beside the limit at which its conversation is made shorter."""
    counts = list(_request_tokens(agent))
    limit = agent.policy.limit
    axes = plot(8, 2.8)
    axes.bar(range(1, len(counts) + 1), counts, 0.7, color=TOOL)
    axes.axhline(limit, color=USER, lw=1.6, ls=(0, (4, 3)))
    axes.text(0.4, limit, f"limit: {limit:,} tokens", color=USER, fontsize=10, va="bottom")
    axes.set_xlabel("request")
    axes.set_ylabel("tokens")
    axes.set_xlim(0.3, len(counts) + 0.7)
    told = ", ".join(map(str, counts))
    return finished(axes, f"Tokens of each request: {told}. At {limit} tokens the conversation is made shorter.")


def two_rankings() -> Picture:
    """The way from a question to hits: two rankings and their fusion."""
    axes = canvas(8, 2.5)
    box(axes, 0.9, 0.95, "question", USER)
    box(axes, 3.4, 1.6, "ranked by words", TOOL)
    box(axes, 3.4, 0.3, "ranked by vector", TOOL)
    box(axes, 5.75, 0.95, "fuse", MODEL)
    box(axes, 7.3, 0.95, "hits", DONE)
    arrow(axes, (1.42, 1.05), (2.45, 1.55))
    arrow(axes, (1.42, 0.85), (2.45, 0.35))
    arrow(axes, (4.35, 1.55), (5.4, 1.05))
    arrow(axes, (4.35, 0.35), (5.4, 0.85))
    arrow(axes, (6.12, 0.95), (6.95, 0.95))
    return finished(
        axes,
        "The texts are ranked twice, by the words they share with the question and by the angle between vectors. "
        "The two rankings are fused into one list of hits.",
    )


def four_stages() -> Picture:
    """The four stages of building a context, beside the parts that serve them."""
    axes = canvas(8, 3.1)
    for x, stage in ((1.0, "gather"), (3.0, "select"), (5.0, "structure"), (7.0, "compress")):
        box(axes, x, 1.5, stage, MODEL)
    for start, end in ((1.5, 2.5), (3.47, 4.37), (5.63, 6.35)):
        arrow(axes, (start, 1.5), (end, 1.5))
    axes.text(1.0, 2.35, "memory, documents,\nresults, conversation", ha="center", va="bottom", color=INK, fontsize=10)
    axes.text(7.0, 2.35, "the context", ha="center", va="bottom", color=INK, fontsize=10)
    arrow(axes, (1.0, 2.32), (1.0, 1.75))
    arrow(axes, (7.0, 1.75), (7.0, 2.32))
    for x, part, to in ((0.55, "truncator", (0.85, 1.25)), (2.15, "history", (1.25, 1.25))):
        box(axes, x + 0.15, 0.3, part, TOOL)
        arrow(axes, (x + 0.15, 0.55), to)
    box(axes, 5.0, 0.3, "token counter", TOOL)
    arrow(axes, (4.6, 0.55), (3.3, 1.25))
    arrow(axes, (5.4, 0.55), (6.7, 1.25))
    return finished(
        axes,
        "Memory, documents, results of tools and the conversation are gathered, then selected, structured and "
        "compressed to the context. The truncator and the history serve the gathering, the token counter the "
        "selecting and the compressing.",
    )


def tokens_by_size(sizes: Sequence[int], measured: Mapping[str, Sequence[int]], what: str) -> Picture:
    """Tokens for each size of something, `what` saying of what, as bars beside each other by the name of a way."""
    axes = plot(8, 2.8)
    bars(axes, list(measured.values()), list(measured))
    axes.set_xticks(range(1, len(sizes) + 1), [str(size) for size in sizes])
    axes.set_xlabel(what)
    axes.set_ylabel("tokens")
    axes.legend(frameon=False, labelcolor=INK)
    told = "; ".join(f"{name}: {', '.join(map(str, values))}" for name, values in measured.items())
    return finished(axes, f"Tokens for {', '.join(map(str, sizes))} {what}. {told}.")
