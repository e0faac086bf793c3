"""What the command line names: an agent as `module:name`, a store as a word or an address, a token in a file."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import cast

from ..core.agent import Agent
from ..core.exceptions import ConfigException
from ..core.session_store import MemorySessionStore, RedisSessionStore, SessionStore
from ..core.sessions import Store
from .service import AgentSource

TOKEN = "HELLO_AGENTS_TOKEN"
TOKEN_FILE = "HELLO_AGENTS_TOKEN_FILE"
AGENT = "HELLO_AGENTS_AGENT"
STORE = "HELLO_AGENTS_STORE"


def load_agent(place: str) -> AgentSource:
    """The agent at `module:name` or `path.py:name`: an `Agent`, or a function that makes one.

    Raises `ConfigException`.
    """
    where, _, name = place.rpartition(":")
    if not where or not name:
        raise ConfigException(f"{place!r} names no agent. Write module:name or path.py:name, such as my_agents:make.")
    found = vars(_module(where)).get(name)
    if isinstance(found, Agent):
        return found
    if callable(found):
        return cast("Callable[[], Agent]", found)
    what = "has no such name" if found is None else f"has a {type(found).__name__} there"
    raise ConfigException(f"{place!r} is no agent: the module {what}. Name an Agent, or a function that makes one.")


def _module(where: str) -> ModuleType:
    if not where.endswith(".py"):
        # As for `python -m`: what lies in the folder from which the service is started is found.
        if str(Path.cwd()) not in sys.path:
            sys.path.insert(0, str(Path.cwd()))
        try:
            return importlib.import_module(where)
        except ModuleNotFoundError as error:
            if error.name != where.partition(".")[0] and error.name != where:
                raise
            raise ConfigException(f"There is no module {where!r}. Start where it lies, or name its file.") from error
    path = Path(where).resolve()
    if not path.is_file():
        raise ConfigException(f"There is no file {where!r}. Name the Python file that makes the agent.")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)
    spec.loader.exec_module(module)
    return module


def load_store(place: str) -> Store:
    """The store `memory`, `files:FOLDER` or `redis://…`. Raises `ConfigException`."""
    if place == "memory":
        return MemorySessionStore()
    if place.startswith("files:") and place != "files:":
        return SessionStore(place.removeprefix("files:"))
    if place.startswith(("redis://", "rediss://", "unix://")):
        return RedisSessionStore(url=place)
    raise ConfigException("This is no store of sessions. Write memory, files:FOLDER or redis://host:port/db.")


def load_token(environment: Mapping[str, str] = os.environ) -> str | None:
    """The token of the environment, or of the file it names; `None` without either. Raises `ConfigException`."""
    file = environment.get(TOKEN_FILE)
    try:
        token = Path(file).read_text(encoding="utf-8").strip() if file else environment.get(TOKEN, "").strip()
    except OSError as error:
        raise ConfigException(f"The file of the token cannot be read: {error}. Name one that can be.") from error
    if file and not token:
        raise ConfigException(f"The file {file!r} holds no token. Write one into it.")
    if token and (not token.isascii() or any(c.isspace() for c in token)):
        raise ConfigException("The token has spaces or other signs than ASCII. Use letters and digits.")
    return token or None
