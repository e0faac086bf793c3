"""Helpers that version 0.1.1 of the tutorial's framework had."""

from typing import TYPE_CHECKING

from ..lazy import lazily

if TYPE_CHECKING:
    from .helpers import ensure_dir, format_time, get_project_root, merge_dicts, safe_import, validate_config
    from .logging import get_logger, setup_logger
    from .serialization import deserialize_object, load_from_file, save_to_file, serialize_object

__all__ = [
    "deserialize_object",
    "ensure_dir",
    "format_time",
    "get_logger",
    "get_project_root",
    "load_from_file",
    "merge_dicts",
    "safe_import",
    "save_to_file",
    "serialize_object",
    "setup_logger",
    "validate_config",
]

_HOMES = {
    "deserialize_object": "serialization",
    "ensure_dir": "helpers",
    "format_time": "helpers",
    "get_logger": "logging",
    "get_project_root": "helpers",
    "load_from_file": "serialization",
    "merge_dicts": "helpers",
    "safe_import": "helpers",
    "save_to_file": "serialization",
    "serialize_object": "serialization",
    "setup_logger": "logging",
    "validate_config": "helpers",
}
if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, _HOMES)
