"""A trace in a few lines, for a terminal: what was asked, steps, tools, tokens, errors, the answer.

Read are traces, journals, sessions with their heads, and what other frameworks write.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from ..catalogue import text
from ..core.exceptions import HelloAgentsException
from ..core.run import Run
from ..core.session_form import read_head, start_of
from ..wire.loose import mapping, string
from .html_report import duration, failed_event, totals
from .projection import trace_events

Event = dict[str, Any]

_WIDTH = 160
"""Characters of a text that are shown."""


class NoTrace(HelloAgentsException, ValueError):
    """A file is neither a trace nor a journal."""


def read_trace(path: str | Path) -> list[Event]:
    """The events of a trace in a file, whichever kind of file it is. Secrets in a journal are masked.

    Raises `NoTrace` for any other file, `OSError` for one that cannot be read.
    """
    path = Path(path)
    lines = _lines(path)
    first = mapping(_json(lines[0]) if lines else None)
    if "event" in first and "payload" in first:
        return [cast("Event", one) for line in lines if (one := mapping(_json(line)))]
    if isinstance(first.get("event"), dict) and "schema" in first:
        return _journal(lines, Run(path.stem))
    head = mapping(_json("\n".join(lines)))
    if "id" in head and "start" in head and "schema" in head:
        return _session(path, head)
    from .guests import NoGuest, read_guest

    try:
        guest = read_guest(path)
    except NoGuest as error:
        raise NoTrace(
            f"{path.name} is no trace, no journal, and nothing that another framework writes. "
            "Pass a file `trace-….jsonl`, or a session's `.json` or `.jsonl`."
        ) from error
    return trace_events(guest.entries, guest.start)


def _lines(path: Path) -> list[str]:
    # Not `splitlines`, which also parts at signs that stand unescaped in JSON.
    return [line for line in path.read_text(encoding="utf-8", errors="replace").split("\n") if line.strip()]


def _session(path: Path, head: Any) -> list[Event]:
    """The journal of a session, which lies in a folder beside its head."""
    data = read_head(json.dumps(head), path.stem)
    journal = path.parent / "journals" / f"{data['id']}.jsonl"
    return _journal(_lines(journal) if journal.exists() else [], start_of(data))


def _journal(lines: Sequence[str], start: Run) -> list[Event]:
    """The events of the entries up to the first that is damaged."""
    from ..core.session_form import parse

    entries, _, _ = parse(lines, start)
    return trace_events(entries, start)


def summary(events: Sequence[Event], language: str = "en", errors_only: bool = False) -> Iterator[str]:
    """The lines. With `errors_only`, what went wrong and nothing else."""

    def say(key: str, **values: object) -> str:
        return text(f"trace.{key}", language, **values)

    faults = [one for one in events if failed_event(one)]
    if errors_only:
        yield from (_fault(one) for one in faults)
        if not faults:
            yield say("no_errors")
        return
    sums = totals(events)
    question = next((one for one in events if _payload(one).get("role") == "user" and not one.get("frame")), None)
    answer = next(
        (one for one in reversed(events) if one.get("event") == "agent_finish" and not one.get("frame")), None
    )
    agents = dict.fromkeys(string(one.get("agent")) for one in events if one.get("agent"))
    rows = [
        (say("agent"), ", ".join(agents)),
        (say("question"), "" if question is None else _short(_payload(question).get("content"))),
        (say("time"), duration(sums["seconds"] * 1000)),
        (say("requests"), f"{sums['steps']:,}"),
        (say("tokens"), say("tokens.line", **{name: f"{sums[name]:,}" for name in _TOKENS})),
        (say("calls"), _calls(events)),
        (say("errors"), f"{sums['errors']:,}"),
        (say("first_error"), _fault(faults[0]) if faults else ""),
        (say("answer"), say("open") if answer is None else _ending(_payload(answer), say("stopped", why="{}"))),
    ]
    yield from (f"{name}: {value}" for name, value in rows if value)


_TOKENS = ("total_tokens", "prompt_tokens", "completion_tokens", "cached_tokens")


def _ending(payload: Any, stopped: str) -> str:
    reason, said = string(payload.get("reason")), _short(payload.get("result"))
    return said if reason == "finished" else f"{stopped.format(reason)} {said}".strip()


def _calls(events: Sequence[Event]) -> str:
    """How often each tool was called and how often that failed, the most called first."""
    counts: dict[str, list[int]] = {}
    for one in events:
        if one.get("event") == "tool_result":
            count = counts.setdefault(string(_payload(one).get("tool_name")) or "?", [0, 0])
            count[0] += 1
            count[1] += failed_event(one)
    ordered = sorted(counts.items(), key=lambda item: (-item[1][0], item[0]))
    return ", ".join(f"{name} ×{calls}" + (f" ({failed} ✗)" if failed else "") for name, (calls, failed) in ordered)


def _fault(one: Event) -> str:
    payload = _payload(one)
    place = f"#{one.get('seq', '?')}" + (f" [{one['frame']}]" if one.get("frame") else "")
    if one.get("event") == "tool_result":
        who = f"{payload.get('tool_name')} {payload.get('code') or ''}".strip()
        return f"{place} {who}: {_short(payload.get('result'))}"
    who = string(payload.get("error_type")) or string(payload.get("source")) or "error"
    return f"{place} {who}: {_short(payload.get('message'))}"


def _payload(one: Event) -> Any:
    return mapping(one.get("payload"))


def _short(value: object) -> str:
    words = " ".join((value if isinstance(value, str) else "" if value is None else str(value)).split())
    return words if len(words) <= _WIDTH else words[:_WIDTH] + "…"


def _json(line: str) -> object:
    try:
        return json.loads(line)
    except ValueError:
        return None
