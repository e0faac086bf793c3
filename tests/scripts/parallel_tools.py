"""Tools that run side by side: each waits for the other, so that one after another would never end."""

import asyncio

from hello_agents import Config, HelloAgentsLLM, Message, ReActAgent, ToolRegistry
from hello_agents.core.llm_response import LLMToolResponse, ToolCall
from hello_agents.tools import AsyncToolExecutor, run_parallel_tools_sync


class TwoAtOnce(HelloAgentsLLM):
    """Asks for two tools in one reply, and then tells what they said."""

    async def ainvoke_with_tools(self, messages, tools, tool_choice="auto", **kwargs):
        return self.invoke_with_tools(messages, tools, tool_choice, **kwargs)

    def invoke_with_tools(self, messages, tools, tool_choice="auto", **kwargs):
        results = [message["content"] for message in messages if message["role"] == "tool"]
        if results:
            return LLMToolResponse(content=" and ".join(results), tool_calls=[], model="two")
        calls = [ToolCall("a", "left", "{}"), ToolCall("b", "right", "{}")]
        return LLMToolResponse(content=None, tool_calls=calls, model="two")


left_is_here, right_is_here = asyncio.Event(), asyncio.Event()


async def left() -> str:
    """Goes left."""
    left_is_here.set()
    await right_is_here.wait()
    return "left"


async def right() -> str:
    """Goes right."""
    right_is_here.set()
    await left_is_here.wait()
    return "right"


registry = ToolRegistry()
registry.register_function(left)
registry.register_function(right)
agent = ReActAgent("parallel", TwoAtOnce(), registry, config=Config(max_concurrent_tools=2))
answer = asyncio.run(agent.arun("Go both ways."))
print(answer)
assert answer == "left and right"
assert all(isinstance(message, Message) for message in agent.get_history())


def double(text: str) -> str:
    """Says it twice."""
    return text * 2


by_hand = ToolRegistry()
by_hand.register_function("double", "Says it twice.", double)
tasks = [{"tool_name": "double", "input_data": word} for word in ("a", "b")]
print(run_parallel_tools_sync(by_hand, tasks))
with AsyncToolExecutor(by_hand, max_workers=2) as executor:
    print(asyncio.run(executor.execute_tools_batch("double", ["c", "d"])))
