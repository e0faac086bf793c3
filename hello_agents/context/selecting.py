"""Selecting: which packets become part of a context, and why the others do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from math import exp, isfinite, log
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from ..memory.words import words
from .mmr import Choice, Likeness, likeness_of_vectors, likeness_of_words
from .packets import REQUIRED, SECTIONS, ContextConfig, ContextPacket, Section

if TYPE_CHECKING:
    from ..memory.embeddings import Embedding

Fate = Literal["required", "selected", "trimmed", "below_threshold", "redundant", "merged", "over_budget"]
"""What becomes of a packet."""

_POOL = 3
"""Packets are compared with each other until they have this many times the tokens that there is room for."""

_MIDDLE = 0.5
"""What counts as recency where there is no time, and as importance where there is none."""


class Scores(NamedTuple):
    """A packet's score as the sum of its weighted parts."""

    raw_relevance: float
    """Before weighting, from 0 to 1: what the threshold looks at."""
    relevance: float
    recency: float
    importance: float

    @property
    def total(self) -> float:
        return self.relevance + self.recency + self.importance


class Verdict(NamedTuple):
    """What became of a packet, and by which number."""

    fate: Fate
    scores: Scores | None = None
    """`None` for what never competed."""
    other: str = ""
    """With `redundant` and `merged`: the id of the packet that it is alike to."""
    number: float = 0.0
    """How alike; with `over_budget` the tokens that were left, or -1 when better ones were many times too many."""


class Selected(list[ContextPacket]):
    """Packets that were chosen, in their order, with the verdict on each that there was."""

    verdicts: dict[str, Verdict]
    also: dict[str, list[str]]
    """By the id of a packet, the citations of those that were merged into it."""
    failure: str | None
    """Why the embedding could not be used, and words were compared instead."""

    @classmethod
    def of(
        cls,
        packets: Iterable[ContextPacket],
        verdicts: dict[str, Verdict],
        also: dict[str, list[str]] | None = None,
        failure: str | None = None,
    ) -> Selected:
        made = cls(packets)
        made.verdicts, made.also, made.failure = verdicts, also or {}, failure
        return made

    def scores(self) -> dict[str, float]:
        """By id, the score of each that competed."""
        own = ((packet.id, self.verdicts[packet.id].scores) for packet in self if packet.id in self.verdicts)
        return {id: scores.total for id, scores in own if scores is not None}


def select(
    packets: Sequence[ContextPacket],
    query: str,
    config: ContextConfig,
    room: int,
    now: datetime,
    count: Callable[[ContextPacket], int],
    embedding: Embedding | None = None,
) -> Selected:
    """The packets to use: the required ones, and of the others the best that `room` tokens hold, or, where they will be
    cut, somewhat more.

    Scored by relevance, recency and importance; below `min_relevance` out; then chosen one by one by maximal marginal
    relevance. One that does not fit is passed over for smaller ones.
    """
    by_section: dict[Section, list[ContextPacket]] = {section: [] for section in SECTIONS}
    for packet in packets:
        by_section[packet.section].append(packet)
    required = [packet for section in REQUIRED for packet in by_section[section]]
    verdicts = {packet.id: Verdict("required") for packet in required}
    others = [packet for section in ("state", "evidence", "context") for packet in by_section[section]]
    room = int(room * config.overfill) if config.enable_compression else room
    selection = _Selection(config, room, count, embedding, verdicts, scored(others, query, config, now))
    selection.fill(by_section["state"], by_section["context"], by_section["evidence"])
    selected = _ordered([*required, *selection.chosen], packets, verdicts)
    return Selected.of(selected, verdicts, selection.also, selection.failure)


def _ordered(
    chosen: Sequence[ContextPacket], packets: Sequence[ContextPacket], verdicts: Mapping[str, Verdict]
) -> Iterator[ContextPacket]:
    """Evidence by its score, best first; all else as it was gathered."""
    ids = {packet.id for packet in chosen}
    places = {packet.id: place for place, packet in enumerate(packets) if packet.id in ids}

    def key(packet: ContextPacket) -> tuple[float, int]:
        scores = verdicts[packet.id].scores
        score = scores.total if scores is not None and packet.section == "evidence" else 0.0
        return -score, places[packet.id]

    yield from sorted(chosen, key=key)


