"""Functions as tools, in the ways that the tutorial registers them."""

from hello_agents import HelloAgentsLLM, SimpleAgent, ToolRegistry


def add(a: int, b: int) -> int:
    """Adds two whole numbers."""
    return a + b


def shout(text: str) -> str:
    return text.upper()


registry = ToolRegistry()
registry.register_function(add)
registry.register_function("shout", "Writes a text in capitals.", shout)
print(registry.get_tools_description())

agent = SimpleAgent("assistant", HelloAgentsLLM(), "You are a helpful assistant.", tool_registry=registry)
answer = agent.run("What is the sum of 17 and 25?")
print(answer)
assert "42" in answer
assert "HELLO" in str(registry.execute_tool("shout", "hello"))
assert [message.role for message in agent.get_history()][:2] == ["user", "assistant"]
