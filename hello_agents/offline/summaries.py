"""Summaries of conversations: who asked what and what came of it, in their own words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..catalogue import text as catalogue_text
from .estimate import estimate_text
from .finding import file_paths
from .frames import unframed
from .situation import Situation, Turn
from .talk import say

LINES = 12
"""Lines of a summary at most; those in the middle go first."""

LENGTH = 160
"""Characters of a line that are kept."""

_CONVERSATION = r"(?:conversation|dialogue?|discussion|chat|exchange|transcript|history|messages?|so far)s?"
_ASKED = re.compile(
    rf"\bsummari[sz]e\b[^.\n]{{0,60}}\b{_CONVERSATION}\b|\bsummary of\b[^.\n]{{0,40}}\b{_CONVERSATION}\b"
    r"|(?:总结|概括|摘要|压缩|归纳)[^。\n]{0,20}(?:对话|会话|聊天|历史|消息|交流)"
    r"|(?:对话|会话|聊天|历史|消息)[^。\n]{0,12}(?:总结|概括|摘要|压缩|归纳)",
    re.IGNORECASE,
)
_SPEAKERS = (
    # As the library writes a transcript, and as people do.
    re.compile(r"^\[(?P<who>user|assistant|tool|system|summary)(?: (?P<name>[^\]\n]*))?\] ?(?P<said>.*)$"),
    re.compile(
        r"^\W{0,4}(?:\d+[.)]\s*)?(?P<who>user|human|question|assistant|ai|model|answer|tool|system|summary"
        r"|用户|问题|问|助手|模型|回答|答|工具|系统|摘要)[^\w\n:：]{0,3}(?:\((?P<name>[^()\n]{0,40})\))?[:：]\s*(?P<said>.*)$",
        re.IGNORECASE,
    ),
)
_CALL = re.compile(r"^\s+→ ")
_USERS = frozenset("user human question 用户 问题 问".split())  # noqa: SIM905
_ASSISTANTS = frozenset("assistant ai model answer 助手 模型 回答 答".split())  # noqa: SIM905
_TOOLS = frozenset("tool 工具".split())  # noqa: SIM905
_HEAD = 600
"""Characters at the beginning and at the end of a request in which it can ask for a summary."""


@dataclass(slots=True)
class _Said:
    """Something said in a transcript."""

    who: str
    name: str
    text: str


def asked(situation: Situation) -> bool:
    """Whether the question, or the prompt of a model that has only this to do, asks to summarise a conversation."""
    question = situation.turn.question
    if unframed("summarizer.task", question) or _asks(question[:_HEAD]) or _asks(question[-_HEAD:]):
        return True
    return bool(question) and not situation.tools and _asks(situation.prompt[:_HEAD])


def summary(situation: Situation) -> str:
    """The lines that matter of the conversation in the question, or else of the one before it."""
    frame = unframed("summarizer.task", situation.turn.question)
    question = frame.values["transcript"] if frame else situation.turn.question
    language = frame.language if frame else situation.language
    lines = _lines(_transcript(question), language)
    if not lines and len(situation.turns) > 1:
        lines = _lines(_said_before(situation.turns[:-1]), language)
    if not lines:
        lines = [_short(line) for line in question.splitlines() if line.strip() and not _ASKED.search(line)]
    if not lines:
        return say(situation, "offline.summary.nothing")
    limit = frame.values["tokens"] if frame else ""
    return _within(lines, int(limit) if limit.isdecimal() else None)


def _asks(text: str) -> bool:
    """Whether a line of a text asks for it; a line that names a file speaks of what is in the file."""
    return any(_ASKED.search(line) and not file_paths(line) for line in text.splitlines())


def _said_before(turns: Sequence[Turn]) -> list[_Said]:
    said: list[_Said] = []
    for turn in turns:
        said += [_Said("user", "", turn.question), _Said("assistant", "", turn.answer)]
    return said


def _transcript(text: str) -> list[_Said]:
    """Who said what, in order; lines without a speaker go on with the one before. Calls are told by their results."""
    said: list[_Said] = []
    for line in text.splitlines():
        match = next((match for pattern in _SPEAKERS if (match := pattern.match(line))), None)
        if match is not None:
            said.append(_Said(match["who"].lower(), match["name"] or "", match["said"]))
        elif said and not _CALL.match(line) and not _ASKED.search(line):
            said[-1].text += f"\n{line}"
    return said


def _lines(said: Sequence[_Said], language: str) -> list[str]:
    """A line for each question and answer, and for the last result of each tool."""
    found: list[str] = []
    results: dict[str, str] = {}
    for one in said:
        text = _short(one.text)
        if not text or one.who == "system":
            continue
        if one.who in _USERS:
            found.append(catalogue_text("digest.asked", language, text=text))
        elif one.who in _ASSISTANTS or one.name == "Finish":
            found.append(catalogue_text("digest.answered", language, text=text))
        elif one.who in _TOOLS:
            results.pop(one.name, None)
            results |= {one.name: text} if one.name and one.name != "Thought" else {}
        else:
            found.append(catalogue_text("digest.earlier", language, text=text))
    if len(found) > LINES:
        found = [*found[: LINES // 2], "…", *found[-(LINES // 2) :]]
    return found + [
        catalogue_text("digest.result", language, name=name, text=text) for name, text in list(results.items())[-3:]
    ]


def _within(lines: list[str], tokens: int | None) -> str:
    """The lines joined, those in the middle left out until they take no more tokens."""
    if len(lines) > 2 * LINES:
        lines = [*lines[:LINES], "…", *lines[-LINES:]]
    while tokens is not None and len(lines) > 1 and estimate_text("\n".join(lines)) > tokens:
        del lines[len(lines) // 2]
    return "\n".join(lines)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LENGTH else line[:LENGTH].rstrip() + " …"
