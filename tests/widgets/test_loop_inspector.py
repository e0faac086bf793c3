"""LoopInspector on the Python side: what it sends, what the buttons do, what stays, and what it looks like at rest."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hello_agents_widgets import LoopInspector
from hello_agents_widgets.timeline import compact_json
from hypothesis import given, settings
from hypothesis import strategies as st
from ipywidgets import Widget
from laws import actors
from support import histories
from support.examples import examples

from hello_agents.agents.simple_agent import SimpleAgent
from hello_agents.book import sandbox
from hello_agents.core.action import Request
from hello_agents.core.config import Config
from hello_agents.core.debugger import Debugger
from hello_agents.core.journal import load_journal
from hello_agents.core.llm import HelloAgentsLLM
from hello_agents.core.message import Message, Messages, ToolCall
from hello_agents.core.run import Outcome, Replied, Run, Told
from hello_agents.offline.scripted import ScriptedLLM
from hello_agents.tools.builtin import WriteTool
from hello_agents.tools.registry import ToolRegistry
from widgets import demo

HERE = Path(__file__).parent
NASTY = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\"><svg onload='x'>",
    "</pre></details><b>",
    "{{7*7}} &amp; & \x00",
]


def inspector(*script: Any, **kwargs: Any) -> LoopInspector:
    return LoopInspector(demo.agent(*script, **kwargs), demo.QUESTION)


def send(widget: LoopInspector, op: str, **args: Any) -> None:
    widget.dispatch({"op": op, "args": args})
    assert widget.error == ""


def path(widget: LoopInspector) -> list[dict[str, Any]]:
    """The ticks of the branch that is shown, from the snapshot alone."""
    snapshot = widget.snapshot
    tip = next(one["tip"] for one in snapshot["head"]["branches"] if one["name"] == snapshot["head"]["branch"])
    ticks: list[dict[str, Any]] = []
    while tip >= 0:
        ticks.append(snapshot["ticks"][tip])
        tip = ticks[-1]["up"]
    return ticks[::-1]


def conversation(widget: LoopInspector, ticks: list[dict[str, Any]], frame: str = "") -> list[int]:
    numbers: list[int] = []
    for tick in ticks:
        for where, at, dropped, put in tick["ops"]:
            if where == frame:
                numbers[at : at + dropped] = put
    return numbers


def find(widget: LoopInspector, role: str, nth: int = 0) -> dict[str, Any]:
    """Where the nth message of this role on the branch came in, as the page names it."""
    found = [
        {"tick": tick["id"], "message": number}
        for tick in path(widget)
        for op in tick["ops"]
        for number in op[3]
        if widget.snapshot["messages"][number]["role"] == role
    ]
    return found[nth]


# -- what is sent ------------------------------------------------------------------------------------


def test_the_snapshot_alone_tells_the_conversation_at_every_tick() -> None:
    widget = inspector()
    widget.finish()
    ticks = path(widget)
    for index in range(len(ticks)):
        send(widget, "jump", tick=ticks[index]["id"])
        numbers = conversation(widget, ticks[: index + 1])
        assert [widget._timeline.message(number) for number in numbers] == list(widget.run.messages)
        assert widget.head["cursor"] == index


def test_a_message_is_told_once() -> None:
    widget = inspector()
    widget.finish()
    send(widget, "fork")
    send(widget, "switch", name="main")
    assert len(widget.snapshot["messages"]) == len(widget.run.messages)


def test_what_a_step_sends_does_not_grow_with_the_run() -> None:
    calls = [ToolCall(f"c{n:03}", "Calculator", {"expression": f"{n:03} * 2"}) for n in range(100, 300)]
    agent = SimpleAgent("a", ScriptedLLM(*calls, "done"), tool_registry=demo.registry())
    agent.max_steps = 300
    widget = LoopInspector(agent, "go")
    sent: list[int] = []
    sizes: list[int] = []
    widget._send = lambda message, buffers=None: sent.append(len(compact_json(message).encode()))
    while widget.head["next"] is not None:
        sent.clear()
        widget.dispatch({"op": "step"})
        sizes.append(sum(sent))
    assert widget.error == ""
    early, late = sizes[20:60], sizes[-60:-20]
    # Only the numbers themselves get longer, by a digit or two each.
    assert max(late) <= max(early) + 120
    assert max(sizes) < 8000


def test_a_saved_notebook_has_everything() -> None:
    widget = inspector()
    widget.finish()
    state = json.loads(json.dumps(widget.get_state()))
    assert [state[f"log_{index}"] for index in range(state["head"]["logs"])] == widget.logs
    assert state["head"] == widget.head
    managed = Widget.get_manager_state(widgets=[widget])["state"][widget.model_id]["state"]
    assert managed["log_0"] == widget.logs[0]


def test_the_bodies_put_together_from_the_snapshot_are_those_of_the_wire() -> None:
    """Also the fixture of the page's own tests: what is expected there is what the library would send."""
    widget = inspector()
    widget.finish()
    expected: list[str] = []
    for index, entry in enumerate(widget.debugger.entries):
        if isinstance(entry.event, Replied):
            expected.append(compact_json(widget._timeline.body(widget.debugger.request_at(index))))
    send(widget, "jump", tick=path(widget)[4]["id"])
    send(
        widget,
        "edit",
        what="result",
        text="<script>alert('x')</script> & <img src=x onerror=alert(1)>",
        status="partial",
        **find(widget, "tool", 1),
    )
    snapshot = json.dumps({"snapshot": widget.snapshot, "expected": expected}, ensure_ascii=False, indent=1) + "\n"
    fixture = HERE / "inspector.json"
    if os.environ.get("UPDATE_FIXTURES"):
        fixture.write_text(snapshot, encoding="utf-8")
    assert json.loads(fixture.read_text(encoding="utf-8")) == json.loads(snapshot), "run with UPDATE_FIXTURES=1"


