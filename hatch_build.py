"""Builds a wheel: the chapters go into it as one archive, which takes a quarter of the room on a reader's disk."""

from __future__ import annotations

import zipfile
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The time of every file in the archive, so that equal chapters make equal wheels."""


class CustomBuildHook(BuildHookInterface[Any]):
    """Called by hatchling, by this name."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Packs the chapters. An editable install has them beside the package."""
        if version == "editable":
            return
        archive = Path(mkdtemp()) / "chapters.zip"
        pack(Path(self.root) / "notebooks", archive)
        build_data["force_include"][str(archive)] = "hello_agents/chapters.zip"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Removes the archive once it is in the wheel."""
        for source in build_data["force_include"]:
            archive = Path(source)
            if archive.name == "chapters.zip":
                archive.unlink()
                archive.parent.rmdir()


def pack(folder: Path, archive: Path) -> None:
    """The files of a folder as an archive, without those that an editor or Python left there."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            name = file.relative_to(folder)
            if not any(part.startswith((".", "__")) for part in name.parts):
                packed.writestr(zipfile.ZipInfo(name.as_posix(), EARLIEST), file.read_bytes(), zipfile.ZIP_DEFLATED)
