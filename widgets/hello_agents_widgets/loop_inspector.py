"""LoopInspector: an agent's loop to step through, like a program in a debugger."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar, cast

from hello_agents.context.token_counter import TokenCounter
from hello_agents.core.action import Request
from hello_agents.core.agent import Agent
from hello_agents.core.debugger import Debugger
from hello_agents.core.llm import HelloAgentsLLM
from hello_agents.core.message import Message, ToolCall
from hello_agents.core.report import Head, run_html
from hello_agents.core.run import Event, Replied, Returned, Run, Told
from hello_agents.sandbox import Sandbox, Sandboxes, sandboxes_of
from hello_agents.wire.openai_chat import encode

from ._base import SHARED, SHARED_STYLES, BookWidget, module, plain_trait, style
from .courses import spread_json
from .exports import KINDS, export
from .ticker import Ticker
from .timeline import METER, Timeline, compact_json, next_json

Json = dict[str, Any]

_MOST = 50
"""Runs from one place at a time."""


class LoopInspector(BookWidget):
    """A loop to look into: each request, reply, call and result; to step, run, go back, edit, fork and switch.

    `subject` is an agent (with a question to ask it, or to look at what it has done so far), a debugger, or a
    run. `.run`, `.debugger` and `.state` are what is shown, as values.

    Files in a folder of `book.sandbox` are put back as they were when the reader goes back: in `sandbox`, or else
    in the folders that the agent's file tools work in. Other effects of tools do not rewind.
    """

    _esm: ClassVar[str] = module(*SHARED, "labels.js", "snapshot.js", "courses.js", "frames.js", "loop_inspector.js")
    _css: ClassVar[str] = style(*SHARED_STYLES, "loop_inspector.css")

    score: Any = plain_trait({"right": 0, "asked": 0})
    """How many next steps the reader has predicted, and how many of them rightly."""

    def __init__(
        self,
        subject: Agent | Debugger | Run,
        question: str | None = None,
        *,
        sandbox: str | Path | None = None,
        language: str | None = None,
    ) -> None:
        self.debugger = _debugger(subject, question)
        """The debugger behind the picture. What is done with it here shows after `refresh()`."""
        agent = self.debugger.agent
        _find_world(self.debugger, sandbox)
        self._spread: Json | None = None
        self._compared: Json | None = None
        self._predicted: Json | None = None
        self.language = language or (agent.language if agent else "en")
        self._timeline = Timeline(TokenCounter(_model_name(agent)), _body_of(agent), _wire_language(agent))
        self._window = agent.config.context_window if agent else None
        self._threshold = agent.policy.limit if agent and self._window else None
        super().__init__(subject)

    # -- values --------------------------------------------------------------------------------------

    @property
    def run(self) -> Run:
        """The run at the cursor."""
        return self.debugger.run

    @property
    def state(self) -> Json:
        """Where the cursor stands: branch, index of the tick, step, calls waiting, outcome, tokens, meter, next."""
        self._timeline.sync(self.debugger)
        at = self._timeline.cursor(self.debugger)
        chain = self._timeline.chains[self.debugger.branch]
        tick = self._timeline.ticks[chain[at]] if at >= 0 else None
        meter = tick["meter"] if tick else [0] * len(METER)
        return {
            "branch": self.debugger.branch,
            "cursor": at,
            "ticks": len(chain),
            **(tick["state"] if tick else {}),
            "meter": dict(zip(METER, meter, strict=True)),
            "next": tick["next"] if tick else next_json(self.debugger, self.debugger.run),
        }

    # -- from code, as from the buttons --------------------------------------------------------------

    def step(self, n: int = 1) -> Run:
        """Goes on by `n` decisions."""
        return self._moved(lambda: self.debugger.step(n))

    def back(self, n: int = 1) -> Run:
        """Goes back by `n` decisions."""
        return self._moved(lambda: self.debugger.back(n))

    def finish(self, until: Callable[[Run], bool] | None = None) -> Run:
        """Goes on to the end, to a call that waits for a person, or to where `until` holds."""
        return self._moved(lambda: self.debugger.finish(until))

    def run_on(self, n: int = 5) -> Json:
        """Runs on from the cursor `n` times, each on a branch of its own, and says how they ended."""
        self._run_on(n)
        self.publish()
        return self._spread or {}

    def export(self, kind: str, *, tools: str | None = None) -> str:
        """The run to take away: `json` (the run at the cursor), `journal` (the branch, one JSON line an entry) or
        `pytest` (a test file that plays the branch again; `tools` names a registry to use, as `"module:name"`)."""
        return export(self.debugger, kind, tools)

    def refresh(self) -> Run:
        """Shows what was done with `debugger`."""
        self.publish()
        return self.run

    def _moved(self, move: Callable[[], object]) -> Run:
        try:
            move()
        finally:
            self.publish()
        return self.run

    # -- for the base --------------------------------------------------------------------------------

    def take(self) -> Json | None:
        self._timeline.sync(self.debugger)
        return self._timeline.take()

    def head_json(self) -> Json:
        debugger, agent = self.debugger, self.debugger.agent
        return {
            "v": 1,
            "title": debugger.start.agent,
            "kind": agent.kind if agent else "",
            "model": _model_label(agent, self.language),
            "language": self.language,
            "live": agent is not None,
            "editable": agent is not None,
            "branch": debugger.branch,
            "cursor": self._timeline.cursor(debugger),
            "branches": [
                {
                    "name": branch.name,
                    "parent": branch.parent,
                    "label": branch.label,
                    "tip": (self._timeline.chains.get(branch.name) or [-1])[-1],
                }
                for branch in debugger.branches.values()
                if branch.name in self._timeline.chains
            ],
            "next": next_json(debugger, debugger.run),
            "window": self._window,
            "threshold": self._threshold,
            "exact": self._timeline.counter.exact,
            "sandbox": debugger.world is not None,
            "known": debugger.world_known(-1),
            "spread": self._spread,
            "compared": self._compared,
            "predicted": self._predicted,
            "score": self.score,
        }

    def dispatch(self, message: Mapping[str, Any]) -> None:
        """Does the operation, and meanwhile shows the page what the model is writing."""
        self.debugger.watch = Ticker(self.tell)
        try:
            super().dispatch(message)
        finally:
            self.debugger.watch = None

    def perform(self, op: str, args: Mapping[str, Any]) -> None:
        debugger = self.debugger
        match op:
            case "step":
                debugger.step()
            case "back":
                debugger.back()
            case "jump":
                self._jump(int(args["tick"]))
            case "finish":
                debugger.finish(_until(args, debugger))
            case "fork":
                debugger.fork()
            case "switch":
                debugger.switch(str(args["name"]))
                self._jump(self._timeline.chains[debugger.branch][-1])
            case "edit":
                self._edit(args)
            case "approve":
                debugger.approve(str(args["call"]), args.get("arguments"))
                debugger.step()
            case "refuse":
                debugger.refuse(str(args["call"]), str(args.get("reason") or ""))
                debugger.step()
            case "again":
                self._run_on(int(args["n"]))
            case "compare":
                self._compare(str(args["a"]), str(args["b"]))
            case "predict":
                self._predict(str(args["kind"]), str(args.get("tool") or ""))
            case "export":
                self._hand_over(str(args["kind"]), str(args.get("how") or "download"))
            case "dismiss":
                pass
            case _:
                raise ValueError(f"The inspector has no operation {op!r}. Send one of its buttons' operations.")

    def _jump(self, tick: int) -> None:
        stop = self._timeline.stop_of(tick) if tick >= 0 else 0
        self.debugger.jump(stop - 1)

    def _edit(self, args: Mapping[str, Any]) -> None:
        """Puts the edited message in the place of the recorded one, which makes a branch."""
        tick = int(args["tick"])
        wanted = self._timeline.message(int(args["message"]))
        start, stop = self._timeline.start_of(tick), self._timeline.stop_of(tick)
        for seq in range(start, stop):
            run = self.debugger.run_at(seq)
            event = self.debugger.entries[seq].event
            if isinstance(event, Told | Replied | Returned) and _is_of(wanted, event, run):
                self.debugger.edit(seq, _edited(event, wanted, args))
                return
        raise ValueError(f"The message {args['message']} is not in the tick {tick} of this branch. Edit what is shown.")

    def _run_on(self, n: int) -> None:
        if not 1 <= n <= _MOST:
            raise ValueError(f"{n} runs cannot be looked at side by side. Choose a number from 1 to {_MOST}.")
        names: list[str] = []
        for name in self.debugger.again(n):
            self._timeline.sync(self.debugger)
            names.append(name)
        number = (self._spread or {"id": 0})["id"] + 1
        tick = self._timeline.cursor(self.debugger)
        self._spread = {"id": number, "branch": self.debugger.branch, "at": tick, **spread_json(self.debugger, names)}

    def _compare(self, a: str, b: str) -> None:
        """Where two branches part, in ticks: `None` for one that ends there."""
        first = self.debugger.compare(a, b).first
        where = {name: None if first is None else self._timeline.tick_of(name, first) for name in (a, b)}
        self._compared = {"a": a, "b": b, "equal": first is None, "first": [where[a], where[b]]}

    def _predict(self, kind: str, tool: str) -> None:
        """Takes a step and holds what came of it against what the reader said would."""
        debugger = self.debugger
        self._timeline.sync(debugger)
        at = self._timeline.cursor(debugger)
        coming = next_json(debugger, debugger.run)
        debugger.step()
        self._timeline.sync(debugger)
        chain = self._timeline.chains[debugger.branch]
        after = self._timeline.cursor(debugger)
        came = self._timeline.ticks[chain[at + 1]]["kind"] if after > at else (coming or {}).get("kind", "")
        names = self._names_called(chain[at + 1]) if after > at and came == "ask" else []
        came = came if came in ("ask", "call", "wait", "stop") else "other"
        right = kind == came and (came != "ask" or (tool in names if names else not tool))
        self.score = {"right": self.score["right"] + right, "asked": self.score["asked"] + 1}
        tick = chain[after] if after >= 0 else -1
        self._predicted = {"tick": tick, "right": right, "kind": came, "names": names, "guess": [kind, tool]}

    def _names_called(self, tick: int) -> list[str]:
        numbers = [int(number) for op in self._timeline.ticks[tick]["ops"] for number in op[3]]
        replies = [message for number in numbers if (message := self._timeline.message(number)).role == "assistant"]
        return [call.name for reply in replies for call in reply.tool_calls]

    def _hand_over(self, kind: str, how: str) -> None:
        """Gives the page a text to save or to copy; it goes once, and is not kept in the notebook."""
        words = self.export(kind)
        stem = "".join(sign if sign.isalnum() else "_" for sign in self.head["title"]) or "run"
        name = f"test_{stem}.py" if kind == "pytest" else f"{stem}.{KINDS[kind]}"
        self.tell({"export": kind, "how": how, "name": name, "text": words})

    # -- at rest -------------------------------------------------------------------------------------

    def summary(self) -> str:
        """The run at the cursor, a line for each thing that happened, and what comes next."""
        head, lines = self.head, [f"LoopInspector: {self.head['title']}"]
        marks = [mark for mark in (head["kind"], head["model"]) if mark]
        lines[0] += f" ({', '.join(marks)})" if marks else ""
        chain = self._timeline.chains[self.debugger.branch]
        step, frame = 0, ""
        for id in chain[: int(head["cursor"]) + 1]:
            tick = self._timeline.ticks[id]
            said = self._lines(tick)
            if tick["frame"] != frame and said:
                frame = tick["frame"]
                lines.append(f"in {frame or head['title']}")
            if tick["kind"] == "ask":
                step += 1
                lines.append(f"step {step}")
            lines += [f"  {line}" for line in said]
        if head["next"]:
            lines.append(f"next: {head['next']['kind']} ({head['next']['why']})")
        if len(head["branches"]) > 1:
            lines.append(f"branch: {head['branch']} of {', '.join(one['name'] for one in head['branches'])}")
        return "\n".join(lines)

    def _lines(self, tick: Json) -> list[str]:
        lines = [f"handed to {one['agent']}, as {one['id']}" for one in tick.get("spawned", ())]
        lines += [f"context built: {tick['context']['tokens']} tokens"] if "context" in tick else []
        for number in [int(number) for op in tick["ops"] if op[0] == tick["frame"] for number in op[3]]:
            message = self._timeline.message(number)
            match message.role:
                case "assistant":
                    lines += [f"reply: {_short(message.text)}"] if message.text else []
                    lines += [
                        f"call {call.name}({_short(compact_json(call.arguments))})" for call in message.tool_calls
                    ]
                case "tool":
                    name = self._timeline.messages[number].get("tool", "tool")
                    lines.append(f"result of {name}, {message.status or 'success'}: {_short(message.text)}")
                case "user":
                    lines.append(f"question: {_short(message.text)}")
                case _:
                    lines.append(f"{message.role}: {_short(message.text)}")
        if tick.get("stop"):
            lines.append(f"{tick['stop']['reason']}: {_short(tick['stop']['answer'] or '')}")
        return lines

    def picture(self) -> str:
        """The run at the cursor, without scripts."""
        state = self.state
        coming = state["next"]
        head = Head(
            title=self.head["title"],
            marks=tuple(mark for mark in (self.head["kind"], self.head["model"]) if mark),
            meter=tuple(state["meter"].items()) if state["ticks"] else (),
            window=self._window,
            coming=(coming["kind"], coming["why"], tuple(coming.get("names", ()))) if coming else None,
            branches=tuple(one["name"] for one in self.head["branches"]),
            branch=self.debugger.branch,
            language=self.language,
        )
        return run_html(self.run, head)


def _debugger(subject: Agent | Debugger | Run, question: str | None) -> Debugger:
    match subject:
        case Debugger():
            if question is not None:
                raise ValueError(
                    f"The debugger has its question already; {question!r} cannot be asked. Pass the agent."
                )
            return subject
        case Run():
            if question is not None:
                raise ValueError(f"A run cannot be asked {question!r}. Pass the agent: LoopInspector(agent, question).")
            return Debugger.of_run(subject)
        case Agent():
            return subject.steps(question)
        case _:
            raise TypeError(
                f"LoopInspector shows an agent, a debugger or a run, not {type(subject).__name__}. "
                "Pass the agent that you made, or `agent.steps(question)`."
            )


def _find_world(debugger: Debugger, sandbox: str | Path | None) -> None:
    """Lets the debugger put files back, where it does not already: in the folder given, or in the tools' own."""
    agent = debugger.agent
    if debugger.world is not None or agent is None:
        return
    registries = [one.tool_registry for one in (agent, *agent.members.values()) if one.tool_registry is not None]
    if sandbox is not None:
        debugger.world = Sandbox(sandbox, registries[0] if registries else None)
        return
    found = {part.folder: part for registry in registries for part in sandboxes_of(registry)}
    if found:
        debugger.world = Sandboxes(found.values())


