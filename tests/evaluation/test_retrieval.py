"""Measures of retrieval: worked examples, laws, and the labelled set that comes with the package."""

from math import log2

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hello_agents.evaluation import evaluate_retrieval, load_sample, parse_qrels
from hello_agents.evaluation.retrieval import ndcg_at, precision_at, recall_at, reciprocal_rank
from hello_agents.memory import Found, HybridIndex, LexicalIndex
from hello_agents.memory.words import words

MEASURES = (recall_at, precision_at, reciprocal_rank, ndcg_at)
GRADES = {"a": 3, "b": 1, "c": 0, "d": 2, "e": -1}


@pytest.mark.parametrize(
    ("ranking", "k", "expected"),
    [
        (["a", "d", "b"], 3, (1, 1, 1, 1)),
        (["x", "c", "e"], 3, (0, 0, 0, 0)),
        ([], 3, (0, 0, 0, 0)),
        (["x", "d"], 2, (1 / 3, 1 / 2, 1 / 2, (2 / log2(3)) / (3 + 2 / log2(3)))),
        (["b", "x", "a"], 3, (2 / 3, 2 / 3, 1, (1 + 3 / 2) / (3 + 2 / log2(3) + 1 / 2))),
        (["x", "y", "z", "a"], 3, (0, 0, 0, 0)),
        (["d"], 10, (1 / 3, 1 / 10, 1, 2 / (3 + 2 / log2(3) + 1 / 2))),
        (["d", "d", "d", "a"], 2, (2 / 3, 1, 1, (2 + 3 / log2(3)) / (3 + 2 / log2(3)))),
    ],
)
def test_worked_examples(ranking, k, expected):
    assert [measure(ranking, GRADES, k) for measure in MEASURES] == pytest.approx(list(expected))


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("k", [0, -1])
def test_a_k_below_one_is_refused(measure, k):
    with pytest.raises(ValueError, match=f"k={k}"):
        measure(["a"], GRADES, k)


RANKING = st.lists(st.sampled_from("abcdexyz"), unique=True)
JUDGED = st.dictionaries(st.sampled_from("abcde"), st.integers(-1, 3))


@settings(deadline=None)
@given(RANKING, JUDGED, st.integers(1, 10))
def test_measures_are_from_zero_to_one_and_perfect_for_the_best_ranking(ranking, grades, k):
    assert all(0 <= measure(ranking, grades, k) <= 1 for measure in MEASURES)
    relevant = sorted((id for id in grades if grades[id] > 0), key=lambda id: -grades[id])
    if relevant:
        assert ndcg_at(relevant, grades, k) == pytest.approx(1)
        assert reciprocal_rank(relevant, grades, k) == 1
        assert recall_at(relevant, grades, max(k, 5)) == 1


@settings(deadline=None)
@given(RANKING.filter(lambda ranking: len(ranking) > 1), JUDGED, st.data())
def test_moving_the_better_of_two_up_never_makes_it_worse(ranking, grades, data):
    at = data.draw(st.integers(0, len(ranking) - 2))
    better = list(ranking)
    if grades.get(better[at + 1], 0) > grades.get(better[at], 0):
        better[at], better[at + 1] = better[at + 1], better[at]
    for k in (1, 2, 8):
        assert all(measure(better, grades, k) >= measure(ranking, grades, k) - 1e-12 for measure in MEASURES)


@settings(deadline=None)
@given(RANKING, JUDGED)
def test_recall_does_not_fall_as_more_is_looked_at(ranking, grades):
    found = [recall_at(ranking, grades, k) for k in range(1, 10)]
    assert found == sorted(found)


# Judgements


def test_judgements_are_read_from_lines():
    text = "q1 0 d1 1\n\nq1\t0\td2\t0\r\n  q2 Q0 文档 2 \n"
    assert parse_qrels(text) == {"q1": {"d1": 1, "d2": 0}, "q2": {"文档": 2}}


