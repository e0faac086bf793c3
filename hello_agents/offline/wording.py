"""Words as the offline model sees them: lower case, without endings, Chinese by pairs of characters."""

from __future__ import annotations

import re
from functools import lru_cache

HAN = "\u3400-\u9fff"
_TOKEN = re.compile(rf"[a-z]+|\d+|[{HAN}]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_HAN = re.compile(rf"[{HAN}]")
_LATIN_WORD = re.compile(r"[A-Za-z]{2,}")


def _set(spaced: str) -> frozenset[str]:
    return frozenset(spaced.split())


STOPWORDS = _set(
    "a an the of to in on at for from by with and or then is are was were be it its this that these those there "
    "here me my i we you your us our he she they them what which who whom when where how why do does did can "
    "could would will shall should please tell give get show make want need use used using tool function call one "
    "some any all as if so not no yes also too just up out into about s t re ve text string value name result "
    "return given 的 了 是 在 和 与 或 我 你 请 把 将 给 吗 呢 吧 什么 怎么 哪些 一个 一下 这个 那个 帮我 告诉"
)
"""Words that say nothing about which tool is meant."""


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """The word without its commonest English endings."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 5 and word.endswith("ing"):
        return word[:-3]
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


@lru_cache(maxsize=512)
def words(text: str) -> frozenset[str]:
    """The stems in a text; `get_price` and `getPrice` are two words, 天气预报 is 天气, 气预, 预报."""
    found: set[str] = set()
    for token in _TOKEN.findall(_HUMP.sub(" ", text).lower()):
        if _HAN.match(token):
            found.update(token[i : i + 2] for i in range(max(len(token) - 1, 1)))
        else:
            found.add(stem(token))
    return frozenset(found)


def content_words(text: str) -> frozenset[str]:
    """The words that can point to a tool."""
    return frozenset(word for word in words(text) if word not in STOPWORDS and not word.isdigit())


def mentions(text: str, phrase: str) -> bool:
    """Whether a word or a phrase of the tables occurs in a text."""
    if phrase.isascii() and " " not in phrase and phrase.isalpha():
        return stem(phrase) in words(text)
    return phrase in text.lower()


def is_chinese(text: str) -> bool:
    """Whether there is any Chinese in a text."""
    return not text.isascii() and _HAN.search(text) is not None


def language_of(text: str, neutral: str) -> str:
    """`zh` for a text with Chinese in it, `en` for one with other words, else the neutral language."""
    if is_chinese(text):
        return "zh"
    return "en" if _LATIN_WORD.search(text) else neutral
