"""Kinds of memory and their manager: what stays, what goes and why, and what is found."""

import math
import threading
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from support.examples import examples

from hello_agents.memory import (
    EpisodicMemory,
    MemoryConfig,
    MemoryFault,
    MemoryItem,
    MemoryManager,
    MemoryUnavailable,
    RecallWeights,
    SemanticMemory,
    WorkingMemory,
)
from hello_agents.memory.base import KINDS

START = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Clock:
    """A clock that a test moves."""

    def __init__(self):
        self.time = START

    def __call__(self):
        return self.time

    def tick(self, **amount):
        self.time += timedelta(**amount)


@pytest.fixture
def clock():
    return Clock()


def manager(clock, **settings):
    return MemoryManager(MemoryConfig(**settings), clock=clock)


def ids(found):
    return [getattr(one, "item", one).id for one in found]


# --- items -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("importance", [-0.1, 1.01, math.nan, math.inf])
def test_an_importance_is_from_0_to_1(importance):
    with pytest.raises(MemoryFault, match="not from 0 to 1"):
        MemoryItem("a", "x", "working", importance=importance)


@pytest.mark.parametrize("content", ["", " ", "\n\t", "\u3000"])
def test_nothing_cannot_be_remembered(content, clock):
    memories = manager(clock)
    with pytest.raises(MemoryFault, match="empty"):
        memories.add(content)
    assert memories.all() == []


def test_an_item_survives_json_and_times_become_utc():
    shanghai = datetime.fromisoformat("2026-03-01T20:00:00+08:00")
    item = MemoryItem("a", "北京", "semantic", "ada", shanghai, 0.7, ("地", "地", "x"), {"n": [1, None]})
    assert item.timestamp == START
    assert item.timestamp.tzinfo is UTC
    assert item.tags == ("地", "x")
    assert MemoryItem.from_dict(item.to_dict()) == item


@pytest.mark.parametrize(
    "settings",
    [
        {"working_memory_capacity": 0},
        {"max_capacity": -1},
        {"working_memory_ttl_minutes": math.nan},
        {"half_life_hours": 0},
        {"working_memory_ttl_minutes": 1e300},
        {"default_importance": 2},
    ],
)
def test_settings_without_a_meaning_are_refused(settings):
    with pytest.raises(ValueError, match=r"should be|not from 0 to 1"):
        MemoryConfig(**settings)


@pytest.mark.parametrize(
    "weights", [{"words": -1}, {"vector": math.nan}, {"words": 0, "vector": 0, "recency": 0, "importance": 0}]
)
def test_weights_without_a_meaning_are_refused(weights):
    with pytest.raises(ValueError, match="no meaning"):
        RecallWeights(**weights)


# --- what goes, and why ----------------------------------------------------------------------------------------------


def test_adding_over_the_capacity_tells_what_went_and_why(clock):
    memories = manager(clock, working_memory_capacity=3)
    for content, importance in (("a", 0.9), ("b", 0.2), ("c", 0.5)):
        assert memories.add(content, importance=importance).evicted == ()
        clock.tick(minutes=1)
    added = memories.add("unimportant", importance=0.1)
    assert [(gone.id, gone.reason) for gone in added.evicted] == [("m2", "capacity")]
    assert ids(memories.all()) == ["m1", "m3", "m4"], "what was just added stays"
    assert memories.evictions == added.evicted


def test_forgetting_after_the_capacity_was_reached_counts_right(clock):
    """Ten fit; of fourteen, low importance last, the last one is still there to be forgotten."""
    memories = manager(clock, working_memory_capacity=10)
    evicted = []
    for number in range(14):
        evicted += memories.add(f"fact {number}", importance=0.9 if number < 10 else 0.1).evicted
        clock.tick(seconds=1)
    low = [item.id for item in memories.all() if item.importance < 0.3]
    assert low == ["m14"]
    assert [(gone.id, gone.reason) for gone in evicted] == [
        ("m1", "capacity"), ("m11", "capacity"), ("m12", "capacity"), ("m13", "capacity"),
    ]  # fmt: skip
    gone = memories.forget("importance_based", 0.3)
    assert [(one.id, one.reason) for one in gone] == [("m14", "importance")]
    assert memories.forget_memories("importance_based", 0.3) == 0


