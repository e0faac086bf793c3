"""MCP: tools of real servers, over stdio and HTTP, in a registry like any other."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from hello_agents import ScriptedLLM, SimpleAgent, ToolCall, ToolRegistry
from hello_agents.observability.trace_logger import TraceLogger
from hello_agents.tools.mcp import MCPServer, MCPUnavailable
from hello_agents.tools.schema import of_schema

SERVER = str(Path(__file__).parents[1] / "support" / "mcp_server.py")
SECRET = "correct-horse-battery"


def by_stdio(**options: Any) -> MCPServer:
    return MCPServer.stdio(sys.executable, [SERVER], {"HELPER_SECRET": SECRET}, name="helper", **options)


class HttpHost:
    """The server's process on a port of its own."""

    def __init__(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.process = self.start()

    def start(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen([sys.executable, SERVER, str(self.port)], stderr=subprocess.DEVNULL)
        while process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
            except OSError:
                continue
            return process
        raise AssertionError("the server ended")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


@contextmanager
def running(kind: str) -> Iterator[MCPServer]:
    if kind == "stdio":
        with by_stdio() as server:
            yield server
        return
    host = HttpHost()
    try:
        with MCPServer.http(host.url, {"Authorization": f"Bearer {SECRET}"}, name="helper") as server:
            yield server
    finally:
        host.stop()


@pytest.fixture(params=["stdio", "http"], scope="module")
def helper(request: pytest.FixtureRequest) -> Iterator[MCPServer]:
    with running(request.param) as server:
        yield server


@pytest.fixture
def registry(helper: MCPServer) -> ToolRegistry:
    tools = ToolRegistry()
    for tool in helper.tools():
        tools.register_tool(tool)
    return tools


def test_tools_are_described_as_the_server_describes_them(helper: MCPServer) -> None:
    schema = {tool.name: tool.to_openai_schema()["function"] for tool in helper.tools()}["add"]
    assert schema["description"] == "Adds two whole numbers."
    assert schema["parameters"] == {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer", "default": 1}},
        "required": ["a"],
    }


@pytest.mark.parametrize("awaited", [False, True])
@pytest.mark.parametrize(
    ("name", "arguments", "status", "words"),
    [
        ("add", {"a": 1, "b": 2}, "success", "3"),
        ("add", {"a": "4"}, "success", "5"),
        ("add", {}, "error", "a is missing"),
        ("add", {"a": 1, "c": 2}, "error", "no parameter c"),
        ("add", {"a": [1]}, "error", "a"),
        ("picture", {}, "success", "a word\n(an image, image/png, 8 bytes)"),
        ("broken", {"why": "x"}, "error", "broken"),
    ],
)
def test_calls_are_answered_like_those_of_any_tool(
    registry: ToolRegistry, awaited: bool, name: str, arguments: dict[str, Any], status: str, words: str
) -> None:
    call = ToolCall("1", name, arguments)
    message = asyncio.run(registry.aanswer(call)) if awaited else registry.answer(call)
    assert message.status == status
    assert words in message.text


def test_structured_results_are_kept_for_programs(registry: ToolRegistry) -> None:
    response = registry.execute_tool("add", {"a": 1, "b": 1})
    assert response.data["structured"] == {"result": 2}
    assert response.data["content"][0]["text"] == "2"


def test_an_agent_uses_them_awaited_and_not(registry: ToolRegistry) -> None:
    calls = [ToolCall("a", "add", {"a": 1}), ToolCall("b", "add", {"a": 2}), ToolCall("c", "picture")]
    states = []
    for awaited in (False, True):
        agent = SimpleAgent("a", ScriptedLLM(calls, "done"), tool_registry=registry)
        assert (asyncio.run(agent.arun("go")) if awaited else agent.run("go")) == "done"
        states.append(agent.state)
    assert states[0] == states[1]


def test_a_sync_call_inside_of_an_event_loop_works(helper: MCPServer, registry: ToolRegistry) -> None:
    async def inside() -> str:
        return registry.answer(ToolCall("1", "add", {"a": 1})).text

    async def nested(a: int) -> str:
        """Calls another tool in the old way."""
        return registry.answer(ToolCall("1", "add", {"a": a})).text

    assert asyncio.run(inside()) == "2"
    outer = ToolRegistry()
    outer.register_function(nested)
    assert outer.answer(ToolCall("1", "nested", {"a": 5})).text == "6"
    assert [tool.name for tool in asyncio.run(helper.atools())] == [tool.name for tool in helper.tools()]


def arrived(path: Path) -> None:
    """Waits for a file that another process leaves."""
    tick = threading.Event()
    while not path.exists():
        tick.wait(0.01)


def test_a_cancelled_call_is_cancelled_at_the_server(registry: ToolRegistry, tmp_path: Path) -> None:
    async def cancel() -> None:
        task = asyncio.create_task(registry.aanswer(ToolCall("1", "hang", {"folder": str(tmp_path)})))
        await asyncio.to_thread(arrived, tmp_path / "begun")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    arrived(tmp_path / "cancelled")
    assert registry.answer(ToolCall("1", "add", {"a": 1})).text == "2"


@pytest.mark.parametrize("awaited", [False, True])
def test_a_call_that_takes_too_long_is_given_up_and_the_next_works(
    helper: MCPServer, tmp_path: Path, awaited: bool
) -> None:
    tools = ToolRegistry()
    for tool in helper.tools():
        tool.timeout = 0.5 if tool.name == "hang" else None
        tools.register_tool(tool)
    call = ToolCall("1", "hang", {"folder": str(tmp_path)})
    message = asyncio.run(tools.aanswer(call)) if awaited else tools.answer(call)
    assert message.metadata["code"] == "TIMEOUT"
    arrived(tmp_path / "cancelled")
    assert tools.answer(ToolCall("1", "add", {"a": 1})).text == "2"


def test_a_server_that_dies_is_an_error_and_is_started_again() -> None:
    tools = ToolRegistry()
    with by_stdio() as server:
        server.register(tools)
        died = tools.answer(ToolCall("1", "die"))
        assert died.metadata["code"] == "NETWORK_ERROR"
        assert "helper" in died.text
        assert tools.answer(ToolCall("1", "add", {"a": 1})).text == "2"


def test_an_http_server_that_comes_back_is_found_again() -> None:
    host = HttpHost()
    tools = ToolRegistry()
    try:
        with MCPServer.http(host.url, name="helper") as server:
            server.register(tools)
            assert tools.answer(ToolCall("1", "add", {"a": 1})).text == "2"
            host.stop()
            assert tools.answer(ToolCall("1", "add", {"a": 1})).metadata["code"] == "NETWORK_ERROR"
            host.process = host.start()
            assert tools.answer(ToolCall("1", "add", {"a": 1})).text == "2"
    finally:
        host.stop()


@pytest.mark.parametrize("kind", ["stdio", "http"])
def test_a_tool_that_comes_later_is_found_in_the_registry(kind: str) -> None:
    tools = ToolRegistry()
    with running(kind) as server:
        assert "plus" not in server.register(tools)
        assert tools.answer(ToolCall("1", "grow")).text == "grown"
        tick = threading.Event()
        while "plus" not in tools.list_tools():
            tick.wait(0.01)
        assert tools.answer(ToolCall("1", "plus", {"a": 1, "b": 1})).text == "2"


def test_names_that_are_taken_get_the_servers_in_front(helper: MCPServer) -> None:
    tools = ToolRegistry()
    tools.register_function(lambda a: "mine", name="add", description="Mine.")
    names = helper.register(tools)
    assert "helper_add" in names
    assert "add" not in names
    assert tools.answer(ToolCall("1", "add", {"a": "1"})).text == "mine"
    assert tools.answer(ToolCall("1", "helper_add", {"a": 1})).text == "2"
    assert len(set(tools.list_tools())) == len(tools.list_tools()) == len(names) + 1


def test_a_prefix_stands_before_all_names() -> None:
    with by_stdio(prefix="my server") as server:
        assert all(tool.name.startswith("my_server_") for tool in server.tools())


UNREACHABLE: list[Callable[[], MCPServer]] = [
    lambda: MCPServer.stdio("no-such-program-here", env={"API_TOKEN": SECRET}),
    lambda: MCPServer.stdio(sys.executable, ["-c", "raise SystemExit(3)"]),
    lambda: MCPServer.http("http://127.0.0.1:9/mcp", {"Authorization": f"Bearer {SECRET}"}),
]


@pytest.mark.parametrize("make", UNREACHABLE)
def test_a_server_that_is_not_there_is_said_to_be(make: Callable[[], MCPServer]) -> None:
    server = make()
    with pytest.raises(MCPUnavailable) as error:
        server.tools()
    assert server.name in str(error.value)
    assert SECRET not in str(error.value)
    response = asyncio.run(server.acall("add", {}))
    assert response.code == "NETWORK_ERROR"


def test_secrets_of_the_environment_reach_no_journal_and_no_trace(tmp_path: Path) -> None:
    with by_stdio() as server:
        tools = ToolRegistry()
        server.register(tools)
        assert tools.execute_tool("secret").text == str(len(SECRET))
        model = ScriptedLLM([ToolCall("1", "tell"), ToolCall("2", "reveal")], "done")
        agent = SimpleAgent("a", model, tool_registry=tools)
        agent.subscribers.append(TraceLogger(str(tmp_path)).subscriber)
        agent.run("go")
    assert any(m.text == "***" for m in agent.state.messages)
    assert SECRET not in agent.state.to_json() + repr(server) + repr(tools.get_all_tools())
    for file in tmp_path.rglob("*"):
        assert file.is_dir() or SECRET not in file.read_text(encoding="utf-8")


SCHEMAS: list[tuple[dict[str, Any], list[dict[str, Any]]]] = [
    ({"type": "object"}, [{}, {"any": 1}]),
    ({"type": "object", "properties": {"a": True}, "required": ["a"]}, [{"a": 1}, {"a": {"b": []}}]),
    ({"properties": {"a": {"type": ["string", "null"]}}}, [{}, {"a": None}, {"a": "x"}]),
    (
        {
            "properties": {"p": {"$ref": "#/$defs/P"}},
            "required": ["p"],
            "$defs": {"P": {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]}},
        },
        [{"p": {"x": 1.5}}, {"p": {"x": 2}}],
    ),
    (
        {"properties": {"k": {"enum": ["a", "b"]}, "l": {"type": "array", "items": {"type": "integer"}}}},
        [{"k": "a"}, {"l": [1, 2]}],
    ),
    ({"type": "object", "additionalProperties": {"type": "integer"}, "properties": {"a": {}}}, [{"a": 1, "z": 2}]),
    # As programs write it whose lists and maps may be null.
    ({"type": "object", "properties": None, "required": None, "$defs": None}, [{}]),
    (
        {
            "properties": {"a": {"type": "array", "items": None, "default": None}, "b": {"anyOf": None}},
            "required": None,
        },
        [{"a": [1]}, {"b": 2}],
    ),
    ({"properties": {"a": {"type": "object", "properties": None, "required": None}}}, [{"a": {"x": 1}}]),
    ({"properties": {"a": {"anyOf": [True, {"type": "string"}]}}}, [{"a": "x"}, {"a": [1]}]),
]


@pytest.mark.parametrize(("schema", "instances"), SCHEMAS)
def test_what_a_schema_allows_is_read_unchanged(schema: dict[str, Any], instances: list[dict[str, Any]]) -> None:
    parameters = of_schema(schema)
    for instance in instances:
        jsonschema.validate(instance, parameters.schema)
        assert parameters.read(instance) == instance


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": []},
        {"properties": {"a": {"$ref": 5}}},
        {"properties": {"a": {"anyOf": 1}}},
        {"properties": {"a": {}}, "required": 1},
        {"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": False}},
    ],
)
def test_what_is_no_schema_keeps_no_other_tool_from_being_used(schema: dict[str, Any]) -> None:
    parameters = of_schema(schema)
    assert parameters.schema == {"type": "object", "properties": {}, "required": []}
    assert parameters.read({"a": [1]}) == {"a": [1]}


def test_null_for_an_optional_argument_means_not_at_all() -> None:
    parameters = of_schema({"properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "required": ["a"]})
    assert parameters.read({"a": "x", "b": None}) == {"a": "x"}
    with pytest.raises(ValueError, match="a"):
        parameters.read({"a": None})
