"""Models that a reader brings: whatever they give back, every agent works with them, and offers the same tools."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from support.journals import by_frame

from hello_agents import HelloAgentsLLM, Message, ReActAgent, Request, ScriptedLLM, SimpleAgent, ToolCall, ToolRegistry
from hello_agents.agents.plan_solve_agent import PlanSolveAgent
from hello_agents.agents.reflection_agent import ReflectionAgent
from hello_agents.core import llm_response
from hello_agents.core.agent import Agent
from hello_agents.core.run import Replied
from hello_agents.tools.builtin import CalculatorTool, ReadTool, TodoWriteTool, WriteTool
from hello_agents.wire.openai_chat import decode_request


def add(a: int, b: int) -> int:
    """Adds two whole numbers."""
    return a + b


def tools() -> ToolRegistry:
    registry = ToolRegistry()
    registry.register_function(add)
    return registry


AGENTS: dict[str, Any] = {
    "Simple": lambda llm, tools: SimpleAgent("a", llm, "P", tool_registry=tools),
    "ReAct": lambda llm, tools: ReActAgent("a", llm, tools, "P"),
    "Reflection": lambda llm, tools: ReflectionAgent("a", llm, "P", max_iterations=1, tool_registry=tools),
    "PlanSolve": lambda llm, tools: PlanSolveAgent("a", llm, "P", tool_registry=tools),
}
ADD = ToolCall("c1", "add", {"a": 1, "b": 2})
PLAN = ToolCall("p1", "generate_plan", {"steps": ["add"]})


def next_reply(request: Request) -> Any:
    """What the model says, judged by the conversation alone: a plan, a call, then the answer."""
    names = [tool["function"]["name"] for tool in request.tools]
    last = [message for message in request.messages if "Notice" not in message.text][-1]
    if "generate_plan" in names:
        return PLAN
    if last.role == "tool":
        return f"It is {last.text}."
    if "add" in names:
        return ADD
    return "no need for improvement"


# -- old subclasses, whose own response has nothing of OpenAI's --------------------------------------------------------


@dataclass
class VendorBlock:
    type: str
    text: str = ""
    name: str = ""
    input: dict[str, Any] = field(default_factory=dict)


@dataclass
class VendorReply:
    """A vendor's own object: it has no choices."""

    blocks: list[VendorBlock]


def vendor(request: Request) -> VendorReply:
    reply = next_reply(request)
    if isinstance(reply, str):
        return VendorReply([VendorBlock("text", reply)])
    return VendorReply([VendorBlock("tool_use", name=reply.name, input=reply.arguments)])


class OldSubclass(HelloAgentsLLM):
    """Overrides the method with tools, as an adapter of the tutorial does."""

    def __init__(self) -> None:
        super().__init__("m", "k", "http://127.0.0.1:9/v1")

    def invoke_with_tools(self, messages: Any, tools: Any, tool_choice: Any = "auto", **kwargs: Any) -> Any:
        raw = vendor(decode_request({"messages": messages, "tools": tools or []}))
        calls = [
            llm_response.ToolCall(f"{block.name}-{len(messages)}", block.name, json.dumps(block.input))
            for block in raw.blocks
            if block.type == "tool_use"
        ]
        text = "".join(block.text for block in raw.blocks) or None
        return llm_response.LLMToolResponse(text, calls, "vendor")

    def invoke(self, messages: Any, **kwargs: Any) -> Any:
        return self.invoke_with_tools(messages, []).content


class OwnModel:
    """A model of a reader's own, with nothing but the protocol."""

    def stream(self, request: Request) -> Any:
        for block in vendor(request).blocks:
            if block.type == "text":
                yield Replied(Message(block.text, "assistant"))
            else:
                call = ToolCall(f"{block.name}-{len(request.messages)}", block.name, block.input)
                yield Replied(Message(None, "assistant", tool_calls=[call]))

    async def astream(self, request: Request) -> Any:
        for part in self.stream(request):
            yield part


def run(agent: Agent) -> None:
    agent.run("1+2?")


def arun(agent: Agent) -> None:
    asyncio.run(agent.arun("1+2?"))


def stream_run(agent: Agent) -> None:
    list(agent.stream_run("1+2?"))


def arun_stream(agent: Agent) -> None:
    async def go() -> None:
        async for _ in agent.arun_stream("1+2?"):
            pass

    asyncio.run(go())


@pytest.mark.parametrize("model", [OldSubclass, OwnModel])
@pytest.mark.parametrize("kind", AGENTS)
def test_every_agent_runs_tools_with_a_model_that_knows_no_choices(kind: str, model: Any) -> None:
    journals: list[Any] = []
    for walk in (run, arun, stream_run, arun_stream):
        agent = AGENTS[kind](model(), tools())
        walk(agent)
        assert agent.state.answer == "It is 3.", walk.__name__
        journals.append(by_frame(agent.journal))
    assert all(journal == journals[0] for journal in journals)


# -- the tools that a model is offered ---------------------------------------------------------------------------------


class Keeper(ScriptedLLM):
    def __init__(self) -> None:
        super().__init__()
        self.asked: list[Request] = []

    def stream(self, request: Request) -> Any:
        self.asked.append(request)
        reply = next_reply(request)
        reply = "enough" if reply is ADD else reply
        yield from ScriptedLLM(reply).stream(Request(request.messages))


@pytest.mark.parametrize("kind", AGENTS)
def test_what_is_offered_is_the_tools_own_schema_byte_for_byte(kind: str, tmp_path: Any) -> None:
    registry = tools()
    offered = [TodoWriteTool(), CalculatorTool(), ReadTool(str(tmp_path)), WriteTool(str(tmp_path))]
    for tool in offered:
        registry.register_tool(tool)
    model = Keeper()
    AGENTS[kind](model, registry).run("1+2?")
    own = {tool.name: tool.to_openai_schema() for tool in registry.get_all_tools()}
    asked = [request for request in model.asked if len(request.tools) > 1]
    assert asked
    for request in asked:
        sent = {schema["function"]["name"]: schema for schema in request.tools}
        for name, schema in own.items():
            assert json.dumps(sent[name]) == json.dumps(schema)
    todos = own["TodoWrite"]["function"]["parameters"]["properties"]["todos"]
    assert todos["items"]["type"] == "object"
    assert todos["items"]["properties"]["status"]["enum"]
