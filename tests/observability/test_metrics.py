"""Metrics: what is counted, under which labels, and that nothing is counted twice. Read by Prometheus' own parser."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from laws.actors import AGENTS, SCENARIOS, Scenario, registry
from prometheus_client import CollectorRegistry
from prometheus_client.parser import text_string_to_metric_families

from hello_agents import Config, ReActAgent, ScriptedLLM, SimpleAgent, ToolCall, ToolRegistry
from hello_agents.core.exceptions import LLMException, ModelUnavailable
from hello_agents.core.message import Message
from hello_agents.core.run import Judged, Noted, Replied, Returned, Run, Stopped
from hello_agents.observability import Metrics
from hello_agents.tools.circuit_breaker import CircuitBreaker


def samples(metrics: Metrics) -> dict[tuple[str, tuple[str, ...]], float]:
    """Every sample by its name and the values of its labels, which are in the order of their names."""
    families = text_string_to_metric_families(metrics.text().decode())
    found = [sample for family in families for sample in family.samples if not sample.name.endswith("_created")]
    return {
        (one.name.removeprefix("hello_agents_"), tuple(one.labels[name] for name in sorted(one.labels))): one.value
        for one in found
    }


def total(metrics: Metrics | dict[tuple[str, tuple[str, ...]], float], name: str, *values: str) -> float:
    """The sum of the samples of a name that have all these values among their labels."""
    found = (metrics if isinstance(metrics, dict) else samples(metrics)).items()
    return sum(value for (one, labels), value in found if one == name and set(values) <= set(labels))


def tools() -> ToolRegistry:
    def look(city: str) -> str:
        """Looks a city up."""
        if city == "Atlantis":
            raise ValueError("not on the map")
        return "fine"

    made = ToolRegistry()
    made.register_function(look)
    return made


@settings(max_examples=12, deadline=None)
@given(SCENARIOS)
def test_what_is_counted_is_what_the_journal_holds(scenario: Scenario) -> None:
    for kind, make in AGENTS.items():
        metrics = Metrics()
        agent = make(scenario.model(), registry())
        agent.subscribers += [metrics, metrics]
        for question in scenario.questions:
            agent.run(question)
        found = samples(metrics)
        events = [entry.event for entry in agent.journal]
        steps = sum(run.steps for _, run in agent.state.frames)
        assert total(found, "loop_steps_total") == steps, kind
        usage = agent.state.usage
        counted = {name: total(found, "token_usage_total", name) for name in ("input", "output", "cached")}
        assert counted == {
            "input": usage.prompt_tokens,
            "output": usage.completion_tokens,
            "cached": usage.cached_tokens,
        }, kind
        assert total(found, "run_token_usage_sum") == usage.total_tokens, kind
        statuses = Counter(one.message.status for one in events if isinstance(one, Returned))
        for status, count in statuses.items():
            assert total(found, "tool_calls_total", status or "") == count, kind
        reasons = Counter(one.reason for one in events if isinstance(one, Stopped))
        for reason, count in reasons.items():
            assert total(found, "runs_total", reason) == count, kind
        assert total(found, "runs_total") == sum(reasons.values()), kind
        assert total(found, "active_runs") == 0, kind
        assert total(found, "model_request_duration_seconds_count") == steps, kind
        assert total(found, "errors_total", "model") == sum(isinstance(e, Noted) and e.step for e in events), kind


def test_children_count_for_their_own_agents() -> None:
    metrics = Metrics()
    config = Config(subagent_enabled=True)
    model = ScriptedLLM(
        ToolCall("t", "Task", {"task": "look", "agent_type": "simple"}), "done", frames={"t": ["looked"]}
    )
    agent = SimpleAgent("boss", model, config=config, tool_registry=tools())
    agent.subscribers.append(metrics)
    agent.run("go")
    child = agent.state.children["t"]
    assert total(metrics, "loop_steps_total", "boss") == 2
    assert total(metrics, "loop_steps_total", child.agent) == 1
    assert total(metrics, "token_usage_total", child.agent, "output") == child.usage.completion_tokens
    assert total(metrics, "tool_duration_seconds_count", "Task") == 1


@pytest.mark.parametrize("count", [50, 300])
def test_made_up_names_are_one_label(count: int) -> None:
    metrics = Metrics(most_tools=20)
    calls = [ToolCall(f"c{n}", f"made_up_{n}", {}) for n in range(count)]
    agent = SimpleAgent("a", ScriptedLLM(*calls, "done"), tool_registry=tools(), max_tool_iterations=count + 1)
    agent.subscribers.append(metrics)
    agent.run("go", max_repeats=None)
    assert total(metrics, "tool_calls_total", "unknown") == count
    assert "made_up" not in metrics.text().decode()


def test_every_label_has_a_bound() -> None:
    metrics = Metrics(most_agents=3)
    for n in range(6):
        agent = SimpleAgent(f"agent{n}", ScriptedLLM("hi"))
        agent.subscribers.append(metrics)
        agent.run("go")
    assert total(metrics, "runs_total", "other") == 3
    assert total(metrics, "runs_total", "agent2") == 1


def test_tools_are_counted_by_how_they_went() -> None:
    metrics = Metrics()
    both = [ToolCall("a", "look", {"city": "Rome"}), ToolCall("b", "look", {"city": "Atlantis"})]
    agent = SimpleAgent("a", ScriptedLLM(both, "done"), tool_registry=tools())
    agent.subscribers.append(metrics)
    agent.run("go")
    found = samples(metrics)
    assert found["tool_calls_total", ("a", "success", "look")] == 1
    assert found["tool_calls_total", ("a", "error", "look")] == 1
    assert found["errors_total", ("a", "tool", "EXECUTION_ERROR")] == 1
    replies = [entry.event for entry in agent.journal if isinstance(entry.event, Replied)]
    shared = total(metrics, "tool_token_usage_total", "input")
    assert shared == replies[0].usage.prompt_tokens


@pytest.mark.parametrize("failures", [1, 2])
def test_a_run_that_fails_is_not_active_and_can_go_on(failures: int) -> None:
    metrics = Metrics()
    away: list[Any] = [ModelUnavailable("away")] * failures
    agent = SimpleAgent("a", ScriptedLLM(*away, "hello"))
    agent.subscribers.append(metrics)
    with pytest.raises(LLMException):
        agent.run("go")
    assert total(metrics, "active_runs") == 0
    for _ in range(failures - 1):
        with pytest.raises(LLMException):
            agent.resume()
    agent.resume()
    found = samples(metrics)
    assert found["runs_total", ("a", "error")] == failures
    assert found["runs_total", ("a", "finished")] == 1
    assert found["errors_total", ("a", "model", "ModelUnavailable")] == failures
    assert found["loop_steps_total", ("a", "failed")] == failures
    assert found["active_runs", ("a",)] == 0


def test_a_journal_told_again_and_a_run_taken_up_elsewhere_count_once() -> None:
    metrics = Metrics()
    first = SimpleAgent("a", ScriptedLLM(ToolCall("c", "look", {"city": "Rome"}), "done"), tool_registry=tools())
    first.subscribers.append(metrics)
    for _ in zip(range(3), first.walk("go"), strict=False):
        pass
    assert total(metrics, "active_runs") == 1
    second = SimpleAgent("a", first.llm, tool_registry=tools())
    second.restore(first.journal)
    second._follow(metrics)
    second.resume()
    found = samples(metrics)
    assert found["loop_steps_total", ("a", "replied")] == 2
    assert found["runs_total", ("a", "finished")] == 1
    assert found["active_runs", ("a",)] == 0


def test_a_question_that_replaces_another_ends_it() -> None:
    metrics = Metrics()
    agent = SimpleAgent("a", ScriptedLLM(ToolCall("c", "look", {"city": "Rome"}), "x", "y"), tool_registry=tools())
    agent.subscribers.append(metrics)
    for _ in zip(range(2), agent.walk("go"), strict=False):
        pass
    agent.run("something else")
    assert total(metrics, "runs_total", "superseded") == 1
    assert total(metrics, "runs_total", "finished") == 1
    assert total(metrics, "active_runs") == 0


@pytest.mark.parametrize("allowed", [True, False])
def test_verdicts_are_counted(allowed: bool) -> None:
    metrics = Metrics(tools=["look"])
    made = tools()
    tool = made.get_tool("look")
    assert tool is not None
    tool.needs_approval = True
    agent = SimpleAgent("a", ScriptedLLM(ToolCall("c", "look", {"city": "Rome"}), "x"), tool_registry=made)
    agent.subscribers.append(metrics)
    with pytest.raises(Exception, match="approval"):
        agent.run("go")
    assert total(metrics, "active_runs") == 1
    agent.resume(Judged("c", allowed))
    verdict = "allowed" if allowed else "refused"
    assert samples(metrics)["waits_total", ("a", "look", verdict)] == 1
    assert samples(metrics)["wait_duration_seconds_count", ("a", verdict)] == 1


def test_many_agents_of_one_name_at_once() -> None:
    metrics = Metrics()
    start = threading.Barrier(8)

    def work() -> None:
        agent = ReActAgent(
            "same", ScriptedLLM(*[ToolCall("c", "look", {"city": str(n)}) for n in range(20)], "x"), tools()
        )
        agent.subscribers.append(metrics)
        start.wait()
        agent.run("go", max_steps=40)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    found = samples(metrics)
    assert found["loop_steps_total", ("same", "replied")] == 8 * 21
    assert found["tool_duration_seconds_count", ("same", "success", "look")] == 8 * 20
    assert total(metrics, "runs_total") == 8
    assert total(metrics, "active_runs") == 0


def test_one_subscriber_that_fails_confuses_nobody() -> None:
    def fails(entry: Any, run: Run) -> None:
        raise ValueError("no")

    metrics = Metrics()
    agent = SimpleAgent("a", ScriptedLLM(ToolCall("c", "look", {"city": "Rome"}), "x"), tool_registry=tools())
    agent.subscribers += [fails, metrics]
    agent.run("go")
    found = samples(metrics)
    assert found["runs_total", ("a", "finished")] == 1
    assert found["active_runs", ("a",)] == 0
    assert found["loop_steps_total", ("a", "replied")] == 2
    assert found["errors_total", ("a", "subscriber", "ValueError")] == sum(
        isinstance(entry.event, Noted) for entry in agent.journal
    )


def test_the_breaker_is_told() -> None:
    metrics, breaker = Metrics(), CircuitBreaker(failure_threshold=2)
    metrics.watch(breaker)
    made = ToolRegistry(breaker)
    made.register_function(tools().get_tool("look").run, "look")  # type: ignore[union-attr]
    breaker.open("look")
    assert samples(metrics)["breaker_state", ("look",)] == 2
    breaker.close("look")
    assert samples(metrics)["breaker_state", ("look",)] == 0


def test_registries_are_apart_and_a_shared_one_refuses_a_second() -> None:
    Metrics()
    shared = CollectorRegistry()
    Metrics(shared)
    with pytest.raises(ValueError, match="hello_agents"):
        Metrics(shared)


WORKER = """
from hello_agents import ScriptedLLM, SimpleAgent
from hello_agents.observability import Metrics
metrics = Metrics()
agent = SimpleAgent("a", ScriptedLLM("hi"))
agent.subscribers.append(metrics)
agent.run("go")
print(metrics.text().decode())
"""


def test_several_processes_add_up(tmp_path: Any) -> None:
    environment = os.environ | {"PROMETHEUS_MULTIPROC_DIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    out = ""
    for _ in range(2):
        command = [sys.executable, "-c", WORKER]
        out = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    families = {family.name: family for family in text_string_to_metric_families(out)}
    assert [sample.value for sample in families["hello_agents_runs"].samples] == [2]


def test_a_message_put_in_by_hand_begins_no_run() -> None:
    metrics = Metrics()
    agent = SimpleAgent("a", ScriptedLLM("hi"))
    agent.subscribers.append(metrics)
    agent.add_message(Message("be brief", "system"))
    agent.record(Noted("mine", 1))
    assert total(metrics, "active_runs") == 0
