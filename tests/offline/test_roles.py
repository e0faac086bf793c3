"""The prompts of the library, as the offline model reads them."""

from __future__ import annotations

import string
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hello_agents.agents.factory import default_subagent_factory
from hello_agents.agents.reflection_agent import is_satisfied
from hello_agents.agents.simple_agent import SimpleAgent
from hello_agents.catalogue import TEXTS, text
from hello_agents.core.action import Request
from hello_agents.core.config import Config
from hello_agents.core.digest import transcript
from hello_agents.core.message import Message, ToolCall
from hello_agents.offline import OfflineLLM
from hello_agents.offline.frames import numbered, results_so_far, unframed

from .corpus import ALL, calc, read, write
from .world import FINISH, THOUGHT, converse, schema

LANGUAGES = ["en", "zh"]

# -- frames ------------------------------------------------------------------------------------------

values = st.text(string.ascii_letters + "0123456789 *\n.中文：?", max_size=30)


@settings(deadline=None)
@given(st.sampled_from(["plan.step", "reflection.refine", "reflection.reflect", "plan.ask"]), st.data())
def test_what_was_put_in_comes_out(key: str, data: st.DataObject) -> None:
    for language in LANGUAGES:
        places = [place for _, place, _, _ in string.Formatter().parse(TEXTS[key][language]) if place]
        put = {place: data.draw(values) for place in places}
        frame = unframed(key, text(key, language, **put))
        assert frame is not None
        assert (frame.language, frame.values) == (language, put)


@settings(deadline=None)
@given(st.text(), st.sampled_from(["plan.step", "reflection.refine", "reflection.reflect"]))
def test_other_texts_are_no_frames(said: str, key: str) -> None:
    assert unframed(key, said) is None


@settings(deadline=None)
@given(st.lists(st.text("ab 12.\n", min_size=1).filter(lambda s: s == s.strip()), min_size=1, max_size=4), st.data())
def test_plans_and_results_are_read_back(steps: list[str], data: st.DataObject) -> None:
    steps = [step.replace("\n", " ") for step in steps]
    assert numbered("\n".join(f"{n}. {step}" for n, step in enumerate(steps, 1))) == steps
    done = data.draw(st.integers(0, len(steps)))
    results = [data.draw(st.text("xy\n =", max_size=12)) for _ in range(done)]
    history = "\n\n".join(
        f"{n}. {step}\n{result}" for n, (step, result) in enumerate(zip(steps, results, strict=False), 1)
    )
    assert results_so_far(steps, history) == list(zip(steps, results, strict=False))


# -- the executor ------------------------------------------------------------------------------------


def step(plan: list[str], results: list[str], question: str = "All of it", language: str = "en") -> str:
    """The executor's prompt for the step after those that have results."""
    history = "\n\n".join(f"{n}. {plan[n - 1]}\n{result}" for n, result in enumerate(results, 1))
    return text(
        "plan.step",
        language,
        question=question,
        plan="\n".join(f"{n}. {one}" for n, one in enumerate(plan, 1)),
        history=history or text("limits.nothing", language),
        step=plan[len(results)],
    )


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("more", [[], [THOUGHT, FINISH]], ids=["plain", "react"])
@pytest.mark.parametrize(
    ("plan", "results", "calls"),
    [
        (["Work out 12*9", "7+8"], [], [calc("12*9")]),
        (["Work out 12*9", "7+8"], ["12 * 9 = 108"], [calc("7+8")]),
        (["Work out 12*9", "double it"], ["12 * 9 = 108"], [calc("108*2")]),
        (["12*9", "7+8", "the sum of both"], ["12 * 9 = 108", "7 + 8 = 15"], [calc("108 + 15")]),
        (["12*9", "7+8", "把两者相加"], ["12 * 9 = 108", "7 + 8 = 15"], [calc("108 + 15")]),
        (["1+1", "2+2", "3+3", "add them up"], ["1 + 1 = 2", "2 + 2 = 4", "3 + 3 = 6"], [calc("2 + 4 + 6")]),
        (["Read a.md", "add up the numbers"], ["a.md says:\n- a: 1\n\n- b: 2"], [calc("1 + 2")]),
        (["12*9", "write the result to o.txt"], ["12 * 9 = 108"], [write("o.txt", "108")]),
        (["Read a.md", "write it to b.md"], ["a.md says: one\n"], [write("b.md", "one\n")]),
        (["Read a.md", "Read hello.txt"], ["Read(path='a.md') failed: not there."], [read("hello.txt")]),
    ],
)
def test_only_the_step_is_the_task(
    plan: list[str], results: list[str], calls: list[Any], more: list[dict[str, Any]], language: str
) -> None:
    talk = converse(step(plan, results, "Read b.txt, work out 99*99", language), [*more, *ALL])
    assert talk.made() == calls


