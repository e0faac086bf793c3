"""Schemas: the parameters of a tool as JSON Schema, and the way back from arguments to Python values.

There is one generator. A signature, or a list of `ToolParameter`, becomes a pydantic type; that type gives the schema
which the model sees and the validator which its arguments pass, so the two cannot disagree.

Arguments are converted by the declared type only:

- `str` takes text and nothing else: `"3"` stays `"3"`, and `3` is refused.
- `int` and `float` take numbers and their text (`"3"`, `3.0`), never a boolean.
- `bool` takes a boolean, `"true"` and `"false"` in any case with space around, and 0 and 1 as number or text.
- `list`, `dict` and other containers, dataclasses and models also take the JSON text of one.
- An `Enum` arrives as its member, found by value. Of it and of `Literal`, numbers and booleans may come as their text.
- A dataclass or pydantic model keeps its own rules inside.
- Where the default is `None`, null is taken, whatever the annotation says.
- A parameter without annotation has the type of its default, or else the type that the docstring names. If there is
  neither it is announced as a string, the form any model can write, and passed on as it came.
"""

from __future__ import annotations

import inspect
import json
import types
import typing
from collections import abc
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, is_dataclass
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired, Required, Union, cast

from ..catalogue import text
from .values import describe, to_json, to_plain

if TYPE_CHECKING:
    from .base import ToolParameter

Schema = dict[str, Any]
Reader = Callable[[Any], dict[str, Any]]

JSON_TYPES = {
    "str": "string",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "list": "array",
    "dict": "object",
    "NoneType": "null",
}
"""Names of Python types that are also understood where a JSON type is expected."""

MOST_REFERENCES = 500
"""References of one schema that are followed: each may lead to several others, and those to several more."""

_MAY_BE_NULL = ("default", "const", "example")
_NAMED: dict[str, Any] = {"str": str, "int": int, "float": float, "bool": bool, "list": list, "dict": dict}
_CONTAINERS = (list, tuple, set, frozenset, abc.Sequence, abc.MutableSequence, abc.Iterable, abc.Collection, abc.Set)
_MAPPINGS = (dict, abc.Mapping, abc.MutableMapping)


@dataclass(frozen=True, slots=True)
class Parameters:
    """What a tool takes."""

    schema: Schema
    """A JSON Schema of type object, without references except in recursive types."""
    read: Reader
    """Arguments as a model sends them -> arguments as the tool receives them. Raises `ValueError`."""
    positional: tuple[str, ...] = ()
    """Parameters that can only be passed by position."""

    @property
    def names(self) -> list[str]:
        return list(self.schema["properties"])

    @property
    def required(self) -> list[str]:
        return self.schema["required"]


@dataclass(frozen=True, slots=True)
class Doc:
    """A docstring taken apart."""

    description: str
    """Everything before the first section."""
    arguments: Mapping[str, str]
    types: Mapping[str, str]
    """The names of types, for arguments whose type the docstring tells."""


@dataclass(frozen=True, slots=True)
class _Field:
    """One parameter on its way into the schema."""

    annotation: Any
    required: bool
    description: str = ""
    default: Any = inspect.Parameter.empty


# --- from a signature ------------------------------------------------------------------------------------------------


