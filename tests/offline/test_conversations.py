"""The offline model in conversation: what it calls, what it answers, how it gets over failures."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

from hello_agents import catalogue
from hello_agents.core.action import Request
from hello_agents.core.message import Message, Messages, ToolCall
from hello_agents.core.run import Compacted, Replied, Returned, Run, Told, evolve
from hello_agents.offline import OfflineLLM

from .corpus import ALL, CORPUS, Case, calc, notes, read, weather, write
from .world import (
    CALCULATOR,
    FINISH,
    LIST_DIR,
    NOTES,
    PRICE,
    READ,
    THOUGHT,
    WEATHER,
    WRITE,
    Refusal,
    World,
    converse,
    schema,
)

# -- the corpus --------------------------------------------------------------------------------------


def test_the_corpus_is_large_enough() -> None:
    assert len(CORPUS) >= 60
    assert sum(any("\u4e00" <= c <= "\u9fff" for c in entry.question) for entry in CORPUS) >= 20


@pytest.mark.parametrize("entry", CORPUS, ids=str)
def test_calls_and_answer(entry: Case) -> None:
    talk = converse(entry.question, entry.tools)
    assert talk.made() == entry.calls
    for fact in entry.facts:
        assert fact in talk.answer


@pytest.mark.parametrize("entry", CORPUS, ids=str)
def test_with_thought_and_finish(entry: Case) -> None:
    """One thought, alone and first; the same calls; then the answer through Finish."""
    talk = converse(entry.question, [THOUGHT, FINISH, *entry.tools])
    assert talk.made() == entry.calls
    names = [[call.name for call in reply.tool_calls] for reply in talk.replies]
    assert names[-1] == ["Finish"]
    assert sum("Thought" in reply for reply in names) == (1 if entry.calls else 0)
    if entry.calls:
        assert names[0] == ["Thought"]
        reasoning = talk.calls[0].arguments["reasoning"]
        assert entry.calls[0][0] in reasoning
    if entry.tools:
        for fact in entry.facts:
            assert fact in talk.answer


@pytest.mark.parametrize("entry", [e for e in CORPUS if e.question], ids=str)
def test_the_answer_is_in_the_language_of_the_question(entry: Case) -> None:
    talk = converse(entry.question, entry.tools)
    if any("\u4e00" <= c <= "\u9fff" for c in entry.question) and not entry.calls:
        assert any("\u4e00" <= c <= "\u9fff" for c in talk.answer)
    if entry.question.isascii():
        assert talk.answer.replace("×", "").replace("°", "").isascii() or "预算" in talk.answer or "“" in talk.answer


def test_independent_calls_go_in_one_reply_and_dependent_ones_wait() -> None:
    together = converse("What is 12*9 and what is the weather in Paris?", ALL)
    assert [len(reply.tool_calls) for reply in together.replies] == [2, 0]
    apart = converse("Calculate 12*9 and write the result to out.txt", ALL)
    assert [len(reply.tool_calls) for reply in apart.replies] == [1, 1, 0]
    in_order = converse("What is the weather in Paris, then what is 12*9?", ALL)
    assert [len(reply.tool_calls) for reply in in_order.replies] == [1, 1, 0]


def test_what_was_written_is_there() -> None:
    world = World()
    converse("Please read budget.md, then write the total to total.txt", ALL, world=world)
    assert world.files["total.txt"] == "1595.5"
    converse("Make a todo list: rest, work", ALL, world=world)
    assert world.todos == [{"content": "rest", "status": "pending"}, {"content": "work", "status": "pending"}]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_language_of_questions_that_have_none(language: str) -> None:
    talk = converse("???", ALL, llm=OfflineLLM(language=language))
    assert ("可用的工具" in talk.answer) == (language == "zh")


# -- several questions -------------------------------------------------------------------------------


def talks(questions: list[str], tools: list[dict[str, Any]]) -> list[tuple[list[Any], str]]:
    run: Run | None = None
    world = World()
    found = []
    for question in questions:
        talk = converse(question, tools, run=run, world=world)
        run = talk.run
        found.append((talk.made(), talk.answer))
    return found


@pytest.mark.parametrize("more", [[], [THOUGHT, FINISH]], ids=["plain", "react"])
@pytest.mark.parametrize(
    ("questions", "calls", "fact"),
    [
        (["What is 12*9?", "and times 2?"], [calc("108 * 2")], "216"),
        (["What is 12*9?", "Divide that by 4"], [calc("108/4")], "27"),
        (["What is 12*9?", "double it"], [calc("108*2")], "216"),
        (["3加4等于多少？", "再乘以2呢？"], [calc("7*2")], "14"),
        (["What is 5 - 9?", "times 3"], [calc("(-4) * 3")], "-12"),
        (["What is 5*5?", "write it to five.txt"], [write("five.txt", "25")], "five.txt"),
        (["Read budget.md", "Add up the numbers"], [calc("1200 + 350 + 45.5")], "1595.5"),
        (["Write 'x' to r.txt", "read it"], [read("r.txt")], "r.txt says: x"),
        (["What's the weather in Paris?", "And in Berlin?"], [weather("Berlin")], "rain"),
        (["What's the weather in Paris?", "What about London?"], [weather("London")], "fog"),
        (["北京的天气怎么样？", "那上海呢？"], [weather("上海")], "小雨"),
        (["Search my notes for Mars", "and Venus?"], [notes("Venus")], "no moons"),
        (["my name is Ada", "What is 2*3?", "What is my name?"], [], "Ada"),
        (["Hi, I'm Ada. What is 2*3?", "Who am I?"], [], "Ada"),
        (["我叫小明", "我叫什么名字？"], [], "小明"),
        (["What is my name?"], [], "not told me"),
        (["What is 2*3?", "What is 4*5?", "What did I ask first?"], [], "“What is 2*3?”"),
        (["What is 2*3?", "What is 4*5?", "What was my last question?"], [], "“What is 4*5?”"),
        (["What did I ask first?"], [], "first question"),
        (["2*3等于多少？", "我最先问了什么？"], [], "2*3等于多少"),
        (["What is 2*3?", "What did you answer?"], [], "2 * 3 = 6"),
        (["What is 2*3?", "How many questions did I ask?"], [], "2 question"),
        (["What is 2*3?", "thanks"], [], "welcome"),
    ],
)
def test_follow_ups(questions: list[str], calls: list[Any], fact: str, more: list[dict[str, Any]]) -> None:
    *_, (made, answer) = talks(questions, [*more, *ALL])
    assert made == calls
    assert fact in answer


def test_a_name_is_found_in_a_summary_as_well() -> None:
    run = converse("my name is Ada", ALL).run
    run = evolve(run, Compacted(0, len(run.messages), (Message("The user said: my name is Ada.", "summary"),)))
    assert "Ada" in converse("What is my name?", ALL, run=run).answer


# -- failures ----------------------------------------------------------------------------------------


def test_a_file_name_is_looked_up_when_it_is_not_there() -> None:
    talk = converse("Read budgte.md and add up the numbers", ALL)
    assert talk.made() == [read("budgte.md"), read("."), read("budget.md"), calc("1200 + 350 + 45.5")]
    assert "1595.5" in talk.answer
    assert "budgte.md" in (talk.replies[1].content or "")


def test_the_lister_may_be_another_tool() -> None:
    talk = converse("Read budgte.md", [READ, LIST_DIR])
    assert talk.made() == [read("budgte.md"), ("list_dir", {"path": "."}), read("budget.md")]


def test_a_name_in_the_error_is_taken() -> None:
    def open_file(path: str) -> str:
        if path != "report.md":
            raise Refusal("NOT_FOUND", f"There is no file {path!r}. Did you mean 'report.md'?")
        return "all is well"

    talk = converse("Read reprot.md", [READ], tools={"Read": open_file})
    assert talk.made() == [read("reprot.md"), read("report.md")]
    assert "all is well" in talk.answer


def test_a_file_that_is_nowhere_is_said_plainly() -> None:
    talk = converse("Read zebra.md and add up the numbers", ALL)
    assert talk.made() == [read("zebra.md"), read(".")]
    assert "zebra.md" in talk.answer
    assert "failed" in talk.answer
    assert "Not done: “add up the numbers”" in talk.answer


def test_one_failure_does_not_stop_the_other_calls() -> None:
    talk = converse("What's the weather in Paris and Atlantis?", ALL)
    assert "sunny" in talk.answer
    assert "No weather for 'Atlantis'" in talk.answer
    assert talk.made() == [weather("Paris"), weather("Atlantis")]


@pytest.mark.parametrize(
    "error", ["timed out", "temporarily unavailable, try again", "HTTP 503", "服务繁忙，请稍后再试"]
)
def test_what_may_pass_is_tried_once_more(error: str) -> None:
    tries: list[str] = []

    def flaky(city: str) -> str:
        tries.append(city)
        if len(tries) == 1:
            raise Refusal("API_ERROR", error)
        return f"{city}: sunny"

    assert "sunny" in converse("What's the weather in Paris?", [WEATHER], tools={"get_weather": flaky}).answer
    assert len(tries) == 2


def test_what_never_passes_is_given_up() -> None:
    def down(city: str) -> str:
        raise Refusal("TIMEOUT", "get_weather did not answer within 5 s")

    talk = converse("What's the weather in Paris?", [WEATHER], tools={"get_weather": down})
    assert len(talk.made()) == 2
    assert "did not answer within 5 s" in talk.answer


@pytest.mark.parametrize("code", ["NOT_RUN", "REFUSED", "INTERRUPTED", "CIRCUIT_OPEN", "ACCESS_DENIED"])
def test_what_must_not_be_tried_again_is_not(code: str) -> None:
    def no(path: str, content: str) -> str:
        raise Refusal(code, "try again later")

    talk = converse("Write 'x' to a.txt", [WRITE], tools={"Write": no})
    assert len(talk.made()) == 1
    assert "failed" in talk.answer


def test_a_write_that_timed_out_is_not_repeated() -> None:
    def slow(path: str, content: str) -> str:
        raise Refusal("TIMEOUT", "timed out")

    assert len(converse("Write 'x' to a.txt", [WRITE], tools={"Write": slow}).made()) == 1


def test_an_argument_that_the_tool_does_not_take_is_dropped() -> None:
    offered = schema("get_weather", "The weather in a city.", ["city"], city="City.", unit={"type": "string"})

    def strict(city: str) -> str:
        return f"{city}: sunny"

    talk = converse("What's the weather in Paris, unit 'kelvin'?", [offered], tools={"get_weather": strict})
    assert talk.made()[-1] == weather("Paris")
    assert "sunny" in talk.answer


def test_the_singular_is_tried() -> None:
    def shop(item: str, quantity: int) -> str:
        if item != "apple":
            raise Refusal("NOT_FOUND", f"{item} not found")
        return f"{quantity * 2} EUR"

    talk = converse("What is the price of 3 apples?", [PRICE], tools={"get_price": shop})
    assert "6 EUR" in talk.answer


def test_signs_that_a_calculator_cannot_read_are_replaced() -> None:
    """A reader may have edited the call: the next try is in plain signs."""
    run = edited_call("What is 12*9?", ToolCall("c", "python_calculator", {"input": "12×9"}))
    run = run_with_error(run, "❌ Error [INVALID_PARAM]: '12×9' is not an arithmetic expression.")
    assert reply(run, ALL).tool_calls[0].arguments == {"input": "12*9"}


def test_a_partial_result_is_said_to_be_one() -> None:
    run = edited_call("Read hello.txt", ToolCall("c", "Read", {"path": "hello.txt"}))
    run = evolve(run, Returned(Message("⚠️ Partial: lines 1-2 of 9", "tool", answers="c", status="partial")))
    answer = reply(run, ALL).text
    assert "lines 1-2 of 9" in answer
    assert "part" in answer


def test_an_edited_result_is_what_it_goes_on_with() -> None:
    run = edited_call(
        "Calculate 12*9 and write the result to out.txt", ToolCall("c", "python_calculator", {"input": "1"})
    )
    run = evolve(run, Returned(Message("777", "tool", answers="c", status="success")))
    assert reply(run, ALL).tool_calls[0].arguments == {"path": "out.txt", "content": "777"}


def edited_call(question: str, call: ToolCall) -> Run:
    run = evolve(Run("t"), Told(Message(question, "user")))
    return evolve(run, Replied(Message(None, "assistant", tool_calls=[call])))


def run_with_error(run: Run, text: str) -> Run:
    return evolve(run, Returned(Message(text, "tool", answers=run.pending[0].id, status="error")))


def reply(run: Run, tools: list[dict[str, Any]], **more: Any) -> Message:
    *_, last = OfflineLLM().stream(Request(run.messages, tuple(tools), at=("", run.steps), **more))
    assert isinstance(last, Replied)
    return last.message


# -- tool choice, roles, notices ---------------------------------------------------------------------


def asked(question: str, tools: list[dict[str, Any]], *before: Message, choice: str = "auto") -> Message:
    return OfflineLLM().reply(Request([*before, Message(question, "user")], tools, choice))


def test_without_tools_it_answers_from_what_it_has() -> None:
    message = asked("Calculate 12*9 and write the result to out.txt", ALL, choice="none")
    assert not message.tool_calls
    assert message.content
    run = edited_call("Calculate 12*9 and write the result to out.txt", ToolCall("c", *calc("12*9")))
    run = evolve(run, Returned(Message("108", "tool", answers="c", status="success")))
    last = reply(run, ALL, tool_choice="none")
    assert not last.tool_calls
    assert "108" in last.text
    assert "Not done: “write the result to out.txt”" in last.text


def test_a_notice_of_the_library_is_no_question() -> None:
    run = edited_call("Calculate 12*9 and write the result to out.txt", ToolCall("c", *calc("12*9")))
    run = evolve(run, Returned(Message("108", "tool", answers="c", status="success")))
    for language in ("en", "zh"):
        notice = Message(catalogue.text("limits.steps_left", language, left=2), "user")
        message = OfflineLLM().reply(Request((*run.messages, notice), ALL))
        assert message.tool_calls[0].name == "Write"


@pytest.mark.parametrize("question", ["What is 12*9?", "hello", "", "你好"])
def test_a_required_call_is_made(question: str) -> None:
    assert asked(question, ALL, choice="required").tool_calls
    finished = asked("hello", [FINISH, *ALL], choice="required")
    assert finished.tool_calls[0].name == "Finish"


@pytest.mark.parametrize("name", [tool["function"]["name"] for tool in [*ALL, THOUGHT, FINISH, PRICE]])
@pytest.mark.parametrize("question", ["What is 12*9?", "hello", ""])
def test_a_named_tool_is_called(name: str, question: str) -> None:
    calls = asked(question, [*ALL, THOUGHT, FINISH, PRICE], choice=name).tool_calls
    assert [call.name for call in calls] == [name]


PLAN = schema(
    "generate_plan",
    "Hands in the plan.",
    steps={"type": "array", "items": {"type": "string"}, "description": "The steps, in order."},
)


@pytest.mark.parametrize("choice", ["generate_plan", "auto", "required"])
def test_it_plans(choice: str) -> None:
    message = asked("Read budget.md, add up the numbers and then write the total to t.txt", [PLAN], choice=choice)
    assert message.tool_calls[0].arguments == {
        "steps": ["Read budget.md", "add up the numbers", "write the total to t.txt"]
    }
    zh = asked("读取 a.md，然后把数字加起来", [PLAN], choice=choice)
    assert zh.tool_calls[0].arguments == {"steps": ["读取 a.md", "把数字加起来"]}


def test_it_criticises() -> None:
    system = Message("Review the answer. If it is good, say: no need for improvement.", "system")
    assert "no need for improvement" in asked("Task: x\n\nAnswer: 42", [], system).text.lower()
    assert "无需改进" in asked("任务：算一算\n\n回答：42", [], Message("如果很好，请说无需改进", "system")).text


# -- the same everywhere -----------------------------------------------------------------------------


def everything() -> str:
    """All replies to the corpus, as one text."""
    return "\n".join(repr(converse(entry.question, entry.tools).replies) for entry in CORPUS)


def test_equal_requests_get_equal_replies() -> None:
    assert everything() == everything()


def test_another_process_with_another_hash_seed_replies_the_same() -> None:
    code = (
        "from offline.test_conversations import everything; import hashlib;"
        "print(hashlib.sha256(everything().encode()).hexdigest())"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
        ).stdout
        for seed in ("1", "77")
    }
    assert len(seen) == 1


async def test_awaiting_gives_the_same_pieces_and_usage() -> None:
    request = Request(Messages([Message("What is 12*9 and 北京的天气？", "user")]), tuple(ALL))
    model = OfflineLLM()
    assert [event async for event in model.astream(request)] == list(model.stream(request))
    *_, last = model.stream(request)
    assert isinstance(last, Replied)
    assert last.usage.prompt_tokens > 0
    assert last.usage.completion_tokens > 0


def test_the_answer_comes_in_pieces() -> None:
    pieces = list(OfflineLLM().stream(Request([Message("Who are you?", "user")])))
    assert len(pieces) > 10
    assert NOTES not in pieces
    assert CALCULATOR not in pieces
