"""One schema generator, and the way back from arguments to values."""

import enum
import functools
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Literal, NewType, Optional, Required, TypedDict, Union

import pytest
from annotated_types import Ge
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, BeforeValidator, Field, ValidationError
from support.examples import examples
from tools.future_functions import annotated_later
from typing_extensions import TypeAliasType

from hello_agents.tools.base import FunctionTool, Tool, ToolParameter
from hello_agents.tools.builtin.calculator import CalculatorTool
from hello_agents.tools.registry import ToolRegistry
from hello_agents.tools.schema import of_declared, of_function, plain_schema, read_docstring
from hello_agents.tools.values import to_plain


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Point:
    x: int
    y: float = 0.0


class Edit(TypedDict):
    old: str
    new: str


class Node(BaseModel):
    name: str
    children: list["Node"] = []


class Person(BaseModel):
    title: str
    friend: Point


UserId = NewType("UserId", int)


def properties(function):
    return of_function(function).schema["properties"]


def read(function, **arguments):
    return of_function(function).read(arguments)


def a41(
    mode: Literal["a", "b"],
    color: Color,
    rows: list[dict[str, int]],
    kw: dict,
    u: str | list[str],
    n: int | None = None,
    x=3,
):
    pass


def test_the_types_of_a41():
    schema = of_function(a41).schema
    assert schema["required"] == ["mode", "color", "rows", "kw", "u"]
    assert schema["properties"] == {
        "mode": {"type": "string", "enum": ["a", "b"]},
        "color": {"type": "string", "enum": ["red", "blue"]},
        "rows": {"type": "array", "items": {"type": "object", "additionalProperties": {"type": "integer"}}},
        "kw": {"type": "object", "additionalProperties": True},
        "u": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
        "n": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
        "x": {"type": "integer", "default": 3},
    }


def test_future_annotations_make_the_same_schema():
    assert of_function(annotated_later).schema == of_function(a41).schema | {
        "properties": of_function(a41).schema["properties"]
    }


def test_an_enum_arrives_as_its_member():
    assert read(a41, mode="a", color="red", rows=[], kw={}, u="x")["color"] is Color.RED


def test_old_spellings_of_types():
    def f(a: Optional[int], b: Union[int, str], c: Sequence[int], d: UserId, e: date):  # noqa: UP007, UP045
        pass

    shown = properties(f)
    assert shown["a"] == {"anyOf": [{"type": "integer"}, {"type": "null"}]}
    assert shown["b"] == {"anyOf": [{"type": "integer"}, {"type": "string"}]}
    assert shown["c"] == {"type": "array", "items": {"type": "integer"}}
    assert shown["d"] == {"type": "integer"}
    assert read(f, a=None, b="3", c=["3"], d="4", e="2024-02-01") == {
        "a": None,
        "b": "3",
        "c": [3],
        "d": 4,
        "e": date(2024, 2, 1),
    }


def test_optional_without_default_is_required():
    def f(n: int | None):
        pass

    assert of_function(f).schema["required"] == ["n"]


def nested(
    points: list[Point], edits: list[Edit], pair: tuple[int, str], same: tuple[int, int], tags: set[str], any_list: list
):
    pass


def test_nested_types_stand_in_place():
    shown = properties(nested)
    assert shown["points"]["items"]["properties"] == {"x": {"type": "integer"}, "y": {"type": "number", "default": 0.0}}
    assert shown["edits"]["items"]["properties"] == {"old": {"type": "string"}, "new": {"type": "string"}}
    assert shown["edits"]["items"]["required"] == ["old", "new"]
    assert shown["pair"]["items"] == {"anyOf": [{"type": "integer"}, {"type": "string"}]}
    assert shown["same"]["items"] == {"type": "integer"}
    assert shown["any_list"] == {"type": "array", "items": {}}