def of_function(function: Callable[..., Any], doc: Doc | None = None) -> Parameters:
    """The parameters of a function, from its signature and docstring.

    `self`, `*args` and `**kwargs` are left out (with `**kwargs`, unknown arguments are passed on), and so is a
    parameter with a default whose type has no JSON form. Raises `TypeError` for one without a default, and for an
    annotation that names something unknown.
    """
    doc = doc or read_docstring(function)
    hints = _hints(function)
    fields: dict[str, _Field] = {}
    positional: list[str] = []
    open_ended = False
    for parameter in inspect.signature(function).parameters.values():
        match parameter.kind:
            case parameter.VAR_POSITIONAL:
                continue
            case parameter.VAR_KEYWORD:
                open_ended = True
                continue
            case parameter.POSITIONAL_ONLY:
                positional.append(parameter.name)
            case _:
                pass
        fields[parameter.name] = _Field(
            _annotation(parameter, hints, doc),
            parameter.default is parameter.empty,
            doc.arguments.get(parameter.name, ""),
            parameter.default,
        )
    return _build(fields, open_ended, tuple(positional))


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    """Annotations of parameters, evaluated. That of the return value need not be one."""
    plain: Any = function
    while isinstance(plain, partial):
        plain = cast("partial[Any]", plain).func
    plain = inspect.unwrap(plain)
    if isinstance(plain, type):
        plain = plain.__init__
    if inspect.ismethod(plain):
        plain = inspect.unwrap(plain.__func__)
    elif not inspect.isroutine(plain):
        plain = inspect.unwrap(type(plain).__call__)
    if not inspect.isfunction(plain):
        return {}
    holder = types.SimpleNamespace(
        __annotations__={name: hint for name, hint in plain.__annotations__.items() if name != "return"}
    )
    try:
        enclosing = dict(inspect.getclosurevars(plain).nonlocals)
        return typing.get_type_hints(holder, plain.__globals__, enclosing, include_extras=True)
    except NameError as error:
        raise TypeError(
            f"An annotation of {plain.__name__} cannot be read: {error}. Define that name at the top of its module."
        ) from error


def _annotation(parameter: inspect.Parameter, hints: Mapping[str, Any], doc: Doc) -> Any:
    hint = hints.get(parameter.name, parameter.empty)
    if hint is not parameter.empty:
        return _or_none(hint) if parameter.default is None else hint
    default: object = parameter.default
    if default is not parameter.empty and default is not None:
        return type(default)
    named = _NAMED.get(doc.types.get(parameter.name, ""))
    optional = parameter.default is None
    if named is not None:
        return _union(named, None) if optional else named
    return _shown_as({"anyOf": [{"type": "string"}, {"type": "null"}]} if optional else {"type": "string"}, Any)


def _or_none(hint: Any) -> Any:
    """The type and null, described as the type is."""
    kind, *extras = typing.get_args(hint) if typing.get_origin(hint) is Annotated else (hint,)
    if kind in (Any, object) or (_is_union(kind) and types.NoneType in typing.get_args(kind)):
        return hint
    within, outside = _split(extras)
    return _annotated(_union(_annotated(kind, within), None), outside)


def read_docstring(function: Callable[..., Any]) -> Doc:
    """The docstring of a function in Google, NumPy or Sphinx style; empty when there is none."""
    source = inspect.getdoc(function) if inspect.isroutine(function) else function.__doc__
    if not source:
        return Doc("", {}, {})
    from docstring_parser import parse

    try:
        found = parse(source)
        if not found.params and "：" in source:
            # Chinese docstrings often put a full-width colon behind the name.
            found = parse(source.replace("：", ": "))
    except Exception:
        # No way of writing prose may keep a function from being a tool, and the parser trips over some.
        return Doc(inspect.cleandoc(source), {}, {})
    paragraphs = [part.strip() for part in (found.short_description, found.long_description) if part]
    return Doc(
        "\n\n".join(paragraphs),
        {item.arg_name: " ".join((item.description or "").split()) for item in found.params},
        {item.arg_name: (item.type_name or "").partition(",")[0].strip() for item in found.params},
    )


# --- from a list of parameters ---------------------------------------------------------------------------------------


def of_declared(parameters: Iterable[ToolParameter]) -> Parameters:
    """The parameters of a tool that lists them. An optional one may also be sent as null, which means not at all."""
    fields: dict[str, _Field] = {}
    for parameter in parameters:
        shown = _declared_schema(parameter)
        kind = loosen(type_of(shown))
        fields[parameter.name] = _Field(
            _shown_as(shown, kind if parameter.required else _union(kind, None)),
            parameter.required,
            parameter.description,
            inspect.Parameter.empty if parameter.default is None else parameter.default,
        )
    built = _build(fields, False, ())
    if len(built.required) == len(fields):
        return built
    required, read = frozenset(built.required), built.read

    def without_nulls(arguments: Any) -> dict[str, Any]:
        return {name: value for name, value in read(arguments).items() if value is not None or name in required}

    return Parameters(built.schema, without_nulls)


