"""The timeline: a debugger's walk as plain JSON that only grows.

Messages and tool lists are told once and have a number from then on. A *tick* is one decision carried out; it names
the tick before it (`up`), so that branches share what they have in common, and says in ranges and numbers what the
model saw, what came of it and how the conversation changed. What a new tick costs does not depend on how many
there are.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import is_
from typing import Any, assert_never, cast

from hello_agents.catalogue import text
from hello_agents.context.context_trace import is_chosen
from hello_agents.context.token_counter import TokenCounter
from hello_agents.core.action import Action, Ask, Call, Request, Wait
from hello_agents.core.agent import Agent
from hello_agents.core.budgets import ELAPSED, budgets_of, tree_steps
from hello_agents.core.contexts import CONTEXT
from hello_agents.core.debugger import Debugger, why
from hello_agents.core.loop import Decision, Loop
from hello_agents.core.message import Message, ToolCall
from hello_agents.core.run import (
    Began,
    Compacted,
    Delta,
    Entry,
    Judged,
    Limits,
    Noted,
    Replied,
    Returned,
    Run,
    Spawned,
    Stopped,
    Told,
)
from hello_agents.wire.repair import repair

Json = dict[str, Any]


METER = ("system", "tools", "user", "assistant", "results", "summary")
"""What fills the context window, in the order of `meter`."""
_METER_OF = {"system": 0, "user": 2, "assistant": 3, "tool": 4, "summary": 5}


def compact_json(value: object) -> str:
    """JSON as it goes over the wire: nothing escaped that need not be, no blanks."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def one_line(text: str, size: int = 120) -> str:
    """A text on one line, cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= size else line[: size - 1] + "…"


@dataclass
class Timeline:
    """Everything recorded of one debugger, and the part of it that has not been taken yet."""

    counter: TokenCounter
    body: Callable[[Request], Json]
    """A request as the body of the HTTP request, in the form of the OpenAI chat API."""
    language: str = "en"
    """The language in which the model's side repairs a history: that of the model, as in `body`."""
    ticks: list[Json] = field(default_factory=list[Json])
    messages: list[dict[str, Any]] = field(default_factory=list[Json])
    tools: list[Json] = field(default_factory=list[Json])
    envelopes: list[str] = field(default_factory=list[str])
    """The bodies of requests without messages and tools, for the few that there are."""
    chains: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    """Ticks of each branch, in order."""

    def __post_init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._own: dict[tuple[str, str], int] = {}
        self._legal: dict[str, tuple[int, Message | None, set[str]]] = {}
        self._kept: list[Message] = []
        self._sent = (0, 0, 0, 0)
        # Agents hand out the same tuple of schemas for as long as their tools stay the same.
        self._last_bare: tuple[object, object, tuple[int, int]] = (None, None, (-1, -1))
        self._ends: list[tuple[int, int, Entry | None]] = []

    def sync(self, walk: Debugger) -> None:
        """Takes in what the debugger has recorded since the last time."""
        entries = walk.entries
        spans = _spans(walk, len(entries))
        chain = self._chain(walk, entries)
        while chain and not self._holds(chain[-1], len(chain) - 1, spans, entries):
            chain.pop()
        if not chain and len(walk.start.messages):
            chain.append(self._add_start(walk))
        lead = 1 if chain and self.ticks[chain[0]]["kind"] == "start" else 0
        for start, stop in spans[len(chain) - lead :]:
            chain.append(self._add(walk, entries[start:stop], start, chain[-1] if chain else -1))
        self.chains[walk.branch] = chain

    def cursor(self, walk: Debugger) -> int:
        """How far along its branch the debugger stands: the index of the last tick carried out, -1 before any."""
        chain = self.chains[walk.branch]
        index = len(chain) - 1
        while index >= 0 and self._ends[chain[index]][1] > walk.position:
            index -= 1
        return index

    def tick_of(self, branch: str, seq: int) -> int | None:
        """The tick of a branch that holds this entry."""
        for id in self.chains.get(branch, ()):
            start, stop, _ = self._ends[id]
            if start <= seq < stop:
                return id
        return None

    def stop_of(self, tick: int) -> int:
        """How many entries of its branch are applied once this tick is carried out."""
        return self._ends[tick][1]

    def start_of(self, tick: int) -> int:
        return self._ends[tick][0]

    def message(self, number: int) -> Message:
        """The message that has this number."""
        return self._kept[number]

    def take(self) -> Json | None:
        """What has been added since the last `take`; `None` when that is nothing."""
        ticks, messages, tools, envelopes = self._sent
        part = {
            "ticks": self.ticks[ticks:],
            "messages": self.messages[messages:],
            "tools": self.tools[tools:],
            "envelopes": self.envelopes[envelopes:],
        }
        self._sent = (len(self.ticks), len(self.messages), len(self.tools), len(self.envelopes))
        kept = {name: items for name, items in part.items() if items}
        return kept or None

    def _chain(self, walk: Debugger, entries: Sequence[Entry]) -> list[int]:
        """The ticks this branch is known to have; those of its parent, for a branch not seen before."""
        if walk.branch in self.chains:
            return self.chains[walk.branch]
        parent = walk.branches[walk.branch].parent
        shared = list(self.chains.get(parent or "", ()))
        while shared and not self._same(shared[-1], entries):
            shared.pop()
        return shared

    def _same(self, tick: int, entries: Sequence[Entry]) -> bool:
        _, stop, last = self._ends[tick]
        return last is None or (stop <= len(entries) and entries[stop - 1] is last)

    def _holds(self, tick: int, index: int, spans: Sequence[tuple[int, int]], entries: Sequence[Entry]) -> bool:
        start, stop, last = self._ends[tick]
        return last is None or (self._same(tick, entries) and (start, stop) in spans[max(0, index - 1) : index + 1])

    def _add_start(self, walk: Debugger) -> int:
        tick: Json = {"id": len(self.ticks), "up": -1, "kind": "start", "frame": ""}
        tick["ops"] = [["", 0, 0, [self._number(message) for message in walk.start.messages]]]
        return self._keep(tick, walk, walk.start, (0, 0, None))

    def _add(self, walk: Debugger, entries: Sequence[Entry], start: int, up: int) -> int:
        frame = entries[0].frame
        tick: Json = {"id": len(self.ticks), "up": up, "kind": _kind(entries), "frame": frame, "ops": []}
        for index, entry in enumerate(entries, start):
            event = entry.event
            before = walk.run_at(index - 1)
            if isinstance(event, Replied):
                tick["request"] = self._request(walk.request_at(index), before.at(entry.frame))
                tick["toolset"] = tick["request"].pop("toolset")
                tick["usage"] = event.usage.total_tokens
            tick["ops"] += self._ops(event, entry.frame, before, walk.run_at(index))
            _describe(tick, event)
        stop = start + len(entries)
        return self._keep(tick, walk, walk.run_at(stop - 1), (start, stop, entries[-1]))

    def _keep(self, tick: Json, walk: Debugger, after: Run, end: tuple[int, int, Entry | None]) -> int:
        """Adds what is shown beside a tick, and the tick."""
        before = self._before_in_frame(tick)
        self._look_ahead(tick, walk, after, before)
        shown = after.at(tick["frame"])
        tick["state"] = state_json(shown, after)
        tick["meter"] = self._meter(shown, tick, before)
        if walk.world is not None:
            tick["world"] = walk.world_known(end[1] - 1)
        self.ticks.append(tick)
        self._ends.append(end)
        return tick["id"]

    def _before_in_frame(self, tick: Json) -> Json | None:
        """The last tick before this one in the same frame. It is not looked for before the one that began the frame."""
        frame, at = tick["frame"], int(tick["up"])
        while at >= 0:
            other = self.ticks[at]
            if other["frame"] == frame:
                return other
            if any(_inside(other["frame"], one["id"]) == frame for one in other.get("spawned", ())):
                return None
            at = int(other["up"])
        return None

    def _look_ahead(self, tick: Json, walk: Debugger, after: Run, before: Json | None) -> None:
        """What the agent would do next, with the request it would send; and the tools on offer until then."""
        decision = next_decision(walk, after)
        tick["next"] = None
        if decision is not None and walk.agent is not None:
            action = decision.action
            tick["next"] = decision_json(decision, walk.agent.language)
            if isinstance(action, Ask):
                tick["next"]["request"] = self._request(action.request, decision.run) | {"frame": decision.frame}
        if "toolset" not in tick:
            tick["toolset"] = -1 if before is None else int(before["toolset"])
            coming: Json = (tick["next"] or {}).get("request") or {}
            if tick["toolset"] < 0 and coming.get("frame") == tick["frame"]:
                tick["toolset"] = coming["toolset"]

    def _ops(self, event: object, frame: str, before: Run, after: Run) -> list[list[Any]]:
        """How the conversation of a frame changed, as `[frame, at, dropped, messages put in]`."""
        match event:
            case Spawned(id, child):
                return [[_inside(frame, id), 0, 0, [self._number(message) for message in child.messages]]]
            case Compacted(start, stop, messages):
                self._legal.pop(frame, None)
                return [[frame, start, stop - start, [self._number(message) for message in messages]]]
            case _:
                pass
        old, new = before.at(frame).messages, after.at(frame).messages
        if old is new:
            return []
        if len(new) == len(old):
            return [[frame, 0, 1, [self._number(new[0])]]]
        # Exactly one message came in; what stands behind it has moved by one.
        at = len(old)
        while at > 0 and old[at - 1] is not new[at - 1]:
            at -= 1
        return [[frame, at, 0, [self._number(new[at])]]]

    def _request(self, request: Request, run: Run) -> Json:
        """A request in ranges and numbers."""
        envelope, toolset = self._bare(request)
        parts = self._sent_of(request, run)
        return {"parts": parts, "choice": request.tool_choice, "envelope": envelope, "toolset": toolset}

    def _sent_of(self, request: Request, run: Run) -> list[Any]:
        """The messages that go out. A conversation known to be legal up to a point is looked at from there on only."""
        frame, had = request.at[0], run.messages
        size, last, ids = self._legal.get(frame, (0, None, set[str]()))
        if request.messages is had and 0 < size <= len(had) and had[size - 1] is last:
            tail = had[size:]
            asked = [call.id for message in tail for call in message.tool_calls]
            legal = repair(tail, self.language)
            same = len(legal) == len(tail) and all(map(is_, legal, tail))
            if same and ids.isdisjoint(asked) and len(set(asked)) == len(asked):
                self._legal[frame] = (len(had), had[-1], _joined(ids, asked))
                return [[0, len(had)]]
        parts = self._parts(repair(request.messages, self.language), had)
        if parts == [[0, len(had)]]:
            self._legal[frame] = (len(had), had[-1], {call.id for message in had for call in message.tool_calls})
        else:
            self._legal.pop(frame, None)
        return parts

    def _parts(self, asked: Sequence[Message], had: Sequence[Message]) -> list[Any]:
        """What was sent: a range of the conversation as `[start, stop]`, a message of its own as its number."""
        parts: list[Any] = []
        here = {id(message): index for index, message in enumerate(had)}
        for message in asked:
            index = here.get(id(message))
            if index is None:
                parts.append(self._number_of_own(message))
            elif parts and isinstance(parts[-1], list) and parts[-1][1] == index:
                parts[-1][1] = index + 1
            else:
                parts.append([index, index + 1])
        return parts

    def _bare(self, request: Request) -> tuple[int, int]:
        """The numbers of the request's body, with a place for the messages and one for the tools, and of its tools."""
        tools, choice, numbers = self._last_bare
        if tools is request.tools and choice == request.tool_choice:
            return numbers
        body = self.body(Request((), request.tools, request.tool_choice, request.at))
        wire = compact_json(body.get("tools") or [])
        body["messages"] = []
        if "tools" in body:
            body["tools"] = []
        envelope = compact_json(body)
        if envelope not in self.envelopes:
            self.envelopes.append(envelope)
        numbers = self.envelopes.index(envelope), self._toolset(request, wire)
        self._last_bare = (request.tools, request.tool_choice, numbers)
        return numbers

    def _toolset(self, request: Request, wire: str) -> int:
        for number, known in enumerate(self.tools):
            if known["wire"] == wire:
                return number
        names = [str(schema["function"]["name"]) for schema in request.tools]
        self.tools.append({"names": names, "wire": wire, "tokens": self.counter.count_tools(request.tools)})
        return len(self.tools) - 1

    def _number_of_own(self, message: Message) -> int:
        """The number of a message that only requests have. Agents make it anew for each, equal as it may be."""
        if message.tool_calls or message.role == "tool":
            return self._number(message)
        key = (message.role, message.text)
        if key not in self._own:
            self._own[key] = self._number(message)
        return self._own[key]

    def _number(self, message: Message) -> int:
        number = self._numbers.get(id(message))
        if number is None:
            number = self._numbers[id(message)] = len(self.messages)
            # The identity is only a name for as long as the message lives.
            self._kept.append(message)
            self.messages.append(self._message_json(number, message))
        return number

    def _message_json(self, number: int, message: Message) -> Json:
        sent = wire_of(message, self.body)
        shown: Json = {
            "id": number,
            "role": message.role,
            "wire": "" if sent is None else compact_json(sent),
            "tokens": self.counter.count_message(message),
        }
        if message.role == "tool":
            shown |= {"answers": message.answers, "status": message.status or "success"}
            shown |= {name: message.metadata[name] for name in ("tool", "code") if message.metadata.get(name)}
        if message.reasoning:
            shown["reasoning"] = message.reasoning
        if sent is None or (sent.get("content") or "") != message.text:
            shown["text"] = message.text
        faults = {call.id: call.fault for call in message.tool_calls if call.fault}
        if message.tool_calls:
            shown["calls"] = [{"id": call.id, "name": call.name} for call in message.tool_calls]
        if faults:
            shown["faults"] = faults
        return shown

    def _meter(self, run: Run, tick: Json, before: Json | None) -> list[int]:
        """Tokens of the frame by `METER`: those it had before and of what was added, or counted anew after another
        change."""
        ops: list[list[Any]] = [op for op in tick["ops"] if op[0] == tick["frame"]]
        if before is not None and not any(dropped for _, _, dropped, _ in ops):
            parts = list[int](before["meter"])
            added = [self.message(int(number)) for op in ops for number in op[3]]
        else:
            parts = [0] * len(METER)
            added = list(run.messages)
        for message in added:
            parts[_METER_OF[message.role]] += self.messages[self._number(message)]["tokens"]
        toolset = int(tick.get("toolset", -1))
        parts[1] = self.tools[toolset]["tokens"] if toolset >= 0 else 0
        return parts


