"""The debugger: steps, back, jumps, edits, forks, branches, approval; and that looking asks nothing of the world."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hello_agents import Message, ReActAgent, ScriptedLLM, SimpleAgent, ToolCall, ToolRegistry
from hello_agents.core import debugger as debugger_module
from hello_agents.core.action import Ask, Call, Wait
from hello_agents.core.debugger import Debugger
from hello_agents.core.run import Entry, Replied, Returned, Told
from hello_agents.tools.builtin.task_tool import TaskTool


class World:
    """Two tools that count how often they are asked, and a model that counts too."""

    def __init__(self, *script: Any, approval: bool = False) -> None:
        self.calls: list[str] = []
        self.asked = 0
        self.script = ScriptedLLM(*script)
        registry = ToolRegistry()
        registry.register_function(self.read, needs_approval=approval)
        registry.register_function(self.add)
        self.agent = SimpleAgent("a", self, "P", tool_registry=registry, max_tool_iterations=5)

    def read(self, path: str) -> str:
        """Reads."""
        self.calls.append(f"read {path}")
        return "320"

    def add(self, a: int, b: int) -> int:
        """Adds."""
        self.calls.append(f"add {a} {b}")
        return a + b

    def stream(self, request: Any) -> Any:
        self.asked += 1
        return self.script.stream(request)

    def astream(self, request: Any) -> Any:
        return self.script.astream(request)


def call(name: str, id: str, **arguments: Any) -> ToolCall:
    return ToolCall(id, name, arguments)


BOTH = [call("read", "r", path="x"), call("add", "s", a=1, b=2)]


def test_a_step_is_one_decision_and_its_entries() -> None:
    world = World(BOTH, "done")
    debugger = world.agent.steps("go")
    assert isinstance(debugger.next, Ask)
    debugger.step()
    assert isinstance(debugger.next, Call)
    debugger.step()
    assert world.calls == ["read x", "add 1 2"]
    assert [(s.start, s.stop) for s in debugger.steps] == [(0, 2), (2, 3), (3, 7)]
    debugger.finish()
    assert debugger.next is None
    assert debugger.run.answer == "done"
    assert debugger.step() is debugger.run


def test_back_and_jump_replay_and_ask_nothing() -> None:
    world = World(BOTH, "done")
    debugger = world.agent.steps("go")
    debugger.finish()
    end, asked, calls = debugger.run, world.asked, list(world.calls)
    debugger.back()
    debugger.back(2)
    assert debugger.position == 3
    assert [c.id for c in debugger.run.pending] == ["r", "s"]
    debugger.jump(4)
    assert [c.id for c in debugger.run.pending] == ["s"]
    debugger.jump(-1)
    assert debugger.position == 0
    assert debugger.back().messages == ()
    debugger.step(100)
    assert debugger.run == end
    assert (world.asked, world.calls) == (asked, calls)
    with pytest.raises(IndexError, match="99"):
        debugger.jump(99)


def test_walking_over_what_is_recorded_looks_at_each_entry_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = 0

    def counted(entry: Entry) -> Any:
        nonlocal looked
        looked += 1
        return group(entry)

    group = debugger_module._group
    monkeypatch.setattr(debugger_module, "_group", counted)
    world = World(*[call("add", str(n), a=n, b=n) for n in range(60)], "done")
    world.agent.max_steps = 100
    world.agent.run("go", max_seconds=1000)
    debugger = world.agent.steps()
    stops = [step.stop for step in debugger.steps]
    debugger.jump(-1)
    looked, positions = 0, list[int]()
    while debugger.position < len(debugger.entries):
        debugger.step()
        positions.append(debugger.position)
    assert positions == stops
    assert looked <= 4 * len(debugger.entries)
    looked = 0
    debugger.back(len(stops))
    assert debugger.position == 0
    assert looked <= len(debugger.entries)


def test_an_edited_result_begins_a_branch_and_keeps_the_other_results() -> None:
    world = World(BOTH, "first", "second")
    debugger = world.agent.steps("go")
    debugger.finish()
    seq = next(e.seq for e in debugger.entries if isinstance(e.event, Returned) and e.event.message.answers == "r")
    name = debugger.edit(seq, Returned(Message("520", "tool", answers="r")))
    assert [m.text for m in debugger.run.messages if m.role == "tool"] == ["520", "3"]
    assert world.calls == ["read x", "add 1 2"]
    debugger.finish()
    assert debugger.branch == name
    assert debugger.branches[name].parent == "main"
    assert debugger.branches[name].label == "result edited"
    assert debugger.branches["main"].entries[-1].event != debugger.entries[seq]
    difference = debugger.compare("main", name)
    assert difference.first == seq
    assert difference.left[0].event != difference.right[0].event
    debugger.switch("main")
    assert [m.text for m in debugger.run.messages if m.role == "tool"] == ["320", "3"]
    assert [entry.seq for entry in debugger.branches[name].entries] == list(range(len(debugger.branches[name].entries)))


def test_edited_arguments_are_run() -> None:
    world = World(call("add", "s", a=1, b=2), "done")
    debugger = world.agent.steps("go")
    debugger.step()
    seq = len(debugger.entries) - 1
    debugger.edit(seq, Replied(Message(None, "assistant", tool_calls=[call("add", "s", a=40, b=2)])))
    debugger.finish()
    assert [m.text for m in debugger.run.messages if m.role == "tool"] == ["42"]


def test_an_edited_question_asks_anew() -> None:
    world = World("one", "two")
    debugger = world.agent.steps("go")
    debugger.finish()
    told = debugger.entries[1].event
    assert isinstance(told, Told)
    debugger.edit(1, replace(told, message=Message("come", "user")))
    debugger.finish()
    assert [m.content for m in debugger.run.messages][1] == "come"
    assert world.asked == 2


@pytest.mark.parametrize(
    ("seq", "event", "words"),
    [
        (2, Returned(Message("x", "tool", answers="r")), "Replied"),
        (4, Returned(Message("x", "tool", answers="other")), "'r'"),
    ],
)
def test_an_edit_that_does_not_fit_is_refused(seq: int, event: Any, words: str) -> None:
    debugger = World(BOTH, "done").agent.steps("go")
    debugger.finish()
    with pytest.raises(ValueError, match=words):
        debugger.edit(seq, event)
    assert list(debugger.branches) == ["main"]


def test_an_edited_result_without_an_id_answers_the_same_call() -> None:
    debugger = World(BOTH, "done").agent.steps("go")
    debugger.finish()
    debugger.edit(4, Returned(Message("520", "tool")))
    assert debugger.run.messages[3].answers == "r"


def test_forks_go_their_own_way_and_names_are_unique() -> None:
    world = World(BOTH, "done", "done again")
    debugger = world.agent.steps("go")
    debugger.step(2)
    assert debugger.fork("other") == "other"
    assert debugger.branches["other"].at == 7
    debugger.finish()
    debugger.switch("main")
    assert debugger.run.outcome is None
    assert debugger.fork() == "branch-1"
    with pytest.raises(ValueError, match="other"):
        debugger.fork("other")
    with pytest.raises(KeyError, match="nowhere"):
        debugger.switch("nowhere")
    debugger.finish()
    assert debugger.compare("other", "branch-1").first is None


def test_a_fork_in_the_past_goes_on_from_there_with_the_world() -> None:
    world = World(BOTH, "done")
    debugger = world.agent.steps("go")
    debugger.finish()
    debugger.jump(2)
    debugger.fork()
    debugger.step()
    assert world.calls == ["read x", "add 1 2"] * 2


def test_finish_stops_where_a_condition_holds() -> None:
    debugger = World(BOTH, call("add", "t", a=3, b=4), "done").agent.steps("go")
    debugger.finish(until=lambda run: any(m.text == "3" for m in run.messages))
    assert debugger.run.steps == 1
    assert debugger.run.outcome is None


def test_waiting_calls_are_approved_edited_and_refused() -> None:
    world = World(call("read", "r", path="x"), "done", approval=True)
    debugger = world.agent.steps("go")
    debugger.finish()
    assert isinstance(debugger.next, Wait)
    assert "approval" in debugger.why
    assert debugger.step() is debugger.run
    debugger.fork("refusing")
    debugger.refuse("r", "not now")
    debugger.finish()
    assert "refused: not now" in [m.text for m in debugger.run.messages]
    debugger.switch("main")
    debugger.approve("r", {"path": "y"})
    debugger.finish()
    assert world.calls == ["read y"]
    with pytest.raises(ValueError, match="'r'"):
        debugger.approve("r")


def test_the_request_of_every_reply_can_be_seen() -> None:
    world = World(BOTH, "done")
    debugger = world.agent.steps("go")
    assert len(debugger.request.messages) == 2
    debugger.finish()
    replies = [e.seq for e in debugger.entries if isinstance(e.event, Replied)]
    assert [len(debugger.request_at(seq).messages) for seq in replies] == [2, 5]
    assert debugger.request_at(replies[0]).at == ("", 0)
    assert debugger.request == debugger.request_at(replies[-1])
    with pytest.raises(ValueError, match="no reply"):
        debugger.request_at(0)


def test_an_agent_that_has_run_is_walked_over_what_it_did() -> None:
    agent = ReActAgent("a", ScriptedLLM(ToolCall("", "Finish", {"answer": "3"}), "more"))
    agent.run("go")
    debugger = agent.steps()
    assert debugger.run == agent.state
    assert debugger.entries == tuple(agent.journal)
    agent.run("again")
    assert agent.steps().run == agent.state


def test_a_run_alone_can_be_walked_but_not_taken_further() -> None:
    agent = World(BOTH, "done").agent
    agent.run("go")
    debugger = Debugger.of_run(agent.state)
    assert debugger.run.messages == agent.state.messages
    assert debugger.run.answer == "done"
    assert debugger.next is None
    debugger.back(2)
    assert len(debugger.run.messages) == 5
    assert debugger.next is None
    assert "without its agent" in debugger.why


def test_a_run_alone_is_walked_with_the_runs_below_it() -> None:
    script = ScriptedLLM(
        [ToolCall("t", "Task", {"task": "1"}), ToolCall("u", "Task", {"task": "2"})],
        ToolCall("f", "Finish", {"answer": "both"}),
        frames={"t": ["one"], "u": [ToolCall("x", "Task", {"task": "3"}), "two"], "u/x": ["three"]},
    )
    tools = ToolRegistry()
    tools.register_tool(TaskTool(lambda pattern: SimpleAgent(pattern, script, tool_registry=tools)))
    agent = ReActAgent("lead", script, tools)
    agent.run("go")
    debugger = Debugger.of_run(agent.state)
    assert [path for path, _ in debugger.run.frames] == ["", "t", "u", "u/x"]
    for path, part in agent.state.frames:
        told = debugger.run.at(path)
        assert (told.messages, told.outcome, told.usage, told.steps, told.turn) == (
            part.messages,
            part.outcome,
            part.usage,
            part.steps,
            part.turn,
        )


def test_a_run_alone_keeps_all_results_where_a_model_uses_its_ids_again() -> None:
    calls = [call("add", "c", a=1, b=2), call("Task", "c", task="1"), call("add", "c", a=3, b=4)]
    script = ScriptedLLM(*calls, "done", frames={"c": ["one"]})
    agent = World().agent
    agent.llm = script
    assert agent.tool_registry is not None
    agent.tool_registry.register_tool(TaskTool(lambda pattern: SimpleAgent(pattern, script)))
    agent.run("go")
    debugger = Debugger.of_run(agent.state)
    assert [path for path, _ in debugger.run.frames] == ["", "c"]
    assert debugger.run.messages == agent.state.messages
    debugger.jump(2)
    assert not debugger.run.children


def test_an_interrupt_in_a_step_keeps_what_happened_and_the_next_step_settles_it() -> None:
    world = World(BOTH, "done")

    def stop(path: str) -> str:
        raise KeyboardInterrupt

    assert world.agent.tool_registry is not None
    world.agent.tool_registry.register_function(stop, "read", replace=True)
    debugger = world.agent.steps("go")
    debugger.step()
    with pytest.raises(KeyboardInterrupt):
        debugger.step()
    debugger.step()
    assert "interrupted" in debugger.run.messages[-1].text
    debugger.finish()
    assert debugger.run.answer == "done"
    assert world.calls == ["add 1 2"]


def test_before_anything_was_asked_the_agent_waits_for_a_question() -> None:
    debugger = SimpleAgent("a", ScriptedLLM("x")).steps()
    assert debugger.next == Wait(())
    assert "nothing" in debugger.why
    assert debugger.finish().messages == ()
