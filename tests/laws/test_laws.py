"""The laws of the loop, on every kind of agent and on arbitrary replies of the model."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from functools import reduce

import pytest
from hypothesis import HealthCheck, given, settings
from laws.actors import AGENTS, SCENARIOS, Scenario, registry
from support.examples import examples
from support.journals import by_frame
from support.openai_server import complaint_about

from hello_agents.core.agent import Agent
from hello_agents.core.journal import dump_journal, load_journal
from hello_agents.core.message import Usage
from hello_agents.core.prices import priced
from hello_agents.core.run import Began, Entry, Replied, Returned, Run, Told, evolve
from hello_agents.wire.openai_chat import encode

LAW = settings(max_examples=examples(30), deadline=None, suppress_health_check=[HealthCheck.too_slow])
every_agent = pytest.mark.parametrize("kind", AGENTS)


def made(kind: str, scenario: Scenario) -> Agent:
    return AGENTS[kind](scenario.model(), registry())


def asked(kind: str, scenario: Scenario) -> Agent:
    agent = made(kind, scenario)
    for question in scenario.questions:
        agent.run(question)
    return agent


def folded(entries: Iterable[Entry], start: Run) -> Run:
    return reduce(lambda run, entry: evolve(run, entry.event, entry.frame), entries, start)


@every_agent
@LAW
@given(scenario=SCENARIOS)
def test_folding_the_journal_gives_the_state(kind: str, scenario: Scenario) -> None:
    agent = asked(kind, scenario)
    assert folded(agent.journal, Run(agent.name)) == agent.state
    assert folded(load_journal(dump_journal(agent.journal)), Run(agent.name)) == agent.state
    assert [entry.seq for entry in agent.journal] == list(range(len(agent.journal)))


@every_agent
@LAW
@given(scenario=SCENARIOS)
def test_sync_async_streamed_and_stepped_write_equal_journals(kind: str, scenario: Scenario) -> None:
    sync = asked(kind, scenario)
    awaited, streamed, texts, stepped = (made(kind, scenario) for _ in range(4))

    async def walk() -> None:
        for question in scenario.questions:
            await awaited.arun(question)
            async for _ in streamed.arun_stream(question):
                pass

    asyncio.run(walk())
    for question in scenario.questions:
        for _ in texts.stream_run(question):
            pass
        debugger = stepped.steps(question)
        debugger.finish()
        before = stepped.journal
        stepped.state, stepped.journal = debugger.run, [*before, *debugger.entries]
    expected = by_frame(sync.journal)
    for agent in (awaited, streamed, texts, stepped):
        assert by_frame(agent.journal) == expected
        assert agent.state == sync.state


@every_agent
@LAW
@given(scenario=SCENARIOS)
def test_any_snapshot_resumes_to_the_same_end(kind: str, scenario: Scenario) -> None:
    whole = made(kind, scenario)
    snapshots = [run for _, run in whole.walk(scenario.questions[0])]
    for seq, snapshot in enumerate(snapshots):
        event = whole.journal[seq].event
        if isinstance(event, Told) and event.message.role == "system":
            continue
        if isinstance(event, Began):
            continue
        again = made(kind, scenario)
        again.state = Run.from_json(snapshot.to_json())
        assert again.state == snapshot
        again.resume()
        assert again.state == whole.state


@every_agent
@LAW
@given(scenario=SCENARIOS)
def test_a_call_that_was_cut_off_is_answered_as_lost_and_the_run_ends(kind: str, scenario: Scenario) -> None:
    whole = made(kind, scenario)
    for seq, (entry, snapshot) in enumerate(list(whole.walk(scenario.questions[0]))):
        if not isinstance(entry.event, Began) or seq > 20:
            continue
        again = made(kind, scenario)
        again.state = Run.from_json(snapshot.to_json())
        again.resume()
        assert again.state.outcome is not None
        # In the journal, since a conversation that is made shorter may lose the result again.
        answers = [entry.event.message for entry in again.journal if isinstance(entry.event, Returned)]
        assert any("interrupted" in one.text for one in answers if one.answers == entry.event.call_id)


@every_agent
@LAW
@given(scenario=SCENARIOS)
def test_stepping_arrives_where_driving_does_and_looking_changes_nothing(kind: str, scenario: Scenario) -> None:
    driven = made(kind, scenario)
    driven.run(scenario.questions[0])
    stepped = made(kind, scenario)
    debugger = stepped.steps(scenario.questions[0])
    while debugger.next is not None:
        before = debugger.run
        assert debugger.why
        assert debugger.request is not None
        assert debugger.run is before
        debugger.step()
    assert debugger.run == driven.state
    end, entries = debugger.run, debugger.entries
    while debugger.position:
        debugger.back()
    assert debugger.run == Run(stepped.name)
    debugger.finish()
    assert debugger.run == end
    assert debugger.entries == entries
    assert stepped.state == Run(stepped.name)


@every_agent
@LAW
@given(scenario=SCENARIOS)
def test_every_call_is_answered_exactly_once(kind: str, scenario: Scenario) -> None:
    agent = asked(kind, scenario)
    for _, run in agent.state.frames:
        waiting: list[str] = []
        for message in run.messages:
            if message.role == "tool":
                assert waiting, f"{message!r} answers nothing"
                assert message.answers == waiting.pop(0)
            else:
                assert not waiting, f"{waiting} have no answer"
                waiting = [call.id for call in message.tool_calls]
                assert len(set(waiting)) == len(waiting)
        assert not waiting


@every_agent
@LAW
@given(scenario=SCENARIOS)
def test_every_request_is_legal(kind: str, scenario: Scenario) -> None:
    agent = made(kind, scenario)
    for question in scenario.questions:
        debugger = agent.steps(question)
        debugger.finish()
        for seq, entry in enumerate(debugger.entries):
            if isinstance(entry.event, Replied):
                assert complaint_about(encode(debugger.request_at(seq), model="m")) is None
        agent.state = debugger.run


@every_agent
@LAW
@given(scenario=SCENARIOS)
def test_usage_adds_up_over_frames(kind: str, scenario: Scenario) -> None:
    agent = asked(kind, scenario)
    replied = [entry.event for entry in agent.journal if isinstance(entry.event, Replied)]
    prices = agent.config.prices
    replies = [priced(event.usage, event.model, prices) if prices else event.usage for event in replied]
    assert agent.state.usage == sum(replies, Usage())
    for _, run in agent.state.frames:
        children = sum((child.usage for child in run.children.values()), Usage())
        assert (run.usage - children).total_tokens >= 0


@every_agent
@LAW
@given(scenario=SCENARIOS)
def test_a_late_or_unknown_answer_changes_nothing(kind: str, scenario: Scenario) -> None:
    agent = asked(kind, scenario)
    for entry in agent.journal:
        if isinstance(entry.event, Returned):
            late = replace(entry, event=entry.event)
            assert evolve(agent.state, late.event, late.frame) == agent.state
