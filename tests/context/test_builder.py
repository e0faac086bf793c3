"""The stages of a context one by one: what is gathered, chosen, left out, put in sections and cut, and what is said."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from hello_agents.context import (
    ContextBudgetError,
    ContextBuilder,
    ContextConfig,
    ContextPacket,
    ContextTemplate,
    FunctionSource,
    KnowledgeSource,
    MemorySource,
)
from hello_agents.context.compressing import sentences
from hello_agents.core.message import Message
from hello_agents.memory.knowledge import Knowledge
from hello_agents.memory.manager import MemoryManager
from hello_agents.offline.scripted import ScriptedLLM
from hello_agents.tools.response import ToolResponse

NOW = datetime(2026, 1, 2, tzinfo=UTC)
QUERY = "Which hotel is near the station?"


def builder(config=None, **parts):
    return ContextBuilder(config=config or ContextConfig(), clock=lambda: NOW, **parts)


def evidence(content, relevance=0.8, **metadata):
    return ContextPacket(content, NOW, {"type": "knowledge_base", **metadata}, relevance_score=relevance)


def fates(trace):
    return {packet.content: packet.fate for packet in trace.gathered}


# -- gather -----------------------------------------------------------------------------------------------------------


def test_every_source_is_asked_in_one_order():
    rounds = [Message("By train?", "user"), Message("4 trains", "tool", answers="c"), Message("Yes.", "assistant")]
    trace = builder(sources=[FunctionSource("notes", lambda query: ["The station hotel is full."])]).trace(
        QUERY, rounds, "Be brief.", [evidence("Hotel Gare.")], task_state=["two nights", "under 900"]
    )
    assert [(packet.source, packet.kind) for packet in trace.gathered] == [
        ("builder", "instructions"),
        ("builder", "task"),
        ("builder", "output"),
        ("notes", "knowledge_base"),
        ("tools", "tool_result"),
        ("history", "history"),
        ("caller", "knowledge_base"),
        ("caller", "task_state"),
        ("caller", "task_state"),
    ]
    assert "4 trains" not in trace.packet("history:0").content, "results of tools are evidence"


def broken(query):
    raise ConnectionError("no route")


def broken_later(query):
    yield "The hotel stands."
    raise KeyError("x")


@pytest.mark.parametrize(
    ("function", "error"), [(broken, "ConnectionError: no route"), (broken_later, "KeyError: 'x'")]
)
def test_a_source_that_fails_is_reported_and_the_others_go_on(function, error):
    sources = [FunctionSource("bad", function), FunctionSource("good", lambda query: ["The hotel near the station."])]
    trace = builder(sources=sources).trace(QUERY)
    assert [(failure.stage, failure.name, failure.error) for failure in trace.failures] == [("gather", "bad", error)]
    assert "The hotel near the station." in trace.text


def test_results_of_tools_are_cut_before_they_compete_and_no_file_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    long = "\n".join(f"line {n} of the hotel list near the station" for n in range(5000))
    for result in (long, ToolResponse.success(long), Message(long, "tool", answers="c", metadata={"tool": "find"})):
        trace = builder(tool_results=[result]).trace(QUERY)
        assert 0 < next(packet for packet in trace.gathered if packet.source == "tools").tokens < 4000
    assert list(tmp_path.iterdir()) == []


def test_a_result_is_named_by_its_tool():
    results = [
        "the hotel is full",
        ToolResponse.success("the hotel is open", context={"tool_name": "find"}),
        Message("the hotel is near", "tool", answers="c", metadata={"tool": "look"}),
    ]
    gathered = builder(tool_results=results).trace(QUERY).gathered
    named = [one.citation.split()[-1] for one in gathered if one.source == "tools"]
    assert named == ["tool", "find", "look"]


class Foreign:
    """A tool of somebody's own, known by its action alone."""

    def __init__(self, answer):
        self.answer, self.asked = answer, []

    def run(self, parameters):
        self.asked.append(parameters)
        return self.answer


@pytest.mark.parametrize("answer", ["The hotel Gare is near the station.", ToolResponse.success("Hotel near station")])
def test_tools_that_only_have_the_action_search(answer):
    tool = Foreign(answer)
    trace = builder(memory_tool=tool, rag_tool=tool).trace(QUERY)
    assert tool.asked == [{"action": "search", "query": QUERY, "limit": 10}] * 2
    assert str(answer) in trace.text
    assert {packet.source for packet in trace.gathered} >= {"memory", "knowledge"}


