"""gunicorn with uvicorn's workers. More machines: the same again, at the same Redis."""

import os
from pathlib import Path
from typing import Any

bind = os.environ.get("BIND", "0.0.0.0:8000")
workers = int(os.environ.get("WORKERS", "4"))
worker_class = "uvicorn_worker.UvicornWorker"
# A worker whose event loop stands still for so long is replaced; its runs are taken over by the others.
timeout = 60
# Longer than the service's own grace period (`grace_seconds`), in which runs end or are parked.
graceful_timeout = 30
keepalive = 30

# With this folder, /metrics tells of all workers of this machine, whichever is asked.
metrics = os.environ.get("PROMETHEUS_MULTIPROC_DIR")


def on_starting(server: Any) -> None:
    """The counts of earlier workers are not those of these."""
    if metrics:
        Path(metrics).mkdir(parents=True, exist_ok=True)
        for file in Path(metrics).glob("*.db"):
            file.unlink()


def child_exit(server: Any, worker: Any) -> None:
    """What a worker that has ended had under way is not under way any more."""
    if metrics:
        from prometheus_client import multiprocess

        multiprocess.mark_process_dead(worker.pid)
