"""Stream events: the buffer, server-sent events, JSON lines; and the counters that a hook may keep."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest

from hello_agents import ScriptedLLM, SimpleAgent
from hello_agents.core.lifecycle import AgentEvent, EventType, ExecutionContext
from hello_agents.core.streaming import StreamBuffer, StreamEvent, StreamEventType, stream_to_json, stream_to_sse


def chunk(text: str) -> StreamEvent:
    return StreamEvent.create(StreamEventType.LLM_CHUNK, "a", chunk=text)


async def some(*texts: str) -> AsyncIterator[StreamEvent]:
    for text in texts:
        yield chunk(text)
    yield StreamEvent.create(StreamEventType.AGENT_FINISH, "a", result="".join(texts))


def test_the_buffer_keeps_the_latest() -> None:
    buffer = StreamBuffer(2)
    for text in "abc":
        buffer.add(chunk(text))
    buffer.add(StreamEvent.create(StreamEventType.ERROR, "a"))
    assert [event.type for event in buffer.get_all()] == [StreamEventType.LLM_CHUNK, StreamEventType.ERROR]
    assert [event.data["chunk"] for event in buffer.filter_by_type(StreamEventType.LLM_CHUNK)] == ["c"]
    buffer.clear()
    assert buffer.get_all() == []


@pytest.mark.parametrize("text", ["a\nb", "a\r\nb", "a\n\nb", "data: x\n\nevent: y", "北京 🚀", "\u2028"])
async def test_whatever_is_said_is_one_event_with_one_line_of_data(text: str) -> None:
    (first, last) = [piece async for piece in stream_to_sse(some(text))]
    assert first.endswith("\n\n")
    lines = first.removesuffix("\n\n").split("\n")
    assert [line.split(":")[0] for line in lines] == ["event", "data"]
    assert json.loads(lines[1].removeprefix("data: "))["data"]["chunk"] == text
    assert last.startswith("event: agent_finish\n")


async def test_only_the_wanted_kinds_are_written() -> None:
    kinds = [StreamEventType.AGENT_FINISH]
    assert len([piece async for piece in stream_to_sse(some("a", "b"), kinds)]) == 1
    (line,) = [piece async for piece in stream_to_json(some("a", "b"), kinds)]
    assert json.loads(line)["data"] == {"result": "ab"}
    assert len([piece async for piece in stream_to_json(some("a"))]) == 2


async def test_an_agents_stream_goes_out_as_server_sent_events() -> None:
    agent = SimpleAgent("a", ScriptedLLM("one two"))
    said = "".join([piece async for piece in stream_to_sse(agent.arun_stream("go"))])
    assert said.startswith("event: agent_start\n")
    assert "event: agent_finish\n" in said


def test_events_and_contexts_of_hooks() -> None:
    event = AgentEvent.create(EventType.TOOL_CALL, "a", tool_name="add")
    assert event.to_dict()["type"] == "tool_call"
    assert "add" in str(event)
    context = ExecutionContext("go")
    context.increment_step()
    context.add_tokens(5)
    context.set_metadata("k", 1)
    assert (context.current_step, context.total_tokens) == (1, 5)
    assert (context.get_metadata("k"), context.get_metadata("n", 2)) == (1, 2)
