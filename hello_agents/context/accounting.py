"""Accounting: the trace of a context, put together from what its four stages gave."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from .compressing import Compressed, sentences
from .context_trace import ContextTrace, ScoreParts, TracedFailure, TracedPacket, TracedSection, reason_of
from .packets import REQUIRED, ContextConfig, ContextPacket
from .selecting import Fate, Scores, Selected, Verdict
from .structuring import Item, Part, Structured

if TYPE_CHECKING:
    from .builder import Gathered

_LABEL = 60
_NONE = Scores(0.0, 0.0, 0.0, 0.0)
_LEFT = Verdict("over_budget")
"""On a packet that a subclass has left out, of which no more is known."""

Count = Callable[[str], int]


def account(
    query: str,
    config: ContextConfig,
    gathered: Gathered,
    selected: Selected,
    structured: Structured,
    compressed: Compressed,
    count: Count,
) -> ContextTrace:
    """The trace. Packets that a subclass added after gathering are in it, too."""
    packets = {packet.id: packet for packet in (*gathered, *selected)}
    standing = _items(structured)
    ends = _ends(selected, structured, compressed, count)
    return ContextTrace(
        query=query,
        language=config.language,
        max_tokens=config.max_tokens,
        reserve_ratio=config.reserve_ratio,
        budget=config.get_available_tokens(),
        gathered=tuple(
            _traced(
                packet,
                ends.get(packet.id) or (selected.verdicts.get(packet.id, _LEFT), 0),
                config,
                count,
            )
            for packet in packets.values()
        ),
        chosen=tuple(packet.id for packet in selected if packet.id in standing),
        structured=tuple(_section(part, count) for part in structured.parts),
        structured_tokens=count(structured),
        compressed=tuple(_compressed(part, compressed, count) for part in structured.parts),
        tokens=count(compressed),
        text=str(compressed),
        failures=tuple(_failures(gathered, selected, compressed)),
    )


def _items(structured: Structured) -> dict[str, Item]:
    return {item.id: item for part in structured.parts for item in part.items}


def _ends(
    selected: Selected, structured: Structured, compressed: Compressed, count: Count
) -> dict[str, tuple[Verdict, int]]:
    """What has become of each chosen packet in the end, and how many of its tokens are left."""
    before, after = _items(structured), _items(compressed)
    ends: dict[str, tuple[Verdict, int]] = {}
    for packet in selected:
        verdict = selected.verdicts.get(packet.id) or Verdict("selected")
        old, new = before.get(packet.id), after.get(packet.id)
        if packet.section in compressed.rewritten:
            ends[packet.id] = Verdict("trimmed", verdict.scores, "model"), 0
        elif old is None or new is None:
            ends[packet.id] = Verdict("over_budget", verdict.scores), 0
        elif old.body == new.body:
            ends[packet.id] = verdict, count(packet.content)
        else:
            ends[packet.id] = Verdict("trimmed", verdict.scores), count(new.body)
    return ends


def _traced(packet: ContextPacket, end: tuple[Verdict, int], config: ContextConfig, count: Count) -> TracedPacket:
    verdict, kept = end
    scores, tokens = verdict.scores, count(packet.content)
    return TracedPacket(
        id=packet.id,
        source=packet.source,
        kind=packet.kind,
        section=packet.section,
        label=_label(packet.content),
        content=packet.content,
        citation=packet.citation if packet.section == "evidence" else "",
        tokens=tokens,
        fate=verdict.fate,
        reason=_reason(verdict, config, tokens, kept),
        scores=None if scores is None else _parts(scores),
        other=verdict.other if verdict.fate in ("redundant", "merged") else "",
        kept=kept,
    )


def _label(content: str) -> str:
    line = " ".join(content[: 4 * _LABEL].split())
    return line if len(line) <= _LABEL else f"{line[: _LABEL - 1].rstrip()}…"


def _parts(scores: Scores) -> ScoreParts:
    return ScoreParts(scores.total, scores.relevance, scores.recency, scores.importance, scores.raw_relevance)


def _reason(verdict: Verdict, config: ContextConfig, tokens: int, kept: int) -> str:
    scores = verdict.scores or _NONE
    key: Fate | str = verdict.fate
    if verdict.fate == "trimmed" and verdict.other:
        key = "rewritten"
    elif verdict.fate == "over_budget" and verdict.number < 0:
        key = "outranked"
    elif verdict.fate == "selected" and verdict.scores is None:
        key = "passed"
    return reason_of(
        key,
        config.language,
        score=scores.total,
        relevance=scores.relevance,
        recency=scores.recency,
        importance=scores.importance,
        raw=scores.raw_relevance,
        least=config.min_relevance,
        other=verdict.other,
        alike=verdict.number,
        left=verdict.number,
        tokens=tokens,
        kept=kept,
    )


def _failures(gathered: Gathered, selected: Selected, compressed: Compressed) -> Iterator[TracedFailure]:
    yield from gathered.failures
    if selected.failure is not None:
        yield TracedFailure("select", "embedding", selected.failure)
    if compressed.failure is not None:
        yield TracedFailure("compress", "model", compressed.failure)


# -- sections ---------------------------------------------------------------------------------------------------------


def _section(part: Part, count: Count) -> TracedSection:
    heading = part.prefix.strip()
    return TracedSection(
        part.section,
        heading,
        part.body,
        count(part.prefix + part.body),
        tuple(item.id for item in part.items if item.id),
        part.section in REQUIRED,
    )


def _compressed(part: Part, compressed: Compressed, count: Count) -> TracedSection:
    """What has become of a section."""
    after = next((one for one in compressed.parts if one.section == part.section), None)
    rewritten = part.section in compressed.rewritten
    left: Mapping[str, Item] = {} if after is None or rewritten else {item.id: item for item in after.items}
    pieces: list[tuple[str, bool]] = []
    for item in part.items:
        if pieces:
            said, kept = pieces.pop()
            pieces.append((said + part.between, kept))
        pieces += _pieces(item, left.get(item.id))
    return TracedSection(
        part.section,
        part.prefix.strip(),
        "" if after is None else after.body,
        0 if after is None else count(after.prefix + after.body),
        tuple(left),
        part.section in REQUIRED,
        tuple(pieces),
        rewritten,
    )


def _pieces(before: Item, after: Item | None) -> Iterator[tuple[str, bool]]:
    """The text of a packet in its section, cut where something was left out, with what was kept."""
    if after is None or before.body == after.body:
        yield before.text, after is not None
        return
    if before.head:
        yield before.head, True
    at = 0
    for sentence in sentences(before.body):
        found = after.body.find(sentence.strip(), at)
        if found >= 0:
            at = found + len(sentence.strip())
            yield sentence, True
            continue
        # The beginning of a sentence may be all that is left.
        rest = after.body[at:].removesuffix("…").strip()
        if at == 0 and rest and sentence.startswith(rest):
            yield rest, True
            yield sentence[len(rest) :], False
        else:
            yield sentence, False
