"""FunctionCallAgent and ToolAwareSimpleAgent of version 0.2.8, on the one loop."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from hello_agents import FunctionCallAgent, ScriptedLLM, ToolAwareSimpleAgent, ToolCall, ToolRegistry
from hello_agents.core.run import Noted, Run


def add(a: int, b: int) -> int:
    """Adds."""
    return a + b


def tools() -> ToolRegistry:
    registry = ToolRegistry()
    registry.register_function(add)
    return registry


class Heard(ScriptedLLM):
    """A scripted model that keeps how it is asked."""

    def __init__(self, *replies: Any) -> None:
        super().__init__(*replies)
        self.choices: list[str] = []

    def stream(self, request: Any) -> Any:
        self.choices.append(request.tool_choice)
        return super().stream(request)


CALL = ToolCall("c", "add", {"a": 1, "b": 2})
NAMED = {"type": "function", "function": {"name": "add"}}


@pytest.mark.parametrize(
    ("default", "given", "asked"),
    [
        ("auto", None, ["auto", "auto"]),
        ("required", None, ["required", "auto"]),
        ("none", None, ["none", "none"]),
        ("auto", NAMED, ["add", "auto"]),
        (NAMED, None, ["add", "auto"]),
        (NAMED, "auto", ["auto", "auto"]),
        ("auto", "required", ["required", "auto"]),
    ],
)
def test_how_the_model_is_asked(default: Any, given: Any, asked: list[str]) -> None:
    model = Heard(CALL, "3", "hello")
    agent = FunctionCallAgent("f", model, None, None, tools(), True, default)
    assert agent.run("1+2?", tool_choice=given) == "3"
    assert model.choices == asked
    assert agent.run("hi") == "hello"
    plain = FunctionCallAgent("g", model, tool_registry=tools(), default_tool_choice=default)
    assert model.choices[2] == plain.request(Run("g")).tool_choice


async def arun(agent: FunctionCallAgent, **kwargs: Any) -> None:
    await agent.arun("go", **kwargs)


async def arun_stream(agent: FunctionCallAgent, **kwargs: Any) -> None:
    assert [event async for event in agent.arun_stream("go", **kwargs)]


WAYS: dict[str, Any] = {
    "run": lambda agent, **kwargs: agent.run("go", **kwargs),
    "walk": lambda agent, **kwargs: list(agent.walk("go", **kwargs)),
    "stream_run": lambda agent, **kwargs: list(agent.stream_run("go", **kwargs)),
    "arun": lambda agent, **kwargs: asyncio.run(arun(agent, **kwargs)),
    "arun_stream": lambda agent, **kwargs: asyncio.run(arun_stream(agent, **kwargs)),
    "steps": lambda agent, **kwargs: agent.steps("go", **kwargs).finish(),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_choice_holds_for_one_question_however_it_is_asked(way: str) -> None:
    model = Heard(CALL, "3", CALL, "3", "hello")
    agent = FunctionCallAgent("f", model, tool_registry=tools())
    agent.run("1+2?", tool_choice="none")
    WAYS[way](agent)
    assert model.choices[2:] == ["auto", "auto"]
    model = Heard(CALL, "3", CALL, "3")
    agent = FunctionCallAgent("f", model, tool_registry=tools())
    WAYS[way](agent, tool_choice="add", max_tool_iterations=1)
    assert model.choices == ["add", "none"]


def test_a_choice_is_in_the_run_so_that_a_resumed_one_asks_alike() -> None:
    agent = FunctionCallAgent("f", Heard("3"), tool_registry=tools())
    agent.run("1+2?", tool_choice="add")
    assert agent.state.notes["tool_choice"] == "add"
    other = FunctionCallAgent("f", Heard(), tool_registry=tools())
    before = Run.from_json(agent.steps().run.to_json())
    assert other.request(before) == agent.request(before)


def test_without_tools_nothing_is_chosen_and_the_number_of_steps_can_be_given() -> None:
    model = Heard("hello")
    assert FunctionCallAgent("f", model, default_tool_choice="required").run("hi") == "hello"
    assert model.choices == ["auto"]
    model = Heard(*[ToolCall("", "add", {"a": n, "b": 1}) for n in range(3)], "so far")
    agent = FunctionCallAgent("f", model, tool_registry=tools())
    assert agent.run("go", max_tool_iterations=2)
    assert agent.state.outcome is not None
    assert agent.state.outcome.reason == "max_steps"
    assert agent.list_tools() == ["add"]
    assert agent.remove_tool("add")
    assert not agent.has_tools()


def walked(agent: ToolAwareSimpleAgent, how: str) -> str:
    match how:
        case "run":
            return agent.run("go")
        case "arun":
            return asyncio.run(agent.arun("go"))
        case _:
            return list(agent.stream_run("go", max_tool_iterations=5))[-1]


@pytest.mark.parametrize("how", ["run", "arun", "stream_run"])
def test_the_listener_is_told_of_each_call_with_its_result(how: str) -> None:
    told: list[dict[str, Any]] = []
    script = ScriptedLLM(
        [CALL, ToolCall("d", "add", {"a": "x", "b": 2})], [ToolCall("e", "add", {"a": 5, "b": 5})], "so"
    )
    agent = ToolAwareSimpleAgent("t", script, tool_registry=tools(), tool_call_listener=told.append)
    assert walked(agent, how) == "so"
    # Calls of one reply come as they end, which where they run side by side is in any order.
    told.sort(key=lambda one: [1, "x", 5].index(one["parsed_parameters"]["a"]))
    assert [one["result"] for one in told] == [m.text for m in agent.state.messages if m.role == "tool"]
    assert told[0] == {
        "agent_name": "t",
        "tool_name": "add",
        "raw_parameters": '{"a": 1, "b": 2}',
        "parsed_parameters": {"a": 1, "b": 2},
        "result": "3",
    }


def test_a_call_that_was_not_run_is_not_told_of() -> None:
    told: list[dict[str, Any]] = []
    calls = [ToolCall("", "add", {"a": n, "b": 1}) for n in range(4)]
    agent = ToolAwareSimpleAgent("t", ScriptedLLM(*calls), None, None, tools(), True, 2, tool_call_listener=told.append)
    agent.run("go")
    assert [one["parsed_parameters"]["a"] for one in told] == [0, 1]
    assert agent.state.outcome is not None
    assert agent.state.outcome.reason == "max_steps"


def test_a_listener_that_fails_is_noted_and_the_run_goes_on() -> None:
    def fails(call: dict[str, Any]) -> None:
        raise OSError("full")

    agent = ToolAwareSimpleAgent("t", ScriptedLLM(CALL, "3"), tool_registry=tools(), tool_call_listener=fails)
    assert agent.run("go") == "3"
    (note,) = [entry.event for entry in agent.journal if isinstance(entry.event, Noted)]
    assert (note.key, note.value["type"]) == ("subscriber_error", "OSError")


def test_a_registry_is_attached() -> None:
    agent = ToolAwareSimpleAgent("t", ScriptedLLM(CALL, "3"), enable_tool_calling=False)
    ToolAwareSimpleAgent.attach_registry(agent, None)
    assert not agent.has_tools()
    ToolAwareSimpleAgent.attach_registry(agent, tools())
    assert agent.has_tools()
    assert agent.run("go") == "3"
