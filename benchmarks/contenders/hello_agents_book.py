"""This library: events and snapshots, nothing else on."""

from collections.abc import AsyncIterator, Iterator

from hello_agents.agents.simple_agent import SimpleAgent
from hello_agents.core.action import Request
from hello_agents.core.config import Config
from hello_agents.core.message import Message, ToolCall
from hello_agents.core.run import Delta, Replied
from hello_agents.tools.registry import ToolRegistry


def add(a: int, b: int) -> int:
    """Adds two whole numbers."""
    return a + b


class Fake:
    def __init__(self, steps: int) -> None:
        self.steps = steps

    def stream(self, request: Request) -> Iterator[Delta | Replied]:
        step = request.at[1]
        if step == self.steps:
            yield Replied(Message("done", "assistant"))
        else:
            call = ToolCall(f"c{step}", "add", {"a": step, "b": 1})
            yield Replied(Message(None, "assistant", tool_calls=(call,)))

    async def astream(self, request: Request) -> AsyncIterator[Delta | Replied]:
        for event in self.stream(request):
            yield event


def agent_for(steps: int) -> SimpleAgent:
    tools = ToolRegistry()
    tools.register_function(add)
    tools.schemas()
    tools.answer(ToolCall("", "add", {"a": 1, "b": 1}))  # A tool is made ready on its first call, once.
    nothing_else = Config(circuit_enabled=False, max_repeated_calls=None, context_window=10**9)
    return SimpleAgent("bench", Fake(steps), None, nothing_else, tools, max_tool_iterations=steps + 10)


def prepare(steps: int):
    agent = agent_for(steps)

    def run() -> None:
        assert agent.run("add") == "done"
        assert agent.state.steps == steps + 1

    return run
