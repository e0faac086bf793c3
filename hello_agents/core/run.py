"""A run: the frozen state of one conversation, the events that change it, and the fold over them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal, assert_never

from .message import NO_MESSAGES, Message, Messages, ToolCall, Usage, setters
from .prices import priced

_EMPTY: Mapping[str, Any] = MappingProxyType({})


def _empty() -> Mapping[str, Any]:
    return _EMPTY


_NONE_BEGUN: frozenset[str] = frozenset()
NO_USAGE = Usage()


@dataclass(frozen=True, slots=True)
class Limits:
    """How far one question may go. Part of the run, so that a resumed run and a child keep theirs."""

    max_steps: int | None = None
    """Model replies that may use tools; then the model is asked once more, without them. `None`: no limit."""
    max_tokens: int | None = None
    """Tokens this question may cost, children included. `None`: no limit."""
    max_repeats: int | None = 3
    """Equal calls with equal results before the model is warned; one more ends the loop. `None`: no limit."""
    max_calls_per_tool: int | None = None
    """Calls of one tool that run; further ones are answered without being run. `None`: no limit."""
    max_failures: int | None = None
    """Failed calls after which the model is asked to answer without tools. `None`: no limit."""
    tools: tuple[str, ...] | None = None
    """Names of the tools on offer. `None`: all of the agent's."""
    depth: int = 0
    """How many frames are above this one."""
    max_total_steps: int | None = None
    """Requests to the model that this question may cost, children included. `None`: no limit."""
    max_seconds: float | None = None
    """Seconds this question may take, children included and waiting for a person left out. `None`: no limit.

    Looked at before each request: a reply or a call that is under way is not broken off."""
    max_cost: float | None = None
    """Money this question may cost, children included, in what `prices` are counted in. `None`: no limit."""
    prices: Mapping[str, tuple[float, ...]] | None = None
    """Model -> what a million tokens cost: (in, out), or (in, out, in from the cache). `None`: nothing is counted.

    A model that is not in the table costs what the dearest does."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a question ended."""

    reason: str
    """`finished`, `max_steps`, `token_budget`, `max_total_steps`, `max_cost`, `max_seconds`, `repeated_call`,
    `degraded`, `superseded`, or an agent's own word."""
    answer: str | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """Somebody said something: the question, the system prompt, a message put in by hand."""

    message: Message
    limits: Limits | None = None
    """Given with a question: the limits that hold for it."""


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of a reply on its way. It changes no run and is not journaled."""

    text: str
    part: Literal["content", "reasoning", "call"] = "content"
    call: int | None = None
    """For a piece of a call's arguments: the position of the call."""
    name: str | None = None
    """With the first piece of a call: the tool's name."""


@dataclass(frozen=True, slots=True)
class Replied:
    """The model has answered."""

    message: Message
    usage: Usage = NO_USAGE
    model: str | None = None
    finish: str | None = None
    """The provider's finish reason."""


@dataclass(frozen=True, slots=True)
class Began:
    """A call is about to run. Written first, so that a crash leaves a trace of it."""

    call_id: str


@dataclass(frozen=True, slots=True)
class Judged:
    """A person has allowed or refused a call."""

    call_id: str
    allowed: bool
    arguments: dict[str, Any] | None = None
    """Run the call with these instead."""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Returned:
    """A call is answered. A second answer to the same call changes nothing."""

    message: Message


@dataclass(frozen=True, slots=True)
class Spawned:
    """A child run begins, under this id, with this state."""

    id: str
    """The id of the call it works for, or a name of the agent's own choosing."""
    run: Run


@dataclass(frozen=True, slots=True)
class Noted:
    """A fact for the agent's own use or for the reader of the journal, kept under its key."""

    key: str
    value: Any
    step: bool = False
    """The note stands for a request that got no reply, and uses up its step."""


@dataclass(frozen=True, slots=True)
class Compacted:
    """The messages `[start:stop]` are replaced by fewer or shorter ones."""

    start: int
    stop: int
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Stopped:
    """The question is closed."""

    reason: str
    answer: str | None = None


Event = Told | Delta | Replied | Began | Judged | Returned | Spawned | Noted | Compacted | Stopped


@dataclass(frozen=True, slots=True, init=False)
class Entry:
    """One line of a journal. Equality ignores the time."""

    seq: int
    """0, 1, 2, … through the whole journal, over all frames."""
    frame: str
    """The path of ids from the root (`""`) to the run that the event changes, joined by `/`."""
    time: float = field(compare=False)
    """Seconds since the epoch."""
    event: Event

    def __init__(self, seq: int, frame: str, time: float, event: Event) -> None:
        put_seq, put_frame, put_time, put_event = _SETTERS
        put_seq(self, seq)
        put_frame(self, frame)
        put_time(self, time)
        put_event(self, event)


