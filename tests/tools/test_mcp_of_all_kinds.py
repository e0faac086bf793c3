"""MCP servers that page, refuse, grow, shrink or are old, in this process or as a few lines of JSON-RPC."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, ListToolsResult, TextContent, Tool

from hello_agents import ToolCall, ToolRegistry
from hello_agents.tools.mcp import MCPServer, MCPUnavailable

SECRET = "correct-horse-battery"


def tool(name: str) -> Tool:
    return Tool(name=name, description=f"Does {name}.", input_schema={"type": "object", "properties": {}})


class Inside:
    """A server in this process: its pages of tools, and what it does when one is called."""

    def __init__(self, *pages: list[str], call: Callable[[str], str] = lambda name: f"{name} done") -> None:
        self.pages = list(pages)
        self.connections = 0

        async def on_list(context: Any, params: Any) -> ListToolsResult:
            page = int(params.cursor or 0) if params is not None else 0
            more = page + 1 < len(self.pages)
            return ListToolsResult(
                tools=[tool(name) for name in self.pages[page]], next_cursor=str(page + 1) if more else None
            )

        async def on_call(context: Any, params: Any) -> CallToolResult:
            said = call(params.name)
            if said == "never":
                await asyncio.Event().wait()
            return CallToolResult(content=[TextContent(type="text", text=said)])

        self._server = Server("inside", on_list_tools=on_list, on_call_tool=on_call)

    async def transport(self, stack: AsyncExitStack) -> Any:
        self.connections += 1
        return self._server

    def client(self, secrets: tuple[str, ...] = (), **options: Any) -> MCPServer:
        return MCPServer("inside", self.transport, secrets, **options)


def test_all_pages_of_tools_are_read() -> None:
    with Inside(["a", "b"], [], ["c"]).client() as server:
        assert [tool.name for tool in server.tools()] == ["a", "b", "c"]


def test_a_tool_that_vanishes_is_taken_out_of_the_registry_and_a_changed_one_put_in_its_place() -> None:
    inside, tools = Inside(["a", "b"]), ToolRegistry()
    tools.register_function(lambda: "mine", name="mine", description="Mine.")
    with inside.client() as server:
        assert server.register(tools) == ["a", "b"]
        before = tools.get_tool("b")
        inside.pages[:] = [["b", "c"]]
        asyncio.run(server.refresh())
        assert sorted(tools.list_tools()) == ["b", "c", "mine"]
        assert tools.get_tool("b") is not before
        assert tools.answer(ToolCall("1", "c", {})).text == "c done"


def test_a_server_in_no_registry_is_not_asked_again() -> None:
    inside = Inside(["a"])
    asyncio.run(inside.client().refresh())
    assert inside.connections == 0


@pytest.mark.parametrize(
    ("code", "expected"),
    [(-32601, "API_ERROR"), (-32602, "API_ERROR"), (-32603, "API_ERROR"), (-32000, "NETWORK_ERROR")],
)
def test_who_refuses_one_request_is_alive_and_who_breaks_off_is_connected_to_anew(code: int, expected: str) -> None:
    def refuse(name: str) -> str:
        if name == "good":
            return "fine"
        raise MCPError(code, f"no {name}, and {SECRET}")

    inside = Inside(["bad", "good"], call=refuse)
    with inside.client((SECRET,)) as server:
        response = asyncio.run(server.acall("bad", {}))
        assert response.code == expected
        assert "no bad" in response.text
        assert SECRET not in response.text
        assert asyncio.run(server.acall("good", {})).text == "fine"
        assert inside.connections == (1 if expected == "API_ERROR" else 2)


def test_an_answer_that_does_not_come_in_time_is_said_to_be_late() -> None:
    inside = Inside(["slow"], call=lambda name: "never")
    with inside.client(timeout=0.05) as server:
        response = asyncio.run(server.acall("slow", {}))
        assert response.code == "TIMEOUT"
        assert "0.05" in response.text
        assert inside.connections == 1, "the server is there, it is only slow"


def test_only_what_is_long_enough_to_be_a_secret_is_masked() -> None:
    said = f"the token is {SECRET}, the key is abc"
    with Inside(["tell"], call=lambda name: said).client((SECRET, "abc")) as server:
        told = asyncio.run(server.acall("tell", {}))
        assert told.text == told == "the token is ***, the key is abc"


async def test_a_block_that_awaits_connects_and_leaves() -> None:
    inside = Inside(["a"])
    async with inside.client() as server:
        assert [tool.name for tool in await server.atools()] == ["a"]
        assert inside.connections == 1
    assert (await server.acall("a", {})).text == "a done"
    assert inside.connections == 2
    server.close()
    server.close()


@pytest.mark.parametrize("how", ["limit", "cancelled"])
async def test_a_server_that_never_comes_is_given_up(how: str) -> None:
    begun = threading.Event()
    gone: list[str] = []

    async def transport(stack: AsyncExitStack) -> Any:
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            gone.append("cancelled")
            raise

    server = MCPServer("nobody", transport, connect_timeout=0.05 if how == "limit" else 60)
    connecting = asyncio.create_task(server.atools())
    if how == "limit":
        with pytest.raises(MCPUnavailable, match=r"nobody.*TimeoutError"):
            await connecting
    else:
        await asyncio.to_thread(begun.wait)
        connecting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await connecting
    await asyncio.to_thread(server.close)
    assert gone == ["cancelled"]


OLD = """
import json, sys
tools = ["one"]

def say(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    match message["method"]:
        case "initialize":
            result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {"listChanged": True}},
                      "serverInfo": {"name": "old", "version": "1"}}
        case "tools/list":
            result = {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in tools]}
        case "tools/call":
            tools.append("two")
            say(method="notifications/resources/list_changed")
            say(method="notifications/tools/list_changed")
            result = {"content": [{"type": "text", "text": "grown"}]}
        case other:
            say(id=message["id"], error={"code": -32601, "message": "no " + other})
            continue
    say(id=message["id"], result=result)
"""


def test_an_older_server_is_spoken_to_in_its_way_and_tells_of_changes_by_itself() -> None:
    tools = ToolRegistry()
    with MCPServer.stdio(sys.executable, ["-c", OLD], name="old") as server:
        assert server.register(tools) == ["one"]
        assert tools.answer(ToolCall("1", "one", {})).text == "grown"
        tick = threading.Event()
        while "two" not in tools.list_tools():
            tick.wait(0.01)
        assert sorted(tools.list_tools()) == ["one", "two"]
