"""What the offline model can see: the conversation of a request, as turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..catalogue import TEXTS
from ..core.message import Message, ToolCall
from .expressions import numbers
from .offers import Tool

NOTICES = ("Notice:", "提示：")
"""How the library's own messages to a model begin. They are no questions."""

SUMMARIES = tuple(TEXTS["wire.summary"].values())
"""How a summary of what was said before begins, when it came over the wire as a message of the user."""

LONGEST = 4000
"""Characters of a question that are read. The rules look for many things at every place, and a pasted book would take
minutes; the answer says when something was left out."""

FAILED = "❌"
PARTIAL = "⚠️"


@dataclass(frozen=True, slots=True)
class Result:
    """A call and what came back."""

    call: ToolCall
    text: str
    failed: bool = False
    partial: bool = False
    code: str = ""


@dataclass(slots=True)
class Turn:
    """A question and everything that followed it."""

    question: str
    replies: list[list[Result]] = field(default_factory=list[list[Result]])
    """Replies that made calls, with the results so far."""
    answer: str = ""

    @property
    def results(self) -> list[Result]:
        return [result for reply in self.replies for result in reply]


@dataclass(frozen=True, slots=True)
class Given:
    """A step of a plan that was taken before this one, as the prompt tells of it."""

    question: str
    answer: str
    text: str | None
    """The bare result; `None` when the step did not succeed."""


@dataclass(frozen=True, slots=True)
class Situation:
    """A request, read: who says what, which tools there are, what came before."""

    turns: tuple[Turn, ...]
    """All questions; the last is the one to answer."""
    told: str
    """The system prompt and summaries of what was said before."""
    tools: tuple[Tool, ...]
    language: str
    prompt: str = ""
    """The system prompt alone."""
    given: tuple[Given, ...] = ()
    """Results that the prompt hands on, oldest first. They are no part of the conversation, but "it" means the last."""
    hands_on: bool = False
    """The answer goes to another step, which needs all of it."""
    recap: tuple[str, ...] = ()
    """Answers that this one repeats first: it is the last of a plan, and so the answer to all of it."""

    @property
    def turn(self) -> Turn:
        return self.turns[-1]

    @property
    def question(self) -> str:
        """As much of the question as the rules read."""
        return self.turn.question[:LONGEST]

    def tool(self, name: str) -> Tool | None:
        return next((tool for tool in self.tools if tool.name == name), None)

    def role(self, role: str) -> Tool | None:
        """The tool to think with, or to finish with, if there is one."""
        return next((tool for tool in self.tools if tool.role == role), None)

    def last_number(self) -> str | None:
        """The number that "it" means at the beginning of a question: the last result, else the last in the answer."""
        for text in reversed(self.given_texts()):
            if found := numbers(text):
                return found[-1]
        for turn in reversed(self.turns[:-1]):
            texts = [result.text for result in turn.results if not result.failed and self._acts(result)]
            for text in (*reversed(texts), turn.answer):
                if found := numbers(text):
                    return found[-1]
        return None

    def given_texts(self) -> list[str]:
        """What the steps before this one gave, those that gave nothing left out."""
        return [step.text for step in self.given if step.text is not None]

    def last_text(self) -> str | None:
        """The text that "it" means at the beginning of a question."""
        if self.given:
            return next(iter(reversed(self.given_texts())), None)
        result = self.last_result()
        answer = self.turns[-2].answer if len(self.turns) > 1 else ""
        return result.text if result else answer or None

    def earlier_numbers(self) -> list[list[str]]:
        """The numbers that each earlier step or question came to, one for each result, oldest first."""
        gave = [text.splitlines() for text in self.given_texts()] or [self._gave(turn) for turn in self.turns[:-1]]
        # Of a text that is not just a row of results, the last number is what it came to.
        groups = [texts if all(_is_number(text) for text in texts) else ["\n".join(texts)] for texts in gave]
        found = [[number[-1] for text in texts if (number := numbers(text))] for texts in groups]
        return [group for group in found if group]

    def _gave(self, turn: Turn) -> list[str]:
        """The results of a question, else its answer."""
        return [result.text for result in turn.results if not result.failed and self._acts(result)] or [turn.answer]

    def last_result(self) -> Result | None:
        """What the last call of an earlier question gave."""
        for turn in reversed(self.turns[:-1]):
            for result in reversed(turn.results):
                if not result.failed and self._acts(result):
                    return result
        return None

    def _acts(self, result: Result) -> bool:
        tool = self.tool(result.call.name)
        return tool is None or tool.role == "act"


def _is_number(text: str) -> bool:
    return numbers(text) == [text.strip()]


def turns_of(messages: Sequence[Message], tools: Sequence[Tool]) -> tuple[tuple[Turn, ...], str]:
    """The conversation as questions with what followed, and what was told besides."""
    turns: list[Turn] = []
    told: list[str] = []
    finishers = {tool.name for tool in tools if tool.role == "finish"}
    for message in messages:
        match message.role:
            case "system" | "summary":
                told.append(message.text)
            case "user" if message.text.startswith(SUMMARIES):
                told.append(message.text)
            case "user" if not message.text.startswith(NOTICES):
                turns.append(Turn(message.text))
            case "assistant":
                _reply(turns, message, finishers)
            case "tool" if turns:
                _result(turns[-1], message)
            case _:
                pass
    return tuple(turns or [Turn("")]), "\n".join(told)


def _reply(turns: list[Turn], message: Message, finishers: set[str]) -> None:
    if not turns:
        turns.append(Turn(""))
    turn = turns[-1]
    if message.tool_calls:
        turn.replies.append([Result(call, "", failed=True, code="NO_RESULT") for call in message.tool_calls])
    for call in message.tool_calls:
        if call.name in finishers:
            turn.answer = next((value for value in call.arguments.values() if isinstance(value, str)), "")
    if message.content:
        turn.answer = message.content


def _result(turn: Turn, message: Message) -> None:
    for reply in reversed(turn.replies):
        for position, result in enumerate(reply):
            if result.call.id == message.answers:
                reply[position] = Result(
                    result.call,
                    message.text,
                    message.status == "error" or message.text.startswith(FAILED),
                    message.status == "partial" or message.text.startswith(PARTIAL),
                    str(message.metadata.get("code", "")),
                )
                return
