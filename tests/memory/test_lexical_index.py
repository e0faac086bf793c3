"""The lexical index: BM25 as the formula says, the same with and without bm25s, and nothing for no shared word."""

import json
import os
import subprocess
import sys
from math import isfinite, log
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from support.optional_packages import SEARCH, without

from hello_agents.memory import lexical
from hello_agents.memory.faults import EmptyText, WrongId
from hello_agents.memory.lexical import FastScorer, LexicalIndex, PlainScorer, make_scorer
from hello_agents.memory.words import words

ROOT = Path(__file__).parents[2]

RECIPES = {
    "chicken": "宫保鸡丁：鸡肉切丁，花生炒香",
    "tofu": "麻婆豆腐：嫩豆腐切块，花椒、豆瓣酱炒香",
    "soup": "番茄豆腐汤，十分钟",
    "beef": "Red-braised beef with star anise",
    "oolong": "Oolong tea: water at 90 degrees, don't boil it",
}


@pytest.fixture(params=SEARCH)
def either(request):
    """Every test runs with the quick packages, from the first text on, and without them."""
    with SEARCH[request.param](), mock.patch.object(lexical, "SMALL", 0):
        yield request.param


def index_of(texts):
    index = LexicalIndex()
    for id, text in texts.items():
        index.add(id, text)
    return index


def ids(found):
    return [id for id, _ in found]


def reference(texts, query, k1=1.5, b=0.75):
    """The formula, read aloud."""
    bags = {id: words(text) for id, text in texts.items()}
    average = sum(map(len, bags.values())) / len(bags)
    scores = {}
    for id, bag in bags.items():
        score = 0.0
        for word in words(query):
            n, tf = sum(word in other for other in bags.values()), bag.count(word)
            weight = log(1 + (len(bags) - n + 0.5) / (n + 0.5))
            score += weight * tf / (tf + k1 * (1 - b + b * len(bag) / average)) if tf else 0
        if score:
            scores[id] = score
    return scores


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("麻婆豆腐", ["tofu", "soup"]),
        ("豆腐", ["tofu", "soup"]),
        ("how hot should the water for TEA be", ["oolong"]),
        ("beef", ["beef"]),
        ("鸡丁", ["chicken"]),
        ("鸡", ["chicken"]),
        ("汤", ["soup"]),
        ("pizza", []),
        ("披萨", []),
        ("!?", []),
    ],
)
def test_texts_that_share_words_are_found_and_no_others(either, query, expected):
    assert ids(index_of(RECIPES).search(query)) == expected


@pytest.mark.parametrize("query", ["豆腐炒香", "water water tea", "star degrees 鸡肉", "90"])
def test_scores_are_those_of_the_formula(either, query):
    assert dict(index_of(RECIPES).search(query)) == pytest.approx(reference(RECIPES, query), abs=1e-9)


def test_the_last_added_are_no_answer_to_a_question_about_something_else(either):
    index = index_of({f"note {number}": f"会议纪要 {number}" for number in range(20)} | RECIPES)
    assert ids(index.search("麻婆豆腐", limit=3)) == ["tofu", "soup"]


def test_equal_scores_come_in_the_order_of_adding(either):
    index = index_of({f"n{number}": "the same words" for number in (5, 1, 4, 2, 3)})
    assert ids(index.search("words")) == ["n5", "n1", "n4", "n2", "n3"]
    assert ids(index.search("words", limit=2)) == ["n5", "n1"]


def test_texts_come_go_and_change(either):
    index = index_of(RECIPES)
    assert len(index) == 5
    assert "tofu" in index
    index.update("beef", "豆腐牛肉")
    assert set(ids(index.search("豆腐"))) == {"tofu", "soup", "beef"}
    assert index.search("anise") == []
    index.delete("tofu")
    assert "tofu" not in index
    assert set(ids(index.search("豆腐"))) == {"soup", "beef"}
    index.clear()
    assert len(index) == 0
    assert index.search("豆腐") == []


@pytest.mark.parametrize("empty", ["", " ", "\n\t", "\u3000"])
def test_empty_texts_and_queries_are_refused_in_words(either, empty):
    index = index_of(RECIPES)
    with pytest.raises(EmptyText, match="is empty"):
        index.search(empty)
    with pytest.raises(ValueError, match="'new' is empty"):
        index.add("new", empty)
    with pytest.raises(EmptyText, match="'beef' is empty"):
        index.update("beef", empty)
    assert "new" not in index
    assert ids(index.search("beef")) == ["beef"]


