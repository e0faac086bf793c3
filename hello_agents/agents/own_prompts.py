"""Prompts that the caller brings: templates with names in braces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.exceptions import ConfigException


def prompts_of(given: Mapping[str, str] | None, parts: tuple[str, ...]) -> dict[str, str]:
    """The prompts by the part they are for. Raises `ConfigException` for a part that the pattern has not."""
    for name in given or ():
        if name not in parts:
            raise ConfigException(f"custom_prompts has no place for {name!r}. It may hold {', '.join(parts)}.")
    return dict(given or {})


def filled(template: str, **values: Any) -> str:
    """The template with the values in it. Raises `ConfigException` for braces around anything else."""
    try:
        return template.format(**values)
    except (KeyError, IndexError, ValueError, AttributeError) as error:
        names = ", ".join(f"{{{name}}}" for name in values)
        raise ConfigException(
            f"The prompt {template!r} cannot be filled in: {error}. It may have {names} in it; "
            "write braces that are to stay twice, as {{ and }}."
        ) from error
