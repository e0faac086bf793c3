"""Which tool a request is for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from . import finding
from .expressions import expressions
from .filling import Before, Filled, Missing, fill
from .offers import Tool
from .vocabulary import ADD_UP, AVERAGE, INTENTS, OPERATIONS
from .wording import content_words, mentions

SAME_INTENT, SPEAKS_OF_INTENT, NAME_WORD, OTHER_WORD, SHAPE, OUTERMOST, HANDED_ON = 4.0, 2.0, 2.0, 1.0, 2.0, 1.0, 8.0
"""What each kind of agreement between a request and a tool is worth."""

ENOUGH = 1.0
"""A tool with less is not meant."""

SURE = 4.0
"""With this much, a tool is meant even if an argument is missing; then the model asks for it."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A tool with its arguments, or with the one that is missing."""

    tool: Tool
    filled: Filled | Missing


def choose(text: str, tools: Sequence[Tool], before: Before) -> Choice | None:
    """The tool that a request is for: of those whose arguments it gives, the one that agrees most."""
    wanted = intents_of(text)
    said = content_words(_bare(text)) | _operations(text)
    ranked = sorted(
        ((score(tool, text, wanted, said), -place, tool) for place, tool in enumerate(tools) if tool.role == "act"),
        key=lambda entry: entry[:2],
        reverse=True,
    )
    lacking: Choice | None = None
    for points, _, tool in ranked:
        if points < ENOUGH:
            break
        choice = Choice(tool, fill(tool, text, before))
        if isinstance(choice.filled, Filled):
            # A tool that only half fits does not take the place of the one that was clearly meant.
            return choice if lacking is None or points >= SURE else lacking
        if points >= SURE and lacking is None:
            lacking = choice
    return lacking


def score(tool: Tool, text: str, wanted: Sequence[str], said: frozenset[str]) -> float:
    """How well a tool agrees with a request, by kind, by words and by the shape of what it takes."""
    points = SAME_INTENT if tool.intent in wanted else 0.0
    points += SPEAKS_OF_INTENT * (not points and not tool.also.isdisjoint(wanted))
    # What is to be written may have to be worked out first; the writing is the request all the same.
    points += OUTERMOST * (tool.intent in wanted and tool.parameter("content") is not None)
    # What somebody else is to do may name any kind of work.
    points += HANDED_ON * (tool.intent == "delegate" and "delegate" in wanted)
    points += NAME_WORD * len(tool.name_words & said)
    points += OTHER_WORD * min(len((tool.other_words - tool.name_words) & said), 3)
    if points or tool.intent in ("arithmetic", "read"):
        points += SHAPE * _shape(tool, text)
    return points


def _shape(tool: Tool, text: str) -> bool:
    """The request contains just what the tool takes: a path for a path, arithmetic for a calculator."""
    if tool.intent == "arithmetic" and tool.parameter("expression"):
        return bool(expressions(text))
    return tool.parameter("path") is not None and bool(finding.paths(text))


@lru_cache(maxsize=256)
def intents_of(text: str) -> tuple[str, ...]:
    """What kinds of help a request asks for."""
    outside = _bare(text)
    found = [intent.key for intent in INTENTS if any(mentions(outside, word) for word in intent.asks)]
    if "arithmetic" not in found and (expressions(outside) or expressions(outside, continuing=True)):
        found.append("arithmetic")
    if "convert" not in found and len(finding.units(outside)) > 1:
        found.append("convert")
    if finding.paths(text):
        # A file is mentioned to be read, unless something else is to be done with it.
        found = [key for key in found if key != "list" or not _is_file(text)]
        if not {"read", "write", "list", "search"} & set(found):
            found.append("read")
    return tuple(found)


def _bare(text: str) -> str:
    """A request without quotations and paths: their words say nothing about which tool is meant."""
    for said in (*finding.quoted(text), *finding.file_paths(text)):
        text = text.replace(said, " ")
    return text


def _is_file(text: str) -> bool:
    return any("." in path.rpartition("/")[2].lstrip(".") for path in finding.paths(text))


def wants_total(text: str) -> bool:
    return any(mentions(text, phrase) for phrase in ADD_UP)


def wants_average(text: str) -> bool:
    return any(mentions(text, phrase) for phrase in AVERAGE)


def _operations(text: str) -> frozenset[str]:
    """Names of the operations in the arithmetic of a request, for tools that do just one."""
    signs = " ".join(expressions(text) or expressions(text, continuing=True))
    return frozenset(
        word
        for sign, names in OPERATIONS.items()
        if sign in signs.replace("**", "" if sign == "*" else "**")
        for word in names.split()
    )
