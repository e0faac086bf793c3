"""The service under strain: made-up requests, a thousand idle readers, a reader that does not read."""

from __future__ import annotations

import asyncio
import resource
import socket

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance
from support.serving import QUICK, Served, answer_of, ask, client, follow, wait_for

from hello_agents.serve import Settings
from hello_agents.serve.openapi import description

CHECKS = [not_a_server_error, content_type_conformance, response_schema_conformance]
OPEN = Settings(rate=1e6, burst=1e6, poll_seconds=0.05, ping_seconds=0.5, max_body=20_000)


@pytest.fixture(scope="module")
def served():
    with Served(settings=OPEN) as one:
        with client(one.url) as http:
            ask(http, "s", "say hi")
            ask(http, "w", "ask it")
        yield one


schema = schemathesis.openapi.from_dict(description())


@schema.parametrize()
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_nothing_that_fits_the_description_or_does_not_is_a_fault(case, served):
    # A client that takes a stream would read runs to their ends; the others are told where to look.
    case.headers = {**(case.headers or {}), "Accept": "application/json"}
    response = case.call(base_url=served.url)
    case.validate_response(response, checks=CHECKS)


def test_a_thousand_idle_readers_do_no_harm():
    least, most = 1200, resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 8192), most))
    assert min(most, 8192) > 2 * least
    options = Settings(rate=1e6, burst=1e6, max_streams=1100, ping_seconds=1, poll_seconds=0.2)
    with Served(settings=options) as one, client(one.url) as http:
        ask(http, "s", "say one")
        asyncio.run(_idle(one, http))
        assert http.get("/health").status_code == 200


async def _idle(one: Served, http: httpx.Client) -> None:
    address = one.url.removeprefix("http://").split(":")
    readers = []
    request = b"GET /sessions/s/events?linger=1 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    for _ in range(1000):
        reader, writer = await asyncio.open_connection(address[0], int(address[1]))
        writer.write(request)
        readers.append((reader, writer))
    await asyncio.gather(*(reader.readuntil(b": ping") for reader, _ in readers))
    assert answer_of(await asyncio.to_thread(ask, http, "s", "say two")) == "two"
    await asyncio.gather(*(reader.readuntil(b'"result":"two"') for reader, _ in readers))
    for _, writer in readers:
        writer.close()


def test_a_reader_that_does_not_read_loses_its_stream_and_nobody_else_anything():
    options = Settings(queue=50, send_seconds=1, poll_seconds=0.05)
    with Served(settings=options) as one, client(one.url) as http:
        host, port = one.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as lazy:
            lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            body = b'{"message": "flood 20000"}'
            head = f"POST /sessions/s/messages HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
            lazy.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            wait_for(lambda: http.get("/sessions/s").json().get("status") == "finished", 60)
            assert answer_of(follow(http, "s")) == "flooded"
            assert answer_of(ask(http, "s", "say next")) == "next"
            lazy.settimeout(30)
            got = b""
            while chunk := lazy.recv(1 << 20):
                got += chunk
            assert b"llm_chunk" in got
            assert b"agent_finish" not in got
        with client(one.url) as other:
            assert answer_of(ask(other, "t", "count 3")) == "6"


def test_pings_come_while_nothing_is_said(tmp_path):
    with Served(settings=QUICK) as one, client(one.url) as http:
        with http.stream("POST", "/sessions/s/messages", json={"message": f"wait {tmp_path} go"}) as response:
            text = ""
            for chunk in response.iter_text():
                text += chunk
                if text.count(": ping") == 3:
                    (tmp_path / "go").touch()
            assert "agent_finish" in text
