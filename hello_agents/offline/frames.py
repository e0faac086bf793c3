"""Prompts of the library, read back: what stands in the places of a text of the catalogue."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from string import Formatter

from ..catalogue import TEXTS


@dataclass(frozen=True, slots=True)
class Frame:
    """A text of the catalogue that was recognised, with the values in it."""

    language: str
    values: dict[str, str]


def unframed(key: str, said: str) -> Frame | None:
    """What was put into the catalogue's text; `None` when `said` was not made from it, in any language."""
    for language, template in TEXTS[key].items():
        values = _values(template, said)
        if values is not None:
            return Frame(language, values)
    return None


@lru_cache(maxsize=64)
def _pieces(template: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The words before the first place, then each place with the words after it."""
    words: list[str] = [""]
    places: list[str] = []
    for literal, place, _, _ in Formatter().parse(template):
        words[-1] += literal
        if place is not None:
            places.append(place)
            words.append("")
    return words[0], tuple(zip(places, words[1:], strict=True))


def _values(template: str, said: str) -> dict[str, str] | None:
    lead, places = _pieces(template)
    if not places or not said.startswith(lead):
        return None
    values: dict[str, str] = {}
    rest, last = said[len(lead) :], len(places) - 1
    for number, (place, following) in enumerate(places):
        if number == last:
            found = len(rest) - len(following) if rest.endswith(following) else -1
        else:
            # The last place holds a short text, and the one before it may quote anything: look from the end.
            found = rest.rfind(following) if number == last - 1 else rest.find(following)
        if found < 0:
            return None
        values[place] = rest[:found]
        rest = rest[found + len(following) :]
    return values


def numbered(plan: str) -> list[str]:
    """The steps of a plan written as `1. …` lines; a step may have several lines."""
    found: list[str] = []
    rest = plan
    while rest.startswith(lead := f"{len(found) + 1}. "):
        step, following, rest = rest[len(lead) :].partition(f"\n{len(found) + 2}. ")
        rest = following.lstrip("\n") + rest
        found.append(step)
    return found


def results_so_far(steps: list[str], history: str) -> list[tuple[str, str]]:
    """The steps that were taken, each with its result, as the executor's prompt has them."""
    found: list[tuple[str, str]] = []
    rest = history
    for number, step in enumerate(steps, 1):
        lead = f"{number}. {step}\n"
        if not rest.startswith(lead):
            break
        following = f"\n\n{number + 1}. {steps[number]}\n" if number < len(steps) else ""
        end = rest.find(following) if following else -1
        found.append((step, rest[len(lead) : end if end >= 0 else len(rest)]))
        rest = rest[end + 2 :] if end >= 0 else ""
    return found
