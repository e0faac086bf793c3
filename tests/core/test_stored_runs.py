"""Messages, runs and journals, stored and read back: nothing is lost, whatever is in them."""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
import uuid
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.histories import legal

from hello_agents import Message, ReActAgent, Run, ScriptedLLM, SimpleAgent, ToolCall, ToolRegistry
from hello_agents.core.journal import JournalFile, dump_entry, dump_journal, load_journal
from hello_agents.core.llm_response import LLMResponse
from hello_agents.core.message import Messages
from hello_agents.core.run import Entry, Noted, Replied, Returned, Told, evolve

ANY_TEXT = st.text(st.characters(), max_size=8)
"""Lone halves of characters among them, as models do send them."""


def joined(text: str) -> str:
    """JSON joins two halves of a character that stand side by side."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


@st.composite
def histories(draw: Any) -> list[Message]:
    stamps = st.datetimes(datetime(2000, 1, 1))
    return [
        replace(
            message,
            content=None if message.content is None else joined(message.content + draw(ANY_TEXT)),
            status=draw(st.sampled_from([None, "success", "partial", "error"])),
            metadata=draw(st.just({}) | st.just({"tool": "北京", "n": [1, None, {"deep": "🚀"}]})),
            timestamp=draw(stamps),
        )
        for message in draw(legal(reasoning=True))
    ]


@given(histories())
def test_messages_and_runs_read_back_equal_with_their_times(messages: list[Message]) -> None:
    for message in messages:
        again = Message.from_dict(json.loads(json.dumps(message.to_dict())))
        assert again == message
        assert again.timestamp == message.timestamp
    run = Run("a", Messages(messages))
    written = run.to_json()
    written.encode()
    again = Run.from_json(written)
    assert again == run
    assert [message.timestamp for message in again.messages] == [message.timestamp for message in messages]
    assert again.to_json() == written


@given(histories())
def test_a_journal_written_twice_is_the_same_bytes(messages: list[Message]) -> None:
    events = [
        Replied(message) if message.role == "assistant" else Returned(message) if message.answers else Told(message)
        for message in messages
    ]
    entries = [Entry(seq, "", seq / 7, event) for seq, event in enumerate(events)]
    written = dump_journal(entries)
    written.encode()
    again = list(load_journal(written))
    assert again == entries
    assert [entry.time for entry in again] == [entry.time for entry in entries]
    assert dump_journal(again) == written


@pytest.mark.parametrize(
    "value",
    [
        0,
        False,
        "",
        [],
        None,
        float("nan"),
        float("-inf"),
        datetime(2024, 2, 1),
        uuid.UUID(int=1),
        {1, 2},
        {3: (4,)},
        "\ud83d",
        object,
    ],
)
def test_any_value_in_a_note_is_one_valid_line(value: Any, tmp_path: Any) -> None:
    file = JournalFile(tmp_path / "journal.jsonl")
    for seq in range(2):
        file(Entry(seq, "", 1.0, Noted("k", value)), Run("a"))
    lines = file.path.read_bytes().decode().splitlines()
    assert len(lines) == 2
    for seq, line in enumerate(lines):
        data = json.loads(line, parse_constant=lambda name: pytest.fail(name))
        assert data["seq"] == seq
        if value in (0, False, "", [], None) and not isinstance(value, float):
            assert data["event"].get("value", None) == value
            assert type(data["event"].get("value", None)) is type(value)
    assert [entry.seq for entry in file.read()] == [0, 1]


def test_letters_stand_in_the_file_as_they_are(tmp_path: Any) -> None:
    call = ToolCall("c1", "echo", {"城市": "北京"})
    line = dump_entry(Entry(0, "", 1.0, Replied(Message("好 🚀", "assistant", tool_calls=[call]))))
    assert "北京" in line
    assert "好 🚀" in line


# -- a conversation that goes on in another process ---------------------------------------------------------------


def echo(text: str) -> str:
    """Gives a text back."""
    return text


class Keeper(ScriptedLLM):
    """A scripted model that keeps what it was asked."""

    def __init__(self, *replies: Any) -> None:
        super().__init__(*replies)
        self.asked: list[Any] = []

    def stream(self, request: Any) -> Any:
        self.asked.append(request)
        return super().stream(request)


def run(agent: Any, question: str) -> None:
    agent.run(question)


def arun(agent: Any, question: str) -> None:
    asyncio.run(agent.arun(question))


def stream_run(agent: Any, question: str) -> None:
    list(agent.stream_run(question))


def arun_stream(agent: Any, question: str) -> None:
    async def go() -> None:
        async for _ in agent.arun_stream(question):
            pass

    asyncio.run(go())


@pytest.mark.parametrize("way", [run, arun, stream_run, arun_stream])
@pytest.mark.parametrize("kind", [SimpleAgent, ReActAgent])
@pytest.mark.parametrize("store", ["journal", "state"])
def test_the_second_turn_knows_the_tools_of_the_first(way: Any, kind: Any, store: str, tmp_path: Any) -> None:
    tools = ToolRegistry()
    tools.register_function(echo)
    script = [[ToolCall("c1", "echo", {"text": "北京"}), ToolCall("", "echo", {"text": ""})], "Done.", "北京"]
    first = kind("a", Keeper(*script), system_prompt="P", tool_registry=tools)
    first.sink = JournalFile(tmp_path / "j")
    way(first, "Say it.")

    model = Keeper(*script)
    second = kind("a", model, system_prompt="P", tool_registry=tools)
    if store == "journal":
        second.restore(JournalFile(tmp_path / "j").read())
    else:
        second.state = Run.from_json(first.state.to_json())
    assert second.state == first.state
    way(second, "What did you say?")
    asked = model.asked[-1].messages
    assert [m.role for m in asked] == ["system", "user", "assistant", "tool", "tool", "assistant", "user"]
    assert list(asked[:-1]) == list(first.state.messages)
    assert asked[2].content is None


# -- the content of a message -------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [3, b"x", ["x"], {"text": "x"}, object(), LLMResponse])
def test_content_that_is_no_text_is_refused_with_the_way_out(content: Any) -> None:
    with pytest.raises(TypeError, match=r"\.content"):
        Message(content, "user")


def test_a_response_is_text_and_becomes_plain_text() -> None:
    message = Message(LLMResponse("hello", model="m"), "assistant")
    assert message.content == "hello"
    assert type(message.content) is str


@pytest.mark.parametrize("role", ["", "bot", "developer", None])
def test_an_unknown_role_names_those_there_are(role: Any) -> None:
    with pytest.raises(ValueError, match="assistant, summary, system, tool, user"):
        Message("x", role)


@pytest.mark.parametrize("again", [copy.deepcopy, copy.copy, lambda value: pickle.loads(pickle.dumps(value))])
@given(histories())
def test_runs_are_copied_and_pickled_whole_and_go_on_apart(again: Any, messages: list[Message]) -> None:
    grown = Messages(messages).plus(Message("more", "user"))
    older = Run("a", Messages(messages))
    for value in (Messages(messages), older, Run("a", grown, notes={"n": 1}, children={"c": older}), Run("b")):
        other = again(value)
        assert other == value
        match other:
            case Run():
                assert evolve(other, Told(Message("later", "user"))).messages[:-1] == tuple(value.messages)
            case _:
                assert other.last_reply() == value.last_reply()
                assert len(other.plus(Message("later", "user"))) == len(value) + 1
        assert other == value