def _joined(ids: set[str], more: Sequence[str]) -> set[str]:
    ids.update(more)
    return ids


def _spans(walk: Debugger, total: int) -> list[tuple[int, int]]:
    """The entry ranges of all ticks: the debugger's steps, and whatever stands between them, each on its own."""
    spans: list[tuple[int, int]] = []
    at = 0
    for step in walk.steps:
        if step.stop <= step.start:
            continue
        spans += [(index, index + 1) for index in range(at, step.start)]
        spans.append((step.start, step.stop))
        at = step.stop
    return spans + [(index, index + 1) for index in range(at, total)]


def _kind(entries: Sequence[Entry]) -> str:
    """The word for what happened: that of the weightiest event."""
    order = ("ask", "call", "stop", "told", "spawn", "judged", "compact", "note")
    kinds = {_kind_of(entry) for entry in entries}
    return next(kind for kind in order if kind in kinds)


def _kind_of(entry: Entry) -> str:
    match entry.event:
        case Replied():
            return "ask"
        case Noted(_, _, step):
            return "ask" if step else "note"
        case Began() | Returned():
            return "call"
        case Stopped():
            return "stop"
        case Told() | Delta():
            return "told"
        case Spawned():
            return "spawn"
        case Judged():
            return "judged"
        case Compacted():
            return "compact"
        case _:
            assert_never(entry.event)