def test_an_error_of_such_a_tool_is_a_failure_and_no_evidence():
    trace = builder(memory_tool=Foreign(ToolResponse.error("BROKEN", "the index is gone"))).trace(QUERY)
    assert [failure.name for failure in trace.failures] == ["memory"]
    assert "the index is gone" in trace.failures[0].error
    assert "the index is gone" not in trace.text


def test_memory_and_knowledge_say_where_each_packet_is_from():
    memory, knowledge = MemoryManager(), Knowledge()
    memory.add_memory("The guest wants a hotel near the station.", memory_type="semantic", importance=0.8)
    knowledge.add(
        "# Guide\n\n## Hotels\n\nHotel Gare is near the station.\n\n## Visas\n\nA visa costs 80.", title="guide"
    )
    trace = builder(sources=[MemorySource(memory), KnowledgeSource(knowledge)]).trace(QUERY)
    assert "memory › semantic" in trace.text
    assert "guide" in trace.text
    assert "Hotels" in trace.text
    for source in ("memory", "knowledge"):
        found = [packet for packet in trace.gathered if packet.source == source]
        assert found
        assert found[0].scores.raw_relevance > 0
    assert not trace.failures


def test_an_empty_question_asks_no_retrieval():
    trace = builder(sources=[MemorySource(MemoryManager()), KnowledgeSource(Knowledge())]).trace(" ")
    assert not trace.failures


# -- select -----------------------------------------------------------------------------------------------------------


def test_the_threshold_looks_at_relevance_alone():
    packets = [evidence("Visas cost 80.", 0.29, importance=1.0), evidence("Hotel Gare.", 0.3, importance=0.0)]
    trace = builder().trace(QUERY, additional_packets=packets)
    assert fates(trace)["Visas cost 80."] == "below_threshold"
    assert fates(trace)["Hotel Gare."] == "selected"
    assert "0.29" in trace.packet("caller:0").reason
    assert "0.30" in trace.packet("caller:0").reason


@pytest.mark.parametrize(
    ("query", "near", "far"),
    [
        (QUERY, "The hotel Gare is by the station.", "A visa costs 80 and takes a week."),
        ("酒店离车站近吗？", "这家酒店就在车站旁边。", "签证需要八十元。"),
        ("駅の近くのホテルは？", "駅の近くのホテルです。", "ビザは八十ユーロ。"),
    ],
)
def test_without_a_search_the_words_decide_in_any_script(query, near, far):
    packets = [ContextPacket(near, NOW), ContextPacket(far, NOW)]
    trace = builder(ContextConfig(min_relevance=0.2)).trace(query, additional_packets=packets)
    assert (fates(trace)[near], fates(trace)[far]) == ("selected", "below_threshold")


def test_recency_falls_with_the_time_constant():
    old = ContextPacket("Hotel Gare.", NOW - timedelta(hours=6), relevance_score=0.9)
    for hours, expected in ((6, 0.2 / 2.718281828), (6e9, 0.2)):
        trace = builder(ContextConfig(recency_hours=hours)).trace(QUERY, additional_packets=[old])
        assert trace.packet("caller:0").scores.recency == pytest.approx(expected)


def test_weights_are_shares():
    config = ContextConfig(relevance_weight=0, recency_weight=0, importance_weight=5)
    trace = builder(config).trace(QUERY, additional_packets=[evidence("Hotel Gare.", importance=0.7)])
    assert trace.packet("caller:0").scores.total == pytest.approx(0.7)


ALIKE = [
    evidence("Hotel Gare is two minutes from the station and has forty rooms with a view.", 0.9, citation="a.md"),
    evidence("Hotel Gare is two minutes from the station and has forty rooms with a bath.", 0.89, citation="b.md"),
    evidence("Pension Lune is an hour away.", 0.5),
]


