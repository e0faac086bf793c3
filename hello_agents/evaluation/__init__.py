"""Evaluation: how well agents and searches do, in numbers."""

from typing import TYPE_CHECKING

from ..lazy import lazily

if TYPE_CHECKING:
    from .comparing import Comparison
    from .evaluating import evaluate
    from .intervals import mcnemar, paired_bootstrap, wilson
    from .report import Report, Score
    from .retrieval import RetrievalReport, Scores, evaluate_retrieval, parse_qrels
    from .sample import Sample, load_sample
    from .tasks import Task, Trial

__all__ = [
    "Comparison",
    "Report",
    "RetrievalReport",
    "Sample",
    "Score",
    "Scores",
    "Task",
    "Trial",
    "evaluate",
    "evaluate_retrieval",
    "load_sample",
    "mcnemar",
    "paired_bootstrap",
    "parse_qrels",
    "wilson",
]

_HOMES = {
    "Comparison": "comparing",
    "Report": "report",
    "RetrievalReport": "retrieval",
    "Sample": "sample",
    "Score": "report",
    "Scores": "retrieval",
    "Task": "tasks",
    "Trial": "tasks",
    "evaluate": "evaluating",
    "evaluate_retrieval": "retrieval",
    "load_sample": "sample",
    "mcnemar": "intervals",
    "paired_bootstrap": "intervals",
    "parse_qrels": "retrieval",
    "wilson": "intervals",
}
if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, _HOMES)
