"""Knowledge on disk: one JSON file with the documents and their cuts, and enough to notice another embedding."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from .chunking import check_sizes
from .documents import Chunk, Document
from .loading import LoadFault

if TYPE_CHECKING:
    from .knowledge import Knowledge, Record

FORMAT = "hello-agents-knowledge"
VERSION = 1
_ALIKE = 0.99
"""How near to one another two vectors of one text are that come from the same embedding, at least."""


@dataclass(frozen=True, slots=True)
class Saved:
    """What a file holds."""

    name: str
    namespace: str
    chunk_tokens: int
    overlap_tokens: int
    probe: tuple[float, ...]
    """The vector of the first chunk."""
    documents: tuple[tuple[Document, tuple[Chunk, ...], tuple[int, int]], ...]


def save(knowledge: Knowledge, path: Path) -> None:
    """Writes knowledge to a file, in one step."""
    from ..tools.builtin.folder import write_atomically
    from ..tools.values import to_plain

    keys = [key for record in knowledge.records for key in record.keys[:1]]
    data = {
        "format": FORMAT,
        "version": VERSION,
        "namespace": knowledge.namespace,
        "chunk_tokens": knowledge.chunk_tokens,
        "overlap_tokens": knowledge.overlap_tokens,
        "probe": [round(number, 6) for number in knowledge.index.vectors.vector(keys[0])] if keys else [],
        "documents": [_written(record) for record in knowledge.records],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    written = json.dumps(to_plain(data), ensure_ascii=False)
    # Half of a surrogate pair becomes the escape that JSON has for it.
    write_atomically(path, written.encode("utf-8", "backslashreplace"))


def _written(record: Record) -> dict[str, Any]:
    return {
        **record.document.to_dict(),
        "digest": record.document.digest,
        "sizes": record.sizes,
        "chunks": [
            {"start": one.start, "end": one.end, "line": one.line, "tokens": one.tokens, "headings": one.heading_path}
            for one in record.chunks
        ],
    }


def read(path: Path) -> Saved:
    """Reads a file that `save` wrote. Raises `OSError`, and `LoadFault` when it is something else."""
    content = path.read_bytes()
    try:
        data: object = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise _other(path, f"is no JSON ({type(error).__name__})") from error
    match data:
        case {"format": str() as name, "version": int() as version} if name == FORMAT:
            if version != VERSION:
                raise LoadFault(
                    f"{path.name} has version {version} of the format, and only {VERSION} can be read. "
                    "Use the version of this package that wrote it, or add the documents again."
                )
        case _:
            raise _other(path, f"does not say that it is {FORMAT}")
    held = cast("dict[str, Any]", data)
    try:
        check_sizes(held["chunk_tokens"], held["overlap_tokens"])
        return Saved(
            path.name,
            str(held["namespace"]),
            held["chunk_tokens"],
            held["overlap_tokens"],
            tuple(map(float, held["probe"])),
            tuple(_read_document(one) for one in held["documents"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _other(path, f"has a part that does not fit ({type(error).__name__}: {error})") from error


def _read_document(data: Mapping[str, Any]) -> tuple[Document, tuple[Chunk, ...], tuple[int, int]]:
    document = Document.from_dict(data)
    if document.digest != data["digest"]:
        raise ValueError(f"the text of {document.id!r} was changed by hand")
    size, overlap = map(int, data["sizes"])
    chunks = tuple(_read_chunk(document, number, one) for number, one in enumerate(data["chunks"], 1))
    return document, chunks, (size, overlap)


def _read_chunk(document: Document, number: int, data: Mapping[str, Any]) -> Chunk:
    start, end = int(data["start"]), int(data["end"])
    if not 0 <= start < end <= len(document.text):
        raise ValueError(f"chunk {number} of {document.id!r} lies outside of its text")
    headings = tuple(map(str, data["headings"]))
    inside, name = document.text[start:end], f"{document.id}#{number}"
    return Chunk(name, document.id, inside, headings, start, end, int(data["tokens"]), int(data["line"]))


def restore(knowledge: Knowledge, saved: Saved, another_embedding: bool) -> None:
    """Puts what was saved into empty knowledge. Raises `LoadFault` for another embedding, and `SearchFailed`."""
    from .knowledge import searched_text

    first = next(((document, chunks[0]) for document, chunks, _ in saved.documents if chunks), None)
    if first is not None and not another_embedding:
        now = knowledge.index.vectors.embed(searched_text(*first))
        if len(now) != len(saved.probe) or not _alike(now, saved.probe):
            raise LoadFault(
                f"{saved.name} was saved with another embedding: the vector of its first text is not the same. Pass "
                "the embedding that it was made with, or another_embedding=True to go on with this one."
            )
    for document, chunks, sizes in saved.documents:
        knowledge.hold(document, chunks, sizes)


def _alike(one: list[float], other: tuple[float, ...]) -> bool:
    lengths = sqrt(sum(number * number for number in one)) * sqrt(sum(number * number for number in other))
    if not lengths:
        return not any(one) and not any(other)
    return sum(a * b for a, b in zip(one, other, strict=True)) / lengths >= _ALIKE


def _other(path: Path, why: str) -> LoadFault:
    return LoadFault(f"{path.name} holds no saved knowledge: it {why}. Pass a file that Knowledge.save wrote.")
