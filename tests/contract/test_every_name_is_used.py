"""Every public name of the tutorial's framework is used here, as its readers use it."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from contract import compare, uses
from contract.used import Seen, unused

SCRIPTS = Path(__file__).parents[1] / "scripts"


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    seen = Seen()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LLM_MODEL_ID", "offline")
        for script in sorted(path for path in SCRIPTS.glob("*.py") if not path.name.startswith("test_")):
            patch.chdir(tmp_path_factory.mktemp(script.stem))
            with seen.watching():
                runpy.run_path(str(script), run_name="__main__")
        for use in uses.USES:
            patch.chdir(tmp_path_factory.mktemp(use.__name__))
            with seen.watching():
                use()
    return seen


@pytest.mark.parametrize("version", compare.VERSIONS)
def test_every_name_is_used(version: str, seen: Seen) -> None:
    left = unused(seen, version)
    assert not left, f"Of {version}, these names are used nowhere in tests/scripts or uses.py:\n" + "\n".join(left)


def test_what_nobody_uses_is_found() -> None:
    seen = Seen()
    with seen.watching():
        compare.hello_agents.CalculatorTool().run({"input": "1"})
    lines = unused(seen, "0.1.1")
    assert "hello_agents.CalculatorTool: made" not in lines
    assert "hello_agents.tools.builtin.calculator.CalculatorTool.run: called" not in lines
    assert "hello_agents.SearchTool: made" in lines
    assert "hello_agents.calculate: called" in lines
