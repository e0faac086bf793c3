"""ContextPipeline shows what the builder does: its trace at each setting, number for number, and nothing of its own."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from hello_agents_widgets import ContextPipeline
from hello_agents_widgets.context_pipeline import KNOBS
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from widgets.house import keep_fixture

from hello_agents.context import ContextBudgetError, ContextBuilder, ContextConfig, ContextPacket, FunctionSource
from hello_agents.core.message import Message
from hello_agents.memory.manager import MemoryManager

NASTY = "\"><script>x</script><img src=x onerror='y'>&"
NOW = datetime(2026, 1, 2, 12, tzinfo=UTC)
QUERY = "Which hotel is near the station?"
GUIDE = "The hotel Gare is near the station. A room costs 90. Breakfast is served from seven. "
RULES = "You are a travel assistant. Name prices."


def gone(query: str) -> list[str]:
    raise ConnectionError("the visa server is gone")


def builder(**config: Any) -> ContextBuilder:
    """Memories, a guide with the same passage twice, a source that fails."""
    manager = MemoryManager(clock=lambda: NOW)
    manager.add("Prefers a hotel near the station.", "semantic", 0.8, timestamp=NOW - timedelta(hours=2))
    manager.add("Asked about Lyon.", "episodic", 0.3, timestamp=NOW - timedelta(days=3))
    guide = FunctionSource(
        "guide",
        lambda query: [
            GUIDE + "Its lobby is old. The street is loud.",
            GUIDE + "Its lobby is old. The street is loud.",
            "The hotel Nord is far from the station, at the lake. It has a garden.",
            "Two photographs are needed for a visa.",
        ],
    )
    from hello_agents.tools.builtin.memory_tool import MemoryTool

    usual = {"max_tokens": 200, "language": "en"}
    return ContextBuilder(
        MemoryTool(manager=manager),
        config=ContextConfig(**{**usual, **config}),
        sources=[guide, FunctionSource("visa", gone)],
        clock=lambda: NOW,
    )


def conversation() -> list[Message]:
    lines = ["Hello, we are two.", "Welcome. Where to?", "To Lyon by train, on Friday.", "There is a train at nine."]
    roles = ("user", "assistant", "user", "assistant")
    time = NOW - timedelta(minutes=5)
    return [Message(line, role, timestamp=time) for line, role in zip(lines, roles, strict=True)]


def pipeline(**config: Any) -> ContextPipeline:
    return ContextPipeline(builder(**config), QUERY, conversation(), RULES, task_state="two nights")


def many(number: int) -> ContextPipeline:
    """As many packets as that."""
    packets = [
        ContextPacket(f"Hotel {n} stands {n % 97} minutes from the station {n % 13}.", NOW - timedelta(minutes=n))
        for n in range(number)
    ]
    made = ContextBuilder(config=ContextConfig(max_tokens=2000, language="en"), clock=lambda: NOW)
    return ContextPipeline(made, QUERY, additional_packets=packets)


def test_the_page_is_sent_what_the_library_makes() -> None:
    widget = pipeline()
    widget.set(min_relevance=0.0, enable_mmr=False)
    keep_fixture("context_pipeline.json", widget.snapshot)


def read_back(widget: ContextPipeline) -> list[dict[str, Any]]:
    """The packets as the page puts them together."""
    snapshot = json.loads(json.dumps(widget.snapshot))
    rows = snapshot["head"]["rows"]
    found = []
    for at, place in enumerate(rows["places"]):
        packet = snapshot["packets"][place]
        fate = rows["fates"][int(rows["fate"][at])]
        other = rows["other"].get(str(at))
        chosen = fate in ("required", "selected", "trimmed")
        found.append(
            {
                **packet,
                "id": rows["ids"][at],
                "fate": fate,
                "reason": rows["reasons"][rows["reason"][at]],
                "scores": rows["scores"][at],
                "other": "" if other is None else rows["ids"][other],
                "kept": rows["kept"].get(str(at), packet["tokens"]) if chosen else 0,
            }
        )
    return found


def signs(pieces: Any) -> list[tuple[str, bool]]:
    """What became of each character."""
    return [(sign, kept) for text, kept in pieces for sign in text]


def check(widget: ContextPipeline) -> None:
    """Every number that the page has is one of the trace, and the trace is the builder's."""
    trace, head = widget.trace, widget.head
    for shown, packet in zip(read_back(widget), trace.gathered, strict=True):
        for name in ("id", "source", "kind", "section", "label", "content", "citation", "tokens", "fate", "reason"):
            assert shown[name] == getattr(packet, name), name
        assert (shown["other"], shown["kept"]) == (packet.other, packet.kept)
        parts = packet.scores
        if parts is None:
            assert shown["scores"] is None
        else:
            numbers = [parts.total, parts.relevance, parts.recency, parts.importance, parts.raw_relevance]
            assert shown["scores"] == pytest.approx(numbers, abs=1e-6)
    assert [head["rows"]["ids"][at] for at in head["rows"]["chosen"]] == list(trace.chosen)
    assert (head["tokens"], head["budget"], head["text"]) == (trace.tokens, trace.budget, trace.text)
    assert head["structured_tokens"] == trace.structured_tokens
    assert (head["gathered"], head["dropped"]) == (len(trace.gathered), len(trace.gathered) - len(trace.chosen))
    assert head["gathered_tokens"] == sum(one.tokens for one in trace.gathered)
    for name, sections in (("structured", trace.structured), ("compressed", trace.compressed)):
        for shown, section in zip(head[name], sections, strict=True):
            assert (shown["section"], shown["tokens"], shown["packets"], shown["fixed"]) == (
                section.section,
                section.tokens,
                len(section.packets),
                section.fixed,
            )
    for shown, section in zip(head["compressed"], trace.compressed, strict=True):
        if not shown["whole"]:
            assert signs(shown["pieces"]) == signs(section.pieces)
            kept = [kept for _, kept in shown["pieces"]]
            assert all(one != other for one, other in pairwise(kept)), "neighbours with one fate are one"
    assert sum(source["packets"] for source in head["sources"]) == len(trace.gathered)
    assert sum(source["tokens"] for source in head["sources"]) == head["gathered_tokens"]


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "max_tokens": st.integers(140, 900),
            "reserve_ratio": st.floats(0, 0.3),
            "min_relevance": st.floats(0, 1),
            "enable_mmr": st.booleans(),
            "mmr_lambda": st.floats(0, 1),
            "recency_weight": st.floats(0, 1),
            "enable_compression": st.booleans(),
        },
    ),
    st.sampled_from([QUERY, "visa photographs", "x"]),
)
@settings(max_examples=examples(25), deadline=None)
def test_every_number_at_every_setting_is_the_builders(knobs: dict[str, Any], query: str) -> None:
    widget = pipeline()
    was = widget.trace
    trace = widget.set(query, **knobs)
    check(widget)
    alone = builder(**{**vars(widget.config)})
    assert trace == alone.trace(query, conversation(), RULES, task_state="two nights")
    assert widget.text == alone.build(query, conversation(), RULES, task_state="two nights")
    change = widget.head["change"]
    if change is not None:
        known = widget.snapshot["packets"]

        def inside(one: Any) -> set[tuple[str, str]]:
            return {(packet.source, packet.content) for packet in one.gathered if packet.chosen}

        came = {(known[place]["source"], known[place]["content"]) for place in change["came"]}
        went = {(known[place]["source"], known[place]["content"]) for place in change["went"]}
        assert inside(was) - inside(trace) <= went
        assert inside(trace) - inside(was) <= came
        assert change["tokens"] == [was.tokens, trace.tokens]
        assert widget.before == was


