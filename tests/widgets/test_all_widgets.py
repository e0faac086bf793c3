"""What every widget keeps to, whatever it shows: one live model, errors told, a module and a sheet of its own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import hello_agents_widgets
import pytest
from hello_agents_widgets import (
    ContextMeter,
    ContextPipeline,
    FaultLab,
    HistoryCompression,
    LoopInspector,
    MemoryExplorer,
    RunTree,
    ToolSchema,
    TraceTimeline,
)
from hello_agents_widgets._base import BookWidget
from ipywidgets import Widget
from widgets.test_context_pipeline import QUERY, builder
from widgets.test_memory_explorer import manager

from hello_agents.core.agent import Agent
from widgets import demo


def told() -> Agent:
    agent = demo.agent()
    agent.run(demo.QUESTION)
    return agent


SUBJECTS: dict[str, Callable[[], Any]] = {
    "ContextMeter": told,
    "ContextPipeline": builder,
    "FaultLab": demo.agent,
    "HistoryCompression": told,
    "LoopInspector": told,
    "MemoryExplorer": manager,
    "RunTree": told,
    "ToolSchema": demo.registry,
    "TraceTimeline": told,
}
MAKERS: dict[str, Callable[[Any], BookWidget]] = {
    "ContextMeter": ContextMeter,
    "ContextPipeline": lambda subject: ContextPipeline(subject, QUERY),
    "FaultLab": lambda subject: FaultLab(subject, demo.QUESTION),
    "HistoryCompression": HistoryCompression,
    "LoopInspector": LoopInspector,
    "MemoryExplorer": MemoryExplorer,
    "RunTree": RunTree,
    "ToolSchema": ToolSchema,
    "TraceTimeline": TraceTimeline,
}


def made(name: str) -> BookWidget:
    return MAKERS[name](SUBJECTS[name]())


def models() -> set[str]:
    return set(Widget.get_manager_state()["state"])


def test_no_widget_is_left_out() -> None:
    assert set(MAKERS) == {name for name in hello_agents_widgets.__all__ if name[0].isupper()}


@pytest.mark.parametrize("name", MAKERS)
def test_made_fifty_times_it_leaves_one_live_model(name: str) -> None:
    subject = SUBJECTS[name]()
    MAKERS[name](subject)
    before = models()
    for _ in range(50):
        last = MAKERS[name](subject)
    assert len(models()) == len(before)
    assert last.model_id in models()
    assert last.comm is not None


@pytest.mark.parametrize("name", MAKERS)
def test_a_cell_run_fifty_times_leaves_one_live_model(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a new subject each time, as a cell that makes its own does."""
    place = ["cell-1", "run-0"]
    monkeypatch.setattr("hello_agents_widgets._base._cell", lambda: tuple(place))
    made(name)
    before = models()
    for number in range(1, 51):
        place[1] = f"run-{number}"
        made(name)
    assert len(models()) == len(before)


@pytest.mark.parametrize("message", [{"op": "dance"}, {"op": "dance", "args": {"to": "<b>"}}, {}], ids=str)
@pytest.mark.parametrize("name", MAKERS)
def test_an_error_is_told_and_kept_and_the_widget_lives_on(name: str, message: dict[str, Any]) -> None:
    widget = made(name)
    before = repr(widget)
    widget.dispatch(message)
    assert widget.error == widget.head["error"] != ""
    assert "ValueError" in widget.error
    assert not widget.head["busy"]
    assert repr(widget) == before
    widget.dispatch({"op": "dismiss"})
    assert widget.error == widget.head["error"] == ""


@pytest.mark.parametrize("name", MAKERS)
def test_its_files_make_one_module(name: str) -> None:
    """They are put together, so that none may use a name of another's."""
    esm = str(made(name)._esm)
    names = Counter(re.findall(r"^(?:async )?(?:const|let|function|class) (\w+)", esm, re.M))
    assert [one for one, times in names.items() if times > 1] == []
    assert len(re.findall(r"^export ", esm, re.M)) == 1
    assert not re.search(r"^import ", esm, re.M)


@pytest.mark.parametrize("name", MAKERS)
def test_its_own_rules_of_style_are_for_nothing_else(name: str) -> None:
    """All widgets of a page bring their sheets."""
    widget = made(name)
    mark = re.search(r'classList\.add\("([\w-]+)"\)', str(widget._esm))
    assert mark is not None
    sheet = str(widget._css)
    own = sheet[sheet.index(f".{mark[1]} ") :]
    rules = re.findall(r"([^{};]*\.hai[^{};]*)\{", own)
    selectors = [one for rule in rules for one in re.split(r",(?![^()]*\))", rule)]
    assert selectors
    assert all(one.strip().startswith(f".{mark[1]} .hai") for one in selectors)
