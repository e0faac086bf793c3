"""Settings from the environment, read when they are asked for and never on import."""

from __future__ import annotations

import os


def setting(name: str) -> str | None:
    """The value of an environment variable; one that is blank counts as not set."""
    value = os.environ.get(name, "").strip()
    return value or None


def seconds(name: str) -> float | None:
    """A positive number of seconds from the environment. Raises `ConfigException` for anything else."""
    value = setting(name)
    if value is None:
        return None
    try:
        number = float(value)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        from .exceptions import ConfigException

        raise ConfigException(f"{name}={value!r} is not a number of seconds above 0. Set it to one, such as 60.")
    return number


def language() -> str:
    """`"zh"` when `HELLO_AGENTS_LANG` begins with `zh`, else `"en"`."""
    return "zh" if (setting("HELLO_AGENTS_LANG") or "").lower().startswith("zh") else "en"
