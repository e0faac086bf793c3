"""smolagents: its ToolCallingAgent, with the log off. The answer is a call of its own `final_answer` tool."""

from smolagents import ToolCallingAgent, tool
from smolagents.models import (
    ChatMessage,
    ChatMessageToolCall,
    ChatMessageToolCallFunction,
    MessageRole,
    Model,
)
from smolagents.monitoring import LogLevel


@tool
def add(a: int, b: int) -> int:
    """Adds two whole numbers.

    Args:
        a: The first.
        b: The second.
    """
    return a + b


class Fake(Model):
    def __init__(self, steps: int) -> None:
        super().__init__(model_id="fake")
        self.steps = steps
        self.step = 0

    def generate(self, messages, stop_sequences=None, response_format=None, tools_to_call_from=None, **kwargs):
        step, self.step = self.step, self.step + 1
        name, arguments = ("add", {"a": step, "b": 1}) if step < self.steps else ("final_answer", {"answer": "done"})
        function = ChatMessageToolCallFunction(name=name, arguments=arguments)
        call = ChatMessageToolCall(id=f"c{step}", type="function", function=function)
        return ChatMessage(role=MessageRole.ASSISTANT, content="", tool_calls=[call])


def prepare(steps: int):
    model = Fake(steps)
    agent = ToolCallingAgent(tools=[add], model=model, max_steps=steps + 10, verbosity_level=LogLevel.OFF)

    def run() -> None:
        assert agent.run("add") == "done"
        assert model.step == steps + 1

    return run
