"""JSON logs: the fields that ELK reads, one line an event, nothing unless asked for, nothing private."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given, settings
from laws.actors import AGENTS, SCENARIOS, Scenario, registry
from opentelemetry.sdk.trace import TracerProvider

from hello_agents import ScriptedLLM, SimpleAgent, ToolCall, ToolRegistry
from hello_agents.core.exceptions import LLMException, ModelUnavailable
from hello_agents.observability import JsonLog
from hello_agents.observability.json_log import json_handler
from hello_agents.observability.otel import current_trace_id

KEY = "sk-abcdef1234567890abcdef"


@pytest.fixture
def out() -> Iterator[tuple[logging.Logger, io.StringIO]]:
    yield from logger_with_stream()


def logger_with_stream() -> Iterator[tuple[logging.Logger, io.StringIO]]:
    stream, logger = io.StringIO(), logging.Logger("apart")
    logger.addHandler(json_handler(stream, service="guide"))
    yield logger, stream


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().split("\n") if line]


def tools() -> ToolRegistry:
    def look(city: str) -> str:
        """Looks a city up."""
        if city == "Atlantis":
            raise ValueError(f"not on the map {KEY}")
        return "fine"

    made = ToolRegistry()
    made.register_function(look)
    return made


def travel(log: JsonLog) -> SimpleAgent:
    both = [ToolCall("a", "look", {"city": "北京"}), ToolCall("b", "look", {"city": "Atlantis"})]
    agent = SimpleAgent("guide", ScriptedLLM(both, "finally \ud800"), tool_registry=tools())
    agent.subscribers.append(log)
    agent.run(f"go to 北京 {KEY}")
    return agent


def test_each_entry_is_one_line_that_elk_reads(out: tuple[logging.Logger, io.StringIO]) -> None:
    logger, stream = out
    agent = travel(JsonLog(logger))
    found = lines(stream)
    assert len(found) == len(agent.journal)
    for line, entry in zip(found, agent.journal, strict=True):
        assert list(line)[:3] == ["@timestamp", "log.level", "message"]
        assert datetime.fromisoformat(line["@timestamp"]).tzinfo is not None
        assert line["event"]["sequence"] == entry.seq
        assert line["event"]["kind"] == "event"
        assert line["ecs.version"]
        assert line["service"]["name"] == "guide"
        assert line["hello_agents"]["agent"] == "guide"
    assert len({line["trace"]["id"] for line in found}) == 1
    results = {line["hello_agents"]["call"]: line for line in found if line["event"]["action"] == "tool_result"}
    assert results["a"]["log.level"] == "info"
    assert results["b"]["log.level"] == "warning"
    assert results["b"]["event"]["outcome"] == "failure"
    assert results["b"]["error"]["code"] == "EXECUTION_ERROR"
    assert results["b"]["event"]["duration"] >= 0
    assert found[-1]["event"] | {"action": "agent_finish", "reason": "finished"} == found[-1]["event"]


@pytest.mark.parametrize("content", [False, True])
def test_what_was_said_is_there_only_when_asked_for(out: tuple[logging.Logger, io.StringIO], content: bool) -> None:
    logger, stream = out
    travel(JsonLog(logger, content=content, known=["finally"]))
    assert KEY not in stream.getvalue()
    assert "finally" not in stream.getvalue()
    assert ("北京" in stream.getvalue()) is content
    assert ("not on the map" in stream.getvalue()) is content
    stream.getvalue().encode()
    if content:
        assert json.loads(lines(stream)[0]["hello_agents"]["payload"])["content"] == "go to 北京 ***"


def test_a_model_that_fails_is_an_error(out: tuple[logging.Logger, io.StringIO]) -> None:
    logger, stream = out
    agent = SimpleAgent("a", ScriptedLLM(ModelUnavailable(f"away {KEY}")))
    agent.subscribers.append(JsonLog(logger))
    with pytest.raises(LLMException):
        agent.run("go")
    last = lines(stream)[-1]
    assert last["log.level"] == "error"
    assert last["error"] == {"type": "ModelUnavailable", "message": "away ***"}


def test_nothing_is_logged_without_a_handler_and_by_an_agent_alone(capfd: pytest.CaptureFixture[str]) -> None:
    agent = SimpleAgent("a", ScriptedLLM("hi", "ho"))
    agent.run("go")
    agent.subscribers.append(JsonLog())
    agent.run("go")
    assert capfd.readouterr() == ("", "")


def test_the_trace_is_that_of_the_current_span(out: tuple[logging.Logger, io.StringIO]) -> None:
    logger, stream = out
    log = JsonLog(logger, trace_id=current_trace_id)
    assert current_trace_id() is None
    with TracerProvider().get_tracer("mine").start_as_current_span("request") as span:
        travel(log)
    assert {line["trace"]["id"] for line in lines(stream)} == {f"{span.get_span_context().trace_id:032x}"}


@settings(max_examples=10, deadline=None)
@given(SCENARIOS)
def test_any_run_is_logged_line_by_line(scenario: Scenario) -> None:
    for kind, make in AGENTS.items():
        for logger, stream in logger_with_stream():
            agent = make(scenario.model(), registry())
            log = JsonLog(logger, content=True)
            agent.subscribers += [log, log]
            for question in scenario.questions:
                agent.run(question)
            found = lines(stream)
            assert [line["event"]["sequence"] for line in found] == [entry.seq for entry in agent.journal], kind
            assert len({line["trace"]["id"] for line in found}) == len(scenario.questions), kind
