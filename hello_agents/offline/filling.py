"""The arguments of a call, taken from a request; what the request does not say is never made up."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from . import finding
from .expressions import ANS, expressions, spoken_numbers
from .offers import Json, Parameter, Tool, as_json, as_list, blank, fits, kind_of, unit_of
from .vocabulary import REFERENCES, UNITS
from .wording import content_words, mentions, stem, words


@dataclass(frozen=True, slots=True)
class Later:
    """An argument that earlier steps of the same question will give."""

    steps: tuple[int, ...]
    form: str
    """An expression with `ANS` for the number, `SUM` or `AVERAGE` of the numbers, or `TEXT` for the whole text."""


TEXT, SUM, AVERAGE = "TEXT", "SUM", "AVERAGE"


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """What a request can refer back to."""

    steps: tuple[int, ...] = ()
    """The steps of the same question that "it" or "them" means."""
    number: str | None = None
    """The last number of an earlier question."""
    text: str | None = None
    """The last result of an earlier question."""
    single: bool = False
    """What "it" means is one number already, so that there is nothing to add up."""
    values: tuple[int, ...] = ()
    """All steps of the same question that give one number."""
    numbers: tuple[tuple[str, ...], ...] = ()
    """The numbers that each earlier question came to, oldest first."""
    said: str = ""
    """The requests before this one, for names and paths that are not said again."""


NOTHING_BEFORE = Before()


@dataclass(frozen=True, slots=True)
class Filled:
    """Calls to one tool that together answer one request; several when it names several things."""

    calls: tuple[Json, ...]


@dataclass(frozen=True, slots=True)
class Missing:
    """A required argument that the request does not say."""

    parameter: Parameter


def fill(tool: Tool, text: str, before: Before = NOTHING_BEFORE) -> Filled | Missing:
    """The arguments for a tool. Values of required arguments are lists of candidates first, then zipped to calls."""
    found: dict[str, list[Any]] = {}
    used_numbers = 0
    by_name, text = _by_name(tool, text)
    for parameter in tool.parameters:
        if parameter.name in by_name:
            values: list[Any] = [by_name[parameter.name]]
        elif parameter.kind in ("integer", "number"):
            values, used_numbers = _number_values(parameter, tool, text, before, used_numbers)
        else:
            values = _values(parameter, tool, text, before)
        if values:
            found[parameter.name] = values
        elif parameter.required and not _has_default(parameter):
            return Missing(parameter)
        elif parameter.required:
            found[parameter.name] = [parameter.schema["default"]]
    if not found and not tool.required and (lists := [p for p in tool.parameters if p.kind == "array"]):
        return Missing(lists[0])
    return Filled(_zipped(tool, found))


def _by_name(tool: Tool, text: str) -> tuple[dict[str, str], str]:
    """The texts that the request gives by the names of their parameters, and the request without them."""
    by_name: dict[str, str] = {}
    for parameter in tool.parameters:
        is_text = parameter.kind in ("string", "any") and not parameter.options and parameter.meaning != "task"
        if is_text and (said := finding.named(text, parameter.name)):
            by_name[parameter.name], text = said
    return by_name, text


def _zipped(tool: Tool, found: dict[str, list[Any]]) -> tuple[Json, ...]:
    """One call for each of the things named; an argument with one value has it in all of them."""
    many = max((len(found[p.name]) for p in tool.required if p.name in found), default=1)
    return tuple({name: values[min(i, len(values) - 1)] for name, values in found.items()} for i in range(many))


def _has_default(parameter: Parameter) -> bool:
    return "default" in parameter.schema and fits(parameter.schema["default"], parameter.schema)


# -- one parameter -----------------------------------------------------------------------------------


def _values(parameter: Parameter, tool: Tool, text: str, before: Before) -> list[Any]:
    """Candidates for an argument that is not a number; none when the request does not say."""
    if parameter.options:
        # How a helper works is said beside the task, not in it.
        task = finding.delegated(text) if tool.intent == "delegate" else None
        return _option(parameter, text.replace(task, " ") if task else text)
    match parameter.kind:
        case "string" | "any":
            return _strings(parameter, tool, text, before)
        case "boolean":
            return _flag(parameter, text)
        case "array" if parameter.required or not tool.required or _named_in_full(parameter, text):
            return _list(parameter, tool, text)
        case "object" if parameter.required:
            return _object(parameter, text)
        case _:
            return []


def _strings(parameter: Parameter, tool: Tool, text: str, before: Before) -> list[Any]:
    sure = parameter.meaning in UNMISTAKABLE
    if not parameter.required and not (sure or _spoken_of(parameter, text) or _only(parameter, tool)):
        return []
    read = _READERS.get(parameter.meaning)
    if read is not None:
        return list(read(text, tool, before))
    if inside := finding.quoted(text):
        plain = [other for other in tool.required if other.kind in ("string", "any") and not other.meaning]
        place = plain.index(parameter) if parameter in plain else 0
        return [inside[min(place, len(inside) - 1)]]
    if [other for other in tool.required if other.kind in ("string", "any")] == [parameter] or _only(parameter, tool):
        return [finding.topic(text)] if finding.topic(text) else []
    return []


def _only(parameter: Parameter, tool: Tool) -> bool:
    """The tool has this one parameter to speak of, and does not require it."""
    return not tool.required and [p for p in tool.parameters if not p.options] == [parameter]


def _spoken_of(parameter: Parameter, text: str) -> bool:
    """An optional argument is given only when the request uses its name."""
    return bool(words(parameter.name.replace("_", " ")) & words(text))


def _named_in_full(parameter: Parameter, text: str) -> bool:
    """A tool that requires something else gets a list only when the request speaks of one by its whole name."""
    return words(parameter.name.replace("_", " ")) <= words(text)


def _option(parameter: Parameter, text: str) -> list[Any]:
    """The allowed value that the request mentions."""
    for option in parameter.options:
        if isinstance(option, str) and option and (mentions(text, option) or _same_unit(option, text)):
            return [option]
        if isinstance(option, (int, float)) and not isinstance(option, bool) and str(option) in spoken_numbers(text):
            return [option]
    return []


def _same_unit(option: str, text: str) -> bool:
    symbol = unit_of(option)
    return symbol is not None and any(unit_of(unit) == symbol for unit in finding.units(text))


def _flag(parameter: Parameter, text: str) -> list[Any]:
    named = content_words(parameter.name.replace("_", " ")) & words(text)
    if not named:
        return []
    return [not any(mentions(text, word) for word in ("not", "no", "without", "不", "不要"))]


def _number_values(parameter: Parameter, tool: Tool, text: str, before: Before, used: int) -> tuple[list[Any], int]:
    """A number: the one beside the parameter's name ("limit 5", "5 days"), else the next that is not used yet."""
    bare = text
    for path in finding.paths(text):
        bare = bare.replace(path, " ")
    for quote in finding.quoted(text):
        bare = bare.replace(quote, " ")
    named = _named_number(parameter, bare)
    if named is not None:
        return [_as_number(named, parameter)], used
    if not parameter.required:
        return [], used
    said = [number for number in spoken_numbers(bare) if parameter.kind == "number" or "." not in number]
    numeric = [p for p in tool.required if p.kind in ("integer", "number")]
    refers = any(mentions(text, reference) for reference in REFERENCES)
    if refers and len(said) < len(numeric) and used == 0:
        if before.steps:
            return [Later(before.steps, ANS)], used + 1
        if before.number is not None:
            said = [before.number, *said]
    elif before.steps and refers:
        used -= 1
        values = said[used : used + 1]
        return [_as_number(value, parameter) for value in values], used + 2
    if len(numeric) == 1:
        # "3 apples and 2 pears": each number goes to its own call.
        return [_as_number(value, parameter) for value in said], len(said)
    return [_as_number(value, parameter) for value in said[used : used + 1]], used + 1