def _describe(tick: Json, event: object) -> None:
    match event:
        case Stopped(reason, answer):
            tick["stop"] = {"reason": reason, "answer": answer}
        case Judged(call_id, allowed, arguments, reason):
            tick.setdefault("judged", []).append(
                {"call": call_id, "allowed": allowed, "edited": arguments is not None, "reason": reason}
            )
        case Noted(key) if key == ELAPSED:
            pass  # The time is among the budgets, and no news.
        case Noted(key, {"text": str(words), "trace": {"gathered": _, "tokens": _} as trace}) if key == CONTEXT:
            tick["context"] = _context_json(words, cast("Json", trace))
        case Noted(key, value, step):
            tick.setdefault("notes", []).append({"key": key, "value": _plain_value(value), "step": step})
        case Compacted(start, stop, messages):
            tick["compact"] = {"start": start, "stop": stop, "into": len(messages)}
        case Spawned(id, child):
            tick.setdefault("spawned", []).append({"id": id, "agent": child.agent, **_may(child.limits)})
        case _:
            pass


def _inside(frame: str, id: str) -> str:
    """The path of a child run."""
    return f"{frame}/{id}" if frame else id


def _may(limits: Limits) -> Json:
    """How far a child may go: its limits that are set, and the tools it has on offer where they were chosen."""
    fields = {
        "max_steps": limits.max_steps,
        "max_total_steps": limits.max_total_steps,
        "token_budget": limits.max_tokens,
        "max_seconds": limits.max_seconds,
        "max_cost": limits.max_cost,
    }
    may: Json = {"limits": {name: value for name, value in fields.items() if value is not None}}
    return may if limits.tools is None else {**may, "tools": list(limits.tools)}


