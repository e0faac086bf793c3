"""HistoryCompression on a reader's screen: its knobs by mouse and keyboard, in both themes, and what axe says of it."""

from __future__ import annotations

import pytest
from browser.test_accessibility import faults, page  # noqa: F401 (a fixture)
from hello_agents_widgets import HistoryCompression
from widgets.house import LISTEN, controls, pressed
from widgets.page import picture, push, show
from widgets.test_history_compression import conversation

from hello_agents.core.message import Message


def test_every_control(page):  # noqa: F811
    said = [
        *conversation(50),
        Message("\n".join(f"line {n}" for n in range(400)), "user"),
        Message("Well.", "assistant"),
    ]
    widget = HistoryCompression(said, threshold=500, keep=3)
    show(page, widget, dark=page.dark)
    page.evaluate(LISTEN)
    assert faults(page) == []
    page.locator(".hai-roundrow").first.click()
    page.get_by_text("The journal of an agent still has it").wait_for()
    assert faults(page) == []
    page.get_by_role("slider").nth(1).fill("5")
    page.wait_for_function("state.head.keep === 5")
    page.get_by_role("slider").first.fill("400")
    page.wait_for_function("state.head.threshold === 400")
    assert (widget.keep, widget.threshold, widget.error) == (5, 400, "")
    page.locator(".hai-striprow [data-op=open]").nth(2).click()
    page.locator(".hai-piece.hai-f-summary").click()
    page.get_by_text("role: summary").wait_for()
    page.locator(".hai-roundrow").last.click()
    page.get_by_role("button", name="show all").click()
    page.get_by_role("button", name="the summary", exact=True).click()
    page.get_by_text("role: summary").wait_for()
    with page.expect_download() as download:
        page.locator("[data-op=image]").click()
    assert download.value.suggested_filename == "history.svg"
    widget.dispatch({"op": "dance"})
    page.evaluate("window.python('{}').then(window.put)")
    page.get_by_role("alert").get_by_role("button").click()
    page.get_by_role("alert").wait_for(state="detached")
    # Exact JSON and its buttons are other widgets'.
    assert controls("history_compression.js", "cards.js") - pressed(page) == {"raw", "copy"}


@pytest.mark.parametrize("page", ["light"], indirect=True)
def test_by_keyboard(page):  # noqa: F811
    widget = HistoryCompression(conversation(), threshold=500, keep=3)
    show(page, widget, dark=page.dark)
    page.get_by_role("slider").nth(1).focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("state.head.keep === 2")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.get_by_label("Round 1", exact=True).get_by_text("Question 1").wait_for()
    page.keyboard.press("ArrowDown")
    page.get_by_label("Round 2", exact=True).get_by_text("Question 2").wait_for()
    assert page.evaluate("document.activeElement.dataset.arg") == "1"
    page.keyboard.press("End")
    page.get_by_label("Round 9", exact=True).get_by_text("Question 9").wait_for()
    page.keyboard.press("Escape")
    page.get_by_text("role: summary").wait_for()


@pytest.mark.parametrize("page", ["light"], indirect=True)
def test_the_knobs_follow_python_and_the_other_way_round(page):  # noqa: F811
    widget = HistoryCompression(conversation(), threshold=500, keep=3)
    show(page, widget, dark=page.dark)
    threshold, keep = page.get_by_label("threshold"), page.get_by_label("last rounds that stay")
    keep.fill("5")
    page.wait_for_function("state.head.keep === 5")
    assert widget.keep == 5
    for move, now in (
        (lambda: setattr(widget, "threshold", 300), ("300", "5")),
        (lambda: setattr(widget, "keep", 1), ("300", "1")),
        (lambda: widget.set(threshold=400, keep=2), ("400", "2")),
    ):
        move()
        push(page, widget)
        assert (threshold.input_value(), keep.input_value()) == now
    page.get_by_text("2 rounds", exact=True).wait_for()
    threshold.fill("350")
    page.wait_for_function("state.head.threshold === 350")
    assert (widget.threshold, widget.keep, keep.input_value()) == (350, 2, "2")


@pytest.mark.parametrize("page", ["light"], indirect=True)
def test_thousands_of_rounds_are_gone_through(page):  # noqa: F811
    show(page, HistoryCompression(conversation(2000), threshold=20_000), dark=page.dark)
    assert page.locator(".hai-roundrow").count() < 130
    page.locator(".hai-pieces").first.locator("[data-op=open]").nth(40).click()
    chosen = page.locator(".hai-roundrow.hai-on")
    chosen.wait_for()
    row, rows = chosen.bounding_box(), page.locator("[data-rows=rounds]").bounding_box()
    assert row is not None
    assert rows is not None
    assert rows["y"] <= row["y"] <= row["y"] + row["height"] <= rows["y"] + rows["height"]
    page.locator("[data-rows=rounds]").evaluate("(list) => { list.scrollTop = list.scrollHeight }")
    page.locator(".hai-roundrow", has_text="Question 2000:").click()
    page.get_by_label("Round 2000", exact=True).get_by_text("Question 2000").wait_for()
    assert faults(page) == []


@pytest.mark.parametrize("page", ["light"], indirect=True)
@pytest.mark.parametrize("live", [False, None], ids=["silent", "gone"])
def test_without_python_rounds_can_be_read(page, live):  # noqa: F811
    show(page, HistoryCompression(conversation(), threshold=500, keep=3), live=live, dark=page.dark)
    page.locator(".hai-roundrow").first.click()
    page.get_by_label("Round 1", exact=True).get_by_text("Question 1").wait_for()
    page.get_by_role("slider").nth(1).fill("1")
    page.get_by_text("Python does not answer").wait_for()


def test_at_rest(page):  # noqa: F811
    picture(page, HistoryCompression(conversation(), threshold=500, keep=3).picture(), page.dark)
    assert faults(page, "body") == []
