"""Permissions: what a policy says of a call, and that every agent and every way of walking keeps to it."""

from __future__ import annotations

import asyncio
import enum
import json
import re
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hello_agents import Config, ScriptedLLM, SimpleAgent, ToolCall, ToolRegistry, Waiting
from hello_agents.agents.factory import default_subagent_factory
from hello_agents.agents.plan_solve_agent import PlanSolveAgent
from hello_agents.agents.react_agent import ReActAgent
from hello_agents.agents.reflection_agent import ReflectionAgent
from hello_agents.core.agent import Agent
from hello_agents.core.run import Judged, Run
from hello_agents.tools.base import FunctionTool
from hello_agents.tools.builtin.task_tool import TaskTool
from hello_agents.tools.executor import execute
from hello_agents.tools.permissions import Policy, Rule

VERDICTS = ("allow", "ask", "refuse")
STRICTNESS = {verdict: rank for rank, verdict in enumerate(VERDICTS)}


class World:
    """Tools that write down what they were called with."""

    def __init__(self) -> None:
        self.did: list[str] = []
        self.tools = ToolRegistry()
        for name in ("read", "write", "run"):
            self.tools.register_function(self.make(name), name=name, description=name)

    def make(self, name: str) -> Callable[..., str]:
        def act(path: str = "", paths: list[str] | None = None, times: int = 1) -> str:
            self.did.append(f"{name}:{path}")
            return f"{name} done"

        return act


def tool(name: str = "write") -> FunctionTool:
    found = World().tools.get_tool(name)
    assert isinstance(found, FunctionTool)
    return found


def verdict(policy: Policy, name: str = "write", **arguments: Any) -> str:
    return policy.ruling(ToolCall("1", name, arguments), tool(name)).verdict


@pytest.mark.parametrize(
    ("rules", "default", "expected"),
    [
        ([], "allow", "allow"),
        ([], "refuse", "refuse"),
        ([Rule("w*", "ask")], "allow", "ask"),
        ([Rule("W*", "ask")], "allow", "allow"),
        ([Rule(("read", "write"), "allow"), Rule("*", "refuse")], "ask", "allow"),
        ([Rule("*", "refuse"), Rule("write", "allow")], "allow", "refuse"),
        ([Rule("write", "refuse", {"path": "*.env"})], "allow", "refuse"),
        ([Rule("write", "refuse", {"path": ("*.md", "*.txt")})], "allow", "allow"),
        ([Rule("write", "refuse", {"path": "*.env", "times": "2"})], "allow", "refuse"),
        ([Rule("write", "refuse", {"paths": "*"})], "allow", "allow"),
        ([Rule("write", "ask", when=lambda arguments: arguments["times"] > 1)], "allow", "ask"),
        ([Rule("write", "allow", when=lambda arguments: arguments["nowhere"])], "allow", "refuse"),
    ],
)
def test_the_first_rule_that_fits_decides(rules: list[Rule], default: Any, expected: str) -> None:
    # The number is sent as text, and is compared as the tool receives it.
    assert verdict(Policy(rules, default), path="a/.env", times="2") == expected


def test_of_a_list_all_must_be_allowed_and_one_is_enough_to_refuse() -> None:
    mixed = ["docs/a", "secret/b"]
    assert verdict(Policy([Rule("write", "allow", {"paths": "docs/*"})], "refuse"), paths=mixed) == "refuse"
    assert verdict(Policy([Rule("write", "refuse", {"paths": "secret/*"})]), paths=mixed) == "refuse"
    assert verdict(Policy([Rule("write", "allow", {"paths": "docs/*"})], "refuse"), paths=["docs/a"]) == "allow"


class Shelf(enum.Enum):
    SECRET = "secret"
    OPEN = 2


@pytest.mark.parametrize(
    ("kind", "sent", "pattern"),
    [
        (Path, "a/.env", "*.env"),
        (Shelf, "secret", "secret"),
        (Shelf, 2, "2"),
        (date, "2024-02-01", "2024-*"),
        (UUID, str(UUID(int=7)), "*07"),
        (Decimal, 1.5, "1.5"),
        (bytes, "a.env", "*.env"),
        (list[Path], ["b", "a.env"], "*.env"),
        (set[str], ["b", "a.env"], "*.env"),
        (frozenset[Path], ["b", "a.env"], "*.env"),
        (tuple[Path, int], ["a.env", 1], "*.env"),
        (bool, "TRUE", "true"),
    ],
)
def test_a_value_is_compared_as_it_is_written(kind: Any, sent: Any, pattern: str) -> None:
    def act(what: Any) -> None:
        pass

    act.__annotations__["what"] = kind
    made, call = FunctionTool(act), ToolCall("1", "act", {"what": sent})
    assert execute(made, call.arguments).code is None
    assert Policy([Rule("act", "refuse", {"what": pattern})]).ruling(call, made).verdict == "refuse"
    assert Policy([Rule("act", "refuse", {"what": "other"})]).ruling(call, made).verdict == "allow"


