"""Settings that hold for the requests of one question, as `agent.run(text, temperature=0)` gives them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any, TypeVar

SETTINGS = frozenset(
    ("temperature", "top_p", "top_k", "seed", "stop", "presence_penalty", "frequency_penalty", "response_format")
)
"""The fields of a request that `run` takes."""

_GIVEN: ContextVar[Mapping[str, Any]] = ContextVar("given", default=MappingProxyType({}))
given = _GIVEN.get
"""The settings of the question that is being asked."""

T = TypeVar("T")


def settings_of(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the arguments that are settings of requests."""
    return {name: value for name, value in arguments.items() if name in SETTINGS}


def with_settings(records: Iterator[T], settings: Mapping[str, Any]) -> Iterator[T]:
    """The records, made while requests have these settings; what their reader asks meanwhile has not."""
    while True:
        token = _GIVEN.set(settings)
        try:
            record = next(records)
        except StopIteration:
            return
        finally:
            _GIVEN.reset(token)
        yield record


async def awith_settings(records: AsyncIterator[T], settings: Mapping[str, Any]) -> AsyncIterator[T]:
    """`with_settings`, awaited."""
    while True:
        token = _GIVEN.set(settings)
        try:
            record = await anext(records)
        except StopAsyncIteration:
            return
        finally:
            _GIVEN.reset(token)
        yield record
