"""The offline model in all four patterns: each question of the corpus is answered, and none takes too long."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hello_agents import OfflineLLM, ReActAgent, SimpleAgent, ToolRegistry
from hello_agents.agents.factory import default_subagent_factory
from hello_agents.agents.plan_solve_agent import PlanSolveAgent
from hello_agents.agents.reflection_agent import ReflectionAgent
from hello_agents.core.agent import Agent
from hello_agents.core.config import Config
from hello_agents.core.message import ToolCall
from hello_agents.core.run import Run
from hello_agents.tools.base import Tool, ToolParameter
from hello_agents.tools.builtin import CalculatorTool, ReadTool, TodoWriteTool, WriteTool
from hello_agents.tools.builtin.task_tool import TaskTool
from hello_agents.tools.response import ToolResponse

from .corpus import CORPUS
from .world import Refusal, World


class Shaped(Tool):
    """A tool of the world, offered by its schema."""

    def __init__(self, schema: dict[str, Any], does: Callable[..., str]) -> None:
        function = schema["function"]
        super().__init__(function["name"], function["description"])
        self.shape, self.does = function["parameters"], does

    def get_parameters(self) -> list[ToolParameter]:
        return [
            ToolParameter(
                name,
                shape["type"],
                shape.get("description", ""),
                name in self.shape["required"],
                shape.get("default"),
                shape.get("items"),
                shape.get("enum"),
            )
            for name, shape in self.shape["properties"].items()
        ]

    def run(self, parameters: dict[str, Any]) -> ToolResponse:
        given = {name: value for name, value in parameters.items() if value is not None}
        for unused in ("offset", "limit", "file_mtime_ms"):
            given.pop(unused, None)
        try:
            return ToolResponse.success(self.does(**given))
        except Refusal as refusal:
            return ToolResponse.error(refusal.code, str(refusal))


def chinese(text: str) -> bool:
    return any("\u4e00" <= c <= "\u9fff" for c in text)


PATTERNS: dict[str, Callable[[ToolRegistry, Config], Agent]] = {
    "simple": lambda tools, config: SimpleAgent(
        "a", OfflineLLM(), tool_registry=tools, config=config, max_tool_iterations=5
    ),
    "react": lambda tools, config: ReActAgent("a", OfflineLLM(), tools, config=config),
    "reflection": lambda tools, config: ReflectionAgent("a", OfflineLLM(), tool_registry=tools, config=config),
    "plan": lambda tools, config: PlanSolveAgent("a", OfflineLLM(), tool_registry=tools, config=config),
}


@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_corpus(pattern: str) -> None:
    wrong: list[str] = []
    asked = [entry for entry in CORPUS if entry.question]
    for entry in asked:
        known = World().tools()
        tools = ToolRegistry()
        for shape in entry.tools:
            tools.register_tool(Shaped(shape, known[shape["function"]["name"]]))
        config = Config(language="zh" if chinese(entry.question) else "en")
        agent = PATTERNS[pattern](tools, config)
        answer = agent.run(entry.question)
        assert agent.state.outcome is not None
        lost = [fact for fact in entry.facts if fact not in answer]
        if agent.state.outcome.reason != "finished" or lost:
            wrong.append(f"{entry.question}: {agent.state.outcome.reason}, without {lost}: {answer}")
    assert len(asked) >= 40
    assert len(wrong) <= len(asked) * 0.05, "\n".join(wrong)


# -- single questions --------------------------------------------------------------------------------


@pytest.fixture
def tools(tmp_path: Path) -> Callable[[str], ToolRegistry]:
    (tmp_path / "budget.md").write_text("# Budget\n\n- Rent: 1200\n- Food: 350\n", encoding="utf-8")

    def registry(language: str) -> ToolRegistry:
        found = ToolRegistry()
        for tool in (
            CalculatorTool(language=language),
            ReadTool(tmp_path, language=language),
            WriteTool(tmp_path, language=language),
            TodoWriteTool(tmp_path, language=language),
        ):
            found.register_tool(tool)
        return found

    return registry


Tools = Callable[[str], ToolRegistry]


def ask(pattern: str, question: str, tools: Tools, *more: str) -> tuple[Agent, str]:
    language = "zh" if chinese(question) else "en"
    agent = PATTERNS[pattern](tools(language), Config(language=language))
    answer = agent.run(question)
    for one in more:
        answer = agent.run(one)
    return agent, answer


def calls(run: Run) -> list[ToolCall]:
    return [call for message in run.messages for call in message.tool_calls]


def steps_of(agent: Agent) -> list[list[tuple[str, dict[str, Any]]]]:
    """The calls of each step of a plan."""
    execution = agent.state.children["execute-1"]
    return [[(call.name, call.arguments) for call in calls(child)] for child in execution.children.values()]


@pytest.mark.parametrize(
    ("question", "steps", "facts"),
    [
        ("Work out 12*9 and then 7+8", [["12*9"], ["7+8"]], ["108", "15"]),
        ("Work out 12*9 and then 7+8 and then add both", [["12*9"], ["7+8"], ["108 + 15"]], ["108", "15", "123"]),
        ("Work out 12*9, then double it", [["12*9"], ["108*2"]], ["216"]),
        ("计算 12*9，然后计算 7+8", [["12*9"], ["7+8"]], ["108", "15"]),
        ("计算 12*9，然后计算 7+8，然后把两个结果相加", [["12*9"], ["7+8"], ["108 + 15"]], ["123"]),
    ],
)
def test_each_step_makes_its_own_calls(question: str, steps: list[list[str]], facts: list[str], tools: Tools) -> None:
    agent, answer = ask("plan", question, tools)
    assert steps_of(agent) == [[("python_calculator", {"input": one}) for one in step] for step in steps]
    for fact in facts:
        assert fact in answer


@pytest.mark.parametrize(
    "question",
    [
        "Read budget.md, add up the numbers and then write the total to total.txt",
        "读取 budget.md，然后把数字加起来，然后把结果写入 total.txt",
    ],
)
def test_a_plan_over_files(question: str, tools: Tools, tmp_path: Path) -> None:
    agent, answer = ask("plan", question, tools)
    assert [[name for name, _ in step] for step in steps_of(agent)] == [["Read"], ["python_calculator"], ["Write"]]
    assert (tmp_path / "total.txt").read_text(encoding="utf-8") == "1550"
    assert "1200 + 350 = 1550" in answer


@pytest.mark.parametrize("question", ["Read budget.md and write it to copy.md", "读取 budget.md，然后把它写入 copy.md"])
def test_a_plan_hands_on_whole_texts(question: str, tools: Tools, tmp_path: Path) -> None:
    long = "# Budget\n" + "- Rent: 1200\n" * 200
    (tmp_path / "budget.md").write_text(long, encoding="utf-8")
    _, answer = ask("plan", question, tools)
    assert (tmp_path / "copy.md").read_text(encoding="utf-8") == long
    assert len(answer) < 1000


@pytest.mark.parametrize(
    ("question", "head"), [("Make a todo list: rest, work", "Todos"), ("创建待办清单：休息、工作", "任务清单")]
)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_recap_has_nothing_before_it(pattern: str, question: str, head: str, tools: Tools) -> None:
    _, answer = ask(pattern, question, tools)
    assert answer.startswith(head)
    assert answer.count("\n") == 2


@pytest.mark.parametrize(
    "question", ["What is 12*9?", "Read budget.md", "计算 12*9", "读取 budget.md，然后把数字加起来"]
)
def test_reflection_is_content_at_once(question: str, tools: Tools) -> None:
    agent, answer = ask("reflection", question, tools)
    assert agent.state.outcome is not None
    assert agent.state.outcome.reason == "finished"
    assert set(agent.state.children) == {"draft-1", "critique-1-1"}
    assert "108" in answer or "1200" in answer


@pytest.mark.parametrize("question", ["Read zebra.md", "读取 zebra.md"])
def test_reflection_does_the_task_again_after_a_failure(question: str, tools: Tools) -> None:
    agent, answer = ask("reflection", question, tools)
    assert agent.state.outcome is not None
    assert agent.state.outcome.reason == "max_iterations"
    assert "zebra.md" in (agent.state.children["critique-1-1"].answer or "")
    redraft = agent.state.children["redraft-1-1"]
    assert {call.arguments["path"] for call in calls(redraft)} == {"zebra.md", "."}
    assert "zebra.md" in answer


def test_reflection_can_succeed_the_second_time(tmp_path: Path) -> None:
    """The worker's first try fails for good; at the second, what it needs is there."""

    class Late(ReadTool):
        def run(self, parameters: dict[str, Any]) -> ToolResponse:
            response = super().run(parameters)
            (tmp_path / "late.md").write_text("here at last", encoding="utf-8")
            return response

    found = ToolRegistry()
    found.register_tool(Late(tmp_path))
    agent = PATTERNS["reflection"](found, Config())
    assert agent.run("Read late.md") == "late.md says: here at last"
    assert agent.state.outcome is not None
    assert agent.state.outcome.reason == "finished"
    assert "redraft-1-1" in agent.state.children


