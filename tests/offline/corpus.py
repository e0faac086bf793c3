"""Questions with the calls that answer them and what the answer has to say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .world import (
    ADD,
    CALCULATOR,
    CONVERT,
    LIST_DIR,
    LOOKUP,
    MULTIPLY,
    NOTES,
    PRICE,
    READ,
    TODO,
    WEATHER,
    WRITE,
    ZH_CALC,
    ZH_WEATHER,
)

ALL = [CALCULATOR, READ, WRITE, TODO, WEATHER, NOTES]


@dataclass(frozen=True)
class Case:
    question: str
    calls: list[tuple[str, dict[str, Any]]]
    facts: list[str]
    tools: list[dict[str, Any]]

    def __repr__(self) -> str:
        return self.question


def case(
    question: str, calls: list[tuple[str, dict[str, Any]]], *facts: str, tools: list[dict[str, Any]] = ALL
) -> Case:
    return Case(question, calls, list(facts), tools)


def calc(expression: str) -> tuple[str, dict[str, Any]]:
    return "python_calculator", {"input": expression}


def read(path: str) -> tuple[str, dict[str, Any]]:
    return "Read", {"path": path}


def write(path: str, content: str) -> tuple[str, dict[str, Any]]:
    return "Write", {"path": path, "content": content}


def todo(*items: str) -> tuple[str, dict[str, Any]]:
    return "TodoWrite", {"todos": [{"content": item, "status": "pending"} for item in items]}


def weather(city: str) -> tuple[str, dict[str, Any]]:
    return "get_weather", {"city": city}


def notes(query: str) -> tuple[str, dict[str, Any]]:
    return "search_notes", {"query": query}


SUM = "1200 + 350 + 45.5"

CORPUS = [
    # arithmetic
    case("What is 12*9?", [calc("12*9")], "108"),
    case("12*9", [calc("12*9")], "108"),
    case("12 × 9 ÷ 3", [calc("12 * 9 / 3")], "36"),
    case("What is 3 plus 4 times 2?", [calc("3 + 4 * 2")], "11"),
    case("Please calculate (3+4)*2.", [calc("(3+4)*2")], "14"),
    case("3加4乘以2等于多少？", [calc("3+4*2")], "11"),
    case("三加四等于几？", [calc("3+4")], "7"),
    case("计算（3＋4）×2", [calc("(3+4)*2")], "14"),
    case("What is 20% of 350?", [calc("350*20/100")], "70"),
    case("350的20%是多少？", [calc("350*20/100")], "70"),
    case("Add 3, 4 and 5", [calc("3 + 4 + 5")], "12"),
    case("3、4、5的和是多少？", [calc("3 + 4 + 5")], "12"),
    case("What is the average of 2, 4 and 6?", [calc("(2 + 4 + 6) / 3")], "4"),
    case("What is the square root of 144?", [calc("144**0.5")], "12"),
    case("What is 2^10?", [calc("2**10")], "1024"),
    case("How much is 1,200 + 300?", [calc("1200 + 300")], "1500"),
    case("What is 12*9, and what is 7+5?", [calc("12*9"), calc("7+5")], "108", "12"),
    case("Calculate (3+4)*2 and then divide it by 7", [calc("(3+4)*2"), calc("14/7")], "= 2"),
    case("First compute 15% of 240, then add 12 to it", [calc("240*15/100"), calc("36+12")], "48"),
    case("Calculate 5*5 and 6*6 and add them up", [calc("5*5"), calc("6*6"), calc("25 + 36")], "61"),
    case("3加4等于多少？再乘以2", [calc("3+4"), calc("7*2")], "14"),
    case("A shop sells 3 boxes of 12 eggs. How many eggs is 3*12?", [calc("3*12")], "36"),
    # files
    case("Read hello.txt", [read("hello.txt")], "hello world"),
    case("What is in hello.txt?", [read("hello.txt")], "hello world"),
    case("Show me notes/a.txt", [read("notes/a.txt")], "alpha"),
    case("读取 hello.txt", [read("hello.txt")], "hello world"),
    case("打开hello.txt看看", [read("hello.txt")], "hello world"),
    case("Read hello.txt and b.txt", [read("hello.txt"), read("b.txt")], "hello world", "beta"),
    case("Read hello.txt and write it to copy.txt", [read("hello.txt"), write("copy.txt", "hello world")], "copy.txt"),
    case("List the files here", [read(".")], "budget.md", "b.txt"),
    case("Write 'hello there' to greet.txt", [write("greet.txt", "hello there")], "greet.txt"),
    case("把“你好，世界”写入 greet.txt", [write("greet.txt", "你好，世界")], "greet.txt"),
    case("create a file hi.txt containing good morning", [write("hi.txt", "good morning")], "hi.txt"),
    case(
        "Write 'a and b, then c' to x.txt, then read it.",
        [write("x.txt", "a and b, then c"), read("x.txt")],
        "a and b, then c",
    ),
    # one thing after another
    case("Read budget.md and add up the numbers", [read("budget.md"), calc(SUM)], "1595.5", "Rent"),
    case("读取 budget.md，然后把数字加起来", [read("budget.md"), calc(SUM)], "1595.5"),
    case("What is the total of the numbers in budget.md?", [read("budget.md"), calc(SUM)], "1595.5"),
    case("预算.md 里的数字总和是多少？", [read("预算.md"), calc("1200 + 800")], "2000"),
    case("Read budget.md and tell me the total", [read("budget.md"), calc(SUM)], "1595.5"),
    case(
        "Please read budget.md, then write the total to total.txt",
        [read("budget.md"), calc(SUM), write("total.txt", "1595.5")],
        "total.txt",
    ),
    case("Calculate 12*9 and write the result to out.txt", [calc("12*9"), write("out.txt", "108")], "108", "out.txt"),
    case("计算 12×9 并把结果写入 out.txt", [calc("12*9"), write("out.txt", "108")], "108", "out.txt"),
    case("Write the result of 12*9 to out.txt", [calc("12*9"), write("out.txt", "108")], "108"),
    case("Calculate 7*6, write it to a.txt, then double it", [calc("7*6"), write("a.txt", "42"), calc("42*2")], "84"),
    case(
        "把 3*4 的结果写入 a.txt，然后读取 a.txt",
        [calc("3*4"), write("a.txt", "12"), read("a.txt")],
        "a.txt: 12",
    ),
    case("Save the weather in Paris to w.txt", [weather("Paris"), write("w.txt", "Paris: sunny, 21 °C")], "sunny"),
    # todo lists
    case(
        "Make a todo list: buy milk, call Ada and write the report",
        [todo("buy milk", "call Ada", "write the report")],
        "0/3",
    ),
    case("创建待办清单：买牛奶、写报告、给妈妈打电话", [todo("买牛奶", "写报告", "给妈妈打电话")], "0/3"),
    case("Add milk and bread to my todo list", [todo("milk", "bread")], "0/2"),
    case("todos:\n1. eat\n2. sleep", [todo("eat", "sleep")], "0/2"),
    # weather
    case("What's the weather in Paris?", [weather("Paris")], "sunny"),
    case("What's the weather in Paris and Berlin?", [weather("Paris"), weather("Berlin")], "sunny", "rain"),
    case("How warm is it in New York?", [weather("New York")], "9 °C"),
    case("Will it rain in London today?", [weather("London")], "fog"),
    case("北京的天气怎么样？", [weather("北京")], "晴"),
    case("请问北京和上海今天的天气怎么样？", [weather("北京"), weather("上海")], "晴", "小雨"),
    case("What's the weather in Paris? And in Berlin?", [weather("Paris"), weather("Berlin")], "sunny", "rain"),
    case(
        "What is the weather in Paris and how much is 20% of 350?",
        [weather("Paris"), calc("350*20/100")],
        "sunny",
        "70",
    ),
    # notes
    case("Search my notes for Mars", [notes("Mars")], "red planet"),
    case("What do my notes say about Mars?", [notes("Mars")], "red planet"),
    case("What is the refund policy?", [notes("refund policy")], "30 days"),
    case("查一下笔记里关于火星的内容", [notes("火星")], "红色行星"),
    case("搜索笔记：火星", [notes("火星")], "红色行星"),
    case(
        "帮我查一下笔记里关于火星的内容，并告诉我北京的天气",
        [notes("火星"), weather("北京")],
        "红色行星",
        "晴",
    ),
    # tools nobody told it about
    case("What is the price of 3 apples?", [("get_price", {"item": "apples", "quantity": 3})], "9 EUR", tools=[PRICE]),
    case("3个苹果多少钱？", [("get_price", {"item": "苹果", "quantity": 3})], "9 EUR", tools=[PRICE, CALCULATOR]),
    case(
        "price of 3 apples and 2 pears",
        [("get_price", {"item": "apples", "quantity": 3}), ("get_price", {"item": "pears", "quantity": 2})],
        "9 EUR",
        "6 EUR",
        tools=[PRICE],
    ),
    case(
        "Convert 10 km to miles",
        [("convert_units", {"value": 10, "from_unit": "km", "to_unit": "miles"})],
        "6.21",
        tools=[CALCULATOR, CONVERT],
    ),
    case(
        "10公里等于多少英里？",
        [("convert_units", {"value": 10, "from_unit": "公里", "to_unit": "英里"})],
        "6.21",
        tools=[CALCULATOR, CONVERT],
    ),
    case("Add 3 and 4", [("add", {"a": 3, "b": 4})], "7", tools=[ADD, MULTIPLY]),
    case("What is 3 times 4?", [("multiply", {"a": 3, "b": 4})], "12", tools=[ADD, MULTIPLY]),
    case(
        "add 3 and 4 and then multiply it by 5",
        [("add", {"a": 3, "b": 4}), ("multiply", {"a": 7, "b": 5})],
        "35",
        tools=[ADD, MULTIPLY],
    ),
    case("What is the definition of entropy?", [("glossary", {"term": "entropy"})], "disorder", tools=[LOOKUP]),
    case(
        "北京天气如何，再算一下 3*7",
        [("query_city", {"city": "北京"}), ("jisuan", {"expr": "3*7"})],
        "晴",
        "21",
        tools=[ZH_WEATHER, ZH_CALC],
    ),
    case("List the files", [("list_dir", {"path": "."})], "budget.md", tools=[LIST_DIR, READ]),
    case("列出目录里的文件", [("list_dir", {"path": "."})], "budget.md", tools=[LIST_DIR, READ]),
    # nothing to call
    case("Who are you?", [], "rule-based", "python_calculator"),
    case("你是谁？", [], "规则", "python_calculator"),
    case("hello", [], "offline model", "12 * 9"),
    case("What can you do?", [], "rule-based", "Read"),
    case("Tell me a joke", [], "cannot", "rules", "Tools on offer"),
    case("讲个笑话", [], "无法", "可用的工具"),
    case("", [], "Tools on offer"),
    case("What's the weather?", [], "city"),
    case("What is 12*9?", [], "108", tools=[]),
    case("What is the capital of France?", [], "cannot", "12 * 9", tools=[CALCULATOR]),
]
