"""What a step of the loop costs, beside other ways to write it, measured in one go.

    python benchmarks/loop.py                  # the bare loop and this library, as they are in this checkout
    python benchmarks/loop.py --all            # also the peers, each in an environment of its own
    python benchmarks/loop.py --all --write    # … and write its part of benchmarks/README.md

One step is one reply of a zero-latency fake model with one call of `add(a, b)`, and its result. Every
measurement runs in a fresh process. The rounds are interleaved: one of each contender, then the next of each,
so that whatever else the machine does hits all alike.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from statistics import mean

import report
import sections
from entrants import ALL, LOCAL
from environments import HERE, ROOT, environment, run
from figures import Measuring


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="also measure the peers (installs them below .env)")
    parser.add_argument("--write", action="store_true", help="write its part of benchmarks/README.md; only with --all")
    parser.add_argument("--rounds", type=int, default=3, help="how often everything is measured")
    arguments = parser.parse_args()
    if arguments.write and not arguments.all:
        parser.error("--write needs --all: the tables compare with the peers.")
    if arguments.all:
        empty = json.loads(run(environment(()), str(HERE / "measure.py"), "installed"))
        measuring = Measuring({one: environment(one.packages) for one in ALL})
        measuring.once(empty)
    else:
        measuring = Measuring(dict.fromkeys(LOCAL, Path(sys.executable)), (ROOT,))
    loads: list[float] = []
    for number in range(1, arguments.rounds + 1):
        print(f"Round {number} of {arguments.rounds} …", file=sys.stderr)
        measuring.round()
        loads.append(os.getloadavg()[1])
    parts = (
        [report.steps, report.weights, report.loads, report.targets]
        if arguments.all
        else [report.steps, report.weights]
    )
    print(*(part(measuring.figures) for part in parts), sep="\n\n")
    if arguments.write:
        command = f"python benchmarks/loop.py {' '.join(sys.argv[1:])}"
        text = report.page(measuring.figures, command, mean(loads))
        sections.put("loop", text)


if __name__ == "__main__":
    main()
