"""The memory tool: as several tools and as one, what it says, its errors, and agents that remember by it."""

import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta

import pytest

from hello_agents import (
    HelloAgentsLLM,
    MemoryConfig,
    MemoryManager,
    MemoryTool,
    OfflineLLM,
    ReActAgent,
    ScriptedLLM,
    SimpleAgent,
    ToolCall,
    ToolRegistry,
)
from hello_agents.catalogue import TEXTS
from hello_agents.memory.judge import ImportanceJudge, number_in
from hello_agents.memory.store import Loaded

START = datetime(2026, 3, 1, tzinfo=UTC)
ACTIONS = ["add", "search", "summary", "stats", "update", "remove", "forget", "consolidate", "clear_all"]


class Clock:
    time = START

    def __call__(self):
        return self.time


@pytest.fixture
def tool():
    return MemoryTool(clock=Clock())


def do(tool, action, **parameters):
    return tool.run({"action": action, **parameters})


# --- as several tools and as one -------------------------------------------------------------------------------------


def test_registered_it_is_a_tool_for_each_action(tool):
    registry = ToolRegistry()
    registry.register_tool(tool)
    assert registry.list_tools() == [f"memory_{action}" for action in ACTIONS]
    assert registry.execute_tool("memory_add", {"content": "tea", "importance": "0.7"}).status == "success"
    assert "tea" in registry.execute_tool("memory_search", {"query": "tea"}).text
    assert tool.memory_manager.all()[0].importance == 0.7


@pytest.mark.parametrize("expandable", [True, False])
def test_as_one_tool_it_takes_an_action(expandable):
    registry = ToolRegistry()
    registry.register_tool(MemoryTool(expandable=expandable), auto_expand=False)
    assert registry.list_tools() == ["memory"]
    schema = registry.schemas()[0]["function"]["parameters"]
    assert schema["required"] == ["action"]
    assert schema["properties"]["action"]["enum"] == ACTIONS
    arguments = {"action": "add", "content": "tea", "query": None, "limit": 5, "tags": ["drink"]}
    assert registry.execute_tool("memory", arguments).status == "success"
    found = registry.execute_tool("memory", {"action": "search", "query": "tea", "content": ""})
    assert found.data["memories"][0]["tags"] == ["drink"]


def test_the_old_form_takes_more_keywords_as_metadata(tool):
    added = tool.execute(
        "add", content="tea", memory_type="episodic", importance=0.8, session_id="s1", metadata={"a": 1}
    )
    assert str(added).startswith("Remembered:")
    assert tool.memory_manager.get("m1").metadata == {"a": 1, "session_id": "s1"}
    assert tool.execute("update", memory_id="m1", mood="good").status == "success"
    assert tool.memory_manager.get("m1").metadata["mood"] == "good"
    assert "there is no parameter mood" in tool.execute("search", query="tea", mood="good").text


@pytest.mark.parametrize("given", ["stats", "add", "search", None, 3, [], {}, {"action": None}, {"action": "shout"}])
def test_another_form_is_an_error_that_shows_the_right_one(tool, given):
    response = tool.run(given)
    assert response.code == "INVALID_PARAM"
    example = f'{{"action": "{given}"' if given in ("stats", "search") else '{"action": "add", "content": "…"}'
    assert example in response.text
    assert ", ".join(ACTIONS) in response.text


@pytest.mark.parametrize(
    ("action", "parameters", "said"),
    [
        ("add", {}, "content is missing"),
        ("add", {"content": " "}, "content is empty"),
        ("add", {"content": "x", "importance": 7}, "importance 7.0 is not from 0 to 1"),
        ("add", {"content": "x", "importance": "high"}, "importance"),
        ("add", {"content": "x", "memory_type": "perceptual"}, "memory_type"),
        ("add", {"content": "long " * 3000}, "working memory holds 2000"),
        ("search", {"query": ""}, "query is empty"),
        ("search", {"query": "x", "memory_types": ["dream"]}, "memory_types"),
        ("forget", {"strategy": "random"}, "strategy"),
        ("consolidate", {"to_type": "working"}, "both 'working'"),
        ("update", {}, "memory_id is missing"),
    ],
)
def test_what_cannot_be_done_is_said(tool, action, parameters, said):
    response = do(tool, action, **parameters)
    assert response.code == "INVALID_PARAM"
    assert said in response.text
    assert tool.memory_manager.all() == []


