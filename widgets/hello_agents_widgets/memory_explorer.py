"""MemoryExplorer: what is remembered and known, why a hit ranks where it does, and what goes when something must."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, ClassVar

from hello_agents.core.at_rest import HUES, MUTED, bar, box, grid, heading, sheet, words
from hello_agents.memory.base import STRATEGIES, Eviction, MemoryItem, Recalled
from hello_agents.memory.documents import Chunk
from hello_agents.memory.knowledge import Knowledge, Passage
from hello_agents.memory.manager import MemoryManager
from hello_agents.tools.builtin.memory_tool import MemoryTool
from hello_agents.tools.builtin.rag_tool import RAGTool

from ._base import SHARED, SHARED_STYLES, BookWidget, module, style

Json = dict[str, Any]
Subject = MemoryManager | MemoryTool | Knowledge | RAGTool
Holder = MemoryManager | Knowledge

PARTS = ("words", "vector", "recency", "importance")
"""What the score of a memory is the sum of."""

_PART_HUES = (HUES["results"], HUES["assistant"], HUES["user"], HUES["tools"])
_PASS = "Pass a MemoryManager, MemoryTool, Knowledge or RAGTool."
_DIGITS = 6
_LAST_GONE = 50
"""Memories that went, the last ones, that are shown."""
_MOST_ROWS = 40
"""Memories or documents of one holder in a picture at rest."""


@dataclass(frozen=True, slots=True)
class _Answer:
    """What one holder found, or why it could not look."""

    hits: Sequence[Recalled | Passage] = ()
    error: str = ""


class MemoryExplorer(BookWidget):
    """The memories of managers and the documents of knowledge, with a search that tells its reasons.

    Each subject is a `MemoryManager`, a `MemoryTool`, a `Knowledge` or a `RAGTool`. It is the reader's own: what is
    added or forgotten here is added or forgotten there. What others change shows after `refresh`. `.results` are the
    hits of the last search as values, one subject after the other. A store that fails is told in its place.
    """

    _esm: ClassVar[str] = module(*SHARED, "labels.js", "memory_explorer.js")
    _css: ClassVar[str] = style(*SHARED_STYLES, "memory_explorer.css")

    def __init__(self, *subjects: Subject, query: str = "", limit: int = 10, language: str = "en") -> None:
        if not subjects:
            raise TypeError(
                "MemoryExplorer has nothing to show. Pass a MemoryManager, MemoryTool, Knowledge or RAGTool."
            )
        for one in subjects:
            _holders_of(one)
        self.subjects = subjects
        self.language = language
        self.limit = limit
        self.query = ""
        self._answers: tuple[_Answer, ...] | None = None
        self._known: dict[tuple[object, ...], int] = {}
        self._fresh: list[Json] = []
        self._asked: Mapping[str, Any] | None = None
        self._done: Json | None = None
        self._adds = 0
        self._opened: Json | None = None
        if query:
            self._search(query)
        super().__init__(subjects[0])

    # -- values --------------------------------------------------------------------------------------

    @property
    def holders(self) -> tuple[Holder, ...]:
        """The managers and the knowledge behind the subjects; a RAG tool has one for each namespace."""
        return tuple(holder for subject in self.subjects for holder in _holders_of(subject))

    @property
    def results(self) -> tuple[Recalled | Passage, ...]:
        """What the last search found, best first for each holder."""
        return tuple(hit for answer in self._answers or () for hit in answer.hits)

    @property
    def state(self) -> Json:
        """All that is shown, as plain JSON."""
        return self.head_json() | {"items": self._all_items()}

    def search(self, query: str) -> tuple[Recalled | Passage, ...]:
        """Searches everywhere and returns the `results`. What fails is shown and not raised."""
        self._search(query)
        self.publish()
        return self.results

    def refresh(self) -> None:
        """Looks again at what there is."""
        self._again()
        self.publish()

    # -- inside --------------------------------------------------------------------------------------

    def _search(self, query: str) -> None:
        self.query = query
        self._answers = tuple(_found(holder, query, self.limit) for holder in self.holders) if query.strip() else None

    def _again(self) -> None:
        """What is shown, made anew after something has changed."""
        self._search(self.query)
        self._opened = None

    def take(self) -> Json | None:
        # The head is made first, as it says which items it needs.
        self.head_json()
        fresh, self._fresh = self._fresh, []
        return {"items": fresh} if fresh else None

    def head_json(self) -> Json:
        holders = self.holders
        return {
            "title": "MemoryExplorer",
            "language": self.language,
            "query": self.query,
            "holders": [self._holder(holder) for holder in holders],
            "answers": None if self._answers is None else [self._answer(one) for one in self._answers],
            "strategies": list(STRATEGIES),
            "preview": None if self._asked is None else self._going(self._asked),
            "done": self._done,
            "adds": self._adds,
            "opened": self._opened,
        }

    def _holder(self, holder: Holder) -> Json:
        match holder:
            case MemoryManager():
                shown: Json = {"sort": "memory", "name": holder.user_id, "kinds": list(holder.memory_types)}
                return shown | _guarded(lambda: self._memories(holder), {"rows": [], "now": 0, "gone": []})
            case Knowledge():
                shown = {"sort": "knowledge", "name": holder.namespace, "kinds": []}
                return shown | _guarded(lambda: self._documents(holder), {"rows": []})

    def _memories(self, manager: MemoryManager) -> Json:
        return {
            "rows": [self._memory(item) for item in manager.all()],
            "now": manager.shelf.now().timestamp(),
            "gone": [_gone(one) for one in manager.evictions[: -_LAST_GONE - 1 : -1]],
            "problems": list(manager.problems),
            "capacity": manager.config.max_capacity,
        }

    def _documents(self, knowledge: Knowledge) -> Json:
        rows = [
            self._place(
                ("document", id(knowledge), one.document.id, one.document.digest, one.sizes),
                {
                    "id": one.document.id,
                    "label": one.document.name,
                    "from": one.document.source,
                    "chunks": len(one.chunks),
                    "tokens": sum(chunk.tokens for chunk in one.chunks),
                },
            )
            for one in knowledge.records
        ]
        return {"rows": rows}

    def _going(self, args: Mapping[str, Any]) -> Json:
        """What would be forgotten as it was asked last; as long as the memories cannot be read, that is nothing."""
        manager = _manager(self._at(args))
        going = _guarded(lambda: {"going": [_gone(one) for one in manager.would_forget(**_way(args))]}, {"going": []})
        return {"holder": args.get("holder"), "going": going["going"]}

    def _memory(self, item: MemoryItem) -> int:
        return self._place(
            ("memory", item.id, item.user_id, item.content, item.memory_type, item.importance, item.tags, item.touched),
            {
                "id": item.id,
                "label": item.content,
                "type": item.memory_type,
                "importance": item.importance,
                "tags": list(item.tags),
                "touched": item.touched.timestamp(),
                "changed": item.updated is not None,
            },
        )

    def _place(self, key: tuple[object, ...], shown: Json) -> int:
        """Where something stands among all that was sent to the page; what is new is sent with the next part."""
        if key not in self._known:
            self._known[key] = len(self._known)
            self._fresh.append(shown)
        return self._known[key]

    def _answer(self, answer: _Answer) -> Json:
        return {"error": answer.error, "hits": [self._hit(hit) for hit in answer.hits]}

    def _hit(self, hit: Recalled | Passage) -> Json:
        shown: Json = {
            "score": round(hit.score, _DIGITS),
            "reasons": {name: round(number, _DIGITS) for name, number in hit.reasons.items()},
        }
        match hit:
            case Recalled():
                return shown | {"place": self._memory(hit.item)}
            case Passage():
                return shown | _chunk(hit.chunk, hit.citation, hit.text)

    # -- operations ----------------------------------------------------------------------------------

    def perform(self, op: str, args: Mapping[str, Any]) -> None:
        match op:
            case "search":
                self._search(str(args.get("query") or ""))
            case "refresh":
                self._done = None
                self._again()
            case "open":
                knowledge = _knowledge(self._at(args))
                id = str(args.get("id"))
                chunks = [_chunk(one, knowledge.citation(one), one.text) for one in knowledge.chunks(id)]
                self._opened = {"holder": args.get("holder"), "id": id, "chunks": chunks}
            case "add":
                self._done = _added(self._at(args), args)
                self._adds += 1
                self._again()
            case "remove":
                self._done = _removed(self._at(args), str(args.get("id")))
                self._again()
            case "preview":
                _manager(self._at(args)).would_forget(**_way(args))
                self._asked = dict(args)
            case "forget":
                gone = _manager(self._at(args)).forget(**_way(args))
                self._done = {"what": "forgot", "gone": [_gone(one) for one in gone]}
                self._again()
            case "shut":
                self._opened = None
            case "dismiss":
                self._done = None
            case _:
                raise ValueError(
                    f"MemoryExplorer has no operation {op!r}. There are search, add, remove, preview, forget, open, "
                    "shut and refresh."
                )

    def _at(self, args: Mapping[str, Any]) -> Holder:
        holders = self.holders
        number = int(str(args.get("holder", 0)))
        if not 0 <= number < len(holders):
            raise ValueError(f"There is no holder {number}. There are {len(holders)}, counted from 0.")
        return holders[number]

    # -- at rest -------------------------------------------------------------------------------------

    def summary(self) -> str:
        head = self.head_json()
        lines = ["MemoryExplorer"]
        for holder in head["holders"]:
            lines.append(f"  {holder['sort']} {holder['name']!r}: {_counted(holder)}")
            if holder["error"]:
                lines.append(f"    {holder['error']}")
        if self._answers is not None:
            lines.append(f"search: {self.query!r}")
            lines += [f"  could not look: {answer.error}" for answer in self._answers if answer.error]
            lines += [f"  {number}. {_line(hit)}" for number, hit in enumerate(self.results, 1)]
        return "\n".join(lines)

    def picture(self) -> str:
        holders: list[Json] = self.head_json()["holders"]
        items = self._all_items()
        body = "".join(_pictured_holder(holder, items) for holder in holders)
        if self._answers is not None:
            body += f'<p style="margin:8px 0 4px">search: <b>{escape(self.query)}</b></p>'
            for answer in self._answers:
                body += box(HUES["error"], "could not look", words(answer.error)) if answer.error else ""
                body += "".join(_pictured(number, hit) for number, hit in enumerate(answer.hits, 1))
        marks = [_counted(holder) for holder in holders]
        return sheet("MemoryExplorer", marks, body, language=self.language)

    def _all_items(self) -> list[Json]:
        """What was sent to the page, and what will be."""
        return [*(item for part in self.logs for item in part["items"]), *self._fresh]


def _holders_of(subject: Subject) -> tuple[Holder, ...]:
    match subject:
        case MemoryManager() | Knowledge():
            return (subject,)
        case MemoryTool():
            return (subject.memory_manager,)
        case RAGTool():
            return subject.spaces
        case _:  # pyright: ignore[reportUnnecessaryComparison]
            raise TypeError(f"MemoryExplorer shows no {type(subject).__name__}. {_PASS}")


def _manager(holder: Holder) -> MemoryManager:
    if not isinstance(holder, MemoryManager):
        raise ValueError("Documents are not forgotten by importance or age. Remove one by its id.")
    return holder


def _knowledge(holder: Holder) -> Knowledge:
    if not isinstance(holder, Knowledge):
        raise ValueError("A memory has no chunks. Open a document.")
    return holder


def _guarded(look: Callable[[], Json], nothing: Json) -> Json:
    """What there is, or why it cannot be read: behind it are the reader's store and clock."""
    try:
        return look() | {"error": ""}
    except Exception as error:
        return nothing | {"error": f"{type(error).__name__}: {error}"}


