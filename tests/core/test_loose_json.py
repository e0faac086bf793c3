"""JSON as models write it in text: read where it is clear what was meant, refused with the place where it is not."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.histories import json_values

from hello_agents.core.loose_json import read_json

PLAN = {"steps": ["read http://x/#top", "write // it"]}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(PLAN),
        f"```json\n{json.dumps(PLAN)}\n```",
        f"Here it is:\n```\n{json.dumps(PLAN, indent=2)}\n```\nGood luck!",
        f"Sure. {json.dumps(PLAN)} Anything else?",
        f"<think>{{no}}</think>{json.dumps(PLAN)}",
        f"<think>\n[1]\n</think>\n\n```json\n{json.dumps(PLAN)}\n```",
        '{\n  // what to do\n  "steps": ["read http://x/#top", # first\n   "write // it"] // last\n}',
        '{"steps": ["read http://x/#top", "write // it",],}',
        "{'steps': ['read http://x/#top', 'write // it']}",
        "{“steps”: [“read http://x/#top”, “write // it”]}",
        '{"steps":["read http://x/#top","write // it"],}',
    ],
)
def test_what_was_meant_is_read(text: str) -> None:
    assert read_json(text) == PLAN


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'a': True, 'b': False, 'c': None}", {"a": True, "b": False, "c": None}),
        ("{'a':True}", {"a": True}),
        ("[1, 2.5, null, ]", [1, 2.5, None]),
        ('{"a": "one\ntwo",}', {"a": "one two"}),
        ('{"a": "one\ntwo"}', {"a": "one\ntwo"}),
        ('["步骤 一", "步骤 二",]', ["步骤 一", "步骤 二"]),
        ("{'a': 'True', 'b': 'no',}", {"a": "True", "b": "no"}),
    ],
)
def test_values_of_python_and_of_others(text: str, value: Any) -> None:
    assert read_json(text) == value


@pytest.mark.parametrize(
    "text", ['{"steps": ["one", "tw', '{"steps": ["one"', "```json\n[1, 2", "{'a': 'b", '{"a": 1 //']
)
def test_what_was_cut_off_is_told_with_its_place(text: str) -> None:
    with pytest.raises(ValueError, match=r"cut off at character \d+"):
        read_json(text)


@pytest.mark.parametrize("text", ["", "no plan today", "1. one\n2. two", "<think>[1]</think>", "<think>[1]"])
def test_what_is_no_json_is_told(text: str) -> None:
    with pytest.raises(ValueError, match="no JSON"):
        read_json(text)


@given(st.dictionaries(st.text(), json_values) | st.lists(json_values), st.sampled_from(["", "Sure: ", "```json\n"]))
def test_plain_json_is_read_as_it_is(value: Any, before: str) -> None:
    after = "\n```" if before.startswith("`") else " Done."
    written = json.dumps(value)
    if "<think>" in written or "```" in written:
        return
    assert read_json(before + written + after) == value


@given(st.text(st.sampled_from("{}[]\"'“”:, /#\\\n`a1T"), max_size=30))
def test_no_text_raises_anything_else(text: str) -> None:
    with contextlib.suppress(ValueError):
        read_json(text)
