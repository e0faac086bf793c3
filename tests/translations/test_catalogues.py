"""The Chinese catalogues: sound, near to complete, and brought up to date without anybody who writes Chinese."""

import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

import catalogues
import pytest
from babel.messages.pofile import read_po
from catalogues import CATALOGUES, FLOOR, SITE, Entry, brought_up_to_date, read, verdict, with_numbers_of, written
from hypothesis import given
from hypothesis import strategies as st
from notebooks.execute import ROOT
from wording import faults, glossary

# --- those of the book -----------------------------------------------------------------------------------------------


def test_the_catalogues_are_sound_and_near_to_complete():
    found = catalogues.verdicts(catalogues.current())
    told = catalogues.told(found)
    assert [one.name for one in found if one.faults] == [], told
    assert [one.name for one in found if one.share < FLOOR] == [], told
    if any(one.stale for one in found):
        warnings.warn(f"Some of the Chinese is out of date; `make translations` helps.\n{told}", stacklevel=1)


@pytest.mark.parametrize("name", catalogues.names())
def test_sphinx_reads_the_same_from_a_catalogue(name):
    path = CATALOGUES / f"{name}.po"
    with path.open(encoding="utf-8") as file:
        theirs = {one.id: (one.string, one.fuzzy) for one in read_po(file, abort_invalid=True) if one.id}
    assert theirs == {one.text: (one.translation, one.was is not None) for one in read(path)}


def test_three_chapters_and_the_pages_around_them_are_translated():
    chapters = {f"chapters/{name}" for name in ("01_first_agent", "02_dispatch_loop", "13_context_builder")}
    assert chapters | {"index", "how_to_read", "glossary", "from_the_tutorial", SITE} <= set(catalogues.names())


def test_each_catalogue_is_of_a_page_that_there_is():
    for name in set(catalogues.names()) - {SITE}:
        folder, _, page = name.rpartition("/")
        assert (ROOT / ("notebooks" if folder else "book") / f"{page}.{'ipynb' if folder else 'md'}").is_file(), name


def test_the_titles_of_chapters_are_the_same_wherever_they_stand():
    at = {entry.text: entry.translation for entry in read(CATALOGUES / f"{SITE}.po")}
    for entry in read(CATALOGUES / "how_to_read.po"):
        for text, translation in at.items():
            if entry.is_fresh and f"[{text}]" in entry.text:
                assert f"[{translation}]" in entry.translation


# --- what a translation must be --------------------------------------------------------------------------------------

WRONG = {
    "code is missing": ("Set `a` here.", "在这里设置。", "the same code"),
    "code is another one": ("Set `a` here.", "在这里设置 `b`。", "the same code"),
    "a link leads elsewhere": ("See [this](a.md).", "见[这里](b.md)。", "the same links"),
    "HTML is lost": ("A <b>word</b>.", "一个词。", "the same HTML"),
    "bold is lost": ("An **agent** runs.", "智能体在运行。", "in bold"),
    "bold does not end": ("**1. Predict.** How many?", "**1. 预测。**有多少？", "mean nothing"),
    "a backtick is left": ("Set it.", "设置 `它。", "mean nothing"),
    "a term is another word": ("An **agent** runs.", "**代理**在运行。", "glossary"),
    "a placeholder is lost": ("By %(name)s, {n} times.", "由此而来，{n} 次。", "placeholders"),
    "a list": ("First.", "1. 第一。", "single paragraph"),
    "two paragraphs": ("First.", "第一。\n\n第二。", "single paragraph"),
    "a Latin comma": ("One, two.", "一,二。", "Latin kind"),
    "a Latin stop": ("One.", "一.", "Latin kind"),
    "a space between characters": ("One two.", "一 二。", "between Chinese characters"),
    "a space after a comma": ("One, two.", "一， 二。", "beside Chinese punctuation"),
    "no space before a number": ("Chapter 2.", "第2 章。", "no space"),
    "no space after code": ("`a` is.", "`a`是。", "no space"),
    "straight quotes": ("It says 'yes'.", '它说"是"。', "straight quotes"),
    "Latin parentheses": ("One (two).", "一(二)。", "parentheses"),
}


@pytest.mark.parametrize(("text", "translation", "said"), WRONG.values(), ids=WRONG)
def test_a_planted_fault_is_found(text, translation, said):
    assert any(said in fault for fault in faults(text, translation)), list(faults(text, translation))


@pytest.mark.parametrize(
    ("text", "translation"),
    [
        ("An **agent** has `tools`; see [here](a.md).", "**智能体**有 `tools`；见[这里](a.md)。"),
        ('**1. Predict.** The question *"Work out 7 * 6"* goes out.', "**1. 预测**。问题“Work out 7 * 6”发了出去。"),
        ("About 2 hours, or (at most) 3.", "约 2 小时，最多（含）3 小时。"),
        ("`a` or `b`, then `a`.", "先是 `a` 或 `b`。"),
        ("LangGraph", "LangGraph"),
        ('Version 0.2.8 (beta), at a.md: it\'s "new".', 'Version 0.2.8 (beta), at a.md: it\'s "new".'),
        ("**gather, select**", "**收集、选择**"),
    ],
)
def test_an_ordinary_translation_passes(text, translation):
    assert list(faults(text, translation)) == []


