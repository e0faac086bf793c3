"""What holds for every widget and for what the chapters store of them."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

import hello_agents_widgets
import pytest
from notebooks.conftest import CHAPTERS
from notebooks.execute import read

ROOT = Path(__file__).parents[2]
NODE = shutil.which("node") or str(Path(sys.executable).parent / "node")
"""Where no Node is installed, a package of the checks brings one."""
WIDGETS = sorted((ROOT / "widgets").rglob("*.py"))


@pytest.mark.parametrize("file", WIDGETS, ids=lambda file: file.stem)
def test_no_widget_captures_prints_or_prints(file: Path) -> None:
    """What is captured lands in the next cell once something is awaited, and nowhere when no page is open."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        assert not (isinstance(node, ast.Attribute | ast.Name) and _name(node) in ("Output", "print", "capture_output"))


def _name(node: ast.Attribute | ast.Name) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_what_a_chapter_stores_is_readable_without_scripts_and_without_a_kernel(path: Path) -> None:
    """A cloned notebook is not trusted: scripts are taken out of it, and nothing may need them."""
    for cell in read(path).cells:
        outputs = cell.get("outputs", ())
        shown = [output.get("data", {}) for output in outputs]
        live = any("application/vnd.jupyter.widget-view+json" in data for data in shown)
        assert not live or any(data.get("text/html") or data.get("image/png") for data in shown), cell.id
        for data in shown:
            assert "application/javascript" not in data
            assert not data or "text/plain" in data, "readers without HTML have text"
            page = "".join(data.get("text/html", ""))
            assert not re.search(r"<(script|iframe|object|embed)\b|\son\w+\s*=|javascript:", page, re.IGNORECASE), (
                cell.id
            )


@pytest.mark.parametrize("name", [name for name in hello_agents_widgets.__all__ if name[0].isupper()])
def test_the_files_of_a_widget_make_one_module(name: str, tmp_path: Path) -> None:
    """They are put behind one another, so that no two may give the same name to different things."""
    module = tmp_path / f"{name}.mjs"
    module.write_text(str(getattr(hello_agents_widgets, name)._esm), encoding="utf-8")
    done = subprocess.run([NODE, "--check", str(module)], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
