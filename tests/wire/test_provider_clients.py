"""The real clients of Anthropic and Gemini against servers of our own: in fair weather, in foul, and with agents."""

import asyncio
import subprocess
import sys
import traceback

import pytest
from support.anthropic_server import thinking
from support.asking import REQUEST, STREAMS, WAYS
from support.gemini_server import sign
from support.openai_server import Drop, Fault, Late, Raw, wait_until

from hello_agents import HelloAgentsLLM, ReActAgent, SimpleAgent, ToolRegistry
from hello_agents.core.action import Request
from hello_agents.core.exceptions import (
    AuthenticationFailed,
    BadReply,
    ConfigException,
    ConnectionFailed,
    EmptyReply,
    ModelRefused,
    ModelTimeout,
    ModelUnavailable,
    RateLimited,
)
from hello_agents.core.llm_adapters import AnthropicAdapter, GeminiAdapter, create_adapter
from hello_agents.core.message import Message, ToolCall, Usage
from hello_agents.core.run import Delta, Replied
from hello_agents.offline.scripted import ScriptedLLM

KEY = "sk-test-0123456789abcdef"
TOOL = {"type": "function", "function": {"name": "add", "parameters": {"type": "object", "properties": {}}}}
PROVIDERS = ["anthropic", "gemini"]


@pytest.fixture(params=PROVIDERS)
def provider(request):
    return request.param


@pytest.fixture
def serve(provider, request):
    """Starts a server of the provider's kind."""
    return request.getfixturevalue(f"{provider}_server")


@pytest.fixture
def ask(provider):
    """Makes a model at a server."""

    def make(server, model="gemini-3-flash", **options):
        options = {"max_retries": 0, "timeout": 5, "provider": provider} | options
        return HelloAgentsLLM(model, KEY, server.base_url, **options)

    return make


REPLIES = {
    "text": Message("Hello, 世界!\nHow are you?", "assistant"),
    "call": Message(None, "assistant", tool_calls=[ToolCall("a", "add", {"x": 1, "words": ["é", None]})]),
    "parallel": Message(
        "Let me see.",
        "assistant",
        tool_calls=[ToolCall("a", "add", {"x": 1}), ToolCall("b", "add"), ToolCall("c", "sub", {"y": {"z": 2.5}})],
    ),
    "thinking": Message("Yes.", "assistant", reasoning="The user asks whether.\nYes."),
    "thinking and calling": Message(None, "assistant", reasoning="hm", tool_calls=[ToolCall("a", "add", {"x": 1})]),
}


@pytest.mark.parametrize("message", REPLIES.values(), ids=REPLIES.keys())
def test_four_ways_of_asking_give_the_same_reply(serve, ask, message):
    usage = Usage(20, 9, 5, 4 if message.reasoning else 0)
    server = serve(*[Replied(message, usage, "loopback")] * 4)
    llm = ask(server)
    replies = []
    for way in WAYS:
        *deltas, replied = way(llm, Request(REQUEST.messages, (TOOL,), at=("", 2)))
        replies.append(replied)
        assert all(isinstance(delta, Delta) for delta in deltas)
        if way in STREAMS:
            for part, whole in (("content", message.text), ("reasoning", message.reasoning or "")):
                assert "".join(delta.text for delta in deltas if delta.part == part) == whole
            begun = [(delta.call, delta.name) for delta in deltas if delta.name]
            assert begun == [(at, call.name) for at, call in enumerate(message.tool_calls)]
    assert replies[1:] == replies[:1] * 3
    reply = replies[0]
    assert (reply.usage, reply.model) == (usage, "loopback")
    assert reply.finish == ("tool_calls" if message.tool_calls else "stop")
    assert (reply.message.content, reply.message.reasoning) == (message.content, message.reasoning)
    assert [(call.name, call.arguments) for call in reply.message.tool_calls] == [
        (call.name, call.arguments) for call in message.tool_calls
    ]
    assert len({call.id for call in reply.message.tool_calls}) == len(message.tool_calls)
    assert all(request == server.requests[0] for request in server.requests if "stream" not in request)


