"""A small world for conversations: tools with their schemas, and the shortest loop that can use them."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from hello_agents.core.action import Request
from hello_agents.core.message import Message, ToolCall
from hello_agents.core.run import Replied, Returned, Run, Told, evolve
from hello_agents.offline import OfflineLLM

MOST_STEPS = 8


class Refusal(Exception):
    """A tool's error, with its code."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


def schema(name: str, description: str, /, required: Iterable[str] | None = None, **properties: Any) -> dict[str, Any]:
    """A function schema; a property given as text is a string with that description."""
    shaped = {key: {"type": "string", "description": p} if isinstance(p, str) else p for key, p in properties.items()}
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": description,
            "parameters": {
                "type": "object",
                "properties": shaped,
                "required": list(shaped if required is None else required),
            },
        },
    }


CALCULATOR = schema(
    "python_calculator",
    "Works out an arithmetic expression: + - * / // % **, parentheses, sqrt, sin, cos, pi, e.",
    input="The expression, for example `(2 + 3) * 4`.",
)
READ = schema(
    "Read",
    "Reads a text file, or lists a directory.",
    ["path"],
    path="A path inside the project.",
    offset={"type": "integer", "default": 0, "description": "Lines to skip at the beginning."},
    limit={"type": "integer", "default": 2000, "description": "Lines to read at most."},
)
WRITE = schema(
    "Write",
    "Writes a text file, in place of what was there.",
    ["path", "content"],
    path="A path inside the project.",
    content="The whole text of the file.",
    file_mtime_ms={"type": "integer", "description": "The file_mtime_ms that Read gave."},
)
TODO = schema(
    "TodoWrite",
    "Keeps the list of what is to be done. At most one item is in progress at a time.",
    [],
    summary={"type": "string", "default": "", "description": "What the whole task is, in a few words."},
    todos={
        "type": "array",
        "default": [],
        "description": "The items.",
        "items": {
            "type": "object",
            "properties": {
                "content": {"type": "string", "description": "What is to be done."},
                "status": {"type": "string", "enum": ["pending", "in_progress", "completed"]},
            },
            "required": ["content", "status"],
        },
    },
    action={"type": "string", "enum": ["create", "update", "clear"], "default": "create"},
)
WEATHER = schema("get_weather", "The weather in a city today.", city="Name of the city.")
NOTES = schema("search_notes", "Searches the notes for a text.", query="What to look for.")
PRICE = schema(
    "get_price",
    "The price of an item in the shop.",
    item="Name of the item.",
    quantity={"type": "integer", "description": "How many."},
)
CONVERT = schema(
    "convert_units",
    "Converts a value from one unit to another.",
    value={"type": "number"},
    from_unit="Unit of the value.",
    to_unit="Unit wanted.",
)
LIST_DIR = schema("list_dir", "Lists a directory.", path="The directory.")
ADD = schema("add", "Adds two numbers.", a={"type": "integer"}, b={"type": "integer"})
MULTIPLY = schema("multiply", "Multiplies two numbers.", a={"type": "number"}, b={"type": "number"})
LOOKUP = schema("glossary", "Gives the definition of a term.", term="The term to define.")
ZH_WEATHER = schema("query_city", "查询某个城市今天的天气。", city="城市名称")
ZH_CALC = schema("jisuan", "计算算术表达式。", expr="算术表达式")
THOUGHT = schema("Thought", "Write down your reasoning before the next action.", reasoning="What you know.")
FINISH = schema("Finish", "Give the final answer and end the task.", answer="The complete answer.")

_OPS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


def _calculate(text: str) -> str:
    def value(node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=v):
                return v
            case ast.BinOp(left=left, op=op, right=right):
                return _OPS[type(op)](value(left), value(right))
            case ast.UnaryOp(operand=operand):
                return -value(operand)
        raise Refusal("INVALID_PARAM", f"{text!r} is not an arithmetic expression.")

    try:
        result = value(ast.parse(text, mode="eval").body)
    except SyntaxError:
        raise Refusal("INVALID_PARAM", f"{text!r} is not an arithmetic expression (look at position 1).") from None
    return str(int(result)) if float(result).is_integer() else str(result)


def _no_files() -> dict[str, str]:
    return {
        "budget.md": "# Budget 2025\n\n- Rent: 1200\n- Food: 350\n- Train: 45.5\n",
        "notes/a.txt": "alpha",
        "hello.txt": "hello world",
        "b.txt": "beta",
        "预算.md": "房租 1200\n吃饭 800\n",
    }


