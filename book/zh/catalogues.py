"""The message catalogues of the Chinese edition: brought up to date, and checked against the pages as they are now.

`python book/zh/catalogues.py` says, catalogue by catalogue, what is not translated, what has changed since, what is in
no page any more, and what is wrong in a translation; it fails when something is wrong or too little is translated.
`… update [PAGE…]` first takes over the texts of the pages, and begins a catalogue for each page that is named.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path

BOOK = Path(__file__).parents[1]
sys.path[:0] = [str(BOOK / "_ext"), str(Path(__file__).parent)]

from editions import CATALOGUES, SITE, needs_words, title_of  # noqa: E402

SIMILAR = 0.6
"""From which likeness on, of 0 to 1, an old translation is kept as a draft for a new text."""

FLOOR = 0.9
"""The share of a page that has to be translated and up to date."""

OF_THE_THEME = ("Color mode", "System Settings", "© Copyright %(copyright)s.")
"""What the theme says and has no Chinese for."""


# --- what the pages say ----------------------------------------------------------------------------------------------


def current(book: Path = BOOK) -> dict[str, list[str]]:
    """Catalogue -> its messages, in the order of the page, as the book's own settings give them."""
    with tempfile.TemporaryDirectory() as folder:
        # Without the translations that there are: an alternative text of a picture would come out in Chinese.
        options = ["-q", "-b", "gettext", "-t", "zh", "-D", "locale_dirs=", "-d", f"{folder}/doctrees"]
        command = [sys.executable, "-m", "sphinx", *options, str(book), f"{folder}/pot"]
        made = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
        if made.returncode:
            raise SystemExit(made.stderr)
        texts = {name: _messages(Path(folder, "pot", f"{name}.pot")) for name in names()}
    texts[SITE] += [*OF_THE_THEME, *_english_titles(book, set(texts))]
    return texts


def names(catalogues: Path = CATALOGUES) -> list[str]:
    """The catalogues that there are."""
    return sorted(path.relative_to(catalogues).with_suffix("").as_posix() for path in catalogues.rglob("*.po"))


def _messages(template: Path) -> list[str]:
    return [entry.text for entry in read(template) if needs_words(entry.text)]


def _english_titles(book: Path, catalogues: set[str]) -> Iterator[str]:
    pages = [*sorted(book.glob("*.md")), *sorted(book.glob("chapters/*.ipynb")), book / "api" / "index.md"]
    for path in pages:
        if path.relative_to(book).with_suffix("").as_posix() not in catalogues and path.stem != "404":
            yield title_of(path.read_text(encoding="utf-8"), path.suffix == ".ipynb")


# --- catalogues ------------------------------------------------------------------------------------------------------


@dataclass
class Entry:
    """A text and its translation; `was` is the text that it is a translation of, where that has changed since."""

    text: str
    translation: str = ""
    was: str | None = None

    @property
    def is_fresh(self) -> bool:
        return bool(self.translation) and self.was is None


_LINE = re.compile(r'(?:(?P<key>#\| msgid|msgid|msgstr) |(?:#\| )?)"(?P<text>.*)"')
_ESCAPED = re.compile(r"\\(.)")


def read(path: Path) -> list[Entry]:
    """The entries of a catalogue, without its head; none where there is no catalogue."""
    blocks = path.read_text(encoding="utf-8").split("\n\n") if path.exists() else []
    entries = [_entry(block.splitlines()) for block in blocks if "msgid" in block]
    return [entry for entry in entries if entry.text]


def _entry(lines: list[str]) -> Entry:
    parts = {"msgid": "", "msgstr": "", "#| msgid": ""}
    key = ""
    for line in lines:
        if found := _LINE.fullmatch(line):
            key = found["key"] or key
            parts[key] += _ESCAPED.sub(lambda one: {"n": "\n", "t": "\t"}.get(one[1], one[1]), found["text"])
    is_draft = any(line.startswith("#,") and "fuzzy" in line for line in lines)
    return Entry(parts["msgid"], parts["msgstr"], parts["#| msgid"] if is_draft else None)


HEAD = """\
# The Chinese of the book. After a change of the English: make translations.
msgid ""
msgstr ""
"Language: zh_CN\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"""


def written(entries: Iterable[Entry]) -> str:
    """A catalogue with these entries: one line a text, no places, no dates, so that a diff shows what has changed."""
    out = io.StringIO()
    out.write(HEAD)
    for entry in entries:
        out.write("\n")
        if entry.was is not None:
            out.write(f"#, fuzzy\n#| msgid {_quoted(entry.was)}\n")
        out.write(f"msgid {_quoted(entry.text)}\nmsgstr {_quoted(entry.translation)}\n")
    return out.getvalue()


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'


# --- bringing up to date ---------------------------------------------------------------------------------------------


