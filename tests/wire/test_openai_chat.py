"""Chat Completions as pure functions: bodies, replies, and what servers make of both."""

import json

import pytest
from hypothesis import given
from support.histories import anything, legal

from hello_agents.core.action import Request
from hello_agents.core.exceptions import (
    AuthenticationFailed,
    BadReply,
    EmptyReply,
    ModelRefused,
    ModelUnavailable,
    RateLimited,
)
from hello_agents.core.message import Message, ToolCall, Usage
from hello_agents.core.run import Replied
from hello_agents.wire import openai_chat
from hello_agents.wire.openai_chat import decode, decode_messages, decode_request, encode, encode_messages

TOOL = {"type": "function", "function": {"name": "f", "description": "天气", "parameters": {"type": "object"}}}


def reply(finish="stop", usage=None, **message):
    return {"choices": [{"message": message, "finish_reason": finish}], "usage": usage, "model": "m-1"}


def wire_call(arguments, id="c", name="f"):
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


# Requests


@given(legal(reasoning=True))
def test_decode_undoes_encode_on_legal_histories(history):
    wire = encode_messages(history, send_reasoning=True)
    assert len(wire) == len(history)
    assert decode_messages(json.loads(json.dumps(wire, ensure_ascii=False))) == history


@given(anything)
def test_encode_undoes_decode_and_every_body_is_utf8(history):
    wire = encode_messages(history)
    json.dumps(wire, ensure_ascii=False).encode()
    assert encode_messages(decode_messages(wire)) == wire


@given(legal())
def test_earlier_thinking_stays_here_unless_asked_for(history):
    assert not any("reasoning_content" in message for message in encode_messages(history))


def test_a_call_without_thinking_is_sent_with_some_where_it_is_asked_for():
    """Two providers refuse such a call, and one of them an empty text as well."""
    call = Message(None, "assistant", tool_calls=[ToolCall("a", "f")])
    history = [Message("q", "user"), call, Message("1", "tool", answers="a"), Message("yes", "assistant")]
    wire = encode_messages(history, send_reasoning=True)
    assert [message.get("reasoning_content") for message in wire] == [None, " ", None, None]
    assert decode_messages(wire) == history
    assert not any("reasoning_content" in message for message in encode_messages(history))


def test_the_body_has_what_the_request_says_and_no_more():
    request = Request([Message("hi", "user", metadata={"x": 1})], at=("frame", 7))
    assert encode(request, model="m") == {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
    assert encode(
        request, model="m", temperature=0.1, max_tokens=5, stream=True, extra={"seed": 1, "temperature": None}
    ) == {
        "model": "m",
        "messages": [{"role": "user", "content": "hi"}],
        "max_tokens": 5,
        "stream": True,
        "stream_options": {"include_usage": True},
        "seed": 1,
    }


def test_a_round_on_the_wire():
    calls = [ToolCall("1", "f", {"city": "北京"}), ToolCall("2", "g", {}, fault="not valid JSON")]
    history = [Message(None, "assistant", tool_calls=calls), Message("晴", "tool", answers="1", status="success")]
    assert encode_messages(history)[:2] == [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [wire_call('{"city": "北京"}', "1"), wire_call("{}", "2", "g")],
        },
        {"role": "tool", "tool_call_id": "1", "content": "晴"},
    ]


@pytest.mark.parametrize("choice", ["auto", "none", "required", "f"])
def test_tool_choice(choice):
    body = encode(Request([Message("q", "user")], [TOOL], choice), model="m")
    expected = {"type": "function", "function": {"name": "f"}} if choice == "f" else choice
    assert body["tool_choice"] == expected
    assert body["tools"] == [TOOL]
    assert decode_request(body).tool_choice == choice
    assert "tool_choice" not in encode(Request([Message("q", "user")], (), choice), model="m")


@pytest.mark.parametrize("model", ["o1", "o3-mini", "openai/o4-mini", "gpt-5", "gpt-5-mini", "gpt-5.2"])
def test_models_that_refuse_a_temperature_are_sent_none(model):
    body = encode(Request([Message("q", "user")]), model=model, temperature=0.7, max_tokens=9)
    assert "temperature" not in body
    assert (body["max_completion_tokens"], "max_tokens" in body) == (9, False)


@pytest.mark.parametrize("model", ["gpt-4o", "deepseek-chat", "qwen3", "o1one", "phi-o3"])
def test_other_models_are_sent_it(model):
    assert encode(Request([]), model=model, temperature=0.7)["temperature"] == 0.7


