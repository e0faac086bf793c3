"""Messages of other frameworks, in every form that they have, become one conversation."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hello_agents.core.message import Usage
from hello_agents.observability import read_guest
from hello_agents.observability.guest_journal import Reply, Result, Said
from hello_agents.observability.guest_messages import langchain_items, llama_items, openai_items

ASK = {"role": "user", "content": "Weather in 北京 and Rome?"}
ARGUMENTS = ('{"city": "北京"}', '{"city": "Rome"}')


def chat_call(id: str, arguments: str) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": "weather", "arguments": arguments}}


CHAT = [
    {"role": "developer", "content": "Be brief."},
    ASK,
    {"role": "assistant", "content": None, "tool_calls": [chat_call("a", ARGUMENTS[0]), chat_call("b", ARGUMENTS[1])]},
    {"role": "tool", "tool_call_id": "a", "content": "22"},
    {"role": "tool", "tool_call_id": "b", "content": [{"type": "text", "text": "30"}]},
    {"role": "assistant", "content": "22 and 30."},
]
RESPONSES = [
    {"role": "system", "content": "Be brief."},
    {"type": "message", **ASK},
    {"type": "reasoning", "summary": []},
    {"type": "function_call", "call_id": "a", "name": "weather", "arguments": ARGUMENTS[0]},
    {"type": "function_call", "call_id": "b", "name": "weather", "arguments": ARGUMENTS[1]},
    {"type": "function_call_output", "call_id": "a", "output": "22"},
    {"type": "function_call_output", "call_id": "b", "output": "30"},
    {"role": "assistant", "content": [{"type": "output_text", "text": "22 and 30."}]},
]
LLAMA = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "blocks": [{"block_type": "text", "text": ASK["content"]}]},
    {
        "role": "assistant",
        "content": "",
        "additional_kwargs": {"tool_calls": [chat_call("a", ARGUMENTS[0]), chat_call("b", ARGUMENTS[1])]},
    },
    {"role": "tool", "content": "22", "additional_kwargs": {"tool_call_id": "a", "name": "weather"}},
    {"role": "tool", "content": "30", "additional_kwargs": {"tool_call_id": "b", "name": "weather"}},
    {"role": "chatbot", "content": "of no known role"},
    {"role": "assistant", "content": "22 and 30."},
]
LANGCHAIN = [
    {"type": "system", "data": {"content": "Be brief."}},
    {"type": "human", "data": {"content": ASK["content"], "id": "h"}},
    {"type": "human", "data": {"content": ASK["content"], "id": "h"}},
    {
        "type": "ai",
        "data": {
            "content": "",
            "tool_calls": [{"id": "a", "name": "weather", "args": {"city": "北京"}}],
            "invalid_tool_calls": [{"id": "b", "name": "weather", "args": ARGUMENTS[1]}],
        },
    },
    {"type": "tool", "data": {"content": "22", "tool_call_id": "a"}},
    {"type": "tool", "data": {"content": "30", "tool_call_id": "b"}},
    {"type": "remove", "data": {"content": "of no known kind"}},
    {"type": "AIMessageChunk", "data": {"id": "z", "content": "22 "}},
    {"type": "AIMessageChunk", "data": {"id": "z", "content": "and 30."}},
]
FORMS = {
    "chat completions": (openai_items, CHAT),
    "responses": (openai_items, RESPONSES),
    "llama-index": (llama_items, LLAMA),
    "langchain": (langchain_items, LANGCHAIN),
}


@pytest.mark.parametrize("form", FORMS)
def test_one_conversation_in_each_form_is_the_same(form: str) -> None:
    read, messages = FORMS[form]
    said: list[Any] = []
    for item in read(messages):
        match item:
            case Said(role, text):
                said.append((role, text))
            case Reply(text, calls):
                said.append((text or "", [(call.id, call.name, call.arguments, call.fault) for call in calls]))
            case Result(id, _, text, failed):
                said.append((id, text, failed))
    assert said == [
        ("system", "Be brief."),
        ("user", ASK["content"]),
        ("", [("a", "weather", {"city": "北京"}, None), ("b", "weather", {"city": "Rome"}, None)]),
        ("a", "22", False),
        ("b", "30", False),
        ("22 and 30.", []),
    ]


@pytest.mark.parametrize("form", ["chat completions", "responses"])
def test_lists_of_openai_are_known_and_fold(form: str) -> None:
    guest = read_guest(FORMS[form][1])
    assert guest.run.answer == "22 and 30."
    assert [message.role for message in guest.run.messages if message.role == "tool"] == ["tool", "tool"]


def test_calls_at_the_end_are_a_reply_of_their_own() -> None:
    *_, last = openai_items(RESPONSES[:5])
    assert isinstance(last, Reply)
    assert [call.id for call in last.calls] == ["a", "b"]


def test_a_whole_response_brings_its_tokens_and_its_model() -> None:
    whole = {
        "choices": [{"message": CHAT[-1], "finish_reason": "stop"}],
        "model": "m",
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 2}},
    }
    [reply] = openai_items([whole])
    assert isinstance(reply, Reply)
    assert (reply.text, reply.usage, reply.model, reply.finish) == ("22 and 30.", Usage(7, 3, 2), "m", "stop")
    for hollow in ({"choices": []}, {"choices": None}, {"choices": [None]}):
        [reply] = openai_items([hollow])
        assert reply == Reply(None, ())


def test_the_old_single_call_is_one_too() -> None:
    old = {"role": "assistant", "content": None, "function_call": {"name": "weather", "arguments": "[1]"}}
    call, result = openai_items([old, {"role": "function", "name": "weather", "content": "22"}])
    assert isinstance(call, Reply)
    assert call.calls[0].name == "weather"
    assert call.calls[0].fault
    assert result == Result("", "weather", "22")


@pytest.mark.parametrize("content", [{"degrees": 0}, 0, False, 1.5])
def test_a_content_that_is_no_text_is_written_as_json(content: object) -> None:
    *_, result = openai_items([*CHAT[:3], {"role": "tool", "tool_call_id": "a", "content": content}])
    assert isinstance(result, Result)
    assert json.loads(result.text) == content