def _context_json(words: str, trace: Json) -> Json:
    """A context that was built, and from how much."""
    packets = cast("list[Json]", trace["gathered"])
    chosen = sum(is_chosen(packet["fate"]) for packet in packets)
    return {"text": words, "tokens": trace["tokens"], "packets": chosen, "of": len(packets)}


def _plain_value(value: Any) -> Any:
    """A note as JSON; long ones are cut, for a note may hold anything."""
    words = compact_json(value)
    return json.loads(words) if len(words) <= 2000 else words[:2000] + "…"


def wire_of(message: Message, body: Callable[[Request], Json]) -> Json | None:
    """One message as it goes out in a legal history; `None` for one that says nothing and stays here."""
    match message.role:
        case "assistant":
            results = [Message("", "tool", answers=call.id) for call in message.tool_calls]
            history = [Message("?", "user"), message, *results]
        case "tool":
            asked = [ToolCall(message.answers or "", "tool")]
            history = [Message("?", "user"), Message(None, "assistant", tool_calls=asked), message]
        case _:
            history = [message]
    role = "user" if message.role == "summary" else message.role
    sent = [one for one in body(Request(history))["messages"] if one["role"] == role]
    return sent[-1] if sent and not (role == "assistant" and len(sent) > 1) else None


def next_decision(walk: Debugger, run: Run) -> Decision | None:
    """What the agent does next in this run; `None` when nothing is left to do or said yet, or there is no agent."""
    if walk.agent is None or not run.at(run.focus).messages:
        return None
    return Loop(walk.agent, run).next_action()


