"""The RAG tool: adding, searching and asking, as a model does, as old code does, and when something fails."""

import os
import re
import threading

import pytest

from hello_agents import SimpleAgent, ToolRegistry
from hello_agents.core.exceptions import ConfigException
from hello_agents.memory import HashingEmbedding, Knowledge
from hello_agents.offline import OfflineLLM, ScriptedLLM
from hello_agents.tools import RAGTool, ToolStatus

GUIDE = """# Guide

## Linux

Install it with the package manager. It needs 2 GB of space.

## Run

Type `make lab` in a terminal.
"""


@pytest.fixture
def tool():
    tool = RAGTool()
    tool.add_text(GUIDE, document_id="guide.md")
    tool.add_text("巴黎是法国的首都。柏林是德国的首都。", document_id="首都")
    return tool


def ask(tool, question, **more):
    return tool.run({"action": "ask", "question": question, **more})


# --- asking -------------------------------------------------------------------------------------------------------

QUESTIONS = [
    (
        "How do I install it on Linux?",
        "Install it with the package manager. [1]",
        "guide.md › Guide › Linux, lines 1-5",
    ),
    ("What do I type to run it?", "Type `make lab` in a terminal. [1]", "guide.md › Guide › Run, lines 7-9"),
    ("法国的首都是哪里？", "巴黎是法国的首都。 [1]", "首都, line 1"),
]


@pytest.mark.parametrize("llm", [None, OfflineLLM()])
@pytest.mark.parametrize(("question", "answer", "source"), QUESTIONS)
def test_an_answer_quotes_and_cites(tool, llm, question, answer, source):
    tool.llm = llm
    response = ask(tool, question)
    assert response.status is ToolStatus.SUCCESS
    assert response.data["answer"].startswith(answer)
    assert response.text == f"{response.data['answer']}\n\nSources:\n[1] {source}"
    assert response.data["cited"] == [1]
    (cited,) = (one for one in response.data["sources"] if one["number"] == 1)
    assert cited["citation"] == source
    whole = tool.knowledge.document(cited["document_id"]).text
    assert whole[cited["start"] : cited["end"]] == cited["text"]
    quoted = response.data["answer"].partition(" [1]")[0]
    assert quoted in cited["text"]


@pytest.mark.parametrize("llm", [None, OfflineLLM()])
def test_long_passages_are_read_to_the_end(llm):
    tool = RAGTool(knowledge=Knowledge(chunk_tokens=2000), llm=llm)
    filling = " ".join(f"Filling number {number} says little." for number in range(200))
    tool.add_text(f"{filling} The capital of Norway is Oslo.", document_id="d")
    assert ask(tool, "What is the capital of Norway?").data["answer"].startswith("The capital of Norway is Oslo. [1]")


@pytest.mark.parametrize("llm", [None, OfflineLLM()])
def test_what_the_documents_do_not_say(tool, llm):
    tool.llm = llm
    response = ask(tool, "Who discovered quantum chromodynamics?")
    assert "do not answer this" in response.text or "Nothing in the documents" in response.text
    assert response.data["cited"] == []


def test_citations_of_a_model(tool):
    prompts = []

    class Listening(ScriptedLLM):
        def stream(self, request):
            prompts.append(request.messages[-1].text)
            return super().stream(request)

    tool.llm = Listening("It is easy [2, 1], and quick [9].")
    response = ask(tool, "Install or run?", limit=2)
    assert (response.data["cited"], response.data["unknown"]) == ([2, 1], [9])
    numbers = re.findall(r"^\[(\d)\]", response.text, re.MULTILINE)
    assert numbers == ["2", "1"]
    (prompt,) = prompts
    assert all(f"[{one['number']}] {one['citation']}\n{one['text']}" in prompt for one in response.data["sources"])
    assert prompt.endswith("Question: Install or run?")


def test_a_model_that_fails_is_an_error(tool):
    class Broken:
        def stream(self, request):
            raise RuntimeError("no such model")

        def astream(self, request):
            raise RuntimeError("no such model")

    tool.llm = Broken()
    response = ask(tool, "Install?")
    assert response.code == "API_ERROR"
    assert "RuntimeError: no such model" in response.text


# --- searching ----------------------------------------------------------------------------------------------------


def test_searching(tool):
    response = tool.run({"action": "search", "query": "terminal", "limit": 1})
    assert response.text.startswith("[1] guide.md › Guide › Run, lines 7-9 (score 1.00)\n## Run")
    (result,) = response.data["results"]
    assert (result["document_id"], result["heading_path"], result["line"]) == ("guide.md", ["Guide", "Run"], 7)
    nothing = RAGTool().run({"action": "search", "query": "terminal"})
    assert (nothing.status, nothing.data["results"]) == (ToolStatus.SUCCESS, [])
    assert nothing.text == "Nothing in the documents has to do with 'terminal'."


