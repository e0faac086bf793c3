"""Replies that are not what the protocol promises: the run goes on, with equal journals however it is walked."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from faults.walks import AGENTS, QUESTION, WAYS, Tools, call, call_pieces, chunk, llm_at, reply, usage_chunk
from support.journals import by_frame
from support.openai_server import Drop, Fault, Raw

from hello_agents.core.agent import Agent
from hello_agents.core.journal import dump_journal, load_journal
from hello_agents.core.message import Message
from hello_agents.core.run import Run

ANSWER = "It is 3."
GOOD = '{"a": 1, "b": 2}'
RAN = [("add", 1, 2)]


@dataclass(frozen=True)
class Odd:
    """What the server sends first, and what is to come of it."""

    replies: list[Any]
    ran: list[Any] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    """A part of each tool message, in order."""
    answer: str = ANSWER
    options: dict[str, Any] = field(default_factory=dict)
    """Of the model."""


def streamed(chunks: list[Any], whole: Raw) -> Raw:
    """A reply that is odd only when it is streamed."""
    return replace(whole, chunks=chunks)


def fault(arguments: Any, *words: str) -> Odd:
    """A call that cannot be run, and that the model is told of."""
    return Odd([reply(None, call(arguments))], [], ["|".join(words)])


TWO = [("add", 1, 2), ("add", 3, 4)]
OTHER = '{"a": 3, "b": 4}'
ERROR_200 = {"error": {"message": "hiccup", "type": "server_error"}}

NOTHING_SAID: dict[str, Odd] = {
    name: Odd([odd, reply(None, call(GOOD))], RAN, ["3"])
    for name, odd in {
        "empty choices": Raw({"choices": []}, chunks=[{"choices": []}]),
        "missing choices": Raw({"object": "chat.completion"}, chunks=[{"object": "chat.completion.chunk"}]),
        "choices that are null": Raw({"choices": None}, chunks=[{"choices": None}]),
        "a stream with nothing in it": Raw({"choices": []}, chunks=[]),
        "null content": reply(None),
        "empty content": reply(""),
        "blank content": reply(" \n"),
        "thinking alone": reply(None, reasoning_content="hm"),
        "a think block alone": reply("<think>hm</think>"),
        "no message": Raw({"choices": [{"index": 0, "finish_reason": "stop"}]}, chunks=[chunk("stop")]),
        "an error object with status 200": Raw(ERROR_200, chunks=[ERROR_200]),
        "no JSON": Raw("<html>busy</html>", chunks=["<html>"], content_type="text/html"),
    }.items()
}

CALLS: dict[str, Odd] = {
    "content that is null beside a call": Odd([reply(None, call(GOOD))], RAN, ["3"]),
    "content that is empty beside a call": Odd([reply("", call(GOOD))], RAN, ["3"]),
    "arguments that are empty": Odd([reply(None, call("", "now"))], [("now",)], ["noon"]),
    "arguments that are blank": Odd([reply(None, call(" \n", "now"))], [("now",)], ["noon"]),
    "arguments that are missing": Odd([reply(None, call(..., "now"))], [("now",)], ["noon"]),
    "arguments that are null": Odd([reply(None, call(None, "now"))], [("now",)], ["noon"]),
    "empty arguments where some are needed": Odd([reply(None, call(""))], [], ["a is missing; b is missing"]),
    "arguments that are an object": Odd([reply(None, call({"a": 1, "b": 2}))], RAN, ["3"]),
    "JSON twice encoded": Odd([reply(None, call(json.dumps(GOOD)))], RAN, ["3"]),
    "JSON three times encoded": Odd([reply(None, call(json.dumps(json.dumps(GOOD))))], RAN, ["3"]),
    "JSON four times encoded": fault(json.dumps(json.dumps(json.dumps(GOOD))), "not an object"),
    "a string that is no object": fault('"1 and 2"', "not an object"),
    "a list": fault("[1, 2]", "not an object"),
    "null as JSON": fault("null", "not an object"),
    "a number": fault("3", "not an object"),
    "an assignment": fault('query = """1+2"""', "not valid JSON"),
    "a comma too many": fault('{"a": 1, "b": 2,}', "not valid JSON"),
    "a Python word": fault('{"a": True, "b": 2}', "not valid JSON"),
    "NaN": fault('{"a": NaN, "b": 2}', "not valid JSON"),
    "two objects": fault('{"a": 1}{"b": 2}', "not valid JSON"),
    "arguments that are cut off": Odd(
        [reply(None, call('{"text": "abc', "note"), finish="length")], [], ["not valid JSON"]
    ),
    "raw line breaks": Odd(
        [reply(None, call('{"text": "one\ntwo\r\n\tthree"}', "note"))],
        [("note", "one\ntwo\r\n\tthree", "")],
        ["one\ntwo\r\n\tthree"],
    ),
    "letters in pieces": Odd(
        [reply(None, call('{"text": "北京\\ud83d\\ude80 \\u5317]=,"}', "note"))],
        [("note", "北京🚀 北]=,", "")],
        ["北京🚀 北]=,"],
    ),
    "one good and one bad call": Odd([reply(None, call(GOOD), call("{", id="c2"))], RAN, ["3", "not valid JSON"]),
    "a tool that is not there": Odd([reply(None, call(GOOD, "ad"))], [], ["add"]),
    "a name that no provider takes": Odd([reply(None, call(GOOD, "functions.add 1"))], [], ["add"]),
}

IDS: dict[str, Odd] = {
    name: Odd([reply(None, call(GOOD, id=ids[0]), call(OTHER, id=ids[1]))], TWO, ["3", "7"])
    for name, ids in {
        "ids that are missing": (..., ...),
        "ids that are null": (None, None),
        "ids that are empty": ("", ""),
        "ids that are equal": ("same", "same"),
        "one id of two": ("", "call_0_0"),
        "an id with a slash": ("a/b", "a/b"),
    }.items()
} | {
    "an id that comes again in the next reply": Odd(
        [reply(None, call(GOOD)), reply(None, call(OTHER)), reply("Wait", call(GOOD))],
        [*TWO, ("add", 1, 2)],
        ["3", "7", "3"],
    ),
}

FIRST, SECOND = call(GOOD), call(OTHER, id="c2")
NAMELESS = [call(GOOD, id=...), call(OTHER, id=...)]
EQUAL = [call(GOOD, id="same"), call(OTHER, id="same")]


def one_call(*chunks: Any) -> Odd:
    """One call, whole as always, and streamed like this."""
    return Odd([streamed([*chunks, usage_chunk()], reply(None, FIRST))], RAN, ["3"])


def two_calls(calls: list[dict[str, Any]], *indexes: int | None) -> Odd:
    """Two calls, streamed under these indexes."""
    pieces = [piece for one, index in zip(calls, indexes, strict=True) for piece in call_pieces(one, index)]
    whole = reply(None, *calls)
    return Odd([streamed([*pieces, chunk("tool_calls"), usage_chunk()], whole)], TWO, ["3", "7"])


END = chunk("tool_calls")
STREAMS: dict[str, Odd] = {
    "deltas without index": two_calls([FIRST, SECOND], None, None),
    "deltas without id": two_calls(NAMELESS, 0, 1),
    "deltas without index and id": two_calls(NAMELESS, None, None),
    "two calls under one index": two_calls([FIRST, SECOND], 0, 0),
    "two calls under one index without ids": two_calls(NAMELESS, 0, 0),
    "two calls under one index with equal ids": two_calls(EQUAL, 0, 0),
    "an index that begins at one": two_calls([FIRST, SECOND], 1, 2),
    "tokens first": one_call(usage_chunk(), *call_pieces(FIRST, 0), END),
    "tokens between": one_call(*call_pieces(FIRST, 0), usage_chunk(), END),
    "empty choices between": one_call({"choices": []}, *call_pieces(FIRST, 0), {"choices": []}, END),
    "the whole message in one chunk": one_call(reply(None, FIRST).body),
    "the whole call in one chunk": one_call(chunk(tool_calls=[{"index": 0, **FIRST}]), END),
    "an end that is not marked": Odd([replace(reply(None, FIRST), done=False)], RAN, ["3"]),
    "the finish reason of a text beside a call": Odd([reply(None, FIRST, finish="stop")], RAN, ["3"]),
}

THINKING: dict[str, Odd] = {
    "a think block before the answer": Odd([reply("<think>1+2…\nis 3</think>\nIt is 3.")]),
    "a think block before a call": Odd([reply("<think>add</think>", call(GOOD))], RAN, ["3"]),
    "a think block that was opened in the prompt": Odd([reply("is 3\n</think>\n\nIt is 3.")]),
    "a think tag that is only spoken of": Odd([reply("Use `<think>` tags.")], answer="Use `<think>` tags."),
    "thinking in a field of its own": Odd([reply("It is 3.", reasoning_content="1+2")]),
    "thinking under its other name": Odd([reply("It is 3.", reasoning="1+2")]),
    "thinking beside a call": Odd([reply(None, call(GOOD), reasoning_content="1+2")], RAN, ["3"]),
}


def demanding(reasoning: str, answer: Any) -> Callable[[dict[str, Any]], Any]:
    """A server that wants its thinking back with the calls it made."""

    def script(body: dict[str, Any]) -> Any:
        thoughts = [m.get("reasoning_content") for m in body["messages"] if m.get("tool_calls")]
        words = "The `reasoning_content` in the thinking mode must be passed back to the API."
        return answer if thoughts[-1:] == [reasoning] else Fault(400, words, "invalid_request_error")

    return script


def refusing(answer: Any) -> Callable[[dict[str, Any]], Any]:
    """A server that knows no such field."""

    def script(body: dict[str, Any]) -> Any:
        known = all("reasoning_content" not in message for message in body["messages"])
        return answer if known else Fault(400, "Unrecognized field: reasoning_content", "invalid_request_error")

    return script


THINKING |= {
    "thinking that is demanded back": Odd(
        [reply(None, call(GOOD), reasoning_content="1+2"), demanding("1+2", reply(ANSWER))],
        RAN,
        ["3"],
        options={"send_reasoning": True},
    ),
    "thinking that is refused": Odd(
        [reply(None, call(GOOD), reasoning_content="1+2"), refusing(reply(ANSWER))], RAN, ["3"]
    ),
}

SOON = {"retry-after-ms": "1"}
PASSING: dict[str, Odd] = {
    name: Odd([odd, reply(None, call(GOOD))], RAN, ["3"], options={"max_retries": 2})
    for name, odd in {
        "429 that passes": Fault(429, "slow down", headers=SOON),
        "500 that passes": Fault(500, headers=SOON),
        "503 that passes": Fault(503, headers=SOON),
        "a connection that breaks once": Drop(),
    }.items()
}

ODD = NOTHING_SAID | CALLS | IDS | STREAMS | THINKING | PASSING


@pytest.mark.parametrize("kind", AGENTS)
@pytest.mark.parametrize("name", ODD)
def test_the_run_goes_on_in_all_four_ways(name: str, kind: str, openai_server: Any) -> None:
    odd = ODD[name]
    journals: dict[str, Any] = {}
    server = openai_server(*[*odd.replies, *_rest(odd), reply("You asked for a sum.")] * len(WAYS))
    for way, walk in WAYS.items():
        tools = Tools()
        agent = AGENTS[kind](llm_at(server, **odd.options), tools)
        walk(agent, QUESTION)
        assert agent.state.answer == odd.answer, way
        assert sorted(tools.ran) == sorted(odd.ran), way
        results = [message for message in agent.state.messages if message.role == "tool"]
        assert len(results) == len(odd.results), way
        for message, words in zip(results, odd.results, strict=True):
            assert re.search(words, message.text) or message.text == words, (way, message)
            assert (message.status == "success") == (message.text == words), (way, message)
        _holds(agent)
        # The next question goes out with all of it, and the server accepts the history.
        walk(agent, "What did I ask?")
        assert agent.state.answer == "You asked for a sum."
        _reached(server, agent, results)
        journals[way] = by_frame(agent.journal)
    assert all(journal == journals["run"] for journal in journals.values())


def _rest(odd: Odd) -> list[Any]:
    """The answer, unless the odd reply was one."""
    last = odd.replies[-1]
    return [reply(ANSWER)] if isinstance(last, Raw) and odd.results else []


def _holds(agent: Agent) -> None:
    """The state is the journal's, and survives being stored."""
    from functools import reduce

    from hello_agents.core.run import evolve

    entries = list(load_journal(dump_journal(agent.journal)))
    assert reduce(lambda run, entry: evolve(run, entry.event, entry.frame), entries, Run(agent.name)) == agent.state
    ids = [one.id for message in agent.state.messages for one in message.tool_calls]
    answers = [message.answers for message in agent.state.messages if message.role == "tool"]
    assert sorted(ids) == sorted(answers)
    assert all(ids)


