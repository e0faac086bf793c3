"""Models that a reader brings: whatever they give back, every agent works with them, and offers the same tools."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from support.journals import by_frame
from support.openai_server import OpenAIServer

from hello_agents import HelloAgentsLLM, Message, ReActAgent, Request, ScriptedLLM, SimpleAgent, ToolCall, ToolRegistry
from hello_agents.agents.plan_solve_agent import PlanSolveAgent
from hello_agents.agents.reflection_agent import ReflectionAgent
from hello_agents.core import llm_response
from hello_agents.core.agent import Agent
from hello_agents.core.exceptions import BadReply, ConfigException
from hello_agents.core.run import Replied
from hello_agents.offline.offline_llm import OfflineLLM
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


@pytest.mark.parametrize("kind", [SimpleAgent, ReActAgent, ReflectionAgent, PlanSolveAgent])
@pytest.mark.parametrize("how", ["run", "arun", "stream_run", "walk"])
def test_settings_of_a_run_are_in_all_its_requests_and_in_no_others(kind: type[Agent], how: str) -> None:
    with OpenAIServer(OfflineLLM()) as server:
        llm = HelloAgentsLLM("m", "k", server.base_url, temperature=0.7)
        agent, other = kind("a", llm, tool_registry=tools()), SimpleAgent("o", llm)
        given: dict[str, Any] = {"temperature": 0.1, "seed": 7}
        match how:
            case "arun":
                asyncio.run(agent.arun("What is 2 + 3?", **given))
            case "run":
                agent.run("What is 2 + 3?", **given)
            case _:
                for _ in getattr(agent, how)("What is 2 + 3?", **given):
                    asked = len(server.requests)
                    other.run("Hello")
                    assert "seed" not in server.requests[asked]
                    del server.requests[asked:]
        assert server.requests
        assert all((body["temperature"], body["seed"]) == (0.1, 7) for body in server.requests)
        server.requests.clear()
        agent.run("What is 2 + 3?")
        assert all(body["temperature"] == 0.7 and "seed" not in body for body in server.requests)


def test_a_setting_that_would_be_lost_is_refused() -> None:
    agent = SimpleAgent("a", ScriptedLLM("x"))
    with pytest.raises(TypeError, match="steps\\(\\) has no argument 'temperature'"):
        agent.steps("Hello", temperature=0)
    with pytest.raises(TypeError, match="run\\(\\) has no argument 'temprature'"):
        agent.run("Hello", temprature=0)


class Forgetful(HelloAgentsLLM):
    """Shows what it is asked, and forgets to give it back."""

    def __init__(self) -> None:
        self.model = "forgetful"

    def invoke(self, messages: Any, **kwargs: Any) -> Any:
        return None


def test_what_is_no_model_or_no_reply_is_said_to_be_none() -> None:
    nothing: Any = object()
    with pytest.raises(TypeError, match=r"object is no model.* Derive it from HelloAgentsLLM"):
        SimpleAgent("a", nothing).run("Hello")
    with pytest.raises(BadReply, match="own method returned None"):
        SimpleAgent("a", Forgetful()).run("Hello")
    with pytest.raises(TypeError, match="Messages are a list, not the text 'Hello'"):
        HelloAgentsLLM("offline").invoke("Hello")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (
            lambda: ReflectionAgent("r", ScriptedLLM("x"), custom_prompts={"initail": "{task}"}),
            "'initail'.*initial",
        ),
        (lambda: PlanSolveAgent("p", ScriptedLLM("x"), custom_prompts={"plan": "{question}"}), "'plan'.*planner, exec"),
        (
            lambda: ReflectionAgent("r", ScriptedLLM("x"), custom_prompts={"initial": '{"a": 1}'}).run("x"),
            "write braces",
        ),
        (lambda: PlanSolveAgent("p", ScriptedLLM("x"), planner_prompt="{question} {x}").run("x"), "'x'.* {question}"),
    ],
)
def test_a_prompt_that_cannot_be_used_is_refused_with_what_it_may_hold(made: Callable[[], Any], why: str) -> None:
    with pytest.raises(ConfigException, match=why):
        made()