def arrays(schema):
    if isinstance(schema, dict):
        if schema.get("type") == "array":
            yield schema
        for value in schema.values():
            yield from arrays(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from arrays(value)


def keywords(schema, inside_properties=False):
    """Keys in the position of a keyword."""
    if isinstance(schema, dict):
        for key, value in schema.items():
            if not inside_properties:
                yield key
            if key not in ("default", "enum") or inside_properties:
                yield from keywords(value, key == "properties" and not inside_properties)
    elif isinstance(schema, list):
        for value in schema:
            yield from keywords(value)


@pytest.mark.parametrize("function", [a41, nested])
def test_every_array_says_what_is_in_it_and_nothing_is_titled_or_referred_to(function):
    schema = of_function(function).schema
    assert all("items" in array for array in arrays(schema))
    assert not {"title", "$ref", "$defs", "prefixItems", "const"} & set(keywords(schema))


def test_a_parameter_may_be_called_like_a_keyword():
    def f(title: str, type: int, properties: list[str], person: Person, default: str = "title"):
        pass

    shown = properties(f)
    assert list(shown) == ["title", "type", "properties", "person", "default"]
    assert list(shown["person"]["properties"]) == ["title", "friend"]
    assert read(f, title="a", type=1, properties=[], person={"title": "t", "friend": {"x": 1}})["type"] == 1


def test_a_recursive_type_keeps_its_reference():
    def f(tree: Node):
        pass

    schema = of_function(f).schema
    assert schema["properties"]["tree"]["properties"]["children"]["items"] == {"$ref": "#/$defs/Node"}
    assert schema["$defs"]["Node"]["properties"]["children"]["items"] == {"$ref": "#/$defs/Node"}
    assert read(f, tree={"name": "a", "children": [{"name": "b"}]})["tree"].children[0].name == "b"


def test_descriptions_come_from_annotations_or_the_docstring():
    def f(a: Annotated[int, "the first"], b: Annotated[int, Field(description="the second", ge=0)], c: int):
        """Adds.

        Args:
            a: not this
            c: the third
        """

    shown = properties(f)
    assert [shown[name]["description"] for name in "abc"] == ["the first", "the second", "the third"]
    assert shown["b"]["minimum"] == 0
    with pytest.raises(ValueError, match="greater"):
        read(f, a=1, b=-1, c=1)


def test_constraints_of_an_optional_value_stand_where_its_type_does():
    def f(
        a: Annotated[int | None, Field(ge=1, description="first")] = None,
        b: Annotated[Optional[float], "second", Ge(0)] = None,  # noqa: UP045
        c: Annotated[list[int] | None, Field(min_length=1)] = None,
        d: Annotated[str | None, BeforeValidator(lambda value: value or "none")] = None,
    ):
        pass

    assert properties(f) == {
        "a": {"description": "first", "anyOf": [{"minimum": 1, "type": "integer"}, {"type": "null"}], "default": None},
        "b": {"description": "second", "anyOf": [{"minimum": 0, "type": "number"}, {"type": "null"}], "default": None},
        "c": {
            "anyOf": [{"items": {"type": "integer"}, "minItems": 1, "type": "array"}, {"type": "null"}],
            "default": None,
        },
        "d": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
    }
    assert read(f, a="1", b=None, c="[1]", d=None) == {"a": 1, "b": None, "c": [1], "d": "none"}
    for wrong in ({"a": 0}, {"a": True}, {"b": -1}, {"c": []}):
        with pytest.raises(ValidationError):
            read(f, **wrong)


def test_null_is_taken_where_it_is_the_default():
    def f(
        a: int = None,  # noqa: RUF013
        b: Annotated[int, "second", Field(ge=1)] = None,  # noqa: RUF013
        c: Point = None,
        d: Any = None,
        e: int | None = None,
    ):
        pass

    shown = properties(f)
    for name, described in {"a": {}, "b": {"minimum": 1}}.items():
        assert shown[name]["anyOf"] == [{"type": "integer", **described}, {"type": "null"}]
    assert shown["b"]["description"] == "second"
    assert shown["a"] == shown["e"]
    assert read(f, a=None, b=None, c=None, d=None, e=None) == dict.fromkeys("abcde")
    assert read(f, a="2", b="3", c='{"x": 1}') == {"a": 2, "b": 3, "c": Point(1)}
    with pytest.raises(ValidationError):
        read(f, b=0)


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Mixed(enum.Enum):
    NUMBER = 3
    WORD = "red"
    YES = True


def test_numbers_of_a_choice_may_come_as_text():
    def f(
        a: Literal[1, 2] = 1,
        b: Literal["x", 3, True] = "x",
        c: Level = Level.LOW,
        d: Mixed = Mixed.WORD,
        e: list[Literal[1, 2]] | None = None,
        f: dict[Level, bool] | None = None,
    ):
        pass

    assert read(f, a="2", b="3", c="2", d=" 3 ", e='["1"]', f={"2": "true"}) == {
        "a": 2,
        "b": 3,
        "c": Level.HIGH,
        "d": Mixed.NUMBER,
        "e": [1],
        "f": {Level.HIGH: True},
    }
    assert read(f, b="TRUE", d="true") == {"b": True, "d": Mixed.YES}
    assert read(f, a=1, b="x", c=1, d="red") == {"a": 1, "b": "x", "c": Level.LOW, "d": Mixed.WORD}
    for wrong in ({"a": True}, {"c": True}, {"a": "3"}, {"b": "X"}, {"c": "LOW"}, {"d": "NUMBER"}):
        with pytest.raises(ValidationError):
            read(f, **wrong)


def test_an_alias_is_what_it_stands_for():
    names: Any = TypeAliasType("names", list[int])
    tree: Any = TypeAliasType("tree", dict[str, "tree"])

    def f(a: names, b: names | None = None, c: TypeAliasType("Flag", bool) = False):
        pass

    assert properties(f)["a"] == {"type": "array", "items": {"type": "integer"}}
    assert read(f, a='["1"]', b="[2]", c=" FALSE ") == {"a": [1], "b": [2], "c": False}
    with pytest.raises(ValidationError):
        read(f, a=[], c="yes")
    assert tree.__name__ == "tree"


def test_the_authors_own_conversion_comes_first():
    def yes(value):
        return value == "yes"

    def f(a: Annotated[bool, BeforeValidator(yes)], b: Annotated[list[int], Field(min_length=1)], c: list[Edit]):
        pass

    assert read(f, a="yes", b="[1]", c='[{"old": "a", "new": "b"}]')["a"] is True
    assert properties(f)["b"]["minItems"] == 1


def test_a_typed_dict_is_converted_inside():
    class Options(TypedDict, total=False):
        deep: Required[bool]
        depth: int

    def f(options: Options):
        pass

    assert properties(f)["options"]["required"] == ["deep"]
    assert read(f, options={"deep": "False"}) == {"options": {"deep": False}}
    with pytest.raises(ValidationError):
        read(f, options={"deep": "no"})
    with pytest.raises(ValidationError):
        read(f, options={"deep": False, "depth": True})


def test_what_is_left_out():
    class Thing:
        def method(self, a: int, *args: int, key: str = "k", **kwargs: Any):
            """Does."""

    parameters = of_function(Thing().method)
    assert parameters.names == ["a", "key"]
    assert parameters.read({"a": 1, "other": 2}) == {"a": 1, "other": 2}


def test_a_type_without_a_json_form():
    class Session:
        pass

    def with_default(a: int, session: Session = Session(), hook: Callable[[], int] = len):  # noqa: B008
        pass

    def without(a: int, session: Session):
        pass

    assert of_function(with_default).names == ["a"]
    with pytest.raises(TypeError, match="session"):
        of_function(without)


def test_an_annotation_that_cannot_be_read():
    def f(a: "Missing"):  # noqa: F821
        pass

    with pytest.raises(TypeError, match="Missing"):
        of_function(f)


def test_a_part_of_a_type_that_cannot_be_read():
    @dataclass
    class Holder:
        part: "Nowhere"  # noqa: F821

    class Record(TypedDict):
        part: "Nowhere"  # noqa: F821

    def held(a: Holder):
        pass

    def recorded(a: Record):
        pass

    for function in (held, recorded):
        with pytest.raises(TypeError, match=r"not defined\. Define"):
            of_function(function)


def test_a_class_is_called_by_its_name_and_takes_what_it_is_made_of():
    tool = FunctionTool(Point)
    assert tool.name == "Point"
    assert tool.parameters.schema["properties"] == {"x": {"type": "integer"}, "y": {"type": "number", "default": 0.0}}
    assert tool.run({"x": "1"}).text == '{"x": 1, "y": 0.0}'


def test_a_class_of_tools_is_no_tool():
    with pytest.raises(TypeError, match=r"CalculatorTool is a class of tools.*CalculatorTool\("):
        ToolRegistry().register_tool(CalculatorTool)


def test_local_types_of_closures_and_unreadable_return_types():
    class Local(enum.Enum):
        A = 1

    def f(a: "Local") -> "Nowhere":  # noqa: F821
        return Local.A

    assert properties(f)["a"] == {"type": "integer", "enum": [1]}


def test_no_annotation():
    def f(a, b=None, c=2.5, d=Color.RED, e=True, f="x", g=(), h=[1]):  # noqa: B006
        pass

    assert properties(f) == {
        "a": {"type": "string"},
        "b": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
        "c": {"type": "number", "default": 2.5},
        "d": {"type": "string", "enum": ["red", "blue"], "default": "red"},
        "e": {"type": "boolean", "default": True},
        "f": {"type": "string", "default": "x"},
        "g": {"type": "array", "items": {}, "default": []},
        "h": {"type": "array", "items": {}, "default": [1]},
    }
    assert read(f, a=5)["a"] == 5, "nothing was declared, so nothing is converted"


def test_a_docstring_may_tell_the_type():
    def f(a, b=None):
        """Adds.

        Parameters
        ----------
        a : int
            first
        b : int, optional
            second
        """

    assert properties(f)["a"] == {"type": "integer", "description": "first"}
    assert properties(f)["b"]["anyOf"] == [{"type": "integer"}, {"type": "null"}]
    assert read(f, a="3") == {"a": 3}


def test_partials_callables_and_positional_parameters():
    def add(a: int, b: int, /, c: int = 0):
        return a + b + c

    class Adder:
        """Adds."""

        def __call__(self, a: int) -> int:
            return a + 1

    @functools.wraps(add)
    def wrapped(*args, **kwargs):
        return add(*args, **kwargs)

    assert FunctionTool(add).run({"a": "1", "b": 2, "c": 3}).text == "6"
    assert FunctionTool(functools.partial(add, 1)).run({"b": 2}).text == "3"
    assert FunctionTool(Adder()).run({"a": "2"}).text == "3"
    assert FunctionTool(Adder()).name == "Adder"
    assert FunctionTool(wrapped).run({"a": 1, "b": 2}).text == "3"
    assert FunctionTool(len, "length").parameters.names == ["obj"]


DOCS = {
    '查书。\n\nRaises:\n    ValueError: when\n\nArgs:\n    title (str) : 书名 (ex. "3:5")\n    n: how many: 3': (
        "查书。",
        {"title": '书名 (ex. "3:5")', "n": "how many: 3"},
    ),
    "Find.\n\nMore: of it.\n\nAnd more.\n\nArgs:\n    a: first\n        goes on\n\nReturns:\n    int: x": (
        "Find.\n\nMore: of it.\n\nAnd more.",
        {"a": "first goes on"},
    ),
    "Sum.\n\n:param a: first: thing\n:type a: int\n:returns: x": ("Sum.", {"a": "first: thing"}),
    "Sum.\n\nParameters\n----------\na : int\n    first\nb : str, optional\n    second: x\n": (
        "Sum.",
        {"a": "first", "b": "second: x"},
    ),
    "查天气。\n\nArgs:\n    city: 城市：北京\n": ("查天气。", {"city": "城市：北京"}),
    "查天气。\n\nArgs:\n    city：城市\n": ("查天气。", {"city": "城市"}),
    "Plain": ("Plain", {}),
    "One\nline after another.": ("One\nline after another.", {}),
    "": ("", {}),
}


@pytest.mark.parametrize(("doc", "found"), DOCS.items(), ids=range(len(DOCS)))
def test_docstrings(doc, found):
    def f():
        pass

    f.__doc__ = doc
    parsed = read_docstring(f)
    description, arguments = found
    assert " ".join(parsed.description.split()) == " ".join(description.split())
    assert dict(parsed.arguments) == arguments


@given(st.text(st.sampled_from("aA:() \n-Args:Raises#`“”：\t*"), max_size=80))
def test_no_docstring_raises(doc):
    def f(a: int):
        pass

    f.__doc__ = doc
    read_docstring(f)


def test_no_docstring_is_an_empty_description():
    def f():
        pass

    assert FunctionTool(f).description == ""
    assert FunctionTool(f).to_openai_schema() == {
        "type": "function",
        "function": {
            "name": "f",
            "description": "",
            "parameters": {"type": "object", "properties": {}, "required": []},
        },
    }


# --- conversion --------------------------------------------------------------------------------------------------


def typed(i: int = 0, f: float = 0, b: bool = False, s: str = "", l: list[int] = (), d: dict[str, bool] = {}):  # noqa: B006, E741
    pass


@pytest.mark.parametrize(
    ("name", "sent", "received"),
    [
        ("i", "3", 3),
        ("i", " 3 ", 3),
        ("i", 3.0, 3),
        ("f", "2.5", 2.5),
        ("f", 2, 2.0),
        ("b", "true", True),
        ("b", " TRUE ", True),
        ("b", "false", False),
        ("b", "False", False),
        ("b", "0", False),
        ("b", "1", True),
        ("b", 0, False),
        ("b", 1, True),
        ("s", "3", "3"),
        ("s", "true", "true"),
        ("s", "[1]", "[1]"),
        ("s", "", ""),
        ("l", "[1, 2]", [1, 2]),
        ("l", ["1"], [1]),
        ("d", '{"a": "false"}', {"a": False}),
    ],
)
def test_converted(name, sent, received):
    got = read(typed, **{name: sent})[name]
    assert got == received
    assert type(got) is type(received)


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("i", True),
        ("i", "three"),
        ("i", 3.5),
        ("i", ""),
        ("i", None),
        ("f", True),
        ("f", "x"),
        ("b", "yes"),
        ("b", "no"),
        ("b", ""),
        ("b", 2),
        ("b", "2"),
        ("b", None),
        ("s", 3),
        ("s", None),
        ("s", ["a"]),
        ("l", "1, 2"),
        ("l", '{"a": 1}'),
        ("l", [True]),
        ("d", "[1]"),
        ("d", {"a": "maybe"}),
    ],
)
def test_refused(name, sent):
    with pytest.raises(ValidationError):
        read(typed, **{name: sent})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