def test_an_embedding_that_fails_is_an_error_and_not_nothing_found():
    working, broken = HashingEmbedding(), []

    def embedding(texts):
        if broken:
            raise AttributeError("'Client' object has no attribute 'search'")
        return working(texts)

    tool = RAGTool(knowledge=Knowledge(embedding))
    tool.add_text("About cats.")
    broken.append(True)
    for action in (
        {"action": "search", "query": "cats"},
        {"action": "ask", "question": "cats?"},
        {"action": "add_text", "text": "x"},
    ):
        response = tool.run(action)
        assert response.code == "EXECUTION_ERROR"
        assert "no attribute 'search'" in response.text
    assert tool.search("cats").startswith("❌ Error [EXECUTION_ERROR]")


@pytest.mark.parametrize(
    ("parameters", "code", "said"),
    [
        ({"action": "search", "query": " "}, "INVALID_PARAM", "The query is empty"),
        ({"action": "search"}, "INVALID_PARAM", "The query is empty"),
        ({"action": "ask"}, "INVALID_PARAM", "The query is empty"),
        ({"action": "search", "query": "x", "limit": 0}, "INVALID_PARAM", "limit=0"),
        ({"action": "search", "query": "x", "method": "magic"}, "INVALID_PARAM", "'magic' is not a method"),
        ({"action": "search", "query": "x", "namespace": "none"}, "NOT_FOUND", "no namespace 'none'"),
        ({"action": "search", "query": "x", "colour": 1}, "INVALID_PARAM", "colour"),
        ({"action": "add_text", "text": " \n"}, "INVALID_PARAM", "text is empty"),
        ({"action": "add_text", "text": "other", "document_id": "guide.md"}, "CONFLICT", "another document 'guide.md'"),
        ({"action": "add_text", "text": "x", "chunk_size": 9, "chunk_overlap": 9}, "INVALID_PARAM", "overlap of 9"),
        ({"action": "add_document", "file_path": ""}, "INVALID_PARAM", "not a path"),
        ({"action": "clear"}, "INVALID_PARAM", "Set confirm"),
        ({"action": "fly"}, "INVALID_PARAM", "'fly' is not an action"),
        ({}, "INVALID_PARAM", "None is not an action"),
    ],
)
def test_what_cannot_be_done(tool, parameters, code, said):
    response = tool.run(parameters)
    assert response.code == code
    assert said in response.text
    assert tool.knowledge.stats()["documents"] == 2


def test_an_empty_query_asks_no_embedding():
    asked = []
    tool = RAGTool(knowledge=Knowledge(lambda texts: asked.append(texts) or [[1.0]] * len(texts)))
    tool.search("  ")
    tool.ask("")
    tool.add_text("\n")
    assert asked == []


# --- files --------------------------------------------------------------------------------------------------------


@pytest.fixture
def base(tmp_path):
    root, evil = tmp_path / "base", tmp_path / "base-evil"
    (root / "sub").mkdir(parents=True)
    evil.mkdir()
    (evil / "x.md").write_text("SECRET", encoding="utf-8")
    (root / "guide.md").write_text(GUIDE, encoding="utf-8")
    (root / "sub" / "gb.txt").write_bytes("豆腐".encode("gb18030"))
    (root / "empty.md").write_text("", encoding="utf-8")
    (root / "binary.txt").write_bytes(b"\0")
    (root / "link.md").symlink_to(evil / "x.md")
    (root / "linked").symlink_to(evil)
    os.mkfifo(root / "pipe.md")
    return root


@pytest.mark.parametrize(
    "path", ["../base-evil/x.md", "link.md", "linked/x.md", "sub/../../base-evil/x.md", "/etc/hostname", "{evil}/x.md"]
)
def test_no_path_leads_out(base, path):
    tool = RAGTool(base)
    response = tool.run({"action": "add_document", "file_path": path.format(evil=base.parent / "base-evil")})
    assert response.code == "ACCESS_DENIED"
    assert "SECRET" not in response.text
    assert "root=" in response.text
    assert tool.knowledge.documents == ()


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("none.md", "NOT_FOUND"),
        ("sub", "IS_DIRECTORY"),
        (".", "IS_DIRECTORY"),
        ("binary.txt", "INVALID_FORMAT"),
        ("pipe.md", "INVALID_PARAM"),
        ("a\0b", "INVALID_PARAM"),
    ],
)
def test_what_is_no_document(base, path, code):
    assert RAGTool(base).run({"action": "add_document", "file_path": path}).code == code


def test_files(base, monkeypatch):
    tool = RAGTool(base)
    assert tool.add_document("guide.md") == "Added 'guide.md': 2 chunks."
    assert tool.add_document(str(base / "guide.md")) == "'guide.md' is there already, unchanged: 2 chunks."
    assert tool.add_document("sub/gb.txt") == "Added 'sub/gb.txt': 1 chunks. It was read as gb18030."
    empty = tool.run({"action": "add", "file_path": "empty.md"})
    assert (empty.status, empty.data["skipped_empty"]) == (ToolStatus.PARTIAL, 1)
    monkeypatch.chdir(base.parent)
    assert tool.add_document("base/guide.md").startswith("'guide.md' is there already")
    assert RAGTool(root=base).add_document("guide.md").startswith("Added")


