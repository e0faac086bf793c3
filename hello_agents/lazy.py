"""Public names of a package that are imported at their first use, so that importing the package is quick."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module

from .old_names import check_served


def lazily(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """The `__getattr__` and `__dir__` of a package whose names live in the submodules that `homes` gives."""

    def find(name: str) -> object:
        home = homes.get(name)
        if home is None:
            check_served(name)
            raise AttributeError(f"{package!r} has no public name {name!r}. It has {', '.join(sorted(homes))}.")
        value: object = vars(import_module(f"{package}.{home}"))[name]
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes})

    return find, names
