"""Memory: what is kept beyond a conversation, and how it is found again by words and by meaning."""

from typing import TYPE_CHECKING

from ..lazy import lazily

if TYPE_CHECKING:
    from .embeddings import HashingEmbedding, SentenceTransformerEmbedding
    from .fusion import reciprocal_rank_fusion
    from .index import Found, HybridIndex
    from .lexical import LexicalIndex
    from .llm_embedding import EndpointEmbedding
    from .vectors import VectorIndex
    from .words import words

__all__ = [
    "EndpointEmbedding",
    "Found",
    "HashingEmbedding",
    "HybridIndex",
    "LexicalIndex",
    "SentenceTransformerEmbedding",
    "VectorIndex",
    "reciprocal_rank_fusion",
    "words",
]

_HOMES = {
    "EndpointEmbedding": "llm_embedding",
    "Found": "index",
    "HashingEmbedding": "embeddings",
    "HybridIndex": "index",
    "LexicalIndex": "lexical",
    "SentenceTransformerEmbedding": "embeddings",
    "VectorIndex": "vectors",
    "reciprocal_rank_fusion": "fusion",
    "words": "words",
}
if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, _HOMES)
