"""Messages: what a conversation is made of, and nothing a provider's client would recognise."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock
from typing import Any, Literal, cast, get_args, overload

Role = Literal["user", "assistant", "system", "tool", "summary"]
MessageRole = Role
ROLES: frozenset[str] = frozenset(get_args(Role))

Status = Literal["success", "partial", "error"]


def setters(kind: type) -> tuple[Callable[[Any, Any], None], ...]:
    """For each slot of a frozen class, in order, what sets it in a value that is being made.

    For classes of which each step makes several: it takes half as long as `object.__setattr__`.
    """
    return tuple(vars(kind)[name].__set__ for name in vars(kind)["__slots__"])


def _no_arguments() -> dict[str, Any]:
    return {}


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's wish to have one tool run with these arguments."""

    id: str
    """Names the call; its result carries the same id in `Message.answers`."""
    name: str
    arguments: dict[str, Any] = field(default_factory=_no_arguments)
    fault: str | None = None
    """Why the arguments could not be read. A call with a fault is answered with it and never run."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens spent, as the provider counted them."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    """The part of `prompt_tokens` that came from the provider's cache."""
    reasoning_tokens: int = 0
    """The part of `completion_tokens` that was thinking."""
    cost_nano: int = 0
    """Billionths of what the prices are counted in; 0 where the run has no prices."""

    @property
    def cost(self) -> float:
        """Money, in what the prices are counted in."""
        return self.cost_nano / 1_000_000_000

    @property
    def total_tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cached_tokens + other.cached_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
            self.cost_nano + other.cost_nano,
        )

    def __sub__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens - other.prompt_tokens,
            self.completion_tokens - other.completion_tokens,
            self.cached_tokens - other.cached_tokens,
            self.reasoning_tokens - other.reasoning_tokens,
            self.cost_nano - other.cost_nano,
        )


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Message:
    """One turn of a conversation: text, calls, or the answer to a call.

    Raises `TypeError` for content that is neither `str` nor `None`, `ValueError` for an unknown role.
    """

    content: str | None
    role: Role
    tool_calls: tuple[ToolCall, ...]
    """The calls an assistant asks for, in its order."""
    answers: str | None
    """On a tool message: the id of the call that it answers."""
    status: Status | None
    """On a tool message: how the call went."""
    reasoning: str | None
    """The model's thinking, where the provider tells it. Never shown as the answer."""
    metadata: dict[str, Any]
    timestamp: datetime = field(compare=False)
    """When the message was made. Two messages that differ in nothing else are equal."""

    def __init__(
        self,
        content: str | None,
        role: Role,
        *,
        tool_calls: Iterable[ToolCall] = (),
        answers: str | None = None,
        status: Status | None = None,
        reasoning: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        timestamp: datetime | None = None,
    ) -> None:
        if content is not None and type(content) is not str:
            content = _plain_text(content)
        if role not in ROLES:
            raise ValueError(f"{role!r} is not a role of a message. Use one of {', '.join(sorted(ROLES))}.")
        put_content, put_role, put_calls, put_answers, put_status, put_reasoning, put_metadata, put_time = _SETTERS
        put_content(self, content)
        put_role(self, role)
        put_calls(self, tuple(tool_calls) if tool_calls else ())
        put_answers(self, answers)
        put_status(self, status)
        put_reasoning(self, reasoning)
        put_metadata(self, dict(metadata) if metadata else {})
        put_time(self, timestamp or _now())

    @property
    def text(self) -> str:
        """The content, with nothing said as the empty string."""
        return self.content or ""

    def to_dict(self) -> dict[str, Any]:
        """The message as plain JSON values. `Message.from_dict` reads it back equal."""
        data: dict[str, Any] = {
            "role": self.role,
            "content": self.content,
            "timestamp": self.timestamp.isoformat(),
            "metadata": self.metadata,
        }
        if self.tool_calls:
            data["tool_calls"] = [
                {"id": call.id, "name": call.name, "arguments": call.arguments}
                | ({} if call.fault is None else {"fault": call.fault})
                for call in self.tool_calls
            ]
        for name, value in (("answers", self.answers), ("status", self.status), ("reasoning", self.reasoning)):
            if value is not None:
                data[name] = value
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Message:
        """Reads what `to_dict` wrote; a missing timestamp is now, missing optional fields are empty."""
        missing = {"role", "content"} - data.keys()
        if missing:
            raise ValueError(f"A message without {' and '.join(sorted(missing))} cannot be read: {dict(data)!r}.")
        stamp = data.get("timestamp")
        return cls(
            data["content"],
            data["role"],
            tool_calls=[ToolCall(**call) for call in data.get("tool_calls", ())],
            answers=data.get("answers"),
            status=data.get("status"),
            reasoning=data.get("reasoning"),
            metadata=data.get("metadata"),
            timestamp=datetime.fromisoformat(stamp) if isinstance(stamp, str) else stamp,
        )

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        """How pydantic reads a message inside a larger value: by `from_dict`."""
        return _read_by(cls, Message.from_dict)

    def to_text(self) -> str:
        return f"[{self.role}] {self.text}"

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        parts = [repr(self.content), repr(self.role)]
        for name in ("tool_calls", "answers", "status", "reasoning", "metadata"):
            value = getattr(self, name)
            if value:
                parts.append(f"{name}={value!r}")
        return f"Message({', '.join(parts)})"


