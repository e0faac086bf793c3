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
    head, shown, spans = widget.head, widget.snapshot["messages"], widget.snapshot["rounds"]
    assert [one["tokens"] for one in shown] == [count(one) for one in messages]
    assert head["before"] == sum(map(count, messages))
    assert head["after"] == sum(map(count, widget.compressed)) <= head["before"]
    assert head["due"] == (head["before"] > threshold)
    assert head["due"] or widget.compressed == messages
    places = [place for one in spans for place in range(one["from"], one["to"])]
    assert places == list(range(1, len(messages)))
    assert [one["tokens"] for one in spans] == [sum(map(count, messages[one["from"] : one["to"]])) for one in spans]
    assert head["rest"] == count(messages[0])
    for message, fate in zip(messages, head["fates"], strict=True):
        assert (fate == "k") == any(one is message for one in widget.compressed)
    assert head["fates"][0] == head["fates"][-1] == "k"
    for place, (one, fate) in enumerate(zip(spans, head["round_fates"], strict=True)):
        inside = set(head["fates"][one["from"] : one["to"]])
        assert inside == {fate} or (fate == "s" and inside)
        assert (fate == "s") == (str(place) in head["left"])
    left = [head["left"].get(str(n), one["tokens"]) for n, one in enumerate(spans) if head["round_fates"][n] != "f"]
    others = [one for one in widget.compressed if one.role == "summary"]
    assert head["rest"] + sum(left) + sum(map(count, others)) == head["after"]


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


def test_what_python_sets_is_what_is_shown() -> None:
    """By its own name or by `set`: the same events, and the page is told that it was not the reader."""
    widget, other = (HistoryCompression(conversation(), threshold=500, keep=3) for _ in range(2))
    seen: list[tuple[str, int]] = []
    widget.observe(lambda change: seen.append((change["name"], change["new"])), ["threshold", "keep"])
    turn = widget.head["turn"]
    widget.threshold = 300
    widget.keep = 1
    other.set(threshold=300, keep=1)
    assert seen == [("threshold", 300), ("keep", 1)]
    assert widget.compressed == other.compressed
    assert (widget.head["threshold"], widget.head["keep"], widget.head["turn"]) == (300, 1, turn + 2)
    assert widget.head["after"] == other.head["after"] < 500
    widget.dispatch({"op": "set", "args": {"threshold": 400, "keep": 2}})
    assert (widget.threshold, widget.keep, widget.head["turn"]) == (400, 2, turn + 2)
    for name, value in (("threshold", 0), ("keep", -1)):
        with pytest.raises(ValueError, match=f"{name}={value}"):
            setattr(widget, name, value)
        with pytest.raises(ValueError, match=f"{name}={value}"):
            widget.set(**{name: value})
    assert (widget.threshold, widget.keep) == (400, 2)
    with pytest.raises(ValueError, match="threshold=0"):
        widget.set(keep=4, threshold=0)
    assert (widget.threshold, widget.keep, widget.head["keep"]) == (400, 2, 2)


def test_the_summary_stands_where_it_stands_in_the_conversation() -> None:
    """Also inside a round that was too long by itself."""
    rounds = conversation(9)
    assert HistoryCompression(rounds, threshold=500, keep=3).head["summary"]["behind"] == 0
    calls = [ToolCall(f"x{n}", "look_up", {"city": f"city {n}"}) for n in range(30)]
    long = [Message("You are a guide.", "system"), Message("Look everywhere.", "user")]
    for call in calls:
        long += [Message(None, "assistant", tool_calls=[call]), Message("hotel: 100\n" * 9, "tool", answers=call.id)]
    widget = HistoryCompression(long, threshold=700, keep=1)
    roles = [one.role for one in widget.compressed]
    assert roles[1:3] == ["user", "summary"]
    assert (widget.head["round_fates"], widget.head["summary"]["behind"]) == ("s", 1)


def test_calls_are_sent_as_calls_and_results_with_the_name_of_their_tool() -> None:
    shown = HistoryCompression(conversation(2), threshold=500).snapshot["messages"]
    assert shown[2]["calls"] == [{"name": "look_up", "arguments": '{"city":"city 0"}'}]
    assert (shown[3]["role"], shown[3]["name"]) == ("tool", "look_up")


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
