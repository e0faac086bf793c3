"""Knowledge: documents that can be asked. They are cut into chunks, found by words and vectors, and cited by place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, Literal, get_args

from ..catalogue import text as catalogue_text
from .chunking import check_sizes, chunk
from .documents import Chunk, Document, digest
from .faults import WrongId, check_query
from .index import Found, HybridIndex, Method, Rerank

if TYPE_CHECKING:
    from ..context.token_counter import TokenCounter
    from .embeddings import Embedding

__all__ = ["Added", "FolderAdded", "Knowledge", "Passage"]

Change = Literal["added", "replaced", "unchanged"]
METHODS: tuple[str, ...] = get_args(Method)


@dataclass(frozen=True, slots=True)
class Added:
    """What became of a document."""

    document_id: str
    chunks: int
    skipped_empty: int
    """1 when the document holds nothing but space, so that there is nothing to search, else 0."""
    change: Change = "added"
    encoding: str = "utf-8"
    """What its file was read as; any other than `utf-8` was guessed or told by a mark."""


@dataclass(frozen=True, slots=True)
class FolderAdded:
    """What became of the files of a folder."""

    added: tuple[Added, ...]
    skipped: Mapping[str, str]
    """File, relative to the folder -> why it was left out."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk that was found, and where it stands."""

    chunk: Chunk
    score: float
    """From 0 to 1, the best possible."""
    reasons: Mapping[str, float]
    """What the score is made of; see `Found`."""
    citation: str
    """The document, the headings and the lines, such as `guide.md › Install › Linux, lines 12-30`."""
    text: str
    """The text of the chunk, with that of its neighbours when these were asked for."""
    start: int
    """Where the text begins in the document, in characters."""
    end: int
    source: str
    """The path or address of the document."""


@dataclass(frozen=True, slots=True)
class Record:
    """A document as it is held."""

    document: Document
    chunks: tuple[Chunk, ...]
    keys: tuple[str, ...]
    """What the index knows the chunks by. A document that replaces one of the same id has other keys."""
    sizes: tuple[int, int]
    """Tokens of a chunk and of the overlap that it was cut with."""


