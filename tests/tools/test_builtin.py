"""The built-in tools: arithmetic, todos, demo tools."""

import inspect
import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hello_agents.core.message import ToolCall
from hello_agents.tools import CalculatorTool, TodoItem, TodoList, TodoWriteTool, ToolRegistry
from hello_agents.tools.builtin.calculator import CalculatorError, calculate, evaluate
from hello_agents.tools.builtin.demo import NotesTool, convert_units, get_weather


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("15*23+45", "390"),
        ("(2 + 3) * 4", "20"),
        ("2 ** 10", "1024"),
        ("2^10", "1024"),
        ("-2 ** 2", "-4"),
        ("7 // 2", "3"),
        ("7 % 4", "3"),
        ("7 / 2", "3.5"),
        ("6 / 2", "3"),
        ("0.1 + 0.2", "0.3"),
        ("sqrt(16)", "4"),
        ("sin(pi / 2)", "1"),
        ("log(e)", "1"),
        ("log(8, 2)", "3"),
        ("log10(1000)", "3"),
        ("exp(0)", "1"),
        ("abs(-3)", "3"),
        ("round(2.567, 2)", "2.57"),
        ("min(3, 1, 2) + max(1, 2)", "3"),
        ("floor(2.7) + ceil(2.1)", "5"),
        ("3 × 4 ÷ 2 − 1", "5"),
        ("（1＋2）＊３", "9"),
        ("1 + 1 =", "2"),
        ("+5", "5"),
        ("1e3", "1000"),
        ("2 ** -1", "0.5"),
        ("2 ** 0.5 * 2 ** 0.5", "2"),
        ("1 ** 99999999999", "1"),
        ("round(1234, -2)", "1200"),
        ("round(1, -999999999)", "0"),
        ("round(10 ** 1200, -(10 ** 30))", "0"),
    ],
)
def test_calculate(expression, result):
    assert calculate(expression) == result


@pytest.mark.parametrize(
    ("expression", "part"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("1 / 0", "zero"),
        ("5 % 0", "zero"),
        ("9 ** 9 ** 9", "too large"),
        ("9 ** 9 ** 9 ** 9", "too large"),
        ("(-9) ** 99999", "too large"),
        ("10.0 ** 999", "too large"),
        ("1e999", "too large"),
        ("exp(1000)", "too large"),
        ("9 ** 1000 * 9 ** 1000", "too large"),
        ("sqrt(-1)", "sqrt(-1)"),
        ("(-8) ** 0.5", "complex"),
        ("log(0)", "log(0)"),
        ("sqrt()", "sqrt()"),
        ("sqrt(1, 2)", "sqrt(1, 2)"),
        ("round(1, -99999, 2)", "round(1, -99999, 2)"),
        ("round(1, -99999.5)", "round(1, -99999.5)"),
        ("1 +", "position"),
        ("2 3", "position"),
        ("(1", "position"),
        ("1,000 + 1", "1000"),
        ("foo + 1", "'foo'"),
        ("bar(1)", "'bar'"),
        ("'a' * 3", "arithmetic"),
        ("True + 1", "arithmetic"),
        ("[1, 2]", "arithmetic"),
        ("1 if 1 else 2", "arithmetic"),
        ("1 < 2", "arithmetic"),
        ("1 << 99999", "arithmetic"),
        ("(1).__class__", "arithmetic"),
        ("__import__('os').system('id')", "arithmetic"),
        ("abs(x=1)", "arithmetic"),
        ("abs(*[1])", "arithmetic"),
        ("(lambda: 1)()", "arithmetic"),
        ("1" * 2000, "2000 characters"),
        ("(" * 400 + "1" + ")" * 400, "position"),
        ("-" * 900 + "1", "1"),
        ("1\x002", "position"),
    ],
)
def test_what_cannot_be_calculated_is_explained(expression, part):
    assert part in calculate(expression)


@given(st.text(st.sampled_from("0123456789.+-*/%()e ,sqrtpi×^"), max_size=30))
@settings(deadline=None)
def test_no_expression_raises_or_takes_forever(expression):
    assert isinstance(calculate(expression), str)


