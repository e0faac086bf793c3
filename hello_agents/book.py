"""What the chapters need beside the library: choosing the model, a folder to play in, showing a source, checks."""

from __future__ import annotations

import inspect
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from .core.action import Model

VARIABLES = ("LLM_MODEL_ID", "LLM_API_KEY", "LLM_BASE_URL")


def choose_model(language: str = "en") -> Model:
    """The reader's own model when the three variables name one (a `.env` file works), else the offline model.

    Says which on standard output.
    """
    _read_env_file(Path(".env"))
    if os.environ.get("LLM_MODEL_ID", "offline") != "offline":
        from .core.llm import HelloAgentsLLM

        llm = HelloAgentsLLM()
        _say(f"Model: {llm.model} at {llm.base_url}, from {', '.join(VARIABLES)}.")
        return llm
    from .offline.offline_llm import OfflineLLM

    _say("Model: the built-in offline model. It follows rules, knows nothing of the world, and needs no network.")
    return OfflineLLM(language=language)


def sandbox(files: Mapping[str, str] | None = None) -> Path:
    """A fresh folder with these files in it, by name. It goes away with the kernel.

    A `LoopInspector` puts its files back as they were when a reader steps back.
    """
    from .sandbox import mark_sandbox

    folder = tempfile.TemporaryDirectory(prefix="hello-agents-")
    _FOLDERS.append(folder)
    root = mark_sandbox(Path(folder.name))
    for name, text in (files or {}).items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


class Source:
    """The source of something in the package, as it stands there."""

    def __init__(self, thing: Callable[..., Any] | type) -> None:
        self.text = inspect.getsource(thing).rstrip()
        self.place = f"{thing.__module__.replace('.', '/')}.py"

    def __repr__(self) -> str:
        return f"# {self.place}\n\n{self.text}"

    def _repr_markdown_(self) -> str:
        return f"`{self.place}`\n\n```python\n{self.text}\n```"


def show_source(thing: Callable[..., Any] | type) -> Source:
    """Shows a function or a class as it stands in the package, so that book and package cannot differ."""
    return Source(thing)


def check(passes: Callable[[], bool], hint: str) -> None:
    """Says whether an exercise is solved; if not, gives a hint. Never raises for what the reader wrote."""
    try:
        right = passes()
    except Exception as error:
        _say(f"Not yet. {hint} (Your code raised {type(error).__name__}: {error})")
        return
    _say("Solved." if right else f"Not yet. {hint}")


_FOLDERS: list[tempfile.TemporaryDirectory[str]] = []


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")


def _read_env_file(path: Path) -> None:
    """Puts the variables of a `.env` file into the environment; those that are set already stay."""
    if path.is_file():
        from dotenv import load_dotenv

        load_dotenv(path)
