"""TraceTimeline on a reader's screen: every control by mouse and by key, five thousand entries, and what axe says."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from browser.test_accessibility import faults, page  # noqa: F401 (a fixture)
from hello_agents_widgets import TraceTimeline
from widgets.house import LISTEN, controls, pressed
from widgets.page import picture, show
from widgets.traces import long, stored, timed


def timeline(folder: Path) -> TraceTimeline:
    return TraceTimeline(stored(folder, timed()))


def test_every_control(page, tmp_path):  # noqa: F811
    widget = timeline(tmp_path)
    show(page, widget, dark=page.dark)
    page.evaluate(LISTEN)
    assert faults(page) == []
    page.get_by_role("button", name="Next error").click()
    page.get_by_text("has a sign this tool does not read").last.wait_for()
    assert faults(page) == []
    page.get_by_role("button", name="Step", exact=True).click()
    for name in ("zoom out", "zoom in", "earlier", "later", "Fit"):
        page.get_by_role("button", name=name, exact=True).click()
    assert page.get_by_role("button", name="Fit", exact=True).is_disabled()
    page.locator(".hai-span").first.click()
    page.locator(".hai-traceline[data-arg='0'][aria-pressed=true]").wait_for()
    page.get_by_label("axis").select_option("order")
    page.get_by_label("kind").select_option("tool")
    page.get_by_text("9 of 26").wait_for()
    page.get_by_role("searchbox").fill("hotel")
    page.get_by_text("1 of 26").wait_for()
    page.get_by_role("button", name="errors only").click()
    page.get_by_text("Nothing of this kind").wait_for()
    assert faults(page) == []
    page.get_by_role("button", name="errors only").click()
    page.locator(".hai-traceline").first.click()
    page.locator("[data-op=copy]").click()
    page.get_by_role("button", name="copied").wait_for()
    with page.expect_download() as download:
        page.locator("[data-op=image]").click()
    assert "lead" in "".join(ElementTree.parse(download.value.path()).getroot().itertext())
    widget.dispatch({"op": "dance"})
    page.evaluate("window.python('{}').then(window.put)")
    page.get_by_role("alert").get_by_role("button").click()
    page.get_by_role("alert").wait_for(state="detached")
    # Blocks are pressed in the long trace. Long texts and JSON have buttons that other widgets' tests press.
    assert controls("trace_timeline.js", "cards.js") - pressed(page) == {"all", "raw"}


@pytest.mark.parametrize("page", ["light"], indirect=True)
def test_by_keyboard(page, tmp_path):  # noqa: F811
    show(page, timeline(tmp_path), live=None, dark=page.dark)
    page.get_by_role("button", name="Next error").focus()
    page.keyboard.press("e")
    page.get_by_text("has a sign this tool does not read").last.wait_for()
    assert "hai-traceline" in page.evaluate("document.activeElement.className")
    page.keyboard.press("s")
    assert page.get_by_role("button", name="Fit", exact=True).is_enabled()
    page.keyboard.press("f")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Home")
    page.locator(".hai-traceline[data-arg='0'][aria-pressed=true]").wait_for()
    page.keyboard.press("+")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("-")
    page.keyboard.press("Escape")
    page.get_by_text("Choose a span or a line").wait_for()
    page.get_by_role("searchbox").focus()
    page.keyboard.type("feels")
    assert page.get_by_role("searchbox").input_value() == "feels"


@pytest.mark.parametrize("page", ["light"], indirect=True)
def test_five_thousand_entries(page):  # noqa: F811
    show(page, TraceTimeline(long(5000)), live=None, dark=page.dark)
    assert page.locator(".hai-span").count() <= 400
    assert page.locator(".hai-traceline").count() < 120
    assert page.evaluate("document.documentElement.scrollHeight") < 1500
    page.locator("[data-op=block]").nth(20).click()
    page.locator(".hai-traceline[aria-pressed=true]").wait_for()
    page.keyboard.press("End")
    page.locator(".hai-traceline[aria-pressed=true]", has_text="place").wait_for()
    assert page.locator("[data-rows=events]").evaluate("(list) => list.scrollTop") > 50_000
    page.locator("[data-rows=events]").evaluate("(list) => { list.scrollTop = 28 * 1000 }")
    page.locator(".hai-traceline[data-arg='1005']").click()
    page.keyboard.press("e")
    page.locator(".hai-traceline[aria-pressed=true]", has_text="error").wait_for()


def test_at_rest(page, tmp_path):  # noqa: F811
    picture(page, timeline(tmp_path).picture(), page.dark)
    assert faults(page, "body") == []
