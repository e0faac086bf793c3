"""OfflineLLM: the book's built-in model. It follows rules, and says so."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

from ..core.action import Request
from ..core.message import Message, ToolCall, Usage
from ..core.run import Delta, Replied
from .answers import compose, plan_in_words, why_again
from .estimate import PromptEstimate, estimate_message
from .offers import Json, Tool, as_text, blank, fits, read_tools
from .pieces import deltas
from .plan import make_plan
from .progress import Progress, Wish, progress
from .roles import ROLES, RoleReply, forced
from .situation import Situation, turns_of
from .wording import language_of

MAX_REPLIES = 7
"""After this many replies with calls the model answers, whatever is left: it must never keep a loop going."""


class OfflineLLM:
    """A rule-based model that needs no network: it matches the words of a question to the tools on offer.

    It reads nothing but the request, so that equal requests get equal replies, in any process. How it
    gets to a reply, module by module: `situation` (what was said), `parts` (what is asked), `choosing` and
    `filling` (which tool, with what), `plan` (in what order), `progress` (how far it is), `remedies` (what to
    do about failures), `answers` and `sentences` (what to say). Before all that, `roles` sees whether the prompt is
    one of the library's own. `vocabulary` has the words.
    """

    def __init__(self, *, language: str = "en") -> None:
        self.language = language
        """For questions that are in no language, like `12*9`."""
        self._prompt = PromptEstimate()
        self._read: tuple[Sequence[dict[str, Any]], tuple[Tool, ...]] = ((), ())

    def stream(self, request: Request) -> Iterator[Delta | Replied]:
        """The reply, in words and characters."""
        message = self.reply(request)
        yield from deltas(message)
        yield Replied(
            message,
            Usage(self._prompt.of(request), estimate_message(message)),
            model="offline",
            finish="tool_calls" if message.tool_calls else "stop",
        )

    async def astream(self, request: Request) -> AsyncIterator[Delta | Replied]:
        """The same pieces, for a loop that awaits."""
        for event in self.stream(request):
            yield event

    def reply(self, request: Request) -> Message:
        """The reply to a request. Equal requests get equal replies."""
        situation = self.situation(request)
        choice = request.tool_choice
        for role in ROLES:
            match role(situation, choice):
                case RoleReply() as played:
                    return _played(played, situation, request)
                case Situation() as read:
                    situation = read
                    break
                case None:
                    pass
        state = _progress(situation)
        if choice == "none":
            return _text(compose(state))
        if choice != "auto" and situation.tools:
            return _forced(state, choice, request)
        return _next(state, request)

    def situation(self, request: Request) -> Situation:
        """What the model sees in a request."""
        tools = self._tools(request.tools)
        turns, told = turns_of(request.messages, tools)
        # A question in no language is answered in that of the prompt.
        prompt = "\n".join(message.text for message in request.messages if message.role == "system")
        return Situation(turns, told, tools, language_of(turns[-1].question, language_of(told, self.language)), prompt)

    def _tools(self, schemas: Sequence[dict[str, Any]]) -> tuple[Tool, ...]:
        """The tools on offer; an unchanged offer is read once."""
        known, tools = self._read
        if schemas is not known or not isinstance(schemas, tuple):
            tools = read_tools(schemas)
            self._read = (schemas, tools)
        return tools


def _progress(situation: Situation) -> Progress:
    return progress(make_plan(situation), situation)


def _next(state: Progress, request: Request) -> Message:
    """A thought before the first call, then the calls that are due, then the answer."""
    wishes = state.wishes()
    if not wishes or len(state.situation.turn.replies) >= MAX_REPLIES:
        return _answer(state, request)
    thinking = state.situation.role("think")
    if thinking is not None and not state.thought and not state.situation.turn.results:
        return _calls(request, [(thinking.name, _one_text(thinking, plan_in_words(state)))])
    again = next((wish for wish in wishes if wish.because is not None), None)
    return _act(state, wishes, request, None if again is None else why_again(state, again))


def _act(state: Progress, wishes: list[Wish], request: Request, content: str | None) -> Message:
    """The calls that are due, in one reply."""
    return _calls(request, [(wish.name, _valid(state, wish)) for wish in wishes], content)


def _valid(state: Progress, wish: Wish) -> Json:
    """The arguments of a call as its schema wants them; what does not fit is left out or emptied."""
    tool = state.situation.tool(wish.name)
    if tool is None:
        return wish.arguments
    arguments = dict(wish.arguments)
    for parameter in tool.parameters:
        value = arguments.get(parameter.name)
        if parameter.name in arguments and not fits(value, parameter.schema):
            as_string = (
                parameter.kind == "string" and isinstance(value, (int, float)) and fits(str(value), parameter.schema)
            )
            if as_string or parameter.required:
                arguments[parameter.name] = str(value) if as_string else blank(parameter.schema)
            else:
                del arguments[parameter.name]
        elif parameter.required and parameter.name not in arguments:
            arguments[parameter.name] = blank(parameter.schema)
    return arguments


def _answer(state: Progress, request: Request) -> Message:
    """The answer as a text, or through the tool that is there to give it."""
    finishing = state.situation.role("finish")
    answer = compose(state)
    if finishing is None:
        return _text(answer)
    return _calls(request, [(finishing.name, _one_text(finishing, answer))])


def _forced(state: Progress, choice: str, request: Request) -> Message:
    """A call to the tool that must be called: as the plan has it, else with whatever the question says."""
    situation = state.situation
    named = situation.tool(choice)
    wishes = [wish for wish in state.wishes() if named is None or wish.name == named.name]
    if wishes:
        return _act(state, wishes if named is None else wishes[:1], request, None)
    if named is None and situation.role("finish") is not None:
        return _answer(state, request)
    tool = named or next((tool for tool in situation.tools if tool.role == "act"), situation.tools[0])
    match tool.role:
        case "finish":
            return _calls(request, [(tool.name, _one_text(tool, compose(state)))])
        case "think":
            return _calls(request, [(tool.name, _one_text(tool, plan_in_words(state)))])
        case "act":
            return _calls(request, [(tool.name, forced(tool, situation))])


def _one_text(tool: Tool, text: str) -> Json:
    """The arguments of a tool that takes one text."""
    texts = [parameter for parameter in tool.parameters if parameter.kind == "string" and not parameter.options]
    main = next((parameter for parameter in texts if parameter.required), texts[0])
    return {parameter.name: blank(parameter.schema) for parameter in tool.required} | {main.name: text}


def _played(played: RoleReply, situation: Situation, request: Request) -> Message:
    if played.arguments is None:
        finishing = situation.role("finish")
        text = as_text(played.text)
        if finishing is None or request.tool_choice == "none":
            return _text(text)
        return _calls(request, [(finishing.name, _one_text(finishing, text))])
    return _calls(request, [(played.name, played.arguments)])


def _text(text: str) -> Message:
    return Message(text, "assistant")


def _calls(request: Request, calls: list[tuple[str, Json]], content: str | None = None) -> Message:
    step = request.at[1]
    return Message(
        content,
        "assistant",
        tool_calls=[
            ToolCall(f"call_{step}_{position}", name, arguments) for position, (name, arguments) in enumerate(calls)
        ],
    )