def _reached(server: Any, agent: Agent, results: list[Message]) -> None:
    sent = server.requests[-1]["messages"]
    assert sent[1]["content"] == QUESTION
    assert [message["content"] for message in sent if message["role"] == "tool"] == [one.text for one in results]
    for message in sent:
        for one in message.get("tool_calls", ()):
            assert isinstance(json.loads(one["function"]["arguments"]), dict)


def test_thinking_is_kept_and_never_the_answer(openai_server: Any) -> None:
    for kind in AGENTS:
        for way, walk in WAYS.items():
            server = openai_server(
                reply("<think>add them</think>", call(GOOD), reasoning_content="1+2"),
                reply("<think>so</think>It is 3."),
            )
            agent = AGENTS[kind](llm_at(server), Tools())
            walk(agent, QUESTION)
            said = [message for message in agent.state.messages if message.role == "assistant"]
            assert [message.reasoning for message in said] == ["1+2\nadd them", "so"], way
            assert [message.content for message in said] == [None, ANSWER], way


def test_streams_show_the_text_and_not_the_thinking(openai_server: Any) -> None:
    server = openai_server(reply("<think>add them</think>It is 3.", reasoning_content="1+2"))
    agent = AGENTS["Simple"](llm_at(server), Tools())
    assert "".join(agent.stream_run(QUESTION)) == ANSWER


