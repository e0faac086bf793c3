"""Responses in three states, codes, and values as text."""

import enum
import json
import math
import threading
import uuid
from collections import namedtuple
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, RootModel

from hello_agents.catalogue import TEXTS, text
from hello_agents.tools import ToolErrorCode, ToolResponse, ToolStatus
from hello_agents.tools.executor import respond, say
from hello_agents.tools.values import to_json


def test_three_states():
    assert ToolResponse.success("fine", {"a": 1}).status is ToolStatus.SUCCESS
    assert ToolResponse.partial("half").status is ToolStatus.PARTIAL
    failed = ToolResponse.error(ToolErrorCode.NOT_FOUND, "no such thing")
    assert failed.status is ToolStatus.ERROR
    assert failed.error_info == {"code": "NOT_FOUND", "message": "no such thing"}
    assert (failed.code, ToolResponse.success("").code) == ("NOT_FOUND", None)
    assert str(failed) == "no such thing"
    assert [status.value for status in ToolStatus] == ["success", "partial", "error"]


@given(st.sampled_from(["success", "partial"]), st.text(), st.dictionaries(st.text(), st.integers() | st.text()))
def test_a_response_goes_to_json_and_back(state, words, data):
    make = ToolResponse.success if state == "success" else ToolResponse.partial
    response = make(words, data, stats={"time_ms": 3}, context={"tool_name": "t"})
    assert ToolResponse.from_json(response.to_json()) == response
    assert ToolResponse.from_dict(response.to_dict()) == response


def test_an_error_goes_to_json_and_back():
    response = ToolResponse.error("MY_CODE", "错")
    assert ToolResponse.from_json(response.to_json()) == response
    assert "错" in response.to_json()


def test_codes():
    codes = ToolErrorCode.get_all_codes()
    assert {"NOT_FOUND", "CIRCUIT_OPEN", "RATE_LIMIT", "INTERRUPTED", "REFUSED", "NOT_RUN"} <= set(codes)
    assert ToolErrorCode.is_valid_code("TIMEOUT")
    assert not ToolErrorCode.is_valid_code("timeout")
    assert not ToolErrorCode.is_valid_code("get_all_codes")


class Color(enum.Enum):
    RED = "red"


@dataclass
class Point:
    x: int
    when: date


class Model(BaseModel):
    name: str


Pair = namedtuple("Pair", "a b")


class Silent:
    pass


class Spoken:
    def __str__(self):
        return "spoken"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("", ""),
        ("text", "text"),
        (0, "0"),
        (False, "false"),
        (True, "true"),
        ([], "[]"),
        ({}, "{}"),
        (None, text("tool.none")),
        (1.5, "1.5"),
        (math.nan, '"NaN"'),
        (-math.inf, '"-Infinity"'),
        ({"城市": "北京", "e": "🚀"}, '{"城市": "北京", "e": "🚀"}'),
        (datetime(2024, 2, 1, 3, 4), '"2024-02-01T03:04:00"'),
        ({"a": [math.nan, {1, 3, 2}]}, '{"a": ["NaN", [1, 2, 3]]}'),
        ({1: "a", None: "b", (1, 2): "c", Color.RED: "d"}, '{"1": "a", "null": "b", "[1, 2]": "c", "red": "d"}'),
        (Color.RED, '"red"'),
        (Point(1, date(2024, 2, 1)), '{"x": 1, "when": "2024-02-01"}'),
        ([Model(name="a")], '[{"name": "a"}]'),
        (Pair(1, 2), "[1, 2]"),
        (uuid.UUID(int=1), '"00000000-0000-0000-0000-000000000001"'),
        (Decimal("1.10"), '"1.10"'),
        (Path("a/b"), '"a/b"'),
        (b"\xffab", '"�ab"'),
        (Silent(), '"<Silent>"'),
        (Spoken(), '"spoken"'),
        ({"a": Silent()}, '{"a": "<Silent>"}'),
        (respond, '"<function respond>"'),
        ([threading.Lock()], '["<unlocked _thread.lock object>"]'),
        (partial(respond, [Silent()]), f'"functools.partial(<function respond>, [<{__name__}.Silent object>])"'),
        ("<x at 0x12>", "<x at 0x12>"),
        (RootModel[list[int]]([1]), "[1]"),
        ({"a": RootModel[int](3)}, '{"a": 3}'),
    ],
)
def test_what_a_tool_returns_as_text(value, written):
    assert respond(value).text == written
    assert respond(value).status is ToolStatus.SUCCESS


def test_a_string_subclass_becomes_a_string():
    class Reply(str):
        __slots__ = ()

    assert type(respond(Reply("a")).text) is str


def test_a_response_stays_itself():
    response = ToolResponse.partial("half")
    assert respond(response) is response


def test_values_that_contain_themselves():
    loop: list = [1]
    loop.append(loop)
    assert json.loads(to_json(loop)) == [1, "…"]
    deep: list = []
    for _ in range(5000):
        deep = [deep]
    json.loads(to_json(deep))


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.dates() | st.uuids(),
    lambda inner: (
        st.lists(inner)
        | st.tuples(inner, inner)
        | st.dictionaries(st.integers() | st.text() | st.none() | st.booleans(), inner)
        | st.frozensets(st.integers() | st.text())
    ),
    max_leaves=8,
)


@given(ANY)
def test_every_value_is_valid_json(value):
    def refuse(constant):
        raise AssertionError(constant)

    written = to_json(value)
    json.loads(written, parse_constant=refuse)
    assert "\n" not in written


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ValueError("no"), "ValueError: no"),
        (ValueError(), "ValueError"),
        (KeyError("k"), "KeyError: 'k'"),
        (
            FileNotFoundError(2, "No such file or directory", "/home/me/secret/a.txt"),
            "FileNotFoundError: No such file or directory: 'a.txt'",
        ),
    ],
)
def test_exceptions_in_words(error, words):
    assert say(error) == words


# --- the catalogue -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "key",
    [key for key in TEXTS if key.partition(".")[0] in ("tool", "calculator", "file", "read", "write", "todo", "demo")],
)
def test_texts_stand_in_both_languages_with_the_same_values(key):
    import string

    def names(version):
        return {name for _, name, _, _ in string.Formatter().parse(version) if name}

    versions = TEXTS[key]
    assert set(versions) == {"en", "zh"}
    assert names(versions["en"]) == names(versions["zh"])


def test_text():
    assert text("tool.error", code="X", text="{no} format") == "❌ Error [X]: {no} format"
    assert text("tool.error", "zh", code="X", text="t") == "❌ 错误 [X]: t"
    assert text("tool.partial", "zh-CN", text="t") == "⚠️ 部分成功: t"
    with pytest.raises(ValueError, match="fr"):
        text("tool.error", "fr", code="X", text="t")
    with pytest.raises(KeyError):
        text("tool.nowhere")
