"""The context builder: gathers packets, selects among them, puts them in sections and cuts the whole to its budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ..catalogue import text
from ..core.message import Message
from .accounting import account
from .compressing import Compressed, check_required, compress, drop_to_fit, rewrite
from .context_trace import ContextTrace, TracedFailure
from .packets import REQUIRED, ContextBudgetError, ContextConfig, ContextPacket, Kind, common_counter, count_tokens
from .selecting import Selected, Verdict, select
from .sources import HistorySource, KnowledgeSource, MemorySource, OldTool, Source, ToolResultSource, ToolSource
from .structuring import Structured, read_back, structure, template_of

if TYPE_CHECKING:
    from ..core.action import Model
    from ..memory.embeddings import Embedding
    from ..tools.response import ToolResponse
    from .token_counter import TokenCounter
    from .truncator import ObservationTruncator

__all__ = [
    "ContextBudgetError",
    "ContextBuilder",
    "ContextConfig",
    "ContextPacket",
    "Gathered",
    "Message",
    "count_tokens",
]

_RESULT_LINES, _RESULT_BYTES = 200, 8000


class Gathered(list[ContextPacket]):
    """The packets that there are, with the sources that failed."""

    failures: tuple[TracedFailure, ...]

    @classmethod
    def of(cls, packets: Iterable[ContextPacket], failures: Iterable[TracedFailure] = ()) -> Gathered:
        made = cls(packets)
        made.failures = tuple(failures)
        return made


class ContextBuilder:
    """Makes one text of all that a model should know for a question, within a budget of tokens.

    Four stages, each a method that a subclass may replace: `_gather`, `_select`, `_structure`, `_compress`.
    Equal inputs at an equal time give equal texts.
    """

    def __init__(
        self,
        memory_tool: OldTool | ContextConfig | None = None,
        rag_tool: OldTool | None = None,
        config: ContextConfig | None = None,
        *,
        sources: Iterable[Source] = (),
        tool_results: Sequence[Message | ToolResponse | str] = (),
        truncator: ObservationTruncator | None = None,
        llm: Model | None = None,
        embedding: Embedding | None = None,
        token_counter: TokenCounter | None = None,
        clock: Callable[[], datetime] | None = None,
    ) -> None:
        """`memory_tool` and `rag_tool`: ours, or any with `run({"action": "search", …})`; settings may stand in the
        first place, too. `sources`: further ones, asked in this order. `tool_results` go through `truncator`.
        `llm` shortens what is too long; without it, sentences are chosen. `embedding` says how alike packets are;
        without it, their words do. `clock` tells the time.
        """
        if isinstance(memory_tool, ContextConfig):
            memory_tool, config = None, memory_tool
        self.memory_tool = memory_tool
        self.rag_tool = rag_tool
        self.config = config or ContextConfig()
        self.sources = tuple(sources)
        self.tool_results = tool_results
        self.llm = llm
        self.embedding = embedding
        self.clock = clock or _now
        self._truncator = truncator
        self._counter = token_counter

    @property
    def token_counter(self) -> TokenCounter:
        """What counts tokens."""
        return self._counter or common_counter()

    @property
    def truncator(self) -> ObservationTruncator:
        """What cuts long results of tools. Unless another was given, it keeps nothing in files."""
        if self._truncator is None:
            from .truncator import ObservationTruncator

            language = self.config.language
            self._truncator = ObservationTruncator(_RESULT_LINES, _RESULT_BYTES, "summary", None, language=language)
        return self._truncator

    def build(
        self,
        user_query: str,
        conversation_history: Sequence[Message] | None = None,
        system_instructions: str | None = None,
        additional_packets: Sequence[ContextPacket] | None = None,
        *,
        custom_packets: Sequence[ContextPacket] | None = None,
        task_state: str | Sequence[str] = (),
    ) -> str:
        """The context for a question: the text of its `trace`, made without the account.

        `custom_packets` is another name for `additional_packets`. Raises `ContextBudgetError` when instructions, task
        and output format do not fit.
        """
        packets = [*(additional_packets or ()), *(custom_packets or ()), *_states(task_state)]
        return str(self._pass(user_query, conversation_history or (), system_instructions, packets)[3])

    def trace(
        self,
        user_query: str,
        conversation_history: Sequence[Message] | None = None,
        system_instructions: str | None = None,
        additional_packets: Sequence[ContextPacket] | None = None,
        *,
        custom_packets: Sequence[ContextPacket] | None = None,
        task_state: str | Sequence[str] = (),
    ) -> ContextTrace:
        """How `build` comes to its text, with all that was gathered, chosen, left out and cut, and why."""
        packets = [*(additional_packets or ()), *(custom_packets or ()), *_states(task_state)]
        stages = self._pass(user_query, conversation_history or (), system_instructions, packets)
        return account(user_query, self.config, *stages, self.token_counter.count_text)

    def _pass(
        self, query: str, history: Sequence[Message], instructions: str | None, packets: list[ContextPacket]
    ) -> tuple[Gathered, Selected, Structured, Compressed]:
        """The four stages. What a subclass returns from them may be plain lists and texts."""
        gathered = self._gather(query, history, instructions, packets)
        if not isinstance(gathered, Gathered):
            gathered = Gathered.of(gathered)
        selected = self._select(gathered, query)
        if not isinstance(selected, Selected):
            selected = Selected.of(selected, {packet.id: Verdict("selected") for packet in selected})
        structured = self._structure(selected, query, instructions)
        if not isinstance(structured, Structured):
            structured = read_back(structured, template_of(self.config))
        compressed = self._compress(structured)
        if not isinstance(compressed, Compressed):
            compressed = Compressed.made_of(read_back(compressed, template_of(self.config)))
        return gathered, selected, structured, compressed

    # -- the four stages ----------------------------------------------------------------------------------------------

    def _gather(
        self,
        user_query: str,
        conversation_history: Sequence[Message] = (),
        system_instructions: str | None = None,
        additional_packets: Sequence[ContextPacket] = (),
    ) -> list[ContextPacket]:
        """All packets: what is required, then what each source has, then the caller's. Sources that fail are left."""
        packets = list(self._required(user_query, system_instructions))
        self._check(self._structured(packets))
        failures: list[TracedFailure] = []
        results = [*(message for message in conversation_history if message.role == "tool"), *self.tool_results]
        language = self.config.language
        for source in (
            *self._retrieval(),
            *self.sources,
            ToolResultSource(results, self.truncator, language),
            HistorySource(conversation_history, language),
        ):
            name = source.name
            try:
                found = list(source.packets(user_query))
            except Exception as error:  # A source is a reader's code, or a server's answer.
                failures.append(TracedFailure("gather", name, f"{type(error).__name__}: {error}"))
            else:
                packets += self._named(found, name)
        packets += self._named(additional_packets, "caller")
        return Gathered.of(_with_unique_ids(packets), failures)

    def _select(self, packets: Sequence[ContextPacket], user_query: str) -> list[ContextPacket]:
        """The packets that are worth their tokens, as many as there is room for."""
        if not isinstance(packets, Gathered):
            packets = _with_unique_ids(packets)
        fixed = self._structured([packet for packet in packets if packet.section in REQUIRED])
        room = self._check(fixed)
        return select(packets, user_query, self.config, room, self.clock(), self._size, self.embedding)

    def _structure(
        self, selected_packets: Sequence[ContextPacket], user_query: str, system_instructions: str | None = None
    ) -> str:
        """The packets as one text in sections. What is required and not among them is added."""
        there = {packet.section for packet in selected_packets}
        required = self._required(user_query, system_instructions)
        missing = [packet for packet in required if packet.section not in there]
        packets = _with_unique_ids([*missing, *selected_packets])
        if not isinstance(selected_packets, Selected):
            return self._structured(packets)
        return structure(packets, template_of(self.config), selected_packets.scores(), selected_packets.also)

    def _compress(self, context: str) -> str:
        """The context within the budget."""
        structured = context if isinstance(context, Structured) else read_back(context, template_of(self.config))
        self._check(structured)
        budget, count = self.config.get_available_tokens(), self.token_counter.count_text
        if not self.config.enable_compression:
            return Compressed.made_of(drop_to_fit(structured, budget, count))
        query = next((part.body for part in structured.parts if part.section == "task"), "")
        if self.llm is None:
            return Compressed.made_of(compress(structured, query, budget, count))
        shorter, sections, failure = rewrite(structured, query, budget, count, self.llm, self.config.language)
        return Compressed.made_of(compress(shorter, query, budget, count), sections, failure)

    # -- inside -------------------------------------------------------------------------------------------------------

    def _retrieval(self) -> Iterator[Source]:
        limit = self.config.results_per_source
        if self.memory_tool is not None and not isinstance(self.memory_tool, ContextConfig):
            yield _memory_source(self.memory_tool, limit)
        if self.rag_tool is not None:
            yield _knowledge_source(self.rag_tool, limit)

    def _required(self, query: str, instructions: str | None) -> Iterator[ContextPacket]:
        output = self.config.output_instructions or text("context.output_usual", self.config.language)
        for kind, content in (("instructions", instructions or ""), ("task", query), ("output", output)):
            if content.strip():
                yield ContextPacket(content, None, {"type": kind}).gathered(kind, "builder")

    def _named(self, packets: Iterable[ContextPacket], source: str) -> Iterator[ContextPacket]:
        for number, packet in enumerate(packets):
            yield packet.gathered(packet.id or f"{source}:{number}", packet.source or source)

    def _structured(self, packets: Sequence[ContextPacket]) -> Structured:
        return structure(packets, template_of(self.config))

    def _check(self, structured: Structured) -> int:
        """The tokens beside what is required. Raises `ContextBudgetError`."""
        config = self.config
        how = f"max_tokens={config.max_tokens}, reserve_ratio={config.reserve_ratio}"
        return check_required(structured, config.get_available_tokens(), self.token_counter.count_text, how)

    def _size(self, packet: ContextPacket) -> int:
        """Tokens of a packet, by the counter of this builder."""
        return self.token_counter.count_text(packet.content)


