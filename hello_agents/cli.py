"""The command `hello-agents`: `lab` opens the book, `serve` serves an agent, `trace` reads a run, `doctor` looks."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module, metadata
from pathlib import Path
from typing import Any, Literal

from .serve.command import add_parser as add_serve_parser
from .serve.command import serve
from .version import __version__

DISTRIBUTION = "hello-agents-book"
FIRST_CHAPTER = "01_first_agent.ipynb"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and gives the exit code."""
    options, rest = _parser().parse_known_args(arguments)
    match options.command:
        case "lab":
            return lab(options.folder, port=options.port, arguments=rest)
        case _ if rest:
            _parser().error(f"unrecognized arguments: {' '.join(rest)}")
        case "serve":
            return serve(options)
        case "trace":
            return trace(options.file, html=options.html, errors=options.errors)
        case _:
            return doctor()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="hello-agents", description="The book about LLM agents that runs.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True)
    lab_help = "open the book in JupyterLab; further options, such as --no-browser, go to JupyterLab"
    lab_parser = commands.add_parser("lab", help=lab_help, description=lab_help)
    lab_parser.add_argument("folder", nargs="?", type=Path, help="where your copy of the chapters is or is to be")
    lab_parser.add_argument("--port", type=int, help="the port on this machine (JupyterLab's usual one if not given)")
    trace_help = "tell what a run did: of a trace, a journal, a session, or a trace of another framework"
    trace_parser = commands.add_parser("trace", help=trace_help, description=trace_help)
    trace_parser.add_argument("file", type=Path, help="trace-….jsonl, a session's .json or .jsonl, spans, messages")
    trace_parser.add_argument("--html", type=Path, metavar="OUT", help="write the trace as a page, too")
    trace_parser.add_argument("--errors", action="store_true", help="tell only what went wrong")
    doctor_help = "say what is installed, what is missing, and what to do"
    commands.add_parser("doctor", help=doctor_help, description=doctor_help)
    add_serve_parser(commands)
    return parser


def _say(line: str = "") -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


# A trace


def trace(file: Path, *, html: Path | None = None, errors: bool = False) -> int:
    """Prints what a run did, and writes its page where one is wanted; 1 when the file cannot be used."""
    from .catalogue import text
    from .core.exceptions import HelloAgentsException
    from .core.settings import language
    from .observability.html_report import report_html
    from .observability.summary import read_trace, summary

    try:
        events = read_trace(file)
        if html is not None:
            html.parent.mkdir(parents=True, exist_ok=True)
            html.write_text(report_html(events, language()), encoding="utf-8")
    except (OSError, HelloAgentsException) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    for line in summary(events, language(), errors):
        _say(line)
    if html is not None:
        _say(text("trace.html", language(), path=html))
    return 0


# The book


def lab(folder: Path | None = None, *, port: int | None = None, arguments: Sequence[str] = ()) -> int:
    """Opens the book in JupyterLab and returns when the server ends.

    A checkout serves its own chapters. An installed package serves a copy in `folder`, which it completes and never
    overwrites.
    """
    try:
        jupyterlab: Any = import_module("jupyterlab.labapp")
    except ImportError:
        _say(f'JupyterLab is not installed here. Install it with: pip install "{DISTRIBUTION}[book]"')
        return 1
    source = chapters()
    if source is None:
        _say(f"This installation carries no chapters. Repair it: pip install --force-reinstall {DISTRIBUTION}")
        return 1
    place = source if folder is None and isinstance(source, Path) else folder or Path("hello-agents-book")
    if place != source:
        kept = complete(source, place)
        for name in kept:
            _say(f"Kept your own {name}, which differs from the book's.")
    _say(f"The chapters in {place.resolve()} open in JupyterLab. Ctrl-C, twice, ends it.")
    # The kernel and the widgets are those of this environment, whatever else is registered on the machine.
    os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"
    # A folder with one setting in it: JupyterLab is not to ask whether it may fetch its news.
    paths = [str(Path(__file__).parent / "jupyter"), os.environ.get("JUPYTER_CONFIG_PATH", "")]
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(filter(None, paths))
    jupyterlab.LabApp.launch_instance(lab_arguments(place, port=port, arguments=arguments))
    return 0


def lab_arguments(place: Path, *, port: int | None = None, arguments: Sequence[str] = ()) -> list[str]:
    """What JupyterLab is started with: this machine only, no news, few words, root allowed where there is only root."""
    chosen = [f"--ServerApp.root_dir={place.resolve()}", "--ServerApp.ip=127.0.0.1", "--LabApp.news_url=None"]
    chosen += ["--ServerApp.log_level=WARN", "--LabApp.log_level=WARN"]
    if (place / FIRST_CHAPTER).exists():
        chosen.append(f"--LabApp.default_url=/lab/tree/{FIRST_CHAPTER}")
    if port is not None:
        chosen.append(f"--ServerApp.port={port}")
    if sys.platform != "win32" and os.geteuid() == 0:
        chosen.append("--ServerApp.allow_root=True")
    return [*chosen, *arguments]


def chapters() -> Path | zipfile.Path | None:
    """Where the chapters are: packed in an installed package, in a folder beside it in a checkout, or nowhere."""
    package = Path(__file__).resolve().parent
    packed, beside = package / "chapters.zip", package.parent / "notebooks"
    if packed.is_file():
        return zipfile.Path(packed)
    return beside if beside.is_dir() else None


def complete(source: Path | zipfile.Path, place: Path) -> list[str]:
    """Copies what `place` does not have yet. Returns the names of files that are there and differ, untouched."""
    differ: list[str] = []
    for name, content in _contents(source):
        copy = place / name
        if not copy.exists():
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(content)
        elif copy.read_bytes() != content:
            differ.append(name)
    return differ


