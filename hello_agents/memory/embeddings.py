"""Embeddings: functions from texts to vectors. Any function of that form can take their place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from math import log, sqrt
from typing import Any

from ..core.exceptions import ConfigException
from .optional import installed
from .words import is_unspaced, words

Embedding = Callable[[Sequence[str]], Sequence[Sequence[float]]]
"""Many texts in, one vector for each out, all of the same length. It may be slow: it is called for many at once."""


class HashingEmbedding:
    """An embedding that knows words and not meanings: words and pieces of words, each hashed to a place.

    Texts are near one another when they share words, or words that are spelled alike: "brewing" is near "brew" and
    nothing brings "brewing" near "infusion". It needs no model and no network and gives the same vectors in every
    process. Weinberger et al., "Feature hashing for large scale multitask learning" (ICML 2009): the hash chooses where
    a feature adds and with which sign, so that features that meet by chance cancel out on average; in a single case
    they need not, and a low similarity means nothing. The more numbers (`dimension`), the rarer that is.
    """

    def __init__(self, dimension: int = 384) -> None:
        if dimension < 1:
            raise ValueError(f"dimension={dimension} leaves no place for a number. Use 1 or more, such as 384.")
        self.dimension = dimension

    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        """A vector of length 1 for each text; of zeros for a text without words."""
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> list[float]:
        vector = [0.0] * self.dimension
        for feature, count in Counter(_features(text)).items():
            weight = 1 + log(count)
            drawn = int.from_bytes(blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=16).digest())
            for _ in range(_PLACES):
                drawn, place = divmod(drawn, self.dimension)
                drawn, positive = divmod(drawn, 2)
                vector[place] += weight if positive else -weight
        length = sqrt(sum(number * number for number in vector))
        return [number / length for number in vector] if length else vector


_PLACES = 4
"""How many places a feature adds to: two that meet in one of them still differ in the others."""


def _features(text: str) -> Iterator[str]:
    """Words, the groups of three letters in them with their borders, and the single signs of unspaced scripts.

    The parts end in `*`, which no word does.
    """
    for word in words(text):
        yield word
        if is_unspaced(word[0]):
            yield from (f"{sign}*" for sign in word)
        else:
            framed = f"<{word}>"
            yield from (f"{framed[at : at + 3]}*" for at in range(len(framed) - 2))


class SentenceTransformerEmbedding:
    """An embedding by a model of the `sentence-transformers` package, loaded at the first use.

    `name`: a model's name or folder, for example `BAAI/bge-small-zh-v1.5`. A name may be downloaded by that package.
    Raises `ConfigException` at the first use where the package is not installed.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._model: Any = None

    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        """A vector of length 1 for each text."""
        if self._model is None:
            self._model = self._load()
        return self._model.encode(list(texts), normalize_embeddings=True, show_progress_bar=False).tolist()

    def _load(self) -> Any:
        found = installed("sentence_transformers")
        if found is None:
            raise ConfigException(
                f"The package sentence-transformers, which runs {self.name}, is not installed. "
                "Install it with: pip install sentence-transformers."
            )
        return found[0].SentenceTransformer(self.name)
