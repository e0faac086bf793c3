"""Schemas as tools of all kinds bring them: what kind they ask for, what fits, and the emptiest value that does."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hello_agents.offline.filling import item_value, main_text
from hello_agents.offline.offers import blank, fits, kind_of

SCALARS: list[dict[str, Any]] = [{"type": kind} for kind in ("string", "integer", "number", "boolean", "null")]
OPTIONS: list[dict[str, Any]] = [{"enum": ["a", "b"]}, {"type": "integer", "enum": [3, 4]}, {"enum": [True]}]
SCHEMAS = st.recursive(
    st.sampled_from([*SCALARS, *OPTIONS, {"type": "array"}, {"type": "object"}, {}]),
    lambda inner: st.one_of(
        inner.map(lambda schema: {"type": "array", "items": schema}),
        st.dictionaries(st.sampled_from("xyz"), inner, max_size=3).map(
            lambda parts: {"type": "object", "properties": parts, "required": sorted(parts)}
        ),
        inner.map(lambda schema: {"anyOf": [{"type": "null"}, schema]}),
    ),
    max_leaves=6,
)


@given(schema=SCHEMAS)
def test_the_blank_value_fits(schema: dict[str, Any]) -> None:
    value = blank(schema)
    assert fits(value, schema) or (value is None and kind_of(schema) == "null")


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        ({"type": ["null", "integer"]}, "integer"),
        ({"anyOf": [{"type": "null"}, {"type": "string"}]}, "string"),
        ({"oneOf": [{}, {"type": "boolean"}]}, "boolean"),
        ({"allOf": [{"type": "array"}]}, "array"),
        ({"type": "null"}, "null"),
        ({"enum": [True]}, "boolean"),
        ({"enum": [2]}, "integer"),
        ({"enum": [2.5]}, "number"),
        ({"enum": ["x"]}, "string"),
        ({"enum": [None]}, "any"),
        ({"type": 7}, "any"),
        ({}, "any"),
    ],
)
def test_the_kind(schema: dict[str, Any], kind: str) -> None:
    assert kind_of(schema) == kind


OBJECT = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a", 5]}


@pytest.mark.parametrize(
    ("value", "schema", "fit"),
    [
        (True, {"type": "integer"}, False),
        (1, {"type": "number"}, True),
        (True, {"type": "number"}, False),
        (None, {"type": "null"}, True),
        (0, {"type": "null"}, False),
        (1, {"enum": [True]}, False),
        (["a", 1], {"type": "array", "items": {"type": "string"}}, False),
        ({"a": 1, "b": "more"}, OBJECT, True),
        ({"a": "1"}, OBJECT, False),
        ({}, OBJECT, False),
        ([], OBJECT, False),
    ],
)
def test_what_fits(value: Any, schema: dict[str, Any], fit: bool) -> None:
    assert fits(value, schema) is fit


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string", "default": "d"}, "d"),
        ({"type": "string", "default": 3}, ""),
        ({"type": "integer", "enum": ["no", 4]}, 4),
        ({"type": "integer", "enum": ["no"]}, "no"),
        ({"type": "boolean"}, False),
        ({"type": "null"}, None),
        ({"type": "shape"}, None),
        (OBJECT, {"a": 0}),
    ],
)
def test_the_emptiest_value(schema: dict[str, Any], value: Any) -> None:
    assert blank(schema) == value
    assert type(blank(schema)) is type(value)


def test_a_schema_that_holds_itself_comes_to_an_end() -> None:
    schema: dict[str, Any] = {"type": "object", "required": ["again"], "properties": {}}
    schema["properties"]["again"] = schema
    value, depth = blank(schema), 0
    while value:
        value, depth = value["again"], depth + 1
    assert depth == 6


@pytest.mark.parametrize(
    ("properties", "required", "item"),
    [
        ({"content": {"type": "string"}, "status": {"enum": ["done", "pending"]}}, ["content", "status"],
         {"content": "x", "status": "pending"}),
        ({"id": {"type": "integer"}, "title": {"type": "string"}}, ["id", "title"], {"title": "x", "id": 3}),
        ({"number": {"type": "string"}, "what": {"type": "string"}}, ["what", "number"], {"what": "x", "number": "3"}),
        ({"index": {"type": "boolean"}, "text": {"type": "string"}}, ["index"], {"text": "x", "index": False}),
        ({"mode": {"enum": ["fast", "slow"]}, "goal": {"type": "string"}}, ["mode"], {"goal": "x", "mode": "fast"}),
        ({"n": {"type": "integer"}}, ["n"], {"n": 0}),
        ({"odd": {"type": "string"}}, [], {"odd": "x"}),
    ],
)  # fmt: skip
def test_an_item_of_a_list_of_objects(properties: dict[str, Any], required: list[str], item: dict[str, Any]) -> None:
    schema = {"type": "object", "properties": properties, "required": required}
    assert item_value("x", schema, 2) == item
    assert item_value("x", {"type": "string"}) == "x"
    assert (main_text(properties, required) is None) is ("x" not in item.values())
