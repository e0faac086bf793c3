"""HistoryCompression: a conversation in rounds against the threshold, and what a compression makes of it."""

# traitlets has no types, as `_base.py` says.
# pyright: reportUnknownMemberType=false, reportUntypedFunctionDecorator=false, reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from itertools import groupby
from typing import Any, ClassVar

import traitlets

from hello_agents.context.history import HistoryManager
from hello_agents.core.action import Request
from hello_agents.core.agent import Agent
from hello_agents.core.at_rest import HUES, MUTED, bar, box, dot, grid, legend, sheet, words
from hello_agents.core.compaction import Policy
from hello_agents.core.config import Config
from hello_agents.core.message import Message, Messages
from hello_agents.core.rounds import beginning, round_starts
from hello_agents.core.run import Compacted, Run, evolve
from hello_agents.core.shrinking import shorter

from ._base import SHARED, SHARED_STYLES, BookWidget, module, style
from .timeline import compact_json

Json = dict[str, Any]

_MOST_TIMES = 50
"""Compactions in a row; each leaves fewer tokens, so that there are never so many."""
_AT_REST = 200
"""Rounds in the table of the picture."""
_FATES = {"k": "kept", "f": "folded", "s": "shortened"}
_HUES = {
    "kept": HUES["user"],
    "folded": "rgba(176,122,30,.45)",
    "shortened": HUES["results"],
    "summary": HUES["summary"],
    "rest": HUES["system"],
    "empty": "rgba(128,128,128,.12)",
}
_WORDS = {
    "kept": "stays",
    "folded": "goes into the summary",
    "shortened": "made shorter",
    "summary": "summary",
    "rest": "system and tools",
}


