"""RunTree on a reader's screen: every control by mouse and by key, a thousand frames, and what axe says of it."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from browser.test_accessibility import faults, page  # noqa: F401 (a fixture)
from hello_agents_widgets import RunTree
from widgets.house import LISTEN, controls, pressed
from widgets.page import picture, show
from widgets.test_run_tree import grown, team

from hello_agents.core.run import Run


def test_every_control(page):  # noqa: F811
    widget = RunTree(team())
    show(page, widget, dark=page.dark)
    page.evaluate(LISTEN)
    assert faults(page) == []
    page.get_by_role("treeitem", name="react t1").click()
    page.get_by_text("Look up the hotel.").first.wait_for()
    page.get_by_role("treeitem", name="react t2").locator(".hai-fold").click()
    page.get_by_role("treeitem", name="react c").wait_for(state="detached")
    assert faults(page) == []
    page.get_by_role("button", name="Unfold all").click()
    page.get_by_role("treeitem", name="react c").wait_for()
    page.locator("[data-op=copy]").click()
    page.get_by_role("button", name="copied").wait_for()
    with page.expect_download() as download:
        page.locator("[data-op=image]").click()
    assert "320 a night" in "".join(ElementTree.parse(download.value.path()).getroot().itertext())
    assert widget.chosen == "t1"
    widget.dispatch({"op": "dance"})
    page.evaluate("window.python('{}').then(window.put)")
    page.get_by_role("alert").get_by_role("button").click()
    page.get_by_role("alert").wait_for(state="detached")
    # `fold` is pressed on a part of a row. Long texts and JSON have buttons that other widgets' tests press.
    assert controls("run_tree.js", "cards.js") - pressed(page) == {"all", "raw"}


@pytest.mark.parametrize("page", ["light"], indirect=True)
def test_by_keyboard(page):  # noqa: F811
    widget = RunTree(team())
    show(page, widget, dark=page.dark)
    for _ in range(5):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('role')") == "treeitem":
            break
    for key in ("ArrowDown", "ArrowDown", "ArrowDown"):
        page.keyboard.press(key)
    page.get_by_text('tree.inspect("t2/c")').wait_for()
    assert page.evaluate("document.activeElement.dataset.arg") == "t2/c"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.get_by_role("treeitem", name="react c").wait_for(state="detached")
    page.keyboard.press("Home")
    page.get_by_text("tree.inspect()").wait_for()


@pytest.mark.parametrize("page", ["light"], indirect=True)
def test_a_thousand_frames_are_scrolled_through(page):  # noqa: F811
    run = grown([n // 3 for n in range(1000)], [(n, 1) for n in range(1000)])
    widget = RunTree(run)
    show(page, widget, dark=page.dark)
    assert page.get_by_role("treeitem").count() < 120
    box = page.locator("[data-rows=frames]")
    whole = box.evaluate("(list) => list.scrollHeight")
    assert page.evaluate("document.documentElement.scrollHeight") < 1500
    box.evaluate("(list) => { list.scrollTop = list.scrollHeight }")
    last = [path for path, _ in run.frames][-1]
    page.locator(f"[role=treeitem][data-arg='{last}']").click()
    page.get_by_text(f'tree.inspect("{last}")').wait_for()
    assert box.evaluate("(list) => list.scrollHeight") == whole
    page.keyboard.press("Home")
    page.locator("[role=treeitem][data-arg='']").wait_for()
    assert box.evaluate("(list) => list.scrollTop") < 100


@pytest.mark.parametrize("page", ["light"], indirect=True)
@pytest.mark.parametrize("live", [False, None], ids=["silent", "gone"])
def test_without_python_frames_can_be_read(page, live):  # noqa: F811
    show(page, RunTree(team()), live=live, dark=page.dark)
    page.get_by_role("treeitem", name="react t2").click()
    page.get_by_text("Look up the train.").first.wait_for()
    page.get_by_text("Python does not answer").wait_for()


def test_at_rest(page):  # noqa: F811
    picture(page, RunTree(team()).picture(), page.dark)
    assert faults(page, "body") == []


NAME = "researcher_of_regional_timetables_and_connections"


def family(depth: int, wide: int) -> Run:
    """Runs with long names below each other, and `wide` beside each other at the top."""
    children = {f"{depth}_{n}": family(depth - 1, 1) for n in range(wide if depth else 0)}
    return Run(f"{NAME}_{depth}", children=children)


@pytest.mark.parametrize("page", ["light"], indirect=True)
@pytest.mark.parametrize("width", [420, 700, 900, 1100])
def test_names_have_the_room_they_need_however_deep(page, width):  # noqa: F811
    page.set_viewport_size({"width": width + 48, "height": 900})
    show(page, RunTree(family(6, 3)))
    names = page.locator(".hai-treewho")
    assert names.count() == 19
    assert names.evaluate_all("(all) => all.filter((one) => one.scrollWidth > one.clientWidth).length") == 0
    assert {f"{NAME}_{depth}" for depth in range(7)} == {name.split()[0] for name in names.all_inner_texts()}


@pytest.mark.parametrize("page", ["light"], indirect=True)
def test_names_in_a_long_tree_are_on_one_line_and_whole_in_a_tooltip(page):  # noqa: F811
    page.set_viewport_size({"width": 500, "height": 900})
    show(page, RunTree(family(1, 200)))
    row = page.locator("[role=treeitem]").nth(5)
    assert row.bounding_box()["height"] == 44
    assert row.locator("[title]").first.get_attribute("title") == f"{NAME}_0 · 1_4"
