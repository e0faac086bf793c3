"""ReflectionAgent: draft, critique, redraft, until the critic is content.

Sources of the pattern: Shinn et al., *Reflexion*, 2023; Madaan et al., *Self-Refine*, 2023.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from ..catalogue import text
from ..core.action import Action, Model
from ..core.agent import Agent
from ..core.config import Config
from ..core.opaque import runs_itself
from ..core.run import Limits, Run
from ..old_names import old_names
from .children import child_of, question_of, spawn_or_wait, stop_with
from .own_prompts import filled, prompts_of
from .simple_agent import SimpleAgent

if TYPE_CHECKING:
    from ..tools.permissions import Policy
    from ..tools.registry import ToolRegistry

SATISFIED = ("no need for improvement", "无需改进")
"""What a critic says when there is nothing to improve. Any of them ends the loop, in any case."""


class Memory:
    """The drafts and critiques of one question, in order."""

    def __init__(self) -> None:
        self.records: list[dict[str, str]] = []

    def add_record(self, record_type: str, content: str) -> None:
        """`record_type` is `execution` for a draft and `reflection` for a critique."""
        self.records.append({"type": record_type, "content": content})

    def get_trajectory(self) -> str:
        return "\n\n".join(f"[{record['type']}]\n{record['content']}" for record in self.records)

    def get_last_execution(self) -> str:
        drafts = [record["content"] for record in self.records if record["type"] == "execution"]
        return drafts[-1] if drafts else ""


class ReflectionAgent(Agent):
    """Has a worker draft an answer, a critic judge it, and the worker redraft it, a limited number of times.

    `state.outcome.reason` is `finished` when the critic was content, `max_iterations` when the rounds were used up.
    """

    kind: ClassVar[str] = "Reflection"

    def __init__(
        self,
        name: str,
        llm: Model,
        system_prompt: str | None = None,
        config: Config | None = None,
        max_iterations: int = 3,
        tool_registry: ToolRegistry | Mapping[str, str] | None = None,
        enable_tool_calling: bool = True,
        max_tool_iterations: int = 3,
        *,
        custom_prompts: Mapping[str, str] | None = None,
        permissions: Policy | None = None,
    ) -> None:
        """`custom_prompts` may hold `initial`, `reflect` and `refine`, with `{task}`, `{content}`, `{last_attempt}` and
        `{feedback}` in them. They may also be given in the place of `tool_registry`, where they once stood."""
        if isinstance(tool_registry, Mapping):
            tool_registry, custom_prompts = None, tool_registry
        super().__init__(name, llm, system_prompt, config, tool_registry, permissions=permissions)
        self.max_iterations = max_iterations
        self._memory = Memory()
        self.prompts = prompts_of(custom_prompts, ("initial", "reflect", "refine"))
        self.max_tool_iterations = max_tool_iterations
        worker = SimpleAgent(
            "worker", llm, system_prompt, self.config, tool_registry, enable_tool_calling, max_tool_iterations
        )
        prompt = text("reflection.critic", self.language)
        critic = SimpleAgent("critic", llm, prompt, self.config, enable_tool_calling=False)
        self.members |= {"worker": worker, "critic": critic}

    def decide(self, run: Run) -> Action:
        task, turn = question_of(run), run.turn
        draft = f"draft-{turn}"
        if todo := spawn_or_wait(run, draft, self._worker(run, self._prompt("initial", task=task))):
            return todo
        for round in range(1, self.max_iterations + 1):
            content = run.children[draft].answer or ""
            critique, redraft = f"critique-{turn}-{round}", f"redraft-{turn}-{round}"
            if todo := spawn_or_wait(run, critique, self._critic(run, task, content)):
                return todo
            feedback = run.children[critique].answer or ""
            if self.satisfied(run.children[critique]):
                return stop_with(run, "finished", content)
            prompt = self._prompt("refine", task=task, last_attempt=content, content=content, feedback=feedback)
            if todo := spawn_or_wait(run, redraft, self._worker(run, prompt)):
                return todo
            draft = redraft
        return stop_with(run, "max_iterations", run.children[draft].answer or "")

    def satisfied(self, critique: Run) -> bool:
        """Whether a critic's run says that the draft is good. A subclass may look at something better than words."""
        return is_satisfied(critique.answer or "")

    def system_text(self) -> str | None:
        """The agent itself asks nothing; its worker has the prompt."""
        return None

    @property
    def memory(self) -> Memory:
        """The drafts and critiques of the last question. A subclass with its own `run` keeps them there itself."""
        if runs_itself(self):
            return self._memory
        memory = Memory()
        for id, child in self.state.children.items():
            part, turn = id.split("-")[:2]
            if turn == str(self.state.turn):
                memory.add_record("reflection" if part == "critique" else "execution", child.answer or "")
        return memory

    @memory.setter
    def memory(self, memory: Memory) -> None:
        self._memory = memory

    def _worker(self, run: Run, prompt: str) -> Run:
        worker = self.members["worker"]
        return child_of(run, "worker", prompt, worker.system_text(), Limits(worker.max_steps))

    def _critic(self, run: Run, task: str, content: str) -> Run:
        prompt = self._prompt("reflect", task=task, content=content)
        return child_of(run, "critic", prompt, self.members["critic"].system_text(), earlier=False)

    def _prompt(self, part: str, **values: Any) -> str:
        if part in self.prompts:
            return filled(self.prompts[part], **values)
        return text(f"reflection.{part}", self.language, **values)


def is_satisfied(feedback: str) -> bool:
    """Whether a critique says that nothing needs improving."""
    said = feedback.lower()
    return any(word in said for word in SATISFIED)


if not TYPE_CHECKING:
    __getattr__ = old_names(__name__, "HelloAgentsLLM", "Message", "StreamEvent", "StreamEventType")