def bodies(widget: LoopInspector) -> list[str]:
    """The bodies of all requests of the branch, put together from the snapshot as the page does it."""
    snapshot, ticks, texts = widget.snapshot, path(widget), []
    for index, tick in enumerate(ticks):
        if "request" not in tick:
            continue
        had = conversation(widget, ticks[:index], tick["frame"])
        parts = tick["request"]["parts"]
        numbers = [n for part in parts for n in (had[slice(*part)] if isinstance(part, list) else [part])]
        wires = [wire for number in numbers if (wire := snapshot["messages"][number]["wire"])]
        envelope = snapshot["envelopes"][tick["request"]["envelope"]]
        tools = snapshot["tools"][tick["toolset"]]["wire"]
        fill = {"messages": f"[{','.join(wires)}]", "tools": tools}
        for name in ("tools", "messages"):
            before, place, after = envelope.partition(f'"{name}":[]')
            envelope = f'{before}"{name}":{fill[name]}{after}' if place else envelope
        texts.append(envelope)
    return texts


def sent(widget: LoopInspector, body: Any) -> list[str]:
    """The bodies that go over the wire, for the same requests."""
    debugger = widget.debugger
    replies = [index for index, entry in enumerate(debugger.entries) if isinstance(entry.event, Replied)]
    return [compact_json(body(debugger.request_at(index))) for index in replies]


class Online(HelloAgentsLLM):
    """A model with the settings of a real endpoint, which says what a script says."""

    def __init__(self, script: Any, **settings: Any) -> None:
        super().__init__("m", "key", "http://127.0.0.1:1/v1", **settings)
        self.script = script

    def stream(self, request: Any) -> Any:
        return self.script.stream(request)


@settings(max_examples=examples(25), deadline=None)
@given(st.sampled_from(sorted(actors.AGENTS)), actors.SCENARIOS, st.sampled_from(["en", "zh"]), st.booleans())
def test_the_bodies_are_those_of_the_wire_for_every_agent(
    name: str, scenario: actors.Scenario, language: str, thinking: bool
) -> None:
    llm = Online(scenario.model(), language=language, send_reasoning=thinking, seed=1, metadata={"messages": []})
    widget = LoopInspector(actors.AGENTS[name](llm, actors.registry()), scenario.questions[0])
    widget.finish()
    assert bodies(widget) == sent(widget, llm.body)


@settings(max_examples=examples(60), deadline=None)
@given(st.one_of(histories.anything, histories.legal(reasoning=True)), st.sampled_from(["en", "zh"]), st.booleans())
def test_the_bodies_are_those_of_the_wire_for_every_history(
    history: list[Message], language: str, thinking: bool
) -> None:
    llm = Online(ScriptedLLM(*[[ToolCall("a", "nothing")], "done"]), language=language, send_reasoning=thinking)
    agent = SimpleAgent("a", llm, "Be brief.")
    start = Run("a", Messages(history))
    widget = LoopInspector(Debugger(agent, start, opening=[("", Told(Message("go", "user")))]))
    widget.finish()
    assert bodies(widget) == sent(widget, llm.body)
    assert len(bodies(widget)) == 2


