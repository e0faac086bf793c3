"""Reports, helpers, several results at once, and answers that are one sentence."""

from __future__ import annotations

from typing import Any

import pytest

from hello_agents.tools.builtin.task_tool import TaskTool
from hello_agents.tools.registry import ToolRegistry

from .corpus import ALL, calc, read
from .test_conversations import talks
from .world import CALCULATOR, FINISH, LIST_DIR, READ, THOUGHT, WRITE, World, converse


def listing(path: str) -> str:
    return f"{path}: 3 entries\ndocs/\nmain.py (12 bytes)\nREADME.md (5 bytes)"


# -- reports -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "folders"),
    [
        ("Analyse the project structure and write a report", "Folders: docs/"),
        ("Analyze the structure of the project, then generate a report.", "Folders: docs/"),
        ("Write a report on the project structure", "Folders: docs/"),
        ("分析项目结构并生成报告", "文件夹：docs/"),
        ("请分析项目的结构，然后写一份报告", "文件夹：docs/"),
        ("生成一份项目结构报告", "文件夹：docs/"),
    ],
)
@pytest.mark.parametrize("lister", [READ, LIST_DIR], ids=["Read", "list_dir"])
def test_a_report_says_what_is_there(question: str, folders: str, lister: dict[str, Any]) -> None:
    name = lister["function"]["name"]
    talk = converse(question, [THOUGHT, FINISH, lister, WRITE], tools={name: listing})
    assert talk.made() == [(name, {"path": "."})]
    assert [[call.name for call in reply.tool_calls] for reply in talk.replies] == [["Thought"], [name], ["Finish"]]
    assert folders in talk.answer
    assert "main.py (12 bytes)" in talk.answer
    assert talk.answer.count("main.py") == 1


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("Analyse the project structure and write a report to out.md", "out.md"),
        ("Analyse the project structure, write a report and save it to docs/out.md", "docs/out.md"),
        ("Analyse the project structure and save a report as a file", "report.md"),
        ("Analyse the project structure, write a report and save it", "report.md"),
        ("Write a report on the project structure to out.md", "out.md"),
        ("分析项目结构并生成报告，写成文件", "report.md"),
        ("分析项目结构并生成报告，保存", "report.md"),
        ("分析项目结构，生成报告并保存到 out.md", "out.md"),
        ("生成一份项目结构报告，写入 out.md", "out.md"),
    ],
)
def test_a_report_is_saved_when_that_is_asked(question: str, path: str) -> None:
    world = World()
    talk = converse(question, [THOUGHT, FINISH, *ALL], tools={"Read": listing}, world=world)
    assert [name for name, _ in talk.made()] == ["Read", "Write"]
    assert len(talk.replies) <= 5
    assert "main.py (12 bytes)" in world.files[path]
    assert path in talk.answer


def test_a_report_on_files_and_on_what_came_before() -> None:
    talk = converse("Read hello.txt and b.txt and write a report", ALL)
    assert talk.made() == [read("hello.txt"), read("b.txt")]
    assert "hello world" in talk.answer
    assert "beta" in talk.answer
    *_, (made, answer) = talks(["List the files", "Write a report"], ALL)
    assert made == []
    assert "Files: budget.md" in answer
    assert converse("Write a report about hello.txt", ALL).made() == [read("hello.txt")]


def test_a_report_without_its_source_is_not_made_up() -> None:
    talk = converse("Read zebra.md and write a report to r.md", ALL)
    assert [name for name, _ in talk.made()] == ["Read", "Read"]
    assert "Not done: “write a report to r.md”" in talk.answer
    assert converse("Write a report", ALL).made() == []


def test_a_file_called_report_is_only_a_file() -> None:
    assert converse("Read report.md", [READ], tools={"Read": lambda path: "x"}).made() == [read("report.md")]
    assert converse("Write 'x' to report.md", ALL).made()[0][1] == {"path": "report.md", "content": "x"}


