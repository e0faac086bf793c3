"""Traces: what an agent did, in files, and the agent's own logger."""

import json
from pathlib import Path

from hello_agents import Config, HelloAgentsLLM, ReActAgent, ToolRegistry
from hello_agents.observability import TraceLogger
from hello_agents.tools.builtin import CalculatorTool

registry = ToolRegistry()
registry.register_tool(CalculatorTool())
agent = ReActAgent("traced", HelloAgentsLLM(), registry, config=Config(trace_enabled=True, trace_dir="memory/traces"))
agent.run("What is 12 * 9?")
agent.trace_logger.finalize()

lines = [line for path in Path("memory/traces").glob("*.jsonl") for line in path.read_text("utf-8").splitlines()]
events = [json.loads(line)["event"] for line in lines]
print(events)
assert events
assert list(Path("memory/traces").glob("*.html"))

with TraceLogger(output_dir="by-hand", sanitize=True) as logger:
    logger.log_event("custom", {"api_key": "sk-1234567890abcdefghijkl", "value": 1}, step=1)
written = "".join(path.read_text("utf-8") for path in Path("by-hand").glob("*.jsonl"))
assert "custom" in written and "sk-1234567890abcdefghijkl" not in written