def test_the_switch_of_mmr_works():
    on = builder(ContextConfig(max_similarity=0.7, merge_similarity=0.99)).trace(QUERY, additional_packets=ALIKE)
    off = builder(ContextConfig(enable_mmr=False, max_similarity=0.7, merge_similarity=0.99)).trace(
        QUERY, additional_packets=ALIKE
    )
    assert (on.packet("caller:1").fate, on.packet("caller:1").other) == ("redundant", "caller:0")
    assert off.packet("caller:1").fate == "selected"


@pytest.mark.parametrize(("balance", "second"), [(1.0, "caller:1"), (0.1, "caller:2")])
def test_the_balance_of_mmr_works(balance, second):
    fixed = builder().trace(QUERY).tokens
    # Room for two of the three.
    config = ContextConfig(
        max_tokens=fixed + 30, reserve_ratio=0, mmr_lambda=balance, max_similarity=1, merge_similarity=1, overfill=1.2
    )
    trace = builder(config).trace(QUERY, additional_packets=ALIKE)
    assert second in trace.chosen


def test_what_says_the_same_is_merged_and_both_are_cited():
    packets = [
        evidence("Hotel Gare is near.", 0.9, citation="a.md"),
        evidence("hotel  gare is near.", 0.8, citation="b.md"),
        evidence("Hotel Gare is near!", 0.7, citation="c.md"),
    ]
    for mmr in (True, False):
        trace = builder(ContextConfig(enable_mmr=mmr)).trace(QUERY, additional_packets=packets)
        assert [packet.fate for packet in trace.gathered[-3:]] == ["selected", "merged", "merged"]
        assert "[1] a.md; b.md; c.md" in trace.text


def test_a_large_packet_is_passed_over_for_small_ones():
    large = evidence("The hotel has many rooms and halls. " * 40, 0.8, citation="large")
    small = [evidence("Hotel Gare.", 0.7, citation="s1"), evidence("Pension Lune.", 0.6, citation="s2")]
    first = evidence("The station is in the middle of the town. " * 15, 0.9, citation="first")
    trace = builder(ContextConfig(max_tokens=260, reserve_ratio=0, mmr_lambda=1)).trace(
        QUERY, additional_packets=[first, large, *small]
    )
    assert [trace.packet(f"caller:{n}").fate for n in range(4)] == ["selected", "over_budget", "selected", "selected"]


def test_the_only_packet_is_cut_rather_than_left_out():
    page = "Nothing to see. " * 300 + "The hotel near the station is Gare. " + "Nothing else. " * 300
    trace = builder(ContextConfig(max_tokens=200)).trace(QUERY, additional_packets=[evidence(page)])
    assert trace.packet("caller:0").fate == "trimmed"
    assert "The hotel near the station is Gare." in trace.text


def test_the_last_rounds_stay_whatever_their_relevance():
    rounds = [Message(f"{who} {n}", who) for n in range(6) for who in ("user", "assistant")]
    trace = builder(ContextConfig(history_rounds=2)).trace("And the second one?", rounds)
    assert [packet.fate for packet in trace.gathered if packet.kind == "history"] == ["below_threshold"] * 4 + [
        "selected"
    ] * 2


# -- structure --------------------------------------------------------------------------------------------------------


def test_empty_sections_vanish_and_headings_are_in_the_language():
    assert "[Evidence]" not in builder().build(QUERY)
    assert "[Role" not in builder().build(QUERY)
    chinese = builder(ContextConfig(language="zh")).build("酒店？", None, "你是导游。", task_state="两晚")
    assert [line for line in chinese.split("\n") if line.startswith("[")] == [
        "[角色与规则]",
        "[任务]",
        "[状态]",
        "[输出]",
    ]


@pytest.mark.parametrize("form", [str, ContextTemplate.read])
def test_the_template_belongs_to_the_caller(form):
    template = form("I am: {role}\nDo: {task}{state}{context}\nKnown:\n{evidence}\nHow: {output}\n{{}}")
    config = ContextConfig(system_prompt_template=template, output_instructions="One word.")
    text = builder(config).build(QUERY, None, "a guide", [evidence("Hotel Gare.", citation="g")])
    assert text == f"I am: a guide\nDo: {QUERY}\nKnown:\n[1] g\nHotel Gare.\nHow: One word.\n{{}}"


