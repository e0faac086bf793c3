"""The summarizer: the agent that writes the summary of what is taken out of another agent's conversation."""

from __future__ import annotations

from typing import ClassVar

from ..catalogue import text
from ..core.action import Action, Ask, Model, Request
from ..core.agent import Agent
from ..core.config import Config
from ..core.limits import not_run
from ..core.llm import HelloAgentsLLM
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


def summarizer_for(agent: Agent) -> Summarizer:
    """The summarizer of an agent: on the agent's own model, or on the one that its settings name."""
    config = Config(language=agent.language, context_window=agent.config.context_window)
    return Summarizer("summarizer", _model(agent), config=config)


def _model(agent: Agent) -> Model:
    config = agent.config
    if config.summary_llm_model is None:
        return agent.llm
    return HelloAgentsLLM(
        config.summary_llm_model,
        provider=config.summary_llm_provider,
        temperature=config.summary_temperature,
        max_tokens=config.summary_max_tokens,
        language=agent.language,
    )
