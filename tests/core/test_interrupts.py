"""Runs that are broken off: by kill -9 at every entry and inside calls, by a full disk, by the stop button."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from core.crashing import SCRIPTS, Place, agent

from hello_agents.core.journal import JournalFile, dump_entry
from hello_agents.core.run import Began, Returned, Run

NEVER = Place("never", 0)
ROOT = Path(__file__).parents[2]


def whole(kind: str) -> Run:
    one = agent(kind, NEVER)
    one.run("1+2+3+4?")
    return one.state


def crash(kind: str, where: str, number: int, folder: Path) -> tuple[JournalFile, Path]:
    """Runs the agent in a process of its own, which dies there."""
    journal, marks = JournalFile(folder / "journal.jsonl"), folder / "marks"
    command = [sys.executable, "-m", "core.crashing", kind, where, str(number), str(journal.path), str(marks)]
    done = subprocess.run(command, cwd=ROOT / "tests", env=_environment(), check=False, capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    return journal, marks


def _environment() -> dict[str, str]:
    import os

    return os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}"}


def places() -> list[tuple[str, str, int]]:
    found: list[tuple[str, str, int]] = []
    for kind in SCRIPTS:
        one = agent(kind, NEVER)
        one.run("1+2+3+4?")
        found += [(kind, "entry", entry.seq) for entry in one.journal[1:]]
        found += [(kind, "model", step) for step in range(one.state.steps)]
        found += [(kind, "tool", number) for number in (1, 2)]
    return found


@pytest.mark.parametrize(("kind", "where", "number"), places())
def test_a_killed_process_resumes_to_the_same_end(kind: str, where: str, number: int, tmp_path: Path) -> None:
    journal, marks = crash(kind, where, number, tmp_path)
    entries = journal.read()
    answered = [e.event.message.answers for e in entries if isinstance(e.event, Returned)]
    lost = {e.event.call_id for e in entries if isinstance(e.event, Began)} - set(answered)
    ran_before = marks.stat().st_size if marks.exists() else 0

    again = agent(kind, NEVER, str(marks))
    again.restore(entries)
    again.sink = journal
    assert again.resume() == "10"

    expected = whole(kind)
    said_again = ["assistant", "tool"] if "f" in lost else []
    assert [m.role for m in again.state.messages] == [m.role for m in expected.messages] + said_again
    for message, other in zip(again.state.messages, expected.messages, strict=False):
        if message.answers in lost:
            assert message.metadata["code"] == "INTERRUPTED"
        else:
            assert message == other
    runs = [e for e in again.journal if isinstance(e.event, Began)]
    assert marks.stat().st_size - ran_before == sum(
        1 for e in runs if e.seq >= len(entries) and e.event.call_id not in ("t", "f", "f2")
    )
    assert len({e.event.call_id for e in runs}) == len(runs), "nothing that began is begun again"
    assert journal.read() == again.journal


def test_a_line_that_was_cut_off_is_left_out_and_the_file_goes_on(tmp_path: Path) -> None:
    one = agent("Simple", NEVER)
    one.run("1+2+3+4?")
    journal = JournalFile(tmp_path / "journal.jsonl")
    lines = "".join(dump_entry(entry) + "\n" for entry in one.journal[:5]).encode()
    for cut in range(1, 60, 7):
        journal.path.write_bytes(lines[:-cut])
        entries = journal.read()
        assert entries == one.journal[:4]
        journal(one.journal[4], one.state)
        assert journal.read() == one.journal[:5]


def test_damage_inside_is_an_error_that_names_the_line(tmp_path: Path) -> None:
    one = agent("Simple", NEVER)
    one.run("1+2+3+4?")
    journal = JournalFile(tmp_path / "journal.jsonl")
    lines = [dump_entry(entry) for entry in one.journal]
    lines[2] = lines[2][:20]
    journal.path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(ValueError, match="Line 3"):
        journal.read()


def test_a_disk_that_is_full_parks_the_run_and_nothing_is_lost() -> None:
    one = agent("Simple", NEVER)
    written: list[Any] = []

    def full(entry: Any, run: Run) -> None:
        if len(written) == 5:
            raise OSError(28, "No space left on device")
        written.append(entry)

    one.sink = full
    with pytest.raises(OSError, match="No space"):
        one.run("1+2+3+4?")
    assert one.state.outcome is None
    assert len(one.journal) == 6
    one.sink = None
    assert one.resume() == "10"


def test_the_stop_button_of_a_notebook_leaves_a_run_that_goes_on() -> None:
    from jupyter_client.manager import start_new_kernel

    cell = """
import time
from hello_agents import ScriptedLLM, SimpleAgent, ToolCall, ToolRegistry
def wait() -> str:
    print("waiting", flush=True)
    time.sleep(60)
tools = ToolRegistry()
tools.register_function(wait)
agent = SimpleAgent("a", ScriptedLLM(ToolCall("w", "wait"), "gave up"), tool_registry=tools)
agent.run("go")
"""
    manager, client = start_new_kernel(kernel_name="python3", env=_environment())
    try:
        request = client.execute(cell, stop_on_error=False)
        while True:
            message = client.get_iopub_msg(timeout=30)
            if message["msg_type"] == "stream" and "waiting" in message["content"]["text"]:
                break
            assert message["msg_type"] != "error", message["content"]
        manager.interrupt_kernel()
        reply = client.get_shell_msg(timeout=30)
        while reply["parent_header"]["msg_id"] != request:
            reply = client.get_shell_msg(timeout=30)
        assert reply["content"]["ename"] == "KeyboardInterrupt"
        reply = client.execute_interactive(
            "assert agent.resume() == 'gave up'; assert 'interrupted' in agent.state.messages[2].text", timeout=30
        )
        assert reply["content"]["status"] == "ok", reply["content"]
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
