"""MCP: the tools of a Model Context Protocol server, as tools like any other. Needs the extra `mcp`.

The connection lives on one event loop in a thread of its own, so that synchronous and awaited calls share it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from ..catalogue import text
from ..core.exceptions import HelloAgentsException
from ..core.secrets import MASK, mask
from .background import LoopThread, TimedOut, within
from .base import FunctionTool
from .errors import ToolErrorCode
from .executor import say
from .mcp_results import response_of
from .response import ToolResponse
from .schema import Parameters, of_schema

if TYPE_CHECKING:
    import asyncio

    from mcp import Client
    from mcp.client import Transport
    from mcp_types import Tool as Described

    from .registry import ToolRegistry

R = TypeVar("R")

_thread = LoopThread("hello-agents-mcp")
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_-]")
_SECRET = re.compile(r"(?i)key|token|secret|passw|credential|auth")
"""Names of variables whose values are taken out of what a server says."""
_SHORTEST_SECRET = 6
_ALIVE = frozenset({-32601, -32602, -32603})
"""Codes of JSON-RPC with which a server refuses one request and goes on serving."""
_SILENT = -32001
"""The client's own code for an answer that did not come in time."""


class MCPUnavailable(HelloAgentsException):
    """The server could not be started or reached."""


class MCPTool(FunctionTool):
    """One tool of a server. Its parameters are the server's, and are read as those of any tool."""

    def __init__(self, server: MCPServer, name: str, described: Described) -> None:
        remote = described.name

        async def call(**arguments: Any) -> ToolResponse:
            return await server.acall(remote, arguments)

        super().__init__(call, name, described.description or described.title or "", timeout=server.timeout)
        self.server = server
        self.remote_name = remote
        """What the server calls it."""
        self._schema = described.input_schema

    def _make_parameters(self) -> Parameters:
        return of_schema(self._schema)


