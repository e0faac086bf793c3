"""What a text of the book must be: its problems in words, each with its place, none when all is well.

`python tests/notebooks/prose.py [FILE…]` checks notebooks and Markdown files, all of them without arguments.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token
from notebooks.execute import ROOT, read
from notebooks.names import STANDARD, Names

from notebooks import names

WORDS = Path(__file__).parent / "words"
GLOSSARY = ROOT / "book" / "glossary.md"


@dataclass(frozen=True)
class Passage:
    """A piece of Markdown, and where it stands."""

    where: str
    text: str
    path: Path

    @property
    def tokens(self) -> list[Token]:
        return MarkdownIt("commonmark").enable("table").parse(self.text)


def passages(path: Path) -> list[Passage]:
    """The Markdown cells of a notebook, or the whole of a Markdown file."""
    if path.suffix == ".ipynb":
        cells = enumerate(read(path).cells, start=1)
        return [
            Passage(f"cell {number} ({cell.get('id')})", cell.source, path)
            for number, cell in cells
            if cell.cell_type == "markdown"
        ]
    return [Passage(path.name, path.read_text(encoding="utf-8"), path)]


MADE = {"search.html", "genindex.html", "index.html", "zh/index.html"}
"""Pages that the site's generator makes."""


def documents() -> list[Path]:
    """The Markdown files that readers read."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "book").glob("*.md"))]


def problems(path: Path) -> list[str]:
    """All that is wrong with the texts of a notebook or of a Markdown file."""
    pieces = passages(path)
    own = names.of_cells(_code(path, pieces))
    own.shown = _outputs(path)
    found: list[str] = []
    for piece in pieces:
        said = [*_names(piece, own), *_links(piece), *_spelling(piece), *_terms(piece), *_forbidden(piece)]
        found += [f"{piece.where}: {problem}" for problem in said]
    return found


# --- pieces of a text ----------------------------------------------------------------------------------------


def inline(piece: Passage) -> Iterator[Token]:
    for token in piece.tokens:
        yield from token.children or ()


def prose(piece: Passage) -> list[str]:
    """The running text, without code and addresses: one string a paragraph, heading or cell of a table."""
    found: list[str] = []
    for token in piece.tokens:
        if token.type == "inline":
            parts = [
                " " if child.type in ("softbreak", "hardbreak") else _said(child) for child in token.children or ()
            ]
            found.append("".join(parts))
        elif token.type == "html_block":
            found.append(re.sub(r"<[^>]*>", " ", token.content))
    return found


def _said(token: Token) -> str:
    match token.type:
        case "text":
            return token.content
        case "code_inline":
            return "\u2060"  # It holds a place, and is no word.
        case "image":
            return token.content
        case _:
            return ""


def _code(path: Path, pieces: Sequence[Passage]) -> list[str]:
    """The source of a notebook's code cells, and of what stands in fences: a solution, an example."""
    cells = [cell.source for cell in read(path).cells if cell.cell_type == "code"] if path.suffix == ".ipynb" else []
    return (
        cells
        + [token.content for piece in pieces for token in piece.tokens if token.type == "fence"]
        + [fence for piece in pieces for fence in re.findall(r"```python\n(.*?)```", piece.text, re.DOTALL)]
    )


def _outputs(path: Path) -> str:
    """What the cells of a notebook have put out, as text."""
    if path.suffix != ".ipynb":
        return ""
    outputs = [output for cell in read(path).cells for output in cell.get("outputs", ())]
    return "\n".join(str(one.get("text", "")) + str(one.get("data", {}).get("text/plain", "")) for one in outputs)


# --- names ---------------------------------------------------------------------------------------------------


def _names(piece: Passage, own: Names) -> Iterator[str]:
    for token in inline(piece):
        if token.type == "code_inline":
            wrong = unknown(token.content, own)
            if wrong:
                said = token.content if wrong == token.content else f"{token.content}` names `{wrong}"
                yield f"`{said}`, which is neither in the package nor in this notebook"


def unknown(code: str, own: Names) -> str | None:
    """The name in a piece of code that nobody knows; `None` where all are known."""
    code = code.strip()
    if code in word_list("names") or not re.search(r"[^\W\d_]", code):
        return None
    if re.search(rf"(?<!\w){re.escape(code.rstrip('… '))}(?!\w)", own.shown):
        return None
    match code.split():
        case ["make", *rest]:
            return _unknown_target(rest)
        case ["hello-agents", command, *_]:
            return None if command in names.commands() else command
        case [one] if "://" in one:
            host = urlsplit(one).hostname
            return None if host in word_list("hosts") or host in ("localhost", "127.0.0.1") else one
        case [one] if _is_path(one):
            return None if _exists(one) or one in own.known | names.of_the_package().known else one
        case [one] if re.fullmatch(r"[A-Z][A-Z0-9_]{2,}=\d+", one):
            return _unknown_target([one])
        case [one] if re.fullmatch(r"[A-Z][A-Z0-9_]{2,}", one):
            known = names.variables() | own.known | names.of_the_package().known
            return None if one in known else one
        case _:
            return _unknown_in(code.rstrip("…").removeprefix("@"), own)


