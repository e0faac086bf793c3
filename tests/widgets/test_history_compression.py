"""HistoryCompression shows what an agent with these settings would do: the same events, messages and tokens."""

from __future__ import annotations

import pytest
from hello_agents_widgets import HistoryCompression
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from widgets.house import keep_fixture

from hello_agents.agents.simple_agent import SimpleAgent
from hello_agents.context.history import HistoryManager
from hello_agents.context.token_counter import TokenCounter
from hello_agents.core.config import Config
from hello_agents.core.message import Message, Messages, ToolCall
from hello_agents.core.run import Compacted, Run
from hello_agents.offline.scripted import ScriptedLLM

NASTY = "\"><script>x</script><img src=x onerror='y'>&"


def conversation(rounds: int = 9, lines: int = 8) -> list[Message]:
    said = [Message("You are a travel assistant.", "system")]
    for n in range(rounds):
        said += [
            Message(f"Question {n + 1}: what does a hotel in city {n} cost?", "user"),
            Message(None, "assistant", tool_calls=[ToolCall(f"c{n}", "look_up", {"city": f"city {n}"})]),
            Message("\n".join(f"hotel {k}: {100 + k}" for k in range(3 + (n * 7) % lines)), "tool", answers=f"c{n}"),
            Message(f"A hotel in city {n} costs {100 * (n + 1)}.", "assistant"),
        ]
    return said


def test_the_page_is_sent_what_the_library_makes() -> None:
    keep_fixture("history_compression.json", HistoryCompression(conversation(), threshold=500, keep=3).snapshot)


def test_an_agent_with_these_settings_does_the_same() -> None:
    """The real loop, at its next request."""
    messages = conversation()
    asked = [*messages, Message("And the last one?", "user")]
    config = Config(min_retain_rounds=3, memory_buffer_tokens=500)
    agent = SimpleAgent("guide", ScriptedLLM("That is all."), config=config)
    agent.state = Run("guide", messages=Messages(messages))
    agent.run("And the last one?")
    came = [entry.event for entry in agent.journal if isinstance(entry.event, Compacted)]
    widget = HistoryCompression(asked, threshold=500, keep=3, model="offline")
    assert came
    assert widget._events == came
    assert [m.text for m in widget.compressed] == [m.text for m in agent.state.messages[:-1]]


@given(st.integers(1, 12), st.integers(16, 2000), st.integers(1, 12))
@settings(max_examples=examples(60), deadline=None)
def test_numbers_add_up_and_nothing_is_lost_unsaid(rounds: int, threshold: int, keep: int) -> None:
    messages = conversation(rounds)
    widget = HistoryCompression(messages, threshold=threshold, keep=keep, model="gpt-4o")
    count = TokenCounter("gpt-4o").count_message
    head, shown = widget.head, widget.snapshot["messages"]
    assert [one["tokens"] for one in shown] == [count(one) for one in messages]
    assert head["before"] == sum(map(count, messages))
    assert head["after"] == sum(map(count, widget.compressed)) <= head["before"]
    assert head["due"] == (head["before"] > threshold)
    assert head["due"] or widget.compressed == messages
    places = [place for one in head["rounds"] for place in range(one["from"], one["to"])]
    assert places == list(range(1, len(messages)))
    for message, fate in zip(messages, head["fates"], strict=True):
        assert (fate == "kept") == any(one is message for one in widget.compressed)
    assert head["fates"][0] == "kept"
    assert head["fates"][-1] == "kept"
    left = sum(n for n, fate in zip((one["tokens"] for one in shown), head["fates"], strict=True) if fate == "kept")
    left += sum(one["tokens"] for one in head["shortened"])
    others = [one for one in widget.compressed if one.role == "summary"]
    assert left + sum(map(count, others)) == head["after"]


def test_every_kind_of_subject() -> None:
    messages = conversation(4)
    history = HistoryManager(min_retain_rounds=2)
    for message in messages:
        history.append(message)
    agent = SimpleAgent("guide", ScriptedLLM(), config=Config(min_retain_rounds=2, language="zh"))
    agent.state = Run("guide", messages=Messages(messages))
    for subject in (messages, history, agent, agent.state):
        widget = HistoryCompression(subject, threshold=200)
        assert widget.messages == messages
        assert widget.summary_message is not None
        assert widget.summary_message.role == "summary"
    assert HistoryCompression(history).keep == 2
    assert HistoryCompression(agent).language == "zh"
    for wrong in (3, "text", [1]):
        with pytest.raises(TypeError, match=r"int|str"):
            HistoryCompression(wrong)  # pyright: ignore


def test_operations_and_their_errors() -> None:
    widget = HistoryCompression(conversation(), threshold=500, keep=3)
    before = widget.messages
    widget.dispatch({"op": "set", "args": {"threshold": 300, "keep": 1}})
    assert (widget.threshold, widget.keep, widget.error) == (300, 1, "")
    assert widget.messages == before
    for args in ({"keep": 0}, {"threshold": 0}, {"threshold": "x"}):
        widget.dispatch({"op": "set", "args": args})
        assert widget.error
        assert (widget.threshold, widget.keep) == (300, 1)
    widget.dispatch({"op": "dance"})
    assert "dance" in widget.error


def test_at_rest_it_is_the_same_and_escaped() -> None:
    nasty = [Message(NASTY, one.role, tool_calls=one.tool_calls, answers=one.answers) for one in conversation(3)]
    page = HistoryCompression(nasty, threshold=100, keep=1).picture()
    assert "<script" not in page
    assert "<img" not in page
    one, other = (HistoryCompression(conversation(), threshold=500, keep=3) for _ in range(2))
    assert repr(one) == repr(other)
    assert one.picture() == other.picture()
    assert "round 1: " in repr(one)
    assert "nothing is compressed" in repr(HistoryCompression(conversation(2), threshold=5000))


def test_messages_are_sent_once() -> None:
    widget = HistoryCompression(conversation(), threshold=500, keep=3)
    widget.set(keep=2)
    widget.set(threshold=400)
    assert len(widget.logs) == 1
    assert "messages" not in widget.head