class MCPServer:
    """A server and the connection to it, made when it is first needed and made anew when it was lost.

    `with MCPServer.stdio("python", ["server.py"]) as server: server.register(registry)`. What is in `env` and `headers`
    is given to the server and told to nobody else: values of headers, and of variables whose names speak of keys,
    tokens or passwords, are masked in whatever a model or a trace sees.
    """

    def __init__(
        self,
        name: str,
        transport: Any,
        secrets: Sequence[str] = (),
        *,
        prefix: str = "",
        timeout: float | None = 60,
        connect_timeout: float = 30,
        language: str = "en",
    ) -> None:
        """Use `stdio` or `http`. `transport` makes a transport of the official client, once for each connection."""
        self.name = _NOT_IN_A_NAME.sub("_", name)
        """What stands before the names of its tools where they are taken."""
        self.prefix = prefix
        self.timeout = timeout
        """Seconds a call may take. `None`: no limit."""
        self.connect_timeout = connect_timeout
        self.language = language
        self._transport = transport
        self._secrets = tuple(secrets)
        self._connection: _Connection | None = None
        self._connecting: asyncio.Lock | None = None
        self._registries: list[tuple[ToolRegistry, dict[str, MCPTool]]] = []

    @classmethod
    def stdio(
        cls,
        command: str,
        args: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        *,
        cwd: str | Path | None = None,
        name: str | None = None,
        **options: Any,
    ) -> MCPServer:
        """A program that is started here and speaks over its input and output; what it writes to stderr is dropped.

        It gets `env` and, of this process's variables, only harmless ones such as PATH. `options` are `prefix`,
        `timeout`, `connect_timeout` and `language`.
        """
        variables = dict(env or {})

        async def transport(stack: AsyncExitStack) -> Transport:
            from mcp.client.stdio import StdioServerParameters, stdio_client

            # A notebook's stderr is no file that a process could write to.
            silent = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 (closed with the connection)
            stack.callback(silent.close)
            return stdio_client(
                StdioServerParameters(command=command, args=list(args), env=variables, cwd=cwd), errlog=silent
            )

        secrets = [value for variable, value in variables.items() if _SECRET.search(variable)]
        return cls(name or Path(command).stem, transport, secrets, **options)

    @classmethod
    def http(
        cls, url: str, headers: Mapping[str, str] | None = None, *, name: str | None = None, **options: Any
    ) -> MCPServer:
        """A server that is reached by streamable HTTP. `options` are those of `stdio`."""
        sent = dict(headers or {})

        async def transport(stack: AsyncExitStack) -> Transport:
            from mcp.client.streamable_http import streamable_http_client
            from mcp.shared._httpx_utils import create_mcp_http_client

            client = await stack.enter_async_context(create_mcp_http_client(headers=sent))
            return streamable_http_client(url, http_client=client)

        parts = [part for value in sent.values() for part in (value, value.removeprefix("Bearer "))]
        return cls(name or re.sub(r"^\w+://|[:/?].*$", "", url), transport, parts, **options)

    # -- the tools --------------------------------------------------------------------------------

    def tools(self) -> list[MCPTool]:
        """The tools that the server has now. Raises `MCPUnavailable`."""
        return self._wait(self._list())

    async def atools(self) -> list[MCPTool]:
        """`tools` for asynchronous code."""
        return await _thread.run(self._list())

    def register(self, registry: ToolRegistry) -> list[str]:
        """Puts the tools into a registry and keeps them up to date there; returns their names.

        A name that is taken gets the server's in front. Raises `MCPUnavailable`.
        """
        own: dict[str, MCPTool] = {}
        _put(self, registry, own, self.tools())
        self._registries.append((registry, own))
        return list(own)

    async def acall(self, name: str, arguments: dict[str, Any]) -> ToolResponse:
        """Calls a tool by the server's name for it. Whatever goes wrong is in the response."""
        return await _thread.run(self._call(name, arguments))

    # -- the connection ---------------------------------------------------------------------------

    def __enter__(self) -> Self:
        self._wait(self._connected())
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        await _thread.run(self._connected())
        return self

    async def __aexit__(self, *error: object) -> None:
        await _thread.run(self._drop())

    def close(self) -> None:
        """Ends the connection and, where it was started here, the server. A later call connects anew."""
        self._wait(self._drop())

    def __repr__(self) -> str:
        return f"MCPServer({self.name!r})"

    def _wait(self, work: Coroutine[Any, Any, R]) -> R:
        future = _thread.submit(work)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def _without_secrets(self, response: ToolResponse) -> ToolResponse:
        """A server may say what it was given. Other texts that look like keys are results like any."""
        said = response.text
        for secret in self._secrets:
            if len(secret) >= _SHORTEST_SECRET:
                said = said.replace(secret, MASK)
        return response if said == response.text else replace(response, text=said)

    def _said(self, error: BaseException) -> str:
        while isinstance(error, BaseExceptionGroup):
            error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
        return mask(say(error), *self._secrets)

    # What follows runs on the thread's loop.

    async def _connected(self) -> Client:
        import asyncio

        self._connecting = self._connecting or asyncio.Lock()
        async with self._connecting:
            if self._connection is None or self._connection.ended:
                self._connection = connection = _Connection(self)
                try:
                    await within(connection.open(), self.connect_timeout)
                except (Exception, asyncio.CancelledError) as error:
                    await self._drop()
                    if isinstance(error, asyncio.CancelledError):
                        raise
                    why = "TimeoutError" if isinstance(error, TimedOut) else self._said(error)
                    raise MCPUnavailable(text("mcp.unavailable", self.language, server=self.name, why=why)) from None
            client = self._connection.client
            assert client is not None
            return client

    async def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()

    async def _list(self) -> list[MCPTool]:
        client = await self._connected()
        found: list[Described] = []
        cursor: str | None = None
        while True:
            page = await client.list_tools(cursor=cursor, cache_mode="bypass")
            found += page.tools
            cursor = page.next_cursor
            if cursor is None:
                return [MCPTool(self, self._local(one.name), one) for one in found]

    def _local(self, name: str) -> str:
        return _NOT_IN_A_NAME.sub("_", f"{self.prefix}_{name}" if self.prefix else name)

    async def _call(self, name: str, arguments: dict[str, Any]) -> ToolResponse:
        from mcp.shared.exceptions import MCPError

        try:
            client = await self._connected()
        except MCPUnavailable as error:
            return ToolResponse.error(ToolErrorCode.NETWORK_ERROR, str(error))
        try:
            response = response_of(await client.call_tool(name, arguments, self.timeout), self.language)
            return self._without_secrets(response)
        except MCPError as error:
            if error.code == _SILENT:
                why = text("tool.timeout", self.language, tool=name, seconds=self.timeout)
                return ToolResponse.error(ToolErrorCode.TIMEOUT, why)
            if error.code in _ALIVE:
                return ToolResponse.error(ToolErrorCode.API_ERROR, mask(error.message, *self._secrets))
            why = self._said(error)
        except Exception as error:
            # The client's code and the server's: what it may raise when a server goes away is not said anywhere.
            why = self._said(error)
        await self._drop()
        return ToolResponse.error(
            ToolErrorCode.NETWORK_ERROR, text("mcp.lost", self.language, server=self.name, why=why)
        )

    async def refresh(self) -> None:
        """Reads the server's tools again and brings the registries up to date."""
        if not self._registries:
            return
        # A server that has gone meanwhile is found out by the next call, which tells the model.
        with suppress(Exception):
            tools = await self._list()
            for registry, own in self._registries:
                _put(self, registry, own, tools)


