"""Anthropic and Gemini: the pure half. Requests are legal for the service, and read back as they were."""

import json
from enum import Enum
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import anthropic_server, gemini_server
from support.histories import anything, arguments, names, said

from hello_agents import ToolRegistry
from hello_agents.core.action import Request
from hello_agents.core.exceptions import BadReply, EmptyReply, ModelRefused, ModelUnavailable
from hello_agents.core.llm import HelloAgentsLLM
from hello_agents.core.message import Message, ToolCall, Usage
from hello_agents.wire import anthropic, gemini
from hello_agents.wire.gemini_schema import gemini_schema

CODECS = [anthropic, gemini]
COMPLAINTS = {anthropic: anthropic_server.complaint_about, gemini: gemini_server.complaint_about}
by_codec = pytest.mark.parametrize("codec", CODECS, ids=["anthropic", "gemini"])
HI = [Message("hi", "user")]


def complaint(codec, request, **options):
    body = codec.encode(request, model="m", **options)
    json.dumps(body, allow_nan=False).encode()
    body.pop("model" if codec is gemini else "stream", None)
    return COMPLAINTS[codec](body)


@st.composite
def two_sided(draw):
    """A history with turns: the user begins and ends, and everybody says something."""
    messages = [Message(draw(said), "system")] if draw(st.booleans()) else []
    messages.append(Message(draw(said), "user"))
    count = 0
    for _ in range(draw(st.integers(0, 4))):
        if draw(st.booleans()):
            messages += [Message(draw(said), "assistant"), Message(draw(said), "user")]
            continue
        calls = [ToolCall(f"call_{count + n}", draw(names), draw(arguments)) for n in range(draw(st.integers(1, 3)))]
        count += len(calls)
        messages.append(Message(draw(st.none() | said), "assistant", tool_calls=calls))
        results = st.tuples(st.text(max_size=9), st.none()) | st.tuples(said, st.just("error"))
        for call in calls:
            text, status = draw(results)
            messages.append(Message(text, "tool", answers=call.id, status=status))
        messages += [Message(draw(said), "user") for _ in range(draw(st.integers(0, 2)))]
    return messages


@by_codec
@given(messages=two_sided(), choice=st.sampled_from(["auto", "none", "required", "add"]))
def test_decode_undoes_encode(codec, messages, choice):
    tool = {"type": "function", "function": {"name": "add", "description": "Adds."}}
    parameters = {"type": "object", "properties": {"a": {"type": "OBJECT" if codec is gemini else "object"}}}
    tool["function"]["parameters"] = parameters | ({"type": "OBJECT"} if codec is gemini else {})
    request = Request(messages, (tool,), choice)
    back = codec.decode_request(codec.encode(request, model="m", temperature=0.5))
    assert back.messages == messages
    assert back.tools == (tool,)
    assert back.tool_choice == choice


@by_codec
@given(messages=anything)
def test_every_history_goes_out_legal(codec, messages):
    assert complaint(codec, Request(messages)) is None


@by_codec
@pytest.mark.parametrize(
    "messages",
    [
        [],
        [Message("be kind", "system")],
        [Message("  ", "user")],
        [Message("yes", "assistant")],
        [Message("hi", "user"), Message("yes", "assistant")],
        [Message("hi", "user"), Message("a", "assistant"), Message("", "user"), Message("b", "assistant")],
        [Message("so far", "summary"), Message("hi", "user")],
        [Message(None, "assistant", tool_calls=[ToolCall("functions.f:0", "f")])],
        [Message(None, "assistant", tool_calls=[ToolCall("a/b", "f"), ToolCall("a.b", "f"), ToolCall("a_b", "f")])],
        [Message(None, "assistant", tool_calls=[ToolCall("a", "f", {"x": float("nan"), "y": "\ud83d"})])],
        [Message("", "user"), Message("x", "tool", answers="nobody")],
        *[
            [
                Message("hi", "user"),
                Message(None, "assistant", tool_calls=[ToolCall("a", "f")]),
                Message(said, "tool", answers="a", status=status),
            ]
            for said in ("", None, " \n")
            for status in ("error", "success", None)
        ],
    ],
)
def test_what_these_protocols_refuse_is_mended(codec, messages):
    assert complaint(codec, Request(messages)) is None