def _named_number(parameter: Parameter, text: str) -> str | None:
    """The number behind the parameter's name or before it: in "20 sides 2 times", what is counted comes second."""
    name = parameter.name.lower()
    tokens = [token.strip("?.,!") for token in text.replace("=", " ").replace(":", " ").lower().split()]
    pairs = list(pairwise(tokens))
    behind = (spoken_numbers(number)[:1] for word, number in pairs if word == name)
    before = (spoken_numbers(number)[-1:] for number, word in pairs if stem(word) == stem(name))
    order = (before, behind) if name.endswith("s") else (behind, before)
    return next((found[0] for way in order for found in way if found), None)


def _as_number(text: str, parameter: Parameter) -> Any:
    value = float(text)
    if parameter.kind == "integer" or value.is_integer():
        return int(value)
    return value


# -- by meaning --------------------------------------------------------------------------------------


def _paths(text: str, tool: Tool, before: Before) -> list[str]:
    if found := finding.paths(text):
        return found if tool.intent != "write" else found[-1:]
    if tool.intent == "list" or ("list" in tool.also and _lists(text)):
        return ["."]
    return finding.paths(before.said)[-1:]


def _lists(text: str) -> bool:
    from .vocabulary import INTENTS

    return any(mentions(text, word) for intent in INTENTS if intent.key == "list" for word in intent.asks)


