"""RunTree: the frames of a run and its sub-agents as a tree, with steps, tokens, tools and outcome of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any, ClassVar

from hello_agents.core.agent import Agent
from hello_agents.core.at_rest import HUES, bar, dot, grid, sheet
from hello_agents.core.message import Usage
from hello_agents.core.run import Limits, Run

from ._base import SHARED, SHARED_STYLES, BookWidget, module, style
from .loop_inspector import LoopInspector
from .timeline import one_line

Json = dict[str, Any]

TEXT = 1500
"""Characters of a question or an answer that are sent to the page; `inspect` shows them whole."""
AT_REST = 60
"""Frames that a picture shows."""


class RunTree(BookWidget):
    """A run with all runs below it: an indented tree, and beside it the question, answer and limits of one frame.

    The tokens of a frame are its own and those of the frames below it, so that the numbers of a level add up to the
    one above. `.frames` are the frames as plain values, parents first; `.inspect(frame)` shows one in a LoopInspector.
    """

    _esm: ClassVar[str] = module(*SHARED, "labels.js", "run_tree.js")
    _css: ClassVar[str] = style(*SHARED_STYLES, "run_tree.css")

    def __init__(self, run: Run | Agent, *, language: str | None = None) -> None:
        match run:
            case Agent():
                self.run, self.language = run.state, language or run.language
            case Run():
                self.run, self.language = run, language or "en"
            case _:
                raise TypeError(f"RunTree shows a run or an agent, not {type(run).__name__}. Pass `agent.state`, say.")
        self.chosen = ""
        """The path of the frame that is read; `""` is the run itself."""
        self.frames: list[Json] = list(_frames(self.run))
        """`frame` (its path), `agent`, `depth`, `steps`, `tokens` in all and `own`, `tools` by name, `outcome`, …"""
        self._sent = False
        super().__init__(run)

    # -- values --------------------------------------------------------------------------------------

    @property
    def state(self) -> Json:
        """All that is shown, as plain JSON."""
        return {**self.head_json(), "frames": self.frames}

    def choose(self, frame: str) -> Run:
        """Reads a frame, and returns its run. Raises `KeyError` when there is none at this path."""
        found = self.run.at(frame)
        self.chosen = frame
        self.publish()
        return found

    def inspect(self, frame: str | None = None) -> LoopInspector:
        """The run of a frame, the chosen one if none is named, in a LoopInspector of its own."""
        return LoopInspector(self.run.at(self.chosen if frame is None else frame), language=self.language)

    # -- for the base --------------------------------------------------------------------------------

    def take(self) -> Json | None:
        if self._sent:
            return None
        self._sent = True
        return {"frames": self.frames}

    def head_json(self) -> Json:
        return {
            "title": self.run.agent,
            "language": self.language,
            "count": len(self.frames),
            "depth": max(one["depth"] for one in self.frames),
            "steps": sum(one["steps"] for one in self.frames),
            "tokens": self.run.usage.total_tokens,
            "calls": sum(one["calls"] for one in self.frames),
            "chosen": self.chosen,
        }

    def perform(self, op: str, args: Mapping[str, Any]) -> None:
        match op:
            case "choose":
                self.run.at(str(args["frame"]))
                self.chosen = str(args["frame"])
            case "dismiss":
                pass
            case _:
                raise ValueError(f"RunTree has no operation {op!r}. There is choose.")

    # -- at rest -------------------------------------------------------------------------------------

    def summary(self) -> str:
        head = self.head_json()
        lines = [f"RunTree: {head['title']} ({head['count']} frames, {head['steps']} steps, {head['tokens']} tokens)"]
        for one in self.frames:
            tools = ", ".join(f"{name} {times}" for name, times in one["tools"].items())
            lines.append(
                f"{'  ' * (one['depth'] + 1)}{_name(one)}: {one['steps']} steps, {one['tokens']} tokens "
                f"({one['own']} its own), {one['outcome'] or 'unfinished'}{f'; {tools}' if tools else ''}"
            )
        return "\n".join(lines)

    def picture(self) -> str:
        head = self.head_json()
        rows = [
            [
                f'<span style="padding-left:{16 * one["depth"]}px">{escape(_name(one))}</span>',
                f"{one['tokens']:,}" + _share(one, max(head["tokens"], 1)),
                f"{one['steps']:,}",
                escape(", ".join(f"{name} {times}" for name, times in one["tools"].items())),
                escape(one["outcome"] or "unfinished"),
                escape(one_line(one["answer"] or one["question"], 90)),
            ]
            for one in self.frames[:AT_REST]
        ]
        more = f" · {head['count'] - AT_REST:,} frames more" if head["count"] > AT_REST else ""
        colours = f"{dot(HUES['assistant'])}own tokens &nbsp; {dot(HUES['results'])}tokens of the frames below"
        foot = f"{head['count']:,} frames · {head['steps']:,} steps · {head['tokens']:,} tokens{more} &nbsp; {colours}"
        body = grid(("frame", "tokens", "steps", "tools", "ended", "answer"), rows)
        return sheet(head["title"], ("run tree",), body, foot, language=self.language)


def _frames(root: Run) -> Iterator[Json]:
    """Each run of the tree, parents first. What is told of it is the library's own."""
    for path, run in root.frames:
        below = sum((child.usage for child in run.children.values()), Usage())
        own = run.usage - below
        tools = Counter(call.name for message in run.messages for call in message.tool_calls)
        question = next((one.text for one in reversed(run.messages) if one.role == "user"), "")
        yield {
            "frame": path,
            "id": path.rpartition("/")[2],
            "agent": run.agent,
            "depth": path.count("/") + 1 if path else 0,
            "children": len(run.children),
            "steps": run.steps,
            "tokens": run.usage.total_tokens,
            "own": own.total_tokens,
            "prompt": own.prompt_tokens,
            "completion": own.completion_tokens,
            "calls": sum(tools.values()),
            "tools": dict(tools.most_common()),
            "failed": sum(one.role == "tool" and one.status == "error" for one in run.messages),
            "outcome": run.outcome.reason if run.outcome else None,
            "question": question[:TEXT],
            "answer": None if run.answer is None else run.answer[:TEXT],
            "cut": [len(question) > TEXT, len(run.answer or "") > TEXT],
            "limits": _limits(run.limits),
        }


def _limits(limits: Limits) -> Json:
    return {
        "max_steps": limits.max_steps,
        "max_tokens": limits.max_tokens,
        "max_repeats": limits.max_repeats,
        "max_calls_per_tool": limits.max_calls_per_tool,
        "max_failures": limits.max_failures,
        "max_total_steps": limits.max_total_steps,
        "max_seconds": limits.max_seconds,
        "max_cost": limits.max_cost,
        "tools": None if limits.tools is None else list(limits.tools),
    }


def _name(one: Json) -> str:
    return f"{one['agent']} [{one['id']}]" if one["id"] else str(one["agent"])


def _share(one: Json, whole: int) -> str:
    """How much of the whole run's tokens a frame took: its own, those below it, the rest."""
    below = one["tokens"] - one["own"]
    rest = whole - one["tokens"]
    parts = [(HUES["assistant"], one["own"]), (HUES["results"], below), ("rgba(128,128,128,.2)", max(rest, 0))]
    return f'<div style="width:110px;margin-top:3px">{bar(parts)}</div>'


__all__ = ["RunTree"]