def test_dictionaries_of_older_code_are_read():
    image = {"type": "image_url", "image_url": {"url": "x"}}
    assert decode_messages(
        [
            {"role": "developer", "content": "S"},
            {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
            Message("kept", "user"),
            {"role": "assistant", "tool_calls": [wire_call({"a": 1})]},
        ]
    ) == [
        Message("S", "system"),
        Message("ab", "user"),
        Message("kept", "user"),
        Message(None, "assistant", tool_calls=[ToolCall("c", "f", {"a": 1})]),
    ]
    with pytest.raises(ModelRefused, match="'image_url'"):
        decode_messages([{"role": "user", "content": [image]}])
    for role in ("robot", None, ["user"]):
        with pytest.raises(ModelRefused, match=r"Message 0 has the role"):
            decode_messages([{"role": role, "content": "x"}])


# Replies


def test_a_reply_with_everything():
    usage = {
        "prompt_tokens": 9,
        "completion_tokens": 4,
        "prompt_tokens_details": {"cached_tokens": 3},
        "completion_tokens_details": {"reasoning_tokens": 2},
    }
    wire = reply("tool_calls", usage, content="Hm", reasoning_content="so", tool_calls=[wire_call('{"x": 1}')])
    assert decode(wire) == Replied(
        Message("Hm", "assistant", tool_calls=[ToolCall("c", "f", {"x": 1})], reasoning="so"),
        Usage(9, 4, 3, 2),
        "m-1",
        "tool_calls",
    )


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {},
        {"prompt_tokens": None, "prompt_tokens_details": None},
        "?",
        {"prompt_tokens": "9"},
        *[{"prompt_tokens": float(word)} for word in ("inf", "-inf", "nan")],
    ],
)
def test_tokens_that_are_not_told_are_nought(usage):
    assert decode(reply(usage=usage, content="x")).usage == Usage()


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"content": None},
        {"content": ""},
        {"content": " \n"},
        {"content": "", "tool_calls": []},
        {"content": "<think>and then"},
        {"content": [], "reasoning_content": "hm"},
    ],
)
def test_a_reply_that_says_and_calls_nothing_is_an_error(message):
    with pytest.raises(EmptyReply) as caught:
        decode(reply("length", **message))
    assert caught.value.retryable
    assert "'length'" in str(caught.value)


@pytest.mark.parametrize("choices", [[], None, "x", [None], {}])
def test_no_choices(choices):
    with pytest.raises(EmptyReply):
        decode({"choices": choices})
    with pytest.raises(EmptyReply):
        decode({})


@pytest.mark.parametrize("response", [None, "<html>502</html>", [1], 3, b"x"])
def test_what_is_no_object_is_a_bad_reply(response):
    with pytest.raises(BadReply, match="base URL"):
        decode(response)


@pytest.mark.parametrize(
    ("error", "kind", "retryable"),
    [
        ({"message": "overloaded", "code": 503}, ModelUnavailable, True),
        ({"message": "overloaded", "code": "429"}, RateLimited, True),
        ({"message": "overloaded", "type": "insufficient_quota"}, RateLimited, False),
        ({"message": "overloaded", "code": 401}, AuthenticationFailed, False),
        ({"message": "overloaded", "code": 400}, ModelRefused, False),
        ({"message": "overloaded", "type": "server_error"}, BadReply, True),
        ("overloaded", BadReply, True),
    ],
)
def test_an_error_where_a_reply_was_due(error, kind, retryable):
    with pytest.raises(kind) as caught:
        decode({"error": error, "choices": None})
    assert type(caught.value) is kind
    assert caught.value.provider_message == "overloaded"
    assert caught.value.retryable is retryable
    assert "overloaded" in str(caught.value)


def test_ids_that_are_missing_or_equal_are_made_up_the_same_each_time():
    wire = reply(tool_calls=[wire_call("{}", id) for id in (None, "a", "a", "", "call_3_0")])
    ids = [call.id for call in decode(wire, step=3).message.tool_calls]
    assert ids == ["call_3_0_", "a", "call_3_2", "call_3_3", "call_3_0"]
    assert [call.id for call in decode(wire, step=3).message.tool_calls] == ids


def test_malformed_arguments_are_kept_as_written():
    message = decode(reply(tool_calls=[wire_call('{"a":1,}'), wire_call("{}", "d")])).message
    assert message.tool_calls[0].fault.startswith("The arguments are not valid JSON at position 7")
    assert message.metadata == {openai_chat.MALFORMED: {"c": '{"a":1,}'}}
    assert encode_messages([message])[0]["tool_calls"][0] == wire_call("{}")


def test_other_shapes_of_a_reply():
    old = decode(reply(content=None, function_call={"name": "f", "arguments": '{"a": 1}'})).message
    assert old.tool_calls == (ToolCall("call_0_0", "f", {"a": 1}),)
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "Yes"},
        {"type": "image"},
    ]
    assert decode(reply(content=parts)).message == Message("Yes", "assistant", reasoning="hm")
    assert decode(reply(content=None, refusal="No.")).message.content == "No."
    assert decode(reply(content="a", reasoning="b")).message.reasoning == "b"
    assert decode(reply(content="x\ud83d")).message.content == "x\ufffd"


@pytest.mark.parametrize(
    ("text", "content", "reasoning"),
    [
        ("<think>a</think>b", "b", "a"),
        ("<think>\na\n</think>\n\nb\n", "b\n", "a"),
        ('<think>{"plan": 0}</think>{"plan": 1}', '{"plan": 1}', '{"plan": 0}'),
        ("<think></think>b", "b", None),
        ("<think>a</think>b<think>c</think>d", "bd", "a\nc"),
        ("Sure. <think>a</think> b", "Sure. b", "a"),
        ("b <think>never closed", "b ", "never closed"),
        ("a\n</think>\n\nb", "b", "a"),
        ("Write `<think>` first.", "Write `<think>` first.", None),
        ("1 < 2, <thin, </think> inline", "1 < 2, <thin, </think> inline", None),
    ],
)
def test_thinking_between_tags_is_never_the_answer(text, content, reasoning):
    assert decode(reply(content=text)).message == Message(content, "assistant", reasoning=reasoning)


def test_both_kinds_of_thinking():
    assert decode(reply(content="<think>b</think>c", reasoning_content="a")).message.reasoning == "a\nb"
