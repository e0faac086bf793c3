"""Agents as a reader uses them: runs that remember, limits, failures, approval."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Any

import pytest

from hello_agents import Config, Message, ReActAgent, ScriptedLLM, SimpleAgent, ToolCall, ToolRegistry, Waiting
from hello_agents.core.agent import Agent
from hello_agents.core.exceptions import AgentException, ConfigException, LLMException
from hello_agents.core.run import Delta, Judged, Noted, Replied, Returned, Run


def add(a: int, b: int) -> int:
    """Adds two whole numbers."""
    return a + b


def tools(*functions: Any) -> ToolRegistry:
    registry = ToolRegistry()
    for function in functions or (add,):
        registry.register_function(function)
    return registry


def call(name: str = "add", id: str = "", **arguments: Any) -> ToolCall:
    return ToolCall(id, name, arguments)


class Recorder:
    """A model that keeps the requests it is asked."""

    def __init__(self, inner: ScriptedLLM) -> None:
        self.inner = inner
        self.requests: list[Any] = []

    def stream(self, request: Any) -> Any:
        self.requests.append(request)
        return self.inner.stream(request)

    async def astream(self, request: Any) -> Any:
        self.requests.append(request)
        async for event in self.inner.astream(request):
            yield event


# -- remembering --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [SimpleAgent, ReActAgent])
def test_two_runs_of_one_agent_remember_and_have_one_system_message_first(kind: type[Agent]) -> None:
    model = Recorder(ScriptedLLM("Hello Ada.", "You are Ada."))
    agent = kind("a", model, system_prompt="P", tool_registry=tools())
    agent.run("I am Ada.")
    assert agent.run("Who am I?") == "You are Ada."
    for request in model.requests:
        assert [m.content for m in request.messages if m.role == "system"] == ["P"]
        assert request.messages[0].role == "system"
    assert [m.content for m in model.requests[1].messages[1:]] == ["I am Ada.", "Hello Ada.", "Who am I?"]


def test_an_agent_that_takes_over_a_conversation_uses_its_own_prompt() -> None:
    first = SimpleAgent("first", ScriptedLLM("one"), "First prompt.")
    first.run("Hi")
    model = Recorder(ScriptedLLM("", "two"))
    second = SimpleAgent("second", model, "Second prompt.")
    second.state = first.state
    second.run("And now?")
    assert [m.content for m in model.requests[-1].messages if m.role == "system"] == ["Second prompt."]
    assert [m.role for m in second.state.messages].count("system") == 1


def test_history_is_a_view_without_the_system_message_and_can_be_set() -> None:
    agent = SimpleAgent("a", ScriptedLLM("one"), "P")
    agent.run("Hi")
    assert [m.role for m in agent.get_history()] == ["user", "assistant"]
    agent._history = [Message("q", "user"), Message("a", "assistant")]
    assert [m.content for m in agent._history] == ["q", "a"]
    agent.clear_history()
    assert agent.get_history() == []
    agent.add_message(Message("again", "user"))
    assert len(agent.journal) == 1


def test_constructing_an_agent_registers_nothing_and_makes_no_folder(tmp_path: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    registry = tools()
    ReActAgent("a", ScriptedLLM("x"), registry)
    assert registry.list_tools() == ["add"]
    assert list(tmp_path.iterdir()) == []


# -- calls --------------------------------------------------------------------------------------------------------


def test_one_failing_call_of_three_is_an_error_and_the_others_are_answered() -> None:
    def fails(text: str) -> str:
        raise RuntimeError(text)

    def ok(text: str) -> str:
        return text

    script = ScriptedLLM([call("ok", text="A"), call("fails", text="C"), call("ok", text="B")], "done")
    agent = SimpleAgent("a", script, tool_registry=tools(ok, fails))
    assert agent.run("go") == "done"
    results = [m for m in agent.state.messages if m.role == "tool"]
    assert [m.status for m in results] == ["success", "error", "success"]
    assert [m.text for m in results if m.status == "success"] == ["A", "B"]


@pytest.mark.parametrize("ids", [("x", "x"), ("", ""), ("call_0_1", ""), ("", "call_0_0"), ("a/b", "a/b")])
def test_equal_and_missing_ids_lose_no_result(ids: tuple[str, str]) -> None:
    script = ScriptedLLM()
    script = ScriptedLLM(
        Message(None, "assistant", tool_calls=[call(id=ids[0], a=1, b=1), call(id=ids[1], a=2, b=2)]), "ok"
    )
    agent = SimpleAgent("a", script, tool_registry=tools())
    agent.run("go")
    reply = next(m for m in agent.state.messages if m.tool_calls)
    assert len({c.id for c in reply.tool_calls}) == 2
    assert [m.content for m in agent.state.messages if m.role == "tool"] == ["2", "4"]


async def test_results_stand_in_call_order_whatever_finishes_first() -> None:
    async def wait(seconds: float, word: str) -> str:
        await asyncio.sleep(seconds)
        return word

    calls = [call("wait", seconds=0.05, word="slow"), call("wait", seconds=0.0, word="quick")]
    agent = SimpleAgent("a", ScriptedLLM(calls, "done"), tool_registry=tools(wait))
    await agent.arun("go")
    returned = [e.event.message.content for e in agent.journal if isinstance(e.event, Returned)]
    assert returned == ["quick", "slow"]
    assert [m.content for m in agent.state.messages if m.role == "tool"] == ["slow", "quick"]


async def test_a_call_that_cancels_itself_costs_no_other_result() -> None:
    async def gives_up(text: str) -> str:
        raise asyncio.CancelledError

    async def ok(text: str) -> str:
        await asyncio.sleep(0)
        return text

    calls = [call("ok", text="A"), call("gives_up", text="C"), call("ok", text="B")]
    for walk in ("arun", "run"):
        agent = SimpleAgent("a", ScriptedLLM(calls, "done"), tool_registry=tools(ok, gives_up))
        assert (await agent.arun("go") if walk == "arun" else agent.run("go")) == "done"
        results = [m for m in agent.state.messages if m.role == "tool"]
        assert [m.status for m in results] == ["success", "error", "success"]
        assert [m.text for m in results if m.status == "success"] == ["A", "B"]


def test_an_async_tool_gives_its_value_in_a_sync_run_also_inside_a_running_loop() -> None:
    async def later(text: str) -> str:
        await asyncio.sleep(0)
        return text.upper()

    def agent() -> SimpleAgent:
        return SimpleAgent("a", ScriptedLLM(call("later", text="x"), "done"), tool_registry=tools(later))

    async def inside() -> str:
        one = agent()
        one.run("go")
        return next(m.text for m in one.state.messages if m.role == "tool")

    assert asyncio.run(inside()) == "X"
    assert asyncio.run(inside()) == "X"


def test_react_thinks_and_finishes_through_tools() -> None:
    script = ScriptedLLM(call("Thought", reasoning="add"), call(a=1, b=2), call("Finish", answer="3"))
    agent = ReActAgent("a", script, tools())
    assert agent.run("1+2?") == "3"
    assert [m.text for m in agent.state.messages if m.role == "tool"] == ["Reasoning: add", "3", "3"]
    assert agent.state.outcome is not None
    assert agent.state.outcome.reason == "finished"


def test_a_finish_without_an_answer_is_told_to_the_model_and_ends_nothing() -> None:
    agent = ReActAgent("a", ScriptedLLM(call("Finish"), call("Finish", answer="3")), tools())
    assert agent.run("1+2?") == "3"
    assert agent.state.steps == 2


# -- limits -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("limit", "asked"), [(0, 1), (1, 2), (3, 4)])
def test_at_the_limit_one_last_request_has_schemas_and_no_choice(limit: int, asked: int) -> None:
    script = [call(a=n, b=0) for n in range(limit)]
    model = Recorder(ScriptedLLM(*script, "as far as I got"))
    agent = SimpleAgent("a", model, tool_registry=tools())
    assert agent.run("go", max_steps=limit) == "as far as I got"
    assert len(model.requests) == asked
    assert model.requests[-1].tool_choice == "none"
    assert model.requests[-1].tools
    assert [request.tool_choice for request in model.requests[:-1]] == ["auto"] * limit
    assert agent.state.outcome is not None
    assert agent.state.outcome.reason == "max_steps"


def test_calls_in_the_last_reply_are_answered_as_not_run() -> None:
    ran: list[int] = []

    def note(n: int) -> str:
        ran.append(n)
        return "ok"

    agent = SimpleAgent("a", ScriptedLLM(call("note", n=1), call("note", n=2)), tool_registry=tools(note))
    answer = agent.run("go", max_steps=1)
    assert ran == [1]
    assert "max_steps" in answer
    assert agent.state.messages[-1].metadata["code"] == "NOT_RUN"


@pytest.mark.parametrize("kind", [SimpleAgent, ReActAgent])
@pytest.mark.parametrize(
    ("script", "words"),
    [
        ([Message("It is about 40.", "assistant", tool_calls=[call(a=1, b=2)])], "It is about 40."),
        ([call(a=1, b=2)], "3"),
        ([call("nothing")], "NOT_FOUND"),
    ],
)
def test_a_model_that_never_answers_leaves_its_last_words_or_result(kind: Any, script: Any, words: str) -> None:
    agent = kind("a", ScriptedLLM(*script, call(a=7, b=7)), tool_registry=tools())
    assert words in agent.run("go", max_steps=1)
    assert agent.state.outcome is not None
    assert agent.state.outcome.reason == "max_steps"


def test_the_model_is_told_when_few_steps_are_left() -> None:
    model = Recorder(ScriptedLLM(*[call(a=n, b=0) for n in range(4)], "done"))
    SimpleAgent("a", model, tool_registry=tools(), max_tool_iterations=4).run("go")
    notices = [[m.text for m in r.messages if "step(s) are left" in m.text] for r in model.requests]
    assert [len(n) for n in notices] == [0, 0, 1, 1, 0]


def test_equal_calls_with_equal_results_are_warned_of_and_then_end_the_loop() -> None:
    model = Recorder(ScriptedLLM(*[call(a=1, b=1)] * 4, "It is 2."))
    agent = SimpleAgent("a", model, tool_registry=tools(), max_tool_iterations=20)
    assert agent.run("go") == "It is 2."
    assert agent.state.outcome is not None
    assert agent.state.outcome.reason == "repeated_call"
    assert [any("same arguments" in m.text for m in r.messages) for r in model.requests[:4]] == [False] * 3 + [True]


def test_equal_calls_between_thoughts_are_seen_too() -> None:
    turn = [call("Thought", reasoning="again"), call(a=1, b=1)]
    script = [piece for n in range(4) for piece in (call("Thought", reasoning=f"again {n}"), turn[1])]
    agent = ReActAgent("a", ScriptedLLM(*script, "It is 2."), tools(), max_steps=20)
    agent.run("go")
    assert agent.state.outcome is not None
    assert agent.state.outcome.reason == "repeated_call"


def test_polling_with_changing_results_is_no_repetition() -> None:
    states = iter(range(10))

    def poll() -> int:
        """How far it is."""
        return next(states)

    agent = SimpleAgent(
        "a", ScriptedLLM(*[call("poll")] * 8, "done"), tool_registry=tools(poll), max_tool_iterations=20
    )
    assert agent.run("go") == "done"
    assert agent.state.outcome is not None
    assert agent.state.outcome.reason == "finished"


def test_the_token_budget_of_a_question_ends_it() -> None:
    agent = SimpleAgent(
        "a", ScriptedLLM(*[call(a=n, b=0) for n in range(9)], "end"), tool_registry=tools(), max_tool_iterations=9
    )
    agent.run("go", max_tokens=1)
    assert agent.state.outcome is not None
    assert agent.state.outcome.reason == "token_budget"
    assert agent.state.steps == 2


@pytest.mark.parametrize(
    ("field", "words"),
    [("max_concurrent_tool", "max_concurrent_tools"), ("langauge", "language"), ("zzz", "Fields are")],
)
def test_an_unknown_setting_names_the_near_one(field: str, words: str) -> None:
    with pytest.raises(ConfigException, match=words):
        Config(**{field: 1})


def test_calls_of_one_tool_beyond_its_number_are_answered_without_being_run() -> None:
    ran: list[int] = []

    def note(n: int) -> str:
        ran.append(n)
        return str(n)

    script = ScriptedLLM(call("note", n=1), [call("note", n=2), call("note", n=3)], call("note", n=4), "done", "again")
    config = Config(max_iterations_per_tool=2)
    agent = SimpleAgent("a", script, None, config, tools(note), max_tool_iterations=9)
    assert agent.run("go") == "done"
    assert ran == [1, 2]
    assert [m.metadata.get("code") for m in agent.state.messages if m.role == "tool"] == [
        None,
        None,
        "NOT_RUN",
        "NOT_RUN",
    ]


def test_after_so_many_failures_the_model_is_asked_to_answer_without_tools() -> None:
    def fails(n: int) -> str:
        raise ValueError(str(n))

    model = Recorder(ScriptedLLM(*[call("fails", n=n) for n in range(3)], "plainly"))
    config = Config(degrade_after_failures=3)
    agent = SimpleAgent("a", model, None, config, tools(fails), max_tool_iterations=9)
    assert agent.run("go") == "plainly"
    assert model.requests[-1].tool_choice == "none"
    assert agent.state.outcome is not None
    assert agent.state.outcome.reason == "degraded"


def test_an_unknown_argument_of_run_names_the_near_one() -> None:
    with pytest.raises(TypeError, match="max_steps"):
        SimpleAgent("a", ScriptedLLM("x")).run("go", max_step=3)


# -- failures of the model ----------------------------------------------------------------------------------------


def test_an_error_of_the_model_keeps_what_happened_and_resume_goes_on() -> None:
    agent = SimpleAgent("a", ScriptedLLM(call(a=1, b=2), LLMException("busy"), "3"), tool_registry=tools())
    with pytest.raises(LLMException, match="busy"):
        agent.run("1+2?")
    assert [m.content for m in agent.state.messages] == ["1+2?", None, "3"]
    assert any(isinstance(e.event, Noted) and e.event.key == "model_error" for e in agent.journal)
    assert agent.resume() == "3"


def test_a_model_that_ends_without_a_reply_is_a_clear_error() -> None:
    class Silent:
        def stream(self, request: Any) -> Any:
            return iter(())

        async def astream(self, request: Any) -> Any:
            return
            yield

    with pytest.raises(LLMException, match="Replied"):
        SimpleAgent("a", Silent()).run("go")
    with pytest.raises(LLMException, match="Replied"):
        asyncio.run(SimpleAgent("a", Silent()).arun("go"))


def test_a_new_question_after_an_interrupt_answers_the_open_calls_first() -> None:
    def stop() -> str:
        raise KeyboardInterrupt

    agent = SimpleAgent("a", ScriptedLLM([call("stop"), call("stop")], "fine"), tool_registry=tools(stop))
    with pytest.raises(KeyboardInterrupt):
        agent.run("go")
    assert agent.run("something else") == "fine"
    codes = [m.metadata["code"] for m in agent.state.messages if m.role == "tool"]
    assert codes == ["INTERRUPTED", "NOT_RUN"]


def test_a_cancelled_task_leaves_a_run_that_goes_on() -> None:
    async def forever() -> str:
        await asyncio.sleep(60)
        return "late"

    agent = SimpleAgent("a", ScriptedLLM(call("forever"), "gave up"), tool_registry=tools(forever))

    async def cancel() -> None:
        task = asyncio.create_task(agent.arun("go"))
        while not agent.state.begun:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    assert agent.resume() == "gave up"
    assert "interrupted" in next(m.text for m in agent.state.messages if m.role == "tool")


# -- approval -----------------------------------------------------------------------------------------------------


def careful(*script: Any) -> SimpleAgent:
    registry = ToolRegistry()
    registry.register_function(add, needs_approval=True)
    return SimpleAgent("careful", ScriptedLLM(*script), tool_registry=registry)


def test_a_call_that_asks_waits_and_is_allowed_edited_or_refused() -> None:
    for verdict, result in (
        (Judged("c", True), "3"),
        (Judged("c", True, {"a": 5, "b": 5}), "10"),
        (Judged("c", False, reason="too dear"), "refused: too dear"),
    ):
        agent = careful(call(id="c", a=1, b=2), "done")
        with pytest.raises(Waiting) as waiting:
            agent.run("1+2?")
        assert waiting.value.run.pending[0].id == "c"
        later = careful(call(id="c", a=1, b=2), "done")
        later.state = Run.from_json(agent.state.to_json())
        assert later.resume(verdict) == "done"
        assert [m.text for m in later.state.messages if m.role == "tool"] == [result]


def test_allowed_calls_run_before_the_wait_and_an_async_run_waits_too() -> None:
    registry = ToolRegistry()
    registry.register_function(add, needs_approval=True)
    registry.register_function(lambda: "free", "free", "Free.")
    script = [call("add", "c", a=1, b=2), call("free", "d")]
    agent = SimpleAgent("a", ScriptedLLM(script, "done"), tool_registry=registry)
    with pytest.raises(Waiting):
        asyncio.run(agent.arun("go"))
    assert [m.text for m in agent.state.messages if m.role == "tool"] == ["free"]
    assert agent.resume(Judged("c", True)) == "done"
    assert [m.text for m in agent.state.messages if m.role == "tool"] == ["3", "free"]


def test_a_verdict_on_a_call_that_does_not_wait_is_an_error() -> None:
    agent = careful(call(id="c", a=1, b=2), "done")
    with pytest.raises(Waiting):
        agent.run("1+2?")
    with pytest.raises(AgentException, match="'c'"):
        agent.resume(Judged("other", True))


# -- streams and hooks --------------------------------------------------------------------------------------------


def test_streaming_yields_each_piece_once_and_prints_nothing(capsys: Any) -> None:
    pieces = list(SimpleAgent("a", ScriptedLLM("one two three")).stream_run("go"))
    assert "".join(pieces) == "one two three"
    assert len(pieces) > 1
    out = capsys.readouterr()
    assert out.out == out.err == ""


@pytest.mark.parametrize("pieces", [["根据", "根据", "天气"], ["one"], ["a", "a", "a", " "], ["\n", "x\n"]])
def test_as_many_pieces_as_the_model_gives_are_streamed(pieces: list[str], capsys: Any) -> None:
    class Cut:
        def stream(self, request: Any) -> Any:
            yield from map(Delta, pieces)
            yield Replied(Message("".join(pieces), "assistant"))

        async def astream(self, request: Any) -> Any:
            for part in self.stream(request):
                yield part

    async def chunks(agent: Agent) -> list[str]:
        return [e.data["chunk"] async for e in agent.arun_stream("go") if e.type.value == "llm_chunk"]

    for kind in (SimpleAgent, ReActAgent):
        assert list(kind("a", Cut()).stream_run("go")) == pieces
        assert asyncio.run(chunks(kind("a", Cut()))) == pieces
        assert kind("a", Cut()).run("go") == "".join(pieces)
    out = capsys.readouterr()
    assert out.out == out.err == ""


def test_an_answer_given_through_a_tool_is_streamed_whole_at_the_end() -> None:
    agent = ReActAgent("a", ScriptedLLM(call("Finish", answer="the answer")))
    assert "".join(agent.stream_run("go")) == "the answer"


async def test_stream_events_tell_calls_and_always_end() -> None:
    agent = SimpleAgent("a", ScriptedLLM(call(a=1, b=2), "3!"), tool_registry=tools())
    kinds = [event.type.value async for event in agent.arun_stream("go")]
    assert kinds[0] == "agent_start"
    assert kinds[-1] == "agent_finish"
    assert kinds.index("tool_call_start") < kinds.index("tool_call_finish")
    failing = SimpleAgent("a", ScriptedLLM(LLMException("busy")))
    kinds = []
    with contextlib.suppress(LLMException):
        async for event in failing.arun_stream("go"):
            kinds.append(event.type.value)
    assert kinds[-1] == "error"


async def test_hooks_are_awaited_and_their_faults_are_noted_and_never_fatal() -> None:
    told: list[str] = []

    async def hook(event: Any) -> None:
        told.append(event.type.value)

    async def bad(event: Any) -> None:
        raise RuntimeError("hook")

    async def slow(event: Any) -> None:
        await asyncio.sleep(5)

    agent = SimpleAgent("a", ScriptedLLM(call(a=1, b=2), "3"), tool_registry=tools())
    agent.config.hook_timeout_seconds = 0.01
    assert await agent.arun("go", on_start=hook, on_step=bad, on_tool_call=slow, on_finish=hook) == "3"
    assert told == ["agent_start", "agent_finish"]
    noted = [e.event.value["event"] for e in agent.journal if isinstance(e.event, Noted)]
    assert noted == ["step_finish", "tool_call", "step_finish"]
    assert [e.seq for e in agent.journal] == list(range(len(agent.journal)))


def test_a_subscriber_that_fails_is_noted_and_the_run_goes_on() -> None:
    agent = SimpleAgent("a", ScriptedLLM("x"))

    def subscriber(entry: Any, run: Any) -> None:
        if isinstance(entry.event, Replied):
            raise OSError("disk full")

    agent.subscribers.append(subscriber)
    assert agent.run("go") == "x"
    assert agent.state.notes["subscriber_error"]["message"] == "disk full"


# -- a run as a value ---------------------------------------------------------------------------------------------


def test_json_keeps_text_as_it_is_and_reads_back_equal() -> None:
    agent = SimpleAgent("a", ScriptedLLM(call("echo", text="北京 🚀"), "好"), tool_registry=tools())
    agent.run("你好\ud800")
    written = agent.state.to_json()
    assert "北京 🚀" in written
    written.encode()
    assert Run.from_json(written) == agent.state
    assert Run.from_json(Run.from_json(written).to_json()).to_json() == written


@pytest.mark.parametrize(
    "damage", ["[]", "{}", '{"schema": 99}', '{"schema": 1}', '{"schema": 1, "agent": "a", "steps": "x"}', "{"]
)
def test_json_that_is_no_run_is_a_value_error(damage: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        Run.from_json(damage)


def test_numbers_that_json_cannot_hold_do_not_stop_the_journal() -> None:
    agent = SimpleAgent("a", ScriptedLLM(call(a=float("nan"), b=2), "done"), tool_registry=tools())
    agent.run("go")
    json.loads(agent.state.to_json(), parse_constant=lambda name: pytest.fail(name))
