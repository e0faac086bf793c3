"""An agent whose requests carry a built context: where its answers come from, and what stands in its journal."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from hello_agents.agents.react_agent import ReActAgent
from hello_agents.agents.simple_agent import SimpleAgent
from hello_agents.context import (
    ContextBudgetError,
    ContextBuilder,
    ContextConfig,
    ContextTrace,
    FunctionSource,
    KnowledgeSource,
    MemorySource,
)
from hello_agents.core.contexts import CONTEXT
from hello_agents.core.journal import dump_journal, load_journal
from hello_agents.core.run import Noted, Replied, Run
from hello_agents.memory.knowledge import Knowledge
from hello_agents.memory.manager import MemoryManager
from hello_agents.offline.offline_llm import OfflineLLM
from hello_agents.offline.scripted import ScriptedLLM
from hello_agents.tools import MemoryTool, RAGTool, ToolRegistry

GUIDE = """# Lyon

## Hotels

Hotel Gare stands beside the station and costs 90 euros a night.

## Visas

A visa takes two weeks.
"""


def add(a: int, b: int) -> int:
    """Adds two whole numbers."""
    return a + b


def knowing(by_tools):
    """A builder with a document and a memory, by sources or by the tools of the old signature."""
    memory, knowledge = MemoryManager(), Knowledge()
    knowledge.add(GUIDE, title="guide.md")
    memory.add_memory("The guest is allergic to feathers.", memory_type="semantic", importance=0.9)
    config = ContextConfig(max_tokens=900, min_relevance=0.2)
    if by_tools:
        return ContextBuilder(MemoryTool(manager=memory), RAGTool(knowledge=knowledge), config)
    return ContextBuilder(config=config, sources=[MemorySource(memory), KnowledgeSource(knowledge)])


def traces(agent):
    notes = [entry.event for entry in agent.journal if isinstance(entry.event, Noted) and entry.event.key == CONTEXT]
    return [ContextTrace.from_dict({**note.value["trace"], "text": note.value["text"]}) for note in notes]


@pytest.mark.parametrize("by_tools", [True, False])
def test_an_answer_from_a_document_and_one_from_what_was_said_three_turns_ago(by_tools):
    agent = SimpleAgent("guide", OfflineLLM(), "You are a travel guide.", context_builder=knowing(by_tools))
    agent.run("My budget for the hotel is 900 euros.")
    agent.run("I like mountains.")
    agent.run("My sister likes lakes.")

    hotel = agent.run("Which hotel stands beside the station?")
    assert "Hotel Gare stands beside the station" in hotel
    assert "[1]" in hotel
    found = next(packet for packet in traces(agent)[-1].selected if "Hotel Gare" in packet.label)
    assert (found.source, found.fate) == ("knowledge", "selected")
    assert "guide.md › Lyon › Hotels" in found.citation

    budget = agent.run("How large is my budget for the hotel?")
    assert "900 euros" in budget
    said = next(packet for packet in traces(agent)[-1].selected if "900 euros" in packet.label)
    assert said.source == "history"

    allergy = agent.run("What is the guest allergic to?")
    assert "feathers" in allergy
    assert next(one for one in traces(agent)[-1].selected if "feathers" in one.label).source == "memory"


def test_a_context_is_built_once_a_question_and_stands_in_the_journal():
    asked = []
    source = FunctionSource("s", lambda query: asked.append(query) or ["Two numbers can be added."])
    tools = ToolRegistry()
    tools.register_function(add)
    agent = ReActAgent("r", OfflineLLM(), tools, context_builder=ContextBuilder(sources=[source]))
    assert "5" in agent.run("What is add 2 and 3?")
    assert asked == ["What is add 2 and 3?"]
    assert len(traces(agent)) == 1
    agent.run("And add 4 and 4?")
    assert asked[1:] == ["And add 4 and 4?"]
    assert list(load_journal(dump_journal(agent.journal))) == agent.journal
    assert Run.from_json(agent.state.to_json()) == agent.state


def test_requests_have_the_context_for_a_prompt_and_only_the_question_behind_it():
    agent = SimpleAgent("s", ScriptedLLM("one", "two"), "You are a guide.", context_builder=ContextBuilder())
    agent.run("First?")
    debugger = agent.steps("Second?")
    debugger.finish()
    seq = next(place for place, entry in enumerate(debugger.entries) if isinstance(entry.event, Replied))
    request = debugger.request_at(seq)
    assert [message.role for message in request.messages] == ["system", "user"]
    assert request.messages[0].text == debugger.run.notes[CONTEXT]["text"]
    for said in ("You are a guide.", "Second?", "First?", "one"):
        assert said in request.messages[0].text


def test_a_run_is_taken_up_with_the_context_that_it_has():
    agent = SimpleAgent("s", ScriptedLLM("one"), context_builder=ContextBuilder())
    snapshots = [run for _, run in agent.walk("First?")]
    built = next(run for run in snapshots if CONTEXT in run.notes)
    other = FunctionSource("other", lambda query: ["First things differ."])
    again = SimpleAgent("s", ScriptedLLM("one"), context_builder=ContextBuilder(sources=[other]))
    again.state = Run.from_json(built.to_json())
    again.resume()
    assert again.state == agent.state


def test_awaited_and_streamed_alike():
    def made():
        builder = ContextBuilder(clock=lambda: datetime(2000, 1, 1, tzinfo=UTC))
        return SimpleAgent("s", ScriptedLLM("one"), context_builder=builder)

    sync, awaited = made(), made()
    sync.run("First?")
    asyncio.run(awaited.arun("First?"))
    assert sync.journal == awaited.journal


def test_a_budget_that_cannot_hold_the_prompt_is_told_before_the_model_is_asked():
    builder = ContextBuilder(ContextConfig(max_tokens=20))
    agent = SimpleAgent("s", ScriptedLLM("never"), "A long prompt. " * 30, context_builder=builder)
    with pytest.raises(ContextBudgetError, match="max_tokens=20"):
        agent.run("First?")
    assert not any(isinstance(entry.event, Replied) for entry in agent.journal)


def test_without_a_builder_nothing_is_noted():
    agent = SimpleAgent("s", ScriptedLLM("one"))
    agent.run("First?")
    assert not agent.state.notes


def test_the_offline_model_quotes_chinese_evidence():
    source = FunctionSource("笔记", lambda query: ["车站旁边的酒店叫做里昂之星。", "签证需要两周。"])
    builder = ContextBuilder(ContextConfig(language="zh", min_relevance=0.1), sources=[source])
    agent = SimpleAgent("导游", OfflineLLM(), "你是导游。", context_builder=builder)
    assert "里昂之星" in agent.run("车站旁边的酒店叫什么？")
