"""Walks that come seldom: waiting, failing, timed or closed from outside; in children; and debuggers on all of them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from functools import reduce
from itertools import product
from typing import Any

import pytest

from hello_agents import (
    Config,
    Message,
    PlanSolveAgent,
    ReActAgent,
    ReflectionAgent,
    ScriptedLLM,
    SimpleAgent,
    ToolCall,
    ToolRegistry,
    Waiting,
)
from hello_agents.core.action import Action, Ask, Call, Request, Wait
from hello_agents.core.agent import Agent
from hello_agents.core.budgets import ELAPSED
from hello_agents.core.debugger import Debugger
from hello_agents.core.exceptions import AgentException
from hello_agents.core.loop import Loop, acarry_out, carry_out
from hello_agents.core.run import Delta, Entry, Event, Judged, Noted, Replied, Returned, Run, Stopped, evolve


def registry(approval: bool = False) -> ToolRegistry:
    def pay(sum: int) -> str:
        """Pays."""
        return f"paid {sum}"

    tools = ToolRegistry()
    tools.register_function(pay, needs_approval=approval)
    return tools


PAY = ToolCall("p", "pay", {"sum": 3})


def simple(*script: Any, approval: bool = False, **config: Any) -> SimpleAgent:
    return SimpleAgent("a", ScriptedLLM(*script), tool_registry=registry(approval), config=Config(**config))


def boss(*script: Any, **frames: list[Any]) -> SimpleAgent:
    """One whose helper has to ask before it pays."""
    model = ScriptedLLM(ToolCall("t", "Task", {"task": "pay", "agent_type": "simple"}), *script, frames=frames)
    return SimpleAgent("boss", model, tool_registry=registry(True), config=Config(subagent_enabled=True))


def waiting(agent: Agent) -> Agent:
    with pytest.raises(Waiting):
        agent.run("go")
    return agent


# -- the loop ------------------------------------------------------------------------------------------


async def test_a_call_that_waits_is_not_carried_out() -> None:
    agent = waiting(simple(PAY, "done", approval=True))
    loop = Loop(agent, agent.state)
    decision = loop.next_action()
    assert decision is not None
    assert isinstance(decision.action, Wait)
    assert list(carry_out(loop, decision)) == []
    assert [record async for record in acarry_out(loop, decision)] == []
    assert loop.run == agent.state


@pytest.mark.parametrize("at", [1, 2, 3])
async def test_a_sink_that_fails_while_awaiting_is_no_fault_of_the_model(at: int) -> None:
    agent = simple(PAY, "done")

    def full(entry: Entry, run: Run) -> None:
        if entry.seq == at:
            raise OSError(28, "No space left on device")

    agent.sink = full
    with pytest.raises(OSError, match="No space"):
        await agent.arun("go")
    assert "model_error" not in kinds(agent.journal)
    agent.sink = None
    assert agent.resume() == "done"
    assert agent.state.steps == 2


def kinds(journal: list[Entry]) -> list[object]:
    return [entry.event.key if isinstance(entry.event, Noted) else type(entry.event) for entry in journal]


async def test_time_is_written_down_in_the_same_places_awaiting_and_not() -> None:
    plain, awaiting = simple(PAY, "done"), simple(PAY, "done")
    plain.run("go", max_seconds=1000)
    await awaiting.arun("go", max_seconds=1000)
    assert kinds(plain.journal) == kinds(awaiting.journal)
    assert kinds(awaiting.journal).count(ELAPSED) == 3
    untimed = simple(PAY, "done")
    await untimed.arun("go")
    assert ELAPSED not in kinds(untimed.journal)


class Late:
    """A model whose connection gives up by itself."""

    def stream(self, request: Request) -> Iterator[Delta | Replied]:
        raise TimeoutError("the connection timed out")
        yield

    async def astream(self, request: Request) -> AsyncIterator[Delta | Replied]:
        yield Delta("I ")
        raise TimeoutError("the connection timed out")


async def test_a_timeout_of_the_models_own_is_told_as_it_is() -> None:
    agent = SimpleAgent("a", Late())
    with pytest.raises(TimeoutError, match="the connection timed out"):
        await agent.arun("go")
    assert agent.state.notes["model_error"]["type"] == "TimeoutError"


# -- an agent and its children -------------------------------------------------------------------------


def test_stopping_what_has_ended_changes_nothing() -> None:
    agent = simple("done")
    assert agent.stop() == agent.state == Run("a")
    agent.run("go")
    before = list(agent.journal)
    assert agent.stop() == agent.state
    assert agent.journal == before
    assert agent.state.answer == "done"


def test_a_new_question_closes_the_helper_that_waits() -> None:
    agent = waiting(boss("next", t=[PAY, "never"]))
    assert agent.run("something else") == "next"
    child = agent.state.children["t"]
    assert child.outcome is not None
    assert child.outcome.reason == "superseded"
    assert [message.status for message in child.messages if message.answers == "p"] == ["error"]


def test_a_result_that_is_passed_in_goes_to_the_frame_of_its_call() -> None:
    agent = waiting(boss("done", t=[PAY, "the helper has seen it"]))
    result = Message("paid by hand", "tool", answers="p", status="success")
    assert agent.resume(Returned(result)) == "done"
    child = agent.state.children["t"]
    assert [message.text for message in child.messages if message.answers == "p"] == ["paid by hand"]
    assert child.answer == "the helper has seen it"
    with pytest.raises(AgentException, match="does not wait here"):
        agent.resume(Returned(Message("again", "tool", answers="q")))


@pytest.mark.parametrize("id", ["", "x"])
def test_a_verdict_goes_to_the_call_that_waits_whatever_calls_above_have_its_id(id: str) -> None:
    """As from a model that names none of its calls, or begins anew in each conversation."""
    tasks = [ToolCall(name, "Task", {"task": name, "agent_type": "simple"}) for name in (id, "other")]
    frames = {frame: [ToolCall(id, "pay", {"sum": sum}), "ok"] for frame, sum in ((id or "call_0_0", 1), ("other", 2))}
    model = ScriptedLLM(tasks, "done", frames=frames)
    agent = waiting(SimpleAgent("boss", model, tool_registry=registry(True), config=Config(subagent_enabled=True)))
    with pytest.raises(Waiting, match=r"approval of pay\."):
        agent.resume()
    verdict, refusal = Judged(id or "call_0_0", True), Judged(id or "call_0_0", False)
    debugger = agent.steps()
    for judge in (debugger.approve, debugger.refuse):
        judge(verdict.call_id)
        debugger.finish()
    assert agent.resume(verdict, refusal) == "done"
    for run in (agent.state, debugger.run):
        paid, refused = (child.messages[-2] for child in run.children.values())
        assert paid.text == "paid 1"
        assert refused.metadata["code"] == "REFUSED"
        assert run.outcome == agent.state.outcome


def test_a_member_does_the_tasks_of_its_kind() -> None:
    agent = boss("done", t=["from the member"])
    member = SimpleAgent("simple", ScriptedLLM(), "I am the member.", tool_registry=registry())
    member.llm = agent.llm
    agent.members["simple"] = member
    assert agent.run("go") == "done"
    assert agent.state.children["t"].messages[0].text.startswith("I am the member.")


def test_a_child_that_nobody_can_be_is_an_error_that_names_it() -> None:
    with pytest.raises(AgentException, match="no member 'stranger'"):
        simple("done").member(Run("stranger"))


# -- the debugger --------------------------------------------------------------------------------------


def test_at_the_end_the_debugger_says_why_it_is_over() -> None:
    agent = simple("done")
    debugger = agent.steps("go")
    debugger.step(5)
    assert debugger.next is None
    assert "finished" in debugger.why


def test_a_run_without_its_agent_stays_where_it_ends() -> None:
    agent = simple(PAY, "done")
    agent.run("go")
    debugger = Debugger.of_run(agent.state)
    end = debugger.position
    assert debugger.step(3) == debugger.run
    assert debugger.position == end


def test_what_was_asked_is_told_from_the_run_where_the_agent_would_not_ask_now() -> None:
    agent = simple(PAY, "done")
    agent.run("go")

    class Done(SimpleAgent):
        def decide(self, run: Run) -> Any:
            return Stopped("finished", "nothing to ask")

    other = Done("a", ScriptedLLM(), tool_registry=registry())
    replies = [entry.seq for entry in agent.journal if isinstance(entry.event, Replied)]
    same, changed = agent.steps(), Debugger(other, Run("a"), agent.journal)
    assert len(replies) == 2
    for seq in replies:
        assert same.request_at(seq).tools
        assert changed.request_at(seq) == Request(changed.run_at(seq - 1).messages, at=("", replies.index(seq)))


def test_a_verdict_in_the_past_begins_a_branch() -> None:
    debugger = simple(PAY, "done", approval=True).steps("go")
    debugger.step(3)
    debugger.approve("p")
    debugger.step(5)
    assert debugger.run.answer == "done"
    first = debugger.branch
    while not any(isinstance(event, Judged) for event in _rest(debugger)[:1]):
        debugger.back()
    debugger.refuse("p", reason="too dear")
    assert debugger.branch != first
    assert "too dear" in debugger.step().messages[-1].text
    debugger.switch(first)
    assert debugger.step(5).answer == "done"


def _rest(debugger: Debugger) -> list[Event]:
    return [entry.event for entry in debugger.entries[debugger.position :]]


@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize("kind", [SimpleAgent, ReActAgent, ReflectionAgent, PlanSolveAgent])
def test_before_a_question_no_agent_does_anything(kind: Any, told: bool) -> None:
    agent = kind("a", ScriptedLLM())
    if told:
        agent.add_message(Message("You are brief.", "system"))
    assert agent.steps().next == Wait(())
    with pytest.raises(Waiting, match="Ask a question with"):
        agent.resume()
    assert len(agent.journal) == told


def test_a_question_whose_first_entry_was_not_written_is_asked_anew() -> None:
    agent = SimpleAgent("a", ScriptedLLM("done"), "You are brief.")

    def full(entry: Entry, run: Run) -> None:
        raise OSError(28, "No space left on device")

    agent.sink = full
    with pytest.raises(OSError, match="No space"):
        agent.run("go")
    agent.sink = None
    with pytest.raises(Waiting, match="Nothing was asked"):
        agent.resume()
    assert agent.run("go") == "done"
    assert [message.role for message in agent.state.messages] == ["system", "user", "assistant"]


# -- two at once ---------------------------------------------------------------------------------------


def consistent(agent: Agent) -> None:
    assert [entry.seq for entry in agent.journal] == list(range(len(agent.journal)))
    assert agent.state == reduce(lambda run, entry: evolve(run, entry.event, entry.frame), agent.journal, Run("a"))


async def test_tasks_that_share_an_agent_do_not_mix_their_runs() -> None:
    agent = simple(PAY, "done")
    said = await asyncio.gather(*(agent.arun(f"question {n}") for n in range(3)), return_exceptions=True)
    assert said.count("done") == 1
    assert {type(one) for one in said} == {str, AgentException}
    assert "an agent of its own" in str(next(one for one in said if isinstance(one, AgentException)))
    consistent(agent)


def test_threads_that_share_an_agent_do_not_mix_their_runs() -> None:
    """A tool of the first run waits until the second has ended."""
    tools, errors = ToolRegistry(), list[Exception]()
    first, second = threading.Event(), threading.Event()

    def pay(sum: int) -> str:
        """Pays."""
        if not first.is_set():
            first.set()
            second.wait(10)
        return "paid"

    def ask() -> None:
        try:
            agent.run("first")
        except AgentException as error:
            errors.append(error)

    tools.register_function(pay)
    agent = SimpleAgent("a", ScriptedLLM(PAY, "done"), tool_registry=tools)
    thread = threading.Thread(target=ask)
    thread.start()
    first.wait(10)
    assert agent.run("second") == "done"
    second.set()
    thread.join()
    assert "went on elsewhere" in str(errors[0])
    consistent(agent)


def test_a_walk_that_was_left_does_not_hinder_the_next() -> None:
    agent = simple(PAY, "done")
    left = agent.walk("first")
    next(left)
    assert agent.run("second") == "done"
    with pytest.raises(AgentException, match="went on elsewhere"):
        next(left)
    consistent(agent)


@pytest.mark.parametrize("way", ["told", "noted", "stopped"])
def test_what_is_put_in_by_hand_during_a_walk_is_part_of_it(way: str) -> None:
    agent = simple(PAY, "done")

    def put_in(entry: Entry, run: Run) -> None:
        if entry.event != Returned(run.messages[-1]):
            return
        match way:
            case "told":
                agent.add_message(Message("Be quick.", "user"))
            case "noted":
                agent.record(Noted("seen", entry.seq))
            case _:
                agent.stop("enough")

    agent.subscribers.append(put_in)
    assert agent.run("go") == ("" if way == "stopped" else "done")
    assert ("Be quick." in [message.text for message in agent.state.messages]) == (way == "told")
    assert ("seen" in agent.state.notes) == (way == "noted")
    consistent(agent)


@pytest.mark.parametrize("hook", ["on_start", "on_step", "on_tool_call", "on_finish"])
async def test_what_a_hook_puts_in_is_part_of_the_run_though_it_fails(hook: str) -> None:
    agent = simple(PAY, "done")

    async def put_in(event: Any) -> None:
        agent.record(Noted("seen", event.type.value))
        raise ValueError("no")

    assert await agent.arun("go", **{hook: put_in}) == "done"
    assert {"seen", "hook_error"} <= set(agent.state.notes)
    consistent(agent)


# -- agents and messages of one's own -------------------------------------------------------------------


class Hasty(Agent):
    """Asks a second time before it has its calls run, or all but the first of them."""

    early = 0

    def decide(self, run: Run) -> Action:
        waiting = run.pending
        if waiting and (run.steps > 1 or len(waiting) > self.early):
            return Call(waiting if run.steps > 1 else waiting[self.early :])
        if run.messages[-1].role == "assistant" and not waiting:
            return Stopped("finished", run.messages[-1].text)
        return Ask(self.request(run))


@pytest.mark.parametrize(("early", "same"), list(product([1, 2], [True, False])))
def test_a_question_while_calls_wait_is_asked(early: int, same: bool) -> None:
    twice = [PAY, ToolCall("q", "pay", {"sum": 3 if same else 4})]
    agent = Hasty("a", ScriptedLLM(twice, twice, "done"), tool_registry=registry())
    agent.early = early
    assert agent.run("go") == "done"


@pytest.mark.parametrize("calls", [1, 2, 3])
@pytest.mark.parametrize("foreign", [("x",), ("x", "y"), (None,), ("c0",), ("c0", "c0"), ("x", "c0"), ("c0", "x", "x")])
def test_results_put_in_by_hand_take_no_call_its_own(calls: int, foreign: tuple[str | None, ...]) -> None:
    agent = simple("done")
    wanted = [ToolCall(f"c{n}", "pay", {"sum": n}) for n in range(calls)]
    for message in (Message("go", "user"), Message(None, "assistant", tool_calls=wanted)):
        agent.add_message(message)
    for id in foreign:
        agent.add_message(Message("by hand", "tool", answers=id))
    assert agent.resume() == "done"
    said = list(agent.state.messages)
    at = next(place for place, message in enumerate(said) if message.tool_calls)
    results = said[at + 1 : at + 1 + calls]
    assert [message.answers for message in results] == [call.id for call in wanted]
    assert [message.text for message in results[1:]] == [f"paid {n}" for n in range(1, calls)]
    assert results[0].text == ("by hand" if "c0" in foreign else "paid 0")
