"""The first agent of the 0.1.1 chapter: a subclass of Agent with a `run` and a prompt of its own."""

import asyncio

from hello_agents import Config, HelloAgentsLLM, Message
from hello_agents.core.agent import Agent
from hello_agents.core.streaming import StreamEventType


class MyAgent(Agent):
    def __init__(self, name: str, llm: HelloAgentsLLM, system_prompt: str | None = None, config: Config | None = None):
        super().__init__(name, llm, system_prompt, config)
        self.template = "Task: {task}"

    def run(self, input_text: str, **kwargs) -> str:
        messages = []
        if self.system_prompt:
            messages.append({"role": "system", "content": self.system_prompt})
        for message in self._history:
            messages.append({"role": message.role, "content": message.content})
        messages.append({"role": "user", "content": self.template.format(task=input_text)})
        response = self.llm.invoke(messages, **kwargs)
        self.add_message(Message(input_text, "user"))
        self.add_message(Message(response, "assistant"))
        return response


agent = MyAgent("mine", HelloAgentsLLM(), "You are friendly.")
first = agent.run("What is 2 + 3?", temperature=0.1)
print(first, agent)
assert "5" in first
assert [message.role for message in agent.get_history()] == ["user", "assistant"]
assert "9" in agent.run("What is 4 + 5?")
assert len(agent.get_history()) == 4

told = []


async def note(event):
    told.append(event.type.value)


async def awaited():
    answer = await agent.arun("What is 5 + 6?", on_start=note, on_finish=note)
    assert "11" in answer
    events = [event async for event in agent.arun_stream("What is 6 + 7?")]
    assert [event.type for event in events][:1] == [StreamEventType.AGENT_START]
    assert "13" in events[-1].data["result"]
    assert "13" in "".join(event.data["chunk"] for event in events if event.type == StreamEventType.LLM_CHUNK)


asyncio.run(awaited())
assert told == ["agent_start", "agent_finish"]
assert len(agent.get_history()) == 8

path = agent.save_session("mine")
other = MyAgent("mine", agent.llm)
other.session_store = agent.session_store
other.load_session(path)
assert len(other.get_history()) == 8

debugger = agent.steps("What is 7 + 8?")
debugger.finish()
assert "15" in debugger.run.answer
assert len(agent.get_history()) == 8, "looking changes nothing"
assert "17" in agent.run_as_subagent("What is 8 + 9?")["summary"]
agent.clear_history()
assert agent.get_history() == []
