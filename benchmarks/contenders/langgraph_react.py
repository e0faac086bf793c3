"""langgraph: the prebuilt ReAct agent, with a chat model that answers at once."""

import warnings
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.prebuilt import create_react_agent


def add(a: int, b: int) -> int:
    """Adds two whole numbers."""
    return a + b


class Fake(BaseChatModel):
    steps: int

    @property
    def _llm_type(self) -> str:
        return "fake"

    def bind_tools(self, tools: Any, **kwargs: Any) -> "Fake":
        return self

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
        # The conversation is the question, then a reply and a result for each step.
        step = len(messages) // 2
        if step == self.steps:
            message = AIMessage("done")
        else:
            message = AIMessage("", tool_calls=[{"id": f"c{step}", "name": "add", "args": {"a": step, "b": 1}}])
        return ChatResult(generations=[ChatGeneration(message=message)])


def prepare_with(steps: int, checkpointer: Any = None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        agent = create_react_agent(Fake(steps=steps), [add], checkpointer=checkpointer)
    config = {"recursion_limit": 2 * steps + 10, "configurable": {"thread_id": "bench"}}

    def run() -> None:
        messages = agent.invoke({"messages": [("user", "add")]}, config)["messages"]
        assert messages[-1].content == "done"
        assert sum(isinstance(message, ToolMessage) for message in messages) == steps

    return run


def prepare(steps: int):
    return prepare_with(steps)