FINISHES = {
    "cut off": ('{"answer": "It is', "not valid JSON"),
    "a text": ('"It is 3."', "not an object"),
    "without an answer": ("{}", "answer"),
    "empty": ("", "answer"),
    "a list": ('["It is 3."]', "not an object"),
}


@pytest.mark.parametrize("name", FINISHES)
def test_a_finish_that_cannot_be_read_ends_nothing(name: str, openai_server: Any) -> None:
    arguments, words = FINISHES[name]
    journals: list[Any] = []
    for walk in WAYS.values():
        server = openai_server(
            reply(None, call(arguments, "Finish")), reply(None, call('{"answer": "It is 3."}', "Finish", "c2"))
        )
        agent = AGENTS["ReAct"](llm_at(server), Tools())
        walk(agent, QUESTION)
        assert agent.state.answer == ANSWER
        assert words in server.requests[1]["messages"][-1]["content"]
        journals.append(by_frame(agent.journal))
    assert all(journal == journals[0] for journal in journals)


@pytest.mark.parametrize(
    "arguments", [json.dumps('{"answer": "It is 3."}'), '{"answer":\n "It is 3."}', {"answer": ANSWER}]
)
def test_a_finish_that_can_be_read_ends_the_run(arguments: Any, openai_server: Any) -> None:
    for walk in WAYS.values():
        agent = AGENTS["ReAct"](llm_at(openai_server(reply(None, call(arguments, "Finish")))), Tools())
        walk(agent, QUESTION)
        assert agent.state.answer == ANSWER
