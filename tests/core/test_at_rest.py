"""Tables of pictures at rest: columns as wide as what is in them, wherever the picture is shown."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from hello_agents.core.at_rest import dot, grid

LONG = "a text that has more words than fit on one line beside other columns"


def styles(page: str, tag: str) -> list[str]:
    return re.findall(rf'<{tag} style="([^"]*)"', page)


def test_a_page_that_makes_all_columns_equal_does_not_get_its_way() -> None:
    """JupyterLab's own sheet says `table-layout: fixed` for every table in an output."""
    assert "table-layout:auto" in styles(grid(("a",), [["b"]]), "table")[0]


def test_short_words_and_numbers_stay_on_one_line_and_texts_wrap() -> None:
    page = grid(("kind", "text", "tokens"), [["assistant", LONG, "1,024"], ["user", "short", "7"]])
    for kind, text, tokens in (styles(page, "td")[:3], styles(page, "td")[3:]):
        assert "nowrap" in kind
        assert "right" not in kind
        assert "nowrap" not in text
        assert "anywhere" in text
        assert "nowrap" in tokens
        assert "text-align:right" in tokens
    assert all("nowrap" in one for one in styles(page, "th"))


def test_marks_and_escapes_do_not_count_as_words() -> None:
    marked = grid(("kind",), [[dot("#123456") + "<b>assistant</b>"], ["&lt;&lt;&lt;&lt;&lt;&amp;&gt;"]])
    assert all("nowrap" in one for one in styles(marked, "td"))


@given(st.lists(st.text("abc ,.1<>&", max_size=60), min_size=1, max_size=5))
def test_any_cells_are_laid_out(cells: list[str]) -> None:
    from html import escape

    page = grid(("one",), [[escape(cell)] for cell in cells])
    assert len(styles(page, "td")) == len(cells)
    assert all(escape(cell) in page for cell in cells)
