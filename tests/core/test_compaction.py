"""Compaction: a conversation made shorter by an event of the loop, with nothing lost that must stay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from support.histories import anything, legal

from hello_agents import Config, HelloAgentsLLM, Message, ReActAgent, ScriptedLLM, SimpleAgent, ToolCall, ToolRegistry
from hello_agents.context.token_counter import TokenCounter, estimate
from hello_agents.core.action import Ask, Request
from hello_agents.core.compaction import Policy, bound, compact
from hello_agents.core.digest import digest, short_transcript, statistics, transcript, within
from hello_agents.core.exceptions import LLMException
from hello_agents.core.message import Messages
from hello_agents.core.run import Compacted, Noted, Replied, Run, Spawned, Stopped, Told, evolve
from hello_agents.offline.offline_llm import OfflineLLM
from hello_agents.wire.openai_chat import encode

COUNT = TokenCounter("").count_text
LONG = "The quick brown fox jumps over the lazy dog. " * 20


def config(limit: int, **values: Any) -> Config:
    return Config(memory_buffer_tokens=limit, **values)


def policy(limit: int, **values: Any) -> Policy:
    return Policy(config(limit, **values))


def ask(run: Run) -> Ask:
    return Ask(Request(run.messages))


def tokens(messages: Sequence[Message]) -> int:
    return TokenCounter("").count_messages(list(messages))


def settled(run: Run, one: Policy) -> tuple[Run, list[Any]]:
    """The run after all compactions that fire on it, with what a model would say; and what fired."""
    events: list[Any] = []
    while not isinstance(event := compact(run, ask(run), one), Ask):
        events.append(event)
        run = evolve(run, event)
        if isinstance(event, Spawned):
            run = evolve(run, Replied(Message(f"summary {len(events)}", "assistant")), event.id)
            run = evolve(run, Stopped("finished", f"summary {len(events)}"), event.id)
        assert len(events) < 200
    return run, events


def unpaired(messages: Sequence[Message]) -> list[str]:
    """The ids of calls without a result right behind them, and of results without a call."""
    waiting: list[str] = []
    wrong: list[str] = []
    for message in messages:
        if message.role == "tool":
            if message.answers in waiting:
                waiting.remove(message.answers)
            else:
                wrong.append(message.answers or "")
        else:
            wrong += waiting
            waiting = [call.id for call in message.tool_calls]
    return wrong + waiting


def rounds(count: int, size: str = LONG, calls: int = 1) -> list[Message]:
    said = [Message("Be brief.", "system")]
    for n in range(count):
        said.append(Message(f"question {n}", "user"))
        for m in range(calls):
            call = ToolCall(f"c{n}_{m}", "look", {"n": n})
            said += [Message(None, "assistant", tool_calls=[call]), Message(size, "tool", answers=call.id)]
        said.append(Message(f"answer {n}", "assistant"))
    return [*said, Message("the last question", "user")]


# -- the bound ----------------------------------------------------------------------------------------------------

MESSAGES = st.one_of(legal(), anything)


@settings(max_examples=examples(200), deadline=None)
@given(messages=MESSAGES)
def test_the_bound_is_never_below_the_count(messages: list[Message]) -> None:
    counter = TokenCounter("")
    guessing = TokenCounter("")
    guessing._encoder = estimate
    for message in messages:
        assert counter.count_message(message) <= bound(message)
        assert guessing.count_message(message) <= bound(message)


@pytest.mark.parametrize(
    "nasty", ["\x00\x01\x1f" * 9, '"\\' * 9, "\u200b" * 9, "👩‍👩‍👧", "\ud800", "\x7f\xa0", "\n\t" * 9]
)
def test_the_bound_holds_for_arguments_that_json_escapes(nasty: str) -> None:
    message = Message(None, "assistant", tool_calls=[ToolCall("a", "f", {nasty: nasty})])
    guessing = TokenCounter("")
    guessing._encoder = lambda text: len(text.encode("utf-8", "surrogatepass"))
    assert guessing.count_message(message) <= bound(message)


@settings(max_examples=examples(100), deadline=None)
@given(messages=legal(), limit=st.integers(1, 200), extra=st.booleans())
def test_what_fits_is_what_the_count_says_whatever_was_seen_before(
    messages: list[Message], limit: int, extra: bool
) -> None:
    one = policy(limit)
    tools = ToolRegistry().schemas()
    grown = Messages()
    for message in messages:
        grown = grown.plus(message)
        run = Run("a", grown)
        asked = (*grown, Message("hurry", "user")) if extra else grown
        assert one.fits(run, Request(asked, tools)) == (tokens(asked) <= limit)
    for size in (len(messages), len(messages) // 2):
        run = Run("a", Messages(messages[:size]))
        assert one.fits(run, Request(run.messages)) == (tokens(run.messages) <= limit)


def test_far_from_the_limit_nothing_is_counted() -> None:
    one = policy(10_000)
    messages = Messages(rounds(3))
    for size in range(len(messages)):
        run = Run("a", Messages(messages[:size]))
        assert compact(run, ask(run), one) == ask(run)
    assert one._counter is None


def test_tools_count_as_well() -> None:
    def look(where: str) -> str:
        """Looks at a place, and says what is to be seen there in a few words."""
        return where

    registry = ToolRegistry()
    registry.register_function(look)
    run = Run("a", Messages([Message("q", "user")]))
    assert policy(30).fits(run, Request(run.messages))
    assert not policy(30).fits(run, Request(run.messages, registry.schemas()))


def test_another_request_than_the_conversation_is_counted_as_it_is() -> None:
    run = Run("a", Messages(rounds(5)))
    assert policy(100).fits(run, Request([Message("short", "user")]))
    assert not policy(100).fits(Run("a"), Request([Message(LONG, "user")]))


# -- what may go --------------------------------------------------------------------------------------------------


@settings(max_examples=examples(300), deadline=None)
@given(messages=legal(), limit=st.integers(1, 120), keep=st.integers(1, 4), smart=st.booleans(), zh=st.booleans())
def test_each_compaction_shrinks_and_keeps_what_must_stay(
    messages: list[Message], limit: int, keep: int, smart: bool, zh: bool
) -> None:
    language = "zh" if zh else "en"
    one = policy(limit, min_retain_rounds=keep, enable_smart_compression=smart, language=language)
    start = Run("a", Messages([*messages, Message("now?", "user")]))
    end, events = settled(start, one)
    run = start
    for event in events:
        after = evolve(run, event)
        if isinstance(event, Compacted):
            assert tokens(after.messages) < tokens(run.messages)
            assert unpaired(after.messages) == []
        else:
            assert isinstance(event, Spawned)
            after = end.children[event.id] and evolve(run, Spawned(event.id, end.children[event.id]))
        run = after
    assert [m for m in end.messages if m.role == "system"] == [m for m in messages if m.role == "system"]
    assert end.messages[-1] == Message("now?", "user")
    assert compact(end, ask(end), one) == ask(end)


@settings(max_examples=examples(100), deadline=None)
@given(messages=anything, limit=st.integers(1, 60))
def test_any_messages_whatsoever_come_to_an_end(messages: list[Message], limit: int) -> None:
    end, _ = settled(Run("a", Messages(messages)), policy(limit, min_retain_rounds=1))
    assert [m for m in end.messages if m.role == "system"] == [m for m in messages if m.role == "system"]


@settings(max_examples=examples(50), deadline=None)
@given(count=st.integers(2, 12), keep=st.integers(1, 5))
def test_a_long_conversation_comes_below_the_limit(count: int, keep: int) -> None:
    run = Run("a", Messages(rounds(count, LONG, 2)))
    limit = 700
    end, _ = settled(run, policy(limit, min_retain_rounds=keep))
    assert tokens(end.messages) <= limit


def test_rounds_go_first_and_the_last_ones_stay_as_they_are() -> None:
    messages = rounds(8)
    run = Run("a", Messages(messages))
    event = compact(run, ask(run), policy(1200, min_retain_rounds=3))
    assert isinstance(event, Compacted)
    end = evolve(run, event)
    assert [m.role for m in end.messages[:2]] == ["system", "summary"]
    assert list(end.messages[2:]) == messages[-9:]
    assert "question 5" in end.messages[1].text
    assert "look ×6" in end.messages[1].text
    assert "answer 5" in end.messages[1].text


@pytest.mark.parametrize("parallel", [1, 3, 10])
def test_calls_of_a_long_round_go_next_in_whole_batches(parallel: int) -> None:
    messages = [Message("q", "user")]
    for step in range(12):
        calls = [ToolCall(f"c{n}", "look", {"step": step}) for n in range(parallel)]
        messages.append(Message(None, "assistant", tool_calls=calls))
        messages += [Message(f"{LONG} {step}", "tool", answers=call.id) for call in calls]
    run = Run("a", Messages(messages))
    end, events = settled(run, policy(400 * parallel + 600))
    assert events
    assert [m.role for m in end.messages[:2]] == ["user", "summary"]
    assert unpaired(end.messages) == []
    assert list(end.messages[-1 - parallel :]) == messages[-1 - parallel :]
    assert len([m for m in end.messages if m.role == "summary"]) == 1


def test_a_batch_larger_than_the_limit_has_its_results_cut_and_stays_whole() -> None:
    calls = [ToolCall(f"c{n}", "look") for n in range(10)]
    results = [Message(f"start {n} {LONG} end {n}", "tool", answers=f"c{n}", status="success") for n in range(10)]
    results[3] = Message("short", "tool", answers="c3", status="error", metadata={"code": "X"})
    run = Run("a", Messages([Message("q", "user"), Message(None, "assistant", tool_calls=calls), *results]))
    end, events = settled(run, policy(1000))
    assert len(events) == 1
    assert tokens(end.messages) <= 1000
    assert unpaired(end.messages) == []
    assert end.messages[5] == results[3]
    assert end.messages[2].text.startswith("start 0")
    assert end.messages[2].text.endswith("end 0")
    assert "left out" in end.messages[2].text
    assert end.messages[2].status == "success"


def test_rounds_that_should_stay_go_when_nothing_else_helps() -> None:
    messages = [m for n in range(6) for m in (Message(f"{n} {LONG}", "user"), Message(LONG, "assistant"))]
    run = Run("a", Messages([*messages, Message("now?", "user")]))
    end, _ = settled(run, policy(1500, min_retain_rounds=10))
    assert tokens(end.messages) <= 1500
    assert [m.role for m in end.messages[:2]] == ["summary", "user"]
    assert end.messages[-1].text == "now?"


def test_one_question_that_is_too_long_is_sent_as_it_is() -> None:
    run = Run("a", Messages([Message(LONG, "user")]))
    assert compact(run, ask(run), policy(20)) == ask(run)


def test_a_summary_alone_is_not_summarised_again() -> None:
    run = Run("a", Messages([Message(LONG, "summary"), Message("q", "user")]))
    assert compact(run, ask(run), policy(20)) == ask(run)
    inside = Run("a", Messages([Message("q", "user"), Message(LONG, "summary"), Message("hm", "assistant")]))
    assert compact(inside, ask(inside), policy(20)) == ask(inside)


def test_only_a_request_is_looked_at() -> None:
    run = Run("a", Messages(rounds(9)))
    assert compact(run, Noted("x", 1), policy(1)) == Noted("x", 1)


# -- summaries ----------------------------------------------------------------------------------------------------


def test_a_digest_takes_up_the_one_before() -> None:
    first = rounds(3)[1:-1]
    before = statistics(first, 500, COUNT)
    both = digest([before, *rounds(2)[1:-1]])
    assert both.messages == len(first) + len(rounds(2)) - 2
    assert dict(both.tools) == {"look": 5}
    assert both.asked == ("question 0", "question 1", "question 2", "question 0", "question 1")


@pytest.mark.parametrize(
    "metadata", [{}, {"compacted": 4}, {"compacted": "?"}, {"compacted": {"messages": 3}}, {"compacted": None}]
)
def test_a_summary_of_another_hand_is_told_on(metadata: dict[str, Any]) -> None:
    old = Message("They spoke of Mars.", "summary", metadata=metadata)
    summary = statistics([old, Message("And Venus?", "user")], 500, COUNT)
    assert "They spoke of Mars." in summary.text
    assert "And Venus?" in summary.text
    again = statistics([summary, Message("And Pluto?", "user")], 500, COUNT)
    assert "They spoke of Mars." in again.text


@settings(max_examples=examples(100), deadline=None)
@given(messages=legal(), room=st.integers(20, 300), language=st.sampled_from(["en", "zh"]))
def test_a_summary_keeps_to_its_tokens_and_survives_json(messages: list[Message], room: int, language: str) -> None:
    summary = statistics(messages, max(room, 200), COUNT, language)
    assert summary.role == "summary"
    assert COUNT(summary.text) <= max(room, 200)
    assert digest([Message.from_dict(summary.to_dict())]) == digest([summary])
    assert statistics(messages, room, COUNT, language) == statistics(messages, room, COUNT, language)


def test_summaries_are_in_the_language_of_the_agent() -> None:
    assert "提问：question 1" in statistics(rounds(2), 500, COUNT, "zh").text
    assert "Asked: question 1" in statistics(rounds(2), 500, COUNT, "en").text


def test_the_last_result_of_each_tool_is_told() -> None:
    call = Message(None, "assistant", tool_calls=[ToolCall("a", "add", {"a": 1})])
    summary = statistics([call, Message("1", "tool", answers="a"), call, Message("2", "tool", answers="a")], 500, COUNT)
    assert "add ×2" in summary.text
    assert "Last result of add: 2" in summary.text


@pytest.mark.parametrize("strategy", ["head", "head_tail"])
@pytest.mark.parametrize("text", [LONG, "你好" * 500, "👩‍👩‍👧" * 100, "x" * 5000, ""])
@pytest.mark.parametrize("room", [0, 1, 5, 40, 10_000])
def test_a_text_within_tokens(text: str, room: int, strategy: Any) -> None:
    shorter = within(text, room, COUNT, strategy)
    assert COUNT(shorter) <= room
    assert (shorter == text) == (COUNT(text) <= room)


def test_a_transcript_says_who_said_what() -> None:
    told = transcript(rounds(1, "seen")[:-1])
    assert told.split("\n") == [
        "system: Be brief.",
        "user: question 0",
        "assistant:",
        '  → look({"n": 0})',
        "tool look: seen",
        "assistant: answer 0",
    ]
    assert COUNT(short_transcript(rounds(9), 300, COUNT)) < COUNT(transcript(rounds(9)))


# -- in the loop --------------------------------------------------------------------------------------------------


def look(where: str) -> str:
    """Looks at a place."""
    return f"{where}: {LONG}"


def tools() -> ToolRegistry:
    registry = ToolRegistry()
    registry.register_function(look)
    return registry


def calls(count: int) -> list[ToolCall]:
    return [ToolCall("", "look", {"where": f"place {n}"}) for n in range(count)]


class Recorder:
    """A model that keeps the requests it is asked."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.requests: list[Request] = []

    def stream(self, request: Request) -> Any:
        self.requests.append(request)
        return self.inner.stream(request)

    async def astream(self, request: Request) -> Any:
        self.requests.append(request)
        async for event in self.inner.astream(request):
            yield event


