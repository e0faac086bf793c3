"""Guests: traces of other frameworks become journals that fold, whatever they hold."""

from __future__ import annotations

import base64
import json
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict
from hypothesis import given, settings
from hypothesis import strategies as st
from laws.actors import AGENTS, SCENARIOS, Scenario, registry
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from support.examples import examples
from support.guest_files import GUEST_FILES
from support.histories import json_values

from hello_agents import ScriptedLLM, SimpleAgent, ToolCall
from hello_agents.core.config import Config
from hello_agents.core.exceptions import LLMException, ModelUnavailable
from hello_agents.core.journal import dump_journal, load_journal
from hello_agents.core.run import Began, Noted, Replied, Returned, Spawned, Stopped, evolve
from hello_agents.observability import OtelSubscriber, guest_file, read_guest, report_html, trace_events
from hello_agents.observability.guests import Guest, NoGuest

ANSWER = "北京 has 22 degrees; Atlantis is on no map."


def check(guest: Guest) -> None:
    """What holds for the journal of any guest."""
    assert [entry.seq for entry in guest.entries] == list(range(len(guest.entries)))
    assert sorted(entry.time for entry in guest.entries) == [entry.time for entry in guest.entries]
    assert reduce(lambda run, e: evolve(run, e.event, e.frame), guest.entries, guest.start) == guest.run
    for _, run in guest.run.frames:
        assert run.pending == ()
        asked: list[str] = []
        for message in run.messages:
            if message.role == "tool":
                assert message.answers in asked
                asked.remove(message.answers or "")
            else:
                assert asked == []
                asked = [call.id for call in message.tool_calls]
        assert asked == []
    for at, entry in enumerate(guest.entries):
        if isinstance(entry.event, Returned) and entry.event.message.metadata.get("code") != "INTERRUPTED":
            began = [e.event for e in guest.entries[:at] if e.frame == entry.frame]
            call = entry.event.message.answers
            assert any(call == (e.call_id if isinstance(e, Began) else getattr(e, "id", None)) for e in began)
    assert list(load_journal(dump_journal(guest.entries))) == list(guest.entries)
    assert report_html(trace_events(guest.entries, guest.start)).count("<details") == len(guest.entries)


@pytest.mark.parametrize("file", GUEST_FILES, ids=lambda file: file.stem)
def test_what_frameworks_write_is_read(file: Path) -> None:
    guest = read_guest(file)
    check(guest)
    names = {"chat": "openai", "lang": "langgraph", "llam": "llama-index", "open": "openai-agents"}
    assert guest.framework == names[file.stem[:4]]
    assert guest.run.outcome is not None
    assert (guest.run.outcome.reason, guest.run.answer) == ("finished", ANSWER)
    assert guest.run.steps == 2
    calls = [call for message in guest.run.messages for call in message.tool_calls]
    assert [(call.name, call.arguments, call.fault) for call in calls] == [
        ("look", {"city": "北京"}, None),
        ("look", {"city": "Atlantis"}, None),
    ]
    results = [message for message in guest.run.messages if message.role == "tool"]
    assert results[0].content == "22 degrees in 北京"
    assert results[0].status == "success"
    assert results[1].status == ("success" if guest.framework == "openai" else "error")
    told = guest.framework in ("langgraph", "openai-agents")
    assert guest.run.usage.total_tokens == (78 if told else 0)
    questions = [message.content for message in guest.run.messages if message.role == "user"]
    # What a graph is given is no update of it, and not in its stream.
    missing = file.stem in ("langgraph_updates", "langgraph_messages")
    assert questions == ([] if missing else ["How warm is it in 北京 and in Atlantis?"])
    assert read_guest(file.read_text(encoding="utf-8")) == guest
    data = json.loads(file.read_text(encoding="utf-8"))
    assert read_guest(data) == guest
    if isinstance(data, list):
        assert read_guest(iter(data)) == guest


@pytest.mark.parametrize("framework", ["langgraph", "openai-agents", "llama-index"])
def test_the_package_brings_a_run_of_each_framework(framework: Any) -> None:
    guest = read_guest(guest_file(framework))
    assert guest.framework == framework
    assert guest.run.answer == ANSWER