def test_tokens_are_a_limit_too(clock):
    memories = manager(clock, working_memory_tokens=10)
    memories.add("一二三四", importance=0.3)
    memories.add("五六七八", importance=0.2)
    added = memories.add("九十百千", importance=0.1)
    assert [(gone.id, gone.reason) for gone in added.evicted] == [("m2", "tokens")]
    changed = memories.update("m1", content="一二三四五六七")
    assert [(gone.id, gone.reason) for gone in changed.evicted] == [("m3", "tokens")]
    with pytest.raises(MemoryFault, match=r"about 11 tokens.*holds 10"):
        memories.add("一二三四五六七八九十百")
    assert ids(memories.all()) == ["m1"], "what could not be added has driven nothing out"


@pytest.mark.parametrize("look", ["all", "recall", "stats", "update", "forget", "get", "remove"])
def test_working_memory_expires_whatever_is_done_next(clock, look):
    memories = manager(clock, working_memory_ttl_minutes=30)
    memories.add("gone soon")
    memories.add("stays", "episodic")
    memories.add("stays too", "semantic")
    clock.tick(minutes=30)
    assert len(memories.all()) == 3
    clock.tick(seconds=1)
    match look:
        case "all":
            memories.all()
        case "recall":
            assert ids(memories.recall("gone soon stays")) == ["m2", "m3"]
        case "stats":
            assert memories.get_memory_stats()["total_memories"] == 2
        case "update":
            assert memories.update("m1", "back again") is None
        case "forget":
            assert [gone.reason for gone in memories.forget("importance_based", 0.1)] == ["expired"]
        case "get":
            assert memories.get("m1") is None
        case "remove":
            assert memories.remove_memory("m1") is False
    assert [(gone.id, gone.reason) for gone in memories.evictions] == [("m1", "expired")]


@given(
    st.lists(st.tuples(st.sampled_from(KINDS), st.floats(0, 1), st.integers(0, 90)), max_size=12),
    st.sampled_from(["importance_based", "time_based", "capacity_based"]),
    st.floats(0, 1),
    st.integers(0, 90),
    st.none() | st.integers(0, 5),
)
@settings(max_examples=examples(60), deadline=None)
def test_what_would_be_forgotten_is_what_is_forgotten_and_asking_changes_nothing(
    memories, strategy, least, days, capacity
):
    ours = manager(Clock())
    for kind, importance, age in memories:
        ours.add("x", kind, importance, timestamp=START - timedelta(days=age))
    ours.sweep()
    before = ours.all()
    going = ours.would_forget(strategy, least, days, capacity=capacity)
    assert ours.all() == before
    assert ours.forget(strategy, least, days, capacity=capacity) == going


def test_forgetting_by_age_and_by_capacity(clock):
    memories = manager(clock)
    for number in range(4):
        memories.add(f"event {number}", "episodic", 0.9 - number / 10)
        clock.tick(days=10)
    assert [(gone.id, gone.reason) for gone in memories.forget("time_based", max_age_days=25)] == [
        ("m1", "age"), ("m2", "age"),
    ]  # fmt: skip
    assert [(gone.id, gone.reason) for gone in memories.forget("capacity_based", capacity=1)] == [("m3", "capacity")]
    assert ids(memories.all()) == ["m4"]
    with pytest.raises(MemoryFault, match=r"'random'.*importance_based"):
        memories.forget("random")
    with pytest.raises(MemoryFault, match=r"-1 is below 0"):
        memories.forget("capacity_based", capacity=-1)
    assert ids(memories.all()) == ["m4"]


def test_consolidating_keeps_where_a_memory_came_from(clock):
    memories = manager(clock, max_capacity=2)
    memories.add("old", "episodic", 0.1)
    for content, importance in (("a", 0.9), ("b", 0.5), ("c", 0.7)):
        memories.add(content, importance=importance, metadata={"from": "chat"})
    clock.tick(minutes=5)
    done = memories.consolidate()
    assert ids(done.moved) == ["m2", "m4"]
    assert [(gone.id, gone.reason) for gone in done.evicted] == [("m1", "capacity")]
    moved = memories.get("m2")
    assert (moved.memory_type, moved.timestamp) == ("episodic", START)
    assert moved.metadata == {
        "from": "chat",
        "consolidated_from": "working",
        "consolidated_at": "2026-03-01T12:05:00+00:00",
    }
    assert ids(memories.all(["working"])) == ["m3"]
    assert memories.consolidate_memories() == 0
    with pytest.raises(MemoryFault, match="both 'working'"):
        memories.consolidate("working", "working")


