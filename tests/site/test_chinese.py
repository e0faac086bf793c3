"""The Chinese edition of the site: its pages, the ways between the two editions, and what is not translated yet."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag
from notebooks.execute import ROOT
from playwright.sync_api import expect
from support.site_reader import Reader, accessibility, build, pages

CATALOGUES = ROOT / "book" / "zh" / "locale" / "zh_CN" / "LC_MESSAGES"
PAGES = sorted(
    path.relative_to(CATALOGUES).with_suffix("").as_posix()
    for path in CATALOGUES.rglob("*.po")
    if path.stem != "sphinx"
)
HAN = re.compile("[\u4e00-\u9fff]")
STARTS = ["server", "folder"]


def soup(page: Path) -> BeautifulSoup:
    return BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")


def one(element: Tag | None) -> Tag:
    assert element is not None
    return element


def test_the_edition_has_the_pages_with_a_catalogue_and_no_other(site: Path) -> None:
    assert pages(site / "zh") == sorted(f"{page}.html" for page in [*PAGES, "search"])


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_in_chinese_from_head_to_foot(site: Path, page: str) -> None:
    text = soup(site / "zh" / f"{page}.html")
    assert one(text.html)["lang"] == "zh-CN"
    article = one(text.find("article"))
    headings = article.find_all(re.compile("^h[1-3]$"))
    assert [str(found) for found in headings if not HAN.search(found.get_text()) and page != "index"] == []
    texts = article.select("p:not(td p), li, th, summary")
    own = [found for found in texts if found.find_parent(class_="cell_output") is None]
    words = [said for found in own if found.find("code") is None and (said := found.get_text(strip=True))]
    assert sum(HAN.search(said) is not None for said in words) > 0.8 * len(words)
    assert {found.get_text() for found in own if found.name == "summary"} <= {"参考答案"}
    assert [said for said in one(text.select_one(".bd-footer-content")).stripped_strings if not HAN.search(said)] == []


def test_pictures_of_the_pages_have_a_chinese_alternative(site: Path) -> None:
    front = soup(site / "zh" / "index.html")
    assert all(HAN.search(str(picture["alt"])) for picture in front.select("figure img"))
    assert HAN.search(one(front.select_one("svg.book-cover title")).get_text())


def test_every_chapter_is_in_the_contents_and_those_in_english_say_so(site: Path) -> None:
    for page in ("index.html", "chapters/02_dispatch_loop.html"):
        contents = soup(site / "zh" / page).select("nav.bd-links a")
        links = {str(link["href"]): link.get_text(strip=True) for link in contents if link["href"] != "#"}
        for chapter in (path.stem for path in (ROOT / "notebooks").glob("*.ipynb")):
            here = f"chapters/{chapter}" in PAGES
            [said] = [text for href, text in links.items() if href.endswith(f"{chapter}.html")] or ["（"] * here
            assert said.endswith("（英文）") != here


def test_the_language_switch_leads_to_the_same_page_and_back(address: str, light: Reader) -> None:
    for page in [*PAGES, "search"]:
        light.page.goto(f"{address}zh/{page}.html")
        light.page.get_by_role("link", name="English", exact=True).click()
        light.page.wait_for_url(f"{address}{page}.html")
        assert light.page.evaluate("document.documentElement.lang") == "en"
        light.page.get_by_role("link", name="中文", exact=True).click()
        light.page.wait_for_url(f"{address}zh/{page}.html")
        assert light.page.evaluate("document.documentElement.lang") == "zh-CN"
    assert light.complaints() == []


def test_from_an_english_page_alone_the_switch_leads_to_the_chinese_contents(address: str, light: Reader) -> None:
    for page in ("chapters/03_messages_and_models", "api/hello_agents.core", "genindex"):
        assert page not in PAGES
        light.page.goto(f"{address}{page}.html")
        light.page.get_by_role("link", name="中文", exact=True).click()
        light.page.wait_for_url(f"{address}zh/index.html")


def test_the_next_chapter_is_the_english_one_where_there_is_no_other(address: str, light: Reader) -> None:
    light.page.goto(f"{address}zh/chapters/02_dispatch_loop.html")
    light.page.locator("a.right-next").click()
    light.page.wait_for_url(f"{address}chapters/03_messages_and_models.html")


def test_search_engines_are_told_of_both_editions(site: Path) -> None:
    for page in PAGES:
        for edition in (site, site / "zh"):
            place = edition / f"{page}.html"
            told = {str(link["hreflang"]): str(link["href"]) for link in soup(place).select("link[rel=alternate]")}
            assert set(told) == {"en", "zh-CN", "x-default"}
            assert (place.parent / told["en"]).resolve() == (site / f"{page}.html").resolve()
            assert (place.parent / told["zh-CN"]).resolve() == (site / "zh" / f"{page}.html").resolve()
    assert soup(site / "chapters" / "03_messages_and_models.html").select("link[rel=alternate]") == []


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize(
    ("query", "page"),
    [
        ("离线模型", "chapters/01_first_agent.html"),
        ("折叠", "chapters/02_dispatch_loop.html"),
        ("最大边际相关", "chapters/13_context_builder.html"),
        ("ReActAgent", "from_the_tutorial.html"),
        ("教程", "from_the_tutorial.html"),
    ],
)
def test_search_finds_chinese(site: Path, address: str, light: Reader, query: str, page: str, start: str) -> None:
    home = address if start == "server" else f"{site.as_uri()}/"
    light.page.goto(f"{home}zh/index.html")
    light.page.goto(f"{home}zh/search.html?q={query}")
    found = light.page.locator("#search-results ul.search li a")
    expect(light.page.locator("#search-results p.search-summary")).to_contain_text("搜索完成")
    expect(light.page.locator(f'#search-results ul.search li a[href*="{page}"]').first).to_be_visible()
    light.page.wait_for_load_state("networkidle")
    assert {(site / "zh" / re.split("[?#]", href.split("zh/")[-1])[0]).is_file() for href in hrefs(found)} == {True}
    assert light.complaints() == []


def hrefs(links) -> list[str]:
    return links.evaluate_all("links => links.map(link => link.href)")


def test_the_widgets_speak_chinese_and_step(address: str, reader: Reader) -> None:
    reader.page.goto(f"{address}zh/chapters/01_first_agent.html")
    inspector = reader.page.locator(".widget-subarea .hai")
    expect(inspector.get_by_role("button", name="单步")).to_be_visible()
    expect(inspector.locator(".hai-c-done")).to_have_count(1)
    inspector.get_by_role("button", name="后退").click()
    expect(inspector.locator(".hai-c-done")).to_have_count(0)
    reader.page.goto(f"{address}zh/chapters/13_context_builder.html")
    expect(reader.page.locator(".widget-subarea .hai").get_by_text("收集").first).to_be_visible()
    assert reader.complaints() == []


def test_the_pages_are_accessible_in_light_and_dark(address: str, reader: Reader) -> None:
    faults: dict[str, list[str]] = {}
    for page in [*PAGES, "search"]:
        reader.page.goto(f"{address}zh/{page}.html")
        if page.startswith("chapters/"):
            expect(reader.page.locator(".widget-subarea .hai").first).to_be_visible()
        if found := [*accessibility(reader.page), *reader.complaints()]:
            faults[page] = found
    assert faults == {}


def test_on_a_phone_everything_at_the_top_of_a_page_is_in_sight(address: str, light: Reader) -> None:
    light.page.set_viewport_size({"width": 360, "height": 740})
    for page in [*(f"zh/{page}" for page in PAGES), *PAGES]:
        light.page.goto(f"{address}{page}.html")
        switch = light.page.get_by_role("link", name="English" if page.startswith("zh/") else "中文", exact=True)
        expect(switch).to_be_in_viewport(ratio=1)
        expect(light.page.locator(".bd-header-article .secondary-toggle")).to_be_in_viewport(ratio=1)
        assert light.page.evaluate("document.documentElement.scrollWidth") <= 360, page


def test_names_of_parts_that_the_theme_has_in_english_are_chinese(address: str, light: Reader) -> None:
    light.page.goto(f"{address}zh/chapters/01_first_agent.html")
    named = "[...document.querySelectorAll('header, nav, aside, .bd-header-article button, form')]"
    names = light.page.evaluate(f"{named}.map(e => e.getAttribute('aria-label') || e.title || '').filter(Boolean)")
    assert [name for name in names if not HAN.search(name)] == []


# --- what has changed since ------------------------------------------------------------------------------------------


def test_a_changed_paragraph_is_told_shown_in_english_and_mended(tmp_path: Path) -> None:
    """The whole way of a change of the English, on a copy of the book."""
    shutil.copytree(ROOT / "notebooks", tmp_path / "notebooks", ignore=shutil.ignore_patterns(".*"))
    shutil.copytree(ROOT / "book", tmp_path / "book", ignore=shutil.ignore_patterns("node_modules", "*.mo"))
    (tmp_path / "book" / "node_modules").symlink_to(ROOT / "book" / "node_modules")
    chapter = tmp_path / "notebooks" / "01_first_agent.ipynb"
    old = "It breaks as soon as the model is less than perfect."
    new = "It breaks when the model is less than perfect."
    text = chapter.read_text(encoding="utf-8")
    assert old in text
    chapter.write_text(text.replace(old, new), encoding="utf-8")

    told = catalogues(tmp_path)
    assert f"    not translated: {new}" in told
    assert f"    in no page any more: {old}" in told
    assert f"    changed: {new}" in catalogues(tmp_path, "update")

    build(tmp_path / "book", tmp_path / "html", tmp_path / "doctrees", "-t", "zh")
    page = soup(tmp_path / "html" / "chapters" / "01_first_agent.html")
    [paragraph] = page.select("article .untranslated")
    assert paragraph["lang"] == "en"
    assert paragraph.get_text().startswith(new)

    catalogue = tmp_path / CATALOGUES.relative_to(ROOT) / "chapters" / "01_first_agent.po"
    mended = re.sub(r"^#[,|].*\n", "", catalogue.read_text(encoding="utf-8"), flags=re.M)
    catalogue.write_text(mended, encoding="utf-8")
    build(tmp_path / "book", tmp_path / "html", tmp_path / "doctrees", "-t", "zh")
    assert soup(tmp_path / "html" / "chapters" / "01_first_agent.html").select("article .untranslated") == []


def test_a_page_is_taken_over_with_its_title(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "notebooks", tmp_path / "notebooks", ignore=shutil.ignore_patterns(".*"))
    shutil.copytree(ROOT / "book", tmp_path / "book", ignore=shutil.ignore_patterns("node_modules", "*.mo"))
    page = "chapters/03_messages_and_models"
    told = catalogues(tmp_path, "update", page)
    title = json.loads((ROOT / "notebooks" / f"{Path(page).name}.ipynb").read_text(encoding="utf-8"))["cells"][0]
    title = "".join(title["source"]).splitlines()[0].removeprefix("# ")
    begun = (tmp_path / CATALOGUES.relative_to(ROOT) / f"{page}.po").read_text(encoding="utf-8")
    around = (tmp_path / CATALOGUES.relative_to(ROOT) / "sphinx.po").read_text(encoding="utf-8")
    assert f'msgid "{title}"\nmsgstr "3 · 消息与模型"' in begun
    assert title not in around
    assert f"{page}: " in told


def catalogues(home: Path, *arguments: str) -> str:
    """What `make translations` or the check says."""
    command = [sys.executable, str(home / "book" / "zh" / "catalogues.py"), *arguments]
    made = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", env=os.environ, check=False)
    assert made.stderr == ""
    return made.stdout
