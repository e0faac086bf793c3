"""The judge: a model that says how important a memory is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..catalogue import text

if TYPE_CHECKING:
    from ..core.action import Model

_REASONING = re.compile(r"<think>.*?</think>", re.DOTALL)
_SCALE = re.compile(r"\d+(?:\.\d+)?\s*(?:to|and|-|–|—|~|到|至|和)\s*\d+(?:\.\d+)?", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![A-Za-z0-9_.])(-?\d+(?:[.,]\d+)?|\.\d+)\s*(%|％|/\s*\d+)?(?![A-Za-z0-9_])")


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the judge said."""

    importance: float | None
    """0 to 1; `None` when there is no judgement."""
    why_not: str = ""
    """Why there is none."""


class ImportanceJudge:
    """Asks a model for the importance of a text: one request a text, in a frame of its own called `importance`."""

    frame = "importance"

    def __init__(self, llm: Model, language: str = "en") -> None:
        self._llm = llm
        self._language = language
        self._asked = 0

    def judge(self, content: str) -> Judgement:
        """The judgement of the model. A model that fails, or says no number, gives none; nothing is raised."""
        from ..tools.executor import say

        try:
            said = self._ask(content)
        except Exception as error:
            # The model may be the reader's own; a memory is not lost for want of a judgement.
            return Judgement(None, say(error))
        importance = number_in(said)
        return Judgement(importance, "" if importance is not None else text("memory.judge.odd", self._language))

    def _ask(self, content: str) -> str:
        from ..core.action import Request
        from ..core.message import Message
        from ..core.run import Replied

        prompt = Message(text("memory.judge.ask", self._language, content=content), "user")
        request = Request((prompt,), at=(self.frame, self._asked))
        self._asked += 1
        replies = [part for part in self._llm.stream(request) if isinstance(part, Replied)]
        return replies[-1].message.text if replies else ""


def number_in(said: str) -> float | None:
    """The importance in what a model said: `0.8`, `8/10`, `80%`, also in a sentence; `None` when that is not clear."""
    bare = _SCALE.sub(" ", _REASONING.sub(" ", said))
    values = {_value(number, unit) for number, unit in _NUMBER.findall(bare)}
    if len(values) != 1:
        return None
    (value,) = values
    return value


def _value(number: str, unit: str) -> float | None:
    value = float(number.replace(",", "."))
    if unit.startswith("/"):
        whole = float(unit[1:])
        value = value / whole if whole else -1.0
    elif unit:
        value /= 100
    elif 1 < value <= 10:
        # It was asked for 0 to 1; some models keep to the scale they know.
        value /= 10
    return value if 0 <= value <= 1 else None
