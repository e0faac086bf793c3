"""`HelloAgentsLLM` without a network: how it is configured, what it shows, what old code makes of it."""

import copy
import json
import pickle
import subprocess
import sys

import pytest

from hello_agents.core.action import Request
from hello_agents.core.exceptions import ConfigException, HelloAgentsException, LLMException
from hello_agents.core.llm import BaseLLMAdapter, HelloAgentsLLM, create_adapter
from hello_agents.core.llm_adapters import AnthropicAdapter, GeminiAdapter, OpenAIAdapter
from hello_agents.core.llm_response import LLMResponse, LLMToolResponse, StreamStats
from hello_agents.core.llm_response import ToolCall as OldCall
from hello_agents.core.message import Message, ToolCall, Usage
from hello_agents.core.run import Delta, Replied
from hello_agents.wire.providers import PROVIDERS, protocol_of

VARIABLES = ("LLM_MODEL_ID", "LLM_API_KEY", "LLM_BASE_URL", "LLM_TIMEOUT", "HELLO_AGENTS_LANG", "DEEPSEEK_API_KEY")
REMOTE = "https://api.example.com/v1"
QUESTION = Request([Message("q", "user")])


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch):
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


# Settings


def test_unconfigured_says_what_to_set():
    with pytest.raises(ConfigException) as caught:
        HelloAgentsLLM()
    for words in ("LLM_MODEL_ID", "LLM_API_KEY", "LLM_BASE_URL", "LLM_MODEL_ID=offline"):
        assert words in str(caught.value)


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ({"model": "m", "base_url": REMOTE}, "LLM_API_KEY is not set"),
        ({"model": "m", "api_key": "k"}, "LLM_BASE_URL is not set"),
        ({"api_key": "k", "base_url": REMOTE}, "LLM_MODEL_ID is not set"),
        ({"model": " ".strip(), "api_key": "k"}, "LLM_MODEL_ID and LLM_BASE_URL are not set"),
    ],
)
def test_what_is_missing_is_named(given, missing):
    with pytest.raises(ConfigException, match=missing):
        HelloAgentsLLM(**given)


def test_settings_come_from_the_environment_and_arguments_win(monkeypatch):
    for name, value in (("MODEL_ID", "env"), ("API_KEY", " k "), ("BASE_URL", REMOTE), ("TIMEOUT", "7.5")):
        monkeypatch.setenv(f"LLM_{name}", value)
    llm = HelloAgentsLLM()
    assert (llm.model, llm.api_key, llm.base_url, llm.timeout, llm.temperature) == ("env", "k", REMOTE, 7.5, 0.7)
    assert HelloAgentsLLM("mine", timeout=3).model == "mine"
    monkeypatch.setenv("LLM_API_KEY", "  ")
    with pytest.raises(ConfigException):
        HelloAgentsLLM()


@pytest.mark.parametrize("value", ["soon", "0", "-1", "nan", "inf"])
def test_a_timeout_that_is_none(monkeypatch, value):
    monkeypatch.setenv("LLM_TIMEOUT", value)
    with pytest.raises(ConfigException, match="LLM_TIMEOUT"):
        HelloAgentsLLM("m", "k", REMOTE)


def test_a_server_on_this_machine_needs_no_key():
    assert HelloAgentsLLM("m", base_url="http://localhost:11434/v1").api_key is None
    assert HelloAgentsLLM("m", base_url="http://[::1]:1/v1").api_key is None


def test_providers_by_name(monkeypatch):
    monkeypatch.setenv("DEEPSEEK_API_KEY", "dk")
    llm = HelloAgentsLLM(provider="deepseek")
    assert (llm.base_url, llm.api_key, llm.model) == ("https://api.deepseek.com", "dk", "deepseek-chat")
    assert HelloAgentsLLM(provider="ollama", model="m").base_url == "http://localhost:11434/v1"
    with pytest.raises(ConfigException, match="'deepsek' is not known"):
        HelloAgentsLLM(provider="deepsek")
    mine = HelloAgentsLLM("m", "k", "http://127.0.0.1:1/v1", provider="mine")
    assert (mine.provider, mine.base_url) == ("mine", "http://127.0.0.1:1/v1")


@pytest.mark.parametrize("name", PROVIDERS)
def test_each_provider_by_its_name_alone(monkeypatch, name):
    monkeypatch.delenv("LLM_API_KEY", raising=False)
    monkeypatch.setenv(PROVIDERS[name].key, "its-own-key")
    llm = HelloAgentsLLM(provider=name)
    assert (llm.api_key, llm.model) == ("its-own-key", PROVIDERS[name].model)
    assert protocol_of(llm.base_url) == protocol_of("", name)


@pytest.mark.parametrize(
    ("url", "name", "protocol"),
    [
        ("https://api.anthropic.com/v1", None, "anthropic"),
        ("https://API.Anthropic.com", None, "anthropic"),
        ("https://api.deepseek.com/anthropic", None, "anthropic"),
        ("https://api.moonshot.cn/anthropic/", None, "anthropic"),
        ("https://generativelanguage.googleapis.com/v1beta", None, "gemini"),
        ("https://proxy.example.com/gemini", None, "gemini"),
        ("https://generativelanguage.googleapis.com/v1beta/openai/", None, "openai"),
        ("https://api.deepseek.com", None, "openai"),
        ("https://dashscope.aliyuncs.com/compatible-mode/v1", None, "openai"),
        ("https://openrouter.ai/api/v1", None, "openai"),
        ("http://localhost:1234/v1", None, "openai"),
        ("http://localhost:9999", "anthropic", "anthropic"),
        ("http://localhost:9999", "gemini", "gemini"),
        ("https://api.anthropic.com/v1", "openai", "openai"),
        ("https://api.anthropic.com/v1", "auto", "anthropic"),
    ],
)
def test_the_protocol_of_an_address(url, name, protocol):
    body = HelloAgentsLLM("m", "k", url, provider=name).body(Request([Message("hi", "user")]))
    assert protocol_of(url, name) == protocol
    assert ("contents" in body, "max_tokens" in body) == (protocol == "gemini", protocol == "anthropic")


@pytest.mark.parametrize(
    ("url", "goes_back"),
    [
        ("https://api.deepseek.com", True),
        ("https://api.deepseek.com/v1", True),
        ("https://api.moonshot.cn/v1", True),
        ("https://api.moonshot.ai/v1", True),
        ("https://dashscope.aliyuncs.com/compatible-mode/v1", False),
        ("https://api.openai.com/v1", False),
        ("http://localhost:8000/v1", False),
        ("http://localhost:11434/v1", False),
        ("http://localhost:1234/v1", False),
    ],
)
def test_thinking_goes_back_to_the_providers_that_ask_for_it(url, goes_back):
    asked = Request([Message("hi", "user"), Message("yes", "assistant", reasoning="hm"), Message("sure?", "user")])

    def sent(**options):
        return "reasoning_content" in HelloAgentsLLM("m", "k", url, **options).body(asked)["messages"][1]

    assert sent() == goes_back
    assert sent(send_reasoning=True)
    assert not sent(send_reasoning=False)


@pytest.mark.parametrize(
    "url",
    [
        "api.example.com/v1",
        "ftp://x",
        "https://api.example.com/v1/chat/completions/",
        "https://api.anthropic.com/v1/messages",
    ],
)
def test_an_address_that_cannot_be_asked(url):
    with pytest.raises(ConfigException, match="base URL"):
        HelloAgentsLLM("m", "k", url)


@pytest.mark.parametrize("key", ["你的密钥", "two words", "line\nbreak"])
def test_what_cannot_be_a_key(key):
    with pytest.raises(ConfigException, match="LLM_API_KEY") as caught:
        HelloAgentsLLM("m", key, REMOTE)
    assert key not in str(caught.value)


def test_geminis_compatible_address_is_fine():
    HelloAgentsLLM("m", "k", "https://generativelanguage.googleapis.com/v1beta/openai/")


@pytest.mark.parametrize("key", ["sk-0123456789abcdef0123", "x", "short"])
def test_the_key_is_not_shown(key):
    shown = repr(HelloAgentsLLM("m", key, REMOTE))
    assert f"'{key}'" not in shown
    assert "***" in shown
    assert "pass" not in repr(HelloAgentsLLM("m", key, "https://user:pass@example.com/v1"))


def test_further_keywords_become_fields_of_the_request():
    llm = HelloAgentsLLM("m", "k", REMOTE, 0.2, 50, top_p=0.9, extra=None)
    assert llm.body(QUESTION) == {
        "model": "m",
        "messages": [{"role": "user", "content": "q"}],
        "temperature": 0.2,
        "max_tokens": 50,
        "top_p": 0.9,
    }


def test_further_fields_may_be_written_as_for_the_providers_own_client():
    llm = HelloAgentsLLM("m", "k", REMOTE, extra_body={"enable_thinking": False, "seed": 1})
    body = llm.body(QUESTION)
    assert (body["enable_thinking"], body["seed"]) == (False, 1)
    assert "extra_body" not in body
    assert "extra_body" not in HelloAgentsLLM("m", "k", REMOTE, extra_body=None).body(QUESTION)


def test_importing_and_making_one_loads_no_client_and_opens_nothing():
    script = """
import builtins, socket, sys
from hello_agents.core.llm import HelloAgentsLLM
def refuse(*a, **k): raise AssertionError("touched the world")
socket.socket.connect = builtins.open = refuse
HelloAgentsLLM("m", "k", "https://api.example.com/v1"); HelloAgentsLLM("offline")
heavy = {"openai", "pydantic", "numpy", "tiktoken", "asyncio", "yaml", "docstring_parser", "httpx"} & set(sys.modules)
assert not heavy, heavy
"""
    subprocess.run([sys.executable, "-c", script], check=True, env={"PYTHONPATH": "."})


# Offline


class FakeOffline:
    def __init__(self, *, language="en"):
        self.language = language

    def stream(self, request):
        yield Delta("Off")
        yield Delta("line")
        yield Replied(Message("Offline", "assistant"), Usage(1, 2), None, "stop")

    async def astream(self, request):
        for part in self.stream(request):
            yield part


@pytest.fixture
def offline(monkeypatch):
    module = type(sys)("hello_agents.offline.offline_llm")
    module.OfflineLLM = FakeOffline
    monkeypatch.setitem(sys.modules, "hello_agents.offline.offline_llm", module)


@pytest.mark.parametrize("by", ["argument", "environment"])
async def test_the_offline_model_through_the_usual_door(offline, monkeypatch, by):
    if by == "environment":
        monkeypatch.setenv("LLM_MODEL_ID", "offline")
        monkeypatch.setenv("HELLO_AGENTS_LANG", "zh_CN")
    llm = HelloAgentsLLM() if by == "environment" else HelloAgentsLLM(model="offline")
    assert [type(part) for part in llm.stream(QUESTION)] == [Delta, Delta, Replied]
    assert [part.message.content for part in llm.whole.stream(QUESTION)] == ["Offline"]
    assert [type(part) async for part in llm.astream(QUESTION)] == [Delta, Delta, Replied]
    assert [part.message.content async for part in llm.whole.astream(QUESTION)] == ["Offline"]
    assert llm.invoke([{"role": "user", "content": "q"}]).model == "offline"
    assert list(llm.think([{"role": "user", "content": "q"}])) == ["Off", "line"]
    assert llm._offline.language == ("zh" if by == "environment" else "en")
    assert llm.body(QUESTION)["model"] == "offline"
    llm.close()
    await llm.aclose()


# Dictionaries


def old_llm(server):
    return HelloAgentsLLM("m", "k", server.base_url, max_retries=0)


MESSAGES = [{"role": "user", "content": "q"}]
TOOLS = [{"type": "function", "function": {"name": "add", "parameters": {"type": "object"}}}]