@pytest.mark.parametrize("action", ["update", "remove"])
def test_an_id_that_is_not_there(tool, action):
    response = do(tool, action, memory_id="m7")
    assert (response.code, "'m7'" in response.text) == ("NOT_FOUND", True)


# --- what it says ----------------------------------------------------------------------------------------------------


def test_evictions_are_said_with_the_reason():
    clock = Clock()
    tool = MemoryTool(memory_config=MemoryConfig(working_memory_capacity=2, max_capacity=1), clock=clock)
    do(tool, "add", content="a", importance=0.9)
    do(tool, "add", content="b", importance=0.2)
    response = do(tool, "add", content="c", importance=0.1)
    assert response.data["evicted"] == [{"id": "m2", "memory_type": "working", "content": "b", "reason": "capacity"}]
    assert "- [m2] (working) b: too many memories, and it was worth least" in response.text
    response = do(tool, "forget", threshold=0.3)
    assert (response.data["count"], "- [m3] (working) c: its importance was 0.10" in response.text) == (1, True)
    assert do(tool, "forget", threshold=0.3).text == "Nothing had to be forgotten."
    response = do(tool, "consolidate")
    assert "1 moved from working to episodic:\n- [m1] (episodic of 2026-03-01, 0.90) a" in response.text
    assert do(tool, "consolidate").text == "Nothing in working memory is at least 0.7 important."
    do(tool, "add", content="short")
    clock.time += timedelta(days=1)
    response = do(tool, "search", query="short")
    assert "- [m4] (working) short: its time had run out" in response.text
    assert "No memory fits 'short'" in response.text
    clock.time += timedelta(days=40)
    assert "it was of 2026-03-01" in tool.forget_old_memories().text


def test_reasons_of_a_hit_are_in_the_data(tool):
    do(tool, "add", content="Ada likes tea", importance=0.8)
    (hit,) = do(tool, "search", query="Ada").data["memories"]
    assert hit["score"] == pytest.approx(sum(hit["reasons"].values()))
    assert hit["reasons"]["importance"] == pytest.approx(0.15 * 0.8)


def test_removing_one_and_all_and_counting(tool):
    for content in ("a", "b", "c"):
        do(tool, "add", content=content, memory_type="semantic")
    assert do(tool, "remove", memory_id="m2").data == {"removed": "m2"}
    assert "- semantic: 2 of any number, 2 tokens, importance 0.50 on average" in do(tool, "stats").text
    assert do(tool, "summary").data["stats"]["total_memories"] == 2
    assert do(tool, "clear_all").data == {"cleared": 2}
    assert do(tool, "summary").text == "Nothing is remembered."


def test_helpers_for_programs(tool):
    tool.add_knowledge("water boils at 100 degrees")
    tool.auto_record_conversation("how hot is boiling water?", "100 degrees " * 2000)
    kinds = [(item.memory_type, item.importance, item.tags) for item in tool.memory_manager.all()]
    assert kinds == [("episodic", 0.5, ("conversation",)), ("semantic", 0.9, ())]
    assert tool.get_context_for_query("boils", 1) == "- [m1] (semantic, 0.90) water boils at 100 degrees"
    assert tool.get_context_for_query("zebra") == tool.get_context_for_query(" ") == ""
    do(tool, "add", content="now", importance=0.9)
    assert tool.consolidate_memories().data["moved"][0]["id"] == "m3"
    do(tool, "add", content="now")
    assert tool.clear_session().data == {"cleared": 1}


def test_in_chinese_nothing_is_said_in_english():
    tool = MemoryTool(language="zh", clock=Clock())
    assert do(tool, "add", content="我喜欢绿茶", importance=0.9).text == "已记住：\n- [m1] (working, 0.90) 我喜欢绿茶"
    assert do(tool, "search", query="绿茶").text.startswith("找到 1 条")
    assert "缺少 query" in do(tool, "search").text
    assert do(tool, "search", query="").text.startswith("query 为空")
    for schema in (one.to_openai_schema()["function"] for one in tool.get_expanded_tools()):
        assert not schema["description"].isascii()
        for parameter in schema["parameters"]["properties"].values():
            assert not parameter["description"].isascii()


