"""ContextPipeline on a reader's screen: every control, packets that move, and what axe says of it."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from browser.test_accessibility import faults, page  # noqa: F401 (a fixture)
from hello_agents_widgets import ContextPipeline
from widgets.house import LISTEN, controls, pressed
from widgets.page import picture, show
from widgets.test_context_pipeline import QUERY, builder, many, pipeline

SLIDE = """([name, value]) => {
  const field = document.querySelector(`[data-field=${name}]`);
  field.value = value;
  field.dispatchEvent(new Event("input", {bubbles: true}));
  field.dispatchEvent(new Event("change", {bubbles: true}));
}"""
SELECTED = ".hai-stage-select [aria-label=Selected] > li"


def test_every_control(page):  # noqa: F811
    widget = pipeline()
    show(page, widget, dark=page.dark)
    page.evaluate(LISTEN)
    assert faults(page) == []
    before = page.locator(SELECTED).count()
    page.evaluate(SLIDE, ["min_relevance", "0"])
    page.get_by_text("least relevance 0.30 → 0.00").wait_for()
    assert page.locator(SELECTED).count() == before + 1 == len(widget.trace.chosen)
    page.get_by_label("MMR: leave out what is alike").uncheck()
    page.get_by_text("on → off").wait_for()
    assert widget.config.enable_mmr is False
    # Too small a budget is told, and the knob stays where it was put.
    page.evaluate(SLIDE, ["max_tokens", "60"])
    page.get_by_role("alert").get_by_text("ContextBudgetError").wait_for()
    page.get_by_text("last one that did").wait_for()
    page.evaluate(SLIDE, ["max_tokens", "190"])
    page.get_by_role("alert").wait_for(state="detached")
    page.locator(".hai-stage-select .hai-pkout").last.click()
    page.get_by_text("It is too much like this one").wait_for()
    page.wait_for_function("document.getAnimations().length === 0")
    assert faults(page) == []
    page.locator(".hai-like [data-op=pick]").click()
    page.get_by_text("It is too much like this one").wait_for(state="detached")
    page.get_by_role("button", name="Finished text").click()
    page.locator("[data-op=copy]").click()
    page.get_by_role("button", name="copied").wait_for()
    page.get_by_role("button", name="Reset").click()
    page.wait_for_function("document.querySelector('[data-field=min_relevance]').value === '0.3'")
    assert page.get_by_label("MMR: leave out what is alike").is_checked()
    page.get_by_role("button", name="Undo").click()
    page.wait_for_function("document.querySelector('[data-field=min_relevance]').value === '0'")
    page.get_by_label("query").fill("Is a visa needed?")
    page.get_by_role("button", name="Build").click()
    page.get_by_text("“Is a visa needed?”").wait_for()
    assert widget.query == "Is a visa needed?"
    page.wait_for_function("document.getAnimations().length === 0")
    assert faults(page) == []
    with page.expect_download() as download:
        page.get_by_role("button", name="image").click()
    assert "Gather" in "".join(ElementTree.parse(download.value.path()).getroot().itertext())
    # Long texts have a button of their own, and an error one that closes it; other widgets' tests press them.
    assert controls("context_pipeline.js", "cards.js") - pressed(page) == {"all", "raw", "dismiss"}


@pytest.mark.parametrize("page", ["light"], indirect=True)
def test_by_keyboard(page):  # noqa: F811
    widget = pipeline()
    show(page, widget, dark=page.dark)
    page.get_by_label("query").focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("hotel with garden")
    page.keyboard.press("Enter")
    page.get_by_text("“hotel with garden”").wait_for()
    page.get_by_label("least relevance").focus()
    page.keyboard.press("Home")
    page.get_by_text("least relevance 0.30 → 0.00").wait_for()
    page.locator(".hai-stage-gather [data-op=pick]").first.focus()
    page.keyboard.press("Enter")
    page.locator(".hai-cpdetails").wait_for()
    page.keyboard.press("Escape")
    page.locator(".hai-cpdetails").wait_for(state="detached")
    assert (widget.query, widget.config.min_relevance) == ("hotel with garden", 0.0)


@pytest.mark.parametrize("page", ["light"], indirect=True)
@pytest.mark.parametrize("live", [False, None], ids=["silent", "gone"])
def test_without_python_it_says_so(page, live):  # noqa: F811
    show(page, ContextPipeline(builder(), QUERY), live=live, dark=page.dark)
    page.evaluate(SLIDE, ["min_relevance", "0"])
    page.get_by_text("Python does not answer").wait_for()
    page.locator(".hai-stage-gather [data-op=pick]").first.click()
    page.locator(".hai-cpdetails").wait_for()


@pytest.mark.parametrize("page", ["light"], indirect=True)
def test_thousands_of_packets_are_drawn_where_they_are_looked_at(page):  # noqa: F811
    show(page, many(2000), dark=page.dark)
    assert page.locator(".hai-pk").count() < 400
    out = page.locator("[data-rows=out]")
    out.evaluate("(el) => { el.scrollTop = el.scrollHeight; }")
    page.get_by_text("Hotel 1999 stands").wait_for()
    assert page.locator(".hai-pk").count() < 400
    assert out.evaluate("(el) => el.scrollHeight") == 2000 * 74


def test_at_rest(page):  # noqa: F811
    picture(page, pipeline().picture(), page.dark)
    assert faults(page, "body") == []
