"""RecordedLLM: exchanges recorded once, replayed equal, and refused loudly when what is asked has changed."""

from __future__ import annotations

import asyncio
import json
import pickle
import sys
import tempfile
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws.actors import AGENTS, SCENARIOS, registry
from support.examples import examples
from support.histories import arguments, legal, names, texts
from support.journals import by_frame
from support.openai_server import Drop, Fault

from hello_agents import (
    HelloAgentsLLM,
    Message,
    OfflineLLM,
    ReActAgent,
    RecordedLLM,
    RecordingMiss,
    Request,
    ScriptedLLM,
    SimpleAgent,
    ToolCall,
    ToolRegistry,
    Usage,
)
from hello_agents.core.exceptions import ConnectionFailed, LLMException, RateLimited
from hello_agents.core.run import Delta, Noted, Replied

KEY = "sk-test-0123456789abcdef"


def add(a: int, b: int) -> int:
    """Adds two whole numbers."""
    return a + b


def tools(*functions: Any) -> ToolRegistry:
    registry = ToolRegistry()
    for function in functions or (add,):
        registry.register_function(function)
    return registry


def simple(llm: Any, prompt: str = "Be brief.", registry: ToolRegistry | None = None) -> SimpleAgent:
    return SimpleAgent("simple", llm, prompt, tool_registry=registry or tools())


def react(llm: Any, prompt: str = "Be brief.", registry: ToolRegistry | None = None) -> ReActAgent:
    return ReActAgent("react", llm, registry or tools(), prompt)


SCRIPTS: dict[Any, list[Any]] = {
    simple: [
        Message("Let me see 世界", "assistant", tool_calls=[ToolCall("c1", "add", {"a": 1, "b": 2})], reasoning="hm"),
        "It is 3. 🚀",
        "You asked for a sum.",
    ],
    react: [
        [ToolCall("t1", "Thought", {"reasoning": "add them"}), ToolCall("c1", "add", {"a": 1, "b": 2})],
        ToolCall("f1", "Finish", {"answer": "It is 3. 🚀"}),
        "You asked for a sum.",
    ],
}
QUESTIONS = ("1+2?", "What did I ask?")


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


WAYS = [run, arun, stream_run, arun_stream]


def asked(agent: Any, way: Any = run) -> Any:
    for question in QUESTIONS:
        way(agent, question)
    return agent


# -- recording and replaying --------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", SCRIPTS)
def test_what_the_real_client_got_is_replayed_in_every_way(make: Any, openai_server: Any, tmp_path: Path) -> None:
    written: set[bytes] = set()
    for way in WAYS:
        path = tmp_path / f"{way.__name__}.jsonl"
        server = openai_server(*SCRIPTS[make])
        recorded = asked(make(RecordedLLM(path, HelloAgentsLLM("m", KEY, server.base_url, max_retries=0))), way)
        written.add(path.read_bytes())
        assert len(server.requests) == 3
        for again in WAYS:
            replayed = asked(make(RecordedLLM(path)), again)
            assert by_frame(replayed.journal) == by_frame(recorded.journal)
            assert replayed.state == recorded.state
            assert replayed.state.usage.total_tokens > 0
    assert len(written) == 1, "a recording does not depend on how the run was walked"


@pytest.mark.parametrize("make", SCRIPTS)
def test_the_pieces_come_as_they_came(make: Any, openai_server: Any, tmp_path: Path) -> None:
    server = openai_server(*SCRIPTS[make])
    seen: list[list[Any]] = []

    def parts(llm: Any) -> list[Any]:
        agent = make(llm)
        agent.subscribers.clear()
        return [entry.event for question in QUESTIONS for entry, _ in agent._walk(agent._opening(question, {}), True)]

    path = tmp_path / "r.jsonl"
    seen.append(parts(RecordedLLM(path, HelloAgentsLLM("m", KEY, server.base_url))))
    seen.append(parts(RecordedLLM(path)))
    assert seen[0] == seen[1]
    assert sum(isinstance(event, Delta) for event in seen[0]) > 6