# With agents


def registry():
    tools = ToolRegistry()

    def add(a: int, b: int = 2) -> str:
        """Adds two numbers.

        Args:
            a: The first.
            b: The second.
        """
        return str(a + b)

    def fails() -> str:
        """Fails."""
        raise ValueError("no")

    tools.register_function(add)
    tools.register_function(fails)
    return tools


@pytest.mark.parametrize("kind", [SimpleAgent, ReActAgent])
@pytest.mark.parametrize("way", ["run", "arun", "stream"])
def test_agents_call_tools_in_parallel_and_remember_the_turn_before(serve, ask, kind, way):
    calls = [ToolCall("a", "add", {"a": 1}), ToolCall("b", "add", {"a": 3, "b": 4}), ToolCall("c", "fails")]
    server = serve(
        Message("Let me see.", "assistant", tool_calls=calls, reasoning="add them"),
        ToolCall("d", "add", {"a": 10}),
        "It is 12.",
        "As I said.",
    )
    agent = kind("assistant", ask(server), tool_registry=registry())

    def question(text):
        match way:
            case "run":
                return agent.run(text)
            case "arun":
                return asyncio.run(agent.arun(text))
            case _:
                return "".join(agent.stream_run(text))

    assert question("Add.").endswith("It is 12.")
    assert question("Again?").endswith("As I said.")
    assert len(server.requests) == 4
    asked = str(server.requests[3])
    assert all(words in asked for words in ("Add.", "'3'", "'7'", "It is 12.", "Again?"))


@pytest.mark.parametrize("kind", [SimpleAgent, ReActAgent])
def test_a_scripted_model_behind_the_wire_walks_as_it_does_without(serve, ask, kind):
    def script():
        return ScriptedLLM([ToolCall("call_0_0", "add", {"a": 1}), ToolCall("call_0_1", "add", {"a": 5})], "3 and 7")

    direct = kind("assistant", script(), tool_registry=registry())
    behind = kind("assistant", ask(serve(script())), tool_registry=registry())
    assert direct.run("Add.") == behind.run("Add.") == "3 and 7"
    assert direct.state.messages == behind.state.messages


def test_thinking_goes_back_as_it_came(anthropic_server):
    think = thinking("first")
    blocks = [
        {"type": "text", "text": "Well."},
        think,
        {"type": "tool_use", "id": "a", "name": "add", "input": {"a": 1}},
    ]
    server = anthropic_server(Message(None, "assistant", metadata={"blocks": blocks}), "3")
    llm = HelloAgentsLLM("m", KEY, server.base_url, provider="anthropic", thinking={"type": "adaptive"})
    assert SimpleAgent("assistant", llm, tool_registry=registry()).run("Add.") == "3"
    assert server.requests[1]["messages"][1]["content"] == blocks
    assert server.requests[1]["thinking"] == {"type": "adaptive"}


def test_a_signature_in_an_empty_part_goes_back(gemini_server):
    parts = [{"text": "Well."}, {"text": "", "thoughtSignature": sign("x")}]
    server = gemini_server(Message(None, "assistant", metadata={"parts": parts}), "yes")
    agent = SimpleAgent("assistant", HelloAgentsLLM("gemini-3-pro", KEY, server.base_url, provider="gemini"))
    assert (agent.run("Hm?"), agent.run("Sure?")) == ("Well.", "yes")
    assert server.requests[1]["contents"][1]["parts"] == parts


@pytest.mark.parametrize("ids", [False, True])
def test_ids_of_geminis_calls(gemini_server, ids):
    server = gemini_server([ToolCall("x1", "add", {"a": 1}), ToolCall("x2", "add", {"a": 2})], "3, 4", ids=ids)
    llm = HelloAgentsLLM("gemini-2.5-flash", KEY, server.base_url, provider="gemini")
    agent = SimpleAgent("assistant", llm, tool_registry=registry())
    assert agent.run("Add.") == "3, 4"
    made = [call.id for message in agent.state.messages for call in message.tool_calls]
    assert (made == ["x1", "x2"]) == ids


