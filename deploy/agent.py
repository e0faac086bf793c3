"""The agent that is served: change it to yours. Offline until LLM_MODEL_ID, LLM_API_KEY and LLM_BASE_URL are set."""

from hello_agents import HelloAgentsLLM, ReActAgent, ToolRegistry
from hello_agents.tools.builtin.calculator import CalculatorTool


def make() -> ReActAgent:
    """A fresh agent for each run."""
    tools = ToolRegistry()
    tools.register_tool(CalculatorTool())
    return ReActAgent("assistant", HelloAgentsLLM(), tool_registry=tools)
