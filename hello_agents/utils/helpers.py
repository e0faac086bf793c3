"""Small helpers: times, settings, imports, folders, dicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any, cast


def format_time(timestamp: datetime | None = None, format_str: str = "%Y-%m-%d %H:%M:%S") -> str:
    """A time, or now, as text."""
    return (timestamp or datetime.now()).strftime(format_str)


def validate_config(config: Mapping[str, Any], required_keys: Iterable[str]) -> bool:
    """True when all keys are there. Raises `ValueError` naming those that are not."""
    missing = [key for key in required_keys if key not in config]
    if missing:
        raise ValueError(f"The settings lack {', '.join(missing)}. Add them.")
    return True


def safe_import(module_name: str, class_name: str | None = None) -> Any:
    """A module, or a name in it. Raises `ImportError` that says what to install or to correct."""
    try:
        module = import_module(module_name)
    except ModuleNotFoundError as error:
        raise ImportError(f"{error.name} is not installed. Try `pip install {error.name}`.", name=error.name) from error
    if class_name is None:
        return module
    if class_name not in dir(module):
        raise ImportError(f"{module_name} has no name {class_name!r}. Look at `dir({module_name})`.", name=module_name)
    return getattr(module, class_name)


def ensure_dir(path: str | Path) -> Path:
    """The folder, made when it was not there."""
    folder = Path(path)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def get_project_root() -> Path:
    """The folder that holds the package."""
    return Path(__file__).resolve().parent.parent.parent


def merge_dicts(dict1: Mapping[Any, Any], dict2: Mapping[Any, Any]) -> dict[Any, Any]:
    """Both dicts in a new one; the second wins, and dicts within dicts are merged likewise."""
    merged = dict(dict1)
    for key, value in dict2.items():
        old = merged.get(key)
        if isinstance(old, dict) and isinstance(value, dict):
            merged[key] = merge_dicts(cast("dict[Any, Any]", old), cast("dict[Any, Any]", value))
        else:
            merged[key] = value
    return merged
