"""Demo tools: small, deterministic tools for trying an agent out, with no network behind them."""

from __future__ import annotations

from typing import Literal

from ...catalogue import text
from ..base import Tool, tool_action

Unit = Literal["celsius", "fahrenheit"]

_WEATHER: dict[str, tuple[dict[str, str], dict[str, str], int]] = {
    "beijing": ({"en": "Beijing", "zh": "北京"}, {"en": "clear", "zh": "晴"}, 21),
    "shanghai": ({"en": "Shanghai", "zh": "上海"}, {"en": "light rain", "zh": "小雨"}, 18),
    "paris": ({"en": "Paris", "zh": "巴黎"}, {"en": "cloudy", "zh": "多云"}, 14),
    "london": ({"en": "London", "zh": "伦敦"}, {"en": "rain", "zh": "雨"}, 11),
    "new york": ({"en": "New York", "zh": "纽约"}, {"en": "windy", "zh": "有风"}, 9),
    "cairo": ({"en": "Cairo", "zh": "开罗"}, {"en": "sunny", "zh": "晴朗"}, 31),
}
"""City -> its names, its sky, its degrees Celsius. Made up, and always the same."""

_SIZES: dict[str, tuple[str, float]] = {
    "m": ("length", 1.0),
    "km": ("length", 1000.0),
    "mile": ("length", 1609.344),
    "foot": ("length", 0.3048),
    "kg": ("mass", 1.0),
    "g": ("mass", 0.001),
    "pound": ("mass", 0.45359237),
    "s": ("time", 1.0),
    "min": ("time", 60.0),
    "h": ("time", 3600.0),
}
"""Unit -> what it measures, and how many base units it is."""


def get_weather(city: str, unit: Unit = "celsius") -> str:
    """Looks up today's weather in a city.

    Args:
        city: The name of the city, in English or Chinese.
        unit: The scale of the temperature.
    """
    for key, (names, sky, degrees) in _WEATHER.items():
        if city.strip().lower() in (key, names["zh"]):
            language = "zh" if city.strip() == names["zh"] else "en"
            shown = degrees if unit == "celsius" else degrees * 9 / 5 + 32
            mark = "°C" if unit == "celsius" else "°F"
            return text("demo.weather", language, city=names[language], sky=sky[language], degrees=shown, unit=mark)
    known = ", ".join(names["en"] for names, _sky, _degrees in _WEATHER.values())
    raise LookupError(f"No weather is known for {city!r}. Known cities: {known}.")


def convert_units(value: float, source: str, target: str) -> float:
    """Converts a value from one unit to another.

    Args:
        value: How many of the source unit.
        source: The unit it is in: m, km, mile, foot, kg, g, pound, s, min or h.
        target: The unit wanted, of the same kind.
    """
    for unit in (source, target):
        if unit not in _SIZES:
            raise LookupError(f"{unit!r} is not a unit known here. Known units: {', '.join(_SIZES)}.")
    (kind, size), (other_kind, other_size) = _SIZES[source], _SIZES[target]
    if kind != other_kind:
        raise ValueError(f"{source} measures {kind} and {target} measures {other_kind}. Choose two of one kind.")
    return round(value * size / other_size, 9)


class NotesTool(Tool):
    """A set of notes in memory, and two tools over it: `notes_search` and `notes_add`."""

    def __init__(self, notes: list[str] | None = None) -> None:
        super().__init__("notes", "Keeps short notes and finds them again.", expandable=True)
        self.notes: list[str] = list(notes or ())

    @tool_action()
    def _search(self, query: str, limit: int = 3) -> list[str]:
        """Finds the notes that share most words (or, in Chinese, pairs of characters) with a query.

        Args:
            query: What to look for.
            limit: How many notes at most.
        """
        wanted = _terms(query)
        scored = [(len(wanted & _terms(note)), -position, note) for position, note in enumerate(self.notes)]
        best = sorted((entry for entry in scored if entry[0]), reverse=True)
        return [note for _score, _position, note in best[:limit]]

    @tool_action()
    def _add(self, note: str) -> str:
        """Adds a note.

        Args:
            note: Its text.
        """
        self.notes.append(note)
        return f"Note {len(self.notes)} added."


def _terms(words: str) -> set[str]:
    """The words of a text; a run of characters that has no spaces also counts by its pairs."""
    terms: set[str] = set()
    for word in "".join(sign.lower() if sign.isalnum() else " " for sign in words).split():
        terms.add(word)
        if not word.isascii():
            terms.update(word[place : place + 2] for place in range(len(word) - 1))
    return terms
