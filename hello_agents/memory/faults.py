"""What can go wrong in a search: errors that say so, since nothing found and could not look are different answers."""

from __future__ import annotations

from ..core.exceptions import HelloAgentsException


class SearchFailed(HelloAgentsException):
    """A search or an addition could not be made: the embedding or the re-ranking failed."""


class EmptyText(HelloAgentsException, ValueError):
    """A query or a text holds nothing but white space."""


class WrongId(HelloAgentsException, LookupError):
    """An id is taken, or is not there."""


def check_query(query: str, limit: int) -> None:
    """Raises `EmptyText` for a query without a visible sign, and `ValueError` for a limit below 1."""
    if not query.strip():
        raise EmptyText(f"The query {query!r} is empty. Say what to search for.")
    if limit < 1:
        raise ValueError(f"limit={limit} asks for no result. Ask for 1 or more.")


def check_text(id: str, text: str) -> None:
    if not text.strip():
        raise EmptyText(f"The text of {id!r} is empty. Leave it out.")


def check_new(id: str, there: bool) -> None:
    if there:
        raise WrongId(f"The index holds {id!r} already. Use update to replace it, or another id.")


def check_there(id: str, there: bool) -> None:
    if not there:
        raise WrongId(f"The index holds no {id!r}. Add it first, or look at the id.")