class Noticing(SimpleAgent):
    """Puts a notice at the end of each request that is no part of the conversation."""

    def request(self, run: Run) -> Request:
        request = super().request(run)
        return replace(request, messages=[*request.messages, Message(f"{run.steps} of 5", "user")])


def test_the_bodies_are_those_of_the_wire_with_notices_that_do_not_stay() -> None:
    agent = Noticing("a", ScriptedLLM(*demo.SCRIPT[:3], "done"), "P", tool_registry=demo.registry())
    widget = LoopInspector(agent, "go")
    widget.finish()
    assert bodies(widget) == sent(widget, widget._timeline.body)
    assert all(f"{n} of 5" in body for n, body in enumerate(bodies(widget)))


def test_the_meter_is_the_librarys_count() -> None:
    widget = inspector()
    counter = widget._timeline.counter
    while widget.head["next"] is not None:
        meter = widget.state["meter"]
        schemas = widget.debugger.agent.request(widget.run).tools if widget.debugger.agent else ()
        assert sum(meter.values()) == counter.count_messages(widget.run.messages) + counter.count_tools(schemas)
        widget.step()


# -- what the buttons do -----------------------------------------------------------------------------


def test_step_back_jump_finish() -> None:
    widget = inspector()
    assert widget.state["next"]["kind"] == "ask"
    send(widget, "step")
    assert [call.name for call in widget.run.pending] == ["Thought"]
    send(widget, "step")
    assert widget.run.pending == ()
    send(widget, "back")
    assert [call.name for call in widget.run.pending] == ["Thought"]
    send(widget, "jump", tick=-1)
    assert widget.head["cursor"] == -1
    send(widget, "finish")
    assert widget.run.answer == "Two nights and the train cost 820."
    assert widget.state["reason"] == "finished"
    assert widget.head["next"] is None


def test_the_next_action_and_its_reason_are_with_every_tick() -> None:
    widget = inspector()
    widget.finish()
    ticks = path(widget)
    assert all(tick["next"]["why"] for tick in ticks[:-1])
    assert ticks[-1]["next"] is None
    for tick, following in pairwise(ticks):
        assert tick["next"]["kind"] == following["kind"]
        if "request" in following:
            coming = {key: value for key, value in tick["next"]["request"].items() if key not in ("frame", "toolset")}
            assert coming == following["request"]


@pytest.mark.parametrize("text", ["hotel: 1", "", "中文", *NASTY])
def test_editing_a_result_makes_a_branch_and_keeps_the_old_one(text: str) -> None:
    widget = inspector()
    widget.step(4)
    before = widget.run
    send(widget, "edit", what="result", text=text, status="success", **find(widget, "tool", 1))
    assert widget.debugger.branch != "main"
    assert [m.text for m in widget.run.messages if m.role == "tool"][1] == text
    assert [m.text for m in widget.run.messages if m.role == "tool"][2] == before.messages[-1].text
    send(widget, "finish")
    assert widget.run.outcome is not None
    send(widget, "switch", name="main")
    assert widget.run == before


def test_editing_arguments_runs_the_call_with_them() -> None:
    widget = inspector()
    widget.step(4)
    send(widget, "edit", what="reply", calls={"c3": {"expression": "1 + 1"}}, **find(widget, "assistant", 1))
    assert widget.run.pending[1].arguments == {"expression": "1 + 1"}
    send(widget, "step")
    assert widget.run.messages[-1].text == "2"
    assert widget.run.messages[-1].status == "success"


def test_editing_the_question() -> None:
    widget = inspector()
    widget.step(2)
    send(widget, "edit", what="told", text="Another question", **find(widget, "user"))
    assert widget.run.messages[-1].text == "Another question"
    assert widget.run.limits.max_steps == 20


def test_fork_shares_what_is_before_it() -> None:
    widget = inspector()
    widget.finish()
    count = len(widget.snapshot["ticks"])
    send(widget, "jump", tick=path(widget)[2]["id"])
    send(widget, "fork")
    assert len(widget.snapshot["ticks"]) == count
    send(widget, "step")
    assert len(widget.snapshot["ticks"]) == count + 1
    assert [one["name"] for one in widget.head["branches"]] == ["main", "branch-1"]