def test_the_readers_builder_is_never_changed() -> None:
    given_builder = builder()
    before = dict(vars(given_builder)), dict(vars(given_builder.config))
    widget = ContextPipeline(given_builder, QUERY)
    widget.set(max_tokens=300, min_relevance=0.9, enable_mmr=False)
    assert (dict(vars(given_builder)), dict(vars(given_builder.config))) == before
    assert widget.config.max_tokens == 300


def test_settings_are_compared_at_one_time() -> None:
    times = iter(NOW + timedelta(hours=n) for n in range(100))
    made = builder(recency_weight=1.0)
    made.clock = lambda: next(times)
    widget = ContextPipeline(made, QUERY)
    first = widget.trace
    widget.set(max_tokens=201)
    widget.set(max_tokens=200)
    assert widget.trace == first


def test_packets_are_sent_once() -> None:
    widget = many(50)
    parts = len(widget.logs)
    widget.set(min_relevance=0.9)
    widget.set(recency_weight=0.9)
    assert len(widget.logs) == parts
    widget.set(query="Something else")
    fresh = [packet for part in widget.logs[parts:] for packet in part["packets"]]
    assert [packet["content"] for packet in fresh] == ["Something else"]


def test_five_thousand_packets_move_in_few_bytes() -> None:
    widget = many(5000)
    check(widget)
    size = len(json.dumps(widget.head["rows"], separators=(",", ":")))
    assert size < 150 * 5000
    assert len(json.dumps(widget.logs)) < 500 * 5000


