"""The vector index: cosines, finite whatever an embedding gives, the same with and without numpy."""

from math import isfinite, sqrt

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from support.optional_packages import SEARCH

from hello_agents.core.exceptions import HelloAgentsException
from hello_agents.memory.embeddings import HashingEmbedding
from hello_agents.memory.faults import EmptyText, SearchFailed, WrongId
from hello_agents.memory.selection import highest
from hello_agents.memory.vectors import FastRows, PlainRows, VectorIndex, make_rows, unit_vectors


@pytest.fixture(params=SEARCH)
def either(request):
    with SEARCH[request.param]():
        yield request.param


class Spelled:
    """An embedding whose vectors are written in the texts: `1 0 -2.5`. It keeps count of its calls."""

    def __init__(self):
        self.calls = []

    def __call__(self, texts):
        self.calls.append(list(texts))
        return [[float(number) for number in text.split()] for text in texts]


def index_of(*texts, embedding=None):
    index = VectorIndex(embedding or Spelled())
    index.add_many((text, text) for text in texts)
    return index


def test_the_rows_are_those_that_the_installed_packages_allow(either):
    assert isinstance(make_rows(3), FastRows if either == "with numpy" else PlainRows)


def test_the_nearest_by_angle_come_first_and_their_length_does_not_matter(either):
    found = index_of("1 0", "5 5", "0 0.001", "100 1", "-1 0.2").search("2 0")
    assert [id for id, _ in found] == ["1 0", "100 1", "5 5"]
    assert [score for _, score in found] == pytest.approx([1, 0.99995, sqrt(0.5)], abs=1e-6)


@pytest.mark.parametrize("size", ["1e-300", "1e-30", "1", "1e30", "1e300"])
def test_huge_and_tiny_vectors_are_directions_like_others(either, size):
    index = index_of(f"{size} 0", f"{size} {size}", f"0 {size}")
    found = index.search(f"0 {size}")
    assert found == [(f"0 {size}", 1.0), (f"{size} {size}", pytest.approx(sqrt(0.5), abs=1e-6))]


def test_a_vector_of_zeros_is_near_nothing(either):
    index = index_of("0 0", "1 0")
    assert index.search("1 0") == [("1 0", 1.0)]
    assert index.search("0 0") == []
    assert list(index.vector("0 0")) == [0, 0]


def test_equal_similarities_come_in_the_order_of_adding(either):
    ids = [f"n{number}" for number in range(40)]
    index = VectorIndex(lambda texts: [[0.3, 0.1, 0.7]] * len(texts))
    index.add_many((id, "same") for id in ids)
    assert [id for id, _ in index.search("same", limit=7)] == ids[:7]
    index.delete("n0")
    assert [id for id, _ in index.search("same", limit=7)] == ids[1:8]


@pytest.mark.parametrize("text", ["nan 1", "inf 0", "1 -inf"])
def test_a_vector_that_is_not_finite_is_refused_and_nothing_changes(either, text):
    index = index_of("1 0", "0 1")
    for change in (
        lambda: index.add_many([("good", "1 1"), ("bad", text)]),
        lambda: index.update("1 0", text),
        lambda: index.search(text),
    ):
        with pytest.raises(SearchFailed, match="NaN or infinity for text"):
            change()
    assert len(index) == 2
    assert index.search("1 0") == [("1 0", 1.0)]


@pytest.mark.parametrize("text", ["1 2 3", "1", ""])
def test_a_vector_of_another_length_is_refused(either, text):
    index = VectorIndex(lambda texts: [[float(number) for number in text.split()] for text in texts])
    index.add("a", "1 0")
    index.embedding = lambda texts: [[float(number) for number in text.split()]]
    with pytest.raises(SearchFailed, match=f"vector of {len(text.split())} numbers for text 0, where 2"):
        index.add("b", "any")
    assert len(index) == 1


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ([], "0 vectors for 1 texts"),
        ([[1.0], [2.0]], "2 vectors for 1 texts"),
        ([["one"]], "no numbers for text 0"),
        ([[None]], "no numbers for text 0"),
        ([[]], "vector of 0 numbers"),
    ],
)
def test_an_answer_that_is_not_one_vector_a_text_is_refused(either, answer, words):
    index = VectorIndex(lambda texts: answer)
    with pytest.raises(SearchFailed, match=words):
        index.add("a", "text")
    assert len(index) == 0
    assert index.search("text") == []


def test_an_embedding_that_raises_is_told_of_and_nothing_changes(either):
    index = index_of("1 0")

    def broken(texts):
        raise ConnectionError("nobody there")

    index.embedding = broken
    for use in (lambda: index.add("b", "0 1"), lambda: index.search("1 0"), lambda: index.update("1 0", "0 1")):
        with pytest.raises(SearchFailed, match=r"ConnectionError: nobody there.*Correct it") as caught:
            use()
        assert isinstance(caught.value.__cause__, ConnectionError)
    assert len(index) == 1


def test_an_error_of_this_library_goes_through_as_it_is(either):
    class Own(HelloAgentsException):
        pass

    def broken(texts):
        raise Own("no")

    with pytest.raises(Own):
        VectorIndex(broken).add("a", "b")


