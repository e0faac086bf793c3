"""FaultLab: an agent whose tools fail on purpose, and what breaker, limits and model make of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from html import escape
from typing import Any, ClassVar, get_args

from hello_agents.core.action import Ask, Wait
from hello_agents.core.agent import Agent
from hello_agents.core.at_rest import HUES, box, grid, muted, pill, sheet
from hello_agents.core.loop import Loop
from hello_agents.core.message import ToolCall
from hello_agents.core.opaque import closed
from hello_agents.core.run import Began, Entry, Noted, Replied, Returned, Run
from hello_agents.tools.circuit_breaker import CircuitBreaker
from hello_agents.tools.faults import GARBLED, REPEATS, Fault, FaultKind, Faults
from hello_agents.tools.registry import ToolRegistry

from ._base import SHARED, SHARED_STYLES, BookWidget, module, style
from .loop_inspector import LoopInspector
from .timeline import compact_json, one_line

Json = dict[str, Any]

PRESETS: dict[str, Fault] = {
    "down": Fault("failing"),
    "slow": Fault("slow"),
    "garbled": Fault("garbled", 1),
    "repeats": Fault("repeated"),
}
"""One tool is down; a slow tool; garbled arguments; the model repeats itself."""

SECONDS = 60
"""By how much the breaker's clock goes on with each request to the model, so that a run shows the same every time."""

_STATES = {"closed": "closed", "open": "open", "half_open": "half-open"}


