"""Structuring: packets as sections, and sections as one text. The template belongs to the caller."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from string import Formatter
from types import MappingProxyType

from ..catalogue import text
from .packets import SECTIONS, ContextConfig, ContextPacket, Section

_BY_NAME: Mapping[str, Section] = {section: section for section in SECTIONS}


@dataclass(frozen=True, slots=True)
class ContextTemplate:
    """The form of a context: for each section, in order, the text that comes before it."""

    parts: tuple[tuple[str, Section], ...]
    suffix: str = ""
    """What comes after the last section."""

    @classmethod
    def read(cls, template: str) -> ContextTemplate:
        """The form that a text with `{role}`, `{task}`, … in it stands for; `{{` is a brace.

        Raises `ValueError` for a name that is no section, and when a section is missing or comes twice.
        """
        parts: list[tuple[str, Section]] = []
        said = ""
        for before, name, form, conversion in Formatter().parse(template):
            said += before
            if name is None:
                continue
            section = _BY_NAME.get(name)
            if section is None or form or conversion:
                raise ValueError(f"The template has a field {{{name}}}. Its fields are {_fields(SECTIONS)}.")
            parts.append((said, section))
            said = ""
        found = [section for _, section in parts]
        if sorted(found) != sorted(SECTIONS):
            missing = [section for section in SECTIONS if section not in found]
            wrong = f"lacks {_fields(missing)}" if missing else "has a field twice"
            raise ValueError(f"The template {wrong}. Each of {_fields(SECTIONS)} must be there once.")
        return cls(tuple(parts), said)

    @classmethod
    def usual(cls, language: str) -> ContextTemplate:
        """A heading in brackets over each section, in the language."""
        headings = [f"[{text(f'context.{section}', language)}]\n" for section in SECTIONS]
        prefixes = (f"\n\n{heading}" if at else heading for at, heading in enumerate(headings))
        return cls(tuple(zip(prefixes, SECTIONS, strict=True)))


def template_of(config: ContextConfig) -> ContextTemplate:
    """The template that the settings ask for."""
    template = config.system_prompt_template
    if isinstance(template, ContextTemplate):
        return template
    return ContextTemplate.read(template) if template else ContextTemplate.usual(config.language)


def _fields(sections: Iterable[str]) -> str:
    return ", ".join(f"{{{section}}}" for section in sections)


@dataclass(frozen=True, slots=True)
class Item:
    """A packet as it stands in its section."""

    id: str
    """The packet's."""
    head: str
    """What is said before it: the number and the source of evidence."""
    body: str
    score: float = 0.0

    @property
    def text(self) -> str:
        return self.head + self.body


@dataclass(frozen=True, slots=True)
class Part:
    """A section with what stands in it."""

    section: Section
    prefix: str
    """Its heading, and what the template has before that."""
    items: tuple[Item, ...]

    @property
    def between(self) -> str:
        """What stands between two packets."""
        return "\n\n" if self.section == "evidence" else "\n"

    @property
    def body(self) -> str:
        return self.between.join(item.text for item in self.items)

    def with_items(self, items: Iterable[Item]) -> Part:
        return replace(self, items=tuple(items))


class Structured(str):
    """A context as text, which knows its sections."""

    parts: tuple[Part, ...]
    suffix: str

    @classmethod
    def of(cls, parts: Iterable[Part], suffix: str = "") -> Structured:
        """The text of these sections; empty ones vanish, with what the template has before them."""
        kept = tuple(part for part in parts if part.body.strip())
        made = cls("".join(part.prefix + part.body for part in kept).lstrip("\n") + suffix)
        made.parts, made.suffix = kept, suffix
        return made


def structure(
    packets: Sequence[ContextPacket],
    template: ContextTemplate,
    scores: Mapping[str, float] = MappingProxyType({}),
    also: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> Structured:
    """The packets as a text in sections. Evidence is numbered and says its source, and `also` where else it stands."""
    number = 0
    parts: list[Part] = []
    for prefix, section in template.parts:
        items: list[Item] = []
        for packet in packets:
            if packet.section != section or not packet.content.strip():
                continue
            head = ""
            if section == "evidence":
                number += 1
                citations = dict.fromkeys((packet.citation, *also.get(packet.id, ())))
                head = f"[{number}] {'; '.join(citations)}\n"
            items.append(Item(packet.id, head, packet.content.strip(), scores.get(packet.id, 0.0)))
        parts.append(Part(section, prefix, tuple(items)))
    return Structured.of(parts, template.suffix)


def read_back(context: str, template: ContextTemplate) -> Structured:
    """The sections of a text, found by what the template has before each; a text that has none of that is evidence
    as a whole."""
    body = context.removesuffix(template.suffix) if template.suffix else context
    places: list[tuple[int, int, str, Section]] = []
    at = 0
    for prefix, section in template.parts:
        heading = prefix.strip()
        found = body.find(heading, at) if heading else -1
        if found >= 0:
            places.append((found, found + len(heading), prefix, section))
            at = found + len(heading)
    if not places or body[: places[0][0]].strip():
        return Structured.of([Part("evidence", "", (Item("", "", context),))])
    ends = [start for start, *_ in places[1:]] + [len(body)]
    parts = [
        Part(section, prefix, (Item("", "", body[begin:end].strip()),))
        for (_, begin, prefix, section), end in zip(places, ends, strict=True)
    ]
    return Structured.of(parts, template.suffix if body != context else "")
