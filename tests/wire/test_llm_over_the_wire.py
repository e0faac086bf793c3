"""The real client against a real server: sync, async and streamed, in fair weather and in foul."""

import asyncio
import gc
import traceback
import warnings

import pytest
from support.asking import REQUEST, STREAMS, WAYS
from support.openai_server import Drop, Fault, Late, OpenAIServer, Raw, as_replied, chunks_of, response_of, wait_until

from hello_agents.core.action import Request
from hello_agents.core.exceptions import (
    AuthenticationFailed,
    BadReply,
    ConnectionFailed,
    EmptyReply,
    LLMException,
    ModelRefused,
    ModelTimeout,
    ModelUnavailable,
    RateLimited,
)
from hello_agents.core.llm import HelloAgentsLLM
from hello_agents.core.message import Message, ToolCall, Usage
from hello_agents.core.run import Delta, Replied

KEY = "sk-test-0123456789abcdef"
TOOL = {"type": "function", "function": {"name": "add", "parameters": {"type": "object", "properties": {}}}}


def llm_at(server, **options):
    options = {"max_retries": 0, "timeout": 5} | options
    return HelloAgentsLLM("m", KEY, server.base_url, **options)


REPLIES = [
    "Hello, 世界 🚀",
    "3 <",
    "<think>hm</think>Yes",
    Message("Hm", "assistant", reasoning="because"),
    ToolCall("c1", "add", {"a": 1, "城市": "北京"}),
    [ToolCall("c1", "add", {"a": 1}), ToolCall("c2", "add", {"a": 2})],
    Message("Both", "assistant", tool_calls=[ToolCall("c1", "add", {})]),
    Replied(Message("cut", "assistant"), Usage(5, 4, 3, 2), "other-model", "length"),
]


@pytest.mark.parametrize("reply", REPLIES, ids=str)
def test_four_ways_one_reply(openai_server, reply):
    server = openai_server(*[reply] * 4)
    llm = llm_at(server)
    replies = []
    for way in WAYS:
        *deltas, replied = way(llm)
        assert all(isinstance(delta, Delta) for delta in deltas)
        streams = way in STREAMS
        assert "".join(d.text for d in deltas if d.part == "content") == (replied.message.text if streams else "")
        replies.append(replied)
    assert all(replied == replies[0] for replied in replies)
    assert replies[0].usage == as_replied(reply).usage
    assert [body.get("stream", False) for body in server.requests] == [False, True, False, True]
    for body in server.requests:
        assert body["messages"] == [{"role": "system", "content": "be kind"}, {"role": "user", "content": "你好"}]


@pytest.mark.parametrize("way", WAYS)
def test_the_bytes_are_utf8_without_escapes(openai_server, way, monkeypatch):
    server = openai_server("ok")
    seen = []
    import json

    real = json.loads
    monkeypatch.setattr("support.openai_server.json.loads", lambda text, **kw: seen.append(text) or real(text, **kw))
    way(llm_at(server), Request([Message("你好 \ud83d", "user")]))
    assert any("你好 \ufffd" in text for text in seen)


def both(response):
    """The response as it is, and as a stream of one chunk."""
    return Raw(response, chunks=[response])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("fault", "kind", "status", "retryable"),
    [
        (Fault(400, "no such thing", "invalid_request_error"), ModelRefused, 400, False),
        (Fault(422, "no such thing"), ModelRefused, 422, False),
        (Fault(404, "no such thing"), ModelRefused, 404, False),
        (Fault(401, "no such thing"), AuthenticationFailed, 401, False),
        (Fault(403, "no such thing"), AuthenticationFailed, 403, False),
        (Fault(429, "no such thing", headers={"retry-after": "7"}), RateLimited, 429, True),
        (Fault(429, "no such thing", "insufficient_quota", "insufficient_quota"), RateLimited, 429, False),
        (Fault(500, "no such thing"), ModelUnavailable, 500, True),
        (Fault(503, "no such thing"), ModelUnavailable, 503, True),
        (Fault(408, "no such thing"), ModelTimeout, 408, True),
        (Raw("no such thing", status=502, content_type="text/plain"), ModelUnavailable, 502, True),
        (Raw({"error": "no such thing"}, status=500), ModelUnavailable, 500, True),
        (Raw({"detail": "x", "message": "no such thing"}, status=400), ModelRefused, 400, False),
    ],
)
def test_refusals_become_typed_errors_with_the_providers_words(openai_server, way, fault, kind, status, retryable):
    server = openai_server(fault)
    with pytest.raises(kind) as caught:
        way(llm_at(server))
    error = caught.value
    assert type(error) is kind
    assert (error.status, error.retryable, error.provider_message) == (status, retryable, "no such thing")
    assert "no such thing. " in str(error)
    assert server.base_url in str(error)
    if status == 429:
        assert error.retry_after == (7.0 if retryable else None)
    assert len(server.requests) == 1


