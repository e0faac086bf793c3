"""Arithmetic in words and signs, found in a text and written the way calculators read it."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable
from functools import lru_cache

from .vocabulary import NUMBER_WORDS, REFERENCES

ANS = "ANS"
"""Stands in an expression for the result that came before."""

N = rf"(?:{ANS}|\d+(?:\.\d+)?)"

_REWRITES: tuple[tuple[str, str], ...] = (
    # how numbers are written
    (r"(?<=\d),(?=\d{3}\b)", ""),
    (r"[×✕]|(?<=\d)\s*[xX](?=\s*\d)", "*"),
    (r"÷", "/"),
    (r"\^", "**"),
    (r"（", "("),
    (r"）", ")"),
    (r"－|−", "-"),
    (r"＋", "+"),
    # questions about numbers, English
    (rf"\b(?:the )?square root of ({N})", r"\1**0.5"),
    (rf"({N})\s*(?:%|percent) of ({N})", r"\2*\1/100"),
    (rf"({N}) squared", r"\1**2"),
    (rf"({N}) cubed", r"\1**3"),
    (rf"\b(?:twice|double) ({N})", r"\1*2"),
    (rf"\bhalf of ({N})", r"\1/2"),
    (rf"\badd ({N}) (?:and|to|with) ({N})", r"\2+\1"),
    (rf"\bsubtract ({N}) from ({N})", r"\2-\1"),
    (rf"\bmultiply ({N}) (?:by|and|with) ({N})", r"\1*\2"),
    (rf"\bdivide ({N}) by ({N})", r"\1/\2"),
    (rf"\bproduct of ({N}) and ({N})", r"\1*\2"),
    (rf"\bdifference (?:of|between) ({N}) and ({N})", r"\1-\2"),
    (r"\bto the power of\b", "**"),
    (r"\b(?:times|multiplied by)\b", "*"),
    (r"\b(?:divided by|over)\b", "/"),
    (r"\bplus\b", "+"),
    (r"\bminus\b", "-"),
    # and Chinese
    (rf"({N})\s*的\s*({N})\s*%", r"\1*\2/100"),
    (rf"({N})\s*的?平方根", r"\1**0.5"),
    (rf"({N})\s*的平方", r"\1**2"),
    (rf"({N})\s*的({N})次方", r"\1**\2"),
    (rf"({N})\s*[和与、]\s*({N})\s*的和", r"\1+\2"),
    (rf"({N})\s*[和与、]\s*({N})\s*的(?:乘?积)", r"\1*\2"),
    (rf"({N})\s*[和与、]\s*({N})\s*的差", r"\1-\2"),
    (rf"({N})\s*[和与、]\s*({N})\s*相加", r"\1+\2"),
    (rf"({N})\s*[和与、]\s*({N})\s*相乘", r"\1*\2"),
    (r"再?(?:加上|加)\s*(?=[\d(A])", "+"),
    (r"再?(?:减去|减)\s*(?=[\d(A])", "-"),
    (r"再?(?:乘以|乘上|乘)\s*(?=[\d(A])", "*"),
    (r"再?(?:除以)\s*(?=[\d(A])", "/"),
)
"""Applied in this order, so that each may build on what the ones above it wrote."""

_RULES = tuple((re.compile(pattern, re.IGNORECASE), text) for pattern, text in _REWRITES)
_LIST_OF_NUMBERS = rf"({N}(?:\s*(?:,|、|，|and|和|以及|与|\s)\s*{N})+)"
_SUM_OF = re.compile(rf"\b(?:sum of|add(?: up)?|total of|sum up|sum)\s+{_LIST_OF_NUMBERS}", re.IGNORECASE)
_SUM_AFTER = re.compile(rf"{_LIST_OF_NUMBERS}\s*(?:的和|的总和|相加|加起来)")
_AVERAGE_OF = re.compile(rf"\b(?:average|mean) of\s+{_LIST_OF_NUMBERS}", re.IGNORECASE)
_AVERAGE_AFTER = re.compile(rf"{_LIST_OF_NUMBERS}\s*的平均")
_NUMBER = re.compile(N)
_ZH_DIGIT = re.compile(
    r"([零一二两三四五六七八九十])(?=\s*(?:加|减|乘|除|的平方|的和|和[零一二两三四五六七八九十]))|(?<=[加减乘以和])([零一二两三四五六七八九十])"
)
_WORD_NUMBER = re.compile(r"\b(" + "|".join(word for word in NUMBER_WORDS if word.isascii()) + r")\b", re.IGNORECASE)
_SIGNS = r"[ \d.+\-*/()%]|ANS"
_SPACED_SIGN = re.compile(r"\s+(?:\*\*|//|[+\-*/%])\s*|(?:\*\*|//|[+\-*/%])\s+")
_RUN = re.compile(rf"(?:{_SIGNS})+")
_DATE_OR_RANGE = re.compile(r"\b\d{4}-\d{1,2}-\d{1,2}\b|\b\d{1,2}/\d{1,2}/\d{4}\b")
_REFERENCE = re.compile(
    r"\b(?:" + "|".join(sorted((r for r in REFERENCES if r.isascii()), key=len, reverse=True)) + r")\b"
    "|" + "|".join(sorted((r for r in REFERENCES if not r.isascii()), key=len, reverse=True)),
    re.IGNORECASE,
)
_STARTS_WITH_OPERATOR = re.compile(r"\s*(?:\*\*|[+*/]|-(?=\s+\d))\s*[\d(]")
_ASKS_ONLY = re.compile(r"^\W*(?:add|subtract|multiply by|divide by|double|halve)\b", re.IGNORECASE)


@lru_cache(maxsize=1024)
def expressions(text: str, *, continuing: bool = False) -> tuple[str, ...]:
    """The arithmetic in a text, in order. With `continuing`, words like "it" and a missing first operand are `ANS`."""
    line = _spoken_numbers(_DATE_OR_RANGE.sub(" ; ", text))
    if continuing:
        line = _with_reference(line)
    for pattern, template in ((_AVERAGE_OF, _average), (_AVERAGE_AFTER, _average), (_SUM_OF, _sum), (_SUM_AFTER, _sum)):
        line = pattern.sub(template, line)
    for pattern, template in _RULES:
        line = pattern.sub(template, line)
    if continuing and _STARTS_WITH_OPERATOR.match(line):
        line = ANS + line
    found = (_trimmed(run.group()) for run in _RUN.finditer(line))
    return tuple(run for run in found if run and _is_arithmetic(run))


def evaluate(expression: str) -> int | float | None:
    """The value of an expression of numbers and operators; `None` for anything else."""
    try:
        value = _value(ast.parse(expression, mode="eval").body)
    except (SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError):
        return None
    return value if not isinstance(value, float) or math.isfinite(value) else None


def number_text(value: float) -> str:
    """A number as people write it: no `.0`, no trail of rounding digits."""
    if isinstance(value, int):
        return str(value) if abs(value) < 10**300 else f"{value:.3e}" if abs(value) < 10**308 else "∞"
    rounded = round(value, 10)
    return str(int(rounded)) if rounded.is_integer() and abs(rounded) < 1e15 else repr(rounded)


def numbers(text: str) -> list[str]:
    """The numbers written in a text, in order."""
    return re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w]*[A-Za-z_])", re.sub(r"(?<=\d),(?=\d{3}\b)", "", text))


def spoken_numbers(text: str) -> list[str]:
    """Like `numbers`, reading number words as well."""
    return [match.group() for match in re.finditer(r"(?<![\w.])-?\d+(?:\.\d+)?", _all_spoken(text))]


def _all_spoken(text: str) -> str:
    line = _spoken_numbers(re.sub(r"(?<=\d),(?=\d{3}\b)", "", text))
    return re.sub(r"[零一二两三四五六七八九十](?=[个斤只本张杯份件块])", lambda m: NUMBER_WORDS[m.group()], line)


def _spoken_numbers(text: str) -> str:
    line = _WORD_NUMBER.sub(lambda match: NUMBER_WORDS[match.group().lower()], text)
    return _ZH_DIGIT.sub(lambda match: NUMBER_WORDS[match.group()], line)


def _with_reference(line: str) -> str:
    """ "double it" as "double ANS", "add 5" as "add 5 to ANS"."""
    line = re.sub(
        r"\bthe (?:sum|total|product) of\b", lambda m: m.group().replace("the ", ""), line, flags=re.IGNORECASE
    )
    line = _REFERENCE.sub(ANS, line)
    if ANS in line:
        return line
    line = re.sub(rf"\badd ({N})(?!\s*(?:and|to|,|with))", rf"{ANS} + \1", line, flags=re.IGNORECASE)
    line = re.sub(rf"\bsubtract ({N})(?!\s*from)", rf"{ANS} - \1", line, flags=re.IGNORECASE)
    line = re.sub(rf"\bmultiply by ({N})", rf"{ANS} * \1", line, flags=re.IGNORECASE)
    return re.sub(rf"\bdivide by ({N})", rf"{ANS} / \1", line, flags=re.IGNORECASE)


def _sum(match: re.Match[str]) -> str:
    return " + ".join(_NUMBER.findall(match.group(1)))


def _average(match: re.Match[str]) -> str:
    parts = _NUMBER.findall(match.group(1))
    return f"({' + '.join(parts)}) / {len(parts)}"


def _trimmed(run: str) -> str:
    """The longest well-formed part of a run of signs: a full stop or a bracket of the sentence is not arithmetic."""
    run = run.strip(" .%*/+")
    while run.count("(") > run.count(")") and "(" in run:
        run = run.replace("(", "", 1).strip()
    while run.count(")") > run.count("("):
        run = run[: run.rindex(")")] + run[run.rindex(")") + 1 :]
    return _SPACED_SIGN.sub(lambda match: f" {match.group().strip()} ", run).strip()


def _is_arithmetic(run: str) -> bool:
    """Whether numbers are combined in it, rather than one number or a row of them."""
    try:
        tree = ast.parse(run, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    while isinstance(tree, ast.UnaryOp):
        tree = tree.operand
    return isinstance(tree, ast.BinOp)


_OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: operator.mod,
    ast.Pow: lambda a, b: a**b,
}


def _value(node: ast.expr) -> int | float:
    match node:
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _value(operand)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            a, b = _value(left), _value(right)
            if isinstance(op, ast.Pow) and (abs(b) > 100 or abs(a) > 1e6):
                raise ValueError("too large")
            value = _OPERATORS[type(op)](a, b)
            if isinstance(value, complex) or (isinstance(value, int) and abs(value) > 10**300):
                raise ValueError("not a plain number")
            return value
        case _:
            raise ValueError("not arithmetic")
