"""The context builder of HelloAgents 1.0.0: prints as JSON how many ms a context takes, by the number of packets."""

import json
import random
import sys
import time
from itertools import accumulate

from hello_agents.context import ContextBuilder, ContextPacket

QUERIES = 5


def texts_of(size):
    """The texts and queries of `choosing.py`."""
    draw = random.Random(7)
    words = [f"word{number}" for number in range(20_000)]
    sums = list(accumulate(1 / rank for rank in range(1, len(words) + 1)))
    texts = [" ".join(draw.choices(words, cum_weights=sums, k=20)) for _ in range(size)]
    return texts, [" ".join(draw.choices(words[20:2000], k=5)) for _ in range(QUERIES)]


def measured(size):
    texts, queries = texts_of(size)
    packets = [ContextPacket(content=text) for text in texts]
    builder = ContextBuilder()
    times = []
    for query in queries:
        tries = []
        for _ in range(3):
            start = time.perf_counter()
            builder.build(query, None, "Be brief.", packets)
            tries.append((time.perf_counter() - start) * 1000)
        times.append(min(tries))
    return sorted(times)[len(times) // 2]


print(json.dumps({str(size): measured(size) for size in json.loads(sys.argv[1])}))
