"""The first line of every chapter is quick: what it does not need is not loaded with it, wherever it is run."""

import subprocess
import sys

import pytest

LINE = "from hello_agents import ReActAgent, ToolRegistry, HelloAgentsLLM"
HEAVY = {"openai", "pydantic", "numpy", "tiktoken", "matplotlib", "ipywidgets", "asyncio", "yaml"}
FOR_RARE_CASES = {"difflib", "pathlib", "urllib", "hello_agents.core.streaming", "hello_agents.core.lifecycle"}
"""Small by themselves, and each a few milliseconds of every start."""


@pytest.fixture(scope="module")
def loaded():
    """The modules that the three names add to an interpreter that has loaded nothing else."""
    code = f"import sys; before = set(sys.modules); {LINE}; print(*set(sys.modules) - before)"
    # Isolated, so that no `sitecustomize` of a test session has imported something before.
    code = f"import sys; sys.path[:0] = {sys.path!r}; {code}"
    process = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, encoding="utf-8", check=True
    )
    return set(process.stdout.split())


@pytest.mark.parametrize("names", [HEAVY, FOR_RARE_CASES])
def test_the_three_names_load_none_of(names, loaded):
    assert "hello_agents.agents.react_agent" in loaded
    assert sorted(names & loaded) == []