@pytest.mark.parametrize("failed", ["Read(path='a.md') failed: no file.", "Not done: “x”", "❌ Error [X]: y", ""])
def test_a_failed_step_gives_nothing_to_go_on_with(failed: str) -> None:
    talk = converse(step(["Read a.md", "write it to b.md"], [failed]), ALL)
    assert talk.made() == []
    assert failed in talk.answer


def test_the_last_step_answers_the_whole_question() -> None:
    middle = converse(step(["12*9", "7+8", "1+1"], ["12 * 9 = 108"]), ALL).answer
    assert middle == "7 + 8 = 15"
    last = converse(step(["12*9", "7+8"], ["12 * 9 = 108"]), ALL).answer
    assert last == "12 * 9 = 108\n7 + 8 = 15"


def test_the_language_is_that_of_the_step_or_else_of_the_prompt() -> None:
    assert "可用的工具" in converse(step(["???"], [], language="zh"), ALL).answer
    assert "Tools on offer" in converse(step(["???"], [], language="en"), ALL).answer
    assert "内容是" in converse(step(["读取 hello.txt"], [], language="en"), ALL).answer


# -- the critic and the refiner ----------------------------------------------------------------------


def verdict(task: str, answer: str, language: str = "en") -> str:
    prompt = text("reflection.reflect", language, task=task, content=answer)
    system = Message(text("reflection.critic", language), "system")
    message = OfflineLLM().reply(Request([system, Message(prompt, "user")]))
    assert not message.tool_calls
    return message.text


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("task", "answer"),
    [
        ("What is 12*9?", "12 * 9 = 108"),
        ("Read hello.txt", "hello.txt says: hello world"),
        ("Read hello.txt and write it to b.txt", "hello.txt: x\nCreated b.txt (1 lines, 1 bytes)."),
        ("Make a todo list: 1. eat 2. sleep", "Todos (0/2 done)"),
        ("Write '42 things' to x.txt", "Created x.txt (1 lines, 9 bytes)."),
        ("Tell me a joke", "Two agents walk into a loop."),
        ("计算 12×9", "12 * 9 = 108"),
        ("读取 a.md，然后把数字加起来", "a.md：\n1\n2\n1 + 2 = 3"),
    ],
)
def test_the_critic_is_content(task: str, answer: str, language: str) -> None:
    assert is_satisfied(verdict(task, answer, language))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("task", "answer", "names"),
    [
        ("What is 12*9?", "", ""),
        ("What is 12*9?", " \n", ""),
        ("What is 12*9 and 7+8?", "12 * 9 = 108", "7"),
        ("Read a.md and b.md", "a.md: x", "b.md"),
        ("Read a.md", "Read(path='a.md') failed: no such file.", "a.md"),
        ("Work out 3*4", "3 * 4 = 12\nNot done: “write it”; there was no call left for it.", "write it"),
        ("Work out 3*4 ", "❌ Error [X]: 3*4", "Error"),
        ("计算 12×9 和 7+8", "12 * 9 = 108", "7"),
        ("读取 a.md", "Read(path='a.md') 失败：没有文件。", "a.md"),
        ("读取 a.md 并写入 b.md", "a.md: x", "b.md"),
    ],
)
def test_the_critic_objects(task: str, answer: str, names: str, language: str) -> None:
    said = verdict(task, answer, language)
    assert not is_satisfied(said)
    assert names in said


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_task_is_refined_and_not_the_critique(language: str) -> None:
    prompt = text(
        "reflection.refine",
        language,
        task="Read hello.txt",
        last_attempt="Read b.txt: 12*9",
        feedback="The task names 77*77. Read notes/a.txt.",
    )
    assert converse(prompt, ALL).made() == [read("hello.txt")]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", ["simple", "react"])
