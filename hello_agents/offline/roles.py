"""Parts the offline model can play for other agents: planner, critic, executor of a step, and so on.

A role looks at the situation. It says the whole reply; or it hands back the situation as it is to be read, with the
task taken out of its frame; or it says `None` when it is not its turn. A new role is a function here and a line in
`ROLES`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from ..catalogue import text as catalogue_text
from . import reports, summaries
from .choosing import intents_of
from .filling import Filled, fill, item_value
from .frames import Frame, numbered, results_so_far, unframed
from .judging import failure, missing
from .offers import Json, Parameter, Tool, as_json, blank, fits
from .parts import parts
from .plan import ELLIPSIS, is_statement, to_report
from .quoting import quote, read_passages, shortened
from .recall import given
from .situation import Given, Situation
from .talk import say
from .weighing import importance
from .wording import language_of, words


@dataclass(frozen=True, slots=True)
class RoleReply:
    """What a role says: a text, or one call."""

    text: str | None = None
    name: str = ""
    arguments: Json | None = None


Role = Callable[[Situation, str], RoleReply | Situation | None]

_VERDICT = re.compile(r"no need for improvement|无需改进", re.IGNORECASE)
_PLAN_WORDS = frozenset({"plan", "planner", "step"})
_TASK = re.compile(
    r"^\s*(?:task|question|goal|任务|问题|目标)\s*[:：]\s*(.+?)(?:\n\s*\n|\Z)", re.IGNORECASE | re.MULTILINE | re.DOTALL
)
_DRAFT = re.compile(r"(?:answer|draft|result|回答|答案|草稿|结果)[^\n:：]*[:：]\s*(.*)", re.IGNORECASE | re.DOTALL)


def planner(situation: Situation, choice: str) -> RoleReply | None:
    """Cuts the task into its requests, for a tool that takes a plan."""
    tool = situation.tool(choice) or _only_tool(situation)
    steps = _steps_parameter(tool) if tool is not None else None
    if tool is None or steps is None or situation.turn.replies or choice == "none":
        return None
    items = as_json(steps.schema.get("items"))
    plan = [item_value(request, items, number) for number, request in enumerate(_requests(_task(situation)))]
    others = {p.name: _text_for(p, situation) for p in tool.required if p is not steps}
    return RoleReply(name=tool.name, arguments={**others, steps.name: plan if fits(plan, steps.schema) else []})


def critic(situation: Situation, choice: str) -> RoleReply | None:
    """Objects to an answer that is empty, failed, or passes over what the task names; else is satisfied."""
    question = situation.turn.question
    frame = unframed("reflection.reflect", question)
    asked = frame is not None or _VERDICT.search(f"{situation.told}\n{question}") is not None
    if not asked or any(tool.role == "act" for tool in situation.tools):
        return None
    if frame is not None:
        task, draft = frame.values["task"], frame.values["content"]
        situation = replace(situation, language=language_of(task, frame.language))
    else:
        found = _DRAFT.search(_VERDICT.sub("", question))
        task, draft = _task(situation), found.group(1) if found else None
    return RoleReply(_verdict(situation, task, draft))


def summariser(situation: Situation, choice: str) -> RoleReply | None:
    """Sums up a conversation, in text."""
    if choice not in ("auto", "none") or situation.turn.replies or not summaries.asked(situation):
        return None
    return RoleReply(summaries.summary(situation))


def executor(situation: Situation, choice: str) -> Situation | None:
    """Takes one step of a plan: only that step is the task, and "it" is what the steps before have given."""
    frame = unframed("plan.step", situation.turn.question)
    if frame is None:
        return None
    plan = numbered(frame.values["plan"])
    done = tuple(
        Given(step, answer, given(step, answer)) for step, answer in results_so_far(plan, frame.values["history"])
    )
    read = replace(_with_task(situation, frame, frame.values["step"]), given=done)
    return replace(read, hands_on=True) if len(done) + 1 < len(plan) else replace(read, recap=_recap(read))


def reader(situation: Situation, choice: str) -> RoleReply | None:
    """Answers from passages: quotes the sentences that share most with the question, and cites them."""
    frame = unframed("rag.prompt", situation.turn.question)
    if frame is None:
        return None
    question = frame.values["question"]
    answer = quote(question, read_passages(frame.values["passages"]))
    return RoleReply(answer or catalogue_text("rag.not_said", language_of(question, frame.language)))


def shortener(situation: Situation, choice: str) -> RoleReply | None:
    """Shortens a text for a question: keeps the sentences that share most with it. Nothing is put in other words."""
    frame = unframed("context.compress", situation.turn.question)
    if frame is None or not frame.values["tokens"].isdecimal():
        return None
    said = shortened(frame.values["text"], frame.values["query"], int(frame.values["tokens"]))
    return RoleReply(said) if said else None


def _recap(situation: Situation) -> tuple[str, ...]:
    """The answers of the steps before, without those that a report has taken up."""
    done = situation.given
    asked = [*(step.question for step in done), situation.question]
    report = max((at for at, question in enumerate(asked) if reports.asked(question)), default=0)
    return tuple(step.answer for at, step in enumerate(done) if at >= report or not to_report(step))


def refiner(situation: Situation, choice: str) -> Situation | None:
    """Does a task once more after a critique: the task is what is to be done, not the critique."""
    frame = unframed("reflection.refine", situation.turn.question)
    return None if frame is None else _with_task(situation, frame, frame.values["task"])


def weigher(situation: Situation, choice: str) -> RoleReply | None:
    """Says how important it is to remember a text."""
    frame = unframed("memory.judge.ask", situation.turn.question)
    return None if frame is None else RoleReply(f"{importance(frame.values['content']):g}")


ROLES: tuple[Role, ...] = (planner, critic, executor, refiner, weigher, reader, shortener, summariser)


def forced(tool: Tool, situation: Situation) -> Json:
    """Arguments for a call that has to be made whatever the question says: found where possible, else empty."""
    filled = fill(tool, situation.question)
    if isinstance(filled, Filled):
        call = filled.calls[0]
        if all(fits(call.get(parameter.name), parameter.schema) for parameter in tool.required):
            return call
    return {parameter.name: _text_for(parameter, situation) for parameter in tool.required}


def _with_task(situation: Situation, frame: Frame, task: str) -> Situation:
    """The situation with the task in the place of the prompt around it."""
    turn = replace(situation.turn, question=task)
    return replace(situation, turns=(*situation.turns[:-1], turn), language=language_of(task, frame.language))


def _task(situation: Situation) -> str:
    """The task in a prompt of the library, or in one that looks like it; else the whole question."""
    if frame := unframed("plan.ask", situation.question):
        return frame.values["question"]
    task = _TASK.search(situation.question)
    return task.group(1) if task else situation.question


def _requests(task: str) -> list[str]:
    """The requests of a task, each a step. What is only told ("a shop sells eggs") is none."""
    found = parts(task)
    # "And in Berlin?" needs its "and": without it, it would not say that it goes on from the step before.
    asked = [part.whole if ELLIPSIS.search(part.whole) else part.text for part in found]
    return [text for text in asked if ELLIPSIS.search(text) or intents_of(text) or not is_statement(text)] or asked


def _verdict(situation: Situation, task: str, draft: str | None) -> str:
    if draft is None:
        return say(situation, "offline.satisfied")
    if not draft.strip():
        return say(situation, "offline.too_thin")
    if (line := failure(draft)) is not None:
        return say(situation, "offline.object.failed", line=_VERDICT.sub("…", line))
    if names := missing(task, draft):
        return say(situation, "offline.object.missing", names=say(situation, "offline.comma").join(names))
    return say(situation, "offline.satisfied")


def _only_tool(situation: Situation) -> Tool | None:
    acting = [tool for tool in situation.tools if tool.role == "act"]
    return acting[0] if len(acting) == 1 else None


def _steps_parameter(tool: Tool) -> Parameter | None:
    """The list a planning tool takes its steps in."""
    if not _PLAN_WORDS & words(tool.name):
        return None
    lists = [parameter for parameter in tool.parameters if parameter.kind == "array"]
    return next((parameter for parameter in lists if _PLAN_WORDS & words(parameter.name)), lists[0] if lists else None)


def _text_for(parameter: Parameter, situation: Situation) -> object:
    plain_text = parameter.kind in ("string", "any") and not parameter.options
    return situation.question if plain_text and fits(situation.question, parameter.schema) else blank(parameter.schema)
