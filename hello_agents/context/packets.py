"""Packets: the pieces that a context is put together from, and the settings of putting it together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from math import inf, isfinite
from types import EllipsisType
from typing import TYPE_CHECKING, Any, Literal, get_args

from ..core.exceptions import HelloAgentsException

if TYPE_CHECKING:
    from .structuring import ContextTemplate
    from .token_counter import TokenCounter

Kind = Literal[
    "instructions", "task", "task_state", "related_memory", "knowledge_base", "tool_result", "history", "output"
]
"""What a packet is, as its metadata says under `type`."""
KINDS: tuple[Kind, ...] = get_args(Kind)

Section = Literal["role", "task", "state", "evidence", "context", "output"]
"""A part of the finished context."""
SECTIONS: tuple[Section, ...] = get_args(Section)
REQUIRED: frozenset[Section] = frozenset({"role", "task", "output"})
"""Sections that never compete and are never cut."""

_SECTION_OF: Mapping[str, Section] = {
    "instructions": "role",
    "task": "task",
    "task_state": "state",
    "history": "context",
    "output": "output",
}


class ContextBudgetError(HelloAgentsException, ValueError):
    """Instructions, task and output format alone take more tokens than the context may have."""


def count_tokens(text: str) -> int:
    """Tokens of a text, as today's common encoding cuts it."""
    return common_counter().count_text(text)


@cache
def common_counter() -> TokenCounter:
    """The counter for texts that are meant for no model in particular."""
    from .token_counter import TokenCounter

    return TokenCounter("")


@dataclass(init=False, slots=True)
class ContextPacket:
    """A piece of text that may become part of a context, with what is known about it."""

    content: str
    timestamp: datetime | None
    """When it was said or written; without a time zone, local time. `None`: it has no time."""
    metadata: dict[str, Any]
    """`type` is a `Kind`, and anything else counts as evidence; `importance` is from 0 to 1; `citation` is what
    evidence is cited by. Other keys are the owner's."""
    relevance_score: float
    """From 0 to 1, as the search gave it that found the packet. 0: none did, so that words are compared."""
    id: str
    """Names the packet in a trace. Empty until it is gathered."""
    source: str
    """Who gave it. Empty until it is gathered."""
    _tokens: int = field(repr=False, compare=False)

    def __init__(
        self,
        content: str,
        timestamp: datetime | EllipsisType | None = ...,
        metadata: Mapping[str, Any] | None = None,
        token_count: int = 0,
        relevance_score: float = 0.0,
        *,
        id: str = "",
        source: str = "",
    ) -> None:
        """Without a `timestamp`, it is now; a `token_count` of 0 is counted when it is asked for."""
        self.content = content
        self.timestamp = datetime.now() if isinstance(timestamp, EllipsisType) else timestamp
        self.metadata = dict(metadata) if metadata else {}
        self.relevance_score = relevance_score
        self.id = id
        self.source = source
        self._tokens = token_count

    @property
    def token_count(self) -> int:
        """Tokens of the content."""
        if not self._tokens and self.content:
            self._tokens = count_tokens(self.content)
        return self._tokens

    @token_count.setter
    def token_count(self, tokens: int) -> None:
        self._tokens = tokens

    @property
    def kind(self) -> str:
        """What `metadata["type"]` says; `knowledge_base` where it says nothing."""
        kind = self.metadata.get("type")
        return kind if isinstance(kind, str) else "knowledge_base"

    @property
    def section(self) -> Section:
        """The part of the context that it belongs to."""
        kind = self.metadata.get("type")
        return _SECTION_OF.get(kind, "evidence") if isinstance(kind, str) else "evidence"

    @property
    def citation(self) -> str:
        """What it is cited by as evidence."""
        citation = self.metadata.get("citation")
        return citation if isinstance(citation, str) and citation else self.source or self.kind

    def gathered(self, id: str, source: str) -> ContextPacket:
        """A copy that knows where it came from, in text that UTF-8 can carry."""
        content = self.content
        if not content.isascii():
            # Half of a surrogate pair is no character, and goes out to the provider as U+FFFD.
            content = content.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return ContextPacket(
            content, self.timestamp, self.metadata, self._tokens, self.relevance_score, id=id, source=source
        )


def _language() -> str:
    from ..core.config import Config

    return Config().language


@dataclass
class ContextConfig:
    """How a context is put together."""

    max_tokens: int = 8000
    """Tokens that a request may have."""
    reserve_ratio: float = 0.15
    """The part of them that is kept free for the answer."""
    min_relevance: float = 0.3
    """Packets of less relevance are left out. Task state and the last rounds stay."""
    enable_mmr: bool = True
    """What is alike to something chosen counts for less, and is left out when it is very much so."""
    mmr_lambda: float = 0.7
    """The weight of a packet's score against its novelty: 1 looks at the score alone, 0 at novelty alone."""
    system_prompt_template: str | ContextTemplate = ""
    """The form of the whole, with `{role}`, `{task}`, `{state}`, `{evidence}`, `{context}` and `{output}` in it; text
    before a name is the heading of its section. Empty: the headings of the language."""
    enable_compression: bool = True
    """What does not fit is cut by sentences. Off, whole packets are left out."""
    overfill: float = 1.25
    """With compression: packets are chosen for so many times the room, since only part of each may matter."""
    language: str = field(default_factory=_language)
    """Language of headings and reasons: `en` or `zh`."""
    relevance_weight: float = 0.7
    """The weight of relevance in a packet's score."""
    recency_weight: float = 0.2
    """The weight of recency."""
    importance_weight: float = 0.1
    """The weight of importance."""
    recency_hours: float = 24.0
    """The age at which recency has fallen to 1/e."""
    max_similarity: float = 0.85
    """With MMR: what is alike to a chosen packet by at least this much is left out. From 0 to 1."""
    merge_similarity: float = 0.95
    """What is alike to a chosen packet by at least this much is taken as the same, and merged into it."""
    history_rounds: int = 3
    """The last rounds of a conversation, which stay whatever their relevance, in up to half of the room."""
    results_per_source: int = 10
    """What memory and knowledge are asked for at most."""
    output_instructions: str = ""
    """What the answer should look like. Empty: the sentence of the language."""

    def __post_init__(self) -> None:
        for name in ("reserve_ratio", "min_relevance", "mmr_lambda", "max_similarity", "merge_similarity"):
            value = getattr(self, name)
            if not 0 <= value <= 1:
                raise ValueError(f"{name}={value} is out of range. Give a number from 0 to 1.")
        if self.max_tokens < 1 or self.reserve_ratio == 1:
            raise ValueError(
                f"max_tokens={self.max_tokens} with reserve_ratio={self.reserve_ratio} leaves no room for a context. "
                "Give at least 1 token, and a ratio below 1."
            )
        weights = (self.relevance_weight, self.recency_weight, self.importance_weight)
        if not all(isfinite(weight) and weight >= 0 for weight in weights) or not sum(weights):
            raise ValueError(f"The weights {weights} give no score. Give numbers from 0 on, and one above 0.")
        if not 1 <= self.overfill < inf:
            raise ValueError(f"overfill={self.overfill} would leave room unused. Give a number from 1 on.")
        if not self.recency_hours > 0:
            raise ValueError(f"recency_hours={self.recency_hours} is no time constant. Give hours above 0.")

    def get_available_tokens(self) -> int:
        """Tokens that the context may have: those of the request without the reserve."""
        return int(self.max_tokens * (1 - self.reserve_ratio))
