"""What limits count: the calls of the current question, each looked at once."""

from __future__ import annotations

from collections import Counter
from itertools import takewhile
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hello_agents import Config, Message, Run, ScriptedLLM, SimpleAgent, ToolCall, ToolRegistry
from hello_agents.core import limits
from hello_agents.core.limits import Tally
from hello_agents.core.message import Messages

RESULTS = st.builds(
    lambda tool, status, code: Message(
        "x", "tool", answers="c", status=status, metadata={"tool": tool} | ({"code": code} if code else {})
    ),
    st.sampled_from(["add", "look"]),
    st.sampled_from(["success", "partial", "error"]),
    st.sampled_from([None, "NOT_RUN", "TIMEOUT"]),
)
OTHERS = st.sampled_from([Message("q", "user"), Message("a", "assistant"), Message("s", "summary")])
CONVERSATIONS = st.lists(st.one_of(RESULTS, RESULTS, OTHERS), max_size=12)


def counted_plainly(messages: list[Message]) -> tuple[int, dict[str, int]]:
    turn = list(takewhile(lambda message: message.role != "user", reversed(messages)))
    results = [message for message in turn if message.role == "tool" and message.metadata.get("code") != "NOT_RUN"]
    return sum(message.status == "error" for message in turn), dict(
        Counter(message.metadata["tool"] for message in results)
    )


@given(conversations=st.lists(CONVERSATIONS, min_size=1, max_size=3), order=st.randoms())
def test_one_tally_for_several_runs_counts_as_if_each_were_counted_anew(conversations: Any, order: Any) -> None:
    tally = Tally()
    runs = [Run("a") for _ in conversations]
    waiting = [(which, message) for which, said in enumerate(conversations) for message in said]
    # The messages of one run come in order, the runs in any.
    keys = sorted(range(len(waiting)), key=lambda _: order.random())
    turn_of = sorted(waiting[key][0] for key in keys)
    order.shuffle(turn_of)
    left = [list(said) for said in conversations]
    for which in turn_of:
        runs[which] = Run("a", runs[which].messages.plus(left[which].pop(0)))
        counts = tally.of(runs[which])
        assert (counts.failed, dict(counts.ran)) == counted_plainly(list(runs[which].messages))


@given(said=CONVERSATIONS, back=st.integers(0, 12))
def test_stepping_back_counts_what_is_there_then(said: list[Message], back: int) -> None:
    tally, run = Tally(), Run("a", Messages(said))
    tally.of(run)
    earlier = Run("a", run.messages.splice(max(len(said) - back, 0), len(said), []))
    counts = tally.of(earlier)
    assert (counts.failed, dict(counts.ran)) == counted_plainly(list(earlier.messages))


@pytest.mark.parametrize("steps", [10, 60])
def test_a_result_is_looked_at_once_however_long_the_question_goes_on(
    steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[Message] = []
    count = limits._with_result
    monkeypatch.setattr(
        limits, "_with_result", lambda counts, message: looked.append(message) or count(counts, message)
    )
    tools = ToolRegistry()
    tools.register_function(lambda n: str(n), "note")
    script = ScriptedLLM(*[ToolCall("", "note", {"n": n}) for n in range(steps)], "done")
    config = Config(max_iterations_per_tool=steps, degrade_after_failures=steps)
    assert SimpleAgent("a", script, None, config, tools, max_tool_iterations=steps + 1).run("go") == "done"
    assert len(looked) == steps
