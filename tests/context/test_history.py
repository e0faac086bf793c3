"""The history manager: rounds, and one summary in the place of the old ones."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from support.histories import anything, legal

from hello_agents.context import HistoryManager
from hello_agents.core.message import Message, ToolCall
from hello_agents.core.rounds import insides, older, partings, round_starts


def manager(messages: list[Message], keep: int = 2) -> HistoryManager:
    made = HistoryManager(min_retain_rounds=keep)
    for message in messages:
        made.append(message)
    return made


def chat(count: int) -> list[Message]:
    return [m for n in range(count) for m in (Message(f"q{n}", "user"), Message(f"a{n}", "assistant"))]


def crossing(messages: list[Message], place: int) -> bool:
    """Whether a call before the place has its result behind it, seen by trying all pairs."""
    for at, message in enumerate(messages[:place]):
        for call in message.tool_calls:
            for later in range(at + 1, len(messages)):
                if any(other.id == call.id for other in messages[later].tool_calls):
                    break
                if messages[later].answers == call.id and later >= place:
                    return True
    return False


def test_rounds_begin_at_the_users_messages() -> None:
    history = manager([Message("be brief", "system"), *chat(3)])
    assert history.find_round_boundaries() == [1, 3, 5]
    assert history.estimate_rounds() == 3
    history.clear()
    assert history.get_history() == []
    assert history.estimate_rounds() == 0


def test_the_list_is_the_callers_own() -> None:
    history = manager(chat(1))
    history.get_history().clear()
    assert len(history.get_history()) == 2


@pytest.mark.parametrize("system", [[], [Message("be brief", "system")]])
def test_all_but_the_last_rounds_become_one_summary(system: list[Message]) -> None:
    history = manager([*system, *chat(5)])
    history.compress("They talked.")
    assert history.get_history() == [
        *system,
        Message("They talked.", "summary", metadata={"compacted": 6}),
        *chat(5)[6:],
    ]


def test_nothing_more_to_compress_is_nothing_done() -> None:
    history = manager(chat(5))
    history.compress("first")
    once = history.get_history()
    history.compress("second")
    assert history.get_history() == once
    few = manager(chat(2))
    few.compress("none")
    assert few.get_history() == chat(2)


def test_there_is_one_summary_after_the_next_round_too() -> None:
    history = manager(chat(5))
    history.compress("first")
    for message in chat(1):
        history.append(message)
    history.compress("second")
    assert [m.role for m in history.get_history()] == ["summary", *["user", "assistant"] * 2]
    assert history.get_history()[0].text == "second"


@pytest.mark.parametrize("keep", [1, 2, 3])
def test_a_result_that_comes_after_the_next_question_keeps_its_call(keep: int) -> None:
    late = [
        *chat(2),
        Message("q", "user"),
        Message(None, "assistant", tool_calls=[ToolCall("a", "f")]),
        Message("are you there?", "user"),
        Message("result", "tool", answers="a"),
        Message("yes", "assistant"),
    ]
    history = manager(late, keep)
    history.compress("s")
    left = history.get_history()
    assert any(message.tool_calls for message in left)
    assert any(message.answers == "a" for message in left)


def test_ids_that_are_used_again_in_each_round_belong_to_the_nearest_call() -> None:
    one = [
        Message("q", "user"),
        Message(None, "assistant", tool_calls=[ToolCall("call_0", "f")]),
        Message("r", "tool", answers="call_0"),
        Message("a", "assistant"),
    ]
    history = manager(one * 4, keep=1)
    history.compress("s")
    assert history.get_history()[1:] == one


@settings(max_examples=examples(200), deadline=None)
@given(messages=st.one_of(legal(), anything), keep=st.integers(1, 3))
def test_no_call_is_split_from_its_result_and_no_system_message_is_lost(messages: list[Message], keep: int) -> None:
    assert [not whole for whole in partings(messages)] == [crossing(messages, n) for n in range(len(messages) + 1)]
    history = manager(messages, keep)
    history.compress("s")
    left = history.get_history()
    said = [m.text for m in messages if m.role == "system"]
    assert [m.text for m in left if m.role == "system"] == said
    questions = [m for m in messages if m.role == "user"]
    kept = [m for m in left if m.role == "user"]
    assert kept == questions[len(questions) - len(kept) :]
    assert len(kept) >= min(len(questions), keep)
    history.compress("again")
    assert history.get_history() == left


@settings(max_examples=examples(100), deadline=None)
@given(messages=legal())
def test_a_round_may_be_parted_between_exchanges_only(messages: list[Message]) -> None:
    for places in insides(messages):
        for place in places:
            assert messages[place].role != "tool"
            assert not crossing(messages, place)
    assert len(list(insides(messages))) == len(round_starts(messages))


def test_at_least_the_last_round_stays() -> None:
    assert older(chat(3), 0) == older(chat(3), 1) == (0, 4)
    with pytest.raises(ValueError, match="min_retain_rounds=0"):
        HistoryManager(min_retain_rounds=0)


@settings(max_examples=examples(100), deadline=None)
@given(messages=st.one_of(legal(), anything))
def test_it_goes_to_json_and_back(messages: list[Message]) -> None:
    history = manager(messages, 3)
    other = HistoryManager()
    other.load_from_dict(json.loads(json.dumps(history.to_dict(), default=str)))
    assert other.get_history() == messages
    assert other.min_retain_rounds == 3


def test_what_is_no_history_is_refused() -> None:
    with pytest.raises(ValueError, match="history"):
        HistoryManager().load_from_dict({"rounds": 1})


def test_the_threshold_is_a_part_of_the_window() -> None:
    history = HistoryManager(compression_threshold=0.5)
    assert history.is_due(500, 1000)
    assert not history.is_due(499, 1000)
