"""Loggers for programs that want them. The library itself logs nothing by default."""

from __future__ import annotations

import logging

FORMAT = "%(asctime)s - %(name)s - %(levelname)s - %(message)s"


def setup_logger(name: str = "hello_agents", level: str = "INFO", format_string: str | None = None) -> logging.Logger:
    """A logger that writes to standard error. Set up twice it still writes once. Raises `ValueError` for no level."""
    logger = logging.getLogger(name)
    logger.setLevel(level.upper())
    handler = next((known for known in logger.handlers if isinstance(known, _Handler)), None)
    if handler is None:
        handler = _Handler()
        logger.addHandler(handler)
    handler.setFormatter(logging.Formatter(format_string or FORMAT))
    return logger


def get_logger(name: str = "hello_agents") -> logging.Logger:
    return logging.getLogger(name)


class _Handler(logging.StreamHandler):  # pyright: ignore[reportMissingTypeArgument]
    """A handler of ours, told apart from those of others."""