RULES = st.lists(st.builds(Rule, st.sampled_from(["*", "read", "w*", "run"]), st.sampled_from(VERDICTS)), max_size=3)
POLICIES = st.builds(Policy, RULES, st.sampled_from(VERDICTS))


@given(POLICIES, POLICIES, POLICIES, st.sampled_from(["read", "write", "run"]))
def test_a_policy_under_another_is_as_strict_as_the_stricter(a: Policy, b: Policy, c: Policy, name: str) -> None:
    alone = max((verdict(one, name) for one in (a, b, c)), key=STRICTNESS.__getitem__)
    assert verdict(c.under(b.under(a)), name) == alone
    assert verdict(c.under(b).under(a), name) == alone


@given(POLICIES)
def test_a_policy_is_data(policy: Policy) -> None:
    assert Policy.from_data(json.loads(json.dumps(policy.to_data()))) == policy


@pytest.mark.parametrize(
    ("data", "names"),
    [
        ({"rules": [{"tools": "x", "verdict": "never"}]}, "never"),
        ({"rules": [{"tools": "x"}]}, "Rule 1"),
        ({"rules": [{"tools": "x", "verdict": "ask"}, {"tool": "x", "verdict": "ask"}]}, "Rule 2"),
        ({"rules": [{"tools": [1], "verdict": "ask"}]}, "[1]"),
        ({"rules": [{"tools": "x", "verdict": "ask", "arguments": ["a"]}]}, "['a']"),
        ({"rules": "x"}, "'x'"),
        ({"rule": []}, "'rule'"),
        ({"default": "perhaps"}, "perhaps"),
    ],
)
def test_what_is_no_policy_is_refused_with_its_place(data: dict[str, Any], names: str) -> None:
    with pytest.raises(ValueError, match=re.escape(names)):
        Policy.from_data(data)
    with pytest.raises(ValueError, match=re.escape(names)):
        SimpleAgent("a", ScriptedLLM("x"), config=Config(permissions=data))


def test_a_predicate_cannot_be_written_down() -> None:
    with pytest.raises(ValueError, match="predicate"):
        Policy([Rule("x", "ask", when=lambda arguments: True)]).to_data()


BOUND = Policy([Rule("read", "allow"), Rule("write", "ask"), Rule("run", "refuse", reason="no programs")])
CALLS = [ToolCall("r", "read", {"path": "1"}), ToolCall("w", "write", {"path": "2"}), ToolCall("x", "run")]


def one(world: World, kind: str, model: Any, policy: Policy | None) -> Agent:
    match kind:
        case "simple":
            return SimpleAgent("a", model, tool_registry=world.tools, permissions=policy)
        case "react":
            return ReActAgent("a", model, world.tools, permissions=policy)
        case "reflection":
            return ReflectionAgent("a", model, tool_registry=world.tools, max_iterations=0, permissions=policy)
        case "plan":
            return PlanSolveAgent("a", model, tool_registry=world.tools, permissions=policy)
        case _:
            tools = ToolRegistry()
            tools.register_tool(TaskTool(lambda pattern: default_subagent_factory(pattern, model, world.tools)))
            return SimpleAgent("a", model, tool_registry=tools, permissions=policy)


SCRIPTS: dict[str, Callable[[], ScriptedLLM]] = {
    "simple": lambda: ScriptedLLM(CALLS, "done"),
    "react": lambda: ScriptedLLM(CALLS, ToolCall("f", "Finish", {"answer": "done"})),
    "reflection": lambda: ScriptedLLM(frames={"draft-1": [CALLS, "done"]}),
    "plan": lambda: ScriptedLLM(
        frames={
            "plan-1": [ToolCall("p", "generate_plan", {"steps": ["one"]})],
            "execute-1/step-1-1": [CALLS, "done"],
        }
    ),
    "task": lambda: ScriptedLLM(
        ToolCall("t", "Task", {"task": "x", "agent_type": "simple"}), "done", frames={"t": [CALLS, "done"]}
    ),
}