def of_schema(schema: Mapping[str, Any]) -> Parameters:
    """The parameters of a tool that comes with a JSON Schema of its own: shown as it is, and read as leniently as any.

    A schema that cannot be read passes arguments on as they are, and one that is none is shown without parameters. An
    optional argument may also be sent as null, which means not at all, unless the schema has a meaning for it.
    """
    try:
        shown: Schema = {"type": "object", "properties": {}, **plain_schema(dict(schema))}
        given = cast("Mapping[str, Any]", shown["properties"])
        properties: dict[str, Schema] = {name: one if isinstance(one, dict) else {} for name, one in given.items()}
        shown["properties"] = properties
        shown["required"] = [name for name in shown.get("required", ()) if name in properties]
    except Exception:
        # One tool of a server must not keep the others from being used.
        return Parameters({"type": "object", "properties": {}, "required": []}, lambda arguments: dict(arguments))
    required = frozenset(shown["required"])
    nullable = {name for name, one in properties.items() if _takes_null(one)}
    is_open = bool(shown.get("additionalProperties")) or "patternProperties" in shown or not properties
    fields = {name: _Field(_union(loosen(type_of(one)), None), name in required) for name, one in properties.items()}
    fields |= {
        name: _Field(loosen(type_of(one)), True)
        for name, one in properties.items()
        if name in required and name not in nullable
    }
    try:
        read = _build(fields, is_open, ()).read
    except Exception:
        # Another's schema may say what pydantic has no type for. The server reads the arguments, too.
        return Parameters(shown, lambda arguments: dict(arguments))

    def received(arguments: Any) -> dict[str, Any]:
        items = read(arguments).items()
        return {name: value for name, value in items if value is not None or name in required or name in nullable}

    return Parameters(shown, received)


def _takes_null(schema: Any) -> bool:
    """Whether null is a value of its own in this schema."""
    if not isinstance(schema, dict):  # `true` and `false` are schemas as well.
        return False
    said = cast("Schema", schema)
    kinds: Any = said.get("type")
    options: list[Any] = [*said.get("anyOf", ()), *said.get("oneOf", ())]
    return kinds == "null" or (isinstance(kinds, list) and "null" in kinds) or any(map(_takes_null, options))


def _declared_schema(parameter: ToolParameter) -> Schema:
    shown: Schema = {"type": JSON_TYPES.get(parameter.type, parameter.type)}
    if parameter.enum is not None:
        shown["enum"] = list(parameter.enum)
    if parameter.items is not None:
        shown["items"] = parameter.items
    if parameter.properties is not None:
        shown["properties"] = parameter.properties
    if shown["type"] not in JSON_TYPES.values():
        del shown["type"]
    return shown


def type_of(schema: Mapping[str, Any]) -> Any:
    """The Python type whose values a schema describes; `Any` where it says nothing that has one."""
    match schema:
        case {"enum": [*values]} if all(isinstance(value, (str, int, type(None))) for value in values) and values:
            return Literal[tuple(values)]
        case {"anyOf": [*options]} | {"oneOf": [*options]} if options:
            return _union(*(type_of(option) for option in options))
        case {"type": [*names]} if names:
            return _union(*(type_of({**schema, "type": name}) for name in names))
        case {"type": "array"}:
            return list[type_of(schema.get("items") or {})]
        case {"type": "object", "properties": properties} if properties:
            return _record_type(properties, frozenset(schema.get("required", ())))
        case {"type": str() as name}:
            return {
                "string": str,
                "integer": int,
                "number": int | float,
                "boolean": bool,
                "object": dict[str, Any],
                "null": None,
            }.get(name, Any)
        case _:
            return Any