class _Selection:
    """A selection under way."""

    def __init__(
        self,
        config: ContextConfig,
        room: int,
        count: Callable[[ContextPacket], int],
        embedding: Embedding | None,
        verdicts: dict[str, Verdict],
        scores: Mapping[str, Scores],
    ) -> None:
        self.config = config
        self.room = self.left = room
        self.count = count
        self.embedding = embedding
        self.verdicts = verdicts
        self.scores = scores
        self.chosen: list[ContextPacket] = []
        self.also: dict[str, list[str]] = {}
        self.failure: str | None = None
        """Why the embedding could not be used."""

    def fill(
        self, state: Sequence[ContextPacket], rounds: Sequence[ContextPacket], evidence: Sequence[ContextPacket]
    ) -> None:
        """Task state first, then the last rounds, then whatever is best."""
        for packet in state:
            self._put(packet)
        recent = self._recent(rounds)
        kept = {packet.id for packet in recent}
        free = [packet for packet in (*evidence, *rounds) if packet.id not in kept]
        self._choose(self._candidates(free), recent)
        self._cut_one(free)

    def _recent(self, rounds: Sequence[ContextPacket]) -> list[ContextPacket]:
        """The last rounds, newest first, as many as half of the room holds. The newest may be cut to that."""
        room = self.left // 2
        recent: list[ContextPacket] = []
        for packet in reversed(rounds[-self.config.history_rounds :] if self.config.history_rounds > 0 else ()):
            tokens = self.count(packet)
            if tokens > room and (recent or not self.config.enable_compression):
                break
            room = max(room - tokens, 0)
            recent.append(packet)
        return recent

    def _candidates(self, packets: Sequence[ContextPacket]) -> list[ContextPacket]:
        """What is relevant enough, best first, each text once; as many as could fill the room several times."""
        scores, least = self.scores, self.config.min_relevance
        relevant: list[ContextPacket] = []
        for packet in packets:
            if scores[packet.id].raw_relevance < least:
                self.verdicts[packet.id] = Verdict("below_threshold", scores[packet.id])
            else:
                relevant.append(packet)
        relevant.sort(key=lambda packet: -scores[packet.id].total)
        pool: list[ContextPacket] = []
        seen: dict[str, str] = {}
        tokens = 0
        for packet in relevant:
            if tokens > _POOL * self.left:
                self.verdicts[packet.id] = Verdict("over_budget", scores[packet.id], number=-1)
                continue
            same = seen.setdefault(" ".join(packet.content.split()).casefold(), packet.id)
            if same != packet.id:
                self._leave_alike(packet, "merged", same, 1.0)
            else:
                tokens += self.count(packet)
                pool.append(packet)
        return pool

    def _choose(self, candidates: Sequence[ContextPacket], recent: Sequence[ContextPacket]) -> None:
        """The last rounds, then the candidates by maximal marginal relevance, as long as they fit."""
        pool = [*recent, *candidates]
        if not pool:
            return
        config = self.config
        totals = [self.scores[packet.id].total for packet in pool]
        choice = Choice(totals, self._likeness(pool), config.mmr_lambda if config.enable_mmr else 1.0)
        left = dict(enumerate(pool))
        half = self.left // 2
        for index, packet in enumerate(recent):
            del left[index]
            self._put(packet, at_most=half)
            self._settle_alike(choice, index, packet, {place: left[place] for place in left if place >= len(recent)})
        while (index := choice.best()) is not None:
            packet = left.pop(index)
            if self.count(packet) <= self.left:
                self._put(packet)
                self._settle_alike(choice, index, packet, left)
            else:
                self.verdicts[packet.id] = Verdict("over_budget", self.scores[packet.id], number=self.left)
                choice.leave(index)

    def _settle_alike(self, choice: Choice, index: int, packet: ContextPacket, left: dict[int, ContextPacket]) -> None:
        """Tells the choice of a packet that is taken, and leaves out what says the same."""
        config = self.config
        row = choice.take(index)
        most = min(config.merge_similarity, config.max_similarity) if config.enable_mmr else config.merge_similarity
        for place in _at_least(row, most):
            alike = left.pop(place, None)
            if alike is not None:
                fate: Fate = "merged" if row[place] >= config.merge_similarity else "redundant"
                self._leave_alike(alike, fate, packet.id, float(row[place]))
                choice.leave(place)

    def _leave_alike(self, packet: ContextPacket, fate: Fate, other: str, alike: float) -> None:
        self.verdicts[packet.id] = Verdict(fate, self.scores[packet.id], other, alike)
        if fate == "merged" and packet.section == "evidence":
            self.also.setdefault(other, []).append(packet.citation)

    def _put(self, packet: ContextPacket, at_most: int | None = None) -> None:
        tokens = self.count(packet)
        self.left = max(self.left - (tokens if at_most is None else min(tokens, at_most)), 0)
        self.chosen.append(packet)
        self.verdicts[packet.id] = Verdict("selected", self.scores[packet.id])

    def _cut_one(self, packets: Sequence[ContextPacket]) -> None:
        """Where most of the room is left since the best is larger than all of it, that one is taken and will be cut."""
        if not self.config.enable_compression or self.left <= self.room // 2:
            return
        verdicts = self.verdicts
        large = [packet for packet in packets if verdicts[packet.id].fate == "over_budget"]
        if large:
            self._put(max(large, key=lambda packet: self.scores[packet.id].total), at_most=self.left)

    def _likeness(self, packets: Sequence[ContextPacket]) -> Likeness:
        texts = [packet.content for packet in packets]
        if self.embedding is not None:
            try:
                return likeness_of_vectors(_checked(self.embedding(texts), len(texts)))
            except Exception as error:  # A reader's function may raise anything.
                self.failure = f"{type(error).__name__}: {error}"
        return likeness_of_words(list(map(words, texts)))