TYPED = of_function(typed)


@given(st.sampled_from("ifbsld"), JSON)
def test_conversion_gives_the_declared_type_or_refuses(name, value):
    try:
        got = TYPED.read({name: value})[name]
    except ValueError:
        return
    assert type(got) is {"i": int, "f": float, "b": bool, "s": str, "l": list, "d": dict}[name]
    assert TYPED.read({name: got})[name] == got, "converting twice is converting once"


@given(st.text())
def test_text_for_a_string_is_never_touched(value):
    assert TYPED.read({"s": value}) == {"s": value}


@given(st.text(max_size=8))
def test_text_is_never_taken_for_truth(value):
    try:
        got = TYPED.read({"b": value})["b"]
    except ValueError:
        return
    assert value.strip().lower() in (("true", "1") if got else ("false", "0"))


def test_arguments_are_copied():
    sent = {"rows": [{"a": 1}], "mode": "a", "color": "red", "kw": {}, "u": []}
    received = of_function(a41).read(sent)
    received["rows"][0]["a"] = 2
    received["mode"] = "b"
    assert sent["rows"] == [{"a": 1}]
    assert sent["mode"] == "a"


def values_of(schema, defs):
    """A strategy for the values that a schema describes."""
    match schema:
        case {"$ref": name}:
            return st.deferred(lambda: values_of(defs[name.rpartition("/")[2]], defs))
        case {"enum": options}:
            return st.sampled_from(options)
        case {"anyOf": options}:
            return st.one_of([values_of(option, defs) for option in options])
        case {"type": "array"}:
            unique = schema.get("uniqueItems", False)
            return st.lists(
                values_of(schema["items"], defs),
                min_size=schema.get("minItems", 0),
                max_size=schema.get("maxItems", 2),
                unique=unique,
            )
        case {"type": "object"}:
            parts = {name: values_of(part, defs) for name, part in schema.get("properties", {}).items()}
            required = set(schema.get("required", ()))
            more = schema.get("additionalProperties")
            if not parts and more is not None:
                return st.dictionaries(st.text(max_size=3), values_of({} if more is True else more, defs), max_size=2)
            return st.fixed_dictionaries(
                {name: part for name, part in parts.items() if name in required},
                optional={name: part for name, part in parts.items() if name not in required},
            )
        case {"type": name}:
            return {
                "string": st.text(max_size=5),
                "integer": st.integers(),
                "number": st.integers(-9, 9) | st.floats(allow_nan=False, allow_infinity=False),
                "boolean": st.booleans(),
                "null": st.none(),
            }[name]
        case _:
            return st.integers() | st.text(max_size=3)


