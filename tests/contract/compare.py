"""The public names and signatures of the tutorial's framework, compared with what this package has.

`make contract` writes `not_yet.json`, the lists of what is not there yet, by version. The test wants them to be exact:
what is built must leave its list, and must not come back to it.
"""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import json
import sys
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import hello_agents  # noqa: F401  Without the package itself, everything would seem to be missing.

HERE = Path(__file__).parent
VERSIONS = ("1.0.0", "0.1.1")
NOT_YET = HERE / "not_yet.json"


def missing(version: str) -> list[str]:
    """All that code written for a version would not find, in words; one line for a module that is not there at all."""
    api = json.loads((HERE / f"api-{version}.json").read_text(encoding="utf-8"))
    return [line for module, names in api.items() for line in _module(module, names)]


def _module(name: str, names: dict[str, dict[str, Any]]) -> Iterator[str]:
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not error.name.startswith("hello_agents"):
            raise
        yield f"{name}: the module"
        return
    for attribute, facts in names.items():
        where = f"{name}.{attribute}"
        try:
            value = getattr(module, attribute)
        except (AttributeError, ModuleNotFoundError):
            yield where
            continue
        if "signature" in facts:
            yield from _call(where, value, facts["signature"], bound=False)
        yield from _class(where, value, facts)


def _class(where: str, value: Any, facts: dict[str, Any]) -> Iterator[str]:
    for member, expected in facts.get("members", {}).items():
        found = getattr(value, member, None)
        found = found.value if isinstance(found, Enum) else found
        if found != expected and not (isinstance(expected, list) and sorted(found or ()) == expected):
            yield f"{where}.{member} is {expected!r}"
    for field in facts.get("fields", ()):
        if field not in _fields(value):
            yield f"{where}({field}=…)"
    for method, signature in facts.get("methods", {}).items():
        if method == "__init__":
            yield from _call(where, value, signature, bound=True)
        elif not hasattr(value, method):
            yield f"{where}.{method}"
        else:
            ours = inspect.getattr_static(value, method)
            if not isinstance(ours, property):
                bound = isinstance(ours, classmethod)
                yield from _call(f"{where}.{method}", getattr(value, method), signature, bound=bound)


def _fields(value: Any) -> set[str]:
    """What the class can be made with, by name. A dataclass may take its fields through `**values`."""
    declared = {field.name for field in dataclasses.fields(value)} if dataclasses.is_dataclass(value) else set()
    return declared | set(inspect.signature(value).parameters)


def _call(where: str, value: Any, signature: str, *, bound: bool) -> Iterator[str]:
    """Whether calls that fit the old signature fit ours: with all arguments by place, by name, and with the fewest."""
    required, optional = _parameters(signature)
    if bound:
        required = required[1:]
    try:
        ours = inspect.signature(value)
    except ValueError:
        return
    everything = required + optional
    named = {name: None for name in everything if name not in ("self", "cls")}
    leading = everything[: len(everything) - len(named)]
    calls = [(required, {}), (everything, {}), (leading, named)]
    for places, names in calls:
        try:
            ours.bind(*places, **names)
        except TypeError as error:
            yield f"{where}({signature}): {error}"
            return


def _parameters(signature: str) -> tuple[list[str], list[str]]:
    """The names of the required and of the optional parameters, in order; `*args` and `**kwargs` apart."""
    function = ast.parse(f"def f({signature}): ...").body[0]
    assert isinstance(function, ast.FunctionDef)
    names = [argument.arg for argument in function.args.posonlyargs + function.args.args]
    split = len(names) - len(function.args.defaults)
    return names[:split], names[split:]


def main() -> None:
    lines = {version: missing(version) for version in VERSIONS}
    NOT_YET.write_text(json.dumps(lines, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for version, names in lines.items():
        sys.stdout.write(f"{len(names)} names or signatures of {version} are not there yet.\n")


if __name__ == "__main__":
    main()
