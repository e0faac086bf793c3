"""Prices: what a reply costs, by a table that the caller gives. The library knows no prices of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from .message import Usage

Prices = Mapping[str, Sequence[float]]
"""Model -> what a million tokens cost: (in, out), or (in, out, in from the provider's cache)."""

_VERSION = re.compile(r"[-@:_](\d[\d.-]*|latest)")
"""What providers put behind a model's name to say which build of it answered."""


def priced(usage: Usage, model: str | None, prices: Prices) -> Usage:
    """The usage with its cost. Counted in whole billionths, so that sums come out the same in any order."""
    fresh, out, *cached = price_of(model, prices)
    old = min(usage.cached_tokens, usage.prompt_tokens)
    cost = (usage.prompt_tokens - old) * fresh + old * (cached[0] if cached else fresh) + usage.completion_tokens * out
    return replace(usage, cost_nano=round(cost * 1000))


def price_of(model: str | None, prices: Prices) -> Sequence[float]:
    """The price of a model: its own, that of its name without a date or version, else the dearest in the table."""
    model = model or ""
    if model in prices:
        return prices[model]
    near = [name for name in prices if model.startswith(name) and _VERSION.fullmatch(model[len(name) :])]
    return prices[max(near, key=len)] if near else max(prices.values(), key=lambda price: price[0] + price[1])
