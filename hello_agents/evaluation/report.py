"""The report of an evaluation: how often each agent passed, how sure that is, what it cost, and why it failed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, cast

from ..core.message import Usage
from .comparing import Comparison, compare
from .intervals import wilson
from .tasks import PASSED, Trial

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Score:
    """What one agent achieved over all its trials."""

    agent: str
    trials: int
    passed: int
    low: float
    high: float
    """The Wilson interval of the rate, at 95 %. It takes the trials for independent, which repeats of one task are not;
    `Report.compare` keeps those together."""
    steps: float
    """Requests to the model a trial, in the mean."""
    tokens: float
    """Tokens a trial, in the mean."""
    cost: float
    """Money for all trials, in what the agent's prices are counted in; 0 without prices."""
    seconds: float
    """Seconds a trial, in the mean."""
    failures: Mapping[str, int]
    """Reason -> trials that failed for it, the most frequent first."""

    @property
    def rate(self) -> float:
        """The share of the trials that passed, 0 to 1."""
        return self.passed / self.trials if self.trials else 0.0


@dataclass(frozen=True)
class Report:
    """What came of every trial. Prints as a table, in text and in a notebook."""

    trials: tuple[Trial, ...]
    """By agent, task and repeat, in the order in which they were given."""

    @property
    def agents(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(trial.agent for trial in self.trials))

    @property
    def tasks(self) -> tuple[str, ...]:
        """The ids of the tasks."""
        return tuple(dict.fromkeys(trial.task for trial in self.trials))

    @cached_property
    def scores(self) -> Mapping[str, Score]:
        """Agent -> its score."""
        return {name: _score(name, self.of(name)) for name in self.agents}

    def of(self, agent: str, task: str | None = None) -> tuple[Trial, ...]:
        """The trials of an agent, or those on one task. Raises `KeyError` for an agent that was not tried."""
        if agent not in self.agents:
            raise KeyError(f"{agent!r} was not tried. Tried were {', '.join(self.agents)}.")
        return tuple(one for one in self.trials if one.agent == agent and task in (None, one.task))

    def compare(self, first: str, second: str) -> Comparison:
        """Whether one agent is better than another, on the tasks that both were tried on."""
        return compare(first, self.of(first), second, self.of(second))

    def text(self, language: str = "en", *, seconds: bool = False) -> str:
        """The report as lines of text. `seconds`, which differ from run to run, are shown when asked for."""
        from .showing import report_text

        return report_text(self, language, seconds)

    def html(self, language: str = "en", *, seconds: bool = False) -> str:
        """The same as HTML, with the result of every task."""
        from .showing import report_html

        return report_html(self, language, seconds)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return self.html()

    def to_json(self) -> str:
        """The report as JSON text, journals included; `Report.from_json` reads it back equal."""
        from ..core.journal import json_text

        return json_text({"schema": SCHEMA, "trials": [asdict(trial) for trial in self.trials]})

    @staticmethod
    def from_json(text: str | bytes) -> Report:
        """Reads what `to_json` wrote. Raises `ValueError` that says what is wrong and where."""
        from pydantic import TypeAdapter

        data: object = json.loads(text)
        fields = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
        if fields.get("schema") != SCHEMA:
            raise ValueError(f"Schema {fields.get('schema')!r} is not known here; it has to be {SCHEMA}.")
        return Report(TypeAdapter(tuple[Trial, ...]).validate_python(fields.get("trials")))

    def to_jsonl(self, agent: str | None = None, *, passed_only: bool = True, sanitize: bool = True) -> str:
        """The runs as training data: one JSON line a conversation, in the form of OpenAI's fine-tuning, with tools.

        `agent`: only this one's. `passed_only`: leaves out the trials that failed. `sanitize`: masks what looks like a
        secret. See `trajectories` for what becomes of sub-agents and of compressed histories.
        """
        from ..core.journal import json_text
        from .trajectories import trajectories

        chosen = self.trials if agent is None else self.of(agent)
        lines = (line for one in chosen if one.passed or not passed_only for line in trajectories(one, sanitize))
        return "".join(json_text(line) + "\n" for line in lines)


def _score(name: str, trials: tuple[Trial, ...]) -> Score:
    count, passed = len(trials), sum(one.passed for one in trials)
    usage = sum((one.usage for one in trials), Usage())
    reasons = Counter(one.reason for one in trials if one.reason != PASSED)
    low, high = wilson(passed, count)
    return Score(
        name,
        count,
        passed,
        low,
        high,
        steps=sum(one.steps for one in trials) / count,
        tokens=usage.total_tokens / count,
        cost=usage.cost,
        seconds=sum(one.seconds for one in trials) / count,
        failures=dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0]))),
    )
