"""Sub-agents: through the tool Task, and by hand."""

from hello_agents import Config, HelloAgentsLLM, ReActAgent, ToolRegistry
from hello_agents.agents import create_agent, default_subagent_factory
from hello_agents.tools import ReadOnlyFilter, ToolResponse
from hello_agents.tools.builtin import CalculatorTool, ReadTool, TaskTool, WriteTool

registry = ToolRegistry()
registry.register_tool(CalculatorTool())
registry.register_tool(ReadTool("."))
registry.register_tool(WriteTool("."))
config = Config(subagent_enabled=True, subagent_max_steps=4)
llm = HelloAgentsLLM()

parent = ReActAgent("parent", llm, registry, config=config)
assert "Task" in {schema["function"]["name"] for schema in parent._build_tool_schemas()}

child = create_agent("react", "child", llm, registry, config)
told = child.run_as_subagent("What is 6 * 7?", tool_filter=ReadOnlyFilter(["python_calculator", "calculator"]))
print(told)
assert told["success"] and "42" in told["summary"]
assert told["metadata"]["steps"] >= 1
assert child.get_history() == []
assert "42" in child.run_as_subagent("What is 6 * 7?", return_summary=False, max_steps_override=3)["result"]

task = TaskTool(lambda kind: default_subagent_factory(kind, llm, registry, config), registry)
response = task.run({"task": "What is 6 * 7?", "agent_type": "react", "tool_filter": "readonly", "max_steps": 3})
print(response)
assert isinstance(response, ToolResponse)
for kind in ("simple", "react", "reflection", "plan"):
    assert create_agent(kind, kind, llm, registry).run("What is 6 * 7?")
