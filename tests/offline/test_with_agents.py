"""The offline model inside the real agents, with the real built-in tools."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hello_agents import OfflineLLM, ReActAgent, ScriptedLLM, SimpleAgent, ToolRegistry
from hello_agents.core.agent import Agent
from hello_agents.core.config import Config
from hello_agents.core.message import ToolCall
from hello_agents.tools.builtin import CalculatorTool, ReadTool, TodoWriteTool, WriteTool
from hello_agents.tools.builtin.demo import NotesTool, convert_units, get_weather

Make = Callable[[Path, str], Agent]


def registry(root: Path, language: str) -> ToolRegistry:
    (root / "budget.md").write_text("# Budget 2025\n\n- Rent: 1200\n- Food: 350\n- Train: 45.5\n", encoding="utf-8")
    tools = ToolRegistry()
    for tool in (
        CalculatorTool(language=language),
        ReadTool(root, language=language),
        WriteTool(root, language=language),
        TodoWriteTool(root, language=language),
        get_weather,
        convert_units,
        NotesTool(["Mars has two moons", "火星有两颗卫星", "Refunds within 30 days"]),
    ):
        tools.register_tool(tool)
    return tools


def simple(root: Path, language: str) -> Agent:
    config = Config(language=language)
    return SimpleAgent("s", OfflineLLM(), tool_registry=registry(root, language), config=config, max_tool_iterations=8)


def react(root: Path, language: str) -> Agent:
    config = Config(language=language)
    return ReActAgent("r", OfflineLLM(), registry(root, language), config=config, max_steps=8)


@pytest.fixture(params=[simple, react], ids=["simple", "react"])
def make(request: pytest.FixtureRequest) -> Make:
    return request.param


QUESTIONS = [
    ("What is 12*9 and what is the weather in Paris?", ["108", "14"]),
    ("Read budget.md, add up the numbers and then write the result to total.txt", ["1595.5", "total.txt"]),
    ("Read bugdet.md and add up the numbers", ["1595.5"]),
    ("Make a todo list: buy milk, call Ada and write the report", ["0/3"]),
    ("Convert 10 miles to km", ["16.09344"]),
    ("10公里等于多少英里？", ["6.2137"]),
    ("What do my notes say about Mars?", ["two moons"]),
    ("Add a note: buy milk", ["Note 4 added"]),
    ("What's the weather in Lodnon?", ["London", "11"]),
    ("What's the weather in Paris in fahrenheit?", ["57.2"]),
    ("List the files here", ["budget.md"]),
    ("Write 'hello' to a/b.txt", ["a/b.txt"]),
    ("查一下笔记里关于火星的内容，并告诉我北京的天气", ["两颗卫星", "21"]),
    ("读取 budget.md，然后把数字加起来", ["1595.5"]),
    ("计算 12×9 并把结果写入 out.txt", ["108", "out.txt"]),
    ("创建待办清单：买牛奶、写报告", ["0/2"]),
    ("What is 1/0?", ["failed"]),
    ("Who are you?", ["rule-based"]),
]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(("question", "facts"), QUESTIONS)
def test_it_answers(question: str, facts: list[str], language: str, make: Make, tmp_path: Path) -> None:
    agent = make(tmp_path, language)
    answer = agent.run(question)
    for fact in facts:
        assert fact in answer
    assert agent.state.outcome is not None
    assert agent.state.outcome.reason == "finished"
    assert agent.state.steps <= 8


async def test_awaiting_and_streaming_come_to_the_same_answer(make: Make, tmp_path: Path) -> None:
    question = QUESTIONS[1][0]
    answer = make(tmp_path, "en").run(question)
    (tmp_path / "total.txt").unlink()
    assert await make(tmp_path, "en").arun(question) == answer
    (tmp_path / "total.txt").unlink()
    assert "".join(make(tmp_path, "en").stream_run(question)).endswith(answer)


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_at_the_limit_it_says_what_it_knows(steps: int, make: Make, tmp_path: Path) -> None:
    agent = make(tmp_path, "en")
    answer = agent.run("Read budget.md, add up the numbers and then write the result to total.txt", max_steps=steps)
    assert "Not done" in answer or "total.txt" in answer
    assert not agent.state.pending


def test_a_conversation(make: Make, tmp_path: Path) -> None:
    agent = make(tmp_path, "en")
    agent.run("my name is Ada")
    assert "108" in agent.run("What is 12*9?")
    assert "216" in agent.run("and times 2?")
    assert "Created" in agent.run("write the result to r.txt")
    assert (tmp_path / "r.txt").read_text(encoding="utf-8") == "216"
    assert "Ada" in agent.run("What is my name?")


def test_every_step_can_be_taken_again(make: Make, tmp_path: Path) -> None:
    """The model keeps no place: asked the same at any point of the run, it replies the same."""
    agent = make(tmp_path, "en")
    debugger = agent.steps("Calculate 12*9 and write the result to out.txt")
    debugger.finish()
    end = debugger.run
    debugger.jump(1)
    debugger.finish()
    assert debugger.run == end


def test_a_script_drives_an_agent_and_says_what_was_left_over(tmp_path: Path) -> None:
    llm = ScriptedLLM(ToolCall("", "python_calculator", {"input": "2*3"}), "six", "never asked for")
    agent = SimpleAgent("s", llm, tool_registry=registry(tmp_path, "en"))
    assert agent.run("q") == "six"
    assert [left.reply for left in llm.unused(agent.state)] == ["never asked for"]
    assert agent.run("again") == "never asked for"
    llm.check(agent.state)
