"""Sessions: saved, listed and taken up again."""

from hello_agents import Config, HelloAgentsLLM, SimpleAgent

config = Config(session_enabled=True, session_dir="memory/sessions")
agent = SimpleAgent("friend", HelloAgentsLLM(), config=config)
agent.run("My name is Ada.")
agent.run("I like mathematics.")
path = agent.save_session("about-ada")
print(path)

again = SimpleAgent("friend", HelloAgentsLLM(), config=config)
assert again.get_history() == []
print(again.list_sessions())
assert len(again.list_sessions()) == 1
again.load_session(path)
assert [message.content for message in again.get_history()] == [message.content for message in agent.get_history()]
again.run("What is my name?")
assert len(again.get_history()) == 6

by_name = SimpleAgent("friend", HelloAgentsLLM(), config=config)
by_name.load_session("about-ada", check_consistency=False)
assert len(by_name.get_history()) == 4

saving = SimpleAgent("saver", HelloAgentsLLM(), config=Config(session_dir="auto", auto_save_enabled=True))
saving.run("Hello")
assert len(saving.list_sessions()) == 1