TYPES = st.recursive(
    st.sampled_from([int, str, float, bool, Color, Point, Edit, Node, Literal["a", 1], Any, dict, list, type(None)]),
    lambda inner: st.one_of(
        inner.map(lambda kind: list[kind]),
        inner.map(lambda kind: dict[str, kind]),
        inner.map(lambda kind: tuple[kind, kind]),
        inner.map(lambda kind: kind | None if kind is not type(None) else kind),
        st.tuples(inner, inner).map(lambda kinds: Union[kinds]),  # noqa: UP007,
    ),
    max_leaves=3,
)


@given(st.data(), st.lists(TYPES, min_size=1, max_size=3))
@settings(max_examples=examples(80), deadline=None)
def test_whatever_the_schema_describes_is_accepted(data, kinds):
    def f(**kwargs):
        pass

    import inspect

    f.__signature__ = inspect.Signature(
        [inspect.Parameter(f"p{n}", inspect.Parameter.KEYWORD_ONLY) for n in range(len(kinds))]
    )
    f.__annotations__ = {f"p{n}": kind for n, kind in enumerate(kinds)}
    parameters = of_function(f)
    json.dumps(parameters.schema)
    assert all("items" in array for array in arrays(parameters.schema))
    arguments = data.draw(values_of(parameters.schema, parameters.schema.get("$defs", {})))
    assert set(parameters.read(arguments)) == set(arguments)


