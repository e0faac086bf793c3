"""The book's own agents on small tasks, with the offline model: they have to do at least 95 % of them.

A task is done when the answer holds the facts, and where something was to be done, when a call did it; how an agent
came to it is its own affair. So a change to a prompt, a tool, the loop or the offline model that costs answers fails
here, and the answers are named. An agent that only says the question again passes nothing.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from hello_agents import PlanSolveAgent, ReActAgent, ReflectionAgent, ScriptedLLM, SimpleAgent, ToolRegistry
from hello_agents.core.agent import Agent
from hello_agents.core.config import Config
from hello_agents.core.run import Run
from hello_agents.evaluation import Task, evaluate
from hello_agents.offline import OfflineLLM
from hello_agents.tools.builtin import CalculatorTool, GlobTool, GrepTool, ReadTool, TodoWriteTool, WriteTool

FILES = {
    "budget.md": "# Trip\n\nhotel: 320 a night, two nights\ntrain: 180 return\n",
    "notes/oslo.md": "Oslo: the ferry leaves at 8:15 from pier 3.\n",
    "notes/rome.md": "Rome: the museum is closed on Mondays.\n",
    "hello.txt": "hello world\n",
    "预算.md": "房租：1200\n伙食：800\n",
}
PRICES = {"apples": 3, "pears": 2}
WEATHER = {"Paris": "sunny, 21 °C", "Oslo": "rain, 7 °C", "北京": "晴，25 °C"}


def get_weather(city: str) -> str:
    """The weather of today in a city.

    Args:
        city: Which city.
    """
    return f"{city}: {WEATHER[city]}"


def get_price(item: str, quantity: int) -> str:
    """The price of things in the shop.

    Args:
        item: What to buy.
        quantity: How many.
    """
    return f"{quantity} {item} cost {PRICES[item] * quantity} EUR"


def holds(facts: tuple[str, ...], run: Run) -> bool:
    """Whether the answer has all the facts, separators of thousands aside."""
    answer = (run.answer or "").replace(",", "")
    return all(fact in answer for fact in facts)


def did(tool: str, facts: tuple[str, ...], run: Run) -> bool:
    """Whether a call of the tool that succeeded, in the run or below it, has all the facts in its arguments."""
    for _, one in run.frames:
        fine = {message.answers for message in one.messages if message.status == "success"}
        for call in (call for message in one.messages for call in message.tool_calls):
            said = json.dumps(call.arguments, ensure_ascii=False)
            if call.name == tool and call.id in fine and all(fact in said for fact in facts):
                return True
    return False


def task(question: str, *facts: str) -> Task:
    return Task(question, question, partial(holds, facts))


def errand(question: str, tool: str, *facts: str) -> Task:
    return Task(question, question, partial(did, tool, facts))


TASKS = [
    task("What is 12 * 9?", "108"),
    task("What is 3 plus 4 times 2?", "11"),
    task("What is 20% of 350?", "70"),
    task("What is the average of 2, 4 and 6?", "= 4"),
    task("What is the square root of 144?", "12"),
    task("How much is 1,200 + 300?", "1500"),
    task("What is 12*9, and what is 7+5?", "108", "12"),
    task("Calculate 5*5 and 6*6 and add them up", "61"),
    task("3加4乘以2等于多少？", "11"),
    task("350的20%是多少？", "70"),
    task("Read hello.txt", "hello world"),
    task("What is in notes/oslo.md?", "8:15"),
    task("Read notes/oslo.md and notes/rome.md", "pier 3", "Mondays"),
    task("读取 hello.txt", "hello world"),
    task("Read budget.md and work out 2 * 320 + 180", "820"),
    task("预算.md 里的数字总和是多少？", "2000"),
    errand("Write 'good morning' to greet.txt", "Write", "greet.txt", "good morning"),
    errand("Calculate 12*9 and write the result to out.txt", "Write", "out.txt", "108"),
    errand("What is the weather in Oslo? Write it to weather.txt", "Write", "weather.txt", "rain"),
    errand("Read notes/rome.md and write it to rome.txt", "Write", "rome.txt", "Mondays"),
    task("What's the weather in Paris?", "sunny"),
    task("What's the weather in Paris and Oslo?", "sunny", "rain"),
    task("北京的天气怎么样？", "晴"),
    task("What is the weather in Paris and how much is 20% of 350?", "sunny", "70"),
    task("What is the price of 3 apples?", "9 EUR"),
    task("price of 3 apples and 2 pears", "9 EUR", "4 EUR"),
    errand("Make a todo list: buy milk, call Ada and write the report", "TodoWrite", "milk", "Ada", "report"),
    task("Read missing.txt", "There is no file 'missing.txt'"),
]


def make(kind: Callable[..., Agent], folder: Path, max_steps: int = 10) -> Agent:
    """An agent of this kind with all the tools, in a folder of its own."""
    place = Path(tempfile.mkdtemp(dir=folder))
    for name, text in FILES.items():
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text(text, encoding="utf-8")
    registry = ToolRegistry()
    for tool in (ReadTool, WriteTool, GlobTool, GrepTool):
        registry.register_tool(tool(project_root=str(place)))
    registry.register_tool(CalculatorTool())
    registry.register_tool(TodoWriteTool(project_root=str(place)))
    registry.register_function(get_weather)
    registry.register_function(get_price)
    return kind("assistant", OfflineLLM(), tool_registry=registry, config=Config(max_steps=max_steps))


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("regression")
    kinds = {"simple": SimpleAgent, "react": ReActAgent, "reflection": ReflectionAgent, "plan": PlanSolveAgent}
    return evaluate({name: partial(make, kind, folder) for name, kind in kinds.items()}, TASKS)


def test_there_are_enough_tasks_of_several_kinds():
    assert len(TASKS) >= 25
    assert sum(any("\u4e00" <= sign <= "\u9fff" for sign in one.question) for one in TASKS) >= 4


class Parrot:
    """Says the question again, as if that were an answer."""

    def stream(self, request):
        yield from ScriptedLLM(f"You say: {request.messages[-1].text}").stream(request)


@pytest.mark.parametrize(
    "model",
    [Parrot(), ScriptedLLM("I have done everything that you asked for.")],
    ids=["parrot", "pretender"],
)
def test_no_task_is_passed_by_words_alone(model):
    nothing = evaluate({"nothing": lambda: SimpleAgent("nothing", model)}, TASKS)
    assert [one.task for one in nothing.trials if one.passed] == []


def test_tasks_of_two_steps_are_failed_with_one(tmp_path):
    report = evaluate({"hasty": partial(make, SimpleAgent, tmp_path, 1)}, TASKS)
    failed = {one.task: one.reason for one in report.trials if not one.passed}
    assert len(failed) >= 4
    assert set(failed.values()) == {"max_steps"}


@pytest.mark.parametrize("agent", ["simple", "react", "reflection", "plan"])
def test_the_agents_do_their_tasks(report, agent):
    failed = [f"{one.task}: {one.reason} {one.error}" for one in report.of(agent) if not one.passed]
    assert report.scores[agent].rate >= 0.95, "\n".join(failed)