@pytest.mark.parametrize(
    ("question", "again"),
    [
        ("Analyse the project structure and write a report", "What was my first question?"),
        ("Analyse the project structure and write a report", "what did I ask before"),
        ("分析项目结构并生成报告", "我刚才的第一个问题是什么？"),
        ("分析项目结构并生成报告", "我之前问过什么？"),
    ],
)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_first_question_is_known(pattern: str, question: str, again: str, tools: Tools) -> None:
    agent, first = ask(pattern, question, tools)
    assert "budget.md" in first
    assert agent.state.outcome is not None
    assert agent.state.outcome.reason == "finished"
    assert f"“{question}”" in agent.run(again)


@pytest.mark.parametrize(
    ("question", "task"),
    [("Have a helper work out 12*9", "work out 12*9"), ("把计算 12*9 的任务交给子代理", "计算 12*9")],
)
@pytest.mark.parametrize("pattern", ["simple", "react"])
def test_a_helper_does_it(pattern: str, question: str, task: str, tools: Tools) -> None:
    language = "zh" if chinese(question) else "en"
    config = Config(language=language)
    found = tools(language)
    helpers = tools(language)
    found.register_tool(
        TaskTool(lambda kind: default_subagent_factory(kind, OfflineLLM(), helpers, config), language=language)
    )
    agent = PATTERNS[pattern](found, config)
    assert "12 * 9 = 108" in agent.run(question)
    (child,) = agent.state.children.values()
    assert [message.text for message in child.messages if message.role == "user"] == [task]
    assert any(call.name == "python_calculator" for call in calls(child))
    assert not any(call.name == "python_calculator" for call in calls(agent.state))
