"""The files in which other frameworks wrote down runs: beside the tests, and in the package."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

_FOLDERS = (Path(__file__).parents[1] / "guests", Path(str(files("hello_agents.observability") / "samples")))
GUEST_FILES = sorted((file for folder in _FOLDERS for file in folder.glob("*.json")), key=lambda file: file.stem)
