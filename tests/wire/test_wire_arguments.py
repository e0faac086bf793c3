"""A29, A31, A32, A36: the arguments of a call, as models write them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.histories import arguments

from hello_agents.core.arguments import read_arguments, utf8, write_arguments


@pytest.mark.parametrize("nothing", [None, "", " ", "\n\t", "{}", " {} ", {}])
def test_nothing_written_means_no_arguments(nothing):
    assert read_arguments(nothing) == ({}, None)


@given(arguments)
def test_what_is_written_is_read_back(given_arguments):
    written = write_arguments(given_arguments)
    assert json.loads(written) == given_arguments
    assert read_arguments(written) == (given_arguments, None)


@given(arguments, st.integers(1, 2))
def test_json_inside_a_json_string_is_unwrapped(given_arguments, times):
    written = write_arguments(given_arguments)
    for _ in range(times):
        written = json.dumps(written)
    assert read_arguments(written) == (given_arguments, None)


def test_three_wrappings_are_too_many():
    written = "{}"
    for _ in range(3):
        written = json.dumps(written)
    assert "not an object" in (read_arguments(written)[1] or "")


@pytest.mark.parametrize(
    ("written", "position"),
    [
        ('query = """x"""', 0),
        ('{"a":1,}', 7),
        ('{"a":True}', 5),
        ('{"a":1}{"b":2}', 7),
        ('{"content":"abc', 11),
        ("{'a': 1}", 1),
        ('{"a": NaN}', 6),
        ('{"a": -Infinity}', 6),
        ("{", 1),
    ],
)
def test_what_is_not_json_is_a_fault_with_its_position(written, position):
    read, fault = read_arguments(written)
    assert read == {}
    assert f"not valid JSON at position {position}" in fault
    assert str(position) in read_arguments(written, "zh")[1]


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("[1]", "a list"),
        ("null", "null"),
        ("3", "a number"),
        ("true", "a boolean"),
        ('"abc"', "a string"),
        (7, "a number"),
        ([1], "a list"),
    ],
)
def test_what_is_not_an_object_is_a_fault_that_says_what_it_is(written, kind):
    read, fault = read_arguments(written)
    assert read == {}
    assert f"are {kind}, not an object" in fault


@pytest.mark.parametrize("written", ["[" * 100_000, '{"a":' * 100_000, '{"a":' + "9" * 10_000 + "}"])
def test_monstrous_arguments_are_a_fault(written):
    read, fault = read_arguments(written)
    assert read == {}
    assert "not valid JSON" in fault


@given(st.text())
def test_no_text_raises(written):
    read, fault = read_arguments(written)
    assert isinstance(read, dict)
    assert fault is None or read == {}


def test_line_breaks_inside_strings_are_accepted():
    assert read_arguments('{"code": "a = 1\n\tb"}') == ({"code": "a = 1\n\tb"}, None)


def test_letters_are_not_escaped():
    assert write_arguments({"城市": "北京 🚀"}) == '{"城市": "北京 🚀"}'


def test_what_json_has_no_word_for_is_sent_as_the_nearest_value():
    assert json.loads(write_arguments({"n": float("nan"), "s": {1}, "t": (1, 2), "o": object, 3: 1e999})) == {
        "n": None,
        "s": [1],
        "t": [1, 2],
        "o": "<class 'object'>",
        "3": None,
    }


@given(st.text(st.characters(codec=None, exclude_categories=())))
def test_every_text_can_be_sent(any_text):
    sent = utf8(any_text)
    sent.encode()
    assert utf8(sent) == sent
    if not any("\ud800" <= c <= "\udfff" for c in any_text):
        assert sent == any_text


def test_halves_of_a_character():
    assert utf8("\ud83d\ude80") == "🚀"
    assert utf8("a\ud83d") == "a\ufffd"
    assert read_arguments('{"e": "\\ud83d\\ude80", "x": "\\ud83d"}') == ({"e": "🚀", "x": "\ufffd"}, None)
    write_arguments({"\ud83d": "\ud83d"}).encode()
