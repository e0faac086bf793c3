"""The truncator: long results of tools made short enough for a model, and kept whole in a file if wanted."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..catalogue import text
from .cutting import STRATEGIES, Cut, Strategy, cut, fits

if TYPE_CHECKING:
    from ..tools.response import ToolResponse

_NOT_IN_A_FILE_NAME = re.compile(r"[^\w-]+")


class ObservationTruncator:
    """Cuts the output of a tool to a number of lines and bytes. Making one touches no disk.

    A result that is cut ends, begins or is divided by a notice, which is within the limits as well.
    """

    def __init__(
        self,
        max_lines: int = 2000,
        max_bytes: int = 51200,
        truncate_direction: Strategy | str = "head",
        output_dir: str | os.PathLike[str] | None = "tool-output",
        *,
        language: str = "en",
    ) -> None:
        """`truncate_direction` says what is kept: `head`, `tail`, `head_tail`, or `summary` for the key lines.

        The whole output of what is cut goes to a file below `output_dir`, which is made when it is needed; with
        `None` nothing is written.
        """
        if max_lines < 1 or max_bytes < 1:
            raise ValueError(f"max_lines={max_lines} and max_bytes={max_bytes} leave nothing. Give at least 1 of each.")
        self.max_lines = max_lines
        self.max_bytes = max_bytes
        self.truncate_direction: Strategy = _strategy(truncate_direction)
        self.output_dir = output_dir
        self.language = language

    def truncate(self, tool_name: str, output: str, metadata: dict[str, Any] | None = None) -> dict[str, Any]:
        """The output within the limits, as a dict.

        `truncated`: whether anything is left out; `preview`: what a model is to read; `full_output_path`: the file
        with all of it, relative to the working directory, or `None`; `stats`: `direction`, and `total_`, `kept_` and
        `dropped_` `lines` and `bytes`, with `save_error` when the file could not be written. Under `query`,
        `metadata` may say what was looked for.
        """
        if fits(output, self.max_lines, self.max_bytes):
            whole = cut(output, self.max_lines, self.max_bytes)
            return {"truncated": False, "preview": output, "full_output_path": None, "stats": self._stats(whole)}
        path, fault = None, None
        if self.output_dir is not None:
            try:
                path = _named(self._save_full_output(tool_name, output, metadata))
            except OSError as error:
                fault = f"{type(error).__name__}: {error.strerror or error}"
        query = (metadata or {}).get("query")
        result = cut(
            output,
            self.max_lines,
            self.max_bytes,
            self.truncate_direction,
            language=self.language,
            note=self._note(path, fault),
            matching=[query] if isinstance(query, str) else (),
        )
        stats = self._stats(result) | ({} if fault is None else {"save_error": fault})
        return {"truncated": True, "preview": result.text, "full_output_path": path, "stats": stats}

    def shorten(self, tool_name: str, response: ToolResponse) -> ToolResponse:
        """The response with its text within the limits; the same one when it is short enough.

        Its status stays: a call that went well did so, however much of its output is shown. What is left out
        is told in the notice, and in `stats["truncation"]`.
        """
        if fits(response.text, self.max_lines, self.max_bytes):
            return response
        from dataclasses import replace

        result = self.truncate(tool_name, response.text, (response.context or {}).get("parameters"))
        told = result["stats"] | {"full_output_path": result["full_output_path"]}
        return replace(response, text=result["preview"], stats={**(response.stats or {}), "truncation": told})

    def _note(self, path: str | None, fault: str | None) -> str:
        if path is not None:
            return text("cut.saved", self.language, path=path)
        return "" if fault is None else text("cut.unsaved", self.language, why=fault)

    def _stats(self, result: Cut) -> dict[str, Any]:
        return {
            "direction": self.truncate_direction,
            "total_lines": result.total_lines,
            "total_bytes": result.total_bytes,
            "kept_lines": result.kept_lines,
            "kept_bytes": result.kept_bytes,
            "dropped_lines": result.dropped_lines,
            "dropped_bytes": result.dropped_bytes,
        }

    def _save_full_output(self, tool_name: str, output: str, metadata: dict[str, Any] | None = None) -> Path:
        """Writes the output to a file of its own: at once or not at all, and equal outputs to the same file."""
        from hashlib import sha256
        from tempfile import mkstemp

        folder = Path(self.output_dir or ".")
        data = output.encode("utf-8", "backslashreplace")
        name = _NOT_IN_A_FILE_NAME.sub("_", tool_name)[:40].strip("_") or "tool"
        path = folder / f"{name}_{sha256(data).hexdigest()[:16]}.txt"
        if path.is_file() and not path.is_symlink() and path.stat().st_size == len(data):
            return path
        folder.mkdir(parents=True, exist_ok=True)
        handle, draft = mkstemp(prefix=".", suffix=".part", dir=folder)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(draft).replace(path)
        except BaseException:
            Path(draft).unlink(missing_ok=True)
            raise
        return path


def _strategy(name: str) -> Strategy:
    for strategy in STRATEGIES:
        if strategy == name:
            return strategy
    raise ValueError(f"{name!r} is not a way to truncate. Use one of {', '.join(STRATEGIES)}.")


def _named(path: Path) -> str:
    """The path from the working directory, where it is below."""
    whole, here = path.resolve(), Path.cwd().resolve()
    return (whole.relative_to(here) if whole.is_relative_to(here) else whole).as_posix()
