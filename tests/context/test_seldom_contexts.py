"""Contexts at their edges: counts that do not add up, sections that cannot go, endless accents, packets of one name."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.optional_packages import without

from hello_agents.context import ContextBuilder, ContextConfig, ContextPacket, FunctionSource, token_counter
from hello_agents.context.compressing import compress, drop_to_fit, rewrite
from hello_agents.context.cutting import cut, is_border, size_of
from hello_agents.context.mmr import Choice, likeness_of_vectors
from hello_agents.context.packets import REQUIRED
from hello_agents.context.sources import ToolSource, _relevance
from hello_agents.context.structuring import ContextTemplate, Structured, structure
from hello_agents.memory.knowledge import Knowledge

NOW = datetime(2026, 1, 2, tzinfo=UTC)
TEMPLATE = ContextTemplate.usual("en")


def packet(content: str, kind: str = "knowledge_base", **options: Any) -> ContextPacket:
    return ContextPacket(content, NOW, {"type": kind}, **options)


def structured(*evidence: str) -> Structured:
    packets = [packet("Be brief.", "instructions"), packet("Which one?", "task")]
    return structure([*packets, *(packet(text) for text in evidence)], TEMPLATE)


def more_together(text: str) -> int:
    """A count by which texts joined count for more than apart."""
    return len(text) + (len(text) // 40) ** 2


def more_and_more(text: str) -> int:
    """One by which a text of several sections always counts for too much."""
    return len(text) + 10_000 * (text.count("[Evidence]") + text.count("[1]") > 1)


# -- compressing ---------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 700), st.sampled_from([len, more_together, more_and_more]))
def test_whatever_way_tokens_are_counted_the_budget_is_kept_and_what_is_required_too(room: int, count: Any) -> None:
    whole = structured(*(f"The {n}. hotel is near the station. It has {n} rooms." for n in range(1, 9)))
    fixed = Structured.of((part for part in whole.parts if part.section in REQUIRED), whole.suffix)
    budget = count(fixed) + room
    shorter = compress(whole, "hotel station", budget, count)
    assert count(shorter) <= budget
    assert [part for part in shorter.parts if part.section in REQUIRED] == list(fixed.parts)
    if count(whole) <= budget:
        assert shorter == whole


def test_what_is_required_is_never_dropped_however_little_room_there_is() -> None:
    whole = structured("The hotel is full.", "The other one is not.")
    left = drop_to_fit(whole, 1, len)
    assert [part.section for part in left.parts] == [part.section for part in whole.parts if part.section in REQUIRED]
    assert len(left) > 1


def test_a_context_that_fits_is_not_given_to_a_model() -> None:
    whole = structured("The hotel is full.")
    assert rewrite(whole, "hotel", len(whole), len, object(), "en") == (whole, frozenset(), None)  # type: ignore[arg-type]


# -- cutting -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", ["head", "tail", "head_tail"])
def test_accents_without_end_are_cut_all_the_same(strategy: Any) -> None:
    text = "a" + "\u0301" * 5000 + "z"
    left = cut(text, 10, 400, strategy)
    assert size_of(left.text) <= 400
    assert left.kept_bytes > 100, "something of it is kept"
    assert left.kept_bytes + left.dropped_bytes == left.total_bytes == size_of(text)


def test_the_ends_of_a_text_are_borders_whatever_stands_there() -> None:
    accents = "\u0301\u0301"
    assert [is_border(accents, at) for at in (-1, 0, 1, 2, 3)] == [True, True, False, True, True]


# -- what is gathered and told -------------------------------------------------------------------------


def builder(**options: Any) -> ContextBuilder:
    return ContextBuilder(config=ContextConfig(min_relevance=0, **options), clock=lambda: NOW)


def test_packets_of_one_name_are_told_apart() -> None:
    twins = [packet(f"Hotel {n} is near.", relevance_score=0.9, id="hotel") for n in range(3)]
    made = builder(enable_mmr=False, merge_similarity=1.0)
    selected = made._select(twins, "hotel")
    assert sorted(one.id for one in selected) == ["hotel", "hotel#2", "hotel#3"]
    text = str(made._structure(list(selected), "hotel", "Be brief."))
    assert all(one.content in text for one in twins)
    assert "Be brief." in text
    trace = made.trace("hotel", None, None, twins)
    with pytest.raises(KeyError, match="no packet 'nobody'"):
        trace.packet("nobody")


def test_a_source_may_give_texts_and_packets() -> None:
    own = packet("The hotel is full.", "tool_result")
    source = FunctionSource("mine", lambda query: ["The station is near.", own], kind="related_memory")
    first, second = source.packets("hotel")
    assert (first.content, first.kind) == ("The station is near.", "related_memory")
    assert second is own


def test_a_tool_is_not_searched_for_nothing() -> None:
    class Never:
        def run(self, parameters: dict[str, Any]) -> str:
            raise AssertionError("nobody asked for anything")

    for query in ("", " \n"):
        assert list(ToolSource("mine", Never(), "knowledge_base").packets(query)) == []


def test_who_ranked_a_passage_last_says_how_relevant_it_is() -> None:
    knowledge = Knowledge()
    knowledge.add("The hotel is near the station.")
    (passage,) = knowledge.search("hotel station")
    fused = {"words": 2.0, "vector": 0.25, "fused": 0.01}
    assert _relevance(replace(passage, reasons=fused), 4.0) == 0.5
    assert _relevance(replace(passage, reasons=fused), 0.0) == 0.25
    assert _relevance(replace(passage, reasons=fused | {"rerank": 0.9}, score=0.7), 4.0) == 0.7
    assert _relevance(replace(passage, reasons={"words": 2.0}, score=0.6), 4.0) == 0.6


# -- choosing and counting -----------------------------------------------------------------------------


@pytest.mark.parametrize("packages", [(), ("numpy",)])
def test_a_choice_of_nothing_and_what_is_left_out_twice(packages: tuple[str, ...]) -> None:
    with without(*packages):
        assert Choice([], likeness_of_vectors([])).best() is None
        choice = Choice([0.5, 0.9], likeness_of_vectors([[1.0, 0.0], [0.0, 1.0]]))
        assert choice.best() == 1
        for _ in range(2):
            choice.leave(1)
        assert choice.best() == 0
        choice.take(0)
        choice.leave(0)
        assert choice.best() is None


def test_an_encoding_of_which_the_ranks_are_gone_is_not_made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_counter, "load_ranks", lambda name: None)
    assert token_counter._with_tiktoken("o200k_base") is None
