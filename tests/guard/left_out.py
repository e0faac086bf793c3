"""What this session leaves out, and how to get it. Said at the end of the run, and a failure in CI."""

import os

CI = bool(os.environ.get("CI"))

lines: list[str] = []