class HistoryCompression(BookWidget):
    """The rounds of a conversation as tokens, a threshold and a number of rounds to keep, before and after.

    `subject` is a run, an agent, a `HistoryManager` or a list of messages; it is looked at, never changed. What an
    agent with these settings would do before its next request is shown, by the rule and not by a model.
    `.compressed` is the conversation afterwards, `.summary_message` the message that stands for what went.
    """

    _esm: ClassVar[str] = module(*SHARED, "labels.js", "history_compression.js")
    _css: ClassVar[str] = style(*SHARED_STYLES, "history_compression.css")

    threshold: Any = traitlets.Int()
    """The tokens at which a request is made shorter. May be assigned to; so may `keep`."""
    keep: Any = traitlets.Int()
    """How many of the last rounds stay as they are."""

    def __init__(
        self,
        subject: Run | Agent | HistoryManager | Sequence[Message],
        *,
        threshold: int | None = None,
        keep: int | None = None,
        model: str | None = None,
        language: str | None = None,
    ) -> None:
        self.messages, config, self.language, self._tools = _read(subject, language)
        """The conversation before: what was passed."""
        named = vars(subject.llm).get("model") if isinstance(subject, Agent) else None
        self._model = model or (named if isinstance(named, str) else "")
        self._policy = Policy(config, self._model)
        self._total = self._policy.tokens(Run("history"), Request(self.messages, self._tools))
        self._spans = _rounds(self.messages)
        self._tokens = {id(one): self._policy.counter.count_message(one) for one in self.messages}
        self._ready = False
        rounds = max(len(round_starts(self.messages)), 1)
        self.keep = min(keep if keep is not None else config.min_retain_rounds, rounds)
        self.threshold = threshold if threshold is not None else self._policy.limit
        self._settle()
        super().__init__(subject)
        self._ready = True

    # -- values --------------------------------------------------------------------------------------

    @property
    def compressed(self) -> list[Message]:
        """The conversation as it is after compression; equal to `messages` when nothing is due."""
        return list(self._after.messages)

    @property
    def summary_message(self) -> Message | None:
        """The message that stands for what went."""
        return next((one for one in self._after.messages if one.role == "summary"), None)

    @property
    def state(self) -> Json:
        """All that is shown, as plain JSON."""
        return self.head_json() | self._content()

    def set(self, *, threshold: int | None = None, keep: int | None = None) -> None:
        """Moves the threshold (in tokens) and the number of rounds to keep. Raises `ValueError` for less than 1."""
        changes = {
            name: _checked_knob(name, value)
            for name, value in (("keep", keep), ("threshold", threshold))
            if value is not None
        }
        self._ready = False
        try:
            for name, value in changes.items():
                setattr(self, name, value)
        finally:
            self._ready = True
        self._moved()

    # -- inside --------------------------------------------------------------------------------------

    @traitlets.validate("threshold", "keep")
    def _possible(self, proposal: Mapping[str, Any]) -> int:
        return _checked_knob(proposal["trait"].name, proposal["value"])

    @traitlets.observe("threshold", "keep")
    def _moved(self, _change: object = None) -> None:
        if self._ready:
            self._settle()
            self.publish()

    def _settle(self) -> None:
        """Does what the loop does before a request: makes the conversation shorter until it fits, or nothing helps."""
        config = Config(min_retain_rounds=self.keep, memory_buffer_tokens=self.threshold, language=self.language)
        # One counter for all settings, since the messages stay the same.
        self._policy = Policy(config, self._model, self._policy.counter)
        run = Run("history", messages=Messages(self.messages))
        self._events: list[Compacted] = []
        for _ in range(_MOST_TIMES):
            request = Request(run.messages, self._tools)
            event = None if self._policy.fits(run, request) else shorter(run, request, self._policy)
            if not isinstance(event, Compacted):
                break
            self._events.append(event)
            run = evolve(run, event)
        self._after = run

    def take(self) -> Json | None:
        return None if self.logs else self._content()

    def _content(self) -> Json:
        """The conversation, which does not change."""
        names = {call.id: call.name for one in self.messages for call in one.tool_calls}
        messages = [self._message_json(one, names) for one in self.messages]
        rounds = [
            {"from": start, "to": stop, "tokens": sum(one["tokens"] for one in messages[start:stop])}
            for start, stop in self._spans
        ]
        return {"messages": messages, "rounds": rounds}

    def _message_json(self, message: Message, names: Mapping[str, str]) -> Json:
        return {
            "role": message.role,
            "name": names.get(message.answers or "", "") if message.role == "tool" else "",
            "text": message.text,
            "calls": [
                {"name": call.name, "arguments": compact_json(dict(call.arguments))} for call in message.tool_calls
            ],
            "tokens": self._count(message),
        }

    def _count(self, message: Message) -> int:
        """Tokens of a message. Those of the conversation are counted once, however many there are."""
        known = self._tokens.get(id(message))
        return self._policy.counter.count_message(message) if known is None else known

    def head_json(self) -> Json:
        count = self._count
        before, after = self.messages, self._after.messages
        kept = {id(one) for one in after}
        changed = _changed(before, after)
        fates = [
            "kept" if id(one) in kept else "shortened" if place in changed else "folded"
            for place, one in enumerate(before)
        ]
        left = [
            count(one) if fate == "kept" else count(changed[place]) if fate == "shortened" else 0
            for place, (one, fate) in enumerate(zip(before, fates, strict=True))
        ]
        rounds = [_fate(fates[start:stop]) for start, stop in self._spans]
        summary = self.summary_message
        tools = self._policy.counter.count_tools(self._tools)
        total = tools + sum(map(count, after))
        in_rounds = sum(count(one) for start, stop in self._spans for one in before[start:stop])
        return {
            "title": "HistoryCompression",
            "language": self.language,
            # One letter for each message and each round: there may be thousands, and they are sent at each move.
            "fates": "".join(fate[0] for fate in fates),
            "round_fates": "".join(fate[0] for fate in rounds),
            "left": {
                str(place): sum(left[start:stop])
                for place, ((start, stop), fate) in enumerate(zip(self._spans, rounds, strict=True))
                if fate == "shortened"
            },
            "rest": self._total - in_rounds,
            "before": self._total,
            "after": total,
            "threshold": self.threshold,
            "keep": self.keep,
            "due": self._total > self.threshold,
            "fits": total <= self.threshold,
            "times": len(self._events),
            "summary": None
            if summary is None
            else {"text": summary.text, "tokens": count(summary), "behind": self._behind(summary)},
            "exact": self._policy.counter.exact,
        }

    def _behind(self, summary: Message) -> int:
        """How many of the rounds, or parts of them, come before the summary."""
        after = self._after.messages
        earlier = {id(one) for one in after[: next(place for place, one in enumerate(after) if one is summary)]}
        return sum(any(id(one) in earlier for one in self.messages[start:stop]) for start, stop in self._spans)

    def perform(self, op: str, args: Mapping[str, Any]) -> None:
        match op:
            case "set":
                self.set(threshold=_number(args.get("threshold")), keep=_number(args.get("keep")))
            case "dismiss":
                pass
            case _:
                raise ValueError(f"HistoryCompression has no operation {op!r}. There is set.")

    # -- at rest -------------------------------------------------------------------------------------

    def summary(self) -> str:
        head, rounds = self.head_json(), self.snapshot["rounds"]
        lines = [
            f"HistoryCompression: {len(rounds)} rounds, {head['before']} tokens, "
            f"threshold {head['threshold']}, keep {head['keep']}"
        ]
        for number, (one, letter) in enumerate(zip(rounds, head["round_fates"], strict=True), 1):
            lines.append(f"  round {number}: {one['tokens']} tokens, {_FATES[letter]}")
        if head["due"]:
            lines.append(f"compressed to {head['after']} tokens")
        else:
            lines.append("below the threshold: nothing is compressed")
        if head["summary"]:
            lines += ["summary:", *(f"  {line}" for line in head["summary"]["text"].splitlines())]
        return "\n".join(lines)

    def picture(self) -> str:
        head = self.head_json()
        rounds: list[Json] = self.snapshot["rounds"]
        fates = [_FATES[letter] for letter in head["round_fates"]]
        rest = ("rest", head["rest"])
        before = [rest, *((fate, one["tokens"]) for one, fate in zip(rounds, fates, strict=True))]
        summary = [("summary", head["summary"]["tokens"])] if head["summary"] else []
        stays = [
            (fate, head["left"].get(str(place), one["tokens"]))
            for place, (one, fate) in enumerate(zip(rounds, fates, strict=True))
            if fate != "folded"
        ]
        empty = [("empty", max(head["before"] - head["after"], 0))]
        body = f'<p style="margin:4px 0"><b>before</b>: {head["before"]:,} tokens</p>{_bar(before)}'
        body += f'<p style="margin:4px 0"><b>after</b>: {head["after"]:,} tokens</p>'
        body += _bar([rest, *summary, *stays, *empty])
        shown = dict.fromkeys(name for name, tokens in [*before, *summary] if tokens)
        body += legend([(_HUES[one], _WORDS[one]) for one in shown])
        rows = [
            [
                str(number),
                escape(_short(self.messages[int(one["from"])].text, 80)),
                f"{one['tokens']:,}",
                dot(_HUES[fate]) + _WORDS[fate],
            ]
            for number, (one, fate) in enumerate(zip(rounds, fates, strict=True), 1)
        ]
        body += grid(("round", "question", "tokens", "what becomes of it"), rows[:_AT_REST])
        if len(rows) > _AT_REST:
            body += f'<p style="{MUTED}">{len(rows) - _AT_REST:,} more rounds</p>'
        if head["summary"]:
            title = f"<b>summary</b> {head['summary']['tokens']:,} tokens"
            body += box(HUES["summary"], title, words(head["summary"]["text"]))
        elif not head["due"]:
            body += f'<p style="{MUTED}">Below the threshold: nothing is compressed.</p>'
        marks = (f"threshold {head['threshold']:,}", f"keep {head['keep']}")
        return sheet("HistoryCompression", marks, body, language=self.language)


