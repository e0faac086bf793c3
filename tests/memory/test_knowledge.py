"""Knowledge: adding, replacing, searching, citing, saving and loading."""

import json
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.examples import examples

from hello_agents.memory import Document, HashingEmbedding, Knowledge, LoadFault
from hello_agents.memory.faults import EmptyText, SearchFailed, WrongId

GUIDE = """# Guide

What it is for.

## Install

### Linux

Use the package manager of the system.

### macOS

Open the bundle, and drag the icon.

## Run

Type `make lab` in a terminal.
"""
RECIPES = [
    "麻婆豆腐要用花椒、豆瓣酱和牛肉末。",
    "番茄炒蛋先炒鸡蛋。",
    "清蒸鲈鱼淋上热油。",
    "三码配置见附录。",
    "红烧肉要小火慢炖。",
]


def filled(*texts, **settings):
    knowledge = Knowledge(**settings)
    for number, text in enumerate(texts):
        knowledge.add(text, id=f"d{number}")
    return knowledge


def found(knowledge, query, **settings):
    return [passage.chunk.document_id for passage in knowledge.search(query, **settings)]


# --- adding -------------------------------------------------------------------------------------------------------


def test_two_questions_find_two_sections():
    knowledge = Knowledge(chunk_tokens=800, overlap_tokens=100)
    added = knowledge.add(GUIDE, id="guide.md")
    assert (added.chunks, added.skipped_empty, added.change) == (4, 0, "added")
    tops = [knowledge.search(query)[0] for query in ("install on Linux", "how to run", "drag the icon")]
    assert [top.chunk.heading_path for top in tops] == [
        ("Guide", "Install", "Linux"),
        ("Guide", "Run"),
        ("Guide", "Install", "macOS"),
    ]
    assert len({top.text for top in tops}) == 3


@pytest.mark.parametrize(("size", "overlap"), [(100, 100), (100, 101), (0, 0)])
def test_sizes_are_looked_at_before_anything_is_cut(size, overlap):
    with pytest.raises(ValueError, match="tokens"):
        Knowledge(chunk_tokens=size, overlap_tokens=overlap)
    knowledge = Knowledge()
    with pytest.raises(ValueError, match="tokens"):
        knowledge.add("text", chunk_tokens=size, overlap_tokens=overlap)
    assert knowledge.documents == ()


@pytest.mark.parametrize("text", ["", "  \n\t\n", "\u3000"])
def test_an_empty_text_is_counted_and_never_embedded(text):
    asked = []
    knowledge = Knowledge(lambda texts: asked.extend(texts) or [[1.0]] * len(texts))
    added = knowledge.add(text, id="empty")
    assert (added.chunks, added.skipped_empty) == (0, 1)
    assert asked == []
    assert knowledge.stats()["documents"] == 1
    with pytest.raises(EmptyText):
        knowledge.search(text)
    assert asked == []


def test_the_same_id_twice():
    knowledge = filled("About cats.")
    assert knowledge.add("About cats.", id="d0").change == "unchanged"
    with pytest.raises(WrongId, match="replace=True"):
        knowledge.add("About dogs.", id="d0")
    assert found(knowledge, "cats") == ["d0"]
    assert knowledge.add("About dogs.", id="d0", replace=True).change == "replaced"
    assert knowledge.search("cats", method="lexical") == []
    assert found(knowledge, "dogs") == ["d0"]
    assert knowledge.add("About dogs.").document_id == knowledge.add("About dogs.").document_id != "d0"
    assert knowledge.stats()["documents"] == 2


def test_unchanged_text_is_not_embedded_again():
    asked = []

    def embedding(texts):
        asked.extend(texts)
        return HashingEmbedding()(texts)

    knowledge = Knowledge(embedding)
    knowledge.add(GUIDE, id="g")
    count = len(asked)
    knowledge.add(GUIDE, id="g", replace=True)
    assert len(asked) == count == 4
    assert knowledge.add(GUIDE, id="g", replace=True, chunk_tokens=50, overlap_tokens=0).change == "replaced"