def _until(args: Mapping[str, Any], debugger: Debugger) -> Callable[[Run], bool] | None:
    """A breakpoint: before the next call of a tool, after an error, or past a number of tokens."""
    match args.get("until"):
        case None:
            return None
        case "tool":
            name = args.get("tool")
            return lambda run: any(not name or call.name == name for call in run.at(run.focus).pending)
        case "error":
            return _failed
        case "tokens":
            limit = int(args["tokens"])
            return lambda run: run.usage.total_tokens > limit
        case other:
            raise ValueError(f"There is no breakpoint on {other!r}. There are tool, error and tokens.")


def _failed(run: Run) -> bool:
    """Whether the newest results hold an error."""
    for message in reversed(run.at(run.focus).messages):
        if message.role != "tool":
            return False
        if message.status == "error":
            return True
    return False


def _is_of(wanted: Message, event: Event, run: Run) -> bool:
    """Whether this entry put the message into the run."""
    match event:
        case Told(message) | Returned(message):
            return message is wanted
        case Replied(message):
            return message is wanted or any(other is wanted for _, part in run.frames for other in part.messages[-1:])
        case _:
            return False


def _edited(event: Told | Replied | Returned, shown: Message, args: Mapping[str, Any]) -> Event:
    match event:
        case Told(_, limits):
            return Told(_with(shown, args), limits)
        case Replied(_, usage, model, finish):
            return Replied(_with(shown, args), usage, model, finish)
        case Returned():
            return Returned(_with(shown, args))


