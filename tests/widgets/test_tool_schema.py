"""ToolSchema shows what the library makes: the schema as sent, the conversion as done, the answer as it is read."""

from __future__ import annotations

import json
from enum import Enum
from typing import Any, Literal

import pytest
from hello_agents_widgets import ToolSchema
from widgets.house import keep_fixture

from hello_agents.context.token_counter import TokenCounter
from hello_agents.core.message import ToolCall
from hello_agents.tools.base import Tool, ToolParameter, tool_action
from hello_agents.tools.registry import ToolRegistry
from hello_agents.tools.schema import of_function

NASTY = "\"><script>x</script><img src=x onerror='y'>&"


class Board(Enum):
    ROOM = "room"
    FULL = "full"


def hotel(city: str, nights: int = 2, board: Board = Board.ROOM, stars: Literal[3, 4] | None = None) -> str:
    """Books a room.

    Args:
        city: Where to sleep.
        nights: How many nights.
    """
    return f"{nights} nights in {city}, {board.name}, {stars}"


class Search(Tool):
    def __init__(self) -> None:
        super().__init__("search", "Looks things up.")

    def run(self, parameters: dict[str, Any]) -> str:
        return f"found {parameters['query']}"

    def get_parameters(self) -> list[ToolParameter]:
        return [
            ToolParameter("query", "string", "What to look for."),
            ToolParameter("limit", "integer", "How many.", required=False, default=5),
        ]


class Notes(Tool):
    def __init__(self) -> None:
        super().__init__("notes", "Keeps notes.", expandable=True)

    @tool_action()
    def _add(self, text: str) -> str:
        """Adds a note.

        Args:
            text: The note.
        """
        return f"kept {text}"

    @tool_action()
    async def _count(self) -> int:
        """How many there are."""
        return 0


def registry() -> ToolRegistry:
    tools = ToolRegistry()
    tools.register_function(hotel)
    tools.register_tool(Search())
    tools.register_tool(Notes())
    return tools


def test_the_page_is_sent_what_the_library_makes() -> None:
    widget = ToolSchema(registry(), '{"city": "Oslo", "nights": "3"}')
    widget.call('{"city": "Oslo", "nights": "3", "board": "full"}')
    keep_fixture("tool_schema.json", widget.snapshot)


@pytest.mark.parametrize("name", ["hotel", "search", "notes_add", "notes_count"])
def test_bytes_and_tokens_are_those_of_the_library(name: str) -> None:
    widget = ToolSchema(registry(), model="gpt-4o")
    widget.choose(name)
    tool = widget.registry.get_tool(name)
    assert tool is not None
    schema = tool.to_openai_schema()
    assert json.loads(widget.head["wire"]) == schema == widget.schema
    assert widget.head["wire"] == json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    assert widget.head["tokens"] == TokenCounter("gpt-4o").count_tools([schema])
    fields = {field["name"]: field for field in widget.head["fields"]}
    assert list(fields) == list(schema["function"]["parameters"]["properties"])
    for key, part in schema["function"]["parameters"]["properties"].items():
        assert json.loads(fields[key]["json"]) == part
        assert fields[key]["required"] == (key in schema["function"]["parameters"]["required"])
        assert fields[key]["python"].startswith(key)


@pytest.mark.parametrize(
    ("written", "status"),
    [
        ('{"city":"Oslo"}', "success"),
        ('{"city":"Oslo","nights":"3","board":"full"}', "success"),
        ('"{\\"city\\": \\"Oslo\\"}"', "success"),
        ('{"city":"奥斯陆🚀"}', "success"),
        ('{"nights":1}', "error"),
        ('{"city":"Oslo","nights":"many"}', "error"),
        ('{"city":"Oslo","nigths":1}', "error"),
        ('{"city":"Oslo"', "error"),
        ("[1]", "error"),
        ("", "error"),
    ],
)
def test_a_call_goes_as_it_would_in_an_agent(written: str, status: str) -> None:
    from hello_agents.core.arguments import read_arguments

    widget = ToolSchema(hotel)
    said = widget.call(written)
    arguments, fault = read_arguments(written)
    answer = registry().answer(ToolCall("1", "hotel", arguments, fault))
    trial = widget.state["trial"]
    assert (said, trial["text"], trial["status"]) == (answer.text, answer.text, answer.status or "success")
    assert trial["status"] == status
    assert trial["read"] == (fault is None)
    if trial["fits"]:
        received = of_function(hotel).read(arguments)
        assert {one["name"]: one["type"] for one in trial["values"]} == {
            name: type(value).__name__ for name, value in received.items()
        }


def test_each_example_does_what_its_name_says() -> None:
    widget = ToolSchema(hotel)
    came = {}
    for one in widget.head["examples"]:
        widget.call(one["text"])
        came[one["kind"]] = widget.state["trial"]["status"]
    assert came == {"fits": "success", "astext": "success", "missing": "error", "unknown": "error", "broken": "error"}


def test_operations_and_their_errors() -> None:
    widget = ToolSchema(registry())
    widget.dispatch({"op": "choose", "args": {"name": "search"}})
    assert (widget.head["title"], widget.error) == ("search", "")
    widget.dispatch({"op": "call", "args": {"arguments": '{"query":"x"}'}})
    assert widget.response == "found x"
    widget.dispatch({"op": "choose", "args": {"name": "serch"}})
    assert "serch" in widget.error
    assert "search" in widget.error
    assert widget.head["error"] == widget.error
    widget.dispatch({"op": "dance"})
    assert "dance" in widget.error
    with pytest.raises(TypeError, match="int"):
        ToolSchema(3)  # pyright: ignore
    with pytest.raises(ValueError, match="no tools"):
        ToolSchema(ToolRegistry())


def test_at_rest_it_is_the_same_and_escaped() -> None:
    def tool(text: str = NASTY) -> str:
        return text

    tool.__doc__ = f"{NASTY}\n\nArgs:\n    text: {NASTY}"
    widget = ToolSchema(tool)
    widget.call(json.dumps({"text": NASTY}))
    page = widget.picture()
    assert "<script" not in page
    assert "<img" not in page
    assert repr(ToolSchema(hotel)) == repr(ToolSchema(hotel))
    assert "city: str -> " in repr(ToolSchema(hotel))
    assert ToolSchema(hotel).picture() == ToolSchema(hotel).picture()


def test_a_value_without_a_form_shows_no_address() -> None:
    class Place:
        pass

    def go(place: dict[str, Any] | None = None) -> str:
        return "gone"

    widget = ToolSchema(go)
    widget.call("{}")
    assert " at 0x" not in repr(widget) + widget.picture()


def test_a_member_of_an_enum_is_written_as_in_python() -> None:
    text = ToolSchema(hotel).snapshot["head"]["python"]
    assert "= Board.ROOM," in text
    assert "<Board" not in text
    assert "__main__" not in text


def test_a_class_of_the_notebook_is_written_without_its_module() -> None:
    class Size(Enum):
        SMALL = 1

    Size.__module__, Size.__qualname__ = "__main__", "Size"

    def order(size=Size.SMALL, other: Size | None = None) -> Size | None:
        return other or size

    order.__annotations__ = {"other": Size | None, "return": Size | None}
    text = ToolSchema(order).snapshot["head"]["python"]
    assert "    size=Size.SMALL,\n    other: Size | None = None,\n) -> Size | None:" in text
