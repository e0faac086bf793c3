"""A run leaves nothing behind in a notebook: no line, no warning, no log, no thread, no task. Errors read the same."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import threading
from typing import Any

import pytest

from hello_agents import Message, OfflineLLM, ReActAgent, ScriptedLLM, SimpleAgent, ToolCall, ToolRegistry

RUN = """
import asyncio, logging, sys
logging.basicConfig(level=logging.DEBUG, stream=sys.stderr, format="%(name)s %(message)s")
logging.getLogger("asyncio").setLevel(logging.WARNING)
from hello_agents import OfflineLLM, ReActAgent, RecordedLLM, ScriptedLLM, SimpleAgent, ToolCall, ToolRegistry
from hello_agents.context.token_counter import TokenCounter

async def later(text: str) -> str:
    return text

def fails() -> str:
    raise ValueError("no")

def agent(kind):
    tools = ToolRegistry()
    tools.register_function(later)
    tools.register_function(fails)
    llm = ScriptedLLM([ToolCall("", "later", {"text": "x"}), ToolCall("", "fails"), ToolCall("", "gone")], "done")
    return kind("a", llm, tool_registry=tools)

async def walk(kind):
    await agent(kind).arun("go")
    async for _ in agent(kind).arun_stream("go"):
        pass

for kind in (SimpleAgent, ReActAgent):
    agent(kind).run("go")
    list(agent(kind).stream_run("go"))
    asyncio.run(walk(kind))
    agent(kind).steps("go").finish()
    kind("a", OfflineLLM()).run("What is 1+2?")
TokenCounter("qwen-plus").count_text("hello")
TokenCounter("gpt-4o").count_text("hello")
"""


def test_nothing_is_printed_logged_or_warned_of() -> None:
    done = _python("-W", "error", "-c", RUN)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


ERRORS = """
import asyncio
from hello_agents import *
from hello_agents.core.config import Config
from hello_agents.core.run import Judged

class Silent:
    def stream(self, request): return iter(())

def twice():
    tools = ToolRegistry()
    tools.register_function(lambda x: x, "f")
    tools.register_function(lambda x: x, "f")

def read(registry=None):
    return Run.from_json('{"schema": 1, "agent": "a", "steps": "x"}')

for attempt in (
    lambda: HelloAgentsLLM("m", base_url="ftp://x"),
    lambda: HelloAgentsLLM(),
    lambda: SimpleAgent("a", ScriptedLLM()).run("q"),
    lambda: SimpleAgent("a", Silent()).run("q"),
    lambda: SimpleAgent("a", ScriptedLLM("x")).run("q", max_step=3),
    lambda: SimpleAgent("a", ScriptedLLM("x")).resume(Judged("c", True)),
    lambda: SimpleAgent("a", RecordedLLM("gone.jsonl")).run("q"),
    lambda: Message(object(), "user"),
    lambda: Message("x", "nobody"),
    lambda: Config(zzz=1),
    lambda: Run("a").at("x"),
    lambda: Agent("a", ScriptedLLM("x")).run("q"),
    twice,
    read,
):
    try:
        attempt()
    except Exception as error:
        print(type(error).__name__, error)
    else:
        print("no error")
"""


def test_errors_are_the_same_in_every_process(tmp_path: Any) -> None:
    """A chapter shows errors on purpose, and their text is compared."""
    told = [_python("-c", ERRORS, seed=seed, cwd=tmp_path) for seed in ("1", "2")]
    assert told[0].stderr == told[1].stderr == ""
    assert told[0].stdout == told[1].stdout
    assert "no error" not in told[0].stdout
    assert not re.search(r"0x[0-9a-f]{4,}|/tmp|/home|\.py\b", told[0].stdout), told[0].stdout


def _python(*arguments: str, seed: str = "0", cwd: Any = None) -> subprocess.CompletedProcess[str]:
    from pathlib import Path

    environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[2])}
    return subprocess.run(
        [sys.executable, *arguments],
        env=environment,
        cwd=cwd,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def made(kind: Any) -> Any:
    async def later(text: str) -> str:
        await asyncio.sleep(0)
        return text

    def fails() -> str:
        raise ValueError("no")

    tools = ToolRegistry()
    tools.register_function(later)
    tools.register_function(fails)
    calls = [ToolCall("", "later", {"text": "x"}), ToolCall("", "fails"), ToolCall("", "later", {"text": "y"})]
    return kind("a", ScriptedLLM(Message("so", "assistant", tool_calls=calls), "done"), tool_registry=tools)


@pytest.mark.parametrize("kind", [SimpleAgent, ReActAgent])
def test_no_work_goes_on_behind_a_run(kind: Any, capsys: Any) -> None:
    async def walk() -> None:
        agent = made(kind)
        await agent.arun("go")
        assert asyncio.all_tasks() == {asyncio.current_task()}
        async for _ in made(kind).arun_stream("go"):
            pass
        stream = made(kind).arun_stream("go")
        await anext(stream)
        await stream.aclose()
        assert asyncio.all_tasks() == {asyncio.current_task()}
        agent = made(kind)
        agent.run("go")
        assert asyncio.all_tasks() == {asyncio.current_task()}

    made(kind).run("go")
    before = {thread for thread in threading.enumerate() if not thread.daemon}
    for _ in range(2):
        asyncio.run(walk())
        made(kind).run("go")
        next(made(kind).stream_run("go"))
        kind("a", OfflineLLM()).run("What is 1+2?")
    assert {thread for thread in threading.enumerate() if not thread.daemon} == before
    assert capsys.readouterr() == ("", "")
