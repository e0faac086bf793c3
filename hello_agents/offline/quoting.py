"""Quoting: an answer made of the sentences of some passages that share most with a question."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..catalogue import TEXTS
from .wording import content_words

MOST = 3
"""Sentences in an answer."""

_SHARE = 0.7
"""A further sentence is quoted when it fits at least so well as the best one does."""

_HEADING = re.compile(r" {0,3}#{1,6}[ \t]")
_NUMBERED = re.compile(r"\[(\d+)\] (.*)")


@dataclass(frozen=True, slots=True)
class Passage:
    """A text with the line that says where it stands."""

    citation: str
    text: str


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    passage: int
    own: frozenset[str]
    above: frozenset[str]
    """Words of the headings that it stands under."""


def quote(question: str, passages: Sequence[Passage]) -> str:
    """The sentences that answer best, each with the number of its passage; empty when none shares a word.

    A word counts more the fewer sentences have it, and half when only the heading has it.
    """
    asked = content_words(question)
    found = [one for number, passage in enumerate(passages, 1) for one in _sentences(passage, number)]
    common = Counter(word for one in found for word in one.own | one.above)
    scores = [
        sum(1 / common[word] for word in asked & one.own)
        + sum(0.5 / common[word] for word in asked & one.above - one.own)
        for one in found
    ]
    best = max(scores, default=0.0)
    if not best:
        return ""
    ranked = sorted(range(len(found)), key=lambda at: -scores[at])[:MOST]
    chosen = [at for at in sorted(ranked) if scores[at] >= _SHARE * best]
    return " ".join(f"{found[at].text} [{found[at].passage}]" for at in chosen)


def shortened(text: str, query: str, tokens: int) -> str:
    """The sentences of a text that share most with a query, in their order and as they stand, within some tokens."""
    from ..memory.chunking import sentences
    from .estimate import estimate_text

    asked = content_words(query)
    lines = [line for line in text.splitlines() if line.strip()]
    pieces = [(at, line[start:end].strip()) for at, line in enumerate(lines) for start, end in sentences(line)]
    common = Counter(word for _, piece in pieces for word in content_words(piece))
    scores = [sum(1 / common[word] for word in asked & content_words(piece)) for _, piece in pieces]
    kept: set[int] = set()
    for place in sorted(range(len(pieces)), key=lambda place: -scores[place]):
        left = tokens - sum(estimate_text(pieces[other][1]) + 1 for other in kept)
        if estimate_text(pieces[place][1]) < left:
            kept.add(place)
    by_line: dict[int, list[str]] = {}
    for place in sorted(kept):
        by_line.setdefault(pieces[place][0], []).append(pieces[place][1])
    return "\n".join(" ".join(said) for said in by_line.values())


def _sentences(passage: Passage, number: int) -> Iterator[_Sentence]:
    from ..memory.chunking import sentences

    above = content_words(passage.citation)
    for block in _blocks(passage.text):
        if _HEADING.match(block):
            above |= content_words(block)
            continue
        for start, end in sentences(block):
            text = " ".join(block[start:end].split())
            if own := content_words(text):
                yield _Sentence(text, number, own, above)


def _blocks(text: str) -> Iterator[str]:
    """Headings and paragraphs."""
    block: list[str] = []
    for line in (*text.splitlines(), ""):
        heading = _HEADING.match(line) is not None
        if block and (heading or not line.strip()):
            yield "\n".join(block)
            block = []
        if heading:
            yield line
        elif line.strip():
            block.append(line)


def read_passages(written: str) -> list[Passage]:
    """The passages of a prompt, which are numbered from 1 in brackets."""
    found: list[tuple[str, list[str]]] = []
    for line in written.splitlines():
        match = _NUMBERED.fullmatch(line)
        if match and int(match.group(1)) == len(found) + 1:
            found.append((match.group(2), []))
        elif found:
            found[-1][1].append(line)
    return [Passage(citation, "\n".join(lines)) for citation, lines in found]


def quote_context(question: str, prompt: str) -> str:
    """What a prompt from a `ContextBuilder` says on a question: evidence with its number, else the conversation.

    Empty when the prompt is none, or when nothing in it shares a word with the question.
    """
    bodies = _sections(prompt)
    passages = read_passages(bodies.get("evidence", ""))
    said = quote(question, [*passages, Passage("", bodies.get("context", ""))])
    # The conversation has no number to be cited by.
    return said.replace(f" [{len(passages) + 1}]", "")


def _sections(prompt: str) -> dict[str, str]:
    """The sections of a context under their usual headings; none for another prompt."""
    from ..context.structuring import ContextTemplate, read_back

    for language in TEXTS["context.task"]:
        template = ContextTemplate.usual(language)
        if all(f"[{TEXTS[f'context.{name}'][language]}]\n" in prompt for name in ("task", "output")):
            return {part.section: part.body for part in read_back(prompt, template).parts}
    return {}
