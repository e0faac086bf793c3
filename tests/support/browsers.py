"""The Chromium of this machine, and what becomes of tests where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest
from guard import left_out

from hello_agents.cli import HOW_TO_GET_A_BROWSER, find_chromium

CHROMIUM = find_chromium()


def leave_out_without_a_browser(config: pytest.Config, items: list[pytest.Item], folder: Path) -> None:
    """Without a browser the tests of the folder are left out, and the end of the run says so."""
    if CHROMIUM is not None:
        return
    ours = [item for item in items if folder in item.path.parents]
    if ours:
        config.hook.pytest_deselected(items=ours)
        items[:] = [item for item in items if folder not in item.path.parents]
        left_out.lines.append(
            f"{len(ours)} browser tests, since there is no Chromium or Chrome. {HOW_TO_GET_A_BROWSER}"
        )
