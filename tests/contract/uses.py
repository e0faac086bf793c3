"""Small real uses of the names of the tutorial's framework that its readers' scripts (tests/scripts) do not use."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from support.anthropic_server import AnthropicServer
from support.gemini_server import GeminiServer
from support.openai_server import OpenAIServer

import hello_agents as ha
from hello_agents import agents, context, core, observability, skills, tools, utils
from hello_agents.agents.plan_solve_agent import Executor, Planner
from hello_agents.agents.reflection_agent import Memory
from hello_agents.core import exceptions, lifecycle, llm_adapters, llm_response, streaming
from hello_agents.core.session_store import SessionStore
from hello_agents.tools.async_executor import demo_parallel_execution
from hello_agents.tools.builtin import search
from hello_agents.utils import helpers, serialization

QUESTION = [{"role": "user", "content": "What is 2 + 3?"}]
ADD = {
    "type": "function",
    "function": {
        "name": "add",
        "description": "Adds.",
        "parameters": {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}},
    },
}


def add(a: int, b: int) -> int:
    """Adds."""
    return a + b


def errors() -> None:
    kinds = (exceptions.AgentException, exceptions.ConfigException, exceptions.LLMException, exceptions.ToolException)
    for kind in kinds:
        with pytest.raises(ha.HelloAgentsException) as caught:
            raise kind("no")
        assert type(caught.value) is kind
    with pytest.raises(core.HelloAgentsException) as caught:
        raise core.HelloAgentsException("no")
    assert str(caught.value) == "no"


def settings_and_messages() -> None:
    config = ha.Config.from_env()
    assert config.to_dict()["max_history_length"] == config.max_history_length
    message = ha.Message("你好", "user")
    assert message.to_text() == str(message) == "[user] 你好"
    assert ha.Message.from_dict(message.to_dict()) == message


def agents_that_are_awaited_and_streamed() -> None:
    async def finished(agent: Any) -> str:
        events = [event async for event in agent.arun_stream("What is 2 + 3?")]
        assert streaming.StreamEventType.AGENT_FINISH in [event.type for event in events]
        return str(events[-1].data["result"])

    for kind in (ha.SimpleAgent, ha.ReActAgent, ha.ReflectionAgent, ha.PlanSolveAgent):
        agent = kind("a", ha.HelloAgentsLLM())
        assert asyncio.run(finished(agent))
        assert repr(agent) == str(agent)
        assert asyncio.run(kind("b", ha.HelloAgentsLLM()).arun("What is 2 + 3?"))
        assert "".join(kind("c", ha.HelloAgentsLLM()).stream_run("What is 2 + 3?"))
    react = ha.ReActAgent("r", ha.HelloAgentsLLM(), ha.ToolRegistry())
    react.add_tool(tools.CalculatorTool())
    assert "56" in react.run("What is 7 * 8?")
    assert agents.create_agent("simple", "s", ha.HelloAgentsLLM()).run("Hello")


def the_parts_of_planning_and_reflecting() -> None:
    plan = Planner(ha.HelloAgentsLLM()).plan("Work out 3 * 4 and then add 5.")
    assert plan
    assert Executor(ha.HelloAgentsLLM()).execute("Work out 3 * 4.", ["3 * 4"])
    memory = Memory()
    memory.add_record("execution", "a draft")
    memory.add_record("reflection", "a remark")
    assert memory.get_last_execution() == "a draft"
    assert "a remark" in memory.get_trajectory()


def the_history() -> None:
    history = context.HistoryManager(min_retain_rounds=1)
    for number in range(3):
        history.append(ha.Message(f"q{number}", "user"))
        history.append(ha.Message(f"a{number}", "assistant"))
    assert history.find_round_boundaries() == [0, 2, 4]
    assert history.estimate_rounds() == 3
    history.compress("earlier")
    assert [message.role for message in history.get_history()] == ["summary", "user", "assistant"]
    other = context.HistoryManager()
    other.load_from_dict(history.to_dict())
    assert other.get_history() == history.get_history()
    other.clear()
    assert other.get_history() == []


def tokens_and_long_results() -> None:
    counter = context.TokenCounter("offline")
    message = ha.Message("some words", "user")
    assert counter.count_text("some words") + 4 == counter.count_message(message) == counter.count_messages([message])
    assert counter.get_cache_size() == counter.get_cache_stats()["size"] == 1
    counter.clear_cache()
    assert counter.get_cache_size() == 0
    cut = context.ObservationTruncator(max_lines=2, output_dir="long").truncate("t", "1\n2\n3\n4")
    assert cut["truncated"]


def what_hooks_are_given() -> None:
    event = lifecycle.AgentEvent.create(lifecycle.EventType.AGENT_START, "a", input_text="q")
    assert event.to_dict()["type"] == "agent_start"
    execution = lifecycle.ExecutionContext("q")
    execution.increment_step()
    execution.add_tokens(5)
    execution.set_metadata("k", 1)
    assert (execution.current_step, execution.total_tokens) == (1, 5)
    assert execution.get_metadata("k") == 1


def streams() -> None:
    kinds = streaming.StreamEventType
    events = [streaming.StreamEvent.create(kind, "a", text="x") for kind in (kinds.LLM_CHUNK, kinds.AGENT_FINISH)]

    async def stream() -> AsyncIterator[streaming.StreamEvent]:
        for event in events:
            yield event

    async def texts() -> tuple[list[str], list[str]]:
        sse = [text async for text in streaming.stream_to_sse(stream(), [kinds.LLM_CHUNK])]
        return sse, [text async for text in streaming.stream_to_json(stream())]

    sse, lines = asyncio.run(texts())
    assert sse == [events[0].to_sse()]
    assert [json.loads(line)["type"] for line in lines] == ["llm_chunk", "agent_finish"]
    buffer = streaming.StreamBuffer(2)
    for event in events:
        buffer.add(event)
    assert buffer.filter_by_type(kinds.LLM_CHUNK) == buffer.get_all()[:1]
    buffer.clear()
    assert buffer.get_all() == []


def a_model_by_itself() -> None:
    llm = ha.HelloAgentsLLM()
    response = llm.invoke(QUESTION)
    assert response.to_dict()["content"] == response.content
    assert "".join(llm.think(QUESTION)) == "".join(llm.stream_invoke(QUESTION)) == response
    assert llm.last_call_stats is not None
    assert llm.last_call_stats.to_dict()["model"] == "offline"
    wanted = llm.invoke_with_tools(QUESTION, [ADD])
    assert isinstance(wanted, llm_response.LLMToolResponse)

    async def awaited() -> str:
        assert await llm.ainvoke(QUESTION) == response
        assert await llm.ainvoke_with_tools(QUESTION, [ADD]) is not None
        return "".join([piece async for piece in llm.astream_invoke(QUESTION)])

    assert asyncio.run(awaited()) == response


def _an_adapter(server: OpenAIServer, kind: type[llm_adapters.BaseLLMAdapter]) -> None:
    with server:
        adapter = kind("key", server.base_url, 5, "m")
        assert adapter.create_client() is not None
        assert adapter.invoke(QUESTION) == "one"
        assert "".join(adapter.stream_invoke(QUESTION)) == "two"
        (call,) = adapter.invoke_with_tools(QUESTION, [ADD]).tool_calls
        assert (call.name, json.loads(call.arguments)) == ("add", {"a": 2, "b": 3})

        async def awaited() -> str:
            assert adapter.create_async_client() is not None
            return "".join([piece async for piece in adapter.astream_invoke(QUESTION)])

        assert asyncio.run(awaited()) == "four"


SCRIPT = ("one", "two", ha.ToolCall("c", "add", {"a": 2, "b": 3}), "four")


def an_adapter_for_each_protocol() -> None:
    _an_adapter(OpenAIServer(*SCRIPT), llm_adapters.OpenAIAdapter)
    _an_adapter(AnthropicServer(*SCRIPT), llm_adapters.AnthropicAdapter)
    _an_adapter(GeminiServer(*SCRIPT), llm_adapters.GeminiAdapter)
    adapter = llm_adapters.create_adapter("key", "https://api.example.com/v1", 5, "m")
    assert isinstance(adapter, llm_adapters.OpenAIAdapter)


def sessions() -> None:
    store = SessionStore("sessions")
    where = store.save({"name": "a"}, [ha.Message("hi", "user")], "hash", {}, {"topic": "t"}, "s")
    assert store.load(where)["metadata"] == {"topic": "t"}
    assert store.check_config_consistency({"name": "a"}, {"name": "a"})["consistent"]
    assert not store.check_tool_schema_consistency("hash", "other")["consistent"]
    assert store.delete("s")
    assert store.list_sessions() == []


def a_trace() -> None:
    with observability.TraceLogger("traces") as trace:
        trace.log_event("note", {"text": "x"}, step=1)
    trace.finalize()
    assert list(Path("traces").iterdir())


def skills_of_a_folder() -> None:
    for folder in ("scripts", "examples", "references"):
        (Path("skills/greet") / folder).mkdir(parents=True)
        (Path("skills/greet") / folder / "a.txt").write_text("a", encoding="utf-8")
    head = "---\nname: greet\ndescription: Says hello\n---\nSay hello to $ARGUMENTS.\n"
    Path("skills/greet/SKILL.md").write_text(head, encoding="utf-8")
    loader = skills.SkillLoader("skills")
    loader.reload()
    assert loader.list_skills() == ["greet"]
    assert "Says hello" in loader.get_descriptions()
    skill = loader.get_skill("greet")
    assert isinstance(skill, skills.Skill)
    assert [len(files) for files in (skill.scripts, skill.examples, skill.references)] == [1, 1, 1]
    tool = tools.SkillTool(loader)
    assert [parameter.name for parameter in tool.get_parameters()] == ["skill", "args"]
    assert "Say hello to Ada." in tool.run({"skill": "greet", "args": "Ada"}).text


def tools_for_files() -> None:
    Path("a.txt").write_text("one\ntwo\n", encoding="utf-8")
    registry = ha.ToolRegistry()
    for kind in (tools.ReadTool, tools.WriteTool, tools.EditTool, tools.MultiEditTool):
        tool = kind(".", registry=registry)
        assert "path" in [parameter.name for parameter in tool.get_parameters()]
        registry.register_tool(tool)
    assert "two" in registry.execute_tool("Read", {"path": "a.txt"}).text
    assert registry.get_read_metadata("a.txt") is not None
    edit = {"old_string": "one", "new_string": "1"}
    assert registry.execute_tool("Edit", {"path": "a.txt", **edit}).status is ha.ToolStatus.SUCCESS
    edits = [{"old_string": "two", "new_string": "2"}]
    assert registry.execute_tool("MultiEdit", {"path": "a.txt", "edits": edits}).status is ha.ToolStatus.SUCCESS
    assert Path("a.txt").read_text(encoding="utf-8") == "1\n2\n"
    assert registry.execute_tool("Write", {"path": "b.txt", "content": "x"}).status is ha.ToolStatus.SUCCESS
    registry.cache_read_metadata("c.txt", {"file_mtime_ms": 1})
    registry.clear_read_cache()
    assert registry.get_read_metadata("c.txt") is None


def todos_and_the_log() -> None:
    todo = tools.TodoWriteTool(".", "todos", persist=True)
    written = [{"content": "a", "status": "completed"}, {"content": "b", "status": "in_progress"}, {"content": "c"}]
    written[2]["status"] = "pending"
    assert [parameter.name for parameter in todo.get_parameters()]
    todo.run({"summary": "s", "todos": written})
    current = todo.current_todos
    assert isinstance(current, tools.TodoList)
    assert all(isinstance(item, tools.TodoItem) for item in current.todos)
    assert current.get_in_progress() is current.todos[1]
    assert [item.content for item in (*current.get_completed(), *current.get_pending())] == ["a", "c"]
    assert current.get_stats()["total"] == 3
    again = tools.TodoWriteTool(".", "todos")
    again.load_todos(todo.path)
    assert again.current_todos == current

    log = tools.DevLogStore.create("s", "a")
    entry = tools.DevLogEntry.create("decision", "Use a tuple.")
    log.append(entry)
    assert tools.DevLogEntry.from_dict(entry.to_dict()) == entry
    assert log.filter_entries(category="decision") == [entry]
    assert log.get_stats()["total_entries"] == 1
    assert "Use a tuple." in log.generate_summary()
    assert tools.DevLogStore.from_dict(log.to_dict()).entries == [entry]
    assert [parameter.name for parameter in tools.DevLogTool("s", "a").get_parameters()]


def responses_and_codes() -> None:
    response = ha.ToolResponse.partial("half", {"n": 1})
    assert ha.ToolResponse.from_dict(response.to_dict()) == ha.ToolResponse.from_json(response.to_json()) == response
    assert ha.ToolErrorCode.is_valid_code(ha.ToolErrorCode.NOT_FOUND)
    assert "NOT_FOUND" in ha.ToolErrorCode.get_all_codes()


def tools_by_themselves() -> None:
    tool = tools.CalculatorTool()
    assert str(tool).startswith(f"{tool.name}: ")
    assert tool.name in repr(tool)
    assert tool.to_dict()["parameters"][0]["name"] == "input"
    assert tool.validate_parameters({"input": "1"})
    assert tool.run_with_timing({"input": "6 * 7"}).text == "42"
    assert asyncio.run(tool.arun({"input": "6 * 7"})).text == "42"
    assert asyncio.run(tool.arun_with_timing({"input": "6 * 7"})).text == "42"
    assert ha.calculate("6 * 7") == "42"

    class Notes(ha.Tool):
        """Keeps notes."""

        def __init__(self) -> None:
            super().__init__("notes", "Keeps notes.", expandable=True)

        @ha.tool_action()
        def _add_note(self, text: str) -> str:
            """Adds a note."""
            return f"noted {text}"

    (action,) = Notes().get_expanded_tools()
    assert isinstance(action, tools.AutoGeneratedTool)
    assert [parameter.name for parameter in action.get_parameters()] == ["text"]
    assert action.run({"text": "x"}).text == "noted x"


def a_registry() -> None:
    registry = ha.ToolRegistry()
    registry.register_function(add)
    assert registry.get_function("add") is add
    registry.clear()
    assert registry.list_tools() == []


def filters_and_breakers() -> None:
    names = ["Read", "Write", "add"]
    assert tools.ReadOnlyFilter().filter(names) == ["Read"]
    assert "Read" in tools.FullAccessFilter().filter(names)
    assert tools.CustomFilter(allowed=["add"], mode="whitelist").filter(names) == ["add"]
    breaker = tools.CircuitBreaker(failure_threshold=1)
    breaker.record_result("t", ha.ToolResponse.error("INTERNAL_ERROR", "no"))
    assert breaker.is_open("t")
    breaker.open("u")
    assert set(breaker.get_all_status()) == {"t", "u"}


def chains_and_tools_at_once() -> None:
    registry = ha.ToolRegistry()
    registry.register_tool(tools.CalculatorTool())
    chain = ha.ToolChain("sum", "adds")
    chain.add_step("python_calculator", "{input} + 1", "first")
    assert chain.execute(registry, "2") == "3"
    manager = ha.ToolChainManager(registry)
    manager.register_chain(chain)
    assert manager.list_chains() == ["sum"]
    assert manager.get_chain_info("sum")
    assert manager.execute_chain("sum", "4") == "5"
    assert [made.name for made in (tools.create_research_chain(), tools.create_simple_chain())]

    async def one() -> str:
        with ha.AsyncToolExecutor(registry) as executor:
            return await executor.execute_tool_async("python_calculator", "1 + 1")

    assert asyncio.run(one()) == "2"
    # In this thread: a loop that other code left running in one of its own is not looked at.
    task = {"tool_name": "python_calculator", "input_data": "1"}
    assert len(asyncio.run(tools.run_parallel_tools(registry, [task, task]))) == 2
    batch = asyncio.run(tools.run_batch_tool(registry, "python_calculator", ["1", "2"]))
    assert tools.run_batch_tool_sync(registry, "python_calculator", ["1", "2"]) == batch
    assert len(asyncio.run(demo_parallel_execution())) == 3


def searching_without_a_key() -> None:
    tool = ha.SearchTool()
    assert [parameter.name for parameter in tool.get_parameters()]
    assert "TAVILY_API_KEY" in tool.run({"input": "agents"}).text
    for function in (ha.search, search.search_tavily, search.search_serpapi, search.search_hybrid):
        assert "API_KEY" in function("agents")


def a_context() -> None:
    from hello_agents.context.builder import ContextBuilder, ContextConfig, ContextPacket, count_tokens

    config = ContextConfig(max_tokens=400)
    assert 0 < config.get_available_tokens() <= 400
    packet = ContextPacket("The sum is 5.", metadata={"type": "related_memory"}, relevance_score=0.9)
    builder = ContextBuilder(config=config)
    built = builder.build("What is 2 + 3?", [ha.Message("Hello", "user")], "Be brief.", [packet])
    assert "The sum is 5." in built
    assert 0 < count_tokens(built) <= config.get_available_tokens()
    assert (context.ContextBuilder, context.ContextConfig, context.ContextPacket) == (
        ContextBuilder,
        ContextConfig,
        ContextPacket,
    )


def utilities() -> None:
    assert helpers.format_time(format_str="x") == "x"
    assert helpers.validate_config({"a": 1}, ["a"])
    assert helpers.safe_import("json", "dumps") is json.dumps
    assert helpers.ensure_dir("d/e").is_dir()
    assert (helpers.get_project_root() / "hello_agents").is_dir()
    assert helpers.merge_dicts({"a": {"b": 1}}, {"a": {"c": 2}}) == {"a": {"b": 1, "c": 2}}
    assert utils.deserialize_object(utils.serialize_object([1])) == [1]
    serialization.save_to_file({"k": "值"}, "f/x.json")
    assert serialization.load_from_file("f/x.json") == {"k": "值"}
    assert utils.setup_logger("uses") is utils.get_logger("uses")


USES: list[Callable[[], None]] = [
    use for name, use in list(vars().items()) if callable(use) and getattr(use, "__module__", "") == __name__
]
USES = [use for use in USES if use is not add and not use.__name__.startswith("_")]
