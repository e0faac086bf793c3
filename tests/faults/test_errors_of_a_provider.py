"""What no run can go on from: a typed error with the provider's words, and nothing of the conversation is lost."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from faults.walks import AGENTS, QUESTION, WAYS, Tools, call, chunk, llm_at, reply
from support.journals import by_frame
from support.openai_server import Drop, Fault, Late, Raw

from hello_agents import Request, ToolCall
from hello_agents.agents.plan_solve_agent import PlanSolveAgent
from hello_agents.core.agent import Agent
from hello_agents.core.exceptions import (
    AuthenticationFailed,
    BadReply,
    ConnectionFailed,
    EmptyReply,
    LLMException,
    ModelRefused,
    ModelTimeout,
    ModelUnavailable,
    RateLimited,
)
from hello_agents.core.journal import JournalFile
from hello_agents.core.message import Message
from hello_agents.core.run import Entry, Noted

GOOD = '{"a": 1, "b": 2}'
ANSWER = "It is 3."


@dataclass(frozen=True)
class Failing:
    """What the server does, and the error that the reader sees."""

    replies: list[Any]
    kind: type[LLMException]
    words: str
    """The provider's own, or what the error says where the provider said nothing."""
    options: dict[str, Any] = field(default_factory=dict)


def both(body: Any) -> Raw:
    return Raw(body, chunks=[body])


def stalling(body: dict[str, Any]) -> Any:
    """Part of a reply, and then nothing for longer than anybody waits."""

    def chunks() -> Iterator[Any]:
        yield chunk(content="It is ")
        threading.Event().wait(1)
        yield chunk(content="late")

    return Raw(chunks=chunks()) if body.get("stream") else Late(30)


def broken_off(after: int) -> Drop:
    return Drop(reply("It is 3, as everybody knows."), after=after)


PROVIDER = "no such thing"
EMPTY = {"choices": []}
ERROR = {"error": {"message": PROVIDER, "type": "server_error"}}

FAILING: dict[str, Failing] = {
    "empty choices": Failing([both(EMPTY)] * 2, EmptyReply, "choice"),
    "missing choices": Failing([both({})] * 2, EmptyReply, "choice"),
    "neither content nor calls": Failing([reply(None)] * 2, EmptyReply, "neither text nor calls"),
    "thinking until the tokens end": Failing(
        [reply(None, finish="length", reasoning_content="hm")] * 2, EmptyReply, "'length'.*max_tokens"
    ),
    "an error object": Failing([both(ERROR)] * 2, BadReply, PROVIDER),
    "an error object that says 429": Failing(
        [both({"error": {"message": PROVIDER, "code": 429}})], RateLimited, PROVIDER
    ),
    "an error object that says 400": Failing(
        [both({"error": {"message": PROVIDER, "code": "400"}})], ModelRefused, PROVIDER
    ),
    "an error that is a text": Failing([both({"error": PROVIDER})] * 2, BadReply, PROVIDER),
    "a page where a reply was due": Failing(
        [Raw("<html>log in</html>", chunks=["<html>"], content_type="text/html")] * 2, BadReply, "base URL"
    ),
    "half of a reply": Failing([Raw("{half", chunks=["{half"])] * 2, BadReply, "not JSON"),
    "400": Failing([Fault(400, PROVIDER, "invalid_request_error")], ModelRefused, PROVIDER),
    "401": Failing([Fault(401, PROVIDER, "invalid_request_error")], AuthenticationFailed, PROVIDER),
    "404": Failing([Fault(404, PROVIDER, "invalid_request_error")], ModelRefused, PROVIDER),
    "413": Failing([Fault(413, PROVIDER, "invalid_request_error")], ModelRefused, PROVIDER),
    "429": Failing([Fault(429, PROVIDER, "rate_limit")], RateLimited, PROVIDER),
    "429 of an account that is used up": Failing(
        [Fault(429, PROVIDER, "insufficient_quota", "insufficient_quota")], RateLimited, "top it up"
    ),
    "429 that stays": Failing(
        [Fault(429, PROVIDER, headers={"retry-after-ms": "1"})] * 3, RateLimited, PROVIDER, {"max_retries": 2}
    ),
    "500": Failing([Fault(500, PROVIDER)], ModelUnavailable, PROVIDER),
    "502 of a proxy": Failing([Raw(PROVIDER, status=502, content_type="text/plain")], ModelUnavailable, PROVIDER),
    "503 that stays": Failing(
        [Fault(503, PROVIDER, headers={"retry-after-ms": "1"})] * 3, ModelUnavailable, PROVIDER, {"max_retries": 2}
    ),
    "a connection that breaks at once": Failing([Drop()], ConnectionFailed, "LLM_BASE_URL"),
    "a connection that stays broken": Failing([Drop()] * 3, ConnectionFailed, "LLM_BASE_URL", {"max_retries": 2}),
    "a connection that breaks early": Failing([broken_off(1)], ConnectionFailed, "LLM_BASE_URL"),
    "a connection that breaks late": Failing([broken_off(6)], ConnectionFailed, "LLM_BASE_URL"),
    "a connection that breaks inside a call": Failing(
        [Drop(reply(None, call('{"a": 5, "b": 5}', id="lost")), after=3)], ConnectionFailed, "LLM_BASE_URL"
    ),
    "a stream that turns into an error": Failing(
        [Raw(ERROR, status=500, chunks=[chunk(content="It is "), ERROR])], LLMException, PROVIDER
    ),
    "no answer in time": Failing([Late(30)], ModelTimeout, r"within 0\.15 s", {"timeout": 0.15}),
    "no end in time": Failing([stalling], ModelTimeout, r"within 0\.15 s", {"timeout": 0.15}),
}