def _expressions(text: str, tool: Tool, before: Before) -> list[Any]:
    if found := expressions(text):
        return list(found)
    for form in expressions(text, continuing=True):
        if before.steps:
            return [Later(before.steps, form)]
        if before.number is not None:
            return [with_number(form, before.number)]
    return []


def _places(text: str, tool: Tool, before: Before) -> list[str]:
    return finding.places(text) or finding.quoted(text) or finding.places(before.said)[-1:]


def _topics(text: str, tool: Tool, before: Before) -> list[str]:
    found = finding.topic(text)
    return [found] if found else []


def _contents(text: str, tool: Tool, before: Before) -> list[Any]:
    match tool.intent:
        case "translate":
            said = finding.translated(text)
        case "remind":
            said = finding.reminded(text)
        case _:
            said = finding.written(text)
    if said is not None and not refers_back(said):
        return [said]
    if said is None and tool.intent == "remember":
        return []  # "What do you remember?" asks for nothing to be written.
    if before.steps:
        return [Later(before.steps, TEXT)]
    if before.text is not None:
        return [before.text]
    said = None if tool.intent else finding.after_verb(text, tool.name_words)
    return [] if said is None or refers_back(said) else [said]


def _first_unit(text: str, tool: Tool, before: Before) -> list[str]:
    return [_as_the_tool_says(unit, tool) for unit in finding.units(text)[:1]]


def _last_unit(text: str, tool: Tool, before: Before) -> list[str]:
    said = finding.units(text)
    return [_as_the_tool_says(unit, tool) for unit in said[1:2] or said[:1]]


def _as_the_tool_says(unit: str, tool: Tool) -> str:
    """A unit by the name that the tool's descriptions use, if they list the units they know."""
    listed = {word for parameter in tool.parameters for word in re.findall(r"[\w°]+", parameter.description)}
    symbol = unit_of(unit)
    names = [symbol, *UNITS[symbol].split()] if symbol is not None else []
    return unit if unit in listed else next((name for name in names if name in listed), unit)


def _dates(text: str, tool: Tool, before: Before) -> list[str]:
    return finding.dates(text)[:1]


def _found(find: Callable[[str], list[str]]) -> Callable[[str, Tool, Before], list[Any]]:
    """What needs only the text to be found."""
    return lambda text, _tool, _before: list(find(text))


def _tasks(text: str, tool: Tool, before: Before) -> list[str]:
    said = finding.delegated(text)
    return [said] if said else []


_READERS: dict[str, Callable[[str, Tool, Before], list[Any]]] = {
    "address": _found(finding.addresses),
    "origin": _found(finding.origins),
    "destination": _found(finding.destinations),
    "language": _found(finding.languages),
    "source_language": _found(finding.source_languages),
    "clock": _found(finding.clocks),
    "ticker": _found(finding.tickers),
    "path": _paths,
    "expression": _expressions,
    "place": _places,
    "query": _topics,
    "content": _contents,
    "from_unit": _first_unit,
    "to_unit": _last_unit,
    "unit": _first_unit,
    "date": _dates,
    "thing": _found(finding.things),
    "task": _tasks,
}
"""How a value of each meaning is found in a request."""