# --- what is found ---------------------------------------------------------------------------------------------------


def test_recalling_with_every_filter(clock):
    memories = manager(clock, working_memory_ttl_minutes=None)
    memories.add("tea is green", "working", 0.2, tags=["drink"])
    clock.tick(hours=1)
    memories.add("tea with Ada", "episodic", 0.8, tags=["people", "drink"])
    clock.tick(hours=1)
    memories.add("tea grows in Yunnan", "semantic", 0.5)
    memories.add("coffee", "semantic", 1.0)
    clock.tick(minutes=1)
    everything = {"m1", "m2", "m3"}
    assert set(ids(memories.recall("tea"))) == everything, "however important, coffee has nothing to do with it"
    assert ids(memories.recall("tea", memory_types=["episodic"])) == ["m2"]
    assert set(ids(memories.recall("tea", tags=["drink", "none"]))) == {"m1", "m2"}
    assert set(ids(memories.recall("tea", min_importance=0.5))) == {"m2", "m3"}
    hour = timedelta(hours=1)
    assert set(ids(memories.recall("tea", time_range=(START, START + hour)))) == {"m1", "m2"}
    assert ids(memories.recall("tea", time_range=(START + 2 * hour, None))) == ["m3"]
    assert len(memories.recall("tea", 2)) == 2
    assert memories.recall("tea", 0) == []
    assert memories.recall("zebra") == []
    assert [item.id for item in memories.retrieve_memories("tea", ["semantic"])] == ["m3"]
    with pytest.raises(MemoryFault, match="no kind of memory"):
        memories.recall("tea", memory_types=["perceptual"])


@pytest.mark.parametrize("query", ["", "  ", "\n"])
def test_an_empty_query_is_refused_before_anything_is_embedded(query, clock):
    asked = []
    memories = MemoryManager(clock=clock, embedding=lambda texts: asked.append(texts) or [[1.0]] * len(texts))
    memories.add("something")
    with pytest.raises(MemoryFault, match="query is empty"):
        memories.recall(query)
    assert asked == []


@pytest.mark.parametrize(
    ("contents", "query", "first"),
    [
        (["麻婆豆腐 需要 豆腐 和 花椒", "番茄炒蛋 很简单", "红烧肉 要 慢炖"], "麻婆豆腐", "m1"),
        (["the deploy failed", "Ada's birthday is in May", "lunch at noon"], "when is the birthday of Ada", "m2"),
    ],
)
def test_what_shares_words_comes_first(clock, contents, query, first):
    memories = manager(clock)
    for content in contents:
        memories.add(content, "semantic")
    assert ids(memories.recall(query))[0] == first


def test_of_equal_words_the_recent_and_the_important_win(clock):
    memories = manager(clock, half_life_hours=1)
    memories.add("the plan is north", "episodic")
    clock.tick(hours=5)
    memories.add("the plan is south", "episodic")
    assert ids(memories.recall("plan")) == ["m2", "m1"]
    memories.update("m1", importance=1.0)
    assert ids(memories.recall("plan")) == ["m1", "m2"]
    weights = RecallWeights(0, 0, 1, 0)
    memories = MemoryManager(MemoryConfig(weights=weights, half_life_hours=2), clock=clock)
    memories.add("plan", "episodic")
    for hours, share in ((0, 1), (2, 0.5), (2, 0.25)):
        clock.tick(hours=hours)
        (found,) = memories.recall("plan")
        assert found.score == pytest.approx(share)
        assert found.reasons == pytest.approx({"words": 0, "vector": 0, "recency": share, "importance": 0})


