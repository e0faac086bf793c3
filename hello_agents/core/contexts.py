"""Contexts: a function around `decide` that has a context built before a model is asked a new question.

It is an event of the loop: the context stands in the journal with the account of how it was built, and a resumed or
stepped run asks with the same one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

from .action import Action, Ask
from .compaction import shared
from .message import Message
from .run import Noted, Run

CONTEXT = "context"
"""The note's key: `{"turn": …, "text": …, "trace": …}`, the turn being that of the question."""


class Built(Protocol):
    """A context, and the account of how it was built."""

    @property
    def text(self) -> str: ...

    def to_dict(self, contents: bool = True) -> dict[str, Any]: ...


class Builder(Protocol):
    """What builds a context for a question: a `ContextBuilder`."""

    def trace(
        self,
        user_query: str,
        conversation_history: Sequence[Message] | None = None,
        system_instructions: str | None = None,
    ) -> Built: ...


def with_context(run: Run, ask: Ask, builder: Builder) -> Action:
    """The request with the context in the place of the system prompt and of earlier questions.

    Until there is one for this question: the note that holds it. What has been said and done since the question goes
    along as it is.
    """
    start = _question(run)
    if start is None or not shared(run.messages, ask.request.messages):
        return ask
    note = run.notes.get(CONTEXT)
    if note is None or note["turn"] != run.turn:
        return _built(run, start, builder)
    # What is said in this request only, as a notice is, stays behind the conversation.
    own = shared(run.messages, ask.request.messages)
    messages = (Message(note["text"], "system"), *run.messages[start:], *ask.request.messages[own:])
    return replace(ask, request=replace(ask.request, messages=messages))


def _question(run: Run) -> int | None:
    """Where the current question stands."""
    messages = run.messages
    return next((place for place in range(len(messages) - 1, -1, -1) if messages[place].role == "user"), None)


def _built(run: Run, start: int, builder: Builder) -> Noted:
    earlier = run.messages[:start]
    system = next((message.text for message in earlier if message.role == "system"), None)
    said = [message for message in earlier if message.role != "system"]
    trace = builder.trace(run.messages[start].text, said, system)
    account = trace.to_dict(contents=False)
    # It says the text itself.
    return Noted(CONTEXT, {"turn": run.turn, "text": account.pop("text", trace.text), "trace": account})
