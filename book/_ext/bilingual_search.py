"""Search in English and Chinese: English words by their stem, Chinese text by pairs of characters, with no word list.

The page splits what a reader types in the same way, so a word of two characters or more is found inside a sentence.
"""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx
from sphinx.search.en import SearchEnglish

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_RUNS = re.compile(rf"[{HAN}]+|[^\W{HAN}]+")


class BilingualSearch(SearchEnglish):
    """English, and Chinese by pairs of characters."""

    lang = "en"
    js_splitter_code = """
function splitQuery(query) {
  const runs = query.replace(/[HAN]+/g, ' $& ').split(/[^\\p{L}\\p{N}_]+/u).filter(Boolean);
  return runs.flatMap((run) => {
    if (!/^[HAN]{2,}$/.test(run)) return [run];
    return Array.from(run).slice(1).map((letter, at) => run[at] + letter);
  });
}
""".replace("HAN", HAN)

    def split(self, input: str) -> list[str]:
        """Words, and pairs of neighbouring Chinese characters."""
        return [piece for run in _RUNS.findall(input) for piece in _pieces(run)]


def _pieces(run: str) -> list[str]:
    if not re.match(f"[{HAN}]", run) or len(run) == 1:
        return [run]
    return [run[at : at + 2] for at in range(len(run) - 1)]


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_search_language(BilingualSearch)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
