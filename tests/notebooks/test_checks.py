"""The checks of notebooks check: each planted change is found, and an unspoiled notebook passes."""

import base64
import io
import json

import nbformat
import pytest
from notebooks.conftest import write_notebook
from notebooks.execute import changes, execute, main, read, stored_form
from notebooks.lint import problems
from PIL import Image
from test_chapters import nbval

from notebooks import execute as executing


def spoil(path, change):
    notebook = read(path)
    change(notebook)
    path.write_text(stored_form(notebook), encoding="utf-8", newline="\n")


def repaint(notebook, *, colour):
    """Stores the picture anew: other bytes, and other pixels when a colour is given."""
    data = notebook.cells[3].outputs[0].data
    picture = Image.open(io.BytesIO(base64.b64decode(data["image/png"]))).convert("RGBA")
    if colour:
        picture.putpixel((0, 0), colour)
    file = io.BytesIO()
    picture.save(file, "PNG", compress_level=1)
    data["image/png"] = base64.b64encode(file.getvalue()).decode()


def shown(notebook, text, kind="text/plain"):
    """Puts one more output into the first code cell."""
    output = nbformat.v4.new_output("display_data", {kind: text})
    notebook.cells[1].outputs.append(output)


def test_an_unspoiled_notebook_passes_every_check(small, executed_text):
    assert problems(small) == []
    assert changes(executed_text, execute(small)) == ""
    assert nbval(small).returncode == 0


def test_what_a_cell_writes_stays_out_of_the_book(small):
    execute(small)
    assert [path.name for path in small.parent.iterdir()] == [small.name]


LOUD = [
    "import sys\nfor n in range(30):\n    print(n, flush=True)",
    "for n in range(5):\n    print(f'\\r{n} of 4', end='', flush=True)",
    "print('one', end='')\nsys.stdout.flush()\nprint(' two')\n_ = sys.stdout.write('three\\n')",
]


def test_however_a_text_is_flushed_it_is_the_same_text(tmp_path):
    """A stream comes in pieces whose number is a matter of time, and a progress line writes over itself."""
    path = write_notebook(tmp_path / "00_loud.ipynb", LOUD)
    assert main([str(path)]) == 0
    assert problems(path) == []
    assert main(["--check", str(path)]) == 0
    assert nbval(path).returncode == 0
    assert all(len(cell.outputs) == 1 for cell in read(path).cells if cell.cell_type == "code")


CHANGES = {
    "a printed line": lambda nb: nb.cells[1].outputs[0].update(text="北京\n43\n"),
    "a value": lambda nb: nb.cells[4].outputs[0].data.update({"text/plain": "{'a': [1, 3]}"}),
    "an output too many": lambda nb: shown(nb, "extra"),
    "an output too few": lambda nb: nb.cells[1].update(outputs=[]),
    "a kind of output": lambda nb: nb.cells[4].outputs[0].data.update({"text/html": "<b>new</b>"}),
    "an execution count": lambda nb: nb.cells[1].update(execution_count=7),
    "a pixel": lambda nb: repaint(nb, colour=(1, 2, 3, 255)),
    "a widget's state": lambda nb: next(
        iter(nb.metadata.widgets["application/vnd.jupyter.widget-state+json"]["state"].values())
    )["state"].update(value="<b>bald</b>"),
    "a widget's id": lambda nb: (
        nb.cells[2].outputs[0].data["application/vnd.jupyter.widget-view+json"].update(model_id="f" * 32)
    ),
    "metadata of a cell": lambda nb: nb.cells[1].metadata.update(execution={"iopub.status.busy": "now"}),
    "metadata of the notebook": lambda nb: nb.metadata.language_info.update(version="3.11.2"),
    "the source": lambda nb: nb.cells[1].update(source="print('上海')\nprint(6 * 7)"),
}


@pytest.fixture(scope="module")
def fresh(executed_text, tmp_path_factory):
    """The small notebook executed once more, to compare spoiled copies with."""
    path = tmp_path_factory.mktemp("fresh") / "00_small.ipynb"
    path.write_text(executed_text, encoding="utf-8")
    return execute(path)


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_execution_finds(change, small, fresh):
    spoil(small, change)
    assert changes(small.read_text(encoding="utf-8"), fresh) != ""


def test_equal_pixels_are_the_same_picture(small, executed_text, fresh):
    spoil(small, lambda notebook: repaint(notebook, colour=None))
    spoiled = small.read_text(encoding="utf-8")
    assert spoiled != executed_text
    assert changes(spoiled, fresh) == ""


def test_nbval_finds_a_changed_line_and_names_it(small):
    spoil(small, CHANGES["a printed line"])
    run = nbval(small)
    assert run.returncode == 1
    assert "43" in run.stdout


