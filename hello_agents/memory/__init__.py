"""Memory: what is kept beyond a conversation, and how it is found again by words and by meaning."""

from typing import TYPE_CHECKING

from ..lazy import lazily

if TYPE_CHECKING:
    from .base import BaseMemory, Eviction, MemoryConfig, MemoryFault, MemoryItem, Recalled, RecallWeights
    from .documents import Chunk, Document
    from .embeddings import HashingEmbedding, SentenceTransformerEmbedding
    from .fusion import reciprocal_rank_fusion
    from .index import Found, HybridIndex
    from .knowledge import Added, FolderAdded, Knowledge, Passage
    from .lexical import LexicalIndex
    from .llm_embedding import EndpointEmbedding
    from .loading import LoadFault, load_document
    from .manager import MemoryManager
    from .store import JsonLinesStore, MemoryStore, MemoryUnavailable
    from .types.episodic import EpisodicMemory
    from .types.semantic import SemanticMemory
    from .types.working import WorkingMemory
    from .vectors import VectorIndex

__all__ = [
    "Added",
    "BaseMemory",
    "Chunk",
    "Document",
    "EndpointEmbedding",
    "EpisodicMemory",
    "Eviction",
    "FolderAdded",
    "Found",
    "HashingEmbedding",
    "HybridIndex",
    "JsonLinesStore",
    "Knowledge",
    "LexicalIndex",
    "LoadFault",
    "MemoryConfig",
    "MemoryFault",
    "MemoryItem",
    "MemoryManager",
    "MemoryStore",
    "MemoryUnavailable",
    "Passage",
    "RecallWeights",
    "Recalled",
    "SemanticMemory",
    "SentenceTransformerEmbedding",
    "VectorIndex",
    "WorkingMemory",
    "load_document",
    "reciprocal_rank_fusion",
]

_HOMES = {
    "Added": "knowledge",
    "BaseMemory": "base",
    "Chunk": "documents",
    "Document": "documents",
    "EndpointEmbedding": "llm_embedding",
    "EpisodicMemory": "types.episodic",
    "Eviction": "base",
    "FolderAdded": "knowledge",
    "Found": "index",
    "HashingEmbedding": "embeddings",
    "HybridIndex": "index",
    "JsonLinesStore": "store",
    "Knowledge": "knowledge",
    "LexicalIndex": "lexical",
    "LoadFault": "loading",
    "MemoryConfig": "base",
    "MemoryFault": "base",
    "MemoryItem": "base",
    "MemoryManager": "manager",
    "MemoryStore": "store",
    "MemoryUnavailable": "store",
    "Passage": "knowledge",
    "RecallWeights": "base",
    "Recalled": "base",
    "SemanticMemory": "types.semantic",
    "SentenceTransformerEmbedding": "embeddings",
    "VectorIndex": "vectors",
    "WorkingMemory": "types.working",
    "load_document": "loading",
    "reciprocal_rank_fusion": "fusion",
}

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, _HOMES)