def test_json_lines_and_modes_of_a_stream(tmp_path: Path) -> None:
    data = json.loads(
        next(file for file in GUEST_FILES if file.stem == "langgraph_updates").read_text(encoding="utf-8")
    )
    guest = read_guest(data)
    lines = tmp_path / "lines.jsonl"
    lines.write_text("".join(json.dumps(one) + "\n" for one in data), encoding="utf-8")
    assert read_guest(lines) == guest
    parted = [{"role": "user", "content": "a\u2028b\x85"}, {"role": "assistant", "content": "c"}]
    lines.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in parted), encoding="utf-8")
    assert read_guest(lines) == read_guest(parted)
    assert read_guest([["updates", one] for one in data]) == guest
    assert read_guest([[["outer:1"], one] for one in data]) == guest
    assert read_guest([[["outer:1"], "updates", one] for one in data]) == guest
    state = json.loads(next(file for file in GUEST_FILES if file.stem == "langgraph_state").read_text(encoding="utf-8"))
    assert read_guest([["values", {"messages": state["messages"][:1]}], ["values", state]]) == read_guest(state)


# -- OpenTelemetry: our own spans come back ---------------------------------------------------------


def spans_of(agent: Any, *questions: str, content: bool = True) -> tuple[ReadableSpan, ...]:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with OtelSubscriber(provider, content=content) as spans:
        agent.subscribers.append(spans)
        for question in questions:
            try:
                agent.run(question)
            except LLMException:
                break
    return exporter.get_finished_spans()


def otlp(spans: tuple[ReadableSpan, ...]) -> Any:
    """The spans as a collector's file exporter writes them: ids in hexadecimal."""
    data = MessageToDict(encode_spans(spans))
    for resource in data["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            for span in scope["spans"]:
                for name in ("traceId", "spanId", "parentSpanId"):
                    if name in span:
                        span[name] = base64.b64decode(span[name]).hex()
    return data


def two_cities() -> SimpleAgent:
    both = [ToolCall("a", "add", {"a": 1, "b": 2}), ToolCall("b", "broken", {"why": "雨"})]
    return SimpleAgent("guide", ScriptedLLM(both, "three"), "Be brief.", tool_registry=registry())


@pytest.mark.parametrize("form", ["to_json", "otlp"])
@pytest.mark.parametrize("content", [True, False])
def test_our_own_spans_come_back(form: str, content: bool) -> None:
    agent = two_cities()
    spans = spans_of(agent, "1+2?", content=content)
    guest = read_guest(otlp(spans) if form == "otlp" else [json.loads(span.to_json()) for span in spans])
    check(guest)
    assert guest.framework == "opentelemetry"
    assert guest.run.agent == "guide"
    assert guest.run.steps == agent.state.steps
    assert guest.run.usage == agent.state.usage
    ours = [(call.name, call.id) for message in agent.state.messages for call in message.tool_calls]
    assert [(call.name, call.id) for message in guest.run.messages for call in message.tool_calls] == ours
    statuses = [message.status for message in guest.run.messages if message.role == "tool"]
    assert statuses == ["success", "error"]
    if content:
        assert [(m.role, m.content) for m in guest.run.messages] == [(m.role, m.content) for m in agent.state.messages]
        assert guest.run.answer == "three"


def test_an_agent_within_a_call_is_a_child() -> None:
    model = ScriptedLLM(ToolCall("t", "Task", {"task": "x", "agent_type": "simple"}), "done", frames={"t": ["looked"]})
    agent = SimpleAgent("boss", model, config=Config(subagent_enabled=True))
    spans = spans_of(agent, "go")
    guest = read_guest([json.loads(span.to_json()) for span in spans])
    check(guest)
    assert list(guest.run.children) == ["t"]
    assert guest.run.children["t"].answer == "looked"
    assert guest.run.usage == agent.state.usage
    assert any(isinstance(entry.event, Spawned) for entry in guest.entries)


def test_a_request_that_failed_is_told() -> None:
    guest = read_guest(
        [json.loads(s.to_json()) for s in spans_of(SimpleAgent("a", ScriptedLLM(ModelUnavailable())), "hi")]
    )
    check(guest)
    notes = [entry.event for entry in guest.entries if isinstance(entry.event, Noted)]
    assert notes[0].key == "model_error"
    assert notes[0].value["type"] == "ModelUnavailable"
    assert guest.run.outcome is not None
    assert guest.run.outcome.reason == "unfinished"


@settings(max_examples=10, deadline=None)
@given(SCENARIOS, st.booleans())
def test_the_spans_of_any_run_are_read(scenario: Scenario, content: bool) -> None:
    for kind, make in AGENTS.items():
        agent = make(scenario.model(), registry())
        spans = spans_of(agent, *scenario.questions, content=content)
        guest = read_guest(otlp(spans))
        check(guest)
        assert guest.run.usage.total_tokens == agent.state.usage.total_tokens, kind
        replies = [entry for entry in guest.entries if isinstance(entry.event, Replied)]
        assert len(replies) == sum(isinstance(entry.event, Replied) for entry in agent.journal), kind


# -- anything ---------------------------------------------------------------------------------------


ids = st.sampled_from(["", "a", "b", "x/y"])
texts = st.none() | st.text(max_size=5) | st.just([{"type": "text", "text": "hm"}, {"type": "image_url"}])
functions = st.fixed_dictionaries(
    {"name": st.sampled_from(["f", "g", ""]), "arguments": st.sampled_from(["{}", "{", ""])}
)
calls = st.lists(st.fixed_dictionaries({"id": ids, "type": st.just("function"), "function": functions}), max_size=3)
chats = st.one_of(
    st.fixed_dictionaries({"role": st.sampled_from(["system", "user", "developer"]), "content": texts}),
    st.fixed_dictionaries({"role": st.just("assistant"), "content": texts}, optional={"tool_calls": calls}),
    st.fixed_dictionaries({"role": st.just("tool"), "tool_call_id": ids, "content": texts}, optional={"name": ids}),
    st.fixed_dictionaries({"type": st.just("function_call"), "call_id": ids, "name": ids, "arguments": st.just("{}")}),
    st.fixed_dictionaries({"type": st.just("function_call_output"), "call_id": ids, "output": texts}),
)


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(chats, min_size=1, max_size=8))
def test_any_messages_make_a_journal_that_folds(messages: list[Any]) -> None:
    check(read_guest(messages))