@pytest.mark.parametrize(
    ("until", "waiting"),
    [
        ({"until": "tool"}, ["Thought"]),
        ({"until": "tool", "tool": "Calculator"}, ["Read", "Calculator"]),
        ({"until": "tool", "tool": "Finish"}, ["Finish"]),
        ({"until": "error"}, []),
        ({"until": "tokens", "tokens": 1}, ["Thought"]),
    ],
)
def test_breakpoints(until: dict[str, Any], waiting: list[str]) -> None:
    widget = inspector()
    send(widget, "finish", **until)
    assert [call.name for call in widget.run.pending] == waiting
    if until["until"] == "error":
        assert widget.run.messages[-1].status == "error"


@pytest.mark.parametrize("verdict", ["approve", "edited", "refuse"])
def test_approval(verdict: str) -> None:
    tools = ToolRegistry()
    tools.register_function(demo.calculator, name="Calculator", needs_approval=True)
    call = ToolCall("c1", "Calculator", {"expression": "2 * 3"})
    widget = LoopInspector(SimpleAgent("a", ScriptedLLM(call, "done"), tool_registry=tools), "go")
    send(widget, "finish")
    assert widget.head["next"]["kind"] == "wait"
    assert widget.head["next"]["calls"] == ["c1"]
    match verdict:
        case "approve":
            send(widget, "approve", call="c1")
            assert widget.run.messages[-1].text == "6"
        case "edited":
            send(widget, "approve", call="c1", arguments={"expression": "4 * 5"})
            assert widget.run.messages[-1].text == "20"
        case _:
            send(widget, "refuse", call="c1", reason="not today")
            assert "not today" in widget.run.messages[-1].text
    send(widget, "finish")
    assert widget.run.answer == "done"


@pytest.mark.parametrize(
    "message",
    [
        {"op": "fly"},
        {},
        {"op": "jump", "args": {}},
        {"op": "jump", "args": {"tick": 10**6}},
        {"op": "switch", "args": {"name": "nowhere"}},
        {"op": "approve", "args": {"call": "none"}},
        {"op": "edit", "args": {"tick": 0, "message": 10**6}},
        {"op": "finish", "args": {"until": "tokens", "tokens": "many"}},
        {"op": "finish", "args": {"until": "tuesday"}},
    ],
)
def test_an_error_is_shown_and_kept_and_the_widget_lives_on(message: dict[str, Any]) -> None:
    widget = inspector()
    widget._handle_custom_msg(message, [])
    assert widget.error
    assert widget.head["error"] == widget.error
    assert widget.head["busy"] is False
    send(widget, "step")
    assert widget.head["error"] == ""


def test_an_error_of_the_model_is_shown_and_what_happened_stays() -> None:
    widget = inspector(demo.SCRIPT[0], RuntimeError("the line went dead"))
    widget.dispatch({"op": "finish"})
    assert "the line went dead" in widget.error
    assert len(widget.run.messages) == 4
    assert path(widget)[-1]["notes"][0]["step"] is True


# -- what it is on -----------------------------------------------------------------------------------


def test_on_an_agent_that_has_run() -> None:
    agent = demo.agent()
    agent.run(demo.QUESTION)
    widget = LoopInspector(agent)
    assert widget.run == agent.state
    assert widget.head["next"] is None
    send(widget, "back")
    assert agent.state.outcome is not None


def test_on_a_debugger_on_a_run_and_on_what_cannot_be() -> None:
    agent = demo.agent()
    debugger = agent.steps(demo.QUESTION)
    widget = LoopInspector(debugger)
    assert widget.debugger is debugger
    debugger.finish()
    assert widget.refresh() == debugger.run
    record = LoopInspector(debugger.run)
    assert record.head["live"] is False
    assert record.run.messages == debugger.run.messages
    for subject, question, kind in (
        (debugger, "q", ValueError),
        (debugger.run, "q", ValueError),
        ("a", None, TypeError),
    ):
        with pytest.raises(kind):
            LoopInspector(subject, question)


def test_a_second_question_begins_with_the_conversation_so_far() -> None:
    agent = demo.agent(*demo.SCRIPT, "Again.")
    agent.run(demo.QUESTION)
    widget = LoopInspector(agent, "And again?")
    ticks = path(widget)
    assert ticks[0]["kind"] == "start"
    assert len(conversation(widget, ticks[:1])) == len(agent.state.messages)
    send(widget, "finish")
    assert widget.run.answer == "Again."


# -- one live model, the same bytes ------------------------------------------------------------------


