"""What the offline model can say without any tool: about itself, and about the conversation."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ..catalogue import text as catalogue_text
from .offers import Tool
from .situation import Situation

Match = re.Match[str]


@dataclass(frozen=True, slots=True)
class Rule:
    """A way to ask, and what makes the answer."""

    pattern: re.Pattern[str]
    answer: Callable[[Situation, Match], str]


def answer(request: str, situation: Situation) -> str | None:
    """The answer of the first rule whose pattern the request matches."""
    for rule in RULES:
        if match := rule.pattern.search(request):
            return rule.answer(situation, match)
    return None


def about(situation: Situation) -> str:
    """What is on offer, with an example to try: the end of every answer that is none."""
    tools = [tool for tool in situation.tools if tool.role == "act"]
    if not tools:
        return say(situation, "offline.no_tools")
    names = ", ".join(tool.name for tool in tools)
    return say(situation, "offline.tools", names=names, example=_example(tools[0], situation))


def say(situation: Situation, key: str, **values: str) -> str:
    return catalogue_text(key, situation.language, **values)


def _example(tool: Tool, situation: Situation) -> str:
    known = ("todo", "weather", "convert", "price", "list", "search", "read", "write", "arithmetic")
    if tool.intent in known:
        return say(situation, f"offline.example.{tool.intent}")
    return say(situation, "offline.example.other", name=tool.name)


def _who(situation: Situation, match: Match) -> str:
    return f"{say(situation, 'offline.who')} {about(situation)}"


def _can(situation: Situation, match: Match) -> str:
    return f"{say(situation, 'offline.can')} {about(situation)}"


def _hello(situation: Situation, match: Match) -> str:
    return f"{say(situation, 'offline.hello')} {about(situation)}"


def _thanks(situation: Situation, match: Match) -> str:
    return say(situation, "offline.thanks")


def _met(situation: Situation, match: Match) -> str:
    return say(situation, "offline.met", name=_first(match))


def _name(situation: Situation, match: Match) -> str:
    said = [*(turn.question for turn in situation.turns[:-1]), situation.told]
    for text in reversed([said[-1], *said[:-1]]):
        if introduced := list(_INTRODUCTION.finditer(text)):
            return say(situation, "offline.name", name=_first(introduced[-1]))
    return say(situation, "offline.no_name")


def _first_question(situation: Situation, match: Match) -> str:
    return _quoted_question(situation, 0)


def _last_question(situation: Situation, match: Match) -> str:
    return _quoted_question(situation, -2)


def _quoted_question(situation: Situation, at: int) -> str:
    if len(situation.turns) < 2:
        return say(situation, "offline.first_now")
    key = "offline.asked_first" if at == 0 else "offline.asked_last"
    return say(situation, key, question=situation.turns[at].question)


def _all_questions(situation: Situation, match: Match) -> str:
    earlier = situation.turns[:-1]
    if len(earlier) < 2:
        return _quoted_question(situation, 0)
    lines = (f"{number}. {turn.question}" for number, turn in enumerate(earlier, 1))
    return say(situation, "offline.asked_all", questions="\n".join(lines))


def _last_answer(situation: Situation, match: Match) -> str:
    for turn in reversed(situation.turns[:-1]):
        if turn.answer:
            return say(situation, "offline.answered", answer=turn.answer)
    return say(situation, "offline.no_answer")


def _count(situation: Situation, match: Match) -> str:
    return say(situation, "offline.count", count=str(len(situation.turns)))


def _first(match: Match) -> str:
    return next(group for group in match.groups() if group).strip()


def _rule(answer: Callable[[Situation, Match], str], *patterns: str) -> Rule:
    return Rule(re.compile("|".join(patterns), re.IGNORECASE), answer)


_INTRODUCTION = re.compile(
    r"\b[Mm]y name is ([\w\-]+(?: [A-Z][\w\-]+(?![\w\-]|:))?)"
    r"|\b(?:I'm|I am|[Cc]all me) ([A-Z][\w\-]+)"
    r"|我叫(?!什么|啥)(\w+?)(?=[，。,.!！]|$)"
    r"|我的名字[是叫](?!什么|啥)(\w+)"
)

RULES = (
    _rule(
        _who,
        r"\b(?:who|what) are you\b",
        r"\bwhat(?:'s| is) your name\b",
        r"\bare you (?:an? )?(?:ai|llm|bot|human|real|chatgpt|gpt|(?:language )?model)\b",
        r"\b(?:what|which) model\b",
        "你是谁|你是什么|你叫什么|什么模型|介绍一下(?:你)?自己",
    ),
    _rule(
        _can,
        r"\bwhat can you do\b",
        r"\bhow can you help\b",
        r"^\W*help\W*$",
        r"\b(?:what|which) tools\b",
        r"你能做什么|你会什么|有什么工具|有哪些工具|^\W*帮助\W*$",
    ),
    _rule(
        _name,
        r"\bwhat(?:'s| is| was) my name\b",
        r"\bwho am i\b",
        r"\bdo you (?:know|remember) my name\b",
        "我叫什么|我叫啥|我的名字[是叫]什么|我是谁",
    ),
    Rule(_INTRODUCTION, _met),
    _rule(
        _first_question,
        r"\bwhat (?:did|have) i (?:ask|say|said|asked)(?: you)?(?: at)? first\b",
        r"\bmy first (?:question|message)\b",
        "我(?:最先|最开始|一开始|首先|第一次)问|我[^，。！？\n]{0,8}第一个问题",
    ),
    _rule(
        _all_questions,
        r"\b(?:what|which questions?) (?:did|have) i (?:ask|asked)(?: you)? (?:before|earlier|so far|until now)\b",
        "我?(?:之前|以前|前面|到目前为止)(?:都)?(?:问|提)(?:过|了)?(?:你)?(?:什么|哪些|些什么)",
    ),
    _rule(
        _last_question,
        r"\bwhat did i (?:just |last )?(?:ask|say)\b",
        r"\bmy (?:last|previous) (?:question|message)\b",
        "我(?:刚才|刚刚|上次)(?:问|说)|上一个问题",
    ),
    _rule(
        _last_answer,
        r"\bwhat did you (?:just )?(?:say|answer)\b",
        r"\bwhat was (?:your|the) (?:last )?(?:answer|result)\b",
        r"\brepeat (?:that|your answer)\b",
        "你刚才(?:说|回答)|上一个(?:回答|答案|结果)|再说一遍",
    ),
    _rule(_count, r"\bhow many questions\b", "(?:问了|提了)(?:你)?(?:多少|几)个?问题"),
    _rule(_thanks, r"^\W*(?:thanks|thank you|thx|bye|goodbye|谢谢|多谢|再见)"),
    _rule(_hello, r"^\W*(?:hi|hello|hey|good (?:morning|evening|afternoon)|你好|您好|嗨)(?:\s+there)?\W*$"),
)
"""Tried in this order: the first that matches answers."""
