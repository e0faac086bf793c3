"""FaultLab: faults come where real ones do, the reader's agent stays as it is, what is shown is the library's."""

from __future__ import annotations

import json

import pytest
from hello_agents_widgets import FaultLab, LoopInspector
from hello_agents_widgets.fault_lab import PRESETS
from widgets.house import keep_fixture

from hello_agents.agents.plan_solve_agent import PlanSolveAgent
from hello_agents.agents.simple_agent import SimpleAgent
from hello_agents.core.agent import Agent
from hello_agents.core.config import Config
from hello_agents.core.message import ToolCall
from hello_agents.offline.offline_llm import OfflineLLM
from hello_agents.offline.scripted import ScriptedLLM
from hello_agents.tools.faults import Fault
from hello_agents.tools.registry import ToolRegistry
from widgets import demo

NASTY = "\"><script>alert(1)</script><img src=x onerror='y'>&"


def stations(*places: str, **config: object) -> SimpleAgent:
    """An agent that asks for the weather at these places one by one, then answers."""
    tools = ToolRegistry()

    def weather(place: str) -> str:
        """Tell the weather.

        Args:
            place: A city.
        """
        return f"{place}: sun"

    tools.register_function(weather)
    calls = [ToolCall(f"w{n}", "weather", {"place": place}) for n, place in enumerate(places)]
    return SimpleAgent(
        "porter", ScriptedLLM(*calls, "All dry."), tool_registry=tools, max_tool_iterations=12, config=Config(**config)
    )


def five() -> SimpleAgent:
    return stations("Oslo", "Rom", "Bern", "Graz", "Lyon", "Kiel")


def states(lab: FaultLab) -> list[tuple[str, str]]:
    return [(call["before"], call["after"]) for one in lab.rounds for call in one["calls"]]


def test_the_fixture_of_the_page() -> None:
    lab = FaultLab(five(), "Is it dry?", {"weather": Fault("failing", 4)})
    lab.go()
    keep_fixture("fault_lab.json", lab.snapshot)


def test_without_a_fault_the_run_is_the_agents_own() -> None:
    lab, plain = FaultLab(demo.agent(), demo.QUESTION), demo.agent()
    plain.run(demo.QUESTION)
    assert lab.go() == plain.state


@pytest.mark.parametrize("preset", PRESETS)
def test_the_readers_agent_and_its_registry_stay_as_they_are(preset: str) -> None:
    agent = demo.agent()
    tools, breaker, state, journal = agent.tool_registry, agent.circuit_breaker, agent.state, list(agent.journal)
    assert tools is not None
    before = tools.list_tools(), tools.get_all_tools()
    lab = FaultLab(agent, demo.QUESTION)
    lab.preset(preset, "Read")
    lab.go()
    assert lab.run.outcome is not None
    assert (agent.tool_registry, agent.circuit_breaker, agent.state, agent.journal) == (tools, breaker, state, journal)
    assert (tools.list_tools(), tools.get_all_tools()) == before
    assert breaker is not None
    assert breaker.get_all_status() == {}
    agent.run(demo.QUESTION)
    assert "820" in str(agent.state.answer)


def test_a_tool_that_is_down_opens_its_breaker_which_tries_again_later() -> None:
    lab = FaultLab(five(), "Is it dry?", {"weather": Fault("failing", 4)})
    lab.go()
    assert states(lab) == [
        ("closed", "closed"),
        ("closed", "closed"),
        ("closed", "open"),
        ("open", "open"),
        ("half_open", "open"),
        ("open", "open"),
    ]
    calls = [call for one in lab.rounds for call in one["calls"]]
    assert [call["fault"] for call in calls] == ["failing", "failing", "failing", "", "failing", ""]
    assert [call["code"] for call in calls].count("CIRCUIT_OPEN") == 2
    lab.set_fault("weather", Fault("failing", 3))
    lab.go()
    assert ("half_open", "closed") in states(lab)
    assert lab.run.answer == "All dry."


@pytest.mark.parametrize("threshold", [1, 2, 4])
def test_the_breaker_opens_at_the_threshold(threshold: int) -> None:
    lab = FaultLab(five(), "Is it dry?", {"weather": "failing"})
    lab.dispatch({"op": "run", "args": {"threshold": str(threshold), "rest": "50"}})
    assert [after for _, after in states(lab)].index("open") == threshold - 1
    lab.dispatch({"op": "run", "args": {"threshold": ""}})
    assert {after for _, after in states(lab)} == {"closed"}


