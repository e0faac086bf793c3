"""Several workers: the command itself, two processes at one Redis, one killed in the middle of a run."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading

import httpx
import pytest
from support.redis_server import redis_server
from support.serving import Command, answer_of, ask, client, events_of, follow, kept, wait_for

from hello_agents.core.session_store import MemorySessionStore, RedisSessionStore, SessionStore
from hello_agents.serve.leases import leases_of

SET = ["--set", "lease_seconds=1", "--set", "poll_seconds=0.05", "--set", "grace_seconds=10"]


@pytest.mark.parametrize("kind", ["files", "redis"])
def test_another_worker_goes_on_where_one_was_killed(tmp_path, kind):
    with contextlib.ExitStack() as stack:
        store = f"files:{tmp_path / 'sessions'}"
        if kind == "redis":
            store = stack.enter_context(redis_server(tmp_path)).url
        one = stack.enter_context(Command(tmp_path, store, *SET, name="one"))
        two = stack.enter_context(Command(tmp_path, store, *SET, name="two"))
        first, second = (stack.enter_context(client(worker.url)) for worker in (one, two))
        assert answer_of(ask(first, "s", "count 3")) == "6"
        assert answer_of(ask(second, "s", "say from two")) == "from two"
        seen = []
        with contextlib.suppress(httpx.TransportError):
            with first.stream("POST", "/sessions/s/messages", json={"message": f"wait {tmp_path} go"}) as response:
                for event in events_of(response):
                    seen.append(event)
                    if event.name == "tool_call_start":
                        busy = second.post("/sessions/s/messages", json={"message": "say no"})
                        assert busy.status_code == 409
                        one.kill()
        (tmp_path / "go").touch()
        rest = follow(second, "s", [event.id for event in seen if event.id][-1])
        assert answer_of(rest) == "waited"
        results = [event.value["data"]["status"] for event in rest if event.name == "tool_call_finish"]
        assert results == ["error", "success"]
        assert (
            kept(seen) + kept(rest)
            == kept(follow(second, "s"))[-len(seen) - len(rest) :][-len(kept(seen) + kept(rest)) :]
        )


def test_a_run_is_followed_and_stopped_from_another_worker_and_parked_by_a_signal(tmp_path):
    with redis_server(tmp_path) as server, Command(tmp_path, server.url, *SET, name="one") as one:
        with (
            Command(tmp_path, server.url, *SET, name="two") as two,
            client(one.url) as first,
            client(two.url) as second,
        ):
            json = {"Accept": "application/json"}
            first.post("/sessions/s/messages", json={"message": f"wait {tmp_path} never"}, headers=json)
            rest = []
            thread = threading.Thread(target=lambda: rest.extend(follow(second, "s")))
            thread.start()
            wait_for((tmp_path / "never.began").exists)
            assert second.post("/sessions/s/stop").json()["status"] == "finished"
            thread.join()
            assert rest[-1].value["data"]["finish_reason"] == "stopped"
            first.post("/sessions/t/messages", json={"message": f"wait {tmp_path} go"}, headers=json)
            wait_for((tmp_path / "go.began").exists)
            thread = threading.Thread(target=one.terminate)
            thread.start()
            (tmp_path / "go").touch()
            thread.join()
            assert answer_of(follow(second, "t")) == "waited"
            results = [
                event.value["data"]["status"] for event in follow(second, "t") if event.name == "tool_call_finish"
            ]
            assert results == ["success"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["nowhere:make"], "no module"),
        (["tests/support/served.py:nothing"], "no such name"),
        (["hello_agents"], "names no agent"),
        (["tests/support/served.py:make", "--host", "0.0.0.0"], "no token"),
        (["tests/support/served.py:make", "--workers", "2"], "sessions in memory"),
        (["tests/support/served.py:make", "--store", "somewhere"], "no store"),
        (["tests/support/served.py:make", "--set", "max_runs=0"], "max_runs"),
        (["tests/support/served.py:make", "--set", "runs=1"], "no setting"),
    ],
)
def test_what_cannot_be_started_says_why_and_what_to_do(options, words):
    command = [sys.executable, "-m", "hello_agents.cli", "serve", *options]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=60, check=False)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_the_token_is_asked_for_and_never_printed(tmp_path):
    file = tmp_path / "token"
    file.write_text("s3cret-of-mine\n", encoding="utf-8")
    with Command(tmp_path, "memory", "--token-file", str(file), "--host", "0.0.0.0") as one:
        url = one.url.replace("0.0.0.0", "127.0.0.1")
        with client(url) as http:
            assert http.get("/sessions").status_code == 401
        with client(url, "s3cret-of-mine") as http:
            assert answer_of(ask(http, "s", "say hi")) == "hi"
        one.terminate()
        assert "s3cret" not in one.log.read_text(encoding="utf-8")


@pytest.fixture(params=["memory", "files", "redis"])
def leases(request, tmp_path):
    match request.param:
        case "memory":
            yield leases_of(MemorySessionStore())
        case "files":
            yield leases_of(SessionStore(tmp_path))
        case _:
            with redis_server(tmp_path) as server:
                yield leases_of(RedisSessionStore(url=server.url))


def test_a_lease_is_one_workers_until_it_is_given_back_or_runs_out(leases):
    assert leases.take("s", "a", 60)
    assert leases.take("s", "a", 60)
    assert leases.take("s", "b", 60) is None
    assert leases.take("s", "b", 60, abandoned=True) is None
    assert leases.renew("s", "b", 60) is None
    leases.release("s", "b")
    assert leases.find("s").owner == "a"
    assert leases.ask_to_stop("s")
    assert leases.renew("s", "a", 60).stop
    leases.park("s", "a")
    assert leases.take("s", "b", 60) is None
    assert leases.take("s", "b", 60, abandoned=True).owner == "b"
    assert leases.renew("s", "a", 60) is None
    assert [lease.session for lease in leases.all()] == ["s"]
    leases.release("s", "b")
    assert leases.find("s") is None
    assert not leases.ask_to_stop("s")


def test_a_lease_that_goes_while_all_are_looked_at_is_left_out(tmp_path, monkeypatch):
    store = SessionStore(tmp_path)
    leases, text_of = leases_of(store), store.text_of
    for session in ("a", "b", "c"):
        leases.take(session, "w", 60)

    def late(path):
        if path.name.startswith("b"):
            path.unlink()
        return text_of(path)

    monkeypatch.setattr(store, "text_of", late)
    assert [lease.session for lease in leases.all()] == ["a", "c"]


def test_of_many_who_want_a_session_one_gets_it(leases):
    won, start = [], threading.Barrier(8)

    def want(owner):
        start.wait()
        if leases.take("s", owner, 60):
            won.append(owner)

    threads = [threading.Thread(target=want, args=(f"w{number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert won == [leases.find("s").owner]
