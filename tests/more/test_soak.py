"""A small soak of the service; the whole one is `python benchmarks/soak.py`."""

from __future__ import annotations

from support.soaking import soak


def test_every_session_ends_right_whatever_is_killed(tmp_path):
    figures = soak(tmp_path, sessions=40, calls=10, workers=3, rounds=2, every=600, pause=0.1)
    assert figures.wrong == []
    assert figures.sessions == 80
    assert figures.kills >= 3
    assert figures.memory[-1] < figures.memory[0] * 1.3
