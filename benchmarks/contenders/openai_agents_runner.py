"""openai-agents: its Runner over a Model of our own, with tracing off."""

import json

from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage, function_tool
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText


@function_tool
def add(a: int, b: int) -> int:
    """Adds two whole numbers."""
    return a + b


class Fake(Model):
    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.step = 0

    async def get_response(self, *args, **kwargs) -> ModelResponse:
        step, self.step = self.step, self.step + 1
        if step == self.steps:
            text = ResponseOutputText(type="output_text", text="done", annotations=[])
            item = ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[text])
        else:
            arguments = json.dumps({"a": step, "b": 1})
            item = ResponseFunctionToolCall(type="function_call", call_id=f"c{step}", name="add", arguments=arguments)
        return ModelResponse(output=[item], usage=Usage(), response_id=None)

    def stream_response(self, *args, **kwargs):
        raise NotImplementedError


def prepare(steps: int):
    model = Fake(steps)
    agent = Agent(name="bench", model=model, tools=[add])

    def run() -> None:
        result = Runner.run_sync(agent, "add", max_turns=steps + 10, run_config=RunConfig(tracing_disabled=True))
        assert result.final_output == "done"
        assert model.step == steps + 1

    return run
