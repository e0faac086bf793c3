"""Models of a reader's own that override one method, or that are no HelloAgentsLLM at all; and settings of a run."""

import asyncio

from hello_agents import HelloAgentsLLM, PlanSolveAgent, ReActAgent, ReflectionAgent, SimpleAgent, ToolRegistry
from hello_agents.core.llm_response import LLMResponse, LLMToolResponse, ToolCall
from hello_agents.tools import CalculatorTool

registry = ToolRegistry()
registry.register_tool(CalculatorTool())


class Listening(HelloAgentsLLM):
    """Overrides what gives text, and keeps its tools."""

    def __init__(self):
        super().__init__()
        self.asked = []

    def invoke(self, messages, **kwargs):
        self.asked.append(messages)
        return super().invoke(messages, **kwargs)


class WithTools(HelloAgentsLLM):
    def __init__(self):
        super().__init__()
        self.asked = 0

    def invoke_with_tools(self, messages, tools, **kwargs):
        self.asked += 1
        return super().invoke_with_tools(messages, tools, **kwargs)


class Awaited(HelloAgentsLLM):
    def __init__(self):
        self.model = "awaited"

    def invoke(self, messages, **kwargs):
        return "not awaited"

    async def ainvoke(self, messages, **kwargs):
        return LLMResponse("awaited", "awaited")

    async def ainvoke_with_tools(self, messages, tools, tool_choice="auto", **kwargs):
        results = [message["content"] for message in messages if message["role"] == "tool"]
        if results:
            return LLMToolResponse(results[-1], [], "awaited")
        return LLMToolResponse(None, [ToolCall("1", "python_calculator", '{"input": "6 * 7"}')], "awaited")


class Streaming(HelloAgentsLLM):
    def __init__(self):
        self.model = "streaming"

    def stream_invoke(self, messages, **kwargs):
        yield "piece "
        yield "by piece"


class Fake:
    """No subclass of anything."""

    def __init__(self):
        self.given = []

    def invoke(self, messages, **kwargs):
        self.given.append(kwargs)
        return "fake"


listening, with_tools = Listening(), WithTools()
for llm in (listening, with_tools):
    agent = SimpleAgent("tools", llm, tool_registry=registry)
    assert "108" in agent.run("What is 12 * 9?") and "tool" in [message.role for message in agent.get_history()]
assert listening.asked == [] and with_tools.asked == 2

assert "5" in SimpleAgent("text", listening).run("What is 2 + 3?") and len(listening.asked) == 1

assert asyncio.run(SimpleAgent("text", Awaited()).arun("Hello")) == "awaited"
assert SimpleAgent("text", Awaited()).run("Hello") == "not awaited"
assert asyncio.run(SimpleAgent("tools", Awaited(), tool_registry=registry).arun("6 * 7?")) == "42"
assert SimpleAgent("text", Streaming()).run("Hello") == "piece by piece"

fake = Fake()
assert SimpleAgent("fake", fake, tool_registry=registry).run("Hello", temperature=0, top_p=0.5) == "fake"
assert asyncio.run(SimpleAgent("fake", fake).arun("Hello")) == "fake"
assert list(SimpleAgent("fake", fake).stream_run("Hello", seed=1)) == ["fake"]
assert fake.given == [{"temperature": 0, "top_p": 0.5}, {}, {"seed": 1}]

for kind in (SimpleAgent, ReActAgent, ReflectionAgent, PlanSolveAgent):
    agent = kind("settings", HelloAgentsLLM(), tool_registry=registry)
    assert "108" in agent.run("What is 12 * 9?", temperature=0.1, max_tool_iterations=4)
    assert "108" in asyncio.run(agent.arun("What is 12 * 9?", temperature=0))
    assert "108" in "".join(agent.stream_run("What is 12 * 9?", temperature=0))
assert HelloAgentsLLM("m", "key", "http://localhost:1/v1", provider="mine").provider == "mine"
