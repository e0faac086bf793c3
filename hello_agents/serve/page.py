"""The page at `/`, on which the agent is tried: one file, with its texts put in, and the policy it is sent with."""

from __future__ import annotations

import base64
import json
import re
from functools import cache
from hashlib import sha256
from pathlib import Path

from ..catalogue import TEXTS

_PREFIX = "serve.page."


@cache
def page() -> str:
    """The page, with the texts of all languages in it."""
    html = (Path(__file__).parent / "page.html").read_text(encoding="utf-8")
    texts: dict[str, dict[str, str]] = {}
    for key, versions in TEXTS.items():
        if key.startswith(_PREFIX):
            for language, version in versions.items():
                texts.setdefault(language, {})[key.removeprefix(_PREFIX)] = version
    # `<` would end the block of data it stands in.
    return html.replace("{{texts}}", json.dumps(texts, ensure_ascii=False).replace("<", "\\u003c"))


@cache
def csp() -> str:
    """The content security policy: the page's own script and style, its own service, and nothing else."""
    (script,) = re.findall(r"<script>(.*?)</script>", page(), re.DOTALL)
    (style,) = re.findall(r"<style>(.*?)</style>", page(), re.DOTALL)
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(sha256(text.encode()).digest()).decode()
