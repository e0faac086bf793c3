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
from .message import Message, ToolCall

if TYPE_CHECKING:
    from .run import Run

_LONGEST = 1500
"""Characters of one message that are shown."""
_FIRST, _LAST = 12, 24
"""Rounds that are shown of a long run, from its beginning and from its end."""

_HUES = {
    "system": "#7d8797",
    "tools": "#9a7a45",
    "user": "#4a86cf",
    "assistant": "#8069d6",
    "results": "#23967a",
    "summary": "#b07a1e",
    "error": "#cf4444",
}
_LINE = "var(--jp-border-color2, rgba(128,128,128,.35))"
_MUTED = "color:var(--jp-ui-font-color2, inherit);opacity:.85"
_FONT = "font-family:var(--jp-ui-font-family, system-ui, 'Noto Sans', 'Noto Sans CJK SC', sans-serif);font-size:13px"
_PRE = (
    "margin:0;padding:8px 10px;white-space:pre-wrap;overflow-wrap:anywhere;background:transparent;border:0;"
    "color:inherit;font-size:12px;line-height:1.5;"
    "font-family:var(--jp-code-font-family, ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace)"
)
_SHADE = "background:rgba(128,128,128,.08)"


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
        f'<div lang="{escape(head.language)}" style="{_FONT};line-height:1.45;max-width:1040px;'
        f'border:1px solid {_LINE};border-radius:8px">'
        f"{_title(head)}"
        '<div style="display:flex;flex-wrap:wrap">'
        f'<div style="flex:3 1 420px;min-width:0;padding:8px 14px">{body}{ending}</div>'
        f'<div style="flex:1 1 200px;padding:8px 14px;{_SHADE}">{_state(run, say, head)}{_meter(head, say)}</div>'
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
            yield f'<p style="{_MUTED}">… {say("between", n=left_out)} …</p>'
        if left_out <= 0 or index < _FIRST or index >= len(rounds) - _LAST:
            yield _round(round, say, unfolded=len(rounds) <= 8 or index >= len(rounds) - 2)


def _round(round: _Round, say: _Say, unfolded: bool) -> str:
    first = round.messages[0]
    if not _of_model(first):
        title, hue = say("question"), _HUES["user"]
    else:
        names = ", ".join(escape(call.name) for call in round.calls) or say("answer")
        title = f"{say('step', n=round.number)} · {names}"
        hue = _HUES["error"] if round.failed else _HUES["results"] if round.calls else _HUES["assistant"]
    mark = f" · {say('error')}" if round.failed else ""
    cards = "".join(_card(message, round, say) for message in round.messages)
    return (
        f'<details{" open" if unfolded else ""} style="margin:0 0 8px">'
        f'<summary style="cursor:pointer;padding:3px 0">{_dot(hue)}<b>{title}</b>{mark}</summary>{cards}</details>'
    )


def _card(message: Message, round: _Round, say: _Say) -> str:
    match message.role:
        case "assistant":
            count = len(message.tool_calls)
            note = say("calls", n=count) if count > 1 else say("call") if count else say("textonly")
            return _box(_HUES["assistant"], f"<b>{say('reply')}</b> {_muted(note)}", _reply(message, say))
        case "tool":
            name = next((call.name for call in round.calls if call.id == message.answers), None)
            status = message.status or "success"
            code = f" {escape(str(message.metadata['code']))}" if message.metadata.get("code") else ""
            hue = _HUES["error"] if status == "error" else _HUES["summary" if status == "partial" else "results"]
            title = f"<b>{escape(name or str(message.metadata.get('tool', 'tool')))}</b> {_pill(say(status) + code)}"
            return _box(hue, title, _pre(message.text, say))
        case "user":
            return _box(_HUES["user"], f"<b>{say('user')}</b>", _pre(message.text, say))
        case _:
            title = f'<summary style="cursor:pointer;padding:5px 10px">{say(message.role)}</summary>'
            return _frame(_HUES["system"], f"<details>{title}{_pre(message.text, say)}</details>")


def _reply(message: Message, say: _Say) -> str:
    parts: list[str] = []
    if message.reasoning:
        parts.append(f'<details style="padding:5px 10px"><summary>{say("thinking")}</summary>')
        parts.append(f"{_pre(message.reasoning, say)}</details>")
    if message.text:
        parts.append(_pre(message.text, say))
    if message.tool_calls:
        parts.append(f'<pre style="{_PRE}">' + "\n".join(_call(call) for call in message.tool_calls) + "</pre>")
    return "".join(parts)


