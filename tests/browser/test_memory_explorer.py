"""MemoryExplorer on a reader's screen: searching, adding, forgetting and opening by mouse and by keyboard."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from browser.test_accessibility import faults, page  # noqa: F401 (a fixture)
from hello_agents_widgets import MemoryExplorer
from widgets.house import LISTEN, controls, pressed
from widgets.page import picture, show
from widgets.test_memory_explorer import NOW, Broken, explorer, knowledge, manager

from hello_agents.memory import MemoryManager

STILL = "document.getAnimations().length === 0"


def test_every_control(page):  # noqa: F811
    made, known = manager(), knowledge()
    widget = MemoryExplorer(made, known)
    show(page, widget, dark=page.dark)
    page.evaluate(LISTEN)
    page.get_by_label("what to look for").fill("quiet hotel")
    page.get_by_role("button", name="Search").click()
    page.get_by_text("by words: rank 1").wait_for()
    page.wait_for_function(STILL)
    assert faults(page) == []
    # A document, its chunks and what they are cited by.
    page.get_by_text("lyon.md", exact=True).first.click()
    page.get_by_role("button", name="chunks", exact=True).click()
    page.get_by_text("lyon.md › Lyon › Trains, lines 7-9").first.wait_for()
    page.wait_for_function(STILL)
    assert faults(page) == []
    page.get_by_role("button", name="hide chunks").click()
    page.get_by_role("button", name="close").click()
    # What would go is marked before it goes.
    page.get_by_role("button", name="Forget", exact=True).click()
    page.get_by_role("button", name="Forget 1").wait_for()
    page.get_by_label("less important than").fill("0.4")
    page.get_by_role("button", name="Forget 2").wait_for()
    assert page.locator(".hai-merow.hai-going").count() == 2
    page.get_by_label("by", exact=True).select_option("time_based")
    page.get_by_label("older than, days").fill("5")
    page.get_by_role("button", name="Forget 2").wait_for()
    page.wait_for_function(STILL)
    assert faults(page) == []
    page.get_by_role("button", name="Forget 2").click()
    page.get_by_text("Forgotten: 2.").wait_for()
    page.wait_for_function(STILL)
    assert faults(page) == []
    assert [one.reason for one in made.evictions] == ["age", "age"]
    page.locator("[data-op=dismissdone]").click()
    # What was written stays where it cannot be added, and goes when it was.
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_label("text").fill("Takes the tram.")
    page.get_by_label("importance, 0 to 1").fill("0.7")
    page.get_by_label("tags").fill("city, tram")
    page.get_by_label("to", exact=True).select_option("1")
    page.get_by_role("button", name="Add the document").wait_for()
    page.get_by_role("textbox", name="id").fill("lyon.md")
    page.get_by_role("button", name="Add the document").click()
    page.get_by_role("alert").get_by_text("WrongId").wait_for()
    assert page.get_by_role("textbox", name="text").input_value() == "Takes the tram."
    page.get_by_role("alert").get_by_role("button").click()
    page.get_by_label("to", exact=True).select_option("0")
    page.get_by_role("button", name="Remember").click()
    page.get_by_text("Added m6.").wait_for()
    assert page.get_by_role("textbox", name="text").input_value() == ""
    item = made.get("m6")
    assert (item.content, item.tags) == ("Takes the tram.", ("city", "tram"))
    page.get_by_text("Takes the tram.").first.click()
    page.get_by_role("button", name="remove").click()
    page.get_by_text("Removed m6.").wait_for()
    page.get_by_role("button", name="Look again").click()
    page.get_by_text("Removed m6.").wait_for(state="detached")
    with page.expect_download() as download:
        page.get_by_role("button", name="image").click()
    assert "lyon.md" in "".join(ElementTree.parse(download.value.path()).getroot().itertext())
    # Long texts and raw JSON have buttons of their own, which other widgets' tests press.
    assert controls("memory_explorer.js", "cards.js") - pressed(page) == {"all", "raw", "copy"}
    assert widget.error == ""


@pytest.mark.parametrize("page", ["light"], indirect=True)
def test_by_keyboard(page):  # noqa: F811
    widget = explorer()
    show(page, widget, dark=page.dark)
    page.get_by_label("what to look for").focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("rye bread")
    page.keyboard.press("Enter")
    page.locator(".hai-flow").get_by_text("Likes rye bread.").wait_for()
    page.get_by_role("button", name="Forget", exact=True).focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Forget 1").focus()
    page.keyboard.press("Enter")
    page.get_by_text("Forgotten: 1.").wait_for()
    page.locator(".hai-merow").first.focus()
    page.keyboard.press("Enter")
    page.get_by_label("Chosen").wait_for()
    page.keyboard.press("Escape")
    page.get_by_label("Chosen").wait_for(state="detached")
    assert len(widget.holders[0].all()) == 4


@pytest.mark.parametrize("page", ["light"], indirect=True)
@pytest.mark.parametrize("live", [False, None], ids=["silent", "gone"])
def test_without_python_it_says_so(page, live):  # noqa: F811
    show(page, explorer(), live=live, dark=page.dark)
    page.locator(".hai-merow").first.click()
    page.get_by_label("Chosen").wait_for()
    page.get_by_role("button", name="Search").click()
    page.get_by_text("Python does not answer").wait_for()


def test_a_store_that_fails_and_the_picture_at_rest(page):  # noqa: F811
    widget = MemoryExplorer(MemoryManager(store=Broken(), clock=lambda: NOW), manager(), query="hotel")
    show(page, widget, dark=page.dark)
    page.get_by_text("the disk is gone").first.wait_for()
    assert faults(page) == []
    picture(page, widget.picture(), page.dark)
    assert faults(page, "body") == []
