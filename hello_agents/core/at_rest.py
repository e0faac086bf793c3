"""Pieces of pictures at rest: HTML without scripts and style sheets, as it is stored in a notebook.

Everything is said in words and structure; the inline styles only make it pleasant, and take JupyterLab's colours where
they are there. What goes in as HTML has been escaped by the caller.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape, unescape

LONGEST = 1500
"""Characters of one text that are shown."""

_SHORT_CELL = 22
"""Characters in a cell that are not broken over lines."""

HUES = {
    "system": "#7d8797",
    "tools": "#9a7a45",
    "user": "#4a86cf",
    "assistant": "#8069d6",
    "results": "#23967a",
    "summary": "#b07a1e",
    "error": "#cf4444",
}
LINE = "var(--jp-border-color2, rgba(128,128,128,.35))"
MUTED = "color:var(--jp-ui-font-color2, inherit);opacity:.85"
FONT = "font-family:var(--jp-ui-font-family, system-ui, 'Noto Sans', 'Noto Sans CJK SC', sans-serif);font-size:13px"
PRE = (
    "margin:0;padding:8px 10px;white-space:pre-wrap;word-break:normal;overflow-wrap:anywhere;background:transparent;"
    "border:0;color:inherit;font-size:12px;line-height:1.5;"
    "font-family:var(--jp-code-font-family, ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace)"
)
SHADE = "background:rgba(128,128,128,.08)"


def cut(words: str, most: int = LONGEST) -> tuple[str, int]:
    """The beginning of a text, and how many characters are left out."""
    return (words, 0) if len(words) <= most else (words[:most] + " …", len(words) - most)


def box(hue: str, title: str, body: str) -> str:
    return framed(hue, f'<div style="padding:5px 10px;{SHADE}">{title}</div>{body}')


def framed(hue: str, body: str, kind: str = "solid") -> str:
    return (
        f'<div style="border:1px {kind} {LINE};border-left:3px {kind} {hue};border-radius:6px;margin:6px 0">'
        f"{body}</div>"
    )


def table(rows: Sequence[tuple[str, str]]) -> str:
    lines = "".join(
        f'<div style="display:flex;justify-content:space-between;gap:8px"><span style="{MUTED}">{name}</span> '
        f"<span>{value}</span></div>"
        for name, value in rows
    )
    return f'<div style="margin:0 0 12px">{lines}</div>'


def heading(words: str) -> str:
    return f'<div style="font-size:11px;letter-spacing:.04em;text-transform:uppercase;{MUTED}"><b>{words}</b></div>'


def dot(hue: str) -> str:
    style = f"display:inline-block;width:8px;height:8px;border-radius:50%;background:{hue};margin-right:7px"
    return f'<span style="{style}"></span>'


def pill(words: str) -> str:
    return (
        f'<span style="font-size:11px;border:1px solid {LINE};border-radius:10px;padding:1px 8px;'
        f'white-space:nowrap">{words}</span>'
    )


def muted(words: str) -> str:
    return f'<span style="{MUTED}">{words}</span>'


def words(text: str, most: int = LONGEST) -> str:
    """A text as it is written, cut where it is long, escaped."""
    return f'<pre style="{PRE}">{escape(cut(text, most)[0])}</pre>'


def bar(parts: Sequence[tuple[str, int]]) -> str:
    """Parts of a whole, `(colour, amount)`, side by side."""
    shown = "".join(
        f'<span style="flex:{amount} 1 0;min-width:2px;height:14px;background:{hue}"></span>'
        for hue, amount in parts
        if amount
    )
    return f'<div style="display:flex;border-radius:4px;overflow:hidden;margin:0 0 6px">{shown}</div>'


def legend(parts: Sequence[tuple[str, str]]) -> str:
    """What the colours of a bar mean: `(colour, words)`; the words are escaped by the caller."""
    shown = " &nbsp; ".join(dot(hue) + words for hue, words in parts)
    return f'<p style="{MUTED};font-size:12px;margin:4px 0 8px">{shown}</p>'


def grid(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table with a line of headings; cells are HTML.

    Columns are as wide as what is in them, also where a page makes all columns of a table equal, as JupyterLab does:
    short words and numbers are on one line, and longer texts have the rest.
    """
    columns = [[_said(row[place]) for row in rows] for place in range(len(head))]
    cell = f"text-align:left;vertical-align:top;padding:4px 10px;border-bottom:1px solid {LINE}"
    looks = [f"{cell};{_fit(name, column)}" for name, column in zip(head, columns, strict=True)]
    top = "".join(
        f'<th style="{look};white-space:nowrap;{MUTED}">{name}</th>' for name, look in zip(head, looks, strict=True)
    )
    lines = "".join(
        "<tr>" + "".join(f'<td style="{look}">{one}</td>' for one, look in zip(row, looks, strict=True)) + "</tr>"
        for row in rows
    )
    return (
        '<table style="border-collapse:collapse;width:100%;table-layout:auto;font-size:12px;margin:0">'
        f"<thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table>"
    )


def _said(cell: str) -> str:
    """The text of a cell."""
    import re

    return unescape(re.sub(r"<[^>]*>", "", cell)).strip()


def _fit(name: str, column: Sequence[str]) -> str:
    """How the cells of a column are laid out: numbers, short words, or texts that wrap."""
    longest = max(map(len, column), default=0)
    if longest > _SHORT_CELL:
        return "overflow-wrap:anywhere;min-width:10em"
    digits = [one for one in column if one]
    if digits and all(one.replace(",", "").replace(".", "").isdecimal() for one in digits):
        return "white-space:nowrap;text-align:right;font-variant-numeric:tabular-nums"
    return "white-space:nowrap"


def sheet(title: str, marks: Sequence[str], body: str, foot: str = "", *, language: str = "en") -> str:
    """A widget at rest: a title with words beside it, a body, and a line below. Title and marks are escaped here."""
    pills = " ".join(pill(escape(one)) for one in marks)
    edge = f"padding:8px 14px;{SHADE}"
    below = f'<div style="padding:6px 14px;border-top:1px solid {LINE};{SHADE};{MUTED};font-size:12px">{foot}</div>'
    return (
        f'<div lang="{escape(language)}" style="{FONT};line-height:1.45;max-width:1040px;'
        f'border:1px solid {LINE};border-radius:8px">'
        f'<div style="{edge};border-bottom:1px solid {LINE}"><b>{escape(title)}</b> {pills}</div>'
        f'<div style="padding:8px 14px">{body}</div>{below if foot else ""}</div>'
    )
