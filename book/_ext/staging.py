"""What a build takes from beside `book/`: the chapters, and a page for each public package.

Sphinx reads one folder, so the chapters are copied into it. A copy is made only of what has changed, since a new file
is read again.
"""

from __future__ import annotations

import fnmatch
import importlib
import inspect
import json
import re
import textwrap
from collections import defaultdict
from collections.abc import Collection
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

PACKAGES = {
    "hello_agents.core": "The loop, runs, messages, models, sessions and the debugger",
    "hello_agents.agents": "Agents, and what a planner or a parent adds to the loop",
    "hello_agents.tools": "Tools, schemas, responses, the registry and the circuit breaker",
    "hello_agents.tools.builtin": "The tools that come with the library",
    "hello_agents.context": "Counting, cutting, compressing and building a context",
    "hello_agents.memory": "Memories, documents and search",
    "hello_agents.skills": "Knowledge outside the prompt",
    "hello_agents.observability": "Traces, reports, metrics and spans",
    "hello_agents.serve": "Agents as a service",
    "hello_agents.evaluation": "Tasks, rates and comparisons",
    "hello_agents.offline": "Models that need no network",
    "hello_agents.utils": "Logging and serialization",
    "hello_agents_widgets": "What a chapter looks inside with",
}
"""The public packages, in the order of the book, and what each is for."""

PARTS = {
    "Before you start": ["how_to_read", "from_the_tutorial", "for_teachers"],
    "I · The loop": ["chapters/0[1-3]_*"],
    "II · Tools": ["chapters/0[45]_*"],
    "III · Agents": ["chapters/0[6-9]_*"],
    "IV · Context": ["chapters/1[0-3]_*"],
    "V · Work that lasts": ["chapters/1[4-9]_*"],
    "VI · Looking around": ["chapters/2[0-9]_*"],
    "To look things up": ["chapters/*gallery*", "glossary", "api/index", "genindex"],
}
"""The contents: each part and its pages, in order. A page or part that is not there yet is left out."""


def stage(app: Sphinx) -> None:
    """Brings chapters and API pages into the source folder, and takes away those that have gone."""
    book = Path(app.srcdir)
    chapters = {path.name: path.read_text(encoding="utf-8") for path in (book.parent / "notebooks").glob("*.ipynb")}
    _fill(book / "chapters", chapters)
    # The Chinese edition shows of the API the title.
    if app.config.language == "en" or not (book / "api" / "index.md").exists():
        _fill(book / "api", _api_pages())


def fill_in(app: Sphinx, docname: str, source: list[str]) -> None:
    """Puts the contents into the front page and words to pictures, and lets links to notebooks lead to chapters."""
    if docname.startswith("chapters/"):
        source[0] = _with_words(source[0])
        return
    text = source[0].replace("](../notebooks/", "](chapters/") if "/" not in docname else source[0]
    source[0] = text.replace("{{contents}}", _contents(_pages(app))) if docname == "index" else text


def _with_words(notebook: str) -> str:
    """The notebook with the words for each picture where the site looks for them: an output has them for JupyterLab."""
    content = json.loads(notebook)
    for cell in content["cells"]:
        words = [output.get("metadata", {}).get("image/png", {}).get("alt") for output in cell.get("outputs", ())]
        if any(words):
            cell["metadata"]["mystnb"] = {"image": {"alt": " ".join(filter(None, words))}}
    return json.dumps(content, ensure_ascii=False, indent=1)


def _pages(app: Sphinx) -> list[str]:
    """All that the contents may list: the pages that were found, and the index where there is one."""
    return [*app.env.found_docs, *["genindex"] * app.config.html_use_index]


def _contents(pages: Collection[str]) -> str:
    trees: list[str] = []
    for caption, patterns in PARTS.items():
        found = [page for pattern in patterns for page in sorted(fnmatch.filter(pages, pattern))]
        if found:
            trees.append(f"```{{toctree}}\n:hidden:\n:caption: {caption}\n\n" + "\n".join(found) + "\n```\n")
    return "\n".join(trees)


def _fill(folder: Path, texts: dict[str, str]) -> None:
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        if old.is_file() and old.name not in texts:
            old.unlink()
    for name, text in texts.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def _api_pages() -> dict[str, str]:
    pages = {f"{package}.md": _page(package, names) for package, names in _homes().items()}
    rows = [f"| [`{package}`]({package}.md) | {PACKAGES[package]} |" for package in PACKAGES]
    entries = "\n".join(PACKAGES)
    pages["index.md"] = (
        "# API\n\nMade from the docstrings. What `hello_agents` itself exports is listed with the package that it "
        "lives in, under the shorter name.\n\n| package | what it holds |\n|---|---|\n" + "\n".join(rows) + "\n\n"
        f"```{{toctree}}\n:hidden:\n:maxdepth: 1\n\n{entries}\n```\n"
    )
    return pages


def _homes() -> dict[str, dict[str, Any]]:
    """For each package its public names by import path, each name in one package only."""
    homes: dict[str, dict[str, Any]] = defaultdict(dict)
    seen: set[str] = set()
    for package in ["hello_agents", *reversed(PACKAGES)]:
        module = importlib.import_module(package)
        for name in vars(module)["__all__"]:
            if name in seen or name.startswith("__"):
                continue
            seen.add(name)
            value = getattr(module, name)
            homes[_home(value, package)][f"{package}.{name}"] = value
    return {package: homes[package] for package in PACKAGES}


def _home(value: object, package: str) -> str:
    """The most specific public package that the value was defined in; `package` where that cannot be told."""
    defined = f"{vars(value).get('__module__')}." if inspect.isclass(value) or inspect.isfunction(value) else ""
    holding = [name for name in PACKAGES if defined.startswith(f"{name}.")]
    return max(holding, key=len) if holding else package if package in PACKAGES else "hello_agents.core"


def _page(package: str, names: dict[str, Any]) -> str:
    entries = "\n".join(_entry(path, value) for path, value in sorted(names.items(), key=lambda item: item[0].lower()))
    return f"# {package}\n\n{PACKAGES[package]}.\n\n```{{eval-rst}}\n{entries}\n```\n"


def _entry(path: str, value: object) -> str:
    if inspect.isclass(value):
        return f".. autoclass:: {path}\n   :members:\n"
    if inspect.isfunction(value):
        return f".. autofunction:: {path}\n"
    return f".. py:data:: {path}\n   :value: {textwrap.shorten(repr(value), 100, placeholder=' …')}\n"


_CODE = re.compile(r"(?<!`)`([^`]+)`(?!`)")


def code_in_docstrings(
    _app: Sphinx, _what: str, _name: str, _object: object, _options: object, lines: list[str]
) -> None:
    """Makes the single backticks of a docstring what they are in Markdown: code."""
    lines[:] = _CODE.sub(r"``\1``\ ", "\n".join(lines)).split("\n")


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("builder-inited", stage)
    app.connect("source-read", fill_in)
    app.connect("autodoc-process-docstring", code_in_docstrings)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
