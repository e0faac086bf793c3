"""Evaluation: how well agents and searches do, in numbers."""

from typing import TYPE_CHECKING

from ..lazy import lazily

if TYPE_CHECKING:
    from .retrieval import RetrievalReport, Scores, evaluate_retrieval, parse_qrels
    from .sample import Sample, load_sample

__all__ = ["RetrievalReport", "Sample", "Scores", "evaluate_retrieval", "load_sample", "parse_qrels"]

_HOMES = {
    "RetrievalReport": "retrieval",
    "Sample": "sample",
    "Scores": "retrieval",
    "evaluate_retrieval": "retrieval",
    "load_sample": "sample",
    "parse_qrels": "retrieval",
}
if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, _HOMES)
