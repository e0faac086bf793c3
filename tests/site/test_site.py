"""The site as a reader has it: every page whole, silent, accessible and asking no other machine."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from bs4 import BeautifulSoup
from notebooks.execute import ROOT
from PIL import Image
from playwright.sync_api import expect
from support.site_reader import Reader, accessibility, pages

CHAPTERS = sorted(path.stem for path in (ROOT / "notebooks").glob("[0-9]*.ipynb"))
BROKEN = "() => [...document.images].filter(i => i.loading !== 'lazy' && !i.naturalWidth).map(i => i.src)"
VIEW = "application/vnd.jupyter.widget-view+json"


def widgets_of(page: str) -> int:
    """How many live views the stored notebook of a page has; none where it is another page."""
    notebook = ROOT / "notebooks" / f"{page}.ipynb"
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"] if notebook.is_file() else ()
    return sum(VIEW in output.get("data", {}) for cell in cells for output in cell.get("outputs", ()))


def test_every_link_leads_somewhere(site: Path) -> None:
    soups = {name: BeautifulSoup((site / name).read_text(encoding="utf-8"), "html.parser") for name in pages(site)}
    places = {name: {tag["id"] for tag in soup.find_all(id=True)} for name, soup in soups.items()}
    dead: list[str] = []
    for name, soup in soups.items():
        for tag in soup.find_all(["a", "link", "img", "script"]):
            target = tag.get("href") or tag.get("src") or ""
            parts = urlsplit(target)
            if not target or parts.scheme or parts.netloc:
                continue
            path = (site / name).parent / unquote(parts.path) if parts.path else site / name
            within = path.resolve().relative_to(site.resolve()).as_posix()
            if not path.is_file() or (parts.fragment and unquote(parts.fragment) not in places.get(within, ())):
                dead.append(f"{name}: {target}")
    assert dead == []


def test_the_chapters_follow_each_other(address: str, light: Reader) -> None:
    light.page.goto(f"{address}chapters/{CHAPTERS[0]}.html")
    for chapter in CHAPTERS[1:]:
        light.page.locator("a.right-next").click()
        light.page.wait_for_url(f"**/chapters/{chapter}.html")
        assert light.page.locator("a.left-prev").count() == 1


def test_a_chapter_gives_its_notebook(site: Path, address: str, light: Reader) -> None:
    for chapter in CHAPTERS:
        soup = BeautifulSoup((site / "chapters" / f"{chapter}.html").read_text(encoding="utf-8"), "html.parser")
        link = soup.find("a", class_="book-notebook")
        assert link is not None
        given = (site / "chapters" / str(link["href"])).read_text(encoding="utf-8")
        assert given == (ROOT / "notebooks" / f"{chapter}.ipynb").read_text(encoding="utf-8")


def test_pictures_of_chapters_say_what_they_show(site: Path) -> None:
    for chapter in CHAPTERS:
        cells = json.loads((ROOT / "notebooks" / f"{chapter}.ipynb").read_text(encoding="utf-8"))["cells"]
        outputs = [
            output for cell in cells for output in cell.get("outputs", ()) if "image/png" in output.get("data", {})
        ]
        soup = BeautifulSoup((site / "chapters" / f"{chapter}.html").read_text(encoding="utf-8"), "html.parser")
        shown = [str(picture["alt"]) for picture in soup.select(".cell_output img")]
        assert shown == [output["metadata"]["image/png"]["alt"] for output in outputs]


@pytest.mark.parametrize("place", ["server", "folder"])
@pytest.mark.parametrize(
    ("query", "page"),
    [
        ("dispatch loop", "chapters/02_dispatch_loop.html"),
        ("truncate", "chapters/10_tokens_and_truncation.html"),
        ("LoopInspector", "api/hello_agents_widgets.html"),
        ("熔断", "glossary.html"),
        ("熔断器", "glossary.html"),
        ("智能体", "glossary.html"),
    ],
)
def test_search_finds(site: Path, address: str, light: Reader, query: str, page: str, place: str) -> None:
    start = address if place == "server" else f"{site.as_uri()}/"
    light.page.goto(f"{start}index.html")
    light.page.goto(f"{start}search.html?q={query}")
    expect(light.page.locator("#search-results p.search-summary")).to_contain_text("found")
    # What was found is counted first and listed then, one by one.
    expect(light.page.locator(f'#search-results ul.search li a[href*="{page}"]').first).to_be_visible()
    light.page.wait_for_load_state("networkidle")
    assert light.complaints() == []


def test_what_is_nowhere_is_not_found(address: str, light: Reader) -> None:
    light.page.goto(f"{address}index.html")
    light.page.goto(f"{address}search.html?q=zzyzx")
    expect(light.page.locator("#search-results p.search-summary")).to_contain_text("did not match")


def test_a_widget_steps_from_a_folder_without_a_server(site: Path, reader: Reader) -> None:
    reader.page.goto(f"{site.as_uri()}/chapters/{CHAPTERS[0]}.html")
    inspector = reader.page.locator(".widget-subarea .hai")
    expect(inspector).to_be_visible()
    expect(reader.page.locator(".hai-picture")).to_be_hidden()
    expect(inspector.locator(".hai-c-done")).to_have_count(1)
    inspector.get_by_role("button", name="Back").click()
    expect(inspector.locator(".hai-c-done")).to_have_count(0)
    assert reader.complaints() == []


def test_the_page_for_a_wrong_address_works_at_any_depth(address: str, light: Reader) -> None:
    light.page.goto(f"{address}chapters/deeper/nowhere.html")
    assert [line for line in light.complaints() if "404" not in line] == []
    expect(light.page.get_by_role("heading", name="This page is not here")).to_be_visible()
    light.page.get_by_role("article").get_by_role("link", name="contents").click()
    light.page.wait_for_url(f"{address}index.html")


def test_paper_gets_the_text_alone(address: str, light: Reader) -> None:
    light.page.goto(f"{address}chapters/{CHAPTERS[0]}.html")
    light.page.emulate_media(media="print")
    for part in (".bd-sidebar-primary", ".bd-sidebar-secondary", ".bd-header-article", ".prev-next-area"):
        expect(light.page.locator(part).first).to_be_hidden()
    expect(light.page.get_by_role("heading", level=1).last).to_be_visible()


def test_a_link_to_the_site_has_a_card(site: Path) -> None:
    for name in pages(site):
        soup = BeautifulSoup((site / name).read_text(encoding="utf-8"), "html.parser")
        card = soup.find("meta", property="og:image")
        assert card is not None
        with Image.open((site / name).parent / str(card["content"])) as picture:
            assert picture.size == (1200, 630)


def test_every_page_is_whole_silent_and_accessible(site: Path, address: str, light: Reader) -> None:
    faults: dict[str, list[str]] = {}
    for name in pages(site):
        light.page.goto(address + name)
        expect(light.page.locator(".widget-subarea .hai")).to_have_count(widgets_of(Path(name).stem))
        expect(light.page.locator(".cell_output:has(.widget-subarea .hai) .hai-picture:visible")).to_have_count(0)
        broken = light.page.evaluate(BROKEN)
        found = [*light.complaints(), *(f"image: {src}" for src in broken), *accessibility(light.page)]
        if found:
            faults[name] = found
    assert faults == {}


def test_pages_of_each_kind_are_accessible_in_the_dark(address: str, dark: Reader) -> None:
    """One of each kind: axe-core takes seconds for a page, and in the dark only colours differ."""
    kinds = ["index", "search", "glossary", "for_teachers", "404", "api/index", "api/hello_agents.serve", "genindex"]
    faults: dict[str, list[str]] = {}
    for name in [*kinds, *(f"chapters/{chapter}" for chapter in CHAPTERS[::4])]:
        dark.page.goto(f"{address}{name}.html")
        if name.startswith("chapters/"):
            expect(dark.page.locator(".widget-subarea .hai").first).to_be_visible()
        if found := accessibility(dark.page):
            faults[name] = found
    assert faults == {}
