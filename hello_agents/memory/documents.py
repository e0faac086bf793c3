"""Documents and chunks: a text with where it comes from, and the pieces of it that are searched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Literal

Form = Literal["markdown", "text"]
"""How a text is read: `markdown` has headings and fenced code, `text` has neither."""


def _no_metadata() -> dict[str, Any]:
    return {}


@dataclass(frozen=True, slots=True)
class Document:
    """A text with where it comes from."""

    id: str
    text: str
    title: str = ""
    source: str = ""
    """The path or address that it came from."""
    metadata: Mapping[str, Any] = field(default_factory=_no_metadata)
    """Whatever else belongs to it, in values that JSON knows. `encoding` is there when the file was not UTF-8."""
    form: Form = "markdown"

    @property
    def name(self) -> str:
        """What a reader knows it by: its title, else the last part of its source, else its id."""
        return self.title or self.source.replace("\\", "/").rpartition("/")[2] or self.id

    @property
    def digest(self) -> str:
        """The SHA-256 of the text and of how it is read: documents with equal ones have equal chunks."""
        return digest(self.text, self.form)

    def to_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "text": self.text,
            "title": self.title,
            "source": self.source,
            "metadata": dict(self.metadata),
            "form": self.form,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Document:
        """Reads what `to_dict` wrote. Raises `KeyError` for a missing part, `ValueError` for an unknown form."""
        form = data["form"]
        if form not in ("markdown", "text"):
            raise ValueError(f"{form!r} is not a form of a document. Use markdown or text.")
        title, source = str(data["title"]), str(data["source"])
        return cls(str(data["id"]), str(data["text"]), title, source, dict(data["metadata"]), form)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document that is searched as a whole: `document.text[start:end]` is its text."""

    id: str
    document_id: str
    text: str
    heading_path: tuple[str, ...]
    """The headings above it, outermost first."""
    start: int
    """Where it begins in the document's text, in characters."""
    end: int
    """Where it ends, exclusive."""
    tokens: int
    line: int
    """The line that it begins in; the first line is 1."""

    @property
    def last_line(self) -> int:
        """The line that it ends in."""
        return self.line + self.text.replace("\r\n", "\n").replace("\r", "\n").count("\n")


def digest(text: str, form: Form = "markdown") -> str:
    """The SHA-256 of a text and of how it is read."""
    return sha256(f"{form}\n{text}".encode("utf-8", "surrogatepass")).hexdigest()