@given(st.integers(-99, 99), st.integers(-99, 99), st.integers(1, 9))
def test_arithmetic_agrees_with_python(a, b, c):
    assert evaluate(f"({a}) * ({b}) - {c} // 2 + {a} / {c}") == a * b - c // 2 + a / c


def test_the_calculator_as_a_tool():
    registry = ToolRegistry()
    registry.register_tool(CalculatorTool())
    assert registry.answer(ToolCall("1", "python_calculator", {"input": "15*23+45"})).content == "390"
    wrong = registry.answer(ToolCall("1", "python_calculator", {"input": "1/0"}))
    assert (wrong.content, wrong.status) == ("❌ Error [INVALID_PARAM]: Division by zero.", "error")
    assert registry.execute_tool("python_calculator", "2+2").data["result"] == 4
    chinese = CalculatorTool(language="zh")
    assert chinese.run({"input": "1/0"}).text == "除数为零。"
    assert "表达式" in chinese.to_openai_schema()["function"]["description"]
    assert not issubclass(CalculatorError, SyntaxError)
    assert math.isclose(evaluate("e"), math.e)


# --- todos -------------------------------------------------------------------------------------------------------


def todo(*pairs):
    return [{"content": content, "status": status} for content, status in pairs]


@pytest.fixture
def registry():
    registry = ToolRegistry()
    registry.register_tool(TodoWriteTool())
    return registry


def write(registry, **arguments):
    return registry.answer(ToolCall("1", "TodoWrite", arguments))


def test_todos(registry):
    made = write(
        registry,
        summary="Build a site",
        todos=todo(("plan", "completed"), ("write", "in_progress"), ("test", "pending")),
    )
    assert made.content == "Build a site (1/3 done)\n[x] plan\n[>] write\n[ ] test"
    done = write(registry, action="update", todos=todo(("write", "completed"), ("ship", "pending")))
    assert done.content == "Build a site (2/4 done)\n[x] plan\n[x] write\n[ ] test\n[ ] ship"
    assert write(registry, action="clear").content == "The list is empty now."
    assert write(registry).content == "Nothing is on the list."
    assert write(registry, todos=json.dumps(todo(("a", "pending")))).content == "Todos (0/1 done)\n[ ] a"


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ({"todos": todo(("a", "in_progress"), ("b", "in_progress"))}, "'a', 'b'"),
        ({"todos": todo(("a", "doing"))}, "todos[0].status"),
        ({"todos": [{"content": "a"}]}, "todos[0].status"),
        ({"todos": todo(("  ", "pending"))}, "content is empty"),
        ({"todos": ["a"]}, "todos[0]"),
        ({"action": "delete"}, "action"),
        ({"action": "update", "todos": todo(("new", "in_progress"))}, "'old', 'new'"),
    ],
)
def test_wrong_todos_change_nothing(registry, arguments, part):
    write(registry, todos=todo(("old", "in_progress")))
    message = write(registry, **arguments)
    assert message.status == "error"
    assert message.metadata["code"] == "INVALID_PARAM"
    assert part in message.content
    assert registry.get_tool("TodoWrite").current_todos.get_in_progress().content == "old"


@pytest.mark.parametrize(
    "parameters",
    [
        {"todos": todo(("a", "doing"))},
        {"todos": "a"},
        {"todos": ["a"]},
        {"todos": [{"content": 1, "status": "pending"}]},
        {"action": "x"},
    ],
)
def test_todos_run_by_hand_are_checked_as_well(parameters):
    assert TodoWriteTool().run(parameters).code == "INVALID_PARAM"


def test_the_schema_of_todos():
    schema = TodoWriteTool().to_openai_schema()["function"]["parameters"]
    assert schema["properties"]["action"]["enum"] == ["create", "update", "clear"]
    item = schema["properties"]["todos"]["items"]
    assert item["properties"]["status"]["enum"] == ["pending", "in_progress", "completed"]
    assert item["required"] == ["content", "status"]