def _bar(parts: Sequence[tuple[str, int]]) -> str:
    """Neighbours with the same fate in one piece: there may be thousands of rounds."""
    stretches = groupby(parts, key=lambda part: part[0])
    return bar([(_HUES[fate], sum(tokens for _, tokens in stretch)) for fate, stretch in stretches])


def _read(
    subject: Run | Agent | HistoryManager | Sequence[Message], language: str | None
) -> tuple[list[Message], Config, str, Sequence[Json]]:
    match subject:
        case Agent():
            tools = subject.tools(subject.state).schemas()
            return list(subject.state.messages), subject.config, language or subject.language, tools
        case Run():
            return list(subject.messages), Config(), language or "en", ()
        case HistoryManager():
            config = Config(
                min_retain_rounds=subject.min_retain_rounds, compression_threshold=subject.compression_threshold
            )
            return subject.get_history(), config, language or "en", ()
        case _ if isinstance(subject, Sequence) and not isinstance(subject, str):  # pyright: ignore
            return _checked(subject), Config(), language or "en", ()
        case _:
            raise _no_history(subject)


def _checked(messages: Sequence[Any]) -> list[Message]:
    for one in messages:
        if not isinstance(one, Message):
            raise _no_history(one)
    return list(messages)


def _no_history(subject: object) -> TypeError:
    return TypeError(
        f"HistoryCompression shows a run, an agent, a HistoryManager or messages, not {type(subject).__name__}. "
        "Pass one of them."
    )


def _rounds(messages: Sequence[Message]) -> list[tuple[int, int]]:
    """Where each round begins and ends; what comes before the first is no round."""
    starts = round_starts(messages)
    first = beginning(messages)
    if starts and first < starts[0]:
        starts = [first, *starts]
    return list(zip(starts, [*starts[1:], len(messages)], strict=True))


def _changed(before: Sequence[Message], after: Sequence[Message]) -> dict[int, Message]:
    """Results that were cut: by their place before, as they are after. Ids are used again, so order decides."""
    place = len(before)
    found: dict[int, Message] = {}
    for one in reversed(after):
        if one.role != "tool":
            continue
        while place > 0:
            place -= 1
            old = before[place]
            if old.role == "tool" and old.answers == one.answers:
                if old is not one:
                    found[place] = one
                break
    return found


def _fate(fates: Sequence[str]) -> str:
    """What becomes of a round, by its messages: one that is gone in part has been shortened."""
    first = fates[0] if fates else "kept"
    return first if first != "shortened" and all(fate == first for fate in fates) else "shortened"


def _checked_knob(name: str, value: int) -> int:
    if value >= 1:
        return value
    if name == "keep":
        raise ValueError(f"keep={value} would lose the question. Keep at least 1 round.")
    raise ValueError(f"threshold={value} leaves no room for anything. Use a positive number of tokens.")


def _number(value: object) -> int | None:
    return None if value is None else int(str(value))


def _short(text: str, size: int = 120) -> str:
    line = " ".join(text.split())
    return line if len(line) <= size else line[: size - 1] + "…"


__all__ = ["HistoryCompression"]
