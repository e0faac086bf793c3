"""axe-core finds nothing at levels A and AA: in light and dark, in every state of the inspector and of its pictures."""

from __future__ import annotations

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from hello_agents_widgets import LoopInspector
from widgets.page import picture, show

from hello_agents.core.message import ToolCall
from widgets import demo

LEVELS = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}


@pytest.fixture(params=["light", pytest.param("dark", marks=pytest.mark.more)])
def page(chromium, request):
    page = chromium.new_page(viewport={"width": 1100, "height": 900}, color_scheme=request.param)
    page.set_default_timeout(15_000)
    page.dark = request.param == "dark"
    yield page
    page.close()


def faults(page: Any, place: str = ".hai") -> list[str]:
    """What axe finds, with the elements concerned."""
    # Colours are compared as they are at rest, not half-way through a transition.
    page.add_style_tag(content="*, *::before { transition: none !important; animation: none !important }")
    found = Axe().run(page, context=place, options=LEVELS).response["violations"]
    return [
        f"{fault['id']}: {node['html'][:200]} {node['failureSummary']}" for fault in found for node in fault["nodes"]
    ]


def asking() -> LoopInspector:
    """One that waits for a person."""
    tools = demo.registry()
    tools.register_function(demo.calculator, name="Pay", needs_approval=True)
    agent = demo.agent(ToolCall("p", "Pay", {"expression": "1 + 1"}), "done")
    agent.tool_registry = tools
    return LoopInspector(agent, "go")


def test_the_inspector_from_the_first_step_to_the_last(page):
    widget = LoopInspector(demo.agent(), demo.QUESTION)
    show(page, widget, dark=page.dark)
    assert faults(page) == []
    for _ in range(4):
        page.keyboard.press("Tab")
        page.locator("[data-op=step]").click()
    page.locator(".hai-c-err").wait_for()
    assert faults(page) == []
    page.get_by_role("button", name="Run to …").click()
    assert faults(page) == []
    page.keyboard.press("Escape")
    page.get_by_role("button", name="More").click()
    assert faults(page) == []
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    assert faults(page) == []
    page.keyboard.press("j")
    page.get_by_role("button", name="edit result: Read").click()
    assert faults(page) == []
    page.get_by_label("result of Read").fill("hotel: 1")
    page.keyboard.press("Control+Enter")
    page.get_by_role("radio", name="branch-1").wait_for()
    page.keyboard.press("p")
    assert faults(page) == []
    page.get_by_label("the waiting calls are run").check()
    page.get_by_role("button", name="See").click()
    page.locator(".hai-verdict").wait_for()
    assert faults(page) == []
    page.keyboard.press("p")
    page.keyboard.press("r")
    page.locator(".hai-c-done").wait_for()
    assert faults(page) == []
    page.keyboard.press("c")
    page.locator(".hai-r-first").wait_for()
    assert faults(page) == []
    page.keyboard.press("Escape")
    page.keyboard.press("Home")
    page.get_by_role("button", name="Run to …").click()
    page.locator("[data-op=again]").click()
    page.locator(".hai-spread").wait_for()
    assert faults(page) == []


def test_a_call_that_waits_and_an_error(page):
    widget = asking()
    widget.finish()
    show(page, widget, dark=page.dark)
    assert faults(page) == []
    page.get_by_role("button", name="Edit and allow").click()
    assert faults(page) == []
    page.get_by_label("arguments of Pay").fill("nonsense")
    page.get_by_role("button", name="Allow").click()
    page.locator(".hai-errtext").wait_for()
    assert faults(page) == []


def test_a_fault_is_said(page):
    widget = asking()
    widget.dispatch({"op": "fly"})
    show(page, widget, dark=page.dark)
    page.get_by_role("alert").wait_for()
    assert faults(page) == []


def test_in_a_narrow_place(page):
    widget = LoopInspector(demo.agent(), demo.QUESTION)
    widget.step(4)
    page.set_viewport_size({"width": 420, "height": 900})
    show(page, widget, dark=page.dark)
    assert faults(page) == []


def test_the_pictures_at_rest(page):
    widget = LoopInspector(demo.agent(), demo.QUESTION)
    widget.step(4)
    for html in (widget.picture(), widget.run._repr_html_()):
        picture(page, html, page.dark)
        assert faults(page, "body") == []
    widget.finish()
    picture(page, widget.picture(), page.dark)
    assert faults(page, "body") == []
