"""Execution of notebooks that gives the same bytes every time: how stored outputs are made, and how they are checked.

`python tests/notebooks/execute.py [--check] NOTEBOOK…` executes in place, or says what would change. A kernel started
here knows nothing of the reader: no model, no configuration, no folder but a copy of the one that holds the notebook.
"""

from __future__ import annotations

import argparse
import base64
import copy
import difflib
import io
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode
from PIL import Image

__all__ = ["CellExecutionError", "changes", "execute", "main", "normal", "read", "stored_form", "workplace"]

ROOT = Path(__file__).parents[2]
GUARD = ROOT / "tests" / "guard"

# Each widget takes its id from a counter instead of a random number, ipywidgets' own layouts and styles too.
NUMBER_THE_WIDGETS = """
def _number_the_widgets():
    from itertools import count
    from ipywidgets import Widget
    numbers, begin = count(1), Widget.__init__
    def __init__(self, *args, **kwargs):
        kwargs.setdefault("model_id", f"{next(numbers):032x}")
        begin(self, *args, **kwargs)
    Widget.__init__ = __init__
_number_the_widgets()
del _number_the_widgets
"""

KEPT_NOTEBOOK_METADATA = {"kernelspec", "language_info", "widgets"}
KEPT_CELL_METADATA = {"tags", "jupyter", "slideshow"}
KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}


class NumberedWidgets(NotebookClient):
    """A client whose kernel numbers its widgets, arranged before the first cell and without using up a count."""

    async def async_start_new_kernel_client(self) -> Any:
        client = await super().async_start_new_kernel_client()
        await client.execute_interactive(NUMBER_THE_WIDGETS, silent=True, store_history=False, timeout=60)
        return client


class ThisPython(AsyncKernelManager):
    """A kernel of the interpreter that runs the tests, whatever kernels are registered on the machine."""

    @property
    def kernel_spec(self) -> KernelSpec:
        launch = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}", "--log-level=ERROR"]
        return KernelSpec(argv=launch, display_name="Python 3", language="python")


def kernel_environment(home: Path) -> dict[str, str]:
    """The environment of a kernel: the machine's, without the reader's model, settings or start-up files."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LLM_", "HELLO_AGENTS_"))}
    kept = {name: value for name, value in kept.items() if not name.endswith("_API_KEY")}
    for name in ("MPLBACKEND", "MPLCONFIGDIR", "PYTHONSTARTUP", "FORCE_COLOR", "NO_COLOR"):
        kept.pop(name, None)
    paths = [
        str(GUARD),
        str(ROOT),
        str(ROOT / "widgets"),
        *(part for part in kept.get("PYTHONPATH", "").split(os.pathsep) if part),
    ]
    return kept | {
        "IPYTHONDIR": str(home / "ipython"),
        "MPLCONFIGDIR": str(home / "matplotlib"),
        "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths)),
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
        "TZ": "UTC",
        "COLUMNS": "80",
    }


@contextmanager
def workplace(path: Path) -> Iterator[Path]:
    """A copy of the folder that holds the notebook, so that what its cells write does not land beside it."""
    with tempfile.TemporaryDirectory(prefix="notebook-") as folder:
        place = Path(folder) / "book"
        unneeded = shutil.ignore_patterns(".ipynb_checkpoints", "__pycache__", ".*")
        shutil.copytree(path.parent, place, ignore=unneeded)
        yield place / path.name


def execute(
    path: Path, change: Callable[[NotebookNode], None] | None = None, settings: Mapping[str, str] | None = None
) -> NotebookNode:
    """The notebook as it is after Run All, in the form in which it is stored.

    `change` may alter the cells first, for instance to put solutions in; `settings` are variables for the kernel, of
    a model for instance. Raises `CellExecutionError` where a cell fails that is not tagged `raises-exception`.
    """
    notebook = read(path)
    if change is not None:
        change(notebook)
    with workplace(path) as place:
        NumberedWidgets(
            notebook,
            km=ThisPython(),
            timeout=120,
            record_timing=False,
            coalesce_streams=True,
            store_widget_state=True,
        ).execute(cwd=str(place.parent), env=kernel_environment(place.parents[1]) | dict(settings or {}))
    return normal(notebook)


def read(path: Path) -> NotebookNode:
    return nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)


def normal(notebook: NotebookNode) -> NotebookNode:
    """The notebook without what differs from one machine or editor to the next."""
    metadata = {key: value for key, value in notebook.metadata.items() if key in KEPT_NOTEBOOK_METADATA}
    metadata |= {"kernelspec": dict(KERNELSPEC), "language_info": {"name": "python"}}
    if not _widget_states(metadata):
        metadata.pop("widgets", None)
    notebook.metadata = nbformat.from_dict(metadata)
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({k: v for k, v in cell.metadata.items() if k in KEPT_CELL_METADATA})
    return notebook


def _widget_states(metadata: dict[str, Any]) -> dict[str, Any]:
    return metadata.get("widgets", {}).get("application/vnd.jupyter.widget-state+json", {}).get("state", {})


def stored_form(notebook: NotebookNode) -> str:
    """The notebook as it lies on disk, which is the way JupyterLab writes it."""
    return nbformat.writes(notebook, version=4).rstrip("\n") + "\n"


def changes(stored: str, executed: NotebookNode) -> str:
    """What differs between a stored notebook and a fresh execution, as a diff; empty when they are the same.

    Every byte counts, save for pictures: two PNGs with equal pixels are the same picture.
    """
    before = nbformat.reads(stored, as_version=4)
    after = copy.deepcopy(executed)
    for old_cell, new_cell in zip(before.cells, after.cells, strict=False):
        for old, new in zip(old_cell.get("outputs", ()), new_cell.get("outputs", ()), strict=False):
            if _same_picture(_png(old), _png(new)):
                new["data"]["image/png"] = old["data"]["image/png"]
    lines = difflib.unified_diff(
        stored.splitlines(), stored_form(after).splitlines(), "stored", "executed", lineterm="", n=2
    )
    return "\n".join(line if len(line) < 400 else line[:400] + " …" for line in lines)


def _png(output: dict[str, Any]) -> str | None:
    return output.get("data", {}).get("image/png")


def _same_picture(one: str | None, other: str | None) -> bool:
    if one is None or other is None:
        return False
    if one.strip() == other.strip():
        return True
    first, second = (Image.open(io.BytesIO(base64.b64decode(data))).convert("RGBA") for data in (one, other))
    return first.size == second.size and first.tobytes() == second.tobytes()


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Execute notebooks so that their stored outputs are always the same.")
    parser.add_argument("--check", action="store_true", help="change nothing; fail when an output would change")
    parser.add_argument("notebooks", nargs="+", type=Path)
    options = parser.parse_args(arguments)
    different = 0
    for path in options.notebooks:
        stored = path.read_text(encoding="utf-8")
        executed = execute(path.resolve())
        diff = changes(stored, executed)
        different += bool(diff)
        if options.check:
            sys.stdout.write(diff + "\n" if diff else "")
        elif diff:
            path.write_text(stored_form(executed), encoding="utf-8", newline="\n")
        sys.stdout.write(f"{path}: {'changed' if diff else 'the same'}\n")
    return 1 if options.check and different else 0


if __name__ == "__main__":
    raise SystemExit(main())
