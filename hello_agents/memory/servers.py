"""Servers that the tutorial's framework keeps memories in, and this package does not: refused, and never ignored."""

from __future__ import annotations

from ..core.exceptions import ConfigException


def refuse_servers(**settings: object) -> None:
    """Raises `ConfigException` when the address or the key of such a server was given, by name of the argument."""
    for name, value in settings.items():
        if value is not None:
            raise ConfigException(
                f"{name} is set, and no such server is used here: documents and memories are held in memory. Leave "
                "it out, and keep documents with Knowledge.save."
            )