# In foul weather


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Fault(400, "messages.0: too odd", "invalid_request_error"), ModelRefused),
        (Fault(401, f"invalid key {KEY}", "authentication_error"), AuthenticationFailed),
        (Fault(403, "not yours", "permission_error"), AuthenticationFailed),
        (Fault(404, "model: nope", "not_found_error"), ModelRefused),
        (Fault(429, "slow down", "rate_limit_error", headers={"retry-after": "7"}), RateLimited),
        (Fault(500, "oops", "api_error"), ModelUnavailable),
        (Fault(529, "Overloaded", "overloaded_error"), ModelUnavailable),
    ],
    ids=lambda value: value.status if isinstance(value, Fault) else "",
)
def test_refusals_are_typed_and_tell_the_providers_words(serve, ask, way, fault, error):
    with pytest.raises(error) as caught:
        way(ask(serve(fault)))
    raised = caught.value
    assert raised.provider_message == fault.message.replace(KEY, "***")
    assert raised.retry_after == (7 if fault.status == 429 else None)
    shown = "".join(traceback.format_exception(raised))
    assert KEY not in shown


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("status", [200, 400])
@pytest.mark.parametrize("listed", [True, False])
def test_an_error_whatever_its_status_and_wrapping(anthropic_server, way, status, listed):
    body = {"type": "error", "error": {"type": "api_error", "message": "key local-key-1: no"}}
    server = anthropic_server(*[Raw([body] if listed else body, status=status)] * 2)
    with pytest.raises((BadReply, ModelRefused)) as caught:
        way(HelloAgentsLLM("m", "local-key-1", server.base_url, provider="anthropic", max_retries=0))
    assert caught.value.provider_message == "key ***: no"
    assert server.base_url in str(caught.value)


@pytest.mark.parametrize("way", WAYS)
def test_a_reply_that_comes_at_once_is_one_also_where_a_stream_was_asked_for(anthropic_server, way):
    content = [
        thinking("hm"),
        {"type": "text", "text": "Both"},
        {"type": "tool_use", "id": "a", "name": "add", "input": {"x": 1}},
    ]
    message = {"type": "message", "role": "assistant", "model": "m", "content": content, "stop_reason": "tool_use"}
    server = anthropic_server(Raw(message | {"usage": {"input_tokens": 3, "output_tokens": 2}}))
    *_, replied = way(HelloAgentsLLM("m", KEY, server.base_url, provider="anthropic", max_retries=0))
    assert (replied.message.content, replied.message.reasoning, replied.finish) == ("Both", "hm", "tool_calls")
    assert replied.message.tool_calls == (ToolCall("a", "add", {"x": 1}),)
    assert replied.usage == Usage(3, 2)


@pytest.mark.parametrize("way", STREAMS)
def test_a_stream_that_is_closed_before_its_end_is_no_reply(serve, ask, way):
    server = serve("The answer is not this one.")
    whole = way(ask(server))[-1].message
    assert whole.content == "The answer is not this one."
    begun = {
        "anthropic": [
            {"type": "message_start", "message": {"role": "assistant", "content": [], "stop_reason": None}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "The answer is n"}},
        ],
        "gemini": [{"candidates": [{"content": {"role": "model", "parts": [{"text": "The answer is n"}]}}]}],
    }
    server.then(Raw(chunks=begun[ask(server).provider]))
    with pytest.raises(ConnectionFailed, match="broke off"):
        way(ask(server))


@pytest.mark.parametrize("way", WAYS)
def test_a_wrong_key(serve, ask, way):
    with pytest.raises(AuthenticationFailed, match="LLM_API_KEY") as caught:
        way(ask(serve(api_key="another")))
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("way", WAYS)
def test_the_client_repeats_what_may_pass(serve, ask, way):
    server = serve(Fault(503, "busy", "api_error"), "at last")
    assert way(ask(server, max_retries=1))[-1].message.content == "at last"
    assert len(server.requests) == 2


