"""A history made legal: what every provider accepts, whatever happened to the messages before."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from ..catalogue import text
from ..core.message import Message, ToolCall

LONGEST_NAME = 64
_NOT_IN_A_NAME = re.compile(r"[^\w-]")


def repair(messages: Iterable[Message], language: str = "en") -> list[Message]:
    """The same conversation, legal for a provider. A legal history comes back as the same messages.

    - One system message at most, first; several different ones are joined in their order, so that none is lost.
    - A summary becomes a user message under a heading.
    - A result stands right behind its call's message, in the order of the calls; one that no call waits for is
      dropped, and so is a second result of the same call.
    - A call without a result is answered "not answered": the model did ask, and is told what came of it.
    - No two calls share an id, no call is without one, and no name has characters that providers refuse.
    - An assistant message that says and calls nothing is dropped.
    """
    given = list(messages)
    results = _results(given)
    names: set[str] = set()
    legal = _system(given)
    for at, message in enumerate(given):
        match message.role:
            case "system" | "tool":
                pass
            case "user":
                legal.append(_with_text(message))
            case "summary":
                if not _blank(message):
                    legal.append(
                        replace(message, role="user", content=f"{text('wire.summary', language)}\n{message.text}")
                    )
            case "assistant":
                if message.tool_calls:
                    legal.extend(_round(message, results.get(at, {}), names, language))
                elif not _blank(message):
                    legal.append(message)
    return legal


@dataclass(frozen=True, slots=True)
class Turn:
    """What one side says before the other is heard again."""

    role: Literal["user", "assistant"]
    messages: list[Message]
    """User messages and results of calls, or assistant messages. Never empty, none of them without content."""


def turns(messages: Iterable[Message], language: str = "en") -> tuple[str, list[Turn]]:
    """`(system prompt, turns)`: the repaired history for protocols in which two sides take turns.

    The user has the first turn and the last; where the history has none there, it is a request to go on. A user
    message that says nothing is dropped, since these protocols refuse it.
    """
    system = ""
    made: list[Turn] = []
    for message in repair(messages, language):
        if message.role == "system":
            system = message.text
        elif message.role != "user" or not _blank(message):
            _take_turn(made, "assistant" if message.role == "assistant" else "user", message)
    go_on = Message(text("wire.go_on", language), "user")
    if not made or made[0].role != "user":
        made.insert(0, Turn("user", [go_on]))
    if made[-1].role != "user":
        made.append(Turn("user", [go_on]))
    return system, made


def _take_turn(made: list[Turn], role: Literal["user", "assistant"], message: Message) -> None:
    if made and made[-1].role == role:
        made[-1].messages.append(message)
    else:
        made.append(Turn(role, [message]))


def _system(given: list[Message]) -> list[Message]:
    """The system messages as one, or none when they say nothing."""
    said = [message for message in given if message.role == "system" and not _blank(message)]
    texts = list(dict.fromkeys(message.text for message in said))
    match texts:
        case []:
            return []
        case [_]:
            return [said[0]]
        case _:
            return [replace(said[0], content="\n\n".join(texts))]


def _results(given: list[Message]) -> dict[int, dict[int, Message]]:
    """For each assistant message, by its index: the result of each of its calls, by the call's position."""
    results: dict[int, dict[int, Message]] = {}
    waiting: dict[str, list[tuple[int, int]]] = {}
    for at, message in enumerate(given):
        if message.role == "assistant" and message.tool_calls:
            # An id that is used again belongs to the later message: results follow their calls.
            for id in {call.id for call in message.tool_calls}:
                waiting[id] = []
            for position, call in enumerate(message.tool_calls):
                waiting[call.id].append((at, position))
        elif message.role == "tool" and (places := waiting.get(message.answers or "")):
            reply, position = places.pop(0)
            results.setdefault(reply, {})[position] = message
    return results


def _round(message: Message, results: dict[int, Message], names: set[str], language: str) -> list[Message]:
    """An assistant message with calls, and the result of each. `names` collects the ids in use."""
    calls = [_legal_call(call, names) for call in message.tool_calls]
    content = None if _blank(message) else message.content
    if content != message.content or any(new is not old for new, old in zip(calls, message.tool_calls, strict=True)):
        message = replace(message, content=content, tool_calls=calls)
    answers: list[Message] = []
    for position, call in enumerate(calls):
        result = results.get(position)
        if result is None:
            result = Message(text("wire.unanswered", language), "tool", answers=call.id, status="error")
        elif result.answers != call.id:
            result = replace(result, answers=call.id)
        answers.append(_with_text(result))
    return [message, *answers]


def _legal_call(call: ToolCall, names: set[str]) -> ToolCall:
    id, name = call.id, _NOT_IN_A_NAME.sub("_", call.name)[:LONGEST_NAME] or "unnamed"
    count = 0
    while not id or id in names:
        id = f"{call.id or 'call'}_{count}"
        count += 1
    names.add(id)
    return call if id == call.id and name == call.name else replace(call, id=id, name=name)


def _blank(message: Message) -> bool:
    return not message.content or message.content.isspace()


def _with_text(message: Message) -> Message:
    return replace(message, content="") if message.content is None else message
