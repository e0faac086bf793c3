"""What a Chinese translation must be: the same markup, code and links as the English, the glossary's terms, and
Chinese punctuation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

GLOSSARY = Path(__file__).parents[1] / "glossary.md"

HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_STYLE = {
    rf"[{HAN}][,;:?!]|[{HAN}]\.(?!\w)": "a comma or stop of the Latin kind after Chinese",
    rf"[{HAN}]\s+[{HAN}]": "a space between Chinese characters",
    r"\s[，。；：？！、）”]|[，。；：？！、（“]\s": "a space beside Chinese punctuation",
    rf"[{HAN}][A-Za-z0-9\u2060]|[A-Za-z0-9\u2060][{HAN}]": "no space between Chinese and letters, numbers or code",
    rf"\"|(?<=[{HAN}])'": "straight quotes; Chinese has “ ”",
    rf"[{HAN}]\s?\(|\)\s?[{HAN}]": "Latin parentheses in Chinese",
}

_PLACES = re.compile(r"%\(\w+\)\w|\{\w*\}")


def faults(text: str, translation: str) -> Iterator[str]:
    """All that is wrong with a translation of a text, each in a few words."""
    tokens, original = _inline(translation), _inline(text)
    if tokens is None:
        yield "not a single paragraph"
        return
    yield from _markup(original or [], tokens)
    yield from _terms(original or [], tokens)
    if translation != text:
        said = _said(tokens)
        for pattern, fault in _STYLE.items():
            if found := re.search(pattern, said):
                yield f"{fault} (“{found.group()}”)"


def _inline(text: str) -> list[Token] | None:
    """The pieces of a paragraph; `None` when the text is something else, such as a list."""
    match MarkdownIt("commonmark").parse(text):
        case [Token(type="paragraph_open"), inline, _]:
            return inline.children or []
        case _:
            return None


def _markup(original: list[Token], tokens: list[Token]) -> Iterator[str]:
    if set(_contents(original, "code_inline")) != set(_contents(tokens, "code_inline")):
        yield "not the same code"
    if Counter(_links(original)) != Counter(_links(tokens)):
        yield "not the same links"
    if sorted(_contents(original, "html_inline")) != sorted(_contents(tokens, "html_inline")):
        yield "not the same HTML"
    if Counter(_PLACES.findall(_said(original))) != Counter(_PLACES.findall(_said(tokens))):
        yield "not the same placeholders"
    if len(_bold(original)) != len(_bold(tokens)):
        yield "not as many words in bold"
    left = {sign: _said(tokens).count(sign) - _said(original).count(sign) for sign in ("*", "`", "](")}
    if any(left.values()):
        yield f"signs that mean nothing here: {' '.join(sign for sign in left if left[sign])}"


def _terms(original: list[Token], tokens: list[Token]) -> Iterator[str]:
    said = _said(tokens)
    for term in _bold(original):
        chinese = glossary().get(_plain(term))
        if chinese and not any(one in said for one in chinese):
            yield f"“{term}” is {' or '.join(chinese)} in the glossary"


def _contents(tokens: list[Token], kind: str) -> list[str]:
    return [token.content for token in tokens if token.type == kind]


def _links(tokens: list[Token]) -> list[str]:
    return [str(token.attrGet("href")) for token in tokens if token.type == "link_open"]


def _said(tokens: list[Token]) -> str:
    """The running text, with a sign in place of each piece of code."""
    return "".join({"text": token.content, "code_inline": "\u2060"}.get(token.type, "") for token in tokens)


def _bold(tokens: list[Token]) -> list[str]:
    found: list[list[Token]] = []
    inside = False
    for token in tokens:
        if token.type == "strong_open":
            found.append([])
        inside = (inside or token.type == "strong_open") and token.type != "strong_close"
        if inside:
            found[-1].append(token)
    return [_said(piece) for piece in found]


@cache
def glossary() -> dict[str, tuple[str, ...]]:
    """English term, in each of its forms -> the Chinese ones."""
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \| [^|]+ \|$", GLOSSARY.read_text(encoding="utf-8"), re.MULTILINE)
    return {
        _plain(form): tuple(chinese.split("、"))
        for terms, chinese in rows
        for form in (terms, *terms.split(","))
        if not terms.startswith("instead of")
    }


def _plain(term: str) -> str:
    return term.strip().casefold()
