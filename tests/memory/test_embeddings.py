"""Embeddings: the one by hashing, the one by an endpoint against a real server, the one by a local model."""

import json
import os
import subprocess
import sys
from math import sqrt
from pathlib import Path
from types import ModuleType
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.openai_server import Fault, Raw, embeddings_of, openai_server
from support.optional_packages import without

from hello_agents.core.exceptions import AuthenticationFailed, BadReply, ConfigException, ConnectionFailed, ModelRefused
from hello_agents.memory import HybridIndex
from hello_agents.memory.embeddings import HashingEmbedding, SentenceTransformerEmbedding
from hello_agents.memory.llm_embedding import EndpointEmbedding

__all__ = ["openai_server"]

ROOT = Path(__file__).parents[2]


def cosine(one, other):
    return sum(a * b for a, b in zip(one, other, strict=True))


# By hashing


@settings(deadline=None)
@given(st.text(max_size=40), st.integers(1, 64))
def test_a_hashed_vector_has_length_one_or_zero(text, dimension):
    (vector,) = HashingEmbedding(dimension)([text])
    assert len(vector) == dimension
    length = sqrt(cosine(vector, vector))
    assert length == pytest.approx(1) or not any(vector)


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("brewing tea", "how to brew tea", "the price of a bicycle"),
        ("observations", "write each observation down", "soup is sold until midnight"),
        ("麻婆豆腐", "嫩豆腐的做法", "会议在下午三点"),
        ("茶", "喝茶", "开会"),
    ],
)
def test_texts_that_share_words_or_pieces_of_them_are_nearer(text, near, far):
    one, other, another = HashingEmbedding()([text, near, far])
    assert cosine(one, other) > cosine(one, another) + 0.1


@settings(deadline=None)
@given(st.lists(st.text(max_size=20), max_size=6))
def test_each_text_has_its_vector_whatever_stands_beside_it(texts):
    embedding = HashingEmbedding(32)
    assert embedding(texts) == [embedding([text])[0] for text in texts]


def test_vectors_are_the_same_in_every_process():
    code = "import json; from hello_agents.memory import HashingEmbedding as H; print(json.dumps(H(8)(['tea 茶 🙂'])))"
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=True,
        ).stdout
        for seed in "12"
    }
    assert [json.loads(one) for one in printed] == [HashingEmbedding(8)(["tea 茶 🙂"])]


@pytest.mark.parametrize("dimension", [0, -3])
def test_a_vector_needs_a_place(dimension):
    with pytest.raises(ValueError, match=f"dimension={dimension}"):
        HashingEmbedding(dimension)


# By an endpoint


def lengths(texts):
    return [[float(len(text)), 1.0] for text in texts]


def endpoint(server, **options):
    return EndpointEmbedding("embed-1", "the-key", server.base_url, max_retries=0, **options)


@pytest.mark.parametrize(("count", "batch", "requests"), [(1, 64, [1]), (5, 2, [2, 2, 1]), (4, 2, [2, 2]), (0, 2, [])])
def test_texts_are_sent_in_batches_and_vectors_come_in_their_order(openai_server, count, batch, requests):
    server = openai_server(embed=lengths, api_key="the-key")
    texts = ["茶" * (number + 1) for number in range(count)]
    assert endpoint(server, batch=batch)(texts) == lengths(texts)
    assert [len(body["input"]) for body in server.requests] == requests
    assert all(body["model"] == "embed-1" and "dimensions" not in body for body in server.requests)


def test_vectors_in_another_order_are_put_right(openai_server):
    def turned(body):
        response = embeddings_of(lengths(body["input"]), "m")
        response.body["data"].reverse()
        return response

    assert endpoint(openai_server(turned))(["a", "bb", "ccc"]) == lengths(["a", "bb", "ccc"])


def test_the_length_of_vectors_can_be_asked_for(openai_server):
    server = openai_server(embed=lengths)
    endpoint(server, dimensions=2)(["a"])
    assert server.requests[0]["dimensions"] == 2


