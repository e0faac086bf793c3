"""What to do about a call that failed: one more try, with something changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from .offers import Json, Tool
from .situation import LONGEST, Result, Situation

FINAL = frozenset(
    {"NOT_RUN", "REFUSED", "INTERRUPTED", "ACCESS_DENIED", "PERMISSION_DENIED", "CIRCUIT_OPEN", "NO_RESULT"}
)
"""Error codes after which another try would be wrong or useless."""

_NOT_THERE = re.compile(
    r"not found|no (?:such )?file|no file|does not exist|doesn't exist|missing|known|没有|不存在|找不到|未找到",
    re.IGNORECASE,
)
_PASSING = re.compile(
    r"timed?[ -]?out|did not answer|temporar|try again|busy|unavailable|rate limit|\b(?:429|503)\b"
    r"|超时|没有响应|稍后|繁忙",
    re.IGNORECASE,
)
_UNEXPECTED = re.compile(
    r"unexpected|unknown|no parameter|not a parameter|not allowed|unsupported argument|extra|没有参数|未知参数|多余",
    re.IGNORECASE,
)
_NAME = re.compile(r"[\w\-./]*\w")
_SIGNS = {"×": "*", "÷": "/", "^": "**", "−": "-", "＋": "+", "（": "(", "）": ")", "=": "", "?": "", ",": ""}

Again = tuple[str, Json]


def remedy(tool: Tool, tries: Sequence[Result], situation: Situation) -> Again | None:
    """The tool and the arguments for the next try; `None` when it is time to give up.

    `tries` begins with the failed call. There is one second try, and before it at most one look around.
    """
    first = tries[0]
    if not first.failed or first.code in FINAL:
        return None
    if len(tries) == 1:
        for rule in RULES:
            if (arguments := rule(tool, first)) is not None:
                return tool.name, arguments
        return _look_around(tool, first, situation)
    if len(tries) == 2 and looked_around(tool, tries, situation) and not tries[1].failed:
        return _nearest_listed(tool, first, tries[1])
    return None


# -- rules: the arguments of another try, or None ----------------------------------------------------


def _offered_name(tool: Tool, first: Result) -> Json | None:
    """The error itself says a name that is close to the one given ("did you mean …")."""
    for name, value in first.call.arguments.items():
        if not isinstance(value, str) or not _NOT_THERE.search(first.text):
            continue
        offered = [word for word in _NAME.findall(first.text[:LONGEST]) if word != value and word not in value]
        if near := closest(value, offered):
            return {**first.call.arguments, name: near}
    return None


def _without_unknown(tool: Tool, first: Result) -> Json | None:
    """The error names an argument that the tool does not take."""
    if not _UNEXPECTED.search(first.text):
        return None
    required = {parameter.name for parameter in tool.required}
    kept = {
        name: value
        for name, value in first.call.arguments.items()
        if name in required or not re.search(rf"\b{re.escape(name)}\b", first.text)
    }
    return kept if kept != first.call.arguments else None


def _plain_signs(tool: Tool, first: Result) -> Json | None:
    """An expression in the signs that calculators read."""
    parameter = tool.parameter("expression")
    value = first.call.arguments.get(parameter.name) if parameter else None
    if parameter is None or not isinstance(value, str):
        return None
    plain = value
    for sign, replacement in _SIGNS.items():
        plain = plain.replace(sign, replacement)
    return {**first.call.arguments, parameter.name: plain.strip()} if plain.strip() != value else None


def _as_declared(tool: Tool, first: Result) -> Json | None:
    """A number that was given as a text."""
    changed = dict(first.call.arguments)
    for parameter in tool.parameters:
        value = changed.get(parameter.name)
        if (
            parameter.kind in ("integer", "number")
            and isinstance(value, str)
            and re.fullmatch(r"-?\d+(?:\.\d+)?", value)
        ):
            changed[parameter.name] = int(float(value)) if parameter.kind == "integer" else float(value)
    return changed if changed != first.call.arguments else None


def _singular(tool: Tool, first: Result) -> Json | None:
    """ "apples" is not known, "apple" may be."""
    if not _NOT_THERE.search(first.text):
        return None
    parameter = tool.parameter("thing")
    value = first.call.arguments.get(parameter.name) if parameter else None
    if parameter is None or not isinstance(value, str) or not value.endswith("s"):
        return None
    return {**first.call.arguments, parameter.name: value[:-3] + "y" if value.endswith("ies") else value[:-1]}


def _once_more(tool: Tool, first: Result) -> Json | None:
    """A failure that may pass. What may have had its effect already is not repeated."""
    passing = first.code in ("TIMEOUT", "NETWORK_ERROR", "RATE_LIMIT") or _PASSING.search(first.text)
    return dict(first.call.arguments) if passing and tool.intent not in ("write", "send", "todo") else None


RULES: tuple[Callable[[Tool, Result], Json | None], ...] = (
    _offered_name,
    _without_unknown,
    _plain_signs,
    _as_declared,
    _singular,
    _once_more,
)


# -- looking around ----------------------------------------------------------------------------------


def _look_around(tool: Tool, first: Result, situation: Situation) -> Again | None:
    """A file is not there: list its folder, if some tool can."""
    parameter = tool.parameter("path")
    if parameter is None or tool.intent == "write" or not _NOT_THERE.search(first.text):
        return None
    lister = next((other for other in situation.tools if other.intent == "list"), None) or next(
        (other for other in situation.tools if "list" in other.also and other.parameter("path")), None
    )
    if lister is None:
        return None
    folder = str(first.call.arguments.get(parameter.name, "")).rpartition("/")[0] or "."
    path = lister.parameter("path")
    arguments = {path.name: folder} if path is not None else {}
    if any(required.name not in arguments for required in lister.required) or arguments == first.call.arguments:
        return None
    return lister.name, arguments


def looked_around(tool: Tool, tries: Sequence[Result], situation: Situation) -> bool:
    """Whether the second of the calls was made to look around; the tool itself may be the one that lists."""
    if len(tries) < 2 or not tries[0].failed:
        return False
    look = _look_around(tool, tries[0], situation)
    return look == (tries[1].call.name, tries[1].call.arguments)


def _nearest_listed(tool: Tool, first: Result, look: Result) -> Again | None:
    parameter = tool.parameter("path")
    if parameter is None:
        return None
    folder, _, name = str(first.call.arguments.get(parameter.name, "")).rpartition("/")
    near = closest(name, _NAME.findall(look.text[:LONGEST]))
    if near is None or near == name:
        return None
    if folder:
        near = near.rpartition("/")[2]
    return tool.name, {**first.call.arguments, parameter.name: f"{folder}/{near}" if folder else near}


def closest(name: str, offered: Sequence[str]) -> str | None:
    """The name most like the one wanted; folders, endings and capitals aside."""
    from difflib import get_close_matches

    by_stem = {_stem(word): word for word in reversed(offered) if len(_stem(word)) > 1}
    near = get_close_matches(_stem(name), list(by_stem), n=1, cutoff=0.6)
    return by_stem[near[0]] if near else None


def _stem(path: str) -> str:
    name = path.rpartition("/")[2]
    return (name.rpartition(".")[0] or name).lower()
