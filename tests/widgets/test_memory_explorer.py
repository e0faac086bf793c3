"""MemoryExplorer shows what managers and knowledge hold and find, number for number, and changes them as they do."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hello_agents_widgets import MemoryExplorer
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from widgets.house import keep_fixture

from hello_agents.memory import Knowledge, MemoryConfig, MemoryManager
from hello_agents.memory.base import STRATEGIES
from hello_agents.memory.store import Loaded
from hello_agents.tools.builtin.memory_tool import MemoryTool
from hello_agents.tools.builtin.rag_tool import RAGTool

NASTY = "\"><script>x</script><img src=x onerror='y'>&"
NOW = datetime(2026, 1, 2, 12, tzinfo=UTC)
QUERY = "hotel near the station"


def manager(**config: Any) -> MemoryManager:
    made = MemoryManager(MemoryConfig(**config), "anna", clock=lambda: NOW)
    for content, kind, importance, hours, tags in (
        ("We talk about a hotel in Lyon.", "working", 0.5, 0.5, ()),
        ("Asked for a quiet hotel near the station.", "episodic", 0.6, 30, ("travel",)),
        ("Missed the train at nine.", "episodic", 0.05, 24 * 40, ()),
        ("Prefers a hotel near the station.", "semantic", 0.9, 2, ("travel", "hotel")),
        ("Likes rye bread.", "semantic", 0.3, 24 * 9, ()),
    ):
        made.add(content, kind, importance, tags=tags, timestamp=NOW - timedelta(hours=hours))
    return made


def knowledge() -> Knowledge:
    made = Knowledge(chunk_tokens=30, overlap_tokens=0, namespace="guide")
    made.add(
        "# Lyon\n\n## Hotels\n\nThe hotel Gare is near the station.\n\n## Trains\n\nThere is one at nine.", id="lyon.md"
    )
    made.add("# Visa\n\nTwo photographs are needed.", id="visa.md")
    return made


def explorer() -> MemoryExplorer:
    return MemoryExplorer(manager(), knowledge(), query=QUERY)


def test_the_page_is_sent_what_the_library_makes() -> None:
    widget = explorer()
    widget.dispatch({"op": "preview", "args": {"holder": 0, "strategy": "importance_based", "threshold": 0.4}})
    widget.dispatch({"op": "open", "args": {"holder": 1, "id": "lyon.md"}})
    keep_fixture("memory_explorer.json", widget.snapshot)


def items(widget: MemoryExplorer, holder: int) -> list[dict[str, Any]]:
    snapshot = json.loads(json.dumps(widget.snapshot))
    return [snapshot["items"][place] for place in snapshot["head"]["holders"][holder]["rows"]]


def check(widget: MemoryExplorer) -> None:
    """What the page has is what the holders have."""
    for number, holder in enumerate(widget.holders):
        shown = items(widget, number)
        if isinstance(holder, MemoryManager):
            held = [
                (one.id, one.content, one.memory_type, one.importance, list(one.tags), one.touched.timestamp())
                for one in holder.all()
            ]
            names = ("id", "label", "type", "importance", "tags", "touched")
            assert widget.head["holders"][number]["now"] == holder.shelf.now().timestamp()
        else:
            held = [
                (one.document.id, one.document.name, len(one.chunks), sum(chunk.tokens for chunk in one.chunks))
                for one in holder.records
            ]
            names = ("id", "label", "chunks", "tokens")
        assert [tuple(one[name] for name in names) for one in shown] == held


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["working", "episodic", "semantic"]),
            st.text("abc hotel 站", min_size=1).filter(str.strip),
            st.floats(0, 1),
        ),
        max_size=8,
    ),
    st.sampled_from(["hotel", "a b", "站", "nothing"]),
)
@settings(max_examples=examples(30), deadline=None)
def test_hits_rank_and_score_as_the_manager_says(memories: list[tuple[str, str, float]], query: str) -> None:
    made = MemoryManager(clock=lambda: NOW)
    for kind, content, importance in memories:
        made.add(content, kind, importance)
    widget = MemoryExplorer(made)
    found = widget.search(query)
    assert list(found) == made.recall(query, 10)
    check(widget)
    (answer,) = widget.head["answers"]
    shown = widget.snapshot.get("items", [])
    for hit, recalled in zip(answer["hits"], found, strict=True):
        assert shown[hit["place"]]["id"] == recalled.item.id
        assert hit["score"] == pytest.approx(recalled.score, abs=1e-5)
        assert hit["reasons"] == pytest.approx(dict(recalled.reasons), abs=1e-5)
        assert sum(hit["reasons"].values()) == pytest.approx(hit["score"], abs=1e-5)


@pytest.mark.parametrize("query", [QUERY, "photographs", "zebra"])
def test_passages_rank_and_are_cited_as_knowledge_says(query: str) -> None:
    made = knowledge()
    widget = MemoryExplorer(made, query=query)
    found = made.search(query, 10)
    assert list(widget.results) == found
    (answer,) = widget.head["answers"]
    for hit, passage in zip(answer["hits"], found, strict=True):
        assert (hit["citation"], hit["text"], hit["tokens"]) == (passage.citation, passage.text, passage.chunk.tokens)
        assert hit["reasons"] == pytest.approx(dict(passage.reasons), abs=1e-5)
        assert hit["score"] == pytest.approx(passage.score, abs=1e-5)


def test_every_kind_of_subject() -> None:
    rag = RAGTool(knowledge=knowledge())
    rag.add_text("Another room.", namespace="other")
    widget = MemoryExplorer(manager(), MemoryTool(manager=manager()), knowledge(), rag)
    assert [one["sort"] for one in widget.head["holders"]] == [
        "memory",
        "memory",
        "knowledge",
        "knowledge",
        "knowledge",
    ]
    check(widget)
    rag.add_text("One more.", namespace="third")
    widget.refresh()
    assert len(widget.head["holders"]) == 6
    for wrong in ((), ("a",), (manager(), 3)):
        with pytest.raises(TypeError, match="MemoryManager, MemoryTool, Knowledge or RAGTool"):
            MemoryExplorer(*wrong)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_what_would_go_is_shown_first_and_then_what_went_and_why(strategy: str) -> None:
    made = manager()
    widget = MemoryExplorer(made)
    args = {"holder": 0, "strategy": strategy, "threshold": "0.4", "max_age_days": "5", "capacity": "1", "kind": ""}
    before = made.all()
    widget.dispatch({"op": "preview", "args": args})
    assert made.all() == before
    going = widget.head["preview"]["going"]
    assert going
    widget.dispatch({"op": "forget", "args": args})
    assert widget.error == ""
    assert widget.head["done"] == {"what": "forgot", "gone": going}
    assert [(one.id, one.reason) for one in made.evictions] == [(one["id"], one["reason"]) for one in going]
    assert {one["id"] for one in going}.isdisjoint(one["id"] for one in items(widget, 0))
    assert widget.head["preview"]["going"] == []
    assert [one["id"] for one in widget.head["holders"][0]["gone"]] == [one["id"] for one in reversed(going)]
    check(widget)


def test_forgetting_only_one_kind() -> None:
    widget = MemoryExplorer(manager())
    args = {"holder": 0, "strategy": "importance_based", "threshold": 1, "kind": "semantic"}
    widget.dispatch({"op": "forget", "args": args})
    assert {one["memory_type"] for one in widget.head["done"]["gone"]} == {"semantic"}


def test_adding_tells_what_had_to_go_for_it() -> None:
    made = manager(max_capacity=2)
    widget = MemoryExplorer(made, knowledge(), query="tram")
    assert widget.head["answers"][0]["hits"] == []
    args = {
        "holder": 0,
        "text": "Takes the tram.",
        "kind": "episodic",
        "importance": "0.7",
        "tags": "city, tram ，city",
    }
    widget.dispatch({"op": "add", "args": args})
    done = widget.head["done"]
    assert [(one["id"], one["reason"]) for one in done["gone"]] == [("m3", "capacity")]
    item = made.get(done["id"])
    assert item is not None
    assert (item.content, item.importance, item.tags) == ("Takes the tram.", 0.7, ("city", "tram"))
    assert len(widget.head["answers"][0]["hits"]) == 1, "what is shown is searched again"
    widget.dispatch({"op": "add", "args": {"holder": 1, "text": "# Tram\n\nLine T1.", "id": "tram.md"}})
    assert widget.head["done"]["what"] == "added"
    widget.dispatch({"op": "add", "args": {"holder": 1, "text": "# Tram\n\nLine T1.", "id": "tram.md"}})
    assert widget.head["done"]["what"] == "unchanged"
    widget.dispatch({"op": "dismiss"})
    assert widget.head["done"] is None
    check(widget)


def test_removing_and_opening() -> None:
    made, known = manager(), knowledge()
    widget = MemoryExplorer(made, known)
    widget.dispatch({"op": "open", "args": {"holder": 1, "id": "lyon.md"}})
    chunks = known.chunks("lyon.md")
    shown = widget.head["opened"]["chunks"]
    assert [(one["text"], one["citation"]) for one in shown] == [(one.text, known.citation(one)) for one in chunks]
    widget.dispatch({"op": "shut"})
    assert widget.head["opened"] is None
    widget.dispatch({"op": "remove", "args": {"holder": 1, "id": "lyon.md"}})
    widget.dispatch({"op": "remove", "args": {"holder": 0, "id": "m2"}})
    assert "lyon.md" not in known
    assert made.get("m2") is None
    check(widget)


@pytest.mark.parametrize(
    ("op", "args", "said"),
    [
        ("add", {"holder": 0, "text": " "}, "MemoryFault: content is empty"),
        ("add", {"holder": 0, "text": "x", "importance": "7"}, "MemoryFault"),
        ("add", {"holder": 0, "text": "x", "kind": "odd"}, "MemoryFault"),
        ("add", {"holder": 1, "text": "other", "id": "lyon.md"}, "WrongId"),
        ("add", {"holder": 7, "text": "x"}, "ValueError: There is no holder 7"),
        ("remove", {"holder": 0, "id": "m99"}, "ValueError: There is no memory 'm99'"),
        ("remove", {"holder": 1, "id": "m99"}, "WrongId"),
        ("open", {"holder": 0, "id": "m1"}, "ValueError: A memory has no chunks"),
        ("forget", {"holder": 1}, "ValueError: Documents are not forgotten"),
        ("preview", {"holder": 0, "strategy": "odd"}, "MemoryFault"),
        ("forget", {"holder": 0, "strategy": "capacity_based", "capacity": "-1"}, "MemoryFault"),
        ("dance", {}, "ValueError: MemoryExplorer has no operation"),
    ],
)
def test_what_cannot_be_done_is_said_and_changes_nothing(op: str, args: dict[str, Any], said: str) -> None:
    widget = explorer()
    before = [items(widget, 0), items(widget, 1)]
    widget.dispatch({"op": op, "args": args})
    assert widget.error.startswith(said), widget.error
    assert [items(widget, 0), items(widget, 1)] == before


class Broken:
    """A store that can be read until it cannot."""

    def __init__(self) -> None:
        self.good = False

    def load(self) -> Loaded:
        if not self.good:
            raise OSError("the disk is gone")
        return Loaded()

    def write(self, put: Sequence[Any], remove: Sequence[str]) -> None:
        raise OSError("the disk is full")


def test_a_store_that_fails_is_told_in_its_place_and_the_others_are_shown() -> None:
    store = Broken()
    widget = MemoryExplorer(MemoryManager(store=store, clock=lambda: NOW), manager(), query=QUERY)
    first, second = widget.head["holders"]
    assert "the disk is gone" in first["error"]
    assert (second["error"], len(second["rows"])) == ("", 5)
    assert "the disk is gone" in widget.head["answers"][0]["error"]
    assert widget.head["answers"][1]["hits"]
    store.good = True
    widget.refresh()
    assert widget.head["holders"][0]["error"] == ""
    widget.dispatch({"op": "add", "args": {"holder": 0, "text": "x"}})
    assert widget.error.startswith("MemoryUnavailable")
    assert "the disk is full" in widget.error
    assert items(widget, 0) == []


def test_an_embedding_that_fails_is_no_empty_answer() -> None:
    calls: list[int] = []

    def failing(texts: Sequence[str]) -> list[list[float]]:
        calls.append(len(texts))
        if len(calls) > 1:
            raise ConnectionError("no embedding")
        return [[1.0, 0.0]] * len(texts)

    made = Knowledge(failing)
    made.add("A room.", id="room")
    widget = MemoryExplorer(made, query="room")
    assert widget.head["answers"][0]["hits"] == []
    assert "no embedding" in widget.head["answers"][0]["error"]


def test_items_are_sent_once() -> None:
    made = manager()
    widget = MemoryExplorer(made)
    parts = len(widget.logs)
    widget.search(QUERY)
    widget.refresh()
    assert len(widget.logs) == parts
    made.update("m2", importance=0.7)
    widget.refresh()
    assert [one["id"] for part in widget.logs[parts:] for one in part["items"]] == ["m2"]
    check(widget)


def test_text_and_picture_tell_no_time_and_are_stable_and_escaped() -> None:
    assert repr(explorer()) == repr(explorer())
    assert explorer().picture() == explorer().picture()

    def at(time: datetime) -> str:
        made = MemoryManager(clock=lambda: time)
        made.add("A hotel.", importance=0.5)
        widget = MemoryExplorer(made, knowledge(), query="hotel")
        return repr(widget) + widget.picture()

    assert at(NOW) == at(NOW + timedelta(days=800, minutes=3)), "only what lies between matters"
    assert " at 0x" not in at(NOW)
    wicked = MemoryManager(clock=lambda: NOW)
    wicked.add(NASTY, tags=[NASTY])
    books = Knowledge(namespace=NASTY)
    books.add(f"# {NASTY}\n\n{NASTY}", id=NASTY)
    page = MemoryExplorer(wicked, books, query=f"script {NASTY}").picture()
    assert "<script" not in page
    assert "<img" not in page


def test_state_is_plain() -> None:
    state = explorer().state
    assert json.loads(json.dumps(state)) == state
    assert len(state["items"]) == 7