@pytest.mark.parametrize("half_life", [1e-320, 1e9])
def test_recency_stays_finite_for_any_half_life_and_time(clock, half_life):
    memories = manager(clock, half_life_hours=half_life)
    for time in (datetime.min.replace(tzinfo=UTC), START, datetime.max.replace(tzinfo=UTC)):
        memories.add("plan", "semantic", timestamp=time)
    clock.tick(hours=1)
    assert all(0 <= one.reasons["recency"] <= 0.15 for one in memories.recall("plan"))
    assert len(memories.recall("plan")) == 3


@pytest.mark.parametrize("odd", ["\ud800", "!!!", "\x00", "é" * 5000, "\U0001f680"])
def test_odd_texts_can_be_remembered_and_looked_for(clock, odd):
    memories = manager(clock, working_memory_tokens=None)
    memories.add(f"the {odd} plan")
    memories.add(odd)
    assert ids(memories.recall("plan")) == ["m1"]
    assert all(math.isfinite(one.score) for one in memories.recall(odd))


def test_vectors_find_what_shares_no_word(clock):
    meanings = {"dog": [1.0, 0.0], "puppy": [0.9, 0.1], "tax": [0.0, 1.0]}
    memories = MemoryManager(clock=clock, embedding=lambda texts: [meanings[text] for text in texts])
    memories.add("puppy", "semantic")
    memories.add("tax", "semantic")
    assert ids(memories.recall("dog")) == ["m1"]


def test_an_embedding_that_fails_is_no_empty_answer_and_is_asked_again(clock):
    broken = [True]

    def embedding(texts):
        if broken[0]:
            raise ConnectionError("no route")
        return [[1.0, 0.5]] * len(texts)

    memories = MemoryManager(clock=clock, embedding=embedding)
    memories.add("kept", "semantic")
    with pytest.raises(MemoryUnavailable, match="no route"):
        memories.recall("kept")
    broken.clear()
    broken.append(False)
    assert ids(memories.recall("kept")) == ["m1"]


def test_new_memories_are_embedded_in_one_call_and_only_once(clock):
    calls = []

    def embedding(texts):
        calls.append(list(texts))
        return [[1.0, len(text)] for text in texts]

    memories = MemoryManager(clock=clock, embedding=embedding)
    for content in ("a b", "c d", "e f"):
        memories.add(content, "semantic")
    assert calls == []
    memories.recall("a")
    memories.update("m1", importance=0.9)
    memories.recall("a")
    assert sorted(map(sorted, calls)) == [["a"], ["a"], ["a b", "c d", "e f"]]


def test_users_of_one_store_do_not_see_each_other(clock, tmp_path):
    path = tmp_path / "memories.jsonl"
    MemoryManager(user_id="ada", store=path, clock=clock).add("the secret of Ada", "semantic")
    bob = MemoryManager(MemoryConfig(max_capacity=1), "bob", store=path, clock=clock)
    assert bob.recall("secret") == []
    assert bob.get("m1") is None
    assert bob.remove_memory("m1") is False
    assert bob.update("m1", "changed") is None
    assert bob.add("of Bob", "semantic").evicted == (), "limits hold for each user"
    assert bob.clear_all_memories() == 1
    assert bob.forget("capacity_based", capacity=0) == ()
    assert ids(bob.recall("secret", user_id="ada")) == ["m1"]
    assert ids(MemoryManager(user_id="ada", store=path, clock=clock).all()) == ["m1"]


# --- the rest of a manager -------------------------------------------------------------------------------------------


def test_changing_and_removing(clock):
    memories = manager(clock)
    memories.add("Ada likes tea", "semantic", tags=["x"], metadata={"a": 1})
    clock.tick(minutes=1)
    changed = memories.update("m1", "Ada likes coffee", 0.9, {"b": 2}, tags=["y"])
    assert changed.item == memories.get("m1")
    assert (changed.item.metadata, changed.item.tags, changed.item.timestamp) == ({"a": 1, "b": 2}, ("y",), START)
    assert changed.item.updated == clock()
    assert ids(memories.recall("coffee")) == ["m1"]
    assert memories.recall("tea") == []
    assert memories.update_memory("m9", "x") is False
    assert memories.remove_memory("m1") is True
    assert memories.remove_memory("m1") is False
    assert memories.recall("coffee") == []
    assert memories.add("new").item.id == "m2", "an id is never used again"