@pytest.mark.parametrize("way", WAYS)
def test_a_server_that_is_late(serve, ask, way):
    with pytest.raises(ModelTimeout, match=r"0\.2 s"):
        way(ask(serve(Late(5)), timeout=0.2))


@pytest.mark.parametrize("way", WAYS)
def test_a_server_that_is_not_there(serve, ask, way):
    server = serve()
    llm = ask(server)
    server.close()
    with pytest.raises(ConnectionFailed, match="LLM_BASE_URL"):
        way(llm)
    server.start()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("after", [0, 2])
def test_connections_that_break(serve, ask, way, after):
    with pytest.raises(ConnectionFailed):
        way(ask(serve(Drop("a text of some length", after=after), Drop(None))))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("text", ["<html>Sign in</html>", "{", "[1]", '"text"'])
def test_what_is_no_json_object(serve, ask, way, text):
    with pytest.raises(BadReply):
        way(ask(serve(*[Raw(text, chunks=[_as_event(text)], done=False)] * 2)))


def _as_event(text):
    return f"event: message_start\ndata: {text}\n\n"


@pytest.mark.parametrize("way", WAYS)
def test_an_empty_reply_is_asked_for_once_more(serve, ask, way):
    empty = Message(None, "assistant", metadata={"blocks": [], "parts": [{"text": ""}]})
    server = serve(empty, "now", empty, empty)
    assert way(ask(server))[-1].message.content == "now"
    with pytest.raises(EmptyReply):
        way(ask(server))


@pytest.mark.parametrize("way", STREAMS)
def test_an_error_inside_a_stream(anthropic_server, gemini_server, way):
    begun = {"type": "message_start", "message": {"id": "m", "type": "message", "model": "m", "content": []}}
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    server = anthropic_server(Raw(chunks=[begun, {"type": "ping"}, error]))
    llm = HelloAgentsLLM("m", KEY, server.base_url, provider="anthropic", max_retries=0)
    with pytest.raises(ModelUnavailable, match="Overloaded") as caught:
        way(llm)
    assert caught.value.status == 529
    error = {"error": {"code": 503, "message": "Overloaded", "status": "UNAVAILABLE"}}
    server = gemini_server(Raw(chunks=[{"candidates": [{"content": {"parts": [{"text": "He"}]}}]}, error]))
    llm = HelloAgentsLLM("m", KEY, server.base_url, provider="gemini", max_retries=0)
    with pytest.raises(ModelUnavailable, match="Overloaded"):
        way(llm)


@pytest.mark.parametrize("way", STREAMS)
def test_a_stream_that_is_left_lets_go_of_its_connection(serve, ask, way):
    server = serve("a text of some length")
    llm = ask(server)

    async def aleave():
        parts = llm.astream(REQUEST)
        async for _ in parts:
            break
        await parts.aclose()
        await llm.aclose()

    if way is STREAMS[0]:
        parts = llm.stream(REQUEST)
        next(parts)
        parts.close()
        llm.close()
    else:
        asyncio.run(aleave())
    wait_until(lambda: server.connections == 0)


def test_one_client_in_each_loop_and_none_left_behind(serve, ask):
    server = serve(*["hi"] * 6)
    llm = ask(server)

    async def several():
        return await asyncio.gather(*(llm.areply(REQUEST) for _ in range(3)))

    for _ in range(2):
        assert len(asyncio.run(several())) == 3
        wait_until(lambda: server.connections == 0)


def test_a_setting_that_gemini_does_not_know(gemini_server):
    llm = HelloAgentsLLM("m", KEY, gemini_server("hi").base_url, provider="gemini", frobnicate=1)
    with pytest.raises(ModelRefused, match="frobnicate"):
        llm.invoke([{"role": "user", "content": "hi"}])


def test_a_setting_that_anthropic_does_not_know(anthropic_server):
    llm = HelloAgentsLLM("m", KEY, anthropic_server("hi").base_url, provider="anthropic", frobnicate=1)
    with pytest.raises(ModelRefused, match="frobnicate"):
        llm.invoke([{"role": "user", "content": "hi"}])


