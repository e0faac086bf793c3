"""The hybrid index: both rankings fused, re-ranked where asked, and a failure never taken for nothing."""

import threading
from math import isfinite

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from support.optional_packages import SEARCH

from hello_agents.memory.faults import SearchFailed, WrongId
from hello_agents.memory.index import Found, HybridIndex

METHODS = ("fused", "lexical", "vector")
TEXTS = {
    "tofu": "麻婆豆腐：嫩豆腐切块，花椒炒香",
    "soup": "番茄豆腐汤，十分钟",
    "oolong": "Oolong tea is brewed at 90 degrees",
    "green": "Green tea wants cooler water",
    "beef": "Braised beef with star anise",
}


@pytest.fixture(params=SEARCH)
def either(request):
    with SEARCH[request.param]():
        yield request.param


def index_of(texts, embedding=None, rerank=None):
    index = HybridIndex(embedding, rerank=rerank)
    index.add_many(texts.items())
    return index


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("query", "first"), [("麻婆豆腐", "tofu"), ("豆腐汤", "soup"), ("oolong", "oolong"), ("beef with anise", "beef")]
)
def test_every_method_finds_what_shares_its_words(either, method, query, first):
    found = index_of(TEXTS).search(query, 3, method)
    assert found[0].id == first
    assert all(0 <= one.score <= 1 for one in found)


def test_a_result_says_why(either):
    best = index_of(TEXTS).search("oolong tea", 2)[0]
    assert best.id == "oolong"
    assert best.reasons["words_rank"] == best.reasons["vector_rank"] == 1
    assert best.reasons["fused"] == pytest.approx(2 / 61)
    assert best.score == pytest.approx(1)
    assert best.reasons["words"] > 0
    assert 0 < best.reasons["vector"] < 1


def test_reasons_name_only_what_was_looked_at(either):
    index = index_of(TEXTS)
    assert {*index.search("tea", method="lexical")[0].reasons} == {"words", "words_rank"}
    assert {*index.search("tea", method="vector")[0].reasons} == {"vector", "vector_rank"}


def test_scores_by_words_are_shares_of_a_good_match(either):
    index = index_of(TEXTS)
    whole, half = (index.search(query, method="lexical")[0].score for query in ("green tea", "green zebra"))
    assert half < 0.6 < whole <= 1


def test_nothing_is_found_where_nothing_fits(either):
    index = index_of(TEXTS)
    assert index.search("§", method="fused") == []
    assert index.search("披萨", method="lexical") == []
    assert HybridIndex().search("tea") == []


@pytest.mark.parametrize("method", METHODS)
def test_an_empty_query_is_an_error_and_embeds_nothing(either, method):
    calls = []

    def embedding(texts):
        calls.append(texts)
        return [[1.0]] * len(texts)

    index = index_of({"a": "text"}, embedding)
    for query in ("", "  ", "\n"):
        with pytest.raises(ValueError, match="is empty"):
            index.search(query, method=method)
    assert calls == [["text"]]


def test_empty_texts_are_refused_alone_and_counted_among_others(either):
    index = HybridIndex()
    with pytest.raises(ValueError, match="'a' is empty"):
        index.add("a", " ")
    assert index.add_many([("a", "tea"), ("b", "\n"), ("c", "")]) == ["b", "c"]
    assert len(index) == 1


def test_texts_come_go_and_change(either):
    index = index_of(TEXTS)
    index.update("beef", "豆腐牛肉")
    index.delete("tofu")
    assert "tofu" not in index
    assert index.text("beef") == "豆腐牛肉"
    assert {one.id for one in index.search("豆腐", method="lexical")} == {"soup", "beef"}
    for use in (lambda: index.update("tofu", "x"), lambda: index.delete("tofu"), lambda: index.text("tofu")):
        with pytest.raises(WrongId, match="no 'tofu'"):
            use()
    with pytest.raises(WrongId, match="already"):
        index.add("beef", "x")
    index.clear()
    assert len(index) == 0
    assert index.search("豆腐") == []


