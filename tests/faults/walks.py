"""Agents over the real client, walked in four ways, and replies as servers really send them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

from support.openai_server import OpenAIServer, Raw

from hello_agents import HelloAgentsLLM, ReActAgent, SimpleAgent, ToolRegistry
from hello_agents.core.agent import Agent

KEY = "sk-test-0123456789abcdef"
QUESTION = "How much is 1+2?"


class Tools(ToolRegistry):
    """Three tools, and what was run."""

    def __init__(self) -> None:
        super().__init__()
        self.ran: list[Any] = []
        for function in (self.add, self.note, self.now):
            self.register_function(function)

    def add(self, a: int, b: int) -> int:
        """Adds two whole numbers."""
        self.ran.append(("add", a, b))
        return a + b

    def note(self, text: str, title: str = "") -> str:
        """Writes a note."""
        self.ran.append(("note", text, title))
        return text

    def now(self) -> str:
        """Tells the time."""
        self.ran.append(("now",))
        return "noon"


def simple(llm: Any, tools: ToolRegistry) -> Agent:
    return SimpleAgent("simple", llm, "Be brief.", tool_registry=tools, max_tool_iterations=9)


def react(llm: Any, tools: ToolRegistry) -> Agent:
    return ReActAgent("react", llm, tools, "Be brief.", max_steps=9)


AGENTS: dict[str, Callable[[Any, ToolRegistry], Agent]] = {"Simple": simple, "ReAct": react}


def run(agent: Agent, question: str) -> None:
    agent.run(question)


def arun(agent: Agent, question: str) -> None:
    asyncio.run(agent.arun(question))


def stream_run(agent: Agent, question: str) -> None:
    list(agent.stream_run(question))


def arun_stream(agent: Agent, question: str) -> None:
    async def go() -> None:
        async for _ in agent.arun_stream(question):
            pass

    asyncio.run(go())


WAYS: dict[str, Callable[[Agent, str], None]] = {
    "run": run,
    "arun": arun,
    "stream_run": stream_run,
    "arun_stream": arun_stream,
}


def llm_at(server: OpenAIServer, **options: Any) -> HelloAgentsLLM:
    options = {"max_retries": 0, "timeout": 5} | options
    return HelloAgentsLLM("m", KEY, server.base_url, **options)


# -- replies, as one response and as chunks -----------------------------------------------------------------------

USAGE = {"prompt_tokens": 5, "completion_tokens": 2}


def call(arguments: Any = "{}", name: str = "add", id: Any = "c1", **more: Any) -> dict[str, Any]:
    """A call as it stands on the wire; `...` leaves a field out."""
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not ...}
    wire = {"id": id, "type": "function", "function": function, **more}
    return {key: value for key, value in wire.items() if value is not ...}


def reply(content: Any = None, *calls: dict[str, Any], finish: str | None = None, **fields: Any) -> Raw:
    """A reply, whole and in pieces."""
    message: dict[str, Any] = {"role": "assistant", "content": content, **fields}
    if calls:
        message["tool_calls"] = list(calls)
    finish = finish or ("tool_calls" if calls else "stop")
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return Raw(
        {"object": "chat.completion", "model": "m", "choices": [choice], "usage": USAGE},
        chunks=[*_pieces(message), chunk(finish=finish), usage_chunk()],
    )


def chunk(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {
        "object": "chat.completion.chunk",
        "model": "m",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }


def usage_chunk() -> dict[str, Any]:
    return {"object": "chat.completion.chunk", "model": "m", "choices": [], "usage": USAGE}


def _pieces(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield chunk(role="assistant", content="" if isinstance(message["content"], str) else None)
    for name, value in message.items():
        if name == "tool_calls":
            for index, one in enumerate(value):
                yield from call_pieces(one, index)
        elif name != "role" and isinstance(value, str):
            for piece in cut(value):
                yield chunk(**{name: piece})


def call_pieces(wire: dict[str, Any], index: int | None) -> Iterator[dict[str, Any]]:
    """A call in pieces: its head first, as OpenAI sends it, then the arguments."""
    place = {} if index is None else {"index": index}
    arguments = wire["function"].get("arguments", "")
    if not isinstance(arguments, str):
        yield chunk(tool_calls=[{**place, **wire}])
        return
    yield chunk(tool_calls=[{**place, **wire, "function": {**wire["function"], "arguments": ""}}])
    for piece in cut(arguments):
        yield chunk(tool_calls=[{**place, "function": {"arguments": piece}}])


def cut(text: str, size: int = 4) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]