UNMISTAKABLE = frozenset({"date", "origin", "destination", "language", "source_language"})
"""Meanings whose values are taken from a request that does not speak of the parameter, even if it is optional."""


def refers_back(text: str) -> bool:
    """Whether a text is only a way to speak of an earlier result."""
    bare = text.lower().strip(" .?，。")
    return (
        bare in REFERENCES
        or bare.removeprefix("the ") in REFERENCES
        or any(
            bare == reference or (bare.startswith(reference) and len(bare) <= len(reference) + 2)
            for reference in REFERENCES
            if not reference.isascii()
        )
    )


def with_number(form: str, number: str) -> str:
    """An expression with the number in the place of `ANS`."""
    return form.replace(ANS, f"({number})" if number.startswith("-") else number)


# -- lists and objects -------------------------------------------------------------------------------


def _list(parameter: Parameter, tool: Tool, text: str) -> list[Any]:
    """One candidate: the whole list."""
    schema = as_json(parameter.schema.get("items"))
    kind = kind_of(schema)
    if kind in ("integer", "number"):
        said = [float(number) for number in spoken_numbers(text)]
        numbers = [
            int(value) if value.is_integer() else value for value in said if kind == "number" or value.is_integer()
        ]
        return [numbers] if numbers else []
    meaning = {"path": finding.paths, "place": finding.places}.get(_meaning_of_items(parameter))
    items = meaning(text) if meaning else finding.listed(text)
    values = [item_value(item, schema, number) for number, item in enumerate(items)]
    return [values] if values and all(fits(value, schema) for value in values) else []


def _meaning_of_items(parameter: Parameter) -> str:
    said = words(parameter.name)
    return "path" if said & {"path", "file"} else "place" if said & {"city", "location", "place"} else ""


def item_value(text: str, schema: Json, number: int = 0) -> Any:
    """One item of a list in the form that the schema of the items asks for."""
    if kind_of(schema) != "object":
        return text
    properties = as_json(schema.get("properties"))
    required = [name for name in as_list(schema.get("required")) if isinstance(name, str)]
    main = main_text(properties, required)
    value: Json = {main: text} if main is not None else {}
    for name in required:
        if name not in value:
            value[name] = _inner(name, as_json(properties.get(name)), number)
    return value


_MAIN = ("content", "title", "task", "text", "description", "name", "goal", "step")
_OPEN = ("pending", "todo", "open", "not_started", "new")


def main_text(properties: Json, required: list[str]) -> str | None:
    """The property of an item that its text goes into."""
    texts = [
        name
        for name, schema in properties.items()
        if kind_of(as_json(schema)) == "string" and not as_list(as_json(schema).get("enum"))
    ]
    for known in _MAIN:
        if known in texts:
            return known
    return next((name for name in required if name in texts), texts[0] if texts else None)


def _inner(name: str, schema: Json, number: int) -> Any:
    """A required property beside the text: an open status, a running number, or nothing in particular."""
    options = as_list(schema.get("enum"))
    for option in _OPEN:
        if option in options:
            return option
    if stem(name.lower()) in ("id", "number", "index", "step") and not options:
        if kind_of(schema) in ("integer", "number"):
            return number + 1
        if kind_of(schema) == "string":
            return str(number + 1)
    return blank(schema)


def _object(parameter: Parameter, text: str) -> list[Any]:
    """A required object whose one text can be the request itself; others are asked for."""
    properties = as_json(parameter.schema.get("properties"))
    required = [name for name in as_list(parameter.schema.get("required")) if isinstance(name, str)]
    if not required:
        return [{}]
    value = item_value(finding.topic(text), parameter.schema)
    return [value] if main_text(properties, required) in required and fits(value, parameter.schema) else []
