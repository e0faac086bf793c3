"""The parts of an agent that its settings make: sessions, traces, tools of its own, results cut, streams."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from hello_agents import Config, Message, ReActAgent, ScriptedLLM, SimpleAgent, ToolCall, ToolRegistry
from hello_agents.core.exceptions import AgentException
from hello_agents.core.session_store import MemorySessionStore, SessionUnavailable


def add(a: int, b: int) -> int:
    """Adds."""
    return a + b


def tools(*functions: Any) -> ToolRegistry:
    registry = ToolRegistry()
    for function in functions or (add,):
        registry.register_function(function)
    return registry


SCRIPT = (ToolCall("c", "add", {"a": 1, "b": 2}), "3", "still 3")


def made(config: Config | None = None, *functions: Any, script: Any = SCRIPT) -> SimpleAgent:
    return SimpleAgent("a", ScriptedLLM(*script), "P", config, tools(*functions))


@pytest.mark.parametrize("backend", ["memory", "file"])
def test_a_session_is_saved_loaded_and_goes_on(backend: str, tmp_path: Path) -> None:
    config = Config(session_dir=str(tmp_path)) if backend == "file" else Config()
    agent = made(config)
    agent.run("1+2?")
    where = agent.save_session("sums/一")
    other = made(config)
    other.session_store = agent.session_store
    assert other.load_session(where) == []
    assert other.state == agent.state
    assert other.journal == agent.journal
    assert other.run("again?") == "still 3"
    assert [one["session_name"] for one in other.list_sessions()] == ["sums/一"]


def test_loading_tells_what_has_changed() -> None:
    agent = made()
    agent.run("1+2?")
    agent.save_session("s")
    other = SimpleAgent("a", ScriptedLLM("x"), "P", None, tools(len), max_tool_iterations=9)
    other.session_store = agent.session_store
    changes = " ".join(other.load_session("s"))
    assert "max_steps" in changes
    assert "tools" in changes.lower()
    assert other.load_session("s", check_consistency=False) == []


def test_without_sessions_saving_says_so() -> None:
    with pytest.raises(AgentException, match="session"):
        made(Config(session_enabled=False)).save_session("s")


def test_sessions_save_themselves_entry_by_entry(tmp_path: Path) -> None:
    agent = made(Config(session_dir=str(tmp_path), auto_save_enabled=True, auto_save_interval=2))
    agent.run("1+2?")
    (listed,) = agent.list_sessions()
    other = made(Config(session_dir=str(tmp_path)))
    other.load_session(listed["session_name"])
    assert other.state == agent.state


def test_a_store_that_is_assigned_later_has_the_whole_session() -> None:
    agent = made(Config(auto_save_enabled=True))
    agent.run("1+2?")
    first = agent.session_store
    agent.session_store = MemorySessionStore()
    agent.run("again?")
    (listed,) = agent.list_sessions()
    assert list(agent.session_store.read(listed["session_name"]).entries) == agent.journal
    assert first is not None
    (before,) = first.list_sessions()
    assert list(first.read(before["session_name"]).entries) == agent.journal[: before["entries"]]
    assert 0 < before["entries"] < len(agent.journal)


@pytest.mark.parametrize("assigned", [True, False])
def test_what_a_store_did_not_take_goes_in_when_the_run_goes_on(assigned: bool) -> None:
    agent = made(Config(auto_save_enabled=True))
    store = Full(3)
    agent.session_store = store
    with pytest.raises(SessionUnavailable):
        agent.run("1+2?")
    if assigned:
        agent.session_store = MemorySessionStore()
    store.room = 100
    assert agent.resume() == "3"
    (listed,) = agent.list_sessions()
    assert list(agent.session_store.read(listed["session_name"]).entries) == agent.journal
    assert agent.session_store.read(listed["session_name"]).run == agent.state


@pytest.mark.parametrize("how", ["loaded", "restored"])
def test_a_run_that_was_taken_over_saves_itself_from_its_beginning(how: str) -> None:
    agent = made()
    agent.run("1+2?")
    agent.save_session("s")
    other = made(Config(auto_save_enabled=True))
    other.session_store = agent.session_store
    if how == "loaded":
        other.load_session("s")
    else:
        other.restore(agent.journal)
    assert other.run("again?") == "still 3"
    newest = next(one for one in other.list_sessions() if one["session_name"] != "s")
    assert list(other.session_store.read(newest["session_name"]).entries) == other.journal


class Full(MemorySessionStore):
    """A store with room for so many entries."""

    def __init__(self, room: int) -> None:
        super().__init__()
        self.room = room

    def append_lines(self, id: str, mark: int, lines: list[str], doubtful: bool) -> int:
        if mark + len(lines) > self.room:
            raise SessionUnavailable("The store is full. Make room.")
        return super().append_lines(id, mark, lines, doubtful)


def test_a_trace_is_in_memory_or_in_a_folder(tmp_path: Path) -> None:
    agent = made()
    agent.run("1+2?")
    assert agent.trace_logger is not None
    seen = len(agent.trace_logger.events)
    assert seen
    agent.run("again?")
    assert len(agent.trace_logger.events) > seen
    assert made(Config(trace_enabled=False)).trace_logger is None
    kept = made(Config(trace_dir=str(tmp_path)))
    assert list(tmp_path.iterdir()) == []
    kept.run("1+2?")
    (file,) = tmp_path.glob("*.jsonl")
    assert [json.loads(line)["seq"] for line in file.read_text(encoding="utf-8").splitlines()]


def test_tools_of_the_settings_are_on_offer_and_the_callers_registry_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "greet").mkdir()
    (tmp_path / "greet" / "SKILL.md").write_text(
        "---\nname: greet\ndescription: Says hello\n---\nSay hello.\n", "utf-8"
    )
    registry = tools()
    config = Config(
        subagent_enabled=True,
        todowrite_enabled=True,
        devlog_enabled=True,
        skills_enabled=True,
        skills_dir=str(tmp_path),
    )
    agent = ReActAgent("a", ScriptedLLM("x"), registry, config=config)
    names = agent.tools(agent.state).list_tools()
    assert {"Thought", "Finish", "Task", "TodoWrite", "DevLog", "Skill", "add"} == set(names)
    assert registry.list_tools() == ["add"]
    assert ReActAgent("a", ScriptedLLM("x"), registry).tools(agent.state).list_tools() == ["Thought", "Finish", "add"]


def test_a_sub_agent_at_the_greatest_depth_is_not_offered_to_hand_on() -> None:
    model = ScriptedLLM(
        ToolCall("t", "Task", {"task": "x", "agent_type": "simple"}),
        "done",
        frames={
            "t": [ToolCall("u", "Task", {"task": "y", "agent_type": "simple"}), "done"],
            "t/u": [ToolCall("v", "Task", {"task": "z"}), "deep"],
        },
    )
    agent = SimpleAgent("a", model, None, Config(subagent_enabled=True, subagent_max_depth=2))
    assert agent.run("go") == "done"
    deepest = agent.state.at("t/u")
    refused = next(message for message in deepest.messages if message.role == "tool")
    assert refused.metadata["code"] == "NOT_FOUND"
    assert [frame for frame, _ in agent.state.frames] == ["", "t", "t/u"]


def test_long_results_are_cut_and_kept_whole_where_asked(tmp_path: Path) -> None:
    def long() -> str:
        return "\n".join(f"line {n}" for n in range(100))

    config = Config(tool_output_max_lines=10, tool_output_dir=str(tmp_path), truncate_strategy="tail")
    agent = made(config, long, script=(ToolCall("c", "long"), "ok"))
    agent.run("go")
    result = next(message for message in agent.state.messages if message.role == "tool")
    assert "line 99" in result.text
    assert "line 50\n" not in result.text
    (file,) = tmp_path.iterdir()
    assert "line 50" in file.read_text(encoding="utf-8")


def test_a_tool_that_fails_again_and_again_is_switched_off_for_this_agent() -> None:
    def fails(n: int) -> str:
        raise OSError(str(n))

    registry = tools(fails)
    calls = [ToolCall("", "fails", {"n": n}) for n in range(3)]
    agent = SimpleAgent("a", ScriptedLLM(*calls, "off"), None, Config(circuit_failure_threshold=2), registry, True, 9)
    agent.run("go")
    codes = [message.metadata["code"] for message in agent.state.messages if message.role == "tool"]
    assert codes == ["EXECUTION_ERROR", "EXECUTION_ERROR", "CIRCUIT_OPEN"]
    assert registry.circuit_breaker is None


async def test_streams_leave_out_what_is_not_wanted() -> None:
    async def kinds(**settings: Any) -> list[str]:
        agent = made(Config(**settings))
        events = [event.type.value async for event in agent.arun_stream("1+2?")]
        assert len(agent.stream_buffer.get_all()) == min(len(events), agent.config.stream_buffer_size)
        return events

    assert "tool_call_start" in await kinds(stream_buffer_size=2)
    assert "tool_call_start" not in await kinds(stream_include_tool_calls=False)
    assert "llm_chunk" not in await kinds(stream_enabled=False)


async def test_a_reply_that_takes_too_long_is_a_typed_error() -> None:
    import asyncio

    from hello_agents.core.exceptions import ModelTimeout

    class Slow(ScriptedLLM):
        async def astream(self, request: Any) -> Any:
            await asyncio.sleep(5)
            yield

    agent = SimpleAgent("a", Slow("x"), None, Config(llm_async_timeout=0.02))
    with pytest.raises(ModelTimeout, match=r"0\.02"):
        await agent.arun("go")


def test_debug_hands_entries_to_the_logger(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "hello_agents"):
        made(Config(debug=True, log_level="DEBUG")).run("my key is sk-abcdefghijklmnop1234")
    assert len(caplog.records) == 7
    assert "sk-abcdefghijklmnop1234" not in caplog.text


def test_the_history_manager_is_a_view() -> None:
    agent = SimpleAgent("a", ScriptedLLM("one", "two", "three"), "P", Config(min_retain_rounds=1))
    for question in "abc":
        agent.run(question)
    history = agent.history_manager
    assert history.find_round_boundaries() == [0, 2, 4]
    history.compress("They talked.")
    assert [m.role for m in agent.state.messages] == ["system", "summary", "user", "assistant"]
    history.append(Message("by hand", "user"))
    assert agent.state.messages[-1].content == "by hand"
    agent.history_manager.clear()
    assert agent.get_history() == []


def test_the_three_steps_of_a_call_are_there_under_their_old_names() -> None:
    agent = made()
    assert [schema["function"]["name"] for schema in agent._build_tool_schemas()] == ["add"]
    assert agent._convert_parameter_types("add", {"a": "1", "b": 2}) == {"a": 1, "b": 2}
    assert agent._execute_tool_call("add", {"a": 1, "b": 2}) == "3"
    assert agent._execute_tool_call("ad", {}).startswith("❌ Error [NOT_FOUND]: ")


def test_the_production_profile() -> None:
    config = Config.production(persistence_backend="memory")
    assert (config.max_steps, config.step_timeout, config.truncate_strategy) == (20, 30, "summary")
    assert Config.production().persistence_backend == "redis"
    assert made(config).max_steps == 20


def test_a_session_file_of_the_tutorial_is_taken_over(tmp_path: Path) -> None:
    said = [{"role": "user", "content": "I am Ada."}, {"role": "assistant", "content": "Hello Ada."}]
    written = {"session_id": "s-1", "agent_config": {"name": "old"}, "history": said, "tool_schema_hash": "h"}
    path = tmp_path / "old.json"
    path.write_text(json.dumps(written), "utf-8")
    agent = SimpleAgent("new", ScriptedLLM("x"), config=Config(session_dir=str(tmp_path)))
    assert agent.load_session(str(path))[0].startswith("name was 'old'")
    assert [message.content for message in agent.get_history()] == ["I am Ada.", "Hello Ada."]
    assert json.loads(path.read_text("utf-8")) == written
