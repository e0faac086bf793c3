"""The texts of the book: their names exist, their links lead somewhere, their words are spelt and chosen as agreed."""

import re

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from notebooks.execute import ROOT, stored_form
from notebooks.prose import (
    GLOSSARY,
    addresses,
    anchors,
    avoided,
    documents,
    main,
    passages,
    problems,
    prose,
    table_rows,
)

from notebooks import names


def test_the_chapter_reads_as_it_should(chapter):
    assert problems(chapter) == []


@pytest.mark.parametrize("path", documents(), ids=lambda path: path.name)
def test_the_page_reads_as_it_should(path):
    assert problems(path) == []


def notebook(tmp_path, text, code="tokens_left = 3"):
    made = new_notebook(cells=[new_markdown_cell(text), new_code_cell(code)])
    made.cells[1].outputs = [new_output("stream", name="stdout", text="820. (2 requests)\n")]
    for number, cell in enumerate(made.cells):
        cell.id = f"00_made-{number:02}"
    path = tmp_path / "00_made.ipynb"
    path.write_text(stored_form(made), encoding="utf-8")
    nbformat.validate(made)
    return path


FOUND = {
    "a function that is not there": ("Call `evolves` on it.", "`evolves`"),
    "a method that is not there": ("`Agent.runs` does it.", "`Agent.runs`"),
    "a field that is not there": ("Set `Config(max_stepps=3)`.", "`max_stepps`"),
    "an argument that is not there": ("Call `evaluate(agents, taskz)`.", "`taskz`"),
    "a class that is not there": ("A `SimplAgent` does.", "`SimplAgent`"),
    "a file that is not there": ("Open `hello_agents/core/runs.py`.", "`hello_agents/core/runs.py`"),
    "a folder that is not there": ("Open `hello_agents/cores`.", "`hello_agents/cores`"),
    "a file without its folder": ("Open `runs_.py`.", "`runs_.py`"),
    "a target that is not there": ("Type `make lap`.", "`lap`"),
    "a variable that is not there": ("Type `make POORT=1 lab`.", "`POORT`"),
    "a command that is not there": ("Type `hello-agents labs`.", "`labs`"),
    "a setting that is not there": ("Set `LLM_MODEL_IDS`.", "`LLM_MODEL_IDS`"),
    "a wrong part of a JSON text": ('It sends `{"messagez": [`.', "`messagez`"),
    "a link without a target": ("See [it](nowhere.md).", "leads to a file that is not there"),
    "a picture without a file": ("![it](nowhere.png)", "leads to a file that is not there"),
    "a link in HTML": ('<img src="nowhere.png">', "leads to a file that is not there"),
    "a link to no heading": ("See [it](#nowhere).", "leads to a heading that is not there"),
    "a link that anybody can read": ("See [it](http://github.com/x).", "does not begin with https"),
    "a host nobody knows": ("See [it](https://example.org).", "a host that is not in"),
    "a bare address": ("See https://example.org/page for it.", "a host that is not in"),
    "a misspelling": ("The model recieves it.", "“recieves”"),
    "a misspelt name": ("As in LangGrph.", "“LangGrph”"),
    "a doubled letter": ("The loopp.", "“loopp”"),
    "another word for a term": ("A function call follows.", "say “tool call”"),
    "another word, in the plural": ("Observations follow.", "say “result”"),
    "American spelling": ("The color of it.", "say “colour”"),
    "an exclamation": ("It runs!", "“!”"),
    "an announcement": ("In this chapter we will build one.", "does not belong"),
    "praise": ("A powerful idea.", "“powerful”"),
    "filler": ("It simply runs.", "“simply”"),
    "in a table": ("| a | b |\n|---|---|\n| it | just so |", "“just”"),
    "in a heading": ("## A seamless loop", "“seamless”"),
    "in a list": ("- obviously so", "“obviously”"),
    "in bold": ("It is **robust** here.", "“robust”"),
}


@pytest.mark.parametrize(("text", "words"), FOUND.values(), ids=FOUND)
def test_a_planted_fault_is_found_in_its_cell(text, words, tmp_path):
    found = problems(notebook(tmp_path, text))
    assert len(found) == 1, found
    assert words in found[0]
    assert found[0].startswith("cell 1 (00_made-00): ")


@pytest.mark.parametrize(
    "text",
    [
        "`evolve(run, event)` gives a new `Run`; `Run.pending` and `run.outcome.reason` say where it stands.",
        'Set `LLM_MODEL_ID` or `Config(max_steps=3)`, or `HelloAgentsLLM(model="offline")`.',
        "Open `hello_agents/core/run.py`, `run.py`, `hello_agents/core` or `tests/notebooks/`.",
        "Type `make lab PORT=8899 ARGS=--no-browser`, then `hello-agents doctor`.",
        "`tokens_left` is yours, and `len`, `json`, `None`, `async` and `KeyboardInterrupt` are Python's.",
        "It printed `820. (2 requests)`; press `R` or `←`.",
        "The server is at `http://localhost:11434/v1`; see [the code](https://github.com/x/y).",
        "Colours, behaviour, summarised, serialising, analysed, centre, cancelled, the licence, the model's, theirs.",
        "A tool call has a result. 中文也可以。 The loop isn't over yet; e.g. in 2 × 3 steps, x > y, 10 °C, v2.",
        "## A heading\n\nSee [above](#a-heading), and [the loop](#the-loop-of-run).\n\n## The loop of `run`",
        "```python\nanything = goes_here('simply!')\n```\n\n`anything` is named above.",
    ],
)
def test_an_ordinary_text_passes(text, tmp_path):
    assert problems(notebook(tmp_path, text)) == []


