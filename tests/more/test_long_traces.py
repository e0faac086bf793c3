"""A trace of thousands of events: the page opens, finds the first error and can be searched."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import sync_playwright

from hello_agents.observability import report_html

COUNT = 5000


def test_a_long_page_can_be_used(tmp_path: Path) -> None:
    events = [
        {
            "seq": n,
            "ts": f"2026-01-02T{n // 3600:02}:{n // 60 % 60:02}:{n % 60:02}+00:00",
            "event": "tool_result",
            "step": n,
            "payload": {
                "tool_name": "look",
                "status": "error" if n % 1999 == 1998 else "success",
                "result": f"city {n} ",
            },
        }
        for n in range(COUNT)
    ]
    file = tmp_path / "long.html"
    file.write_text(report_html(events), encoding="utf-8")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1100, "height": 500})
        page.set_default_timeout(120_000)
        page.goto(f"file://{file}")
        page.get_by_role("button", name="First error").click()
        found = page.locator("details.found")
        assert "city 1998" in (found.text_content() or "")
        assert found.evaluate("(one) => { const r = one.getBoundingClientRect(); return r.bottom > 0 && r.top < 500; }")
        page.get_by_role("searchbox").fill("city 4321 ")
        assert page.locator("nav output").text_content() == f"1 / {COUNT}"
        browser.close()
