"""Which of the public names of the tutorial's framework a piece of code has really used, seen while it ran."""

from __future__ import annotations

import functools
import importlib
import inspect
import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from contract import compare

import hello_agents

PACKAGE = str(Path(hello_agents.__file__).parent)


class Seen:
    """What was called, and of which kinds there were values."""

    def __init__(self) -> None:
        self._calls: set[tuple[CodeType, type]] = set()
        self._kinds: set[type] = set()

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Looks on while the block runs, in its thread and in those it starts."""
        before = sys.getprofile()
        sys.setprofile(self._note)
        threading.setprofile(self._note)
        try:
            yield
        finally:
            sys.setprofile(before)
            threading.setprofile(None)

    def _note(self, frame: FrameType, event: str, value: Any) -> None:
        if event == "return":
            self._kinds.add(type(value))
        elif event == "call" and frame.f_code.co_filename.startswith((PACKAGE, "<string>")):
            code = frame.f_code
            given = [value if isinstance(value, type) else type(value) for value in frame.f_locals.values()]
            self._calls.add((code, given[0] if given else type(None)))
            self._kinds.update(given)

    def called(self, function: Any) -> bool:
        """Whether this function was called."""
        code = inspect.unwrap(function).__code__
        return any(one is code for one, _ in self._calls)

    def called_on(self, owner: type, method: str) -> bool:
        """Whether this method was called on a thing of this kind, as the thing's own class has it."""
        return any(
            issubclass(kind, owner) and code is _code(inspect.getattr_static(kind, method, None))
            for code, kind in self._calls
        )

    def made(self, kind: type) -> bool:
        """Whether there was a value of this kind."""
        return any(issubclass(one, kind) for one in self._kinds)


def unused(seen: Seen, version: str) -> list[str]:
    """The names of a version that are there and were not used, in words."""
    api = json.loads((compare.HERE / f"api-{version}.json").read_text(encoding="utf-8"))
    not_yet = json.loads(compare.NOT_YET.read_text(encoding="utf-8"))[version]
    lines: list[str] = []
    for name, names in api.items():
        if f"{name}: the module" in not_yet:
            continue
        module = importlib.import_module(name)
        for attribute, facts in names.items():
            where = f"{name}.{attribute}"
            if where not in not_yet:
                lines += _unused(seen, where, getattr(module, attribute), facts.get("methods", {}))
    return sorted(set(lines))


def _unused(seen: Seen, where: str, value: Any, methods: dict[str, str]) -> Iterator[str]:
    if inspect.isclass(value):
        if not seen.made(value) and not _only_describes(value):
            yield f"{where}: made"
        for method in methods:
            # What Python itself supplies, such as the `__init__` of an error, has no code to look at.
            if _code(inspect.getattr_static(value, method)) and not seen.called_on(value, method):
                yield f"{where}.{method}: called"
    elif inspect.isfunction(inspect.unwrap(value)) and not seen.called(value):
        yield f"{where}: called"


def _only_describes(kind: type) -> bool:
    """Whether there are never values of this: what others are to be like."""
    return inspect.isabstract(kind)


def _code(member: Any) -> CodeType | None:
    match member:
        case property():
            member = member.fget
        case functools.cached_property():
            member = member.func
        case staticmethod() | classmethod():
            member = member.__func__
    return inspect.unwrap(member).__code__ if inspect.isfunction(member) else None
