"""What is not let in: no token, too much, too often, from elsewhere; and what a refusal looks like."""

from __future__ import annotations

import asyncio
import re
import threading
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from support.redis_server import redis_server
from support.serving import QUICK, Served, answer_of, ask, client, follow

from hello_agents.core.session_store import RedisSessionStore
from hello_agents.serve import Settings
from hello_agents.serve.gate import Gate, Rate
from hello_agents.serve.openapi import ADDRESSES

TOKEN = "t0ken-for-tests"


@pytest.fixture(scope="module")
def guarded():
    with Served(token=TOKEN, settings=Settings(max_body=1000, rate=1e6, burst=1e6)) as one:
        yield one


def is_problem(reply: httpx.Response, status: int, code: str) -> None:
    assert (reply.status_code, reply.json()["code"]) == (status, code)
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.json()["status"] == status
    assert reply.json()["detail"]
    assert TOKEN not in reply.text


@pytest.mark.parametrize(
    "sent", [None, "Bearer", f"Basic {TOKEN}", "Bearer wrong", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", "Bearer ü"]
)
@pytest.mark.parametrize("address", ADDRESSES, ids=lambda address: f"{address.method} {address.path}")
def test_only_the_token_lets_in(guarded, address, sent):
    path = address.path.replace("{session}", "s")
    headers = {} if sent is None else {"Authorization": sent.encode()}
    with client(guarded.url) as http:
        reply = http.request(address.method, path, headers=headers)
    if address.public:
        assert reply.status_code == 200
    else:
        is_problem(reply, 401, "token")
        assert reply.headers["www-authenticate"].startswith("Bearer")


def test_the_token_lets_in(guarded):
    with client(guarded.url, TOKEN) as http:
        assert answer_of(ask(http, "s", "say hi")) == "hi"


def chunks(size):
    yield from (b"x" * 100 for _ in range(size // 100))


@pytest.mark.parametrize("content", [b"x" * 1001, chunks(5000)], ids=["said", "found"])
def test_a_long_body_is_refused(guarded, content):
    with client(guarded.url, TOKEN) as http:
        headers = {"Content-Type": "application/json"}
        is_problem(http.post("/sessions/s/messages", content=content, headers=headers), 413, "size")


@pytest.mark.parametrize(
    ("method", "path", "options", "status", "code"),
    [
        (
            "POST",
            "/sessions/s/messages",
            {"content": b"{", "headers": {"Content-Type": "application/json"}},
            400,
            "json",
        ),
        ("POST", "/sessions/s/messages", {"content": b"{}"}, 415, "not_json"),
        ("POST", "/sessions/s/messages", {"json": {}}, 422, "body"),
        ("POST", "/sessions/s/messages", {"json": {"message": ""}}, 422, "body"),
        ("POST", "/sessions/s/messages", {"json": {"message": "a", "more": 1}}, 422, "body"),
        ("POST", "/sessions/-s/messages", {"json": {"message": "a"}}, 422, "session_id"),
        ("GET", "/sessions/" + "s" * 65, {}, 422, "session_id"),
        ("GET", "/sessions/..%2Fs", {}, 404, "no_path"),
        ("GET", "/sessions/none", {}, 404, "no_session"),
        ("GET", "/sessions/none/events", {}, 404, "no_session"),
        ("GET", "/sessions/none/events", {"headers": {"Last-Event-ID": "x"}}, 422, "event_id"),
        ("GET", "/sessions/none/entries?after=x", {}, 422, "number"),
        ("POST", "/sessions/none/verdicts", {"json": {"call": "c", "allowed": True}}, 404, "no_session"),
        ("PUT", "/sessions/s", {}, 405, "method"),
        ("GET", "/nothing", {}, 404, "no_path"),
    ],
)
def test_what_cannot_be_served_says_why(guarded, method, path, options, status, code):
    with client(guarded.url, TOKEN) as http:
        is_problem(http.request(method, path, **options), status, code)
        again = http.request(
            method, path, **options | {"headers": options.get("headers", {}) | {"Accept-Language": "zh-CN"}}
        )
        assert re.search(r"[\u4e00-\u9fff]", again.json()["detail"])


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Host": "evil.example"},
        {"Host": "evil:80"},
    ],
)
def test_without_a_token_only_this_machine_is_answered(headers):
    with Served() as one, client(one.url) as http:
        assert http.post("/sessions/s/messages", json={"message": "say hi"}, headers=headers).status_code == 403
        assert http.get("/sessions", headers={"Origin": one.url}).status_code == 200
        assert "access-control-allow-origin" not in http.get("/sessions").headers


def test_too_many_requests_are_told_to_wait():
    with Served(settings=Settings(rate=0.1, burst=3)) as one, client(one.url) as http:
        assert [http.get("/health").status_code for _ in range(4)] == [200, 200, 200, 429]
        assert int(http.get("/health").headers["retry-after"]) >= 1


def test_a_bucket_fills_again_and_each_client_has_its_own():
    now = [0.0]
    rate = Rate(2, 4, clock=lambda: now[0])
    assert [rate.take("a") for _ in range(5)] == [0, 0, 0, 0, 0.5]
    assert rate.take("b") == 0
    now[0] = 1.0
    assert [rate.take("a") > 0 for _ in range(3)] == [False, False, True]


def test_more_runs_than_there_is_room_for_are_refused(tmp_path):
    with Served(settings=Settings(max_runs=1, max_streams=1, poll_seconds=0.02)) as one, client(one.url) as http:
        json = {"Accept": "application/json"}
        assert (
            http.post("/sessions/a/messages", json={"message": f"wait {tmp_path} go"}, headers=json).status_code == 202
        )
        reply = http.post("/sessions/b/messages", json={"message": "say b"}, headers=json)
        is_problem(reply, 503, "runs")
        assert reply.headers["retry-after"]
        with http.stream("GET", "/sessions/a/events"):
            is_problem(http.get("/sessions/a/events"), 503, "streams")
        (tmp_path / "go").touch()


def test_a_store_that_is_gone_is_not_ready(tmp_path):
    with redis_server(tmp_path) as server:
        with Served(RedisSessionStore(url=server.url), QUICK) as one, client(one.url) as http:
            assert http.get("/ready").status_code == 200
            server.kill()
            assert http.get("/health").status_code == 200
            is_problem(http.get("/ready"), 503, "store")
            is_problem(http.get("/sessions/s"), 503, "store")
            server.start()
            assert http.get("/ready").status_code == 200


async def test_a_body_that_never_comes_is_given_up():
    async def never():
        await asyncio.Event().wait()

    async def reads(scope, receive, send):
        await receive()

    gate = Gate(reads, Settings(body_seconds=0.01), None, frozenset())
    scope = {"type": "http", "path": "/x", "headers": [(b"host", b"localhost")], "client": ("127.0.0.1", 1)}
    with pytest.raises(Exception, match="slow"):
        await gate(scope, never, never)


@pytest.mark.parametrize(("room", "crowd"), [(1, 5), (3, 8), (8, 8)])
def test_of_many_who_come_at_once_no_more_are_taken_than_there_is_room_for(tmp_path, room, crowd):
    start = threading.Barrier(crowd)
    with redis_server(tmp_path) as server:
        store = RedisSessionStore(url=server.url)
        with Served(store, Settings(max_runs=room, poll_seconds=0.02)) as one, client(one.url) as http:

            def come(number):
                start.wait()
                body = {"message": f"wait {tmp_path} go"}
                return http.post(f"/sessions/s{number}/messages", json=body, headers={"Accept": "application/json"})

            with ThreadPoolExecutor(crowd) as threads:
                statuses = [reply.status_code for reply in threads.map(come, range(crowd))]
            (tmp_path / "go").touch()
            assert sorted(statuses) == [202] * room + [503] * (crowd - room)
            for number, status in enumerate(statuses):
                if status == 202:
                    assert answer_of(follow(http, f"s{number}")) == "waited"
            assert answer_of(ask(http, "late", "say hi")) == "hi"
