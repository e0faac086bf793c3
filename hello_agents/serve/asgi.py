"""The application as the environment describes it, for ASGI servers that start it themselves.

`gunicorn -k uvicorn_worker.UvicornWorker 'hello_agents.serve.asgi:create()'`, or uvicorn with `--factory`.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from typing import TYPE_CHECKING

from ..core.exceptions import ConfigException
from .application import app
from .loading import AGENT, STORE, load_agent, load_store, load_token
from .settings import Settings

if TYPE_CHECKING:
    from starlette.applications import Starlette

SETTINGS = "HELLO_AGENTS_SERVE"
"""The variable with settings as a JSON object, such as `{"max_runs": 20}`."""


def create() -> Starlette:
    """The application that HELLO_AGENTS_AGENT, _STORE, _TOKEN or _TOKEN_FILE, and _SERVE describe."""
    place = os.environ.get(AGENT, "")
    if not place:
        raise ConfigException(f"{AGENT} is not set, so there is nothing to serve. Set it to module:name.")
    return app(
        load_agent(place),
        load_store(os.environ.get(STORE, "memory")),
        token=load_token(),
        settings=read_settings(os.environ.get(SETTINGS, "{}")),
    )


def read_settings(text: str) -> Settings:
    """The settings in a JSON object of their names. Raises `ConfigException`."""
    known = asdict(Settings())
    try:
        given = json.loads(text)
    except ValueError as error:
        raise ConfigException(f"{SETTINGS} is not JSON: {error}. Write an object such as {{}}.") from error
    if not isinstance(given, dict):
        raise ConfigException(f"{SETTINGS} is not a JSON object. Write one such as {{}}.")
    for name, value in given.items():  # type: ignore[reportUnknownVariableType]
        if name not in known or isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ConfigException(f"{name!r} in {SETTINGS} is no setting with a number. Known are {', '.join(known)}.")
    return Settings(**given)  # type: ignore[reportUnknownArgumentType]