@pytest.mark.parametrize("subject", ["agent", "debugger"])
def test_showing_the_same_thing_fifty_times_leaves_one_live_model(subject: str) -> None:
    agent = demo.agent()
    thing = agent if subject == "agent" else agent.steps(demo.QUESTION)
    question = demo.QUESTION if subject == "agent" else None
    widgets = [LoopInspector(thing, question) for _ in range(50)]
    live = [widget for widget in widgets if widget.comm is not None]
    assert live == [widgets[-1]]
    state = Widget.get_manager_state()["state"]
    assert [name for name, one in state.items() if one["model_name"] == "AnyModel"].count(widgets[-1].model_id) == 1
    assert not {widget._model_id for widget in widgets[:-1]} & state.keys()


def test_running_a_cell_again_leaves_one_live_model(monkeypatch: pytest.MonkeyPatch) -> None:
    from hello_agents_widgets import _base

    execution = iter(range(1000))
    monkeypatch.setattr(_base, "_cell", lambda: ("cell", f"run {next(execution)}"))
    widgets = [inspector() for _ in range(50)]
    assert [widget for widget in widgets if widget.comm is not None] == [widgets[-1]]


def test_two_in_one_cell_and_in_two_cells_both_live(monkeypatch: pytest.MonkeyPatch) -> None:
    from hello_agents_widgets import _base

    monkeypatch.setattr(_base, "_cell", lambda: ("a", "1"))
    agent = demo.agent()
    first, second = LoopInspector(agent, demo.QUESTION), inspector()
    monkeypatch.setattr(_base, "_cell", lambda: ("b", "2"))
    third = LoopInspector(agent, demo.QUESTION)
    assert all(widget.comm is not None for widget in (first, second, third))


