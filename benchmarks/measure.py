"""Runs one contender, a file with `prepare(steps) -> callable`, and prints its figures as JSON."""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import io
import json
import resource
import sys
import time
from pathlib import Path


def main() -> None:
    path, *sizes = sys.argv[1:]
    sys.path[:0] = [str(Path(path).parents[2])] if "book" in Path(path).stem else []
    sys.path.insert(0, str(Path(path).parent))
    spec = importlib.util.spec_from_file_location("contender", path)
    assert spec is not None
    assert spec.loader is not None
    contender = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(contender)
    figures: dict[str, dict[str, float]] = {}
    for size in map(int, sizes):
        best = float("inf")
        for _ in range(max(5, 600 // size)):
            with contextlib.redirect_stdout(io.StringIO()):
                run = contender.prepare(size)
                gc.collect()
                start = time.process_time_ns()
                run()
                best = min(best, (time.process_time_ns() - start) / size / 1000)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        figures[str(size)] = {"us": best, "peak_mib": peak}
    print(json.dumps(figures))


main()
