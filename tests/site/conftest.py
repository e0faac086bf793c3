"""The book's site, made once for all of these tests, on a server and in a browser."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from browser.driver import CHROMIUM_FLAGS
from notebooks.execute import ROOT
from playwright.sync_api import Browser, sync_playwright
from support.browsers import CHROMIUM, leave_out_without_a_browser
from support.site_reader import Reader, build

HERE = Path(__file__).parent


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    leave_out_without_a_browser(config, items, HERE)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `make book` makes. A warning of Sphinx is an error."""
    assert (ROOT / "book" / "node_modules").is_dir(), "The site's scripts are missing. `make book` fetches them."
    home = tmp_path_factory.mktemp("site")
    build(ROOT / "book", home / "html", home / "doctrees")
    build(ROOT / "book", home / "html" / "zh", home / "doctrees-zh", "-t", "zh")
    return home / "html"


class _Pages(SimpleHTTPRequestHandler):
    """Serves a folder, with the site's own page for what is not there."""

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        page = (Path(self.directory) / "404.html").read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    """Where the site stands, with a slash at the end."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Pages, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, headless=True, args=CHROMIUM_FLAGS)
        yield browser
        browser.close()


@pytest.fixture(params=["light", "dark"])
def reader(chromium: Browser, request: pytest.FixtureRequest) -> Iterator[Reader]:
    reader = Reader(chromium, request.param)
    yield reader
    reader.context.close()


@pytest.fixture
def light(chromium: Browser) -> Iterator[Reader]:
    reader = Reader(chromium)
    yield reader
    reader.context.close()


@pytest.fixture
def dark(chromium: Browser) -> Iterator[Reader]:
    reader = Reader(chromium, "dark")
    yield reader
    reader.context.close()
