"""The framework of the tutorial, with everything switched off that can be."""

import json
from types import SimpleNamespace

from hello_agents import Config, SimpleAgent, ToolRegistry
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
        calls = None
        if step < self.steps:
            function = SimpleNamespace(name="add", arguments=json.dumps({"a": step, "b": 1}))
            calls = [SimpleNamespace(id=f"c{step}", type="function", function=function)]
        message = SimpleNamespace(role="assistant", content=None if calls else "done", tool_calls=calls)
        usage = SimpleNamespace(prompt_tokens=1, completion_tokens=1, total_tokens=2)
        return SimpleNamespace(choices=[SimpleNamespace(message=message)], usage=usage)


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
