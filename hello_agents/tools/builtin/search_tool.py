"""The module where version 0.2.8 has its search; the search itself is in `search`."""

from .search import SearchTool, search, search_hybrid, search_serpapi, search_tavily

__all__ = ["SearchTool", "search", "search_hybrid", "search_serpapi", "search_tavily"]