def test_every_text_has_the_same_places_in_both_languages():
    from string import Formatter

    for key, versions in TEXTS.items():
        if key.startswith("memory."):
            places = [{place for _, place, _, _ in Formatter().parse(said) if place} for said in versions.values()]
            assert places[0] == places[1], key


# --- a store that fails ----------------------------------------------------------------------------------------------


class Broken:
    """A store that works until it is told not to."""

    def __init__(self, problems=()):
        self.fails = False
        self.problems = problems

    def load(self):
        if self.fails:
            raise TypeError("search() takes 1 argument")
        return Loaded(problems=self.problems)

    def write(self, put, remove):
        if self.fails:
            raise OSError(28, "No space left on device")


@pytest.mark.parametrize("action", [action for action in ACTIONS])
def test_a_store_that_cannot_be_read_is_an_error_for_every_action(action):
    store = Broken()
    store.fails = True
    tool = MemoryTool(store=store)
    needed = {
        "add": {"content": "x"},
        "search": {"query": "x"},
        "update": {"memory_id": "m1"},
        "remove": {"memory_id": "m1"},
    }
    response = do(tool, action, **needed.get(action, {}))
    assert response.status == "error"
    assert response.code == "EXECUTION_ERROR"
    assert "search() takes 1 argument" in response.text
    assert "does not mean that nothing is remembered" in response.text


def test_a_store_that_cannot_be_written_leaves_what_was_there():
    store = Broken()
    tool = MemoryTool(store=store)
    do(tool, "add", content="tea")
    store.fails = True
    for action, more in (
        ("add", {"content": "x"}),
        ("clear_all", {}),
        ("remove", {"memory_id": "m1"}),
        ("consolidate", {"importance_threshold": 0}),
    ):
        assert "No space left" in do(tool, action, **more).text
    assert do(tool, "search", query="tea").data["memories"][0]["id"] == "m1"


def test_what_a_store_has_lost_is_told_once():
    tool = MemoryTool(store=Broken(("the last line was torn",)))
    first, second = do(tool, "stats"), do(tool, "stats")
    assert (first.status, second.status) == ("partial", "success")
    assert "the last line was torn" in first.text


# --- importance by a model -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "importance"),
    [
        ("0.8", 0.8), ("Importance: 0.75.", 0.75), ("8/10", 0.8), ("I'd say 7 / 10!", 0.7), ("80%", 0.8), ("0", 0.0),
        ("1", 1.0), ("8", 0.8), (".5", 0.5), ("重要性：0.9", 0.9), ("重要性为0.9分", 0.9), ("重要性为0，5", None), ('{"importance": 0.3}', 0.3),
        ("On a scale from 0 to 1 it is 0.6", 0.6), ("从 0 到 1，我给 0.6 分", 0.6), ("<think>0.2? no, 0.9</think>0.7", 0.7),
        ("**0.4**", 0.4), ("0.4, yes: 0.4", 0.4), ("between us, none", None), ("", None), ("0.2 or 0.9", None), ("-1", None),
        ("250", None), ("3/0", None), ("nan", None),
    ],
)  # fmt: skip
def test_a_number_is_found_where_it_is_clear(said, importance):
    found = number_in(said)
    assert found == (None if importance is None else pytest.approx(importance))


def scripted(*replies):
    return ScriptedLLM(frames={ImportanceJudge.frame: replies})


def test_a_model_judges_what_has_no_importance():
    judge = scripted("0.9", "3/10")
    tool = MemoryTool(judge=judge)
    assert do(tool, "add", content="allergic to nuts").data["memory"]["importance"] == 0.9
    assert do(tool, "add", content="given", importance=0.5).data["memory"]["importance"] == 0.5
    assert do(tool, "add", content="chatter").data["memory"]["importance"] == 0.3


@pytest.mark.parametrize(
    ("reply", "why"),
    [("very much so", "no single number"), (ConnectionError("down"), "ConnectionError: down")],
)
def test_a_judge_that_fails_leaves_the_default_and_is_told(reply, why):
    tool = MemoryTool(judge=scripted(reply), memory_config=MemoryConfig(default_importance=0.4))
    response = do(tool, "add", content="x")
    assert response.data["memory"]["importance"] == 0.4
    assert why in response.text
    assert "0.4 was taken" in response.text