def _found(holder: Holder, query: str, limit: int) -> _Answer:
    try:
        match holder:
            case MemoryManager():
                return _Answer(holder.recall(query, limit))
            case Knowledge():
                return _Answer(holder.search(query, limit))
    except Exception as error:  # The store, the embedding and the re-ranking are the reader's.
        return _Answer(error=f"{type(error).__name__}: {error}")


def _added(holder: Holder, args: Mapping[str, Any]) -> Json:
    said = str(args.get("text") or "")
    name = str(args.get("id") or "").strip()
    match holder:
        case Knowledge():
            added = holder.add(said, id=name or None)
            return {"what": added.change, "id": added.document_id, "gone": [], "note": ""}
        case MemoryManager():
            weight = args.get("importance")
            importance = None if weight in (None, "") else float(str(weight))
            tags = [tag for tag in str(args.get("tags") or "").replace("，", ",").split(",") if tag.strip()]
            kind = str(args.get("kind") or "working")
            done = holder.add(said, kind, importance, tags=[tag.strip() for tag in tags])
            gone = [_gone(one) for one in done.evicted]
            return {"what": "added", "id": done.item.id, "gone": gone, "note": done.unjudged}


def _removed(holder: Holder, id: str) -> Json:
    match holder:
        case Knowledge():
            holder.delete(id)
        case MemoryManager():
            if not holder.remove_memory(id):
                raise ValueError(f"There is no memory {id!r}. It may have expired.")
    return {"what": "removed", "id": id, "gone": [], "note": ""}


