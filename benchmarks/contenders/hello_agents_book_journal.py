"""This library with the journal on disk: every entry is a JSON line, in the system's hands before the run goes on."""

import tempfile
from pathlib import Path

from hello_agents_book import agent_for

from hello_agents.core.journal import JournalFile


def prepare(steps: int):
    agent = agent_for(steps)
    folder = tempfile.TemporaryDirectory()
    agent.sink = JournalFile(Path(folder.name, "journal.jsonl"))

    def run() -> None:
        assert agent.run("add") == "done"

    # The folder goes when `run` does.
    run.folder = folder
    return run
