"""How a session stands, and what the application answers before a server is put before it."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from support import served
from support.optional_packages import without

from hello_agents import Config, ScriptedLLM, SimpleAgent, ToolCall, ToolRegistry
from hello_agents.core.exceptions import ConfigException
from hello_agents.core.run import Run
from hello_agents.core.session_store import MemorySessionStore
from hello_agents.serve import Settings, app, gate, local_redis
from hello_agents.serve.event_stream import EventStream
from hello_agents.serve.gate import Rate
from hello_agents.serve.local_redis import LocalRedis
from hello_agents.serve.telling import standing


def asked(application: Any) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(application, raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1")


def half_way(store: MemorySessionStore, name: str, entries: int) -> None:
    """A run that was broken off after so many entries."""
    agent = served.make()
    with store.open(name, start=Run(agent.name)) as session:
        agent.sink = session.append
        for _ in zip(range(entries), agent.walk("count 2"), strict=False):
            pass


async def test_a_session_without_a_question_is_new_and_one_that_was_broken_off_is_interrupted() -> None:
    store = MemorySessionStore()
    half_way(store, "none", 0)
    for entries in (1, 2, 3):
        half_way(store, f"broken{entries}", entries)
    async with asked(app(served.make, store)) as http:
        for name in store.list_sessions():
            session = name["session_name"]
            told = (await http.get(f"/sessions/{session}")).json()
            assert told["status"] == ("new" if session == "none" else "interrupted"), session
            stream = (await http.get(f"/sessions/{session}/events")).text
            assert f"event: {told['status']}\n" in stream
        nothing = await http.post("/sessions/none/resume")
        assert (nothing.status_code, nothing.json()["code"]) == (409, "ended")


def test_of_several_children_the_calls_that_wait_are_told_with_their_frames() -> None:
    def pay(sum: int) -> str:
        """Pays."""
        return str(sum)

    def hand(id: str) -> ToolCall:
        return ToolCall(id, "Task", {"task": "pay", "agent_type": "simple"})

    tools = ToolRegistry()
    tools.register_function(pay, needs_approval=True)
    waits = {id: [ToolCall(f"pay-{id}", "pay", {"sum": sum})] for id, sum in (("two", 2), ("three", 3))}
    model = ScriptedLLM([hand("one"), hand("two"), hand("three")], "done", frames={"one": ["nothing to pay"], **waits})
    agent = SimpleAgent("boss", model, tool_registry=tools, config=Config(subagent_enabled=True))
    for _ in agent.walk("go"):
        pass
    stands = standing(agent, agent.state, agent.journal[-1], running=False)
    assert stands.status == "waiting"
    assert [(call["frame"], call["call"], call["tool"], call["arguments"]) for call in stands.waiting] == [
        ("two", "pay-two", "pay", {"sum": 2}),
        ("three", "pay-three", "pay", {"sum": 3}),
    ]


async def test_a_service_that_closes_or_has_lost_its_store_is_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    application = app(served.make)
    async with asked(application) as http:
        assert (await http.get("/ready")).json() == {"status": "ok"}
        application.state.service.store.close()
        lost = await http.get("/ready")
        assert (lost.status_code, lost.json()["code"]) == (503, "store")
        question = await http.post("/sessions/s/messages", json={"message": "say hi"})
        assert (question.status_code, question.json()["code"]) == (503, "store")
        application.state.service.begin_to_close()
        closing = await http.get("/ready")
        assert (closing.status_code, closing.json()["code"]) == (503, "closing")
        assert (await http.get("/health")).status_code == 200


async def test_without_the_package_nothing_is_counted_and_all_else_works() -> None:
    with without("prometheus_client"):
        application = app(served.make)
    async with asked(application) as http:
        reply = await http.get("/metrics")
        assert (reply.status_code, reply.json()["code"]) == (404, "no_metrics")
        told = await http.post("/sessions/s/messages", json={"message": "say hi"})
        assert '"result": "hi"' in told.text or '"result":"hi"' in told.text


async def test_a_fault_of_its_own_is_told_without_the_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    application = app(served.make)

    def broken() -> Any:
        raise RuntimeError("/home/somebody/secret")

    monkeypatch.setattr(application.state.service.store, "list_sessions", broken)
    async with asked(application) as http:
        reply = await http.get("/sessions")
        assert (reply.status_code, reply.json()["code"]) == (500, "fault")
        assert "somebody" not in reply.text


async def test_a_stream_whose_events_fail_fails_and_is_closed() -> None:
    sent, closed = [], []

    async def events() -> AsyncIterator[str]:
        yield "event: one\ndata: 1\n\n"
        raise RuntimeError("the agent cannot be made")

    async def send(message: Any) -> None:
        sent.append(message.get("body"))

    async def receive() -> Any:
        await asyncio.Event().wait()

    stream = EventStream(events(), ping=60, patience=60, closed=lambda: closed.append(True))  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="cannot be made"):
        await stream({"type": "http"}, receive, send)
    assert b"event: one\ndata: 1\n\n" in sent
    assert closed == [True]


# -- signals -------------------------------------------------------------------------------------------


@pytest.fixture
def term() -> Any:
    """Leaves the signal as it was."""
    before = signal.getsignal(signal.SIGTERM)
    yield signal.SIGTERM
    signal.signal(signal.SIGTERM, before)


@pytest.mark.parametrize("ignored", [False, True])
async def test_the_signal_to_end_reaches_the_service_and_who_listened_before(
    term: signal.Signals, ignored: bool
) -> None:
    heard: list[int] = []
    before: Any = signal.SIG_IGN if ignored else lambda number, frame: heard.append(number)
    signal.signal(term, before)
    application = app(served.make)
    async with application.router.lifespan_context(application):
        os.kill(os.getpid(), term)
        await asyncio.wait_for(application.state.service.closing.wait(), 10)
    assert heard == ([] if ignored else [term])
    assert signal.getsignal(term) is before


async def test_whoever_listens_later_goes_on_listening(term: signal.Signals) -> None:
    def later(number: int, frame: object) -> None:
        pass

    application = app(served.make)
    async with application.router.lifespan_context(application):
        signal.signal(term, later)
    assert signal.getsignal(term) is later


# -- at the gate, and beside it ------------------------------------------------------------------------


def test_of_very_many_clients_those_not_seen_for_longest_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "_CLIENTS", 2)
    rate = Rate(1, 1, clock=lambda: 0.0)
    assert rate.take("a") == 0
    assert rate.take("a") > 0
    assert rate.take("b") == 0
    assert rate.take("a") > 0, "it has just been seen"
    assert rate.take("c") == 0
    assert rate.take("a") > 0
    assert rate.take("b") == 0, "it was the one to be forgotten"


@pytest.mark.parametrize(
    ("host", "status"),
    [("[::1]", 200), ("[::1]:8000", 200), ("localhost:8000", 200), ("[2001:db8::1]:8000", 403), ("elsewhere", 403)],
)
async def test_without_a_token_this_machine_is_let_in_by_any_of_its_names(host: str, status: int) -> None:
    async with asked(app(served.make, settings=Settings())) as http:
        assert (await http.get("/health", headers={"Host": host})).status_code == status


def test_a_redis_that_does_not_answer_is_ended_and_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    never = tmp_path / "redis-server"
    never.write_text("#!/bin/sh\nexec sleep 60\n", encoding="utf-8")
    never.chmod(0o755)
    monkeypatch.setattr(local_redis, "redis_executable", lambda: str(never))
    monkeypatch.setattr(local_redis.time, "sleep", lambda seconds: None)
    server = LocalRedis(tmp_path / "data")
    with pytest.raises(ConfigException, match=str(server.port)):
        server.start()
    assert not server.running
    server.kill()
    assert not server.running
