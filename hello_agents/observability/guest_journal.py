"""The journal of a guest: what another framework wrote of a run, put together so that it folds as our own do.

Every call gets an answer, in words that say so where the trace has none; a result that no call asked for is noted. Ids
are those of the fold, which renames empty and repeated ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from ..catalogue import text as catalogue_text
from ..core.message import Message, Role, ToolCall, Usage
from ..core.run import NO_USAGE, Began, Entry, Event, Noted, Replied, Returned, Run, Spawned, Stopped, Told, evolve

ORPHAN = "orphan_result"
"""The note's key for a result whose call is not in the trace."""


@dataclass(frozen=True, slots=True)
class Said:
    """A system prompt or a question."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered."""

    text: str | None
    calls: tuple[ToolCall, ...] = ()
    usage: Usage = NO_USAGE
    model: str | None = None
    finish: str | None = None
    reasoning: str | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool answered. Without an id it belongs to the first call of its name that waits."""

    id: str
    name: str
    text: str
    failed: bool = False


Item = Said | Reply | Result


class Scribe:
    """Writes a journal entry by entry, and keeps the run that it folds to."""

    def __init__(self, agent: str, language: str = "en") -> None:
        self.start = self.run = Run(agent)
        self.entries: list[Entry] = []
        self._language = language
        self._time = 0.0
        self._ids: dict[str, list[tuple[str, str, str]]] = {}

    def take(self, items: Iterable[Item], frame: str = "", at: float | None = None) -> None:
        """Writes down what was said, in its order."""
        for item in items:
            match item:
                case Said(role, text):
                    self.said(role, text, frame, at)
                case Reply():
                    self.reply(item, frame, at)
                case Result():
                    self.result(item, frame, at)

    def prompt(self, items: Sequence[Item], frame: str = "", at: float | None = None) -> None:
        """What a model was asked: all of it the first time; later the results and questions that are new."""
        run = self.run.at(frame)
        if not run.messages:
            self.take(items, frame, at)
            return
        for item in items:
            if isinstance(item, Result) and self.waiting(item.id, item.name, frame):
                self.result(item, frame, at)
        asked = [item for item in items if isinstance(item, Said) and item.role == "user"]
        self.take(asked[run.turn :], frame, at)

    def said(self, role: Role, text: str, frame: str = "", at: float | None = None) -> None:
        if role == "user":
            self.finish(frame, at)
        self._record(frame, Told(self._message(text, role, at)), at)

    def reply(self, reply: Reply, frame: str = "", at: float | None = None) -> None:
        self._answer_all(frame, at)
        message = self._message(reply.text, "assistant", at, reply)
        self._record(frame, Replied(message, reply.usage, reply.model, reply.finish), at)
        calls = self.run.at(frame).messages[-1].tool_calls
        self._ids[frame] = [(old.id, old.name, new.id) for old, new in zip(reply.calls, calls, strict=True)]

    def waiting(self, id: str, name: str, frame: str = "") -> str | None:
        """The id, in the journal, of the call that waits for this result."""
        pending = {call.id for call in self.run.at(frame).pending}
        left = [one for one in self._ids.get(frame, ()) if one[2] in pending]
        return next((new for old, called, new in left if (old == id if id else called == name)), None)

    def began(self, id: str, name: str, frame: str = "", at: float | None = None) -> None:
        """A call is started, of which the result follows."""
        call = self.waiting(id, name, frame)
        if call is not None and call not in self.run.at(frame).begun:
            self._record(frame, Began(call), at)

    def spawned(self, id: str, name: str, agent: str, frame: str = "", at: float | None = None) -> str | None:
        """A call is worked on by another agent. Returns the path of its frame; `None` when no call waits for it."""
        call = self.waiting(id, name, frame)
        if call is None or call in self.run.at(frame).children:
            return None
        self._record(frame, Spawned(call, Run(agent)), at)
        return f"{frame}/{call}" if frame else call

    def result(self, result: Result, frame: str = "", at: float | None = None) -> None:
        call = self.waiting(result.id, result.name, frame)
        if call is None:
            value = {"tool": result.name, "call": result.id, "result": result.text}
            self._record(frame, Noted(ORPHAN, value), at)
            return
        self._return(call, result, frame, at)

    def failed(self, error: str, frame: str = "", at: float | None = None) -> None:
        """A request that got no reply."""
        self._answer_all(frame, at)
        note = {"type": error, "message": "", "step": self.run.at(frame).steps}
        self._record(frame, Noted("model_error", note, step=True), at)

    def finish(self, frame: str = "", at: float | None = None) -> None:
        """Closes the question that is open: with its answer, or as unfinished when there is none."""
        self._answer_all(frame, at)
        run = self.run.at(frame)
        if run.outcome is not None or not run.messages or run.messages[-1].role == "system":
            return
        last = run.messages[-1]
        answered = last.role == "assistant" and not last.tool_calls
        self._record(frame, Stopped("finished", last.text) if answered else Stopped("unfinished"), at)

    def _answer_all(self, frame: str, at: float | None) -> None:
        """No call stays without an answer: one that the trace does not have is given as lost."""
        run = self.run.at(frame)
        for call in run.pending:
            child = run.children.get(call.id)
            if child is not None:
                below = f"{frame}/{call.id}" if frame else call.id
                self.finish(below, at)
                answer = self.run.at(below).answer
                if answer is not None:
                    self._return(call.id, Result(call.id, call.name, answer), frame, at)
                    continue
            lost = catalogue_text("guest.no_result", self._language, tool=call.name)
            self._return(call.id, Result(call.id, call.name, lost, True), frame, at, "INTERRUPTED")

    def _return(self, call: str, result: Result, frame: str, at: float | None, code: str = "EXECUTION_ERROR") -> None:
        run = self.run.at(frame)
        if call not in run.begun and call not in run.children and code != "INTERRUPTED":
            self._record(frame, Began(call), at)
        tool = result.name or next((one.name for one in run.pending if one.id == call), "")
        metadata = {"tool": tool, "code": code} if result.failed else {"tool": tool}
        message = Message(
            result.text,
            "tool",
            answers=call,
            status="error" if result.failed else "success",
            metadata=metadata,
            timestamp=self._moment(at),
        )
        self._record(frame, Returned(message), at)

    def _message(self, text: str | None, role: Role, at: float | None, reply: Reply | None = None) -> Message:
        calls, reasoning = (reply.calls, reply.reasoning) if reply else ((), None)
        return Message(text, role, tool_calls=calls, reasoning=reasoning, timestamp=self._moment(at))

    def _moment(self, at: float | None) -> datetime:
        return datetime.fromtimestamp(max(self._time, at or 0.0), UTC)

    def _record(self, frame: str, event: Event, at: float | None) -> None:
        self._time = max(self._time, at or 0.0)
        self.entries.append(Entry(len(self.entries), frame, self._time, event))
        self.run = evolve(self.run, event, frame)
