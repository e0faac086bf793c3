"""What readers of the tutorial are told of this package is so: what there is, what there is not, and what instead."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

import hello_agents
from hello_agents import memory, tools
from hello_agents.old_names import NOT_SERVED

PAGE = (Path(__file__).parents[2] / "book" / "from_the_tutorial.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.DOTALL | re.MULTILINE)
TABLE = PAGE.split("## What there is not")[1]
PLACES = [
    "hello_agents",
    "hello_agents.tools",
    "hello_agents.tools.builtin",
    "hello_agents.tools.builtin.terminal_tool",
]


@pytest.mark.parametrize("code", BLOCKS)
def test_the_code_runs(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LLM_MODEL_ID", "offline")
    exec(compile(code, "from_the_tutorial.md", "exec"), {"__name__": "__main__"})
    assert list(tmp_path.iterdir()) == []


def test_the_table_lists_what_is_left_out() -> None:
    assert re.findall(r"^\| `(\w+)` \|", TABLE, flags=re.MULTILINE) == list(NOT_SERVED)


@pytest.mark.parametrize("name", NOT_SERVED)
@pytest.mark.parametrize("place", PLACES)
def test_a_name_that_is_left_out_says_what_to_use(name: str, place: str) -> None:
    with pytest.raises(ImportError) as caught:
        exec(f"from {place} import {name}", {})
    assert name in str(caught.value)
    instead = re.findall(r"\b[A-Z][a-z]+[A-Z]\w+\b", NOT_SERVED[name])
    assert instead
    row = next(line for line in TABLE.splitlines() if line.startswith(f"| `{name}`"))
    for one in instead:
        assert one in str(caught.value)
        assert f"`{one}`" in row
        assert any(one in home.__all__ and getattr(home, one) for home in (tools, memory))
    with pytest.raises(ImportError, match=name):
        getattr(importlib.import_module(place), name)


def test_any_other_name_is_an_attribute_that_is_missing() -> None:
    for place in PLACES:
        assert not hasattr(importlib.import_module(place), "NoSuchTool")
    assert not hasattr(hello_agents, "NoSuchAgent")
