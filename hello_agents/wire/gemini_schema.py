"""JSON Schema in the part of it that Gemini takes: no references, no constants, names of types in capitals."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..catalogue import text
from ..core.loose import items, mapping, mappings, string

_AS_THEY_ARE = (
    "title", "description", "default", "format", "pattern", "minimum", "maximum", "minItems", "maxItems",
    "minLength", "maxLength", "minProperties", "maxProperties",
)  # fmt: skip
_FORMATS = {
    "string": ("enum", "date-time"),
    "integer": ("int32", "int64"),
    "number": ("float", "double"),
}
"""The formats that are known for a type; any other is refused."""


def gemini_schema(schema: Mapping[str, Any], language: str = "en") -> dict[str, Any] | None:
    """The parameters of a tool; `None` for a tool without any, since an object without properties is refused."""
    definitions = {**mapping(schema.get("definitions")), **mapping(schema.get("$defs"))}
    made = _Writer(definitions, language).write(schema, ())
    return made if made.get("properties") else None


class _Writer:
    """Writes schemas with the references of one document resolved."""

    def __init__(self, definitions: Mapping[str, Any], language: str) -> None:
        self._definitions = definitions
        self._language = language

    def write(self, schema: Mapping[str, Any], inside: tuple[str, ...]) -> dict[str, Any]:
        """The schema. `inside`: the references being followed; one that leads back to itself ends in any object."""
        schema, inside, ended = self._resolved(schema, inside)
        made = {name: schema[name] for name in _AS_THEY_ARE if schema.get(name) is not None}
        if ended:
            return made | {"type": "OBJECT"}
        kinds, nullable = _kinds(schema)
        choices = [choice for name in ("anyOf", "oneOf") for choice in mappings(schema.get(name))]
        real = [choice for choice in choices if choice.get("type") != "null"]
        nullable = nullable or schema.get("nullable") is True or len(real) < len(choices)
        if not real and len(kinds) > 1:
            real, kinds = [{**_rules(schema), "type": kind} for kind in kinds], []
        if len(real) == 1:
            made = self.write(real[0], inside) | made
        elif real:
            # Beside the choices only words may stand: the rules are those of each choice.
            made = {name: made[name] for name in ("title", "description") if name in made}
            made["anyOf"] = [self.write(choice, inside) for choice in real]
        else:
            self._typed(made, schema, kinds[0] if kinds else _guessed(schema), inside)
        return made | {"nullable": True} if nullable else made

    def _resolved(
        self, schema: Mapping[str, Any], inside: tuple[str, ...]
    ) -> tuple[Mapping[str, Any], tuple[str, ...], bool]:
        """The schema with its reference and its `allOf` merged into it."""
        while name := string(schema.get("$ref")).rpartition("/")[2]:
            if name in inside or name not in self._definitions:
                return {**schema, "$ref": ""}, inside, True
            inside = (*inside, name)
            schema = {**mapping(self._definitions[name]), **{key: schema[key] for key in schema if key != "$ref"}}
        for part in mappings(schema.get("allOf")):
            part, inside, _ = self._resolved(part, inside)
            merged = {**part, **schema}
            if properties := {**mapping(part.get("properties")), **mapping(schema.get("properties"))}:
                merged["properties"] = properties
                merged["required"] = [*items(part.get("required")), *items(schema.get("required"))]
            schema = merged
        return schema, inside, False

    def _typed(self, made: dict[str, Any], schema: Mapping[str, Any], kind: str, inside: tuple[str, ...]) -> None:
        made["type"] = kind.upper()
        if made.get("format") not in _FORMATS.get(kind, ()):
            made.pop("format", None)
        self._choose(made, schema, kind)
        match kind:
            case "object":
                properties = mapping(schema.get("properties"))
                if properties:
                    made["properties"] = {name: self.write(mapping(part), inside) for name, part in properties.items()}
                if required := [name for name in dict.fromkeys(items(schema.get("required"))) if name in properties]:
                    made["required"] = required
            case "array":
                made["items"] = self.write(mapping(schema.get("items")), inside)
            case _:
                pass

    def _choose(self, made: dict[str, Any], schema: Mapping[str, Any], kind: str) -> None:
        """Allowed values: a list of strings where they are such, else words in the description."""
        values = [schema["const"]] if "const" in schema else items(schema.get("enum"))
        values = [value for value in values if value is not None]
        if not values:
            return
        if kind == "string" and all(isinstance(value, str) and value for value in values):
            made["enum"] = values
            return
        shown = ", ".join(json.dumps(value, ensure_ascii=False) for value in values)
        words = text("wire.allowed", self._language, values=shown)
        made["description"] = f"{string(made.get('description'))} {words}".strip()


def _kinds(schema: Mapping[str, Any]) -> tuple[list[str], bool]:
    """`(types, whether null is one)`."""
    kind = schema.get("type")
    named = [kind] if isinstance(kind, str) else [name for name in items(kind) if isinstance(name, str)]
    named = [name.lower() for name in named]
    return [name for name in named if name != "null"], "null" in named


def _rules(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in schema.items() if name not in ("title", "description", "default")}


def _guessed(schema: Mapping[str, Any]) -> str:
    """The type of a schema that names none."""
    values = [schema["const"]] if "const" in schema else items(schema.get("enum"))
    match values[:1]:
        case [bool()]:
            return "boolean"
        case [int()]:
            return "integer"
        case [float()]:
            return "number"
        case _:
            if schema.get("items") is not None:
                return "array"
            return "object" if schema.get("properties") is not None else "string"
