"""The English and the Chinese edition of the site: which pages each has, and how one leads to the other.

A page is in the Chinese edition when there is a message catalogue for it. The contents there list the other pages as
well, under Chinese titles, and lead to the English ones.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Set
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.locale import get_translation
from sphinx.transforms import SphinxTransform
from sphinx.util.nodes import extract_messages

CATALOGUES = Path(__file__).parents[1] / "zh" / "locale" / "zh_CN" / "LC_MESSAGES"
SITE = "sphinx"
"""The catalogue of what stands around the pages: words of the templates, and titles of pages that are in English."""

WIDGETS = "application/vnd.jupyter.widget-state+json"


def chinese_pages() -> tuple[str, ...]:
    """The pages that have a catalogue, in alphabetical order."""
    found = (path.relative_to(CATALOGUES).with_suffix("").as_posix() for path in CATALOGUES.rglob("*.po"))
    return tuple(sorted(name for name in found if name != SITE))


CHINESE_PAGES = chinese_pages()


def is_chinese(app: Sphinx) -> bool:
    return app.config.language.startswith("zh")


# --- words -----------------------------------------------------------------------------------------------------------


def needs_words(message: str) -> bool:
    """Whether a message has English words, or is only code, numbers or Chinese."""
    return re.search(r"[A-Za-z]", re.sub(r"`[^`]*`", "", message)) is not None


class TranslatableHtml(nodes.raw, addnodes.translatable):
    """A piece of HTML in a page, of which the texts of some elements can be translated."""

    TEXTS = re.compile(r"(?<=>)[^<>]*[A-Za-z][^<>]*(?=</(?:summary|title|text)>)")

    def preserve_original_messages(self) -> None:
        self["originals"] = self.TEXTS.findall(self.astext())

    def extract_original_messages(self) -> list[str]:
        return list(self.get("originals", ()))

    def apply_translated_message(self, original_message: str, translated_message: str) -> None:
        html = re.sub(rf">{re.escape(original_message)}</", f">{translated_message}</", self.astext())
        self.children = []
        self += nodes.Text(html)


class FindHtml(SphinxTransform):
    """Makes pieces of HTML with texts in them translatable, but for what cells have put out."""

    default_priority = 5

    def apply(self, **kwargs: Any) -> None:
        for old in list(self.document.findall(nodes.raw)):
            if TranslatableHtml.TEXTS.search(old.astext()) and not _is_output(old):
                old.replace_self(TranslatableHtml(old.rawsource, old.astext(), **old.attributes))


def _is_output(node: nodes.Node | None) -> bool:
    while node is not None:
        if isinstance(node, nodes.Element) and "cell_output" in node["classes"]:
            return True
        node = node.parent
    return False


class MarkUntranslated(SphinxTransform):
    """Says of a paragraph that is still in English that it is, and takes the mark from what is not in any language."""

    default_priority = 960

    def apply(self, **kwargs: Any) -> None:
        words = {id(node): message for node, message in extract_messages(self.document)}
        for node in self.document.findall(nodes.Element):
            if "untranslated" in node["classes"]:
                node["classes"].remove("untranslated")
                if isinstance(node, addnodes.translatable):
                    continue
                if needs_words(words.get(id(node), "")) and isinstance(node, nodes.TextElement):
                    node["classes"] += ["untranslated", "language-en"]


# --- pages that are not in the Chinese edition ----------------------------------------------------------------------


def shorten(app: Sphinx, docname: str, source: list[str]) -> None:
    """Leaves of an English page the title, in Chinese; and sets the widgets of a Chinese one to Chinese."""
    is_notebook = str(app.env.doc2path(docname)).endswith(".ipynb")
    if docname not in CHINESE_PAGES:
        title = get_translation(SITE)(title_of(source[0], is_notebook)) + "（英文）"
        source[0] = _notebook(f"# {title}") if is_notebook else f"# {title}\n"
        app.env.note_dependency(str(CATALOGUES / f"{SITE}.mo"))
    elif is_notebook:
        source[0] = with_widgets_in_chinese(source[0])


def title_of(source: str, is_notebook: bool) -> str:
    """The first heading of a page."""
    text = "".join(json.loads(source)["cells"][0]["source"]) if is_notebook else source
    return next(line.removeprefix("# ") for line in text.splitlines() if line.startswith("# "))


def _notebook(text: str) -> str:
    cell = {"cell_type": "markdown", "id": "title", "metadata": {}, "source": text}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def with_widgets_in_chinese(notebook: str) -> str:
    """The notebook, with the language of its stored widgets changed. What they show of a run stays as it was."""
    content = json.loads(notebook)
    models = content["metadata"].get("widgets", {}).get(WIDGETS, {}).get("state", {})
    for model in models.values():
        if "language" in model["state"].get("head", {}):
            model["state"]["head"]["language"] = "zh"
    return json.dumps(content)


class EditionBuilder(StandaloneHTMLBuilder):
    """Makes HTML as usual, but for pages of which an edition has only the title: links lead to the English ones."""

    def get_target_uri(self, docname: str, typ: str | None = None) -> str:
        address = super().get_target_uri(docname, typ)
        return f"../{address}" if self._is_elsewhere(docname) else address

    def write_documents(self, docnames: Set[str]) -> None:
        super().write_documents({name for name in docnames if not self._is_elsewhere(name)})

    def _is_elsewhere(self, docname: str) -> bool:
        return self.config.language != "en" and docname in self.env.found_docs and docname not in CHINESE_PAGES


def mark_english_links(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Says in a text which links lead to an English page."""
    folder = posixpath.dirname(docname)
    for link in doctree.findall(nodes.reference):
        if posixpath.normpath(posixpath.join(folder, link.get("refuri", ""))).startswith("../"):
            link += nodes.Text("（英文）")


# --- from one edition to the other ----------------------------------------------------------------------------------


def lead_across(app: Sphinx, pagename: str, _template: str, context: dict[str, Any], _doctree: object) -> None:
    """Gives the templates what the language switch and the search engines are told."""
    has_both = pagename in {*CHINESE_PAGES, "search"}
    here = f"zh/{pagename}" if is_chinese(app) else pagename
    other = pagename if is_chinese(app) else f"zh/{pagename if has_both else 'index'}"
    root = "../" if is_chinese(app) else ""

    def address(page: str) -> str:
        return context["pathto"](f"{root}{page}.html", True)

    context["other_edition"] = {"href": address(other), "same_page": has_both}
    context["alternates"] = dict(_alternates(app, pagename, here, address)) if has_both else {}


def _alternates(app: Sphinx, pagename: str, here: str, address: Any) -> Iterator[tuple[str, str]]:
    base = app.config.html_context["book_url"]
    for language, page in (("en", pagename), ("zh-CN", f"zh/{pagename}"), ("x-default", pagename)):
        yield (
            language,
            f"{base}{page}.html" if base else f"{posixpath.basename(here)}.html" if page == here else address(page),
        )


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_builder(EditionBuilder, override=True)
    app.add_node(TranslatableHtml)
    app.add_transform(FindHtml)
    app.connect("html-page-context", lead_across)
    if is_chinese(app):
        app.add_transform(MarkUntranslated)
        app.connect("source-read", shorten)
        app.connect("doctree-resolved", mark_english_links)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
