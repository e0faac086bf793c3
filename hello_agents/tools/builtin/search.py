"""The search tool: a web search through Tavily or SerpApi, for who has a key and their client.

Nothing is searched without both, and neither is part of this package.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from ...catalogue import text
from ..base import Tool, ToolErrorCode, ToolParameter, ToolResponse
from ..executor import say

BACKENDS = ("hybrid", "tavily", "serpapi")
RESULTS = 5
"""How many are asked for."""


class SearchTool(Tool):
    """A tool that searches the web. `hybrid` asks Tavily and, when that fails, SerpApi."""

    def __init__(
        self,
        backend: str = "hybrid",
        tavily_key: str | None = None,
        serpapi_key: str | None = None,
        *,
        language: str = "en",
    ) -> None:
        """Keys that are not given are looked up in `TAVILY_API_KEY` and `SERPAPI_API_KEY` when a search is made."""
        if backend not in BACKENDS:
            raise ValueError(f"{backend!r} is not a backend of the search. Use one of {', '.join(BACKENDS)}.")
        super().__init__("search", text("search.web.description", language))
        self.backend = backend
        self.tavily_key = tavily_key
        self.serpapi_key = serpapi_key
        self._language = language

    def get_parameters(self) -> list[ToolParameter]:
        return [ToolParameter("input", "string", text("search.web.input", self._language))]

    def run(self, parameters: dict[str, Any]) -> ToolResponse:
        query = str(parameters.get("input") or parameters.get("query") or "").strip()
        if not query:
            return ToolResponse.error(ToolErrorCode.INVALID_PARAM, text("search.web.no_query", self._language))
        backends = self._backends()
        if not backends:
            return ToolResponse.error(ToolErrorCode.API_ERROR, self._not_configured())
        faults: list[str] = []
        for name, search in backends.items():
            try:
                return self._answer(search(query))
            # Foreign code, with errors of its own.
            except Exception as error:
                faults.append(f"{name}: {say(error)}")
        why = "; ".join(faults)
        return ToolResponse.error(ToolErrorCode.API_ERROR, text("search.web.failed", self._language, why=why))

    def _backends(self) -> dict[str, Callable[[str], list[dict[str, str]]]]:
        """The searches that can be made: wanted, with a key, and with a client."""
        tavily = self.tavily_key or os.environ.get("TAVILY_API_KEY")
        serpapi = self.serpapi_key or os.environ.get("SERPAPI_API_KEY")
        found: dict[str, Callable[[str], list[dict[str, str]]]] = {}
        if self.backend != "serpapi" and tavily and find_spec("tavily"):
            found["tavily"] = lambda query: _tavily(query, tavily)
        if self.backend != "tavily" and serpapi and find_spec("serpapi"):
            found["serpapi"] = lambda query: _serpapi(query, serpapi)
        return found

    def _not_configured(self) -> str:
        ways = {
            "tavily": ("TAVILY_API_KEY", "tavily-python"),
            "serpapi": ("SERPAPI_API_KEY", "serpapi"),
        }
        wanted = ways if self.backend == "hybrid" else {self.backend: ways[self.backend]}
        shown = "; ".join(
            text("search.web.way", self._language, key=key, package=package) for key, package in wanted.values()
        )
        return text("search.web.not_configured", self._language, ways=shown)

    def _answer(self, results: list[dict[str, str]]) -> ToolResponse:
        lines = [
            f"[{number}] {result['title']}\n{result['content']}\n{result['url']}"
            for number, result in enumerate(results, 1)
        ]
        return ToolResponse.success("\n\n".join(lines) or text("search.none", self._language), {"results": results})


def _tavily(query: str, key: str) -> list[dict[str, str]]:
    client = import_module("tavily").TavilyClient(api_key=key)
    return _plain(client.search(query=query, max_results=RESULTS).get("results", ()), "content", "url")


def _serpapi(query: str, key: str) -> list[dict[str, str]]:
    client = import_module("serpapi").Client(api_key=key)
    found = client.search({"engine": "google", "q": query, "num": RESULTS})
    return _plain(found.get("organic_results", ()), "snippet", "link")[:RESULTS]


def _plain(results: Any, content: str, url: str) -> list[dict[str, str]]:
    def part(result: Mapping[str, Any], name: str) -> str:
        return str(result.get(name) or "")

    return [
        {"title": part(result, "title"), "content": part(result, content), "url": part(result, url)}
        for result in results
    ]


def search(query: str, backend: str = "hybrid") -> str:
    """The results of a search, as text; an error is told in it."""
    from ..registry import result_text

    return result_text(SearchTool(backend).run({"input": query}))


def search_tavily(query: str) -> str:
    return search(query, "tavily")


def search_serpapi(query: str) -> str:
    return search(query, "serpapi")


def search_hybrid(query: str) -> str:
    return search(query, "hybrid")