def test_the_glossary_has_each_form_of_a_term():
    assert glossary()["agent"] == ("智能体",)
    assert glossary()["scripted"] == glossary()["scripted model"] == ("脚本模型",)


# --- bringing up to date ---------------------------------------------------------------------------------------------

LOOP = Entry("The loop asks the model, and runs its calls.", "循环询问模型，并运行它的调用。")
TIME = Entry("[1 · Loops](1.md), about 25 minutes", "[1 · 循环](1.md)，约 25 分钟")


def test_what_has_not_changed_stays_in_the_order_of_the_page():
    assert brought_up_to_date([LOOP, TIME], [TIME.text, LOOP.text], {}) == [TIME, LOOP]


def test_a_changed_text_keeps_its_translation_as_a_draft():
    text = LOOP.text.replace("asks", "then asks")
    [entry] = brought_up_to_date([LOOP], [text], {})
    assert entry == Entry(text, LOOP.translation, was=LOOP.text)
    assert not entry.is_fresh
    again = text.replace("its calls", "the calls")
    [later] = brought_up_to_date([entry], [again], {})
    assert later == Entry(again, LOOP.translation, was=LOOP.text)


def test_a_long_text_of_which_the_end_was_rewritten_keeps_its_draft():
    same = "The two come from the same pass, and equal inputs give equal bytes, whatever the clock says. " * 4
    old = Entry(same + "That is worth a check, since nothing else would tell.", "两者相同。")
    text = same + "Otherwise a cache would be of no use to anybody who asks twice."
    assert brought_up_to_date([LOOP, old], [LOOP.text, text], {})[1] == Entry(text, old.translation, was=old.text)


def test_a_new_text_has_no_translation_and_one_that_has_gone_is_dropped():
    assert brought_up_to_date([LOOP], ["Something else altogether"], {}) == [Entry("Something else altogether")]


def test_a_text_that_is_translated_elsewhere_is_translated():
    [entry] = brought_up_to_date([LOOP], ["Exercises"], {"Exercises": "练习"})
    assert entry == Entry("Exercises", "练习")
    assert catalogues.translations([Entry("tool", "tool"), Entry("tool", "工具"), Entry("a", "b", was="c")]) == {
        "tool": "工具"
    }


def test_an_old_translation_is_used_once():
    texts = [LOOP.text + " One.", LOOP.text + " Two."]
    drafts = [entry for entry in brought_up_to_date([LOOP], texts, {}) if entry.translation]
    assert len(drafts) == 1


@pytest.mark.parametrize(
    ("old", "text", "translation"),
    [
        (TIME, "[1 · Loops](1.md), about 40 minutes", "[1 · 循环](1.md)，约 40 分钟"),
        (Entry("2 of 3", "3 中的 2"), "5 of 3", "3 中的 5"),
        (Entry("2 of 3", "3 中的 2"), "3 of 2", "2 中的 3"),
        (TIME, "[1 · Loops](1.md), about 40 hours", None),
        (Entry("5 and 5", "5 和 5"), "5 and 6", None),
        (Entry("two 2", "两个"), "two 3", None),
        (Entry("2 of 3", "3 中的 2", was="1 of 3"), "4 of 3", None),
    ],
)
def test_a_translation_follows_numbers_where_that_is_safe(old, text, translation):
    assert with_numbers_of(text, old) == translation


TEXTS = st.text(st.characters(exclude_categories=["C", "Z"]) | st.sampled_from(' "\\\n\t'), min_size=1)


@given(st.lists(st.builds(Entry, TEXTS, TEXTS | st.just(""), st.none() | TEXTS), unique_by=lambda entry: entry.text))
def test_a_catalogue_is_read_as_it_was_written(entries):
    assert read_text(written(entries)) == entries


def read_text(text):
    with TemporaryDirectory() as folder:
        path = Path(folder, "a.po")
        path.write_text(text, encoding="utf-8")
        return read(path)


def test_a_catalogue_from_an_editor_is_read():
    text = """
# A comment.
#: index.md:3
#, fuzzy, python-format
#| msgid "One "
#| "word."
msgid ""
"Two "
"words."
msgstr ""
"两个"
"词。"

#. Another one.
msgid "It says \\"yes\\"."
msgstr "它说“是”。"

#~ msgid "Gone."
#~ msgstr "没了。"
"""
    assert read_text(catalogues.HEAD + text) == [
        Entry("Two words.", "两个词。", was="One word."),
        Entry('It says "yes".', "它说“是”。"),
    ]


# --- verdicts --------------------------------------------------------------------------------------------------------


def test_a_verdict_tells_what_is_missing_changed_obsolete_and_wrong():
    entries = [LOOP, Entry("New", ""), Entry("Old"), Entry("Changed", "变了", was="Changes"), Entry("`a`", "没有")]
    found = verdict("page", entries, [LOOP.text, "New", "Changed", "Never seen", "`a`"])
    assert found.missing == ["New", "Never seen"]
    assert [entry.text for entry in found.changed] == ["Changed"]
    assert found.obsolete == ["Old"]
    assert len(found.faults) == 1
    assert found.share == pytest.approx(2 / 5)
    told = catalogues.told([found])
    assert told.startswith("page: 2 of 5\n    WRONG: not the same code: 没有\n    not translated: New\n")


def test_a_draft_is_not_held_to_the_rules():
    assert verdict("page", [Entry("Set `a`.", "设置。", was="Set.")], ["Set `a`."]).faults == []