# --- old code -----------------------------------------------------------------------------------------------------


def test_old_names(base):
    tool = RAGTool(str(base), rag_namespace="main")
    assert tool.execute("add_text", text="About cats.", document_id="c", chunk_size=800, chunk_overlap=100).startswith(
        "Added"
    )
    assert tool.batch_add_texts(["About dogs.", ""], ["d", "e"]).splitlines()[1].startswith("❌ Error")
    assert tool.add_texts_batch(["About mice."], namespace="other") != ""
    assert tool.add_documents_batch(["guide.md", "none.md"]).count("\n") == 1
    assert "About cats." in tool.search("cats", limit=1, enable_advanced_search=True, min_score=0.1)
    assert "mice" not in tool.search("mice", limit=5)
    assert "mice" in tool.search("mice", namespace="other")
    assert "About dogs. [1]" in tool.ask("dogs?", include_citations=False)
    assert tool.get_relevant_context("cats", limit=1) == "[1] c, line 1\nAbout cats."
    assert tool.get_relevant_context("cats", limit=1, max_chars=5) == "[1] c, line 1\nAbout"
    assert "main: 3 documents" in tool.execute("stats")
    assert tool.execute("get_stats", namespace="other") == "other: 1 documents, 1 chunks, 3 tokens"
    assert tool.namespaces == ("main", "other")
    tool.clear_all_namespaces()
    assert "main: 0 documents" in tool.execute("stats")
    with pytest.raises(ValueError, match="ids for"):
        tool.batch_add_texts(["x"], [])


@pytest.mark.parametrize("setting", ["qdrant_url", "qdrant_api_key"])
def test_a_server_is_refused(setting):
    with pytest.raises(ConfigException, match=f"{setting} is set"):
        RAGTool(**{setting: "http://127.0.0.1:1"})


def test_old_import_paths(base):
    from hello_agents.memory.rag import DocumentProcessor, create_document, load_and_chunk_texts, merge_snippets
    from hello_agents.memory.rag.document import load_text_file
    from hello_agents.memory.rag.pipeline import index_chunks, search_vectors
    from hello_agents.tools.builtin import RAGTool as Same

    assert Same is RAGTool
    chunks = load_and_chunk_texts([str(base / "guide.md")])
    assert [one["metadata"]["heading_path"] for one in chunks] == ["Guide > Linux", "Guide > Run"]
    knowledge = Knowledge()
    index_chunks(knowledge, chunks)
    hits = search_vectors(knowledge, "terminal", 1)
    assert hits[0]["id"] == chunks[1]["id"]
    assert merge_snippets(hits, 6) == "## Run"
    assert len(DocumentProcessor(50, 0).process_documents([create_document(GUIDE, author="x")])) == 2
    assert load_text_file(str(base / "sub" / "gb.txt"), "gb18030").text == "豆腐"


# --- with a registry and an agent ---------------------------------------------------------------------------------


def test_the_tool_touches_no_disk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tool = RAGTool()
    tool.add_text("text")
    tool.search("text")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_actions_as_tools(language):
    registry = ToolRegistry()
    registry.register_tool(RAGTool(expandable=True, language=language))
    names = ["rag_search", "rag_ask", "rag_add_text", "rag_add_document", "rag_stats", "rag_clear"]
    assert registry.list_tools() == names
    for name in names:
        shown = str(registry.get_tool(name).to_openai_schema())
        assert (re.search("[\u4e00-\u9fff]", shown) is not None) == (language == "zh")
    assert registry.execute_tool("rag_add_text", {"text": "About cats.", "document_id": "c"}).code is None
    assert "About cats." in registry.execute_tool("rag_search", {"query": "cats", "limit": 1}).text
    assert registry.execute_tool("rag_search", {"limit": 1}).code == "INVALID_PARAM"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Ask the documents: how do I install it on Linux?", "Install it with the package manager. [1]"),
        ("Search the documents for the terminal", "Type `make lab` in a terminal."),
        ("在文档中搜索法国的首都", "巴黎是法国的首都。"),
    ],
)
def test_an_agent_answers_from_a_document(tool, question, answer):
    registry = ToolRegistry()
    expandable = RAGTool(knowledge=tool.knowledge, llm=OfflineLLM(), expandable=True)
    registry.register_tool(expandable)
    agent = SimpleAgent("reader", OfflineLLM(), tool_registry=registry)
    assert answer in agent.run(question)


def test_threads_may_add_and_search_at_once():
    tool = RAGTool()
    tool.add_text("topic zero", document_id="start")
    failed = []

    def work(number):
        for round in range(5):
            text = {"text": f"topic {number} {round}", "document_id": f"{number}", "replace": True}
            response = tool.run({"action": "add_text", **text})
            if response.code or not tool.run({"action": "search", "query": "topic"}).data["results"]:
                failed.append(response.text)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert tool.knowledge.stats()["documents"] == len(tool.knowledge.index) == 5
