"""The figures of the chapters: legible on light and dark pages, with words for who cannot see them."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .core.agent import Agent
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


def two_rankings() -> Picture:
    """The way from a question to hits: two rankings and their fusion."""
    axes = _canvas(8, 2.5)
    _box(axes, 0.9, 0.95, "question", USER)
    _box(axes, 3.4, 1.6, "ranked by words", TOOL)
    _box(axes, 3.4, 0.3, "ranked by vector", TOOL)
    _box(axes, 5.75, 0.95, "fuse", MODEL)
    _box(axes, 7.3, 0.95, "hits", DONE)
    _arrow(axes, (1.42, 1.05), (2.45, 1.55))
    _arrow(axes, (1.42, 0.85), (2.45, 0.35))
    _arrow(axes, (4.35, 1.55), (5.4, 1.05))
    _arrow(axes, (4.35, 0.35), (5.4, 0.85))
    _arrow(axes, (6.12, 0.95), (6.95, 0.95))
    return _finished(
        axes,
        "The texts are ranked twice, by the words they share with the question and by the angle between vectors. "
        "The two rankings are fused into one list of hits.",
    )


def four_stages() -> Picture:
    """The four stages of building a context, beside the parts that serve them."""
    axes = _canvas(8, 3.1)
    for x, stage in ((1.0, "gather"), (3.0, "select"), (5.0, "structure"), (7.0, "compress")):
        _box(axes, x, 1.5, stage, MODEL)
    for start, end in ((1.5, 2.5), (3.47, 4.37), (5.63, 6.35)):
        _arrow(axes, (start, 1.5), (end, 1.5))
    axes.text(1.0, 2.35, "memory, documents,\nresults, conversation", ha="center", va="bottom", color=INK, fontsize=10)
    axes.text(7.0, 2.35, "the context", ha="center", va="bottom", color=INK, fontsize=10)
    _arrow(axes, (1.0, 2.32), (1.0, 1.75))
    _arrow(axes, (7.0, 1.75), (7.0, 2.32))
    for x, part, to in ((0.55, "truncator", (0.85, 1.25)), (2.15, "history", (1.25, 1.25))):
        _box(axes, x + 0.15, 0.3, part, TOOL)
        _arrow(axes, (x + 0.15, 0.55), to)
    _box(axes, 5.0, 0.3, "token counter", TOOL)
    _arrow(axes, (4.6, 0.55), (3.3, 1.25))
    _arrow(axes, (5.4, 0.55), (6.7, 1.25))
    return _finished(
        axes,
        "Memory, documents, results of tools and the conversation are gathered, then selected, structured and "
        "compressed to the context. The truncator and the history serve the gathering, the token counter the "
        "selecting and the compressing.",
    )


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


def four_views() -> Picture:
    """The journal, and the four things that are read off it."""
    axes = _canvas(8, 2.9)
    _box(axes, 1.0, 1.3, "journal", MODEL)
    views = (
        ("trace", "what happened, in which order"),
        ("metrics", "how much, how often, over all runs"),
        ("spans", "how long, and within what"),
        ("logs", "lines among those of the service"),
    )
    for row, (name, says) in enumerate(views):
        height = 2.35 - 0.7 * row
        _box(axes, 3.7, height, name, TOOL)
        _arrow(axes, (1.52, 1.3), (3.1, height))
        axes.text(4.4, height, says, ha="left", va="center", color=INK, fontsize=11)
    return _finished(
        axes,
        "Four things are read off the journal: " + "; ".join(f"{name}, {says}" for name, says in views) + ".",
    )


def two_drivers() -> Picture:
    """The one loop between its two drivers: what is shared and what each has of its own."""
    axes = _canvas(8, 3.0)
    _box(axes, 4.0, 2.4, "decide", MODEL)
    _box(axes, 1.4, 1.4, "carry_out", USER)
    _box(axes, 6.6, 1.4, "acarry_out", USER)
    _box(axes, 4.0, 0.25, "record", TOOL)
    for x, side, own in ((1.4, -1, "waits:\none call after another"), (6.6, 1, "awaits:\ncalls side by side")):
        _arrow(axes, (4.0 + 0.5 * side, 2.35), (x, 1.65))
        _arrow(axes, (x, 1.15), (4.0 + 0.5 * side, 0.3))
        axes.text(x + 0.35 * side, 2.25, own, ha="center", va="center", color=INK, fontsize=11)
    axes.text(4.0, 1.4, "the same decisions,\nthe same record", ha="center", va="center", color=INK, fontsize=11)
    return _finished(
        axes,
        "Both drivers ask the same decide what to do and hand what came of it to the same record. Between the two, "
        "carry_out waits, one call after another, and acarry_out awaits, with calls side by side.",
    )
