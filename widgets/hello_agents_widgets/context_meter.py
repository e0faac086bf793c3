"""ContextMeter: what fills the context window now, item by item, and where compression starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, ClassVar

from hello_agents.context.token_counter import TokenCounter
from hello_agents.core.action import Request
from hello_agents.core.agent import Agent
from hello_agents.core.at_rest import HUES, bar, dot, grid, legend, sheet
from hello_agents.core.message import Message
from hello_agents.core.run import Run

from ._base import SHARED, SHARED_STYLES, BookWidget, module, style
from .timeline import METER, compact_json, one_line

Json = dict[str, Any]

_KIND = {"system": "system", "user": "user", "assistant": "assistant", "tool": "results", "summary": "summary"}


class ContextMeter(BookWidget):
    """The window of a model as a bar: system message, tool schemas, questions, replies, results and summaries.

    `subject` is a run, a request, or an agent (with its tools, its window and its threshold). `.items` are the items
    in their order, `.biggest` the one that takes most, `.total` the tokens of all. `refresh()` looks again.
    """

    _esm: ClassVar[str] = module(*SHARED, "labels.js", "context_meter.js")
    _css: ClassVar[str] = style(*SHARED_STYLES, "context_meter.css")

    def __init__(
        self,
        subject: Run | Request | Agent,
        *,
        window: int | None = None,
        threshold: int | None = None,
        model: str | None = None,
        language: str | None = None,
    ) -> None:
        if not isinstance(subject, Run | Request | Agent):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"ContextMeter shows a run, a request or an agent, not {type(subject).__name__}. Pass one.")
        self.subject = subject
        agent = subject if isinstance(subject, Agent) else None
        named = vars(agent.llm).get("model") if agent else None
        self._counter = TokenCounter(model or (named if isinstance(named, str) else ""))
        self.language = language or (agent.language if agent else "en")
        self.window = window or (agent.config.context_window if agent else None)
        """How many tokens fit; `None` when it is not known."""
        self.threshold = threshold or (_threshold(agent) if agent else None)
        """The tokens at which an agent makes its conversation shorter."""
        self.items: list[Json] = []
        """`kind`, `name`, `tokens` and `text` of each item, in the order in which they are sent."""
        self._look()
        super().__init__(subject)

    @property
    def total(self) -> int:
        """The tokens of all items."""
        return sum(one["tokens"] for one in self.items)

    @property
    def biggest(self) -> Json | None:
        """The item that takes most; the first of those that take the same."""
        return max(self.items, key=lambda one: one["tokens"], default=None)

    @property
    def state(self) -> Json:
        """All that is shown, as plain JSON."""
        return self.head_json()

    def refresh(self) -> None:
        """Looks at the subject again."""
        self._look()
        self.publish()

    # -- inside --------------------------------------------------------------------------------------

    def _look(self) -> None:
        match self.subject:
            case Agent():
                messages = self.subject.state.messages
                schemas = self.subject.tools(self.subject.state).schemas()
            case Request(messages, schemas):
                pass
            case Run():
                messages, schemas = self.subject.messages, ()
        first = 0
        while first < len(messages) and messages[first].role == "system":
            first += 1
        names = _callers(messages)
        self.items = [self._message(one, names) for one in messages[:first]]
        self.items += [self._schema(one) for one in schemas]
        self.items += [self._message(one, names) for one in messages[first:]]

    def _schema(self, schema: Mapping[str, Any]) -> Json:
        tokens = self._counter.count_text(compact_json(schema))
        return {
            "kind": "tools",
            "name": schema["function"]["name"],
            "tokens": tokens,
            "text": compact_json(schema),
        }

    def _message(self, message: Message, names: Mapping[str, str]) -> Json:
        calls = [f"{call.name}({compact_json(dict(call.arguments))})" for call in message.tool_calls]
        name = names.get(message.answers or "", "") if message.role == "tool" else ""
        return {
            "kind": _KIND.get(message.role, "system"),
            "name": name or ", ".join(call.name for call in message.tool_calls),
            "tokens": self._counter.count_message(message),
            "text": "\n".join([*([message.text] if message.text else []), *calls]),
        }

    def take(self) -> Json | None:
        return None

    def head_json(self) -> Json:
        sums = dict.fromkeys(METER, 0)
        for one in self.items:
            sums[one["kind"]] += one["tokens"]
        return {
            "title": "ContextMeter",
            "language": self.language,
            "items": self.items,
            "sums": [sums[kind] for kind in METER],
            "total": self.total,
            "window": self.window,
            "threshold": self.threshold,
            "exact": self._counter.exact,
        }

    def perform(self, op: str, args: Mapping[str, Any]) -> None:
        match op:
            case "refresh":
                self._look()
            case "dismiss":
                pass
            case _:
                raise ValueError(f"ContextMeter has no operation {op!r}. There is refresh.")

    # -- at rest -------------------------------------------------------------------------------------

    def summary(self) -> str:
        head = self.head_json()
        of = f" of {self.window}" if self.window else ""
        lines = [f"ContextMeter: {head['total']} tokens{of} in {len(self.items)} items"]
        sums: Sequence[int] = head["sums"]
        lines += [f"  {kind}: {tokens}" for kind, tokens in zip(METER, sums, strict=True) if tokens]
        if self.biggest:
            lines.append(f"biggest: {self.biggest['kind']} {self.biggest['name']} ({self.biggest['tokens']} tokens)")
        if self.threshold:
            lines.append(f"compression starts at {self.threshold} tokens")
        return "\n".join(lines)

    def picture(self) -> str:
        head = self.head_json()
        sums: Sequence[int] = head["sums"]
        whole = [(HUES[kind], tokens) for kind, tokens in zip(METER, sums, strict=True)]
        ranked = sorted(self.items, key=lambda one: -one["tokens"])[:10]
        rows = [
            [dot(HUES[kind]) + kind, escape(one["name"] or one_line(one["text"], 80)), f"{one['tokens']:,}"]
            for kind, one in ((one["kind"], one) for one in ranked)
        ]
        amounts = [(HUES[kind], f"{kind} {tokens:,}") for kind, tokens in zip(METER, sums, strict=True) if tokens]
        body = bar(whole) + legend(amounts)
        body += grid(("kind", "item, the biggest first", "tokens"), rows)
        of = f" of {self.window:,}" if self.window else ""
        at = f" · compression starts at {self.threshold:,}" if self.threshold else ""
        foot = f"{head['total']:,}{of} tokens used{at}"
        return sheet("ContextMeter", (), body, foot, language=self.language)


def _threshold(agent: Agent) -> int:
    from hello_agents.core.compaction import Policy

    return Policy(agent.config).limit


def _callers(messages: Sequence[Message]) -> dict[str, str]:
    """The names of the tools, by the ids of the calls."""
    return {call.id: call.name for message in messages for call in message.tool_calls}


__all__ = ["ContextMeter"]
