"""Documents under their old names. Fields are those of `hello_agents.memory.documents`, and sizes are in tokens."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..chunking import check_sizes, chunk
from ..documents import Chunk as DocumentChunk
from ..documents import Document, digest

__all__ = ["Document", "DocumentChunk", "DocumentProcessor", "create_document", "load_text_file"]


class DocumentProcessor:
    """What cuts documents into chunks. Raises `ValueError` for sizes that do not work."""

    def __init__(self, chunk_size: int = 1000, chunk_overlap: int = 200) -> None:
        from ...context.token_counter import TokenCounter

        check_sizes(chunk_size, chunk_overlap)
        self.chunk_size = chunk_size
        self.chunk_overlap = chunk_overlap
        self._counter = TokenCounter()

    def process_document(self, document: Document) -> list[DocumentChunk]:
        return list(chunk(document, self._counter, self.chunk_size, self.chunk_overlap).chunks)

    def process_documents(self, documents: Iterable[Document]) -> list[DocumentChunk]:
        return [one for document in documents for one in self.process_document(document)]

    def filter_chunks(self, chunks: Iterable[DocumentChunk], min_length: int = 50) -> list[DocumentChunk]:
        """The chunks of at least so many characters."""
        return [one for one in chunks if len(one.text) >= min_length]


def load_text_file(file_path: str, encoding: str = "utf-8") -> Document:
    """A text file in a known encoding as a document. `load_document` finds the encoding out."""
    text = Path(file_path).read_text(encoding=encoding)
    return Document(Path(file_path).name, text, source=file_path, form="text")


def create_document(content: str, **metadata: Any) -> Document:
    """A text as a document, whose id is made from its content."""
    return Document(f"text-{digest(content)[:12]}", content, metadata=metadata)
