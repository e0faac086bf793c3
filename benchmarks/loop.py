"""What a step of the loop costs, beside other ways to write it, measured in one go.

    python benchmarks/loop.py                  # the bare loop and this library
    python benchmarks/loop.py --peers          # also the peers, each in an environment of its own

One step is one reply of a zero-latency fake model with one call of `add(a, b)`, and its result. Every contender
runs in a fresh process; figures are the best of several rounds, in microseconds of CPU time a step.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
CONTENDERS = HERE / "contenders"
SIZES = (10, 100, 1000)

LOCAL = ("bare", "hello_agents_book", "hello_agents_book_journal")
PEERS = {
    "hello_agents_original": ["hello-agents==1.0.0"],
    "hello_agents_original_default": ["hello-agents==1.0.0"],
}


def environment(name: str, packages: list[str]) -> Path:
    """The interpreter of an environment that holds these packages, made on first use below `benchmarks/.env`."""
    folder = HERE / ".env" / "-".join(packages).replace("=", "")
    python = folder / "bin" / "python"
    if not python.exists():
        print(f"installing {', '.join(packages)} for {name} …", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=True)
    return python


def measure(name: str, python: Path) -> dict[str, dict[str, float]]:
    """Microseconds a step and bytes of peak memory, by number of steps."""
    command = [str(python), str(HERE / "measure.py"), str(CONTENDERS / f"{name}.py"), *map(str, SIZES)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    if done.returncode:
        raise SystemExit(f"{name} failed:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def table(results: dict[str, dict[str, dict[str, float]]]) -> str:
    """The figures as a Markdown table, with ratios to the bare loop and the growth from 100 to 1000 steps."""
    bare = results["bare"]
    lines = ["| contender | µs a step, N=10 | N=100 | N=1000 | × bare (N=100) | growth 100→1000 | peak MiB (N=1000) |"]
    lines.append("|---|---|---|---|---|---|---|")
    for name, result in results.items():
        times = [result[str(size)]["us"] for size in SIZES]
        cells = [f"{value:.1f}" for value in times]
        cells += [f"{times[1] / bare['100']['us']:.1f}", f"{times[2] / times[1]:.2f}"]
        cells.append(f"{result['1000']['peak_mib']:.1f}")
        lines.append(f"| {name.replace('_', ' ')} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", action="store_true", help="also measure the peers (installs them)")
    arguments = parser.parse_args()
    results = {name: measure(name, Path(sys.executable)) for name in LOCAL}
    if arguments.peers:
        for name, packages in PEERS.items():
            results[name] = measure(name, environment(name, packages))
    print(table(results))


if __name__ == "__main__":
    main()
