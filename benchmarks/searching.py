"""Measurements of searching: by words, by vectors, and how well the sample is found. Registered in `context.py`."""

from __future__ import annotations

import os
import random
from functools import partial
from importlib import import_module

from measuring import Figures, Measurement, milliseconds, seconds

SIZES = (1_000, 10_000, 100_000)
PLAIN_SIZES = (1_000, 10_000)
"""So far plain Python is measured: it serves where nothing is installed, and grows with the texts."""
DIMENSION = 384
LIMIT = 10
PEERS = ("rank-bm25==0.2.2", "bm25s==0.3.16", "numpy==2.4.6")
KINDS = ("same words", "other forms", "no words", "other language")


def lexical() -> Figures:
    """The lexical index beside bm25s and rank-bm25 on the same words."""
    from hello_agents.memory.lexical import LexicalIndex, PlainScorer

    figures = Figures(["texts", "", "made in s", "a query in ms", "× this library"])
    draw = random.Random(7)
    words = [f"word{number}" for number in range(20_000)]
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    for size in SIZES:
        texts = [draw.choices(words, weights, k=20) for _ in range(size)]
        queries = [draw.choices(words[20:], weights[20:], k=5) for _ in range(15)]

        def ours(texts: list[list[str]] = texts, first: str = queries[0][0]) -> LexicalIndex:
            index = LexicalIndex()
            for number, text in enumerate(texts):
                index.add(str(number), " ".join(text))
            index.search(first)
            return index

        made = {"this library": seconds(ours)}
        asks = {"this library": lambda query, index=made["this library"][1]: index.search(" ".join(query), LIMIT)}
        bm25s = installed("bm25s")
        if bm25s:
            made["bm25s"] = seconds(partial(_bm25s, bm25s, texts))
            asks["bm25s"] = partial(_ask_bm25s, made["bm25s"][1])
        rank_bm25 = installed("rank_bm25")
        if rank_bm25:
            made["rank-bm25"] = seconds(partial(rank_bm25.BM25Okapi, texts))
            ids = list(range(size))
            asks["rank-bm25"] = lambda query, peer=made["rank-bm25"][1], ids=ids: peer.get_top_n(query, ids, LIMIT)
        if size in PLAIN_SIZES:
            made["this library, nothing installed"] = seconds(partial(PlainScorer, texts))
            asks["this library, nothing installed"] = partial(
                lambda scorer, query: scorer.best(query, LIMIT), made["this library, nothing installed"][1]
            )
        ms = milliseconds(asks, queries, tries=5)
        for name in asks:
            ratio = ms[name] / ms["this library"]
            figures.rows.append([f"{size:,}", name, f"{made[name][0]:.2f}", f"{ms[name]:.3f}", f"{ratio:.2f}"])
        if size == SIZES[-1]:
            most = ms["this library"]
            figures.target(f"top 10 of {size:,} texts in at most 1 ms", f"{most:.2f} ms", most <= 1)
    return figures


def _bm25s(bm25s, texts: list[list[str]]):
    index = bm25s.BM25()
    index.index(texts, show_progress=False)
    return index


def _ask_bm25s(index, query: list[str]):
    return index.retrieve([query], k=LIMIT, show_progress=False)


def dense() -> Figures:
    """The vector index beside one product in numpy with a partial sort, and beside plain Python."""
    # Two threads on a busy machine wait for one another, and then nothing else is measured.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    import numpy

    from hello_agents.memory.vectors import PlainRows, VectorIndex

    figures = Figures(["vectors", "", "a query in ms", "× numpy"])
    generator = numpy.random.default_rng(7)
    for size in SIZES:
        matrix = generator.standard_normal((size, DIMENSION), dtype=numpy.float32)
        matrix /= numpy.linalg.norm(matrix, axis=1, keepdims=True)
        index = VectorIndex(lambda texts, matrix=matrix: [matrix[int(text)].tolist() for text in texts])
        for start in range(0, size, 1000):
            index.add_many((str(number), str(number)) for number in range(start, start + 1000))
        queries = generator.standard_normal((15, DIMENSION), dtype=numpy.float32)
        queries /= numpy.linalg.norm(queries, axis=1, keepdims=True)
        asks = {
            "numpy, product and partial sort": lambda query, matrix=matrix: _partly_sorted(numpy, matrix @ query[0]),
            "this library": lambda query, index=index: index.nearest(query[1], LIMIT),
        }
        slow = {}
        if size in PLAIN_SIZES:
            rows = PlainRows()
            rows.extend(matrix.tolist())
            slow = {"this library, nothing installed": lambda query, rows=rows: rows.nearest(query[1], LIMIT)}
        both = [(query, query.tolist()) for query in queries]
        ms = milliseconds(asks, both, tries=25) | milliseconds(slow, both[:5], tries=3)
        least = ms["numpy, product and partial sort"]
        for name in ms:
            figures.rows.append([f"{size:,}", name, f"{ms[name]:.3f}", f"{ms[name] / least:.2f}"])
        ratio = ms["this library"] / least
        figures.target(f"{size:,} vectors at most 1.2 × numpy", f"×{ratio:.2f}", ratio <= 1.2)
    return figures


def _partly_sorted(numpy, scores):
    places = numpy.argpartition(scores, -LIMIT)[-LIMIT:]
    return places[numpy.argsort(-scores[places])]


def found() -> Figures:
    """The sample of the package by each method, with the embedding that needs no model."""
    from hello_agents.evaluation import evaluate_retrieval, load_sample
    from hello_agents.memory import HybridIndex

    sample = load_sample()
    index = HybridIndex()
    index.add_many(sample.documents.items())
    kinds = {kind: [id for id, one in sample.kinds.items() if one == kind] for kind in KINDS}
    figures = Figures(
        ["method", "recall@5", "precision@5", "MRR", "nDCG@5"]
        + [f"recall@5, {kind} ({len(ids)})" for kind, ids in kinds.items()]
    )
    for method in ("lexical", "vector", "fused"):
        search = partial(index.search, method=method)
        report = evaluate_retrieval(search, sample.queries, sample.qrels, k=5)
        mean = report.mean
        values = [mean.recall, mean.precision, mean.reciprocal_rank, mean.ndcg]
        values += [report.over(ids).recall for ids in kinds.values()]
        figures.rows.append([method, *(f"{value:.2f}" for value in values)])
    return figures


def installed(name: str):
    try:
        return import_module(name)
    except ImportError:
        return None


MEASUREMENTS = {
    "lexical": Measurement(
        "Search by words",
        "The best 10 texts for 5 words. “Made” is from texts to the first answer for this library, which cuts texts "
        "into words itself, and from words to an index for the others.",
        PEERS,
        lexical,
    ),
    "dense": Measurement(
        "Search by vectors",
        f"The 10 nearest of so many vectors of {DIMENSION} numbers, float32, on one thread.",
        PEERS,
        dense,
    ),
    "found": Measurement(
        "What is found",
        "The labelled set of `hello_agents.evaluation.load_sample()`: 40 short documents and 32 queries in English and "
        "Chinese, which were written for this book. Lexical is BM25, vector is `HashingEmbedding`, which knows words "
        "and not meanings, fused is both by reciprocal ranks. What shares no word with the query, and what is in the "
        "other language, takes an embedding that has learned from texts. The pieces of words that `HashingEmbedding` "
        "hashes were chosen on this same set, so its figures flatter it. The set is too small to choose between "
        "methods by a few hundredths.",
        PEERS,
        found,
    ),
}
