"""The built package and its command: a wheel with all that is needed, a `lab` that keeps edits, a helpful `doctor`."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zipfile
from pathlib import Path

import pytest

from hello_agents import cli

ROOT = Path(__file__).parents[2]
DEADLINE = 60


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    return build(ROOT, folder)


def build(source, folder):
    """The wheel that pip builds of a folder with the sources."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index", "--no-build-isolation"]
    subprocess.run([*command, "-w", str(folder), str(source)], check=True)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """A folder that holds the built package as pip unpacks it."""
    folder = tmp_path_factory.mktemp("site")
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--no-index",
            "--target",
            str(folder),
            str(wheel),
        ],
        check=True,
    )
    return folder


def environment(installed):
    paths = [str(installed), os.environ["PYTHONPATH"]]
    return os.environ | {"PYTHONPATH": os.pathsep.join(paths), "PYTHONUNBUFFERED": "1"}


def test_the_wheel_carries_code_widgets_chapters_and_licences(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    with zipfile.ZipFile(wheel).open("hello_agents/chapters.zip") as packed:
        chapters = zipfile.ZipFile(packed)
        for path in (ROOT / "notebooks").rglob("*.ipynb"):
            assert chapters.read(path.relative_to(ROOT / "notebooks").as_posix()) == path.read_bytes()
    for folder in (ROOT / "hello_agents", ROOT / "widgets" / "hello_agents_widgets"):
        for path in folder.rglob("*"):
            if path.suffix in (".py", ".js", ".css", ".typed"):
                assert path.relative_to(folder.parent).as_posix() in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not [name for name in names if name.startswith("tests/") or "__pycache__" in name]


def test_what_an_editor_leaves_in_the_folders_is_in_no_wheel(tmp_path):
    source, built = tmp_path / "source", tmp_path / "built"
    built.mkdir()
    for name in ("hello_agents", "widgets", "notebooks"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "LICENSE-book"):
        shutil.copy(ROOT / name, source / name)
    expected = carried(build(source, built))
    for path in ("notebooks", "notebooks/more", "hello_agents/tools", "widgets/hello_agents_widgets"):
        left = source / path / ".ipynb_checkpoints" / "a-checkpoint.ipynb"
        left.parent.mkdir(parents=True)
        left.write_text("{}", encoding="utf-8")
    assert carried(build(source, built)) == expected


def carried(wheel):
    """Each file of a wheel and of the archive in it."""
    with zipfile.ZipFile(wheel) as files, zipfile.ZipFile(files.open("hello_agents/chapters.zip")) as chapters:
        return sorted(files.namelist() + chapters.namelist())


def test_equal_chapters_make_equal_archives(wheel, tmp_path):
    again = build(ROOT, tmp_path)
    first, second = (zipfile.ZipFile(one).read("hello_agents/chapters.zip") for one in (wheel, again))
    assert first == second


def test_lab_of_the_installed_package_serves_a_copy_of_the_chapters(installed, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "hello_agents.cli", "lab", "my book", "--port", str(port), "--no-browser"]
    home = {"HOME": str(tmp_path), "JUPYTER_RUNTIME_DIR": str(tmp_path / "runtime"), "JUPYTER_NO_CONFIG": "1"}
    server = subprocess.Popen(
        command,
        cwd=tmp_path,
        env=environment(installed) | home,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    )
    try:
        address = address_in(server)
        assert address.startswith(f"http://127.0.0.1:{port}/lab")
        assert "<title>JupyterLab</title>" in page_at(address)
    finally:
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=30)
    book = ROOT / "notebooks"
    for path in book.rglob("*.ipynb"):
        assert (tmp_path / "my book" / path.relative_to(book)).read_bytes() == path.read_bytes()


def address_in(server):
    """The address that the server prints for the reader to open."""
    until, printed = time.monotonic() + DEADLINE, ""
    while time.monotonic() < until:
        line = server.stdout.readline()
        printed += line
        found = re.search(r"http://127\.0\.0\.1:\d+/lab\S*\?token=\w+", line)
        if found:
            return found.group()
        if not line:
            break
    raise AssertionError(f"No address was printed:\n{printed}")


def page_at(address):
    """What the server answers; it prints its address a moment before it listens."""
    until = time.monotonic() + DEADLINE
    while True:
        try:
            with urllib.request.urlopen(address, timeout=30) as page:
                return page.read().decode("utf-8")
        except urllib.error.URLError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)


def test_edits_are_kept_and_what_is_missing_is_completed(tmp_path):
    source, place = tmp_path / "source", tmp_path / "place"
    for name, text in {"01.ipynb": "one", "02.ipynb": "two", "data/notes.txt": "三"}.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(text, encoding="utf-8")
    assert cli.complete(source, place) == []
    (place / "01.ipynb").write_text("my answer", encoding="utf-8")
    (place / "02.ipynb").unlink()
    (place / "mine.ipynb").write_text("my own", encoding="utf-8")
    assert cli.complete(source, place) == ["01.ipynb"]
    assert (place / "01.ipynb").read_text(encoding="utf-8") == "my answer"
    assert (place / "02.ipynb").read_text(encoding="utf-8") == "two"
    assert (place / "mine.ipynb").read_text(encoding="utf-8") == "my own"
    assert (place / "data" / "notes.txt").read_text(encoding="utf-8") == "三"


def test_lab_stays_on_this_machine_and_asks_for_no_news(tmp_path):
    arguments = cli.lab_arguments(tmp_path, port=8899, arguments=["--no-browser"])
    assert "--ServerApp.ip=127.0.0.1" in arguments
    assert "--LabApp.news_url=None" in arguments
    assert "--ServerApp.port=8899" in arguments
    assert "--no-browser" in arguments
    (tmp_path / cli.FIRST_CHAPTER).touch()
    assert f"--LabApp.default_url=/lab/tree/{cli.FIRST_CHAPTER}" in cli.lab_arguments(tmp_path)


def test_the_doctor_finds_nothing_missing_where_the_tests_run(capsys):
    assert cli.main(["doctor"]) == 0
    said = capsys.readouterr().out
    assert "openai" in said
    assert "jupyterlab" in said
    assert "offline" in said


@pytest.mark.parametrize("requirement", ["no-such-package>=1", "pytest<1", "nbval>=99,<100"])
def test_the_doctor_says_what_to_install(requirement):
    finding = cli._package(requirement)
    assert finding.state == "missing"
    assert finding.remedy == f'pip install "{requirement}"'


def test_the_doctor_says_what_a_model_lacks_and_never_the_key(monkeypatch, capsys):
    monkeypatch.setenv("LLM_MODEL_ID", "some-model")
    monkeypatch.setenv("LLM_API_KEY", "sk-very-secret")
    cli.main(["doctor"])
    said = capsys.readouterr().out
    assert "LLM_BASE_URL not set" in said
    assert "sk-very-secret" not in said


def test_a_browser_is_found_by_its_command_or_in_playwrights_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "cache"))
    monkeypatch.setattr(cli, "_PROGRAMS", ())
    monkeypatch.setattr(cli, "_PLAYWRIGHT_CACHES", ())
    assert cli.find_chromium() is None
    own = tmp_path / "cache" / "chromium-1200" / "chrome-linux" / "chrome"
    own.parent.mkdir(parents=True)
    own.touch()
    assert cli.find_chromium() == own
    system = tmp_path / "google-chrome"
    system.touch(mode=0o755)
    assert cli.find_chromium() == system


def test_unknown_words_are_refused(capsys):
    with pytest.raises(SystemExit):
        cli.main(["doctor", "--unheard-of"])
    with pytest.raises(SystemExit):
        cli.main([])