def _checked(vectors: Any, number: int) -> Any:
    if len(vectors) != number or len({len(vector) for vector in vectors}) > 1:
        raise ValueError(f"{len(vectors)} vectors came for {number} texts, or of several lengths")
    return vectors


def _at_least(row: Any, least: float) -> list[int]:
    if isinstance(row, list):
        return [index for index, value in enumerate(cast("list[float]", row)) if value >= least]
    return (row >= least).nonzero()[0].tolist()


# -- scores -----------------------------------------------------------------------------------------------------------


def scored(packets: Sequence[ContextPacket], query: str, config: ContextConfig, now: datetime) -> dict[str, Scores]:
    """The score of each packet, by id."""
    whole = config.relevance_weight + config.recency_weight + config.importance_weight
    relevance, recency, importance = (
        weight / whole for weight in (config.relevance_weight, config.recency_weight, config.importance_weight)
    )
    unknown = [packet for packet in packets if not _given(packet)]
    by_words = dict(zip([packet.id for packet in unknown], relevance_by_words(query, unknown), strict=True))
    fresh = _Recency(now, config.recency_hours)
    scores: dict[str, Scores] = {}
    for packet in packets:
        id = packet.id
        raw = by_words[id] if id in by_words else min(packet.relevance_score, 1.0)
        scores[id] = Scores(
            raw, relevance * raw, recency * fresh.of(packet.timestamp), importance * _importance(packet)
        )
    return scores


def _given(packet: ContextPacket) -> bool:
    """Whether a search has said how relevant the packet is."""
    score = packet.relevance_score
    return isfinite(score) and score > 0


class _Recency:
    """How recent something is: 1 now, 1/e after the time constant. What lies ahead is now."""

    def __init__(self, now: datetime, hours: float) -> None:
        self._aware = now.astimezone()
        self._naive = self._aware.replace(tzinfo=None)
        self._seconds = hours * 3600

    def of(self, time: datetime | None) -> float:
        if time is None:
            return _MIDDLE
        age = (self._naive if time.tzinfo is None or time.utcoffset() is None else self._aware) - time
        # Whole seconds, so that packets made one after the other are of one age.
        return exp(-max(age.days * 86400 + age.seconds, 0) / self._seconds)


def _importance(packet: ContextPacket) -> float:
    importance = packet.metadata.get("importance")
    if isinstance(importance, (int, float)) and isfinite(importance):
        return min(max(float(importance), 0.0), 1.0)
    return _MIDDLE


def relevance_by_words(query: str, packets: Sequence[ContextPacket]) -> list[float]:
    """For each packet, which part of the query's words it has, from 0 to 1; rare words count for more."""
    asked = set(words(query))
    if not asked or not packets:
        return [0.0] * len(packets)
    found = [_shared(asked, packet.content) for packet in packets]
    spread = Counter(word for shared in found for word in shared)
    weights = {word: log(1 + len(packets) / spread[word]) if spread[word] else 0.0 for word in sorted(asked)}
    # A word that no packet has cannot tell packets apart, but it was asked for.
    absent = log(1 + len(packets))
    most = sum(weights[word] or absent for word in sorted(asked))
    # In one order, since sums of fractions depend on it.
    return [sum(weights[word] for word in sorted(shared)) / most for shared in found]


def _shared(asked: set[str], content: str) -> set[str]:
    """The words asked for that a text has."""
    if content.isascii():
        # A word stands in the text as it is, so that most texts need not be cut into words.
        low = content.lower()
        if not any(word in low for word in asked):
            return set()
    return asked.intersection(words(content))
