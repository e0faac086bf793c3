"""A widget in a real page without Jupyter: its ES module, a stand-in for the front end's model, Python behind it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from typing import Any

from playwright.sync_api import Page, sync_playwright

PAGE = """<!doctype html><meta charset="utf-8"><style>{css}</style>
<style>body{{margin:24px;background:{back}}}#w{{max-width:1040px}}</style><div id="w"></div>"""

MOUNT = """async ([esm, state, live]) => {
  const module = await import(URL.createObjectURL(new Blob([esm], {type: "text/javascript"})));
  const handlers = {};
  window.sentBytes = 0;
  const model = {
    get: (name) => window.state[name],
    on: (name, handler) => (handlers[name] = handler),
    off: (name) => delete handlers[name],
    send: (message) => {
      if (live === null) throw new Error("no comm");
      if (live) window.python(JSON.stringify(message)).then(window.put);
    },
  };
  window.state = JSON.parse(state);
  window.put = (text) => {
    const { custom, ...part } = JSON.parse(text);
    Object.assign(window.state, part);
    if (handlers["change:head"]) handlers["change:head"]();
    for (const message of custom || []) handlers["msg:custom"](message);
  };
  const begun = performance.now();
  await module.default.render({model, el: document.getElementById("w")});
  document.body.getBoundingClientRect();
  window.painted = performance.now() - begun;
}"""


@contextmanager
def browser(theme: str = "light", width: int = 1088, height: int = 640, scale: int = 1) -> Iterator[Page]:
    with sync_playwright() as play:
        found = next((path for name in ("chromium", "google-chrome", "chrome") if (path := which(name))), None)
        app = play.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        size = {"width": width, "height": height}
        yield app.new_page(color_scheme=theme, viewport=size, device_scale_factor=scale)
        app.close()


def show(page: Page, widget: Any, *, live: bool | None = True, dark: bool = False) -> None:
    """Puts the widget into the page. `live`: Python answers; `False`: it is silent; `None`: there is no way to it."""
    known = len(widget.logs)
    custom: list[dict[str, Any]] = []
    widget.tell = custom.append

    def python(message: str) -> str:
        nonlocal known
        widget.dispatch(json.loads(message))
        new = {f"log_{index}": widget.logs[index] for index in range(known, len(widget.logs))}
        known = len(widget.logs)
        said, custom[:] = list(custom), []
        return json.dumps({**new, "head": widget.head, "custom": said})

    page.set_content(PAGE.format(css=widget._css, back="#14171c" if dark else "#fff"))
    page.expose_function("python", python)
    state = {key: value for key, value in widget.get_state().items() if key == "head" or key.startswith("log_")}
    # As text, as it comes over a websocket.
    page.evaluate(MOUNT, [str(widget._esm), json.dumps(state), live])


def push(page: Page, widget: Any) -> None:
    """Tells the page what the widget has set since, as a comm does when Python does something by itself."""
    state = widget.get_state()
    part = {key: value for key, value in state.items() if key == "head" or key.startswith("log_")}
    page.evaluate("(part) => window.put(part)", json.dumps(part))


def picture(page: Page, html: str, dark: bool = False) -> None:
    """Puts a picture at rest into the page."""
    ink, back = ("#e6e9ef", "#14171c") if dark else ("#1f2530", "#fff")
    page.set_content(f'<meta charset="utf-8"><body style="margin:24px;color:{ink};background:{back}">{html}')


def save(page: Page, path: Path) -> None:
    page.screenshot(path=str(path), full_page=True)
