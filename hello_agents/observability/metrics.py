"""Metrics for Prometheus: steps, tokens, calls, times, outcomes and errors of any number of agents.

| metric | labels | what it counts |
|---|---|---|
| `hello_agents_loop_steps_total` | agent, outcome | requests to the model, `replied` or `failed` |
| `hello_agents_token_usage_total` | agent, model, kind | tokens; `cached` is part of `input`, `reasoning` of `output` |
| `hello_agents_tool_token_usage_total` | agent, tool, outcome, kind | those of replies, by call |
| `hello_agents_run_token_usage` | agent, outcome | histogram of the tokens of a run, without its children |
| `hello_agents_model_request_duration_seconds` | agent, model, outcome | histogram |
| `hello_agents_tool_calls_total` | agent, tool, outcome | answered calls: `success`, `partial`, `error` |
| `hello_agents_tool_duration_seconds` | agent, tool, outcome | histogram of the calls that were started |
| `hello_agents_runs_total` | agent, outcome | runs that ended, by reason; `error` for a model that failed |
| `hello_agents_run_duration_seconds` | agent, outcome | histogram |
| `hello_agents_active_runs` | agent | runs under way, or waiting for a person |
| `hello_agents_errors_total` | agent, source, type | errors of `model`, `tool`, `subscriber` and `hook` |
| `hello_agents_waits_total` | agent, tool, verdict | calls that a person `allowed` or `refused` |
| `hello_agents_wait_duration_seconds` | agent, verdict | histogram: from the call to the verdict |
| `hello_agents_compactions_total` | agent | how often a conversation was made shorter |
| `hello_agents_breaker_state` | tool | 0 closed, 1 half open, 2 open |
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, assert_never

from ..core.message import Message, Usage
from ..core.run import (
    NO_USAGE,
    Began,
    Compacted,
    Delta,
    Entry,
    Judged,
    Noted,
    Replied,
    Returned,
    Run,
    Spawned,
    Stopped,
    Told,
)
from .conversations import Conversations
from .labels import Labels, ToolLabels
from .projection import FAULTS, below, call_of, fault_of

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

    from ..tools.circuit_breaker import CircuitBreaker

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
"""What `Metrics.text` is, for the header of a response."""

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600)
_TOKENS = (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000)
_STATES = {"closed": 0, "half_open": 1, "open": 2}


@dataclass(slots=True)
class _Frame:
    """A run of the tree that is under way."""

    agent: str
    began: float
    since: float
    """When something last happened in it."""
    tokens: int = 0
    reply: Usage = NO_USAGE
    """Of the last reply, with the number of its calls."""
    calls: int = 0
    running: dict[str, float] = field(default_factory=dict[str, float])
    """When its calls were started."""


@dataclass(slots=True)
class _Tree:
    frames: dict[str, _Frame] = field(default_factory=dict[str, _Frame])


class Metrics:
    """A subscriber that counts, for `agent.subscribers` of one or of many agents.

    An entry that is told twice is counted once, and what happened in a child run counts for the child's agent. With
    `PROMETHEUS_MULTIPROC_DIR` in the environment, `text` tells of all processes. Needs `prometheus-client` (the extra
    `metrics`).
    """

    def __init__(
        self,
        registry: CollectorRegistry | None = None,
        *,
        tools: Iterable[str] = (),
        most_tools: int = 200,
        most_agents: int = 100,
        most_models: int = 50,
    ) -> None:
        """`registry`: where the metrics are; one of its own when not given. `tools`: names known beforehand.

        The numbers bound how many values a label has, after which they are `other`. Raises `ValueError` for a registry
        that has these metrics already: share the one `Metrics`.
        """
        from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

        self.registry = CollectorRegistry() if registry is None else registry
        self._trees = Conversations(_Tree, self._leave)
        self._breakers: list[CircuitBreaker] = []
        self._agent, self._model = Labels(most_agents), Labels(most_models)
        self._tool, self._reason, self._type = ToolLabels(most_tools, tools), Labels(50), Labels(100)

        def counter(name: str, about: str, *labels: str) -> Counter:
            return Counter(f"hello_agents_{name}", about, labels, registry=self.registry)

        def histogram(name: str, about: str, *labels: str, buckets: Iterable[float] = _SECONDS) -> Histogram:
            return Histogram(f"hello_agents_{name}", about, labels, registry=self.registry, buckets=tuple(buckets))

        self._steps = counter("loop_steps", "Requests to the model", "agent", "outcome")
        self._tokens = counter("token_usage", "Tokens", "agent", "model", "kind")
        self._tool_tokens = counter("tool_token_usage", "Tokens of calls", "agent", "tool", "outcome", "kind")
        self._run_tokens = histogram("run_token_usage", "Tokens of a run", "agent", "outcome", buckets=_TOKENS)
        self._request_time = histogram(
            "model_request_duration_seconds", "Time of a request to the model", "agent", "model", "outcome"
        )
        self._calls = counter("tool_calls", "Answered calls", "agent", "tool", "outcome")
        self._call_time = histogram("tool_duration_seconds", "Time of a call", "agent", "tool", "outcome")
        self._runs = counter("runs", "Runs that ended", "agent", "outcome")
        self._run_time = histogram("run_duration_seconds", "Time of a run", "agent", "outcome")
        self._errors = counter("errors", "Errors", "agent", "source", "type")
        self._waits = counter("waits", "Calls that a person judged", "agent", "tool", "verdict")
        self._wait_time = histogram("wait_duration_seconds", "Time until a verdict", "agent", "verdict")
        self._compactions = counter("compactions", "Conversations made shorter", "agent")
        # In several processes, gauges of those that have ended must not go on counting.
        self._active = Gauge(
            "hello_agents_active_runs",
            "Runs under way or waiting",
            ["agent"],
            registry=self.registry,
            multiprocess_mode="livesum",
        )
        self._breaker = Gauge(
            "hello_agents_breaker_state",
            "Circuit breaker: 0 closed, 1 half open, 2 open",
            ["tool"],
            registry=self.registry,
            multiprocess_mode="livemax",
        )

    def watch(self, breaker: CircuitBreaker) -> None:
        """Tells the states of a breaker, too, as they are when the metrics are read."""
        self._breakers.append(breaker)

    def text(self) -> bytes:
        """The metrics in Prometheus' text form: the body of an answer of the type `CONTENT_TYPE`."""
        from prometheus_client import CollectorRegistry, generate_latest
        from prometheus_client.multiprocess import MultiProcessCollector

        self._read_breakers()
        if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
            return generate_latest(self.registry)
        shared = CollectorRegistry()
        MultiProcessCollector(shared)
        return generate_latest(shared)

    def __call__(self, entry: Entry, run: Run) -> None:
        """Counts an entry of a journal, `run` being the whole run after it."""
        with self._trees.lock:
            found = self._trees.find(entry, run)
            if found is None:
                return
            self._count(entry, run.at(entry.frame), found.state)
            if isinstance(entry.event, Stopped) and not entry.frame:
                self._trees.close(found)
        self._read_breakers()

    # -- inside -----------------------------------------------------------------------------------

    def _count(self, entry: Entry, run: Run, tree: _Tree) -> None:
        path, event = entry.frame, entry.event
        agent = self._agent(run.agent)
        if isinstance(event, Told) and event.message.role != "user" and path not in tree.frames:
            return  # The system prompt, or a message put in by hand, begins no run.
        if isinstance(event, Told) and event.message.role == "user" and path in tree.frames:
            self._end(tree, path, "superseded", entry.time)
        if isinstance(event, Noted) and not event.step and path not in tree.frames:
            if event.key in FAULTS:  # After the end of a run: what a subscriber or a hook did wrong with it.
                self._fault(event, agent)
            return
        frame = tree.frames.get(path) or self._begin(tree, path, agent, entry.time)
        match event:
            case Replied():
                self._reply(event, frame, entry.time)
            case Began(call_id):
                frame.running[call_id] = entry.time
            case Returned(message):
                self._result(message, run, frame, entry.time)
            case Spawned(id, child):
                frame.running[id] = entry.time
                self._begin(tree, below(path, id), self._agent(child.agent), entry.time)
            case Judged(call_id, allowed):
                verdict = "allowed" if allowed else "refused"
                self._waits.labels(agent, self._tool.of_call(call_of(run, call_id)[0]), verdict).inc()
                self._wait_time.labels(agent, verdict).observe(max(entry.time - frame.since, 0.0))
            case Noted(_, value, step):
                self._note(event, value, step, frame, tree, entry)
            case Compacted():
                self._compactions.labels(agent).inc()
            case Stopped(reason):
                self._end(tree, path, self._reason(reason), entry.time)
            case Told() | Delta():
                pass
            case _:
                assert_never(event)
        # A verdict on one call is no sign that the next was waited for a shorter time.
        if not isinstance(event, Judged):
            frame.since = entry.time

    def _begin(self, tree: _Tree, path: str, agent: str, time: float) -> _Frame:
        frame = tree.frames[path] = _Frame(agent, time, time)
        self._active.labels(agent).inc()
        return frame

    def _end(self, tree: _Tree, path: str, outcome: str, time: float) -> None:
        """Ends a run, and those below it that are open."""
        for below_it in [one for one in tree.frames if not path or one == path or one.startswith(f"{path}/")]:
            frame = tree.frames.pop(below_it)
            self._active.labels(frame.agent).dec()
            self._runs.labels(frame.agent, outcome).inc()
            self._run_time.labels(frame.agent, outcome).observe(max(time - frame.began, 0.0))
            self._run_tokens.labels(frame.agent, outcome).observe(frame.tokens)

    def _leave(self, tree: _Tree) -> None:
        for frame in tree.frames.values():
            self._active.labels(frame.agent).dec()

    def _reply(self, event: Replied, frame: _Frame, time: float) -> None:
        model, usage = self._model(event.model), event.usage
        self._steps.labels(frame.agent, "replied").inc()
        self._request_time.labels(frame.agent, model, "replied").observe(max(time - frame.since, 0.0))
        for kind, count in _kinds(usage):
            self._tokens.labels(frame.agent, model, kind).inc(count)
        frame.tokens += usage.total_tokens
        frame.reply, frame.calls = usage, len(event.message.tool_calls)

    def _result(self, message: Message, run: Run, frame: _Frame, time: float) -> None:
        code = message.metadata.get("code")
        code = str(code) if code else None
        name = str(message.metadata.get("tool") or call_of(run, message.answers or "")[0])
        tool, outcome = self._tool.of_result(name, code), message.status or "success"
        self._calls.labels(frame.agent, tool, outcome).inc()
        began = frame.running.pop(message.answers or "", None)
        if began is not None:
            self._call_time.labels(frame.agent, tool, outcome).observe(max(time - began, 0.0))
        if outcome == "error":
            self._errors.labels(frame.agent, "tool", self._type(code)).inc()
        for kind, count in _kinds(frame.reply):
            self._tool_tokens.labels(frame.agent, tool, outcome, kind).inc(count / max(frame.calls, 1))

    def _note(self, event: Noted, value: object, step: bool, frame: _Frame, tree: _Tree, entry: Entry) -> None:
        if step:
            self._steps.labels(frame.agent, "failed").inc()
            took = max(entry.time - frame.since, 0.0)
            self._request_time.labels(frame.agent, self._model(None), "failed").observe(took)
        if event.key in FAULTS:
            self._fault(event, frame.agent)
        if event.key == "model_error" and not fault_of(value).get("tolerated"):
            self._end(tree, "", "error", entry.time)

    def _fault(self, event: Noted, agent: str) -> None:
        kind = self._type(str(fault_of(event.value)["error_type"]))
        self._errors.labels(agent, event.key.removesuffix("_error"), kind).inc()

    def _read_breakers(self) -> None:
        for breaker in self._breakers:
            for name, status in breaker.get_all_status().items():
                self._breaker.labels(self._tool(name)).set(_STATES[status["state"]])


def _kinds(usage: Usage) -> Iterable[tuple[str, int]]:
    yield "input", usage.prompt_tokens
    yield "output", usage.completion_tokens
    yield "cached", usage.cached_tokens
    yield "reasoning", usage.reasoning_tokens