def test_ids_that_are_taken_or_unknown_are_refused(either):
    index = index_of(RECIPES)
    with pytest.raises(WrongId, match="holds 'beef' already"):
        index.add("beef", "again")
    for change in (lambda: index.update("pork", "x"), lambda: index.delete("pork")):
        with pytest.raises(WrongId, match="holds no 'pork'"):
            change()


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_is_refused(either, limit):
    with pytest.raises(ValueError, match=f"limit={limit}"):
        index_of(RECIPES).search("tea", limit=limit)


def test_texts_without_words_are_held_and_never_found(either):
    index = index_of({"smile": "🙂", "dots": "…"})
    assert len(index) == 2
    assert index.search("🙂") == []
    assert index.good_score("tea") > 0


# Both scorers are one


TEXT = st.one_of(
    st.lists(
        st.sampled_from(["tea", "pot", "water", "the", "the", "the", "brew", "Tea's", "90", "naïve"]), max_size=12
    ).map(" ".join),
    st.text("豆腐茶水の京都タワー🙂👩‍🔬 a", max_size=15),
    st.text(max_size=15),
)


@settings(deadline=None, max_examples=examples(200))
@given(st.lists(TEXT, min_size=1, max_size=25), TEXT, st.integers(1, 12))
def test_with_and_without_bm25s_places_and_scores_are_equal(texts, query, limit):
    import bm25s
    import numpy

    bags = [words(text) for text in texts]
    plain, fast = PlainScorer(bags), FastScorer(bags, numpy, bm25s)
    assert list(plain.counts.items()) == list(fast.counts.items())
    assert plain.best(words(query), limit) == fast.best(words(query), limit)


@settings(deadline=None)
@given(st.dictionaries(st.text(max_size=3), TEXT.filter(str.strip), max_size=15), TEXT.filter(str.strip))
def test_scores_are_finite_above_zero_and_falling(texts, query):
    found = index_of(texts).search(query, limit=20)
    scores = [score for _, score in found]
    assert all(isfinite(score) and score > 0 for score in scores)
    assert scores == sorted(scores, reverse=True)
    assert len(set(ids(found))) == len(found)
    assert set(ids(found)) <= set(texts)
    assert found == index_of(texts).search(query, limit=20)


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.none() | TEXT.filter(str.strip)), max_size=20), TEXT)
def test_after_any_changes_an_index_is_one_that_was_made_anew(changes, query):
    texts, index = {}, LexicalIndex()
    for id, text in changes:
        if text is None:
            if id in texts:
                index.delete(id)
                del texts[id]
        else:
            (index.update if id in texts else index.add)(id, text)
            texts[id] = text
        if query.strip():
            assert index.search(query) == index_of(texts).search(query)


def test_many_texts_are_scored_by_bm25s_and_few_are_not():
    few, many = [["tea"]] * lexical.SMALL, [["tea"]] * (lexical.SMALL + 1)
    assert isinstance(make_scorer(few), PlainScorer)
    assert isinstance(make_scorer(many), FastScorer)
    with without("bm25s"):
        assert isinstance(make_scorer(many), PlainScorer)


CODE = """
import json, sys
sys.modules["numpy"] = sys.modules["bm25s"] = None
from hello_agents.memory import HybridIndex
index = HybridIndex()
index.add_many([(f"n{n}", f"note {n} about {'tea' if n % 3 else '豆腐'}") for n in range(700)])
found = {way: [one.id for one in index.search("note about 豆腐 42", 5, way)] for way in ("lexical", "vector", "fused")}
print(json.dumps(found))
"""


def test_a_process_without_numpy_finds_the_same():
    """Where the packages have never been imported."""
    found = {}
    for name, code in (("without", CODE), ("with", CODE.replace('sys.modules["numpy"] =', "_ ="))):
        code = code.replace('_ = sys.modules["bm25s"] = None', "")
        process = subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        assert process.returncode == 0, process.stderr
        found[name] = json.loads(process.stdout)
    assert found["without"] == found["with"]
    assert all(len(one) == 5 for one in found["with"].values())