def _record_type(properties: Mapping[str, Any], required: frozenset[str]) -> Any:
    from typing_extensions import TypedDict

    def item(name: str) -> Any:
        kind = loosen(type_of(properties[name]))
        return kind if name in required else NotRequired[kind]

    record: Any = TypedDict("Record", {name: item(name) for name in properties})  # pyright: ignore
    record.__pydantic_config__ = {"extra": "allow"}
    return record


# --- the generator ---------------------------------------------------------------------------------------------------


def _build(fields: Mapping[str, _Field], open_ended: bool, positional: tuple[str, ...]) -> Parameters:
    from pydantic import TypeAdapter
    from pydantic.errors import PydanticInvalidForJsonSchema, PydanticUserError

    try:
        adapter: TypeAdapter[Any] = TypeAdapter(_arguments_type(fields, open_ended))
        schema = plain_schema(adapter.json_schema())
    except (PydanticInvalidForJsonSchema, PydanticUserError):
        fields = _describable(fields)
        adapter = TypeAdapter(_arguments_type(fields, open_ended))
        schema = plain_schema(adapter.json_schema())
    except NameError as error:
        raise TypeError(
            f"A part of a parameter's type cannot be read: {error.name!r} is not defined. "
            "Define that name at the top of its module."
        ) from error
    if not open_ended:
        # Unknown names are refused anyhow, with better words than a schema has; the model need not read this.
        schema.pop("additionalProperties", None)
    properties = schema.setdefault("properties", {})
    for name, field in fields.items():
        properties[name] = _decorated(properties[name], field)
    schema = {"type": "object", "properties": properties, **schema}
    schema["required"] = [name for name, field in fields.items() if field.required]
    read = adapter.validator.validate_python
    if open_ended or not all(_is_scalar(properties[name], field) for name, field in fields.items()):
        # Where a type says nothing of what is inside, the tool would get the very objects of the model's message.
        return Parameters(schema, lambda arguments: read(_copied(arguments)), positional)
    return Parameters(schema, read, positional)


def _is_scalar(shown: Schema, field: _Field) -> bool:
    """Whether its values have no parts. One without a type is shown as a string, and may be anything."""
    untyped = Any in typing.get_args(field.annotation)[:1]
    return shown.get("type") in ("string", "integer", "number", "boolean", "null") and not untyped


def _copied(value: Any) -> Any:
    """JSON values of one's own."""
    if isinstance(value, dict):
        return {name: _copied(item) for name, item in cast("dict[Any, Any]", value).items()}
    if isinstance(value, list):
        return [_copied(item) for item in cast("list[Any]", value)]
    return value


def _arguments_type(fields: Mapping[str, _Field], open_ended: bool) -> Any:
    from typing_extensions import TypedDict

    types_of = {
        name: loosen(field.annotation) if field.required else NotRequired[loosen(field.annotation)]
        for name, field in fields.items()
    }
    # A TypedDict rather than a model: any name is allowed, and what was not sent stays absent.
    arguments: Any = TypedDict("Arguments", types_of)  # pyright: ignore
    arguments.__pydantic_config__ = {"extra": "allow" if open_ended else "forbid", "arbitrary_types_allowed": False}
    return arguments


def _describable(fields: Mapping[str, _Field]) -> dict[str, _Field]:
    """The fields whose types have a JSON form. Raises `TypeError` for a required one that has none."""
    from pydantic import TypeAdapter
    from pydantic.errors import PydanticInvalidForJsonSchema, PydanticUserError

    kept: dict[str, _Field] = {}
    for name, field in fields.items():
        try:
            TypeAdapter(loosen(field.annotation)).json_schema()
        except (PydanticInvalidForJsonSchema, PydanticUserError) as error:
            if error.code == "class-not-fully-defined":
                raise TypeError(
                    f"Parameter {name} is annotated with {field.annotation!r}, in which a name is not defined. "
                    "Define that name at the top of its module."
                ) from error
            if field.required:
                raise TypeError(
                    f"Parameter {name} is annotated with {field.annotation!r}, which a model cannot write as JSON. "
                    "Give it a default, or a type made of str, int, float, bool, list, dict, Enum or dataclasses."
                ) from error
            continue
        kept[name] = field
    return kept


