"""How long the chapters take, counted from what is in them, and written into `how_to_read.md`.

`python book/reading_times.py [--check]` fills each list between `<!-- path: … -->` and `<!-- end -->` with the chapters
of that path that exist, and their minutes.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "book" / "how_to_read.md"

WORDS_A_MINUTE = 180
LINES_A_MINUTE = 20
A_WIDGET = 2.0
AN_EXERCISE = 4.0
"""Minutes. A reader who is in no hurry; exercises vary most."""

_PATH = re.compile(r"(<!-- path: ([\d ]+?)(?:; until: ([^>]+?))? -->\n).*?(<!-- end -->)", re.DOTALL)


@dataclass(frozen=True)
class Chapter:
    """A notebook, as far as reading it goes."""

    path: Path
    cells: tuple[tuple[str, str, tuple[str, ...]], ...]
    """Kind, source and tags of each cell."""

    @property
    def title(self) -> str:
        return next(line.removeprefix("# ") for _, source, _ in self.cells for line in source.splitlines())

    def minutes(self, until: str | None = None) -> float:
        """How long it takes, up to a heading or to the end. Folded solutions do not count."""
        total = 0.0
        for kind, source, tags in self.cells:
            before, *after = re.split(rf"^## {re.escape(until)}", source, maxsplit=1, flags=re.M) if until else [source]
            if "solution" not in tags:
                total += _minutes(kind, before, tags)
            if after:
                break
        return total


def _minutes(kind: str, source: str, tags: tuple[str, ...]) -> float:
    if kind == "markdown":
        return len(re.findall(r"\w+", source)) / WORDS_A_MINUTE
    lines = len([line for line in source.splitlines() if line.strip()])
    shows = "from hello_agents_widgets import" in source
    return lines / LINES_A_MINUTE + shows * A_WIDGET + ("exercise" in tags) * AN_EXERCISE


def chapters(folder: Path = ROOT / "notebooks") -> dict[str, Chapter]:
    """Number -> chapter, of those that are there."""
    found: dict[str, Chapter] = {}
    for path in sorted(folder.glob("[0-9][0-9]_*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        told = [(cell["cell_type"], "".join(cell["source"]), tuple(cell["metadata"].get("tags", ()))) for cell in cells]
        found[path.name[:2]] = Chapter(path, tuple(told))
    return found


def filled(page: str, known: dict[str, Chapter]) -> str:
    """The page with its lists as they should be."""

    def fill(match: re.Match[str]) -> str:
        head, numbers, until, end = match.groups()
        there = [known[number] for number in numbers.split() if number in known]
        lines = [f"- [{one.title}](../notebooks/{one.path.name}), {_about(one.minutes(until))}" for one in there]
        if len(there) > 1:
            lines.append(f"\nTogether {_about(sum(one.minutes(until) for one in there))}.")
        body = "\n".join(lines) if lines else "These chapters are still to come."
        return f"{head}\n{body}\n\n{end}"

    return _PATH.sub(fill, page)


def _about(minutes: float) -> str:
    rounded = max(5, 5 * round(minutes / 5))
    hours, rest = divmod(rounded, 60)
    parts = [f"{hours} hour{'s' if hours > 1 else ''}"] * bool(hours) + [f"{rest} minutes"] * bool(rest)
    return "about " + " ".join(parts)


def main(arguments: list[str]) -> int:
    page = PAGE.read_text(encoding="utf-8")
    wanted = filled(page, chapters())
    if "--check" not in arguments:
        PAGE.write_text(wanted, encoding="utf-8", newline="\n")
    elif wanted != page:
        sys.stdout.write("how_to_read.md is out of date; run `python book/reading_times.py`.\n")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
