"""Requests that come seldom: tools with unusual parameters, results that are of no use, questions about nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hello_agents.core.action import Request
from hello_agents.core.message import Message, ToolCall
from hello_agents.offline import OfflineLLM
from hello_agents.offline.difference import lines_of
from hello_agents.offline.expressions import evaluate
from hello_agents.offline.filling import ANS, SUM, TEXT, Later
from hello_agents.offline.plan import CannotDo, Report, Say, UseTool, WorkOut, make_plan, resolved
from hello_agents.offline.progress import progress
from hello_agents.offline.quoting import read_passages

from .corpus import ALL, read, weather, write
from .test_conversations import asked, talks
from .test_roles import step
from .world import CALCULATOR, MULTIPLY, READ, WRITE, Refusal, World, converse, schema

READ_AS = schema("Read", "Reads a file.", path="The file.", encoding="How the bytes are read.")
STATISTICS = schema(
    "stats", "Calculates.", expression="The expression.", mode={"type": "string", "enum": ["exact", "quick"]}
)
TASK = schema("Task", "Lets a sub-agent do a task.", task="The task.")
BUY = schema("buy", "Buys an item.", quantity={"type": "number", "enum": [1, 2], "description": "How many."})


def called(question: str, tool: dict[str, Any]) -> list[dict[str, Any]]:
    """The arguments of the calls that a question makes of one tool."""
    name = tool["function"]["name"]
    return [arguments for _, arguments in converse(question, [tool], tools={name: lambda **given: str(given)}).made()]


# -- arithmetic without a calculator, and without numbers ----------------------------------------------


@pytest.mark.parametrize(
    ("question", "tools", "calls", "fact"),
    [
        ("What is 3 + 4 and then double it", [READ], [], "7 * 2 = 14"),
        ("What is 3 + 4? Write it to seven.txt", [WRITE], [write("seven.txt", "7")], "seven.txt"),
        ("Read budget.md and add up the numbers", [READ], [read("budget.md")], "1200 + 350 + 45.5 = 1595.5"),
        ("Read budget.md and add up the numbers", [READ, STATISTICS], [read("budget.md")], "= 1595.5"),
        ("Read hello.txt and double it", ALL, [read("hello.txt")], "Not done: “double it”"),
        ("Read hello.txt, then double it", [READ], [read("hello.txt")], "could not work out “double it”"),
        ("double it", ALL, [], "does not say input"),
        ("double it", [READ], [], "cannot answer “double it”"),
        ("multiply it by 3", [MULTIPLY], [], "cannot answer “multiply it by 3”"),
        ("multiply 2.5 and 3", [MULTIPLY], [("multiply", {"a": 2.5, "b": 3})], "7.5"),
        ("Add up the numbers in budget.md", [READ_AS, CALCULATOR], [], "does not say encoding"),
    ],
)
def test_arithmetic_with_what_there_is(question: str, tools: list[Any], calls: list[Any], fact: str) -> None:
    talk = converse(question, tools)
    assert talk.made() == calls
    assert fact in talk.answer


def test_a_text_without_numbers_has_no_sum() -> None:
    *_, (calls, answer) = talks(["Read hello.txt", "Add up the numbers"], [READ, CALCULATOR])
    assert calls == []
    assert "does not say input" in answer


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("-5 + 2", -3),
        ("-(3)", -3),
        ("+4", 4),
        ("(-8) ** 0.5", None),
        ("10**100 * 10**100 * 10**101", None),
        ("x", None),
    ],
)
def test_only_plain_numbers_come_of_an_expression(text: str, value: int | None) -> None:
    assert evaluate(text) == value


@pytest.mark.parametrize(
    ("form", "texts", "value"),
    [
        (TEXT, ["a", "b"], "a\nb"),
        (SUM, ["2 apples", "-3"], "2 + (-3)"),
        (SUM, ["none"], None),
        (ANS, ["it is 7"], 7),
        (ANS, ["it is 7.5"], 7.5),
        (ANS, ["none"], None),
        ("ANS * 2", ["first 3, then -4"], "(-4) * 2"),
        ("ANS * 2", ["none"], None),
    ],
)
def test_what_a_later_value_becomes(form: str, texts: list[str], value: object) -> None:
    assert resolved(Later((0,), form), texts) == value


# -- what a request fills in ---------------------------------------------------------------------------

EXACT = schema(
    "search_all", "Searches the notes.", query="What to look for.", exact={"type": "boolean", "description": "Exactly."}
)
TOP = schema("search_top", "Searches the notes.", query="What to look for.", limit={"type": "integer", "default": 5})
POEM = schema("post_poem", "Prints a poem.", title="How it is called.", verse="Its lines.")
LEVEL = schema("set_level", "Sets the level of the lamp.", level={"enum": [None, 1, 2], "description": "How bright."})
FORECAST = schema(
    "forecast", "The weather of a city.", ["city"], city="Its name.", days={"type": "integer", "default": 1}
)
TIMER = schema(
    "set_timer",
    "Sets the timer.",
    seconds={"type": "integer"},
    minutes={"type": "integer"},
)
WEB = schema("web_search", "Searches the web.", query="What to look for.")
ANY_PRICE = schema(
    "get_price", "The price of an item.", ["item"], item="Its name.", quantity={"type": "integer", "enum": [1, 2]}
)


@pytest.mark.parametrize(
    ("question", "tool", "arguments"),
    [
        ("search the notes for mars", TOP, {"query": "mars", "limit": 5}),
        ("the weather in New York for 3 days?", FORECAST, {"city": "New York", "days": 3}),
        ("What will the weather be in Oslo for one day", FORECAST, {"city": "Oslo", "days": 1}),
        ("the weather in Rome", FORECAST, {"city": "Rome"}),
        ("set the timer to 5 minutes and 30 seconds", TIMER, {"seconds": 30, "minutes": 5}),
        ("search the web for cheap hotels in Rome", WEB, {"query": "cheap hotels in Rome"}),
        ("search the internet about web design", WEB, {"query": "web design"}),
        ("search for web design", WEB, {"query": "web design"}),
        ("search the notes for 'mars' with exact words", EXACT, {"query": "mars", "exact": True}),
        ("search the notes for 'mars', not exact", EXACT, {"query": "mars", "exact": False}),
        ("print the poem 'roses are red'", POEM, {"title": "roses are red", "verse": "roses are red"}),
        ("set the level of the lamp to 2", LEVEL, {"level": 2}),
        ("What does an apple cost?", ANY_PRICE, {"item": "apple"}),
        ("How much is the price of apples", ANY_PRICE, {"item": "apples"}),
        ("What is the price of 'tea' with quantity 2?", ANY_PRICE, {"item": "tea", "quantity": 2}),
        ("What is the price of 'tea' with quantity 5?", ANY_PRICE, {"item": "tea"}),
    ],
)
def test_arguments_of_unusual_kinds(question: str, tool: dict[str, Any], arguments: dict[str, Any]) -> None:
    assert called(question, tool) == [arguments]


def test_what_a_writer_wants_besides_is_left_empty() -> None:
    writer = schema("Write", "Writes a text file.", path="A path.", content="The text.", tries={"type": "integer"})
    talk = converse("Read hello.txt, write a report and save it", [READ, writer], tools={"Write": lambda **given: "ok"})
    name, arguments = talk.made()[-1]
    assert (name, arguments["path"], arguments["tries"]) == ("Write", "report.md", 0)
    assert "hello world" in arguments["content"]


@pytest.mark.parametrize("question", ["Buy it with quantity 5", "Buy it", "What is 3 + 4?"])
def test_a_call_that_must_be_made_is_one_that_the_tool_takes(question: str) -> None:
    (call,) = asked(question, [CALCULATOR, BUY], choice="buy").tool_calls
    assert call.arguments == {"quantity": 1}


def test_quotations_are_items_and_a_folder_may_have_no_name() -> None:
    (call,) = asked("Make a todo list: 'wash up' 'go out'", ALL).tool_calls
    assert [item["content"] for item in call.arguments["todos"]] == ["wash up", "go out"]
    assert converse("Show me the files in the list folder", ALL).made() == [read(".")]


def test_a_helper_without_a_task_is_asked_for_it() -> None:
    assert "does not say task" in converse("Ask a helper", [TASK]).answer


# -- reports, and what came before ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("questions", "calls"),
    [
        (["Read hello.txt", "Write a report", "Save it to a file"], ["report.md"]),
        (["Write a report on the project structure", "Save it"], ["report.md"]),
        (["What's the weather in Paris?", "save it as a file"], []),
    ],
)
def test_only_a_report_has_a_file_of_its_own(questions: list[str], calls: list[str]) -> None:
    *before, (made, answer) = talks(questions, ALL)
    assert [arguments["path"] for _, arguments in made] == calls
    if calls:
        assert made[0][1]["content"] == before[-1][1]
    else:
        assert "does not say" in answer


def test_a_report_of_a_step_before_is_saved_as_it_was_written() -> None:
    report = "Report on hello.txt (1 line(s)):\nhello world"
    world = World()
    talk = converse(step(["Write a report on hello.txt", "Save it to a file"], [report]), ALL, world=world)
    assert talk.made() == [write("report.md", report)]
    assert world.files["report.md"] == report


@pytest.mark.parametrize(
    ("done", "result", "now", "calls", "fact"),
    [
        ("Read hello.txt", "hello.txt says: hello world", "Tell me the result", [], "hello.txt says: hello world"),
        ("What's the weather in Paris?", "sunny", "And in Berlin?", [weather("Berlin")], "rain"),
        ("What is the meaning of it all?", "no idea", "And in Berlin?", [], "cannot answer “in Berlin”"),
    ],
)
def test_a_step_that_says_little_goes_on_from_the_one_before(
    done: str, result: str, now: str, calls: list[Any], fact: str
) -> None:
    talk = converse(step([done, now], [result]), ALL)
    assert talk.made() == calls
    assert fact in talk.answer


def test_what_was_said_in_between_is_no_call_to_make_again() -> None:
    talk = converse("What's the weather in Paris? My name is Ann. And in Berlin?", ALL)
    assert talk.made() == [weather("Paris"), weather("Berlin")]
    assert converse("My name is Ann. And in Berlin?", ALL).made() == []


def test_each_kind_of_step_gives_what_it_has() -> None:
    question = "My name is Ann. What is 3 + 4? Read hello.txt and write a report. Who sings?"
    situation = OfflineLLM().situation(Request([Message(question, "user")], [READ]))
    steps = make_plan(situation)
    assert [type(step) for step in steps] == [Say, WorkOut, UseTool, Report, CannotDo]
    state = progress(steps, situation)
    assert [state.value(at) for at in range(5)] == [None, "7", None, None, None]
    call = ToolCall("c", *read("hello.txt"))
    told = [Message(None, "assistant", tool_calls=[call]), Message("hello world", "tool", answers="c")]
    situation = OfflineLLM().situation(Request([Message(question, "user"), *told], [READ]))
    state = progress(steps, situation)
    assert [state.outcome(at) is not None for at in range(5)] == [False, False, True, False, False]
    assert state.value(2) == "hello world"
    assert "hello world" in str(state.value(3))


# -- failures ------------------------------------------------------------------------------------------


def refuse(**given: object) -> str:
    raise Refusal("NOT_FOUND", "There is no such file.")


@pytest.mark.parametrize(
    "others", [[], [schema("list_dir", "Lists a directory.", path="The folder.", depth={"type": "integer"})]]
)
def test_who_cannot_look_around_gives_up(others: list[Any]) -> None:
    talk = converse("Read helo.txt", [schema("Read", "Reads a text file.", path="A path."), *others])
    assert talk.made() == [read("helo.txt")]
    assert "helo.txt" in talk.answer


def test_the_nearest_name_is_taken_in_its_folder() -> None:
    def look(path: str) -> str:
        match path:
            case "notes":
                return "notes: 2 entries\nnotes/a.txt (1 byte)\nnotes/bb.txt (2 bytes)"
            case "notes/bb.txt":
                return "BB"
            case _:
                return refuse()

    talk = converse("Read notes/b.txt", ALL, tools={"Read": look})
    assert talk.made() == [read("notes/b.txt"), read("notes"), read("notes/bb.txt")]
    assert "BB" in talk.answer


def test_a_number_that_another_model_gave_as_a_text_is_given_as_a_number() -> None:
    question = Message("What's the price of 3 apples?", "user")
    price = schema("get_price", "The price of an item.", item="Its name.", quantity={"type": "integer"})
    call = ToolCall("c", "get_price", {"item": "apples", "quantity": "3"})
    failed = Message("❌ Error [INVALID_PARAM]: quantity must be a number", "tool", answers="c", status="error")
    reply = OfflineLLM().reply(Request([question, Message(None, "assistant", tool_calls=[call]), failed], [price]))
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [
        ("get_price", {"item": "apples", "quantity": 3})
    ]


def test_an_empty_folder_is_said_to_be_empty() -> None:
    assert converse("List the files", ALL, tools={"Read": lambda path: ".: 0 entries"}).answer == (
        "There is nothing in this folder."
    )


def test_results_find_their_calls_in_whatever_order_they_come() -> None:
    calls = [ToolCall("a", *read("hello.txt")), ToolCall("b", *read("b.txt"))]
    said = [Message(None, "assistant", tool_calls=[call]) for call in calls]
    results = [Message("beta", "tool", answers="b"), Message("hello world", "tool", answers="a")]
    reply = OfflineLLM().reply(Request([Message("Read hello.txt", "user"), *said, *results], ALL))
    assert reply.text == "hello.txt: hello world\nb.txt: beta"


# -- about the conversation ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("questions", "answer"),
    [
        (["What did you say?"], "I have not answered anything yet."),
        (["你刚才说了什么？"], "我还没有回答过任何问题。"),
        (["hi", "What is 3*4?", "What have I asked before?"], "1. hi\n2. What is 3*4?"),
        (["What is 3*4?", "What have I asked before?"], "Your first question was: “What is 3*4?”"),
        (["Summarize the conversation"], "Nothing has been said yet."),
    ],
)
def test_what_was_said_before(questions: list[str], answer: str) -> None:
    assert answer in talks(questions, ALL)[-1][1]


def test_an_answer_that_never_came_is_not_made_up() -> None:
    unanswered = Message("What is 3*4?", "user")
    assert asked("What did you answer?", ALL, unanswered).text == "I have not answered anything yet."
    before = [unanswered, Message("12", "assistant"), Message("And 4*5?", "user")]
    assert asked("What did you answer?", ALL, *before).text == "My last answer was: “12”"


def test_a_text_of_many_lines_is_shortened_in_the_middle() -> None:
    lines = [f"remark {number}" for number in range(40)]
    summed_up = asked("\n".join(["Summarize the conversation:", *lines]), []).text.splitlines()
    assert summed_up == [*lines[:12], "…", *lines[-12:]]


def test_a_critic_without_an_answer_to_look_at_is_content() -> None:
    system = Message("Review it. If it is good, say: no need for improvement.", "system")
    assert "no need for improvement" in asked("What do you think?", [], system).text.lower()


def test_passages_begin_with_their_numbers() -> None:
    passages = read_passages("These are the passages.\n[1] a.md\nfirst\nsecond\n[3] no. 3\n[2] b.md\nlast")
    assert [(one.citation, one.text) for one in passages] == [("a.md", "first\nsecond\n[3] no. 3"), ("b.md", "last")]


def test_requests_are_shown_with_calls_that_could_not_be_read_and_tools_without_a_name() -> None:
    call = {"id": "c", "name": "Read", "arguments": {}, "fault": "not JSON: {"}
    request = {
        "tool_choice": "auto",
        "messages": [{"role": "assistant", "content": None, "tool_calls": [call]}],
        "tools": [{"type": "retrieval"}, READ],
    }
    lines = lines_of(json.loads(json.dumps(request)))
    assert "    unreadable: not JSON: {" in lines
    assert "tool :" in lines
    assert "tool Read:" in lines
