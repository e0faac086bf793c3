"""The gallery in JupyterLab and in Notebook 7: every widget is drawn, answers a control, and asks nobody else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from browser.driver import Lab, Notebook
from notebooks.execute import ROOT, read

GALLERY = ROOT / "notebooks" / "widgets_gallery.ipynb"


def loop_inspector(widget: Any) -> None:
    widget.get_by_role("button", name="Step").click()
    widget.locator(".hai-c-frame", has_text="Add up two nights and the train.").wait_for()


def tool_schema(widget: Any) -> None:
    widget.locator("select").first.select_option("total")
    widget.get_by_text("Whole numbers of euros.").first.wait_for()
    widget.get_by_label("arguments, JSON").fill('{"amounts": [320, 180]}')
    widget.get_by_role("button", name="Call", exact=True).click()
    widget.get_by_text("500 euros").wait_for()


def context_meter(widget: Any) -> None:
    widget.get_by_label("Kind").select_option("results")
    widget.locator("[data-op=open]").first.click()
    widget.get_by_text("The trip costs 844 euros").first.wait_for()


def history_compression(widget: Any) -> None:
    assert widget.locator(".hai-piece.hai-f-summary").count() == 1
    widget.get_by_role("slider").first.fill("2000")
    widget.locator(".hai-piece.hai-f-summary").wait_for(state="detached")


def context_pipeline(widget: Any) -> None:
    widget.get_by_label("MMR: leave out what is alike").uncheck()
    widget.get_by_text("on → off").wait_for()


def memory_explorer(widget: Any) -> None:
    widget.get_by_label("what to look for").fill("the train at nine")
    widget.get_by_role("button", name="Search").click()
    widget.get_by_text("Missed the train at nine.").first.wait_for()


def run_tree(widget: Any) -> None:
    widget.get_by_role("treeitem", name="react t2").click()
    widget.get_by_text("What do two museum tickets cost?").first.wait_for()


def trace_timeline(widget: Any) -> None:
    widget.get_by_role("button", name="Next error").click()
    widget.get_by_text("KeyError: 'boat'").last.wait_for()


def fault_lab(widget: Any) -> None:
    widget.get_by_label("fault of price").select_option("failing")
    widget.get_by_role("button", name="Run", exact=True).click()
    widget.get_by_text("does not answer").first.wait_for()


REACTIONS: dict[str, Callable[[Any], None]] = {
    "LoopInspector": loop_inspector,
    "ToolSchema": tool_schema,
    "ContextMeter": context_meter,
    "HistoryCompression": history_compression,
    "ContextPipeline": context_pipeline,
    "MemoryExplorer": memory_explorer,
    "RunTree": run_tree,
    "TraceTimeline": trace_timeline,
    "FaultLab": fault_lab,
}


def places() -> dict[str, int]:
    """The cell of each widget, by the heading before it."""
    found: dict[str, int] = {}
    heading = ""
    for index, cell in enumerate(read(GALLERY).cells):
        if cell.cell_type == "markdown" and cell.source.startswith("## "):
            heading = cell.source.splitlines()[0].removeprefix("## ")
        elif heading:
            found[heading] = index
    return found


def test_every_widget_is_in_the_gallery() -> None:
    import hello_agents_widgets

    widgets = {name for name in hello_agents_widgets.__all__ if name[0].isupper()}
    assert set(places()) == widgets == set(REACTIONS)


def journey(reader: Lab, folder: Any) -> None:
    reader.open_notebook(GALLERY.name).run_all()
    assert reader.failures() == []
    for name, index in places().items():
        live = reader.output(index).locator(".hai")
        live.wait_for()
        assert live.count() == 1, name
        REACTIONS[name](live)
        # Jupyter's own sheet breaks words of `pre` anywhere.
        breaks = "(all) => new Set(all.map((one) => getComputedStyle(one).wordBreak)).has('break-all')"
        assert not live.locator("pre").evaluate_all(breaks), name
    reader.wait_for_kernel()
    for theme in ("light", "dark"):
        for name, index in places().items():
            widget = reader.output(index).locator(".hai")
            picture = reader.screenshot(folder / f"{name}-{theme}.png", theme, of=widget)
            assert picture.stat().st_size > 1000
            box, page = widget.bounding_box(), reader.page.viewport_size
            assert 0 <= box["x"] <= box["x"] + box["width"] <= page["width"], name


def test_the_gallery_in_jupyterlab(lab: Lab, tmp_path: Any) -> None:
    journey(lab, tmp_path / "pictures")


@pytest.mark.parametrize("lab", [Notebook], indirect=True, ids=["notebook 7"])
def test_the_gallery_in_notebook_7(lab: Lab, tmp_path: Any) -> None:
    assert isinstance(lab, Notebook)
    journey(lab, tmp_path / "pictures")