def _decorated(shown: Schema, field: _Field) -> Schema:
    """The schema of one parameter with its description and default, in the order people read them."""
    description = shown.get("description") or field.description
    result: Schema = {"type": shown["type"]} if "type" in shown else {}
    if description:
        result["description"] = description
    result |= {key: value for key, value in shown.items() if key not in ("type", "description", "default")}
    default: object = field.default
    if isinstance(default, (str, int, float, bool, list, tuple, dict, Enum, types.NoneType)):
        result["default"] = to_plain(cast("object", default))
    return result


def _union(*kinds: Any) -> Any:
    return Union[kinds]  # noqa: UP007 (a value, not an annotation)


def _shown_as(schema: Schema, kind: Any) -> Any:
    from pydantic import WithJsonSchema

    return Annotated[kind, WithJsonSchema(schema)]


def plain_schema(schema: Schema) -> Schema:
    """The schema without titles and references. Only a type that contains itself keeps a `$ref` to its `$defs`.

    So do those that come after the first `MOST_REFERENCES`, and a keyword that is null is none.
    """
    defs: Mapping[str, Schema] = schema.get("$defs") or {}
    recursive: list[str] = []
    followed = 0

    def walk(part: Any, inside: tuple[str, ...]) -> Any:
        nonlocal followed
        if not isinstance(part, dict):
            return part
        node: Schema = {
            key: value for key, value in cast("Schema", part).items() if value is not None or key in _MAY_BE_NULL
        }
        if "$ref" in node:
            name = node["$ref"].rpartition("/")[2]
            rest = walk({key: value for key, value in node.items() if key != "$ref"}, inside)
            if name not in defs:
                return node
            followed += 1
            if name in inside or followed > MOST_REFERENCES:
                if name not in recursive:
                    recursive.append(name)
                return {"$ref": f"#/$defs/{name}", **rest}
            return {**walk(defs[name], (*inside, name)), **rest}
        result: Schema = {}
        for key, value in node.items():
            match key:
                case "title" | "$defs" | "discriminator":
                    continue
                case "properties" | "patternProperties":
                    result[key] = {name: walk(child, inside) for name, child in value.items()}
                case "anyOf" | "oneOf" | "allOf":
                    result[key] = [walk(child, inside) for child in value]
                case "prefixItems":
                    result["items"] = _common([walk(child, inside) for child in value])
                case "items" | "additionalProperties" | "not" | "contains" | "propertyNames":
                    result[key] = walk(value, inside)
                case "const":
                    result["enum"] = [value]
                case _:
                    result[key] = value
        if result.get("type") == "array":
            # Providers refuse an array that does not say what is in it.
            result.setdefault("items", {})
        return result

    result = walk(schema, ())
    for name in recursive:  # grows while it is walked
        result.setdefault("$defs", {})[name] = walk(defs[name], (name,))
    return result


def _common(schemas: Sequence[Schema]) -> Schema:
    """One schema for all members of a tuple, since providers do not know `prefixItems`."""
    different: list[Schema] = []
    for schema in schemas:
        if schema not in different:
            different.append(schema)
    return different[0] if len(different) == 1 else {"anyOf": different}


# --- conversion ------------------------------------------------------------------------------------------------------


