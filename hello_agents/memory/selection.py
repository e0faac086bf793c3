"""Selection: the highest of many values without sorting them all."""

from __future__ import annotations

from typing import Any

_STRIDE = 16


def highest(numpy: Any, values: Any, limit: int, decimals: int | None = None) -> list[tuple[int, float]]:
    """Places and values of an array, at most `limit` and only above 0: highest first, the earlier where they are equal.

    `decimals`: values are rounded before they are compared. Takes little more time than one look at each value.
    """
    slack = 0.0 if decimals is None else 10.0**-decimals
    # The tenth highest of some is at most the tenth highest of all, so it already rules out nearly all the others.
    some = values[::_STRIDE]
    least = _nth_highest(numpy, some, limit) - slack if len(some) > limit else 0.0
    places = numpy.flatnonzero(values >= least if least > 0 else values > 0)
    chosen = values[places]
    if len(chosen) > limit:
        kept = chosen >= _nth_highest(numpy, chosen, limit) - slack
        places, chosen = places[kept], chosen[kept]
    if decimals is not None:
        chosen = numpy.round(chosen.astype(numpy.float64), decimals)
    order = numpy.lexsort((places, -chosen))[:limit]
    found = zip(places[order].tolist(), chosen[order].tolist(), strict=True)
    return [(place, value) for place, value in found if value > 0]


def _nth_highest(numpy: Any, values: Any, n: int) -> float:
    return float(numpy.partition(values, len(values) - n)[len(values) - n])
