"""Spans: what they say by the conventions, how they lie within each other, and that none stays open."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from hypothesis import given, settings
from laws.actors import AGENTS, SCENARIOS, Scenario, registry
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes
from opentelemetry.trace import SpanKind, StatusCode

from hello_agents import ScriptedLLM, SimpleAgent, ToolCall, ToolRegistry
from hello_agents.core.config import Config
from hello_agents.core.exceptions import LLMException, ModelUnavailable
from hello_agents.core.message import Message, Usage
from hello_agents.core.run import Entry, Replied, Run, Told, evolve
from hello_agents.observability import OtelSubscriber

KEY = "sk-abcdef1234567890abcdef"
KNOWN = {value for name, value in vars(gen_ai_attributes).items() if name.startswith("GEN_AI_") and type(value) is str}


def collector() -> tuple[TracerProvider, InMemorySpanExporter]:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    return provider, exporter


def tools() -> ToolRegistry:
    def look(city: str) -> str:
        """Looks a city up."""
        if city == "Atlantis":
            raise ValueError(f"not on the map {KEY}")
        return f"fine in {city}"

    made = ToolRegistry()
    made.register_function(look)
    return made


def by_name(exporter: InMemorySpanExporter) -> dict[str, ReadableSpan]:
    return {span.name: span for span in exporter.get_finished_spans()}


def said(spans: Any) -> str:
    return "".join(span.to_json() for span in spans)


@settings(max_examples=12, deadline=None)
@given(SCENARIOS)
def test_spans_are_a_tree_within_each_other_and_all_ended(scenario: Scenario) -> None:
    for kind, make in AGENTS.items():
        provider, exporter = collector()
        agent = make(scenario.model(), registry())
        spans = OtelSubscriber(provider)
        agent.subscribers += [spans, spans]
        for question in scenario.questions:
            agent.run(question)
        finished = exporter.get_finished_spans()
        ids = {span.context.span_id: span for span in finished if span.context}
        roots = [span for span in finished if span.parent is None]
        assert len(roots) == len(scenario.questions), kind
        for span in finished:
            assert span.start_time is not None
            assert span.end_time is not None
            assert span.start_time <= span.end_time
            names = {name for name in span.attributes or {} if name.startswith("gen_ai.")}
            assert names <= KNOWN
            if span.parent is not None:
                above = ids[span.parent.span_id]
                assert above.name.split()[0] in ("invoke_agent", "execute_tool")
                assert above.start_time <= span.start_time  # type: ignore[operator]
                assert span.end_time <= above.end_time  # type: ignore[operator]
        chats = [span for span in finished if span.name.startswith("chat")]
        assert len(chats) == sum(run.steps for _, run in agent.state.frames), kind
        own = [(span.attributes or {}).get("gen_ai.usage.input_tokens", 0) for span in chats]
        assert sum(own) == agent.state.usage.prompt_tokens, kind  # type: ignore[arg-type]
        frames = [span for span in finished if span.name.startswith("invoke_agent")]
        assert len(frames) == len(scenario.questions) + len(list(agent.state.frames)) - 1, kind


def test_what_the_spans_say() -> None:
    provider, exporter = collector()
    both = [ToolCall("a", "look", {"city": "Rome"}), ToolCall("b", "look", {"city": "Atlantis"})]
    agent = SimpleAgent("guide", ScriptedLLM(both, f"done {KEY}"), tool_registry=tools())
    agent.subscribers.append(OtelSubscriber(provider, conversation="conv-1"))
    agent.run("go to Rome")
    spans = by_name(exporter)
    root = spans["invoke_agent guide"]
    assert root.attributes == {
        "gen_ai.conversation.id": "conv-1",
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "guide",
        "gen_ai.usage.input_tokens": agent.state.usage.prompt_tokens,
        "gen_ai.usage.output_tokens": agent.state.usage.completion_tokens,
        "hello_agents.outcome": "finished",
    }
    chat = spans["chat scripted"]
    assert chat.kind is SpanKind.CLIENT
    assert chat.attributes is not None
    assert chat.attributes["gen_ai.request.model"] == "scripted"
    assert chat.attributes["gen_ai.response.finish_reasons"] == ("stop",)
    results = {
        s.attributes["gen_ai.tool.call.id"]: s
        for s in exporter.get_finished_spans()
        if "tool" in s.name and s.attributes
    }
    assert results["a"].status.status_code is StatusCode.UNSET
    failed = results["b"]
    assert failed.status.status_code is StatusCode.ERROR
    assert failed.attributes is not None
    assert failed.attributes["error.type"] == "EXECUTION_ERROR"
    everything = said(exporter.get_finished_spans())
    for private in ("Rome", "Atlantis", "on the map", "done", KEY):
        assert private not in everything


def test_content_is_there_when_asked_for_with_secrets_masked() -> None:
    provider, exporter = collector()
    both = [ToolCall("a", "look", {"city": "北京"}), ToolCall("b", "look", {"city": "Atlantis"})]
    agent = SimpleAgent("guide", ScriptedLLM(both, f"done {KEY}"), "Be brief.", tool_registry=tools())
    agent.subscribers.append(OtelSubscriber(provider, content=True, known=["hunter-two"]))
    agent.run(f"go {KEY} hunter-two")
    spans = exporter.get_finished_spans()
    everything = said(spans)
    assert KEY not in everything
    assert "hunter-two" not in everything
    chats = [span.attributes or {} for span in spans if span.name.startswith("chat")]
    asked = json.loads(str(chats[1]["gen_ai.input.messages"]))
    assert [message["role"] for message in asked] == ["user", "assistant", "tool", "tool"]
    assert asked[1]["parts"][0] == {"type": "tool_call", "id": "a", "name": "look", "arguments": {"city": "北京"}}
    assert asked[2]["parts"] == [{"type": "tool_call_response", "id": "a", "response": "fine in 北京"}]
    assert json.loads(str(chats[1]["gen_ai.output.messages"]))[0]["finish_reason"] == "stop"
    assert json.loads(str(chats[0]["gen_ai.system_instructions"])) == [{"type": "text", "content": "Be brief."}]


def test_children_are_within_the_call_they_work_for() -> None:
    provider, exporter = collector()
    model = ScriptedLLM(
        ToolCall("t", "Task", {"task": "look", "agent_type": "simple"}), "done", frames={"t": ["looked"]}
    )
    agent = SimpleAgent("boss", model, config=Config(subagent_enabled=True), tool_registry=tools())
    agent.subscribers.append(OtelSubscriber(provider))
    agent.run("go")
    spans = by_name(exporter)
    child = spans[f"invoke_agent {agent.state.children['t'].agent}"]
    task = spans["execute_tool Task"]
    assert child.parent is not None
    assert task.context is not None
    assert task.parent is not None
    assert child.parent.span_id == task.context.span_id
    root = spans["invoke_agent boss"].context
    assert root is not None
    assert task.parent.span_id == root.span_id


async def test_calls_side_by_side_overlap() -> None:
    provider, exporter = collector()
    both = asyncio.Barrier(2)

    async def meet(n: int) -> str:
        """Waits for the other."""
        await both.wait()
        return str(n)

    made = ToolRegistry()
    made.register_function(meet)
    calls = [ToolCall("a", "meet", {"n": 1}), ToolCall("b", "meet", {"n": 2})]
    agent = SimpleAgent("a", ScriptedLLM(calls, "done"), tool_registry=made)
    agent.subscribers.append(OtelSubscriber(provider))
    await agent.arun("go")
    one, two = (span for span in exporter.get_finished_spans() if span.name == "execute_tool meet")
    assert one.start_time is not None
    assert two.start_time is not None
    assert one.end_time is not None
    assert two.end_time is not None
    assert max(one.start_time, two.start_time) <= min(one.end_time, two.end_time)


def test_a_model_that_fails_marks_its_request_and_its_run() -> None:
    provider, exporter = collector()
    agent = SimpleAgent("a", ScriptedLLM(ModelUnavailable(f"away {KEY}"), "hello"))
    agent.subscribers.append(OtelSubscriber(provider))
    with pytest.raises(LLMException):
        agent.run("go")
    spans = by_name(exporter)
    for name in ("chat", "invoke_agent a"):
        assert spans[name].status.status_code is StatusCode.ERROR
        assert (spans[name].attributes or {})["error.type"] == "ModelUnavailable"
        assert spans[name].status.description == "away ***"
    exporter.clear()
    agent.resume()
    assert by_name(exporter)["invoke_agent a"].status.status_code is StatusCode.UNSET


@pytest.mark.parametrize("way", ["end", "with", "question", "other process"])
@pytest.mark.parametrize("entries", [2, 3, 4])
def test_a_run_that_is_broken_off_has_its_spans_ended(way: str, entries: int) -> None:
    provider, exporter = collector()
    agent = SimpleAgent("a", ScriptedLLM(ToolCall("c", "look", {"city": "Rome"}), "x", "y"), "S", tool_registry=tools())
    spans = OtelSubscriber(provider)
    agent.subscribers.append(spans)
    for _ in zip(range(entries), agent.walk("go"), strict=False):
        pass
    match way:
        case "end":
            spans.end()
        case "with":
            with spans:
                pass
        case "question":
            agent.run("something else")
        case _:
            spans.end()
            twin = SimpleAgent("a", agent.llm, "S", tool_registry=tools())
            twin.restore(agent.journal)
            twin.subscribers.append(spans)
            twin.resume()
    finished = exporter.get_finished_spans()
    roots = [span for span in finished if span.name == "invoke_agent a"]
    assert roots[0].status.status_code is StatusCode.ERROR
    assert (roots[0].attributes or {})["error.type"] == ("superseded" if way == "question" else "interrupted")
    assert len(roots) == (1 if way in ("end", "with") else 2)
    assert all(span.status.status_code is StatusCode.UNSET for span in roots[1:])


def test_runs_are_within_the_span_that_is_current() -> None:
    provider, exporter = collector()
    agent = SimpleAgent("a", ScriptedLLM("hi"))
    agent.subscribers.append(OtelSubscriber(provider))
    with provider.get_tracer("mine").start_as_current_span("request") as mine:
        agent.run("go")
    root = by_name(exporter)["invoke_agent a"]
    assert root.parent is not None
    assert root.parent.span_id == mine.get_span_context().span_id


@pytest.mark.parametrize(
    ("model", "provider"),
    [("gpt-4o", "openai"), ("claude-sonnet-5", "anthropic"), ("deepseek-chat", "deepseek"),
     ("openai/o3-mini", "openai"), ("offline", "hello_agents"), ("Qwen/Qwen2.5-72B", "_OTHER")],
)  # fmt: skip
def test_the_provider_is_known_by_the_model(model: str, provider: str) -> None:
    tracers, exporter = collector()
    spans = OtelSubscriber(tracers)
    run = Run("a")
    for n, event in enumerate(
        (Told(Message("q", "user")), Replied(Message("r", "assistant"), Usage(5, 4, 3, 2), model))
    ):
        run = evolve(run, event)
        spans(Entry(n, "", 10.0 + n, event), run)
    spans.end()
    attributes = by_name(exporter)[f"chat {model}"].attributes or {}
    assert attributes["gen_ai.provider.name"] == provider
    assert attributes["gen_ai.usage.cache_read.input_tokens"] == 3
    assert attributes["gen_ai.usage.reasoning.output_tokens"] == 2


@pytest.fixture
def receiver() -> Iterator[tuple[str, list[ExportTraceServiceRequest]]]:
    """A receiver of OTLP over HTTP on loopback."""
    got: list[ExportTraceServiceRequest] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            got.append(ExportTraceServiceRequest.FromString(body))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1/traces", got
    server.shutdown()
    thread.join()
    server.server_close()


def test_spans_reach_a_collector(receiver: tuple[str, list[ExportTraceServiceRequest]]) -> None:
    address, got = receiver
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter(endpoint=address)))
    agent = SimpleAgent("a", ScriptedLLM(ToolCall("c", "look", {"city": "\ud800"}), "done"), tool_registry=tools())
    agent.subscribers.append(OtelSubscriber(provider, content=True))
    agent.run("go")
    provider.shutdown()
    spans = [s for r in got for rs in r.resource_spans for ss in rs.scope_spans for s in ss.spans]
    assert sorted(span.name for span in spans) == [
        "chat scripted",
        "chat scripted",
        "execute_tool look",
        "invoke_agent a",
    ]
    assert len({span.trace_id for span in spans}) == 1
