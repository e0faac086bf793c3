"""The service behind a real uvicorn: asking, following, coming back, judging, stopping, closing."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.redis_server import redis_server
from support.serving import Parser, Served, answer_of, ask, client, events_of, follow, kept, wait_for

from hello_agents import ScriptedLLM, SimpleAgent
from hello_agents.core.action import Action
from hello_agents.core.run import Run
from hello_agents.core.session_store import MemorySessionStore, RedisSessionStore, SessionStore
from hello_agents.core.streaming import to_sse
from hello_agents.serve import Settings


@pytest.fixture(params=["memory", "files", "redis"])
def store(request, tmp_path):
    match request.param:
        case "memory":
            yield MemorySessionStore()
        case "files":
            yield SessionStore(tmp_path / "sessions")
        case _:
            with redis_server(tmp_path) as server:
                yield RedisSessionStore(url=server.url)


@pytest.fixture
def served(store) -> Iterator[Served]:
    with Served(store) as one:
        yield one


@pytest.fixture
def http(served) -> Iterator[httpx.Client]:
    with client(served.url) as one:
        yield one


def test_a_question_is_answered_as_a_stream_and_kept(http):
    events = ask(http, "s", "count 3")
    assert answer_of(events) == "6"
    names = [event.name for event in events]
    assert names[0] == "agent_start"
    assert names.count("tool_call_start") == names.count("tool_call_finish") == 3
    assert "llm_chunk" in names
    state = http.get("/sessions/s").json()
    assert (state["status"], state["answer"], state["reason"]) == ("finished", "6", "finished")
    assert answer_of(ask(http, "s", "say 你好 again")) == "你好 again"
    assert [line["session"] for line in http.get("/sessions").json()["sessions"]] == ["s"]
    assert http.get("/sessions/s").json()["run"]["turn"] == 2


def test_a_stream_can_be_picked_up_after_every_event_and_gives_each_once(http):
    events = ask(http, "s", "count 2")
    said = kept(events)
    assert kept(follow(http, "s")) == said
    for number, (id, _, _) in enumerate(said):
        assert kept(follow(http, "s", id)) == said[number + 1 :]
    whole = [event for event in follow(http, "s") if event.name == "step_start"]
    assert [event.value["data"]["content"] for event in whole] == ["now 1", "now 2", "3"]


def test_a_client_that_wants_json_is_told_where_to_look(http):
    reply = http.post("/sessions/s/messages", json={"message": "say hi"}, headers={"Accept": "application/json"})
    assert reply.status_code == 202
    assert answer_of(follow(http, "s", after=reply.json()["after"])) == "hi"


def test_the_run_goes_on_when_the_client_drops_and_a_live_one_is_followed(http, tmp_path):
    with http.stream("POST", "/sessions/s/messages", json={"message": f"wait {tmp_path} go"}) as response:
        seen = []
        for event in events_of(response):
            seen.append(event)
            if event.name == "tool_call_start":
                break
    last = [event.id for event in seen if event.id][-1]
    rest = []
    thread = threading.Thread(target=lambda: rest.extend(follow(http, "s", last)))
    thread.start()
    assert http.get("/sessions/s").json()["status"] == "running"
    busy = http.post("/sessions/s/messages", json={"message": "say no"})
    assert (busy.status_code, busy.json()["code"]) == (409, "busy")
    assert busy.headers["retry-after"]
    assert http.delete("/sessions/s").status_code == 409
    (tmp_path / "go").touch()
    thread.join()
    assert answer_of(rest) == "waited"
    assert kept(seen) + kept(rest) == kept(follow(http, "s"))


@pytest.mark.parametrize(
    ("verdict", "answer"), [({"allowed": True}, "did it"), ({"allowed": False, "reason": "no"}, "no")]
)
def test_a_call_waits_for_a_verdict(http, verdict, answer):
    events = ask(http, "s", "ask it")
    assert events[-1].name == "waiting"
    (call,) = events[-1].value["waiting"]
    assert (call["tool"], call["arguments"]) == ("danger", {"what": "it"})
    assert http.get("/sessions/s").json()["waiting"] == [call]
    wrong = http.post("/sessions/s/verdicts", json={"call": "other", "allowed": True})
    assert (wrong.status_code, wrong.json()["code"]) == (409, "not_waiting")
    with http.stream("POST", "/sessions/s/verdicts", json={"call": call["call"], **verdict}) as response:
        assert answer in answer_of(list(events_of(response)))


def test_arguments_may_be_changed_with_the_verdict(http):
    call = ask(http, "s", "ask it")[-1].value["waiting"][0]["call"]
    verdict = {"call": call, "allowed": True, "arguments": {"what": "less"}}
    with http.stream("POST", "/sessions/s/verdicts", json=verdict) as response:
        assert answer_of(list(events_of(response))) == "did less"


def test_a_run_can_be_stopped_wherever_it_is(http, tmp_path):
    rest = []
    thread = threading.Thread(target=lambda: rest.extend(ask(http, "s", f"wait {tmp_path} never")))
    thread.start()
    wait_for((tmp_path / "never.began").exists)
    assert http.post("/sessions/s/stop").json() == {"session": "s", "status": "finished"}
    thread.join()
    assert rest[-1].name == "agent_finish"
    assert rest[-1].value["data"]["finish_reason"] == "stopped"
    assert http.get("/sessions/s").json()["reason"] == "stopped"
    assert kept(rest) == kept(follow(http, "s"))
    assert answer_of(ask(http, "s", "say next")) == "next"
    ask(http, "w", "ask it")
    assert http.post("/sessions/w/stop").json()["status"] == "finished"
    assert answer_of(ask(http, "w", "say next")) == "next"
    assert http.post("/sessions/none/stop").status_code == 404


def test_a_run_that_failed_says_so_and_can_be_resumed(http):
    events = ask(http, "s", "fail")
    assert events[-1].name == "failed"
    assert "not at home" in events[-1].value["error"]
    assert http.get("/sessions/s").json()["status"] == "failed"
    with http.stream("POST", "/sessions/s/resume") as response:
        assert list(events_of(response))[-1].name == "failed"
    ask(http, "t", "say hi")
    assert http.post("/sessions/t/resume").status_code == 409


def test_sessions_are_forked_and_deleted(http):
    ask(http, "s", "say one")
    ask(http, "s", "say two")
    first = next(event.id for event in follow(http, "s") if event.name == "agent_finish")
    forked = http.post("/sessions/s/fork", json={"session": "t", "at": int(first)})
    assert (forked.status_code, forked.json()["answer"]) == (201, "one")
    assert http.post("/sessions/s/fork", json={"session": "t"}).status_code == 409
    assert http.delete("/sessions/s").status_code == 204
    assert http.delete("/sessions/s").status_code == 404
    assert http.get("/sessions/s").status_code == 404
    assert answer_of(ask(http, "t", "say three")) == "three"
    entries = http.get("/sessions/t/entries", params={"limit": 2}).json()
    assert [entry["seq"] for entry in entries["entries"]] == [0, 1]
    assert entries["more"]


def test_a_message_that_was_sent_twice_is_taken_once(http):
    assert answer_of(ask(http, "s", "say one", after=-1)) == "one"
    again = http.post("/sessions/s/messages", json={"message": "say one", "after": -1})
    assert (again.status_code, again.json()["code"]) == (409, "after")
    last = http.get("/sessions/s").json()["last"]
    assert answer_of(ask(http, "s", "say two", after=last)) == "two"


def test_a_lingering_stream_tells_of_the_next_run(served, http):
    ask(http, "s", "say one")
    seen, parser = [], Parser()

    def linger():
        with client(served.url) as other, other.stream("GET", "/sessions/s/events", params={"linger": 1}) as response:
            for event in events_of(response, parser):
                seen.append(event)
                if event.name == "agent_finish" and event.value["data"]["result"] == "two":
                    return

    thread = threading.Thread(target=linger)
    thread.start()
    wait_for(lambda: parser.comments)
    ask(http, "s", "say two")
    thread.join()
    assert kept(seen) == kept(follow(http, "s"))


@given(st.text(st.characters(codec="utf-8")), st.lists(st.integers(1, 9), max_size=30))
def test_framing_survives_any_text_and_any_cut(text, cuts):
    written = (to_sse("e", {"text": text}, "7") + ": ping\n\n" + to_sse("f", [text])).encode()
    parser, events, at = Parser(), [], 0
    for cut in [*cuts, len(written)]:
        events += parser.feed(written[at : at + cut])
        at += cut
    assert [(event.name, event.id) for event in events] == [("e", "7"), ("f", None)]
    assert [json.loads(event.data) for event in events] == [{"text": text}, [text]]
    assert all(len(part.splitlines()) == len(part.split("\n")) for part in written.decode().split("\n\n") if part)


def test_whatever_is_said_arrives_as_it_is(http):
    for number, text in enumerate(["a\nb", "a\r\n\r\nb", "data: x\n\nevent: y", "\u2028 \x85 北京 🚀", "<b>&amp;"]):
        assert answer_of(ask(http, f"s{number}", f"say {text}")) == text


def test_closing_parks_a_run_where_another_worker_goes_on(tmp_path):
    folder = tmp_path / "sessions"
    one = Served(SessionStore(folder))
    with one, client(one.url) as http:
        with http.stream("POST", "/sessions/s/messages", json={"message": f"wait {tmp_path} go"}) as response:
            stream = events_of(response)
            seen = [next(stream)]
            wait_for((tmp_path / "go.began").exists)
            one.begin_to_close()
            (tmp_path / "go").touch()
            seen += stream
    assert seen[-1].name == "tool_call_finish" or seen[-1].name == "step_finish"
    with Served(SessionStore(folder)) as two, client(two.url) as http:
        rest = follow(http, "s", [event.id for event in seen if event.id][-1])
        assert answer_of(rest) == "waited"
        assert kept(seen) + kept(rest) == kept(follow(http, "s"))
    assert (tmp_path / "go.began").read_text(encoding="utf-8") == "x"


def test_a_call_that_outlasts_the_grace_is_lost_and_made_again(tmp_path):
    settings = Settings(poll_seconds=0.02, lease_seconds=1, grace_seconds=0.1)
    folder = tmp_path / "sessions"
    with Served(SessionStore(folder), settings) as one, client(one.url) as http:
        http.post(
            "/sessions/s/messages", json={"message": f"wait {tmp_path} go"}, headers={"Accept": "application/json"}
        )
        wait_for((tmp_path / "go.began").exists)
    (tmp_path / "go").touch()
    with Served(SessionStore(folder), settings) as two, client(two.url) as http:
        events = follow(http, "s")
        assert answer_of(events) == "waited"
        results = [event.value["data"]["status"] for event in events if event.name == "tool_call_finish"]
        assert results == ["error", "success"]


def test_a_run_takes_no_longer_than_it_may(tmp_path):
    settings = Settings(poll_seconds=0.02, run_seconds=0.2)
    with Served(settings=settings) as one, client(one.url) as http:
        events = ask(http, "s", f"wait {tmp_path} never")
        assert events[-1].value["data"]["finish_reason"] == "timed_out"


def test_an_agent_in_place_of_a_function_is_copied_for_each_session(tmp_path: Path):
    from support import served as source

    agent = source.make()
    with Served(agent=agent) as one, client(one.url) as http:
        assert answer_of(ask(http, "a", "say one")) == "one"
        assert answer_of(ask(http, "b", "count 2")) == "3"
        assert len(http.get("/sessions/b").json()["run"]["messages"]) == 6
    assert agent.journal == []


class Own(SimpleAgent):
    def run(self, input_text: str, **kwargs: object) -> str:
        if input_text == "break":
            raise ValueError("the agent has a fault")
        return f"{len(self.get_history())} {input_text[::-1]}"


def test_an_agent_with_its_own_run_is_one_reply_a_question():
    with Served(agent=lambda: Own("own", ScriptedLLM())) as one, client(one.url) as http:
        assert answer_of(ask(http, "s", "abc")) == "0 cba"
        assert answer_of(ask(http, "s", "def")) == "2 fed"
        assert http.get("/sessions/s").json()["status"] == "finished"
        events = ask(http, "s", "break")
        assert (events[-1].name, "the agent has a fault" in events[-1].value["error"]) == ("failed", True)


class Undecided(SimpleAgent):
    def decide(self, run: Run) -> Action:
        raise RuntimeError("the agent cannot decide")


def test_an_agent_that_fails_in_the_middle_fails_alone():
    with Served(agent=lambda: Undecided("u", ScriptedLLM())) as one, client(one.url) as http:
        events = ask(http, "s", "go")
        assert events[-1].name == "failed"
        assert "cannot decide" in events[-1].value["error"]
        assert http.get("/sessions/s").json()["status"] == "failed"
        assert http.post("/sessions/s/stop").json()["status"] == "finished"


def test_what_is_counted_is_told():
    with Served() as one, client(one.url) as http:
        ask(http, "s", "count 2")
        assert (
            'hello_agents_tool_calls_total{agent="served",outcome="success",tool="add"} 2.0'
            in http.get("/metrics").text
        )