def test_updating_and_deleting():
    knowledge = Knowledge()
    knowledge.add(Document("d", "About cats.", title="Pets", metadata={"k": 1}))
    assert knowledge.update("d", "About dogs.").change == "replaced"
    assert knowledge.document("d") == Document("d", "About dogs.", title="Pets", metadata={"k": 1})
    assert knowledge.delete("d") == 1
    assert "d" not in knowledge
    for lost in (lambda: knowledge.delete("d"), lambda: knowledge.update("d", "x"), lambda: knowledge.document("d")):
        with pytest.raises(WrongId, match="no document 'd'"):
            lost()
    assert knowledge.search("dogs") == []


def test_a_replacement_that_fails_leaves_the_old():
    working = HashingEmbedding()
    fails = []

    def embedding(texts):
        if fails:
            raise OSError("the server is away")
        return working(texts)

    knowledge = Knowledge(embedding)
    knowledge.add("About cats.", id="d")
    fails.append(True)
    with pytest.raises(SearchFailed, match="server is away"):
        knowledge.add("About dogs.", id="d", replace=True)
    with pytest.raises(SearchFailed, match="server is away"):
        knowledge.add("About mice.", id="new")
    with pytest.raises(SearchFailed, match="server is away"):
        knowledge.search("cats")
    fails.clear()
    assert found(knowledge, "cats") == ["d"]
    assert knowledge.stats()["documents"] == 1


@settings(max_examples=examples(60), deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.sampled_from(["", "cats", "dogs", GUIDE]), st.booleans()), max_size=12
    )
)
def test_it_holds_what_a_dictionary_would(changes):
    knowledge, expected = Knowledge(), {}
    for id, text, delete in changes:
        if not delete:
            knowledge.add(text, id=id, replace=True)
            expected[id] = text
        elif id in expected:
            knowledge.delete(id)
            del expected[id]
    assert {document.id: document.text for document in knowledge.documents} == expected
    assert len(knowledge.index) == knowledge.stats()["chunks"] == sum(len(knowledge.chunks(id)) for id in expected)
    assert set(found(knowledge, "cats", method="lexical")) == {id for id, text in expected.items() if text == "cats"}
    fresh = filled()
    for document in knowledge.documents:
        fresh.add(document)
    assert [(one.chunk, one.score) for one in fresh.search("dogs install")] == [
        (one.chunk, one.score) for one in knowledge.search("dogs install")
    ]
    knowledge.clear()
    assert (len(knowledge.index), knowledge.documents, knowledge.search("cats")) == (0, (), [])


def test_a_folder(tmp_path):
    folder, other = tmp_path / "docs", tmp_path / "docs-evil"
    for path in (folder / "sub", folder / ".git", other):
        path.mkdir(parents=True)
    (folder / "a.md").write_text(GUIDE, encoding="utf-8")
    (folder / "sub" / "b.txt").write_bytes("豆腐".encode("gb18030"))
    (folder / "sub" / "c.bin").write_bytes(b"\0\1")
    (folder / "empty.md").write_text("", encoding="utf-8")
    (folder / ".git" / "config").write_text("secret", encoding="utf-8")
    (other / "x.md").write_text("secret", encoding="utf-8")
    (folder / "link.md").symlink_to(other / "x.md")
    knowledge = Knowledge()
    done = knowledge.add_folder(folder)
    assert [(one.document_id, one.chunks, one.skipped_empty, one.encoding) for one in done.added] == [
        ("a.md", 4, 0, "utf-8"),
        ("empty.md", 0, 1, "utf-8"),
        ("sub/b.txt", 1, 0, "gb18030"),
    ]
    assert set(done.skipped) == {"link.md", "sub/c.bin"}
    assert knowledge.search("secret", method="lexical") == []
    assert {one.change for one in knowledge.add_folder(folder, "**/*.md").added} == {"unchanged"}
    with pytest.raises(NotADirectoryError):
        knowledge.add_folder(folder / "a.md")
    assert knowledge.add(folder / "sub" / "b.txt").document_id == "b.txt"


