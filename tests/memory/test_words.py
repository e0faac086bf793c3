"""Words: what texts are compared by."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hello_agents.memory.words import words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Brew the TEA, brew it!", ["brew", "the", "tea", "brew", "it"]),
        ("tool_choice=2 v1.5", ["tool", "choice", "2", "v1", "5"]),
        ("don't Wang's the teapots'", ["don't", "wang", "the", "teapots"]),
        ("don’t Wang’s ‘quoted’", ["don't", "wang", "quoted"]),
        ("Ｆｕｌｌ　Ｗｉｄｔｈ １２３", ["full", "width", "123"]),
        ("Straße STRASSE", ["strasse", "strasse"]),
        ("Élan e\u0301lan", ["élan", "élan"]),
        ("naïve café’s", ["naïve", "café"]),
        ("麻婆豆腐", ["麻婆", "婆豆", "豆腐"]),
        ("茶", ["茶"]),
        ("泡茶，水温90度", ["泡茶", "水温", "90", "度"]),
        ("用Python写agent", ["用", "python", "写", "agent"]),
        ("東京タワー", ["東京", "京タ", "タワ", "ワー"]),
        ("한국어 검색", ["한국", "국어", "검색"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("Привет, МИР", ["привет", "мир"]),
        ("𠮷野家", ["𠮷野", "野家"]),
        ("🙂 … — !?", []),
        ("", []),
        (" \n\t", []),
        ("\ud83d broken \udc00", ["broken"]),
    ],
)
def test_a_text_is_cut_into(text, expected):
    assert words(text) == expected


ANY = st.text(st.characters(), max_size=60)


@settings(deadline=None)
@given(ANY)
def test_every_text_has_words_that_are_neither_empty_nor_spaces(text):
    for word in words(text):
        assert word
        assert word == word.strip()


@settings(deadline=None)
@given(ANY)
def test_upper_and_lower_case_and_the_form_of_accents_do_not_matter(text):
    composed, apart = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert words(composed) == words(apart)
    assert words(text.casefold()) == words(text)


@settings(deadline=None)
@given(ANY, ANY)
def test_the_words_of_two_lines_are_those_of_each(first, second):
    assert words(f"{first}\n{second}") == words(first) + words(second)


@settings(deadline=None)
@given(st.text("天地玄黄宇宙洪荒", min_size=2, max_size=20), st.data())
def test_a_piece_of_two_signs_and_more_shares_its_words_with_the_whole(text, data):
    start = data.draw(st.integers(0, len(text) - 2))
    end = data.draw(st.integers(start + 2, len(text)))
    assert set(words(text[start:end])) <= set(words(text))
