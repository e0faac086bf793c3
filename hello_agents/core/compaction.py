"""Compaction: a small function around `decide` that makes a conversation shorter before it is too long to send.

It is an event of the loop: what was taken out stays in the journal, and a resumed or stepped run comes to the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .action import Action, Ask, Request
from .message import Message, Messages
from .run import Run

if TYPE_CHECKING:
    from ..context.token_counter import TokenCounter
    from .config import Config


def compact(run: Run, action: Action, policy: Policy) -> Action:
    """The action, unless it is a request that has come to the limit and can be made shorter.

    Each compaction leaves fewer tokens than there were, so that it comes to an end; what cannot be made shorter
    is sent as it is.
    """
    if not isinstance(action, Ask) or policy.fits(run, action.request):
        return action
    from .shrinking import shorter

    return shorter(run, action.request, policy) or action


class Policy:
    """When a conversation is made shorter, and how: the settings of an agent, and its count of tokens.

    Far from the limit, nothing is counted: a text has at most as many tokens as bytes. Only when that bound passes
    the limit, the messages since the last count are counted.
    """

    def __init__(self, config: Config, model: str = "", counter: TokenCounter | None = None) -> None:
        self.config = config
        self.model = model
        self._counter = counter
        self._conversation: tuple[Messages, int] = (Messages(), 0)
        self._tools: tuple[Sequence[dict[str, Any]], int] = ((), 0)

    @property
    def limit(self) -> int:
        """The tokens that a request may have."""
        config = self.config
        if config.memory_buffer_tokens is not None:
            return config.memory_buffer_tokens
        return int(config.context_window * config.compression_threshold)

    @property
    def summary_limit(self) -> int:
        """The tokens that a summary may have: a quarter of the limit where that is less than the setting."""
        return min(self.config.summary_max_tokens, self.limit // 4)

    @property
    def counter(self) -> TokenCounter:
        if self._counter is None:
            from ..context.token_counter import TokenCounter

            self._counter = TokenCounter(self.model)
        return self._counter

    def fits(self, run: Run, request: Request) -> bool:
        """Whether the request is within the limit. That it is can mostly be seen without counting."""
        messages, tools, limit = request.messages, request.tools, self.limit
        if messages is run.messages:
            total = self._bound(run.messages)
        else:
            own = shared(run.messages, messages)
            total = self._bound(run.messages) if own else 0
            for place in range(own, len(messages)):
                total += bound(messages[place])
        if self._tools[0] is not tools:
            self._tools = tools, sum(map(_bound_of_schema, tools))
        return total + self._tools[1] <= limit or self.tokens(run, request) <= limit

    def tokens(self, run: Run, request: Request) -> int:
        """The tokens of a request, counted."""
        own = shared(run.messages, request.messages)
        counter = self.counter
        total = counter.count_messages(run.messages) if own else 0
        if own:
            self._conversation = run.messages, total
        tools = counter.count_tools(request.tools)
        self._tools = request.tools, tools
        return total + tools + sum(map(counter.count_message, request.messages[own:]))

    def _bound(self, messages: Messages) -> int:
        """At least the tokens of the conversation. One more message costs the same however long it is."""
        before, total = self._conversation
        added = messages.since(before)
        if added is None:
            added, total = messages, 0
        for message in added:
            total += bound(message)
        self._conversation = messages, total
        return total


def bound(message: Message) -> int:
    """At least the tokens of a message, seen from the lengths of its texts."""
    content = message.content
    size = 4 if content is None else 4 + (len(content) if content.isascii() else 4 * len(content))
    for call in message.tool_calls:
        # JSON can take twice as much as Python's own form, where it escapes what Python does not.
        written = repr(call.arguments) + call.name
        size += 4 + (2 * len(written) if written.isascii() else 4 * len(written))
    return size


def _bound_of_schema(schema: dict[str, Any]) -> int:
    import json

    return len(json.dumps(schema, ensure_ascii=False, default=str).encode("utf-8", "surrogatepass"))


def shared(own: Messages, asked: Sequence[Message]) -> int:
    """How many messages a request has in common with the run, from the first on: all of the run's, or none."""
    size = len(own)
    if asked is own:
        return size
    if not size or len(asked) < size or asked[0] is not own[0] or asked[size - 1] is not own[size - 1]:
        return 0
    return size
