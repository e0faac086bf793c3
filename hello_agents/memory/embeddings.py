"""Embeddings: functions from texts to vectors. Any function of that form can take their place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from math import log, sqrt
from typing import Any
from zlib import crc32

from ..core.exceptions import ConfigException
from .optional import installed
from .words import is_unspaced, words

Embedding = Callable[[Sequence[str]], Sequence[Sequence[float]]]
"""Many texts in, one vector for each out, all of the same length. It may be slow: it is called for many at once."""


class HashingEmbedding:
    """An embedding that knows words and not meanings: words and pieces of words, each hashed to a place.

    Texts are near one another when they share words, or words that are spelled alike: "brewing" is near "brew" and
    nothing brings "brewing" near "infusion". It needs no model and no network and gives the same vectors in every
    process. Weinberger et al., "Feature hashing for large scale multitask learning" (ICML 2009): each feature adds to
    one place, with a sign that the hash chooses too, so that features that meet by chance cancel out on average.
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
        for (feature, weight), count in Counter(_features(text)).items():
            hashed = crc32(feature.encode("utf-8", "surrogatepass"))
            sign = weight if hashed >> 31 else -weight
            vector[hashed % self.dimension] += sign * (1 + log(count))
        length = sqrt(sum(number * number for number in vector))
        return [number / length for number in vector] if length else vector


def _features(text: str) -> Iterator[tuple[str, float]]:
    """Words with weight 1; signs of unspaced scripts and groups of three letters, which are less telling, with less."""
    for word in words(text):
        yield word, 1.0
        if is_unspaced(word[0]):
            yield from ((f"{sign}*", 0.3) for sign in word)
        else:
            framed = f"<{word}>"
            yield from ((framed[at : at + 3] + "*", 0.3) for at in range(len(framed) - 2))


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