def test_an_embedding_that_fails_leaves_everything_as_it_was(either):
    state = {"works": True}

    def embedding(texts):
        if not state["works"]:
            raise OSError("down")
        return [[1.0, float(len(text))] for text in texts]

    index = index_of(TEXTS, embedding)
    state["works"] = False
    for use in (
        lambda: index.add("new", "tea"),
        lambda: index.update("tofu", "tea"),
        lambda: index.add_many([("new", "tea")]),
        lambda: index.search("tea"),
        lambda: index.search("tea", method="vector"),
    ):
        with pytest.raises(SearchFailed, match="OSError: down"):
            use()
    assert len(index) == len(TEXTS)
    assert index.text("tofu") == TEXTS["tofu"]
    assert {one.id for one in index.search("tea", method="lexical")} == {"oolong", "green"}


# Re-ranking


@pytest.mark.parametrize("method", METHODS)
def test_re_ranking_decides_alone(either, method):
    seen = []

    def shortest(query, texts):
        seen.append((query, list(texts)))
        return [1 / len(text) for text in texts]

    index = index_of(TEXTS, rerank=shortest)
    found = index.search("tea", 1, method)
    assert [one.id for one in found] == ["green"]
    assert found[0].score == found[0].reasons["rerank"] == pytest.approx(1 / len(TEXTS["green"]))
    assert seen[0][0] == "tea"
    assert set(seen[0][1]) >= {TEXTS["oolong"], TEXTS["green"]}


def test_numbers_of_any_size_become_scores_in_the_same_order(either):
    numbers = {"tofu": -2000.0, "soup": 3.0, "oolong": 2000.0, "green": 0.0, "beef": -3.0}
    index = index_of(
        TEXTS, lambda texts: [[1.0]] * len(texts), lambda _, texts: [numbers[id] for id in TEXTS if TEXTS[id] in texts]
    )
    found = index.search("anything", method="vector")
    assert [one.id for one in found] == ["oolong", "soup", "green", "beef", "tofu"]
    assert all(0 <= one.score <= 1 for one in found)


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ([1.0], "1 numbers for 2 texts"),
        ([float("nan"), 1.0], "not finite"),
        (["a", "b"], "ValueError"),
        (None, "TypeError"),
    ],
)
def test_re_ranking_that_fails_is_an_error_and_not_nothing(either, numbers, words):
    index = index_of({"a": "green tea", "b": "black tea"}, rerank=lambda query, texts: numbers)
    with pytest.raises(SearchFailed, match=words):
        index.search("tea")


def test_re_ranking_is_not_asked_about_nothing(either):
    index = index_of(TEXTS, rerank=lambda query, texts: pytest.fail("asked"))
    assert index.search("披萨", method="lexical") == []


# Laws


TEXT = st.text("豆腐茶 tea pot🙂é\u0301", min_size=1, max_size=12).filter(str.strip) | st.text(min_size=1).filter(
    str.strip
)


@settings(deadline=None, max_examples=examples(60))
@given(st.dictionaries(st.text(max_size=3), TEXT, max_size=12), TEXT, st.integers(1, 15), st.sampled_from(METHODS))
def test_results_are_known_distinct_finite_and_the_same_each_time(texts, query, limit, method):
    found = index_of(texts).search(query, limit, method)
    assert len(found) == len({one.id for one in found}) <= limit
    assert {one.id for one in found} <= set(texts)
    assert all(0 < one.score <= 1 and all(map(isfinite, one.reasons.values())) for one in found)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert found == index_of(texts).search(query, limit, method)


@settings(deadline=None, max_examples=examples(60))
@given(st.dictionaries(st.sampled_from("abcdef"), TEXT, min_size=1), TEXT, st.sampled_from(METHODS), st.data())
def test_what_is_deleted_is_gone_and_the_rest_is_as_if_it_had_never_been(texts, query, method, data):
    index = index_of(texts)
    index.search(query)
    gone = data.draw(st.sampled_from(sorted(texts)))
    index.delete(gone)
    found = index.search(query, method=method)
    assert found == index_of({id: text for id, text in texts.items() if id != gone}).search(query, method=method)


def test_several_threads_may_use_one_index():
    index = index_of(TEXTS)
    errors: list[BaseException] = []

    def use(name):
        try:
            for number in range(30):
                index.add(f"{name}{number}", f"tea {number}")
                assert any(isinstance(one, Found) for one in index.search("tea", 3))
                if number % 2:
                    index.delete(f"{name}{number}")
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=use, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(index) == len(TEXTS) + 4 * 15
