"""Takes pictures of the widgets to look at: `python tests/widgets/shots.py FOLDER [NAME …]`.

Each widget in light and dark, in a notebook's width and beside a side bar, after a control was used, and at rest; the
inspector in every state.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
# In the place of this script's own folder, so that what is looked at is what is here.
sys.path[:1] = [str(ROOT), str(ROOT / "widgets"), str(ROOT / "tests")]

from hello_agents_widgets import LoopInspector  # noqa: E402
from widgets.test_all_widgets import MAKERS, made  # noqa: E402

from widgets import demo  # noqa: E402
from widgets import page as pages  # noqa: E402

USES: dict[str, Callable[[Any], None]] = {
    "ToolSchema": lambda page: page.locator("[data-op=example]").nth(1).click(),
    "ContextMeter": lambda page: page.locator("[data-op=open]").nth(3).click(),
    "HistoryCompression": lambda page: page.locator(".hai-roundrow").first.click(),
    "ContextPipeline": lambda page: page.locator(".hai-pk").nth(3).click(),
    "MemoryExplorer": lambda page: page.locator("[data-op=pick]").first.click(),
    "RunTree": lambda page: page.locator("[role=treeitem]").last.click(),
    "TraceTimeline": lambda page: page.keyboard.press("e"),
    "FaultLab": lambda page: page.locator("[data-op=preset]").first.click(),
}


def one_widget(folder: Path, name: str) -> None:
    for theme in ("light", "dark"):
        for width in (700, 1100):
            with pages.browser(theme, width=width + 48) as page:
                errors: list[str] = []
                page.on("pageerror", lambda error, errors=errors: errors.append(str(error)))
                widget = made(name)
                pages.show(page, widget, dark=theme == "dark")
                pages.save(page, folder / f"{name}-{theme}-{width}.png")
                page.locator(".hai button:not([disabled])").first.focus()
                USES[name](page)
                page.wait_for_timeout(500)
                pages.save(page, folder / f"{name}-{theme}-{width}-used.png")
                pages.picture(page, widget.picture(), dark=theme == "dark")
                pages.save(page, folder / f"{name}-{theme}-{width}-rest.png")
                if errors or widget.error:
                    raise RuntimeError(f"{name} reported {errors}, {widget.error!r}. Look at {folder}.")


def inspector(folder: Path) -> None:
    """Every state of the inspector."""
    for theme in ("light", "dark"):
        with pages.browser(theme) as page:
            widget = LoopInspector(demo.agent(), demo.QUESTION)
            widget.step(4)
            errors: list[str] = []
            page.on("pageerror", lambda error, errors=errors: errors.append(str(error)))
            pages.show(page, widget, dark=theme == "dark")
            pages.save(page, folder / f"inspector-{theme}.png")
            page.locator("[data-op=edit]").nth(1).click()
            page.locator(".hai-editor textarea").fill("hotel: 100 a night\ntrain: 20")
            pages.save(page, folder / f"edit-{theme}.png")
            page.keyboard.press("Control+Enter")
            page.wait_for_selector(".hai-branches")
            pages.save(page, folder / f"branch-{theme}.png")
            page.keyboard.press("j")
            pages.save(page, folder / f"json-{theme}.png")
            page.keyboard.press("j")
            page.keyboard.press("r")
            page.wait_for_selector(".hai-c-done")
            pages.save(page, folder / f"end-{theme}.png")
            page.keyboard.press("Home")
            page.get_by_text("Run to …").click(force=True)
            pages.save(page, folder / f"home-{theme}.png")
            page.keyboard.press("Escape")
            page.locator("[data-op=compare]").click()
            page.wait_for_selector(".hai-r-first")
            pages.save(page, folder / f"compare-{theme}.png")
            page.keyboard.press("Escape")
            page.get_by_label("More").click()
            pages.save(page, folder / f"more-{theme}.png")
            page.get_by_text("Predict each step").click()
            page.get_by_label("the model is asked", exact=True).check()
            pages.save(page, folder / f"quiz-{theme}.png")
            page.keyboard.press("Enter")
            page.wait_for_selector(".hai-verdict")
            pages.save(page, folder / f"verdict-{theme}.png")
            page.keyboard.press("p")
            page.locator(".hai [data-op=menu][data-arg=run]").click()
            page.locator("[data-op=again]").click()
            page.wait_for_selector(".hai-spread")
            pages.save(page, folder / f"spread-{theme}.png")
            if errors or widget.error:
                raise RuntimeError(f"The page reported {errors}, the widget {widget.error!r}. Look at {folder}.")
        with pages.browser(theme, width=560) as page:
            pages.show(page, widget, dark=theme == "dark")
            pages.save(page, folder / f"narrow-{theme}.png")
        with pages.browser(theme) as page:
            widget.finish()
            pages.picture(page, widget.picture(), dark=theme == "dark")
            pages.save(page, folder / f"static-{theme}.png")
            pages.picture(page, widget.run._repr_html_(), dark=theme == "dark")
            pages.save(page, folder / f"run-{theme}.png")


def main() -> None:
    parser = argparse.ArgumentParser(description="Takes pictures of the widgets.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", help="widgets to take pictures of; all of them if none is named")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for name in options.names or MAKERS:
        if name == "LoopInspector":
            inspector(options.folder)
        else:
            one_widget(options.folder, name)


if __name__ == "__main__":
    main()
