"""Digests: what messages said, in short; by rule, and as the text that a model is given to summarise."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..catalogue import text
from .message import Message

if TYPE_CHECKING:
    from ..context.cutting import Strategy

COMPACTED = "compacted"
"""The key in a summary's metadata: how many messages it stands for, and what they said, as of `Digest.to_dict`."""

Count = Callable[[str], int]

_SIZES = ((8, 240), (5, 120), (3, 60), (1, 40), (0, 0))
"""How many of the last items are told, and how many characters of each; the first that fits is taken."""
_MOST, _LONGEST = _SIZES[0]


@dataclass(frozen=True, slots=True)
class Digest:
    """What some messages said, in short."""

    messages: int = 0
    """How many they were."""
    asked: tuple[str, ...] = ()
    """The last questions."""
    tools: tuple[tuple[str, int], ...] = ()
    """The tools called, and how often."""
    answers: tuple[str, ...] = ()
    """The last answers."""
    results: tuple[tuple[str, str], ...] = ()
    """The last result of each tool."""
    earlier: str = ""
    """A summary that came before and was not made by rule."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "messages": self.messages,
            "asked": list(self.asked),
            "tools": dict(self.tools),
            "answers": list(self.answers),
            "results": dict(self.results),
            "earlier": self.earlier,
        }

    def said(self, items: int, longest: int, language: str) -> str:
        """The digest as a text, with at most so many of the last items, and so many characters of each."""
        lines = [text("digest.messages", language, count=self.messages)]
        if self.earlier and items:
            lines.append(text("digest.earlier", language, text=_short(self.earlier, longest * items)))
        if self.tools:
            most = sorted(self.tools, key=lambda tool: -tool[1])[: items or 1]
            lines.append(text("digest.tools", language, tools=", ".join(f"{name} ×{times}" for name, times in most)))
        for key, said in (("digest.asked", self.asked), ("digest.answered", self.answers)):
            for one in said[-items:] if items else ():
                lines.append(text(key, language, text=_short(one, longest)))
        for name, result in self.results[-items:] if items else ():
            lines.append(text("digest.result", language, name=name, text=_short(result, longest)))
        return "\n".join(lines)


def digest(messages: Iterable[Message]) -> Digest:
    """What the messages said, in short. A digest among them is taken up into this one."""
    number = 0
    asked: list[str] = []
    answers: list[str] = []
    earlier: list[str] = []
    tools: Counter[str] = Counter()
    results: dict[str, str] = {}
    names: dict[str | None, str] = {}
    for message in messages:
        match message.role:
            case "system":
                continue
            case "summary":
                before = _read(message)
                number += before.messages
                tools.update(dict(before.tools))
                asked += before.asked
                answers += before.answers
                results.update(before.results)
                earlier += [before.earlier] if before.earlier else []
                continue
            case "user":
                asked.append(message.text)
            case "assistant":
                answers += [message.text] if message.text.strip() else []
                tools.update(call.name for call in message.tool_calls)
                names.update((call.id, call.name) for call in message.tool_calls)
            case "tool":
                name = names.get(message.answers, "?")
                results.pop(name, None)
                results[name] = message.text
        number += 1
    return Digest(
        number,
        tuple(_short(one, _LONGEST) for one in asked[-_MOST:]),
        tuple(tools.items()),
        tuple(_short(one, _LONGEST) for one in answers[-_MOST:]),
        tuple((name, _short(result, _LONGEST)) for name, result in list(results.items())[-_MOST:]),
        _short("\n".join(earlier), _LONGEST * _MOST),
    )


def _read(summary: Message) -> Digest:
    """The digest that a summary was written from; for any other summary, its text as what came earlier."""
    match summary.metadata.get(COMPACTED):
        case {"asked": _, "tools": _, "answers": _, "results": _, "messages": int(messages), "earlier": str(earlier)}:
            facts: dict[str, Any] = summary.metadata[COMPACTED]
            return Digest(
                messages,
                tuple(facts["asked"]),
                tuple(facts["tools"].items()),
                tuple(facts["answers"]),
                tuple(facts["results"].items()),
                earlier,
            )
        case int(messages):
            return Digest(messages, earlier=summary.text)
        case _:
            return Digest(1, earlier=summary.text)


def statistics(messages: Iterable[Message], tokens: int, count: Count, language: str = "en") -> Message:
    """A summary by rule: what was asked, which tools were used how often, the last answers and results.

    It takes at most `tokens`, if that is enough to say anything at all.
    """
    facts = digest(messages)
    said = ""
    for items, longest in _SIZES:
        said = facts.said(items, longest, language)
        if count(said) <= tokens:
            break
    return Message(said, "summary", metadata={COMPACTED: facts.to_dict()})


def transcript(messages: Iterable[Message], longest: int | None = None) -> str:
    """The messages as text, a paragraph each: who says what, with calls and results; each at most so long."""
    names: dict[str | None, str] = {}
    paragraphs: list[str] = []
    for message in messages:
        names.update((call.id, call.name) for call in message.tool_calls)
        who = f"tool {names.get(message.answers, '?')}" if message.role == "tool" else message.role
        said = message.text if longest is None else _short(message.text, longest)
        parts = [f"[{who}] {said}".rstrip()]
        for call in message.tool_calls:
            written = json.dumps(call.arguments, ensure_ascii=False, default=str)
            parts.append(f"  → {call.name}({written if longest is None else _short(written, longest)})")
        paragraphs.append("\n".join(parts))
    return "\n".join(paragraphs)


def short_transcript(messages: Sequence[Message], tokens: int, count: Count) -> str:
    """The transcript, its paragraphs cut evenly until it takes no more than the tokens, or says next to nothing."""
    whole = transcript(messages)
    longest = max((len(message.text) for message in messages), default=0)
    while count(whole) > tokens and longest > 20:
        longest //= 2
        whole = transcript(messages, longest)
    return whole


def within(said: str, tokens: int, count: Count, strategy: Strategy = "head", language: str = "en") -> str:
    """The text, cut so that it takes at most so many tokens; empty when not even the notice of the cut fits."""
    if count(said) <= tokens:
        return said
    from ..context.cutting import cut, size_of

    room = size_of(said) * tokens // count(said)
    while room > 0:
        shorter = cut(said, 1_000_000, room, strategy, language=language).text
        if count(shorter) <= tokens:
            return shorter
        room = room * 9 // 10
    return ""


def _short(said: str, longest: int) -> str:
    """The text on one line, of at most so many characters."""
    line = " ".join(said.split())
    if len(line) <= longest:
        return line
    from ..context.cutting import is_border

    stop = max(longest - 1, 0)
    while not is_border(line, stop):
        stop -= 1
    return f"{line[:stop].rstrip()}…"
