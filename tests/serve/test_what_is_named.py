"""What the command line and the environment name, and how the errors of sessions reach a client."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from hello_agents import SimpleAgent
from hello_agents.core import session_form as form
from hello_agents.core.exceptions import ConfigException
from hello_agents.core.session_store import MemorySessionStore, RedisSessionStore, SessionStore
from hello_agents.serve import loading, problems
from hello_agents.serve.asgi import SETTINGS, create, read_settings
from hello_agents.serve.settings import Settings

SOURCE = """from hello_agents import ScriptedLLM, SimpleAgent
agent = SimpleAgent("one", ScriptedLLM("Hello."))
def make():
    return SimpleAgent("made", ScriptedLLM("Hello."))
number = 3
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "served_here.py").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "broken_here.py").write_text("import no_such_thing_at_all\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path])
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    return tmp_path


@pytest.mark.parametrize("where", ["served_here", "served_here.py"])
def test_an_agent_or_what_makes_one(folder: Path, where: str) -> None:
    assert isinstance(loading.load_agent(f"{where}:agent"), SimpleAgent)
    make = loading.load_agent(f"{where}:make")
    assert callable(make)
    assert make().name == "made"


@pytest.mark.parametrize("place", ["", "served_here", ":agent", "served_here:", "served_here:nobody"])
@pytest.mark.parametrize("also", ["nowhere:agent", "nowhere.deep:agent", "nowhere.py:agent", "served_here:number"])
def test_what_is_no_agent_is_named_with_the_remedy(folder: Path, place: str, also: str) -> None:
    for one in (place, also):
        with pytest.raises(ConfigException, match=r"(Write|Name|Start)") as caught:
            loading.load_agent(one)
        assert one.partition(":")[0] in str(caught.value)


def test_an_error_inside_of_the_module_is_its_own(folder: Path) -> None:
    with pytest.raises(ModuleNotFoundError, match="no_such_thing_at_all"):
        loading.load_agent("broken_here:agent")


def test_stores(tmp_path: Path) -> None:
    assert isinstance(loading.load_store("memory"), MemorySessionStore)
    assert isinstance(loading.load_store(f"files:{tmp_path}"), SessionStore)
    assert isinstance(loading.load_store("redis://127.0.0.1:1/0"), RedisSessionStore)
    for wrong in ("", "files:", "postgres://x", "Memory"):
        with pytest.raises(ConfigException, match="memory, files"):
            loading.load_store(wrong)


def test_tokens(tmp_path: Path) -> None:
    kept, empty = tmp_path / "token", tmp_path / "empty"
    kept.write_text(" s3cret-t0ken\n", encoding="utf-8")
    empty.write_text("\n", encoding="utf-8")
    assert loading.load_token({}) is None
    assert loading.load_token({loading.TOKEN: "  "}) is None
    assert loading.load_token({loading.TOKEN: "plain"}) == "plain"
    assert loading.load_token({loading.TOKEN: "plain", loading.TOKEN_FILE: str(kept)}) == "s3cret-t0ken"
    for wrong in (str(empty), str(tmp_path / "none"), str(tmp_path)):
        with pytest.raises(ConfigException, match=r"(Write one|Name one)"):
            loading.load_token({loading.TOKEN_FILE: wrong})
    for secret in ("two words", "密钥", "a\tb"):
        with pytest.raises(ConfigException) as caught:
            loading.load_token({loading.TOKEN: secret})
        assert secret not in str(caught.value)


def test_settings() -> None:
    assert read_settings("{}") == Settings()
    assert read_settings(json.dumps({"max_runs": 3})).max_runs == 3
    for wrong in ("{", "[1]", "3", '{"max_run": 3}', '{"max_runs": "3"}', '{"max_runs": true}'):
        with pytest.raises(ConfigException, match=SETTINGS):
            read_settings(wrong)


def test_an_application_as_the_environment_describes_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (loading.AGENT, loading.STORE, loading.TOKEN, loading.TOKEN_FILE, SETTINGS):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ConfigException, match=loading.AGENT):
        create()
    monkeypatch.setenv(loading.AGENT, "served_here:make")
    assert create().routes


ERRORS = {
    "no_session": (form.SessionMissing, 404),
    "session_exists": (form.SessionExists, 409),
    "store": (form.SessionUnavailable, 503),
    "changed": (form.SessionConflict, 409),
    "damaged": (form.SessionDamaged, 409),
    "refused": (form.SessionException, 422),
}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("code", ERRORS)
def test_what_a_session_met_is_told_to_the_client(code: str, language: str) -> None:
    kind, status = ERRORS[code]
    problem = problems.problem_of(kind("/a/folder/of/this/machine"), "trip 北京")
    assert (problem.status, problem.code) == (status, code)
    response = problem.response(language)
    told = json.loads(bytes(response.body))
    assert response.status_code == told["status"] == status
    assert response.media_type == "application/problem+json"
    assert told["detail"]
    if code != "refused":
        assert "/a/folder" not in told["detail"], "where sessions are kept is nobody's business"
    assert ("Retry-After" in response.headers) == (status == 503)
    assert problems.problem_of(form.SessionClosed("x"), "y").code == "store"
