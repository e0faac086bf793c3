"""Models that need no network."""

from typing import TYPE_CHECKING

from ..lazy import lazily

if TYPE_CHECKING:
    from .offline_llm import OfflineLLM
    from .recorded import RecordedLLM, RecordingMiss
    from .scripted import ScriptedLLM, ScriptError

__all__ = ["OfflineLLM", "RecordedLLM", "RecordingMiss", "ScriptError", "ScriptedLLM"]

_HOMES = {
    "OfflineLLM": "offline_llm",
    "RecordedLLM": "recorded",
    "RecordingMiss": "recorded",
    "ScriptError": "scripted",
    "ScriptedLLM": "scripted",
}
if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, _HOMES)
