"""Memory: what is kept beyond a conversation, and how it is found again by words and by meaning."""

from typing import TYPE_CHECKING

from ..lazy import lazily

if TYPE_CHECKING:
    from .documents import Chunk, Document
    from .embeddings import HashingEmbedding, SentenceTransformerEmbedding
    from .fusion import reciprocal_rank_fusion
    from .index import Found, HybridIndex
    from .knowledge import Added, FolderAdded, Knowledge, Passage
    from .lexical import LexicalIndex
    from .llm_embedding import EndpointEmbedding
    from .loading import LoadFault, load_document
    from .vectors import VectorIndex
    from .words import words

__all__ = [
    "Added",
    "Chunk",
    "Document",
    "EndpointEmbedding",
    "FolderAdded",
    "Found",
    "HashingEmbedding",
    "HybridIndex",
    "Knowledge",
    "LexicalIndex",
    "LoadFault",
    "Passage",
    "SentenceTransformerEmbedding",
    "VectorIndex",
    "load_document",
    "reciprocal_rank_fusion",
    "words",
]

_HOMES = {
    "Added": "knowledge",
    "Chunk": "documents",
    "Document": "documents",
    "EndpointEmbedding": "llm_embedding",
    "FolderAdded": "knowledge",
    "Found": "index",
    "HashingEmbedding": "embeddings",
    "HybridIndex": "index",
    "Knowledge": "knowledge",
    "LexicalIndex": "lexical",
    "LoadFault": "loading",
    "Passage": "knowledge",
    "SentenceTransformerEmbedding": "embeddings",
    "VectorIndex": "vectors",
    "load_document": "loading",
    "reciprocal_rank_fusion": "fusion",
    "words": "words",
}
if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, _HOMES)
