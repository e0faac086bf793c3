"""FaultLab on a reader's screen: every control by mouse, the main way by keyboard, and what axe says of it."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from browser.test_accessibility import faults, page  # noqa: F401 (a fixture)
from hello_agents_widgets import FaultLab
from widgets.house import LISTEN, controls, pressed
from widgets.page import picture, show

from widgets import demo


def lab() -> FaultLab:
    return FaultLab(demo.agent(), demo.QUESTION)


def test_every_control(page):  # noqa: F811
    widget = lab()
    show(page, widget, dark=page.dark)
    page.evaluate(LISTEN)
    assert faults(page) == []
    page.get_by_role("button", name="Step", exact=True).click()
    page.get_by_text("Step 1", exact=True).wait_for()
    page.get_by_label("fault of Read").select_option("failing")
    page.get_by_role("button", name="Switch all faults off").wait_for()
    page.get_by_label("how often, Read").select_option("1")
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("does not answer").wait_for()
    assert widget.faults.by_tool["Read"].times == 1
    assert faults(page) == []
    page.get_by_role("button", name="Switch all faults off").click()
    page.get_by_role("button", name="Switch all faults off").wait_for(state="detached")
    page.get_by_label("with …").select_option("Calculator")
    page.get_by_label("failed calls at most").fill("1")
    page.get_by_role("button", name="garbled arguments").click()
    page.get_by_text("degraded", exact=True).wait_for()
    assert widget.head["tools"][1]["fault"] == "garbled"
    assert faults(page) == []
    page.locator("[data-op=copy]").click()
    page.get_by_role("button", name="copied").wait_for()
    with page.expect_download() as download:
        page.locator("[data-op=image]").click()
    assert "degraded" in "".join(ElementTree.parse(download.value.path()).getroot().itertext())
    page.get_by_label("steps at most").fill("0")
    page.locator("[data-form=run]").evaluate("(form) => { form.noValidate = true }")
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("alert").get_by_role("button").click()
    page.get_by_role("alert").wait_for(state="detached")
    # Long texts and the code that others show have buttons of their own, which other widgets' tests press.
    assert controls("fault_lab.js", "cards.js") - pressed(page) == {"all", "raw"}


@pytest.mark.parametrize("page", ["light"], indirect=True)
def test_by_keyboard(page):  # noqa: F811
    widget = lab()
    show(page, widget, dark=page.dark)
    page.get_by_label("Question").focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("What does it cost?")
    page.keyboard.press("Enter")
    page.get_by_text("How it ended").wait_for()
    assert widget.question == "What does it cost?"
    page.get_by_role("button", name="one tool is down").focus()
    page.keyboard.press("Enter")
    page.get_by_text("does not answer").first.wait_for()


@pytest.mark.parametrize("page", ["light"], indirect=True)
@pytest.mark.parametrize("live", [False, None], ids=["silent", "gone"])
def test_without_python_it_says_so(page, live):  # noqa: F811
    widget = lab()
    widget.go()
    show(page, widget, live=live, dark=page.dark)
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("Python does not answer").wait_for()
    assert page.get_by_text("How it ended").is_visible()


def test_at_rest(page):  # noqa: F811
    widget = FaultLab(demo.agent(), demo.QUESTION, {"Read": "failing"})
    widget.go()
    picture(page, widget.picture(), page.dark)
    assert faults(page, "body") == []