FAULTS = {
    "kernel": (lambda nb: nb.metadata.kernelspec.update(name="my-env"), "the kernel is"),
    "count left out": (lambda nb: nb.cells[1].update(execution_count=None), "execution counts"),
    "counts out of order": (lambda nb: nb.cells[1].update(execution_count=2), "execution counts"),
    "widgets without state": (lambda nb: nb.metadata.widgets.clear(), "metadata.widgets lacks"),
    "no widgets": (lambda nb: nb.metadata.pop("widgets"), "a widget is shown"),
    "a view without state": (
        lambda nb: nb.cells[2].outputs[0].data["application/vnd.jupyter.widget-view+json"].update(model_id="0" * 32),
        "has no state",
    ),
    "a home folder": (lambda nb: shown(nb, "wrote /home/reader/notes.txt"), "a path of one machine"),
    "a temporary folder": (lambda nb: shown(nb, "{'root': '/tmp/sandbox'}"), "a path of one machine"),
    "a Windows path": (lambda nb: shown(nb, r"C:\Users\reader\notes.txt"), "a path of one machine"),
    "this folder": (lambda nb: shown(nb, str(executing.ROOT / "notebooks")), "machine"),
    "a path in HTML": (lambda nb: shown(nb, "<i>/Users/reader/x</i>", "text/html"), "a path of one machine"),
    "a memory address": (lambda nb: shown(nb, "<__main__.C object at 0x7f3a2b1c>"), "a memory address"),
    "a key in an output": (lambda nb: shown(nb, "sk-" + "a1" * 12), "looks like a secret"),
    "a key in a cell": (lambda nb: nb.cells[1].update(source="key = 'sk-" + "a1" * 12 + "'"), "looks like a secret"),
    "a token in a header": (lambda nb: shown(nb, "Authorization: Bearer " + "x" * 24), "looks like a secret"),
    "stderr": (
        lambda nb: nb.cells[1].outputs.append(nbformat.v4.new_output("stream", name="stderr", text="warning")),
        "writes to stderr",
    ),
    "not valid": (lambda nb: nb.cells[1].outputs[0].update(output_type="unheard of"), "not a valid notebook"),
    "too large": (lambda nb: shown(nb, "x" * 2_000_001), "at most"),
}


@pytest.mark.parametrize(("change", "words"), FAULTS.values(), ids=FAULTS)
def test_lint_finds(change, words, small):
    spoil(small, change)
    assert any(words in problem for problem in problems(small)), problems(small)


@pytest.mark.parametrize(
    "text", ["https://example.org/home/page", "GET /v1/chat/completions", "3/4", "notes/home/plan.md", "task-force sk-"]
)
def test_lint_lets_ordinary_text_through(text, small):
    spoil(small, lambda notebook: shown(notebook, text))
    assert problems(small) == []


def test_lint_finds_another_way_of_writing_the_file(small):
    small.write_text(json.dumps(json.loads(small.read_text(encoding="utf-8"))), encoding="utf-8")
    assert any("make execute" in problem for problem in problems(small))


def test_a_cell_that_fails_stops_the_execution(tmp_path):
    path = write_notebook(tmp_path / "00_fails.ipynb", ["1 / 0"])
    with pytest.raises(executing.CellExecutionError, match="ZeroDivisionError"):
        execute(path)


def test_execution_knows_nothing_of_the_reader(tmp_path, monkeypatch):
    monkeypatch.setenv("LLM_MODEL_ID", "the reader's")
    monkeypatch.setenv("OTHER_API_KEY", "a secret")
    seen = "import os\n[name for name in os.environ if name.startswith('LLM_') or name.endswith('_API_KEY')]"
    notebook = execute(write_notebook(tmp_path / "00_seen.ipynb", [seen]))
    assert notebook.cells[1].outputs[0].data["text/plain"] == "[]"


def test_a_cell_that_leaves_the_machine_fails(tmp_path, monkeypatch):
    monkeypatch.setenv("HELLO_AGENTS_REFUSED_ADDRESSES", str(tmp_path / "refused.txt"))
    path = write_notebook(tmp_path / "00_net.ipynb", ["import socket\nsocket.create_connection(('192.0.2.1', 80))"])
    with pytest.raises(executing.CellExecutionError, match="OutsideAddress"):
        execute(path)


def test_make_execute_stores_what_a_check_then_accepts(tmp_path, capsys):
    path = write_notebook(tmp_path / "00_new.ipynb")
    assert main(["--check", str(path)]) == 1
    assert main([str(path)]) == 0
    stored = path.read_bytes()
    assert problems(path) == []
    assert main(["--check", str(path)]) == 0
    assert path.read_bytes() == stored
    assert "the same" in capsys.readouterr().out