def test_a_source_that_fails_is_shown_and_so_is_an_embedding() -> None:
    widget = pipeline()
    source = next(one for one in widget.head["sources"] if one["name"] == "visa")
    assert source == {"name": "visa", "packets": 0, "tokens": 0, "error": "ConnectionError: the visa server is gone"}

    def bad(texts: Any) -> Any:
        raise OSError("no model")

    broken = builder()
    broken.embedding = bad
    shown = ContextPipeline(broken, QUERY).head["failures"]
    assert [(one["stage"], one["name"]) for one in shown] == [("select", "embedding")]
    assert "no model" in shown[0]["error"]


def test_operations_and_their_errors() -> None:
    widget = pipeline()
    first = widget.trace
    widget.dispatch({"op": "set", "args": {"max_tokens": "400", "enable_mmr": False, "min_relevance": 0.5}})
    assert (widget.error, widget.config.max_tokens, widget.config.enable_mmr) == ("", 400, False)
    second = widget.trace
    for op, args, said in (
        ("set", {"max_tokens": 40}, "ContextBudgetError"),
        ("set", {"mmr_lambda": 3}, "ValueError"),
        ("set", {"max_tokens": "many"}, "ValueError"),
        ("dance", {}, "ValueError"),
    ):
        widget.dispatch({"op": op, "args": args})
        assert widget.error.startswith(said)
        assert widget.trace is second, "the last one that worked stays"
    widget.dispatch({"op": "dismiss"})
    assert widget.error == ""
    widget.dispatch({"op": "back"})
    assert widget.trace == first
    widget.dispatch({"op": "back"})
    assert widget.trace == second
    widget.dispatch({"op": "reset"})
    assert (widget.trace, widget.head["moved"]) == (first, False)
    with pytest.raises(ValueError, match="no knob 'overfill'"):
        widget.set(overfill=2.0)
    with pytest.raises(ContextBudgetError):
        pipeline(max_tokens=20)


def test_the_page_follows_python_only_where_python_went_by_itself() -> None:
    widget = pipeline()
    widget.dispatch({"op": "set", "args": {"max_tokens": 400}})
    turn = widget.head["turn"]
    widget.dispatch({"op": "set", "args": {"max_tokens": 401}})
    assert (widget.head["turn"], widget.head["knobs"]["max_tokens"]) == (turn, 401)
    widget.set(max_tokens=300)
    assert (widget.head["turn"], widget.head["knobs"]["max_tokens"]) == (turn + 1, 300)
    assert set(widget.head["knobs"]) == set(KNOBS)


class Plain(ContextBuilder):
    """A subclass whose stages give plain lists and texts."""

    def _select(self, packets: Any, user_query: str) -> Any:
        return list(packets)[:4]

    def _compress(self, context: str) -> str:
        return context


def test_a_builder_of_the_readers_own() -> None:
    widget = ContextPipeline(Plain(config=ContextConfig(language="en"), clock=lambda: NOW), QUERY, conversation())
    check(widget)
    widget.set(max_tokens=900)
    check(widget)


def test_text_and_picture_are_stable_and_escaped() -> None:
    widget = pipeline()
    assert repr(widget) == repr(pipeline())
    assert widget.picture() == pipeline().picture()
    assert " at 0x" not in repr(widget) + widget.picture()
    assert "visa failed: ConnectionError" in repr(widget)
    wicked = ContextBuilder(
        config=ContextConfig(language="en"), sources=[FunctionSource(NASTY, lambda query: [NASTY, query])]
    )
    page = ContextPipeline(wicked, f"{NASTY} hotel", system_instructions=NASTY).picture()
    assert "<script" not in page
    assert "<img" not in page
    assert "… and " in many(100).picture()


def test_state_is_plain_and_says_what_is_shown() -> None:
    state = pipeline(language="zh").state
    assert json.loads(json.dumps(state)) == state
    assert state["language"] == "zh"
    assert state["packets"]