def test_half_a_surrogate_pair_does_not_break_a_request(openai_server):
    server = openai_server(embed=lengths)
    assert endpoint(server)(["a\ud83d"]) == [[2.0, 1.0]]
    assert server.requests[0]["input"] == ["a\ufffd"]


@pytest.mark.parametrize(
    ("reply", "error", "words"),
    [
        (Fault(404, "The model `embed-1` does not exist.", "invalid_request_error"), ModelRefused, "does not exist"),
        (Fault(401, "Incorrect API key.", "authentication_error"), AuthenticationFailed, "LLM_API_KEY"),
        (Raw({"object": "list", "data": []}), BadReply, "0 vectors for 2 texts"),
        (Raw({"choices": []}), BadReply, "0 vectors for 2 texts"),
        (Raw({"data": [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}]}), BadReply, "1 vectors"),
        (Raw({"data": [{"index": 0, "embedding": "abc"}, {"index": 1}]}), BadReply, "no vector"),
    ],
)
def test_what_goes_wrong_there_is_told_here_and_is_not_an_empty_result(openai_server, reply, error, words):
    with pytest.raises(error, match=words):
        endpoint(openai_server(reply))(["a", "b"])


def test_a_search_says_that_the_server_is_gone(openai_server):
    server = openai_server(embed=lengths)
    index = HybridIndex(endpoint(server))
    index.add("a", "some text")
    assert index.search("text")[0].id == "a"
    server.close()
    for method in ("fused", "vector"):
        with pytest.raises(ConnectionFailed, match="failed"):
            index.search("text", method=method)
    assert index.search("text", method="lexical")[0].id == "a"


def test_empty_texts_are_never_sent(openai_server):
    server = openai_server(embed=lengths)
    index = HybridIndex(endpoint(server))
    assert index.add_many([("a", "text"), ("b", " "), ("c", "")]) == ["b", "c"]
    with pytest.raises(ValueError, match="is empty"):
        index.search("  ")
    assert [body["input"] for body in server.requests] == [["text"]]


def test_address_and_key_come_from_the_environment_when_they_are_needed(openai_server, monkeypatch):
    server = openai_server(embed=lengths, api_key="from-outside")
    embedding = EndpointEmbedding("m")
    with pytest.raises(ConfigException, match="Pass base_url"):
        embedding(["a"])
    monkeypatch.setenv("LLM_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("EMBED_BASE_URL", server.base_url)
    monkeypatch.setenv("LLM_API_KEY", "from-outside")
    assert embedding(["a"]) == [[1.0, 1.0]]
    embedding.close()
    assert embedding(["ab"]) == [[2.0, 1.0]]


def test_a_batch_of_none_is_refused():
    with pytest.raises(ValueError, match="batch=0"):
        EndpointEmbedding("m", batch=0)


# By a local model


def test_a_local_model_is_loaded_once_and_when_it_is_needed():
    import numpy

    loads = []

    class Model:
        def __init__(self, name):
            loads.append(name)

        def encode(self, texts, *, normalize_embeddings, show_progress_bar):
            assert normalize_embeddings
            assert not show_progress_bar
            return numpy.array(lengths(texts))

    stand_in = ModuleType("sentence_transformers")
    vars(stand_in)["SentenceTransformer"] = Model
    with mock.patch.dict(sys.modules, {"sentence_transformers": stand_in}):
        embedding = SentenceTransformerEmbedding("some/model")
        assert loads == []
        assert embedding(["a", "bb"]) == lengths(["a", "bb"])
        assert embedding(["ccc"]) == lengths(["ccc"])
    assert loads == ["some/model"]


def test_a_local_model_without_its_package_says_what_to_install():
    with without("sentence_transformers"), pytest.raises(ConfigException, match="pip install sentence-transformers"):
        HybridIndex(SentenceTransformerEmbedding("some/model")).add("a", "text")
