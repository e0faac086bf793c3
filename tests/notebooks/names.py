"""The names that a text may speak of: what the package and the widgets define, Python has, and the tree holds."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from notebooks.execute import ROOT

SOURCES = (ROOT / "hello_agents", ROOT / "widgets" / "hello_agents_widgets")
SKIPPED = {".git", ".venv", "__pycache__", ".ipynb_checkpoints", ".pytest_cache", ".ruff_cache", ".hypothesis"}
_WORD = re.compile(r"[^\W\d]\w*(?:-\w+)*")
_KEY = re.compile(r"[\w./-]+")
"""A text that is a name: a key, a kind, a tool. Sentences name nothing, and docstrings are sentences."""
STANDARD = {*dir(builtins), *keyword.kwlist, *keyword.softkwlist, *sys.stdlib_module_names, "self"}


@dataclass
class Names:
    """Names of some source: each that it defines, uses or has as a text, and the members of its classes."""

    known: set[str] = field(default_factory=set)
    members: dict[str, set[str]] = field(default_factory=dict)
    bases: dict[str, set[str]] = field(default_factory=dict)
    shown: str = ""
    """What cells have put out."""

    def add(self, source: str) -> Names:
        """Takes in a source; parts that are not Python (a magic, an exercise's gap) are passed over."""
        try:
            tree = ast.parse(source)
        except SyntaxError:
            self.known.update(_WORD.findall(source))
            return self
        for node in ast.walk(tree):
            self.known.update(_named(node))
            if isinstance(node, ast.ClassDef):
                self.members.setdefault(node.name, set()).update(_members(node))
                self.bases.setdefault(node.name, set()).update(_last(base) for base in node.bases)
        return self

    def has_member(self, owner: str, name: str) -> bool:
        """Whether a class of this name has the member, itself or from a class that is known. Unknown bases have all."""
        if owner not in self.members:
            return True
        if name in self.members[owner] or name in dir(type):
            return True
        return any(base not in STANDARD and self.has_member(base, name) for base in self.bases[owner] - PLAIN)


PLAIN = {"Protocol", "Generic", "NamedTuple", "TypedDict", "ABC"}


def _named(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name
        case ast.arg(arg=str(name)) | ast.keyword(arg=str(name)) | ast.Attribute(attr=name):
            yield name
        case ast.Name(id=name):
            yield name
        case ast.alias(name=name, asname=other):
            yield from (*name.split("."), *([other] if other else []))
        case ast.Constant(value=str(text)) if _KEY.fullmatch(text):
            yield from (text, *_WORD.findall(text))
        case _:
            return


def _members(node: ast.ClassDef) -> Iterator[str]:
    for one in ast.walk(node):
        match one:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
                yield name
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name):
                yield name
            case _:
                continue


def _last(base: ast.expr) -> str:
    match base:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Subscript(value=value):
            return _last(value)
        case _:
            return ""


@cache
def of_the_package() -> Names:
    names = Names()
    for folder in SOURCES:
        for path in sorted(folder.rglob("*.py")):
            names.add(path.read_text(encoding="utf-8"))
            names.known.update((path.stem, path.parent.name))
    return names


def of_cells(sources: Iterable[str]) -> Names:
    names = Names()
    for source in sources:
        names.add(source)
    return names


@cache
def files() -> frozenset[str]:
    """Every file and folder of the tree, relative to its root, `/` between the parts."""
    found: set[str] = set()
    for top in ROOT.iterdir():
        if top.name not in SKIPPED:
            found.add(top.name)
            found.update(_below(top))
    return frozenset(found)


def _below(folder: Path) -> Iterator[str]:
    if folder.is_dir():
        for path in folder.iterdir():
            if path.name not in SKIPPED:
                yield path.relative_to(ROOT).as_posix()
                yield from _below(path)


@cache
def make_targets() -> frozenset[str]:
    return frozenset(re.findall(r"^([a-z][\w-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


@cache
def variables() -> frozenset[str]:
    """Variables of the environment and of make that the tree speaks of."""
    places = [ROOT / "Makefile", *(path for folder in SOURCES for path in folder.rglob("*.py"))]
    return frozenset(
        name for path in places for name in re.findall(r"\b[A-Z][A-Z0-9_]{2,}\b", path.read_text(encoding="utf-8"))
    )


@cache
def commands() -> frozenset[str]:
    """What `hello-agents` can be told to do."""
    text = "".join(
        (ROOT / "hello_agents" / name).read_text(encoding="utf-8") for name in ("cli.py", "serve/command.py")
    )
    return frozenset(re.findall(r'add_parser\(\s*"([\w-]+)"', text))