async def test_the_dictionary_methods(openai_server, capsys):
    reply = Replied(Message("Hello there", "assistant", reasoning="hm"), Usage(5, 3, 1, 2), "m-1", "stop")
    server = openai_server(*[reply] * 5)
    llm = old_llm(server)
    usage = {"prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 8, "cached_tokens": 1, "reasoning_tokens": 2}
    for response in (llm.invoke(MESSAGES, temperature=0), await llm.ainvoke(MESSAGES, max_tokens=4)):
        assert response == "Hello there"
        assert (response.content, response.model, response.usage) == ("Hello there", "m-1", usage)
        assert response.reasoning_content == "hm"
        assert response.latency_ms >= 0
    texts = ["".join(llm.think(MESSAGES, temperature=0.1)), "".join(llm.stream_invoke(MESSAGES))]
    texts.append("".join([piece async for piece in llm.astream_invoke(MESSAGES)]))
    assert texts == ["Hello there"] * 3
    stats = llm.last_call_stats
    assert (stats.model, stats.usage, stats.reasoning_content) == ("m-1", usage, "hm")
    assert set(stats.to_dict()) == {"model", "usage", "latency_ms", "reasoning_content"}
    assert [body["temperature"] for body in server.requests] == [0, 0.7, 0.1, 0.7, 0.7]
    assert server.requests[1]["max_tokens"] == 4
    assert capsys.readouterr() == ("", "")
    await llm.aclose()


async def test_calls_over_dictionaries(openai_server):
    call = ToolCall("c1", "add", {"城市": "北京"})
    server = openai_server(call, call, call)
    llm = old_llm(server)
    named = {"type": "function", "function": {"name": "add"}}
    for response in (
        llm.invoke_with_tools(MESSAGES, TOOLS),
        llm.invoke_with_tools(MESSAGES, TOOLS, named),
        await llm.ainvoke_with_tools(MESSAGES, TOOLS, tool_choice="required"),
    ):
        assert isinstance(response, LLMToolResponse)
        assert response.content is None
        assert response.tool_calls == [OldCall("c1", "add", '{"城市": "北京"}')]
    assert [body["tool_choice"] for body in server.requests] == ["auto", named, "required"]
    await llm.aclose()


def test_a_loop_over_dictionaries_as_the_tutorial_writes_it(openai_server):
    server = openai_server(ToolCall("c1", "add", {"a": 1}), "It is 2")
    llm = old_llm(server)
    messages = [{"role": "system", "content": "S"}, {"role": "user", "content": "1+1"}]
    response = llm.invoke_with_tools(messages, TOOLS)
    messages.append(
        {
            "role": "assistant",
            "content": response.content,
            "tool_calls": [
                {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": c.arguments}}
                for c in response.tool_calls
            ],
        }
    )
    messages.append({"role": "tool", "tool_call_id": response.tool_calls[0].id, "content": "2"})
    assert llm.invoke_with_tools(messages, TOOLS).content == "It is 2"
    assert server.requests[1]["messages"] == messages


def test_malformed_arguments_reach_old_code_as_written(openai_server):
    from support.openai_server import Raw

    wire = {"id": "c", "type": "function", "function": {"name": "add", "arguments": '{"a":1,}'}}
    server = openai_server(Raw({"choices": [{"message": {"content": None, "tool_calls": [wire]}}]}))
    assert old_llm(server).invoke_with_tools(MESSAGES, TOOLS).tool_calls[0].arguments == '{"a":1,}'


# Subclasses


class OldToolLLM(HelloAgentsLLM):
    """A subclass of the tutorial's kind, which does not even call `super().__init__`."""

    def __init__(self):
        self.model = "old"
        self.seen = []

    def invoke_with_tools(self, messages, tools, tool_choice="auto", **kwargs):
        self.seen.append((messages, tools, tool_choice))
        return LLMToolResponse(
            None, [OldCall("c", "add", '{"a": 1}'), OldCall("d", "add", "{")], "old-1", {"prompt_tokens": 3}
        )


class OldTextLLM(HelloAgentsLLM):
    def __init__(self):
        self.model = "old"

    def invoke(self, messages, **kwargs):
        return f"<think>x</think>heard {messages[-1]['content']}"


class CountingLLM(HelloAgentsLLM):
    """A subclass that wraps the new way of asking."""

    asked = 0

    def stream(self, request):
        self.asked += 1
        yield from super().stream(request)


async def test_a_subclass_with_its_own_invoke_with_tools_drives_the_loop():
    llm = OldToolLLM()
    request = Request([Message("s", "summary"), Message("q", "user")], TOOLS, "add")
    replies = [*llm.stream(request), *llm.whole.stream(request)]
    replies += [part async for part in llm.astream(request)] + [part async for part in llm.whole.astream(request)]
    assert all(replied == replies[0] for replied in replies)
    first, second = replies[0].message.tool_calls
    assert first == ToolCall("c", "add", {"a": 1})
    assert "position 1" in second.fault
    assert (replies[0].usage, replies[0].model) == (Usage(3), "old-1")
    messages, tools, choice = llm.seen[0]
    assert [message["role"] for message in messages] == ["user", "user"]
    assert (tools, choice) == (TOOLS, {"type": "function", "function": {"name": "add"}})


async def test_a_subclass_with_its_own_invoke_drives_the_loop():
    llm = OldTextLLM()
    (replied,) = llm.stream(QUESTION)
    assert replied.message == Message("heard q", "assistant", reasoning="x")
    assert [part async for part in llm.astream(QUESTION)] == [replied]


async def test_a_subclass_with_its_own_stream_is_asked_through_it(offline):
    llm = CountingLLM("offline")
    list(llm.stream(QUESTION))
    list(llm.whole.stream(QUESTION))
    [part async for part in llm.astream(QUESTION)]
    [part async for part in llm.whole.astream(QUESTION)]
    assert llm.asked == 4


def test_a_subclass_without_settings_says_so():
    class Bare(HelloAgentsLLM):
        def __init__(self):
            pass

    with pytest.raises(ConfigException, match="LLM_BASE_URL"):
        Bare().invoke(MESSAGES)
    assert "Bare(" in repr(Bare())


# Responses


def test_a_response_is_its_text():
    response = LLMResponse("Answer: 42", "m", {"total_tokens": 3}, 12, "hm")
    assert isinstance(response, str)
    assert response.split(": ") == ["Answer", "42"]
    assert type(str(response)) is str
    assert f"{response}" == "Answer: 42"
    assert Message(response, "assistant").content == "Answer: 42"
    assert json.loads(json.dumps(response.to_dict())) == {
        "content": "Answer: 42",
        "model": "m",
        "usage": {"total_tokens": 3},
        "latency_ms": 12,
        "reasoning_content": "hm",
    }
    for other in (copy.copy(response), copy.deepcopy(response), pickle.loads(pickle.dumps(response))):
        assert other == response
        assert (other.usage, other.reasoning_content) == (response.usage, "hm")
    assert LLMResponse(content="x", model="m", usage={}).reasoning_content is None
    assert "reasoning_content" not in StreamStats("m", {}).to_dict()


# Adapters


def test_adapters_go_through_the_model(openai_server):
    server = openai_server("one", "two", ToolCall("c", "add", {}))
    adapter = create_adapter("k", server.base_url, 5, "m")
    assert isinstance(adapter, OpenAIAdapter)
    assert isinstance(adapter, BaseLLMAdapter)
    assert adapter.invoke(MESSAGES) == "one"
    assert "".join(adapter.stream_invoke(MESSAGES)) == "two"
    assert adapter.last_stats.model == "loopback"
    assert adapter.invoke_with_tools(MESSAGES, TOOLS).tool_calls[0].name == "add"
    adapter.create_client().close()
    adapter.llm.close()


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("https://api.anthropic.com", AnthropicAdapter),
        ("https://generativelanguage.googleapis.com", GeminiAdapter),
        (None, OpenAIAdapter),
    ],
)
def test_the_address_chooses_the_adapter(url, kind):
    adapter = create_adapter("k", url, 5, "m")
    assert type(adapter) is kind
    assert adapter.llm.base_url == url or url is None


# Errors


def test_errors_of_a_model_mask_keys_and_survive_pickling():
    error = LLMException("bad key sk-0123456789abcdef01", provider_message="Bearer abcdefgh12345678", status=401)
    assert "0123" not in str(error)
    assert "abcdefgh" not in error.provider_message
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.status, again.provider_message) == (str(error), 401, error.provider_message)
    assert isinstance(error, HelloAgentsException)
    assert (LLMException().retryable, LLMException("x").status) == (False, None)


def test_the_older_order_of_the_arguments_is_understood() -> None:
    llm = HelloAgentsLLM("m", "sk-0123456789abcdef", "http://127.0.0.1:1/v1", "openai", 0.2, 100, 7)
    assert (llm.temperature, llm.max_tokens, llm.timeout) == (0.2, 100, 7)
    llm = HelloAgentsLLM("m", "sk-0123456789abcdef", "http://127.0.0.1:1/v1", "openai")
    assert (llm.temperature, llm.max_tokens) == (0.7, None)
