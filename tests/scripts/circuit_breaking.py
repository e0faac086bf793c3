"""A circuit breaker: a tool that fails again and again is switched off."""

from hello_agents import Config, HelloAgentsLLM, ReActAgent, ToolRegistry
from hello_agents.tools import CircuitBreaker, ToolErrorCode

calls = []


def fragile(text: str) -> str:
    """Fails."""
    calls.append(text)
    raise RuntimeError("broken")


breaker = CircuitBreaker(failure_threshold=3, recovery_timeout=300, enabled=True)
registry = ToolRegistry(circuit_breaker=breaker)
registry.register_function("fragile", "Fails.", fragile)
for number in range(3):
    assert registry.execute_tool("fragile", str(number)).error_info["code"] != ToolErrorCode.CIRCUIT_OPEN
assert breaker.is_open("fragile")
response = registry.execute_tool("fragile", "once more")
print(response.text)
assert response.error_info["code"] == ToolErrorCode.CIRCUIT_OPEN
assert len(calls) == 3
breaker.close("fragile")
print(breaker.get_status("fragile"))
registry.execute_tool("fragile", "again")
assert len(calls) == 4

own = ToolRegistry()
own.register_function("fragile", "Fails.", fragile)
agent = ReActAgent("careful", HelloAgentsLLM(), own, config=Config(circuit_failure_threshold=2))
said = [agent._execute_tool_call("fragile", {"text": "x"}) for _ in range(3)]
print(said)
assert "CIRCUIT_OPEN" in said[-1] and len(calls) == 6