@pytest.mark.parametrize("kind", [SimpleAgent, ReActAgent])
def test_it_fires_by_itself_and_no_request_is_over_the_limit(kind: Any) -> None:
    model = Recorder(ScriptedLLM(*calls(12), "done"))
    agent = kind("a", model, tool_registry=tools(), config=config(1500))
    assert agent.run("Look around.", max_steps=20) == "done"
    assert any(isinstance(entry.event, Compacted) for entry in agent.journal)
    counter = TokenCounter("")
    for request in model.requests:
        assert counter.count_messages(request.messages) + counter.count_tools(request.tools) <= 1500
        assert next(m.text for m in request.messages if m.role == "user") == "Look around."
    results = [m for m in agent.state.messages if m.role == "tool"]
    assert len(results) < 12


def test_what_was_taken_out_stays_in_the_journal() -> None:
    agent = SimpleAgent("a", ScriptedLLM(*calls(12), "done"), tool_registry=tools(), config=config(1500))
    agent.run("Look around.", max_steps=20)
    told = [entry.event.message.text for entry in agent.journal if hasattr(entry.event, "message")]
    assert [f"place {n}: {LONG}" in told for n in range(12)] == [True] * 12


def test_the_model_is_told_by_a_headed_user_message() -> None:
    model = Recorder(ScriptedLLM(*calls(6), "done"))
    agent = SimpleAgent("a", model, "Be brief.", tool_registry=tools(), config=config(1200))
    agent.run("Look around.", max_steps=20)
    sent = encode(model.requests[-1], model="m")["messages"]
    assert [m["role"] for m in sent[:4]] == ["system", "user", "user", "assistant"]
    assert sent[2]["content"].startswith("Summary of the conversation so far:")


