"""What is in `deploy/`: gunicorn's settings and the agent are run as the container runs them; files agree."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"


def test_two_workers_of_gunicorn_at_one_redis_answer_and_end_when_told_to():
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, DEPLOY / "try.py"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=180,
        env=environment,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 tool_call_finish" in done.stdout
    assert done.stdout.endswith("The service answered, and ended with 0 when it was told to.\n")


def test_the_container_starts_what_was_tried_and_installs_what_was_tested():
    dockerfile = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    (start,) = re.findall(r"^CMD (\[.*\])$", dockerfile, re.MULTILINE)
    tried = (DEPLOY / "try.py").read_text(encoding="utf-8")
    assert ", ".join(json.dumps(part) for part in json.loads(start)) in tried
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    tested = set(project["optional-dependencies"]["dev"])
    assert set(re.findall(r'"((?:gunicorn|uvicorn-worker)>[^"]*)"', dockerfile)) <= tested
    (extras,) = re.findall(r'"/src\[(.*)\]"', dockerfile)
    assert set(extras.split(",")) <= set(project["optional-dependencies"])
