"""Parts the offline model can play for other agents: the planner and the critic.

A role looks at the situation and says the whole reply, or `None` when it is not its turn. A new role is
a function here and a line in `ROLES`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from .filling import Filled, fill, item_value
from .offers import Json, Parameter, Tool, as_json, blank, fits
from .parts import parts
from .situation import Situation
from .talk import say
from .wording import words


@dataclass(frozen=True, slots=True)
class RoleReply:
    """What a role says: a text, or one call."""

    text: str | None = None
    name: str = ""
    arguments: Json | None = None


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
    if tool is None or steps is None or situation.turn.replies:
        return None
    task = _TASK.search(situation.question)
    requests = [part.text for part in parts(task.group(1) if task else situation.question)]
    items = as_json(steps.schema.get("items"))
    plan = [item_value(request, items, number) for number, request in enumerate(requests)]
    others = {p.name: _text_for(p, situation) for p in tool.required if p is not steps}
    return RoleReply(name=tool.name, arguments={**others, steps.name: plan if fits(plan, steps.schema) else []})


def critic(situation: Situation, choice: str) -> RoleReply | None:
    """Says that there is nothing to improve, in the words the question gives for it, unless there is no draft."""
    if not _VERDICT.search(f"{situation.told}\n{situation.question}") or any(t.role == "act" for t in situation.tools):
        return None
    draft = _DRAFT.search(_VERDICT.sub("", situation.question))
    empty = draft is not None and not draft.group(1).strip()
    return RoleReply(say(situation, "offline.too_thin" if empty else "offline.satisfied"))


ROLES: tuple[Callable[[Situation, str], RoleReply | None], ...] = (planner, critic)


def forced(tool: Tool, situation: Situation) -> Json:
    """Arguments for a call that has to be made whatever the question says: found where possible, else empty."""
    filled = fill(tool, situation.question)
    if isinstance(filled, Filled):
        call = filled.calls[0]
        if all(fits(call.get(parameter.name), parameter.schema) for parameter in tool.required):
            return call
    return {parameter.name: _text_for(parameter, situation) for parameter in tool.required}


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
