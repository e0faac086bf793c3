"""The service without a server: runs that meet other runs, slow clients, a store that fails, and a worker that ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support import served
from support.serving import PATIENCE, Event, Parser, kept

from hello_agents.core.run import Entry, Noted, Run, Stopped
from hello_agents.core.session_form import SessionConflict, SessionMissing, SessionUnavailable
from hello_agents.core.session_store import MemorySessionStore, SessionStore
from hello_agents.serve import Settings
from hello_agents.serve.leases import Lease
from hello_agents.serve.problems import Problem
from hello_agents.serve.running import Ask, Resume, Running, Stop, Tail
from hello_agents.serve.service import Service
from hello_agents.serve.telling import TAKEN_OVER, Place

QUICK = Settings(poll_seconds=0.01, lease_seconds=0.2, grace_seconds=5)
SLOW_LEASES = replace(QUICK, lease_seconds=60)


def service(store: Any = None, settings: Settings = SLOW_LEASES) -> Service:
    return Service(served.make, store or MemorySessionStore(), settings)


@pytest.fixture
async def one() -> AsyncIterator[Service]:
    made = service()
    yield made
    await made.close()


async def comes(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.005)


async def read(texts: AsyncIterator[str]) -> list[Event]:
    parser = Parser()
    return [event async for text in texts for event in parser.feed(text.encode())]


async def whole(at: Service, session: str) -> list[Event]:
    return await read(at.follow(await at.opened(session), Place()))


async def finished(at: Service, session: str, text: str) -> str | None:
    """Says something, and gives the answer once the run has left its session."""
    running = await at.start(session, Ask(text))
    await running.ended.wait()
    return at.store.read(session).run.answer


def problem(caught: pytest.ExceptionInfo[Problem]) -> tuple[int, str]:
    return caught.value.status, caught.value.code


# -- beginning -----------------------------------------------------------------------------------------


async def test_one_that_closes_takes_no_work() -> None:
    closing = service()
    closing.begin_to_close()
    with pytest.raises(Problem) as caught:
        await closing.start("s", Ask("say hi"))
    assert problem(caught) == (503, "closing")
    assert not closing.store.exists("s")
    await closing.close()


async def test_of_two_questions_at_once_one_is_taken(one: Service, tmp_path: Path) -> None:
    begun = await asyncio.gather(
        *(one.start("s", Ask(f"wait {tmp_path} go")) for _ in range(2)), return_exceptions=True
    )
    (refused,) = [result for result in begun if isinstance(result, Problem)]
    (running,) = [result for result in begun if isinstance(result, Running)]
    assert (refused.status, refused.code) == (409, "busy")
    (tmp_path / "go").touch()
    await running.ended.wait()
    assert one.store.read("s").run.answer == "waited"


@pytest.mark.parametrize("naps", [3, None])
async def test_a_session_that_is_about_to_be_given_back_is_waited_for(
    one: Service, monkeypatch: pytest.MonkeyPatch, naps: int | None
) -> None:
    one.leases.take("s", "somebody", 60)
    taken = 0

    async def nap(seconds: float) -> None:
        nonlocal taken
        taken += 1
        if taken == naps:
            one.leases.release("s", "somebody")

    monkeypatch.setattr(one, "nap", nap)
    if naps is None:
        with pytest.raises(Problem) as caught:
            await one.start("s", Ask("say hi"))
        assert problem(caught) == (409, "busy")
        assert one.leases.find("s") is not None
    else:
        assert await finished(one, "s", "say hi") == "hi"
        assert one.leases.find("s") is None


@pytest.mark.parametrize("kind", [SessionUnavailable, SessionConflict])
async def test_a_question_that_cannot_be_written_was_not_asked(
    one: Service, monkeypatch: pytest.MonkeyPatch, kind: type[Exception]
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(one.store, "append_lines", _raising(kind("the disk is full")))
        with pytest.raises(kind, match="the disk is full"):
            await one.start("s", Ask("say hi"))
    assert one.runs == {}
    lease = one.leases.find("s")
    assert lease is not None
    assert lease.until == 0, "another worker may have it at once"
    one.leases.release("s", lease.owner)
    assert await finished(one, "s", "say hi") == "hi"
    assert [message.text for message in one.store.read("s").run.messages] == ["say hi", "hi"]


def _raising(error: Exception) -> Callable[..., Any]:
    def fail(*args: object, **kwargs: object) -> Any:
        raise error

    return fail


# -- following -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("after_the_fact", [False, True])
async def test_a_run_is_told_alike_while_it_goes_on_and_when_it_has_ended(one: Service, after_the_fact: bool) -> None:
    running = await one.start("s", Ask("count 2"))
    if after_the_fact:
        await running.ended.wait()
    told = await read(one.follow(running, Place()))
    assert told[-1].value["data"]["result"] == "3"
    assert kept(told) == kept(await whole(one, "s"))


@pytest.mark.parametrize("live", [False, True])
async def test_a_client_that_falls_behind_loses_its_stream_and_nothing_else(live: bool) -> None:
    slow = service(settings=replace(SLOW_LEASES, queue=3))
    assert await finished(slow, "s", "say hi") == "hi"
    before = await slow.opened("s")
    running = await slow.start("s", Ask("flood 50"))
    events = slow.follow(running if live else before, Place())
    first = [await anext(events)]
    while "llm_chunk" not in first[-1]:
        first.append(await anext(events))
    await running.ended.wait()
    seen = await read(_then("".join(first), events))
    assert [event.name for event in seen].count("llm_chunk") < 50
    rest = await read(slow.follow(await slow.opened("s"), _place(seen)))
    assert rest[-1].value["data"]["result"] == "flooded"
    told = kept(await whole(slow, "s"))
    assert kept(seen) + kept(rest) == (told[-len(kept(seen) + kept(rest)) :] if live else told)
    await slow.close()


async def _then(first: str, rest: AsyncIterator[str]) -> AsyncIterator[str]:
    yield first
    async for text in rest:
        yield text


def _place(events: list[Event]) -> Place:
    place = Place.read([event.id for event in events if event.id][-1])
    assert place is not None
    return place


async def test_what_has_been_told_is_not_told_again(one: Service) -> None:
    assert await finished(one, "s", "count 2") == "3"
    saved = one.store.read("s")
    tail = Tail(saved.start, 0, Place())
    once = [text for entry in saved.entries for text in tail.take(entry, saved.run)]
    assert once
    assert tail.next == len(saved.entries)
    assert [text for entry in saved.entries for text in tail.take(entry, saved.run)] == []


@pytest.mark.parametrize("way", ["deleted", "closing"])
async def test_a_stream_that_lingers_ends_with_its_session_and_with_the_service(one: Service, way: str) -> None:
    assert await finished(one, "s", "say hi") == "hi"
    events = one.follow(await one.opened("s"), Place(), linger=True)
    task = asyncio.create_task(read(events))
    await comes(lambda: one._lingering)
    if way == "deleted":
        await one.delete("s")
        one.busy = {"s": Lease("s", "somebody", 0)}
        one._lingering["s"].set()
    else:
        one.begin_to_close()
    seen = await asyncio.wait_for(task, PATIENCE)
    assert seen[-1].value["data"]["result"] == "hi"


class _Silent(asyncio.Event):
    """One that nobody sets, and for which nobody has to wait long."""

    waited = 0

    async def wait(self) -> Any:
        self.waited += 1
        await asyncio.sleep(0)
        raise TimeoutError


async def test_a_stream_that_lingers_looks_by_itself_now_and_then(one: Service) -> None:
    assert await finished(one, "s", "say hi") == "hi"
    one._lingering["s"] = silent = _Silent()
    answers: list[str] = []

    async def listen() -> None:
        parser = Parser()
        async for text in one.follow(await one.opened("s"), Place(), linger=True):
            told = parser.feed(text.encode())
            answers.extend(event.value["data"]["result"] for event in told if event.name == "agent_finish")

    task = asyncio.create_task(listen())
    await comes(lambda: silent.waited > 10)
    with one.store.open("s") as session:
        agent = one.agent()
        agent.restore(session.saved.entries, session.saved.start)
        agent.sink = session.append
        agent.run("say you")
    await comes(lambda: answers == ["hi", "you"])
    assert one.store.delete("s")
    await asyncio.wait_for(task, PATIENCE)


# -- stopping ------------------------------------------------------------------------------------------


def stops(entries: tuple[Entry, ...]) -> list[str]:
    return [entry.event.reason for entry in entries if isinstance(entry.event, Stopped)]


async def test_a_run_at_another_worker_is_stopped_there(tmp_path: Path) -> None:
    there, here = (service(SessionStore(tmp_path / "sessions"), QUICK) for _ in range(2))
    running = await there.start("s", Ask(f"wait {tmp_path} never"))
    await comes((tmp_path / "never.began").exists)
    await here.stop("s")
    await running.ended.wait()
    assert stops(here.store.read("s").entries) == ["stopped"]
    assert here.leases.find("s") is None
    assert await finished(here, "s", "say next") == "next"
    for worker in (there, here):
        await worker.close()


async def test_a_worker_that_does_not_hear_is_given_up(one: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    assert await finished(one, "s", "say hi") == "hi"
    one.leases.take("s", "somebody who does not hear", 10_000)
    loop = asyncio.get_running_loop()
    now, later = loop.time, 0.0

    async def nap(seconds: float) -> None:
        nonlocal later
        later += 100

    monkeypatch.setattr(loop, "time", lambda: now() + later)
    monkeypatch.setattr(one, "nap", nap)
    with pytest.raises(Problem) as caught:
        await one.stop("s")
    monkeypatch.undo()
    assert problem(caught) == (503, "not_stopped")
    lease = one.leases.find("s")
    assert lease is not None
    assert lease.stop, "it will know when it hears again"


async def test_the_first_who_ends_a_run_says_how(one: Service, tmp_path: Path) -> None:
    running = await one.start("s", Ask(f"wait {tmp_path} never"))
    await comes((tmp_path / "never.began").exists)
    running.interrupt("timed_out")
    running.interrupt("lost")
    await running.ended.wait()
    running.interrupt("stopped")
    assert stops(one.store.read("s").entries) == ["timed_out"]
    assert one.leases.find("s") is None


async def test_a_run_that_is_late_in_leaving_does_not_send_the_next_one_away(one: Service, tmp_path: Path) -> None:
    late = Running(one, "s", "before")
    running = await one.start("s", Ask(f"wait {tmp_path} go"))
    one.forget(late)
    assert one.runs == {"s": running}
    (tmp_path / "go").touch()
    await running.ended.wait()
    assert one.runs == {}


async def test_nobody_can_delete_what_is_not_there(one: Service) -> None:
    with pytest.raises(SessionMissing):
        await one.delete("s")
    assert one.leases.find("s") is None
    with pytest.raises(SessionMissing):
        await one.stop("s")


# -- leases that run out, and workers that go ----------------------------------------------------------


def taken_over(run: Run) -> int | None:
    """How many workers the run has brought down so far; `None`: it was never taken over."""
    return run.notes.get(TAKEN_OVER, {}).get("times")


async def test_a_run_whose_lease_cannot_be_renewed_is_parked_and_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = service(settings=QUICK)
    running = await one.start("s", Ask(f"wait {tmp_path} go"))
    await comes((tmp_path / "go.began").exists)
    with monkeypatch.context() as away:
        away.setattr(one.leases, "renew", _raising(SessionUnavailable("no connection")))
        await running.ended.wait()
    lease = one.leases.find("s")
    assert lease is not None
    assert lease.until == 0
    assert one.store.read("s").run.outcome is None
    (tmp_path / "go").touch()
    one.begin()
    await comes(lambda: one.store.read("s").run.outcome is not None)
    run = one.store.read("s").run
    assert (run.answer, taken_over(run)) == ("waited", 0)
    await one.close()


async def test_a_lease_that_is_missed_once_is_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = service(settings=replace(QUICK, lease_seconds=0.8))
    renew, missed = one.leases.renew, 0

    def sometimes(*args: Any) -> Lease | None:
        nonlocal missed
        missed += 1
        if missed % 2:
            raise SessionUnavailable("no connection")
        return renew(*args)

    monkeypatch.setattr(one.leases, "renew", sometimes)
    running = await one.start("s", Ask(f"wait {tmp_path} go"))
    await comes(lambda: missed > 1)
    (tmp_path / "go").touch()
    await running.ended.wait()
    run = one.store.read("s").run
    assert (run.answer, taken_over(run)) == ("waited", None)
    await one.close()


async def test_a_run_whose_session_somebody_else_has_leaves_it_alone(tmp_path: Path) -> None:
    one = service(settings=QUICK)
    running = await one.start("s", Ask(f"wait {tmp_path} never"))
    await comes((tmp_path / "never.began").exists)
    theirs = Lease("s", "somebody else", one.leases.now() + 60)
    one.leases.change("s", lambda lease, now: theirs)
    await running.ended.wait()
    assert one.leases.find("s") == theirs
    assert stops(one.store.read("s").entries) == []
    assert one.runs == {}
    await one.close()


async def test_a_store_that_fails_in_the_middle_parks_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = service()
    with monkeypatch.context() as broken:
        running = await one.start("s", Ask(f"wait {tmp_path} go"))
        await comes((tmp_path / "go.began").exists)
        broken.setattr(one.store, "append_lines", _raising(SessionUnavailable("the disk is full")))
        (tmp_path / "go").touch()
        await running.ended.wait()
    lease = one.leases.find("s")
    assert lease is not None
    assert lease.until == 0
    assert [entry for entry, _ in running.log] == list(one.store.read("s").entries), "only what is written is told"
    one.begin()
    told = await read(one.follow(running, Place()))
    assert told[-1].value["data"]["result"] == "waited"
    assert kept(told) == kept(await whole(one, "s"))
    await one.close()


async def _swept(one: Service, monkeypatch: pytest.MonkeyPatch, leases: Callable[[], list[Lease]]) -> None:
    """Lets the service look at these leases, twice."""
    looked = 0

    def all() -> list[Lease]:
        nonlocal looked
        looked += 1
        return leases()

    with monkeypatch.context() as seen:
        seen.setattr(one.leases, "all", all)
        one.begin()
        await comes(lambda: looked > 2)


@pytest.mark.parametrize("whose", ["its own", "another's"])
async def test_a_lease_that_was_read_too_early_takes_nothing_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whose: str
) -> None:
    one, other = (service(SessionStore(tmp_path / "sessions"), settings) for settings in (QUICK, SLOW_LEASES))
    running = await (one if whose == "its own" else other).start("s", Ask(f"wait {tmp_path} go"))
    await _swept(one, monkeypatch, lambda: [Lease("s", "a dead worker", 1.0)])
    (tmp_path / "go").touch()
    await running.ended.wait()
    run = one.store.read("s").run
    assert (run.answer, taken_over(run)) == ("waited", None)
    for worker in (one, other):
        await worker.close()


@pytest.mark.parametrize("state", ["nothing", "only made", "finished", "too often"])
async def test_what_is_not_gone_on_with_is_given_back(one: Service, state: str) -> None:
    agent = one.agent()
    match state:
        case "only made":
            one.store.open("s", start=Run(agent.name)).close()
        case "finished":
            assert await finished(one, "s", "say hi") == "hi"
        case "too often":
            with one.store.open("s", start=Run(agent.name)) as session:
                agent.sink = session.append
                next(agent.walk("say hi"))
                agent.record(Noted(TAKEN_OVER, {"turn": 1, "times": one.settings.max_takeovers}))
        case _:
            pass
    before = one.store.read("s").entries if one.store.exists("s") else ()
    one.leases.change("s", lambda lease, now: Lease("s", "a dead worker", now - 1))
    one.begin()
    await comes(lambda: one.leases.find("s") is None)
    assert (one.store.read("s").entries if one.store.exists("s") else ()) == before
    assert one.runs == {}


async def test_a_run_that_cannot_be_read_now_is_taken_over_later(
    one: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = one.agent()
    with one.store.open("s", start=Run(agent.name)) as session:
        agent.sink = session.append
        next(agent.walk("say hi"))
    one.leases.change("s", lambda lease, now: Lease("s", "a dead worker", now - 1))
    state, asked = one.store.state, 0

    def away(name: str) -> Run:
        nonlocal asked
        asked += 1
        if asked == 1:
            raise SessionUnavailable("no connection")
        return state(name)

    monkeypatch.setattr(one.store, "state", away)
    monkeypatch.setattr(one, "nap", lambda seconds: asyncio.sleep(0.005))
    one.begin()
    await comes(lambda: one.store.read("s").run.outcome is not None)
    run = one.store.read("s").run
    assert (run.answer, taken_over(run)) == ("hi", 0)
    assert asked == 2


async def test_leases_that_cannot_be_looked_at_are_looked_at_again(
    one: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    asked = 0

    def now() -> float:
        nonlocal asked
        asked += 1
        raise SessionUnavailable("no connection")

    with monkeypatch.context() as away:
        away.setattr(one.leases, "now", now)
        away.setattr(one, "nap", lambda seconds: asyncio.sleep(0.005))
        one.begin()
        await comes(lambda: asked > 1)
    assert "The leases cannot be looked at: no connection" in caplog.text


async def test_a_run_that_begins_as_the_service_closes_goes_on_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = (service(SessionStore(tmp_path / "sessions"), QUICK) for _ in range(2))
    loop, take = asyncio.get_running_loop(), one.leases.take

    def as_it_closes(*args: Any, **kwargs: Any) -> Lease | None:
        loop.call_soon_threadsafe(one.begin_to_close)
        return take(*args, **kwargs)

    monkeypatch.setattr(one.leases, "take", as_it_closes)
    running = await one.start("s", Ask("count 3"))
    await one.close()
    assert running.ended.is_set()
    assert other.store.read("s").run.outcome is None
    other.begin()
    await comes(lambda: other.store.read("s").run.outcome is not None)
    assert other.store.read("s").run.answer == "6"
    await other.close()


@pytest.mark.parametrize("work", [Stop(), Resume()])
async def test_a_session_that_is_closed_under_a_run_is_no_end_of_the_service(
    one: Service, monkeypatch: pytest.MonkeyPatch, work: Stop | Resume
) -> None:
    agent = one.agent()
    with one.store.open("s", start=Run(agent.name)) as session:
        agent.sink = session.append
        next(agent.walk("say hi"))
    with monkeypatch.context() as broken:
        broken.setattr(one.store, "open", _raising(SessionUnavailable("no connection")))
        with pytest.raises(SessionUnavailable):
            await one.start("s", work)
    assert one.store.read("s").run.outcome is None
    lease = one.leases.find("s")
    assert lease is not None
    assert lease.until == 0
    one.leases.release("s", lease.owner)
    assert await finished(one, "s", "say again") == "again"
