"""What searching in memory and building a context cost, and how well a search finds, measured in one go.

    python benchmarks/context.py                  # everything, with the packages that are installed here
    python benchmarks/context.py --only lexical   # one measurement
    python benchmarks/context.py --all            # in environments with the peers, at exact versions
    python benchmarks/context.py --all --write    # … and write its part of benchmarks/README.md

Each measurement runs in a process of its own. In it contenders take turns, so that whatever else the machine does hits
all alike.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from statistics import mean

import choosing
import searching
import sections
from environments import HERE, ROOT, environment, run
from measuring import Measurement

MEASUREMENTS: Mapping[str, Measurement] = {**searching.MEASUREMENTS, **choosing.MEASUREMENTS}
"""Every measurement by its name, in the order of the page."""

PAGE = """# Memory and context

Measured in one go by

    {command}

on {machine}. This part of the page is written by that command. Times are wall time: of each query the best of several
tries, of the queries the median. Texts are made up of 20 words each, drawn by Zipf's law from 20,000.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="also measure the peers (installs them below .env)")
    parser.add_argument("--write", action="store_true", help="write its part of benchmarks/README.md; only with --all")
    parser.add_argument("--only", choices=MEASUREMENTS, action="append", help="measure this one; can be repeated")
    parser.add_argument("--here", choices=MEASUREMENTS, help="measure in this process and print JSON")
    arguments = parser.parse_args()
    if arguments.here:
        print(json.dumps(MEASUREMENTS[arguments.here].measure().plain(), ensure_ascii=False))
        return
    if arguments.write and (not arguments.all or arguments.only):
        parser.error("--write needs --all and everything: the tables compare with the peers.")
    loads: list[float] = []
    parts: list[str] = []
    for name in arguments.only or MEASUREMENTS:
        print(f"Measuring {name} …", file=sys.stderr)
        parts.append(measured(name, everything=arguments.all))
        loads.append(os.getloadavg()[0])
    print(*parts, sep="\n\n")
    if arguments.write:
        import report

        command = f"python benchmarks/context.py {' '.join(sys.argv[1:])}"
        head = PAGE.format(command=command, machine=report.machine(mean(loads)))
        sections.put("context", "\n\n".join([head.strip(), *parts]))


def measured(name: str, *, everything: bool) -> str:
    """One measurement as a piece of the page."""
    one = MEASUREMENTS[name]
    python = environment(one.packages) if everything else Path(sys.executable)
    for packages in one.beside if everything else ():
        environment(packages)
    figures = json.loads(run(python, str(HERE / "context.py"), "--here", name, paths=(ROOT,)))
    pieces = [f"## {one.title}", one.about, sections.table(figures["head"], figures["rows"])]
    if figures["targets"]:
        pieces.append(sections.table(["target", "measured", "holds"], figures["targets"]))
    return "\n\n".join(pieces)


if __name__ == "__main__":
    main()
