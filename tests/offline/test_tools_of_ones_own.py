"""Tools as readers write them on their first evening, and requests as they make them then."""

from __future__ import annotations

from typing import Any

import pytest

from hello_agents import OfflineLLM, ReActAgent, ToolRegistry
from hello_agents.offline import finding


def send_email(to: str, subject: str, body: str) -> str:
    """Sends an email."""
    return f"sent to {to}"


def send_message(recipient: str, message: str) -> str:
    """Sends a message to somebody."""
    return f"sent to {recipient}"


def translate(text: str, target_language: str, source_language: str = "auto") -> str:
    """Translates a text."""
    return f"[{target_language}] {text}"


def book_flight(origin: str, destination: str, date: str) -> str:
    """Books a flight."""
    return "booked"


def set_reminder(text: str, time: str) -> str:
    """Sets a reminder."""
    return "set"


def add_user(name: str, age: int, email: str = "") -> str:
    """Adds a user."""
    return f"added {name}"


def reverse(text: str) -> str:
    """Reverses a text."""
    return text[::-1]


def get_time(timezone: str = "UTC") -> str:
    """The current time in a time zone."""
    return f"10:00 {timezone}"


def roll_dice(sides: int = 6, times: int = 1) -> list[int]:
    """Rolls dice."""
    return [sides] * times


def stock_price(symbol: str) -> float:
    """The price of a stock, by its ticker symbol."""
    return 123.4


TOOLS = (
    send_email,
    send_message,
    translate,
    book_flight,
    set_reminder,
    add_user,
    reverse,
    get_time,
    roll_dice,
    stock_price,
)


def calls_of(question: str) -> list[tuple[str, dict[str, Any]]]:
    registry = ToolRegistry()
    for tool in TOOLS:
        registry.register_function(tool)
    agent = ReActAgent("reader", OfflineLLM(), registry, max_steps=8)
    agent.run(question)
    calls = [call for message in agent.state.messages for call in message.tool_calls]
    return [(call.name, call.arguments) for call in calls if call.name not in ("Thought", "Finish")]


MAIL = {"to": "ann@example.com", "subject": "Lunch", "body": "See you at noon"}


@pytest.mark.parametrize(
    ("question", "name", "arguments"),
    [
        ("Email ann@example.com with subject 'Lunch' and body 'See you at noon'", "send_email", MAIL),
        ("Send an email to ann@example.com, subject: 'Lunch', body: 'See you at noon'", "send_email", MAIL),
        ("Send Bob a message saying hello", "send_message", {"recipient": "Bob", "message": "hello"}),
        ("Send a message to Bob: lunch at noon?", "send_message", {"recipient": "Bob", "message": "lunch at noon"}),
        ("给小明发消息说我晚点到", "send_message", {"recipient": "小明", "message": "我晚点到"}),
        ("Translate 'good morning' into French", "translate", {"text": "good morning", "target_language": "French"}),
        ("translate good morning to french", "translate", {"text": "good morning", "target_language": "french"}),
        ("把“早上好”翻译成法语", "translate", {"text": "早上好", "target_language": "法语"}),
        (
            "Translate 'hello' from English to German",
            "translate",
            {"text": "hello", "target_language": "German", "source_language": "English"},
        ),
        (
            "把 good night 从英语翻译成日语",
            "translate",
            {"text": "good night", "target_language": "日语", "source_language": "英语"},
        ),
        (
            "Book a flight from Paris to New York on 2026-12-24",
            "book_flight",
            {"origin": "Paris", "destination": "New York", "date": "2026-12-24"},
        ),
        (
            "book a flight with origin 'Bern', destination 'Rome' and date 'next week'",
            "book_flight",
            {"origin": "Bern", "destination": "Rome", "date": "next week"},
        ),
        ("Remind me to call mom at 5pm", "set_reminder", {"text": "call mom", "time": "5pm"}),
        ("Set a reminder about the cake in 20 minutes", "set_reminder", {"text": "the cake", "time": "in 20 minutes"}),
        ("下午三点提醒我喝水", "set_reminder", {"text": "喝水", "time": "下午三点"}),
        ("Add a user called Ann who is 30", "add_user", {"name": "Ann", "age": 30}),
        ("add user name=Ann, age=30, email=a@x.org", "add_user", {"name": "Ann", "age": 30, "email": "a@x.org"}),
        ("Reverse 'hello'", "reverse", {"text": "hello"}),
        ("Please reverse the word hello.", "reverse", {"text": "hello"}),
        ("What time is it in Tokyo?", "get_time", {"timezone": "Tokyo"}),
        ("Roll a die 3 times", "roll_dice", {"times": 3}),
        ("Roll the dice with 20 sides 2 times", "roll_dice", {"sides": 20, "times": 2}),
        ("What is the price of AAPL stock?", "stock_price", {"symbol": "AAPL"}),
        ("How much is Tesla stock?", "stock_price", {"symbol": "Tesla"}),
    ],
)
def test_a_request_fills_the_tool(question: str, name: str, arguments: dict[str, Any]) -> None:
    assert calls_of(question) == [(name, arguments)]


@pytest.mark.parametrize(
    "question", ["Email ann@example.com", "Translate 'good morning'", "Book a flight to Rome", "Remind me to call mom"]
)
def test_what_is_not_said_is_not_made_up(question: str) -> None:
    assert calls_of(question) == []


@pytest.mark.parametrize(
    ("text", "name", "found"),
    [
        ("with subject 'a b' and", "subject", ("a b", "with   and")),
        ("file_path: `x.txt`", "file_path", ("x.txt", " ")),
        ("the file path is “x y.txt”", "file_path", ("x y.txt", "the  ")),
        ("symbol=AAPL.", "symbol", ("AAPL", " ")),
        ("subjects 'a'", "subject", None),
        ("the subject is unknown", "subject", None),
        ("subject: not quoted", "subject", None),
        ("subject ''", "subject", None),
    ],
)
def test_texts_that_are_given_by_name(text: str, name: str, found: tuple[str, str] | None) -> None:
    assert finding.named(text, name) == found