def test_settings_may_change_between_questions() -> None:
    agent = SimpleAgent("a", ScriptedLLM(*calls(3), "one", "two"), tool_registry=tools())
    agent.run("Look around.", max_steps=20)
    assert not any(isinstance(entry.event, Compacted) for entry in agent.journal)
    agent.config.context_window = 400
    agent.run("And?")
    assert any(isinstance(entry.event, Compacted) for entry in agent.journal)
    agent.config = Config()
    assert agent.policy.limit == 102_400


def test_a_question_that_is_closing_is_not_made_shorter_for_nothing() -> None:
    agent = SimpleAgent("a", ScriptedLLM(*calls(9)), tool_registry=tools(), config=config(900))
    agent.run("Look around.", max_steps=2)
    assert agent.state.outcome is not None
    assert agent.state.outcome.reason == "max_steps"
    kinds = [type(entry.event) for entry in agent.journal]
    assert kinds[-1] is Stopped


SMART = {"enable_smart_compression": True, "summary_max_tokens": 60}


def test_a_model_writes_the_summary_as_a_child_run() -> None:
    frames = {f"summary_{n}": [f"Places up to {n} were seen."] for n in range(9)}
    model = Recorder(ScriptedLLM(*calls(12), "done", frames=frames))
    agent = SimpleAgent("a", model, tool_registry=tools(), config=config(1500, **SMART))
    assert agent.run("Look around.", max_steps=20) == "done"
    spawned = [entry.seq for entry in agent.journal if isinstance(entry.event, Spawned)]
    compacted = [entry for entry in agent.journal if isinstance(entry.event, Compacted)]
    assert len(spawned) == len(compacted) > 0
    for number, entry in enumerate(compacted):
        assert isinstance(entry.event, Compacted)
        (summary,) = entry.event.messages
        assert summary.text == f"Places up to {number} were seen."
        assert summary.metadata["by"] == f"summary_{number}"
    asked = next(request for request in model.requests if request.at[0] == "summary_0")
    assert "place 0" in asked.messages[-1].text
    assert asked.tools == ()
    assert tokens(asked.messages) <= 1500
    again = next(request for request in model.requests if request.at[0] == "summary_1")
    assert "summary: Places up to 0 were seen." in again.messages[-1].text


