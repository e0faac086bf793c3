"""A scripted model keeps no place: the request says which reply is due."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hello_agents.core.action import Request
from hello_agents.core.message import Message, Messages, ToolCall
from hello_agents.core.run import Delta, Replied, Run, Spawned, evolve
from hello_agents.offline import ScriptedLLM, ScriptError
from hello_agents.offline.estimate import PromptEstimate, estimate_text
from hello_agents.offline.pieces import text_pieces


def asked(frame: str = "", step: int = 0, *messages: Message) -> Request:
    return Request(Messages(messages or [Message("q", "user")]), at=(frame, step))


def reply(llm: ScriptedLLM, request: Request) -> Replied:
    *_, last = llm.stream(request)
    assert isinstance(last, Replied)
    return last


def test_the_step_picks_the_reply_in_any_order_and_any_number_of_times() -> None:
    llm = ScriptedLLM("zero", "one", "two")
    assert [reply(llm, asked(step=i)).message.content for i in (2, 0, 1, 0, 2)] == ["two", "zero", "one", "zero", "two"]


def test_frames_have_their_own_scripts() -> None:
    llm = ScriptedLLM("root", frames={"a": ["child"], "a/b": ["grandchild 0", "grandchild 1"]})
    assert reply(llm, asked("a")).message.content == "child"
    assert reply(llm, asked("a/b", 1)).message.content == "grandchild 1"
    assert reply(llm, asked("")).message.content == "root"


@pytest.mark.parametrize(("frame", "step", "named"), [("", 2, "root frame"), ("x", 0, "'x'"), ("a", 1, "'a'")])
def test_a_script_that_is_too_short_says_where(frame: str, step: int, named: str) -> None:
    llm = ScriptedLLM("one", "two", frames={"a": ["three"]})
    with pytest.raises(ScriptError) as caught:
        reply(llm, asked(frame, step))
    given_number = {"": 2, "a": 1, "x": 0}[frame]
    assert named in str(caught.value)
    assert f"step {step}" in str(caught.value)
    assert f"{given_number} were given" in str(caught.value)


def test_surplus_replies_are_named() -> None:
    llm = ScriptedLLM("a", "b", "c", frames={"k": ["d"]})
    run = Run("t", steps=1)
    assert [(u.frame, u.step, u.reply) for u in llm.unused(run)] == [("", 1, "b"), ("", 2, "c"), ("k", 0, "d")]
    with pytest.raises(ScriptError, match=r"3 scripted.*number 1 of the root frame: 'b'"):
        llm.check(run)
    done = evolve(Run("t", steps=3), Spawned("k", Run("child", steps=1)))
    assert llm.unused(done) == ()
    llm.check(done)


def test_kinds_of_replies() -> None:
    call = ToolCall("", "add", {"a": 1, "b": [2]})
    whole = Message("said", "assistant", tool_calls=[call], reasoning="thought", metadata={"k": 1})
    llm = ScriptedLLM("text", call, [call, ToolCall("mine", "x")], whole, ValueError("down"))
    assert reply(llm, asked(step=0)).message == Message("text", "assistant")
    assert reply(llm, asked(step=1)).message.tool_calls == (replace(call, id="call_1_0"),)
    assert [c.id for c in reply(llm, asked(step=2)).message.tool_calls] == ["call_2_0", "mine"]
    got = reply(llm, asked(step=3)).message
    assert got == Message(
        "said", "assistant", tool_calls=[replace(call, id="call_3_0")], reasoning="thought", metadata={"k": 1}
    )
    with pytest.raises(ValueError, match="down"):
        reply(llm, asked(step=4))


@pytest.mark.parametrize("wrong", [3, None, Message("q", "user")])
def test_what_is_no_reply_is_refused_at_once(wrong: object) -> None:
    with pytest.raises(ScriptError):
        ScriptedLLM(wrong)  # type: ignore[arg-type]


def test_what_a_tool_does_to_its_arguments_does_not_reach_the_script() -> None:
    llm = ScriptedLLM(ToolCall("1", "f", {"items": [1, {"a": 2}], "n": 1}))
    first = reply(llm, asked()).message.tool_calls[0].arguments
    first["items"].append(3)
    first["items"][1]["a"] = "changed"
    first["n"] = 9
    assert reply(llm, asked()).message.tool_calls[0].arguments == {"items": [1, {"a": 2}], "n": 1}


@settings(deadline=None)
@given(st.text(), st.dictionaries(st.text(max_size=5), st.integers() | st.text(), max_size=4))
def test_pieces_joined_are_the_reply(text: str, arguments: dict[str, object]) -> None:
    llm = ScriptedLLM(Message(text, "assistant", tool_calls=[ToolCall("", "f", arguments), ToolCall("", "g")]))
    *pieces, last = llm.stream(asked())
    assert isinstance(last, Replied)
    deltas = [piece for piece in pieces if isinstance(piece, Delta)]
    assert "".join(d.text for d in deltas if d.part == "content") == text
    for position, call in enumerate(last.message.tool_calls):
        own = [d for d in deltas if d.part == "call" and d.call == position]
        assert own[0].name == call.name
        assert all(d.name is None for d in own[1:])
        assert json.loads("".join(d.text for d in own)) == call.arguments


@settings(deadline=None)
@given(st.text())
def test_text_pieces_lose_nothing(text: str) -> None:
    assert "".join(text_pieces(text)) == text
    assert all(text_pieces(text))


async def test_awaiting_gives_the_same_pieces() -> None:
    llm = ScriptedLLM("some words 你好", [ToolCall("", "f", {"a": "x" * 90})])
    for step in (0, 1):
        assert [event async for event in llm.astream(asked(step=step))] == list(llm.stream(asked(step=step)))


def test_usage_is_the_same_however_the_conversation_was_counted_before() -> None:
    messages = Messages()
    grown = PromptEstimate()
    for i in range(20):
        messages = messages.plus(Message(f"message {i} 你好" * i, "user" if i % 2 else "assistant"))
        fresh = PromptEstimate().of(Request(messages))
        assert grown.of(Request(messages)) == fresh
        assert PromptEstimate().of(Request(list(messages))) == fresh
    fork = messages.splice(3, 9, [Message("short", "user")])
    assert grown.of(Request(fork)) == PromptEstimate().of(Request(tuple(fork)))
    assert grown.of(Request(messages)) == fresh
    with_tools = Request(messages, ({"type": "function", "function": {"name": "f"}},))
    assert grown.of(with_tools) > fresh


def test_a_long_conversation_is_not_counted_again() -> None:
    class Probe(Messages):
        reads = 0

        def __getitem__(self, index):  # type: ignore[no-untyped-def,override]
            Probe.reads += 1
            return super().__getitem__(index)

    messages = Probe([Message("x", "user") for _ in range(500)])
    estimate = PromptEstimate()
    estimate.of(Request(messages))
    Probe.reads = 0
    estimate.of(Request(messages))
    assert Probe.reads == 0


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [("", 0, 0), ("word " * 100, 100, 150), ("汉" * 100, 60, 200), ("a", 1, 1), ("\ud800", 1, 1)],
)
def test_estimates_are_near_what_tokenizers_count(text: str, least: int, most: int) -> None:
    assert least <= estimate_text(text) <= most


@settings(deadline=None)
@given(st.text(), st.text())
def test_more_text_is_never_fewer_tokens(a: str, b: str) -> None:
    assert estimate_text(a + b) >= estimate_text(a)


def test_importing_the_models_is_cheap() -> None:
    heavy = ("pydantic", "openai", "tiktoken", "asyncio", "numpy", "yaml", "docstring_parser")
    code = (
        "import sys; import hello_agents.offline as o; o.OfflineLLM(); o.ScriptedLLM('a');"
        f"print([m for m in {heavy!r} if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
