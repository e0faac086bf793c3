"""Journals compared: what happened in each frame, whatever finished first."""

from __future__ import annotations

from collections.abc import Iterable

from hello_agents.core.run import Began, Entry, Returned, Spawned


def by_frame(journal: Iterable[Entry]) -> dict[str, list[object]]:
    """The events of each frame. The order in which the calls of one reply begin and finish is a matter of time."""
    frames: dict[str, list[object]] = {}
    batches: dict[str, list[object]] = {}
    for entry in journal:
        events = frames.setdefault(entry.frame, [])
        batch = batches.setdefault(entry.frame, [])
        if isinstance(entry.event, Began | Returned | Spawned):
            batch.append(entry.event)
            continue
        events += sorted(batch, key=repr)
        batch.clear()
        events.append(entry.event)
    for frame, batch in batches.items():
        frames[frame] += sorted(batch, key=repr)
    return frames
