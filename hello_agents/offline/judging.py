"""What a critic finds wrong with an answer."""

from __future__ import annotations

import re

from . import finding
from .choosing import intents_of
from .expressions import numbers
from .parts import parts

_FAILURE = re.compile(
    r"❌|\berror\s*[\[:]|错误\s*[\[:：]|\bnot done\b|未完成|\bfailed(?=\s*[:,(]|[.\s]*$)|失败(?=\s*[:：（(，。]|$)"
    r"|\bcould not work out\b|无法计算|\bstopped without an answer\b|未能得出答案",
    re.IGNORECASE,
)
_NUMBERING = re.compile(r"^\s*\(?\d{1,2}[.)、]\s|\b\d{4}-\d{1,2}-\d{1,2}\b", re.MULTILINE)
_NOT_SAID_AGAIN = frozenset({"write", "todo", "send", "delegate", "remember"})
"""Kinds of requests whose numbers are content: nobody has to hear them again."""


def failure(answer: str) -> str | None:
    """The first line of an answer that says that something did not work."""
    return next((line.strip() for line in answer.splitlines() if _FAILURE.search(line)), None)


def missing(task: str, answer: str) -> list[str]:
    """Files and numbers that the task names and the answer does not speak of."""
    said = {abs(float(number)) for number in numbers(answer)}
    found: list[str] = []
    for part in parts(task):
        # What was spelled out to be written or sent is in the file or the mail.
        files = finding.file_paths(part.text)
        found += [path for path in files if path.rstrip("/") not in answer]
        if not _NOT_SAID_AGAIN & set(intents_of(part.text)):
            bare = _NUMBERING.sub(" ", part.text)
            for name in (*finding.quoted(part.text), *files):
                bare = bare.replace(name, " ")
            found += [number for number in numbers(bare) if abs(float(number)) not in said]
    return list(dict.fromkeys(found))
