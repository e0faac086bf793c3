"""Settings of an agent. Every field does something; an unknown one is refused with the nearest name."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from .exceptions import ConfigException


def _language() -> str:
    return os.environ.get("HELLO_AGENTS_LANG", "en")


@dataclass(init=False, slots=True)
class Config:
    """How an agent behaves beyond its prompt and its tools."""

    language: str = field(default_factory=_language)
    """Language of prompts, prefixes and notices: `en` or `zh`. Default: `HELLO_AGENTS_LANG`, else `en`."""
    context_window: int = 128_000
    """Tokens the model can take."""
    compression_threshold: float = 0.8
    """The part of the window at which history is to be compressed."""
    max_concurrent_tools: int = 3
    """Calls of one reply that may run at once where the loop awaits."""
    hook_timeout_seconds: float = 5.0
    """Seconds a hook may take; one that takes longer is noted and left."""
    max_total_tokens: int | None = None
    """Tokens one question may cost. `None`: no limit."""
    max_repeated_calls: int | None = 3
    """Equal calls with equal results before the model is warned; one more ends the loop. `None`: no limit."""

    def __init__(self, **values: Any) -> None:
        """Raises `ConfigException` for a field that does not exist, or a value of the wrong type."""
        known = {one.name: one for one in fields(Config)}
        for name in values.keys() - known.keys():
            from difflib import get_close_matches

            near = get_close_matches(name, known, n=1)
            hint = f"Did you mean {near[0]!r}?" if near else f"Fields are {', '.join(known)}."
            raise ConfigException(f"Config has no field {name!r}. {hint}")
        for name, one in known.items():
            if name in values:
                setattr(self, name, values[name])
            else:
                setattr(self, name, one.default_factory() if callable(one.default_factory) else one.default)

    @classmethod
    def from_env(cls, environment: Mapping[str, str] | None = None) -> Config:
        """Reads every field from its name in capitals, as `CONTEXT_WINDOW=32000`.

        Raises `ConfigException` naming the variable whose value cannot be read.
        """
        import json

        source = os.environ if environment is None else environment
        values: dict[str, Any] = {}
        for one in fields(cls):
            raw = source.get(one.name.upper())
            if raw is None:
                continue
            try:
                values[one.name] = raw if one.name == "language" else json.loads(raw.lower())
            except ValueError as error:
                raise ConfigException(
                    f"{one.name.upper()}={raw!r} cannot be read. Give a number or a boolean."
                ) from error
        return cls(**values)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)