def test_a_sub_agent_does_its_task(kind: str, language: str) -> None:
    task = {"en": "work out 12*9", "zh": "计算 12*9"}[language]
    agent = default_subagent_factory(kind, OfflineLLM(), None, Config(language=language))
    assert agent.run(task) == "12 * 9 = 108"
    neutral = default_subagent_factory(kind, OfflineLLM(), None, Config(language=language))
    assert ("没有可用的工具" in neutral.run("???")) == (language == "zh")


# -- the summariser ----------------------------------------------------------------------------------

TRANSCRIPT = "user: my name is Ada\nassistant: Hello Ada.\nuser: What is 12*9?\ntool: 108\nassistant: 12 * 9 = 108"
ZH_TRANSCRIPT = "用户：我叫小明\n助手：你好，小明。\n用户：读取 a.md\n助手：a.md 的内容是：12*9"


@pytest.mark.parametrize("choice", ["auto", "none"])
@pytest.mark.parametrize("tools", [[], ALL, [THOUGHT, FINISH, *ALL]], ids=["none", "tools", "react"])
@pytest.mark.parametrize(
    ("question", "facts"),
    [
        (f"Summarise this conversation in a few sentences:\n\n{TRANSCRIPT}", ["Ada", "108"]),
        (f"{TRANSCRIPT}\n\nPlease write a summary of the conversation above.", ["Ada", "108"]),
        (f"总结以下对话：\n{ZH_TRANSCRIPT}", ["小明", "a.md"]),
        (f"请把下面的对话压缩成摘要。\n{ZH_TRANSCRIPT}", ["小明", "a.md"]),
    ],
)
def test_a_transcript_is_summed_up(question: str, facts: list[str], tools: list[Any], choice: str) -> None:
    message = OfflineLLM().reply(Request([Message(question, "user")], tuple(tools), choice))
    assert {call.name for call in message.tool_calls} <= {"Finish"}
    if choice == "none" or not tools:
        assert not message.tool_calls
    said = message.content or message.tool_calls[0].arguments["answer"]
    for fact in facts:
        assert fact in said
    assert len(said) < len(question) * 1.2


@pytest.mark.parametrize("question", ["Summarise our conversation so far", "总结一下我们的对话"])
def test_the_conversation_before_is_summed_up(question: str) -> None:
    before = [Message("my name is Ada", "user"), Message("Hello Ada.", "assistant"), Message(question, "user")]
    said = OfflineLLM().reply(Request(before)).text
    assert "my name is Ada" in said
    assert "Hello Ada." in said


def test_a_summariser_by_its_system_prompt() -> None:
    system = Message("You summarise conversations between a user and an assistant.", "system")
    said = OfflineLLM().reply(Request([system, Message(TRANSCRIPT, "user")])).text
    assert said.splitlines()[0] == "Asked: my name is Ada"
    assert "108" in said


def test_a_long_conversation_has_a_short_summary() -> None:
    long = "\n".join(f"user: question {n} {'x' * 500}\nassistant: answer {n}" for n in range(200))
    said = OfflineLLM().reply(Request([Message(f"Summarise the conversation:\n{long}", "user")])).text
    assert "question 0" in said
    assert "answer 199" in said
    assert len(said) < 4000


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_library_s_own_request_for_a_summary(language: str) -> None:
    def bytes_of(said: str) -> int:
        return len(said.encode()) // 4

    messages = [
        Message("You help.", "system"),
        Message("Before, there was rain.", "summary"),
        Message("my name is Ada\nRead a.md and b.md", "user"),
        Message(None, "assistant", tool_calls=[ToolCall("c", "Read", {"path": "a.md"})]),
        Message("alpha", "tool", answers="c"),
        Message("a.md says: alpha", "assistant"),
        Message("Summarise this conversation later", "user"),
    ]
    for tokens in (800, 40):
        prompt = text("summarizer.task", language, tokens=tokens, transcript=transcript(messages))
        system = Message(text("summarizer.system", language), "system")
        for offer in ((), tuple(ALL)):
            message = OfflineLLM().reply(Request([system, Message(prompt, "user")], offer))
            assert not message.tool_calls
            assert bytes_of(message.text) <= tokens
        if tokens == 800:
            for fact in ("rain", "Ada", "b.md", "alpha", "Read"):
                assert fact in message.text
            assert text("digest.asked", language, text="my name is Ada Read a.md and b.md") in message.text


