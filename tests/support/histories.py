"""Histories for property tests: legal ones, and ones of every illegal kind."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from hello_agents.core.message import Message, ToolCall

texts = st.text(max_size=20)
said = texts.filter(lambda text: text.strip())
"""Text that says something."""
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
arguments = st.dictionaries(texts, json_values, max_size=3)
names = st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_-]{0,10}", fullmatch=True)
reasonings = st.none() | said


@st.composite
def legal(draw: Any, reasoning: bool = False) -> list[Message]:
    """A history that every provider accepts, with nothing on it that the wire does not carry."""
    thoughts = reasonings if reasoning else st.none()
    messages: list[Message] = [Message(draw(said), "system")] if draw(st.booleans()) else []
    count = 0
    for _ in range(draw(st.integers(0, 5))):
        match draw(st.sampled_from(["user", "assistant", "round"])):
            case "user":
                messages.append(Message(draw(texts), "user"))
            case "assistant":
                messages.append(Message(draw(said), "assistant", reasoning=draw(thoughts)))
            case _:
                calls = [
                    ToolCall(f"call_{count + n}", draw(names), draw(arguments)) for n in range(draw(st.integers(1, 3)))
                ]
                count += len(calls)
                messages.append(
                    Message(draw(st.none() | said), "assistant", tool_calls=calls, reasoning=draw(thoughts))
                )
                messages.extend(Message(draw(texts), "tool", answers=call.id) for call in calls)
    return messages


_ids = st.sampled_from(["", "a", "b", "c", "a_0"])
_any_call = st.builds(ToolCall, _ids, st.sampled_from(["f", "", "a b", "functions.f", "工具", "x" * 99]), arguments)
_any_text = st.none() | st.sampled_from(["", "  ", "\n"]) | texts | st.text(st.characters(), max_size=5)

anything = st.lists(
    st.one_of(
        st.builds(Message, _any_text, st.sampled_from(["user", "system", "summary", "assistant"])),
        st.builds(
            lambda text, calls: Message(text, "assistant", tool_calls=calls), _any_text, st.lists(_any_call, max_size=3)
        ),
        st.builds(lambda text, id: Message(text, "tool", answers=id), _any_text, st.none() | _ids),
    ),
    max_size=10,
)
"""Messages of every role in any order, with ids that clash, calls without results and results without calls."""
