"""What the chapters need beside the library: choosing the model, a folder to play in, showing a source, checks."""

from __future__ import annotations

import inspect
import json
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

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


class Columns:
    """JSON values beside each other, each under its heading."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.texts = {heading: _laid_out(value) for heading, value in values.items()}

    def __repr__(self) -> str:
        return "\n\n".join(f"{heading}\n{text}" for heading, text in self.texts.items())

    def _repr_html_(self) -> str:
        from html import escape

        heads = "".join(f'<th style="text-align:left">{escape(heading)}</th>' for heading in self.texts)
        look = "font-family:monospace; font-size:12px; white-space:pre-wrap; overflow-wrap:anywhere"
        width = 100 // max(len(self.texts), 1)
        start = f'<td style="text-align:left; vertical-align:top; width:{width}%"><pre style="{look}">'
        cells = "".join(f"{start}{escape(text)}</pre></td>" for text in self.texts.values())
        return f"<table><thead><tr>{heads}</tr></thead><tbody><tr>{cells}</tr></tbody></table>"


def side_by_side(values: Mapping[str, Any]) -> Columns:
    """Shows JSON values in columns, one for each heading."""
    return Columns(values)


def check(passes: Callable[[], bool], hint: str) -> None:
    """Says whether an exercise is solved; if not, gives a hint. Never raises for what the reader wrote."""
    try:
        right = passes()
    except Exception as error:
        _say(f"Not yet. {hint} (Your code raised {type(error).__name__}: {error})")
        return
    _say("Solved." if right else f"Not yet. {hint}")


_FOLDERS: list[tempfile.TemporaryDirectory[str]] = []


_WIDTH = 36
"""Letters in a line of a column; a list or an object that fits into one line gets one."""


def _laid_out(value: Any, indent: int = 0, taken: int = 0) -> str:
    """The value as JSON, behind `indent` blanks and a name of `taken` letters."""
    line = json.dumps(value, ensure_ascii=False)
    if indent + taken + len(line) <= _WIDTH or not isinstance(value, (dict, list)) or not value:
        return line
    pad = " " * (indent + 1)
    if isinstance(value, dict):
        named = cast("dict[str, Any]", value)
        parts = [f"{json.dumps(name)}: {_laid_out(part, indent + 1, len(name) + 4)}" for name, part in named.items()]
        opening, closing = "{", "}"
    else:
        parts = [_laid_out(part, indent + 1) for part in cast("list[Any]", value)]
        opening, closing = "[", "]"
    inside = f",\n{pad}".join(parts)
    return f"{opening}\n{pad}{inside}\n{' ' * indent}{closing}"


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")


def _read_env_file(path: Path) -> None:
    """Puts the variables of a `.env` file into the environment; those that are set already stay."""
    if path.is_file():
        from dotenv import load_dotenv

        load_dotenv(path)
