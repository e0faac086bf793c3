"""ContextMeter counts as the library counts, item by item, and takes the window and the threshold from the agent."""

from __future__ import annotations

import json

import pytest
from hello_agents_widgets import ContextMeter
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from support.histories import legal
from widgets.house import keep_fixture

from hello_agents.context.token_counter import TokenCounter
from hello_agents.core.action import Request
from hello_agents.core.compaction import Policy
from hello_agents.core.message import Message, Messages
from hello_agents.core.run import Run
from widgets import demo

NASTY = "\"><script>x</script><img src=x onerror='y'>&"


def meter(**kw) -> ContextMeter:
    agent = demo.agent()
    agent.run(demo.QUESTION)
    return ContextMeter(agent, **kw)


def test_the_page_is_sent_what_the_library_makes() -> None:
    keep_fixture("context_meter.json", meter(window=4000, threshold=1200).snapshot)


def test_the_whole_is_what_the_loop_counts() -> None:
    agent = demo.agent()
    agent.run(demo.QUESTION)
    widget = ContextMeter(agent)
    run, schemas = agent.state, agent.tools(agent.state).schemas()
    policy = Policy(agent.config, "offline")
    assert widget.total == policy.tokens(run, Request(run.messages, schemas))
    assert widget.threshold == policy.limit
    assert widget.window == agent.config.context_window
    assert sum(widget.head["sums"]) == widget.total == sum(one["tokens"] for one in widget.head["items"])
    assert widget.biggest in widget.items


@given(legal())
@settings(max_examples=examples(40), deadline=None)
def test_each_item_is_a_message_or_a_tool(messages: list[Message]) -> None:
    schemas = demo.registry().schemas()
    widget = ContextMeter(Request(messages, schemas), model="gpt-4o")
    counter = TokenCounter("gpt-4o")
    said = [one for one in widget.items if one["kind"] != "tools"]
    assert [one["tokens"] for one in said] == [counter.count_message(one) for one in messages]
    offered = [one for one in widget.items if one["kind"] == "tools"]
    assert sum(one["tokens"] for one in offered) == counter.count_tools(schemas)
    assert [json.loads(one["text"]) for one in offered] == list(schemas)


@given(st.lists(st.text(), min_size=1, max_size=6))
@settings(max_examples=examples(30), deadline=None)
def test_any_text_goes_to_the_page(texts: list[str]) -> None:
    widget = ContextMeter(Run("x", messages=Messages([Message(one, "user") for one in texts])))
    assert [one["text"] for one in widget.items] == texts
    assert widget.window is None
    assert widget.picture()


def test_looking_again() -> None:
    agent = demo.agent()
    widget = ContextMeter(agent)
    before = widget.total
    agent.run(demo.QUESTION)
    assert widget.total == before
    widget.dispatch({"op": "refresh"})
    assert widget.head["total"] == widget.total > before
    agent.add_message(Message("More.", "user"))
    widget.refresh()
    assert widget.items[-1]["text"] == "More."
    widget.dispatch({"op": "dance"})
    assert "dance" in widget.error
    with pytest.raises(TypeError, match="str"):
        ContextMeter("text")  # pyright: ignore


def test_at_rest_it_is_the_same_and_escaped() -> None:
    page = ContextMeter(Run("x", messages=Messages([Message(NASTY, "user")]))).picture()
    assert "<script" not in page
    assert "<img" not in page
    assert repr(meter()) == repr(meter())
    assert meter().picture() == meter().picture()
    assert "biggest: results Read" in repr(meter())
    assert repr(ContextMeter(Run("x"))) == "ContextMeter: 0 tokens in 0 items"
