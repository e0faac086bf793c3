"""What chapters need beside the library: the model, the sandbox, sources, checks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hello_agents import HelloAgentsLLM, OfflineLLM
from hello_agents.book import VARIABLES, check, choose_model, sandbox, show_source, side_by_side
from hello_agents.core.run import evolve


@pytest.fixture(autouse=True)
def _no_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in VARIABLES:
        monkeypatch.setenv(name, "")  # so that what the `.env` file sets goes away again
        monkeypatch.delenv(name)


def test_without_settings_the_offline_model_answers_and_is_said_to(capsys: Any) -> None:
    assert isinstance(choose_model(), OfflineLLM)
    assert "offline model" in capsys.readouterr().out


def test_a_file_of_variables_names_the_readers_own_model_and_no_key_is_shown(tmp_path: Path, capsys: Any) -> None:
    lines = ["LLM_MODEL_ID=mine", "LLM_API_KEY=sk-0123456789abcdefghij", "LLM_BASE_URL=http://127.0.0.1:9/v1"]
    (tmp_path / ".env").write_text("\n".join(lines), encoding="utf-8")
    llm = choose_model()
    assert isinstance(llm, HelloAgentsLLM)
    assert llm.model == "mine"
    said = capsys.readouterr().out
    assert "mine" in said
    assert "127.0.0.1" in said
    assert "0123456789" not in said


def test_a_sandbox_is_a_fresh_folder_with_its_files() -> None:
    one, other = sandbox({"a/b.md": "北京"}), sandbox()
    assert (one / "a" / "b.md").read_text(encoding="utf-8") == "北京"
    assert list(other.iterdir()) == []


def test_a_source_is_shown_as_it_stands_in_the_package() -> None:
    shown = show_source(evolve)
    assert repr(shown).startswith("# hello_agents/core/run.py\n\ndef evolve(")
    assert shown._repr_markdown_().startswith("`hello_agents/core/run.py`\n\n```python\ndef evolve(")


@pytest.mark.parametrize(
    "value", [{}, [], "北京 <b>", {"a": [1, {"b": "x" * 60}], "c": None}, list(range(40)), [[[1.5]]]]
)
def test_values_side_by_side_stay_the_json_they_are(value: Any) -> None:
    shown = side_by_side({"one": value, "<other>": "x"})
    heading, _, written = repr(shown).partition("\n\n")[0].partition("\n")
    assert heading == "one"
    assert json.loads(written) == value
    assert "&lt;other&gt;" in shown._repr_html_()
    assert "<b>" not in shown._repr_html_()


def test_a_check_hints_and_never_raises(capsys: Any) -> None:
    check(lambda: True, "hint")
    check(lambda: False, "Look again.")
    check(lambda: 1 / 0 > 0, "Look again.")
    solved, not_yet, raised = capsys.readouterr().out.splitlines()
    assert solved == "Solved."
    assert not_yet == "Not yet. Look again."
    assert raised.startswith("Not yet. Look again. (Your code raised ZeroDivisionError")