# --- lists of parameters -----------------------------------------------------------------------------------------


TODO = {
    "type": "object",
    "properties": {"content": {"type": "string"}, "status": {"type": "string", "enum": ["open", "done"]}},
    "required": ["content"],
}


class Listed(Tool):
    """A tool in the manner of the tutorial."""

    def __init__(self):
        super().__init__("listed", "Lists.")

    def get_parameters(self):
        return [
            ToolParameter(name="todos", type="array", description="What.", items=TODO),
            ToolParameter(name="raw", type="array", description="Anything.", required=False),
            ToolParameter(name="n", type="integer", description="How many.", required=False, default=5),
            ToolParameter(name="mode", type="string", description="How.", required=False, enum=["a", "b"]),
            ToolParameter(name="flag", type="boolean", description="Whether.", required=False),
            ToolParameter(name="box", type="object", description="Box.", required=False),
        ]

    def run(self, parameters):
        return parameters


def test_a_list_of_parameters_is_a_schema():
    schema = Listed().parameters.schema
    assert schema["required"] == ["todos"]
    assert schema["properties"]["todos"] == {"type": "array", "description": "What.", "items": TODO}
    assert schema["properties"]["raw"] == {"type": "array", "description": "Anything.", "items": {}}
    assert schema["properties"]["n"] == {"type": "integer", "description": "How many.", "default": 5}
    assert schema["properties"]["mode"]["enum"] == ["a", "b"]


