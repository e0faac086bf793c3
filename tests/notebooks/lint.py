"""What a stored notebook must be, apart from right: its problems in words, none when all is well."""

from __future__ import annotations

import getpass
import re
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from notebooks.execute import KERNELSPEC, ROOT, read, stored_form

MOST_BYTES = 2_000_000
"""GitHub shows no notebook that is much larger."""

_PATH = re.compile(
    r"(?<![\w.:/-])/(?:home|Users|root|tmp|var/folders|private|opt|mnt|work|srv|workspaces?)/[\w.-]+"
    r"|(?<!\w)[A-Za-z]:\\\\?(?:Users|Temp|Windows)\b|site-packages"
)
_SECRET = re.compile(
    r"(?<![\w-])sk-[\w-]{16,}|\bAKIA[0-9A-Z]{16}\b|\bAIza[\w-]{30,}|\bgh[pousr]_\w{30,}|\bBearer\s+[\w.-]{16,}"
    r"|\bhf_\w{30,}|-----BEGIN [A-Z ]*PRIVATE KEY"
)
_ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]{6,}|\bobject at 0x")


def problems(path: Path) -> list[str]:
    """All that is wrong with the notebook, each with the cell it is in."""
    notebook = read(path)
    found = [*_format(path, notebook), *_metadata(notebook), *_counts(notebook)]
    for number, cell in enumerate(notebook.cells, start=1):
        where = f"cell {number} ({cell.get('id')})"
        found += [f"{where}: {problem}" for problem in _secrets(str(cell.source))]
        for output in cell.get("outputs", ()):
            found += [f"{where}: {problem}" for problem in _output(output)]
    widgets = str(notebook.metadata.get("widgets", ""))
    found += [f"widget state: {problem}" for problem in (*_secrets(widgets), *_places(widgets))]
    return found


def _format(path: Path, notebook: NotebookNode) -> list[str]:
    try:
        nbformat.validate(notebook)
    except nbformat.ValidationError as error:
        return [f"not a valid notebook: {error.message}"]
    text = path.read_bytes().decode("utf-8")
    found = [] if text == stored_form(notebook) else ["not written as `make execute` writes it; run `make execute`"]
    if len(text.encode()) > MOST_BYTES:
        found.append(f"{len(text.encode())} bytes; at most {MOST_BYTES} are shown on the web")
    return found


def _metadata(notebook: NotebookNode) -> list[str]:
    found: list[str] = []
    kernel = notebook.metadata.get("kernelspec", {})
    if dict(kernel) != KERNELSPEC:
        found.append(f"the kernel is {dict(kernel)!r}; it must be {KERNELSPEC!r}, which every reader has")
    if "widgets" in notebook.metadata:
        states = notebook.metadata.widgets.get("application/vnd.jupyter.widget-state+json", {})
        missing = {"state", "version_major", "version_minor"} - states.keys()
        if missing or not states.get("state"):
            found.append(f"metadata.widgets lacks {sorted(missing) or 'any state'}; leave it out or store it whole")
        else:
            found += _views_without_state(notebook, states["state"])
    elif any(_views(notebook)):
        found.append("a widget is shown whose state is not in metadata.widgets")
    return found


def _views(notebook: NotebookNode) -> list[str]:
    kind = "application/vnd.jupyter.widget-view+json"
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    return [output["data"][kind]["model_id"] for output in outputs if kind in output.get("data", {})]


def _views_without_state(notebook: NotebookNode, states: dict[str, Any]) -> list[str]:
    return [f"the widget {view} is shown and has no state" for view in _views(notebook) if view not in states]


def _counts(notebook: NotebookNode) -> list[str]:
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    counts = [cell.get("execution_count") for cell in code]
    if counts == list(range(1, len(code) + 1)):
        return []
    return [f"execution counts are {counts}; a cell without its count is not compared. Run `make execute`"]


def _output(output: dict[str, Any]) -> list[str]:
    found: list[str] = []
    if output.get("name") == "stderr":
        found.append(f"writes to stderr: {output['text'][:80]!r}")
    text = "\n".join([str(output.get("text", "")), *map(str, output.get("data", {}).values())])
    text += "\n".join([str(output.get("evalue", "")), *output.get("traceback", ())])
    return [*found, *_secrets(text), *_places(text)]


def _secrets(text: str) -> list[str]:
    return [f"looks like a secret: {match[:6]}…" for match in _SECRET.findall(text)]


def _places(text: str) -> list[str]:
    """Paths and memory addresses: both differ from one machine or run to the next."""
    found = [f"a path of one machine: {match!r}" for match in _PATH.findall(text)]
    for place in (str(ROOT), str(Path.home())):
        if len(place) > len("/root") and place in text:
            found.append(f"a path of this machine: {place!r}")
    found += [f"a memory address: {match!r}" for match in _ADDRESS.findall(text)]
    user = getpass.getuser()
    if user != "root" and re.search(rf"[/\\]{re.escape(user)}[/\\]", text):
        found.append(f"the name of a user: {user!r}")
    return found