def _contents(folder: Path | zipfile.Path, above: str = "") -> Iterator[tuple[str, bytes]]:
    """The files of a folder and those below it, by their names from there."""
    for one in sorted(folder.iterdir(), key=lambda one: one.name):
        if one.is_file():
            yield above + one.name, one.read_bytes()
        elif one.name != "__pycache__":
            yield from _contents(one, f"{above}{one.name}/")


# The doctor


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that the doctor looked at."""

    state: Literal["ok", "missing", "note"]
    subject: str
    remedy: str = ""
    """What to do; empty when there is nothing to do."""


def doctor() -> int:
    """Prints what is there and what to do; 1 when something that the book needs is missing."""
    findings = [*_python(), *_packages(), *_widgets(), *_lab_on_path(), *_browser(), *_model()]
    _say(f"hello-agents {__version__} in {sys.prefix}")
    for finding in findings:
        _say(f"  {finding.state:8} {finding.subject}")
        if finding.remedy:
            _say(f"           {finding.remedy}")
    return 1 if any(finding.state == "missing" for finding in findings) else 0


def _python() -> Iterator[Finding]:
    yield Finding("ok", f"Python {sys.version.split()[0]}")


def _packages() -> Iterator[Finding]:
    """The packages that the library and the book need, by the ranges that this distribution declares."""
    try:
        declared = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        yield Finding("missing", DISTRIBUTION, f'pip install "{DISTRIBUTION}[book]"')
        return
    for line in declared:
        requirement, _, condition = line.partition(";")
        if not condition.strip() or re.search(r"extra\s*==\s*['\"]book['\"]", condition):
            yield _package(requirement.strip())


def _package(requirement: str) -> Finding:
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    name = found.group() if found else requirement
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        return Finding("missing", name, f'pip install "{requirement}"')
    if _fits(requirement, version):
        return Finding("ok", f"{name} {version}")
    return Finding("missing", f"{name} {version} is not in the tested range", f'pip install "{requirement}"')


def _fits(requirement: str, version: str) -> bool:
    """Whether a version is in the range; without `packaging`, which comes with JupyterLab, it is not checked."""
    try:
        from packaging.requirements import Requirement
    except ImportError:
        return True
    return Requirement(requirement).specifier.contains(version, prereleases=True)


def _widgets() -> Iterator[Finding]:
    """The front ends of the widgets, which JupyterLab finds only in its own environment."""
    extensions = Path(sys.prefix) / "share" / "jupyter" / "labextensions"
    for name in ("anywidget", "@jupyter-widgets/jupyterlab-manager"):
        if (extensions / name).is_dir():
            yield Finding("ok", f"JupyterLab extension {name}")
        else:
            remedy = (
                f'pip install --force-reinstall "{DISTRIBUTION}[book]", then restart JupyterLab and reload the page.'
            )
            yield Finding("missing", f"JupyterLab extension {name}", remedy)


def _lab_on_path() -> Iterator[Finding]:
    """A `jupyter-lab` of another environment on the path would show a red box in place of a widget."""
    command = shutil.which("jupyter-lab")
    if command is not None and not Path(command).resolve().is_relative_to(Path(sys.prefix).resolve()):
        yield Finding(
            "note",
            f"`jupyter-lab` on your path is {command}, of another environment",
            "Start the book with `hello-agents lab` (in a checkout: `make lab`), which takes the right one.",
        )


def _browser() -> Iterator[Finding]:
    chromium = find_chromium()
    if chromium is None:
        yield Finding("note", "no Chromium or Chrome: the browser tests are left out", HOW_TO_GET_A_BROWSER)
    else:
        yield Finding("ok", f"browser for the tests: {chromium}")


def _model() -> Iterator[Finding]:
    """Which model the book will use. Whether there is a key is said, the key never."""
    model = os.environ.get("LLM_MODEL_ID", "")
    if model in ("", "offline"):
        yield Finding("ok", "model: the built-in offline one (set LLM_MODEL_ID to use your own)")
        return
    missing = [name for name in ("LLM_API_KEY", "LLM_BASE_URL") if not os.environ.get(name)]
    subject = f"model: {model} at {os.environ.get('LLM_BASE_URL') or 'no address'}"
    if missing:
        yield Finding(
            "note", subject, f"{' and '.join(missing)} not set; a `.env` file beside the chapters can set them."
        )
    else:
        yield Finding("ok", f"{subject}, with a key")


# The browser that drives the tests

HOW_TO_GET_A_BROWSER = (
    "Install Chromium or Chrome (Debian, Ubuntu: apt-get install chromium), "
    "or let Playwright fetch its own: python -m playwright install chromium"
)

_COMMANDS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
_PROGRAMS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
)
_PLAYWRIGHT_CACHES = ("~/.cache/ms-playwright", "~/Library/Caches/ms-playwright", "~/AppData/Local/ms-playwright")
_IN_CACHE = (
    "chromium-*/chrome-linux*/chrome",
    "chromium-*/chrome-mac*/*.app/Contents/MacOS/*",
    "chromium-*/chrome-win*/chrome.exe",
)


def find_chromium() -> Path | None:
    """A Chromium on this machine: the system's, or the one that Playwright has downloaded."""
    for command in _COMMANDS:
        found = shutil.which(command)
        if found:
            return Path(found)
    for program in map(Path, _PROGRAMS):
        if program.exists():
            return program
    caches = [os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or "", *_PLAYWRIGHT_CACHES]
    for cache in (Path(name).expanduser() for name in caches if name):
        newest = sorted((found for pattern in _IN_CACHE for found in cache.glob(pattern)), reverse=True)
        if newest:
            return newest[0]
    return None


if __name__ == "__main__":
    raise SystemExit(main())
