"""The framework of the tutorial, with everything switched off that can be."""

import json

from hello_agents import Config, SimpleAgent, ToolRegistry
from hello_agents.core.llm_response import LLMToolResponse, ToolCall
from hello_agents.tools import Tool, ToolParameter, ToolResponse

SWITCHES = (
    "trace_enabled",
    "skills_enabled",
    "circuit_enabled",
    "session_enabled",
    "subagent_enabled",
    "todowrite_enabled",
    "devlog_enabled",
)


class Add(Tool):
    def __init__(self):
        super().__init__("add", "Adds two whole numbers.")

    def get_parameters(self):
        return [ToolParameter(name=name, type="integer", description=name) for name in ("a", "b")]

    def run(self, parameters):
        return ToolResponse.success(text=str(parameters["a"] + parameters["b"]))


class Fake:
    model = "gpt-4"
    provider = "openai"

    def __init__(self, steps):
        self.steps = steps
        self.step = 0

    def invoke_with_tools(self, messages, tools, tool_choice="auto", **kwargs):
        step, self.step = self.step, self.step + 1
        if step == self.steps:
            return LLMToolResponse(content="done", tool_calls=[], model="fake", usage={"total_tokens": 1})
        call = ToolCall(id=f"c{step}", name="add", arguments=json.dumps({"a": step, "b": 1}))
        return LLMToolResponse(content=None, tool_calls=[call], model="fake", usage={"total_tokens": 1})


def prepare_with(steps, **config):
    tools = ToolRegistry()
    tools.register_tool(Add())
    agent = SimpleAgent(
        "bench", Fake(steps), tool_registry=tools, max_tool_iterations=steps + 10, config=Config(**config)
    )

    def run():
        assert agent.run("add") == "done"

    return run


def prepare(steps):
    return prepare_with(steps, **dict.fromkeys(SWITCHES, False))
