"""A run as a page: HTML that can be read without the widgets, without scripts and without style sheets.

Everything is said in words and structure; the inline styles only make it pleasant, and take JupyterLab's colours
where they are there. Nothing depends on the time, so that equal runs give equal pages.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from ..catalogue import text
from .at_rest import FONT, HUES, LINE, MUTED, PRE, SHADE, bar, box, cut, dot, framed, heading, muted, pill, table
from .message import Message, ToolCall

if TYPE_CHECKING:
    from .run import Run

_FIRST, _LAST = 12, 24
"""Rounds that are shown of a long run, from its beginning and from its end."""


@dataclass(frozen=True, slots=True)
class Head:
    """What stands around the run: what a run alone does not know."""

    title: str
    marks: tuple[str, ...] = ()
    """Words beside the title: the pattern, the model."""
    meter: tuple[tuple[str, int], ...] = ()
    """What fills the context window, in tokens."""
    window: int | None = None
    """How many tokens fit."""
    coming: tuple[str, str, tuple[str, ...]] | None = None
    """What happens next (`ask`, `call`, `wait`, `stop`), why, and the tools concerned."""
    branches: tuple[str, ...] = ("main",)
    branch: str = "main"
    language: str = "en"


def run_html(run: Run, head: Head | None = None) -> str:
    """The run as HTML. All text of models and tools is escaped."""
    head = head or Head(run.agent)
    say = _Say(head.language)
    rounds = list(_rounds(run.messages))
    body = "".join(_shown_rounds(rounds, say)) or f"<p>{say('empty')}</p>"
    ending = _ending(run, say) + _coming(head, say)
    return (
        f'<div lang="{escape(head.language)}" style="{FONT};line-height:1.45;max-width:1040px;'
        f'border:1px solid {LINE};border-radius:8px">'
        f"{_title(head)}"
        '<div style="display:flex;flex-wrap:wrap">'
        f'<div style="flex:3 1 420px;min-width:0;padding:8px 14px">{body}{ending}</div>'
        f'<div style="flex:1 1 200px;padding:8px 14px;{SHADE}">{_state(run, say, head)}{_meter(head, say)}</div>'
        f"</div>{_foot(run, say)}</div>"
    )


class _Say:
    """The texts of the page in one language."""

    def __init__(self, language: str) -> None:
        self.language = language

    def __call__(self, key: str, **values: object) -> str:
        return escape(text(f"report.{key}", self.language, **values))


@dataclass(frozen=True, slots=True)
class _Round:
    """A question, or one reply with the answers to its calls."""

    number: int
    messages: tuple[Message, ...]

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        return self.messages[0].tool_calls

    @property
    def failed(self) -> bool:
        return any(message.status == "error" for message in self.messages)


def _rounds(messages: Sequence[Message]) -> Iterator[_Round]:
    number = 0
    group: list[Message] = []
    for message in messages:
        starts = message.role == "assistant" or (message.role != "tool" and bool(group) and _of_model(group[0]))
        if starts and group:
            yield _Round(number, tuple(group))
            group = []
        if message.role == "assistant":
            number += 1
        group.append(message)
    if group:
        yield _Round(number, tuple(group))


def _of_model(message: Message) -> bool:
    return message.role in ("assistant", "tool")


def _shown_rounds(rounds: list[_Round], say: _Say) -> Iterator[str]:
    left_out = len(rounds) - _FIRST - _LAST
    for index, round in enumerate(rounds):
        if left_out > 0 and index == _FIRST:
            yield f'<p style="{MUTED}">… {say("between", n=left_out)} …</p>'
        if left_out <= 0 or index < _FIRST or index >= len(rounds) - _LAST:
            yield _round(round, say, unfolded=len(rounds) <= 8 or index >= len(rounds) - 2)


def _round(round: _Round, say: _Say, unfolded: bool) -> str:
    first = round.messages[0]
    if not _of_model(first):
        title, hue = say("question"), HUES["user"]
    else:
        names = ", ".join(escape(call.name) for call in round.calls) or say("answer")
        title = f"{say('step', n=round.number)} · {names}"
        hue = HUES["error"] if round.failed else HUES["results"] if round.calls else HUES["assistant"]
    mark = f" · {say('error')}" if round.failed else ""
    cards = "".join(_card(message, round, say) for message in round.messages)
    return (
        f'<details{" open" if unfolded else ""} style="margin:0 0 8px">'
        f'<summary style="cursor:pointer;padding:3px 0">{dot(hue)}<b>{title}</b>{mark}</summary>{cards}</details>'
    )


def _card(message: Message, round: _Round, say: _Say) -> str:
    match message.role:
        case "assistant":
            count = len(message.tool_calls)
            note = say("calls", n=count) if count > 1 else say("call") if count else say("textonly")
            return box(HUES["assistant"], f"<b>{say('reply')}</b> {muted(note)}", _reply(message, say))
        case "tool":
            name = next((call.name for call in round.calls if call.id == message.answers), None)
            status = message.status or "success"
            code = f" {escape(str(message.metadata['code']))}" if message.metadata.get("code") else ""
            hue = HUES["error"] if status == "error" else HUES["summary" if status == "partial" else "results"]
            title = f"<b>{escape(name or str(message.metadata.get('tool', 'tool')))}</b> {pill(say(status) + code)}"
            return box(hue, title, _pre(message.text, say))
        case "user":
            return box(HUES["user"], f"<b>{say('user')}</b>", _pre(message.text, say))
        case _:
            title = f'<summary style="cursor:pointer;padding:5px 10px">{say(message.role)}</summary>'
            return framed(HUES["system"], f"<details>{title}{_pre(message.text, say)}</details>")


def _reply(message: Message, say: _Say) -> str:
    parts: list[str] = []
    if message.reasoning:
        parts.append(f'<details style="padding:5px 10px"><summary>{say("thinking")}</summary>')
        parts.append(f"{_pre(message.reasoning, say)}</details>")
    if message.text:
        parts.append(_pre(message.text, say))
    if message.tool_calls:
        parts.append(f'<pre style="{PRE}">' + "\n".join(_call(call) for call in message.tool_calls) + "</pre>")
    return "".join(parts)


def _call(call: ToolCall) -> str:
    arguments = ", ".join(f"{escape(name)}={_value(value)}" for name, value in call.arguments.items())
    fault = f"  {escape(call.fault)}" if call.fault else ""
    return f"<b>{escape(call.name)}</b>({arguments}){fault}"


def _value(value: Any) -> str:
    return escape(cut(json.dumps(value, ensure_ascii=False, default=str))[0])


def _pre(words: str, say: _Say) -> str:
    shown, more = cut(words)
    rest = f'<p style="margin:0;padding:0 10px 8px;{MUTED}">{say("more", n=f"{more:,}")}</p>' if more else ""
    return f'<pre style="{PRE}">{escape(shown)}</pre>{rest}'


def _ending(run: Run, say: _Say) -> str:
    if run.outcome is None:
        return ""
    reason = run.outcome.reason
    fine = reason == "finished"
    title = f"<b>{say('finished') if fine else say('stopped', reason=reason)}</b>"
    body = _pre(run.outcome.answer, say) if run.outcome.answer else ""
    return box(HUES["results"] if fine else HUES["summary"], title, body)


def _coming(head: Head, say: _Say) -> str:
    if head.coming is None:
        return ""
    kind, why, names = head.coming
    known = kind if kind in ("ask", "call", "wait", "stop") else "other"
    title = say(f"next.{known}", names=", ".join(names))
    return framed(HUES["summary"], f'<div style="padding:5px 10px"><b>{title}</b> {muted(escape(why))}</div>', "dashed")


def _title(head: Head) -> str:
    pills = " ".join(pill(escape(mark)) for mark in head.marks)
    style = f"padding:8px 14px;border-bottom:1px solid {LINE};{SHADE}"
    return f'<div style="{style}"><b>{escape(head.title)}</b> {pills}</div>'


def _state(run: Run, say: _Say, head: Head) -> str:
    step = run.steps - run.turn_step
    limit = run.limits.max_steps
    rows = [
        (say("state.step"), say("of", n=step, m=limit) if limit else str(step)),
        (say("state.waiting"), str(len(run.pending))),
        (say("state.finished"), escape(run.outcome.reason) if run.outcome else say("no")),
    ]
    if len(head.branches) > 1:
        rows.append((say("state.branch"), f"{escape(head.branch)} ({len(head.branches)})"))
    return heading(say("state")) + table(rows)


def _meter(head: Head, say: _Say) -> str:
    if not head.meter:
        return ""
    total = sum(count for _, count in head.meter)
    rows = [(dot(HUES[name]) + say(f"meter.{name}"), f"{count:,}") for name, count in head.meter if count]
    used = say("used.of", n=f"{total:,}", m=f"{head.window:,}") if head.window else say("used", n=f"{total:,}")
    parts = bar([(HUES[name], count) for name, count in head.meter])
    return f'{heading(say("context"))}{parts}{table(rows)}<p style="margin:4px 0;{MUTED}">{used}</p>'


def _foot(run: Run, say: _Say) -> str:
    usage = say("spent", n=f"{run.usage.total_tokens:,}")
    return f'<div style="padding:6px 14px;border-top:1px solid {LINE};{SHADE};{MUTED};font-size:12px">{usage}</div>'