@pytest.mark.parametrize("way", WAYS)
def test_the_client_repeats_what_may_pass(openai_server, way):
    server = openai_server(
        Fault(503, headers={"retry-after-ms": "1"}), Fault(429, headers={"retry-after-ms": "1"}), "at last"
    )
    assert way(llm_at(server, max_retries=2))[-1].message.content == "at last"
    assert len(server.requests) == 3


NOTHING = {"choices": [{"index": 0, "message": {"content": None}, "finish_reason": "stop"}]}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "nothing",
    [
        both(NOTHING),
        both({"choices": []}),
        both({"choices": None}),
        both({"error": {"message": "hiccup", "type": "server_error"}}),
        Raw("<html>a login page</html>", chunks=["not json"], content_type="text/html"),
        Raw("{half", chunks=["{half"]),
        Raw("", chunks=[]),
    ],
    ids=str,
)
def test_an_unreadable_reply_is_asked_for_once_more(openai_server, way, nothing):
    server = openai_server(nothing, "now", nothing, nothing)
    llm = llm_at(server)
    assert way(llm)[-1].message.content == "now"
    with pytest.raises(BadReply) as caught:
        way(llm)
    assert caught.value.retryable
    assert len(server.requests) == 4


@pytest.mark.parametrize("way", WAYS)
def test_neither_text_nor_calls(openai_server, way):
    with pytest.raises(EmptyReply, match="neither text nor calls"):
        way(llm_at(openai_server(both(NOTHING), both(NOTHING))))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("error", "kind"),
    [({"message": "busy", "code": 429}, RateLimited), ({"message": "bad", "code": "400"}, ModelRefused)],
)
def test_an_error_with_status_200(openai_server, way, error, kind):
    server = openai_server(both({"error": error}))
    with pytest.raises(kind, match=error["message"]):
        way(llm_at(server))
    assert len(server.requests) == 1


def told_as_success(body):
    """A failure with a success's status, also where a stream was asked for."""
    return Raw(body, content_type="application/json")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"error": {"message": "no such thing", "code": 404}}, ModelRefused),
        ([{"error": {"message": "no such thing", "code": 503, "status": "UNAVAILABLE"}}], ModelUnavailable),
        ({"object": "error", "message": "no such thing", "code": 400}, ModelRefused),
        ({"code": 500, "msg": "no such thing", "success": False}, ModelUnavailable),
        ({"detail": "no such thing", "choices": None}, BadReply),
        ({"choices": None, "base_resp": {"status_code": 1004, "status_msg": "no such thing"}}, BadReply),
    ],
)
def test_a_failure_told_as_success_keeps_the_providers_words(openai_server, way, body, kind):
    server = openai_server(*[told_as_success(body)] * 2)
    with pytest.raises(kind) as caught:
        way(llm_at(server))
    assert type(caught.value) is kind
    assert caught.value.provider_message == "no such thing"
    assert server.base_url in str(caught.value)


@pytest.mark.parametrize("way", WAYS)
def test_a_page_where_a_reply_was_due_points_to_the_address(openai_server, way):
    page = Raw("<!doctype html><title>Console</title>", content_type="text/html; charset=utf-8")
    with pytest.raises(BadReply, match=r"Console.*often ends in /v1"):
        way(llm_at(openai_server(page, page)))


