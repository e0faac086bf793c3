"""What holds for every test: no address but loopback, no model of the reader's, UTF-8, and nothing left out in CI."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import certifi
import pytest
from guard import left_out, loopback
from hypothesis import settings
from support.examples import examples

REFUSED = Path(tempfile.mkdtemp(prefix="hello-agents-tests-")) / "refused.txt"

loopback.install()
loopback.share_with_children(REFUSED)

# A reader's own model and language must not reach a test, and a child must not write in the machine's code page.
for name in [name for name in os.environ if name.startswith(("LLM_", "HELLO_AGENTS_")) and name != loopback.LOG]:
    del os.environ[name]
os.environ["PYTHONUTF8"] = "1"

# Each client of a provider reads all authorities of the machine when it is made, in some 20 ms. Nothing here is asked
# over TLS, so one of them is enough, for the programs that tests start as well.
os.environ["SSL_CERT_FILE"] = str(REFUSED.with_name("authority.pem"))
Path(os.environ["SSL_CERT_FILE"]).write_text(
    Path(certifi.where()).read_text(encoding="utf-8").partition("-----END CERTIFICATE-----")[0]
    + "-----END CERTIFICATE-----\n",
    encoding="utf-8",
)


# How long an example takes says more about the machine than about the code.
settings.register_profile("here", max_examples=examples(100), deadline=None)
settings.load_profile("here")


@pytest.fixture(autouse=True)
def _nothing_asked_for_the_network() -> Iterator[None]:
    """Fails the test in which something asked for another machine, even where the error was swallowed."""
    before = _refusals()
    yield
    asked = _refusals()[len(before) :]
    assert not asked, "Something asked for another machine:\n" + "\n".join(asked)


def _refusals() -> list[str]:
    return REFUSED.read_text(encoding="utf-8").splitlines() if REFUSED.exists() else []


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """In CI, what was skipped or left out has not been checked, so the session has failed."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter else []
    if left_out.CI and exitstatus in (0, pytest.ExitCode.NO_TESTS_COLLECTED) and (left_out.lines or skipped):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    elif left_out.lines and exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
        session.exitstatus = pytest.ExitCode.OK
    if hasattr(session.config, "workerinput"):
        _keep_coverage()


def _keep_coverage() -> None:
    """Writes down what this worker has reached: one that takes longer than ten seconds to end is killed by xdist."""
    coverage = sys.modules.get("coverage")
    measuring = coverage and coverage.Coverage.current()
    if measuring:
        measuring.save()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = terminalreporter.stats.get("skipped", [])
    if left_out.lines or (left_out.CI and skipped):
        title = "left out: a failure, since CI is set" if left_out.CI else "left out"
        terminalreporter.section(title, red=left_out.CI, yellow=not left_out.CI)
        for line in left_out.lines:
            terminalreporter.write_line(line)
        if left_out.CI and skipped:
            terminalreporter.write_line(f"{len(skipped)} skipped; no test may be skipped here.")