@dataclass
class World:
    """Files, notes and weather, and the tools to reach them."""

    files: dict[str, str] = field(default_factory=_no_files)
    todos: list[dict[str, str]] = field(default_factory=list)

    def tools(self) -> dict[str, Callable[..., str]]:
        return {
            "python_calculator": lambda input: _calculate(input),
            "jisuan": lambda expr: _calculate(expr),
            "Read": self.read,
            "Write": self.write,
            "TodoWrite": self.todo,
            "get_weather": self.weather,
            "query_city": self.weather,
            "search_notes": self.search,
            "get_price": lambda item, quantity: f"{quantity} {item}: {quantity * 3} EUR",
            "convert_units": lambda value, from_unit, to_unit: f"{value} {from_unit} is 6.21 {to_unit}",
            "list_dir": lambda path: "\n".join(sorted(self.files)),
            "add": lambda a, b: str(a + b),
            "multiply": lambda a, b: str(a * b),
            "glossary": lambda term: f"{term}: a measure of disorder",
            "Thought": lambda reasoning: f"Reasoning: {reasoning}",
            "Finish": lambda answer: answer,
        }

    def read(self, path: str, offset: int = 0, limit: int = 2000) -> str:
        if path in (".", ""):
            return f".: {len(self.files)} entries\n" + "\n".join(
                f"{name} ({len(text)} bytes)" for name, text in self.files.items()
            )
        if path not in self.files:
            raise Refusal("NOT_FOUND", f"There is no file {path!r}. List a directory to see what is there.")
        return self.files[path]

    def write(self, path: str, content: str) -> str:
        self.files[path] = content
        return f"Created {path} ({len(content.splitlines())} lines, {len(content.encode())} bytes)."

    def todo(self, todos: list[dict[str, str]] = [], summary: str = "", action: str = "create") -> str:  # noqa: B006
        self.todos = todos
        return f"Todos (0/{len(todos)} done)"

    def weather(self, city: str) -> str:
        known = {
            "paris": "sunny, 21 °C",
            "berlin": "rain, 14 °C",
            "london": "fog, 11 °C",
            "new york": "wind, 9 °C",
            "北京": "晴，26 °C",
            "上海": "小雨，22 °C",
        }
        if city.lower() not in known:
            raise Refusal("NOT_FOUND", f"No weather for {city!r}.")
        return f"{city}: {known[city.lower()]}"

    def search(self, query: str) -> str:
        notes = {
            "mars": "Mars: the red planet, 2 moons",
            "refund": "Refund policy: 30 days",
            "火星": "火星：红色行星，两颗卫星",
            "venus": "Venus: no moons",
        }
        return next((note for key, note in notes.items() if key in query.lower()), "nothing found")


@dataclass
class Talk:
    """What came of a question."""

    answer: str
    calls: list[ToolCall]
    run: Run
    replies: list[Message]

    def made(self) -> list[tuple[str, dict[str, Any]]]:
        """The calls that act, without thinking and finishing."""
        return [(call.name, call.arguments) for call in self.calls if call.name not in ("Thought", "Finish")]


def converse(
    question: str,
    schemas: list[dict[str, Any]],
    *,
    world: World | None = None,
    tools: dict[str, Callable[..., str]] | None = None,
    run: Run | None = None,
    llm: OfflineLLM | None = None,
) -> Talk:
    """Asks, runs the calls, asks again, until there is an answer. Fails when that takes too long."""
    model = llm or OfflineLLM()
    known = {**(world or World()).tools(), **(tools or {})}
    offer = tuple(schemas)
    run = evolve(run or Run("t"), Told(Message(question, "user")))
    calls: list[ToolCall] = []
    replies: list[Message] = []
    for _ in range(MOST_STEPS):
        *pieces, replied = model.stream(Request(run.messages, offer, at=("", run.steps)))
        assert isinstance(replied, Replied)
        assert "".join(d.text for d in pieces if d.part == "content") == (replied.message.content or "")
        run = evolve(run, replied)
        message = run.messages[-1]
        replies.append(message)
        calls += message.tool_calls
        for call in message.tool_calls:
            run = evolve(run, Returned(carry_out(call, known)))
        if finish := next((call for call in message.tool_calls if call.name == "Finish"), None):
            return Talk(finish.arguments["answer"], calls, run, replies)
        if not message.tool_calls:
            return Talk(message.text, calls, run, replies)
    raise AssertionError(f"{question!r} took more than {MOST_STEPS} replies: {calls}")


def carry_out(call: ToolCall, tools: dict[str, Callable[..., str]]) -> Message:
    """The answer to a call, in the form in which the library sends it."""
    try:
        return Message(tools[call.name](**call.arguments), "tool", answers=call.id, status="success")
    except Refusal as error:
        text, code = f"❌ Error [{error.code}]: {error}", error.code
    except TypeError as error:
        text, code = f"❌ Error [INVALID_PARAM]: {error}", "INVALID_PARAM"
    return Message(text, "tool", answers=call.id, status="error", metadata={"tool": call.name, "code": code})