@pytest.mark.parametrize("kind", ["failing", "slow", "garbled"])
@pytest.mark.parametrize("times", [1, 2, None])
def test_a_fault_comes_as_often_as_it_should_and_the_model_reads_it(kind: str, times: int | None) -> None:
    lab = FaultLab(stations("Oslo", "Rom"), "Is it dry?", {"weather": Fault(kind, times)})  # pyright: ignore
    lab.go()
    calls = [call for one in lab.rounds for call in one["calls"]]
    assert sum(call["fault"] == kind for call in calls) == min(times or 2, 2)
    code = {"failing": "EXECUTION_ERROR", "slow": "TIMEOUT", "garbled": "INVALID_FORMAT"}[kind]
    read = [message for message in lab.run.messages if message.role == "tool"]
    assert [call["text"] for call in calls] == [message.text for message in read]
    assert all(call["code"] == code for call in calls if call["fault"])
    # Damaged arguments speak of the call, not of the tool.
    assert max(call["failures"] for call in calls) == (0 if kind == "garbled" else min(times or 2, 2))
    assert lab.state["failed"] == sum(message.status == "error" for message in read)


def test_a_slow_tool_is_given_up_at_its_own_limit() -> None:
    agent = stations("Oslo")
    assert agent.tool_registry is not None
    for own, limit in ((None, "5 s"), (0.25, "0.25 s")):
        tool = agent.tool_registry.get_tool("weather")
        assert tool is not None
        tool.timeout, tool._ready = own, None
        lab = FaultLab(agent, "Is it dry?", {"weather": "slow"})
        lab.go()
        assert limit in lab.rounds[0]["calls"][0]["text"]


@pytest.mark.parametrize("times", [1, 2, None])
def test_a_model_that_repeats_itself_is_warned_and_then_stopped(times: int | None) -> None:
    lab = FaultLab(stations("Oslo"), "Is it dry?", {"weather": Fault("repeated", times)})
    lab.go()
    repeats = [one["repeated"] for one in lab.rounds if one["calls"]]
    assert lab.state["ended"]["reason"] == ("finished" if times else "repeated_call")
    assert repeats == list(range((times or 3) + 1))
    assert any("weather" in words for one in lab.rounds for words in one["told"]) == (times != 1)
    ids = [call.id for message in lab.run.messages for call in message.tool_calls]
    assert len(ids) == len(set(ids))


def test_limits_and_degrading_end_the_run_with_an_answer() -> None:
    lab = FaultLab(five(), "Is it dry?", {"weather": "failing"})
    lab.dispatch({"op": "run", "args": {"max_failures": "2"}})
    assert (lab.state["ended"]["reason"], lab.state["failed"], lab.error) == ("degraded", 2, "")
    lab.dispatch({"op": "run", "args": {"max_steps": "3", "max_failures": ""}})
    assert (lab.state["ended"]["reason"], lab.state["most"]) == ("max_steps", 3)
    assert lab.run.steps == lab.state["steps"] == len(lab.rounds)


def test_step_by_step_arrives_where_running_does() -> None:
    one, other = (FaultLab(five(), "Is it dry?", {"weather": Fault("failing", 2)}) for _ in range(2))
    one.go()
    for count in range(1, 20):
        other.step()
        assert len(other.rounds) == count
        if other.state["ended"]:
            break
    assert [{**each, "run": 0} for each in other.rounds] == [{**each, "run": 0} for each in one.rounds]
    assert other.run == one.run
    assert other.snapshot["rounds"] == other.rounds
    other.step()
    assert len(other.rounds) == 1


def test_a_switch_takes_effect_in_a_run_under_way() -> None:
    lab = FaultLab(five(), "Is it dry?")
    lab.step()
    lab.set_fault("weather", "failing")
    lab.step()
    lab.set_fault("weather", None)
    lab.step()
    assert [call["status"] for one in lab.rounds for call in one["calls"]] == ["success", "error", "success"]


def test_tools_of_members_fail_as_well() -> None:
    tools = ToolRegistry()

    def look(place: str) -> str:
        """Look at a place."""
        return f"{place} is empty"

    tools.register_function(look)
    script = ScriptedLLM(
        frames={
            "planner": ['["Look at the hall."]'],
            "step_1": [ToolCall("a", "look", {"place": "hall"}), "The hall is empty."],
        }
    )
    agent = PlanSolveAgent("solver", script, tool_registry=tools)
    probe = FaultLab(agent, "What is there?")
    frames = list(agent.members)
    assert frames
    probe.go()
    assert set(probe._twin.members) == set(frames)
    assert all(one.llm is not agent.llm for one in probe._twin.members.values())
    assert all(one.tool_registry is not tools for one in probe._twin.members.values() if one.tool_registry is not None)