def test_the_book_gets_the_same_bytes_every_time() -> None:
    code = (
        "import json; from widgets import demo; from hello_agents_widgets import LoopInspector\n"
        "from ipywidgets import Widget\n"
        "w = LoopInspector(demo.agent(), demo.QUESTION); w.step(5)\n"
        "print(json.dumps([w._repr_mimebundle_()[0], Widget.get_manager_state()], sort_keys=True))"
    )
    env = {**os.environ, "HELLO_AGENTS_BOOK": "1", "PYTHONPATH": os.pathsep.join([".", "widgets", "tests"])}
    runs = [
        subprocess.run(
            [sys.executable, "-c", code], env=env | {"PYTHONHASHSEED": seed}, capture_output=True, check=True, text=True
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]
    assert f"{2:032x}" in runs[0]


def test_text_plain_is_readable_and_stable() -> None:
    widget, other = inspector(), inspector()
    for one in (widget, other):
        one.finish()
    text = repr(widget)
    assert text == repr(other)
    assert "0x" not in text
    assert 'call Calculator({"expression":"2 * 320 + 180"})' in text
    assert text.endswith("finished: Two nights and the train cost 820.")


def test_picture_and_live_view_are_outputs_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[dict[str, Any]] = []
    monkeypatch.setattr("IPython.display.publish_display_data", shown.append)
    widget = inspector()
    widget._ipython_display_()
    picture, view = shown
    assert picture["text/plain"] == repr(widget)
    assert widget.picture() in picture["text/html"]
    assert view["application/vnd.jupyter.widget-view+json"]["model_id"] == widget.model_id
    widget.close()
    shown.clear()
    widget._ipython_display_()
    assert len(shown) == 1


# -- the picture at rest -----------------------------------------------------------------------------


@pytest.mark.parametrize("text", NASTY)
def test_nothing_that_a_model_or_tool_says_is_markup(text: str) -> None:
    call = ToolCall(text, text, {text: text})
    run = Run(
        text,
        Messages(
            [
                Message(text, "system"),
                Message(text, "user"),
                Message(text, "assistant", tool_calls=[call], reasoning=text),
                Message(text, "tool", answers=text, status="error", metadata={"code": text, "tool": text}),
            ]
        ),
        outcome=Outcome(text, text),
    )
    for page in (run._repr_html_(), LoopInspector(run).picture()):
        assert "<script" not in page
        assert "<img" not in page
        assert "<svg" not in page
        assert page.count("<details") == page.count("</details>")
        assert page.count("<div") == page.count("</div>")


@settings(max_examples=examples(40), deadline=None)
@given(st.lists(st.text(max_size=40), min_size=1, max_size=5))
def test_any_run_is_a_page_with_balanced_marks(texts: list[str]) -> None:
    from html.parser import HTMLParser

    class Balance(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.open: list[str] = []

        def handle_starttag(self, tag: str, attrs: Any) -> None:
            assert tag in {"div", "span", "b", "pre", "p", "details", "summary"}
            assert {name for name, _ in attrs} <= {"style", "open", "lang"}
            self.open.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert self.open.pop() == tag

    run = Run("a", Messages([Message(text, role) for text in texts for role in ("user", "assistant")]))
    balance = Balance()
    balance.feed(run._repr_html_())
    assert balance.open == []


def test_a_page_stays_small_whatever_is_in_the_run() -> None:
    big = [Message("x" * 1_000_000, "user")]
    for n in range(1000):
        big.append(Message(None, "assistant", tool_calls=[ToolCall(f"c{n}", "Read", {"path": "y" * 10_000})]))
        big.append(Message("z" * 5000, "tool", answers=f"c{n}", status="success"))
    page = Run("a", Messages(big))._repr_html_()
    assert len(page) < 300_000
    assert "965 steps in between" in page


def test_chinese() -> None:
    widget = LoopInspector(demo.agent(), "问题", language="zh")
    widget.finish()
    assert widget.head["language"] == "zh"
    assert "已结束" in widget.picture()
    assert widget.head["model"] == "脚本模型"


def test_the_library_does_not_import_the_widgets() -> None:
    root = HERE.parent.parent / "hello_agents"
    assert not [
        file for file in root.rglob("*.py") if "import hello_agents_widgets" in file.read_text(encoding="utf-8")
    ]
    code = "import sys, hello_agents_widgets; assert 'anywidget' not in sys.modules and 'ipywidgets' not in sys.modules"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([".", "widgets"])}
    subprocess.run([sys.executable, "-c", code], env=env, check=True)


# -- several branches --------------------------------------------------------------------------------


def test_running_on_several_times_is_grouped_and_each_is_a_branch() -> None:
    script = [demo.SCRIPT[0], "cheap", "dear", "cheap", RuntimeError("no line")]

    class Turns:
        def stream(self, request: Any) -> Any:
            return ScriptedLLM(script.pop(0)).stream(replace(request, at=("", 0)))

    agent = demo.agent()
    agent.llm = Turns()
    widget = LoopInspector(agent, "Well?")
    widget.step(2)
    before = widget.run
    send(widget, "again", n=4)
    spread = widget.head["spread"]
    assert not spread["equal"]
    assert [(g["reason"], g["answer"], len(g["branches"])) for g in spread["groups"]] == [
        ("finished", "cheap", 2),
        ("finished", "dear", 1),
        ("error", None, 1),
    ]
    assert spread["groups"][0]["steps"] == [2, 2, 2]
    assert "no line" in spread["groups"][2]["error"]
    assert widget.run is before
    for group in spread["groups"]:
        for name in group["branches"]:
            send(widget, "switch", name=name)
            assert widget.run.answer == group["answer"]


def test_equal_runs_are_said_to_be_equal() -> None:
    widget = inspector()
    widget.step(3)
    spread = widget.run_on(3)
    assert spread["equal"]
    assert [len(group["branches"]) for group in spread["groups"]] == [3]
    assert widget.debugger.branch == "main"


@pytest.mark.parametrize("n", [0, -1, 51])
def test_how_many_runs_is_a_number_one_can_look_at(n: int) -> None:
    widget = inspector()
    widget.dispatch({"op": "again", "args": {"n": n}})
    assert "Choose a number" in widget.error


def test_two_branches_are_compared_where_they_part() -> None:
    widget = inspector()
    widget.finish()
    send(widget, "compare", a="main", b="main")
    assert widget.head["compared"]["equal"]
    send(widget, "jump", tick=path(widget)[4]["id"])
    where = find(widget, "tool", 1)
    send(widget, "edit", what="result", text="other", status="success", **where)
    edited = path(widget)[-1]["id"]
    send(widget, "compare", a="main", b=widget.debugger.branch)
    assert widget.head["compared"]["first"] == [where["tick"], edited]
    send(widget, "compare", a="branch-1", b="main")
    assert widget.head["compared"]["first"] == [edited, where["tick"]]


def test_one_branch_may_be_the_beginning_of_the_other() -> None:
    widget = inspector()
    widget.step(2)
    send(widget, "fork")
    widget.step(2)
    last = path(widget)[3]["id"]
    send(widget, "compare", a="main", b="branch-1")
    assert widget.head["compared"]["first"] == [None, last]


# -- predicting --------------------------------------------------------------------------------------


def test_a_prediction_is_held_against_what_came() -> None:
    widget = inspector()
    guesses = [
        ("ask", "Thought", True),
        ("ask", "", False),  # The calls are run.
        ("ask", "Read", True),  # One of the two that it calls.
        ("call", "", True),
        ("ask", "", False),  # It calls the Calculator again.
        ("stop", "", False),
    ]
    for n, (kind, tool, right) in enumerate(guesses):
        send(widget, "predict", kind=kind, tool=tool)
        assert widget.head["predicted"]["right"] is right, (kind, tool)
        assert widget.score["asked"] == n + 1
    assert widget.score == {"right": 3, "asked": 6}
    assert widget.get_state()["score"] == widget.score
    send(widget, "back")
    send(widget, "predict", kind="call", tool="")
    assert widget.head["predicted"]["right"], "recorded steps are predicted as well"


def test_waiting_for_a_person_can_be_predicted() -> None:
    tools = ToolRegistry()
    tools.register_function(demo.calculator, name="Calculator", needs_approval=True)
    call = ToolCall("c1", "Calculator", {"expression": "2 * 3"})
    widget = LoopInspector(SimpleAgent("a", ScriptedLLM(call, "done"), tool_registry=tools), "go")
    send(widget, "predict", kind="ask", tool="Calculator")
    send(widget, "predict", kind="wait", tool="")
    assert widget.score == {"right": 2, "asked": 2}


# -- taking the run away -----------------------------------------------------------------------------


def play(text: str) -> None:
    """Runs the exported test in this process, which is quicker than a pytest of its own."""
    names: dict[str, Any] = {"__name__": "exported"}
    exec(compile(text, "test_exported.py", "exec"), names)
    names["test_the_run_goes_as_it_went"]()


def check_exported(text: str, folder: Path) -> None:
    (folder / "test_exported.py").write_text(text, encoding="utf-8")
    root = HERE.parent.parent
    env = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(root), str(folder)]),
        "PYTHONDONTWRITEBYTECODE": "1",
        # The exported test needs no plugin, and to load all of them takes seconds.
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_exported.py"],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout


def test_json_and_journal_are_the_librarys_own() -> None:
    widget = inspector()
    widget.finish()
    assert Run.from_json(widget.export("json")) == widget.run
    assert list(load_journal(widget.export("journal"))) == list(widget.debugger.entries)
    with pytest.raises(ValueError, match="pytest"):
        widget.export("yaml")


def edited_inspector() -> LoopInspector:
    widget = inspector()
    widget.step(4)
    send(widget, "edit", what="result", text='it\'s "820"\n{}', status="error", **find(widget, "tool", 2))
    widget.finish()
    return widget


def second_question() -> LoopInspector:
    agent = demo.agent(*demo.SCRIPT, "Again.")
    agent.run(demo.QUESTION)
    widget = LoopInspector(agent, "And again?")
    widget.finish()
    return widget


def two_questions() -> LoopInspector:
    agent = demo.agent(*demo.SCRIPT, "Again.")
    agent.run(demo.QUESTION, max_steps=7)
    agent.run("And again?")
    return LoopInspector(agent)


def unfinished() -> LoopInspector:
    widget = inspector()
    widget.step(3)
    return widget


def misspelt() -> LoopInspector:
    widget = inspector(
        ToolCall("a", "Reed", {"path": "x"}),
        [ToolCall("", "Read", {"path": "中文"}), ToolCall("b", "Calculator", {}), ToolCall("b", "Read", {}, "bad")],
        Message("So\nit 'is'", "assistant", reasoning="hm"),
    )
    widget.finish()
    return widget


def refused() -> LoopInspector:
    tools = demo.registry()
    tools.register_function(demo.calculator, name="Pay", needs_approval=True)
    agent = demo.agent(ToolCall("c1", "Pay", {"expression": "1"}), "done", max_steps=4)
    agent.tool_registry = tools
    widget = LoopInspector(agent, "go")
    widget.finish()
    send(widget, "refuse", call="c1", reason="no")
    widget.finish()
    return widget


def chinese() -> LoopInspector:
    calls = [ToolCall("c", "Calculator", {"expression": "2×3"}), "好"]
    agent = SimpleAgent("助手", ScriptedLLM(*calls), "简短", Config(language="zh"), demo.registry())
    widget = LoopInspector(agent, "多少")
    widget.finish()
    return widget


