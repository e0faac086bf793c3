"""Models that need no network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .offline_llm import OfflineLLM
    from .scripted import ScriptedLLM, ScriptError

__all__ = ["OfflineLLM", "ScriptError", "ScriptedLLM"]


def __getattr__(name: str) -> Any:
    """The models, imported when first asked for: a script needs none of the rules."""
    if name == "OfflineLLM":
        from .offline_llm import OfflineLLM

        return OfflineLLM
    if name in ("ScriptedLLM", "ScriptError"):
        from . import scripted

        return scripted.ScriptedLLM if name == "ScriptedLLM" else scripted.ScriptError
    raise AttributeError(f"{__name__!r} has no {name!r}; it has {', '.join(__all__)}.")