def loosen(annotation: Any, inside: tuple[Any, ...] = ()) -> Any:
    """The annotation with the conversions of this module put in at every depth; `inside` are the types around it."""
    from pydantic import BeforeValidator, Field

    if annotation is bool:
        return Annotated[bool, BeforeValidator(_read_bool)]
    if annotation in (int, float):
        return Annotated[annotation, BeforeValidator(_no_bool)]
    if isinstance(annotation, typing.NewType):
        return loosen(annotation.__supertype__, inside)
    if type(annotation).__name__ == "TypeAliasType":  # `type Names = list[str]`, of typing or of typing_extensions.
        return annotation if annotation in inside else loosen(annotation.__value__, (*inside, annotation))
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Annotated:
        kind, *extras = arguments
        extras = [Field(description=extra) if isinstance(extra, str) else extra for extra in extras]
        options = typing.get_args(kind)
        if _is_union(kind) and len(options) == 2 and types.NoneType in options and all(map(_is_constraint, extras)):
            # Constraints speak of the value that is not null; only there does pydantic write them into the schema.
            within, extras = _split(extras)
            kind = _union(*(one if one is types.NoneType else _annotated(one, within) for one in options))
        return _with_extras(loosen(kind, inside), extras)
    if origin in (Required, NotRequired):
        # Inside a TypedDict, which knows by itself which of its keys are required.
        return loosen(arguments[0], inside)
    if _is_union(annotation):
        return _union(*(loosen(option, inside) for option in arguments))
    if origin is Literal:
        return _chosen(annotation, [one.value if isinstance(one, Enum) else one for one in arguments])
    base: Any = origin or annotation
    if base in _CONTAINERS or base in _MAPPINGS:
        parts = tuple(loosen(part, inside) for part in arguments)
        kind: Any = origin[parts] if origin and parts else annotation
        return Annotated[kind, BeforeValidator(_read_object if base in _MAPPINGS else _read_array)]
    if isinstance(base, type) and _is_enum(base):
        return _chosen(annotation, [one.value for one in annotation])
    if isinstance(base, type) and _has_parts(base):
        if typing.is_typeddict(annotation) and annotation not in inside:
            annotation = _loosened_record(annotation, (*inside, annotation))
        return Annotated[annotation, BeforeValidator(_read_object)]
    return annotation


def _is_union(kind: Any) -> bool:
    return typing.get_origin(kind) in (Union, types.UnionType)


def _is_constraint(extra: Any) -> bool:
    """Whether it limits or describes a value, and does not change it."""
    from annotated_types import BaseMetadata, GroupedMetadata
    from pydantic.fields import FieldInfo

    return isinstance(extra, (FieldInfo, BaseMetadata, GroupedMetadata))


def _split(extras: Iterable[Any]) -> tuple[list[Any], list[Any]]:
    """What speaks of the values of a type, and what describes the whole."""
    from pydantic.fields import FieldInfo

    within: list[Any] = []
    outside: list[Any] = []
    for extra in extras:
        if isinstance(extra, FieldInfo):
            within += extra.metadata
            extra = copy(extra)
            extra.metadata = []
        (outside if isinstance(extra, (str, FieldInfo)) else within).append(extra)
    return within, outside


def _annotated(kind: Any, extras: Sequence[Any]) -> Any:
    return Annotated[kind, *extras] if extras else kind


def _with_extras(kind: Any, extras: Sequence[Any]) -> Any:
    """The type with its author's constraints under our conversion, and the author's own conversions over it."""
    from pydantic import BeforeValidator, PlainValidator, WrapValidator

    base, ours = (typing.get_args(kind)[0], kind.__metadata__) if typing.get_origin(kind) is Annotated else (kind, ())
    first = next(
        (n for n, extra in enumerate(extras) if isinstance(extra, (BeforeValidator, PlainValidator, WrapValidator))),
        len(extras),
    )
    for extra in (*extras[:first], *ours, *extras[first:]):
        base = Annotated[base, extra]
    return base


def _loosened_record(record: Any, inside: tuple[Any, ...]) -> Any:
    """A TypedDict with the conversions put in. It comes from `typing_extensions`, since pydantic wants that on 3.11."""
    from typing_extensions import TypedDict

    hints = {name: loosen(kind, inside) for name, kind in typing.get_type_hints(record, include_extras=True).items()}
    fields = {name: kind if name in record.__required_keys__ else NotRequired[kind] for name, kind in hints.items()}
    loosened: Any = TypedDict(record.__name__, fields)  # pyright: ignore
    loosened.__doc__ = record.__doc__
    loosened.__pydantic_config__ = cast("dict[str, Any]", vars(record)).get("__pydantic_config__", {})
    return loosened


