"""pydantic-ai: an agent over its FunctionModel."""

from pydantic_ai import Agent, UsageLimits
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel


def prepare(steps: int):
    def fake(messages, info) -> ModelResponse:
        # The conversation is the question, then a reply and a result for each step.
        step = len(messages) // 2
        if step == steps:
            return ModelResponse(parts=[TextPart("done")])
        return ModelResponse(parts=[ToolCallPart("add", {"a": step, "b": 1}, tool_call_id=f"c{step}")])

    agent = Agent(FunctionModel(fake))

    @agent.tool_plain
    def add(a: int, b: int) -> int:
        """Adds two whole numbers."""
        return a + b

    def run() -> None:
        result = agent.run_sync("add", usage_limits=UsageLimits(request_limit=None))
        assert result.output == "done"
        assert len(result.all_messages()) == 2 * steps + 2

    return run