def _with(message: Message, args: Mapping[str, Any]) -> Message:
    """The message with the text, the status and the calls' arguments that the reader wrote."""
    calls = cast("Mapping[str, Json]", args.get("calls") or {})
    status = args.get("status", message.status)
    metadata = {name: value for name, value in message.metadata.items() if name != "code" or status == "error"}
    return Message(
        args.get("text", message.content),
        message.role,
        tool_calls=[ToolCall(c.id, c.name, calls[c.id]) if c.id in calls else c for c in message.tool_calls],
        answers=message.answers,
        status=status,
        reasoning=message.reasoning,
        metadata=metadata,
    )


def _short(text: str, size: int = 100) -> str:
    line = " ".join(text.split())
    return line if len(line) <= size else line[: size - 1] + "…"


def _model_name(agent: Agent | None) -> str:
    """The name of the agent's model, for the body of a request; models without one are of the offline kind."""
    name = None if agent is None else vars(agent.llm).get("model")
    return name if isinstance(name, str) and name else "offline"


def _model_label(agent: Agent | None, language: str) -> str:
    if agent is None:
        return ""
    name = _model_name(agent)
    kinds = {"ScriptedLLM": ("scripted model", "脚本模型"), "RecordedLLM": ("recorded model", "录制模型")}
    english, chinese = kinds.get(type(agent.llm).__name__, ("offline model", "离线模型"))
    return name if name != "offline" else chinese if language.startswith("zh") else english


def _body_of(agent: Agent | None) -> Callable[[Request], Json]:
    """How a request looks as the body of the HTTP request. An offline model sends none; this is what it would be."""
    if agent is not None and isinstance(agent.llm, HelloAgentsLLM):
        return agent.llm.body
    return lambda request: encode(request, model=_model_name(agent), language=_wire_language(agent))


def _wire_language(agent: Agent | None) -> str:
    """The language in which a history is repaired on its way out."""
    if agent is None:
        return "en"
    return agent.llm.language if isinstance(agent.llm, HelloAgentsLLM) else agent.language


__all__ = ["LoopInspector"]