def test_there_is_one_schema():
    registry = ToolRegistry()
    tool = Listed()
    registry.register_tool(tool)
    assert json.dumps(registry.schemas()[0]) == json.dumps(tool.to_openai_schema())
    assert tool.to_openai_schema()["function"]["parameters"] == of_declared(tool.get_parameters()).schema


@pytest.mark.parametrize(
    ("sent", "received"),
    [
        ({"todos": [{"content": "a"}]}, {"todos": [{"content": "a"}]}),
        ({"todos": '[{"content": "a"}]', "n": "4"}, {"todos": [{"content": "a"}], "n": 4}),
        ({"todos": [], "n": None, "mode": None}, {"todos": []}),
        ({"todos": [], "flag": "False", "raw": [1, "a"]}, {"todos": [], "flag": False, "raw": [1, "a"]}),
        ({"todos": [], "box": '{"a": 1}'}, {"todos": [], "box": {"a": 1}}),
    ],
)
def test_listed_arguments(sent, received):
    assert Listed().parameters.read(sent) == received
    assert Listed().validate_parameters(sent)


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"todos": None},
        {"todos": [{"content": 1}]},
        {"todos": [{"status": "open"}]},
        {"todos": [{"content": "a", "status": "x"}]},
        {"todos": [], "mode": "c"},
        {"todos": [], "n": True},
        {"todos": [], "other": 1},
    ],
)
def test_listed_arguments_refused(sent):
    assert not Listed().validate_parameters(sent)