@pytest.mark.parametrize("kind", AGENTS)
@pytest.mark.parametrize("name", FAILING)
def test_a_typed_error_and_no_turn_is_lost(name: str, kind: str, openai_server: Any, tmp_path: Any) -> None:
    """The server fails twice, before and behind a tool's result; it is well again when the run is resumed."""
    failing = FAILING[name]
    script = [
        reply("Hello."),
        *failing.replies,
        reply("Let me see.", call(GOOD)),
        *failing.replies,
        reply(ANSWER),
        reply("A sum."),
    ]
    server = openai_server(*script * len(WAYS))
    journals: dict[str, Any] = {}
    for way, walk in WAYS.items():
        tools = Tools()
        agent = AGENTS[kind](llm_at(server, **failing.options), tools)
        agent.sink = JournalFile(tmp_path / f"{way}.jsonl")
        walk(agent, "Hi")
        _fails(failing, way, lambda walk=walk, agent=agent: walk(agent, QUESTION))
        assert _said(agent) == ["Hi", "Hello.", QUESTION], way
        assert agent.state.outcome is None
        _fails(failing, way, agent.resume)
        assert _said(agent) == ["Hi", "Hello.", QUESTION, "Let me see.", "3"], way
        assert agent.resume() == ANSWER, way
        assert tools.ran == [("add", 1, 2)], "nothing that was answered is run again"
        assert [m["content"] for m in server.requests[-1]["messages"][1:]][:5] == _said(agent)[:5], way
        walk(agent, "What did I ask?")
        assert [m["content"] for m in server.requests[-1]["messages"][1:]] == _said(agent)[:-1], way
        assert JournalFile(tmp_path / f"{way}.jsonl").read() == agent.journal
        journals[way] = by_frame(map(_without_words, agent.journal))
    assert all(journal == journals["run"] for journal in journals.values())


def _fails(failing: Failing, way: str, go: Any) -> None:
    with pytest.raises(failing.kind, match=failing.words) as caught:
        go()
    error = caught.value
    assert failing.kind is LLMException or type(error) is failing.kind, way
    if failing.words == PROVIDER:
        assert error.provider_message == PROVIDER, way


def _said(agent: Agent) -> list[str]:
    return [message.text for message in agent.get_history()]


def _without_words(entry: Entry) -> Entry:
    """The words of a network error are those of the client, and the type may be a matter of when it came."""
    match entry.event:
        case Noted("model_error", value):
            return replace(entry, event=Noted("model_error", {"step": value["step"]}, step=True))
        case _:
            return entry


@pytest.mark.parametrize("kind", AGENTS)
@pytest.mark.parametrize("name", ["429", "empty choices", "a connection that breaks late", "no answer in time"])
def test_a_new_question_after_an_error_keeps_the_old_one(name: str, kind: str, openai_server: Any) -> None:
    failing = FAILING[name]
    for walk in WAYS.values():
        server = openai_server(reply(None, call(GOOD)), *failing.replies, reply("Yes."))
        agent = AGENTS[kind](llm_at(server, **failing.options), Tools())
        with pytest.raises(failing.kind):
            walk(agent, QUESTION)
        walk(agent, "Are you there?")
        assert agent.state.answer == "Yes."
        assert [m["content"] for m in server.requests[-1]["messages"][1:]] == [QUESTION, None, "3", "Are you there?"]


