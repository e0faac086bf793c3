"""What earlier answers gave, without the words around it: "it" means 108, not "12 * 9 = 108"."""

from __future__ import annotations

import re

from .frames import unframed
from .judging import failure

_EQUATION = re.compile(r"^[^=\n]+ = (-?\d[\d.e+\-]*)$")


def given(question: str, answer: str) -> str | None:
    """The bare result in an answer; `None` when it says that there is none."""
    if not answer.strip() or failure(answer):
        return None
    lines = answer.strip().splitlines()
    equations = [match.group(1) for line in lines if (match := _EQUATION.match(line))]
    if len(equations) == len(lines):
        return "\n".join(equations)
    for key in ("offline.alone.read", "offline.alone.read_lines", "offline.named", "offline.named_lines"):
        frame = unframed(key, answer)
        if frame and frame.values["name"] in question:
            return frame.values["text"]
    return answer