def _now() -> datetime:
    return datetime.now(UTC)


def _states(task_state: str | Sequence[str]) -> list[ContextPacket]:
    states = [task_state] if isinstance(task_state, str) else task_state
    kind: Kind = "task_state"
    return [ContextPacket(state, None, {"type": kind}) for state in states if state.strip()]


def _with_unique_ids(packets: Iterable[ContextPacket]) -> list[ContextPacket]:
    """The packets, each with an id of its own."""
    seen: set[str] = set()
    unique: list[ContextPacket] = []
    for packet in packets:
        id = packet.id or packet.source or packet.kind
        number = 1
        while id in seen:
            number += 1
            id = f"{packet.id or packet.source or packet.kind}#{number}"
        seen.add(id)
        unique.append(packet if id == packet.id else packet.gathered(id, packet.source or "caller"))
    return unique


def _memory_source(tool: OldTool, limit: int) -> Source:
    from ..tools.builtin.memory_tool import MemoryTool

    if isinstance(tool, MemoryTool):
        return MemorySource(tool.memory_manager, limit)
    return ToolSource("memory", tool, "related_memory", limit)


def _knowledge_source(tool: OldTool, limit: int) -> Source:
    from ..tools.builtin.rag_tool import RAGTool

    if isinstance(tool, RAGTool):
        return KnowledgeSource(tool.knowledge, limit)
    return ToolSource("knowledge", tool, "knowledge_base", limit)
