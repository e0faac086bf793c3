"""The patterns: what they ask, how they stop, and that nothing is lost on the way."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from hello_agents import Message, ReActAgent, ScriptedLLM, ToolCall, ToolRegistry
from hello_agents.agents.factory import create_agent, default_subagent_factory
from hello_agents.agents.plan_solve_agent import Executor, PlanAndSolveAgent, Planner, PlanSolveAgent
from hello_agents.agents.reflection_agent import Memory, ReflectionAgent
from hello_agents.core.agent import Agent
from hello_agents.core.exceptions import AgentException, ModelRefused, RateLimited
from hello_agents.core.run import Run


class Heard(ScriptedLLM):
    """A scripted model that keeps what it is asked."""

    def __init__(self, *replies: Any, frames: dict[str, list[Any]] | None = None) -> None:
        super().__init__(*replies, frames=frames)
        self.requests: list[Any] = []

    def stream(self, request: Any) -> Any:
        self.requests.append(request)
        return super().stream(request)


def add(a: int, b: int) -> int:
    """Adds."""
    return a + b


def tools() -> ToolRegistry:
    registry = ToolRegistry()
    registry.register_function(add)
    return registry


def plan(*steps: str) -> ToolCall:
    return ToolCall("p", "generate_plan", {"steps": list(steps)})


# -- Reflection ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content", ["No need for improvement.", "I see NO NEED FOR IMPROVEMENT here", "很好，无需改进。"]
)
def test_reflection_stops_on_its_keyword_in_either_language(content: str) -> None:
    frames = {"draft-1": ["first"], "critique-1-1": ["shorter"], "redraft-1-1": ["second"], "critique-1-2": [content]}
    agent = ReflectionAgent("r", ScriptedLLM(frames=frames), max_iterations=5)
    assert agent.run("write") == "second"
    assert agent.state.outcome is not None
    assert agent.state.outcome.reason == "finished"
    assert list(agent.state.children) == list(frames)


@pytest.mark.parametrize("rounds", [0, 1, 2])
def test_reflection_says_when_it_ran_out_of_rounds(rounds: int) -> None:
    frames: dict[str, list[Any]] = {"draft-1": ["v0"]}
    for n in range(1, rounds + 1):
        frames |= {f"critique-1-{n}": ["more"], f"redraft-1-{n}": [f"v{n}"]}
    agent = ReflectionAgent("r", ScriptedLLM(frames=frames), max_iterations=rounds)
    assert agent.run("write") == f"v{rounds}"
    assert agent.state.outcome is not None
    assert agent.state.outcome.reason == "max_iterations"
    assert [r["type"] for r in agent.memory.records] == ["execution"] + ["reflection", "execution"] * rounds
    assert agent.memory.get_last_execution() == f"v{rounds}"


def test_the_worker_has_tools_the_prompt_and_earlier_turns_and_the_critic_only_the_answer() -> None:
    frames = {
        "draft-1": [ToolCall("c", "add", {"a": 1, "b": 2}), "3"],
        "critique-1-1": ["无需改进"],
        "draft-2": ["still 3"],
        "critique-2-1": ["无需改进"],
    }
    model = Heard(frames=frames)
    agent = ReflectionAgent("r", model, "P", tool_registry=tools())
    agent.run("1+2?")
    assert agent.run("And again?") == "still 3"
    draft, critic, second = model.requests[0], model.requests[2], model.requests[3]
    assert draft.messages[0].content == "P"
    assert draft.tools
    assert critic.tools == ()
    assert "1+2?" in critic.messages[-1].text
    assert "\n3\n" in critic.messages[-1].text
    assert [m.content for m in second.messages if m.role != "system"] == ["1+2?", "3", "And again?"]


def test_prompts_of_ones_own_are_used_also_where_they_once_stood() -> None:
    own = {"initial": "DO {task}", "reflect": "JUDGE {task} {content}", "refine": "MEND {last_attempt} {feedback}"}
    frames = {"draft-1": ["v0"], "critique-1-1": ["hm"], "redraft-1-1": ["v1"]}
    for given in ({"tool_registry": own}, {"custom_prompts": own}):
        model = Heard(frames=frames)
        ReflectionAgent("r", model, max_iterations=1, **given).run("x")  # type: ignore[arg-type]
        assert [r.messages[-1].content for r in model.requests] == ["DO x", "JUDGE x v0", "MEND v0 hm"]


@pytest.mark.parametrize("good", [0, 1, 2])
def test_a_subclass_may_stop_on_something_else_than_words(good: int) -> None:
    class ByLength(ReflectionAgent):
        def satisfied(self, critique: Run) -> bool:
            return len(critique.answer or "") < 3

    critiques = ["no need for improvement"] * good + ["ok"]
    frames: dict[str, list[Any]] = {"draft-1": ["v0"]}
    for n, critique in enumerate(critiques, 1):
        frames |= {f"critique-1-{n}": [critique], f"redraft-1-{n}": [f"v{n}"]}
    assert ByLength("r", ScriptedLLM(frames=frames)).run("write") == f"v{good}"


def test_memory_tells_its_trajectory() -> None:
    memory = Memory()
    assert memory.get_last_execution() == ""
    memory.add_record("execution", "one")
    memory.add_record("reflection", "two")
    assert memory.get_trajectory() == "[execution]\none\n\n[reflection]\ntwo"


# -- PlanSolve ----------------------------------------------------------------------------------------------------


def test_the_planner_is_forced_and_the_executor_gets_plan_and_results() -> None:
    frames = {
        "plan-1": [plan("first", "second")],
        "execute-1/step-1-1": [ToolCall("c", "add", {"a": 1, "b": 2}), "one is 3"],
        "execute-1/step-1-2": ["two"],
    }
    model = Heard(frames=frames)
    agent = PlanSolveAgent("p", model, tool_registry=tools())
    assert agent.run("do it") == "two"
    assert model.requests[0].tool_choice == "generate_plan"
    last = model.requests[-1].messages[-1].text
    for piece in ("do it", "1. first", "2. second", "one is 3"):
        assert piece in last
    assert last.endswith("second")
    assert agent.state.messages[-1].content == "two"


def test_a_provider_that_refuses_force_is_asked_again_without() -> None:
    for reply in (plan("only"), '```json\n["only",] // one\n```', "1. only", "<think>{}</think>{'steps': ['only']}"):
        model = Heard(frames={"plan-1": [ModelRefused("no", status=400), reply], "execute-1/step-1-1": ["done"]})
        agent = PlanSolveAgent("p", model)
        assert agent.run("do it") == "done"
        assert [r.tool_choice for r in model.requests[:2]] == ["generate_plan", "auto"]
        assert "generate_plan" in model.requests[1].messages[-1].text


@pytest.mark.parametrize(
    "said",
    [
        "Here you are:\n\n1. Read it [carefully]\n   - line by line\n2. Add {all} of it\n\nThat takes 2 steps.",
        "Step 1: Read it [carefully]\n**Step 2:** Add {all} of it",
        "**1. Read it** [carefully]\n**2. Add** {all} of it",
        "- [ ] Read it [carefully]\n  - [ ] line by line\n- [ ] Add {all} of it",
        "<think>1. or\n2. not\n</think>Read [1]:\n1) Read it [carefully]\n2) Add {all} of it",
        'See [1]. {"steps": ["Read it [carefully]", "Add {all} of it"]} 1. That is all.',
        "一、Read it [carefully]\n二、Add {all} of it",
        "第一步：Read it [carefully]\n第二步：Add {all} of it",
    ],
)
def test_a_plan_in_text_is_read_as_it_was_meant(said: str) -> None:
    assert Planner(ScriptedLLM(said)).plan("x") == ["Read it [carefully]", "Add {all} of it"]


@pytest.mark.parametrize("said", ["It costs\n2.5 euros, says [1].", "At 12:30.\n12:30 is the time.", "See {1}."])
def test_numbers_and_brackets_make_no_plan(said: str) -> None:
    with pytest.raises(AgentException):
        Planner(ScriptedLLM(said)).plan("x")


def test_another_error_of_the_planner_is_raised_and_resume_goes_on() -> None:
    frames = {"plan-1": [RateLimited("slow down", status=429), plan("only")], "execute-1/step-1-1": ["done"]}
    agent = PlanSolveAgent("p", ScriptedLLM(frames=frames))
    with pytest.raises(RateLimited):
        agent.run("do it")
    assert agent.resume() == "done"


def test_an_empty_plan_carries_nothing_out_and_says_so() -> None:
    agent = PlanSolveAgent("p", ScriptedLLM(frames={"plan-1": [plan()]}))
    assert "empty" in agent.run("nothing")
    assert agent.state.outcome is not None
    assert agent.state.outcome.reason == "empty_plan"
    assert list(agent.state.children) == ["plan-1"]


@pytest.mark.parametrize("reply", ["I would rather not.", '["cut off', "{}", '{"steps": 3}'])
def test_a_reply_without_a_plan_is_told_as_such(reply: str) -> None:
    agent = PlanSolveAgent("p", ScriptedLLM(frames={"plan-1": [reply]}))
    assert reply in agent.run("do it")
    assert agent.state.outcome is not None
    assert agent.state.outcome.reason == "no_plan"
    with pytest.raises(AgentException, match="no plan"):
        Planner(ScriptedLLM(reply)).plan("do it")


def test_planner_and_executor_work_alone() -> None:
    planner = Planner(ScriptedLLM(plan("a", "b")))
    assert planner.plan("x") == ["a", "b"]
    assert planner.plan("x") == ["a", "b"]
    executor = Executor(ScriptedLLM(frames={"step-1-1": ["A"], "step-1-2": ["B"]}))
    assert executor.execute("x", ["a", "b"]) == "B"
    assert executor.execute("x", []) == ""
    assert executor._format_plan(["a", "b"]) == "1. a\n2. b"
    assert PlanAndSolveAgent is PlanSolveAgent


# -- the factory --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("simple", "Simple"),
        ("ReAct", "ReAct"),
        ("reflection", "Reflection"),
        ("plan", "PlanSolve"),
        ("plan-solve", "PlanSolve"),
    ],
)
def test_the_factory_passes_everything_on(name: str, kind: str) -> None:
    registry = tools()
    agent = create_agent(name, "n", ScriptedLLM("x"), registry, system_prompt="P")
    assert (agent.kind, agent.name, agent.system_prompt) == (kind, "n", "P")
    assert agent.tool_registry is registry
    assert default_subagent_factory(name, ScriptedLLM("x"), registry).system_prompt


def test_an_unknown_pattern_names_the_near_one() -> None:
    with pytest.raises(ValueError, match="react"):
        create_agent("reakt", "n", ScriptedLLM("x"))


# -- agents of a reader's own -------------------------------------------------------------------------------------


def test_an_agent_that_overrides_only_run_still_has_the_assembly() -> None:
    class Mine(Agent):
        def run(self, input_text: str, **kwargs: Any) -> str:
            self.add_message(Message(input_text, "user"))
            self.add_message(Message("mine", "assistant"))
            return "mine"

    agent = Mine("m", ScriptedLLM("x"), "P", tool_registry=tools())
    assert agent.run("hi") == "mine"
    assert [m.content for m in agent.get_history()] == ["hi", "mine"]
    assert "add" in agent.tools(agent.state).list_tools()


def test_a_prompt_of_ones_own_is_a_template_for_the_tools() -> None:
    model = Heard("done")
    agent = create_agent("react", "n", model, tools())
    agent.custom_prompt = "Use these:\n{tools}\n\nQuestion: {question}"  # type: ignore[attr-defined]
    agent.run("go")
    assert model.requests[0].messages[0].text.startswith("Use these:\n- Thought: ")
    assert "- add: Adds." in model.requests[0].messages[0].text
    assert "{" not in model.requests[0].messages[0].text


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("awaited", [False, True])
def test_finish_beside_other_calls_ends_the_question_after_all_of_them_are_answered(place: int, awaited: bool) -> None:
    calls = [ToolCall("a", "add", {"a": 1, "b": 2}), ToolCall("b", "add", {"a": 3, "b": 4})]
    calls.insert(place, ToolCall("f", "Finish", {"answer": "both"}))
    registry = ToolRegistry()
    registry.register_function(add)
    agent = ReActAgent("r", ScriptedLLM(calls), registry)
    assert (asyncio.run(agent.arun("go")) if awaited else agent.run("go")) == "both"
    answered = [message.answers for message in agent.state.messages if message.role == "tool"]
    assert answered == [call.id for call in calls]
    assert agent.state.steps == 1


def test_each_step_of_a_plan_is_put_into_words_once() -> None:
    worded: list[str] = []

    class Counting(Executor):
        def _step(self, run: Run, question: str, plan: list[str], answers: list[str], step: str) -> Run:
            worded.append(step)
            return super()._step(run, question, plan, answers, step)

    steps = [f"part {n}" for n in range(1, 21)]
    model = ScriptedLLM(frames={f"step-1-{n}": [f"result {n}"] for n in range(1, 21)})
    assert Counting(model).execute("all", steps) == "result 20"
    assert worded == steps