_SETTERS = setters(Entry)


@dataclass(frozen=True)
class Run:
    """One conversation as a value: what was said, what was spent, what is under way, how it ended."""

    agent: str
    messages: Messages = NO_MESSAGES
    """At most one system message, first."""
    steps: int = 0
    """Requests to the model so far, over all questions, in this frame."""
    usage: Usage = NO_USAGE
    """Tokens so far, children included."""
    notes: Mapping[str, Any] = field(default_factory=_empty)
    limits: Limits = Limits()
    begun: frozenset[str] = frozenset()
    """Calls of the last reply that were started."""
    verdicts: Mapping[str, Judged] = field(default_factory=_empty)
    """Judgements on calls of the last reply, by call id."""
    children: Mapping[str, Run] = field(default_factory=_empty)
    """Runs spawned by this one, by the id of the call they work for."""
    outcome: Outcome | None = None
    turn: int = 0
    """Questions so far."""
    turn_step: int = 0
    """`steps` when the current question was told."""
    turn_usage: Usage = NO_USAGE
    """`usage` when the current question was told."""
    turn_tree_steps: int = 0
    """Requests in this run and those below when the current question was told, if they are limited."""

    @property
    def pending(self) -> tuple[ToolCall, ...]:
        """The calls of the last reply that have no answer yet, in order."""
        return self.messages.unanswered()

    @property
    def frames(self) -> Iterator[tuple[str, Run]]:
        """This run and all its descendants, with their paths, parents first."""
        yield "", self
        for id, child in self.children.items():
            for path, run in child.frames:
                yield f"{id}/{path}" if path else id, run

    def at(self, frame: str) -> Run:
        """The run at a path. Raises `KeyError` naming the first id that is not there."""
        run = self
        for id in frame.split("/") if frame else ():
            if id not in run.children:
                raise KeyError(f"There is no frame {frame!r}: {id!r} is not among {sorted(run.children)}.")
            run = run.children[id]
        return run

    @property
    def focus(self) -> str:
        """The path of the innermost run that is not finished: where the next decision is made."""
        run, path = self, ""
        while run.children:
            for id, child in run.children.items():
                if child.outcome is None:
                    run, path = child, f"{path}/{id}" if path else id
                    break
            else:
                break
        return path

    @property
    def answer(self) -> str | None:
        """The answer to the last question, once there is one."""
        return None if self.outcome is None else self.outcome.answer

    def to_json(self) -> str:
        """The run as JSON text; `Run.from_json` reads it back equal."""
        from .journal import dump_json

        return dump_json(self)

    @staticmethod
    def from_json(text: str | bytes) -> Run:
        """Reads what `to_json` wrote. Raises `ValueError` that says what is wrong and where."""
        from .journal import load_run

        return load_run(text)

    def __getstate__(self) -> dict[str, Any]:
        # A view of a mapping can neither be pickled nor copied.
        return {name: dict(value) if value is _EMPTY else value for name, value in vars(self).items()}

    def _repr_html_(self) -> str:
        from .report import run_html

        return run_html(self)


def evolve(run: Run, event: Event, frame: str = "") -> Run:
    """The run after the event: the only way a run changes. Pure, and total over legal journals.

    Raises `KeyError` when the frame does not exist.
    """
    if frame:
        return _evolve_child(run, event, frame)
    # Patterns that take an event apart are slow, and these three come by at every step.
    match event:
        case Replied():
            return _changed(
                run,
                messages=run.messages.plus(_with_unique_ids(event.message, run)),
                steps=run.steps + 1,
                usage=run.usage if event.usage is NO_USAGE else run.usage + _priced(run, event.usage, event.model),
                begun=_NONE_BEGUN,
                verdicts=_EMPTY,
                outcome=None,
            )
        case Began():
            return _changed(run, begun=run.begun | {event.call_id})
        case Returned():
            messages = run.messages.with_answer(event.message)
            return run if messages is None else _changed(run, messages=messages)
        case Told(message, limits):
            return _told(run, message, limits)
        case Judged(call_id):
            return _changed(run, verdicts={**run.verdicts, call_id: event})
        case Spawned(id, child):
            return _changed(run, children={**run.children, id: child}, usage=run.usage + child.usage)
        case Noted(key, value, step):
            return _changed(run, notes={**run.notes, key: value}, steps=run.steps + step)
        case Compacted(start, stop, messages):
            return _changed(run, messages=run.messages.splice(start, stop, messages))
        case Stopped(reason, answer):
            return _changed(run, outcome=Outcome(reason, answer))
        case Delta():
            return run
        case _:
            assert_never(event)


