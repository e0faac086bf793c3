"""Notebooks made up for the checks of the checks, and the chapters themselves."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from notebooks.execute import KERNELSPEC, ROOT, execute, stored_form

CHAPTERS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "chapter" in metafunc.fixturenames:
        metafunc.parametrize("chapter", CHAPTERS, ids=[path.stem for path in CHAPTERS])


CELLS = [
    "print('北京')\nprint(6 * 7)",
    "import ipywidgets\nipywidgets.HTML('<b>bold</b>')",
    "%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.figure(figsize=(1, 1))\n_ = plt.plot([1, 2, 3])",
    "from pathlib import Path\nPath('note.txt').write_text('kept out of the book', encoding='utf-8')\n{'a': [1, 2]}",
]


def write_notebook(path, cells=CELLS):
    notebook = new_notebook(cells=[new_markdown_cell("# A chapter"), *map(new_code_cell, cells)])
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
    notebook.metadata.kernelspec = dict(KERNELSPEC)
    nbformat.write(notebook, path)
    return path


@pytest.fixture(scope="session")
def executed_text(tmp_path_factory):
    """A small executed notebook with a stream, a widget, a picture and a value, as text."""
    path = write_notebook(tmp_path_factory.mktemp("book") / "00_small.ipynb")
    return stored_form(execute(path))


@pytest.fixture
def small(tmp_path, executed_text):
    """A copy of the small notebook that a test may spoil."""
    folder = tmp_path / "book"
    folder.mkdir()
    path = folder / "00_small.ipynb"
    path.write_text(executed_text, encoding="utf-8", newline="\n")
    return path
