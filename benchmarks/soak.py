"""The soak of the service: `python benchmarks/soak.py --write` writes its figures into the README beside it.

200 clients at a time, 4 workers, one Redis; each question takes ten calls that depend on each other, and a worker is
killed after every so many events and started again.
"""

from __future__ import annotations

import argparse
import os
import platform
import shlex
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "tests")]
os.environ["PYTHONPATH"] = os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")])

from sections import put  # noqa: E402
from support.soaking import Figures, soak  # noqa: E402

PAGE = """# The service, soaked

    {command}

{clients} clients at a time, {rounds} rounds, {workers} workers, one Redis; {cores} cores ({system}), Python {python}.
Each client asks a question that takes {calls} calls, each of which needs the one before, and reads the stream; a worker
is killed (`kill -9`) after every {every:,} events and started again. A client whose stream breaks goes on at any
worker.

| | |
| --- | --- |
| sessions that ended with the right answer, every event once | {right} of {sessions} |
| events that clients got | {events:,} |
| workers killed | {kills} |
| times a client came back | {back:,} |
| calls that were lost and made again | {lost} |
| seconds in all; of the slowest session | {seconds:.0f}; {slowest:.0f} |
| MiB of the worker that was left alone, after each round | {memory} |
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--calls", type=int, default=10)
    parser.add_argument("--every", type=int, default=2500, help="events between kills")
    parser.add_argument("--write", action="store_true", help="write benchmarks/README.md")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = soak(
            Path(folder),
            sessions=options.sessions,
            calls=options.calls,
            workers=options.workers,
            rounds=options.rounds,
            every=options.every,
            pause=0.2,
        )
    page = _page(options, figures)
    print(page)
    for line in figures.wrong:
        print(line)
    if options.write:
        put("soak", page)
    return 1 if figures.wrong else 0


def _page(options: argparse.Namespace, figures: Figures) -> str:
    return PAGE.format(
        command=shlex.join(["python", "benchmarks/soak.py", *sys.argv[1:]]),
        clients=options.sessions,
        rounds=options.rounds,
        workers=options.workers,
        calls=options.calls,
        every=options.every,
        cores=os.cpu_count(),
        system=f"{platform.system()}, {platform.machine()}",
        python=platform.python_version(),
        right=figures.sessions - len(figures.wrong),
        sessions=options.sessions * options.rounds,
        events=figures.events,
        kills=figures.kills,
        back=figures.reconnections,
        lost=figures.lost_calls,
        seconds=figures.seconds,
        slowest=figures.slowest,
        memory=", ".join(f"{value:.0f}" for value in figures.memory),
    )


if __name__ == "__main__":
    sys.exit(main())