@pytest.mark.parametrize("reply", [LLMException("down"), "", "  ", ToolCall("", "look", {"where": "x"})])
def test_a_model_that_writes_none_leaves_it_to_the_rule(reply: Any) -> None:
    frames = {f"summary_{n}": [reply] for n in range(9)}
    agent = SimpleAgent(
        "a", ScriptedLLM(*calls(9), "done", frames=frames), tool_registry=tools(), config=config(1500, **SMART)
    )
    assert agent.run("Look around.", max_steps=20) == "done"
    summary = next(m for m in agent.state.messages if m.role == "summary")
    assert "look ×" in summary.text
    assert all(child.outcome is not None for child in agent.state.children.values())


async def test_a_failing_model_leaves_it_to_the_rule_where_the_loop_awaits() -> None:
    frames = {f"summary_{n}": [LLMException("down")] for n in range(9)}
    agent = SimpleAgent(
        "a", ScriptedLLM(*calls(9), "done", frames=frames), tool_registry=tools(), config=config(1500, **SMART)
    )
    assert await agent.arun("Look around.", max_steps=20) == "done"
    assert any("look ×" in m.text for m in agent.state.messages if m.role == "summary")


def test_the_settings_may_name_a_model_for_summaries() -> None:
    settings = config(1500, **SMART, summary_llm_model="offline", summary_temperature=0.1)
    agent = SimpleAgent("a", ScriptedLLM(), config=settings)
    summarizer = agent.member(Run("summarizer"))
    assert isinstance(summarizer.llm, HelloAgentsLLM)
    assert (summarizer.llm.model, summarizer.llm.temperature, summarizer.llm.max_tokens) == ("offline", 0.1, 60)
    assert agent.member(Run("summarizer")) is summarizer
    own = SimpleAgent("a", ScriptedLLM(), config=config(1500, **SMART))
    assert own.member(Run("summarizer")).llm is own.llm


