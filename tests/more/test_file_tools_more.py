"""The file tools against other processes, kills and whatever paths say: no escape, nothing lost, no half a file."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from more.writers import is_whole, whole

from hello_agents.tools import EditTool, GlobTool, GrepTool, MultiEditTool, ReadTool, WriteTool
from hello_agents.tools.builtin.folder import TEMPORARY

HERE = Path(__file__).parent
REPOSITORY = HERE.parent.parent


def start(program, *arguments):
    return subprocess.Popen(
        [sys.executable, str(HERE / "writers.py"), program, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": f"{REPOSITORY}{os.pathsep}{HERE.parent}"},
    )


def finish(*processes):
    for process in processes:
        _out, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "project"
    root.mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a.txt").write_text("SECRET", encoding="utf-8")
    return root


# --- several writers ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("programs", [("edits", "edits"), ("rewrites", "rewrites"), ("edits", "rewrites", "edits")])
def test_processes_lose_no_change_of_each_other(root, programs):
    times = 150
    (root / "shared.txt").write_text("".join(f"w{n}:0\n" for n in range(len(programs))), encoding="utf-8")
    finish(*(start(program, root, f"w{n}", times) for n, program in enumerate(programs)))
    expected = "".join(f"w{n}:{times}\n" for n in range(len(programs)))
    assert (root / "shared.txt").read_text(encoding="utf-8") == expected
    assert not [path for path in root.rglob("*") if path.name.endswith(TEMPORARY)]


# --- kill -9 -----------------------------------------------------------------------------------------------------


def test_a_kill_in_mid_write_leaves_a_whole_file(root):
    file = root / "sub" / "large.txt"
    WriteTool(root).run({"path": "sub/large.txt", "content": whole(0)})
    for _ in range(60):
        process = start("writes", root)
        assert process.stdout.readline() == "ready\n"
        time.sleep(random.random() * 0.03)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        process.stderr.close()
        assert is_whole(file.read_text(encoding="utf-8"))
        backups = list((root / ".hello_agents" / "backups" / "sub" / "large.txt").iterdir())
        for backup in backups:
            if not backup.name.endswith(TEMPORARY):
                assert is_whole(backup.read_text(encoding="utf-8"))
        halves = [path for path in file.parent.iterdir() if path.name.endswith(TEMPORARY)]
        assert len(halves) <= 1, "the next writer clears up"
        assert len(backups) <= 5
    response = WriteTool(root, backups=2).run({"path": "sub/large.txt", "content": whole(1)})
    assert response.status == "success", "no lock outlives its process"
    assert [path.name for path in file.parent.iterdir()] == ["large.txt"]


def test_no_room_leaves_the_old_file(root):
    (root / "a.txt").write_text("old", encoding="utf-8")
    finish(start("no_room", root))
    assert (root / "a.txt").read_text(encoding="utf-8") == "old"
    assert not [path for path in root.rglob("*") if path.name.endswith(TEMPORARY)]


# --- no escape ---------------------------------------------------------------------------------------------------


def test_links_that_another_process_puts_in_the_way_lead_nowhere(root):
    process = start("swaps", root)
    try:
        assert process.stdout.readline() == "ready\n"
        until = time.monotonic() + 20
        tools = [ReadTool(root), GrepTool(root), GlobTool(root)]
        while time.monotonic() < until:
            WriteTool(root, backups=1).run({"path": "door/new.txt", "content": "x"})
            EditTool(root).run({"path": "door/a.txt", "old_string": "SECRET", "new_string": "gone"})
            for tool in tools:
                for path in ("door/a.txt", "door", "."):
                    response = tool.run({"path": path, "pattern": "SECRET"})
                    assert "SECRET" not in response.text
    finally:
        process.kill()
        process.communicate()
    outside = root.parent / "outside"
    assert [path.name for path in outside.iterdir()] == ["a.txt"]
    assert (outside / "a.txt").read_text(encoding="utf-8") == "SECRET"


PART = st.sampled_from(
    ["a", "b", "c.txt", "..", ".", "", "project", "outside", ".hello_agents", "backups", "project-x"]
)
PATH = st.lists(PART, min_size=1, max_size=6).map("/".join) | st.just("ROOT/../outside/s.txt") | st.text(max_size=6)


class World(RuleBasedStateMachine):
    """A folder in which somebody makes folders, files and links at will, and tools that are confined to it."""

    @initialize()
    def begin(self):
        import tempfile

        self.temporary = tempfile.TemporaryDirectory()
        self.above = Path(self.temporary.name).resolve()
        self.root = self.above / "project"
        for folder in ("project", "outside", "project-x"):
            (self.above / folder).mkdir()
            if folder != "project":
                (self.above / folder / "c.txt").write_text("SECRET", encoding="utf-8")
        self.before = self.outside()

    def teardown(self):
        if "temporary" in vars(self):
            self.temporary.cleanup()

    def outside(self):
        found = {}
        for folder in self.above.iterdir():
            if folder != self.root:
                for path in (folder, *folder.rglob("*")):
                    found[path] = (path.is_symlink(), path.read_bytes() if path.is_file() else b"")
        return found

    def inside(self, path):
        """A place for something new that is really inside."""
        place = self.root / path.lstrip("/")
        try:
            parent = place.parent.resolve()
        except (OSError, RuntimeError, ValueError):
            return None
        return parent / place.name if parent.is_relative_to(self.root) and place.name not in ("", "..") else None

    @rule(path=PATH, to=PATH)
    def link(self, path, to):
        place = self.inside(path)
        try:
            if place is not None:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.symlink_to(to)
        except (OSError, ValueError):
            pass

    @rule(path=PATH)
    def folder(self, path):
        place = self.inside(path)
        try:
            if place is not None:
                place.mkdir(parents=True)
        except (OSError, ValueError):
            pass

    def use(self, tool, path, **parameters):
        path = path.replace("ROOT", str(self.root))
        response = tool.run({"path": path, **parameters})
        for shown in (response.text, str(response.data)):
            assert "SECRET" not in shown.replace("'SECRET'", "")
            assert str(self.above) not in shown.replace(path, "")
        assert response.code not in ("INTERNAL_ERROR", "EXECUTION_ERROR")

    @rule(path=PATH)
    def read(self, path):
        self.use(ReadTool(self.root), path)

    @rule(path=PATH, content=st.text(max_size=5), backups=st.integers(0, 2))
    def write(self, path, content, backups):
        self.use(WriteTool(self.root, backups=backups), path, content=content)

    @rule(path=PATH, old=st.sampled_from(["SECRET", "S", "a"]))
    def edit(self, path, old):
        self.use(EditTool(self.root), path, old_string=old, new_string="b")
        self.use(MultiEditTool(self.root), path, edits=[{"old_string": old, "new_string": "b"}])

    @rule(path=PATH)
    def search(self, path):
        self.use(GrepTool(self.root), path, pattern="SECR")
        self.use(GlobTool(self.root), path, pattern="**/*")

    @invariant()
    def the_outside_is_as_it_was(self):
        if "before" in vars(self):
            assert self.outside() == self.before
            assert not list(self.root.rglob(f"*{TEMPORARY}"))


World.TestCase.settings = settings(max_examples=300, stateful_step_count=30, deadline=None)
TestWorld = World.TestCase
