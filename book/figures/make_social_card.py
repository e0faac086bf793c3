"""Makes `book/_static/social-card.png`, which a link to the site shows: the cover's drawing with the title above it.

`python book/figures/make_social_card.py` in an environment with the `dev` extra and a Chromium on the machine.
"""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import sync_playwright

from hello_agents.cli import find_chromium

HERE = Path(__file__).parent
PAGE = """<!doctype html><html data-theme="light"><meta charset="utf-8"><style>
body {{ margin: 0; width: 1200px; height: 630px; background: #fff; color: #1f2530; font-family: sans-serif; }}
h1 {{ font-size: 76px; margin: 0; padding: 56px 84px 0; }}
p {{ font-size: 30px; margin: 10px 84px 0; color: #515b66; }}
svg {{ display: block; width: 1090px; margin: 0 auto; }}
</style><h1>Hello Agents</h1><p>The book about LLM agents that runs</p>{cover}"""


def main() -> None:
    cover = (HERE / "cover.svg").read_text(encoding="utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1200, "height": 630})
        page.set_content(PAGE.format(cover=cover))
        page.screenshot(path=HERE.parent / "_static" / "social-card.png")
        browser.close()


if __name__ == "__main__":
    main()
