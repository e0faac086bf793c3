"""A tool of one's own: a subclass of Tool, used by a ReActAgent."""

from typing import Any

from hello_agents import HelloAgentsLLM, ReActAgent, ToolRegistry
from hello_agents.tools import Tool, ToolErrorCode, ToolParameter, ToolResponse


class PopulationTool(Tool):
    def __init__(self) -> None:
        super().__init__(name="population", description="Looks up how many people live in a city.")
        self.known = {"Paris": 2100000, "Lyon": 520000}

    def get_parameters(self) -> list[ToolParameter]:
        return [ToolParameter(name="city", type="string", description="The name of the city.", required=True)]

    def run(self, parameters: dict[str, Any]) -> ToolResponse:
        city = parameters.get("city", "")
        if city not in self.known:
            return ToolResponse.error(code=ToolErrorCode.NOT_FOUND, message=f"No such city: {city}")
        return ToolResponse.success(text=f"{city} has {self.known[city]} people.", data={"people": self.known[city]})


registry = ToolRegistry()
registry.register_tool(PopulationTool())
agent = ReActAgent("geographer", HelloAgentsLLM(), registry, max_steps=5)
answer = agent.run("How many people live in the city of Paris?")
print(answer)
assert "2100000" in answer
assert registry.execute_tool("population", '{"city": "Nowhere"}').error_info["code"] == ToolErrorCode.NOT_FOUND