def _call(call: ToolCall) -> str:
    arguments = ", ".join(f"{escape(name)}={_value(value)}" for name, value in call.arguments.items())
    fault = f"  {escape(call.fault)}" if call.fault else ""
    return f"<b>{escape(call.name)}</b>({arguments}){fault}"


def _value(value: Any) -> str:
    return escape(_cut(json.dumps(value, ensure_ascii=False, default=str))[0])


def _cut(words: str) -> tuple[str, int]:
    """The beginning of a text, and how many characters are left out."""
    return (words, 0) if len(words) <= _LONGEST else (words[:_LONGEST] + " …", len(words) - _LONGEST)


def _pre(words: str, say: _Say) -> str:
    shown, more = _cut(words)
    rest = f'<p style="margin:0;padding:0 10px 8px;{_MUTED}">{say("more", n=f"{more:,}")}</p>' if more else ""
    return f'<pre style="{_PRE}">{escape(shown)}</pre>{rest}'


def _box(hue: str, title: str, body: str) -> str:
    return _frame(hue, f'<div style="padding:5px 10px;{_SHADE}">{title}</div>{body}')


def _frame(hue: str, body: str, kind: str = "solid") -> str:
    return (
        f'<div style="border:1px {kind} {_LINE};border-left:3px {kind} {hue};border-radius:6px;margin:6px 0">'
        f"{body}</div>"
    )


def _ending(run: Run, say: _Say) -> str:
    if run.outcome is None:
        return ""
    reason = run.outcome.reason
    fine = reason == "finished"
    title = f"<b>{say('finished') if fine else say('stopped', reason=reason)}</b>"
    body = _pre(run.outcome.answer, say) if run.outcome.answer else ""
    return _box(_HUES["results"] if fine else _HUES["summary"], title, body)


def _coming(head: Head, say: _Say) -> str:
    if head.coming is None:
        return ""
    kind, why, names = head.coming
    known = kind if kind in ("ask", "call", "wait", "stop") else "other"
    title = say(f"next.{known}", names=", ".join(names))
    return _frame(
        _HUES["summary"], f'<div style="padding:5px 10px"><b>{title}</b> {_muted(escape(why))}</div>', "dashed"
    )


def _title(head: Head) -> str:
    pills = " ".join(_pill(escape(mark)) for mark in head.marks)
    style = f"padding:8px 14px;border-bottom:1px solid {_LINE};{_SHADE}"
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
    return _heading(say("state")) + _table(rows)


def _meter(head: Head, say: _Say) -> str:
    if not head.meter:
        return ""
    total = sum(count for _, count in head.meter)
    parts = "".join(
        f'<span style="flex:{count} 1 0;min-width:2px;height:14px;background:{_HUES[name]}"></span>'
        for name, count in head.meter
        if count
    )
    bar = f'<div style="display:flex;border-radius:4px;overflow:hidden;margin:0 0 6px">{parts}</div>'
    rows = [(_dot(_HUES[name]) + say(f"meter.{name}"), f"{count:,}") for name, count in head.meter if count]
    used = say("used.of", n=f"{total:,}", m=f"{head.window:,}") if head.window else say("used", n=f"{total:,}")
    return f'{_heading(say("context"))}{bar}{_table(rows)}<p style="margin:4px 0;{_MUTED}">{used}</p>'


def _table(rows: Sequence[tuple[str, str]]) -> str:
    lines = "".join(
        f'<div style="display:flex;justify-content:space-between;gap:8px"><span style="{_MUTED}">{name}</span> '
        f"<span>{value}</span></div>"
        for name, value in rows
    )
    return f'<div style="margin:0 0 12px">{lines}</div>'


def _heading(words: str) -> str:
    return f'<div style="font-size:11px;letter-spacing:.04em;text-transform:uppercase;{_MUTED}"><b>{words}</b></div>'


def _foot(run: Run, say: _Say) -> str:
    usage = say("spent", n=f"{run.usage.total_tokens:,}")
    return f'<div style="padding:6px 14px;border-top:1px solid {_LINE};{_SHADE};{_MUTED};font-size:12px">{usage}</div>'


def _dot(hue: str) -> str:
    style = f"display:inline-block;width:8px;height:8px;border-radius:50%;background:{hue};margin-right:7px"
    return f'<span style="{style}"></span>'


def _pill(words: str) -> str:
    return (
        f'<span style="font-size:11px;border:1px solid {_LINE};border-radius:10px;padding:1px 8px;'
        f'white-space:nowrap">{words}</span>'
    )


def _muted(words: str) -> str:
    return f'<span style="{_MUTED}">{words}</span>'