@pytest.mark.parametrize(
    ("language", "question", "said"), [("en", "What is {} + 5?", "0 + 5"), ("zh", "{} 加 5 等于多少？", "0 加 5")]
)
def test_the_offline_model_writes_summaries(language: str, question: str, said: str) -> None:
    settings = config(350, min_retain_rounds=1, enable_smart_compression=True, language=language)
    agent = SimpleAgent("a", OfflineLLM(language=language), config=settings)
    for n in range(30):
        agent.run(question.format(n))
    written = [child.answer or "" for child in agent.state.children.values()]
    assert said in written[0]
    assert any(m.metadata.get("by") for m in agent.state.messages)


def test_an_endless_summary_is_cut() -> None:
    frames = {f"summary_{n}": [LONG * 9] for n in range(9)}
    agent = SimpleAgent(
        "a", ScriptedLLM(*calls(9), "done", frames=frames), tool_registry=tools(), config=config(1500, **SMART)
    )
    agent.run("Look around.", max_steps=20)
    summary = next(m for m in agent.state.messages if m.role == "summary")
    assert summary.text.startswith("The quick brown fox")
    assert COUNT(summary.text) <= 60


def test_a_summarizer_of_ones_own_is_a_member() -> None:
    agent = SimpleAgent("a", ScriptedLLM(*calls(9), "done"), tool_registry=tools(), config=config(1500, **SMART))

    class Own(SimpleAgent):
        def decide(self, run: Run) -> Any:
            return Stopped("finished", "my summary")

    agent.members["summarizer"] = Own("summarizer", ScriptedLLM())
    agent.run("Look around.", max_steps=20)
    assert "my summary" in [m.text for m in agent.state.messages if m.role == "summary"]