def test_recent_important_summary_and_counts(clock):
    memories = manager(clock)
    assert memories.summary() == "Nothing is remembered."
    memories.add("lunch", "episodic", 0.2, tags=["food"])
    clock.tick(days=1)
    memories.add("allergic to nuts", "semantic", 0.9)
    assert ids(memories.recent(1)) == ids(memories.important(1)) == ["m2"]
    assert memories.summary(1) == (
        "Memories: working 0, episodic 1, semantic 1. The most important:\n- [m2] (semantic, 0.90) allergic to nuts"
    )
    assert "(episodic of 2026-03-01, 0.20) lunch #food" in memories.summary()
    assert memories.summary(0, language="zh") == "记忆：working 0, episodic 1, semantic 1。最重要的："
    stats = memories.get_memory_stats()
    assert (stats["total_memories"], stats["enabled_types"]) == (2, list(KINDS))
    assert stats["memories_by_type"]["working"]["ttl_minutes"] == 120
    assert str(memories) == "MemoryManager('default_user': working 0, episodic 1, semantic 1)"


def test_kinds_that_are_off_or_not_there(clock):
    memories = MemoryManager(enable_semantic=False, clock=clock)
    with pytest.raises(MemoryFault, match=r"'semantic'.*working, episodic"):
        memories.add("x", "semantic")
    with pytest.raises(ValueError, match="Describe the picture"):
        MemoryManager(enable_perceptual=True)


def test_a_kind_by_itself_as_in_the_tutorial(clock):
    config = MemoryConfig(working_memory_capacity=2)
    working = WorkingMemory(config, clock=clock)
    for number in range(3):
        item = MemoryItem(f"w{number}", f"note {number}", "working", "u", clock(), 0.2 + number / 10)
        assert working.add(item) == item.id
    assert [item.id for item in working.get_all()] == ["w1", "w2"]
    assert [gone.id for gone in working.evictions] == ["w0"]
    assert working.get_context_summary(8) == "- note 2"
    assert [item.id for item in working.retrieve("note 1", limit=1)] == ["w1"]
    assert working.update("w1", importance=0.9)
    assert [item.id for item in working.get_important(1)] == ["w1"]
    assert working.forget("importance_based", 0.5) == 1
    assert working.has_memory("w1")
    assert working.remove("w1")
    assert working.clear() == 0
    episodic = EpisodicMemory(config, clock=clock)
    for number in (2, 1, 3):
        time = START + timedelta(days=number)
        episodic.add(MemoryItem(f"e{number}", "event", "episodic", timestamp=time, metadata={"session_id": number % 2}))
    assert [item.id for item in episodic.get_timeline()] == ["e1", "e2", "e3"]
    assert [item.id for item in episodic.get_timeline(limit=1)] == ["e3"]
    assert [item.id for item in episodic.get_session_episodes(1)] == ["e1", "e3"]
    assert SemanticMemory().get_stats()["count"] == 0


@pytest.mark.parametrize("name", ["PerceptualMemory", "SQLiteDocumentStore", "DocumentStore"])
def test_what_is_not_served_says_what_to_use(name):
    import hello_agents.memory

    with pytest.raises(ImportError, match=rf"no {name}\. .*(Use|Describe)"):
        exec(f"from hello_agents.memory import {name}", {})
    with pytest.raises(AttributeError, match="no public name"):
        _ = hello_agents.memory.Nonsense


def test_many_threads_at_once(clock):
    memories = manager(clock, working_memory_capacity=5)
    evicted, faults = [], []

    def work(number):
        try:
            for step in range(20):
                evicted.extend(memories.add(f"note {number} {step}").evicted)
                memories.recall("note")
                memories.add(f"fact {number} {step}", "semantic")
        except Exception as error:
            faults.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert len(memories.all(["working"])) == 5
    assert len(memories.all(["semantic"])) == 120
    assert len(evicted) == 115
    assert len(set(ids(memories.all())) | {gone.id for gone in evicted}) == 240


# --- laws ------------------------------------------------------------------------------------------------------------

