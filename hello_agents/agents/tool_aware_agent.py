"""ToolAwareSimpleAgent: the agent of version 0.2.8 that tells somebody of its tool calls."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from ..core.run import Entry, Returned, Run
from .simple_agent import SimpleAgent

if TYPE_CHECKING:
    from ..tools.registry import ToolRegistry

Listener = Callable[[dict[str, Any]], None]
"""Told of a call: `agent_name`, `tool_name`, `raw_parameters` (JSON text), `parsed_parameters`, `result`."""


class ToolAwareSimpleAgent(SimpleAgent):
    """A `SimpleAgent` with a listener, which is told of each call as soon as it has its result.

    An error of the listener is noted in the run and does not end it.
    """

    kind: ClassVar[str] = "ToolAware"

    def __init__(self, *args: Any, tool_call_listener: Listener | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.tool_call_listener = tool_call_listener
        self.subscribers.append(self._listen)

    @staticmethod
    def attach_registry(agent: ToolAwareSimpleAgent, registry: ToolRegistry | None) -> None:
        """Gives the agent these tools; with `None` it keeps what it has."""
        if registry is not None:
            agent.tool_registry = registry
            agent.enable_tool_calling = True

    def stream_run(self, input_text: str, max_tool_iterations: int | None = None, **kwargs: Any) -> Iterator[str]:
        """`Agent.stream_run`, with the old name of `max_steps`."""
        limits = {} if max_tool_iterations is None else {"max_steps": max_tool_iterations}
        return super().stream_run(input_text, **limits, **kwargs)

    def _listen(self, entry: Entry, run: Run) -> None:
        if self.tool_call_listener is None or entry.frame or not isinstance(entry.event, Returned):
            return
        result = entry.event.message
        at = run.messages.last_reply()
        if at is None or result.metadata.get("code") == "NOT_RUN":
            return
        call = next(call for call in run.messages[at].tool_calls if call.id == result.answers)
        self.tool_call_listener(
            {
                "agent_name": self.name,
                "tool_name": call.name,
                "raw_parameters": json.dumps(call.arguments, ensure_ascii=False),
                "parsed_parameters": call.arguments,
                "result": result.text,
            }
        )
