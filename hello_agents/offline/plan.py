"""The plan for a question: one step for each thing it asks, in order, with what each step waits for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from . import finding, reports, talk
from .choosing import Choice, choose, intents_of, wants_average, wants_total
from .expressions import expressions, numbers, spoken_numbers
from .filling import AVERAGE, SUM, TEXT, Before, Filled, Later, Missing, fill, refers_back, with_number
from .offers import Json, Parameter, Tool
from .parts import Part, parts
from .reports import Source
from .situation import Given, Situation
from .vocabulary import ALL, BOTH, VERBS, VERBS_ZH
from .wording import mentions


@dataclass(frozen=True, slots=True)
class UseTool:
    """Call a tool."""

    text: str
    """The request this step serves."""
    tool: Tool
    arguments: Json
    """A value may be a `Later`: then the steps it names come first."""
    after: tuple[int, ...] = ()
    """Steps that come first although nothing is taken from them."""


@dataclass(frozen=True, slots=True)
class WorkOut:
    """Arithmetic that no tool on offer does, so that the rules do it themselves."""

    text: str
    form: str | Later


@dataclass(frozen=True, slots=True)
class Report:
    """A text put together from what other steps give."""

    text: str
    sources: tuple[int, ...] = ()
    known: tuple[Source, ...] = ()
    """What an earlier question has given already."""


@dataclass(frozen=True, slots=True)
class Say:
    """Something the model can say at once."""

    text: str


@dataclass(frozen=True, slots=True)
class AskFor:
    """A tool is meant, but the question does not give a required argument."""

    text: str
    tool: Tool
    parameter: Parameter


@dataclass(frozen=True, slots=True)
class CannotDo:
    """Nothing on offer fits the request."""

    text: str


Step = UseTool | WorkOut | Report | Say | AskFor | CannotDo

_WITHOUT_VALUE = frozenset({"write", "todo", "send"})
"""Kinds of tools whose results nobody means by "it"."""

ELLIPSIS = re.compile(r"^(?:and|what about|how about|or|also|那么?|还有|换成|再看)|呢\W*$", re.IGNORECASE)
_QUESTION = re.compile(
    r"^(?:what|who|where|when|which|why|how|is|are|does|do|did)\b|什么|谁|哪|何时|为什么|怎么|多少|吗", re.IGNORECASE
)
_RETELL = re.compile(
    r"^(?:tell|show|give|summari[sz]e|explain|describe|print|display|report|answer)\b"
    r"|^what (?:is|was|does) (?:it|the result)\b"
    r"|^(?:告诉我|总结|汇总|概括|说明|解释|给我看|回答)",
    re.IGNORECASE,
)


def make_plan(situation: Situation) -> tuple[Step, ...]:
    """The steps for the latest question. The same question always gets the same plan."""
    steps: list[Step] = []
    asked: list[Part] = []
    told: list[Step] = []
    delegating = any(tool.intent == "delegate" for tool in situation.tools)
    for part in parts(situation.question, delegating=delegating):
        before = _before(steps, asked, situation)
        start = len(steps)
        found = _steps_for(part, before, start, situation, steps)
        if found and all(isinstance(step, CannotDo) for step in found) and is_statement(part.text):
            told += found
            found = []
        steps += found
        if part.after and start:
            _in_order(steps, start)
        asked.append(part)
    return tuple(steps or told)


def is_statement(text: str) -> bool:
    """Something told rather than asked: it needs no answer of its own beside the others."""
    return not _QUESTION.search(text) and text.split(" ")[0].lower() not in VERBS and not text.startswith(VERBS_ZH)


def needs(step: Step) -> tuple[int, ...]:
    """The steps that have to be settled before this one."""
    match step:
        case UseTool(_, _, arguments, after):
            return (*after, *(at for value in arguments.values() if isinstance(value, Later) for at in value.steps))
        case WorkOut(_, Later(steps)) | Report(_, steps):
            return steps
        case _:
            return ()


def _before(steps: Sequence[Step], asked: Sequence[Part], situation: Situation) -> Before:
    """What "it" can mean: the last request here that gave something, else the conversation before."""
    earlier = [step.question for step in situation.given] or [turn.question for turn in situation.turns[-2:-1]]
    said = " ; ".join([*earlier, *(part.text for part in asked)])
    valued = [at for at, step in enumerate(steps) if _gives_value(step)]
    if valued:
        last = steps[valued[-1]]
        same = tuple(at for at in valued if _text(steps[at]) == _text(last))
        values = tuple(at for at in valued if _gives_one_number(steps[at]))
        return Before(steps=same, single=len(same) == 1 and _gives_one_number(last), values=values, said=said)
    text = situation.last_text()
    return Before(
        single=text is not None and numbers(text) == [text.strip()],
        number=situation.last_number(),
        text=text,
        numbers=tuple(tuple(found) for found in situation.earlier_numbers()),
        said=said,
    )


def _gives_value(step: Step) -> bool:
    match step:
        case UseTool(tool=tool):
            return tool.intent not in _WITHOUT_VALUE
        case WorkOut() | Report():
            return True
        case _:
            return False


def _gives_one_number(step: Step) -> bool:
    return isinstance(step, WorkOut) or (isinstance(step, UseTool) and step.tool.intent == "arithmetic")


def _text(step: Step) -> str:
    return step.text


def _in_order(steps: list[Step], start: int) -> None:
    """ "then": these steps wait for those before them."""
    for at in range(start, len(steps)):
        step = steps[at]
        if isinstance(step, UseTool):
            steps[at] = replace(step, after=tuple(range(start)))


# -- one request -------------------------------------------------------------------------------------


def _steps_for(part: Part, before: Before, start: int, situation: Situation, earlier: Sequence[Step]) -> list[Step]:
    """The steps for one request: the first rule that has something to say."""
    text, tools = part.text, situation.tools
    said = talk.answer(part.whole, situation)
    if said is not None:
        return [Say(said)]
    # What a helper is to do may be anything, a report or a total as well.
    delegated = "delegate" in intents_of(text) and any(tool.intent == "delegate" for tool in tools)
    if not delegated:
        composed = (
            _report(text, before, situation, earlier)
            or _saved(text, situation, earlier)
            or _totals(text, before, start, tools)
        )
        if composed:
            return composed
    choice = choose(text, tools, before)
    if choice is not None and isinstance(choice.filled, Filled):
        return _with_inner(text, choice, start, before, tools)
    own = _own_arithmetic(text, before)
    if own is not None:
        return [own]
    again = _again(part, earlier, situation)
    if again:
        return again
    if not earlier and situation.given and _RETELL.search(text):
        return [Say(situation.given[-1].answer)]
    if choice is not None and isinstance(choice.filled, Missing):
        return [AskFor(text, choice.tool, choice.filled.parameter)]
    if _RETELL.search(text) and earlier:
        return []
    return _searched(text, tools) or [CannotDo(text)]


def _with_inner(text: str, choice: Choice, start: int, before: Before, tools: Sequence[Tool]) -> list[Step]:
    """The calls of a choice. What is to be written may itself have to be found out first ("write the sum of …")."""
    tool, filled = choice.tool, choice.filled
    assert isinstance(filled, Filled)
    content = tool.parameter("content")
    phrase = finding.written(text)
    literal = not phrase or finding.quoted(text) or (refers_back(phrase) and (before.single or not wants_total(phrase)))
    if content is not None and phrase and not literal:
        inner = _found_out(phrase, start, before, [other for other in tools if other is not tool])
        if inner:
            value = Later(tuple(range(start, start + len(inner))), TEXT)
            return [*inner, *(UseTool(text, tool, {**call, content.name: value}) for call in filled.calls)]
    return [UseTool(text, tool, call) for call in filled.calls]


def _report(text: str, before: Before, situation: Situation, earlier: Sequence[Step]) -> list[Step]:
    """A report on what the request names, else on what came before; written to a file if the request wants one."""
    if not reports.asked(text):
        return []
    start = len(earlier)
    steps = _looked_up(reports.subject(text), before, situation.tools)
    sources = tuple(range(start, start + len(steps))) or tuple(
        at for at, step in enumerate(earlier) if isinstance(step, UseTool) and _gives_value(step)
    )
    known: tuple[Source, ...] = ()
    if not sources:
        known = tuple(
            reports.known(step.question, step.text) for step in situation.given if step.text and to_report(step)
        )
        if not known and not situation.given and before.text is not None:
            known = (reports.known(situation.turns[-2].question, before.text),)
        if not known:
            return []
    steps.append(Report(text, sources, known))
    path = reports.target(text)
    if path is not None and (writer := _writer(situation.tools)) is not None:
        steps.append(_write(text, writer, path, Later((start + len(steps) - 1,), TEXT)))
    return steps


def _looked_up(about: str, before: Before, tools: Sequence[Tool]) -> list[Step]:
    """The calls that give what a report is to be about; none when the request does not say."""
    wanted = set(intents_of(about)) - _WITHOUT_VALUE | ({"read"} if finding.paths(about) else set[str]())
    choice = choose(about, [tool for tool in tools if tool.intent not in _WITHOUT_VALUE], before)
    if choice is None or isinstance(choice.filled, Missing) or not any(choice.tool.does(kind) for kind in wanted):
        return []
    return [UseTool(about.strip(), choice.tool, call) for call in choice.filled.calls]


def to_report(step: Given) -> bool:
    """Whether a step that was taken gave something to report on."""
    kinds = _WITHOUT_VALUE.intersection(intents_of(step.question))
    return step.text is not None and not kinds and not reports.asked(step.question)


def _saved(text: str, situation: Situation, earlier: Sequence[Step]) -> list[Step]:
    """ "Save it", after a report: it goes to `report.md`, as nothing else was said."""
    writer = _writer(situation.tools)
    if writer is None or finding.paths(text) or "write" not in intents_of(text) or not reports.saving(text):
        return []
    if earlier and isinstance(earlier[-1], Report):
        return [_write(text, writer, reports.FILE, Later((len(earlier) - 1,), TEXT))]
    asked, said = _before_this(situation)
    if not earlier and said and reports.asked(asked):
        return [_write(text, writer, reports.FILE, said)]
    return []


def _before_this(situation: Situation) -> tuple[str, str | None]:
    """The step or question before the one to answer, and what was said to it."""
    if situation.given:
        return situation.given[-1].question, situation.given[-1].text
    if len(situation.turns) > 1:
        return situation.turns[-2].question, situation.turns[-2].answer
    return "", None


def _writer(tools: Sequence[Tool]) -> Tool | None:
    return next(
        (tool for tool in tools if tool.intent == "write" and tool.parameter("path") and tool.parameter("content")),
        None,
    )


def _write(text: str, writer: Tool, path: str, content: str | Later) -> UseTool:
    names = {meaning: parameter.name for meaning in ("path", "content") if (parameter := writer.parameter(meaning))}
    return UseTool(text, writer, {names["path"]: path, names["content"]: content})


def _found_out(phrase: str, start: int, before: Before, tools: Sequence[Tool]) -> list[Step]:
    """Steps that find out what a phrase speaks of; none when it is meant literally."""
    totals = _totals(phrase, before, start, tools)
    if totals:
        return totals
    choice = choose(phrase, tools, before)
    if choice and isinstance(choice.filled, Filled) and choice.tool.intent in intents_of(phrase):
        return [UseTool(phrase, choice.tool, call) for call in choice.filled.calls]
    own = _own_arithmetic(phrase, before)
    return [own] if own else []


def _totals(text: str, before: Before, start: int, tools: Sequence[Tool]) -> list[Step]:
    """The sum or mean of numbers that are somewhere else: in earlier results, or in a file the request names."""
    form = AVERAGE if wants_average(text) else SUM if wants_total(text) else None
    if form is None or "write" in intents_of(text):
        return []
    several = _several(text, before, form)
    if several is not None:
        return [_total(text, several, tools)]
    if expressions(text):
        return []
    reader = next((tool for tool in tools if tool.intent == "read" and tool.parameter("path")), None)
    if finding.paths(text) and reader is not None:
        filled = fill(reader, text, before)
        if isinstance(filled, Filled):
            reads: list[Step] = [UseTool(text, reader, call) for call in filled.calls]
            return [*reads, _total(text, Later(tuple(range(start, start + len(reads))), form), tools)]
    if before.single or spoken_numbers(text) or finding.paths(text) or intents_of(text) != ("arithmetic",):
        return []
    if before.steps:
        return [_total(text, Later(before.steps, form), tools)]
    if before.text is not None and (expression := total_expression(before.text, form)):
        return [_total(text, expression, tools)]
    return []


def _several(text: str, before: Before, form: str) -> str | Later | None:
    """The total or the mean of results that came one by one: of the last two for "both", of all for "them"."""
    both = next((phrase for phrase in sorted(BOTH, key=len, reverse=True) if mentions(text, phrase)), None)
    bare = text if both is None else re.sub(re.escape(both), " ", text, flags=re.IGNORECASE)
    if expressions(bare) or spoken_numbers(bare) or finding.paths(bare):
        return None
    if both is None and not any(mentions(text, phrase) for phrase in ALL):
        return None
    if before.steps:
        steps = before.values[-2:] if both else before.values
        return Later(steps, form) if len(steps) > 1 and before.single else None
    said = [number for group in before.numbers for number in group]
    latest = before.numbers[-1] if before.numbers else ()
    found = said[-2:] if both else latest if len(latest) > 1 else said
    # A text with several numbers in it is what "the numbers" means; it is added up by itself.
    text_of_numbers = before.text is not None and len(latest) == 1 and len(numbers(before.text)) > 1
    if len(found) < 2 or (both is None and text_of_numbers):
        return None
    return total_expression("\n".join(found), form)


def _total(text: str, form: str | Later, tools: Sequence[Tool]) -> Step:
    calculator = next((tool for tool in tools if tool.intent == "arithmetic" and tool.parameter("expression")), None)
    if calculator is None:
        return WorkOut(text, form)
    filled = fill(calculator, "1 + 1")
    parameter = calculator.parameter("expression")
    if isinstance(filled, Missing) or parameter is None:
        return WorkOut(text, form)
    return UseTool(text, calculator, {**filled.calls[0], parameter.name: form})


def total_expression(text: str, form: str) -> str | None:
    """The sum or the mean of the numbers in a text, as an expression."""
    found = numbers_of(text)
    if not found:
        return None
    joined = " + ".join(f"({number})" if number.startswith("-") else number for number in found)
    return f"({joined}) / {len(found)}" if form == AVERAGE else joined


_NOT_AMOUNTS = re.compile(
    r"^[ \t]*#+.*$|^[ \t]*(?:\d+[.)]|\d+[:\t→|])\s|\b\d{4}-\d{2}-\d{2}\b"
    r"|^.*\b(?:total|sum)\b.*$|^.*(?:合计|总计|总和).*$",
    re.IGNORECASE | re.MULTILINE,
)


def numbers_of(text: str) -> list[str]:
    """The amounts in a text: headings, line numbers, dates and the totals that are there already left out."""
    return numbers(_NOT_AMOUNTS.sub(" ", text)) or numbers(text)


def _own_arithmetic(text: str, before: Before) -> WorkOut | None:
    if found := expressions(text):
        return WorkOut(text, found[0])
    for form in expressions(text, continuing=True):
        if before.steps:
            return WorkOut(text, Later(before.steps, form))
        if before.number is not None:
            return WorkOut(text, with_number(form, before.number))
    return None


def _again(part: Part, earlier: Sequence[Step], situation: Situation) -> list[Step]:
    """ "And in Berlin?": the last call once more, with what is different now."""
    if not ELLIPSIS.search(part.whole):
        return []
    tool, arguments = _last_use(earlier, situation)
    if tool is None:
        return []
    text = re.sub(r"^(?:what about|how about|and|or|那么?|还有)\s*|呢\W*$", "", part.whole, flags=re.IGNORECASE).strip(
        " ?？"
    )
    filled = fill(tool, text)
    calls = filled.calls if isinstance(filled, Filled) else ()
    steps: list[Step] = [UseTool(part.text, tool, {**arguments, **call}) for call in calls]
    return [step for step in steps if isinstance(step, UseTool) and step.arguments != arguments]


def _last_use(earlier: Sequence[Step], situation: Situation) -> tuple[Tool | None, Json]:
    for step in reversed(earlier):
        if isinstance(step, UseTool):
            return step.tool, step.arguments
    if situation.given:
        # Of an earlier step of a plan only the words are known; they say which tool it was.
        choice = choose(situation.given[-1].question, situation.tools, Before())
        if choice is None or isinstance(choice.filled, Missing):
            return None, {}
        return choice.tool, choice.filled.calls[-1]
    result = situation.last_result()
    return (situation.tool(result.call.name), result.call.arguments) if result else (None, {})


def _searched(text: str, tools: Sequence[Tool]) -> list[Step]:
    """A question that nothing else answers is looked up, where there is something to look it up in."""
    if not _QUESTION.search(text):
        return []
    for tool in tools:
        if tool.intent == "search" and isinstance(filled := fill(tool, text), Filled):
            return [UseTool(text, tool, call) for call in filled.calls]
    return []


def resolved(value: Later, texts: Sequence[str]) -> str | float | None:
    """What a `Later` stands for, once the results it waits for are there; `None` when they do not give it."""
    if value.form == TEXT:
        return "\n".join(texts)
    if value.form in (SUM, AVERAGE):
        return total_expression("\n".join(texts), value.form)
    found = numbers("\n".join(texts))
    if not found:
        return None
    if value.form == "ANS":
        number = float(found[-1])
        return int(number) if number.is_integer() else number
    return with_number(value.form, found[-1])
