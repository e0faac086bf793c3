"""Chunking: what holds for every text, and where particular texts are cut."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples

from hello_agents.context import TokenCounter
from hello_agents.memory.chunking import chunk
from hello_agents.memory.documents import Document
from hello_agents.memory.headings import sections

COUNTER = TokenCounter("gpt-4o")

PIECES = st.sampled_from(
    [
        *(
            "# One\n",
            "## Two ##\n",
            "#no\n",
            "Three\n===\n",
            "Four\nand\n---\n",
            "\n",
            "\n\n",
            "\r\n",
            "\r",
            "```py\n",
            "```\n",
        ),
        *(
            "~~~~\n",
            "- item\n",
            "* * *\n",
            "| a | b |\n|---|---|\n",
            "  ",
            "\t",
            "    code\n",
            "Plain words. ",
            "Is it? ",
        ),
        *(
            "x" * 50,
            "word " * 30,
            "知识库由文档组成。",
            "没有空格的一长串汉字" * 8,
            "👩‍👩‍👧‍👦",
            "e\u0301",
            "\ud800",
            "<|endoftext|>",
        ),
        *("---\ntitle: x\n---\n", "3.14", "”。", "\u3000", "\x0c", "\u2028"),
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=20), max_size=25).map("".join)
SIZES = st.integers(8, 40).flatmap(lambda size: st.tuples(st.just(size), st.integers(0, size - 1)))


def cut(text, size=400, overlap=50, form="markdown"):
    return chunk(Document("d", text, form=form), COUNTER, size, overlap).chunks


@settings(max_examples=examples(300), deadline=None)
@given(TEXTS, SIZES, st.sampled_from(["markdown", "text"]))
def test_the_laws(text, sizes, form):
    size, overlap = sizes
    done = chunk(Document("d", text, form=form), COUNTER, size, overlap)
    covered = set()
    before = None
    for number, one in enumerate(done.chunks, 1):
        assert one.id == f"d#{number}"
        assert one.text == text[one.start : one.end]
        assert one.text == one.text.strip() != ""
        assert one.tokens == COUNTER.count_text(one.text) <= size
        ends = text[: one.start].replace("\r\n", "\n").replace("\r", "\n").count("\n")
        assert one.line == ends + 1 or text[one.start - 1 : one.start + 1] == "\r\n"
        assert one.last_line >= one.line
        if before is not None:
            assert before.start < one.start
            assert before.end < one.end
            assert COUNTER.count_text(text[one.start : before.end]) <= overlap, "what is repeated"
            assert one.start >= before.end or one.heading_path == before.heading_path
        covered.update(range(one.start, one.end))
        before = one
    assert {at for at, sign in enumerate(text) if not sign.isspace()} <= covered
    assert done.skipped_empty == (0 if text.strip() else 1)
    assert done == chunk(Document("d", text, form=form), COUNTER, size, overlap)


@settings(max_examples=examples(200), deadline=None)
@given(TEXTS)
def test_sections_follow_one_another(text):
    found = sections(text)
    assert "".join(text[section.start : section.end] for section in found) == text


GUIDE = """# Guide

Intro.

## Install

### Linux

Use the package manager.

### macOS

Use the bundle.

## Run

Type `make lab`.
"""


def test_headings_make_chunks():
    found = cut(GUIDE, 800, 100)
    assert [one.heading_path for one in found] == [
        ("Guide",),
        ("Guide", "Install", "Linux"),
        ("Guide", "Install", "macOS"),
        ("Guide", "Run"),
    ]
    assert found[1].text == "## Install\n\n### Linux\n\nUse the package manager."
    assert [(one.line, one.last_line) for one in found] == [(1, 3), (5, 9), (11, 13), (15, 17)]


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("```\n# no\n```\n# yes\ntext", [(), ("yes",)]),
        ("~~~~\n```\n# no\n~~~~\n# yes\ntext", [(), ("yes",)]),
        ("```py\n# no, and it never ends", [()]),
        ("`# no`\n\nText", [()]),
        ("#no\n\n    # no\n\n\\# no", [()]),
        ("Over\n====\ntext\n\nUnder\n---\nmore", [("Over",), ("Over", "Under")]),
        ("Two\nlines\n===\ntext", [("Two lines",)]),
        ("- item\n---\ntext", [()]),
        ("text\n- item\n---\nmore", [()]),
        ("> said\n---\ntext", [()]),
        ("a | b\n--- | ---\n1 | 2", [()]),
        ("text\n\n---\n\nmore", [()]),
        ("---\ntitle: x\n---\n# H\ntext", [(), ("H",)]),
        ("# H #\ntext", [("H",)]),
        ("# C#\ntext", [("C#",)]),
        ("## Deep\ntext\n# High\ntext", [("Deep",), ("High",)]),
        ("#\ntext", [()]),
        ("# 安装\r\n文字\r\n## 运行\r\n文字", [("安装",), ("安装", "运行")]),
        ("# A\n# B\ntext", [("A",), ("B",)]),
    ],
)
def test_what_is_a_heading(text, paths):
    assert [one.heading_path for one in cut(text)] == paths


def test_plain_text_has_no_headings():
    assert [one.heading_path for one in cut("# a comment\nx = 1\n# another\ny = 2", form="text")] == [()]


@pytest.mark.parametrize("sign", ["。", "！", "？"])
def test_chinese_is_cut_at_its_own_signs(sign):
    sentences = [f"第{number}句话里面没有任何空格{sign}" for number in range(30)]
    found = cut("".join(sentences), 40, 15)
    assert len(found) > 5
    assert all(one.text.endswith(sign) and one.text.startswith("第") for one in found)


def test_text_without_any_border_is_cut_by_size():
    for text in ("汉" * 3000, "x" * 3000, "a" + "\u0301" * 200, "👩‍👩‍👧‍👦" * 60):
        found = cut(text, 20, 0)
        assert len(found) > 2
        assert "".join(one.text for one in found) == text


def test_accents_and_joined_emoji_stay_whole():
    for sign in ("e\u0301", "👍🏽", "👩‍🚀"):
        assert all(len(one.text) % len(sign) == 0 for one in cut(sign * 60, 20, 0))


def test_code_is_cut_at_lines():
    code = "".join(f"value_{number} = compute({number}) ? 1 : 0\n" for number in range(40))
    found = cut(f"```py\n{code}```", 60, 0)
    assert len(found) > 3
    assert all(one.text.startswith(("value_", "```")) for one in found)


def test_the_overlap_is_whole_sentences():
    text = " ".join(f"Sentence number {number} is here." for number in range(40))
    found = cut(text, 50, 20)
    for before, after in pairwise(found):
        assert after.start < before.end
        assert after.text.startswith("Sentence")


@pytest.mark.parametrize(("size", "overlap"), [(100, 100), (100, 200), (100, -1), (7, 0), (0, 0), (-5, -6)])
def test_sizes_that_do_not_work(size, overlap):
    with pytest.raises(ValueError, match=r"tokens .* Use"):
        cut("text", size, overlap)


def test_a_long_text_is_cut_in_reasonable_work():
    """Counting is what costs: every character is counted a few times, however long the text is."""
    counted = []

    class Counting(TokenCounter):
        def count_text(self, text):
            counted.append(len(text))
            return super().count_text(text)

    for text in ("word " * 20_000, "汉" * 20_000, "A sentence here. " * 5_000, " " * 100_000 + "x"):
        counted.clear()
        chunk(Document("d", text), Counting("gpt-4o"), 200, 50)
        assert sum(counted) < 60 * len(text)