@by_codec
def test_the_system_prompt_stands_apart_and_images_are_refused(codec):
    body = codec.encode(Request([Message("be kind", "system"), Message("hi", "user")]), model="m")
    assert "be kind" in json.dumps(body.get("system", body.get("systemInstruction")))
    assert "be kind" not in json.dumps(body.get("messages", body.get("contents")))
    images = {
        "messages": [{"role": "user", "content": [{"type": "image", "source": {}}]}],
        "contents": [{"role": "user", "parts": [{"inlineData": {"mimeType": "image/png", "data": ""}}]}],
    }
    with pytest.raises(ModelRefused, match=r"image|inlineData"):
        codec.decode_request(images)
    inside = {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "image"}]}
    with pytest.raises(ModelRefused, match="image"):
        anthropic.decode_request({"messages": [{"role": "user", "content": [inside]}]})


def test_parallel_results_share_one_turn_with_what_the_user_says_next():
    calls = [ToolCall("a", "f"), ToolCall("b", "g")]
    messages = [*HI, Message(None, "assistant", tool_calls=calls), Message("1", "tool", answers="a")]
    messages += [Message("2", "tool", answers="b", status="error"), Message("and?", "user")]
    last = anthropic.encode(Request(messages), model="m")["messages"][-1]
    assert [block["type"] for block in last["content"]] == ["tool_result", "tool_result", "text"]
    assert [block.get("is_error") for block in last["content"]] == [None, True, None]
    results, asked = gemini.encode(Request(messages), model="m")["contents"][-2:]
    assert [part["functionResponse"]["name"] for part in results["parts"]] == ["f", "g"]
    assert [part["functionResponse"]["response"] for part in results["parts"]] == [{"output": "1"}, {"error": "2"}]
    assert asked == {"role": "user", "parts": [{"text": "and?"}]}


@pytest.mark.parametrize(
    ("choice", "ours", "theirs"),
    [
        ("auto", {"type": "auto"}, {"mode": "AUTO"}),
        ("none", {"type": "none"}, {"mode": "NONE"}),
        ("required", {"type": "any"}, {"mode": "ANY"}),
        ("add", {"type": "tool", "name": "add"}, {"mode": "ANY", "allowedFunctionNames": ["add"]}),
    ],
)
def test_tool_choice(choice, ours, theirs):
    request = Request(HI, ({"type": "function", "function": {"name": "add"}},), choice)
    assert anthropic.encode(request, model="m")["tool_choice"] == ours
    assert gemini.encode(request, model="m")["toolConfig"] == {"functionCallingConfig": theirs}


def test_settings_go_where_the_protocol_wants_them():
    ours = anthropic.encode(
        Request(HI), model="m", temperature=0.7, extra={"stop": "END", "thinking": {"budget_tokens": 9}}
    )
    assert "temperature" not in ours
    assert (ours["stop_sequences"], ours["max_tokens"]) == (["END"], anthropic.MAX_TOKENS + 9)
    assert anthropic.encode(Request(HI), model="m", max_tokens=5)["max_tokens"] == 5
    extra = {
        "top_p": 0.5,
        "stop": "END",
        "thinking_config": {"includeThoughts": True},
        "safety_settings": [],
        "seed": None,
    }
    theirs = gemini.encode(Request(HI), model="m", temperature=0.7, max_tokens=5, extra=extra)
    assert theirs["generationConfig"] == {
        "temperature": 0.7,
        "maxOutputTokens": 5,
        "topP": 0.5,
        "stopSequences": ["END"],
        "thinkingConfig": {"includeThoughts": True},
    }
    assert theirs["safetySettings"] == []


# Replies


def test_usage_and_finish_reasons_in_one_vocabulary():
    counted = {"input_tokens": 3, "cache_read_input_tokens": 4, "cache_creation_input_tokens": 5, "output_tokens": 6}
    counted["output_tokens_details"] = {"thinking_tokens": 2}
    reply = {"content": [{"type": "text", "text": "x"}], "usage": counted, "model": "claude"}
    for reason, finish in (("end_turn", "stop"), ("max_tokens", "length"), ("tool_use", "tool_calls"), ("new", "new")):
        replied = anthropic.decode(reply | {"stop_reason": reason})
        assert (replied.usage, replied.model, replied.finish) == (Usage(12, 6, 4, 2), "claude", finish)
    counted = {"promptTokenCount": 9, "candidatesTokenCount": 2, "thoughtsTokenCount": 3, "cachedContentTokenCount": 4}
    for reason, finish in (("STOP", "stop"), ("MAX_TOKENS", "length"), ("SAFETY", "content_filter"), ("NEW", "new")):
        candidate = {"content": {"parts": [{"text": "x"}]}, "finishReason": reason}
        replied = gemini.decode({"candidates": [candidate], "usageMetadata": counted, "modelVersion": "g"})
        assert (replied.usage, replied.model, replied.finish) == (Usage(9, 5, 4, 3), "g", finish)


