"""A JupyterLab server and a reader at it, in the Chromium that this machine has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser.driver import CHROMIUM_FLAGS, Lab, Server
from playwright.sync_api import Browser, sync_playwright
from support.browsers import CHROMIUM, leave_out_without_a_browser

HERE = Path(__file__).parent


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    leave_out_without_a_browser(config, items, HERE)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("jupyter"))
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """The browser. Closed after each module, since Playwright's event loop is in the way of asynchronous tests."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, headless=True, args=CHROMIUM_FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def lab(server: Server, chromium: Browser, request: pytest.FixtureRequest) -> Iterator[Lab]:
    """A reader with a page, a workspace and a copy of the chapters of their own, who asks nothing of other machines.

    The parameter is the interface: `Lab`, unless a test says another.
    """
    name = re.sub(r"\W+", "-", request.node.name).strip("-")
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light", locale="en-US")
    lab = getattr(request, "param", Lab)(context.new_page(), server, name)
    yield lab
    context.close()
    server.stop_kernels()
    server.reset_settings()
    assert lab.external == []
    assert lab.errors == []
