"""Fusion: reciprocal ranks added up, and nothing else looked at."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hello_agents.memory.fusion import reciprocal_rank_fusion

RANKINGS = st.dictionaries(
    st.sampled_from(["words", "vector", "dates"]), st.lists(st.sampled_from("abcdefgh"), unique=True)
)


def test_ranks_are_added_up_as_in_the_paper():
    fused = reciprocal_rank_fusion({"words": ["a", "b", "c"], "vector": ["c", "a"]})
    assert fused == [
        ("a", pytest.approx(1 / 61 + 1 / 62), {"words": 1, "vector": 2}),
        ("c", pytest.approx(1 / 63 + 1 / 61), {"words": 3, "vector": 1}),
        ("b", pytest.approx(1 / 62), {"words": 2}),
    ]


@pytest.mark.parametrize(
    ("weights", "first"), [({"words": 2}, "a"), ({"vector": 2}, "b"), ({"words": 0}, "b"), ({"other": 9}, "a")]
)
def test_a_ranking_can_count_more_than_another(weights, first):
    assert reciprocal_rank_fusion({"words": ["a"], "vector": ["b"]}, weights=weights)[0][0] == first


@pytest.mark.parametrize("wrong", [{"k": -1}, {"weights": {"words": -0.5}}, {"weights": {"words": float("nan")}}])
def test_what_makes_no_sense_is_refused(wrong):
    with pytest.raises(ValueError, match="must not be below 0"):
        reciprocal_rank_fusion({"words": ["a"]}, **wrong)


@settings(deadline=None)
@given(RANKINGS, st.integers(0, 100))
def test_everything_ranked_is_there_once_and_scores_fall(rankings, k):
    fused = reciprocal_rank_fusion(rankings, k)
    scores = [score for _, score, _ in fused]
    assert sorted(id for id, _, _ in fused) == sorted({id for ids in rankings.values() for id in ids})
    assert scores == sorted(scores, reverse=True)
    for id, _, ranks in fused:
        assert ranks == {name: ids.index(id) + 1 for name, ids in rankings.items() if id in ids}


@settings(deadline=None)
@given(st.lists(st.sampled_from("abcdefgh"), unique=True, min_size=2), st.integers(1, 3), st.data())
def test_who_moves_up_in_one_ranking_never_moves_down(ids, others, data):
    rankings = {f"r{number}": data.draw(st.permutations(ids)) for number in range(others)}
    place = data.draw(st.integers(1, len(ids) - 1))
    moved = list(rankings["r0"])
    moved[place - 1], moved[place] = moved[place], moved[place - 1]
    before, after = (
        {id: s for id, s, _ in reciprocal_rank_fusion(one)} for one in (rankings, rankings | {"r0": moved})
    )
    assert after[moved[place - 1]] > before[moved[place - 1]]


@given(st.lists(st.sampled_from("abc")))
def test_a_repeated_id_counts_at_its_first_place(ids):
    assert reciprocal_rank_fusion({"one": ids}) == reciprocal_rank_fusion({"one": list(dict.fromkeys(ids))})
