"""PlanSolveAgent: a planner cuts the question into steps, an executor takes them one by one.

Source of the pattern: Wang et al., *Plan-and-Solve Prompting*, 2023.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, cast

from ..catalogue import text
from ..core.action import Action, Ask, Model
from ..core.agent import Agent
from ..core.config import Config
from ..core.exceptions import AgentException
from ..core.loose_json import read_json, without_thinking
from ..core.message import Message
from ..core.run import Limits, Run, Stopped
from ..old_names import old_names
from ..tools.base import FunctionTool
from ..tools.registry import ToolRegistry
from .children import child_of, question_of, spawn_or_wait, stop_with
from .own_prompts import filled, prompts_of
from .simple_agent import SimpleAgent
from .tool_loop import tool_loop

if TYPE_CHECKING:
    from ..tools.permissions import Policy

PLAN_TOOL = "generate_plan"


class Planner(Agent):
    """Asks the model for a list of steps, by a call it has to make.

    A provider that refuses to force a call is asked again without force; a plan written as text is read, too.
    `outcome.reason` is `finished`, or `no_plan` when nothing could be read as a plan.
    """

    kind: ClassVar[str] = "Planner"

    def __init__(
        self,
        llm_client: Model,
        system_prompt: str | None = None,
        config: Config | None = None,
        *,
        prompt_template: str | None = None,
    ) -> None:
        """`prompt_template` is how a question is put, with `{question}` in it; it may stand for `system_prompt`."""
        system_prompt, self.template = _template(system_prompt, prompt_template)
        super().__init__("planner", llm_client, system_prompt, config)
        tool = FunctionTool(generate_plan, PLAN_TOOL, text("plan.tool", self.language))
        self.tool_registry = ToolRegistry()
        self.tool_registry.register_tool(tool)

    def plan(self, question: str, **kwargs: Any) -> list[str]:
        """The steps for a question; an empty list is a plan too. Raises `AgentException` when there is none."""
        self.clear_history()
        self.run(self.prompt(question), **kwargs)
        steps = plan_of(self.state)
        if steps is None:
            raise AgentException(
                f"The model gave no plan for {question!r}; it said {self.state.answer!r}. "
                "Ask for fewer or plainer steps, or use another model."
            )
        return steps

    def prompt(self, question: str) -> str:
        """The question as the model is asked to plan it."""
        if self.template is not None:
            return filled(self.template, question=question)
        return text("plan.ask", self.language, question=question)

    def system_text(self) -> str:
        return self.system_prompt or text("plan.system", self.language)

    def decide(self, run: Run) -> Action:
        asked = run.steps - run.turn_step
        if asked == 0:
            return Ask(replace(self.request(run), tool_choice=PLAN_TOOL), tolerant=True)
        if asked == 1 and run.messages[-1].role == "user":
            notice = Message(text("plan.unforced", self.language), "user")
            request = self.request(run)
            return Ask(replace(request, messages=(*request.messages, notice)))
        if run.pending:
            return tool_loop(run, lambda: self.request(run), self.asks, self.language)
        steps = plan_of(run)
        if steps is None:
            return Stopped("no_plan", run.messages[-1].text)
        return Stopped("finished", "\n".join(f"{n}. {step}" for n, step in enumerate(steps, 1)))


class Executor(Agent):
    """Takes the steps of a plan one by one; each is told the question, the plan and what came before."""

    kind: ClassVar[str] = "Executor"

    def __init__(
        self,
        llm_client: Model,
        system_prompt: str | None = None,
        tool_registry: ToolRegistry | None = None,
        enable_tool_calling: bool = True,
        max_tool_iterations: int = 3,
        config: Config | None = None,
        *,
        prompt_template: str | None = None,
    ) -> None:
        """`prompt_template` is how a step is put, and may stand for `system_prompt`.

        It has `{question}`, `{plan}`, `{history}` and `{current_step}` in it.
        """
        system_prompt, self.template = _template(system_prompt, prompt_template)
        super().__init__("executor", llm_client, system_prompt, config, tool_registry)
        system = system_prompt or text("plan.executor", self.language)
        self.members["worker"] = SimpleAgent(
            "worker", llm_client, system, self.config, tool_registry, enable_tool_calling, max_tool_iterations
        )

    def execute(self, question: str, plan: list[str], **kwargs: Any) -> str:
        """Carries out a plan; the answer is that of its last step, and empty for an empty plan."""
        self.clear_history()
        self.state = self.with_plan(self.state, plan)
        return self.run(question, **kwargs)

    def with_plan(self, run: Run, plan: list[str]) -> Run:
        """The run with the plan in it."""
        return replace(run, notes={**run.notes, "plan": plan})

    def decide(self, run: Run) -> Action:
        question, plan = question_of(run), cast("list[str]", run.notes.get("plan", []))
        answers: list[str] = []
        for number, step in enumerate(plan, 1):
            id = f"step-{run.turn}-{number}"
            start = run.children.get(id) or self._step(run, question, plan, answers, step)
            if todo := spawn_or_wait(run, id, start):
                return todo
            answers.append(run.children[id].answer or "")
        return stop_with(run, "finished", answers[-1] if answers else "")

    def system_text(self) -> str | None:
        """The executor itself asks nothing; its worker has the prompt."""
        return None

    def _step(self, run: Run, question: str, plan: list[str], answers: list[str], step: str) -> Run:
        history = [{"step": one, "result": answer} for one, answer in zip(plan, answers, strict=False)]
        none = text("limits.nothing", self.language)
        plan_text, done = self._format_plan(plan), self._format_history(history) or none
        if self.template is not None:
            prompt = filled(self.template, question=question, plan=plan_text, history=done, current_step=step)
        else:
            prompt = text("plan.step", self.language, question=question, plan=plan_text, history=done, step=step)
        worker = self.members["worker"]
        return child_of(run, "worker", prompt, worker.system_text(), Limits(worker.max_steps))

    def _format_plan(self, plan: list[str]) -> str:
        return "\n".join(f"{number}. {step}" for number, step in enumerate(plan, 1))

    def _format_history(self, history: list[dict[str, str]]) -> str:
        return "\n\n".join(f"{number}. {one['step']}\n{one['result']}" for number, one in enumerate(history, 1))


class PlanSolveAgent(Agent):
    """Plans first, then carries the plan out.

    `outcome.reason` is `finished`, `empty_plan` when the planner saw nothing to do, or `no_plan` when the model gave
    none that could be read. In both of these nothing is carried out, and the answer says so.
    """

    kind: ClassVar[str] = "PlanSolve"

    def __init__(
        self,
        name: str,
        llm: Model,
        system_prompt: str | None = None,
        config: Config | None = None,
        planner_prompt: str | Mapping[str, str] | None = None,
        executor_prompt: str | None = None,
        tool_registry: ToolRegistry | None = None,
        enable_tool_calling: bool = True,
        max_tool_iterations: int = 3,
        *,
        custom_prompts: Mapping[str, str] | None = None,
        permissions: Policy | None = None,
    ) -> None:
        """`custom_prompts` may hold `planner` and `executor`, and may also stand in the place of `planner_prompt`."""
        if isinstance(planner_prompt, Mapping):
            planner_prompt, custom_prompts = None, planner_prompt
        prompts = prompts_of(custom_prompts, ("planner", "executor"))
        super().__init__(name, llm, system_prompt, config, tool_registry, permissions=permissions)
        self.planner = Planner(llm, planner_prompt or prompts.get("planner"), self.config)
        self.executor = Executor(
            llm,
            executor_prompt or prompts.get("executor") or system_prompt,
            tool_registry,
            enable_tool_calling,
            max_tool_iterations,
            self.config,
        )

    @property
    def planner(self) -> Planner:
        """What makes the plan. Another may be assigned; where it has its own `plan`, that is called."""
        return cast("Planner", self.members["planner"])

    @planner.setter
    def planner(self, planner: Planner) -> None:
        self.members["planner"] = planner

    @property
    def executor(self) -> Executor:
        """What carries the plan out. Another may be assigned; where it has its own `execute`, that is called."""
        return cast("Executor", self.members["executor"])

    @executor.setter
    def executor(self, executor: Executor) -> None:
        self.members["executor"] = executor

    def own_parts(self) -> bool:
        plan = getattr(type(self.planner), "plan", Planner.plan)
        execute = getattr(type(self.executor), "execute", Executor.execute)
        return plan is not Planner.plan or execute is not Executor.execute

    def run(self, input_text: str, **kwargs: Any) -> str:
        if not self.own_parts():
            return super().run(input_text, **kwargs)
        steps = self.planner.plan(input_text, **kwargs)
        answer = self.executor.execute(input_text, steps, **kwargs) if steps else text("plan.empty", self.language)
        self.add_message(Message(input_text, "user"))
        self.add_message(Message(answer, "assistant"))
        return answer

    def decide(self, run: Run) -> Action:
        question = question_of(run)
        plan_id, execute_id = f"plan-{run.turn}", f"execute-{run.turn}"
        start = child_of(run, "planner", self.planner.prompt(question), self.planner.system_text())
        if todo := spawn_or_wait(run, plan_id, start):
            return todo
        steps = plan_of(run.children[plan_id])
        if steps is None:
            return stop_with(run, "no_plan", text("plan.none", self.language, said=run.children[plan_id].answer or ""))
        if not steps:
            return stop_with(run, "empty_plan", text("plan.empty", self.language))
        start = self.executor.with_plan(child_of(run, "executor", question), steps)
        if todo := spawn_or_wait(run, execute_id, start):
            return todo
        return stop_with(run, "finished", run.children[execute_id].answer or "")

    def system_text(self) -> str | None:
        """The agent itself asks nothing; its planner and executor have prompts of their own."""
        return None


PlanAndSolveAgent = PlanSolveAgent
"""The agent's older name."""