def test_an_async_tool_fails_too() -> None:
    agent = stations("Oslo", "Rom")
    assert agent.tool_registry is not None

    async def weather(place: str) -> str:
        """Tell the weather."""
        return f"{place}: rain"

    agent.tool_registry.register_function(weather, replace=True)
    lab = FaultLab(agent, "Is it dry?", {"weather": Fault("failing", 1)})
    lab.go()
    assert [call["status"] for one in lab.rounds for call in one["calls"]] == ["error", "success"]


def test_a_model_that_fails_is_shown_and_not_raised() -> None:
    lab = FaultLab(SimpleAgent("a", ScriptedLLM(ValueError("gone")), tool_registry=demo.registry()), "Q")
    lab.go()
    assert lab.state["ended"]["reason"] == "error"
    assert "gone" in lab.state["ended"]["answer"]
    assert "gone" in repr(lab)


@pytest.mark.parametrize("preset", PRESETS)
def test_the_offline_model_ends_under_every_fault(preset: str) -> None:
    agent = demo.agent()
    agent.llm = OfflineLLM()
    lab = FaultLab(agent, demo.QUESTION)
    lab.dispatch({"op": "preset", "args": {"name": preset}})
    assert lab.error == ""
    assert lab.run.outcome is not None


def test_it_opens_in_the_inspector() -> None:
    lab = FaultLab(demo.agent(), demo.QUESTION, {"Read": "failing"})
    lab.go()
    inspector = lab.inspect()
    assert isinstance(inspector, LoopInspector)
    assert inspector.run == lab.run
    assert "ConnectionError" in repr(inspector)


def test_operations_and_their_errors() -> None:
    lab = FaultLab(demo.agent(), demo.QUESTION)
    lab.dispatch({"op": "fault", "args": {"tool": "Read", "kind": "slow", "times": "2"}})
    assert lab.faults.by_tool == {"Read": Fault("slow", 2)}
    lab.dispatch({"op": "fault", "args": {"tool": "Read", "kind": "", "times": None}})
    assert lab.faults.by_tool == {}
    lab.dispatch({"op": "preset", "args": {"name": "down", "tool": "Calculator"}})
    assert lab.head["tools"][1]["fault"] == "failing"
    lab.dispatch({"op": "none"})
    assert lab.faults.by_tool == {}
    lab.dispatch({"op": "step", "args": {"question": "What now?"}})
    assert lab.question == "What now?"
    assert len(lab.rounds) == 1
    for message, word in (
        ({"op": "dance"}, "dance"),
        ({"op": "fault", "args": {"tool": "Fly", "kind": "slow"}}, "Fly"),
        ({"op": "fault", "args": {"tool": "Read", "kind": "rusty"}}, "rusty"),
        ({"op": "preset", "args": {"name": "flood"}}, "flood"),
        ({"op": "run", "args": {"max_steps": "many"}}, "many"),
        ({"op": "run", "args": {"threshold": "0"}}, "threshold"),
    ):
        lab.dispatch(message)
        assert word in lab.error
    with pytest.raises(TypeError, match="ToolRegistry"):
        FaultLab(demo.registry(), "Q")  # pyright: ignore
    with pytest.raises(ValueError, match="Fly"):
        FaultLab(demo.agent(), "Q", {"Fly": "slow"})
    with pytest.raises(ValueError, match="-1"):
        Fault("slow", -1)


def test_an_agent_without_tools_says_so() -> None:
    lab = FaultLab(SimpleAgent("a", ScriptedLLM("hi")), "Q")
    lab.go()
    assert lab.run.answer == "hi"
    lab.dispatch({"op": "preset", "args": {"name": "down"}})
    assert "no tool" in lab.error


def test_at_rest_it_is_the_same_and_escaped() -> None:
    def made() -> FaultLab:
        agent: Agent = demo.agent(ToolCall("1", "Read", {"path": NASTY}), NASTY)
        lab = FaultLab(agent, NASTY, {"Read": Fault("slow", 1)})
        lab.go()
        return lab

    page = made().picture()
    assert "<script" not in page
    assert "<img" not in page
    assert (repr(made()), made().picture()) == (repr(made()), page)
    assert "Read [slow], error: ❌ Error [TIMEOUT]" in repr(made())
    json.dumps(made().state)
