"""A trace as one HTML page: nothing is fetched, every text is escaped, and without scripts it still reads."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from html import escape
from pathlib import Path
from typing import Any

from ..catalogue import text

Event = Mapping[str, Any]

KINDS: dict[str, str] = {
    "message_written": "message",
    "model_output": "model",
    "tool_call": "tool",
    "tool_result": "tool",
    "approval": "tool",
    "agent_start": "agent",
    "agent_finish": "agent",
    "session_start": "agent",
    "session_end": "agent",
    "error": "error",
}
"""What a filter shows together. Any other event is a note."""
_ORDER = ("message", "model", "tool", "agent", "note", "error")
_LONGEST = 20_000
"""Characters of one text that are on the page; the JSON lines have all of it."""


def totals(events: Sequence[Event]) -> dict[str, Any]:
    """What a trace adds up to: requests, calls, errors, tokens by kind, seconds from the first event to the last."""
    usage = [_mapping(_payload(one).get("usage")) for one in events if one.get("event") == "model_output"]
    moments = [moment for one in events if (moment := _moment(one)) is not None]
    return {
        "steps": len(usage),
        "tool_calls": sum(1 for one in events if one.get("event") == "tool_call"),
        "errors": sum(1 for one in events if failed_event(one)),
        **{
            name: sum(_number(one.get(name)) for one in usage)
            for name in ("prompt_tokens", "completion_tokens", "cached_tokens", "total_tokens")
        },
        "seconds": round(max(moments) - min(moments), 3) if moments else 0.0,
    }


def report_html(events: Sequence[Event], language: str = "en") -> str:
    """The page. Pure: equal events give equal pages."""
    page = _Page(events, language)
    here = Path(__file__).parent
    style = (here / "report.css").read_text(encoding="utf-8")
    script = (here / "report.js").read_text(encoding="utf-8")
    html = (
        f'<!doctype html>\n<html lang="{escape(language)}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        "script-src 'unsafe-inline'\">\n"
        f"<title>{escape(page.title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        f"{page.header()}{page.toolbar()}{page.rows()}"
        f"<script>\n{script}</script>\n</body>\n</html>\n"
    )
    # A lone surrogate is no character of a file.
    return html.encode("utf-8", "backslashreplace").decode()


class _Page:
    """One page in one language."""

    def __init__(self, events: Sequence[Event], language: str) -> None:
        self.events = events
        self.language = language
        self.totals = totals(events)
        moments = [_moment(one) for one in events]
        known = [moment for moment in moments if moment is not None]
        self.begin = min(known, default=0.0)
        self.span = max(max(known, default=0.0) - self.begin, 1e-9)
        agents = dict.fromkeys(str(one["agent"]) for one in events if one.get("agent") and not one.get("frame"))
        self.title = ", ".join(agents) or next((str(e["session_id"]) for e in events if e.get("session_id")), "trace")

    def say(self, key: str, **values: object) -> str:
        return escape(text(f"trace.{key}", self.language, **values))

    # -- the head of the page -----------------------------------------------------------------

    def header(self) -> str:
        first = next((str(one["ts"]) for one in self.events if one.get("ts")), "")
        session = next((str(one["session_id"]) for one in self.events if one.get("session_id")), "")
        about = " · ".join(part for part in (first[:19].replace("T", " "), session) if part)
        tone, words = self._status()
        tiles = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in self._tiles())
        return (
            f'<header><div class="title"><h1>{escape(self.title)}</h1><span class="pill {tone}">{words}</span></div>'
            f'<p class="muted">{escape(about)}</p><dl>{tiles}</dl></header>\n'
        )

    def _status(self) -> tuple[str, str]:
        for one in reversed(self.events):
            kind = one.get("event")
            if kind == "agent_finish" and not one.get("frame"):
                reason = str(_payload(one).get("reason") or "")
                fine = reason == "finished"
                return ("good" if fine else "warn"), self.say("finished") if fine else self.say("stopped", why=reason)
            if kind == "error":
                return "bad", self.say("failed")
        return "", self.say("open")

    def _tiles(self) -> Iterator[tuple[str, str]]:
        t = self.totals
        cached = f"{t['cached_tokens']:,}"
        cached = f" <small>{self.say('cached', n=cached)}</small>" if t["cached_tokens"] else ""
        yield self.say("time"), duration(t["seconds"] * 1000)
        yield self.say("requests"), f"{t['steps']:,}"
        yield self.say("calls"), f"{t['tool_calls']:,}"
        yield self.say("tokens"), f"{t['total_tokens']:,}"
        yield self.say("prompt"), f"{t['prompt_tokens']:,}{cached}"
        yield self.say("completion"), f"{t['completion_tokens']:,}"
        count = t["errors"]
        yield self.say("errors"), f'<span class="{"bad" if count else ""}">{count:,}</span>'

    def toolbar(self) -> str:
        counts: dict[str, int] = dict.fromkeys(_ORDER, 0)
        for one in self.events:
            counts[_kind(one)] += 1
            # A call that failed is an error as well as a call.
            counts["error"] += failed_event(one) and _kind(one) != "error"
        chips = "".join(
            f'<button type="button" class="chip {kind}" data-kind="{kind}" aria-pressed="true">'
            f"<i></i>{self.say(kind)} <small>{count}</small></button>"
            for kind, count in counts.items()
            if count
        )
        no_error = "" if self.totals["errors"] else " disabled"
        return (
            f'<nav class="script" aria-label="{self.say("filter")}"><div class="chips">{chips}</div>'
            f'<input type="search" placeholder="{self.say("search")}" aria-label="{self.say("search")}">'
            f'<button type="button" data-do="error"{no_error}>{self.say("first_error")}</button>'
            f'<button type="button" data-do="fold" data-other="{self.say("fold")}">{self.say("unfold")}</button>'
            f'<button type="button" data-do="theme">{self.say("theme")}</button>'
            f'<output aria-live="polite" data-none="{self.say("none")}"></output></nav>\n'
        )

    # -- the events ---------------------------------------------------------------------------

    def rows(self) -> str:
        if not self.events:
            return f'<main><p class="muted">{self.say("empty")}</p></main>\n'
        parts: list[str] = []
        last: tuple[object, object] | None = None
        for one in self.events:
            at = (one.get("frame") or "", one.get("step"))
            if one.get("event") == "model_output" and at != last:
                last = at
                # The path of a child says whose step it is.
                where = f" · {escape(str(one.get('agent', '')))}" if at[0] else ""
                parts.append(f'<h2 style="--depth:{_depth(one)}">{self.say("step", n=at[1])}{where}</h2>')
            parts.append(self._row(one))
        return f"<main>{''.join(parts)}</main>\n"

    def _row(self, one: Event) -> str:
        kind = _kind(one)
        moment = _moment(one)
        offset = "" if moment is None else f"+{moment - self.begin:.2f}"
        name, line = self._summary(one)
        bad = " failed" if failed_event(one) else ""
        unfolded = " open" if bad else ""
        head = (
            f"<time>{offset}</time><i></i><b>{name}</b>"
            f'<span class="line">{escape(_one_line(line))}</span>{self._bar(one, moment)}'
        )
        return (
            f'<details class="{kind}{bad}" data-kind="{kind}" style="--depth:{_depth(one)}"{unfolded}>'
            f'<summary>{head}</summary><div class="body">{"".join(self._body(one))}</div></details>\n'
        )

    def _bar(self, one: Event, moment: float | None) -> str:
        """How long it took, and when within the whole."""
        ms = _payload(one).get("ms")
        if moment is None or not isinstance(ms, int | float):
            return '<span class="ms"></span><span class="lane"></span>'
        left = (moment - ms / 1000 - self.begin) / self.span * 100
        width = ms / 10 / self.span
        left = min(max(left, 0.0), 100.0)
        return (
            f'<span class="ms">{duration(ms)}</span><span class="lane">'
            f'<i style="left:{left:.2f}%;width:{min(width, 100 - left):.2f}%"></i></span>'
        )

    def _summary(self, one: Event) -> tuple[str, str]:
        """The name of a row, escaped, and what it says in one line."""
        data = _payload(one)
        match one.get("event"):
            case "message_written":
                return escape(str(data.get("role", ""))), _words(data.get("content"))
            case "model_output":
                names = ", ".join(str(_mapping(call).get("name", "")) for call in _listed(data.get("tool_calls")))
                said = _words(data.get("content")) if data.get("content") else ""
                return self.say("reply"), f"{said} → {names}".strip() if names else said
            case "tool_call":
                return _named(data), _words(data.get("args"))
            case "tool_result":
                code = f"{data['code']}: " if data.get("code") else ""
                return f"{_named(data)} {self._pill(str(data.get('status', '')))}", code + _words(data.get("result"))
            case "approval":
                allowed = self.say("allowed" if data.get("allowed") else "refused")
                return f"{_named(data)} · {allowed}", _words(data.get("reason") or "")
            case "agent_start":
                return f"{self.say('begins')} {escape(str(data.get('agent', '')))}", _words(data.get("task") or "")
            case "agent_finish":
                return self.say("answer"), _words(data.get("result") or data.get("reason") or "")
            case "session_end":
                return self.say("end"), ""
            case "history_compressed":
                return self.say("compressed"), f"{data.get('replaced')} → {data.get('by')}"
            case "error":
                said = f"{data.get('error_type') or data.get('type') or ''}: {_words(data.get('message'))}"
                return self.say("error"), said.removeprefix(": ")
            case "note":
                return escape(str(data.get("key", ""))), _words(data.get("value"))
            case other:
                return escape(str(other)), _words(dict(data))

    def _pill(self, status: str) -> str:
        tone = {"success": "good", "partial": "warn", "error": "bad"}.get(status, "")
        return f'<span class="pill {tone}">{escape(status)}</span>'

    def _body(self, one: Event) -> Iterator[str]:
        """The payload: its long texts as texts, the rest as a list of names and values."""
        data = dict(_payload(one))
        for name in ("reasoning", "content", "result", "task", "answer", "message"):
            value = data.get(name)
            if isinstance(value, str) and value:
                yield self._field(name, value)
                del data[name]
        for call in _listed(data.pop("tool_calls", None)):
            told = _mapping(call)
            yield self._field(f"→ {told.get('name', '')}", _pretty(told.get("arguments")))
        for name in ("args", "value", "messages", "raw_response"):
            if name in data:
                yield self._field(name, _pretty(data.pop(name)))
        usage = _mapping(data.pop("usage", None))
        small = {**{key: value for key, value in usage.items() if value}, **data}
        small |= {key: one[key] for key in ("agent", "frame", "entry") if one.get(key) not in (None, "")}
        pairs = "".join(
            f"<div><dt>{escape(str(name))}</dt><dd>{escape(_words(value))}</dd></div>"
            for name, value in small.items()
            if value is not None
        )
        yield f'<dl class="facts">{pairs}</dl>' if pairs else ""

    def _field(self, name: str, value: str) -> str:
        more = len(value) - _LONGEST
        rest = f'<p class="muted">{self.say("more", n=f"{more:,}")}</p>' if more > 0 else ""
        return f"<h3>{escape(name)}</h3><pre>{escape(value[:_LONGEST])}</pre>{rest}"


# -- reading events, which may be anybody's ---------------------------------------------------------


def _payload(one: Event) -> Mapping[str, Any]:
    return _mapping(one.get("payload"))


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}  # type: ignore[reportUnknownVariableType]


def _listed(value: object) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()  # type: ignore[reportUnknownVariableType]


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _kind(one: Event) -> str:
    return KINDS.get(str(one.get("event")), "note")


def failed_event(one: Event) -> bool:
    """Whether something went wrong at this event."""
    return one.get("event") == "error" or (one.get("event") == "tool_result" and _payload(one).get("status") == "error")


def _depth(one: Event) -> int:
    frame = str(one.get("frame") or "")
    return frame.count("/") + 1 if frame else 0


def _moment(one: Event) -> float | None:
    try:
        return datetime.fromisoformat(str(one.get("ts"))).timestamp()
    except ValueError:
        return None


def _named(data: Mapping[str, Any]) -> str:
    return f"<code>{escape(str(data.get('tool_name', '')))}</code>"


def _words(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _pretty(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2, default=str)


def _one_line(words: str) -> str:
    line = " ".join(words[:400].split())
    return line if len(line) <= 220 else line[:220] + "…"


def duration(ms: float) -> str:
    if ms < 1000:
        return f"{ms:.0f} ms"
    seconds = ms / 1000
    if seconds < 60:
        return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.1f} s"
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {seconds:02} s"