# Choosing, and the tutorial's names


def test_the_address_chooses(anthropic_server):
    server = anthropic_server("hi", "hi", "hi")
    for address in (f"{server.base_url}/anthropic", f"{server.base_url}/anthropic/", f"{server.base_url}/anthropic/v1"):
        assert HelloAgentsLLM("m", KEY, address).invoke([{"role": "user", "content": "hi"}]) == "hi"


def test_geminis_address_may_name_the_version(gemini_server):
    server = gemini_server("hi", "hi")
    for address in (server.base_url, f"{server.base_url}/v1beta/"):
        llm = HelloAgentsLLM("m", KEY, address, provider="gemini")
        assert llm.invoke([{"role": "user", "content": "hi"}]) == "hi"


def test_the_environment_of_the_clients_is_not_asked(serve, ask, monkeypatch):
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
    monkeypatch.setenv("GOOGLE_API_KEY", "another")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "another")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    server = serve("hi", api_key=KEY)
    assert ask(server).reply(REQUEST).message.content == "hi"
    assert "another" not in str(server.headers)


@pytest.mark.parametrize(("kind", "name"), [(AnthropicAdapter, "anthropic"), (GeminiAdapter, "gemini")])
async def test_adapters(request, kind, name):
    call = ToolCall("call_2_0", "add", {"a": 1})
    server = request.getfixturevalue(f"{name}_server")("one", "two", "three", call)
    adapter = kind(KEY, server.base_url, 5, "m")
    messages = [{"role": "system", "content": "be kind"}, {"role": "user", "content": "hi"}]
    assert adapter.invoke(messages) == "one"
    assert "".join(adapter.stream_invoke(messages)) == "two"
    assert adapter.last_stats.usage["total_tokens"] == 8
    assert "".join([piece async for piece in adapter.astream_invoke(messages)]) == "three"
    (made,) = adapter.invoke_with_tools(messages, [TOOL]).tool_calls
    assert (made.name, made.arguments) == ("add", '{"a": 1}')
    client = adapter.create_client()
    assert type(client).__module__.startswith({"anthropic": "anthropic", "gemini": "google.genai"}[name])
    client.close()
    assert adapter.create_async_client() is not None
    assert type(create_adapter(KEY, f"http://127.0.0.1/{name}", 5, "m")) is kind


def test_old_loops_over_dictionaries(serve, ask):
    server = serve(ToolCall("a", "add", {"a": 1}), "3")
    llm = ask(server)
    messages = [{"role": "user", "content": "Add."}]
    (call,) = llm.invoke_with_tools(messages, [TOOL]).tool_calls
    wire = {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
    messages += [{"role": "assistant", "content": None, "tool_calls": [wire]}]
    messages += [{"role": "tool", "tool_call_id": call.id, "content": "3"}]
    assert llm.invoke_with_tools(messages, [TOOL]).content == "3"


@pytest.mark.parametrize(("name", "package"), [("anthropic", "anthropic"), ("gemini", "google.genai")])
def test_a_client_that_is_not_installed_is_named(monkeypatch, name, package):
    for loaded in [module for module in sys.modules if module == package or module.startswith(f"{package}.")]:
        monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setitem(sys.modules, package, None)
    if name == "gemini":
        monkeypatch.setitem(sys.modules, "google.genai.errors", None)
    llm = HelloAgentsLLM("m", KEY, "http://127.0.0.1:9", provider=name)
    with pytest.raises(ConfigException, match=rf"hello-agents-book\[{name}\]"):
        llm.invoke([{"role": "user", "content": "hi"}])
    with pytest.raises(ConfigException, match=rf"hello-agents-book\[{name}\]"):
        create_adapter(KEY, f"http://127.0.0.1:9/{name}", 5, "m").create_client()


def test_making_a_model_loads_no_client():
    code = """
import sys
from hello_agents import HelloAgentsLLM
for name in ("anthropic", "gemini"):
    HelloAgentsLLM("m", "key", provider=name)
print(sorted({"anthropic", "google.genai", "openai", "httpx2", "pydantic"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