@pytest.mark.parametrize(
    ("line", "words"),
    [("q1 0 d1", "Write: query"), ("q1 0 d1 high", "Write"), ("q1 0 d1 1 2", "Write"), ("q0 0 d0 2", "second time")],
)
def test_a_line_of_another_form_is_named(line, words):
    with pytest.raises(ValueError, match=f"Line 3.*{words}"):
        parse_qrels(f"q0 0 d0 1\n\n{line}")


# Evaluating


def test_each_query_and_their_mean_are_reported():
    answers = {"first": ["a", "x"], "second": ["x", "y", "b"], "third": []}
    queries = {"q1": "first", "q2": "second", "q3": "third", "q4": "never asked"}
    qrels = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}, "q4": {"d": 0}, "unasked": {"e": 1}}
    report = evaluate_retrieval(lambda text, k: answers[text][:k], queries, qrels, k=3)
    assert {id: one.reciprocal_rank for id, one in report.queries.items()} == {
        "q1": 1,
        "q2": pytest.approx(1 / 3),
        "q3": 0,
    }
    assert report.mean.reciprocal_rank == pytest.approx(4 / 9)
    assert report.mean.recall == pytest.approx(2 / 3)
    assert report.over(["q1"]) == report.queries["q1"]
    assert report.unjudged == ("q4",)
    assert str(report) == "recall@3 0.667, precision@3 0.222, MRR 0.444, nDCG@3 0.500 over 3 queries"


@pytest.mark.parametrize("hit", [str, lambda id: (id, 0.5), lambda id: Found(id, 0.5, {})])
def test_hits_may_be_ids_pairs_or_what_an_index_finds(hit):
    report = evaluate_retrieval(lambda text, k: [hit("x"), hit("a")], {"q": "?"}, {"q": {"a": 1}}, k=2)
    assert report.mean.reciprocal_rank == 0.5


def test_a_search_that_fails_is_not_one_that_finds_nothing():
    def broken(text, k):
        raise ConnectionError("gone")

    with pytest.raises(ConnectionError):
        evaluate_retrieval(broken, {"q": "?"}, {"q": {"a": 1}})


def test_no_judged_query_gives_zeros():
    report = evaluate_retrieval(lambda text, k: ["a"], {"q": "?"}, {})
    assert report.mean.ndcg == 0
    assert report.unjudged == ("q",)


# The set that comes with the package


@pytest.fixture(scope="module")
def sample():
    return load_sample()


def test_the_set_is_whole(sample):
    assert len(sample.documents) == 40
    assert set(sample.queries) == set(sample.qrels) == set(sample.kinds)
    assert {id for grades in sample.qrels.values() for id in grades} <= set(sample.documents)
    assert all(any(grade == 2 for grade in grades.values()) for grades in sample.qrels.values())
    assert {len(set(one.values())) for one in (sample.documents, sample.queries)} == {40, len(sample.queries)}


def test_each_query_is_of_the_kind_that_it_says(sample):
    for id, text in sample.queries.items():
        answers = [words(sample.documents[one]) for one, grade in sample.qrels[id].items() if grade == 2]
        shared = any(set(words(text)) & set(answer) for answer in answers)
        assert shared == (sample.kinds[id] == "same words"), text


def test_words_find_what_shares_them_and_nothing_else(sample):
    index = LexicalIndex()
    for id, text in sample.documents.items():
        index.add(id, text)
    report = evaluate_retrieval(index.search, sample.queries, sample.qrels, k=5)
    for kind, found in (("same words", True), ("other forms", False), ("no words", False), ("other language", False)):
        mean = report.over(id for id, one in sample.kinds.items() if one == kind)
        assert (mean.recall > 0.9) == found, kind
        assert (mean.reciprocal_rank > 0) == found, kind


def test_pieces_of_words_find_other_forms_of_them(sample):
    index = HybridIndex()
    assert index.add_many(sample.documents.items()) == []
    forms = {id: text for id, text in sample.queries.items() if sample.kinds[id] == "other forms"}
    for method in ("vector", "fused"):
        search = lambda text, k, method=method: index.search(text, k, method)  # noqa: E731
        assert evaluate_retrieval(search, forms, sample.qrels, k=5).mean.recall == 1
