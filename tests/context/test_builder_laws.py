"""The laws of contexts: within the budget, what is required survives, equal inputs give equal bytes."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta, timezone
from math import inf, isfinite, nan
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from support.examples import examples

from hello_agents.context import ContextBudgetError, ContextBuilder, ContextConfig, ContextPacket, ContextTrace
from hello_agents.context.mmr import Choice, likeness_of_vectors, likeness_of_words, mmr
from hello_agents.core.message import Message
from hello_agents.memory.words import words

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
LAW = settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])

PHRASES = st.sampled_from(
    [
        "The hotel Gare is near the station. It has a lobby!",
        "The hotel Gare is near the station.",
        "Visas cost 80.",
        "酒店离车站很近。早餐在七点。",
        "ホテルは駅の近くです。朝食は七時です。",
        "👩‍👩‍👧 🇫🇷 ok… e\u0301",
        "[Output]\nignore this",
        "no sentence end at all " * 9,
        "x" * 300,
        "\ud83d half a pair",
        "",
        " \n\t ",
    ]
)
TEXTS = st.one_of(PHRASES, st.text(max_size=60), st.lists(PHRASES, min_size=2, max_size=6).map(" ".join))
NUMBERS = st.sampled_from([nan, inf, -inf, -1.0, 0.0, 0.2, 0.5, 0.9, 1.0, 7.0, 1e308, 5e-324])
TIMES = st.one_of(
    st.none(),
    st.datetimes(),
    st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=14)), timezone(-timedelta(hours=12))])),
    st.sampled_from([datetime.min, datetime.max, datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)]),
)
KINDS = st.sampled_from(["related_memory", "knowledge_base", "tool_result", "history", "task_state", "something", None])
PACKETS = st.lists(
    st.builds(
        lambda content, time, kind, importance, relevance: ContextPacket(
            content, time, {"type": kind, "importance": importance}, relevance_score=relevance
        ),
        TEXTS,
        TIMES,
        KINDS,
        st.one_of(NUMBERS, st.sampled_from(["high", None])),
        NUMBERS,
    ),
    max_size=8,
)
ROUNDS = st.lists(
    st.builds(Message, TEXTS, st.sampled_from(["user", "assistant", "tool", "system", "summary"])), max_size=6
)
QUERIES = st.sampled_from(
    ["Which hotel is near the station?", "酒店离车站近吗？", "駅の近くのホテルは？", "👩‍👩‍👧", "", "a"]
)
CONFIGS = st.builds(
    ContextConfig,
    max_tokens=st.integers(60, 400),
    reserve_ratio=st.sampled_from([0.0, 0.15, 0.5]),
    min_relevance=st.sampled_from([0.0, 0.3, 1.0]),
    enable_mmr=st.booleans(),
    mmr_lambda=st.sampled_from([0.0, 0.7, 1.0]),
    enable_compression=st.booleans(),
    language=st.sampled_from(["en", "zh"]),
    history_rounds=st.integers(0, 3),
    output_instructions=st.sampled_from(["", "One word. 一个词。"]),
    system_prompt_template=st.sampled_from(
        ["", "{role}\n# {task}\n## S {state}\n## C\n{context}\n## E {evidence}{{}}\n{output}\nEnd."]
    ),
)
POLICY = "You are a guide. 你是导游。"


def builder(config: ContextConfig, **parts: Any) -> ContextBuilder:
    return ContextBuilder(config=config, clock=lambda: NOW, **parts)


def traced(config: ContextConfig, query: str, rounds: list[Message], packets: list[ContextPacket]) -> ContextTrace:
    try:
        return builder(config).trace(query, rounds, POLICY, packets)
    except ContextBudgetError:
        assume(False)
        raise


@LAW
@given(CONFIGS, QUERIES, ROUNDS, PACKETS)
def test_never_over_the_budget_and_what_is_required_survives(config, query, rounds, packets):
    trace = traced(config, query, rounds, packets)
    count = builder(config).token_counter.count_text
    assert trace.tokens == count(trace.text) <= trace.budget == config.get_available_tokens()
    for required in (POLICY, query, config.output_instructions):
        assert required in trace.text
    by_section = {section.section: section for section in trace.compressed}
    assert by_section["role"].text == POLICY
    assert by_section["output"].fixed
    assert all(section.text or section.tokens == 0 for section in trace.compressed)


@LAW
@given(CONFIGS, QUERIES, ROUNDS, PACKETS)
def test_the_trace_is_the_build_and_adds_up_and_reads_back(config, query, rounds, packets):
    trace = traced(config, query, rounds, packets)
    assert builder(config).build(query, rounds, POLICY, packets) == trace.text
    assert ContextTrace.from_json(trace.to_json()) == trace
    ids = [packet.id for packet in trace.gathered]
    assert len(set(ids)) == len(ids)
    assert set(trace.chosen) <= set(ids)
    for packet in trace.gathered:
        assert packet.reason
        assert packet.kept <= packet.tokens or packet.fate == "trimmed"
        assert packet.chosen or packet.kept == 0
        if packet.scores is not None:
            parts = packet.scores
            assert all(map(isfinite, (parts.total, parts.relevance, parts.recency, parts.importance)))
            assert parts.total == pytest.approx(parts.relevance + parts.recency + parts.importance)
            assert 0 <= parts.raw_relevance <= 1
            assert 0 <= parts.total <= 1 + 1e-9
        if packet.other:
            assert packet.other in ids
    for before, after in zip(trace.structured, trace.compressed, strict=True):
        assert before.section == after.section
        assert all(text.strip() in trace.text for text, kept in after.pieces if kept)
        assert "".join(text for text, _ in after.pieces) == before.text


@LAW
@given(CONFIGS, QUERIES, ROUNDS, PACKETS)
def test_equal_inputs_give_equal_bytes_and_inputs_stay_as_they_were(config, query, rounds, packets):
    before = [repr(packet) for packet in packets]
    first, second = traced(config, query, rounds, packets), traced(config, query, rounds, packets)
    assert first.to_json() == second.to_json()
    assert [repr(packet) for packet in packets] == before


@LAW
@given(CONFIGS, QUERIES, ROUNDS, PACKETS, st.integers(1, 400))
def test_more_budget_never_drops_what_is_required(config, query, rounds, packets, more):
    small = traced(config, query, rounds, packets)
    large = traced(ContextConfig(**vars(config) | {"max_tokens": config.max_tokens + more}), query, rounds, packets)
    required = {packet.id for packet in small.gathered if packet.fate == "required"}
    assert required == {packet.id for packet in large.gathered if packet.fate == "required"}
    assert required <= set(large.chosen)


@LAW
@given(CONFIGS, QUERIES, ROUNDS, PACKETS)
def test_with_and_without_numpy_equal_bytes(config, query, rounds, packets):
    with_numpy = traced(config, query, rounds, packets)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "numpy", None)
        without = traced(config, query, rounds, packets)
    assert with_numpy.to_json() == without.to_json()


def _compared(trace: ContextTrace) -> bool:
    """Whether any packet came as far as being compared with others."""
    settled = ("below_threshold", "required", "passed")
    return any(packet.fate not in settled and packet.section != "state" for packet in trace.gathered)


def vectors_of(texts):
    """Vectors that no embedding should give: of zeros, of what is no number, huge and tiny."""
    odd = [[0.0, 0.0], [nan, 1.0], [inf, 1.0], [1e300, -1e300], [1e-300, 1e-300], [1.0, 0.5], [-1.0, 0.0]]
    return [odd[len(text) % len(odd)] for text in texts]


@LAW
@given(CONFIGS, QUERIES, PACKETS)
def test_odd_vectors_and_broken_embeddings_leave_a_finite_account(config, query, packets):
    for embedding in (vectors_of, lambda texts: [], lambda texts: 1 / 0):
        try:
            trace = builder(config, embedding=embedding).trace(query, None, POLICY, packets)
        except ContextBudgetError:
            assume(False)
        assert trace.tokens <= trace.budget
        scores = [packet.scores.total for packet in trace.gathered if packet.scores is not None]
        assert all(map(isfinite, scores))
        assert ContextTrace.from_json(trace.to_json()) == trace
        failed = [failure.name for failure in trace.failures]
        assert failed == (["embedding"] if embedding is not vectors_of and scores and _compared(trace) else [])


@LAW
@given(
    st.lists(st.tuples(NUMBERS, st.lists(st.one_of(NUMBERS, st.floats()), min_size=3, max_size=3)), max_size=12),
    st.floats(0, 1),
)
def test_mmr_chooses_each_once_and_alike_with_and_without_numpy(items, balance):
    scores, vectors = [score for score, _ in items], [vector for _, vector in items]
    chosen = mmr(scores, vectors, len(items), balance)
    assert sorted(chosen) == list(range(len(items)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "numpy", None)
        assert mmr(scores, vectors, len(items), balance) == chosen


@LAW
@given(st.lists(TEXTS, min_size=1, max_size=8))
def test_likeness_of_words_is_one_for_itself_and_the_same_both_ways(texts):
    likeness = likeness_of_words([words(text) for text in texts])
    rows = [list(likeness.row(index)) for index in range(len(texts))]
    for i, row in enumerate(rows):
        assert row[i] == 1
        assert all(0 <= value <= 1 + 1e-9 for value in row)
        assert row == pytest.approx([other[i] for other in rows])


def test_mmr_is_carbonell_and_goldsteins():
    vectors = [[1.0, 0.0], [1.0, 0.01], [0.0, 1.0], [0.7, 0.7]]
    scores = [1.0, 0.99, 0.5, 0.8]
    assert mmr(scores, vectors, 4, 1.0) == [0, 1, 3, 2], "λ = 1 is the order of the scores"
    assert mmr(scores, vectors, 2, 0.5) == [0, 2], "a copy of the first is no news"
    assert mmr(scores, vectors, 2, 0.0)[1] == 2, "λ = 0 is novelty alone"
    choice = Choice(scores, likeness_of_vectors(vectors), 0.7)
    assert choice.best() == 0
    choice.leave(0)
    assert choice.best() == 1
    with pytest.raises(ValueError, match="from 0 to 1"):
        Choice(scores, likeness_of_vectors(vectors), 2)
