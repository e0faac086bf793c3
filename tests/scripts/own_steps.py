"""The steps of a tool call, overridden in an agent and in a registry: each call of the loop goes through them."""

import asyncio

from hello_agents import HelloAgentsLLM, ReActAgent, SimpleAgent, ToolRegistry
from hello_agents.tools import CalculatorTool

told = []


class Logging(ReActAgent):
    def _build_tool_schemas(self):
        told.append("schemas")
        return super()._build_tool_schemas()

    def _convert_parameter_types(self, tool_name, param_dict):
        told.append("convert")
        return super()._convert_parameter_types(tool_name, param_dict)

    def _execute_tool_call(self, tool_name, arguments):
        told.append(f"{tool_name}({arguments['input']})")
        return super()._execute_tool_call(tool_name, arguments)


class Refusing(SimpleAgent):
    def _execute_tool_call(self, tool_name, arguments):
        return "❌ Error [PERMISSION_DENIED]: not today"


class Counting(ToolRegistry):
    def __init__(self):
        super().__init__()
        self.calls = []

    def execute_tool(self, name, input_text):
        self.calls.append((name, input_text))
        return super().execute_tool(name, input_text)


class Broken(ToolRegistry):
    def execute_tool(self, name, input_text):
        raise OSError("no")


def with_calculator(registry):
    registry.register_tool(CalculatorTool())
    return registry


agent = Logging("logging", HelloAgentsLLM(), with_calculator(ToolRegistry()))
assert "108" in agent.run("What is 12 * 9?")
assert told.count("python_calculator(12 * 9)") == 1 and "schemas" in told and "convert" in told
assert "96" in asyncio.run(agent.arun("What is 12 * 8?"))
assert "python_calculator(12 * 8)" in told
assert agent._convert_parameter_types("python_calculator", {"input": 5}) == {"input": 5}

refusing = Refusing("refusing", HelloAgentsLLM(), tool_registry=with_calculator(ToolRegistry()))
refusing.run("What is 12 * 9?")
assert [message.status for message in refusing.get_history() if message.role == "tool"][:1] == ["error"]

registry = with_calculator(Counting())
assert "108" in SimpleAgent("counting", HelloAgentsLLM(), tool_registry=registry).run("What is 12 * 9?")
assert registry.calls == [("python_calculator", {"input": "12 * 9"})]
assert "108" in ReActAgent("counting", HelloAgentsLLM(), registry).run("What is 12 * 9?")
assert len(registry.calls) == 2

broken = SimpleAgent("broken", HelloAgentsLLM(), tool_registry=with_calculator(Broken()))
broken.run("What is 12 * 9?")
assert "OSError: no" in next(message.content for message in broken.get_history() if message.role == "tool")
