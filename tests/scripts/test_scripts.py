"""Scripts in the shape in which a reader of the tutorial writes them run as they are, offline and over the wire."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from support.openai_server import OpenAIServer

from hello_agents.offline.offline_llm import OfflineLLM

SCRIPTS = sorted(path.name for path in Path(__file__).parent.glob("*.py") if not path.name.startswith("test_"))


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_runs_offline(script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_MODEL_ID", "offline")
    runs(script, tmp_path, monkeypatch)


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_runs_over_the_wire(script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with OpenAIServer(OfflineLLM()) as server:
        monkeypatch.setenv("LLM_MODEL_ID", "loopback")
        monkeypatch.setenv("LLM_API_KEY", "key")
        monkeypatch.setenv("LLM_BASE_URL", server.base_url)
        runs(script, tmp_path, monkeypatch)


def runs(script: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    runpy.run_path(str(Path(__file__).with_name(script)), run_name="__main__")