@pytest.mark.parametrize("way", WAYS)
def test_an_error_in_a_list_is_read_and_understood(openai_server, way):
    error = {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT"}
    error["details"] = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]
    with pytest.raises(AuthenticationFailed) as caught:
        way(llm_at(openai_server(Raw([{"error": error}], status=400))))
    assert caught.value.provider_message == "API key not valid."


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "fault",
    [
        Fault(402, "Insufficient Balance", "unknown_error", "invalid_request_error"),
        Fault(429, "Your account is suspended", "exceeded_current_quota_error"),
    ],
)
def test_an_account_that_is_used_up_is_not_asked_again(openai_server, way, fault):
    server = openai_server(fault, "no")
    with pytest.raises(RateLimited, match="top it up") as caught:
        way(llm_at(server))
    assert not caught.value.retryable


@pytest.mark.parametrize(
    ("written", "least", "most"),
    [
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0, 0),
        ("Wed, 21 Oct 2150 07:28:00 GMT", 1e9, 1e10),
        ("-3", 0, 0),
        ("soon", None, None),
    ],
)
def test_the_time_to_wait_is_seconds_or_a_date(openai_server, written, least, most):
    with pytest.raises(RateLimited) as caught:
        llm_at(openai_server(Fault(429, headers={"retry-after": written}))).reply(REQUEST)
    waits = caught.value.retry_after
    assert waits is None if least is None else least <= waits <= most


SAID = 'data: {"choices":[{"index":0,"delta":{"content":"hi"}}]}\n\n'
ENDED = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


@pytest.mark.parametrize("way", STREAMS)
@pytest.mark.parametrize("kind", ["text/event-stream", "application/json", "text/plain"])
@pytest.mark.parametrize(
    "text",
    [
        f": OPENROUTER PROCESSING\n\n{SAID}: keep-alive\n\n{ENDED}",
        f"retry: 3000\n\n{SAID}{ENDED}",
        f"id: 1\n\n{SAID}\n{ENDED}",
        f"data:\n\n{SAID}data: \n\n{ENDED}",
        f"event: ping\ndata:\n\n{SAID}event: ping\ndata: {{}}\n\n{ENDED}",
        f"{SAID}{ENDED}".replace("\n", "\r\n"),
    ],
)
def test_signs_of_life_in_a_stream_are_nothing(openai_server, way, kind, text):
    server = openai_server(Raw(text, content_type=kind))
    *deltas, replied = way(llm_at(server))
    assert (deltas, replied.message.content, replied.finish) == ([Delta("hi")], "hi", "stop")
    assert len(server.requests) == 1


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "kind", ["text/plain", "application/octet-stream", "text/html", "application/problem+json", ""]
)
def test_json_under_another_name(openai_server, way, kind):
    reply = Raw(response_of(as_replied("Hello"), "m"), content_type=kind)
    assert way(llm_at(openai_server(reply)))[-1].message.content == "Hello"


@pytest.mark.parametrize("way", STREAMS)
def test_a_server_that_answers_at_once_though_a_stream_was_asked_for(openai_server, way):
    reply = as_replied(Message("Both", "assistant", tool_calls=[ToolCall("c1", "add", {"a": 1})]))
    *deltas, replied = way(llm_at(openai_server(Raw(response_of(reply, "m")))))
    assert (replied.message, replied.usage) == (reply.message, reply.usage)
    assert [delta.text for delta in deltas] == ["Both", '{"a": 1}']


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("status", [200, 500])
def test_a_body_that_cannot_be_unpacked(openai_server, way, status):
    broken = Raw("no", status=status, headers={"content-encoding": "gzip"}, content_type="text/event-stream")
    with pytest.raises(ConnectionFailed):
        way(llm_at(openai_server(broken, broken)))


@pytest.mark.parametrize("way", WAYS)
def test_a_server_that_is_late(openai_server, way):
    server = openai_server(Late(30))
    with pytest.raises(ModelTimeout, match=r"within 0\.2 s"):
        way(llm_at(server, timeout=0.2))


@pytest.mark.parametrize("way", WAYS)
def test_a_connection_that_breaks(openai_server, way):
    server = openai_server(Drop(), Drop("Hello over there", after=3))
    llm = llm_at(server)
    for _ in range(2):
        with pytest.raises(ConnectionFailed, match="connection to"):
            way(llm)