def test_asking_for_a_judgement_by_name():
    assert MemoryManager(judge=scripted("1")).add("x", importance="judge").item.importance == 1
    with pytest.raises(ValueError, match="no model to judge"):
        MemoryManager().add("x", importance="judge")


@pytest.mark.parametrize("model", [OfflineLLM(), HelloAgentsLLM("offline")])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_offline_model_tells_vital_from_lasting_from_chatter(model, language):
    texts = (
        ["I am allergic to peanuts, never forget that", "Ada likes tea", "Thanks, bye"]
        if language == "en"
        else ["我对花生过敏，千万别忘", "小明喜欢绿茶", "你好"]
    )
    memories = MemoryManager(judge=model, language=language)
    weights = [memories.add(content, importance="judge") for content in texts]
    assert [added.unjudged for added in weights] == ["", "", ""]
    vital, lasting, chatter = (added.item.importance for added in weights)
    assert vital > lasting > chatter


# --- agents that remember --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [SimpleAgent, ReActAgent])
@pytest.mark.parametrize(
    ("told", "asked", "fact"),
    [
        ("Remember that my favourite colour is blue.", "What do you remember about my favourite colour?", "blue"),
        ("Please remember: I am allergic to peanuts.", "Search your memory for peanuts.", "allergic"),
        ("Keep in mind that the door code is 4711", "What do you remember about the door code?", "4711"),
        ('Add a memory: "The meeting is on Friday"', 'Search the memories for "meeting"', "Friday"),
        ("记住我喜欢绿茶。", "你还记得绿茶吗", "我喜欢绿茶"),
        ("请记住：我住在北京", "搜索关于北京的记忆", "我住在北京"),
    ],
)
def test_the_offline_model_remembers_from_one_agent_to_the_next(kind, told, asked, fact, tmp_path):
    def agent():
        registry = ToolRegistry()
        registry.register_tool(MemoryTool(memory_types=["working"], store=tmp_path / "memories.jsonl"))
        return kind("a", OfflineLLM(), tool_registry=registry)

    first = agent()
    first.run(told)
    first.run("What is 12*9?")
    calls = [call for message in first.state.messages for call in message.tool_calls if call.name.startswith("memory_")]
    assert [call.name for call in calls] == ["memory_add"]
    assert fact in agent().run(asked)


def test_a_scripted_agent_remembers_over_turns_and_its_results_are_plain_chinese():
    registry = ToolRegistry()
    tool = MemoryTool(judge=(model := ScriptedLLM(
        ToolCall("1", "memory_add", {"content": "城市是北京", "memory_type": "semantic"}),
        "noted",
        [ToolCall("2", "memory_search", {"query": "北京"}), ToolCall("3", "memory_search", {"query": ""})],
        "Beijing",
        frames={ImportanceJudge.frame: ["0.8"]},
    )))  # fmt: skip
    registry.register_tool(tool)
    agent = SimpleAgent("a", model, tool_registry=registry)
    assert agent.run("I live in Beijing") == "noted"
    assert agent.run("Where?") == "Beijing"
    results = {message.answers: message for message in agent.state.messages if message.role == "tool"}
    assert results["2"].content == "1 found:\n- [m1] (semantic, 0.80) 城市是北京"
    assert (results["3"].status, results["3"].metadata["code"]) == ("error", "INVALID_PARAM")
    assert "城市是北京" in tool.run({"action": "search", "query": "北京"}).to_json()


def test_it_works_without_numpy_and_bm25s():
    code = (
        "import sys; sys.modules.update(numpy=None, bm25s=None); from hello_agents import MemoryTool; t = MemoryTool(); "
        "t.execute('add', content='Ada likes tea'); t.execute('add', content='lunch at noon'); "
        "print(t.execute('search', query='what does Ada like').data['memories'][0]['id'])"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False)
    assert process.stdout.strip() == "m1", process.stderr


def test_calls_at_the_same_time_lose_nothing(tool):
    responses = []

    def work(number):
        for step in range(10):
            responses.append(do(tool, "add", content=f"fact {number} {step}", memory_type="semantic"))
            responses.append(do(tool, "search", query=f"fact {number}"))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {response.status for response in responses} == {"success"}
    assert len(tool.memory_manager.all()) == 50
