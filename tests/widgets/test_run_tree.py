"""RunTree: every frame once, numbers that are the run's own and add up, and each frame to open."""

from __future__ import annotations

import json
from functools import reduce

import pytest
from hello_agents_widgets import LoopInspector, RunTree
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from widgets.house import keep_fixture

from hello_agents.agents.factory import default_subagent_factory
from hello_agents.agents.react_agent import ReActAgent
from hello_agents.core.agent import Agent
from hello_agents.core.message import Message, ToolCall, Usage
from hello_agents.core.run import Event, Limits, Replied, Run, Spawned, Stopped, Told, evolve
from hello_agents.offline.scripted import ScriptedLLM
from hello_agents.tools.builtin.task_tool import TaskTool
from hello_agents.tools.registry import ToolRegistry
from widgets import demo

NASTY = "\"><script>alert(1)</script><img src=x onerror='y'>&"


def team() -> Agent:
    """An agent that gives two tasks away, one of which is given on."""
    model = ScriptedLLM(
        [
            ToolCall("t1", "Task", {"task": "Look up the hotel."}),
            ToolCall("t2", "Task", {"task": "Look up the train."}),
        ],
        ToolCall("f", "Finish", {"answer": "Two nights and the train cost 820."}),
        frames={
            "t1": [ToolCall("a", "Read", {"path": "hotel"}), ToolCall("b", "Finish", {"answer": "320 a night"})],
            "t2": [
                ToolCall("c", "Task", {"task": "What is 2 × 90?"}),
                ToolCall("d", "Finish", {"answer": "180 return"}),
            ],
            "t2/c": [ToolCall("e", "Calculator", {"expression": "2 × 90"}), ToolCall("g", "Finish", {"answer": "180"})],
        },
    )
    tools = demo.registry()
    tools.register_tool(TaskTool(lambda pattern: default_subagent_factory(pattern, model), tools))
    agent = ReActAgent("lead", model, tools)
    agent.run(demo.QUESTION)
    return agent


def grown(shape: list[int], usages: list[tuple[int, int]]) -> Run:
    """A run whose frame `i + 1` hangs below the frame `shape[i]`."""
    paths = [""]
    events: list[tuple[str, Event]] = [("", Told(Message("Go.", "user")))]
    for number, (parent, usage) in enumerate(zip(shape, usages, strict=True)):
        above = paths[parent % len(paths)]
        id = f"c{number}"
        paths.append(f"{above}/{id}" if above else id)
        events.append((above, Spawned(id, Run(f"agent {number}", limits=Limits(depth=above.count("/") + 1)))))
        call = ToolCall(f"t{number}", "look", {})
        reply = Message(None if number % 2 else "Done.", "assistant", tool_calls=[call] if number % 2 else ())
        events.append((paths[-1], Replied(reply, Usage(*usage))))
        if not number % 2:
            events.append((paths[-1], Stopped("finished", "Done.")))
    return reduce(lambda run, placed: evolve(run, placed[1], placed[0]), events, Run("root"))


def test_the_fixture_of_the_page() -> None:
    keep_fixture("run_tree.json", RunTree(team()).snapshot)


@settings(max_examples=examples(40), deadline=None)
@given(st.data())
def test_numbers_are_the_runs_own_and_add_up(data: st.DataObject) -> None:
    count = data.draw(st.integers(0, 24))
    shape = data.draw(st.lists(st.integers(0, 30), min_size=count, max_size=count))
    numbers = st.tuples(st.integers(0, 999), st.integers(0, 999))
    run = grown(shape, data.draw(st.lists(numbers, min_size=count, max_size=count)))
    tree = RunTree(run)
    frames = {one["frame"]: one for one in tree.frames}
    assert list(frames) == [path for path, _ in run.frames]
    for path, part in run.frames:
        one = frames[path]
        below = [frames[f"{path}/{id}" if path else id] for id in part.children]
        assert one["tokens"] == part.usage.total_tokens == one["own"] + sum(each["tokens"] for each in below)
        assert one["own"] == one["prompt"] + one["completion"] >= 0
        assert (one["steps"], one["children"]) == (part.steps, len(below))
        assert one["calls"] == sum(len(message.tool_calls) for message in part.messages)
        assert one["outcome"] == (part.outcome.reason if part.outcome else None)
    assert sum(one["own"] for one in tree.frames) == tree.state["tokens"] == run.usage.total_tokens
    assert tree.state["steps"] == sum(part.steps for _, part in run.frames)
    json.dumps(tree.state)