def test_ids_that_are_not_sent_are_made_of_the_step():
    parts = [{"functionCall": {"name": "f", "args": {"a": 1}}}, {"functionCall": {"name": "f"}}]
    replied = gemini.decode({"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]}, step=3)
    assert replied.message.tool_calls == (ToolCall("call_3_0", "f", {"a": 1}), ToolCall("call_3_1", "f"))
    assert replied.finish == "tool_calls"


@pytest.mark.parametrize(
    ("codec", "response", "error"),
    [
        (anthropic, {"content": [], "stop_reason": "end_turn"}, EmptyReply),
        (anthropic, {"content": None}, EmptyReply),
        (anthropic, {"content": [], "stop_reason": "refusal"}, ModelRefused),
        (anthropic, "<html>", BadReply),
        (anthropic, {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}, BadReply),
        (gemini, {"candidates": []}, EmptyReply),
        (gemini, {}, EmptyReply),
        (gemini, {"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL"}]}, EmptyReply),
        (gemini, {"candidates": [{"finishReason": "SAFETY"}]}, ModelRefused),
        (gemini, {"promptFeedback": {"blockReason": "SAFETY"}}, ModelRefused),
        (gemini, {"error": {"code": 503, "message": "busy"}}, ModelUnavailable),
    ],
)
def test_what_is_no_reply(codec, response, error):
    with pytest.raises(error):
        codec.decode(response)


@pytest.mark.parametrize(
    ("codec", "chunks", "error"),
    [
        (anthropic, [], EmptyReply),
        (anthropic, [{"type": "message_start", "message": {}}, {"type": "message_stop"}], EmptyReply),
        (anthropic, [{"type": "ping"}, "text"], BadReply),
        (gemini, [], EmptyReply),
        (gemini, [{"candidates": []}], EmptyReply),
        (gemini, [{"promptFeedback": {"blockReason": "OTHER"}}], ModelRefused),
    ],
)
def test_streams_that_bring_no_reply(codec, chunks, error):
    def replied():
        accumulator = codec.Accumulator()
        for chunk in chunks:
            list(accumulator.feed(chunk))
        return accumulator.finish()

    with pytest.raises(error):
        replied()


def test_arguments_that_are_cut_off_are_a_fault():
    accumulator = anthropic.Accumulator()
    block = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
    for event in (
        {"type": "message_start", "message": {"model": "m"}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": '{"a": "b'}},
    ):
        list(accumulator.feed(event))
    (call,) = accumulator.finish().message.tool_calls
    assert call.arguments == {}
    assert "not valid JSON" in call.fault


def test_a_stream_of_a_server_that_is_less_tidy():
    """Text and thinking that begin inside their blocks, deltas without a block, unknown events, counts left out."""
    events = [
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "hm"}},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "thinking", "thinking": ""}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "thinking_delta", "thinking": "so"}},
        {"type": "content_block_start", "index": 2, "content_block": {"type": "text", "text": "Hel"}},
        {"type": "content_block_delta", "index": 2, "delta": {"type": "text_delta", "text": "lo"}},
        {"type": "content_block_delta", "index": 2, "delta": {"type": "citations_delta", "citation": {}}},
        {"type": "content_block_delta", "index": 3, "delta": {"type": "text_delta", "text": "!"}},
        {"type": "content_block_start", "index": 4, "content_block": {"type": "server_tool_use", "id": "s"}},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn"},
            "usage": {"output_tokens": 3, "input_tokens": 2},
        },
        {"type": "message_delta", "delta": {"stop_reason": None}, "usage": {"output_tokens": 4, "input_tokens": None}},
        {"type": "something_new"},
    ]
    accumulator = anthropic.Accumulator()
    deltas = [delta for event in events for delta in accumulator.feed(event)]
    assert list(accumulator.rest()) == []
    replied = accumulator.finish()
    assert (replied.message.content, replied.message.reasoning) == ("Hello!", "hm\nso")
    assert (replied.usage, replied.finish) == (Usage(2, 4), "stop")
    assert "".join(delta.text for delta in deltas if delta.part == "content") == "Hello!"
    assert "".join(delta.text for delta in deltas if delta.part == "reasoning") == "hm\nso"


