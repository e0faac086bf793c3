"""The chapter's own SimpleAgent: tools are asked for in the text of a reply, and the reader's class reads them."""

import asyncio
import re

from hello_agents import HelloAgentsLLM, Message, SimpleAgent, ToolRegistry
from hello_agents.tools.builtin.calculator import CalculatorTool


class SaysCalls(HelloAgentsLLM):
    def __init__(self):
        self.model = "text"

    def invoke(self, messages, **kwargs):
        last = messages[-1]["content"]
        if last.startswith("Results:"):
            return "The answer is " + last.rpartition(" ")[2]
        return "Let me see. [TOOL_CALL:" + re.search(r"- (\w+):", messages[0]["content"]).group(1) + ":12*9]"


class MySimpleAgent(SimpleAgent):
    def __init__(self, name, llm, system_prompt=None, config=None, tool_registry=None, enable_tool_calling=True):
        super().__init__(name, llm, system_prompt, config)
        self.tool_registry = tool_registry
        self.enable_tool_calling = enable_tool_calling and tool_registry is not None

    def run(self, input_text: str, max_tool_iterations: int = 3, **kwargs) -> str:
        messages = [{"role": "system", "content": self._get_enhanced_system_prompt()}]
        for message in self._history:
            messages.append({"role": message.role, "content": message.content})
        messages.append({"role": "user", "content": input_text})
        response = ""
        for _ in range(max_tool_iterations):
            response = self.llm.invoke(messages, **kwargs)
            calls = re.findall(r"\[TOOL_CALL:([^:]+):([^\]]+)\]", response)
            if not calls:
                break
            results = [self.tool_registry.execute_tool(name, arguments) for name, arguments in calls]
            messages.append({"role": "assistant", "content": response})
            messages.append({"role": "user", "content": "Results: " + " ".join(str(one) for one in results)})
        self.add_message(Message(input_text, "user"))
        self.add_message(Message(response, "assistant"))
        return response

    def _get_enhanced_system_prompt(self) -> str:
        return "You may use:\n" + self.tool_registry.get_tools_description()


registry = ToolRegistry()
registry.register_tool(CalculatorTool())
agent = MySimpleAgent("mine", SaysCalls(), tool_registry=registry)
answer = agent.run("What is 12 * 9?")
print(answer)
assert "108" in answer
assert "108" in asyncio.run(agent.arun("And once more?"))
assert "108" in "".join(agent.stream_run("And once more?"))
assert len(agent.get_history()) == 6


class Announcing(SimpleAgent):
    """Only says what it does, and leaves the rest to the library."""

    def run(self, input_text: str, **kwargs) -> str:
        print(f"{self.name} is asked: {input_text}")
        return super().run(input_text, **kwargs)


announcing = Announcing("announcing", HelloAgentsLLM(), tool_registry=registry)
assert "108" in announcing.run("What is 12 * 9?")
assert "108" in asyncio.run(announcing.arun("What is 12 * 9?"))
stepped = announcing.steps("What is 12 * 9?")
stepped.finish()
assert "108" in stepped.run.answer
