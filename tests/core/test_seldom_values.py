"""Values at the edges of the core: nothing, one too many, of another kind, from another version."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples

from hello_agents import Config, Message, ScriptedLLM, SimpleAgent, ToolCall, ToolRegistry, Waiting
from hello_agents.core import journal
from hello_agents.core.action import Ask, Request, Wait
from hello_agents.core.contexts import with_context
from hello_agents.core.debugger import Debugger
from hello_agents.core.digest import digest
from hello_agents.core.exceptions import BadReply
from hello_agents.core.limits import closing_answer
from hello_agents.core.llm import HelloAgentsLLM
from hello_agents.core.llm_dicts import alast, last
from hello_agents.core.loose import parts
from hello_agents.core.message import NO_MESSAGES, Messages
from hello_agents.core.opaque import has_own_run, whole
from hello_agents.core.report import Head, run_html
from hello_agents.core.run import Delta, Entry, Replied, Returned, Run, Stopped, Told, evolve
from hello_agents.core.secrets import MASK, is_secret_name, mask_values
from hello_agents.core.session_store import MemorySessionStore, RedisSessionStore, SessionStore
from hello_agents.core.stream import Stream, log_entries

SECRET = "sk-abcdefghijklmnopqrstuvwxyz123456"
REPLY = Replied(Message("hi", "assistant"))


# -- conversations -------------------------------------------------------------------------------------


def test_messages_are_a_sequence_with_two_ends() -> None:
    messages = Messages([Message(str(number), "user") for number in range(3)])
    assert [messages[at].text for at in (0, 2, -1, -3)] == ["0", "2", "2", "0"]
    for beyond in (3, -4):
        with pytest.raises(IndexError, match="has 3"):
            messages[beyond]
    assert messages == list(messages)
    assert messages == tuple(messages)
    assert messages != list(messages)[:2]
    assert messages != "012"


def test_what_all_runs_begin_with_keeps_no_conversation() -> None:
    run = evolve(Run("first"), Told(Message("secret", "user")))
    assert len(NO_MESSAGES) == 0
    assert Messages() == NO_MESSAGES
    assert not run.messages.extends(NO_MESSAGES)
    assert all(message.content is None for message in NO_MESSAGES._items)


SAID = st.lists(st.sampled_from(["user", "assistant", "tool", "system", "summary"]), max_size=12)


@settings(max_examples=examples(200), deadline=None)
@given(first=SAID, then=SAID, start=st.integers(0, 12), stop=st.integers(0, 12))
def test_the_last_reply_is_the_same_however_a_conversation_came_about(
    first: list[Any], then: list[Any], start: int, stop: int
) -> None:
    def last_reply(messages: Messages) -> int | None:
        others = [at for at, message in enumerate(messages) if message.role != "tool"]
        return others[-1] if others and messages[others[-1]].role == "assistant" else None

    messages = Messages(Message("x", role) for role in first)
    for role in then:
        earlier, messages = messages, messages.plus(Message("y", role))
        fork = earlier.plus(Message("z", "user"))
        assert fork.last_reply() is None
        assert messages.last_reply() == last_reply(messages)
        assert earlier.last_reply() == last_reply(earlier)
    spliced = messages.splice(start, max(start, stop), [Message("s", "summary")])
    assert spliced.last_reply() == last_reply(spliced)


@pytest.mark.parametrize("data", [{}, {"role": "user"}, {"content": "x"}])
def test_a_message_without_its_parts_is_refused_with_their_names(data: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=" and ".join(sorted({"role", "content"} - data.keys()))):
        Message.from_dict(data)


def test_a_result_before_any_reply_changes_nothing() -> None:
    result = Returned(Message("7", "tool", answers="c"))
    for run in (Run("a"), evolve(Run("a"), Told(Message("go", "user")))):
        assert evolve(run, result) == run


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (["plain", {"type": "text", "text": " and more"}], ("plain and more", "", [])),
        ([{"type": "thinking", "thinking": "hm"}, "said"], ("said", "hm", [])),
        ([{"type": "image"}, 3], ("", "", ["image", "int"])),
        ("text", ("text", "", [])),
        (None, (None, "", [])),
    ],
)
def test_contents_of_all_kinds_are_read(content: object, expected: tuple[str | None, str, list[str]]) -> None:
    assert parts(content) == expected


def test_a_digest_tells_calls_by_name_and_shortens_between_letters() -> None:
    flags = "🇩🇪" * 400
    call = ToolCall("c", "look", {})
    known = digest(
        [Message(flags, "user"), Message("", "assistant", tool_calls=[call]), Message("7", "tool", answers="c")]
    )
    (asked,) = known.asked
    assert asked.endswith("…")
    assert set(asked.removesuffix("…")) == set("🇩🇪")
    assert len(asked.removesuffix("…")) % 2 == 0, "no flag is cut in two"
    assert known.results == (("look", "7"),)
    system = digest([Message("Be brief.", "system")])
    assert (system.messages, system.asked, system.results) == (0, (), ())


# -- runs ----------------------------------------------------------------------------------------------


def test_without_a_conversation_there_is_nothing_to_say_at_the_end() -> None:
    nothing = closing_answer(Run("a"), "max_steps", "en")
    assert "max_steps" in nothing
    asked = evolve(Run("a"), Told(Message("go", "user")))
    assert closing_answer(asked, "max_steps", "en") == nothing
    assert closing_answer(evolve(asked, REPLY), "max_steps", "en") == "hi"


class Builder:
    """One that nobody may ask."""

    def build(self, *args: object, **kwargs: object) -> Any:
        raise AssertionError("there is no question to build a context for")


def test_a_context_is_built_for_a_question_only() -> None:
    for messages in ([], [Message("S", "system")], [Message("a draft", "assistant")]):
        run = replace(Run("a"), messages=Messages(messages))
        ask = Ask(Request(run.messages))
        assert with_context(run, ask, Builder()) is ask  # type: ignore[arg-type]


def half_done() -> SimpleAgent:
    """A boss with two helpers: the first has to ask, the second is done."""

    def pay(sum: int) -> str:
        """Pays."""
        return str(sum)

    tools = ToolRegistry()
    tools.register_function(pay, needs_approval=True)
    tasks = [ToolCall(id, "Task", {"task": id, "agent_type": "simple"}) for id in ("one", "two")]
    frames = {"one": [ToolCall("p", "pay", {"sum": 1})], "two": ["second done"]}
    model = ScriptedLLM(tasks, "done", frames=frames)
    agent = SimpleAgent("boss", model, tool_registry=tools, config=Config(subagent_enabled=True))
    with pytest.raises(Waiting):
        agent.run("go")
    return agent


def test_a_boss_takes_what_is_done_and_waits_for_the_rest() -> None:
    agent = half_done()
    done = agent.act(agent.state)
    assert isinstance(done, Returned)
    assert (done.message.answers, done.message.text) == ("two", "second done")
    assert agent.act(evolve(agent.state, done)) == Wait(())


def test_a_run_alone_is_retold_with_the_helpers_that_have_not_answered_yet() -> None:
    agent = half_done()
    debugger = Debugger.of_run(agent.state)
    assert [(path, run.messages, run.outcome) for path, run in debugger.run.frames] == [
        (path, run.messages, run.outcome) for path, run in agent.state.frames
    ]
    assert debugger.run.children["two"].answer == "second done"


class Bare:
    """No agent at all."""


def test_what_speaks_for_an_agent_is_what_was_written_last() -> None:
    class Own(SimpleAgent):
        def run(self, input_text: str, **kwargs: object) -> str:
            return input_text

    class Again(Own):
        def decide(self, run: Run) -> Any:
            return super().decide(run)

    assert [has_own_run(kind) for kind in (SimpleAgent, Own, Again, Bare)] == [False, True, False, False]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([], Wait(())),
        ([Message("7", "tool", answers="c")], Wait(())),
        ([Message("before", "summary")], Wait(())),
        ([Message("done", "assistant")], Stopped("finished", "done")),
    ],
)
def test_an_agent_that_cannot_be_looked_into_answers_questions_only(messages: list[Message], expected: object) -> None:
    assert whole(replace(Run("a"), messages=Messages(messages))) == expected


def test_the_page_of_a_run_names_its_branch_where_there_are_several() -> None:
    run = Run("a")
    assert "main (2)" not in run_html(run, Head("a"))
    page = run_html(run, Head("a", branches=("main", "what if"), branch="what if"))
    assert "what if (2)" in page


# -- models --------------------------------------------------------------------------------------------


def test_the_reply_is_the_last_of_a_stream_and_a_stream_without_one_is_an_error() -> None:
    assert last(iter([Delta("h"), Delta("i"), REPLY])) is REPLY
    for pieces in ([], [Delta("h")]):
        with pytest.raises(BadReply, match="without a reply"):
            last(iter(pieces))


async def test_the_same_awaiting() -> None:
    async def of(*pieces: Delta | Replied) -> AsyncIterator[Delta | Replied]:
        for piece in pieces:
            yield piece

    assert await alast(of(Delta("h"), REPLY)) is REPLY
    with pytest.raises(BadReply, match="without a reply"):
        await alast(of(Delta("h")))


def test_a_model_takes_no_more_by_place_than_it_has_places() -> None:
    with pytest.raises(TypeError, match="Pass it by name"):
        HelloAgentsLLM("m", "k", "http://127.0.0.1:1", 0.5, 100, 10, 3)  # type: ignore[arg-type]


async def test_a_model_with_its_own_stream_replies_with_it() -> None:
    class Own(HelloAgentsLLM):
        async def astream(self, request: Request) -> AsyncIterator[Delta | Replied]:
            yield Delta("hi")
            yield REPLY

        def stream(self, request: Request) -> Iterator[Delta | Replied]:
            raise AssertionError("nobody asked for it")

    assert await Own("m", "k", "http://127.0.0.1:1").areply(Request((Message("go", "user"),))) is REPLY


# -- told and kept -------------------------------------------------------------------------------------


def test_only_what_can_be_a_secret_is_masked() -> None:
    class Thing:
        pass

    thing = Thing()
    masked = mask_values({"api_key": SECRET, "n": 3, "list": [SECRET], 7: thing, "set": {1}})
    assert masked == {"api_key": MASK, "n": 3, "list": [MASK], 7: thing, "set": {1}}
    assert not is_secret_name(7)
    assert is_secret_name("api_key")


def test_entries_are_logged_at_their_level_only(caplog: pytest.LogCaptureFixture) -> None:
    agent = SimpleAgent("a", ScriptedLLM(f"the key is {SECRET}"))
    agent.subscribers += [log_entries("debug"), log_entries("warning")]
    caplog.set_level(logging.INFO, "hello_agents")
    agent.run("go")
    assert {record.levelname for record in caplog.records} == {"WARNING"}
    assert len(caplog.records) == len(agent.journal)
    assert SECRET not in caplog.text
    caplog.clear()
    caplog.set_level(logging.ERROR, "hello_agents")
    agent.add_message(Message("again", "user"))
    assert caplog.records == []


def test_pieces_without_text_are_not_streamed() -> None:
    class Slow:
        def stream(self, request: Request) -> Iterator[Delta | Replied]:
            yield Delta("")
            yield Delta("h")
            yield Delta("i")
            yield REPLY

    assert list(SimpleAgent("a", Slow()).stream_run("go")) == ["h", "i"]  # type: ignore[arg-type]


def test_a_result_of_a_call_that_is_not_there_is_told_without_a_name() -> None:
    run = Run("a")
    told = list(Stream("a", "go").of(Entry(0, "", 1.0, Returned(Message("7", "tool", answers="c"))), run))
    assert [event.data.get("tool_name") for event in told if event.type.value == "tool_call_finish"] == [""]


@pytest.mark.parametrize(
    ("backend", "kind"), [("memory", MemorySessionStore), ("file", SessionStore), ("redis", RedisSessionStore)]
)
def test_the_configuration_names_the_store_and_nothing_is_reached_for_yet(backend: str, kind: type) -> None:
    agent = SimpleAgent("a", ScriptedLLM(), config=Config(session_enabled=True, persistence_backend=backend))  # type: ignore[arg-type]
    assert isinstance(agent.session_store, kind)
    assert SimpleAgent("a", ScriptedLLM(), config=Config(session_enabled=False)).session_store is None


def test_a_journal_that_nobody_has_begun_is_empty(tmp_path: Path) -> None:
    assert journal.JournalFile(tmp_path / "none.jsonl").read() == []
    assert not (tmp_path / "none.jsonl").exists()


@pytest.mark.parametrize("event", [3, [], "told", None])
def test_what_is_no_object_is_no_event(event: object) -> None:
    with pytest.raises(ValueError, match="An event is an object"):
        journal.load_event(event)


def test_lines_of_an_older_form_are_moved_on_step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    run = evolve(Run("old"), Told(Message("go", "user")))
    older = json.loads(run.to_json()) | {"schema": -1}
    older["was_called"] = older.pop("agent")
    monkeypatch.setitem(journal.MIGRATIONS, -1, lambda data: {**data, "name": data["was_called"], "was_called": 0})
    monkeypatch.setitem(
        journal.MIGRATIONS,
        0,
        lambda data: {
            **{key: value for key, value in data.items() if key not in ("name", "was_called")},
            "agent": data["name"],
        },
    )
    assert Run.from_json(json.dumps(older)) == run
    for unknown in (-2, journal.SCHEMA + 1, "1", None):
        with pytest.raises(ValueError, match="is not known here"):
            Run.from_json(json.dumps(older | {"schema": unknown}))