# Thinking


THOUGHT = anthropic_server.thinking("hm")
USE = {"type": "tool_use", "id": "a", "name": "f", "input": {"x": 1}}


@pytest.mark.parametrize(
    "blocks",
    [
        [THOUGHT, USE],
        [THOUGHT, {"type": "text", "text": "let me see"}, USE, USE | {"id": "b"}],
        [{"type": "text", "text": "first"}, THOUGHT, {"type": "text", "text": "second"}, USE],
        [{"type": "redacted_thinking", "data": "xyz"}, THOUGHT, USE],
        [{"type": "thinking", "thinking": "", "signature": anthropic_server.sign("")}, {"type": "text", "text": "ok"}],
        [USE, THOUGHT, USE | {"id": "b"}],
    ],
)
def test_signed_thinking_goes_back_block_by_block(blocks):
    message = Message.from_dict(anthropic.decode({"content": blocks}).message.to_dict())
    results = [Message("1", "tool", answers=call.id) for call in message.tool_calls]
    body = anthropic.encode(Request([*HI, message, *results]), model="m")
    assert body["messages"][1]["content"] == blocks


def test_thinking_without_a_signature_goes_back_where_it_is_asked_for():
    wire = {"content": [{"type": "thinking", "thinking": "hm"}, USE]}
    message = anthropic.decode(wire).message
    request = Request([*HI, message, Message("1", "tool", answers="a")])
    sent = anthropic.encode(request, model="m", send_reasoning=True)["messages"][1]["content"]
    assert sent == [{"type": "thinking", "thinking": "hm", "signature": ""}, USE]
    assert anthropic.encode(request, model="m")["messages"][1]["content"] == [USE]
    signed = anthropic.decode({"content": [THOUGHT, USE]}).message
    request = Request([*HI, signed, Message("1", "tool", answers="a")])
    assert anthropic.encode(request, model="m", send_reasoning=True)["messages"][1]["content"] == [THOUGHT, USE]
    for url, asked in [("https://api.deepseek.com/anthropic", True), ("https://api.anthropic.com", False)]:
        body = HelloAgentsLLM("m", "k", url).body(Request([*HI, message]))
        assert ("thinking" in [block["type"] for block in body["messages"][1]["content"]]) is asked


def test_thinking_of_others_stays_here_and_edits_keep_the_signature():
    said_elsewhere = Message("yes", "assistant", reasoning="hm")
    body = anthropic.encode(Request([*HI, said_elsewhere, *HI]), model="m")
    assert body["messages"][1]["content"] == [{"type": "text", "text": "yes"}]
    blocks = [{"type": "text", "text": "first"}, THOUGHT, USE]
    kept = anthropic.decode({"content": blocks}).message.metadata
    edited = Message("other", "assistant", tool_calls=[ToolCall("a", "f")], metadata=kept)
    body = anthropic.encode(Request([*HI, edited]), model="m")
    assert [block["type"] for block in body["messages"][1]["content"]] == ["thinking", "text", "tool_use"]


SIGNATURE = gemini_server.sign("x")


@pytest.mark.parametrize(
    "parts",
    [
        [{"functionCall": {"id": "a", "name": "f", "args": {}}, "thoughtSignature": SIGNATURE}],
        [
            {"text": "let me see"},
            {"functionCall": {"id": "a", "name": "f", "args": {}}, "thoughtSignature": SIGNATURE},
            {"functionCall": {"id": "b", "name": "f", "args": {}}},
        ],
        [{"text": "yes"}, {"text": "", "thoughtSignature": SIGNATURE}],
        [{"text": "yes", "thoughtSignature": SIGNATURE}, {"text": "no"}],
    ],
)
def test_signatures_of_thoughts_go_back_part_by_part(parts):
    thought = {"text": "hm", "thought": True}
    message = gemini.decode({"candidates": [{"content": {"parts": [thought, *parts]}}]}).message
    assert message.reasoning == "hm"
    message = Message.from_dict(message.to_dict())
    results = [Message("1", "tool", answers=call.id) for call in message.tool_calls]
    body = gemini.encode(Request([*HI, message, *results]), model="gemini-3-pro")
    assert body["contents"][1]["parts"] == parts


