"""Prompts of a reader's own, in the patterns of the 0.1.1 chapter."""

from hello_agents import HelloAgentsLLM, PlanAndSolveAgent, ReActAgent, ReflectionAgent, ToolRegistry
from hello_agents.agents.plan_solve_agent import Executor, Planner
from hello_agents.agents.react_agent import Message
from hello_agents.agents.reflection_agent import Memory
from hello_agents.tools.builtin import CalculatorTool

llm = HelloAgentsLLM()
PLANNER = "Cut this question into steps.\nQuestion: {question}\nGive a list such as {{steps}}."
EXECUTOR = "Question: {question}\nPlan: {plan}\nDone so far: {history}\nNow do: {current_step}"

agent = PlanAndSolveAgent("planner", llm, custom_prompts={"planner": PLANNER, "executor": EXECUTOR})
assert agent.planner.prompt("Why?") == "Cut this question into steps.\nQuestion: Why?\nGive a list such as {steps}."
answer = agent.run("What is 3 + 4?")
print(answer)
assert "7" in answer

asked = []


class Listening(HelloAgentsLLM):
    def __init__(self):
        self.model = "listening"

    def invoke(self, messages, **kwargs):
        asked.append(messages[-1]["content"])
        return "heard"


assert Executor(Listening(), EXECUTOR).execute("Why?", ["look", "tell"]) == "heard"
assert asked[0].startswith("Question: Why?\nPlan: 1. look\n2. tell") and asked[0].endswith("Now do: look")
assert "heard" in asked[1] and asked[1].endswith("Now do: tell")
assert Planner(llm, prompt_template=PLANNER).prompt("Why?").startswith("Cut")

prompts = {
    "initial": "Write about {task}",
    "reflect": "Judge this on {task}: {content}",
    "refine": "Redo {task}: {last_attempt} because {feedback}",
}
writer = ReflectionAgent("writer", Listening(), max_iterations=1, custom_prompts=prompts)
assert writer.run("cats") == "heard"
assert asked[2:] == ["Write about cats", "Judge this on cats: heard", "Redo cats: heard because heard"]

memory = Memory()
memory.add_record("execution", "a draft")
memory.add_record("reflection", "not bad")
assert memory.get_last_execution() == "a draft" and "not bad" in memory.get_trajectory()


class MyReActAgent(ReActAgent):
    def __init__(self, name, llm, tool_registry, system_prompt=None, config=None, max_steps=5):
        super().__init__(name, llm, tool_registry, system_prompt, config, max_steps)
        self.system_prompt = system_prompt or "You are quick."


registry = ToolRegistry()
registry.register_tool(CalculatorTool())
mine = MyReActAgent("mine", llm, registry)
assert "21" in mine.run("What is 3 * 7?")
assert mine.state.messages[0] == Message("You are quick.", "system")
assert "".join(mine.stream_run("What is 3 * 8?")).endswith("24")
