"""The skill loader: skills of one folder, described first and read when they are needed.

A skill is a folder with a SKILL.md whose head names and describes it; what it teaches is below the head, and files
that it uses lie in `scripts`, `examples` and `references` beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from . import front_matter
from .front_matter import BadHead

FILE = "SKILL.md"
MOST_BYTES = 1_000_000
"""A SKILL.md that is larger is no text for a model."""


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill, read."""

    name: str
    description: str
    """What it is good for, in a sentence."""
    body: str
    """What it teaches."""
    path: Path
    """Its SKILL.md."""
    dir: Path
    """Its folder."""

    @property
    def scripts(self) -> list[Path]:
        """The files in `scripts`, by name."""
        return _files(self.dir / "scripts")

    @property
    def examples(self) -> list[Path]:
        """The files in `examples`, by name."""
        return _files(self.dir / "examples")

    @property
    def references(self) -> list[Path]:
        """The files in `references`, by name."""
        return _files(self.dir / "references")


@dataclass(frozen=True, slots=True)
class BrokenSkill:
    """A SKILL.md that cannot be used: file, line, and why."""

    path: Path
    line: int
    why: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.why}"


@dataclass(frozen=True, slots=True)
class _Listed:
    """What is known of a skill before it is needed."""

    description: str
    path: Path


class SkillLoader:
    """The skills of one folder. The folder is looked at when somebody asks, and again after `reload`."""

    def __init__(self, skills_dir: str | Path) -> None:
        self.skills_dir = Path(skills_dir)
        self.reloads = 0
        """How often the folder was looked at anew."""
        self._scanned: tuple[dict[str, _Listed], tuple[BrokenSkill, ...]] | None = None

    @property
    def broken(self) -> tuple[BrokenSkill, ...]:
        """Those that cannot be used, and why; the others are not concerned."""
        return self._scan()[1]

    def list_skills(self) -> list[str]:
        """The names, sorted."""
        return sorted(self._scan()[0])

    def get_descriptions(self) -> str:
        """A line for each skill with its name and description: what a model is told before it asks for one."""
        listed = self._scan()[0]
        return "\n".join(f"- {name}: {listed[name].description}" for name in sorted(listed))

    def get_skill(self, name: str) -> Skill | None:
        """The skill of this name, read now; `None` when there is none, or none any more."""
        listed = self._scan()[0].get(name)
        if listed is None:
            return None
        try:
            content = self._content(listed.path)
            body = front_matter.split(content).body
        except (BadHead, OSError):
            return None
        return Skill(name, listed.description, body, listed.path, listed.path.parent)

    def reload(self) -> None:
        """Looks at the folder anew."""
        self._scanned = None
        self._scan()
        self.reloads += 1

    # --- looking -----------------------------------------------------------------------------------------------------

    def _scan(self) -> tuple[dict[str, _Listed], tuple[BrokenSkill, ...]]:
        if self._scanned is None:
            found: dict[str, _Listed] = {}
            broken: list[BrokenSkill] = []
            for path in self._paths():
                try:
                    name, description = self._head(path)
                    if name in found:
                        raise BadHead(2, f"the name {name!r} is taken by {found[name].path.parent.name}")
                    found[name] = _Listed(description, path)
                except BadHead as error:
                    broken.append(BrokenSkill(path, error.line, str(error)))
                except OSError as error:
                    broken.append(BrokenSkill(path, 1, error.strerror or type(error).__name__))
            self._scanned = found, tuple(broken)
        return self._scanned

    def _paths(self) -> Iterator[Path]:
        if not self.skills_dir.is_dir():
            return
        for folder in sorted(self.skills_dir.iterdir()):
            if not folder.name.startswith(".") and (folder / FILE).is_file():
                yield folder / FILE

    def _head(self, path: Path) -> tuple[str, str]:
        """Name and description. Raises `BadHead` or `OSError`."""
        head = front_matter.split(self._content(path)).head
        values = front_matter.read(head)
        # Spaces of all kinds are one: a name or a description is a line.
        name = " ".join(values.get("name", "").split()) or path.parent.name
        description = " ".join(values.get("description", "").split())
        if not description:
            line = next((number for number, line in enumerate(head, 2) if line.startswith("description")), 1)
            raise BadHead(line, "the head has no description: write a line `description: …`")
        return name, description

    def _content(self, path: Path) -> str:
        """The text of a SKILL.md in the folder of skills, whatever links say."""
        if not path.resolve().is_relative_to(self.skills_dir.resolve()):
            raise BadHead(1, "it is a link that leads out of the folder of skills")
        if path.stat().st_size > MOST_BYTES:
            raise BadHead(1, f"it has more than {MOST_BYTES} bytes")
        content = path.read_bytes()
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError as error:
            raise BadHead(content.count(b"\n", 0, error.start) + 1, "it is not UTF-8") from error


def _files(folder: Path) -> list[Path]:
    """The files in a folder of a skill, at any depth; hidden ones and links that lead out of the skill are left out."""
    home = folder.parent.resolve()
    return [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and path.resolve().is_relative_to(home)
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    ]
