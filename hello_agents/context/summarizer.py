"""The summarizer: the agent that writes the summary of what is taken out of another agent's conversation."""

from __future__ import annotations

from typing import ClassVar

from ..catalogue import text
from ..core.action import Action, Ask, Request
from ..core.agent import Agent
from ..core.limits import not_run
from ..core.run import Returned, Run, Stopped


class Summarizer(Agent):
    """Asks the model once. A model that fails or says nothing leaves the summary to the rule."""

    kind: ClassVar[str] = "Summarizer"

    def decide(self, run: Run) -> Action:
        for call in run.pending:
            return Returned(not_run(call, text("limits.not_run", self.language), "NOT_RUN"))
        if "model_error" in run.notes:
            return Stopped("failed")
        said = next((message.text for message in run.messages if message.role == "assistant"), None)
        if said is not None:
            return Stopped("finished", said)
        return Ask(Request(run.messages, at=("", run.steps)), tolerant=True)
