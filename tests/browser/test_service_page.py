"""The page of the service, as a reader uses it: asks, watches, approves, stops, reloads; with the keyboard alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from support.serving import Served, client

TOKEN = "t0ken"


@pytest.fixture
def served() -> Iterator[Served]:
    with Served(token=TOKEN) as one:
        yield one


@pytest.fixture(params=["light", "dark"])
def page(chromium: Browser, served: Served, request: pytest.FixtureRequest) -> Iterator[Page]:
    context = chromium.new_context(viewport={"width": 900, "height": 900}, color_scheme=request.param, locale="en-US")
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda line: errors.append(line.text) if "Content Security Policy" in line.text else None)
    page.goto(served.url + "/#s1")
    yield page
    context.close()
    assert errors == []


def enter_token(page: Page) -> None:
    page.get_by_label("Token").fill(TOKEN)
    page.get_by_label("Token").press("Enter")
    page.get_by_label("Token").blur()
    expect(page.locator("#send")).to_be_enabled()
    page.get_by_label("Message to the agent").focus()


def say(page: Page, text: str) -> None:
    page.get_by_label("Message to the agent").fill(text)
    page.keyboard.press("Enter")


def test_a_reader_asks_approves_stops_and_reloads(page: Page, served: Served, tmp_path: Path) -> None:
    expect(page.locator(".note.bad")).to_contain_text("token")
    enter_token(page)
    say(page, "count 2")
    expect(page.locator(".said").last).to_have_text("3")
    expect(page.locator(".call")).to_have_count(2)
    say(page, "ask it")
    expect(page.get_by_role("button", name="Approve")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".said").last).to_have_text("did it")
    say(page, "ask more")
    page.get_by_role("button", name="Refuse").click()
    expect(page.locator(".call.error, .said").last).to_contain_text("refused")
    say(page, f"wait {tmp_path} go")
    expect(page.locator(".call summary").last).to_contain_text("wait")
    page.reload()
    expect(page.locator(".said.user")).to_have_count(4)
    expect(page.locator("#send")).to_be_disabled()
    (tmp_path / "go").touch()
    expect(page.locator(".said").last).to_have_text("waited")
    say(page, f"wait {tmp_path} never")
    expect(page.locator(".call summary").last).to_have_text("wait …")
    page.keyboard.press("Escape")
    expect(page.locator(".note").last).to_have_text("Ended: stopped")
    expect(page.locator("#send")).to_be_enabled()
    with client(served.url, TOKEN) as http:
        assert http.get("/sessions/s1").json()["reason"] == "stopped"


def test_what_is_said_is_text_and_never_a_part_of_the_page(page: Page) -> None:
    enter_token(page)
    nasty = "<img src=x onerror=document.title='taken'><script>document.title='taken'</script>"
    say(page, f"say {nasty}")
    expect(page.locator(".said").last).to_have_text(nasty)
    assert page.title() == "Hello Agents"
    assert page.locator("main img, main script").count() == 0
    assert page.evaluate("sessionStorage.getItem('token')") == TOKEN
    assert page.evaluate("localStorage.length") == 0


def test_the_page_speaks_chinese(chromium: Browser, served: Served) -> None:
    context = chromium.new_context(locale="zh-CN")
    page = context.new_page()
    page.goto(served.url)
    expect(page.locator("#send")).to_have_text("发送")
    assert page.locator("html").get_attribute("lang") == "zh"
    context.close()
