"""Sections of the page `benchmarks/README.md`: each command writes its own and leaves the others as they are."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

PAGE = Path(__file__).parent / "README.md"


def put(name: str, text: str, page: Path = PAGE) -> None:
    """Writes the section of this name in place of the one before, or at the end of the page."""
    whole = page.read_text(encoding="utf-8") if page.exists() else ""
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    section = f"{begin}{text.strip()}\n{end}"
    old = re.compile(re.escape(begin) + r".*?" + re.escape(end), re.DOTALL)
    if old.search(whole):
        whole = old.sub(lambda _: section, whole, count=1)
    else:
        whole = f"{whole}\n{section}" if whole else section
    page.write_text(whole, encoding="utf-8")


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table in Markdown."""
    head = list(head)
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
