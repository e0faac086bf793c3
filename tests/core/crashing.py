"""Runs a scripted agent and kills its own process at a given place: `entry N`, `model N`, `tool N`, or `never`."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

from hello_agents import ReActAgent, ScriptedLLM, SimpleAgent, ToolCall, ToolRegistry
from hello_agents.core.agent import Agent
from hello_agents.core.journal import JournalFile

SCRIPTS: dict[str, list[Any]] = {
    "Simple": [
        [ToolCall("a", "add", {"a": 1, "b": 2}), ToolCall("b", "add", {"a": 3, "b": 4})],
        ToolCall("c", "add", {"a": 3, "b": 7}),
        "10",
    ],
    "ReAct": [
        ToolCall("t", "Thought", {"reasoning": "first the parts"}),
        [ToolCall("a", "add", {"a": 1, "b": 2}), ToolCall("b", "add", {"a": 3, "b": 4})],
        ToolCall("f", "Finish", {"answer": "10"}),
        ToolCall("f2", "Finish", {"answer": "10"}),  # said only when the first one is lost
    ],
}


class Place:
    """Where the process is to die."""

    def __init__(self, kind: str, number: int) -> None:
        self.kind, self.number = kind, number

    def reached(self, kind: str, number: int) -> None:
        if (kind, number) == (self.kind, self.number):
            os.kill(os.getpid(), signal.SIGKILL)


class Deadly(ScriptedLLM):
    """A scripted model in whose replies the process may die."""

    def __init__(self, place: Place, *replies: Any) -> None:
        super().__init__(*replies)
        self.place = place

    def stream(self, request: Any) -> Any:
        for number, event in enumerate(super().stream(request)):
            if number == 0:
                self.place.reached("model", request.at[1])
            yield event


def agent(kind: str, place: Place, marks: str | None = None) -> Agent:
    """The agent. Each call that runs leaves a byte in the file `marks`."""

    def add(a: int, b: int) -> int:
        """Adds two whole numbers."""
        if marks is not None:
            with open(marks, "ab") as file:  # noqa: PTH123
                file.write(b".")
            place.reached("tool", os.path.getsize(marks))  # noqa: PTH202
        return a + b

    tools = ToolRegistry()
    tools.register_function(add)
    model = Deadly(place, *SCRIPTS[kind])
    if kind == "Simple":
        return SimpleAgent("crash", model, "P", tool_registry=tools, max_tool_iterations=5)
    return ReActAgent("crash", model, tools, max_steps=5)


def main() -> None:
    kind, where, number, path, marks = sys.argv[1:]
    place = Place(where, int(number))
    one = agent(kind, place, marks)
    one.sink = JournalFile(path)
    one.subscribers.append(lambda entry, run: place.reached("entry", entry.seq))
    one.run("1+2+3+4?")


if __name__ == "__main__":
    main()