@pytest.mark.parametrize(
    ("template", "complaint"),
    [
        ("{role} {task} {tusk} {state} {evidence} {context} {output}", "{tusk}"),
        ("{role} {task} {state} {context} {output}", "lacks {evidence}"),
        ("{role}{role}{task}{state}{evidence}{context}{output}", "twice"),
        ("{role!r}{task}{state}{evidence}{context}{output}", "{role}"),
    ],
)
def test_a_template_that_would_lose_something_is_refused(template, complaint):
    with pytest.raises(ValueError, match="The template") as error:
        builder(ContextConfig(system_prompt_template=template)).build(QUERY)
    assert complaint in str(error.value)


# -- compress ---------------------------------------------------------------------------------------------------------


def test_too_much_that_is_required_is_an_error_before_any_source_is_asked():
    asked = []
    source = FunctionSource("s", lambda query: asked.append(query) or [])
    config = ContextConfig(max_tokens=100)
    with pytest.raises(ContextBudgetError, match="max_tokens=100") as error:
        builder(config, sources=[source]).build(QUERY, None, "Be brief. " * 100)
    assert not asked
    assert "may have 85" in str(error.value)
    assert "Raise max_tokens" in str(error.value)


TWO = [
    evidence("Hotel Gare is near the station. " + "The lobby has a carpet. " * 30, 0.9, citation="guide.md"),
    evidence("The station opens at five. " + "The clock is old. " * 30, 0.8, citation="clock.md"),
]


def test_sentences_that_match_stay_with_their_citations():
    trace = builder(ContextConfig(max_tokens=360, reserve_ratio=0)).trace(QUERY, None, "Be brief.", TWO)
    section = next(section for section in trace.compressed if section.section == "evidence")
    before = next(section for section in trace.structured if section.section == "evidence")
    assert "[1] guide.md\nHotel Gare is near the station." in trace.text
    assert section.tokens < before.tokens
    assert "".join(text for text, _ in section.pieces).count("carpet") == 30
    assert not all(kept for _, kept in section.pieces)


def test_without_compression_whole_packets_go():
    config = ContextConfig(max_tokens=260, reserve_ratio=0, enable_compression=False)
    trace = builder(config).trace(QUERY, None, "Be brief.", TWO)
    assert {packet.fate for packet in trace.gathered} == {"required", "selected", "over_budget"}
    assert trace.tokens <= 260


def test_a_model_shortens_and_what_it_writes_is_fitted():
    config = ContextConfig(max_tokens=360, reserve_ratio=0)
    said = builder(config, llm=ScriptedLLM("[1] Gare, near.")).trace(QUERY, None, "Be brief.", TWO)
    assert "[1] Gare, near." in said.text
    assert next(section for section in said.compressed if section.section == "evidence").by_model
    long = builder(config, llm=ScriptedLLM("Near the station. " * 500)).trace(QUERY, None, "Be brief.", TWO)
    assert long.tokens <= long.budget


@pytest.mark.parametrize("reply", [RuntimeError("down"), ""])
def test_a_model_that_fails_is_reported_and_sentences_are_chosen(reply):
    config = ContextConfig(max_tokens=360, reserve_ratio=0)
    trace = builder(config, llm=ScriptedLLM(reply)).trace(QUERY, None, "Be brief.", TWO)
    assert [(failure.stage, failure.name) for failure in trace.failures] == [("compress", "model")]
    assert trace.text == builder(config).build(QUERY, None, "Be brief.", TWO)


@pytest.mark.parametrize("text", ["One. Two! 三。四？ five", "no end", "\n\na\n\nb", "3.5 is a number. Yes.", "…", ""])
def test_sentences_joined_are_the_text(text):
    assert "".join(sentences(text)) == text


# -- old code ---------------------------------------------------------------------------------------------------------


def test_the_four_methods_in_the_old_way():
    old = ContextBuilder(ContextConfig(max_tokens=400))
    packets = old._gather(user_query=QUERY, conversation_history=[], system_instructions="P", additional_packets=[])
    chosen = old._select([*packets, evidence("Hotel Gare is near the station.")], QUERY)
    text = old._structure(selected_packets=chosen, user_query=QUERY, system_instructions="P")
    assert "Hotel Gare" in old._compress(text)
    plain = "".join(["[Task]\nhotel?\n\n[Evidence]\n", "The hotel. Nothing at all. " * 400, "\n\n[Output]\nbrief"])
    shorter = old._compress(plain)
    assert old.token_counter.count_text(shorter) <= old.config.get_available_tokens()
    assert shorter.startswith("[Task]\nhotel?")
    assert shorter.endswith("[Output]\nbrief")


