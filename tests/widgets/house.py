"""What the tests of all widgets share: their snapshots as fixtures of the page's tests, and their controls by name."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import hello_agents_widgets

HERE = Path(__file__).parent


def keep_fixture(name: str, snapshot: Any) -> None:
    """The fixture of the page's own tests is what Python sends today. `UPDATE_FIXTURES=1` writes it anew."""
    written = json.dumps(snapshot, ensure_ascii=False, indent=1) + "\n"
    fixture = HERE / name
    if os.environ.get("UPDATE_FIXTURES"):
        fixture.write_text(written, encoding="utf-8")
    assert json.loads(fixture.read_text(encoding="utf-8")) == json.loads(written), "run with UPDATE_FIXTURES=1"


def controls(*sources: str) -> set[str]:
    """The operations of all controls, as the sources of a widget name them."""
    folder = Path(hello_agents_widgets.__file__).parent
    source = "".join((folder / name).read_text(encoding="utf-8") for name in sources)
    named = re.findall(r'(?:button|link)\("([\w-]+)"', source) + re.findall(
        r'"data-(?:op|live|form)": "([\w-]+)"', source
    )
    return set(named)


LISTEN = """() => {
    window.pressed = new Set();
    const listen = (kind, name) => document.addEventListener(kind, ({target}) => {
        const it = target.closest(`.hai [data-${name}]`);
        if (it && !it.disabled) window.pressed.add(it.dataset[name]);
    }, true);
    listen('click', 'op');
    listen('input', 'live');
    listen('change', 'live');
    listen('submit', 'form');
}"""
"""Listens for what is used in a page, by mouse or by key: both are a click to the page."""


def pressed(page: Any) -> set[str]:
    return set(page.evaluate("[...window.pressed]"))