# -- several results ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("questions", "expression"),
    [
        (["Work out 12*9 and then 7+8 and then add both"], "108 + 15"),
        (["Compute 1+1, then 2+2, then 3+3, then add them up"], "2 + 4 + 6"),
        (["What is 12*9?", "What is 7+8?", "What is the sum of both?"], "108 + 15"),
        (["What is 12*9 and what is 7+8?", "add both results"], "108 + 15"),
        (["What is 12*9 and what is 7+8?", "What is the average of the two?"], "(108 + 15) / 2"),
        (["12*9 和 7+8 分别是多少？", "把两个结果相加"], "108 + 15"),
        (["12*9 等于多少？", "7+8 等于多少？", "两者的和是多少？"], "108 + 15"),
        (["计算 12*9，然后计算 7+8，然后把它们加起来"], "108 + 15"),
    ],
)
@pytest.mark.parametrize("more", [[], [THOUGHT, FINISH]], ids=["plain", "react"])
def test_both(questions: list[str], expression: str, more: list[dict[str, Any]]) -> None:
    *_, (made, _) = talks(questions, [*more, *ALL])
    assert made[-1] == calc(expression)


# -- helpers -----------------------------------------------------------------------------------------


def task_schema(language: str) -> dict[str, Any]:
    registry = ToolRegistry()

    def nobody(kind: str) -> Any:
        raise AssertionError(kind)

    registry.register_tool(TaskTool(nobody, language=language))
    return registry.schemas()[0]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    ("question", "arguments"),
    [
        ("Have a helper work out 12*9", {"task": "work out 12*9"}),
        ("Ask a sub-agent to read a.md and add up the numbers", {"task": "read a.md and add up the numbers"}),
        ("Let a subagent analyse the project structure and write a report.", None),
        ("Delegate 'count the words' to a helper", {"task": "count the words"}),
        ("Have a simple sub-agent read the full plan", {"task": "read the full plan", "agent_type": "simple"}),
        ("Use a helper with max_steps 3: read hello.txt", {"task": "read hello.txt", "max_steps": 3}),
        ("交给子代理：计算 12*9", {"task": "计算 12*9"}),
        ("让子代理读取 a.md 并总结", {"task": "读取 a.md 并总结"}),
        ("把计算 12*9 的任务交给子智能体", {"task": "计算 12*9"}),
        ("请子智能体分析项目结构", {"task": "分析项目结构"}),
    ],
)
def test_a_helper_is_given_the_task(question: str, arguments: dict[str, Any] | None, language: str) -> None:
    talk = converse(question, [*ALL, task_schema(language)], tools={"Task": lambda task, **_: "42"})
    assert talk.made() == [("Task", arguments or {"task": "analyse the project structure and write a report"})]
    assert "42" in talk.answer


def test_what_comes_after_the_helper_uses_its_answer() -> None:
    offer = [*ALL, task_schema("en")]
    talk = converse(
        "Have a helper work out 6*7, then write the result to a.txt", offer, tools={"Task": lambda task: "42"}
    )
    assert talk.made() == [("Task", {"task": "work out 6*7"}), ("Write", {"path": "a.txt", "content": "42"})]


def test_without_helpers_it_does_the_work_itself() -> None:
    assert converse("Have a helper work out 12*9", ALL).made() == [calc("12*9")]
    assert converse("What is 12*9?", [task_schema("en"), CALCULATOR]).made() == [calc("12*9")]


# -- sentences ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Read hello.txt", "hello.txt says: hello world"),
        ("读取 hello.txt", "hello.txt 的内容是：hello world"),
        ("Read 预算.md", "预算.md 的内容如下：\n房租 1200\n吃饭 800"),
        ("What's the weather in Paris?", "The weather in Paris: sunny, 21 °C"),
        ("北京的天气怎么样？", "北京的天气：晴，26 °C"),
        ("What is 12*9?", "12 * 9 = 108"),
        ("Create a todo list: rest, work", "Todos (0/2 done)"),
        ("创建待办清单：休息、工作", "Todos (0/2 done)"),
        ("Write 'x' to a.txt", "Created a.txt (1 lines, 1 bytes)."),
        ("Read helo.txt", "“helo.txt” was not found; I took “hello.txt”.\nhello.txt says: hello world"),
        ("读取 helo.txt", "没有找到“helo.txt”，改用“hello.txt”。\nhello.txt 的内容是：hello world"),
    ],
)
def test_one_result_is_one_sentence(question: str, answer: str) -> None:
    assert converse(question, ALL).answer == answer


@pytest.mark.parametrize(
    ("question", "head"), [("List the files here", "In this folder there is:"), ("列出文件", "当前目录里有：")]
)
def test_a_listing_has_a_heading_for_people(question: str, head: str) -> None:
    lines = converse(question, ALL).answer.splitlines()
    assert lines[0] == head
    assert lines[1] == "budget.md (54 bytes)"
    assert "entries" not in "\n".join(lines)
