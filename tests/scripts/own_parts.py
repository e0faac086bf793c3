"""Parts of a pattern replaced: a planner, an executor, a memory, a trace, a store of sessions."""

import asyncio

from hello_agents import Config, HelloAgentsLLM, PlanAndSolveAgent, ReActAgent, ReflectionAgent, SimpleAgent
from hello_agents.agents.plan_solve_agent import Executor, Planner
from hello_agents.agents.reflection_agent import Memory
from hello_agents.context import ObservationTruncator
from hello_agents.core.session_store import SessionStore
from hello_agents.observability import TraceLogger
from hello_agents.tools import ToolRegistry

llm = HelloAgentsLLM()


class MyPlanner(Planner):
    def plan(self, question, **kwargs):
        return ["What is 3 + 4?", "What is 5 + 6?"]


class MyExecutor(Executor):
    def execute(self, question, plan, **kwargs):
        return f"{question} in {len(plan)} steps"


class MyPlanAgent(PlanAndSolveAgent):
    def __init__(self, name, llm):
        super().__init__(name, llm)
        self.planner = MyPlanner(llm)
        self.executor = MyExecutor(llm)


mine = MyPlanAgent("mine", llm)
assert mine.run("Go") == "Go in 2 steps"
assert asyncio.run(mine.arun("Go")) == "Go in 2 steps"
assert list(mine.stream_run("Go")) == ["Go in 2 steps"]
assert [message.role for message in mine.get_history()] == ["user", "assistant"] * 3
half = PlanAndSolveAgent("half", llm)
half.planner = MyPlanner(llm)
assert "11" in half.run("Work it out.")
plain = PlanAndSolveAgent("plain", llm)
plain.planner = Planner(llm, "You plan.")
plain.run("What is 3 + 4?")
assert plain.state.children["plan-1"].messages[0].content == "You plan."


class Rewriting(ReflectionAgent):
    def __init__(self, name, llm):
        super().__init__(name, llm)
        self.memory = Memory()

    def run(self, input_text, **kwargs):
        self.memory.add_record("execution", self.llm.invoke([{"role": "user", "content": input_text}], **kwargs))
        return self.memory.get_last_execution()


assert "7" in Rewriting("r", llm).run("What is 3 + 4?", temperature=0)
watched = ReflectionAgent("w", llm)
watched.memory = Memory()
watched.run("What is 3 + 4?")
assert "7" in watched.memory.get_last_execution()


class MyLogger(TraceLogger):
    def log_event(self, event, payload, step=None):
        super().log_event("my_" + event, payload, step)


def long(text: str) -> str:
    """Says it a thousand times."""
    return "\n".join([text] * 1000)


registry = ToolRegistry()
registry.register_function(long)
agent = ReActAgent("traced", llm, registry, config=Config(trace_dir="first"))
agent.run("What is 1 + 1?")
earlier = len(agent.trace_logger.events)
first, agent.trace_logger = agent.trace_logger, MyLogger("second")
agent.run("What is 2 + 2?")
assert len(first.events) == earlier
assert {"model_output", "my_session_end"} <= {event["event"] for event in agent.trace_logger.events}
agent.trace_logger = None
agent._execute_tool_call("long", {"text": "x"})
agent.truncator = ObservationTruncator(max_lines=3, output_dir="cut")
assert len(agent._execute_tool_call("long", {"text": "x"})) < 200


told = []


class Telling(SessionStore):
    def save(self, **arguments):
        told.append(arguments["session_name"])
        return super().save(**arguments)

    def load(self, filepath):
        told.append(filepath)
        return super().load(filepath)


class InADict:
    def __init__(self):
        self.kept = {}

    def save(self, agent_config, history, tool_schema_hash, read_cache, metadata, session_name=None):
        self.kept[session_name] = {"history": [message.to_dict() for message in history], "agent_config": agent_config}
        return session_name

    def load(self, filepath):
        return self.kept[filepath]


for store in (Telling("sessions"), InADict()):
    saving = SimpleAgent("saving", llm)
    saving.session_store = store
    saving.run("What is 2 + 2?")
    place = saving.save_session("s")
    loading = SimpleAgent("other", llm)
    loading.session_store = store
    assert loading.load_session(place) == ["name was 'saving' when the session was saved, and is 'other' now."]
    assert [message.content for message in loading.get_history()] == ["What is 2 + 2?", "2 + 2 = 4"]
    assert "6" in loading.run("What is 3 + 3?")
assert told == ["s", "sessions/s.json"]