class Knowledge:
    """Documents, cut into chunks that are found by their words and headings and by their vectors.

    `embedding`: from texts to vectors; hashed words where none is given. `rerank`: gives the best chunks the numbers
    that decide. Sizes are in tokens. Everything is held in memory; `save` writes it, `Knowledge.load` reads it.
    It may be used by several threads. Raises `ValueError` for sizes that do not work.
    """

    def __init__(
        self,
        embedding: Embedding | None = None,
        *,
        chunk_tokens: int = 400,
        overlap_tokens: int = 50,
        namespace: str = "default",
        rerank: Rerank | None = None,
        counter: TokenCounter | None = None,
        language: str = "en",
    ) -> None:
        check_sizes(chunk_tokens, overlap_tokens)
        self.chunk_tokens = chunk_tokens
        self.overlap_tokens = overlap_tokens
        self.namespace = namespace
        self.language = language
        self.index = HybridIndex(embedding, rerank=rerank)
        self._counter = counter
        self._records: dict[str, Record] = {}
        self._chunks: dict[str, Chunk] = {}
        self._made = 0
        self._lock = RLock()

    def beside(self, namespace: str) -> Knowledge:
        """Empty knowledge of another name, with the same settings."""
        return Knowledge(
            self.index.vectors.embedding,
            chunk_tokens=self.chunk_tokens,
            overlap_tokens=self.overlap_tokens,
            namespace=namespace,
            rerank=self.index.rerank,
            counter=self._counter,
            language=self.language,
        )

    # --- documents ---------------------------------------------------------------------------------------------------

    @property
    def documents(self) -> tuple[Document, ...]:
        """The documents, the latest change last."""
        return tuple(record.document for record in self._records.values())

    @property
    def records(self) -> tuple[Record, ...]:
        """The documents with their chunks."""
        return tuple(self._records.values())

    def __contains__(self, document_id: object) -> bool:
        return document_id in self._records

    def document(self, document_id: str) -> Document:
        """The document of an id. Raises `WrongId` when there is none."""
        return self._record(document_id).document

    def chunks(self, document_id: str) -> tuple[Chunk, ...]:
        """The chunks of a document, in order. Raises `WrongId` when there is none of that id."""
        return self._record(document_id).chunks

    def citation(self, chunk: Chunk) -> str:
        """What a chunk is cited by, such as `guide.md › Install › Linux, lines 12-30`. Raises `WrongId`."""
        return self._citation(self.document(chunk.document_id), chunk, chunk.line, chunk.last_line)

    def add(
        self,
        source: str | Path | Document,
        *,
        id: str | None = None,
        title: str = "",
        metadata: Mapping[str, Any] | None = None,
        replace: bool = False,
        chunk_tokens: int | None = None,
        overlap_tokens: int | None = None,
    ) -> Added:
        """Adds a text (read as Markdown), the file of a `Path`, or a `Document`.

        Without an id, a text has one made from its content and a file its name. A text that is there under the same
        id is left as it is; another one is put in its place only with `replace`, else `WrongId` is raised. The sizes
        are those of the whole knowledge unless given. Raises `SearchFailed` when the embedding fails, and then
        nothing has changed; for a file also what `load_document` raises.
        """
        document = _as_document(source, id, title, metadata)
        sizes = (
            self.chunk_tokens if chunk_tokens is None else chunk_tokens,
            self.overlap_tokens if overlap_tokens is None else overlap_tokens,
        )
        with self._lock:
            return self._put(document, sizes, replace)

    def add_folder(self, folder: str | Path, pattern: str = "**/*", *, replace: bool = False) -> FolderAdded:
        """Adds the files of a folder that fit a pattern, each under its path in the folder.

        Hidden files, links that lead out of the folder and files that are no documents are left out, and named with
        the reason. Raises `NotADirectoryError`, and `SearchFailed` when the embedding fails.
        """
        from .loading import LoadFault, load_document

        root = Path(folder)
        if not root.is_dir():
            raise NotADirectoryError(20, "Not a directory", str(folder))
        added: list[Added] = []
        skipped: dict[str, str] = {}
        for path in sorted(root.glob(pattern)):
            name = path.relative_to(root).as_posix()
            if path.is_dir() or any(part.startswith(".") for part in path.relative_to(root).parts):
                continue
            if not path.resolve().is_relative_to(root.resolve()):
                skipped[name] = catalogue_text("knowledge.outside", self.language)
                continue
            try:
                added.append(self.add(load_document(path, id=name), replace=replace))
            except (LoadFault, ImportError, WrongId) as error:
                skipped[name] = str(error)
            except OSError as error:
                skipped[name] = error.strerror or type(error).__name__
        return FolderAdded(tuple(added), skipped)

    def update(self, document_id: str, source: str | Document) -> Added:
        """Puts another text in place of a document's. Raises `WrongId` when there is none, and as `add` does."""
        with self._lock:
            old = self._record(document_id)
            text_only = isinstance(source, str)
            new = replace(old.document, text=source) if text_only else replace(source, id=document_id)
            return self._put(new, old.sizes, True)

    def delete(self, document_id: str) -> int:
        """Takes a document out, and says how many chunks it had. Raises `WrongId` when there is none."""
        with self._lock:
            record = self._record(document_id)
            del self._records[document_id]
            self._forget(record)
            return len(record.chunks)

    def clear(self) -> int:
        """Takes all documents out, and says how many there were."""
        with self._lock:
            count = len(self._records)
            self.index.clear()
            self._records.clear()
            self._chunks.clear()
            return count

    def stats(self) -> dict[str, Any]:
        """`namespace`, the numbers of `documents`, `chunks`, `tokens` and `characters`, and the sizes."""
        records = self.records
        return {
            "namespace": self.namespace,
            "documents": len(records),
            "chunks": sum(len(record.chunks) for record in records),
            "tokens": sum(one.tokens for record in records for one in record.chunks),
            "characters": sum(len(record.document.text) for record in records),
            "chunk_tokens": self.chunk_tokens,
            "overlap_tokens": self.overlap_tokens,
        }

    # --- searching ---------------------------------------------------------------------------------------------------

    def search(
        self,
        query: str,
        limit: int = 5,
        method: Method = "fused",
        *,
        neighbours: int = 0,
        per_document: int | None = None,
    ) -> list[Passage]:
        """The passages that fit a query best, best first; none when nothing has to do with it.

        `neighbours`: so many chunks before and after are put around each, and what a passage holds already is not
        given once more. `per_document`: at most so many passages of one document. Raises `EmptyText`, a `ValueError`,
        for an empty query, `ValueError` for numbers that do not work, and `SearchFailed` when the embedding or the
        re-ranking failed: an empty list always means that there is nothing.
        """
        check_query(query, limit)
        if neighbours < 0 or (per_document is not None and per_document < 1):
            raise ValueError(
                f"neighbours={neighbours} and per_document={per_document} do not work. Use 0 or more, and 1 or more."
            )
        if method not in METHODS:
            raise ValueError(f"{method!r} is not a method of searching. Use one of {', '.join(METHODS)}.")
        depth = limit
        while True:
            with self._lock:
                found = self.index.search(query, depth, method)
                passages = self._passages(found, limit, neighbours, per_document)
            if len(passages) == limit or len(found) < depth:
                return passages
            # Some were left out: look further down.
            depth *= 4

    def _passages(self, found: Iterable[Found], limit: int, neighbours: int, per_document: int | None) -> list[Passage]:
        passages: list[Passage] = []
        for one in found:
            chunk = self._chunks[one.id]
            same = [other for other in passages if other.chunk.document_id == chunk.document_id]
            held = any(other.start <= chunk.start and chunk.end <= other.end for other in same)
            if held or (per_document is not None and len(same) >= per_document):
                continue
            passages.append(self._passage(chunk, one, neighbours))
            if len(passages) == limit:
                break
        return passages

    def _passage(self, chunk: Chunk, found: Found, neighbours: int) -> Passage:
        record = self._records[chunk.document_id]
        document = record.document
        at = int(found.id.rpartition("/")[2])
        first = record.chunks[max(0, at - neighbours)]
        last = record.chunks[min(len(record.chunks) - 1, at + neighbours)]
        citation = self._citation(document, chunk, first.line, last.last_line)
        inside = document.text[first.start : last.end]
        return Passage(
            chunk, found.score, found.reasons, citation, inside, first.start, last.end, document.source or document.id
        )

    def _citation(self, document: Document, chunk: Chunk, first: int, last: int) -> str:
        path = [heading for heading in chunk.heading_path if heading != document.name]
        where = " › ".join((document.name, *path))
        cells: list[int] = document.metadata.get("cells") or []
        key = "lines"
        if cells:
            # A notebook is known by its cells, and not by the lines of the text that was made of it.
            first, last = (sum(begin <= line for begin in cells) for line in (first, last))
            key = "cells"
        if first == last:
            return catalogue_text(f"knowledge.citation.{key[:-1]}", self.language, where=where, first=first)
        return catalogue_text(f"knowledge.citation.{key}", self.language, where=where, first=first, last=last)

    # --- on disk -----------------------------------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Writes everything but the vectors to one JSON file, in one step; folders on the way are made."""
        from .keeping import save

        with self._lock:
            save(self, Path(path))

    @classmethod
    def load(
        cls,
        path: str | Path,
        embedding: Embedding | None = None,
        *,
        rerank: Rerank | None = None,
        counter: TokenCounter | None = None,
        language: str = "en",
        another_embedding: bool = False,
    ) -> Knowledge:
        """Reads what `save` wrote, and has the vectors made anew: the embedding is asked for every chunk.

        Raises `OSError`, `LoadFault` for a file that is something else, was changed by hand or comes from a newer
        version, or whose embedding was another one (unless `another_embedding` says that this is meant), and
        `SearchFailed`.
        """
        from .keeping import read, restore

        saved = read(Path(path))
        knowledge = cls(
            embedding,
            chunk_tokens=saved.chunk_tokens,
            overlap_tokens=saved.overlap_tokens,
            namespace=saved.namespace,
            rerank=rerank,
            counter=counter,
            language=language,
        )
        restore(knowledge, saved, another_embedding)
        return knowledge

    # --- inside ------------------------------------------------------------------------------------------------------

    def hold(self, document: Document, chunks: tuple[Chunk, ...], sizes: tuple[int, int]) -> None:
        """Takes over a document that was cut already, in place of one of the same id. Raises `SearchFailed`."""
        with self._lock:
            self._made += 1
            keys = tuple(f"{self._made}/{number}" for number in range(len(chunks)))
            texts = (searched_text(document, chunk) for chunk in chunks)
            # The new is there before the old goes: when the embedding fails, the old is still complete.
            self.index.add_many(zip(keys, texts, strict=True))
            old = self._records.pop(document.id, None)
            if old is not None:
                self._forget(old)
            self._records[document.id] = Record(document, chunks, keys, sizes)
            self._chunks.update(zip(keys, chunks, strict=True))

    def _put(self, document: Document, sizes: tuple[int, int], replace: bool) -> Added:
        check_sizes(*sizes)
        old = self._records.get(document.id)
        encoding = str(document.metadata.get("encoding", "utf-8"))
        if old is not None:
            if old.document.digest == document.digest and old.sizes == sizes and _same_names(old.document, document):
                return Added(document.id, len(old.chunks), 0 if old.chunks else 1, "unchanged", encoding)
            if not replace:
                raise WrongId(
                    f"There is a document {document.id!r} already, and it is another one. Pass replace=True to put "
                    "this one in its place, or another id."
                )
        done = chunk(document, self._count(), *sizes)
        self.hold(document, done.chunks, sizes)
        change: Change = "added" if old is None else "replaced"
        return Added(document.id, len(done.chunks), done.skipped_empty, change, encoding)

    def _forget(self, record: Record) -> None:
        for key in record.keys:
            self.index.delete(key)
            del self._chunks[key]

    def _record(self, document_id: str) -> Record:
        try:
            return self._records[document_id]
        except KeyError:
            raise WrongId(f"There is no document {document_id!r}. Look at `documents` for those there are.") from None

    def _count(self) -> TokenCounter:
        if self._counter is None:
            from ..context.token_counter import TokenCounter

            self._counter = TokenCounter()
        return self._counter

    def __repr__(self) -> str:
        stats = self.stats()
        return f"Knowledge({self.namespace!r}: {stats['documents']} documents, {stats['chunks']} chunks)"


def searched_text(document: Document, chunk: Chunk) -> str:
    """What a chunk is found by: its text, after the title and the headings that it stands under but does not show."""
    names = dict.fromkeys((document.title, *chunk.heading_path))
    return "\n".join((*(name for name in names if name and name not in chunk.text), chunk.text))


def _same_names(one: Document, other: Document) -> bool:
    return (one.title, one.source, one.metadata) == (other.title, other.source, other.metadata)


def _as_document(
    source: str | Path | Document, id: str | None, title: str, metadata: Mapping[str, Any] | None
) -> Document:
    match source:
        case Document():
            document = source if id is None else replace(source, id=id)
        case Path():
            from .loading import load_document

            document = load_document(source, id=id)
        case str():
            document = Document(f"text-{digest(source)[:12]}" if id is None else id, source)
    return replace(document, title=title or document.title, metadata={**document.metadata, **(metadata or {})})
