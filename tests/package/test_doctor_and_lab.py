"""What `lab` and `doctor` say and do in the cases that the machine of the tests is not in."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hello_agents import cli


class Lab:
    """What stands in for JupyterLab: it keeps how it was started."""

    def __init__(self) -> None:
        self.started: list[list[str]] = []
        self.LabApp = SimpleNamespace(launch_instance=self.started.append)


@pytest.fixture
def lab(monkeypatch: pytest.MonkeyPatch) -> Lab:
    lab = Lab()
    monkeypatch.setattr(cli, "import_module", lambda name: lab)
    monkeypatch.setenv("JUPYTER_PREFER_ENV_PATH", "0")
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "/before")
    return lab


def test_a_checkout_serves_its_own_chapters(lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["lab", "--port", "8899", "--no-browser"]) == 0
    (arguments,) = lab.started
    assert f"--ServerApp.root_dir={cli.chapters()}" in arguments
    assert "--ServerApp.port=8899" in arguments
    assert arguments[-1] == "--no-browser"
    assert "open in JupyterLab" in capsys.readouterr().out


@pytest.mark.parametrize("named", [True, False])
def test_an_installed_book_is_copied_once_and_edits_are_kept(
    named: bool, lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with zipfile.ZipFile(tmp_path / "chapters.zip", "w") as packed:
        packed.writestr("a.ipynb", "{}")
        packed.writestr("more/b.ipynb", "[]")
    monkeypatch.setattr(cli, "chapters", lambda: zipfile.Path(tmp_path / "chapters.zip"))
    monkeypatch.chdir(tmp_path)
    place = tmp_path / ("mine" if named else "hello-agents-book")
    assert cli.lab(place if named else None) == 0
    assert (place / "a.ipynb").read_text(encoding="utf-8") == "{}"
    assert (place / "more" / "b.ipynb").read_text(encoding="utf-8") == "[]"
    (place / "a.ipynb").write_text("edited", encoding="utf-8")
    assert cli.lab(place if named else None) == 0
    assert (place / "a.ipynb").read_text(encoding="utf-8") == "edited"
    assert "Kept your own a.ipynb" in capsys.readouterr().out
    assert [f"--ServerApp.root_dir={place}" in arguments for arguments in lab.started] == [True, True]


def test_without_jupyterlab_or_chapters_lab_says_what_to_install(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cli, "chapters", lambda: None)
    assert cli.lab() == 1
    assert "carries no chapters" in capsys.readouterr().out

    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(cli, "import_module", missing)
    assert cli.lab() == 1
    assert "pip install" in capsys.readouterr().out
    assert lab.started == []


def test_chapters_are_inside_the_package_beside_it_or_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "hello_agents"
    package.mkdir()
    monkeypatch.setattr(cli, "__file__", str(package / "cli.py"))
    assert cli.chapters() is None
    (tmp_path / "notebooks").mkdir()
    assert cli.chapters() == tmp_path / "notebooks"
    with zipfile.ZipFile(package / "chapters.zip", "w") as packed:
        packed.writestr(cli.FIRST_CHAPTER, "{}")
    packed_chapters = cli.chapters()
    assert packed_chapters is not None
    assert [file.name for file in packed_chapters.iterdir()] == [cli.FIRST_CHAPTER]


def test_the_doctor_fails_when_the_book_is_not_installed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def nothing(name: str) -> list[str]:
        raise cli.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(cli.metadata, "requires", nothing)
    assert cli.main(["doctor"]) == 1
    assert 'pip install "hello-agents-book[book]"' in capsys.readouterr().out


def test_the_doctor_looks_at_what_is_needed_and_not_at_other_extras(monkeypatch: pytest.MonkeyPatch) -> None:
    declared = ["pytest>=1", "pytest>=999", 'nowhere>=1; extra == "book"', 'elsewhere; extra == "dev"']
    monkeypatch.setattr(cli.metadata, "requires", lambda name: declared)
    found = [(finding.state, finding.subject.split()[0]) for finding in cli._packages()]
    assert found == [("ok", "pytest"), ("missing", "pytest"), ("missing", "nowhere")]


def test_without_the_means_to_compare_versions_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not cli._fits("pytest>=999", "1")
    monkeypatch.setitem(sys.modules, "packaging.requirements", None)
    assert cli._fits("pytest>=999", "1")


def test_widgets_and_a_jupyter_of_another_environment_are_spoken_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert {finding.state for finding in cli._widgets()} == {"missing"}
    other = tmp_path.parent / "other" / "jupyter-lab"
    monkeypatch.setattr(cli.shutil, "which", lambda command: str(other))
    (note,) = cli._lab_on_path()
    assert "another environment" in note.subject
    monkeypatch.setattr(cli.shutil, "which", lambda command: str(tmp_path / "bin" / command))
    assert list(cli._lab_on_path()) == []


def test_with_and_without_a_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "find_chromium", lambda: None)
    (none,) = cli._browser()
    assert (none.state, none.remedy) == ("note", cli.HOW_TO_GET_A_BROWSER)
    monkeypatch.setattr(cli, "find_chromium", lambda: Path("/x/chromium"))
    (one,) = cli._browser()
    assert one.state == "ok"


def test_a_browser_among_the_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "Chrome"
    program.touch()
    monkeypatch.setattr(cli.shutil, "which", lambda command: None)
    monkeypatch.setattr(cli, "_PROGRAMS", (str(tmp_path / "none"), str(program)))
    assert cli.find_chromium() == program


@pytest.mark.parametrize(
    ("settings", "state", "said"),
    [
        ({}, "ok", "offline"),
        ({"LLM_MODEL_ID": "offline"}, "ok", "offline"),
        ({"LLM_MODEL_ID": "m", "LLM_API_KEY": "secret"}, "note", "LLM_BASE_URL"),
        ({"LLM_MODEL_ID": "m", "LLM_API_KEY": "secret", "LLM_BASE_URL": "http://x"}, "ok", "with a key"),
    ],
)
def test_the_model(settings: dict[str, str], state: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    (finding,) = cli._model()
    assert finding.state == state
    assert said in finding.subject + finding.remedy
    assert "secret" not in finding.subject + finding.remedy
