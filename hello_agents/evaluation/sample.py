"""A small labelled set for trying out a search: the handbooks of two invented observatories and questions about them.

Some questions share words with their document, some share only the beginnings of words, some no word at all, and two
are in the other language. No search that knows only words finds the last two kinds.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from .retrieval import parse_qrels


@dataclass(frozen=True, slots=True)
class Sample:
    """Documents and queries by id, with what is relevant to what."""

    documents: Mapping[str, str]
    queries: Mapping[str, str]
    qrels: Mapping[str, Mapping[str, int]]
    """Query -> document -> 2 where the document answers, 1 where it helps."""
    kinds: Mapping[str, str]
    """Query -> `same words`, `other forms` (of the words), `no words` in common, or `other language`."""


def load_sample() -> Sample:
    """The set that comes with the package: 40 short documents and 32 queries, in English and Chinese."""
    queries = list(_lines("queries.jsonl"))
    return Sample(
        {one["id"]: one["text"] for one in _lines("documents.jsonl")},
        {one["id"]: one["text"] for one in queries},
        parse_qrels(_read("qrels.txt")),
        {one["id"]: one["kind"] for one in queries},
    )


def _lines(name: str) -> Iterator[dict[str, Any]]:
    return (json.loads(line) for line in _read(name).splitlines())


def _read(name: str) -> str:
    return (files(__package__ or "") / "data" / name).read_text(encoding="utf-8")