# --- searching ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["fused", "lexical", "vector"])
@pytest.mark.parametrize(("query", "place"), [("麻婆豆腐", 0), ("三码", 3), ("鲈鱼", 2)])
def test_chinese_words_are_found(method, query, place):
    assert found(filled(*RECIPES), query, method=method)[0] == f"d{place}"


def test_what_shares_no_word_is_not_returned():
    knowledge = filled(*RECIPES)
    assert found(knowledge, "麻婆豆腐", method="lexical") == ["d0"]
    assert found(knowledge, "zebra", method="lexical") == []


def test_words_of_the_headings_count():
    knowledge = Knowledge()
    knowledge.add("# Penguins\n\nThey swim.\n\n# Cats\n\nThey sleep.", id="d")
    knowledge.add(Document("t", "They hop.", title="Kangaroos"))
    assert knowledge.search("penguins")[0].chunk.heading_path == ("Penguins",)
    assert found(knowledge, "kangaroos", method="lexical") == ["t"]


def long_text(count, word="topic"):
    return "\n\n".join(f"Paragraph {number} speaks of {word} and of value{number} alone." for number in range(count))


@pytest.mark.parametrize("neighbours", [0, 1, 2, 100])
def test_neighbours(neighbours):
    knowledge = Knowledge(chunk_tokens=16, overlap_tokens=0)
    knowledge.add(long_text(12), id="d")
    chunks = knowledge.chunks("d")
    (passage,) = knowledge.search("value5", 1, neighbours=neighbours)
    at = chunks.index(passage.chunk)
    first, last = chunks[max(0, at - neighbours)], chunks[min(len(chunks) - 1, at + neighbours)]
    assert (passage.start, passage.end) == (first.start, last.end)
    assert passage.text == knowledge.document("d").text[first.start : last.end]
    many = knowledge.search("topic", 5, neighbours=neighbours)
    assert all(one.chunk.id != other.chunk.id for one in many for other in many if one is not other)
    for one in many:
        others = [other for other in many if other is not one]
        assert not any(
            other.start <= one.chunk.start and one.chunk.end <= other.end for other in others[: many.index(one)]
        )


@pytest.mark.parametrize("most", [1, 2])
def test_passages_of_one_document(most):
    knowledge = Knowledge(chunk_tokens=16, overlap_tokens=0)
    for name in "abc":
        knowledge.add(long_text(80), id=name)
    passages = found(knowledge, "topic", limit=3 * most, per_document=most)
    assert sorted(passages) == sorted("abc" * most)
    for wrong in ({"per_document": 0}, {"neighbours": -1}):
        with pytest.raises(ValueError, match="do not work"):
            knowledge.search("topic", **wrong)


def test_citations(tmp_path):
    knowledge = Knowledge()
    knowledge.add(Document("g", GUIDE, source="docs/guide.md"))
    assert knowledge.search("package manager")[0].citation == "guide.md › Guide › Install › Linux, lines 5-9"
    knowledge.add("One line about zebras.", id="z")
    assert knowledge.search("zebras")[0].citation == "z, line 1"
    cells = [{"cell_type": "markdown", "source": f"# Part {n}\n\nAbout animal{n}."} for n in range(3)]
    path = tmp_path / "n.ipynb"
    path.write_text(json.dumps({"nbformat": 4, "metadata": {}, "cells": cells}), encoding="utf-8")
    knowledge.add(path)
    assert knowledge.search("animal1")[0].citation == "n.ipynb › Part 1, cell 2"
    assert "第 5-9 行" in filled(GUIDE, language="zh").search("package manager")[0].citation


# --- on disk ------------------------------------------------------------------------------------------------------


def same(one, other):
    assert one.documents == other.documents
    assert one.stats() == other.stats()
    assert [one.chunks(d.id) for d in one.documents] == [other.chunks(d.id) for d in other.documents]
    for query in ("install Linux", "豆腐", "topic"):
        assert one.search(query) == other.search(query)


