"""Without a browser the tests that need one are left out and named; in CI that is a failure, as is any skipped test."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name != "CI"} | environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


@pytest.fixture
def no_browser(tmp_path):
    """A machine on which no browser is to be found."""
    return {"PATH": str(tmp_path), "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path), "HOME": str(tmp_path)}


def test_without_a_browser_the_rest_passes_and_the_end_says_what_was_left_out(no_browser):
    session = run(["tests/browser"], **no_browser)
    assert session.returncode == 0, session.stdout + session.stderr
    assert "browser tests" in session.stdout
    assert "playwright install chromium" in session.stdout


def test_in_ci_a_missing_browser_is_a_failure(no_browser):
    session = run(["tests/browser"], CI="true", **no_browser)
    assert session.returncode == 1
    assert "browser tests" in session.stdout


@pytest.mark.parametrize(("ci", "code"), [("", 0), ("true", 1)])
def test_a_skipped_test_is_a_failure_in_ci_only(ci, code, tmp_path):
    (tmp_path / "test_skips.py").write_text("import pytest\ndef test_a(): pytest.skip('no')\ndef test_b(): pass\n")
    conftest = (ROOT / "tests" / "conftest.py").read_text(encoding="utf-8")
    (tmp_path / "conftest.py").write_text(conftest, encoding="utf-8")
    session = run([str(tmp_path), "-c", str(ROOT / "pyproject.toml"), "--rootdir", str(ROOT)], CI=ci)
    assert session.returncode == code, session.stdout + session.stderr
