"""A small MCP server, made with the official SDK: `python mcp_server.py [port]`, over stdio or HTTP on loopback."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import Context, Image, MCPServer

server = MCPServer("helper", log_level="ERROR")


@server.tool()
def add(a: int, b: int = 1) -> int:
    """Adds two whole numbers."""
    return a + b


@server.tool(structured_output=False)
def picture() -> Any:
    """Gives a picture and a word."""
    return ["a word", Image(data=b"\x89PNG1234", format="png")]


@server.tool()
def broken(why: str) -> str:
    """Fails."""
    raise ValueError(why)


@server.tool()
def secret() -> str:
    """Tells how long the secret is."""
    return str(len(os.environ.get("HELPER_SECRET", "")))


@server.tool()
def tell() -> str:
    """Fails with the secret in its message."""
    raise ValueError(os.environ.get("HELPER_SECRET", ""))


@server.tool()
def reveal() -> str:
    """Tells the secret."""
    return os.environ.get("HELPER_SECRET", "")


@server.tool()
def die() -> str:
    """Ends the process."""
    os._exit(3)


@server.tool()
async def hang(folder: str) -> str:
    """Never answers; leaves a file when it begins and one when it is cancelled."""
    Path(folder, "begun").touch()
    try:
        await asyncio.Event().wait()
    finally:
        Path(folder, "cancelled").touch()
    return "never"


@server.tool()
async def grow(context: Context) -> str:
    """Adds a tool and says so."""
    server.add_tool(add, name="plus")
    await context.session.send_tool_list_changed()
    await context.notify_tools_changed()
    return "grown"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
    else:
        server.run("stdio")