def test_calls_that_another_model_made_pass_without_a_signature_where_one_is_demanded():
    message = Message(None, "assistant", tool_calls=[ToolCall("a", "f"), ToolCall("b", "f")])
    for model, signatures in (("gemini-3-pro", [gemini.SKIP_SIGNATURE, None]), ("gemini-2.5-flash", [None, None])):
        body = gemini.encode(Request([*HI, message]), model=model)
        assert [part.get("thoughtSignature") for part in body["contents"][1]["parts"]] == signatures


# Schemas


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


def everything(
    a: int,
    b: Literal["x", "y"],
    c: list[dict[str, int]] | None = None,
    d: Colour = Colour.RED,
    e: float | str | None = None,
    f: tuple[int, str] = (1, "a"),
    g: Literal[1, 2] = 1,
    h: dict[str, list[str]] | None = None,
    i: Annotated[bool, "whether"] = True,
) -> str:
    """Takes everything."""
    return ""


def nothing() -> str:
    """Takes nothing."""
    return ""


@by_codec
def test_schemas_of_a_registry_are_accepted(codec):
    registry = ToolRegistry()
    registry.register_function(everything)
    registry.register_function(nothing)
    assert complaint(codec, Request(HI, registry.schemas())) is None


def test_geminis_part_of_json_schema():
    schema = {
        "type": "object",
        "additionalProperties": False,
        "$defs": {
            "Tree": {"type": "object", "properties": {"left": {"$ref": "#/$defs/Tree"}, "n": {"const": 3}}},
            "Colour": {"enum": ["red", "blue"], "title": "Colour"},
        },
        "properties": {
            "tree": {"$ref": "#/$defs/Tree", "description": "a tree"},
            "colour": {"allOf": [{"$ref": "#/$defs/Colour"}], "default": "red"},
            "maybe": {"anyOf": [{"type": "string", "format": "email"}, {"type": "null"}]},
            "either": {"type": ["integer", "string", "null"]},
            "list": {"type": "array", "prefixItems": []},
            "when": {"type": "string", "format": "date-time"},
        },
        "required": ["tree", "gone"],
    }
    made = gemini_schema(schema)
    assert made == {
        "type": "OBJECT",
        "properties": {
            "tree": {
                "description": "a tree",
                "type": "OBJECT",
                "properties": {"left": {"type": "OBJECT"}, "n": {"type": "INTEGER", "description": "One of: 3."}},
            },
            "colour": {"title": "Colour", "default": "red", "type": "STRING", "enum": ["red", "blue"]},
            "maybe": {"type": "STRING", "nullable": True},
            "either": {"anyOf": [{"type": "INTEGER"}, {"type": "STRING"}], "nullable": True},
            "list": {"type": "ARRAY", "items": {"type": "STRING"}},
            "when": {"type": "STRING", "format": "date-time"},
        },
        "required": ["tree"],
    }
    assert gemini_server.about_schema(made, "tools[0].parameters") is None


json_schemas = st.recursive(
    st.fixed_dictionaries(
        {
            "type": st.sampled_from(
                ["string", "integer", "number", "boolean", ["string", "null"], ["integer", "string"]]
            )
        },
        optional={"enum": st.just(["a", "b"]), "format": st.just("email"), "default": st.none(), "const": st.just(1)},
    ),
    lambda inner: st.one_of(
        st.fixed_dictionaries({"type": st.just("object")}, optional={"additionalProperties": inner}),
        st.builds(lambda one: {"type": "object", "properties": {"x": one}, "required": ["x"]}, inner),
        st.builds(lambda one: {"type": "array", "items": one}, inner),
        st.builds(lambda one, other: {"anyOf": [one, other, {"type": "null"}], "default": 1}, inner, inner),
        st.builds(lambda one: {"allOf": [one], "description": "d"}, inner),
        st.just({}),
        st.just({"$ref": "#/$defs/self"}),
    ),
    max_leaves=6,
)


@given(schema=json_schemas)
def test_every_schema_becomes_one_that_gemini_takes(schema):
    given_ = {"type": "object", "properties": {"p": schema}, "$defs": {"self": {"type": "array", "items": schema}}}
    assert gemini_server.about_schema(gemini_schema(given_), "tools[0].parameters") is None