def _unknown_target(words: Sequence[str]) -> str | None:
    for word in words:
        variable, equals, _ = word.partition("=")
        if equals and variable not in names.variables():
            return variable
        if not equals and re.fullmatch(r"[a-z][\w-]*", word) and word not in names.make_targets():
            return word
    return None


def _is_path(code: str) -> bool:
    if re.search(r"[()\[\]{}\"'=|*]", code):
        return False
    return (
        "/" in code.strip("/")
        or re.search(r"\.(?:py|md|ipynb|js|mjs|css|toml|txt|jsonl?|ya?ml|env|html)$", code) is not None
    )


def _exists(path: str) -> bool:
    path = path.rstrip("/").removeprefix("./")
    if "NN_" in path:
        return True
    known = names.files()
    if path.startswith("."):  # What a kind of file ends in.
        return any(one.endswith(path) for one in known)
    return path in known or any(one.endswith("/" + path) for one in known)


def _unknown_in(code: str, own: Names) -> str | None:
    package = names.of_the_package()
    known = package.known | own.known | STANDARD
    for dotted in re.findall(r"[^\W\d]\w*(?:\.[^\W\d]\w*)+", code):
        owner, member = dotted.split(".")[-2:]
        for one in (package, own):
            if owner in one.members and not one.has_member(owner, member):
                return dotted
    try:
        ast.parse(code)
    except SyntaxError:
        # Not Python: a signature, a part of a JSON text. What it says has to be known as well.
        words = [word for word in re.findall(r"[^\W\d]\w*", code) if word.isascii() and not _is_word(word.lower())]
    else:
        wrong = _unknown_argument(code, (package, own))
        if wrong:
            return wrong
        words = sorted(Names().add(code).known)
    # One letter is a key on the keyboard or a place for something.
    return next((word for word in words if len(word) > 1 and not word[0].isdigit() and word not in known), None)


def _unknown_argument(code: str, sources: Sequence[Names]) -> str | None:
    """An argument that a class is given and does not take."""
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.Call(func=ast.Name(id=owner), keywords=given):
                for one in given:
                    known = [names for names in sources if owner in names.members]
                    if one.arg and known and not any(names.has_member(owner, one.arg, keyword=True) for names in known):
                        return f"{owner}({one.arg}=…)"
            case _:
                continue
    return None


# --- links ---------------------------------------------------------------------------------------------------


def _links(piece: Passage) -> Iterator[str]:
    for address in addresses(piece):
        yield from _about_address(address, piece)


def addresses(piece: Passage) -> list[str]:
    found: list[str] = []
    for token in [*piece.tokens, *inline(piece)]:
        for name in ("href", "src"):
            if token.attrGet(name):
                found.append(str(token.attrGet(name)))
        if token.type in ("html_block", "html_inline"):
            found += re.findall(r'(?:href|src|srcset)="([^"]*)"', token.content)
    bare = [address for text in prose(piece) for address in re.findall(r"https?://[^\s)>\]]+", text)]
    return found + bare


def _about_address(address: str, piece: Passage) -> Iterator[str]:
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        if parts.scheme != "https":
            yield f"the link {address} does not begin with https"
        elif parts.hostname not in word_list("hosts"):
            yield f"the link {address} leads to a host that is not in words/hosts.txt"
        return
    path = unquote(parts.path)
    if piece.path.parent == ROOT / "book":
        if path in MADE:
            return
        # The site has the notebooks in a folder of its own.
        path = re.sub(r"^chapters/(?=\w+\.ipynb)", "../notebooks/", path)
    target = (piece.path.parent / path).resolve() if path else piece.path
    if not target.exists():
        yield f"the link {address} leads to a file that is not there"
    elif parts.fragment and unquote(parts.fragment) not in anchors(target):
        yield f"the link {address} leads to a heading that is not there"