_SETTERS = setters(Message)
_now = datetime.now


def _plain_text(content: object) -> str:
    """A string subclass (a model's response is one) as plain text; anything else is refused."""
    if isinstance(content, str):
        return str.__str__(content)
    raise TypeError(
        f"The content of a message is text, not {type(content).__name__}. Pass its `.content`, or str(...) of it."
    )


def _read_by(kind: type, read: Callable[[Any], Any]) -> Any:
    from pydantic_core import core_schema

    return core_schema.no_info_plain_validator_function(lambda value: value if isinstance(value, kind) else read(value))


class Messages(Sequence[Message]):
    """An immutable sequence of messages whose longer versions share its storage.

    Appending to the newest version costs the same however long the conversation is, and every earlier
    version keeps reading the same. Appending to an older version (a fork) copies once.
    """

    __slots__ = ("_items", "_lock", "_reply", "_size")
    _items: list[Message]
    _lock: Lock
    _reply: int | None
    _size: int

    def __init__(self, items: Iterable[Message] = ()) -> None:
        self._items = list(items)
        self._size = len(self._items)
        self._reply = self._find_reply()
        self._lock = Lock()

    def plus(self, message: Message) -> Messages:
        """This conversation with one message more."""
        grown = object.__new__(Messages)
        items, size, role = self._items, self._size, message.role
        with self._lock:
            if len(items) == size:
                items.append(message)
                grown._items, grown._lock = items, self._lock
            else:
                grown._items, grown._lock = [*items[:size], message], Lock()
        grown._reply = size if role == "assistant" else self._reply if role == "tool" else None
        grown._size = size + 1
        return grown

    def last_reply(self) -> int | None:
        """The index of the last assistant message, if only answers to it follow."""
        return self._reply

    def _find_reply(self) -> int | None:
        for i in range(self._size - 1, -1, -1):
            role = self._items[i].role
            if role == "assistant":
                return i
            if role != "tool":
                return None
        return None

    def unanswered(self) -> tuple[ToolCall, ...]:
        """The calls of the last reply that have no answer yet, in order."""
        at = self._reply
        if at is None:
            return ()
        items, answers = self._items, self._size - at - 1
        calls = items[at].tool_calls
        if answers >= len(calls):
            return ()
        if not answers:
            return calls
        answered = {items[place].answers for place in range(at + 1, self._size)}
        return tuple(call for call in calls if call.id not in answered)

    def with_answer(self, message: Message) -> Messages | None:
        """This conversation with one more result, in the order of the calls; `None` when no call waits for it."""
        at = self._reply
        if at is None:
            return None
        items, size = self._items, self._size
        calls = items[at].tool_calls
        if len(calls) == 1:
            return self.plus(message) if size == at + 1 and calls[0].id == message.answers else None
        order = {call.id: position for position, call in enumerate(calls)}
        position = order.get(message.answers or "")
        if position is None:
            return None
        place = size
        while place > at + 1:
            other = order.get(items[place - 1].answers or "", -1)
            if other == position:
                return None
            if other < position:
                break
            place -= 1
        return self.plus(message) if place == size else self.splice(place, place, [message])

    def extends(self, earlier: Messages) -> bool:
        """Whether this is the other conversation with messages appended, seen without comparing any.

        False may also mean that it cannot be seen, for two conversations that share no storage.
        """
        return self._items is earlier._items and self._size >= earlier._size

    def since(self, earlier: Messages) -> list[Message] | None:
        """What was appended to the other conversation to make this one; `None` where `extends` is false."""
        if self._items is not earlier._items or self._size < earlier._size:
            return None
        return self._items[earlier._size : self._size]

    def splice(self, start: int, stop: int, messages: Iterable[Message]) -> Messages:
        """This conversation with `[start:stop]` replaced."""
        items = self._items[: self._size]
        items[start:stop] = messages
        return Messages(items)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        return _read_by(cls, lambda items: Messages(Message.from_dict(item) for item in items))

    def __reduce__(self) -> tuple[Any, ...]:
        return Messages, (self._items[: self._size],)

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, index: int) -> Message: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Message, ...]: ...
    def __getitem__(self, index: int | slice) -> Message | tuple[Message, ...]:
        if isinstance(index, slice):
            start, stop, step = index.indices(self._size)
            return tuple(self._items[start:stop] if step == 1 else [self._items[i] for i in range(start, stop, step)])
        if index < 0:
            index += self._size
        if not 0 <= index < self._size:
            raise IndexError(f"There is no message {index}: the conversation has {self._size}.")
        return self._items[index]

    def __iter__(self) -> Iterator[Message]:
        return iter(self._items[: self._size])

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Messages):
            same = self._items is other._items and self._size == other._size
            return same or self._items[: self._size] == other._items[: other._size]
        if isinstance(other, (list, tuple)):
            return self._items[: self._size] == list(cast("Sequence[Message]", other))
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self._size)

    def __repr__(self) -> str:
        return f"Messages({self._items[: self._size]!r})"


def _no_messages() -> Messages:
    nothing = Messages()
    # Its storage is longer than it is, so that whoever goes on from it begins one, and none is kept alive by it.
    nothing._items.append(Message(None, "user"))  # pyright: ignore[reportPrivateUsage]
    return nothing


NO_MESSAGES = _no_messages()
"""The conversation that every run begins with."""
