"""ContextMeter on a reader's screen: every control by mouse, the main way by keyboard, and what axe says of it."""

from __future__ import annotations

import pytest
from browser.test_accessibility import faults, page  # noqa: F401 (a fixture)
from hello_agents_widgets import ContextMeter
from widgets.house import LISTEN, controls, pressed
from widgets.page import picture, show

from hello_agents.core.message import Message
from widgets import demo


def meter() -> ContextMeter:
    agent = demo.agent()
    agent.run(demo.QUESTION)
    return ContextMeter(agent, window=4000, threshold=1200)


def test_every_control(page):  # noqa: F811
    widget = meter()
    show(page, widget, dark=page.dark)
    page.evaluate(LISTEN)
    assert faults(page) == []
    page.locator(".hai-card", has_text="hotel: 320 a night").wait_for()
    page.get_by_role("button", name="show all").click()
    page.get_by_text("day 13: museum").wait_for()
    assert faults(page) == []
    page.get_by_label("Order").select_option("order")
    page.locator("[data-op=open]").first.get_by_text("system").wait_for()
    page.get_by_label("Kind").select_option("tools")
    assert page.locator("[data-op=open]").count() == 4
    page.locator("[data-op=open]").nth(1).click()
    for name in ("as sent", "copy"):
        page.get_by_role("button", name=name, exact=True).click()
    page.get_by_role("button", name="copied").wait_for()
    assert faults(page) == []
    widget.subject.add_message(Message("And then?", "user"))  # pyright: ignore
    page.get_by_role("button", name="Look again").click()
    page.wait_for_function("state.head.items.at(-1).text === 'And then?'")
    with page.expect_download() as download:
        page.locator("[data-op=image]").click()
    assert download.value.suggested_filename == "context.svg"
    widget.dispatch({"op": "dance"})
    page.evaluate("window.python('{}').then(window.put)")
    page.get_by_role("alert").get_by_role("button").click()
    page.get_by_role("alert").wait_for(state="detached")
    assert controls("context_meter.js", "cards.js") - pressed(page) == set()


@pytest.mark.parametrize("page", ["light"], indirect=True)
def test_by_keyboard(page):  # noqa: F811
    show(page, meter(), dark=page.dark)
    page.get_by_label("Kind").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.locator(".hai-card", has_text="hotel: 320 a night").wait_for()
    page.keyboard.press("ArrowDown")
    page.locator(".hai-card", has_text="hotel: 320 a night").wait_for(state="detached")
    assert page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true"
    page.keyboard.press("Escape")
    page.locator(".hai-card", has_text="hotel: 320 a night").wait_for()


@pytest.mark.parametrize("page", ["light"], indirect=True)
@pytest.mark.parametrize("live", [False, None], ids=["silent", "gone"])
def test_without_python_items_can_be_read(page, live):  # noqa: F811
    show(page, meter(), live=live, dark=page.dark)
    page.locator("[data-op=open]").first.click()
    page.locator(".hai-card", has_text="hotel: 320 a night").wait_for()
    page.get_by_role("button", name="Look again").click()
    page.get_by_text("Python does not answer").wait_for()


def test_at_rest(page):  # noqa: F811
    picture(page, meter().picture(), page.dark)
    assert faults(page, "body") == []
