"""The measuring measures: on tiny runs, without the peers, and without a word about how long anything takes."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BENCHMARKS = ROOT / "benchmarks"
LOCAL = ["bare", "hello_agents_book", "hello_agents_book_journal"]


def measure(*arguments):
    process = subprocess.run(
        [sys.executable, str(BENCHMARKS / "measure.py"), *map(str, arguments)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


def file(name):
    return BENCHMARKS / "contenders" / f"{name}.py"


@pytest.mark.parametrize("name", LOCAL)
def test_each_size_of_run_is_measured(name):
    figures = measure("steps", file(name), 1, 3)
    assert list(figures) == ["1", "3"]
    assert all(value > 0 for value in figures.values())


@pytest.mark.parametrize("name", LOCAL)
def test_memory_is_that_of_this_process(name):
    alone = measure("memory")
    ballast = bytearray(64 * 1024**2)  # A process that is started by a large one is not large.
    with_a_run = measure("memory", file(name), 2)
    assert 1 < alone <= with_a_run + 1 < len(ballast) / 1024**2


def test_what_is_installed_is_listed_with_versions_and_sizes():
    pytest_itself = measure("installed")["pytest"]
    assert pytest_itself["version"] == pytest.__version__
    assert pytest_itself["bytes"] > 100_000


@pytest.mark.parametrize("name", sorted(path.stem for path in (BENCHMARKS / "contenders").glob("*.py")))
def test_every_contender_says_what_it_is_and_is_entered(name):
    tree = ast.parse(file(name).read_text(encoding="utf-8"))
    assert ast.get_docstring(tree)
    assert "prepare" in [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert f'"{name}"' in (BENCHMARKS / "entrants.py").read_text(encoding="utf-8")
