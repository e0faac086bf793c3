"""Summaries of conversations: who asked what and what came of it, in their own words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .finding import file_paths
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
_SPEAKER = re.compile(
    r"^\W{0,4}(?:\d+[.)]\s*)?(?:(?P<user>user|human|question|用户|问题|问)|(?P<other>assistant|ai|model|answer|助手|模型|回答|答)"
    r"|(?P<rest>tool|system|summary|工具|系统|摘要))[^\w\n:：]{0,3}(?:\([^()\n]{0,40}\))?[:：]\s*(?P<said>.*)$",
    re.IGNORECASE,
)
_HEAD = 600
"""Characters at the beginning and at the end of a request in which it can ask for a summary."""


def asked(situation: Situation) -> bool:
    """Whether the question, or the prompt of a model that has only this to do, asks to summarise a conversation."""
    question = situation.turn.question
    if _asks(question[:_HEAD]) or _asks(question[-_HEAD:]):
        return True
    return bool(question) and not situation.tools and _asks(situation.prompt[:_HEAD])


def _asks(text: str) -> bool:
    """Whether a line of a text asks for it; a line that names a file speaks of what is in the file."""
    return any(_ASKED.search(line) and not file_paths(line) for line in text.splitlines())


def summary(situation: Situation) -> str:
    """The lines that matter of the conversation in the question, or else of the one before it."""
    question = situation.turn.question
    lines = _spoken(question, situation)
    if not lines and len(situation.turns) > 1:
        lines = _turns(situation.turns[:-1], situation)
    if not lines:
        lines = [_short(line) for line in _body(question).splitlines() if line.strip()]
    if not lines:
        return say(situation, "offline.summary.nothing")
    if len(lines) > LINES:
        lines = [*lines[: LINES // 2], "…", *lines[-(LINES // 2) :]]
    return "\n".join(lines)


def _turns(turns: Sequence[Turn], situation: Situation) -> list[str]:
    found: list[str] = []
    for turn in turns:
        if turn.question:
            found.append(say(situation, "offline.summary.asked", text=_short(turn.question)))
        if turn.answer:
            found.append(say(situation, "offline.summary.answered", text=_short(turn.answer)))
    return found


def _spoken(text: str, situation: Situation) -> list[str]:
    """What the speakers of a transcript said; results of tools are in what the assistant made of them."""
    found: list[str] = []
    for line in text.splitlines():
        match = _SPEAKER.match(line)
        if match is None or not match["said"].strip():
            continue
        if match["user"]:
            found.append(say(situation, "offline.summary.asked", text=_short(match["said"])))
        elif match["other"]:
            found.append(say(situation, "offline.summary.answered", text=_short(match["said"])))
    return found


def _body(text: str) -> str:
    """A text without the line that asks to summarise it."""
    return "\n".join(line for line in text.splitlines() if not _ASKED.search(line))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LENGTH else line[:LENGTH].rstrip() + " …"
