"""How far a plan is: the calls since the question, played against what the plan would have called."""

from __future__ import annotations

from dataclasses import dataclass, field

from .expressions import evaluate, number_text
from .filling import Later
from .offers import Json
from .plan import AskFor, CannotDo, Report, Say, Step, UseTool, WorkOut, needs, resolved
from .remedies import looked_around, remedy
from .reports import report
from .sentences import source
from .situation import Result, Situation


@dataclass(frozen=True, slots=True)
class Wish:
    """A call that is due."""

    step: int
    name: str
    arguments: Json
    because: Result | None = None
    """The failure that this call is the answer to."""


@dataclass(slots=True)
class Progress:
    """A plan with what was called for each step of it."""

    situation: Situation
    steps: tuple[Step, ...]
    tries: list[list[Result]]
    """The calls made for each step: the first try, a look around, a second try."""
    others: list[Result] = field(default_factory=list[Result])
    """Calls that the plan did not ask for."""
    thought: bool = False
    """A thought was written down for this question."""

    def wishes(self) -> list[Wish]:
        """The calls that are due now; they do not depend on each other."""
        found: list[Wish] = []
        for at, step in enumerate(self.steps):
            if isinstance(step, UseTool) and all(self.settled(other) for other in needs(step)):
                wish = self._wish(at, step)
                if wish is not None:
                    found.append(wish)
        return found

    def settled(self, at: int) -> bool:
        """Nothing more will be called for this step."""
        step = self.steps[at]
        if not all(self.settled(other) for other in needs(step)):
            return False
        return not isinstance(step, UseTool) or self._wish(at, step) is None

    def outcome(self, at: int) -> Result | None:
        """The last call of the step's own tool, good or bad; `None` when it was never called."""
        step = self.steps[at]
        if not isinstance(step, UseTool):
            return None
        looked = looked_around(step.tool, self.tries[at], self.situation)
        own = [result for place, result in enumerate(self.tries[at]) if not (looked and place == 1)]
        return own[-1] if own else None

    def value(self, at: int) -> str | None:
        """What the step has given to the steps that wait for it."""
        step = self.steps[at]
        match step:
            case UseTool():
                result = self.outcome(at)
                return None if result is None or result.failed else result.text
            case WorkOut():
                worked_out = self.worked_out(step)
                return None if worked_out is None else worked_out[1]
            case Report():
                return self._report(step)
            case Say() | AskFor() | CannotDo():
                return None

    def _report(self, step: Report) -> str | None:
        """The report on what its sources have given so far; `None` when they gave nothing."""
        sources = list(step.known)
        for at in step.sources:
            origin, result = self.steps[at], self.outcome(at)
            if isinstance(origin, UseTool) and result is not None and not result.failed:
                sources.append(source(origin.tool, result))
        return report(sources, self.situation.language) if sources else None

    def worked_out(self, step: WorkOut) -> tuple[str, str] | None:
        """The expression and its value, as texts."""
        form = step.form if isinstance(step.form, str) else self._resolve(step.form)
        value = evaluate(str(form)) if form is not None else None
        return None if value is None else (str(form), number_text(value))

    def arguments(self, step: UseTool) -> Json | None:
        """The step's arguments with earlier results put in; `None` when one of them is not to be had."""
        arguments = {name: self._resolve(value) for name, value in step.arguments.items()}
        lost = any(arguments[name] is None and isinstance(value, Later) for name, value in step.arguments.items())
        return None if lost else arguments

    def _resolve(self, value: object) -> object:
        if not isinstance(value, Later):
            return value
        texts = [text for at in value.steps if (text := self.value(at)) is not None]
        return resolved(value, texts) if texts else None

    def _wish(self, at: int, step: UseTool) -> Wish | None:
        tries = self.tries[at]
        if not tries:
            arguments = self.arguments(step)
            return None if arguments is None else Wish(at, step.tool.name, arguments)
        result = tries[-1]
        if not result.failed and not (len(tries) == 2 and looked_around(step.tool, tries, self.situation)):
            return None
        again = remedy(step.tool, tries, self.situation)
        return None if again is None else Wish(at, *again, because=tries[0])


def progress(steps: tuple[Step, ...], situation: Situation) -> Progress:
    """The plan after all replies since the question.

    It is played from the start: at each reply the plan says what it wished for, and the calls that were made are
    matched to that by name. So a result or an argument that somebody edited keeps its place.
    """
    state = Progress(situation, steps, [[] for _ in steps])
    for reply in situation.turn.replies:
        wishes = state.wishes()
        for result in reply:
            tool = situation.tool(result.call.name)
            if tool is not None and tool.role != "act":
                state.thought = state.thought or tool.role == "think"
                continue
            wish = _wished(result, wishes)
            if wish is None:
                state.others.append(result)
            else:
                wishes.remove(wish)
                state.tries[wish.step].append(result)
    return state


def _wished(result: Result, wishes: list[Wish]) -> Wish | None:
    same = [wish for wish in wishes if wish.name == result.call.name]
    return next((wish for wish in same if wish.arguments == result.call.arguments), same[0] if same else None)