def test_stepping_back_and_forks_are_recorded_side_by_side(tmp_path: Path) -> None:
    def walk(llm: Any) -> Any:
        debugger = simple(llm).steps("1+2?")
        debugger.finish()
        returned = next(e for e in debugger.entries if type(e.event).__name__ == "Returned")
        debugger.edit(returned.seq, replace(returned.event, message=Message("4", "tool", answers="c1")))
        debugger.finish()
        debugger.switch("main")
        debugger.back(2)
        debugger.fork("again")
        debugger.finish()
        return {name: branch.entries for name, branch in debugger.branches.items()}

    path = tmp_path / "r.jsonl"
    recorded = walk(RecordedLLM(path, OfflineLikeEcho()))
    assert recorded["main"][-1] != recorded["branch-1"][-1]
    assert walk(RecordedLLM(path)) == recorded
    assert len(path.read_text(encoding="utf-8").splitlines()) == 3


class OfflineLikeEcho:
    """A model whose last answer depends on the result it is given."""

    def stream(self, request: Any) -> Any:
        last = request.messages[-2 if "left" in request.messages[-1].text else -1]
        if last.role == "tool":
            yield Replied(Message(f"It is {last.text}.", "assistant"))
        else:
            yield Replied(Message(None, "assistant", tool_calls=[ToolCall("c1", "add", {"a": 1, "b": 2})]))

    async def astream(self, request: Any) -> Any:
        for part in self.stream(request):
            yield part