@pytest.mark.parametrize("name", ["str", "int", "float", "bool", "list", "dict", "any", "weird"])
def test_python_names_of_types_are_understood(name):
    schema = of_declared([ToolParameter("a", name, "A.")]).schema
    expected = {
        "str": "string",
        "int": "integer",
        "float": "number",
        "bool": "boolean",
        "list": "array",
        "dict": "object",
    }
    assert schema["properties"]["a"].get("type") == expected.get(name)


def test_plain_schema_resolves_references_with_neighbours():
    schema = {
        "$defs": {"A": {"title": "A", "type": "string", "enum": ["x"]}},
        "properties": {"a": {"$ref": "#/$defs/A", "description": "d", "default": "x"}},
    }
    assert plain_schema(schema) == {
        "properties": {"a": {"type": "string", "enum": ["x"], "description": "d", "default": "x"}}
    }


def test_references_that_multiply_stay():
    parts = {f"A{n}": {"properties": {k: {"$ref": f"#/$defs/A{n + 1}"} for k in "lr"}} for n in range(40)}
    schema = {"$defs": {**parts, "A40": {"type": "string"}}, "properties": {"a": {"$ref": "#/$defs/A0"}}}
    plain = plain_schema(schema)
    assert len(json.dumps(plain)) < 200_000
    left = set(re.findall(r"#/\$defs/(\w+)", json.dumps(plain)))
    assert left
    assert left <= plain["$defs"].keys()


def test_defaults_are_plain():
    assert to_plain((Color.RED, {1})) == ["red", [1]]
