"""Loading: files as documents. Texts in several encodings, Markdown, notebooks; PDF, Office, HTML by `markitdown`."""

from __future__ import annotations

import json
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, cast

from ..core.exceptions import HelloAgentsException
from .documents import Document, Form

MARKDOWN = frozenset({".md", ".markdown", ".mdown", ".mkd"})
CONVERTED: Mapping[str, str] = {
    ".pdf": "PdfConverter",
    ".docx": "DocxConverter",
    ".pptx": "PptxConverter",
    ".xlsx": "XlsxConverter",
    ".xls": "XlsConverter",
    ".html": "HtmlConverter",
    ".htm": "HtmlConverter",
    ".csv": "CsvConverter",
    ".epub": "EpubConverter",
    ".msg": "OutlookMsgConverter",
}
"""What `markitdown` can turn into Markdown, and by which of its converters."""

_AS_TEXT = frozenset({".html", ".htm", ".csv"})
"""Of these, the ones that are texts in some encoding."""

MOST_BYTES = 50_000_000
"""The largest file that is read."""


class LoadFault(HelloAgentsException, ValueError):
    """Why a file is no document."""


def load_document(path: str | Path, *, id: str | None = None, outputs: bool = False) -> Document:
    """A file as a document, whose id is the file's name unless given.

    `outputs`: of a notebook, the texts that its cells printed, too. Raises `LoadFault` for a file that has no text,
    `OSError` for one that cannot be read, and `ImportError` where a package is missing.
    """
    from ..tools.builtin.folder import opened

    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(21, "Is a directory", str(path))
    resolved = path.resolve()
    with opened(resolved.parent) as folder:
        content = folder.read(resolved.name, MOST_BYTES).content
    return document_of(content, str(path), id=path.name if id is None else id, outputs=outputs)


def document_of(content: bytes, source: str, *, id: str | None = None, outputs: bool = False) -> Document:
    """The content of a file as a document; the end of its name says what it is. Raises as `load_document` does."""
    name = PurePosixPath(source.replace("\\", "/")).name
    suffix = PurePosixPath(name).suffix.lower()
    id = source if id is None else id
    # A table of values is a text already.
    if suffix in CONVERTED and suffix != ".csv":
        return Document(id, convert(content, name), source=source)
    text, encoding = decoded(content, name)
    metadata: dict[str, Any] = {} if encoding == "utf-8" else {"encoding": encoding}
    if suffix == ".ipynb":
        text, cells = notebook_text(text, name, outputs=outputs)
        return Document(id, text, source=source, metadata={**metadata, "cells": cells})
    form: Form = "markdown" if suffix in MARKDOWN else "text"
    return Document(id, text, source=source, metadata=metadata, form=form)


def decoded(content: bytes, name: str) -> tuple[str, str]:
    """The text of a file and its encoding: `utf-8`, `utf-16` with its mark, else `gb18030` when it can be that."""
    if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        encodings = ("utf-16",)
    else:
        content = content.removeprefix(BOM_UTF8)
        encodings = () if b"\0" in content else ("utf-8", "gb18030")
    for encoding in encodings:
        try:
            return content.decode(encoding), encoding
        except UnicodeDecodeError:
            pass
    raise LoadFault(f"{name!r} is no text in UTF-8, UTF-16 or GB18030. Convert it, or leave it out.")


def notebook_text(written: str, name: str, *, outputs: bool = False) -> tuple[str, list[int]]:
    """A notebook as Markdown, its code in fences, and the line that each cell begins in. Raises `LoadFault`."""
    try:
        notebook: object = json.loads(written)
    except ValueError as error:
        raise LoadFault(f"{name!r} is no notebook: it is not JSON ({error}). Save it again in Jupyter.") from error
    match notebook:
        case {"cells": list(), "nbformat": int() as version} if version >= 4:
            cells = cast("list[object]", cast("Any", notebook)["cells"])
        case _:
            raise LoadFault(f"{name!r} is no notebook of format 4. Open it in Jupyter and save it again.")
    language = _language(cast("Mapping[str, Any]", notebook))
    text, starts, line = "", list[int](), 1
    for cell in cells:
        starts.append(line)
        for part in _cell(cell, language, outputs, name):
            text += f"{part}\n\n"
            line += part.count("\n") + 2
    return text, starts


def _language(notebook: Mapping[str, Any]) -> str:
    match notebook.get("metadata"):
        case {"language_info": {"name": str() as name}}:
            return name
        case {"kernelspec": {"language": str() as name}}:
            return name
        case _:
            return ""


def _cell(cell: object, language: str, outputs: bool, name: str) -> Iterator[str]:
    parts: dict[str, Any] = cast("dict[str, Any]", cell) if isinstance(cell, dict) else {}
    source = parts.get("source")
    match parts.get("cell_type"):
        case "markdown" | "raw" if source is not None:
            if text := _joined(source).strip():
                yield text
        case "code" if source is not None:
            if text := _joined(source).strip("\n"):
                yield _fenced(text, language)
            for output in parts.get("outputs") or () if outputs else ():
                yield from _output(output)
        case _:
            raise LoadFault(f"{name!r} has a cell that is none. Open it in Jupyter and save it again.")


def _output(output: Any) -> Iterator[str]:
    match output:
        case {"output_type": "stream", "text": _}:
            text = _joined(output["text"])
        case {"data": {"text/plain": _}}:
            text = _joined(output["data"]["text/plain"])
        case {"output_type": "error", "ename": str(), "evalue": str()}:
            text = f"{output['ename']}: {output['evalue']}"
        case _:
            return
    if text := text.strip("\n"):
        yield _fenced(text, "text")


def _joined(lines: object) -> str:
    """The lines of a notebook's text, with the one kind of line end that a notebook has."""
    text = "".join(map(str, cast("list[object]", lines))) if isinstance(lines, list) else str(lines)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _fenced(text: str, language: str) -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text}\n{fence}"


def convert(content: bytes, name: str) -> str:
    """The content of a file as Markdown, by the converter of `markitdown` that the end of its name asks for.

    Not by its guessing: that would give back the bytes of a broken file as if they were its text. Raises `LoadFault`
    for a file that cannot be read, and `ImportError` where the package, or what it needs for this kind of file, is
    not installed.
    """
    from importlib import import_module
    from io import BytesIO

    suffix = PurePosixPath(name).suffix.lower()
    if suffix in _AS_TEXT:
        content = decoded(content, name)[0].encode("utf-8")
    try:
        markitdown: Any = import_module("markitdown")
        converters = vars(import_module("markitdown.converters"))
    except ImportError as error:
        raise _missing(name) from error
    charset = "utf-8" if suffix in _AS_TEXT else None
    info = markitdown.StreamInfo(extension=suffix, charset=charset, filename=name)
    try:
        return converters[CONVERTED[suffix]]().convert(BytesIO(content), info).markdown
    except markitdown.MissingDependencyException as error:
        raise _missing(name) from error
    # What reads a broken file may raise anything.
    except Exception as error:
        raise _unreadable(name) from error


def _unreadable(name: str) -> LoadFault:
    suffix = PurePosixPath(name).suffix.lower()
    return LoadFault(f"{name!r} cannot be read as {suffix or 'a document'}. Check that it opens elsewhere.")


def _missing(name: str) -> ImportError:
    suffix = PurePosixPath(name).suffix.lower()
    return ImportError(
        f"Reading {name!r} needs a package that is not installed. Run `pip install 'hello-agents-book[documents]'`, "
        f"or save the {suffix or 'file'} as Markdown."
    )
