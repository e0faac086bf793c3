"""ToolSchema on a reader's screen: every control by mouse and by keyboard, in both themes, and what axe says of it."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from browser.test_accessibility import faults, page  # noqa: F401 (a fixture)
from hello_agents_widgets import ToolSchema
from widgets.house import LISTEN, controls, pressed
from widgets.page import picture, show
from widgets.test_tool_schema import registry

from hello_agents.tools.registry import ToolRegistry


def test_every_control(page):  # noqa: F811
    widget = ToolSchema(registry())
    show(page, widget, dark=page.dark)
    page.evaluate(LISTEN)
    assert faults(page) == []
    page.locator("[data-op=pick]").nth(1).click()
    page.get_by_text("optional: the default is 2").wait_for()
    page.locator("[data-op=json]").click()
    page.locator("[data-op=raw]").click()
    page.locator("[data-op=copy]").click()
    page.get_by_role("button", name="copied").wait_for()
    assert faults(page) == []
    page.get_by_label("arguments, JSON").fill('{"city": "Oslo", "nights": "many"}')
    page.get_by_role("button", name="Call", exact=True).click()
    page.get_by_text("INVALID_PARAM").first.wait_for()
    assert page.get_by_label("arguments, JSON").input_value() == '{"city": "Oslo", "nights": "many"}'
    assert faults(page) == []
    page.get_by_role("button", name="numbers as text").click()
    page.get_by_text("function called: yes").wait_for()
    with page.expect_download() as download:
        page.locator("[data-op=image]").click()
    assert "hotel" in "".join(ElementTree.parse(download.value.path()).getroot().itertext())
    page.get_by_label("tool", exact=True).select_option("search")
    page.get_by_role("heading", name="search").wait_for()
    widget.dispatch({"op": "dance"})
    page.evaluate("window.python('{}').then(window.put)")
    page.get_by_role("alert").get_by_role("button").click()
    page.get_by_role("alert").wait_for(state="detached")
    # Many tools are found by another control, which the next test uses; long texts have a button of their own,
    # which other widgets' tests press.
    assert controls("tool_schema.js", "cards.js") - pressed(page) == {"all", "find", "finding", "take"}
    assert widget.error == ""


def test_one_of_many_tools_is_found(page):  # noqa: F811
    many = ToolRegistry()
    for n in range(2000):
        many.register_function(lambda place: place, name=f"look_{n}", description=f"Looks in room {n}.")
    widget = ToolSchema(many)
    show(page, widget, dark=page.dark)
    page.evaluate(LISTEN)
    page.get_by_role("button", name="find a tool").click()
    page.get_by_text("2,000 of 2,000 tools").wait_for()
    assert page.locator("[data-op=take]").count() < 130
    assert faults(page) == []
    page.keyboard.type("_19")
    page.get_by_text("111 of 2,000 tools").wait_for()
    for key in ("ArrowDown", "ArrowDown", "ArrowUp", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    page.get_by_text("Looks in room 190.").first.wait_for()
    page.get_by_role("button", name="find a tool").click()
    page.get_by_role("searchbox").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("searchbox").wait_for(state="detached")
    assert page.evaluate("document.activeElement.dataset.op") == "find"
    page.keyboard.press("Enter")
    page.locator("[data-rows=tools]").evaluate("(list) => { list.scrollTop = list.scrollHeight }")
    page.get_by_role("button", name="look_1999").click()
    page.get_by_text("Looks in room 1999.").first.wait_for()
    assert {"find", "finding", "take"} <= pressed(page)
    assert (widget.tool.name, widget.error) == ("look_1999", "")


@pytest.mark.parametrize("page", ["light"], indirect=True)
def test_by_keyboard(page):  # noqa: F811
    widget = ToolSchema(registry())
    show(page, widget, dark=page.dark)
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.tagName") == "TEXTAREA":
            break
    page.keyboard.press("Control+a")
    page.keyboard.type('{"city": "Rom"}')
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.get_by_text("2 nights in Rom").wait_for()
    assert widget.response == "2 nights in Rom, ROOM, None"


@pytest.mark.parametrize("page", ["light"], indirect=True)
@pytest.mark.parametrize("live", [False, None], ids=["silent", "gone"])
def test_without_python_it_says_so(page, live):  # noqa: F811
    show(page, ToolSchema(registry()), live=live, dark=page.dark)
    page.locator("[data-op=pick]").first.click()
    page.get_by_role("button", name="Call", exact=True).click()
    page.get_by_text("Python does not answer").wait_for()
    page.locator("[data-op=pick]").nth(1).click()


def test_at_rest(page):  # noqa: F811
    widget = ToolSchema(registry())
    widget.call('{"city": "Oslo"}')
    picture(page, widget.picture(), page.dark)
    assert faults(page, "body") == []
