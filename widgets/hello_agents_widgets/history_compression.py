"""HistoryCompression: a conversation in rounds against the threshold, and what a compression makes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, ClassVar

from hello_agents.context.history import HistoryManager
from hello_agents.core.action import Request
from hello_agents.core.agent import Agent
from hello_agents.core.at_rest import HUES, MUTED, bar, box, grid, sheet, words
from hello_agents.core.compaction import Policy
from hello_agents.core.config import Config
from hello_agents.core.message import Message, Messages
from hello_agents.core.rounds import beginning, round_starts
from hello_agents.core.run import Compacted, Run, evolve
from hello_agents.core.shrinking import shorter

from ._base import SHARED, SHARED_STYLES, BookWidget, module, style

Json = dict[str, Any]

_MOST_TIMES = 50
"""Compactions in a row; each leaves fewer tokens, so that there are never so many."""


class HistoryCompression(BookWidget):
    """The rounds of a conversation as tokens, a threshold and a number of rounds to keep, before and after.

    `subject` is a run, an agent, a `HistoryManager` or a list of messages; it is looked at, never changed. What an
    agent with these settings would do before its next request is shown, by the rule and not by a model.
    `.compressed` is the conversation afterwards, `.summary_message` the message that stands for what went.
    """

    _esm: ClassVar[str] = module(*SHARED, "labels.js", "history_compression.js")
    _css: ClassVar[str] = style(*SHARED_STYLES, "history_compression.css")

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
        rounds = len(round_starts(self.messages))
        self._policy = Policy(config, self._model)
        self._total = self._policy.tokens(Run("history"), Request(self.messages, self._tools))
        self.keep = min(keep if keep is not None else config.min_retain_rounds, max(rounds, 1))
        """How many of the last rounds stay as they are."""
        self.threshold = threshold if threshold is not None else self._policy.limit
        """The tokens at which a request is made shorter."""
        self._settle()
        super().__init__(subject)

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
        return self.head_json() | {"messages": [self._message_json(one) for one in self.messages]}

    def set(self, *, threshold: int | None = None, keep: int | None = None) -> None:
        """Moves the threshold (in tokens) and the number of rounds to keep."""
        if keep is not None:
            if keep < 1:
                raise ValueError(f"keep={keep} would lose the question. Keep at least 1 round.")
            self.keep = keep
        if threshold is not None:
            if threshold < 1:
                raise ValueError(f"threshold={threshold} leaves no room for anything. Use a positive number of tokens.")
            self.threshold = threshold
        self._settle()
        self.publish()

    # -- inside --------------------------------------------------------------------------------------

    def _settle(self) -> None:
        """Does what the loop does before a request: makes the conversation shorter until it fits, or nothing helps."""
        config = Config(min_retain_rounds=self.keep, memory_buffer_tokens=self.threshold, language=self.language)
        self._policy = Policy(config, self._model)
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
        return None if self.logs else {"messages": [self._message_json(one) for one in self.messages]}

    def _message_json(self, message: Message) -> Json:
        calls = [f"{call.name}({_short(str(dict(call.arguments)))})" for call in message.tool_calls]
        return {
            "role": message.role,
            "text": "\n".join([*([message.text] if message.text else []), *calls]),
            "tokens": self._policy.counter.count_message(message),
        }

    def head_json(self) -> Json:
        count = self._policy.counter.count_message
        before, after = self.messages, self._after.messages
        kept = {id(one) for one in after}
        changed = _changed(before, after)
        rounds = [
            {"from": start, "to": stop, "fate": _fate(before[start:stop], kept)} for start, stop in _rounds(before)
        ]
        summary = self.summary_message
        tools = self._policy.counter.count_tools(self._tools)
        return {
            "title": "HistoryCompression",
            "language": self.language,
            "rounds": rounds,
            "fates": [
                "kept" if id(one) in kept else "shortened" if place in changed else "folded"
                for place, one in enumerate(before)
            ],
            "shortened": [
                {"at": place, "tokens": count(one), "text": one.text} for place, one in sorted(changed.items())
            ],
            "tools": tools,
            "before": self._total,
            "after": tools + sum(map(count, after)),
            "threshold": self.threshold,
            "keep": self.keep,
            "due": self._total > self.threshold,
            "fits": tools + sum(map(count, after)) <= self.threshold,
            "times": len(self._events),
            "summary": None if summary is None else {"text": summary.text, "tokens": count(summary)},
            "exact": self._policy.counter.exact,
        }

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
        head = self.head_json()
        lines = [
            f"HistoryCompression: {len(head['rounds'])} rounds, {head['before']} tokens, "
            f"threshold {head['threshold']}, keep {head['keep']}"
        ]
        for number, one in enumerate(head["rounds"], 1):
            tokens = sum(self._policy.counter.count_message(m) for m in self.messages[one["from"] : one["to"]])
            lines.append(f"  round {number}: {tokens} tokens, {one['fate']}")
        if head["due"]:
            lines.append(f"compressed to {head['after']} tokens")
        else:
            lines.append("below the threshold: nothing is compressed")
        if head["summary"]:
            lines += ["summary:", *(f"  {line}" for line in head["summary"]["text"].splitlines())]
        return "\n".join(lines)

    def picture(self) -> str:
        head = self.head_json()
        count = self._policy.counter.count_message
        hues = {"kept": HUES["user"], "folded": HUES["summary"], "shortened": HUES["results"], "system": HUES["system"]}
        spans = [(one["fate"], sum(map(count, self.messages[one["from"] : one["to"]]))) for one in head["rounds"]]
        left = [(fate, tokens) for fate, tokens in spans if fate != "folded"]
        summary = [("folded", head["summary"]["tokens"])] if head["summary"] else []
        body = f'<p style="margin:4px 0">{head["before"]:,} tokens</p>{bar([(hues[f], n) for f, n in spans])}'
        body += f'<p style="margin:4px 0">{head["after"]:,} tokens</p>{bar([(hues[f], n) for f, n in summary + left])}'
        rounds: list[Json] = head["rounds"]
        rows = [
            [str(number), escape(_short(self.messages[int(one["from"])].text, 80)), f"{tokens:,}", str(one["fate"])]
            for number, (one, (_, tokens)) in enumerate(zip(rounds, spans, strict=True), 1)
        ]
        body += grid(("round", "question", "tokens", ""), rows)
        if head["summary"]:
            body += box(HUES["summary"], "<b>summary</b>", words(head["summary"]["text"]))
        elif not head["due"]:
            body += f'<p style="{MUTED}">Below the threshold: nothing is compressed.</p>'
        marks = (f"threshold {head['threshold']:,}", f"keep {head['keep']}")
        return sheet("HistoryCompression", marks, body, language=self.language)


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


def _fate(messages: Sequence[Message], kept: set[int]) -> str:
    left = [id(one) in kept for one in messages]
    return "kept" if all(left) else "shortened" if any(left) else "folded"


def _number(value: object) -> int | None:
    return None if value is None else int(str(value))


def _short(text: str, size: int = 120) -> str:
    line = " ".join(text.split())
    return line if len(line) <= size else line[: size - 1] + "…"


__all__ = ["HistoryCompression"]
