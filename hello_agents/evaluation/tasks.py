"""Tasks that agents are tried on, and what came of one trial."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..core.message import Usage
from ..core.run import NO_USAGE, Entry, Run

if TYPE_CHECKING:
    from ..core.agent import Agent
    from ..core.debugger import Debugger

PASSED = "passed"
"""The reason of a trial in which the check was content."""
WRONG = "wrong"
"""The agent finished, and the check was not content."""
CHECK_RAISED = "check raised"
NOT_BUILT = "not built"
"""The function that makes the agent raised."""
LOST = "lost"
"""The worker that had the trial gave nothing back."""


@dataclass(frozen=True, slots=True)
class Task:
    """A question, and a check that says of the finished run whether the agent did it."""

    id: str
    question: str
    check: Callable[[Run], bool]
    """Looks at the whole run: the answer, the calls, what they cost. In a pool of processes it has to be a function
    of a module, since that is what can be sent there."""


@dataclass(frozen=True)
class Trial:
    """One agent on one task, once: plain values that pickle and go to JSON. Equality ignores the time it took."""

    agent: str
    task: str
    repeat: int
    """0, 1, 2, … among the trials of this agent on this task."""
    reason: str
    """`passed`, `wrong`, `check raised`, `not built`, `lost`, the class of the error that the agent raised, or the
    reason for which the run ended (`max_steps`, say) where that was another than `finished`."""
    error: str = ""
    """What was raised, by the agent, its maker, the check or the worker: class and words."""
    steps: int = 0
    """Requests to the model, those of sub-agents included."""
    usage: Usage = NO_USAGE
    """Tokens, those of sub-agents included."""
    seconds: float = field(default=0.0, compare=False)
    """From making the agent to the verdict of the check."""
    start: str = field(default="", compare=False, repr=False)
    """The run before the question, as `Run.to_json` writes it."""
    journal: str = field(default="", compare=False, repr=False)
    """What happened, one JSON line an entry."""
    schemas: str = field(default="{}", repr=False)
    """The tools that were on offer, as JSON: frame -> schemas."""

    @property
    def passed(self) -> bool:
        return self.reason == PASSED

    @property
    def entries(self) -> Iterator[Entry]:
        """The journal's entries, oldest first."""
        from ..core.journal import load_journal

        return load_journal(self.journal)

    @property
    def run(self) -> Run | None:
        """The run at its end, folded from the journal; `None` where there was no agent."""
        from ..core.run import evolve

        if not self.start:
            return None
        run = Run.from_json(self.start)
        for entry in self.entries:
            run = evolve(run, entry.event, entry.frame)
        return run

    def replay(self, agent: Agent | None = None) -> Debugger:
        """The run to be walked, at its end: for a `LoopInspector`.

        `agent`: one like that of the trial, fresh from the same maker; with it the requests are there to be looked at,
        and the run can go on from any place. Without one it is a recording. Raises `ValueError` where there is no run.
        """
        from ..core.debugger import Debugger

        if not self.start:
            raise ValueError(f"{self.agent} on {self.task} is {self.reason}: {self.error}. There is no run to replay.")
        return Debugger(agent, Run.from_json(self.start), self.entries)

    @property
    def tools(self) -> dict[str, list[dict[str, Any]]]:
        """Frame -> the schemas of the tools that were on offer there."""
        return json.loads(self.schemas)