class FaultLab(BookWidget):
    """The tools of an agent with a switch each: failing, slow, damaged arguments, a repeated call. Run, and watch.

    The agent and its registry stay as they are: a copy runs, on a view of the registry, from the same conversation.
    `.run` is its run, `.state` all that is shown, `.inspect()` opens it in a LoopInspector.
    """

    _esm: ClassVar[str] = module(*SHARED, "labels.js", "fault_lab.js")
    _css: ClassVar[str] = style(*SHARED_STYLES, "fault_lab.css")

    def __init__(
        self,
        agent: Agent,
        question: str,
        faults: Mapping[str, Fault | FaultKind] | None = None,
        *,
        language: str | None = None,
    ) -> None:
        """`faults`: what goes wrong with which tool. Raises `ValueError` for a tool that the agent does not have."""
        if not isinstance(agent, Agent):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"FaultLab runs an agent, not {type(agent).__name__}. Pass the agent that you made.")
        self.agent = agent
        """The reader's own, which never runs here."""
        self.question = question
        self.language = language or agent.language
        self.registry = agent.tool_registry or ToolRegistry()
        seconds = agent.config.step_timeout or self.registry.default_timeout
        self.faults = Faults(limit=seconds or 5.0, language=agent.language)
        """What goes wrong now."""
        watch = self.registry.circuit_breaker
        known = watch.failure_threshold if isinstance(watch, CircuitBreaker) else agent.config.circuit_failure_threshold
        self.knobs: dict[str, int | None] = {
            "threshold": known if watch is not None or agent.config.circuit_enabled else None,
            "rest": 2,
            "max_steps": agent.max_steps,
            "max_repeats": agent.config.max_repeated_calls,
            "max_failures": agent.config.degrade_after_failures,
        }
        """For the next run: failures that switch a tool off, requests until it is tried again, and the agent's limits.
        `None`: off."""
        self.rounds: list[Json] = []
        """Each request of this run and what came of it."""
        self._unsent: list[Json] = []
        self._number = 0
        self._begin()
        for name, fault in (faults or {}).items():
            self.set_fault(name, fault if isinstance(fault, Fault) else Fault(fault))
        super().__init__(agent)

    # -- values --------------------------------------------------------------------------------------

    @property
    def run(self) -> Run:
        """The run so far."""
        return self._twin.state

    @property
    def state(self) -> Json:
        """All that is shown, as plain JSON."""
        return {**self.head_json(), "rounds": self.rounds}

    # -- from code, as from the buttons --------------------------------------------------------------

    def set_fault(self, tool: str, fault: Fault | FaultKind | None) -> None:
        """Switches a fault on or, with `None`, off. A run that is under way has it from its next call on."""
        if tool not in self.registry.list_tools():
            raise ValueError(f"The agent has no tool {tool!r}. There are {', '.join(self.registry.list_tools())}.")
        if fault is None:
            self.faults.by_tool.pop(tool, None)
        else:
            self.faults.by_tool[tool] = fault if isinstance(fault, Fault) else Fault(fault)
        self._refresh()

    def preset(self, name: str, tool: str | None = None) -> None:
        """One fault and no other: `down`, `slow`, `garbled` or `repeats`, of the tool that is called first."""
        if name not in PRESETS:
            raise ValueError(f"There is no preset {name!r}. There are {', '.join(PRESETS)}.")
        chosen = tool or self._usual_tool()
        self.faults.by_tool.clear()
        self.set_fault(chosen, PRESETS[name])

    def go(self) -> Run:
        """Asks the question anew, and runs to the end. An error of the model is shown, not raised."""
        self._begin()
        while self._ended is None:
            self._advance()
        self._refresh()
        return self.run

    def step(self) -> Run:
        """One request to the model and what comes of it; after the end, the first of a new run."""
        if self._ended is not None:
            self._begin()
        self._advance()
        self._refresh()
        return self.run

    def inspect(self) -> LoopInspector:
        """The run so far in a LoopInspector. Breakers and the count of faults go on where they are."""
        return LoopInspector(self._twin, language=self.language)

    # -- the run -------------------------------------------------------------------------------------

    def _begin(self) -> None:
        """A fresh copy of the agent over a view of its tools, with a breaker of its own."""
        self._number += 1
        self.rounds, self._ended = [], None
        self.faults = Faults(self.faults.by_tool, limit=self.faults.limit, language=self.faults.language)
        threshold, rest = self.knobs["threshold"], self.knobs["rest"] or 1
        self._requests = 0
        self._breaker = CircuitBreaker(
            threshold or 1, rest * SECONDS, threshold is not None, clock=lambda: self._requests * SECONDS
        )
        view = self.faults.over(self.registry)
        view.circuit_breaker = self._breaker
        self._twin = self._copied(self.agent, view)
        self._walk: Iterator[tuple[Entry, Run]] = self._twin.walk(
            self.question, max_steps=self.knobs["max_steps"], max_repeats=self.knobs["max_repeats"]
        )
        self._told: list[str] = []

    def _copied(self, agent: Agent, view: ToolRegistry) -> Agent:
        twin = copy(agent)
        twin.state = agent.state
        twin.subscribers, twin.sink = [], lambda entry, run: None
        twin.config = copy(agent.config)
        twin.config.degrade_after_failures = self.knobs["max_failures"]
        for part in ("own_tools", "circuit_breaker"):
            vars(twin).pop(part, None)  # Made anew when it is needed, from the copy.
        if agent.tool_registry is self.agent.tool_registry:
            twin.tool_registry = view
        twin.llm = self.faults.model(agent.llm)
        twin.members = {name: self._copied(member, view) for name, member in agent.members.items()}
        return twin

    def _advance(self) -> None:
        """Goes on until the model would be asked again, or the end."""
        actor, asked = closed(self._twin), False
        opened: dict[str, str] = {}
        try:
            for entry, run in self._walk:
                match entry.event:
                    case Replied(message):
                        self._requests, asked = self._requests + 1, True
                        self._open_round(entry.frame, message.text, run)
                    case Began(call_id):
                        call = _call_of(run.at(entry.frame), call_id)
                        opened[call_id] = self._breaker.get_status(call.name)["state"]
                    case Returned(message) if self.rounds:
                        self._close_call(entry, run, opened.get(message.answers or ""))
                    case Noted("model_error", value):
                        self._requests += 1
                        self._ended = {"reason": "error", "answer": str(value.get("message", ""))}
                    case _:
                        pass
                decision = Loop(actor, run).next_action()
                if decision is None or isinstance(decision.action, Wait):
                    continue
                if isinstance(decision.action, Ask):
                    own = run.at(decision.frame).messages
                    self._told = [one.text for one in decision.action.request.messages[len(own) :]]
                    if asked:
                        return
        except Exception as error:
            # Behind the walk are the reader's model and its own tools.
            self._ended = {"reason": "error", "answer": f"{type(error).__name__}: {error}"}
            return
        outcome = self.run.outcome
        self._ended = {"reason": "waiting", "answer": None}
        if outcome is not None:
            self._ended = {"reason": outcome.reason, "answer": outcome.answer}

    def _open_round(self, frame: str, said: str, run: Run) -> None:
        reply = run.at(frame).messages[-1]
        damaged = reply.metadata.get(GARBLED, ())
        repeated = int(reply.metadata.get(REPEATS, 0))
        one: Json = {
            "run": self._number,
            "n": len(self.rounds) + 1,
            "frame": frame,
            "told": self._told,
            "said": said,
            "repeated": repeated,
            "calls": [
                {
                    "id": call.id,
                    "name": call.name,
                    "arguments": compact_json(call.arguments) if call.fault is None else "",
                    "fault": "garbled" if call.id in damaged else "repeated" if repeated else "",
                    "text": None,
                }
                for call in reply.tool_calls
            ],
        }
        self._told = []
        self.rounds.append(one)
        self._unsent.append(one)

    def _close_call(self, entry: Entry, run: Run, before: str | None) -> None:
        """Writes down what a call was answered with, and what its breaker made of it."""
        assert isinstance(entry.event, Returned)
        message = entry.event.message
        spoilt = self.faults.take()
        for one in reversed(self.rounds):
            for call in one["calls"]:
                if one["frame"] == entry.frame and call["id"] == message.answers:
                    status = self._breaker.get_status(call["name"])
                    call |= {
                        "text": message.text,
                        "status": message.status or "success",
                        "code": message.metadata.get("code"),
                        "fault": spoilt[1] if spoilt else call["fault"],
                        "before": before or status["state"],
                        "after": status["state"],
                        "failures": status["failure_count"],
                    }
                    return

    def _usual_tool(self) -> str:
        """The tool to spoil when none is named: the first that was called, else the first there is."""
        names = [one["name"] for one in self._tools() if one["can"]]
        if not names:
            raise ValueError("The agent has no tool that could fail. Give it one, with a registry.")
        called = [call["name"] for one in self.rounds for call in one["calls"] if call["name"] in names]
        return called[0] if called else names[0]

    def _tools(self) -> list[Json]:
        found: list[Json] = []
        for tool in self.registry.get_all_tools():
            fault, status = self.faults.by_tool.get(tool.name), self._breaker.get_status(tool.name)
            found.append(
                {
                    "name": tool.name,
                    "fault": fault.kind if fault else "",
                    "times": fault.times if fault else None,
                    # A call that becomes a run of its own is carried out by no tool; its words may still be damaged.
                    "can": ["garbled", "repeated"] if tool.spawns else list(get_args(FaultKind)),
                    "limit": tool.timeout or self.faults.limit,
                    "state": status["state"],
                    "failures": status["failure_count"],
                }
            )
        return found

    def _refresh(self) -> None:
        if self._number and "head" in self._trait_values:
            self.publish()

    # -- for the base --------------------------------------------------------------------------------

    def take(self) -> Json | None:
        rounds, self._unsent = self._unsent, []
        return {"rounds": rounds} if rounds else None

    def head_json(self) -> Json:
        run, start = self.run, self.agent.state
        return {
            "title": self.agent.name,
            "kind": self.agent.kind,
            "language": self.language,
            "question": self.question,
            "tools": self._tools(),
            "presets": list(PRESETS),
            "knobs": self.knobs,
            "seconds": SECONDS,
            "run": self._number,
            "steps": run.steps - start.steps,
            "most": self.knobs["max_steps"],
            "failed": sum(_has_failed(call) for one in self.rounds for call in one["calls"]),
            "tokens": run.usage.total_tokens - start.usage.total_tokens,
            "begun": bool(self.rounds),
            "ended": self._ended,
        }

    def perform(self, op: str, args: Mapping[str, Any]) -> None:
        match op:
            case "fault":
                kind, times = str(args.get("kind") or ""), args.get("times")
                fault = Fault(_kind(kind), int(times) if times else None) if kind else None
                self.set_fault(str(args["tool"]), fault)
            case "preset":
                self.preset(str(args["name"]), str(args.get("tool") or "") or None)
                self._set(args)
                self.go()
            case "run":
                self._set(args)
                self.go()
            case "step":
                if self._ended is not None or not self.rounds:
                    self._set(args)
                    self._begin()
                self.step()
            case "none":
                self.faults.by_tool.clear()
            case "dismiss":
                pass
            case _:
                raise ValueError(f"FaultLab has no operation {op!r}. There are fault, preset, run, step and none.")

    def _set(self, args: Mapping[str, Any]) -> None:
        """Takes over question and knobs; an empty field is a limit that is off."""
        question = str(args.get("question") or self.question).strip()
        knobs = dict(self.knobs)
        for name in knobs:
            if name in args:
                written = str(args[name] if args[name] is not None else "").strip()
                if written and not (written.isdecimal() and int(written) > 0):
                    raise ValueError(f"{name} is {written!r}. Write a number from 1 on, or leave it empty for none.")
                knobs[name] = int(written) if written else None
        self.question, self.knobs = question, knobs

    # -- at rest -------------------------------------------------------------------------------------

    def summary(self) -> str:
        head = self.head_json()
        lines = [f"FaultLab: {head['title']} ({len(head['tools'])} tools)"]
        for tool in head["tools"]:
            often = "every call" if tool["times"] is None else f"the first {tool['times']}"
            words = f"{tool['fault']}, {often}" if tool["fault"] else "as it is"
            lines.append(f"  {tool['name']}: {words}; breaker {_STATES[tool['state']]}, {tool['failures']} failures")
        for one in self.rounds:
            lines.append(f"step {one['n']}{' in ' + one['frame'] if one['frame'] else ''}")
            lines += [f"  told: {one_line(words)}" for words in one["told"]]
            lines += [f"  said: {one_line(one['said'])}"] if one["said"] else []
            lines += [f"  {_call_line(call)}" for call in one["calls"]]
        if self._ended is not None:
            lines.append(f"{self._ended['reason']}: {one_line(self._ended['answer'] or '')}")
        return "\n".join(lines)

    def picture(self) -> str:
        head = self.head_json()
        rows = [
            [
                f"<code>{escape(tool['name'])}</code>",
                escape(tool["fault"] or "–"),
                "–" if not tool["fault"] else "every call" if tool["times"] is None else f"first {tool['times']}",
                f"{_STATES[tool['state']]}, {tool['failures']} failures",
            ]
            for tool in head["tools"]
        ]
        body = grid(("tool", "fault", "how often", "breaker"), rows) + self._picture_of_rounds()
        if self._ended is not None:
            ending, answer = str(self._ended["reason"]), str(self._ended["answer"] or "")
            hue = HUES["results"] if ending == "finished" else HUES["error"]
            body += box(hue, f"<b>{escape(ending)}</b>", f'<div style="padding:6px 10px">{escape(answer)}</div>')
        most = f" of {head['most']}" if head["most"] else ""
        foot = f"{head['steps']}{most} steps · {head['failed']} failed calls · {head['tokens']:,} tokens"
        return sheet(f"FaultLab: {head['title']}", (head["kind"],), body, foot, language=self.language)

    def _picture_of_rounds(self) -> str:
        rows: list[list[str]] = []
        for one in self.rounds[:40]:
            for call in one["calls"]:
                fault = pill(escape(call["fault"])) if call["fault"] else ""
                passed = [_STATES[call[when]] for when in ("before", "after") if when in call]
                name, read = f"<code>{escape(call['name'])}</code> {fault}", escape(one_line(call["text"] or ""))
                rows.append([str(one["n"]), name, read, " → ".join(dict.fromkeys(passed))])
            if not one["calls"]:
                rows.append([str(one["n"]), muted("answer"), escape(one_line(one["said"])), ""])
        return grid(("step", "call", "what the model read", "breaker"), rows) if rows else ""


def _kind(written: str) -> FaultKind:
    for kind in get_args(FaultKind):
        if kind == written:
            return kind
    raise ValueError(f"{written!r} is not a fault. There are {', '.join(get_args(FaultKind))}.")


def _call_of(run: Run, call_id: str) -> ToolCall:
    return next(call for call in run.pending if call.id == call_id)


def _has_failed(call: Json) -> bool:
    """Whether it was answered with an error; one beyond a limit, which was never to run, has not failed."""
    return call.get("status") == "error" and call["code"] != "NOT_RUN"


def _call_line(call: Json) -> str:
    fault = f" [{call['fault']}]" if call["fault"] else ""
    if call["text"] is None:
        return f"{call['name']}{fault}: not answered"
    state = f"{_STATES[call['after']]}, {call['failures']} failures"
    return f"{call['name']}{fault}, {call['status']}: {one_line(call['text'])} (breaker {state})"


__all__ = ["FaultLab"]
