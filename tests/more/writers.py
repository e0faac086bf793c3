"""Programs for the file tests: each is one process that works on a folder with the tools of the library."""

import itertools
import os
import random
import resource
import sys
import time
from contextlib import suppress
from pathlib import Path

from hello_agents.core.message import ToolCall
from hello_agents.tools import EditTool, ReadTool, ToolRegistry, WriteTool

SIZE = 300_000


def whole(number: int) -> str:
    """A content that is recognised as whole: its first line says how it goes on."""
    return f"{number}\n" + f"{number % 10}" * SIZE + f"\n{number}\n"


def is_whole(content: str) -> bool:
    number = content.partition("\n")[0]
    return number.isdigit() and content == whole(int(number))


def edits(root: Path, name: str, times: str) -> None:
    """Counts its own line up, by Edit: never needs to try twice."""
    tool = EditTool(root, backups=3)
    for step in range(int(times)):
        parameters = {"path": "shared.txt", "old_string": f"{name}:{step}\n", "new_string": f"{name}:{step + 1}\n"}
        response = tool.run(parameters)
        assert response.status == "success", response.text


def rewrites(root: Path, name: str, times: str) -> None:
    """Counts its own line up by reading and writing the whole file; reads again when it has changed in between."""
    registry = ToolRegistry()
    registry.register_tool(ReadTool(root, registry=registry))
    registry.register_tool(WriteTool(root, registry=registry, backups=0))
    for step in range(int(times)):
        while True:
            content = registry.answer(ToolCall("1", "Read", {"path": "shared.txt"})).content
            changed = content.replace(f"{name}:{step}\n", f"{name}:{step + 1}\n")
            assert changed != content, content
            written = registry.answer(ToolCall("2", "Write", {"path": "shared.txt", "content": changed}))
            if written.status == "success":
                break
            assert written.metadata["code"] == "CONFLICT", written.content


def writes(root: Path) -> None:
    """Writes large files until it is killed."""
    tool = WriteTool(root, backups=2)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for number in itertools.count(random.randrange(1000)):
        assert tool.run({"path": "sub/large.txt", "content": whole(number)}).status == "success"


def swaps(root: Path) -> None:
    """Puts a link to the outside in the place of a folder, and back, until it is killed."""
    (root / "link").symlink_to(root.parent / "outside")
    (root / "real").mkdir()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for number in itertools.count():
        for source in ("real", "link"):
            with suppress(OSError):
                (root / source).rename(root / "door")
            time.sleep(random.random() / 5000)
            with suppress(OSError):
                (root / "door").rename(root / (f"made-{number}" if (root / source).exists() else source))


def no_room(root: Path) -> None:
    """Tries to write a file that is larger than the system allows it."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
    response = WriteTool(root).run({"path": "a.txt", "content": "x" * 100_000})
    assert response.code == "PERMISSION_DENIED", response.text
    assert "File too large" in response.text


if __name__ == "__main__":
    os.umask(0o022)
    globals()[sys.argv[1]](Path(sys.argv[2]), *sys.argv[3:])
