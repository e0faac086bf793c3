"""Environments: one for each set of packages, below `benchmarks/.env`, and how commands run in them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from entrants import THIS

HERE = Path(__file__).parent
ROOT = HERE.parent
FOLDER = HERE / ".env"


def environment(packages: tuple[str, ...]) -> Path:
    """The interpreter of the environment that holds these packages and nothing else, made on first use.

    The one with this checkout gets a new wheel of it each time.
    """
    ours = packages == THIS
    name = _name(packages)
    python = FOLDER / name / "bin" / "python"
    stamp = FOLDER / name / "holds.txt"
    wanted = (ROOT / "pyproject.toml").read_text(encoding="utf-8") if ours else "\n".join(packages)
    install = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    wheel = _wheel() if ours else None
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        print(f"Making an environment with {', '.join(packages) or 'nothing'} …", file=sys.stderr)
        venv.create(FOLDER / name, clear=True, with_pip=True)
        if packages:
            _checked([*install, *([wheel] if wheel else packages)])
        stamp.write_text(wanted, encoding="utf-8")
    elif wheel:
        _checked([*install, "--force-reinstall", "--no-deps", wheel])
    return python


def made(packages: tuple[str, ...]) -> Path | None:
    """The interpreter of the environment that holds these packages, if it was made before."""
    folder = FOLDER / _name(packages)
    return folder / "bin" / "python" if (folder / "holds.txt").exists() else None


def _name(packages: tuple[str, ...]) -> str:
    return re.split(r"[=\[]", packages[0])[0] if packages else "empty"


def _wheel() -> Path:
    """A wheel of this checkout, as it is now."""
    folder = FOLDER / "wheel"
    shutil.rmtree(folder, ignore_errors=True)
    _checked([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT])
    return next(folder.glob("*.whl"))


def run(python: Path, *arguments: str, paths: tuple[Path, ...] = ()) -> str:
    """What a fresh process of this interpreter prints, away from the checkout; `paths` can be imported from.

    Settings of the caller's Python do not reach it, so that compiled files are kept as a reader's are.
    """
    settings = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    settings["PYTHONPATH"] = os.pathsep.join(map(str, paths))
    with tempfile.TemporaryDirectory() as folder:
        return _checked([python, *arguments], cwd=folder, env=settings)


def _checked(command: list[str | Path], **settings) -> str:
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False, **settings)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout
