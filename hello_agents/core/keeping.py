"""Keeping: how an agent's conversation gets into a session store and out of it again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from typing import TYPE_CHECKING, Any, cast

from .assembly import Assembly
from .exceptions import AgentException
from .message import Message, Messages
from .run import Entry, Run, evolve

if TYPE_CHECKING:
    from .agent import Agent
    from .session_form import SavedSession
    from .sessions import Session, Store


class Keeping(Assembly):
    """Sessions of an agent: saved by name, loaded, listed, or written entry by entry."""

    @property
    def _session_metadata(self) -> dict[str, Any]:
        """What a saved session says of itself: steps and tokens so far."""
        return {
            "total_steps": self.state.steps,
            "total_tokens": self.state.usage.total_tokens,
            "turns": self.state.turn,
        }

    def restore(self, entries: Iterable[Entry], start: Run | None = None) -> Run:
        """Takes over a journal, that of a process that has ended, say; `resume()` then goes on from its last entry."""
        self.state = Run(self.name) if start is None else start
        self.journal = list(entries)
        self._state = reduce(lambda run, entry: evolve(run, entry.event, entry.frame), self.journal, self._state)
        return self._state

    def save_session(self, session_name: str) -> str:
        """Saves the conversation and its journal under a name, and returns where.

        A store with a `save` of its own, as written for the tutorial's framework, is given the messages alone.
        """
        store = self._store()
        about: dict[str, Any] = {
            "agent_config": self._get_agent_config(),
            "tool_schema_hash": self._compute_tool_schema_hash(),
            "metadata": self._session_metadata,
        }
        if _has_own(store, "save"):
            messages = [message for message in self.state.messages if message.role != "system"]
            return store.save(history=messages, read_cache={}, session_name=session_name, **about)
        return store.save_journal(session_name, self.journal, self._start, **about)

    def load_session(self, filepath: str, check_consistency: bool = True) -> list[str]:
        """Takes over a saved session, by its name or by what `save_session` returned.

        Returns what has changed since, in words: the model, the tools, the limits; with `check_consistency` off,
        nothing is compared.
        """
        store = self._store()
        found = store.load(filepath) if _has_own(store, "load") else _found(store, filepath)
        if isinstance(found, Mapping):
            messages = [one if isinstance(one, Message) else Message.from_dict(one) for one in found["history"]]
            self.restore((), Run(self.name, Messages(messages)))
            config: Mapping[str, Any] = found.get("agent_config", {})
            tools: str = found.get("tool_schema_hash", "")
        else:
            self.restore(found.entries, found.start)
            config, tools = found.agent_config, found.tool_schema_hash
        if not check_consistency:
            return []
        from .session_form import config_changes, tool_changes

        now = self._get_agent_config(), self._compute_tool_schema_hash()
        return [*config_changes(config, now[0]), *tool_changes(tools, now[1])]

    def list_sessions(self) -> list[dict[str, Any]]:
        """The sessions of the store, the one written to last first."""
        return self._store().list_sessions()

    def _auto_save(self, entry: Entry, run: Run) -> None:
        """With `auto_save_enabled`: writes each entry to a session of this agent's own, and a snapshot now and then."""
        session = self._own_session()
        if entry.seq == session.seq:
            session.append(entry, run)
        else:
            session.catch_up(self.journal, run)
        if (entry.seq + 1) % self.config.auto_save_interval == 0:
            session.snapshot()

    def _catch_up(self) -> None:
        """Before a run goes on: what the session did not take when it could not be written goes in now."""
        if self._session is not None:
            self._own_session().catch_up(self.journal, self.state)

    def _own_session(self) -> Session:
        """The session that is written to by itself: in the store of now, should another have been assigned."""
        store = self._store()
        if self._session is None or self._session.store is not store:
            self._session = store.open(
                self._generate_session_id(),
                start=self._start,
                agent_config=self._get_agent_config(),
                tool_schema_hash=self._compute_tool_schema_hash(),
            )
        return self._session

    def _generate_session_id(self) -> str:
        from .session_form import fresh_id

        return f"{self.name}-{fresh_id()[:8]}"

    def _get_agent_config(self) -> dict[str, Any]:
        """What a session remembers of the agent that wrote it."""
        from .session_form import describe_agent

        return describe_agent(cast("Agent", self))

    def _compute_tool_schema_hash(self) -> str:
        from .session_form import tool_schema_hash

        return tool_schema_hash(self.tools(self.state).schemas())

    def _store(self) -> Store:
        if self.session_store is None:
            raise AgentException(f"{self.name!r} keeps no sessions. Give it a `session_store`, or enable sessions.")
        return self.session_store


def _found(store: Store, filepath: str) -> SavedSession | dict[str, Any]:
    """The session there; or what is in the file, where the tutorial's framework has written it."""
    from .session_form import SessionException

    try:
        return store.read(store.named(filepath))
    except SessionException:
        if not filepath.endswith(".json"):
            raise
        try:
            return store.load(filepath)
        except SessionException:
            pass
        raise


def _has_own(store: Store, method: str) -> bool:
    """Whether the store brings this method of the tutorial's framework itself."""
    return not getattr(type(store), method).__module__.startswith(f"{__package__}.")