def test_the_same_part_is_never_given_out_twice() -> None:
    run = Run("a", Messages(rounds(6)))
    one = policy(900, min_retain_rounds=1, **SMART)
    first = compact(run, ask(run), one)
    assert isinstance(first, Spawned)
    other = evolve(run, Spawned("summary_0", replace(first.run, messages=Messages([Message("else", "user")]))))
    second = compact(evolve(other, Stopped("finished", "no"), "summary_0"), ask(other), one)
    assert isinstance(second, Spawned)
    assert second.id == "summary_1"


async def test_awaiting_writes_the_same_journal() -> None:
    def made() -> SimpleAgent:
        frames = {f"summary_{n}": ["Seen."] for n in range(9)}
        model = ScriptedLLM(*calls(8), "done", frames=frames)
        return SimpleAgent("a", model, tool_registry=tools(), config=config(1500, **SMART))

    waited, awaited = made(), made()
    waited.run("Look.", max_steps=20)
    await awaited.arun("Look.", max_steps=20)
    assert waited.journal == awaited.journal


def test_the_debugger_says_what_happens() -> None:
    agent = SimpleAgent("a", ScriptedLLM(*calls(6), "done"), tool_registry=tools(), config=config(1200))
    debugger = agent.steps("Look around.", max_steps=20)
    debugger.finish(until=lambda run: isinstance(debugger.next, Compacted))
    assert debugger.why == "the history is shortened"
    before = len(debugger.run.messages)
    debugger.step()
    assert len(debugger.run.messages) < before
    debugger.back()
    assert len(debugger.run.messages) == before


def test_a_system_prompt_told_later_stays_first() -> None:
    run = Run("a", Messages(rounds(8)))
    end, _ = settled(run, policy(900, min_retain_rounds=2))
    end = evolve(end, Told(Message("New prompt.", "system")))
    assert [m.role for m in end.messages[:2]] == ["system", "summary"]
    assert end.messages[0].text == "New prompt."
