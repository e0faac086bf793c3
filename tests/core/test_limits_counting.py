"""What limits count: the calls of the current question, each looked at once."""

from __future__ import annotations

from collections import Counter
from itertools import takewhile
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hello_agents import Config, Message, Run, ScriptedLLM, SimpleAgent, ToolCall, ToolRegistry, Waiting
from hello_agents.core import limits
from hello_agents.core.limits import Tally
from hello_agents.core.message import Messages
from hello_agents.core.run import Compacted, Judged
from hello_agents.tools.circuit_breaker import CircuitBreaker

RESULTS = st.builds(
    lambda tool, status, code: Message(
        "x", "tool", answers="c", status=status, metadata={"tool": tool} | ({"code": code} if code else {})
    ),
    st.sampled_from(["add", "look"]),
    st.sampled_from(["success", "partial", "error"]),
    st.sampled_from([None, "NOT_RUN", "REFUSED", "TIMEOUT"]),
)
OTHERS = st.sampled_from([Message("q", "user"), Message("a", "assistant"), Message("s", "summary")])
CONVERSATIONS = st.lists(st.one_of(RESULTS, RESULTS, OTHERS), max_size=12)


def counted_plainly(messages: list[Message]) -> tuple[int, dict[str, int]]:
    turn = list(takewhile(lambda message: message.role != "user", reversed(messages)))
    spared = ("NOT_RUN", "REFUSED")
    results = [message for message in turn if message.role == "tool" and message.metadata.get("code") not in spared]
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


@pytest.mark.parametrize("smart", [True, False])
@pytest.mark.parametrize(
    ("tool", "limit", "reason"),
    [("long", "max_iterations_per_tool", "max_steps"), ("fail", "degrade_after_failures", "degraded")],
)
def test_what_a_limit_counted_outlasts_a_compaction(tool: str, limit: str, reason: str, smart: bool) -> None:
    ran: list[int] = []

    def long(n: int) -> str:
        """Says much."""
        ran.append(n)
        return f"{n} " + "word " * 100

    def fail(n: int) -> str:
        """Fails at length."""
        raise ValueError(long(n))

    tools = ToolRegistry(CircuitBreaker(enabled=False))
    tools.register_function(long)
    tools.register_function(fail)
    calls = [ToolCall(f"c{n}", tool, {"n": n}) for n in range(11)]
    model = ScriptedLLM(*calls, "done", frames={f"summary_{n}": ["much was said"] for n in range(11)})
    config = Config(
        memory_buffer_tokens=600,
        summary_max_tokens=60,
        min_retain_rounds=1,
        enable_smart_compression=smart,
        **{limit: 6},
    )
    agent = SimpleAgent("a", model, "Be brief.", config, tools, max_tool_iterations=10)
    agent.run("go")
    assert sum(isinstance(entry.event, Compacted) for entry in agent.journal) > 1
    assert ran == list(range(6))
    assert agent.state.outcome is not None
    assert agent.state.outcome.reason == reason
    again = Run.from_json(agent.state.to_json())
    assert Tally().of(again) == Tally().of(agent.state)


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("most", [1, 2, 3])
async def test_sub_agents_are_calls_of_their_tool(most: int, together: bool) -> None:
    calls = [ToolCall(f"t{n}", "Task", {"task": "help", "agent_type": "simple"}) for n in range(3)]
    script: list[Any] = [calls] if together else list(calls)
    for awaiting in (False, True):
        model = ScriptedLLM(*script, "done", frames={f"t{n}": ["ok"] for n in range(3)})
        config = Config(subagent_enabled=True, max_iterations_per_tool=most)
        agent = SimpleAgent("a", model, None, config, max_tool_iterations=5)
        assert (await agent.arun("go") if awaiting else agent.run("go")) == "done"
        assert list(agent.state.children) == [f"t{n}" for n in range(most)]
        results = [message for message in agent.state.messages if message.role == "tool"]
        assert [message.metadata.get("code") for message in results] == [None] * most + ["NOT_RUN"] * (3 - most)


def test_a_call_that_a_person_refused_did_not_run() -> None:
    def pay(sum: int) -> str:
        """Pays."""
        return f"paid {sum}"

    tools = ToolRegistry()
    tools.register_function(pay, needs_approval=True)
    script = ScriptedLLM(*[ToolCall(f"p{n}", "pay", {"sum": n}) for n in range(3)], "done")
    agent = SimpleAgent("a", script, None, Config(max_iterations_per_tool=1), tools, max_tool_iterations=5)
    for step in (lambda: agent.run("go"), lambda: agent.resume(Judged("p0", False))):
        with pytest.raises(Waiting):
            step()
    with pytest.raises(Waiting):
        agent.resume(Judged("p1", True))
    assert agent.resume(Judged("p2", True)) == "done"
    said = [message.text for message in agent.state.messages if message.role == "tool"]
    assert said[1] == "paid 1"
    assert said[2].startswith("not run")
