"""Takes pictures of the inspector to look at: `python tests/widgets/shots.py FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

import demo
import page as pages
from hello_agents_widgets import LoopInspector


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
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


if __name__ == "__main__":
    main(Path(sys.argv[1]))