def test_todos_touch_no_disk_unless_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    TodoWriteTool().run({"todos": todo(("a", "pending"))})
    assert list(tmp_path.iterdir()) == []
    tool = TodoWriteTool(persist=True)
    assert list(tmp_path.iterdir()) == []
    tool.run({"summary": "任务", "todos": todo(("写", "in_progress"))})
    other = TodoWriteTool()
    other.load_todos(tmp_path / "memory" / "todos" / "todos.json")
    assert other.current_todos == tool.current_todos
    assert "写" in (tmp_path / "memory/todos/todos.json").read_text(encoding="utf-8")
    for kept in ("[]", "{", '{"todos": 1}', '{"todos": [1]}', '{"todos": [{"content": "a"}]}', '{"todos": null}'):
        (tmp_path / "x.json").write_text(kept, encoding="utf-8")
        with pytest.raises(ValueError, match=r"todos|Expecting|none"):
            other.load_todos(tmp_path / "x.json")
    assert other.current_todos == tool.current_todos


def test_todos_that_cannot_be_saved(tmp_path):
    (tmp_path / "memory").write_text("in the way", encoding="utf-8")
    response = TodoWriteTool(tmp_path, persist=True).run({"todos": todo(("a", "pending"))})
    assert response.status == "partial"
    assert "not saved" in response.text
    assert str(tmp_path) not in response.text


def test_todo_lists():
    todos = TodoList("s", [TodoItem(c, s) for c, s in (("a", "completed"), ("b", "in_progress"))])
    todos.todos += [TodoItem(str(n), "pending", "then") for n in range(8)]
    assert todos.get_in_progress().content == "b"
    assert [item.content for item in todos.get_pending()] == ["0", "1", "2", "3", "4"]
    assert len(todos.get_pending(limit=2)) == 2
    assert [item.content for item in todos.get_completed()] == ["a"]
    assert todos.get_stats() == {"total": 10, "pending": 8, "in_progress": 1, "completed": 1}
    assert todos.todos[2].updated_at == "then"
    assert TodoList().get_in_progress() is None
    with pytest.raises(ValueError, match="doing"):
        TodoItem("a", "doing")


# --- demo tools --------------------------------------------------------------------------------------------------


def test_demo_tools():
    assert get_weather("Paris") == "Paris: cloudy, 14 °C"
    assert get_weather("北京", "fahrenheit") == "北京：晴，69.8 °F"
    assert convert_units(5, "km", "m") == 5000
    assert convert_units(1, "mile", "km") == 1.609344
    registry = ToolRegistry()
    registry.register_function(get_weather)
    registry.register_function(convert_units)
    registry.register_tool(NotesTool(["The kettle is in the kitchen.", "茶叶在柜子里", "Buy milk"]))
    assert registry.list_tools() == ["get_weather", "convert_units", "notes_search", "notes_add"]
    answer = lambda name, **arguments: registry.answer(ToolCall("1", name, arguments)).content  # noqa: E731
    assert answer("notes_search", query="where is the kettle") == '["The kettle is in the kitchen."]'
    assert answer("notes_search", query="茶叶在哪里", limit=1) == '["茶叶在柜子里"]'
    assert answer("notes_search", query="nothing like it") == "[]"
    assert answer("notes_add", note="Water the plants") == "Note 4 added."
    assert answer("notes_search", query="plants") == '["Water the plants"]'
    assert "Known cities" in answer("get_weather", city="Atlantis")
    assert "measures" in answer("convert_units", value=1, source="kg", target="km")
    assert "Known units" in answer("convert_units", value=1, source="kg", target="stone")
    assert "unit" in answer("get_weather", city="Paris", unit="kelvin")


@pytest.mark.parametrize("kind", [CalculatorTool, TodoWriteTool])
def test_constructors_are_those_of_the_tutorial(kind):
    positional = [
        name
        for name, parameter in inspect.signature(kind).parameters.items()
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD
    ]
    assert positional == {CalculatorTool: [], TodoWriteTool: ["project_root", "persistence_dir"]}[kind]
