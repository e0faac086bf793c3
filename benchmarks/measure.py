"""Measures one thing in the interpreter that runs it, and prints it as JSON.

    python measure.py steps CONTENDER.py 10 100    # CPU microseconds a step of runs of 10 and 100 steps
    python measure.py memory CONTENDER.py 100      # peak MiB of this process after one run of 100 steps
    python measure.py memory                       # peak MiB of the interpreter alone
    python measure.py installed                    # the distributions that are installed: name, version, bytes

A contender is a file with `prepare(steps) -> run`: what `prepare` does is not timed, what `run()` does is.
It imports nothing that a bare interpreter could do without, so that its own memory is small.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time

REPEATS, CPU_SECONDS = 50, 2.0
"""All sizes are repeated, in turn, so often or until this much is spent: the slow ones once."""


def contender(path: str):
    """The `prepare` of a contender. Its neighbours are importable: some are variants of another."""
    folder, _, file = path.rpartition("/")
    sys.path.insert(0, folder)
    return __import__(file.removesuffix(".py")).prepare


def timed(prepare, steps: int) -> float:
    """CPU microseconds a step, all threads of the process counted."""
    run = prepare(steps)
    gc.collect()
    start = time.process_time_ns()
    run()
    return (time.process_time_ns() - start) / steps / 1000


def steps(path: str, *sizes: str) -> dict[str, float]:
    """The best of several runs of each size, after one that warms up what is made once."""
    prepare = contender(path)
    timed(prepare, 3)
    best: dict[str, float] = {}
    end = time.process_time() + CPU_SECONDS
    for _ in range(REPEATS):
        for size in sizes:
            best[size] = min(best.get(size, float("inf")), timed(prepare, int(size)))
        if time.process_time() >= end:
            break
    return best


def memory(path: str | None = None, size: str = "100") -> float:
    if path is not None:
        contender(path)(int(size))()
    return peak_mib()


def peak_mib() -> float:
    """The peak resident set of this process.

    `ru_maxrss` would do, if Linux did not let it begin with the peak of the process that started this one.
    """
    try:
        with open("/proc/self/status") as status:  # noqa: PTH123
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) / 1024
    except FileNotFoundError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform == "linux" else 1024**2)


def installed() -> dict[str, dict[str, str | int]]:
    """What pip has put here: each distribution's files as it lists them, compiled ones with the others."""
    from importlib.metadata import distributions

    found = {}
    for one in distributions():
        files = [file.locate() for file in one.files or ()]
        size = sum(file.stat().st_size for file in files if file.is_file())
        found[one.metadata["Name"]] = {"version": one.version, "bytes": size}
    return found


if __name__ == "__main__":
    what, *arguments = sys.argv[1:]
    out, sys.stdout = sys.stdout, open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - for those who print.
    print(json.dumps({"steps": steps, "memory": memory, "installed": installed}[what](*arguments)), file=out)
