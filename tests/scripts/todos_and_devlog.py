"""The tools that an agent brings along: a todo list and a log of decisions, kept in files."""

from pathlib import Path

from hello_agents import Config, HelloAgentsLLM, ReActAgent
from hello_agents.tools.builtin import DevLogTool, TodoWriteTool

config = Config(
    todowrite_enabled=True,
    todowrite_persistence_dir="memory/todos",
    devlog_enabled=True,
    devlog_persistence_dir="memory/devlogs",
)
agent = ReActAgent("worker", HelloAgentsLLM(), config=config)
names = {schema["function"]["name"] for schema in agent._build_tool_schemas()}
assert {"TodoWrite", "DevLog"} <= names

todos = [
    {"content": "Read the chapter", "status": "completed"},
    {"content": "Do the exercise", "status": "in_progress"},
    {"content": "Sleep", "status": "pending"},
]
print(agent._execute_tool_call("TodoWrite", {"summary": "Learning", "todos": todos}))
print(agent._execute_tool_call("DevLog", {"action": "append", "category": "decision", "content": "Use a tuple."}))
assert list(Path("memory/todos").iterdir()) and list(Path("memory/devlogs").iterdir())

tool = TodoWriteTool(project_root=".", persistence_dir="mine")
response = tool.run({"summary": "Mine", "todos": todos})
print(response.text)
assert response.status.value == "success"
assert list(Path("mine").iterdir())

log = DevLogTool(session_id="s1", agent_name="worker", project_root=".", persistence_dir="logs")
log.run({"action": "append", "category": "issue", "content": "It was slow."})
assert "It was slow." in log.run({"action": "read"}).text
assert list(Path("logs").iterdir())
assert agent.run("What is 3 * 3?")