@pytest.mark.parametrize(
    "make", [edited_inspector, second_question, two_questions, unfinished, misspelt, refused, chinese]
)
def test_an_exported_test_passes_when_it_is_run(make: Any, tmp_path: Path) -> None:
    widget = make()
    text = widget.export("pytest")
    play(text)
    calls = [call.name for message in widget.run.messages for call in message.tool_calls]
    if calls:
        with pytest.raises(AssertionError):
            play(text.replace(f"    ({calls[-1]!r}, ", "    ('Other', "))
    if make is edited_inspector:
        check_exported(text, tmp_path)


def test_an_exported_test_may_use_the_readers_own_tools(tmp_path: Path) -> None:
    widget = inspector()
    widget.finish()
    (tmp_path / "mine.py").write_text((HERE / "demo.py").read_text(encoding="utf-8") + "\nthe_tools = registry()\n")
    text = widget.export("pytest", tools="mine:the_tools")
    assert "RESULTS" not in text
    check_exported(text, tmp_path)
    with pytest.raises(ValueError, match="module"):
        widget.export("pytest", tools="mine")


def test_what_cannot_be_a_test_is_said() -> None:
    child = actors.Scenario((ToolCall("d", "delegate", {"task": "t"}),), ("well",), ("go",))
    with_child = LoopInspector(actors.AGENTS["Delegator"](child.model(), actors.registry()), "go")
    with_child.finish()
    record = LoopInspector(inspector().run)
    failing = inspector(RuntimeError("no line"))
    failing.dispatch({"op": "step"})

    class Local(SimpleAgent):
        pass

    local = LoopInspector(Local("a", ScriptedLLM("x")), "go")
    for widget, word in ((with_child, "sub-agent"), (record, "agent decides"), (failing, "failed"), (local, "Local")):
        with pytest.raises(ValueError, match=word):
            widget.export("pytest")


def test_a_text_to_take_away_goes_to_the_page_once_and_is_not_kept() -> None:
    widget = inspector()
    widget.finish()
    told: list[Any] = []
    widget.send = told.append
    for kind, name in (("json", "assistant.json"), ("journal", "assistant.jsonl"), ("pytest", "test_assistant.py")):
        send(widget, "export", kind=kind, how="copy")
        assert told[-1] == {"export": kind, "how": "copy", "name": name, "text": widget.export(kind)}
    assert widget.export("pytest")[:200] not in json.dumps(widget.get_state())


# -- files -------------------------------------------------------------------------------------------


def writer(folder: Path, *script: Any) -> SimpleAgent:
    tools = ToolRegistry()
    tools.register_tool(WriteTool(project_root=str(folder)))
    return SimpleAgent("a", ScriptedLLM(*script), tool_registry=tools)


WRITES = ToolCall("c1", "Write", {"path": "note.txt", "content": "new"})


def test_files_in_a_sandbox_go_back_with_the_reader_and_it_is_said() -> None:
    folder = sandbox({"note.txt": "old"})
    widget = LoopInspector(writer(folder, WRITES, "done"), "go")
    assert widget.head["sandbox"] is True
    assert widget.head["known"] is True
    widget.finish()
    assert all(tick["world"] for tick in path(widget))
    assert (folder / "note.txt").read_text(encoding="utf-8") == "new"
    for tick, text in ((path(widget)[0], "old"), (path(widget)[2], "new"), (path(widget)[1], "old")):
        send(widget, "jump", tick=tick["id"])
        assert (folder / "note.txt").read_text(encoding="utf-8") == text


def test_other_folders_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("old", encoding="utf-8")
    widget = LoopInspector(writer(tmp_path, WRITES, "done"), "go")
    assert widget.head["sandbox"] is False
    widget.finish()
    widget.back(3)
    assert (tmp_path / "note.txt").read_text(encoding="utf-8") == "new"
    with pytest.raises(ValueError, match="not a sandbox"):
        LoopInspector(writer(tmp_path, WRITES, "done"), "go", sandbox=tmp_path)


def test_a_sandbox_may_be_given() -> None:
    folder = sandbox({"n": "0"})

    def count() -> str:
        """Counts up."""
        (folder / "n").write_text(str(int((folder / "n").read_text(encoding="utf-8")) + 1), encoding="utf-8")
        return "counted"

    tools = ToolRegistry()
    tools.register_function(count)
    agent = SimpleAgent("a", ScriptedLLM(ToolCall("a", "count"), ToolCall("b", "count"), "done"), tool_registry=tools)
    widget = LoopInspector(agent, "go", sandbox=folder)
    widget.finish()
    assert (folder / "n").read_text(encoding="utf-8") == "2"
    widget.back(2)
    send(widget, "fork")
    widget.finish()
    assert (folder / "n").read_text(encoding="utf-8") == "2"
