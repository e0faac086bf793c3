"""A guard that keeps a process on this machine: an address that is not loopback is refused before a packet is sent.

An audit hook sees what patched methods miss (names imported earlier, asyncio's own calls), and nothing can take it off
again. `sitecustomize.py` beside this file installs it in every Python that inherits the environment: kernels, servers,
subprocesses.
"""

from __future__ import annotations

import ipaddress
import os
import socket
import sys
from pathlib import Path

LOG = "HELLO_AGENTS_REFUSED_ADDRESSES"
"""Names the file to which each refused address is written, since a library may swallow the error."""

_RESOLVE = {"socket.getaddrinfo", "socket.gethostbyname"}
_SEND = {"socket.connect", "socket.sendto", "socket.sendmsg"}


class OutsideAddress(RuntimeError):
    """Code under test tried to leave this machine. Not an `OSError`, which clients would catch and try again."""


def is_loopback(host: str | bytes | None) -> bool:
    """Whether a host is this machine. No name is resolved to find out."""
    name = host.decode("ascii", "replace") if isinstance(host, bytes) else host
    if name in (None, "", "localhost") or name == socket.gethostname():
        return True
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return (mapped or address).is_loopback or address.is_unspecified


def install() -> None:
    """Installs the guard in this process, once and for good."""
    if _hook not in _installed:
        _installed.append(_hook)
        sys.addaudithook(_hook)


def share_with_children(log: Path) -> None:
    """Lets every Python started from here on install the guard as well, and write refused addresses to `log`."""
    here = str(Path(__file__).parent)
    others = [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part and part != here]
    os.environ["PYTHONPATH"] = os.pathsep.join([here, *others])
    os.environ[LOG] = str(log)


_installed: list[object] = []


def _hook(event: str, args: tuple[object, ...]) -> None:
    if event in _RESOLVE:
        host = args[0]
    elif event in _SEND:
        address = args[1]
        if not isinstance(address, tuple) or not address or not isinstance(address[0], str | bytes):
            return  # A Unix socket, a netlink socket, or a socket that is connected already.
        host = address[0]
    else:
        return
    if is_loopback(host):  # type: ignore[arg-type]
        return
    line = f"{host!r} ({event}, process {os.getpid()}: {' '.join(sys.argv)[:200]})"
    log = os.environ.get(LOG)
    if log:
        with Path(log).open("a", encoding="utf-8") as file:
            file.write(line + "\n")
    raise OutsideAddress(
        f"The tests stay on this machine, and something asked for {host!r}. "
        "Give it an address on loopback, for instance a server of the test's own on 127.0.0.1."
    )