def settle(run: Run, language: str = "en") -> list[Event]:
    """What to record before a broken-off run goes on: calls that began and have no answer are lost.

    A call that never began is not here; it simply runs.
    """
    from ..catalogue import text

    return [
        Returned(
            Message(
                text("call.interrupted", language),
                "tool",
                answers=call.id,
                status="error",
                metadata={"code": "INTERRUPTED", "tool": call.name},
            )
        )
        for call in run.pending
        if call.id in run.begun and call.id not in run.children
    ]


def settle_all(run: Run, language: str = "en") -> list[tuple[str, Event]]:
    """`settle` for this run and all below it, each event with its frame."""
    return [(frame, event) for frame, one in run.frames if one.outcome is None for event in settle(one, language)]


def frame_of(run: Run, call_id: str) -> str | None:
    """The path of the frame in which this call waits for an answer; `None` when it waits nowhere.

    Frames may have calls of the same id. Then it is the first that waits for a person, who has not judged it yet.
    """
    waiting = [(frame, one) for frame, one in run.frames if any(call.id == call_id for call in one.pending)]

    def order(place: tuple[str, Run]) -> tuple[bool, ...]:
        one = place[1]
        return one.outcome is not None, call_id in one.children, call_id in one.verdicts

    return min(waiting, key=order)[0] if waiting else None


def _changed(run: Run, **changes: Any) -> Run:
    """The run with some fields changed: `dataclasses.replace`, made cheap, since every event comes by here."""
    new = object.__new__(Run)
    object.__setattr__(new, "__dict__", {**run.__dict__, **changes})
    return new


def _priced(run: Run, usage: Usage, model: str | None) -> Usage:
    return usage if run.limits.prices is None else priced(usage, model, run.limits.prices)


def _told(run: Run, message: Message, limits: Limits | None) -> Run:
    """A system message takes the place of the one before; a question opens a new turn."""
    if message.role == "system":
        old = 1 if run.messages and run.messages[0].role == "system" else 0
        return _changed(run, messages=run.messages.splice(0, old, [message]))
    if message.role == "tool":
        return _changed(run, messages=_with_result(run.messages, message))
    messages = run.messages.plus(_with_unique_ids(message, run))
    if message.role != "user":
        return _changed(run, messages=messages)
    return _changed(
        run,
        messages=messages,
        limits=limits or run.limits,
        outcome=None,
        turn=run.turn + 1,
        turn_step=run.steps,
        turn_usage=run.usage,
        turn_tree_steps=_steps_below(run) if (limits or run.limits).max_total_steps is not None else 0,
    )


def _with_result(messages: Messages, message: Message) -> Messages:
    """The conversation with a result that was put in by hand. Between calls and their results stands no other."""
    if not messages.unanswered():
        return messages.plus(message)
    answered, at = messages.with_answer(message), messages.last_reply() or 0
    return messages.splice(at, at, [message]) if answered is None else answered


def _steps_below(run: Run) -> int:
    return sum(one.steps for _, one in run.frames)


def _with_unique_ids(message: Message, run: Run) -> Message:
    """Calls are matched to their results by id, so that empty, equal and reused ids get new ones here."""
    calls = message.tool_calls
    if not calls or (len(calls) == 1 and (id := calls[0].id) and id not in run.children and "/" not in id):
        return message
    seen: set[str] = set()
    fresh: list[ToolCall] = []
    changed = False
    for position, call in enumerate(calls):
        id = call.id
        if not id or id in seen or id in run.children or "/" in id:
            id, changed = f"call_{run.steps}_{position}", True
            while id in seen or id in run.children or any(other.id == id for other in calls):
                id += "_"
            call = replace(call, id=id)
        seen.add(id)
        fresh.append(call)
    if not changed:
        return message
    return Message(
        message.content,
        message.role,
        tool_calls=fresh,
        answers=message.answers,
        status=message.status,
        reasoning=message.reasoning,
        metadata=message.metadata,
        timestamp=message.timestamp,
    )


def _evolve_child(run: Run, event: Event, frame: str) -> Run:
    id, _, rest = frame.partition("/")
    if id not in run.children:
        raise KeyError(f"There is no frame {id!r} among {sorted(run.children)}.")
    before = run.children[id]
    after = evolve(before, event, rest)
    usage = run.usage if after.usage is before.usage else run.usage + (after.usage - before.usage)
    return _changed(run, children={**run.children, id: after}, usage=usage)
