"""`hello-agents trace`: any file of a run in a few lines, and as a page."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.guest_files import GUEST_FILES

from hello_agents import ScriptedLLM, SimpleAgent, ToolCall, ToolRegistry
from hello_agents.cli import main
from hello_agents.core.journal import JournalFile
from hello_agents.core.session_store import SessionStore
from hello_agents.observability import TraceLogger

KEY = "sk-abcdef1234567890abcdef"


def look(city: str) -> str:
    """Looks a city up."""
    if city == "Atlantis":
        raise ValueError(f"not on the map {KEY}")
    return "晴"


def agent(broken: bool) -> SimpleAgent:
    tools = ToolRegistry()
    tools.register_function(look)
    cities = ["北京", "Atlantis"] if broken else ["北京", "Rome"]
    calls = [ToolCall(str(n), "look", {"city": city}) for n, city in enumerate(cities)]
    return SimpleAgent("guide", ScriptedLLM(calls, "北京\u2028 is\x85 sunny."), "Be brief.", tool_registry=tools)


def file_of(kind: str, folder: Path, broken: bool = True) -> Path:
    """A file of a run, of this kind."""
    one = agent(broken)
    match kind:
        case "trace":
            trace = TraceLogger(folder)
            one.subscribers.append(trace.subscriber)
            one.run("Weather?")
            assert trace.jsonl_path is not None
            return trace.jsonl_path
        case "journal":
            one.sink = JournalFile(folder / "run.jsonl")
            one.run("Weather?")
            return folder / "run.jsonl"
        case _:
            one.session_store = SessionStore(folder)
            one.run("Weather?")
            return Path(one.save_session("mine"))


@pytest.mark.parametrize("kind", ["trace", "journal", "session"])
def test_a_run_is_told_in_a_few_lines(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = file_of(kind, tmp_path)
    assert main(["trace", str(file), "--html", str(tmp_path / "out" / "page.html")]) == 0
    out = capsys.readouterr().out
    assert KEY not in out
    lines = dict(line.split(": ", 1) for line in out.splitlines() if ": " in line)
    assert lines["Agents"] == ("run" if kind == "journal" else "guide")
    assert lines["Question"] == "Weather?"
    assert lines["Model requests"] == "2"
    assert lines["Tool calls"] == "look ×2 (1 ✗)"
    assert lines["Errors"] == "1"
    assert "EXECUTION_ERROR" in lines["First error"]
    assert "not on the map ***" in lines["First error"]
    assert lines["Answer"] == "北京 is sunny."
    assert (tmp_path / "out" / "page.html").read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize("broken", [True, False])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_only_errors(
    broken: bool, language: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HELLO_AGENTS_LANG", language)
    assert main(["trace", str(file_of("trace", tmp_path, broken)), "--errors"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert len(out) == 1
    none = {"en": "Nothing went wrong.", "zh": "没有出错。"}[language]
    assert (none in out[0]) is not broken
    assert ("not on the map ***" in out[0]) is broken


@pytest.mark.parametrize("file", GUEST_FILES, ids=lambda file: file.stem)
def test_guests_are_told_too(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trace", str(file)]) == 0
    assert "look ×2" in capsys.readouterr().out


@pytest.mark.parametrize("written", [None, "", "{", "hello\n", "[]", '{"a": 1}\n', "\ud800"])
def test_what_is_no_trace_is_refused_in_words(
    written: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "odd.jsonl"
    if written is not None:
        file.write_bytes(written.encode("utf-8", "surrogatepass"))
    assert main(["trace", str(file)]) == 1
    assert "odd.jsonl" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["trace", "journal"])
def test_a_line_that_was_cut_off_ends_the_tale(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = file_of(kind, tmp_path)
    whole = file.read_bytes()
    file.write_bytes(whole[: whole.rstrip(b"\n").rfind(b"\n") + 9])
    assert main(["trace", str(file)]) == 0
    assert "look ×2" in capsys.readouterr().out
