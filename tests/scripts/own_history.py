"""The conversation changed by hand, in the ways in which lists are changed."""

from hello_agents import Config, HelloAgentsLLM, Message, SimpleAgent
from hello_agents.context import HistoryManager

shared = Config()
agent = SimpleAgent("a", HelloAgentsLLM(), "Be brief.", config=shared)
agent.run("What is 2 + 3?")
agent._history.append(Message("by hand", "user"))
agent._history += [Message("noted", "assistant")]
agent._history.extend([Message("and", "user"), Message("so on", "assistant")])
assert [message.content for message in agent.get_history()][2:] == ["by hand", "noted", "and", "so on"]
assert agent._history.pop().content == "so on" and len(agent.get_history()) == 5
agent._history[0] = Message("What is 1 + 3?", "user")
agent._history.insert(0, Message("first", "user"))
agent._history.remove(Message("by hand", "user"))
del agent._history[-1]
assert [message.content for message in agent.get_history()] == ["first", "What is 1 + 3?", "2 + 3 = 5", "noted"]
agent._history = agent._history[:2]
assert len(agent.get_history()) == 2
agent._history.clear()
assert agent.get_history() == []

long = SimpleAgent("long", HelloAgentsLLM(), config=Config(max_history_length=2))
for number in range(5):
    long.add_message(Message(str(number), "user"))
assert long._history.pop().content == "4"
assert [message.content for message in long.state.messages] == ["0", "1", "2", "3"], "what is not shown is kept"
assert [message.content for message in long.get_history()] == ["2", "3"]

agent.history_manager.min_retain_rounds = 1
agent.history_manager.compression_threshold = 0.5
for number in range(3):
    agent.history_manager.append(Message(f"q{number}", "user"))
    agent.history_manager.append(Message(f"a{number}", "assistant"))
agent.history_manager.compress("They talked.")
assert [message.role for message in agent.get_history()] == ["summary", "user", "assistant"]
assert (agent.config.min_retain_rounds, agent.config.compression_threshold) == (1, 0.5)
assert shared.min_retain_rounds == 10, "the settings of others stay as they are"

manager = HistoryManager(min_retain_rounds=2)
manager.append(Message("taken over", "user"))
agent.history_manager = manager
assert agent.history_manager.min_retain_rounds == 2
assert [message.content for message in agent.get_history()] == ["taken over"]
assert "9" in agent.run("What is 4 + 5?")
