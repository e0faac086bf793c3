"""The embedding of an endpoint that speaks OpenAI's protocol."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from ..core.exceptions import BadReply, ConfigException
from ..core.settings import setting

if TYPE_CHECKING:
    from ..wire.transport import OpenAITransport

PATH = "/embeddings"


class EndpointEmbedding:
    """An embedding by `/embeddings` of an OpenAI-compatible server, through the official client.

    `api_key` and `base_url` are read at the first use where they are not given: from `EMBED_API_KEY` and
    `EMBED_BASE_URL`, then from `LLM_API_KEY` and `LLM_BASE_URL`. `batch` is how many texts go into one request,
    `dimensions` the length of the vectors where the model can choose. Errors are the `LLMException`s of the model.
    """

    def __init__(
        self,
        model: str,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        batch: int = 64,
        dimensions: int | None = None,
        timeout: float = 60.0,
        max_retries: int = 2,
    ) -> None:
        if batch < 1:
            raise ValueError(f"batch={batch} puts no text into a request. Use 1 or more.")
        self.model = model
        self._key = api_key
        self._url = base_url
        self._batch = batch
        self._dimensions = dimensions
        self._timeout = timeout
        self._retries = max_retries
        self._transport: OpenAITransport | None = None

    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors of the texts, asked for in batches and given in their order."""
        starts = range(0, len(texts), self._batch)
        return [vector for start in starts for vector in self._ask(list(texts[start : start + self._batch]))]

    def close(self) -> None:
        """Closes the connections. The next use opens new ones."""
        if self._transport is not None:
            self._transport.close()

    def _ask(self, texts: list[str]) -> list[list[float]]:
        from ..core.arguments import utf8_values

        body = {"model": self.model, "input": utf8_values(texts), "encoding_format": "float"}
        if self._dimensions is not None:
            body["dimensions"] = self._dimensions
        transport = self._open()
        return _vectors(transport.send(PATH, body), len(texts), f"{self.model} at {transport.base_url}")

    def _open(self) -> OpenAITransport:
        if self._transport is None:
            from ..wire.transport import OpenAITransport

            url = self._url or setting("EMBED_BASE_URL") or setting("LLM_BASE_URL")
            if url is None:
                raise ConfigException(
                    f"The address of the embedding {self.model} is not set. Pass base_url, or set EMBED_BASE_URL."
                )
            key = self._key or setting("EMBED_API_KEY") or setting("LLM_API_KEY")
            self._transport = OpenAITransport(
                base_url=url, api_key=key, timeout=self._timeout, max_retries=self._retries
            )
        return self._transport


def _vectors(response: object, expected: int, who: str) -> list[list[float]]:
    """The vectors of a response in the order of the texts, whatever order they came in."""
    from ..core.loose import mapping, mappings

    data = mappings(mapping(response).get("data"))
    found = {one.get("index", place): one.get("embedding") for place, one in enumerate(data)}
    if len(found) != expected:
        raise BadReply(
            f"{who} sent {len(found)} vectors for {expected} texts. Check that the model is one for embeddings."
        )
    vectors: list[list[float]] = []
    for place in range(expected):
        vector = found.get(place)
        if not isinstance(vector, list):
            raise BadReply(f"{who} sent no vector for text {place}. Check that the model is one for embeddings.")
        vectors.append(cast("list[float]", vector))
    return vectors
