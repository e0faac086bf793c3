"""Results of tools as the first version has them: strings, which are joined, searched, cut and sent on."""

import json
import re

from hello_agents import HelloAgentsLLM, ToolRegistry
from hello_agents.tools import CalculatorTool, MemoryTool, NoteTool, Tool, ToolParameter, ToolResponse, ToolStatus


class WeatherTool(Tool):
    name = "weather"
    description = "Tells the weather."

    def __init__(self) -> None:
        """Does not call that of Tool."""

    def run(self, parameters: dict) -> str:
        return "sunny in " + parameters["input"]

    def get_parameters(self) -> list[ToolParameter]:
        return [ToolParameter(name="input", type="string", description="A city.")]


registry = ToolRegistry()
registry.register_tool(WeatherTool())
registry.register_tool(CalculatorTool())
registry.register_function("now", "Tells the time.", lambda: "noon")

result = registry.execute_tool("weather", "Paris")
assert "sunny" in result and result.startswith("sunny") and result[:5] == "sunny" and len(result) == 14
assert "Seen: " + result == f"Seen: {result}" and result + "." == "sunny in Paris."
assert "\n".join([result, result]).count("Paris") == 2
assert re.search("in (.*)", result).group(1) == "Paris"
assert json.dumps({"result": result}) == '{"result": "sunny in Paris"}'
assert result == "sunny in Paris" and result != "rainy"
assert float(registry.execute_tool("python_calculator", "6 * 7")) == 42
assert CalculatorTool().run({"input": "6 * 7"}) == "42"
assert "takes no plain text" in registry.execute_tool("now", "please")

llm = HelloAgentsLLM()
question = [{"role": "user", "content": registry.execute_tool("weather", "12 * 9")}]
assert llm.invoke(question)

memory = MemoryTool(user_id="ada")
memory.execute("add", content="Ada likes tea", memory_type="semantic")
assert "tea" in memory.execute("search", query="tea")
notes = NoteTool(workspace="notes")
assert "note" in notes.run({"action": "create", "title": "T", "content": "C"}).lower()

failed = registry.execute_tool("nothing", "x")
assert isinstance(failed, ToolResponse) and failed.status is ToolStatus.ERROR and failed
assert ToolResponse.success(""), "a response is there, whatever it says"
assert ToolResponse.success("a") == ToolResponse.success("a") != ToolResponse.partial("a")
assert ToolResponse.from_json(failed.to_json()) == failed
