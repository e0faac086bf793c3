"""The trace: what happens, written down as JSON lines while it happens, and as one HTML page at the end."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Any, Self

from ..core.run import Entry, Noted, Run, Stopped
from ..core.secrets import mask_values
from .html_report import report_html, totals
from .projection import Projection, stamp
from .values import json_line, json_value


class TraceLogger:
    """A trace in two files of a folder, `trace-ID.jsonl` and `trace-ID.html`; without a folder, in `events`.

    `agent.subscribers.append(trace.subscriber)` records an agent's runs, one after the other into the same trace;
    `log_event` records anything else. The folder is made at the first event. Secrets are masked before anything is
    kept, unless `sanitize` is off. What cannot be written is kept for the next time, noted in `problems`, and never
    ends a run.
    """

    def __init__(
        self,
        output_dir: str | Path | None = "memory/traces",
        sanitize: bool = True,
        html_include_raw_response: bool = False,
        *,
        known: Iterable[str | None] = (),
        language: str = "en",
    ) -> None:
        """`known`: secrets that do not look like ones. `language`: of the page, `en` or `zh`."""
        self.output_dir = None if output_dir is None else Path(output_dir)
        self.sanitize = sanitize
        self.html_include_raw_response = html_include_raw_response
        self.language = language
        self.session_id = self._generate_session_id()
        self.problems: list[str] = []
        """Why something could not be written, in words; each reason once."""
        self._known = tuple(known)
        self._projection = Projection(html_include_raw_response)
        self._seq = 0
        self._unwritten: list[dict[str, Any]] = []
        self._unfinished = False
        self._lock = RLock()

    @property
    def jsonl_path(self) -> Path | None:
        """Where the events are; `None` in memory."""
        return None if self.output_dir is None else self.output_dir / f"trace-{self.session_id}.jsonl"

    @property
    def html_path(self) -> Path | None:
        """Where the page is, once `finalize` has made it; `None` in memory."""
        return None if self.output_dir is None else self.output_dir / f"trace-{self.session_id}.html"

    @property
    def events(self) -> list[dict[str, Any]]:
        """All events so far, oldest first, as they are written: `seq`, `ts`, `session_id`, `event`, `step`, `payload`;
        and `agent`, `frame`, `entry` for what comes from a journal."""
        with self._lock:
            return [*self._written(), *self._unwritten]

    def subscriber(self, entry: Entry, run: Run) -> None:
        """Records an entry of a journal; for `agent.subscribers`. The page is made when a question ends."""
        with self._lock:
            event = self._projection.of(entry, run)
            if event is None:
                return
            self._record(event)
            match entry.event:
                case Stopped() if not entry.frame:
                    self.finalize()
                case Noted("model_error"):
                    self._write_page()  # The run may end here, with an error that no later entry tells of.
                case _:
                    pass

    def log_event(self, event: str, payload: dict[str, Any], step: int | None = None) -> None:
        """Records an event of one's own. Any values are taken."""
        with self._lock:
            self._record({"ts": stamp(time.time()), "event": event, "step": step, "payload": json_value(payload)})

    def finalize(self) -> Path | None:
        """Closes what was recorded with a `session_end` that holds the totals, and makes the page.

        What is recorded later goes on in the same trace. Returns the path of the page; `None` in memory.
        """
        with self._lock:
            if self._unfinished:
                self.log_event("session_end", self._compute_stats())
                self._unfinished = False
            self._write_page()
            return self.html_path

    def html(self) -> str:
        """The page as it would be now."""
        return report_html(self.events, self.language)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if error is not None:
            self.log_event("error", {"source": "caller", "error_type": type(error).__name__, "message": str(error)})
        self.finalize()

    def _repr_html_(self) -> str:
        from html import escape

        return (
            f'<iframe srcdoc="{escape(self.html())}" sandbox="allow-scripts" title="trace {self.session_id}" '
            'style="width:100%;height:600px;border:0"></iframe>'
        )

    def __repr__(self) -> str:
        return f"TraceLogger({self._seq} events{'' if self.jsonl_path is None else f', {str(self.jsonl_path)!r}'})"

    # -- inside -----------------------------------------------------------------------------------

    def _generate_session_id(self) -> str:
        import secrets

        return f"s-{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(4)}"

    def _sanitize_value(self, value: Any) -> Any:
        """The value as JSON, with its secrets masked unless that is off."""
        plain = json_value(value)
        return mask_values(plain, *self._known) if self.sanitize else plain

    def _sanitize_event(self, event: dict[str, Any]) -> dict[str, Any]:
        return self._sanitize_value(event)

    def _compute_stats(self) -> dict[str, Any]:
        """What the trace adds up to: steps, tokens, calls, errors, seconds."""
        return totals(self.events)

    def _record(self, event: dict[str, Any]) -> None:
        head = {"seq": self._seq, "session_id": self.session_id}
        self._seq += 1
        self._unfinished = True
        self._unwritten.append(head | self._sanitize_event(event))
        path = self.jsonl_path
        if path is None:
            return
        lines = "".join(json_line(one) + "\n" for one in self._unwritten).encode()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _append(path, lines)
        except OSError as error:
            self._note(error)
        else:
            self._unwritten.clear()

    def _written(self) -> list[dict[str, Any]]:
        path = self.jsonl_path
        if path is None:
            return []
        try:
            return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
        except FileNotFoundError:
            return []
        except (OSError, ValueError) as error:
            self._note(error)
            return []

    def _write_page(self) -> None:
        path = self.html_path
        if path is None or not self._seq:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            part = path.with_suffix(".html.part")
            part.write_text(self.html(), encoding="utf-8")
            part.replace(path)
        except OSError as error:
            self._note(error)

    def _note(self, error: Exception) -> None:
        problem = f"{type(error).__name__}: {error}"
        if problem not in self.problems:
            self.problems.append(problem)


def _append(path: Path, lines: bytes) -> None:
    """Writes all of the lines, or leaves the file as it was."""
    with path.open("ab", buffering=0) as file:
        end = file.tell()
        left = memoryview(lines)
        try:
            while left:
                left = left[file.write(left) :]
        except OSError:
            file.truncate(end)
            raise