@pytest.mark.parametrize("way", STREAMS)
def test_a_stream_that_breaks_is_not_begun_again(openai_server, way):
    server = openai_server(Drop("Hello over there", after=3), "no")
    with pytest.raises(ConnectionFailed):
        way(llm_at(server, max_retries=2))
    assert len(server.requests) == 1


@pytest.mark.parametrize("way", STREAMS)
@pytest.mark.parametrize(
    "said",
    [
        [{"content": "The answer is n"}],
        [{"reasoning_content": "hm"}, {"content": "N"}],
        [{"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f", "arguments": '{"x": 1}'}}]}],
    ],
)
def test_a_stream_that_is_closed_before_its_end_is_no_reply(openai_server, way, said):
    pieces = [{"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in said]
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    server = openai_server(
        Raw(chunks=pieces, done=False), Raw(chunks=pieces, done=True), Raw(chunks=[*pieces, end], done=False)
    )
    llm = llm_at(server, max_retries=2)
    with pytest.raises(ConnectionFailed, match="broke off") as caught:
        way(llm)
    assert caught.value.retryable
    assert len(server.requests) == 1
    assert way(llm)[-1].message == way(llm)[-1].message


@pytest.mark.parametrize("way", STREAMS)
def test_nor_is_one_that_turns_into_an_error(openai_server, way):
    said = {"choices": [{"index": 0, "delta": {"content": "Hel"}}]}
    server = openai_server(Raw(chunks=[said, {"error": {"message": "hiccup"}}]), "no")
    with pytest.raises(BadReply, match="hiccup"):
        way(llm_at(server))
    assert len(server.requests) == 1


@pytest.mark.parametrize("way", WAYS)
def test_nobody_there(way):
    with OpenAIServer() as server:
        address = server.base_url
    with pytest.raises(ConnectionFailed, match="Check LLM_BASE_URL"):
        way(HelloAgentsLLM("m", KEY, address, max_retries=0))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "fault",
    [
        None,
        Fault(500, f"upstream said: Authorization: Bearer {KEY}"),
        Raw(f"proxy: key {KEY} is unknown", status=502, content_type="text/plain"),
        Raw({"error": {"message": f"key {KEY}"}}, chunks=[{"error": {"message": f"key {KEY}"}}]),
        Fault(400, "short: local-key-1"),
        *[
            Raw(body, status=status, content_type=kind)
            for status in (200, 400)
            for body, kind in [
                ({"error": {"message": f"keys {KEY} local-key-1"}}, "application/json"),
                ({"error": f"keys {KEY} local-key-1"}, "application/json"),
                ({"msg": f"keys {KEY} local-key-1"}, "application/json"),
                ({"error": {"key": [KEY, "local-key-1"]}}, "application/json"),
                ([KEY, "local-key-1"], "application/json"),
                (f"keys {KEY} local-key-1", "text/html"),
                (f"{'x' * 194} local-key-1", "text/html"),
                (f"{'x' * 190} {KEY}", "text/html"),
            ]
        ],
    ],
)
@pytest.mark.parametrize("key", [KEY, "local-key-1"])
def test_no_key_in_any_text(openai_server, way, fault, key):
    server = openai_server(fault, fault, api_key="another") if fault is None else openai_server(fault, fault)
    llm = HelloAgentsLLM("m", key, server.base_url, max_retries=0)
    with pytest.raises(LLMException) as caught:
        way(llm)
    shown = "".join(traceback.format_exception(caught.value)) + repr(caught.value) + caught.value.provider_message
    assert llm.api_key not in shown
    assert llm.api_key[:6] not in shown
    transport = llm._endpoint.transport
    assert not any(llm.api_key in repr(held) for held in (llm, llm._endpoint, transport, *vars(transport).values()))


def test_one_client_for_all_calls_and_one_for_each_loop(openai_server):
    server = openai_server(*["ok"] * 9)
    llm = llm_at(server)
    with warnings.catch_warnings():
        warnings.simplefilter("error")

        async def several():
            return await asyncio.gather(*(llm.areply(REQUEST) for _ in range(3)))

        for _ in range(2):
            assert len(asyncio.run(several())) == 3
            wait_until(lambda: server.connections == 0)
        assert len(llm._endpoint.transport._clients._async) == 1  # The one of the last loop, until another begins.
        for _ in range(3):
            llm.reply(REQUEST)
        gc.collect()
    llm.close()


async def test_both_kinds_of_asking_inside_a_running_loop(openai_server):
    server = openai_server("1", "2", "3", "4")
    llm = llm_at(server)
    assert (await llm.areply(REQUEST)).message.content == "1"
    assert llm.reply(REQUEST).message.content == "2"
    await llm.aclose()
    assert (await llm.areply(REQUEST)).message.content == "3"
    llm.close()
    assert llm.reply(REQUEST).message.content == "4"
    await llm.aclose()
    await llm.aclose()


@pytest.mark.parametrize("ask", ["sync", "async"])
async def test_a_reader_who_leaves_closes_the_stream(openai_server, ask):
    waiting = []

    def endless(body):
        def chunks():
            while True:
                waiting.append(1)
                yield {"choices": [{"index": 0, "delta": {"content": "word " * 2000}}]}

        return Raw(chunks=chunks())

    server = openai_server(endless, "next")
    llm = llm_at(server)
    if ask == "sync":
        parts = llm.stream(REQUEST)
        assert next(parts).text.startswith("word")
        parts.close()
        assert llm.reply(REQUEST).message.content == "next"
    else:
        parts = llm.astream(REQUEST)
        assert (await anext(parts)).text.startswith("word")
        await parts.aclose()
        assert (await llm.areply(REQUEST)).message.content == "next"
    count = [0]

    def still():
        before, count[0] = count[0], len(waiting)
        return before == count[0]

    wait_until(still)
    await llm.aclose()


async def test_a_cancelled_question_leaves_a_model_that_works(openai_server):
    server = openai_server(Late(30), "ok")
    llm = llm_at(server)
    task = asyncio.create_task(llm.areply(REQUEST))
    while not server.requests:
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await llm.areply(REQUEST)).message.content == "ok"
    await llm.aclose()