def _way(args: Mapping[str, Any]) -> Json:
    """How to forget, as the page says it; what is not said stays as the library has it."""
    way: Json = {"strategy": str(args.get("strategy") or STRATEGIES[0])}
    for name, read in (("threshold", float), ("max_age_days", float), ("capacity", int)):
        if args.get(name) not in (None, ""):
            way[name] = read(str(args[name]))
    kind = args.get("kind")
    return way | {"memory_types": [str(kind)]} if kind else way


def _gone(eviction: Eviction) -> Json:
    item = eviction.item
    return eviction.to_dict() | {"importance": item.importance, "touched": item.touched.timestamp()}


def _chunk(chunk: Chunk, citation: str, said: str) -> Json:
    return {
        "chunk": chunk.id,
        "document": chunk.document_id,
        "headings": list(chunk.heading_path),
        "citation": citation,
        "text": said,
        "tokens": chunk.tokens,
    }


def _counted(holder: Json) -> str:
    one, many = ("memory", "memories") if holder["sort"] == "memory" else ("document", "documents")
    number = len(holder["rows"])
    return f"{number:,} {one if number == 1 else many}"


def _line(hit: Recalled | Passage) -> str:
    match hit:
        case Recalled():
            return f"{hit.score:.2f} {hit.item.id} ({hit.item.memory_type}): {hit.item.content[:200]}"
        case Passage():
            return f"{hit.score:.2f} {hit.citation}"


