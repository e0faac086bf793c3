"""One result as a sentence: what it says, with what it is the result of when the text itself does not tell."""

from __future__ import annotations

import re

from . import reports
from .offers import Json, Tool
from .situation import LONGEST, Result, Situation
from .talk import say

EXCERPT = 600
"""Characters of a result that are quoted."""

_PREFIX = re.compile(r"^(?:❌|⚠️)\s*(?:[^\[\]:：\n]{0,24}(?:\[[A-Z_]+\])?\s*[:：])?\s*")
_SELF_EXPLAINING = frozenset({"write", "todo", "send", "delegate", "remember", "recall"})
"""Kinds of tools whose results name what they are about."""


def sentence(situation: Situation, result: Result, *, alone: bool = False) -> str:
    """What a result says. `alone`: it is all that the answer has to tell, so that a whole sentence reads best."""
    if result.failed:
        return say(situation, "offline.failed", name=result.call.name, reason=reason(result))
    text = _PREFIX.sub("", result.text) if result.partial else result.text
    text = text if situation.hands_on else excerpt(text)
    if result.partial:
        return say(situation, "offline.partial", text=text)
    if not text.strip():
        return say(situation, "offline.empty", name=call_text(result.call.name, result.call.arguments))
    # A copy of a text has its last line end, too.
    text = text if situation.hands_on else text.strip()
    tool = situation.tool(result.call.name)
    if tool is None:
        return _named(situation, _subject(None, result.call.arguments), text)
    if reports.is_listing(text) or tool.intent == "list":
        return _listing(situation, tool, result.call.arguments, text)
    subject = _subject(tool, result.call.arguments)
    if tool.intent == "arithmetic" and "=" not in text and "\n" not in text.strip():
        text = text.strip()
        return f"{tidy(subject)} = {text}" if subject else text
    if tool.intent in _SELF_EXPLAINING:
        return text.strip()
    if alone and tool.intent == "read" and subject:
        return say(
            situation, "offline.alone.read_lines" if "\n" in text else "offline.alone.read", name=subject, text=text
        )
    if alone and tool.intent == "weather" and "\n" not in text and subject:
        return say(
            situation, "offline.alone.weather", name=subject, text=re.sub(rf"^{re.escape(subject)}[:：]\s*", "", text)
        )
    return _named(situation, subject, text)


def reason(result: Result) -> str:
    """The error without its prefix, on one line."""
    text = _PREFIX.sub("", result.text[:LONGEST]).strip().splitlines()
    return (text[0] if text else result.code or "?")[:200].rstrip(".。")


def excerpt(text: str) -> str:
    return text if len(text) <= EXCERPT else text[:EXCERPT].rstrip() + " …"


def call_text(name: str, arguments: Json) -> str:
    """A call as it would be written in code."""
    inside = ", ".join(f"{key}={_short(value)}" for key, value in arguments.items())
    return f"{name}({inside})"


def source(tool: Tool, result: Result) -> reports.Source:
    """A result as something to report on."""
    listing = reports.is_listing(result.text) or tool.intent == "list"
    name = result.call.arguments.get(_path(tool)) if listing else _subject(tool, result.call.arguments)
    return reports.Source(name if isinstance(name, str) else "", result.text, listing)


def _named(situation: Situation, subject: str, text: str) -> str:
    """The text after what it is about, unless it says so itself."""
    if "\n" in text:
        known = not subject or subject in text.partition("\n")[0]
        return text if known else say(situation, "offline.named_lines", name=subject, text=text)
    known = not subject or any(value.lower() in text.lower() for value in subject.split(", "))
    return text if known else say(situation, "offline.named", name=subject, text=text)


def _listing(situation: Situation, tool: Tool, arguments: Json, text: str) -> str:
    path = arguments.get(_path(tool))
    name = path if isinstance(path, str) and path not in (".", "./", "") else say(situation, "offline.here")
    lines = reports.entries(text)
    if not lines:
        return say(situation, "offline.listing.empty", name=name)
    return say(situation, "offline.listing", name=name, text="\n".join(lines))


def _path(tool: Tool) -> str:
    parameter = tool.parameter("path")
    return parameter.name if parameter is not None else ""


def _subject(tool: Tool | None, arguments: Json) -> str:
    """What a call was about: its texts, but not those that only say in which way."""
    ways = set[str]() if tool is None else {parameter.name for parameter in tool.parameters if parameter.options}
    return ", ".join(
        value for name, value in arguments.items() if isinstance(value, str) and value and name not in ways
    )


def tidy(expression: str) -> str:
    """An expression with one space around each sign, as it reads best."""
    spaced = re.sub(r"(?<=[\w)])\s*(\*\*|//|[+\-*/%])\s*(?=[\w(.])", r" \1 ", expression)
    return spaced.strip()


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:39] + "…"
