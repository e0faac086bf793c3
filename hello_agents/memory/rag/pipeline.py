"""The steps of retrieval under their old names, over one `Knowledge` instead of a vector server."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..knowledge import Knowledge
from ..loading import load_document
from .document import DocumentProcessor

__all__ = ["index_chunks", "load_and_chunk_texts", "merge_snippets", "search_vectors"]


def load_and_chunk_texts(
    paths: Sequence[str],
    chunk_size: int = 800,
    chunk_overlap: int = 100,
    namespace: str | None = None,
    source_label: str = "rag",
) -> list[dict[str, Any]]:
    """Files, cut into chunks: each with `id`, `content` and `metadata`. Sizes are in tokens."""
    processor = DocumentProcessor(chunk_size, chunk_overlap)
    return [
        {
            "id": one.id,
            "content": one.text,
            "metadata": {
                "source": source_label,
                "source_path": path,
                "doc_id": one.document_id,
                "heading_path": " > ".join(one.heading_path) or None,
                "start": one.start,
                "end": one.end,
                "namespace": namespace or "default",
            },
        }
        for path in paths
        for one in processor.process_document(load_document(path, id=Path(path).as_posix()))
    ]


def index_chunks(
    store: Knowledge, chunks: Iterable[Mapping[str, Any]], cache_db: str | None = None, batch_size: int = 64
) -> None:
    """Adds such chunks to knowledge, each as a document of its own. The last two arguments have no use here."""
    for one in chunks:
        store.add(str(one["content"]), id=str(one["id"]), metadata=one["metadata"], replace=True)


def search_vectors(
    store: Knowledge, query: str, top_k: int = 8, score_threshold: float | None = None
) -> list[dict[str, Any]]:
    """What knowledge finds by vectors: each with `id`, `score` and `metadata`, in which `content` is the text."""
    least = 0.0 if score_threshold is None else score_threshold
    return [
        {
            "id": one.chunk.document_id,
            "score": one.score,
            "metadata": {**store.document(one.chunk.document_id).metadata, "content": one.text},
        }
        for one in store.search(query, top_k, "vector")
        if one.score >= least
    ]


def merge_snippets(ranked_items: Iterable[Mapping[str, Any]], max_chars: int = 1200) -> str:
    """The contents of what was found, in order, as far as `max_chars` characters go."""
    merged = "\n\n".join(str(item["metadata"]["content"]) for item in ranked_items)
    return merged[:max_chars]