def _template(system_prompt: str | None, template: str | None) -> tuple[str | None, str | None]:
    """A system prompt and a template. A prompt with `{question}` in it is a template, as in the first version."""
    if template is None and system_prompt is not None and "{question}" in system_prompt:
        return None, system_prompt
    return system_prompt, template


def generate_plan(steps: list[str]) -> str:
    """Writes down the steps.

    Args:
        steps: The steps in order, each one sentence that can be carried out by itself.
    """
    return "\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1))


_JSON = re.compile(r"[\[{]\s*(?:[\"'“{\[\]}]|//|#)")
"""Where JSON begins, as opposed to a word in brackets."""
_NUMBERED = re.compile(
    r"^([ \t]*)[*#_]*[ \t]*(?:(?:step|步骤|第)[ \t]*[\d一二三四五六七八九十]+[ \t]*步?[ \t]*[.)、．:：]?"
    r"|[\d一二三四五六七八九十]+[ \t]*[.)、．](?!\d))[*_]*[ \t]*(\S.*?)[ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)
_BULLETS = re.compile(r"^([ \t]*)[-*•][ \t]+(?:\[[ xX]?\][ \t]*)?(\S.*?)[ \t]*$", re.MULTILINE)


def plan_of(run: Run) -> list[str] | None:
    """The steps in a planner's last reply: by its call, as JSON, or as numbered lines. `None` when it has none."""
    reply = next((message for message in reversed(run.messages) if message.role == "assistant"), None)
    if reply is None:
        return None
    for call in reply.tool_calls:
        if call.name == PLAN_TOOL and call.fault is None:
            return _strings(call.arguments.get("steps"))
    return _plan_in_text(reply.text)


def _plan_in_text(said: str) -> list[str] | None:
    """The steps in a text: of JSON, or of a list, whichever begins first."""
    said = without_thinking(said)
    json = _JSON.search(said)
    lines = list(_NUMBERED.finditer(said)) or list(_BULLETS.finditer(said))
    if json is not None and (not lines or json.start() < lines[0].start()):
        try:
            value = read_json(said[json.start() :])
        except ValueError:
            return _outermost(lines)
        if isinstance(value, dict):
            value = cast("dict[str, Any]", value).get("steps")
        return _strings(value)
    return _outermost(lines)


def _outermost(lines: list[re.Match[str]]) -> list[str] | None:
    """The texts of the lines that are indented least; what stands under them is detail."""
    if not lines:
        return None
    least = min(len(line[1]) for line in lines)
    return [line[2].replace("**", "") for line in lines if len(line[1]) == least]


def _strings(value: Any) -> list[str] | None:
    if not isinstance(value, list):
        return None
    return [step if isinstance(step, str) else str(step) for step in cast("list[Any]", value)]


if not TYPE_CHECKING:
    __getattr__ = old_names(__name__, "HelloAgentsLLM", "StreamEvent", "StreamEventType")
