"""langgraph: the same agent with its in-memory checkpointer, which keeps the state after every step."""

from langgraph.checkpoint.memory import MemorySaver
from langgraph_react import prepare_with


def prepare(steps: int):
    return prepare_with(steps, MemorySaver())
