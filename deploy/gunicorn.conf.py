"""gunicorn with uvicorn's workers. More machines: the same again, at the same Redis."""

import os

bind = os.environ.get("BIND", "0.0.0.0:8000")
workers = int(os.environ.get("WORKERS", "4"))
worker_class = "uvicorn_worker.UvicornWorker"
# A worker whose event loop stands still for so long is replaced; its runs are taken over by the others.
timeout = 60
# Longer than the service's own grace period (`grace_seconds`), in which runs end or are parked.
graceful_timeout = 30
keepalive = 30
