"""Every field of `Config` does something: changed alone, it changes what an agent does."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import pytest

from hello_agents.agents.simple_agent import SimpleAgent
from hello_agents.context.summarizer import summarizer_for
from hello_agents.core.action import Request
from hello_agents.core.agent import Agent
from hello_agents.core.config import ALIASES, Config
from hello_agents.core.exceptions import HelloAgentsException
from hello_agents.core.message import Message, ToolCall
from hello_agents.core.run import Limits, Noted, Returned, Run, Spawned
from hello_agents.offline.scripted import ScriptedLLM
from hello_agents.tools.registry import ToolRegistry


class Slow(ScriptedLLM):
    async def astream(self, request: Request) -> AsyncIterator[Any]:
        await asyncio.sleep(0.1)
        async for part in super().astream(request):
            yield part


def tools() -> ToolRegistry:
    registry = ToolRegistry()
    for tool in (echo, broken, slow, long):
        registry.register_function(tool)
    return registry


def echo(text: str) -> str:
    """Gives it back."""
    return text


def broken(text: str) -> str:
    """Fails."""
    raise ValueError(text)


async def slow(text: str) -> str:
    """Takes its time."""
    await asyncio.sleep(0.1)
    return text


def long(text: str) -> str:
    """Says it often."""
    return "\n".join(f"{number} {text}" for number in range(50))


def call(name: str, id: str = "c", text: str = "x") -> ToolCall:
    return ToolCall(id, name, {"text": text})


def made(config: Config, *script: Any) -> SimpleAgent:
    return SimpleAgent("agent", ScriptedLLM(*script), tool_registry=tools(), max_tool_iterations=8, config=config)


def asked(config: Config, *script: Any) -> SimpleAgent:
    agent = made(config, *script)
    agent.run("go")
    return agent


def results(agent: Agent) -> list[str]:
    return [entry.event.message.text for entry in agent.journal if isinstance(entry.event, Returned)]


def names(agent: Agent, run: Run | None = None) -> list[str]:
    return agent.tools(run or agent.state).list_tools()


def talked(config: Config) -> SimpleAgent:
    """Five questions and long answers."""
    agent = made(config, *[f"answer {number} " + "word " * 40 for number in range(9)])
    for number in range(5):
        try:
            agent.run(f"question {number}")
        except HelloAgentsException:
            break
    return agent


def shortened(config: Config) -> list[str]:
    return [message.text for message in talked(config).state.messages]


def outcome(*script: Any) -> Callable[[Config], Any]:
    def observe(config: Config) -> Any:
        agent = asked(config, *script)
        return agent.state.outcome, results(agent), [message.role for message in agent.state.messages]

    return observe


def one_result(name: str, times: int = 1) -> Callable[[Config], Any]:
    def observe(config: Config) -> Any:
        agent = made(config)
        return [agent._execute_tool_call(name, {"text": "x"}) for _ in range(times)][-1]

    return observe


def awaited_result(name: str) -> Callable[[Config], Any]:
    def observe(config: Config) -> Any:
        agent = made(config, call(name), "done")
        asyncio.run(agent.arun("go"))
        return results(agent)

    return observe


def files(act: Callable[[Config], Any]) -> Callable[[Config], Any]:
    """The folders in which files lie afterwards."""

    def observe(config: Config) -> Any:
        act(config)
        return sorted({path.parent.as_posix() for path in Path().rglob("*") if path.is_file()})

    return observe


def records(config: Config) -> Any:
    """What is logged, by level."""
    seen: list[int] = []

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            seen.append(record.levelno)

    logger, handler = logging.getLogger("hello_agents"), Handler()
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        asked(config, "done")
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)
    return seen


def traced(config: Config) -> str:
    agent = made(config, "done")
    agent.run("my key is sk-abcdefgh12345678ijkl")
    assert agent.trace_logger is not None
    agent.trace_logger.finalize()
    return "".join(path.read_text("utf-8") for path in sorted(Path("traces").glob("*.jsonl")))


def report(config: Config) -> int:
    traced(config)
    page = "".join(path.read_text("utf-8") for path in Path("traces").glob("*.html"))
    return page.count("raw_response")


def at_once(config: Config) -> int:
    """Calls that run at the same time, at most."""
    active, most = 0, 0

    async def busy(text: str) -> str:
        nonlocal active, most
        active += 1
        most = max(most, active)
        await asyncio.sleep(0.01)
        active -= 1
        return text

    agent = made(config, [call("busy", f"c{number}") for number in range(5)], "done")
    agent.tool_registry.register_function(busy)
    asyncio.run(agent.arun("go"))
    return most


def hooked(config: Config) -> Any:
    async def hook(event: Any) -> None:
        await asyncio.sleep(0.1)

    agent = made(config, "done")
    asyncio.run(agent.arun("go", on_start=hook))
    return [entry.event.key for entry in agent.journal if isinstance(entry.event, Noted)]


def late(config: Config) -> Any:
    try:
        return asyncio.run(SimpleAgent("slow", Slow("done"), config=config).arun("go"))
    except HelloAgentsException as error:
        return type(error)


def streamed(config: Config) -> Any:
    async def walk() -> Any:
        thought = Message("a long answer in many words", "assistant", reasoning="I think")
        agent = made(config, call("echo"), thought)
        return [event.type async for event in agent.arun_stream("go")], len(agent.stream_buffer.get_all())

    return asyncio.run(walk())


def sub_agent(config: Config) -> Agent:
    tool = made(config)._task_tool("Task")
    assert tool is not None
    return tool.agent_factory("react")


def with_skill(config: Config) -> Any:
    folder = Path("mine/greet")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "SKILL.md").write_text("---\nname: greet\ndescription: Greets.\n---\nSay hello.\n", encoding="utf-8")
    agent = made(config)
    return names(agent), agent.skill_loader and agent.skill_loader.list_skills()


def saved_snapshots(config: Config) -> Any:
    asked(config, "done")
    return sorted("".join(path.suffixes) for path in Path("here").rglob("*") if path.is_file())


def kept(config: Config) -> Any:
    return type(made(config).session_store)


@dataclass
class Check:
    one: Any
    other: Any
    observe: Callable[[Config], Any]
    beside: dict[str, Any] = field(default_factory=dict)


OLLAMA = {"default_provider": "ollama"}
SUMMARY = {"summary_llm_provider": "ollama", "summary_llm_model": "m"}
LIGHT = {
    "subagent_enabled": True,
    "subagent_use_light_llm": True,
    "subagent_light_llm_provider": "ollama",
    "subagent_light_llm_model": "m",
}
TODO = {"summary": "s", "todos": [{"content": "c", "status": "pending"}]}
LOG = {"action": "append", "category": "decision", "content": "c"}
EQUAL = [call("echo")] * 6 + ["done"]

CHECKS: dict[str, Check] = {
    "language": Check("en", "zh", one_result("unknown")),
    "default_model": Check("a", "b", lambda config: config.llm().model, OLLAMA),
    "default_provider": Check("ollama", "vllm", lambda config: config.llm().base_url),
    "temperature": Check(0.1, 0.9, lambda config: config.llm().temperature, OLLAMA),
    "max_tokens": Check(None, 9, lambda config: config.llm().max_tokens, OLLAMA),
    "max_steps": Check(
        2, None, outcome(call("echo", text="1"), call("echo", text="2"), call("echo", text="3"), "done")
    ),
    "max_total_tokens": Check(None, 1, outcome(call("echo"), "done")),
    "max_total_steps": Check(None, 1, outcome(call("echo"), "done")),
    "max_total_seconds": Check(None, 0.0, outcome(call("echo"), "done")),
    "max_total_cost": Check(None, 0.0, outcome(call("echo"), "done"), {"prices": {"scripted": (1.0, 2.0)}}),
    "prices": Check({}, {"scripted": (1.0, 2.0)}, lambda config: asked(config, "done").state.usage.cost),
    "permissions": Check(None, {"rules": [{"tools": "ec*", "verdict": "refuse"}]}, outcome(call("echo"), "done")),
    "max_repeated_calls": Check(None, 2, outcome(*EQUAL)),
    "max_iterations_per_tool": Check(None, 1, outcome(call("echo", text="1"), call("echo", text="2"), "done")),
    "degrade_after_failures": Check(
        None,
        1,
        outcome(call("broken", text="1"), call("broken", text="2"), "done"),
    ),
    "max_history_length": Check(1, 100, lambda config: len(asked(config, "done").get_history())),
    "context_window": Check(200, 128_000, shortened, {"min_retain_rounds": 1}),
    "compression_threshold": Check(0.001, 0.8, shortened, {"min_retain_rounds": 1}),
    "memory_buffer_tokens": Check(200, None, shortened, {"min_retain_rounds": 1}),
    "min_retain_rounds": Check(1, 2, shortened, {"memory_buffer_tokens": 350}),
    "enable_smart_compression": Check(
        False,
        True,
        lambda config: [type(entry.event) for entry in talked(config).journal if isinstance(entry.event, Spawned)],
        {"memory_buffer_tokens": 300, "min_retain_rounds": 1},
    ),
    "summary_llm_provider": Check("ollama", "vllm", lambda config: summarizer_for(made(config)).llm.base_url, SUMMARY),
    "summary_llm_model": Check("m", "n", lambda config: summarizer_for(made(config)).llm.model, SUMMARY),
    "summary_temperature": Check(0.1, 0.9, lambda config: summarizer_for(made(config)).llm.temperature, SUMMARY),
    "summary_max_tokens": Check(20, 800, shortened, {"memory_buffer_tokens": 250, "min_retain_rounds": 1}),
    "tool_output_max_lines": Check(3, 2000, one_result("long")),
    "tool_output_max_bytes": Check(60, 51200, one_result("long")),
    "tool_output_dir": Check(None, "outputs", files(one_result("long")), {"tool_output_max_lines": 3}),
    "tool_output_truncate_direction": Check("head", "tail", one_result("long"), {"tool_output_max_lines": 3}),
    "debug": Check(False, True, records),
    "log_level": Check("INFO", "WARNING", records, {"debug": True}),
    "trace_enabled": Check(True, False, lambda config: made(config).trace_logger is None),
    "trace_dir": Check(None, "traces", files(lambda config: asked(config, "done"))),
    "trace_sanitize": Check(
        True, False, lambda config: "sk-abcdefgh12345678ijkl" in traced(config), {"trace_dir": "traces"}
    ),
    "trace_html_include_raw_response": Check(False, True, report, {"trace_dir": "traces"}),
    "session_enabled": Check(True, False, kept),
    "persistence_backend": Check("memory", "file", kept),
    "session_dir": Check("here", "there", files(lambda config: asked(config, "done").save_session("s"))),
    "auto_save_enabled": Check(False, True, lambda config: len(asked(config, "done").list_sessions())),
    "auto_save_interval": Check(
        1,
        1000,
        saved_snapshots,
        {"auto_save_enabled": True, "session_dir": "here"},
    ),
    "step_timeout": Check(None, 0.02, one_result("slow")),
    "circuit_enabled": Check(True, False, one_result("broken", 4)),
    "circuit_failure_threshold": Check(1, 3, one_result("broken", 2)),
    "circuit_recovery_timeout": Check(0, 300, one_result("broken", 4)),
    "skills_enabled": Check(False, True, with_skill, {"skills_dir": "mine"}),
    "skills_dir": Check("mine", "yours", with_skill, {"skills_enabled": True}),
    "skills_auto_register": Check(False, True, with_skill, {"skills_enabled": True, "skills_dir": "mine"}),
    "todowrite_enabled": Check(False, True, lambda config: names(made(config))),
    "todowrite_persistence_dir": Check(
        None,
        "todos",
        files(lambda config: made(config)._execute_tool_call("TodoWrite", TODO)),
        {"todowrite_enabled": True},
    ),
    "devlog_enabled": Check(False, True, lambda config: names(made(config))),
    "devlog_persistence_dir": Check(
        None, "logs", files(lambda config: made(config)._execute_tool_call("DevLog", LOG)), {"devlog_enabled": True}
    ),
    "subagent_enabled": Check(False, True, lambda config: names(made(config))),
    "subagent_max_steps": Check(2, 15, lambda config: sub_agent(config).max_steps, {"subagent_enabled": True}),
    "subagent_max_depth": Check(
        1, 3, lambda config: names(made(config), Run("agent", limits=Limits(depth=1))), {"subagent_enabled": True}
    ),
    "subagent_use_light_llm": Check(False, True, lambda config: type(sub_agent(config).llm), LIGHT),
    "subagent_light_llm_provider": Check("ollama", "vllm", lambda config: sub_agent(config).llm.base_url, LIGHT),
    "subagent_light_llm_model": Check("m", "n", lambda config: sub_agent(config).llm.model, LIGHT),
    "async_enabled": Check(True, False, at_once),
    "max_concurrent_tools": Check(2, 4, at_once),
    "hook_timeout_seconds": Check(0.02, 5, hooked),
    "llm_async_timeout": Check(0.02, 5, late),
    "tool_async_timeout": Check(0.02, 5, awaited_result("slow")),
    "stream_enabled": Check(True, False, streamed),
    "stream_buffer_size": Check(2, 100, streamed),
    "stream_include_thinking": Check(True, False, streamed),
    "stream_include_tool_calls": Check(True, False, streamed),
}
FIELDS = [one.name for one in fields(Config)]


def test_every_field_has_a_check() -> None:
    assert sorted(CHECKS) == sorted(FIELDS)


@pytest.mark.parametrize("name", CHECKS)
def test_a_field_changes_what_the_agent_does(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check = CHECKS[name]
    seen: list[Any] = []
    for part, value in (("one", check.one), ("other", check.other)):
        folder = tmp_path / part
        folder.mkdir()
        monkeypatch.chdir(folder)
        seen.append(check.observe(Config(**check.beside | {name: value})))
    assert seen[0] != seen[1]


@pytest.mark.parametrize("name", [*FIELDS, *ALIASES])
def test_every_field_is_read_from_its_variable(name: str) -> None:
    check = CHECKS[ALIASES.get(name, name)]
    for value in (check.one, check.other):
        written = json.dumps(value) if isinstance(value, dict) else str(value)
        read = Config.from_env({name.upper(): written})
        assert getattr(read, name) == value
        if ALIASES.get(name, name) != "session_dir":
            others = read.to_dict() | {ALIASES.get(name, name): None}
            assert others == Config.from_env({}).to_dict() | {ALIASES.get(name, name): None}


def test_a_blank_variable_counts_as_not_set() -> None:
    assert Config.from_env({"MAX_TOKENS": "", "DEBUG": " ", "TRACE_DIR": ""}).to_dict() == Config.from_env({}).to_dict()