def test_a_frame_shows_question_answer_filter_and_limits() -> None:
    agent = team()
    tree = RunTree(agent)
    one = next(one for one in tree.frames if one["frame"] == "t2/c")
    part = agent.state.at("t2/c")
    assert (one["question"], one["answer"], one["agent"]) == ("What is 2 × 90?", "180", part.agent)
    assert one["limits"]["tools"] == (None if part.limits.tools is None else list(part.limits.tools))
    assert one["limits"]["max_steps"] == part.limits.max_steps
    assert one["failed"] == 1
    assert one["tools"] == {"Calculator": 1, "Finish": 1}


@pytest.mark.parametrize("frame", ["", "t1", "t2", "t2/c"])
def test_each_frame_opens_in_the_inspector(frame: str) -> None:
    agent = team()
    tree = RunTree(agent)
    assert tree.choose(frame) == agent.state.at(frame)
    assert tree.head["chosen"] == frame
    for opened in (tree.inspect(), tree.inspect(frame)):
        assert isinstance(opened, LoopInspector)
        assert opened.run.messages == agent.state.at(frame).messages


def test_long_texts_are_cut_for_the_page_and_whole_in_the_run() -> None:
    run = evolve(evolve(Run("a"), Told(Message("q" * 5000, "user"))), Stopped("finished", "a" * 5000))
    one = RunTree(run).frames[0]
    assert one["cut"] == [True, True]
    assert len(one["question"]) == len(one["answer"]) < 5000
    assert RunTree(run).run.answer == "a" * 5000


def test_operations_and_their_errors() -> None:
    tree = RunTree(team())
    tree.dispatch({"op": "choose", "args": {"frame": "t2/c"}})
    assert (tree.chosen, tree.error) == ("t2/c", "")
    tree.dispatch({"op": "choose", "args": {"frame": "t9"}})
    assert "t9" in tree.error
    assert tree.chosen == "t2/c"
    tree.dispatch({"op": "dance"})
    assert "dance" in tree.error
    with pytest.raises(KeyError, match="t9"):
        tree.inspect("t9")
    with pytest.raises(TypeError, match="ToolRegistry"):
        RunTree(ToolRegistry())  # pyright: ignore


def test_a_run_without_frames_and_one_that_did_nothing() -> None:
    for run in (Run("nobody"), demo.agent().state):
        tree = RunTree(run)
        assert [one["frame"] for one in tree.frames] == [""]
        assert "unfinished" in repr(tree)
        assert "unfinished" in tree.picture()


def test_at_rest_it_is_the_same_and_escaped() -> None:
    child = evolve(Run(NASTY), Told(Message(NASTY, "user")))
    run = evolve(Run(NASTY), Spawned(NASTY.replace("/", ""), evolve(child, Stopped(NASTY, NASTY))))
    page = RunTree(run).picture()
    assert "<script" not in page
    assert "<img" not in page
    assert (repr(RunTree(team())), RunTree(team()).picture()) == (repr(RunTree(team())), RunTree(team()).picture())
    assert "    react [t1]: 2 steps" in repr(RunTree(team()))


def test_a_thousand_frames() -> None:
    tree = RunTree(grown([n // 3 for n in range(1000)], [(n, 1) for n in range(1000)]))
    assert len(tree.frames) == 1001
    assert len(json.dumps(tree.snapshot)) < 1_000_000
    assert len(tree.picture()) < 120_000
    assert len(tree.logs) == 1
    tree.choose("c0")
    assert len(tree.logs) == 1
