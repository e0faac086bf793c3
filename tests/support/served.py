"""An agent to be served in tests. Its model does what the question says.

It reads where it stands from the conversation, so that any worker can go on. `say WORDS`; `count N`: N calls that
depend on each other; `ask WORDS`: a call that waits for approval; `wait FOLDER NAME`: a call that goes on once
FOLDER/NAME is there; `flood N`: N long pieces; `fail`.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from itertools import takewhile
from pathlib import Path

from hello_agents import SimpleAgent, ToolRegistry
from hello_agents.core.action import Request
from hello_agents.core.exceptions import LLMException
from hello_agents.core.message import Message, ToolCall, Usage
from hello_agents.core.run import Delta, Replied


class Obedient:
    """The model."""

    def stream(self, request: Request) -> Iterator[Delta | Replied]:
        turn = list(takewhile(lambda message: message.role != "user", reversed(request.messages)))
        question = next(message.text for message in reversed(request.messages) if message.role == "user")
        results = [message for message in reversed(turn) if message.role == "tool"]
        word, _, rest = question.partition(" ")
        if word == "fail":
            raise LLMException("The model is not at home. Ask later.")
        if word == "flood":
            for _ in range(int(rest)):
                yield Delta("x" * 1000)
            yield Replied(Message("flooded", "assistant"))
            return
        message = self._reply(word, rest, results, request.at[1])
        for piece in message.text.split(" "):
            yield Delta(piece + " ")
        yield Replied(message, Usage(10, 5))

    async def astream(self, request: Request) -> AsyncIterator[Delta | Replied]:
        for piece in self.stream(request):
            await asyncio.sleep(0)
            yield piece

    def _reply(self, word: str, rest: str, results: list[Message], step: int) -> Message:
        good = [message.text for message in results if message.status != "error"]
        match word:
            case "count" if len(good) < int(rest):
                total = int(good[-1]) if good else 0
                call = ToolCall(f"call{step}", "add", {"total": total, "number": len(good) + 1})
                return Message(f"now {len(good) + 1}", "assistant", tool_calls=[call])
            case "ask" if not results:
                return Message("may I?", "assistant", tool_calls=[ToolCall(f"call{step}", "danger", {"what": rest})])
            case "wait" if not good:
                folder, name = rest.split(" ")
                call = ToolCall(f"call{step}", "wait", {"folder": folder, "name": name})
                return Message("waiting", "assistant", tool_calls=[call])
            case "count" | "ask" | "wait":
                return Message(results[-1].text if results else "0", "assistant")
            case _:
                return Message(rest, "assistant")


async def add(total: int, number: int) -> int:
    """Adds a number to a total."""
    await asyncio.sleep(float(os.environ.get("SERVED_PAUSE", "0")))
    return total + number


def danger(what: str) -> str:
    """Does what a person has to agree to."""
    return f"did {what}"


async def wait(folder: str, name: str) -> str:
    """Waits until a file is there, and says meanwhile that it has begun."""
    with (Path(folder) / f"{name}.began").open("a", encoding="utf-8") as file:
        file.write("x")
    while not (Path(folder) / name).exists():
        await asyncio.sleep(0.01)
    return "waited"


def make() -> SimpleAgent:
    tools = ToolRegistry()
    tools.register_function(add)
    tools.register_function(danger, needs_approval=True)
    tools.register_function(wait)
    return SimpleAgent("served", Obedient(), tool_registry=tools, max_tool_iterations=100)