def go(agent: Agent, awaited: bool) -> None:
    walk = (lambda: asyncio.run(agent.arun("go"))) if awaited else (lambda: agent.run("go"))
    with pytest.raises(Waiting):
        walk()


@pytest.mark.parametrize("kind", SCRIPTS)
@pytest.mark.parametrize("awaited", [False, True])
def test_allowed_calls_run_refused_ones_are_told_and_the_others_wait(kind: str, awaited: bool) -> None:
    world = World()
    agent = one(world, kind, SCRIPTS[kind](), BOUND)
    go(agent, awaited)
    assert world.did == ["read:1"]
    results = {m.answers: m for _, run in agent.state.frames for m in run.messages if m.role == "tool"}
    assert results["x"].metadata["code"] == "REFUSED"
    assert "no programs" in results["x"].text
    assert "w" not in results
    # Another process, with the same rules, takes the stored run up.
    again = one(world, kind, SCRIPTS[kind](), BOUND)
    again.state = Run.from_json(agent.state.to_json())
    assert again.resume(Judged("w", True, {"path": "3"})) == "done"
    assert world.did == ["read:1", "write:3"]


@pytest.mark.parametrize("kind", SCRIPTS)
def test_a_person_refuses_in_the_debugger(kind: str) -> None:
    world = World()
    debugger = one(world, kind, SCRIPTS[kind](), BOUND).steps("go")
    debugger.finish()
    assert world.did == ["read:1"]
    debugger.refuse("w", "not now")
    assert debugger.finish().answer == "done"
    said = [m.text for _, run in debugger.run.frames for m in run.messages if m.answers == "w"]
    assert "not now" in said[0]
    assert world.did == ["read:1"]


def test_a_person_cannot_allow_what_a_rule_refuses() -> None:
    world = World()
    policy = Policy([Rule("write", "refuse", {"path": "/etc/*"}), Rule("write", "ask")])
    agent = SimpleAgent("a", ScriptedLLM(CALLS[1], "done"), tool_registry=world.tools, permissions=policy)
    go(agent, False)
    assert agent.resume(Judged("w", True, {"path": "/etc/passwd"})) == "done"
    assert world.did == []


def test_a_tool_that_needs_approval_is_asked_for_under_any_policy() -> None:
    world = World()
    world.tools.register_function(world.make("pay"), name="pay", description="Pays.", needs_approval=True)
    model = ScriptedLLM(ToolCall("p", "pay"), "done")
    agent = SimpleAgent("a", model, tool_registry=world.tools, permissions=Policy([Rule("*", "allow")]))
    go(agent, False)
    assert world.did == []


@pytest.mark.parametrize("child", [None, Policy(), Policy([Rule("read", "refuse")]), Policy(default="ask")])
def test_a_child_can_only_be_stricter(child: Policy | None) -> None:
    world = World()
    model = SCRIPTS["task"]()

    def make(pattern: str) -> Agent:
        agent = default_subagent_factory(pattern, model, world.tools)
        agent.permissions = child
        return agent

    tools = ToolRegistry()
    tools.register_tool(TaskTool(make))
    agent = SimpleAgent("a", model, tool_registry=tools, permissions=BOUND)
    go(agent, False)
    assert [entry for entry in world.did if not entry.startswith("read")] == []
    strict = child is not None and verdict(child, "read") != "allow"
    assert world.did == ([] if strict else ["read:1"])


def test_a_call_of_task_is_a_call_too() -> None:
    world = World()
    agent = one(world, "task", SCRIPTS["task"](), Policy([Rule("Task", "refuse")]))
    assert agent.run("go") == "done"
    assert agent.state.children == {}


def test_a_default_does_not_hold_for_the_tools_of_the_pattern() -> None:
    model = ScriptedLLM([ToolCall("t", "Thought", {"reasoning": "x"}), ToolCall("f", "Finish", {"answer": "done"})])
    assert ReActAgent("a", model, permissions=Policy(default="refuse")).run("go") == "done"


def test_a_policy_may_stand_in_the_settings(tmp_path: Path) -> None:
    written = tmp_path / "policy.json"
    written.write_text(json.dumps(BOUND.to_data()), encoding="utf-8")
    config = Config(permissions=json.loads(written.read_text(encoding="utf-8")))
    world = World()
    agent = SimpleAgent("a", ScriptedLLM(CALLS, "done"), config=config, tool_registry=world.tools)
    assert agent.permissions == BOUND
    go(agent, False)
    assert world.did == ["read:1"]