def next_json(walk: Debugger, run: Run) -> Json | None:
    """What comes next in this run, and why; before the first word, that something is said."""
    language = walk.agent.language if walk.agent else "en"
    if walk.position == 0 and walk.entries:
        return {"kind": "told", "why": text("why.told", language)}
    decision = next_decision(walk, run)
    return None if decision is None else decision_json(decision, language)


def decision_json(decision: Decision, language: str) -> Json:
    """What happens next, why, in which frame, and what a policy says of each call that waits for a person."""
    coming = action_json(decision.action, why(decision.run, decision.action, language))
    if decision.frame:
        coming["frame"] = decision.frame
    if isinstance(decision.action, Wait) and isinstance(decision.actor, Agent):
        rulings = {call.id: decision.actor.ruling(decision.run, call) for call in decision.action.calls}
        reasons = {id: ruling.reason for id, ruling in rulings.items() if ruling.verdict == "ask" and ruling.reason}
        if reasons:
            coming["reasons"] = reasons
    return coming


def state_json(run: Run, whole: Run) -> Json:
    """Where a run stands, in the few numbers that are shown beside it. `requests` and `tokens` count all frames."""
    budgets = [[name, most - left, most] for name, left, most in budgets_of(run)]
    return {
        "step": run.steps - run.turn_step,
        "max": run.limits.max_steps,
        "waiting": [call.id for call in run.pending],
        "reason": run.outcome.reason if run.outcome else None,
        "requests": tree_steps(whole),
        "tokens": whole.usage.total_tokens,
        **({"budgets": budgets} if budgets else {}),
    }


def action_json(action: Action, why: str) -> Json:
    """What happens next, and why."""
    match action:
        case Ask(request):
            return {"kind": "ask", "why": why, "choice": request.tool_choice, "messages": len(request.messages)}
        case Call(calls):
            return {"kind": "call", "why": why, "names": [c.name for c in calls], "calls": [c.id for c in calls]}
        case Wait(calls):
            return {"kind": "wait", "why": why, "names": [c.name for c in calls], "calls": [c.id for c in calls]}
        case Stopped(reason):
            return {"kind": "stop", "why": why, "reason": reason}
        case Spawned(_, child):
            return {"kind": "spawned", "why": why, "names": [child.agent]}
        case _:
            return {"kind": type(action).__name__.lower(), "why": why}