@pytest.mark.parametrize("empty", ["", " ", "\n\t", "\u3000"])
def test_nothing_empty_is_ever_embedded(either, empty):
    embedding = Spelled()
    index = VectorIndex(embedding)
    index.add("a", "1 0")
    for use in (lambda: index.search(empty), lambda: index.add("b", empty), lambda: index.update("a", empty)):
        with pytest.raises(EmptyText, match="is empty"):
            use()
    with pytest.raises(EmptyText, match="'c' is empty"):
        index.add_many([("b", "0 1"), ("c", empty)])
    assert embedding.calls == [["1 0"]]
    assert len(index) == 1


def test_many_texts_are_embedded_in_one_call_and_an_empty_index_asks_nothing(either):
    embedding = Spelled()
    index = VectorIndex(embedding)
    assert index.search("1 1") == []
    index.add_many([])
    assert embedding.calls == []
    index.add_many((str(number), f"{number} 1") for number in range(10))
    assert len(embedding.calls) == 1


def test_ids_that_are_taken_or_unknown_are_refused(either):
    index = index_of("1 0")
    for add in (lambda: index.add("1 0", "1 1"), lambda: index.add_many([("x", "1 1"), ("x", "1 1")])):
        with pytest.raises(WrongId, match="already"):
            add()
    for use in (lambda: index.update("y", "1 1"), lambda: index.delete("y"), lambda: index.vector("y")):
        with pytest.raises(WrongId, match="no 'y'"):
            use()
    assert len(index) == 1


def test_an_emptied_index_takes_vectors_of_another_length(either):
    index = index_of("1 0", "0 1")
    index.delete("1 0")
    index.delete("0 1")
    index.add("a", "1 2 3")
    assert index.search("1 2 3") == [("a", 1.0)]
    index.clear()
    index.add("a", "1")
    assert len(index) == 1


def test_vectors_of_numpy_are_vectors(either):
    index = VectorIndex(lambda texts: numpy.array([[3.0, 4.0]] * len(texts), dtype=numpy.float32))
    index.add("a", "b")
    assert list(index.vector("a")) == pytest.approx([0.6, 0.8])


NUMBER = st.floats(-10, 10).map(lambda number: round(number, 2))
VECTOR = st.lists(NUMBER, min_size=3, max_size=3)


@settings(deadline=None)
@given(st.lists(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=2), min_size=1))
def test_any_finite_vectors_have_length_one_or_zero(vectors):
    for vector in unit_vectors(vectors, len(vectors), 2):
        assert all(map(isfinite, vector))
        length = sqrt(sum(number * number for number in vector))
        assert length == 0 or length == pytest.approx(1)


@settings(deadline=None)
@given(st.lists(VECTOR, min_size=1, max_size=40), VECTOR, st.integers(1, 20))
def test_with_and_without_numpy_similarities_are_equal(vectors, query, limit):
    (wanted,) = unit_vectors([query], 1, 3)
    units = unit_vectors(vectors, len(vectors), 3)
    rows = PlainRows(), FastRows(3, numpy)
    for one in rows:
        one.extend(units)
    plain, fast = (one.nearest(wanted, limit) for one in rows)
    assert [score for _, score in plain] == pytest.approx([score for _, score in fast], abs=3e-6)
    exact = dict(rows[0].nearest(wanted, len(vectors)))
    assert all(exact.get(place, 0) == pytest.approx(score, abs=3e-6) for place, score in fast)
    assert all(isfinite(score) and 0 < score <= 1 for _, score in fast)


CHANGES = st.lists(st.tuples(st.sampled_from("abcdef"), st.none() | VECTOR), max_size=25)


@pytest.mark.parametrize("way", SEARCH)
def test_after_any_changes_an_index_is_one_that_was_made_anew(way):
    @settings(deadline=None)
    @given(CHANGES, VECTOR)
    def law(changes, query):
        written = " ".join(map(str, query))
        texts, index = {}, VectorIndex(Spelled())
        for id, vector in changes:
            if vector is None:
                if id in texts:
                    index.delete(id)
                    del texts[id]
            else:
                text = " ".join(map(str, vector))
                (index.update if id in texts else index.add)(id, text)
                texts[id] = text
        anew = VectorIndex(Spelled())
        anew.add_many(texts.items())
        assert len(index) == len(texts)
        assert index.search(written) == anew.search(written)
        for id in texts:
            assert list(index.vector(id)) == list(anew.vector(id))

    with SEARCH[way]():
        law()


@settings(deadline=None, max_examples=examples(200))
@given(
    st.lists(st.sampled_from([-1.0, 0.0, 0.25, 0.5, 0.5, 1.0]) | st.floats(-1, 1), max_size=400),
    st.integers(1, 30),
    st.sampled_from([None, 2, 6]),
)
def test_the_highest_values_are_those_of_sorting(values, limit, decimals):
    rounded = values if decimals is None else numpy.round(values, decimals).tolist()
    whole = sorted(((at, value) for at, value in enumerate(rounded) if value > 0), key=lambda one: (-one[1], one[0]))
    assert highest(numpy, numpy.array(values, dtype=float), limit, decimals) == whole[:limit]


def test_the_embedding_is_one_by_words_where_none_is_given(either):
    index = VectorIndex()
    assert isinstance(index.embedding, HashingEmbedding)
    index.add_many({"tea": "brewing oolong tea", "beef": "braised beef", "豆腐": "麻婆豆腐"}.items())
    assert index.search("brew")[0][0] == "tea"
    assert index.search("豆腐汤")[0][0] == "豆腐"