def _pictured_holder(holder: Json, items: Sequence[Json]) -> str:
    """What a holder holds, or why it cannot be read."""
    body = heading(escape(f"{holder['sort']}: {holder['name']}"))
    if holder["error"]:
        body += box(HUES["error"], "cannot be read", words(holder["error"]))
    places: list[int] = holder["rows"]
    shown = [items[place] for place in places[:_MOST_ROWS]]
    if holder["sort"] == "memory":
        rows = [(one["id"], one["type"], one["label"][:300], f"{one['importance']:.2f}", _tags(one)) for one in shown]
        head = ("id", "type", "memory", "importance", "tags")
    else:
        rows = [(one["id"], one["label"], f"{one['chunks']}", f"{one['tokens']:,}") for one in shown]
        head = ("id", "document", "chunks", "tokens")
    body += grid(head, [[escape(str(cell)) for cell in row] for row in rows])
    if len(places) > _MOST_ROWS:
        body += f'<p style="{MUTED}">… and {len(places) - _MOST_ROWS:,} more</p>'
    return body


def _tags(item: Json) -> str:
    tags: list[str] = item["tags"]
    return ", ".join(tags)


def _pictured(number: int, hit: Recalled | Passage) -> str:
    reasons = ", ".join(f"{name.replace('_', ' ')} {value:.4g}" for name, value in hit.reasons.items())
    match hit:
        case Recalled():
            title = f"{number}. {hit.score:.2f} = {' + '.join(f'{name} {hit.reasons[name]:.2f}' for name in PARTS)}"
            parts = [(hue, round(1000 * hit.reasons[name])) for hue, name in zip(_PART_HUES, PARTS, strict=True)]
            rest = ("transparent", max(0, 1000 - sum(amount for _, amount in parts)))
            return box(HUES["user"], escape(title), bar([*parts, rest]) + words(hit.item.content, 600))
        case Passage():
            title = f"{number}. {hit.score:.2f} · {hit.citation} · {reasons}"
            return box(HUES["results"], escape(title), words(hit.text, 600))


__all__ = ["MemoryExplorer"]