def brought_up_to_date(entries: list[Entry], texts: list[str], elsewhere: Mapping[str, str]) -> list[Entry]:
    """The entries for these texts: as they were, as the same text is translated elsewhere, or with the translation of
    the most similar text that has gone."""
    known = {entry.text: entry for entry in entries if entry.translation}
    gone = [entry for entry in known.values() if entry.text not in set(texts)]
    found: list[Entry] = []
    for text in texts:
        entry = known.get(text) or (Entry(text, elsewhere[text]) if text in elsewhere else _from_similar(text, gone))
        found.append(entry or Entry(text))
    return found


def _from_similar(text: str, gone: list[Entry]) -> Entry | None:
    old = max(gone, key=lambda entry: _likeness(text, entry.text), default=None)
    if old is None or _likeness(text, old.text) < SIMILAR:
        return None
    gone.remove(old)
    same_words = with_numbers_of(text, old)
    return Entry(text, same_words) if same_words else Entry(text, old.translation, old.was or old.text)


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


_NUMBER = re.compile(r"\d+")


def with_numbers_of(text: str, old: Entry) -> str | None:
    """The old translation with the numbers of the new text, where nothing else has changed and each has one place."""
    before, after = _NUMBER.findall(old.text), _NUMBER.findall(text)
    if not old.is_fresh or _NUMBER.sub("0", old.text) != _NUMBER.sub("0", text):
        return None
    changed = {one: other for one, other in zip(before, after, strict=True) if one != other}
    translated = _NUMBER.findall(old.translation)
    if any(before.count(number) != 1 or translated.count(number) != 1 for number in changed):
        return None
    return _NUMBER.sub(lambda found: changed.get(found[0], found[0]), old.translation)


def begin(pages: Iterable[str]) -> None:
    """An empty catalogue for each of these pages that has none, which takes the page into the Chinese edition."""
    for page in pages:
        path = CATALOGUES / f"{page}.po"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def update(current_texts: dict[str, list[str]]) -> None:
    """Writes the catalogues anew where texts have changed."""
    before = {name: read(CATALOGUES / f"{name}.po") for name in current_texts}
    elsewhere = translations(entry for entries in before.values() for entry in entries)
    for name, texts in current_texts.items():
        entries = brought_up_to_date(before[name], texts, elsewhere)
        (CATALOGUES / f"{name}.po").write_text(written(entries), encoding="utf-8", newline="\n")


def translations(entries: Iterable[Entry]) -> dict[str, str]:
    """Text -> translation, of all that is up to date; one that differs from the text where there are several."""
    found: dict[str, str] = {}
    for entry in entries:
        if entry.is_fresh and found.get(entry.text, entry.text) == entry.text:
            found[entry.text] = entry.translation
    return found


# --- checking --------------------------------------------------------------------------------------------------------


@dataclass
class Verdict:
    """How a catalogue stands to its page."""

    name: str
    texts: int
    missing: list[str] = field(default_factory=list)
    changed: list[Entry] = field(default_factory=list)
    obsolete: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    @property
    def stale(self) -> list[str]:
        """What a reader of Chinese gets in English, and what nobody gets any more, each with a word on why."""
        return [
            *(f"not translated: {text}" for text in self.missing),
            *(f"changed: {entry.text}" for entry in self.changed),
            *(f"in no page any more: {text}" for text in self.obsolete),
        ]

    @property
    def share(self) -> float:
        """How much of the page is translated and up to date, from 0 to 1."""
        return 1 - (len(self.missing) + len(self.changed)) / self.texts if self.texts else 1.0


def verdict(name: str, entries: list[Entry], texts: list[str]) -> Verdict:
    """Compares a catalogue with the texts of its page."""
    from wording import faults

    known = {entry.text: entry for entry in entries}
    found = Verdict(name, len(texts))
    for text in texts:
        entry = known.get(text, Entry(text))
        if not entry.translation:
            found.missing.append(text)
        elif not entry.is_fresh:
            found.changed.append(entry)
    found.obsolete = [text for text in known if text not in set(texts)]
    for entry in entries:
        if entry.is_fresh:
            found.faults += [f"{fault}: {entry.translation}" for fault in faults(entry.text, entry.translation)]
    return found


def verdicts(current_texts: dict[str, list[str]]) -> list[Verdict]:
    """One for each catalogue."""
    return [verdict(name, read(CATALOGUES / f"{name}.po"), texts) for name, texts in current_texts.items()]


def told(found: Iterable[Verdict]) -> str:
    """The verdicts for a person to read."""
    lines: list[str] = []
    for one in found:
        fresh = one.texts - len(one.missing) - len(one.changed)
        lines.append(f"{one.name}: {fresh} of {one.texts}")
        lines += [f"    {line}" for line in [*(f"WRONG: {fault}" for fault in one.faults), *one.stale]]
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    changes = arguments[:1] == ["update"]
    begin(arguments[1:] if changes else ())
    texts = current()
    if changes:
        update(texts)
    found = verdicts(texts)
    sys.stdout.write(told(found))
    return int(any(one.faults or one.share < FLOOR for one in found))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