def test_a_name_survives_compaction() -> None:
    config = Config(memory_buffer_tokens=300, enable_smart_compression=True, min_retain_rounds=1)
    agent = SimpleAgent("a", OfflineLLM(), config=config)
    agent.run("my name is Ada")
    for number in range(6):
        agent.run(f"What is {number}*9? " + "Tell me more please. " * 12)
    assert agent.run("What is my name?") == "Your name is Ada."
    assert agent.state.messages[0].role == "summary"
    assert not any(message.tool_calls for child in agent.state.children.values() for message in child.messages)


def test_files_and_texts_are_no_conversations() -> None:
    assert converse("Summarise hello.txt", ALL).made() == [read("hello.txt")]
    assert converse("Summarise the messages in hello.txt", ALL).made() == [read("hello.txt")]


def test_a_summary_from_the_wire_is_no_question() -> None:
    for language in LANGUAGES:
        told = Message(text("wire.summary", language) + "\nThe user said: my name is Ada.", "user")
        asked = [told, Message("What is my name?", "user")]
        assert "Ada" in OfflineLLM().reply(Request(asked)).text
        assert "first question" in OfflineLLM().reply(Request([told, Message("What did I ask first?", "user")])).text


def test_a_planner_keeps_what_is_asked_and_leaves_what_is_told() -> None:
    tool = schema("generate_plan", "Writes down the plan.", steps={"type": "array", "items": {"type": "string"}})

    def plan(question: str) -> list[str]:
        for language in LANGUAGES:
            prompt = Message(text("plan.ask", language, question=question), "user")
            message = OfflineLLM().reply(Request([prompt], (tool,), "generate_plan"))
        return message.tool_calls[0].arguments["steps"]

    assert plan("Work out 12*9 and then 7+8") == ["Work out 12*9", "7+8"]
    assert plan("What is the weather in Paris? And in Berlin?")[1] == "And in Berlin"
    assert plan("A shop sells 3 boxes of 12 eggs. How many eggs is 3*12?") == ["How many eggs is 3*12"]
    assert plan("分析项目结构并生成报告") == ["分析项目结构", "生成报告"]
    assert plan("Read a.md.\n\nThen add up the numbers") == ["Read a.md", "add up the numbers"]
    assert plan("") == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_it_shortens_a_context_and_keeps_what_was_asked_for(language: str) -> None:
    from hello_agents.context.builder import ContextBuilder, ContextConfig, ContextPacket

    query, fact = {
        "en": ("When does the last ferry to Ven leave?", "The last ferry to Ven leaves at 22:40."),
        "zh": ("去文岛的末班渡轮几点开？", "去文岛的末班渡轮 22:40 开。"),
    }[language]
    filler = {"en": "The harbour has {n} berths and a café. ", "zh": "港口有 {n} 个泊位和一家咖啡馆。"}[language]
    content = "".join(filler.format(n=n) for n in range(60)) + fact + "".join(filler.format(n=n) for n in range(60))
    packet = ContextPacket(content, metadata={"type": "knowledge_base"}, relevance_score=0.9)
    config = ContextConfig(max_tokens=260, language=language)
    trace = ContextBuilder(config=config, llm=OfflineLLM(language=language)).trace(query, additional_packets=[packet])
    assert fact in trace.text
    assert not trace.failures
    assert trace.tokens <= trace.budget
    assert any(section.by_model for section in trace.compressed)
