"""The head of a SKILL.md: YAML between two lines of `---`, read as tolerantly as it is written.

People write `description: Review code: two axes`, which is not YAML. A line whose value YAML does not understand is
taken as it stands.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

MOST_LINES = 500
"""Lines that a head may have."""

_PAIR = re.compile(r"([A-Za-z_][\w-]*)[ \t]*:[ \t]+(\S.*)")


class BadHead(ValueError):
    """Why a file has no head, and the line it is about."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(why)
        self.line = line


class Parts(NamedTuple):
    """A file, split."""

    head: list[str]
    body: str


def split(content: str) -> Parts:
    """The lines of the head, and what comes after it. Raises `BadHead`."""
    lines = content.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if lines[0].rstrip() != "---":
        raise BadHead(1, "the file must begin with a line of ---")
    for number, line in enumerate(lines[1 : MOST_LINES + 1], 1):
        if line.rstrip() == "---":
            return Parts(lines[1:number], "\n".join(lines[number + 1 :]).strip("\n"))
    raise BadHead(min(len(lines), MOST_LINES), "the head is not closed by a line of ---")


def read(head: Sequence[str]) -> dict[str, str]:
    """The values of a head that are single texts, by name. Raises `BadHead`."""
    # Imported here: a program without skills has no use for it.
    import yaml

    try:
        values = _load("\n".join(head))
    except yaml.YAMLError:
        try:
            values = _load("\n".join(map(_quoted, head)))
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            raise BadHead(2 if mark is None else mark.line + 2, error.problem or "it is not YAML") from error
        except yaml.YAMLError as error:
            raise BadHead(2, str(error).splitlines()[0]) from error
    except RecursionError as error:
        raise BadHead(2, "it is nested too deeply") from error
    if not isinstance(values, dict):
        raise BadHead(2, "the head must be lines such as `name: …`")
    pairs = cast("dict[object, object]", values)
    return {str(name): value for name, value in pairs.items() if isinstance(value, str)}


def _load(text: str) -> Any:
    import yaml

    # Of the loaders, this one makes texts of everything: `name: 123` and `description: yes` are meant as texts.
    return yaml.load(text, Loader=yaml.BaseLoader)


def _quoted(line: str) -> str:
    """The line as it is when YAML can read it by itself; otherwise with its value as a quoted text."""
    import yaml

    pair = _PAIR.fullmatch(line.rstrip())
    if pair is None:
        return line
    try:
        alone = _load(line)
    except (yaml.YAMLError, RecursionError):
        alone = None
    return line if isinstance(alone, dict) else f"{pair[1]}: {json.dumps(pair[2], ensure_ascii=False)}"