def test_what_another_chapter_defines_is_not_known_here(tmp_path):
    assert problems(notebook(tmp_path, "`tokens_left`.", code="other = 1")) != []


def test_prose_leaves_code_out_and_keeps_tables_and_headings():
    path = ROOT / "CONTRIBUTING.md"
    text = "\n".join(part for piece in passages(path) for part in prose(piece))
    assert "you changed" in text
    assert "What to run when" in text
    assert "make test" not in text


def test_anchors_are_those_of_github(tmp_path):
    path = tmp_path / "page.md"
    path.write_text("# One\n\n## A `b` c-d, e!\n\n## One\n\n## 中文 标题\n", encoding="utf-8")
    assert anchors(path) == {"one", "a-b-c-d-e", "one-1", "中文-标题"}


def test_all_addresses_of_a_page_are_looked_at():
    found = [one for piece in passages(ROOT / "README.md") for one in addresses(piece)]
    assert {"book/figures/inspector.png", "book/figures/inspector-dark.png", "LICENSE", "CONTRIBUTING.md"} <= set(found)


def test_members_are_found_in_the_classes_above():
    package = names.of_the_package()
    assert package.has_member("ReActAgent", "run")
    assert package.has_member("Run", "outcome")
    assert not package.has_member("Run", "outcomes")


def test_the_command_tells_each_fault_with_its_file(tmp_path, capsys):
    path = notebook(tmp_path, "It simply runs.")
    assert main([str(path)]) == 1
    assert capsys.readouterr().out.startswith("00_made.ipynb: cell 1 (00_made-00): “simply”")
    assert main([str(notebook(tmp_path, "It runs."))]) == 0


# --- the glossary --------------------------------------------------------------------------------------------


def entries():
    return table_rows(GLOSSARY.read_text(encoding="utf-8"), "Terms")


def plain(term):
    return re.sub(r"@\d+$", "@k", term.strip().casefold())


def forms():
    """What the glossary explains, each form of a term by itself and all of them together."""
    found = set()
    for term, *_ in entries():
        found |= {plain(term), *map(plain, term.split(","))}
    return found


def bold_terms(path):
    """What a chapter sets in bold to introduce it: not numbers of exercises, sentences, or labels at a list's point."""
    for piece in passages(path):
        depth = 0
        for token in piece.tokens:
            depth += token.nesting * (token.type == "list_item_open" or token.type == "list_item_close")
            bold = [""]
            for child in () if depth else token.children or ():
                match child.type:
                    case "strong_open":
                        bold.append("")
                    case "strong_close":
                        yield from [bold.pop()] if len(bold) > 1 else []
                    case "text" if len(bold) > 1:
                        bold[-1] += child.content
                    case _:
                        continue


def is_term(words):
    return not re.match(r"\d", words) and not words.endswith((".", "?", ":")) and bool(words)


def test_every_term_of_the_chapter_is_in_the_glossary(chapter):
    known = forms()
    missing = [
        term
        for term in bold_terms(chapter)
        if is_term(term) and not {plain(term), plain(term).removesuffix("s"), re.sub("ies$", "y", plain(term))} & known
    ]
    assert missing == [], "Put these into book/glossary.md, or take the bold away."


def test_bold_terms_are_told_from_labels(tmp_path):
    text = (
        "An **agent** is. **1. Predict.** Go.\n\n- **Back** goes back.\n\n**A sentence.** More, and **two words** here."
    )
    assert [one for one in bold_terms(notebook(tmp_path, text)) if is_term(one)] == ["agent", "two words"]


def test_the_glossary_explains_each_term_once_in_a_sentence_and_in_both_languages():
    rows = entries()
    assert len(rows) > 60
    for term, chinese, meaning in rows:
        assert meaning.endswith("."), term
        assert meaning.count(". ") == 0, term
        assert chinese, term
    every = [plain(form) for term, *_ in rows for form in term.split(",")]
    assert sorted({one for one in every if every.count(one) > 1} - {"compress"}) == []
    first = [plain(term) for term, *_ in rows]
    assert first == sorted(first)


def test_the_words_to_avoid_are_read_from_the_glossary():
    assert {"function call", "observation"} <= {one.word for one in avoided()}
    explained = forms() | {"make up", "colour", "behaviour"}
    assert [one for one in avoided() if plain(one.instead) not in explained] == []
