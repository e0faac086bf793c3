"""Every chapter: stored as it should be, equal outputs under nbval, and equal bytes when it is executed again."""

import os
import subprocess
import sys

import pytest
from notebooks.execute import ROOT, changes, execute, kernel_environment, workplace
from notebooks.lint import problems

# jsonschema compiles a grammar for a format that no notebook has, which would take longer than most chapters do.
START = "import sys; sys.modules['rfc3987_syntax'] = None; import pytest; sys.exit(pytest.main(sys.argv[1:]))"


def nbval(path):
    """Runs nbval on a copy of the notebook: every cell that has been executed is run and its outputs are compared."""
    with workplace(path) as copy:
        quiet = ["-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", str(copy.parent)]
        return subprocess.run(
            [sys.executable, "-c", START, "-p", "nbval.plugin", "--nbval", "--nbval-current-env", *quiet, str(copy)],
            cwd=copy.parent,
            # The other plugins of the tests take seconds to load, and have nothing to do here.
            env=kernel_environment(copy.parents[1]) | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )


def test_there_is_a_chapter():
    assert list((ROOT / "notebooks").glob("*.ipynb"))


def test_the_chapter_is_stored_as_it_should_be(chapter):
    assert problems(chapter) == []


def test_the_outputs_are_those_that_nbval_gets(chapter):
    run = nbval(chapter)
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.more
def test_executing_again_changes_no_byte(chapter):
    difference = changes(chapter.read_text(encoding="utf-8"), execute(chapter))
    assert not difference, f"{difference}\n\nIf this is what the chapter should show, run `make execute`."