@pytest.mark.parametrize("kind", AGENTS)
@settings(max_examples=examples(15), deadline=None)
@given(scenario=SCENARIOS)
def test_every_agent_replays_to_an_equal_journal(kind: str, scenario: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "r.jsonl"
        recorded = AGENTS[kind](RecordedLLM(path, scenario.model()), registry())
        replayed = AGENTS[kind](RecordedLLM(path), registry())
        for agent in (recorded, replayed):
            for question in scenario.questions:
                agent.run(question)
        assert replayed.journal == recorded.journal


_calls = st.lists(st.builds(ToolCall, texts, names, arguments, st.none() | st.just("not valid JSON")), max_size=3)
_replies = st.builds(
    Replied,
    st.builds(
        lambda content, calls, reasoning: Message(content, "assistant", tool_calls=calls, reasoning=reasoning),
        st.none() | texts,
        _calls,
        st.none() | texts,
    ),
    st.builds(Usage, *[st.integers(0, 10**6)] * 4),
    st.none() | texts,
    st.none() | texts,
)
_deltas = st.lists(
    st.one_of(
        st.builds(Delta, texts, st.sampled_from(["content", "reasoning"])),
        st.builds(Delta, texts, st.just("call"), st.integers(0, 2), st.none() | names),
    ),
    max_size=8,
)


class Says:
    """A model that says exactly this."""

    def __init__(self, *parts: Any) -> None:
        self.parts = parts

    def stream(self, request: Any) -> Any:
        for part in self.parts:
            if isinstance(part, Exception):
                raise part
            yield part

    async def astream(self, request: Any) -> Any:
        for part in self.stream(request):
            yield part


async def _all(parts: Any) -> list[Any]:
    return [part async for part in parts]


@settings(max_examples=examples(60), deadline=None)
@given(history=legal(reasoning=True), reply=_replies, deltas=_deltas, tool=arguments, frame=texts)
def test_any_exchange_is_replayed_as_it_was(history: Any, reply: Any, deltas: Any, tool: Any, frame: str) -> None:
    request = Request(history, (tool,), at=(frame, 3))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "r.jsonl"
        assert list(RecordedLLM(path, Says(*deltas, reply)).stream(request)) == [*deltas, reply]
        assert list(RecordedLLM(path).stream(request)) == [*deltas, reply]
        first = path.read_bytes()
        assert asyncio.run(_all(RecordedLLM(path, Says(*deltas, reply)).astream(request))) == [*deltas, reply]
        assert asyncio.run(_all(RecordedLLM(path).astream(request))) == [*deltas, reply]
        assert path.read_bytes() == first


def test_a_replayed_reply_is_new_each_time(tmp_path: Path) -> None:
    request = Request([Message("q", "user")])
    list(RecordedLLM(tmp_path / "r", ScriptedLLM(ToolCall("c", "f", {"items": [1]}))).stream(request))
    llm = RecordedLLM(tmp_path / "r")
    list(llm.stream(request))[-1].message.tool_calls[0].arguments["items"].append(2)
    assert list(llm.stream(request))[-1].message.tool_calls[0].arguments == {"items": [1]}


def test_the_offline_model_is_recorded_like_any_other(tmp_path: Path) -> None:
    recorded = simple(RecordedLLM(tmp_path / "r", OfflineLLM()))
    recorded.run("What is 15 + 23?")
    replayed = simple(RecordedLLM(tmp_path / "r"))
    replayed.run("What is 15 + 23?")
    assert replayed.journal == recorded.journal


# -- a changed request --------------------------------------------------------------------------------------------


def sub(a: int, b: int) -> int:
    """Subtracts the second whole number."""
    return a - b


def wrong(a: int, b: int) -> str:
    """Adds two whole numbers."""
    return "4"


wrong.__name__ = "add"

CHANGES: dict[str, tuple[Any, int, list[str]]] = {
    "the prompt": (lambda make, llm: asked(make(llm, "Be long.")), 0, ["-  Be brief.", "+  Be long."]),
    "a tool more": (lambda make, llm: asked(make(llm, registry=tools(add, sub))), 0, ["+tool sub:"]),
    "no tools": (lambda make, llm: asked(make(llm, registry=tools(sub))), 0, ["-tool add:", "+tool sub:"]),
    "a result": (lambda make, llm: asked(make(llm, registry=tools(wrong))), 1, ["-  3", "+  4"]),
    "the question": (lambda make, llm: run(make(llm), "1+3?"), 0, ["-  1+2?", "+  1+3?"]),
    "a limit": (
        lambda make, llm: make(llm).run("1+2?", max_steps=0),
        0,
        ["-tool_choice: auto", "+tool_choice: none"],
    ),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("make", SCRIPTS)
def test_a_changed_request_fails_and_shows_the_difference(make: Any, change: str, tmp_path: Path) -> None:
    path = tmp_path / "recording.jsonl"
    asked(make(RecordedLLM(path, ScriptedLLM(*SCRIPTS[make]))))
    replay, step, lines = CHANGES[change]
    with pytest.raises(RecordingMiss) as caught:
        replay(make, RecordedLLM(path))
    miss = caught.value
    assert isinstance(miss, LLMException)
    assert miss.at == ("", step)
    assert miss.path == path
    assert str(path) in str(miss)
    assert f"step {step} of the root frame" in str(miss)
    assert f"RecordedLLM({str(path)!r}, inner=" in str(miss)
    assert miss.diff in str(miss)
    for line in lines:
        assert line in miss.diff.splitlines()
    assert pickle.loads(pickle.dumps(miss)).diff == miss.diff


def test_a_difference_far_inside_a_long_text_is_seen_and_a_long_one_is_cut(tmp_path: Path) -> None:
    list(RecordedLLM(tmp_path / "r", ScriptedLLM("x")).stream(Request([Message("word " * 2000, "user")])))
    far = "word " * 1000 + "WORD " + "word " * 999
    with pytest.raises(RecordingMiss) as caught:
        list(RecordedLLM(tmp_path / "r").stream(Request([Message(far, "user")])))
    assert "WORD" in caught.value.diff
    with pytest.raises(RecordingMiss) as caught:
        list(RecordedLLM(tmp_path / "r").stream(Request([Message("\n".join(map(str, range(9999))), "user")])))
    assert "lines more" in caught.value.diff
    assert len(caught.value.diff) < 20_000


def test_the_closest_of_several_forks_is_shown(tmp_path: Path) -> None:
    llm = RecordedLLM(tmp_path / "r", Says(Replied(Message("x", "assistant"))))
    for words in (["one", "two"], ["eins", "zwei"]):
        list(llm.stream(Request([Message(word, "user") for word in words])))
    with pytest.raises(RecordingMiss, match="in 2 ways") as caught:
        list(RecordedLLM(tmp_path / "r").stream(Request([Message("one", "user"), Message("three", "user")])))
    assert {"-  two", "+  three"} <= set(caught.value.diff.splitlines())


@pytest.mark.parametrize(
    ("at", "words"),
    [(("", 2), "holds the steps 0, 1, and nothing for step 2"), (("c1", 0), "nothing for step 0 of frame 'c1'")],
)
def test_a_place_that_was_not_recorded(at: Any, words: str, tmp_path: Path) -> None:
    llm = RecordedLLM(tmp_path / "r", ScriptedLLM("x", "y"))
    for step in range(2):
        list(llm.stream(Request([Message("q", "user")], at=("", step))))
    with pytest.raises(RecordingMiss, match=words) as caught:
        list(RecordedLLM(tmp_path / "r").stream(Request([Message("q", "user")], at=at)))
    assert "+  q" in caught.value.diff
    assert "record again" in str(caught.value)
    with pytest.raises(RecordingMiss, match=words):
        asyncio.run(_all(RecordedLLM(tmp_path / "r").astream(Request([Message("q", "user")], at=at))))


def test_a_recording_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(RecordingMiss, match=r"There is no recording .*gone\.jsonl"):
        simple(RecordedLLM(tmp_path / "gone.jsonl")).run("q")


def test_times_and_notes_of_the_library_are_no_difference(tmp_path: Path) -> None:
    one = Message("3", "tool", answers="c", status="success", metadata={"tool": "add"})
    other = Message("3", "tool", answers="c")
    list(RecordedLLM(tmp_path / "r", ScriptedLLM("x")).stream(Request([one])))
    assert list(RecordedLLM(tmp_path / "r").stream(Request([other])))


# -- errors -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_an_error_of_the_provider_is_part_of_the_recording(way: Any, openai_server: Any, tmp_path: Path) -> None:
    def walk(llm: Any) -> Any:
        agent = simple(llm)
        for kind, status in ((RateLimited, 429), (ConnectionFailed, None)):
            with pytest.raises(kind) as caught:
                way(agent, "1+2?") if status else agent.resume()
            assert caught.value.status == status
            assert type(caught.value) is kind
        assert "slow down" in agent.journal[2].event.value["message"]
        assert agent.resume() == "It is 3."
        return agent

    server = openai_server(Fault(429, "slow down"), Drop("It is long", after=2), "It is 3.")
    llm = HelloAgentsLLM("m", KEY, server.base_url, max_retries=0)
    recorded = walk(RecordedLLM(tmp_path / "r", llm))
    replayed = walk(RecordedLLM(tmp_path / "r"))
    assert replayed.journal == recorded.journal
    assert sum(isinstance(entry.event, Noted) for entry in replayed.journal) == 2


@pytest.mark.parametrize("error", [RecordingMiss("x"), RuntimeError("a bug"), KeyboardInterrupt()])
def test_what_is_no_answer_of_a_provider_is_not_recorded(error: BaseException, tmp_path: Path) -> None:
    with pytest.raises(type(error)):
        list(RecordedLLM(tmp_path / "r", Broken(error)).stream(Request([Message("q", "user")])))
    assert not (tmp_path / "r").exists()


class Broken:
    def __init__(self, error: BaseException) -> None:
        self.error = error

    def stream(self, request: Any) -> Any:
        yield Delta("so")
        raise self.error

    async def astream(self, request: Any) -> Any:
        yield Delta("so")
        raise self.error


# -- secrets ------------------------------------------------------------------------------------------------------


def secret_request(secret: str) -> Request:
    call = ToolCall("c", "login", {"note": f"use {secret}", "deep": [{secret: 1}], "api_key": "plain"})
    parameter = {"type": "string", "description": f"like {secret}", "default": secret}
    schema = {"type": "object", "properties": {"password": {"type": "string", "default": "plain"}, "x": parameter}}
    return Request(
        [
            Message(f"prompt with {secret}", "system"),
            Message(f"my key is {secret}.", "user"),
            Message(f"ok {secret}", "assistant", tool_calls=[call], reasoning=f"so {secret}"),
            Message(f"logged in with {secret}", "tool", answers="c"),
        ],
        ({"type": "function", "function": {"name": "login", "description": secret, "parameters": schema}},),
        at=(f"c/{secret}", 0),
    )


def secret_reply(secret: str) -> tuple[Any, ...]:
    text = f"Your key is {secret}!"
    call = ToolCall("c2", "login", {"key": secret, "password": "plain"})
    written = json.dumps(call.arguments)
    message = Message(text, "assistant", tool_calls=[call], reasoning=text, metadata={"malformed": {"c2": secret}})
    return (
        *(Delta(letter, "reasoning") for letter in text),
        *(Delta(letter) for letter in text),
        *(Delta(letter, "call", 0, "login" if at == 0 else None) for at, letter in enumerate(written)),
        Replied(message, Usage(1, 2), secret, secret),
    )


@pytest.mark.parametrize("known", ["inner", "whole", "environment", "argument", "shape"])
def test_no_key_is_ever_in_the_file(known: str, openai_server: Any, tmp_path: Path, monkeypatch: Any) -> None:
    secret = KEY if known == "shape" else "local-key-one"
    path = tmp_path / "r"
    if known in ("inner", "whole"):
        server = openai_server(f"Your key is {secret}!")
        llm = HelloAgentsLLM("m", secret, server.base_url)
        inner: Any = llm if known == "inner" else llm.whole
    else:
        inner = Says(*secret_reply(secret))
    if known == "environment":
        monkeypatch.setenv("LLM_API_KEY", secret)
    secrets = [secret] if known == "argument" else []
    real = list(RecordedLLM(path, inner, secrets=secrets).stream(secret_request(secret)))
    assert secret in real[-1].message.text, "the run itself gets what the model said"
    text = path.read_text(encoding="utf-8")
    assert secret not in text
    assert "plain" not in text
    replayed = list(RecordedLLM(path, secrets=[secret]).stream(secret_request(secret)))
    assert replayed[-1].message.text == "Your key is ***!"
    assert secret not in "".join(part.text for part in replayed[:-1])
    with pytest.raises(RecordingMiss) as caught:
        list(RecordedLLM(path, secrets=[secret]).stream(replace(secret_request(secret), tool_choice="none")))
    assert secret not in str(caught.value) + caught.value.diff


@settings(max_examples=examples(60), deadline=None)
@given(history=legal(), deltas=st.lists(st.integers(1, 9), min_size=1, max_size=8), place=st.data())
def test_a_key_anywhere_and_however_cut_is_not_in_the_file(history: Any, deltas: Any, place: Any) -> None:
    messages = [*history, Message("end", "user")]
    at = place.draw(st.integers(0, len(messages) - 1))
    messages[at] = replace(messages[at], content=f"{messages[at].text} {KEY} after")
    text, pieces = f"so {KEY} it is", []
    for size in deltas:
        pieces.append(text[:size])
        text = text[size:]
    pieces.append(text)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "r"
        inner = Says(*map(Delta, pieces), Replied(Message(f"so {KEY} it is", "assistant")))
        list(RecordedLLM(path, inner).stream(Request(messages)))
        assert KEY not in path.read_text(encoding="utf-8")
        assert list(RecordedLLM(path).stream(Request(messages)))[-1].message.text == "so *** it is"


# -- the file -----------------------------------------------------------------------------------------------------


def test_making_one_touches_nothing_and_imports_nothing_heavy(tmp_path: Path) -> None:
    import subprocess

    RecordedLLM(tmp_path / "folder" / "r", ScriptedLLM("x"))
    assert list(tmp_path.iterdir()) == []
    code = (
        "import sys; from hello_agents import RecordedLLM; RecordedLLM('r')\n"
        "print(sorted({'openai', 'pydantic', 'asyncio'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_file_is_readable_json_lines_in_utf_8(tmp_path: Path) -> None:
    simple(RecordedLLM(tmp_path / "folder" / "r", ScriptedLLM("好 🚀"))).run("你好")
    line = (tmp_path / "folder" / "r").read_bytes().decode()
    assert "你好" in line
    assert "好 🚀" in line
    data = json.loads(line)
    assert data["schema"] == 1
    assert data["at"] == ["", 0]
    assert "timestamp" not in line


def test_recording_again_replaces_the_place_and_keeps_the_others(tmp_path: Path) -> None:
    path = tmp_path / "r"
    asked(simple(RecordedLLM(path, ScriptedLLM(*SCRIPTS[simple])), "Be brief."))
    before = path.read_text(encoding="utf-8").splitlines()
    simple(RecordedLLM(path, ScriptedLLM("three")), "Be long.").run("1+2?")
    after = path.read_text(encoding="utf-8").splitlines()
    assert after[:2] == before[1:]
    assert simple(RecordedLLM(path), "Be long.").run("1+2?") == "three"
    with pytest.raises(RecordingMiss, match="asked something else"):
        simple(RecordedLLM(path), "Be brief.").run("1+2?")


@pytest.mark.parametrize("cut", [1, 2, 40])
def test_a_line_that_was_cut_off_is_left_out_and_recording_goes_on(cut: int, tmp_path: Path) -> None:
    path = tmp_path / "r"
    asked(simple(RecordedLLM(path, ScriptedLLM(*SCRIPTS[simple]))))
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    replaying = simple(RecordedLLM(path))
    replaying.run(QUESTIONS[0])
    with pytest.raises(RecordingMiss, match="nothing for step 2"):
        replaying.run(QUESTIONS[1])
    again = RecordedLLM(path, ScriptedLLM(*SCRIPTS[simple]))
    state = simple(RecordedLLM(path))
    state.run(QUESTIONS[0])
    state.llm = again
    state.run(QUESTIONS[1])
    assert path.read_bytes() == whole


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{}", "no recorded exchange"),
        ("[1]", "no recorded exchange"),
        ("not json", "Line 2"),
        ('{"schema": 1, "at": ["", 0], "request": {}, "deltas": []}', "no recorded exchange"),
        ('{"schema": 99}', "schema 99"),
    ],
)
def test_damage_inside_is_an_error_that_names_the_line(line: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "r"
    asked(simple(RecordedLLM(path, ScriptedLLM(*SCRIPTS[simple]))))
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([lines[0], line, *lines[1:]]) + "\n", encoding="utf-8")
    before = path.read_bytes()
    inner = ScriptedLLM(*SCRIPTS[simple])
    for llm in (RecordedLLM(path), RecordedLLM(path, inner)):
        with pytest.raises(RecordingMiss, match=words) as caught:
            simple(llm).run("1+2?")
        assert "Line 2" in str(caught.value)
    assert path.read_bytes() == before


def test_a_reader_who_leaves_in_mid_reply_records_nothing(tmp_path: Path) -> None:
    parts = RecordedLLM(tmp_path / "r", ScriptedLLM("one two three")).stream(Request([Message("q", "user")]))
    next(parts)
    parts.close()
    assert not (tmp_path / "r").exists()


def test_several_threads_record_into_one_file(tmp_path: Path) -> None:
    llm = RecordedLLM(tmp_path / "r", ScriptedLLM(*map(str, range(8))))

    def ask(step: int) -> None:
        list(llm.stream(Request([Message(f"q{step}", "user")], at=("", step))))

    threads = [threading.Thread(target=ask, args=(step,)) for step in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    replay = RecordedLLM(tmp_path / "r")
    for step in range(8):
        request = Request([Message(f"q{step}", "user")], at=("", step))
        assert list(replay.stream(request))[-1].message.text == str(step)


def test_how_it_looks(tmp_path: Path) -> None:
    assert repr(RecordedLLM("r.jsonl")) == "RecordedLLM('r.jsonl', replaying)"
    assert repr(RecordedLLM("r.jsonl", ScriptedLLM("x"))) == "RecordedLLM('r.jsonl', recording ScriptedLLM)"