WORDS = st.sampled_from(["tea", "green", "北京", "ada", "plan", "豆腐", "north", "blue"])
CONTENTS = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)
WEIGHTS = st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.9, 1.0])


@settings(max_examples=examples(60), deadline=None)
@given(
    st.lists(st.tuples(CONTENTS, WEIGHTS, st.integers(0, 10**6)), max_size=8),
    st.one_of(CONTENTS, st.text(min_size=1).filter(str.strip)),
    st.tuples(*[st.floats(0, 1e6)] * 4).filter(any),
)
def test_reasons_add_up_to_a_finite_score_and_the_order_is_that_of_the_scores(given_items, query, weights):
    clock = Clock()
    memories = MemoryManager(MemoryConfig(weights=RecallWeights(*weights)), clock=clock)
    for content, importance, seconds in given_items:
        memories.add(content, "semantic", importance)
        clock.tick(seconds=seconds)
    found = memories.recall(query, 100)
    for one in found:
        assert set(one.reasons) == {"words", "vector", "recency", "importance"}
        assert all(math.isfinite(part) and part >= 0 for part in one.reasons.values())
        assert one.score == pytest.approx(sum(one.reasons.values()))
        assert 0 <= one.score <= 1 + 1e-9
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert found == memories.recall(query, 100), "asking again gives the same"


class Memories(RuleBasedStateMachine):
    """Whatever is done, limits hold, and what is gone was removed by name or told of."""

    def __init__(self):
        super().__init__()
        self.clock = Clock()
        self.memories = manager(
            self.clock,
            working_memory_capacity=3,
            working_memory_tokens=8,
            working_memory_ttl_minutes=60,
            max_capacity=4,
        )
        self.known, self.told, self.removed = set(), [], set()

    @rule(content=CONTENTS, kind=st.sampled_from(KINDS), importance=WEIGHTS)
    def add(self, content, kind, importance):
        try:
            added = self.memories.add(content, kind, importance)
        except MemoryFault as fault:
            assert fault.key == "memory.too_long"  # noqa: PT017
            return
        self.known.add(added.item.id)
        self.told += added.evicted
        assert self.memories.get(added.item.id) == added.item, "what was just added is there"

    @rule(number=st.integers(1, 12), content=CONTENTS)
    def update(self, number, content):
        try:
            changed = self.memories.update(f"m{number}", content)
        except MemoryFault as fault:
            assert fault.key == "memory.too_long"  # noqa: PT017
            return
        self.told += () if changed is None else changed.evicted

    @rule(number=st.integers(1, 12))
    def remove(self, number):
        if self.memories.remove_memory(f"m{number}"):
            self.removed.add(f"m{number}")

    @rule(strategy=st.sampled_from(["importance_based", "time_based", "capacity_based"]), most=st.integers(0, 3))
    def forget(self, strategy, most):
        before = set(ids(self.memories.all()))
        gone = self.memories.forget(strategy, 0.4, most / 24, capacity=most)
        assert {one.id for one in gone} == before - set(ids(self.memories.all()))
        assert len(gone) == len({one.id for one in gone})
        self.told += gone

    @rule(threshold=WEIGHTS, kind=st.sampled_from(["episodic", "semantic"]))
    def consolidate(self, threshold, kind):
        done = self.memories.consolidate("working", kind, threshold)
        assert all(item.metadata["consolidated_from"] == "working" for item in done.moved)
        self.told += done.evicted

    @rule(minutes=st.integers(0, 50))
    def wait(self, minutes):
        self.clock.tick(minutes=minutes)
        self.told += self.memories.sweep()

    @invariant()
    def the_limits_hold(self):
        stats = self.memories.get_memory_stats()["memories_by_type"]
        assert all(kind["count"] <= kind["capacity"] for kind in stats.values())
        assert stats["working"]["tokens"] <= 8

    @invariant()
    def nothing_is_gone_unreported(self):
        told = {gone.id for gone in self.told}
        assert len(told) == len(self.told), "nothing is told twice"
        assert self.known - set(ids(self.memories.all())) == told | self.removed
        assert self.memories.evictions == tuple(self.told)


Memories.TestCase.settings = settings(max_examples=examples(40), stateful_step_count=25, deadline=None)
TestMemories = Memories.TestCase