def anchors(path: Path) -> set[str]:
    """The anchors of the headings in a file, as GitHub makes them."""
    found: dict[str, int] = {}
    for piece in passages(path):
        tokens = piece.tokens
        for at, token in enumerate(tokens):
            if token.type == "heading_open":
                words = "".join(child.content for child in tokens[at + 1].children or ())
                slug = re.sub(r"[^\w\- ]", "", words.strip().lower()).replace(" ", "-")
                found[slug] = found.get(slug, -1) + 1
    return {f"{slug}-{n}" if n else slug for slug, most in found.items() for n in range(most + 1)}


# --- words ---------------------------------------------------------------------------------------------------

_BRITISH = (
    ("ours?$|our(?=ed|ing|able|ite|less|ful|al|ly|hood)", lambda found: found.group().replace("our", "or")),
    ("is(?=e$|es$|ed$|er$|ers$|ing$|able$|ation$|ations$)", lambda _: "iz"),
    ("ys(?=e$|es$|ed$|er$|ing$)", lambda _: "yz"),
    ("ll(?=ed$|ing$|er$|ers$)", lambda _: "l"),
    ("tre(?=$|s$|d$)", lambda _: "ter"),
    ("ence(?=$|s$|d$)", lambda _: "ense"),
    ("gramme(?=$|s$)", lambda _: "gram"),
)


def _spelling(piece: Passage) -> Iterator[str]:
    for text in prose(piece):
        text = re.sub(r"https?://\S+", " ", text)
        for word in re.findall(r"(?<![\w@/.\u2060])[A-Za-z]+(?:['’][a-z]+)?(?![\w\u2060])", text):
            plain = re.sub(r"['’]s?$", "", word)
            if not _is_right(plain):
                yield f"“{word}” is in no word list; correct it, or put it into words/spelling.txt"


@cache
def _is_right(word: str) -> bool:
    is_class = re.search(r"[a-z][A-Z]", word) is not None and word in names.of_the_package().known
    return len(word) == 1 or is_class or _is_word(word) or _is_word(word.lower())


def _is_word(word: str) -> bool:
    if word in word_list("spelling") or _in_dictionary(word):
        return True
    american = (re.sub(british, change, word) for british, change in _BRITISH)
    return any(one != word and _in_dictionary(one) for one in american)


def _in_dictionary(word: str) -> bool:
    return word in _dictionary()


@cache
def _dictionary() -> frozenset[str]:
    from spellchecker import SpellChecker

    return frozenset(SpellChecker(language="en").word_frequency.words())


@cache
def word_list(name: str) -> frozenset[str]:
    """The lines of `words/NAME.txt`, comments aside."""
    lines = (WORDS / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(line.strip() for line in lines if line.strip() and not line.startswith("#"))


# --- terms ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Avoided:
    """A word that the book does not use, what it says instead, and the files where it has to be used."""

    word: str
    instead: str
    allowed: tuple[str, ...] = ()


@cache
def avoided() -> tuple[Avoided, ...]:
    """The last table of the glossary: instead of, the book says, except in."""
    rows = table_rows(GLOSSARY.read_text(encoding="utf-8"), "Words that the book does not use")
    return tuple(
        Avoided(word.strip(), instead, tuple(re.findall(r"[\w.]+", where)))
        for words, instead, where in rows
        for word in words.split(",")
    )


def table_rows(markdown: str, heading: str) -> list[list[str]]:
    """The rows of the tables under a heading, each cell as it is written."""
    _, _, below = markdown.partition(f"## {heading}\n")
    section = re.split(r"^## ", below, maxsplit=1, flags=re.MULTILINE)[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for at, row in enumerate(rows) if at > 1 and not set("".join(row)) <= set("-: ")]


def _terms(piece: Passage) -> Iterator[str]:
    if piece.path.name == GLOSSARY.name:
        return
    for text in prose(piece):
        for one in avoided():
            found = re.search(rf"\b{re.escape(one.word)}s?\b", text, re.IGNORECASE)
            if found and piece.path.stem not in one.allowed:
                yield f"“{found.group()}”: say “{one.instead}”, as the glossary does"


def _forbidden(piece: Passage) -> Iterator[str]:
    for text in prose(piece):
        for pattern in word_list("forbidden"):
            found = re.search(pattern, text, re.IGNORECASE)
            if found:
                yield f"“{found.group()}” does not belong into the book (words/forbidden.txt)"


def main(arguments: list[str] | None = None) -> int:
    given = [Path(one).resolve() for one in (sys.argv[1:] if arguments is None else arguments)]
    found = 0
    for path in given or [*sorted((ROOT / "notebooks").glob("*.ipynb")), *documents()]:
        for problem in problems(path):
            found += 1
            sys.stdout.write(f"{path.name}: {problem}\n")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
