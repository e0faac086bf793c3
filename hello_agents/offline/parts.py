"""A question taken apart into the requests it is made of."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from .vocabulary import FILLERS, VERBS, VERBS_ZH
from .wording import is_chinese, mentions

_PROTECTED = re.compile(
    r"```.*?```|`[^`]*`|\"[^\"]*\"|“[^”]*”|「[^」]*」|『[^』]*』|《[^》]*》|(?<!\w)'[^']*'(?!\w)|(?<!\w)‘[^’]*’|\d+(?:[.,]\d+)+"
    r"|[\w./~\-]*\w\.\w+",
    re.DOTALL,
)
"""Quotations, numbers and file names: no separator inside counts."""

_LIST_HEAD = re.compile(r"[^.;:。；：\n]*[:：]")
_LIST_END = re.compile(r"(?<!\d)[.!?](?=\s|$)|[。！？]|\n\s*\n|[,，;；.]?\s*(?:\band then\b|\bthen\b|然后)")
_HELPER = re.compile(
    r"\b(?:have|let|get|ask|tell|use|start|delegate|hand|assign)\b[^.\n]{0,24}\b(?:helper|sub-?\s?agent)s?\b"
    r"|\bdelegate\b|(?:交给|委派给?|让|请|叫|用|派)(?:一个|一位|一名|你的)?(?:子代理|子智能体|帮手)[:：，,]?",
    re.IGNORECASE,
)
_LIST_WORDS = ("todo", "list", "checklist", "plan", "tasks", "steps", "待办", "清单", "任务", "列表", "步骤")

_SEPARATORS = re.compile(
    r"(?P<then>[,，;；。]?\s*(?:\band then\b|\bafter that\b|\bafterwards\b|\bthen\b"
    r"|然后|接着|之后再?|随后|最后再?|再(?=[把将写读算加减乘除]))[,，]?)"
    r"|(?P<strong>[.!?](?=\s|$)|[。！？；;\n]|，?并且|，?另外|，?同时)"
    r"|(?P<weak>,?\s+(?:and also|and|also|as well as)\s+|[,，、]\s*(?:and\b|并|以及|还有|和)?"
    r"|以及|和|并(?![不非])|还有)",
    re.IGNORECASE,
)
_FILLER = re.compile(
    r"^(?:[\s,，、:：]|(?:" + "|".join(filler for filler in FILLERS if filler.isascii()) + r")\b"
    "|" + "|".join(filler for filler in FILLERS if not filler.isascii()) + ")+",
    re.IGNORECASE,
)
_OPENS_ZH = re.compile(r"^(?:" + "|".join(VERBS_ZH) + ")")
_ARITHMETIC = re.compile(r"[\d.]+\s*[-+*/×÷^]")
_FIRST_WORD = re.compile(r"[a-z']+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Part:
    """One request of a question."""

    text: str
    after: bool = False
    """It is to happen after the part before it: the question says "then"."""
    whole: str = ""
    """The text with the words that led up to it ("and", "please")."""


@lru_cache(maxsize=256)
def parts(question: str, *, delegating: bool = False) -> tuple[Part, ...]:
    """The requests in a question, in order. A question without any separator is one part.

    With `delegating`, what a helper is to do is one request, up to the end of its sentence.
    """
    masked = _masked(question, delegating)
    found: list[Part] = []
    start, after = 0, False
    for match in _SEPARATORS.finditer(masked):
        if match.start() < start or not _separates(match, masked, start):
            continue
        # A question mark belongs to the text before it; nothing reads it, but answers quote it.
        _add(found, question[start : match.start()], after)
        start, after = match.end(), match["then"] is not None or (after and not question[start : match.start()].strip())
    _add(found, question[start:], after)
    return tuple(found)


def _add(found: list[Part], text: str, after: bool) -> None:
    whole = text.strip(" \t\r\n,，、。；;.!！")
    bare = _FILLER.sub("", whole)
    if bare.strip(" ?？"):
        found.append(Part(bare, after and bool(found), whole))


def _masked(question: str, delegating: bool) -> str:
    """The question with everything blotted out in which separators mean nothing; as long as before."""
    masked = _PROTECTED.sub(lambda match: "x" * len(match.group()), question)
    head = _LIST_HEAD.search(masked)
    if head and any(mentions(head.group(), word) for word in _LIST_WORDS):
        masked = _blotted(masked, head.end())
    helper = _HELPER.search(masked) if delegating else None
    return masked if helper is None else _blotted(masked, helper.end())


def _blotted(masked: str, start: int) -> str:
    """Everything up to the end of the sentence, or to the next "then", blotted out."""
    end = _LIST_END.search(masked, start)
    stop = end.start() if end else len(masked)
    return masked[:start] + "x" * (stop - start) + masked[stop:]


def _separates(match: re.Match[str], masked: str, start: int) -> bool:
    """A comma or an "and" separates requests only where a request begins after it."""
    if match["weak"] is None:
        return True
    rest = _FILLER.sub("", masked[match.end() :])
    if not masked[start : match.start()].strip():
        return False
    if is_chinese(rest[:1]):
        return _OPENS_ZH.match(rest) is not None and bool(re.search(r"[,，、并还以]", match.group()))
    if re.match(r"[\d(]", rest):
        # "the weather in Paris and 3*7": arithmetic after words, not one more number of a row.
        return _ARITHMETIC.match(rest) is not None and not re.search(r"\d", masked[start : match.start()])
    first = _FIRST_WORD.match(rest)
    return first is not None and first.group().lower() in VERBS