@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(max_size=60) | st.sampled_from([GUIDE, *RECIPES, "\ud800 half"]), max_size=5))
def test_what_is_loaded_is_what_was_saved(tmp_path, texts):
    knowledge = filled(*texts, chunk_tokens=20, overlap_tokens=5, namespace="名")
    path = tmp_path / "new" / "knowledge.json"
    knowledge.save(path)
    loaded = Knowledge.load(path)
    same(knowledge, loaded)
    first = path.read_bytes()
    loaded.save(path)
    assert path.read_bytes() == first
    assert [one.name for one in path.parent.iterdir()] == ["knowledge.json"]


def changed(path, **parts):
    data = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**data, **parts}), encoding="utf-8")


@pytest.mark.parametrize(
    "parts",
    [
        {"format": "other"},
        {"version": 2},
        {"version": "1"},
        {"documents": 3},
        {"documents": [{}]},
        {"chunk_tokens": 3},
        {"probe": ["x"]},
    ],
)
def test_something_else_is_refused(tmp_path, parts):
    path = tmp_path / "k.json"
    filled(GUIDE).save(path)
    changed(path, **parts)
    with pytest.raises(LoadFault, match=r"^k\.json h(olds no saved knowledge|as version 2)"):
        Knowledge.load(path)


@pytest.mark.parametrize("content", [b"", b"text", b"[]", b"null", b"\xff\xfe", b"[" * 100_000])
def test_no_json_is_refused(tmp_path, content):
    path = tmp_path / "k.json"
    path.write_bytes(content)
    with pytest.raises(LoadFault, match="holds no saved knowledge"):
        Knowledge.load(path)


def test_a_text_changed_by_hand_is_noticed(tmp_path):
    path = tmp_path / "k.json"
    filled("About cats and dogs.").save(path)
    path.write_text(path.read_text(encoding="utf-8").replace("cats", "mice"), encoding="utf-8")
    with pytest.raises(LoadFault, match="changed by hand"):
        Knowledge.load(path)


@pytest.mark.parametrize("other", [HashingEmbedding(64), lambda texts: [[1.0] * 384 for _ in texts]])
def test_another_embedding_is_noticed(tmp_path, other):
    path = tmp_path / "k.json"
    filled(GUIDE).save(path)
    with pytest.raises(LoadFault, match="another embedding"):
        Knowledge.load(path, other)
    assert Knowledge.load(path, other, another_embedding=True).stats()["chunks"] == 4
    assert Knowledge.load(path, HashingEmbedding()).stats()["chunks"] == 4


def test_constructing_touches_no_disk_and_loads_nothing_heavy(tmp_path):
    code = (
        "import sys; sys.modules.update(numpy=None, bm25s=None)\n"
        "from hello_agents.memory import Knowledge; from hello_agents.tools import RAGTool\n"
        "RAGTool(); k = Knowledge(); print({'tiktoken', 'pydantic', 'markitdown', 'asyncio'} & set(sys.modules))\n"
        "k.add('# A\\n\\ncats\\n\\n# B\\n\\ndogs', id='d'); print(k.search('dogs')[0].chunk.heading_path)"
    )
    code = f"import sys; sys.path[:0] = {sys.path!r}\n{code}"
    done = subprocess.run([sys.executable, "-I", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["set()", "('B',)"]
    assert list(tmp_path.iterdir()) == []


def test_a_chunk_is_cited_as_its_passage_is():
    knowledge = Knowledge(chunk_tokens=20, overlap_tokens=0)
    knowledge.add("# Install\n\nOn Linux.\n\n## Later\n\n" + "Turn the blue wheel. " * 30, id="guide.md")
    for passage in knowledge.search("blue wheel install", 9):
        assert knowledge.citation(passage.chunk) == passage.citation
    chunk = knowledge.chunks("guide.md")[0]
    knowledge.delete("guide.md")
    with pytest.raises(WrongId):
        knowledge.citation(chunk)