@pytest.mark.parametrize("name", ["500", "a connection that breaks late", "no end in time", "an error object"])
def test_the_readers_of_a_stream_are_told_and_keep_what_came(name: str, openai_server: Any) -> None:
    import asyncio

    failing = FAILING[name]
    server = openai_server(*failing.replies * 2)
    told: list[Any] = []

    async def go() -> None:
        async for event in agent.arun_stream(QUESTION):
            told.append(event)

    agent = AGENTS["Simple"](llm_at(server, **failing.options), Tools())
    with pytest.raises(failing.kind):
        asyncio.run(go())
    assert told[-1].type.value == "error"
    assert told[-1].data["error_type"] == failing.kind.__name__
    pieces: list[str] = []
    with pytest.raises(failing.kind):
        pieces.extend(AGENTS["Simple"](llm_at(server, **failing.options), Tools()).stream_run(QUESTION))
    assert all(piece in "It is 3, as everybody knows." for piece in pieces)


# -- a provider that lets no tool be forced -----------------------------------------------------------------------


def unforced(then: Any) -> Any:
    """A provider whose thinking models refuse a forced choice."""

    def script(body: dict[str, Any]) -> Any:
        if body.get("tool_choice") in ("auto", "none", None):
            return then
        return Fault(
            400, "tool_choice 'required' and 'object' are not supported in thinking mode", "invalid_request_error"
        )

    return script


@pytest.mark.parametrize("choice", ["required", "add"])
@pytest.mark.parametrize("streams", [False, True])
def test_a_forced_choice_that_is_refused_is_a_typed_error(choice: str, streams: bool, openai_server: Any) -> None:
    server = openai_server(unforced("no"))
    llm = llm_at(server)
    request = Request([Message(QUESTION, "user")], Tools().schemas(), choice)
    with pytest.raises(ModelRefused, match="thinking mode") as caught:
        list((llm if streams else llm.whole).stream(request))
    assert caught.value.status == 400
    assert not caught.value.retryable
    sent = server.requests[0]["tool_choice"]
    assert sent == ("required" if choice == "required" else {"type": "function", "function": {"name": "add"}})


PLANS = {
    "a call": ToolCall("p", "generate_plan", {"steps": ["add 1 and 2"]}),
    "JSON in text": '```json\n["add 1 and 2"]\n```',
    "numbered lines": "1. add 1 and 2",
}


@pytest.mark.parametrize("plan", PLANS)
def test_a_planner_whose_force_is_refused_asks_again_without(plan: str, openai_server: Any) -> None:
    journals: list[Any] = []
    for walk in WAYS.values():
        server = openai_server(unforced(None), unforced(PLANS[plan]), reply(None, call(GOOD)), reply(ANSWER))
        tools = Tools()
        agent = PlanSolveAgent("planner", llm_at(server), tool_registry=tools)
        walk(agent, QUESTION)
        assert agent.state.answer == ANSWER
        assert tools.ran == [("add", 1, 2)]
        assert [body["tool_choice"] == "auto" for body in server.requests[:2]] == [False, True]
        journals.append(by_frame(map(_without_words, agent.journal)))
    assert all(journal == journals[0] for journal in journals)


@pytest.mark.parametrize("name", ["429", "500", "a connection that breaks early", "empty choices"])
def test_a_planner_that_fails_for_another_reason_stops_and_goes_on(name: str, openai_server: Any) -> None:
    failing = FAILING[name]
    for walk in WAYS.values():
        server = openai_server(
            *failing.replies, PLANS["a call"], reply(None, call(GOOD)), *failing.replies, reply(ANSWER)
        )
        tools = Tools()
        agent = PlanSolveAgent("planner", llm_at(server, **failing.options), tool_registry=tools)
        with pytest.raises(failing.kind):
            walk(agent, QUESTION)
        with pytest.raises(failing.kind):
            agent.resume()
        assert agent.resume() == ANSWER
        assert tools.ran == [("add", 1, 2)]
