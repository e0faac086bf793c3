"""What the documents say is so: their code runs, their commands exist, their links lead somewhere."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "book/from_the_tutorial.md"]


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(name):
    return re.findall(r"^```python\n(.*?)^```", text(name), flags=re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("code", blocks("README.md"))
def test_the_code_of_the_readme_runs_as_it_stands(code, tmp_path):
    paths = [str(ROOT), str(ROOT / "widgets"), os.environ["PYTHONPATH"]]
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "390" in run.stdout
    assert list(tmp_path.iterdir()) == []


def test_the_first_loop_is_short():
    [code] = blocks("README.md")
    assert len([line for line in code.splitlines() if line.strip()]) <= 10


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_commands_exist(name):
    targets = re.findall(r"^([\w-]+):", text("Makefile"), flags=re.MULTILINE)
    said = re.findall(r"^make ([\w-]+)|`make ([\w -]+)", text(name), flags=re.MULTILINE)
    words = {word for pair in said for word in " ".join(pair).split() if word.islower()}
    assert words <= set(targets)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_links_and_paths_lead_somewhere(name):
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", text(name))
    paths = re.findall(r"`((?:hello_agents|widgets|tests|notebooks|book)/[\w./-]+)`", text(name))
    for path in (path for path in links + paths if "NN_" not in path):
        assert (ROOT / path).exists(), f"{name} speaks of {path}, which is not there"
