"""Sources: where packets come from. Memory, knowledge, the conversation, results of tools, or a reader's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

from ..catalogue import text
from ..core.message import Message
from ..core.rounds import round_starts
from .packets import ContextPacket, Kind

if TYPE_CHECKING:
    from ..memory.knowledge import Knowledge, Passage
    from ..memory.manager import MemoryManager
    from ..tools.response import ToolResponse
    from .truncator import ObservationTruncator


class Source(Protocol):
    """Where packets come from. It may raise: that is told in the trace, and the other sources go on."""

    @property
    def name(self) -> str:
        """What it is called in a trace."""
        ...

    def packets(self, query: str) -> Iterable[ContextPacket]:
        """What there is for a query. A packet without a `relevance_score` is compared with the query by its words."""
        ...


class OldTool(Protocol):
    """A tool for memory or retrieval that is only known by its action `search`."""

    def run(self, parameters: dict[str, Any], /) -> Any:
        """Answers with a `ToolResponse` or a text."""
        ...


class SourceFailed(Exception):
    """A tool that was searched answered with an error."""


class FunctionSource:
    """A source from a function: texts or packets for a query."""

    def __init__(
        self, name: str, function: Callable[[str], Iterable[ContextPacket | str]], kind: Kind = "knowledge_base"
    ) -> None:
        """`kind` is what its texts are, and with that their place in the context."""
        self.name = name
        self._function = function
        self._kind: Kind = kind

    def packets(self, query: str) -> Iterator[ContextPacket]:
        for one in self._function(query):
            if isinstance(one, str):
                yield ContextPacket(one, metadata={"type": self._kind})
            else:
                yield one


class MemorySource:
    """What is remembered that has to do with the query. How relevant it is, its words and its meaning say."""

    name = "memory"

    def __init__(self, manager: MemoryManager, limit: int = 10) -> None:
        self._manager = manager
        self._limit = limit

    def packets(self, query: str) -> Iterator[ContextPacket]:
        if not query.strip():
            return
        weights = self._manager.config.weights
        most = weights.words + weights.vector
        for hit in self._manager.recall(query, self._limit):
            item, reasons = hit.item, hit.reasons
            # Age and importance are weighed by the builder, for all packets alike.
            found = reasons.get("words", 0.0) + reasons.get("vector", 0.0)
            yield ContextPacket(
                item.content,
                item.timestamp,
                {
                    "type": "related_memory",
                    "importance": item.importance,
                    "memory_type": item.memory_type,
                    "memory_id": item.id,
                    "citation": f"{self.name} › {item.memory_type}",
                },
                relevance_score=found / most if most > 0 else hit.score,
            )


class KnowledgeSource:
    """Passages of documents that have to do with the query, each with the place that it is cited by."""

    name = "knowledge"

    def __init__(self, knowledge: Knowledge, limit: int = 10) -> None:
        self._knowledge = knowledge
        self._limit = limit

    def packets(self, query: str) -> Iterator[ContextPacket]:
        if not query.strip():
            return
        passages = self._knowledge.search(query, self._limit)
        good = self._knowledge.index.lexical.good_score(query) if passages else 0.0
        for rank, passage in enumerate(passages, 1):
            yield ContextPacket(
                passage.text,
                None,
                {
                    "type": "knowledge_base",
                    "citation": passage.citation,
                    "rank": rank,
                    "chunk_id": passage.chunk.id,
                    "document_id": passage.chunk.document_id,
                },
                relevance_score=_relevance(passage, good),
            )


def _relevance(passage: Passage, good: float) -> float:
    """How relevant a passage is by itself. Fused ranks only compare: the first of useless passages is first as well."""
    reasons = passage.reasons
    if "rerank" in reasons or "fused" not in reasons:
        return passage.score
    by_words = min(reasons.get("words", 0.0) / good, 1.0) if good > 0 else 0.0
    return max(by_words, reasons.get("vector", 0.0))


class ToolSource:
    """A tool of a reader's own, searched by `run({"action": "search", "query": …})`; its answer is one packet."""

    def __init__(self, name: str, tool: OldTool, kind: Kind, limit: int = 10) -> None:
        self.name = name
        self._tool = tool
        self._kind: Kind = kind
        self._limit = limit

    def packets(self, query: str) -> Iterator[ContextPacket]:
        from ..tools.response import ToolResponse, ToolStatus

        if not query.strip():
            return
        answer = self._tool.run({"action": "search", "query": query, "limit": self._limit})
        if isinstance(answer, ToolResponse) and answer.status is ToolStatus.ERROR:
            raise SourceFailed(answer.text)
        yield ContextPacket(str(answer), metadata={"type": self._kind})


class HistorySource:
    """The conversation so far, a packet a round: a question with what was said after it. Results of tools are left
    out; they are evidence."""

    name = "history"

    def __init__(self, messages: Sequence[Message], language: str = "en") -> None:
        self._messages = messages
        self._language = language

    def packets(self, query: str) -> Iterator[ContextPacket]:
        starts = round_starts(self._messages)
        borders = [0, *(start for start in starts if start), len(self._messages)]
        for start, stop in pairwise(borders):
            said = [message for message in self._messages[start:stop] if message.role not in ("system", "tool")]
            lines = [self._line(message) for message in said if message.text.strip()]
            if lines:
                yield ContextPacket("\n".join(lines), said[-1].timestamp, {"type": "history"})

    def _line(self, message: Message) -> str:
        return text(f"context.said.{message.role}", self._language, text=message.text.strip())


class ToolResultSource:
    """Results of tools as evidence, the long ones cut."""

    name = "tools"

    def __init__(
        self, results: Iterable[Message | ToolResponse | str], truncator: ObservationTruncator, language: str = "en"
    ) -> None:
        self._results = results
        self._truncator = truncator
        self._language = language

    def packets(self, query: str) -> Iterator[ContextPacket]:
        for result in self._results:
            said, name = _said(result), _tool_of(result)
            if not said.strip():
                continue
            preview = self._truncator.truncate(name, said, {"query": query})["preview"]
            time = result.timestamp if isinstance(result, Message) else None
            citation = text("context.cite.tool", self._language, name=name)
            yield ContextPacket(preview, time, {"type": "tool_result", "tool": name, "citation": citation})


def _said(result: Message | ToolResponse | str) -> str:
    return str(result) if isinstance(result, str) else result.text


def _tool_of(result: Message | ToolResponse | str) -> str:
    if isinstance(result, Message):
        return str(result.metadata.get("tool") or "tool")
    # A response is a string as well; a plain one has no context.
    context: Mapping[str, Any] = getattr(result, "context", None) or {}
    return str(context.get("tool_name") or "tool")
