"""The page's side of all widgets: what Python sets by itself is shown, and what the reader has moved is left alone."""

from __future__ import annotations

from typing import Any

import pytest
from browser.test_accessibility import page  # noqa: F401 (a fixture)
from hello_agents_widgets import ContextPipeline, MemoryExplorer, RunTree, ToolSchema
from widgets.page import push, show
from widgets.test_all_widgets import SUBJECTS, made
from widgets.test_context_pipeline import QUERY, many
from widgets.test_run_tree import team

pytestmark = pytest.mark.parametrize("page", ["light"], indirect=True)


def value(page: Any, field: str) -> str:  # noqa: F811
    return page.locator(f"[data-field={field!r}]").first.input_value()


def test_knobs_of_the_pipeline_follow_python(page):  # noqa: F811
    widget = ContextPipeline(SUBJECTS["ContextPipeline"](), QUERY)
    show(page, widget)
    page.locator("[data-field=min_relevance]").fill("0.5")
    page.wait_for_function("state.head.knobs.min_relevance === 0.5")
    widget.set("another question", min_relevance=0.1, max_tokens=500)
    push(page, widget)
    shown = [value(page, name) for name in ("min_relevance", "max_tokens", "query")]
    assert shown == ["0.1", "500", "another question"]


def test_a_search_from_python_is_in_the_field(page):  # noqa: F811
    widget = made("MemoryExplorer")
    assert isinstance(widget, MemoryExplorer)
    show(page, widget)
    page.locator("[data-field=query]").fill("half writ")
    widget.search("hotel")
    push(page, widget)
    assert value(page, "query") == "hotel"


def test_a_frame_that_python_chooses_is_read(page):  # noqa: F811
    widget = RunTree(team())
    show(page, widget)
    page.get_by_role("treeitem").nth(1).click()
    page.get_by_text('tree.inspect("t1")').wait_for()
    widget.choose("t2")
    push(page, widget)
    page.get_by_text('tree.inspect("t2")').wait_for()
    assert page.locator("[role=treeitem][aria-selected=true]").get_attribute("data-arg") == "t2"


def test_a_call_from_python_is_in_the_field(page):  # noqa: F811
    widget = made("ToolSchema")
    assert isinstance(widget, ToolSchema)
    show(page, widget)
    page.locator("[data-field=arguments]").fill('{"half')
    other = widget.registry.list_tools()[-1]
    widget.choose(other)
    widget.call("{}")
    push(page, widget)
    assert value(page, "arguments") == "{}"
    page.get_by_role("heading", name=other, exact=True).first.wait_for()


def test_what_the_reader_moves_is_not_thrown_back_by_the_answer(page):  # noqa: F811
    widget = ContextPipeline(SUBJECTS["ContextPipeline"](), QUERY)
    show(page, widget)
    page.locator("[data-field=min_relevance]").fill("0.5")
    page.locator("[data-field=query]").fill("half writ")
    page.wait_for_function("state.head.knobs.min_relevance === 0.5")
    assert [value(page, name) for name in ("min_relevance", "query")] == ["0.5", "half writ"]


def test_rows_are_gone_through_by_keys_from_one_stop(page):  # noqa: F811
    """Also to rows that are not in the page yet."""
    widget = many(1000)
    show(page, widget)
    page.locator("[data-list=gather] button").first.focus()
    here = "document.activeElement.dataset.place"
    first = int(page.evaluate(here))
    for _ in range(60):
        page.keyboard.press("ArrowDown")
    assert int(page.evaluate(here)) >= first + 60
    page.wait_for_function("document.querySelector('[data-list=gather]').scrollTop > 1000")
    assert page.locator("[data-list=gather] [tabindex='0']").count() == 1
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('[data-list]')?.dataset.list") != "gather"
    page.keyboard.press("Shift+Tab")
    assert int(page.evaluate(here)) >= first + 60
    page.keyboard.press("End")
    assert page.evaluate("document.activeElement.textContent").startswith("Hotel 999")
    page.keyboard.press("Home")
    assert int(page.evaluate(here)) == first
    page.keyboard.press("Enter")
    page.locator(".hai-cpdetails").wait_for()
