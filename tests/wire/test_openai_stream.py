"""Streams: however a reply is cut into chunks, the same reply comes out."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.histories import arguments, names, said
from support.openai_server import chunks_of

from hello_agents.core.action import Request
from hello_agents.core.exceptions import BadReply, EmptyReply, RateLimited
from hello_agents.core.message import Message, ToolCall, Usage
from hello_agents.core.run import Delta, Replied
from hello_agents.wire.openai_chat import Accumulator, decode, decode_messages, encode
from hello_agents.wire.thinking import ThinkSplitter


def chunk(finish=None, **delta):
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def call_delta(index=0, id=None, name=None, arguments=None):
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    return chunk(tool_calls=[{"index": index, "id": id, "function": function}])


def accumulated(chunks, step=0):
    accumulator = Accumulator(step=step)
    deltas = [delta for one in chunks for delta in accumulator.feed(one)]
    deltas += accumulator.rest()
    return accumulator.finish(), deltas


def calls(*chunks):
    return list(accumulated(chunks)[0].message.tool_calls)


tagged = st.lists(
    st.sampled_from(["<think>", "</think>", "<th", "ink>", "<", "`", '"', " ", "\n", "a", "b", "。", "🚀"]), max_size=12
).map("".join)


@st.composite
def cut(draw, text):
    """The text in pieces."""
    places = sorted(draw(st.sets(st.integers(0, len(text)), max_size=6)))
    return [text[a:b] for a, b in zip([0, *places], [*places, len(text)], strict=True)]


@given(st.data(), tagged)
def test_however_text_is_cut_the_same_reply_comes_out(data, text):
    whole = {"choices": [{"message": {"content": text}}]}
    chunks = [chunk(content=piece) for piece in data.draw(cut(text))]
    try:
        expected = decode(whole)
    except EmptyReply:
        with pytest.raises(EmptyReply):
            accumulated(chunks)
        return
    assert accumulated(chunks)[0] == expected


@given(st.data(), tagged)
def test_the_splitter_loses_no_letter(data, text):
    def split(pieces):
        splitter = ThinkSplitter()
        out = [part for piece in pieces for part in splitter.feed(piece)] + list(splitter.close())
        return tuple("".join(t for kind, t in out if kind == wanted) for wanted in ("content", "reasoning"))

    once = split([text])
    assert split(data.draw(cut(text))) == once
    for letter in "ab。🚀":
        assert sum(part.count(letter) for part in once) == text.count(letter)


@given(
    st.none() | said.filter(lambda text: "think>" not in text),
    st.lists(st.builds(ToolCall, st.uuids().map(str), names, arguments), max_size=3),
    st.none() | said,
    st.integers(1, 9),
)
def test_streamed_and_whole_replies_are_equal(content, tool_calls, reasoning, size):
    if content is None and not tool_calls:
        return
    replied = Replied(
        Message(content, "assistant", tool_calls=tool_calls, reasoning=reasoning), Usage(3, 2), "m", "stop"
    )
    body = {"stream_options": {"include_usage": True}}
    got, deltas = accumulated(json.loads(json.dumps(list(chunks_of(replied, body, "m", size)))))
    assert got == replied
    for part, text in (("content", content), ("reasoning", reasoning)):
        assert "".join(delta.text for delta in deltas if delta.part == part) == (text or "")
    for position, call in enumerate(tool_calls):
        pieces = [delta for delta in deltas if delta.call == position]
        assert pieces[0].name == call.name
        assert json.loads("".join(piece.text for piece in pieces)) == call.arguments


def test_chunks_without_choices():
    usage = {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 2}, "model": "m"}
    odd = [
        {"choices": []},
        {"choices": None},
        {},
        {"choices": [{"index": 0, "delta": None}]},
        {"choices": [{"delta": {}}]},
    ]
    replied, deltas = accumulated([*odd, chunk(content="A"), usage, chunk(content="B", finish="stop")])
    assert replied == Replied(Message("AB", "assistant"), Usage(5, 2), "m", "stop")
    assert deltas == [Delta("A"), Delta("B")]


@pytest.mark.parametrize(
    "chunks", [[], [{"choices": []}], [chunk()], [chunk(content="")], [chunk(reasoning_content="hm")]]
)
def test_a_stream_that_says_nothing_is_an_error(chunks):
    with pytest.raises(EmptyReply):
        accumulated(chunks)


def test_an_error_in_the_middle_of_a_stream():
    with pytest.raises(RateLimited, match="slow down"):
        accumulated([chunk(content="A"), {"error": {"message": "slow down", "code": 429}}])
    with pytest.raises(BadReply):
        accumulated(["<html>"])


def test_finishing_without_asking_for_the_rest_loses_nothing():
    accumulator = Accumulator()
    assert list(accumulator.feed(chunk(content="a <"))) == [Delta("a ")]
    assert accumulator.finish().message.content == "a <"


def test_only_the_first_choice_counts():
    second = {"choices": [{"index": 1, "delta": {"content": "no"}}]}
    assert accumulated([chunk(content="yes"), second])[0].message.content == "yes"


@pytest.mark.parametrize("index", [0, None])
def test_a_call_without_id_or_index(index):
    replied, deltas = accumulated(
        [call_delta(index, name="f"), call_delta(index, arguments='{"a": "\\u53'), call_delta(index, arguments='17"}')],
        4,
    )
    assert replied.message.tool_calls == (ToolCall("call_4_0", "f", {"a": "北"}),)
    assert [delta.name for delta in deltas] == ["f", None, None]
    assert {delta.call for delta in deltas} == {0}


@pytest.mark.parametrize("ids", [("a", "b"), ("a", "a"), (None, None), ("", "")])
@pytest.mark.parametrize("indexes", [(0, 1), (1, 2), (0, 0), (None, None)])
@pytest.mark.parametrize("same_name", [True, False])
@pytest.mark.parametrize("head", ['{"x":', ""])
def test_two_calls_stay_two_whatever_their_place(ids, indexes, same_name, head):
    """The head of a call comes with the first piece of its arguments or, as with OpenAI, with an empty one."""
    other = "f" if same_name else "g"
    rest = () if head else ('{"x":',)
    got = calls(
        call_delta(indexes[0], ids[0], "f", head),
        *(call_delta(indexes[0], arguments=piece) for piece in (*rest, "1}")),
        call_delta(indexes[1], ids[1], other, head),
        *(call_delta(indexes[1], arguments=piece) for piece in (*rest, "2}")),
    )
    assert [(call.name, call.arguments) for call in got] == [("f", {"x": 1}), (other, {"x": 2})]
    assert len({call.id for call in got}) == 2
    assert all(call.id for call in got)


def test_interleaved_calls_keep_to_their_index():
    got = calls(
        call_delta(0, "a", "f", '{"x"'),
        call_delta(1, "b", "g", '{"y"'),
        call_delta(0, arguments=":1}"),
        call_delta(1, arguments=":2}"),
    )
    assert got == [ToolCall("a", "f", {"x": 1}), ToolCall("b", "g", {"y": 2})]


def test_interleaved_calls_keep_to_their_id_where_there_is_no_index():
    got = calls(
        call_delta(None, "a", "f", '{"x"'),
        call_delta(None, "b", "g", '{"y"'),
        call_delta(None, "a", None, ":1}"),
        call_delta(None, "b", None, ":2}"),
    )
    assert got == [ToolCall("a", "f", {"x": 1}), ToolCall("b", "g", {"y": 2})]


def test_servers_that_repeat_themselves():
    same = calls(*(call_delta(0, "a", "f", piece) for piece in ('{"x"', ":", "1}", "")))
    assert same == [ToolCall("a", "f", {"x": 1})]
    unnamed = calls(*(call_delta(0, None, "f", piece) for piece in ('{"x"', ":", "1}", "")))
    assert [call.arguments for call in unnamed] == [{"x": 1}]


@pytest.mark.parametrize("name", [None, "", "f"])
@pytest.mark.parametrize("index", [0, None])
@pytest.mark.parametrize("pieces", [['{"x"', ":", "1}"], ["", '{"x":', "1}"], ["", '{"x":1}', ""]])
def test_servers_that_make_up_an_id_for_every_piece(name, index, pieces):
    if name == "f" and not pieces[0]:
        return  # Two calls without arguments look the same.

    def call(first, index):
        ids = range(first, first + len(pieces))
        return [
            call_delta(index, f"id-{id}", name if at else "f", piece)
            for at, (id, piece) in enumerate(zip(ids, pieces, strict=True))
        ]

    assert calls(*call(0, index)) == [ToolCall("id-0", "f", {"x": 1})]
    two = calls(*call(0, index), *call(9, index and 1))
    assert [(call.id, call.arguments) for call in two] == [("id-0", {"x": 1}), ("id-9", {"x": 1})]


def test_a_stream_that_ends_in_the_message_as_a_whole():
    message = {"role": "assistant", "content": "Hello", "reasoning_content": "hm"}
    end = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": {"prompt_tokens": 3}}
    pieces = [chunk(role="assistant", content=""), chunk(reasoning_content="hm"), chunk(content="Hel")]
    replied, deltas = accumulated([*pieces, chunk(content="lo"), end])
    assert replied == Replied(Message("Hello", "assistant", reasoning="hm"), Usage(3), None, "stop")
    assert "".join(delta.text for delta in deltas) == "hmHello"
    called = {"choices": [{"message": {"tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{}"}}]}}]}
    assert calls(call_delta(0, "a", "f", "{}"), called) == [ToolCall("a", "f")]
    assert accumulated([chunk(role="assistant"), end])[0].message.content == "Hello"


@pytest.mark.parametrize("holder", ["google", "vertex"])
def test_what_gemini_signs_beside_a_call_goes_back_to_gemini_and_to_nobody_else(holder):
    extra = {holder: {"thought_signature": "c2ln"}}
    wire = [
        {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}, "extra_content": extra},
        {"id": "b", "type": "function", "function": {"name": "f", "arguments": "{}"}},
    ]
    whole = decode({"choices": [{"message": {"tool_calls": wire}}]}).message
    pieces = [chunk(tool_calls=[{"index": at, **call}]) for at, call in enumerate(wire)]
    assert accumulated(pieces)[0].message == whole
    assert decode_messages([{"role": "assistant", "tool_calls": wire}]) == [whole]
    again = Message.from_dict(json.loads(json.dumps(whole.to_dict())))
    request = Request([Message("q", "user"), again, *(Message("1", "tool", answers=id) for id in "ab")])
    for model, beside in [("gemini-3-flash", extra), ("google/gemini-3-pro", extra), ("gpt-4o", None)]:
        sent = encode(request, model=model)["messages"][1]["tool_calls"]
        assert [call.get("extra_content") for call in sent] == [beside, None]
        assert [{**call, "extra_content": None} for call in sent] == [{**call, "extra_content": None} for call in wire]


def test_thinking_in_parts_goes_back_to_gemini_as_it_came():
    seen = {"type": "reasoning.text", "text": "Let me see.", "signature": "s", "format": "f", "index": 0}
    sealed = {"type": "reasoning.encrypted", "data": "c2ln", "id": "a", "format": "f", "index": 1}
    called = {"tool_calls": [{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}
    model = {"model": "google/gemini-3-pro"}
    whole = decode({"choices": [{"message": {**called, "reasoning_details": [seen, sealed]}}], **model}).message
    pieces = [seen | {"text": text, "signature": sign} for text, sign in [("Let ", None), ("me see.", None), ("", "s")]]
    chunks = [chunk(reasoning_details=[piece]) for piece in pieces]
    streamed = accumulated([*chunks, chunk(reasoning_details=[sealed], **called) | model])[0].message
    assert streamed == whole
    request = Request([Message("q", "user"), whole, Message("1", "tool", answers="a")])
    assert encode(request, model="google/gemini-3-pro")["messages"][1]["reasoning_details"] == [seen, sealed]
    assert "reasoning_details" not in encode(request, model="gpt-4o")["messages"][1]
    loose = {"choices": [{"message": {**called, "reasoning_details": [sealed, sealed | {"data": "x"}, sealed]}}]}
    assert decode(loose | model).message.metadata == {"reasoning_details": [sealed, sealed | {"data": "x"}, sealed]}
    assert decode(loose | {"model": "another"}).message.metadata == {}


def test_tokens_that_are_counted_in_the_choice():
    last = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop", "usage": {"prompt_tokens": 3}}]}
    assert accumulated([chunk(content="A"), last])[0].usage == Usage(3)


@pytest.mark.parametrize("id", ["", None, "a"])
def test_a_call_of_nothing_is_none(id):
    nothing = {"id": id, "type": "function", "function": {"name": "", "arguments": ""}}
    old = {"name": "", "arguments": ""}
    for message in ({"tool_calls": [nothing]}, {"function_call": old}):
        whole = {"choices": [{"message": {"content": "hi", **message}}]}
        assert decode(whole).message == Message("hi", "assistant")
        assert accumulated([chunk(content="hi"), chunk(**message)])[0].message == Message("hi", "assistant")
        with pytest.raises(EmptyReply):
            accumulated([chunk(**message)])


def test_an_index_that_comes_late_or_goes():
    assert calls(call_delta(None, "a", "f", "{"), call_delta(0, None, None, "}")) == [ToolCall("a", "f")]
    assert calls(call_delta(0, "a", "f", "{"), call_delta(None, None, None, "}")) == [ToolCall("a", "f")]
    assert calls(call_delta(2, "a", "f", "{}")) == [ToolCall("a", "f")]


def test_a_name_in_pieces():
    assert calls(call_delta(0, "a", "get_"), call_delta(0, None, "weather"), call_delta(0, None, None, "{}")) == [
        ToolCall("a", "get_weather")
    ]


def test_other_shapes_of_a_stream():
    as_object = chunk(tool_calls=[{"id": "a", "function": {"name": "f", "arguments": {"x": "北"}}}])
    assert calls(as_object) == [ToolCall("a", "f", {"x": "北"})]
    old = [chunk(function_call={"name": "f", "arguments": "{"}), chunk(function_call={"arguments": "}"})]
    assert [call.name for call in calls(*old)] == ["f"]
    whole = {"choices": [{"message": {"content": "all at once"}, "finish_reason": "stop"}]}
    assert accumulated([whole])[0].message.content == "all at once"
    assert accumulated([chunk(refusal="No"), chunk(refusal=".")])[0].message.content == "No."


def test_half_a_character_waits_for_its_other_half():
    replied, deltas = accumulated([chunk(content="a\ud83d"), chunk(content="\ude80b"), chunk(content="\ud83d")])
    assert replied.message.content == "a🚀b\ufffd"
    assert [delta.text for delta in deltas] == ["a", "🚀b", "\ufffd"]


def test_thinking_over_chunks_is_told_apart_while_it_comes():
    pieces = ["<th", "ink>\nlet me", " see</thi", "nk>\n", "\nYes", "!"]
    replied, deltas = accumulated([chunk(content=piece) for piece in pieces])
    assert replied.message == Message("Yes!", "assistant", reasoning="let me see")
    assert [(delta.part, delta.text) for delta in deltas] == [
        ("reasoning", "let me"),
        ("reasoning", " see"),
        ("content", "Yes"),
        ("content", "!"),
    ]


def test_truncated_arguments_are_a_fault():
    (call,) = calls(call_delta(0, "a", "f", '{"content":"abc'), chunk(finish="length"))
    assert call.arguments == {}
    assert "position 11" in (call.fault or "")
