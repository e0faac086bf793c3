"""Objects as text or bytes: JSON, and pickle for who asks for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FORMATS = ("json", "pickle")


def serialize_object(obj: Any, format: str = "json") -> str | bytes:
    """JSON text (what JSON does not know is written as the nearest thing it does), or the bytes of a pickle."""
    if _known(format) == "json":
        from ..tools.values import to_plain

        return json.dumps(to_plain(obj), ensure_ascii=False, indent=2)
    import pickle

    return pickle.dumps(obj)


def deserialize_object(data: str | bytes, format: str = "json") -> Any:
    """What was serialized. Reading a pickle runs what is in it: only read your own."""
    if _known(format) == "json":
        return json.loads(data)
    if isinstance(data, str):
        raise ValueError("A pickle is bytes, and this is text. Pass what `serialize_object` gave, or use json.")
    import pickle

    return pickle.loads(data)


def save_to_file(obj: Any, filepath: str | Path, format: str = "json") -> None:
    """Writes an object to a file, in one step, and makes its folder."""
    from ..tools.builtin.folder import write_atomically

    path = Path(filepath)
    data = serialize_object(obj, format)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, data.encode("utf-8", "backslashreplace") if isinstance(data, str) else data)


def load_from_file(filepath: str | Path, format: str = "json") -> Any:
    """Reads what `save_to_file` wrote. Raises `OSError`, or `ValueError` when it is not that."""
    return deserialize_object(Path(filepath).read_bytes(), format)


def _known(format: str) -> str:
    if format not in FORMATS:
        raise ValueError(f"{format!r} is not a format. Use one of {', '.join(FORMATS)}.")
    return format