def test_tools_travel_and_come_back(openai_server):
    server = openai_server(ToolCall("c1", "add", {"a": 1}), "2")
    llm = llm_at(server, send_reasoning=True)
    question = Message("1+1", "user")
    asked = llm.reply(Request([question], [TOOL], "required")).message
    done = llm.reply(Request([question, asked, Message("2", "tool", answers="c1")], [TOOL], "none")).message
    assert done.content == "2"
    assert [body["tool_choice"] for body in server.requests] == ["required", "none"]
    assert server.requests[1]["messages"][1]["tool_calls"][0]["function"] == {"name": "add", "arguments": '{"a": 1}'}


def test_thinking_goes_back_only_where_it_is_asked_for(openai_server):
    server = openai_server("a", "b")
    history = Request([Message("q", "user"), Message("x", "assistant", reasoning="why"), Message("r", "user")])
    llm_at(server).reply(history)
    llm_at(server, send_reasoning=True).reply(history)
    assert [body["messages"][1].get("reasoning_content") for body in server.requests] == [None, "why"]


def test_a_model_behind_the_server():
    class Echo:
        def stream(self, request):
            text = request.messages[-1].text
            yield Delta(text[:2])
            yield Delta(text[2:])
            yield Replied(Message(text, "assistant"), Usage(1, 1), None, "stop")

        async def astream(self, request):
            for part in self.stream(request):
                yield part

    with OpenAIServer(Echo()) as server:
        for way in WAYS:
            assert way(llm_at(server))[-1].message.content == "你好"


def test_the_response_and_its_chunks_tell_the_same():
    replied = as_replied("Hello")
    assert response_of(replied, "m")["choices"][0]["message"]["content"] == "Hello"
    assert len(list(chunks_of(replied, {}, "m"))) == 3


def test_the_offline_model_gives_the_same_reply_through_the_server(openai_server):
    from hello_agents.offline.offline_llm import OfflineLLM

    server = openai_server(OfflineLLM())
    question = Request([Message("What is 15 * 23 + 45?", "user")])
    direct = HelloAgentsLLM("offline").reply(question).message
    for way in WAYS:
        assert way(llm_at(server), question)[-1].message == direct
