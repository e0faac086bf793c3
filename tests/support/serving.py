"""A service to be tested, in a thread or as the command in a process of its own; and a client's moves."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import httpx
import uvicorn

from hello_agents.serve import Settings, app
from hello_agents.serve.local import Worker
from support import served

QUICK = Settings(poll_seconds=0.02, lease_seconds=1.0, ping_seconds=0.2, grace_seconds=5)
PATIENCE = 30.0


class _Quiet(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class Served:
    """A service in a thread, behind a real uvicorn on loopback."""

    def __init__(self, store: Any = None, settings: Settings = QUICK, agent: Any = served.make, **options: Any) -> None:
        self.app = app(agent, store, settings=settings, **options)
        self.service = self.app.state.service
        config = uvicorn.Config(
            self.app, host="127.0.0.1", port=0, log_level="error", timeout_graceful_shutdown=10, lifespan="on"
        )
        self._server = _Quiet(config)
        self._thread = threading.Thread(target=self._server.run, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.servers[0].sockets[0].getsockname()[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        wait_for(lambda: self._server.started or not self._thread.is_alive())
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """As a signal would: the service hears of it first."""
        self.begin_to_close()
        self._server.should_exit = True
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()

    def begin_to_close(self) -> None:
        loop = self._server.config.loaded_app and self._loop()
        if loop is not None:
            loop.call_soon_threadsafe(self.service.begin_to_close)

    def _loop(self) -> Any:
        return self._server.servers[0].get_loop() if self._server.servers else None


class Command(Worker):
    """`hello-agents serve` in a process of its own, with the agent of the tests."""

    def __init__(
        self, folder: Path, store: str, *options: str, env: dict[str, str] | None = None, name: str = "w"
    ) -> None:
        super().__init__(f"{Path(served.__file__)}:make", store, folder / f"{name}.log", *options, env=env)


@dataclass
class Event:
    """One server-sent event, as a browser would take it."""

    name: str = "message"
    data: str = ""
    id: str | None = None

    @property
    def value(self) -> dict[str, Any]:
        return json.loads(self.data)


@dataclass
class Parser:
    """Server-sent events from bytes, cut anywhere; after the HTML standard."""

    comments: list[str] = field(default_factory=list)
    last_id: str = ""
    _bytes: bytes = b""
    _lines: list[str] = field(default_factory=list)

    def feed(self, chunk: bytes) -> Iterator[Event]:
        self._bytes += chunk
        while (found := re.search(rb"\r\n|\n|\r(?!$)", self._bytes)) is not None:
            line, self._bytes = self._bytes[: found.start()], self._bytes[found.end() :]
            if line:
                self._lines.append(line.decode())
            elif self._lines:
                event = self._event()
                if event.data:
                    yield event

    def _event(self) -> Event:
        event, data = Event(), []
        for line in self._lines:
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            match name:
                case "":
                    self.comments.append(value)
                case "event":
                    event.name = value
                case "data":
                    data.append(value)
                case "id":
                    event.id = self.last_id = value
                case _:
                    pass
        self._lines = []
        event.data = "\n".join(data)
        return event


def events_of(response: httpx.Response, parser: Parser | None = None) -> Iterator[Event]:
    parser = parser or Parser()
    for chunk in response.iter_raw():
        yield from parser.feed(chunk)


def client(url: str, token: str | None = None) -> httpx.Client:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    return httpx.Client(base_url=url, headers=headers, timeout=PATIENCE, trust_env=False)


def ask(http: httpx.Client, session: str, text: str, **more: Any) -> list[Event]:
    """Says something, and gives all events of the run."""
    with http.stream("POST", f"/sessions/{session}/messages", json={"message": text} | more) as response:
        assert response.status_code == 200, response.read()
        return list(events_of(response))


def follow(http: httpx.Client, session: str, last_id: str | None = None, **query: Any) -> list[Event]:
    headers = {} if last_id is None else {"Last-Event-ID": last_id}
    with http.stream("GET", f"/sessions/{session}/events", headers=headers, params=query) as response:
        assert response.status_code == 200, response.read()
        return list(events_of(response))


def kept(events: Sequence[Event]) -> list[tuple[str | None, str, Any]]:
    """Those that are entries of the journal."""
    return [(event.id, event.name, event.value["data"]) for event in events if event.id is not None]


def answer_of(events: Sequence[Event]) -> str:
    assert events[-1].name == "agent_finish", [event.name for event in events]
    return events[-1].value["data"]["result"]


def wait_for(condition: Any, seconds: float = PATIENCE) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.01)
