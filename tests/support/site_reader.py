"""The book's site: making it, and a reader who hears every complaint of a page."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

LEVELS = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"], "preload": False}


def build(book: Path, place: Path, doctrees: Path, *options: str) -> None:
    """Makes an edition of the site, as `make book` does."""
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-d", str(doctrees)]
    made = subprocess.run(
        [*command, *options, str(book), str(place)],
        env={name: value for name, value in os.environ.items() if not name.startswith("BOOK_")},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert made.returncode == 0, made.stderr


def pages(site: Path) -> list[str]:
    """All pages, without the fragments that the theme keeps for itself."""
    found = [path.relative_to(site) for path in site.rglob("*.html")]
    return sorted(path.as_posix() for path in found if not path.parent.name.startswith("_"))


class Reader:
    """A page of a browser that hears every complaint."""

    def __init__(self, browser: Browser, scheme: str = "light") -> None:
        self.context = browser.new_context(viewport={"width": 1360, "height": 900}, color_scheme=scheme)
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(30_000)
        self.heard: list[str] = []
        self.page.on("pageerror", lambda error: self.heard.append(f"exception: {error}"))
        self.page.on("console", lambda line: line.type == "error" and self.heard.append(f"console: {line.text}"))
        # What is given up because the reader goes on to another page has not failed.
        self.page.on(
            "requestfailed",
            lambda request: "ERR_ABORTED" in (request.failure or "") or self.heard.append(f"failed: {request.url}"),
        )
        self.page.on("request", lambda request: self._look_at(request.url))

    def _look_at(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("file", "data", "blob") and parts.hostname != "127.0.0.1":
            self.heard.append(f"another machine: {url}")

    def complaints(self) -> list[str]:
        heard, self.heard = self.heard, []
        return heard


def accessibility(page: Page) -> list[str]:
    page.add_style_tag(content="*, *::before { transition: none !important; animation: none !important }")
    found = Axe().run(page, options=LEVELS).response["violations"]
    return [
        f"{fault['id']}: {node['html'][:160]} {node['failureSummary'][:200]}"
        for fault in found
        for node in fault["nodes"]
    ]