@settings(max_examples=examples(150), deadline=None)
@given(
    st.sampled_from([file for file in GUEST_FILES if file.stem != "langgraph_state"]),
    st.randoms(use_true_random=False),
    st.integers(1, 4),
)
def test_a_trace_with_holes_makes_a_journal_that_folds(file: Path, chance: Any, holes: int) -> None:
    data = json.loads(file.read_text(encoding="utf-8"))
    for _ in range(holes):
        place = chance.randrange(len(data))
        data = [data[:place] + data[place + 1 :], data[:place] + data[place:][::-1], data + data[place:]][
            chance.randrange(3)
        ]
        if not data:
            return
    try:
        check(read_guest(data))
    except NoGuest:
        assert not any("span_data" in one or "role" in one for one in data if isinstance(one, dict))


@settings(max_examples=examples(200), deadline=None)
@given(json_values)
def test_any_value_is_read_or_refused_in_words(value: Any) -> None:
    for one in (
        value,
        [value],
        {"messages": value},
        {"resourceSpans": value},
        [{"object": "trace.span", "span_data": value}],
    ):
        if isinstance(one, str):
            continue
        try:
            guest = read_guest(one)
        except NoGuest as error:
            refused = str(error)
            assert "Pass" in refused
        else:
            check(guest)


@pytest.mark.parametrize("text", ["{", "[1, 2", '{"a": 1}\n{', "[]", "{}"])
def test_what_is_no_trace_is_refused(text: str) -> None:
    with pytest.raises(NoGuest, match="Pass"):
        read_guest(text)


def test_results_without_calls_are_noted_and_calls_without_results_answered() -> None:
    asked = {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{}"}}]}
    orphan = {"role": "tool", "tool_call_id": "zzz", "content": "lost and found"}
    guest = read_guest([asked, orphan, {"role": "user", "content": "and?"}], language="zh")
    check(guest)
    events = [entry.event for entry in guest.entries]
    assert any(isinstance(e, Noted) and e.value["result"] == "lost and found" for e in events)
    answers = [e.message for e in events if isinstance(e, Returned)]
    assert [m.status for m in answers] == ["error"]
    assert "没有" in answers[0].text
    stops = [e.reason for e in events if isinstance(e, Stopped)]
    assert stops == ["unfinished", "unfinished"]
