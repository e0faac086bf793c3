"""This library with every entry of the journal written to a file as a JSON line."""

import tempfile
from pathlib import Path

from hello_agents_book import agent_for

from hello_agents.core.journal import dump_entry


def prepare(steps: int):
    agent = agent_for(steps)
    folder = tempfile.TemporaryDirectory()
    file = Path(folder.name, "journal.jsonl").open("w", encoding="utf-8", buffering=1)
    agent.subscribers.append(lambda entry, run: file.write(dump_entry(entry) + "\n") and None)

    def run() -> None:
        assert agent.run("add") == "done"
        file.close()
        folder.cleanup()

    return run
