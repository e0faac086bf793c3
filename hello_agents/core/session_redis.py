"""Sessions in Redis, or what speaks like it, for workers on several machines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from .exceptions import ConfigException
from .secrets import mask
from .session_form import SessionUnavailable, conflict
from .sessions import Store, Stored

_SECONDS = 5.0
"""How long a server may keep a run waiting that does not answer."""

# Each script is one step for everybody else. The keys of a session are found through its id, so that a writer goes on
# after a rename: KEYS cannot be given in advance, and so this is for one server, not for a cluster.
_SCRIPTS = {
    "put": """
        local head, key, id, old, text, aside, ttl = KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]
        local there = redis.call('HGET', head, 'id') or ''
        if there == id then return 1 end
        if there ~= old then return 0 end
        local space = ARGV[7]
        if old ~= '' then
            if aside == '1' and redis.call('EXISTS', space .. 'journal:' .. old) == 1 then
                redis.call('RENAME', space .. 'journal:' .. old, space .. 'damaged:' .. old)
            end
            redis.call('DEL', space .. 'id:' .. old, space .. 'journal:' .. old, space .. 'snapshot:' .. old)
        end
        redis.call('DEL', head)
        redis.call('HSET', head, 'id', id, 'text', text)
        redis.call('SET', space .. 'id:' .. id, key)
        for i = 8, #ARGV do redis.call('RPUSH', space .. 'journal:' .. id, ARGV[i]) end
        if ttl ~= '' then
            redis.call('PEXPIRE', head, ttl)
            redis.call('PEXPIRE', space .. 'id:' .. id, ttl)
            redis.call('PEXPIRE', space .. 'journal:' .. id, ttl)
            redis.call('PEXPIRE', space .. 'damaged:' .. old, ttl)
        end
        return 1
    """,
    "put_head": """
        if redis.call('HGET', KEYS[1], 'id') ~= ARGV[1] then return 0 end
        redis.call('HSET', KEYS[1], 'text', ARGV[2])
        return 1
    """,
    "move": """
        local id, text, to, space = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
        local there = redis.call('HGET', KEYS[2], 'id')
        if there == id and redis.call('HGET', KEYS[2], 'text') == text then return 1 end
        if redis.call('HGET', KEYS[1], 'id') ~= id then return 0 end
        if there and KEYS[1] ~= KEYS[2] then return 0 end
        redis.call('RENAME', KEYS[1], KEYS[2])
        redis.call('HSET', KEYS[2], 'text', text)
        redis.call('SET', space .. 'id:' .. id, to, 'KEEPTTL')
        return 1
    """,
    "remove": """
        local id, space = redis.call('HGET', KEYS[1], 'id'), ARGV[2]
        if not id or (id ~= ARGV[1] and ARGV[1] ~= '') then return 0 end
        redis.call('DEL', KEYS[1], space .. 'id:' .. id, space .. 'journal:' .. id, space .. 'snapshot:' .. id,
            space .. 'damaged:' .. id)
        return 1
    """,
    "append": """
        local id, mark, ttl, doubtful, space = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4], ARGV[5]
        local journal = space .. 'journal:' .. id
        local key = redis.call('GET', space .. 'id:' .. id)
        if not key then return 0 end
        local there, first = redis.call('LLEN', journal) - mark, 6
        if there < 0 or there > #ARGV - 5 or (there > 0 and doubtful ~= '1') then return 0 end
        for i = 1, there do
            if redis.call('LINDEX', journal, mark + i - 1) ~= ARGV[5 + i] then return 0 end
        end
        for i = first + there, #ARGV do redis.call('RPUSH', journal, ARGV[i]) end
        if ttl ~= '' then
            redis.call('PEXPIRE', space .. 'head:' .. key, ttl)
            redis.call('PEXPIRE', space .. 'id:' .. id, ttl)
            redis.call('PEXPIRE', journal, ttl)
            redis.call('PEXPIRE', space .. 'snapshot:' .. id, ttl)
        end
        return 1
    """,
    "snapshot": """
        local id, ttl, space = ARGV[1], ARGV[2], ARGV[4]
        if redis.call('EXISTS', space .. 'id:' .. id) == 0 then return 0 end
        redis.call('SET', space .. 'snapshot:' .. id, ARGV[3])
        if ttl ~= '' then redis.call('PEXPIRE', space .. 'snapshot:' .. id, ttl) end
        return 1
    """,
}


class RedisSessionStore(Store):
    """Sessions in Redis, through the official client (`pip install 'hello-agents-book[redis]'`).

    Connects at the first use. A connection that broke is made again; a server that is gone parks the run, which goes on
    with `resume()` once it is back.
    """

    def __init__(
        self,
        host: str = "localhost",
        port: int = 6379,
        db: int = 0,
        *,
        url: str | None = None,
        ttl: float | None = None,
        namespace: str = "hello_agents",
    ) -> None:
        """`url`: `redis://user:password@host:port/db` instead of the three; `rediss://` and `unix://` work as well.

        `ttl`: seconds after its last entry for which a session is kept; `None`: for good. `namespace`: the beginning of
        all keys, for applications that share a server.
        """
        super().__init__()
        if ttl is not None and not ttl > 0:
            raise ConfigException(f"ttl={ttl!r} keeps no session. Give seconds above 0, or None to keep them for good.")
        self.ttl = ttl
        self._address = url or f"redis://{host}:{port}/{db}"
        self.space = f"{namespace}:"
        """What all keys begin with."""
        self._client: Any = None
        self._calls: dict[str, Any] = {}

    def __repr__(self) -> str:
        return f"RedisSessionStore({mask(self._address)!r})"

    def close(self) -> None:
        super().close()
        if self._client is not None:
            client, self._client = self._client, None
            client.close()

    # -- the places ---------------------------------------------------------------------------

    def get_head(self, key: str) -> str | None:
        return _text(self._ask("hget", self._key("head", key), "text"))

    def heads(self) -> Iterator[tuple[str, str]]:
        start = self._key("head", "")
        pattern = "".join(f"\\{c}" if c in "*?[]\\" else c for c in start) + "*"
        cursor, found = 0, set[str]()
        while True:
            cursor, keys = self._ask("scan", cursor, pattern, 500)
            found |= {key.decode().removeprefix(start) for key in keys}
            if not cursor:
                break
        for key in sorted(found):
            text = self.get_head(key)
            if text is not None:
                yield key, text

    def put(self, key: str, id: str, head: str, lines: list[str], old: str | None, aside: bool) -> int | None:
        arguments = (key, id, old or "", head, str(int(aside)), self._ttl, self.space, *lines)
        return len(lines) if self._script("put", [self._key("head", key)], *arguments) else None

    def put_head(self, key: str, id: str, head: str) -> bool:
        return bool(self._script("put_head", [self._key("head", key)], id, head))

    def move(self, key: str, to: str, id: str, head: str) -> bool:
        keys = [self._key("head", key), self._key("head", to)]
        return bool(self._script("move", keys, id, head, to, self.space))

    def remove(self, key: str, id: str) -> bool:
        return bool(self._script("remove", [self._key("head", key)], id, self.space))

    def stored(self, id: str, settled: bool) -> Stored | None:
        if not self._ask("exists", self._key("id", id)):
            return None
        lines = [str(_text(line)) for line in self._ask("lrange", self._key("journal", id), 0, -1)]
        return Stored(lines, len(lines))

    def lines_from(self, id: str, first: int) -> list[str] | None:
        lines = [str(_text(line)) for line in self._ask("lrange", self._key("journal", id), first, -1)]
        return lines if lines or self._ask("exists", self._key("id", id)) else None

    def append_lines(self, id: str, mark: int, lines: list[str], doubtful: bool) -> int:
        def arguments(doubtful: bool) -> tuple[Any, ...]:
            return id, str(mark), self._ttl, str(int(doubtful)), self.space, *lines

        # The second attempt cannot know whether the first arrived.
        done = self._script("append", [], *arguments(doubtful), again=arguments(True))
        if not done:
            raise conflict(id)
        return mark + len(lines)

    def get_snapshot(self, id: str) -> str | None:
        return _text(self._ask("get", self._key("snapshot", id)))

    def put_snapshot(self, id: str, text: str) -> None:
        self._script("snapshot", [], id, self._ttl, text, self.space)

    # -- inside -----------------------------------------------------------------------------------

    @property
    def _ttl(self) -> str:
        return "" if self.ttl is None else str(max(1, round(self.ttl * 1000)))

    def _key(self, kind: str, rest: str) -> str:
        return f"{self.space}{kind}:{rest}"

    def _script(self, name: str, keys: list[str], *arguments: Any, again: tuple[Any, ...] | None = None) -> Any:
        return self.script(_SCRIPTS[name], keys, *arguments, again=again)

    def script(self, source: str, keys: list[str], *arguments: Any, again: tuple[Any, ...] | None = None) -> Any:
        """Runs a Lua script as one step for everybody else; `again`: its arguments, should the connection break."""
        client = self._connected()
        if source not in self._calls:
            self._calls[source] = client.register_script(source)
        call = self._calls[source]
        attempts = iter((arguments, again or arguments))
        return self._attempt(lambda: call(keys=keys, args=next(attempts)))

    def _ask(self, command: str, *arguments: Any) -> Any:
        client = self._connected()
        ask = {
            "get": client.get,
            "hget": client.hget,
            "exists": client.exists,
            "lrange": client.lrange,
            "scan": client.scan,
        }[command]
        return self._attempt(lambda: ask(*arguments))

    def _attempt(self, ask: Any) -> Any:
        """Asks the server, once more when the connection broke: it may have been idle for too long."""
        from redis import exceptions

        try:
            try:
                return ask()
            except (exceptions.ConnectionError, exceptions.TimeoutError):
                return ask()
        except exceptions.RedisError as error:
            raise SessionUnavailable(
                f"The server of the sessions ({mask(self._address)}) does not serve: {mask(str(error))}. "
                "See that it runs, and go on with `resume()`."
            ) from error

    def _connected(self) -> Any:
        if self._client is None:
            try:
                from redis import Redis
                from redis.backoff import NoBackoff
                from redis.retry import Retry
            except ImportError as error:
                raise ConfigException(
                    "The package `redis` is not installed. Run `pip install 'hello-agents-book[redis]'`."
                ) from error
            self._client = cast("Any", Redis).from_url(
                self._address,
                socket_timeout=_SECONDS,
                socket_connect_timeout=_SECONDS,
                # The client's own attempts would write twice what arrived and was not confirmed.
                retry=Retry(NoBackoff(), 0),
            )
        return self._client


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode(errors="replace")
