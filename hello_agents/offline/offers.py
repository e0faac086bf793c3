"""The tools on offer, read from their schemas: what each is for and what each parameter means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from .vocabulary import INTENTS, MEANINGS, UNITS
from .wording import content_words, mentions, words

Json = dict[str, Any]

_THINKING = frozenset({"thought", "think", "reason"})
_ONLY_WITH = {"task": "delegate", "address": "send", "clock": "remind"}
"""Meanings that words have with one intent only."""
_FINISHING = frozenset({"finish", "final_answer", "finalanswer", "submit_answer"})


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument that a tool takes."""

    name: str
    kind: str
    """Its JSON type; `any` when the schema names none."""
    schema: Json
    required: bool
    meaning: str
    """A key of `MEANINGS`, or `""`."""

    @property
    def options(self) -> list[Any]:
        """The only values allowed, if they are listed; null aside."""
        for choice in (self.schema, *map(as_json, as_list(self.schema.get("anyOf")))):
            if options := as_list(choice.get("enum")):
                return options
        return []

    @property
    def description(self) -> str:
        return as_text(self.schema.get("description"))


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as its schema describes it."""

    name: str
    description: str
    parameters: tuple[Parameter, ...]
    intent: str
    """A key of `INTENTS` that the name says, else the description; `""` for a tool of no known kind."""
    also: frozenset[str]
    """Further intents that the description speaks of."""
    name_words: frozenset[str]
    other_words: frozenset[str]
    """Content words of the description and the parameters."""
    role: Literal["act", "think", "finish"] = "act"

    @property
    def required(self) -> tuple[Parameter, ...]:
        return tuple(parameter for parameter in self.parameters if parameter.required)

    def parameter(self, meaning: str) -> Parameter | None:
        """The first parameter with this meaning."""
        return next((parameter for parameter in self.parameters if parameter.meaning == meaning), None)

    def does(self, intent: str) -> bool:
        return intent == self.intent or intent in self.also


def read_tools(schemas: Sequence[Any]) -> tuple[Tool, ...]:
    """The tools behind function schemas. What is not a function schema is passed over."""
    return tuple(tool for schema in schemas if (tool := _tool(as_json(schema))) is not None)


def _tool(schema: Json) -> Tool | None:
    function = as_json(schema.get("function", schema))
    name = as_text(function.get("name"))
    if not name:
        return None
    description = as_text(function.get("description"))
    shape = as_json(function.get("parameters"))
    required = {as_text(item) for item in as_list(shape.get("required"))}
    properties = as_json(shape.get("properties"))
    # A required argument may lack a description of its own.
    names = [*properties, *sorted(required - properties.keys() - {""})]
    # Without a text nothing is written: `add(a, b)` is arithmetic.
    writes = any(kind_of(as_json(properties.get(key))) in ("string", "any") for key in names)
    named = [key for key in _intents(name.replace("_", " "), name) if key != "write" or writes]
    if "agent_type" in names:
        named = ["delegate", *named]
    described = [key for key in _intents(description, description) if key != "write" or writes]
    intent = (named or described or [""])[0]
    parameters = tuple(_parameter(key, as_json(properties.get(key)), key in required, intent) for key in names)
    return Tool(
        name,
        description,
        parameters,
        intent,
        frozenset(described) - {intent},
        content_words(name),
        content_words(description)
        | frozenset[str]().union(*(content_words(f"{p.name} {p.description}") for p in parameters)),
        _role(name, parameters),
    )


def _role(name: str, parameters: tuple[Parameter, ...]) -> Literal["act", "think", "finish"]:
    """Thinking and finishing are tools in a ReAct agent; each takes one text."""
    takes_text = any(parameter.kind == "string" and not parameter.options for parameter in parameters)
    if takes_text and name.lower() in _THINKING:
        return "think"
    return "finish" if takes_text and name.lower() in _FINISHING else "act"


def _intents(text: str, raw: str) -> list[str]:
    return [
        intent.key
        for intent in INTENTS
        if any(mentions(text, word) or (word.isalpha() and word in words(raw)) for word in intent.tools)
    ]


def _parameter(name: str, schema: Json, required: bool, intent: str) -> Parameter:
    kind = kind_of(schema)
    return Parameter(name, kind, schema, required, _meaning(name, as_text(schema.get("description")), kind, intent))


def _meaning(name: str, description: str, kind: str, intent: str) -> str:
    """What a parameter is for: its name says so, else its description, else the kind of tool."""
    if kind not in ("string", "any"):
        return ""
    for said in (name, description):
        for meaning in MEANINGS:
            # "from" and "to" mean units only in a name, and only where there is something to convert.
            if meaning.key in ("from_unit", "to_unit") and (
                said is description or intent not in ("convert", "translate")
            ):
                continue
            if meaning.key in _ONLY_WITH and intent != _ONLY_WITH[meaning.key]:
                continue
            if any(mentions(said.replace("_", " "), word) for word in meaning.words):
                return meaning.key
    return {"arithmetic": "expression", "search": "query", "weather": "place"}.get(intent, "")


# -- JSON Schema, as far as it is needed -------------------------------------------------------------


def kind_of(schema: Json) -> str:
    """The JSON type a schema asks for; of several, the first that is not null."""
    declared = schema.get("type")
    for kind in as_list(declared) if isinstance(declared, list) else [declared]:
        if isinstance(kind, str) and kind != "null":
            return kind
    for key in ("anyOf", "oneOf", "allOf"):
        for choice in as_list(schema.get(key)):
            if (kind := kind_of(as_json(choice))) not in ("null", "any"):
                return kind
    if declared == "null":
        return "null"
    options = as_list(schema.get("enum"))
    return _kind_of_value(options[0]) if options else "any"


def fits(value: Any, schema: Json) -> bool:
    """Whether a value has the type a schema asks for and is one of its options; inner values as well."""
    options = as_list(schema.get("enum"))
    if options and not any(value == option and type(value) is type(option) for option in options):
        return False
    match kind_of(schema):
        case "string":
            return isinstance(value, str)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case "number":
            return isinstance(value, (int, float)) and not isinstance(value, bool)
        case "boolean":
            return isinstance(value, bool)
        case "null":
            return value is None
        case "array":
            items = as_json(schema.get("items"))
            return isinstance(value, list) and all(fits(item, items) for item in cast("list[Any]", value))
        case "object":
            return isinstance(value, dict) and _fits_object(cast(Json, value), schema)
        case _:
            return True


def _fits_object(value: Json, schema: Json) -> bool:
    properties = as_json(schema.get("properties"))
    required = {item for item in as_list(schema.get("required")) if isinstance(item, str)}
    return required <= value.keys() and all(
        fits(inner, as_json(properties.get(key))) for key, inner in value.items() if key in properties
    )


def blank(schema: Json, depth: int = 6) -> Any:
    """A value of the type a schema asks for, with nothing in it: for a call that must be made anyway."""
    options = as_list(schema.get("enum"))
    if options:
        return next((option for option in options if fits(option, schema)), options[0])
    if "default" in schema and fits(schema["default"], schema):
        return schema["default"]
    match kind_of(schema):
        case "string" | "any":
            return ""
        case "integer" | "number":
            return 0
        case "boolean":
            return False
        case "array":
            return []
        case "object" if depth > 0:
            properties = as_json(schema.get("properties"))
            required = [item for item in as_list(schema.get("required")) if isinstance(item, str)]
            return {key: blank(as_json(properties.get(key)), depth - 1) for key in required}
        case "object":
            return {}
        case _:
            return None


def unit_of(word: str) -> str | None:
    """The usual symbol of a unit, by any of its names."""
    lowered = word.lower()
    return next((symbol for symbol, names in UNITS.items() if lowered in names.split()), None)


def as_json(value: Any) -> Json:
    """The value if it is a JSON object, else an empty one: schemas come from anywhere."""
    return cast(Json, value) if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def as_text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _kind_of_value(value: Any) -> str:
    match value:
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case _:
            return "any"
