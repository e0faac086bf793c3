"""The guard refuses what leaves this machine, here and in child processes, and lets loopback through."""

import asyncio
import os
import socket
import subprocess
import sys
import urllib.request

import pytest
from guard import loopback

OUTSIDE = ["192.0.2.1", "203.0.113.9", "2001:db8::1", "::ffff:192.0.2.1"]


@pytest.fixture
def log(tmp_path, monkeypatch):
    """A log of its own, so that the refusals provoked here are not held against the session."""
    path = tmp_path / "refused.txt"
    monkeypatch.setenv(loopback.LOG, str(path))
    return path


def family(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


@pytest.mark.parametrize("address", OUTSIDE)
@pytest.mark.parametrize("method", ["connect", "connect_ex"])
def test_a_connection_to_another_machine_is_refused(address, method, log):
    with socket.socket(family(address)) as sock, pytest.raises(loopback.OutsideAddress, match=address):
        getattr(sock, method)((address, 80))
    assert address in log.read_text(encoding="utf-8")


@pytest.mark.parametrize("address", OUTSIDE)
def test_a_datagram_to_another_machine_is_refused(address, log):
    with socket.socket(family(address), socket.SOCK_DGRAM) as sock:
        with pytest.raises(loopback.OutsideAddress, match=address):
            sock.sendto(b"x", (address, 9))
        with pytest.raises(loopback.OutsideAddress, match=address):
            sock.sendmsg([b"x"], [], 0, (address, 9))


@pytest.mark.parametrize("name", ["example.org", "api.example.com", "metadata.internal"])
def test_a_name_is_not_looked_up(name, log):
    for ask in (lambda: socket.getaddrinfo(name, 443), lambda: socket.gethostbyname(name)):
        with pytest.raises(loopback.OutsideAddress, match=name):
            ask()


def test_clients_do_not_mistake_a_refusal_for_a_bad_network(log):
    with pytest.raises(loopback.OutsideAddress):
        urllib.request.urlopen("http://192.0.2.1/")


async def test_asyncio_is_guarded_too(log):
    with pytest.raises(loopback.OutsideAddress):
        await asyncio.open_connection("192.0.2.1", 80)


@pytest.mark.parametrize("code", ["s.connect(('192.0.2.1', 80))", "socket.getaddrinfo('example.org', 80)"])
def test_a_child_process_is_guarded_too(code, log):
    child = subprocess.run(
        [sys.executable, "-c", f"import socket; s = socket.socket(); {code}"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert child.returncode == 1
    assert "OutsideAddress" in child.stderr
    assert log.exists()


def test_loopback_is_let_through():
    for host in ("127.0.0.1", "localhost", "127.8.9.10"):
        assert loopback.is_loopback(host)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)), socket.create_connection(("localhost", port)):
            pass
    assert socket.getaddrinfo(None, 80)


def test_children_speak_utf_8():
    said = subprocess.run([sys.executable, "-c", "print('北京')"], capture_output=True, check=True).stdout
    assert said.decode("utf-8").strip() == "北京"
    assert os.environ["PYTHONUTF8"] == "1"
