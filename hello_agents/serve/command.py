"""The command `hello-agents serve`: an agent as a service, on this machine, or with a token on others."""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..core.exceptions import ConfigException

_LOOPBACK = ("127.0.0.1", "::1", "localhost")


def add_parser(commands: Any) -> None:
    """Describes the command to the parser of `hello-agents`."""
    told = "serve an agent over HTTP, with streams of server-sent events"
    parser: argparse.ArgumentParser = commands.add_parser("serve", help=told, description=told)
    parser.add_argument("agent", help="module:name or path.py:name of an Agent, or of a function that makes one")
    parser.add_argument(
        "--host", default="127.0.0.1", help="where to listen; another place than 127.0.0.1 needs a token"
    )
    parser.add_argument("--port", type=int, default=8000, help="the port (8000; 0 takes any that is free)")
    parser.add_argument(
        "--store", default="memory", help="where sessions are: memory, files:FOLDER or redis://host:port/db (memory)"
    )
    parser.add_argument(
        "--token-file", type=Path, help="the file with the token that clients must send (or set HELLO_AGENTS_TOKEN)"
    )
    parser.add_argument("--workers", type=int, default=1, help="processes; several need a store that they share (1)")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=NUMBER",
        help="a setting, such as max_runs=20",
    )
    parser.add_argument("--forwarded-allow-ips", default="127.0.0.1", help="proxies whose X-Forwarded-For is believed")


def serve(options: argparse.Namespace) -> int:
    """Serves until it is told to end. Returns the exit code."""
    try:
        import uvicorn

        from . import asgi, loading
    except ImportError:
        sys.stderr.write('The service is not installed here. Install it with: pip install "hello-agents-book[serve]"\n')
        return 1
    try:
        if options.token_file is not None:
            os.environ[loading.TOKEN_FILE] = str(options.token_file.resolve())
        settings = asgi.read_settings(json.dumps(_numbers(options.set)))
        _check(options, loading.load_token())
        loading.load_agent(options.agent)
        loading.load_store(options.store)
    except ConfigException as error:
        sys.stderr.write(f"{error}\n")
        return 2
    os.environ[loading.AGENT] = options.agent
    os.environ[loading.STORE] = options.store
    os.environ[asgi.SETTINGS] = json.dumps(asdict(settings))
    uvicorn.run(
        "hello_agents.serve.asgi:create",
        factory=True,
        host=options.host,
        port=options.port,
        workers=options.workers,
        log_level="info",
        access_log=False,
        server_header=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=round(settings.grace_seconds) + 5,
        forwarded_allow_ips=options.forwarded_allow_ips,
    )
    return 0


def _check(options: argparse.Namespace, token: str | None) -> None:
    """What must not be: open to other machines without a token, or workers that do not see each other's sessions."""
    if token is None and options.host not in _LOOPBACK:
        raise ConfigException(
            f"--host {options.host} lets other machines in, and there is no token. "
            "Set HELLO_AGENTS_TOKEN or --token-file, or listen at 127.0.0.1."
        )
    if options.workers > 1 and options.store == "memory":
        raise ConfigException(
            f"{options.workers} workers do not see each other's sessions in memory. Use --store files:FOLDER or redis://…."
        )


def _numbers(pairs: list[str]) -> dict[str, float]:
    numbers: dict[str, float] = {}
    for pair in pairs:
        name, _, value = pair.partition("=")
        try:
            numbers[name] = int(value) if value.lstrip("-").isdigit() else float(value)
        except ValueError as error:
            raise ConfigException(f"--set {pair} gives no number. Write a name, `=` and a number.") from error
    return numbers
