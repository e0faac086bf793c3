"""Whatever is said and whatever is on offer: there is a reply, its calls are valid, and the loop ends."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.examples import examples

from hello_agents.core.action import Request
from hello_agents.core.message import Message, ToolCall
from hello_agents.core.run import Replied, Returned, Run, Told, evolve
from hello_agents.offline import OfflineLLM
from hello_agents.offline.expressions import evaluate, expressions
from hello_agents.offline.offers import blank, fits
from hello_agents.offline.parts import parts
from hello_agents.offline.vocabulary import INTENTS, MEANINGS

from .corpus import ALL, CORPUS
from .world import FINISH, THOUGHT, World, carry_out, converse, schema

WORDS = sorted({word for intent in INTENTS for word in (*intent.asks, *intent.tools)})
NAMES = sorted({word for meaning in MEANINGS for word in meaning.words if word.isascii()})
SCRAPS = [
    *WORDS, "and", "then", "it", "the result", ",", "?", "12*9", "7", "-3", "(", "a.txt", "data/b.md",
    "'quoted'", "Paris",
    "北京", "和", "然后", "3加4", "：", "\n", "km", "miles", "my name is Ada", "what about",
    "……", "×", "**", "%", "\u0000", "\ud800",
]  # fmt: skip

texts = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(SCRAPS), max_size=12).map(" ".join))
names = st.one_of(st.sampled_from(NAMES), st.from_regex(r"[a-z_]{1,10}", fullmatch=True))
leaves = st.sampled_from(
    [
        {"type": "string"},
        {"type": "integer"},
        {"type": "number"},
        {"type": "boolean"},
        {"type": ["string", "null"]},
        {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        {"type": "string", "enum": ["celsius", "fahrenheit"]},
        {"type": "integer", "enum": [1, 2]},
        {"enum": ["a", "b"]},
        {"type": "string", "default": "x"},
        {"type": "integer", "default": "not a number"},
        {"type": "null"},
        {},
    ]
)


def shaped(properties: dict[str, Any], picks: list[bool]) -> dict[str, Any]:
    required = [name for name, picked in zip(properties, picks, strict=False) if picked]
    return {"type": "object", "properties": properties, "required": required}


def objects(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.builds(shaped, st.dictionaries(names, inner, max_size=4), st.lists(st.booleans(), min_size=4, max_size=4))


schemas = st.recursive(
    leaves, lambda inner: objects(inner) | inner.map(lambda items: {"type": "array", "items": items}), max_leaves=6
)
described = st.builds(lambda s, d: {**s, "description": d}, schemas, st.sampled_from(WORDS))
tools = st.builds(
    lambda name, description, parameters: {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
    },
    st.one_of(
        names, st.sampled_from(["Read", "Write", "calculator", "generate_plan", "get_price", "Finish", "Thought"])
    ),
    texts,
    objects(described),
)
offers = st.lists(tools, max_size=5, unique_by=lambda tool: tool["function"]["name"])
choices = st.sampled_from(["auto", "none", "required"])


def check_calls(message: Message, offer: list[dict[str, Any]]) -> None:
    shapes = {tool["function"]["name"]: tool["function"]["parameters"] for tool in offer}
    for call in message.tool_calls:
        jsonschema.validate(call.arguments, shapes[call.name])
    ids = [call.id for call in message.tool_calls]
    assert len(set(ids)) == len(ids)
    assert message.tool_calls or message.content


@settings(deadline=None, max_examples=examples(400), suppress_health_check=[HealthCheck.too_slow])
@given(texts, offers, choices)
def test_every_reply_is_legal(question: str, offer: list[dict[str, Any]], choice: str) -> None:
    request = Request([Message(question, "user")], tuple(offer), choice)
    *pieces, last = OfflineLLM().stream(request)
    assert isinstance(last, Replied)
    check_calls(last.message, offer)
    assert "".join(d.text for d in pieces if d.part == "content") == (last.message.content or "")
    assert OfflineLLM().reply(request) == last.message
    if choice == "none":
        assert not last.message.tool_calls
    if choice == "required" and offer:
        assert last.message.tool_calls


@settings(deadline=None, max_examples=examples(150), suppress_health_check=[HealthCheck.too_slow])
@given(texts, st.lists(tools, min_size=1, max_size=3, unique_by=lambda tool: tool["function"]["name"]), st.data())
def test_the_named_tool_is_called(question: str, offer: list[dict[str, Any]], data: st.DataObject) -> None:
    name = data.draw(st.sampled_from([tool["function"]["name"] for tool in offer]))
    message = OfflineLLM().reply(Request([Message(question, "user")], tuple(offer), name))
    assert {call.name for call in message.tool_calls} == {name}
    check_calls(message, offer)


results = st.one_of(
    st.just(("108", "success")),
    st.tuples(st.text(max_size=30), st.sampled_from(["success", "partial", "error"])),
    st.sampled_from(
        [
            ("❌ Error [NOT_FOUND]: There is no file 'a.txt'. Did you mean 'b.txt'?", "error"),
            ("❌ Error [TIMEOUT]: timed out", "error"),
            ("❌ 错误 [INVALID_PARAM]: 没有参数 limit", "error"),
            ("", "success"),
        ]
    ),
)


@settings(deadline=None, max_examples=examples(200), suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(texts, min_size=1, max_size=3), offers, st.data())
def test_the_loop_ends_whatever_tools_return(
    questions: list[str], offer: list[dict[str, Any]], data: st.DataObject
) -> None:
    model, run = OfflineLLM(), Run("t")
    finishing = {"finish"}
    for question in questions:
        run = evolve(run, Told(Message(question, "user")))
        for _ in range(9):
            message = model.reply(Request(run.messages, tuple(offer), at=("", run.steps)))
            check_calls(message, offer)
            run = evolve(run, Replied(message))
            for call in run.pending:
                text, status = data.draw(results)
                run = evolve(run, Returned(Message(text, "tool", answers=call.id, status=status)))  # type: ignore[arg-type]
            if not message.tool_calls or finishing & {call.name.lower() for call in message.tool_calls}:
                break
        else:
            pytest.fail(f"no end to {question!r}")


messages = st.one_of(
    st.builds(
        lambda text, role: Message(text, role), texts, st.sampled_from(["user", "assistant", "system", "summary"])
    ),
    st.builds(lambda text: Message(text, "tool", answers="c"), texts),
    st.builds(
        lambda text, value: Message(text or None, "assistant", tool_calls=[ToolCall("c", "Read", {"path": value})]),
        texts,
        st.one_of(st.text(), st.integers(), st.none(), st.lists(st.integers())),
    ),
)


@settings(deadline=None, max_examples=examples(200))
@given(st.lists(messages, max_size=8), st.sampled_from([(), tuple(ALL), (THOUGHT, FINISH, *ALL)]), choices)
def test_any_conversation_gets_a_reply(said: list[Message], offer: tuple[dict[str, Any], ...], choice: str) -> None:
    check_calls(OfflineLLM().reply(Request(said, offer, choice)), list(offer))


@pytest.mark.parametrize(
    "broken",
    [
        {},
        {"type": "function"},
        {"function": None},
        {"function": {"name": 3}},
        {"function": {"name": "x"}},
        {"function": {"name": "x", "parameters": []}},
        {"function": {"name": "x", "parameters": {"properties": 3, "required": "a"}}},
        {"function": {"name": "x", "parameters": {"properties": {"a": None}, "required": ["a", 3, "b"]}}},
        {"function": {"name": "read", "description": None, "parameters": {"properties": {"path": True}}}},
        {"function": {"name": "x", "parameters": {"properties": {"a": {"enum": []}}, "required": ["a"]}}},
    ],
)
@pytest.mark.parametrize("choice", ["auto", "none", "required", "x"])
def test_broken_schemas_are_borne(broken: dict[str, Any], choice: str) -> None:
    for question in ("x read a.txt", "use x", ""):
        assert OfflineLLM().reply(Request([Message(question, "user")], [broken, *ALL], choice))


@settings(deadline=None)
@given(st.text(max_size=40) | st.text("0123456789+-*/(). %^×÷", max_size=30))
def test_expressions_that_are_found_can_be_worked_out_or_fail_quietly(text: str) -> None:
    for expression in expressions(text):
        evaluate(expression)


@pytest.mark.parametrize(
    "text", ["9**9**9", "9**99999999", "(" * 500 + "1+1" + ")" * 500, "1/0", "1+" * 3000 + "1", "__import__('os')"]
)
def test_arithmetic_that_must_not_be_done_is_not(text: str) -> None:
    assert evaluate(text) is None or text.startswith(("(", "1+"))
    assert converse(f"What is {text}?", []).answer


@settings(deadline=None)
@given(texts)
def test_parts_keep_their_order_and_are_never_empty(text: str) -> None:
    found = parts(text)
    at = 0
    for part in found:
        assert part.text.strip()
        at = text.index(part.text, at)


@settings(deadline=None)
@given(schemas)
def test_a_blank_fits_its_schema(shape: dict[str, Any]) -> None:
    value = blank(shape)
    assert fits(value, shape)
    jsonschema.validate(value, shape)


@pytest.mark.parametrize("entry", CORPUS, ids=str)
def test_calls_of_the_corpus_are_valid(entry: Any) -> None:
    for message in converse(entry.question, entry.tools).replies:
        check_calls(message, entry.tools)


@pytest.mark.parametrize("scrap", ["和", "a", " ", "1,", "and ", "北京和", "-"])
def test_a_question_without_end_is_cut_and_the_answer_says_so(scrap: str) -> None:
    """Nested repetition would make these take longer than anybody waits."""
    talk = converse("天气 " + scrap * 5000, ALL)
    assert "4000" in talk.answer


def test_a_tool_that_always_fails_ends_soon() -> None:
    def fail(**_: Any) -> str:
        raise TypeError("unexpected keyword")

    for entry in CORPUS:
        broken = {tool["function"]["name"]: fail for tool in entry.tools}
        talk = converse(entry.question, entry.tools, tools=broken)
        assert len(talk.replies) <= 8


def test_the_world_itself() -> None:
    assert carry_out(ToolCall("1", "Read", {"path": "b.txt"}), World().tools()).content == "beta"
    assert schema("f", "d", a="x")["function"]["parameters"]["required"] == ["a"]