class Reversed(ContextBuilder):
    """A subclass that returns plain lists and texts."""

    def _select(self, packets, user_query):
        return list(reversed(packets))

    def _compress(self, context):
        return context.upper()


def test_a_subclass_may_replace_a_stage():
    trace = Reversed(ContextConfig(language="en")).trace(QUERY, None, "p", [evidence("a hotel"), evidence("b hotel")])
    assert trace.text.index("B HOTEL") < trace.text.index("A HOTEL")
    assert trace.text == Reversed().build(QUERY, None, "p", [evidence("a hotel"), evidence("b hotel")])


def test_packets_as_before():
    packet = ContextPacket("hello world")
    assert packet.token_count == 2
    assert packet.relevance_score == 0.0
    assert packet.metadata == {}
    assert ContextPacket("x", token_count=7).token_count == 7
    text = builder().build(QUERY, custom_packets=[evidence("Hotel Gare.")])
    assert "Hotel Gare." in text


@pytest.mark.parametrize(
    "values",
    [
        {"max_tokens": 0},
        {"reserve_ratio": 1.0},
        {"mmr_lambda": 1.5},
        {"min_relevance": -0.1},
        {"recency_hours": 0},
        {"overfill": 0.5},
        {"relevance_weight": 0, "recency_weight": 0, "importance_weight": 0},
        {"relevance_weight": float("nan")},
    ],
)
def test_settings_that_cannot_work_are_refused(values):
    with pytest.raises(ValueError, match="Give"):
        ContextConfig(**values)


def test_a_source_of_ones_own_is_a_name_and_a_method():
    class Own:
        name = "own"

        def packets(self, query):
            return [ContextPacket(f"{query} Gare.", NOW)]

    trace = builder(sources=[Own()]).trace(QUERY)
    assert trace.packet("own:0").chosen
    assert asyncio.run(asyncio.to_thread(builder(sources=[Own()]).build, QUERY)) == trace.text


class Own(ContextBuilder):
    """What a reader writes who has read the signatures of 1.0.0: plain lists and plain texts."""

    def _gather(self, user_query, conversation_history=(), system_instructions=None, additional_packets=()):
        return list(super()._gather(user_query, conversation_history, system_instructions, additional_packets))

    def _select(self, packets, user_query):
        return [packet for packet in packets if "secret" not in packet.content]

    def _structure(self, selected_packets, user_query, system_instructions=None):
        return str(super()._structure(selected_packets, user_query, system_instructions))

    def _compress(self, context):
        return str(super()._compress(str(context)))


def test_stages_of_ones_own_may_give_plain_lists_and_texts():
    packets = [ContextPacket(f"{word} is known.", relevance_score=0.9) for word in ("Rome", "secret", "Oslo")]
    builder = Own(config=ContextConfig(max_tokens=400))
    text = builder.build("What is known?", None, "Be brief.", packets)
    trace = builder.trace("What is known?", None, "Be brief.", packets)
    assert trace.text == text
    assert "Rome is known." in text
    assert "Oslo is known." in text
    assert "secret" not in text
    assert builder.token_counter.count_text(text) <= builder.config.get_available_tokens()


@pytest.mark.parametrize("room", [60, 120, 200, 400])
def test_without_compression_packets_go_whole_the_least_first(room):
    packets = [
        ContextPacket(f"Fact {n}: the {n}. ferry leaves from pier {n}.", relevance_score=1 - n / 20) for n in range(12)
    ]
    config = ContextConfig(max_tokens=room, reserve_ratio=0, enable_compression=False, overfill=3.0, min_relevance=0)
    builder = ContextBuilder(config=config)
    text = builder.build("ferry", None, "Be brief.", packets)
    assert builder.token_counter.count_text(text) <= room
    kept = [n for n, packet in enumerate(packets) if packet.content in text]
    assert all(packet.content in text or f"Fact {n}:" not in text for n, packet in enumerate(packets)), "none is cut"
    assert "Be brief." in text
    assert kept or room < 120