class _Connection:
    """One connection, opened and closed in a task of its own, as the client demands."""

    def __init__(self, server: MCPServer) -> None:
        self._server = server
        self._task: asyncio.Task[None] | None = None
        self._stop: asyncio.Event | None = None
        self._refreshing: set[asyncio.Task[None]] = set()
        self.client: Client | None = None

    @property
    def ended(self) -> bool:
        return self._task is None or self._task.done()

    async def open(self) -> None:
        import asyncio

        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._stop = asyncio.Event()
        self._task = asyncio.create_task(self._live(ready, self._stop))
        await asyncio.wait([self._task, ready], return_when=asyncio.FIRST_COMPLETED)
        if not ready.done():
            self._task.result()

    async def close(self) -> None:
        import asyncio

        if self._task is None or self._stop is None:
            return
        self._stop.set()
        if self.client is None:
            self._task.cancel()
        # How a lost connection ends is of no interest any more.
        await asyncio.wait([self._task], timeout=10)
        self._task.cancel()

    async def _live(self, ready: asyncio.Future[None], stop: asyncio.Event) -> None:
        from mcp import Client
        from mcp_types.version import MODERN_PROTOCOL_VERSIONS

        async with AsyncExitStack() as stack:
            transport = await self._server._transport(stack)  # pyright: ignore[reportPrivateUsage]
            client = await stack.enter_async_context(Client(transport, message_handler=self._hear))
            self.client = client
            if client.protocol_version in MODERN_PROTOCOL_VERSIONS:
                await self._listen(client)
            ready.set_result(None)
            await stop.wait()
            for task in self._refreshing:
                task.cancel()

    async def _hear(self, message: Any) -> None:
        from mcp_types import ToolListChangedNotification

        if isinstance(message, ToolListChangedNotification):
            self._later(self._server.refresh())

    async def _listen(self, client: Client) -> None:
        """Newer servers tell of changes only to those who ask for it; one that refuses just does not tell."""

        async def listen() -> None:
            with suppress(Exception):
                async with client.listen(tools_list_changed=True) as events:
                    async for _ in events:
                        await self._server.refresh()

        self._later(listen())

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        import asyncio

        task = asyncio.create_task(work)
        self._refreshing.add(task)
        task.add_done_callback(self._refreshing.discard)


def _put(server: MCPServer, registry: ToolRegistry, own: dict[str, MCPTool], tools: Sequence[MCPTool]) -> None:
    """Brings the server's tools in a registry up to date: new and changed ones in, vanished ones out."""
    kept: dict[str, MCPTool] = {}
    others = {name for name in registry.list_tools() if name not in own}
    for tool in tools:
        if tool.name in others or tool.name in kept:
            tool.name = f"{server.name}_{tool.name}"
        kept[tool.name] = tool
    for name in own.keys() - kept.keys():
        registry.unregister(name)
    for name, tool in kept.items():
        registry.register_tool(tool, replace=name in own)
    own.clear()
    own.update(kept)
