"""Old import paths of documents and retrieval, as the tutorial's framework had them."""

from typing import TYPE_CHECKING

from ...lazy import lazily

if TYPE_CHECKING:
    from .document import Document, DocumentChunk, DocumentProcessor, create_document, load_text_file
    from .pipeline import index_chunks, load_and_chunk_texts, merge_snippets, search_vectors

__all__ = [
    "Document",
    "DocumentChunk",
    "DocumentProcessor",
    "create_document",
    "index_chunks",
    "load_and_chunk_texts",
    "load_text_file",
    "merge_snippets",
    "search_vectors",
]

_HOMES = {
    "Document": "document",
    "DocumentChunk": "document",
    "DocumentProcessor": "document",
    "create_document": "document",
    "index_chunks": "pipeline",
    "load_and_chunk_texts": "pipeline",
    "load_text_file": "document",
    "merge_snippets": "pipeline",
    "search_vectors": "pipeline",
}
if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, _HOMES)