def _is_enum(kind: type[Any]) -> bool:
    return issubclass(kind, Enum)


def _has_parts(kind: type[Any]) -> bool:
    from pydantic import BaseModel

    return is_dataclass(kind) or typing.is_typeddict(kind) or issubclass(kind, BaseModel)


def _chosen(kind: Any, values: Sequence[object]) -> Any:
    """A type of these values. Numbers and booleans among them may come as text, as the keys of an object always do."""
    from pydantic import BeforeValidator

    texts = {json.dumps(value): value for value in values if isinstance(value, (bool, int, float))}
    if not texts:
        return kind
    no_bool = not any(isinstance(value, bool) for value in values)

    def read(value: Any) -> Any:
        if isinstance(value, str) and value not in values:
            return texts.get(value.strip().lower(), value)
        return _no_bool(value) if no_bool else value

    return Annotated[kind, BeforeValidator(read)]


def _no_bool(value: Any) -> Any:
    if value is True or value is False:
        raise ValueError("true and false are not numbers")
    return value


def _read_bool(value: Any) -> Any:
    if isinstance(value, str):
        match value.strip().lower():
            case "true" | "1":
                return True
            case "false" | "0":
                return False
            case _:
                raise ValueError("this is neither true nor false")
    return value


def _read_array(value: Any) -> Any:
    return _read_json(value, list) if isinstance(value, str) else value


def _read_object(value: Any) -> Any:
    return _read_json(value, dict) if isinstance(value, str) else value


def _read_json(value: str, kind: type) -> Any:
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return parsed if isinstance(parsed, kind) else value


# --- saying what is wrong --------------------------------------------------------------------------------------------


def explain(error: Exception, tool: str, parameters: Parameters, language: str = "en") -> str:
    """What is wrong with the arguments, in words that let a model repair them."""
    from pydantic import ValidationError

    if not isinstance(error, ValidationError):
        return text("tool.arguments", language, tool=tool, faults=f"{type(error).__name__}: {describe(error)}")
    wrong: dict[str, tuple[list[str], Any]] = {}
    faults: list[str] = []
    for fault in error.errors(include_url=False):
        place = fault["loc"]
        match fault["type"]:
            case "missing":
                faults.append(text("tool.arguments.missing", language, name=_path(place)))
            case "extra_forbidden" if len(place) == 1:
                faults.append(_unknown(str(place[0]), parameters.names, language))
            case _:
                whys, _value = wrong.setdefault(_path(place), ([], fault["input"]))
                why = fault["msg"].removeprefix("Value error, ")
                if why not in whys:
                    whys.append(why)
    for name, (whys, value) in wrong.items():
        shown = to_json(value)
        shown = shown if len(shown) <= 60 else f"{shown[:59]}…"
        faults.append(text("tool.arguments.wrong", language, name=name, why=" / ".join(whys), value=shown))
    return text("tool.arguments", language, tool=tool, faults="; ".join(faults))


def _unknown(name: str, names: list[str], language: str) -> str:
    from difflib import get_close_matches

    if not names:
        return text("tool.arguments.none", language, name=name)
    near = get_close_matches(name, names, 3, 0.5)
    if near:
        return text("tool.arguments.near", language, name=name, near=", ".join(near))
    return text("tool.arguments.unknown", language, name=name, names=", ".join(names))


def _path(place: tuple[int | str, ...]) -> str:
    """`("rows", 0, "a")` as `rows[0].a`; the labels that a union puts in between are left out."""
    path = str(place[0]) if place else "arguments"
    for part in place[1:]:
        match part:
            case int():
                path += f"[{part}]"
            case str() if part.isidentifier() and part not in _LABELS:
                path += f".{part}"
            case _:
                pass
    return path


_LABELS = frozenset({"str", "int", "float", "bool", "none", "dict", "list", "set", "tuple", "literal", "enum"})
